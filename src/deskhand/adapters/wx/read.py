"""Reads the tree: every window that is shown, with what it draws, and native windows that wx does not list.

A window tells where it is in the one around it, which costs next to nothing; where it is on the screen costs
a question to the display. So positions are added up, and the display is asked once for each top-level window.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import Any

import wx

from ...model.errors import Stale
from ...model.node import Font, Node, Rect, Window
from ...model.tree import Tree
from . import labels, native, parts
from .gtk import gtk, widget_of
from .handles import Handle, Known, Part, Registry, Widget
from .kinds import DEFAULT_NAMES
from .place import EVERYWHERE, Fields, Place

_DEEPEST = 200
_new = tuple.__new__
_set = object.__setattr__


class Reader:
    """Reads trees. Belongs to the GUI thread."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
    ) -> Tree:
        """All windows, or what is at and below one uid."""
        build = _Build(self._registry, depth, details, internals)
        if root is None:
            self._registry.turn += 1
            windows = build.everything()
            if depth is None and not build.cut:
                self._registry.sweep()
            tree = Tree(build.nodes, windows)
        else:
            build.below(self._registry.handle(root), root)
            tree = Tree(build.nodes)
        build.mark_focus(tree)
        return tree

    def main(self) -> Any:
        """The main window: a wx.Window or a Widget; None if none is shown."""
        return next(iter(tops()), None)

    def bounds(self, handle: Handle) -> tuple[int, int, int, int] | None:
        """Where something is on the screen."""
        if isinstance(handle, Widget):
            return None if gtk is None else gtk.bounds(handle.at)
        if isinstance(handle, Part):
            return parts.bounds(handle, self._registry)
        if handle.IsTopLevel():
            return content(handle)
        return tuple(handle.GetScreenRect().Get())


def tops() -> list[Handle]:
    """The top-level windows that are shown: the main one first, dialogs after, then what wx does not list."""
    app = wx.GetApp()
    main = app.GetTopWindow() if app is not None else None
    shown = [window for window in wx.GetTopLevelWindows() if window.IsShown()]
    regular = [window for window in shown if not isinstance(window, wx.Dialog)]
    dialogs = [window for window in shown if isinstance(window, wx.Dialog)]
    # What the program calls its top window comes first, unless that is a dialog in front of it.
    regular.sort(key=lambda window: window is not main)
    found: list[Handle] = [*regular, *dialogs]
    if gtk is not None:
        found += [Widget(at) for at in native.windows(gtk, {widget_of(window) for window in shown})]
    return found


def content(window: Any) -> tuple[int, int, int, int]:
    """The rectangle on the screen of what a top-level window shows, without the frame around it."""
    if gtk is not None and (widget := widget_of(window)) and (origin := gtk.origin(widget)) is not None:
        return *origin, *gtk.size(widget)
    # Fallback: without GTK, the frame is told with it.
    return tuple(window.GetRect().Get())


class _Build:
    """Builds the nodes of one read."""

    def __init__(self, registry: Registry, depth: int | None, details: bool, internals: bool) -> None:
        self._registry = registry
        self._depth = _DEEPEST if depth is None else min(depth, _DEEPEST)
        self._details = details
        self._internals = internals
        self.nodes: list[Node] = []
        self.cut = False
        self._rect = wx.Window.GetRect
        self._shown = wx.Window.IsShown
        self._enabled = wx.Window.IsThisEnabled
        self._name = wx.Window.GetName
        self._tip = wx.Window.GetToolTipText

    # -- everything ------------------------------------------------------------------------------

    def everything(self) -> tuple[Window, ...]:
        """The nodes of all windows, and what is to be said of each window."""
        windows = []
        for top in tops():
            if isinstance(top, Widget):
                windows.append(self._native(top))
            else:
                windows.append(self._top(top))
        return tuple(windows)

    def _native(self, top: Widget) -> Window:
        assert gtk is not None, "only GTK has windows that wx does not know"
        return native.read(gtk, self._registry, top.at, self.nodes, self._depth, self._internals)

    def _top(self, window: Any) -> Window:
        known = self._registry.know(window)
        known.above = None
        bounds = content(window)
        fields = self._begin(known, None, bounds)
        modal = isinstance(window, wx.Dialog) and window.IsModal()
        if modal:
            fields["modal"] = True
        self._fill(known, window, fields)
        self.nodes.append(Node.of(fields))
        self._inside(known, window, fields, Place(fields, bounds[:2], _box(bounds)))
        framed = isinstance(window, wx.TopLevelWindow)
        popup = not framed
        floating = window.GetWindowStyleFlag() & (wx.FRAME_TOOL_WINDOW | wx.FRAME_FLOAT_ON_PARENT)
        kind = (
            "dialog"
            if fields["role"] == "dialog"
            else "popup"
            if popup
            else "floating"
            if floating
            else "regular"
        )
        return Window(
            uid=known.uid,
            title=fields.get("name"),
            app_name=wx.GetApp().GetAppDisplayName(),
            pid=os.getpid(),
            kind=kind,
            bounds=Rect(*bounds),
            focused=framed and window.IsActive(),
            showing=True,
            minimized=framed and window.IsIconized(),
            maximized=framed and window.IsMaximized(),
            modal=modal,
            native_id=_number(window),
            scale=window.GetContentScaleFactor(),
        )

    # -- windows in windows ----------------------------------------------------------------------

    def _begin(self, known: Known, parent: str | None, bounds: tuple[int, int, int, int]) -> Fields:
        known.turn = self._registry.turn
        kind = known.kind
        fields: Fields = {
            "uid": known.uid,
            "role": kind.role,
            "native_class": known.native_class,
            "backend": "wx",
            "bounds": _new(Rect, bounds),
        }
        if parent is not None:
            fields["parent"] = parent
        if kind.actions:
            fields["actions"] = kind.actions
            if "focus" in kind.actions:
                fields["focusable"] = True
        return fields

    def _fill(self, known: Known, window: Any, fields: Fields) -> None:
        """What a window says of itself."""
        read = known.kind.read
        if read is not None:
            try:
                read(window, fields)
            except Exception as error:  # noqa: BLE001 - one that cannot be read must not hide all others
                _unreadable(fields, error)
        name = self._name(window)
        given = known.automation_id
        if given is not None:
            fields["automation_id"] = given
            if name not in DEFAULT_NAMES and name != given:
                fields["object_name"] = name
        elif name not in DEFAULT_NAMES:
            fields["automation_id"] = name
        tip = self._tip(window)
        if tip:
            fields["tooltip"] = tip
            if "name" not in fields and not known.kind.field:
                fields["name"] = tip
        if known.style is not None:
            fields["style_classes"] = (known.style,)
        known.label = (
            f'{fields["role"]} "{fields.get("name") or fields.get("automation_id") or known.native_class}"'
        )
        if self._details:
            _details(window, fields)

    def _inside(self, known: Known, window: Any, fields: Fields, place: Place) -> None:
        """What is in a window: other windows, and what it draws."""
        kind = known.kind
        children = (
            []
            if kind.leaf and not self._internals
            else [child for child in window.GetChildren() if not self._registry.know(child).top]
        )
        if kind.whole and not self._internals:
            children = []
        if kind.parts == "aui-tabs" and not self._internals:
            # Without what it draws its tabs in.
            children = [child for child in children if child in parts.current_page(window)[1]]
        if place.level >= self._depth:
            fields_count = len(children) + parts.count(kind, window)
            self.cut = self.cut or bool(fields_count)
            if fields_count:
                fields["child_count"] = fields_count
            return
        before = len(self.nodes)
        if isinstance(window, wx.Frame):
            self._menu_bar(known, window, place)
        if kind.parts is not None:
            try:
                parts.read(kind.parts, window, place, self.nodes, self._registry)
            except Exception as error:  # noqa: BLE001 - one that cannot be read must not hide all others
                _unreadable(fields, error)
        if children:
            self._children(known, window, children, place)
        count = sum(1 for node in islice(self.nodes, before, None) if node.parent == known.uid)
        if count:
            fields["child_count"] = count

    def _menu_bar(self, known: Known, frame: Any, place: Place) -> None:
        bar = frame.GetMenuBar()
        if bar is None:
            return
        below = self._registry.know(bar)
        below.above = known
        bounds = None if gtk is None else gtk.bounds(widget_of(bar))
        fields = self._begin(below, known.uid, bounds or (place.x, place.y, 0, 0))
        if bounds is None:
            fields["offscreen"] = True
        self._fill(below, bar, fields)
        fields.pop("name", None)
        self.nodes.append(Node.of(fields))
        inside = Place(fields, (place.x, place.y), EVERYWHERE, place.level + 1)
        inside.enabled = place.enabled
        if inside.level <= self._depth:
            parts.read("menus", bar, inside, self.nodes, self._registry)
            if inside.count:
                fields["child_count"] = inside.count

    def _children(self, above: Known, window: Any, children: list[Any], place: Place) -> None:
        x, y = self._origin(window, children, place)
        own = _own_place(window)
        current = parts.current_page(window) if above.kind.parts in ("tabs", "pages", "aui-tabs") else None
        inner = above.kind.leaf or above.kind.whole
        closed = isinstance(window, wx.CollapsiblePane) and not window.IsExpanded()
        level = place.level + 1
        named = labels.Names()
        for child in children:
            known = self._registry.know(child)
            known.above = above
            left, top, width, height = self._rect(child).Get()
            if own and child in own:
                left, top = child.GetScreenPosition().Get()
            else:
                left, top = left + x, top + y
            fields = self._begin(known, place.uid, (left, top, width, height))
            shown = self._shown(child)
            if current is not None and child is not current[0] and child in current[1]:
                shown = False
            if closed:
                shown = False
            if not place.visible or not shown:
                fields["visible"] = False
                if shown and not place.visible:
                    fields["visible_self"] = True
            elif (
                left >= place.right
                or top >= place.bottom
                or left + width <= place.left
                or top + height <= place.top
            ):
                fields["offscreen"] = True
            if not self._enabled(child) or not place.enabled:
                fields["enabled"] = False
                if not place.enabled and self._enabled(child):
                    fields["enabled_self"] = True
            if inner:
                fields["internal"] = True
            self._fill(known, child, fields)
            if known.kind.label:
                named.label(fields)
            elif known.kind.field:
                named.field(fields)
            self.nodes.append(Node.of(fields))
            if not known.kind.leaf or known.kind.parts is not None or self._internals:
                self._inside(
                    known,
                    child,
                    fields,
                    Place(fields, (left, top), place.clipped(left, top, width, height), level),
                )
        named.apply()

    def _origin(self, window: Any, children: list[Any], place: Place) -> tuple[int, int]:
        """Where the positions of the windows inside are counted from, on the screen."""
        if gtk is not None and place.visible:
            for child in children:
                if not self._shown(child) or child in _own_place(window):
                    continue
                widget = widget_of(child)
                # Not by ClientToScreen: that asks the display each time.
                at = self._widget_at(widget)
                if at is not None:
                    left, top = child.GetPosition().Get()
                    return at[0] - left, at[1] - top
                break
        return tuple(window.ClientToScreen(0, 0)) if place.visible else (place.x, place.y)

    def _widget_at(self, widget: int) -> tuple[int, int] | None:
        if gtk is None or not widget or not gtk.gtk_widget_get_mapped(widget):
            return None
        top = gtk.gtk_widget_get_toplevel(widget)
        origin = self._origins.get(top)
        if origin is None:
            found = gtk.origin(top)
            if found is None:
                return None
            origin = self._origins[top] = found
        at = gtk.within(widget, top)
        return None if at is None else (origin[0] + at[0], origin[1] + at[1])

    @property
    def _origins(self) -> dict[int, tuple[int, int]]:
        try:
            return self._known_origins
        except AttributeError:
            self._known_origins: dict[int, tuple[int, int]] = {}
            return self._known_origins

    # -- one node --------------------------------------------------------------------------------

    def below(self, handle: Handle, uid: str) -> None:
        """Read what is at and below one node."""
        depth, self._depth = self._depth, _DEEPEST
        if isinstance(handle, Widget):
            assert gtk is not None, "only GTK has widgets that wx does not know"
            self._native(Widget(gtk.gtk_widget_get_toplevel(handle.at)))
        else:
            window = handle.window if isinstance(handle, Part) else handle
            self._branch(window)
            if isinstance(handle, Part) and not any(node.uid == uid for node in self.nodes):
                # It is not on the screen, so reading its window did not come across it.
                self.nodes.append(parts.one(handle, self._place_of(window), self._registry))
        found = _subtree(self.nodes, uid, depth)
        if not found:
            raise Stale(f"what had the uid '{uid}' is not shown any more", target=f"uid={uid}")
        self.nodes[:] = found

    def _branch(self, window: Any) -> None:
        """Read a window as it is in the one around it, whose labels may name it."""
        known = self._registry.know(window)
        chain = [known]
        while chain[-1].above is not None:
            chain.append(chain[-1].above)
        top = chain[-1].window
        if not top.IsShown():
            return
        # The whole top-level window: visibility, clips and names all come from above.
        self._top(top)

    def _place_of(self, window: Any) -> Place:
        """The place of a window that has been read."""
        uid = self._registry.know(window).uid
        node = next(node for node in self.nodes if node.uid == uid)
        bounds = node.bounds or Rect(0, 0, 0, 0)
        clip = (int(bounds.x), int(bounds.y), int(bounds.x + bounds.width), int(bounds.y + bounds.height))
        return Place(node.fields, clip[:2], clip)

    # -- focus -----------------------------------------------------------------------------------

    def mark_focus(self, tree: Tree) -> None:
        """Say which node has the focus."""
        uid = self._focused()
        nodes = self.nodes
        for at, node in enumerate(nodes) if uid is not None else ():
            if node.uid == uid:
                nodes[at] = node.changed(focused=True)
                tree.focused = uid
                return

    def _focused(self) -> str | None:
        window = wx.Window.FindFocus()
        while window is not None:
            known = self._registry.know(window)
            above = window.GetParent()
            # The focus may be in an inner part; then the control it belongs to has it.
            if self._internals or above is None or known.top:
                return known.uid
            around = self._registry.know(above).kind
            if not around.leaf and not around.whole:
                return known.uid
            window = above
        if gtk is not None:
            return native.focused(gtk, self._registry)
        return None


def _unreadable(fields: Fields, error: Exception) -> None:
    """Say in a node that not all of it could be read: programs have controls of classes of their own."""
    fields["properties"] = {**fields.get("properties", {}), "unreadable": f"{type(error).__name__}: {error}"}


def _own_place(window: Any) -> tuple[Any, ...]:
    """The bars of a frame, which are outside of what the others are placed in."""
    if not isinstance(window, wx.Frame):
        return ()
    return tuple(bar for bar in (window.GetToolBar(), window.GetStatusBar()) if bar is not None)


def _number(window: Any) -> int | None:
    return int(window.GetHandle() or 0) or None


def _box(bounds: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    x, y, width, height = bounds
    return x, y, x + width, y + height


def _details(window: Any, fields: Fields) -> None:
    font, colour = window.GetFont(), window.GetForegroundColour()
    if font.IsOk():
        weight = "bold" if font.GetNumericWeight() >= 600 else "normal"
        hue = colour.GetAsString(wx.C2S_HTML_SYNTAX) if colour.IsOk() else None
        fields["font"] = Font(font.GetFaceName() or None, font.GetFractionalPointSize(), weight, hue)
    width, height = window.GetMinSize().Get()
    best = window.GetBestSize().Get()
    fields["properties"] = {
        **fields.get("properties", {}),
        "id": window.GetId(),
        "name": window.GetName(),
        "style": window.GetWindowStyleFlag(),
        "pythonClass": type(window).__name__,
        "minSize": [width, height],
        "bestSize": list(best),
    }
    if help_text := window.GetHelpText():
        fields["help"] = help_text
    sizer = window.GetContainingSizer()
    item = sizer.GetItem(window) if sizer is not None else None
    if item is not None:
        fields["properties"]["sizer"] = {
            "class": type(sizer).__name__,
            "rect": list(item.GetRect().Get()),
            "proportion": item.GetProportion(),
            "flag": item.GetFlag(),
            "border": item.GetBorder(),
        }
    layout = window.GetSizer()
    if layout is not None:
        position, size = layout.GetPosition(), layout.GetSize()
        fields["properties"]["layout"] = {
            "class": type(layout).__name__,
            "rect": [*position.Get(), *size.Get()],
            "items": layout.GetItemCount(),
        }


def _subtree(nodes: list[Node], uid: str, depth: int) -> list[Node]:
    """A node and those below it, so deep."""
    first = next((at for at, node in enumerate(nodes) if node.uid == uid), None)
    if first is None:
        return []
    levels = {uid: 0}
    found = [nodes[first]]
    for node in islice(nodes, first + 1, None):
        if node.parent in levels:
            levels[node.uid] = levels[node.parent] + 1
            if levels[node.uid] <= depth:
                found.append(node)
    return found
