"""Reads the tree: every window that is shown, with what it draws, and native windows that wx does not list.

A window tells where it is in the one around it, which costs next to nothing; where it is on the screen costs
a question to the display. So positions are added up, and the display is asked once for each top-level window.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import wx

from ...model.node import Font, Node, Rect, Window
from ...model.tree import Tree
from ...model.uncollected import uncollected
from . import labels, native, parts
from .change_watch import ChangeWatch
from .gtk import gtk, widget_of
from .handles import Handle, Known, Part, Registry, Widget
from .kinds import BOOKS, DEFAULT_NAMES, DRAWN_BOOKS, own, unreadable
from .place import EVERYWHERE, Fields, Place
from .scene import Block, WindowContents, windows_in

_DEEPEST = 200
_EASE = 2.0
"""How many times as long as a read took, the GUI thread is left alone after it."""
_HOLDERS = frozenset(("generic", "scroll-area", "group"))
"""Roles of windows that are nothing by themselves: as a page they are called by their tab."""
_new = tuple.__new__
# Unbound, because to look a method up costs more than to call it.
_rect, _get = wx.Window.GetRect, wx.Rect.Get
_shown, _enabled = wx.Window.IsShown, wx.Window.IsThisEnabled
_name, _tip = wx.Window.GetName, wx.Window.GetToolTipText


class Reader:
    """Reads trees. Belongs to the GUI thread."""

    def __init__(self, registry: Registry, change_watch: ChangeWatch) -> None:
        self._registry = registry
        self._change_watch = change_watch
        self._last: tuple[int, Tree] | None = None
        """All windows as they were read last, and the number of the change_watch in which that was."""
        self.eased = 0.0
        """From when on the GUI thread may be asked to look again; what is as it was counts for nothing."""

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        cold: bool = False,
    ) -> Tree:
        """All windows, or what is at and below one uid.

        A `cold` read takes nothing from the ones before but uids, and leaves what those keep unchanged.
        """
        if cold:
            with uncollected():
                return self._read(root, _Build(self._registry, None, depth, details, internals, anew=True))
        began, still = time.thread_time(), self._change_watch.number()
        whole = root is None and depth is None and not details and not internals
        if whole and self._last is not None and self._last[0] == still and not self._registry.renamed:
            last = self._last[1]
            return last.again(last.windows, last.focused, time.time())
        build = _Build(self._registry, still, depth, details, internals)
        with uncollected():
            tree = self._read(root, build)
        if whole:
            self._last = None if still is None or build.drawn or build.cut else (still, tree)
        # What other programs took of the processor meanwhile did not burden the GUI thread.
        self.eased = time.monotonic() + _EASE * (time.thread_time() - began)
        return tree

    def _read(self, root: str | None, build: _Build) -> Tree:
        if root is None:
            windows = build.everything()
            if not build.anew:
                self._registry.renamed = False
                if self._registry.changed and not build.cut:
                    self._registry.sweep({node.uid for node in build.nodes})
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
    # A program written in C++ has an application object that Python does not know as one with windows.
    main = app.GetTopWindow() if isinstance(app, wx.App) else None
    shown = [window for window in wx.GetTopLevelWindows() if window.IsShown()]
    regular = [window for window in shown if not isinstance(window, wx.Dialog)]
    dialogs = [window for window in shown if isinstance(window, wx.Dialog)]
    # What the program calls its top window comes first, unless that is a dialog in front of it.
    regular.sort(key=lambda window: window is not main)
    found: list[Handle] = [*regular, *dialogs]
    if gtk is None or native.shows_popup(gtk):
        for window in shown:
            found += _popups_in(window)
    if gtk is not None:
        found += [Widget(at) for at in native.windows(gtk, {widget_of(window) for window in shown})]
    return found


def _popups_in(window: Any) -> list[Any]:
    """The windows without a frame that are shown for something in a window: the lists of combo boxes too."""
    found = []
    for child in window.GetChildren():
        if isinstance(child, wx.PopupWindow):
            if child.IsShown():
                found += [child, *_popups_in(child)]
        elif not child.IsTopLevel():
            found += _popups_in(child)
    return found


def is_active(window: Any) -> bool:
    """Whether a top-level window has the keyboard."""
    return bool(window.IsActive() if gtk is None else gtk.gtk_window_is_active(widget_of(window)))


def content(window: Any) -> tuple[int, int, int, int]:
    """The rectangle on the screen of what a top-level window shows, without the frame around it."""
    if gtk is not None and (widget := widget_of(window)) and (origin := gtk.origin(widget)) is not None:
        return *origin, *gtk.size(widget)
    # Fallback: without GTK, the frame is included.
    return tuple(window.GetRect().Get())


class _Build:
    """Builds the nodes of one read.

    Nodes are kept from read to read. The windows in one window are a block: as long as nothing differs that
    they depend on, their nodes are those of the read before.
    """

    def __init__(
        self,
        registry: Registry,
        still: int | None,
        depth: int | None,
        details: bool,
        internals: bool,
        *,
        anew: bool = False,
    ) -> None:
        self._registry = registry
        self.anew = anew
        """Whether to take nothing but uids from what is known of windows."""
        self._met: dict[Any, Known] = {}
        """What is known of windows in a read that takes nothing from those before."""
        self._still = still
        self._depth = _DEEPEST if depth is None else min(depth, _DEEPEST)
        self._details = details
        self._internals = internals
        self._cold = anew or details or internals or depth is not None
        """Whether to make everything anew, and to remember nothing."""
        self._origins: dict[int, tuple[int, int]] = {}
        self._made = 0
        """How many blocks were made anew, or may be elsewhere in a moment."""
        self.nodes: list[Node] = []
        self.cut = False
        self.drawn = False
        """Whether something was read that may be drawn from data of the program's own."""

    def _know(self, window: Any) -> Known:
        kept = self._registry.know(window)
        if not self.anew:
            return kept
        known = self._met.get(window)
        if known is None:
            known = self._met[window] = Known(window, kept.uid)
            known.automation_id = kept.automation_id
        return known

    def _above(self, known: Known) -> Known | None:
        """What a window is in; None for a top-level window."""
        if known.top:
            return None
        window = known.window
        parent = window.GetFrame() if isinstance(window, wx.MenuBar) else window.GetParent()
        return None if parent is None else self._know(parent)

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
        window = native.read(gtk, self._registry, top.at, self.nodes, self._depth, self._internals)
        return replace(window, app_name=wx.GetApp().GetAppDisplayName())

    def _top(self, window: Any) -> Window:
        known = self._know(window)
        known.above = self._around(window) if isinstance(window, wx.PopupWindow) else None
        if not self._cold:
            self._refresh(known)
        bounds = content(window)
        modal = isinstance(window, wx.Dialog) and window.IsModal()
        fields = self._fields(known, window, own(known.kind, window), None, bounds)
        if modal:
            fields["modal"] = True
        known.node = node = Node.of(fields)
        self.nodes.append(node)
        self._inside(known, window, fields, Place(fields, bounds[:2], _box(bounds)))
        framed = isinstance(window, wx.TopLevelWindow)
        floating = window.GetWindowStyleFlag() & (wx.FRAME_TOOL_WINDOW | wx.FRAME_FLOAT_ON_PARENT)
        kind = "popup" if not framed else "floating" if floating else "regular"
        return Window(
            uid=known.uid,
            title=fields.get("name"),
            app_name=wx.GetApp().GetAppDisplayName(),
            pid=os.getpid(),
            kind="dialog" if fields["role"] == "dialog" else kind,
            bounds=Rect(*bounds),
            focused=framed and is_active(window),
            showing=True,
            minimized=framed and window.IsIconized(),
            maximized=framed and window.IsMaximized(),
            modal=modal,
            native_id=self._number(known),
            scale=window.GetContentScaleFactor(),
        )

    def _around(self, popup: Any) -> Known:
        """What a popup is shown for, which knows in turn what it is in: also an inner part of a control."""
        window = popup.GetParent()
        first = known = self._know(window)
        while not known.top and known.above is None:
            window = window.GetParent()
            known.above = known = self._know(window)
        return first

    def _number(self, top: Known) -> int | None:
        """The number that the window system has for a window; it stays the same, and takes long to ask."""
        if top.number is None and self._window_is_mapped(top.window):
            top.number = int(top.window.GetHandle() or 0) or None
        return top.number

    @staticmethod
    def _window_is_mapped(window: Any) -> bool:
        return gtk is None or bool(gtk.gtk_widget_get_mapped(widget_of(window)))

    def _refresh(self, top: Known) -> None:
        """See which of the windows in a top-level window are other than before."""
        scene: WindowContents | None = None if self._registry.renamed else top.scene
        if scene is None or not scene.refresh(self._still):
            top.scene = scene = WindowContents(self._registry, top)
            scene.refresh(self._still)
            self._registry.changed = True

    # -- windows in windows ----------------------------------------------------------------------

    def _fields(
        self, known: Known, window: Any, own: Fields, parent: str | None, bounds: tuple[int, int, int, int]
    ) -> Fields:
        """What a node says that needs no look around."""
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
        fields.update(own)
        name, given = _name(window), known.automation_id
        if given is not None:
            fields["automation_id"] = given
            if name not in DEFAULT_NAMES and name != given:
                fields["object_name"] = name
        elif name not in DEFAULT_NAMES:
            fields["automation_id"] = name
        if tip := _tip(window):
            fields["tooltip"] = tip
            if "name" not in fields and not kind.field:
                fields["name"] = tip
        if known.style is not None:
            fields["style_classes"] = (known.style,)
        if self._details:
            _details(window, fields)
        return fields

    def _inside(self, known: Known, window: Any, fields: Fields, place: Place) -> None:
        """What is in a window: other windows, and what it draws. Its fields are made for this read alone."""
        kind = known.kind
        children = self._windows_in(known)
        if place.level >= self._depth:
            if count := len(children) + parts.count(kind, window):
                self.cut = True
                fields["child_count"] = count
            return
        count = len(children)
        if isinstance(window, wx.Frame) and (bar := window.GetMenuBar()) is not None:
            self._menu_bar(known, bar, place)
            count += 1
        if kind.parts is not None:
            self.drawn = True
            try:
                parts.read(kind.parts, window, place, self.nodes, self._registry)
            except Exception as error:  # noqa: BLE001 - one that cannot be read must not hide all others
                unreadable(fields, error)
            count += place.count
        if children:
            self._children(known, window, children, place)
        if count:
            fields["child_count"] = count

    def _menu_bar(self, above: Known, bar: Any, place: Place) -> None:
        known = self._know(bar)
        known.above = above
        bounds = None if gtk is None else gtk.bounds(widget_of(bar))
        fields = self._fields(known, bar, {}, above.uid, bounds or (place.x, place.y, 0, 0))
        if bounds is None:
            fields["offscreen"] = True
        known.node = node = Node.of(fields)
        self.nodes.append(node)
        inside = Place(fields, (place.x, place.y), EVERYWHERE, place.level + 1)
        inside.enabled = place.enabled
        if inside.level <= self._depth:
            parts.read("menus", bar, inside, self.nodes, self._registry)
            if inside.count:
                fields["child_count"] = inside.count

    def _children(self, above: Known, window: Any, children: list[Any], place: Place) -> None:
        known_block: Block | None = None if self._cold else above.block
        where = (
            place.x,
            place.y,
            place.visible,
            place.enabled,
            place.left,
            place.top,
            place.right,
            place.bottom,
        )
        if known_block is not None and known_block.below is not None and known_block.below[0] == where:
            self.nodes += known_block.below[1]
            return
        made, first = self._made, len(self.nodes)
        block = self._block(above, window, children, place)
        if block.wide:
            self._insides(block, place)
        else:
            self.nodes += block.nodes
        if not block.is_settled:
            self._made += 1
        if known_block is not None and block.plain and made == self._made:
            block.below = (where, self.nodes[first:])

    def _insides(self, block: Block, place: Place) -> None:
        """The windows of a block, each with what is inside."""
        nodes, level = self.nodes, place.level + 1
        clip = (place.left, place.top, place.right, place.bottom)
        for known, node in zip(block.knowns, block.nodes, strict=True):
            kind = known.kind
            if kind.leaf and kind.parts is None and not self._internals:
                nodes.append(node)
                continue
            inner: Block | None = None if self._cold else known.block
            seen = None if inner is None or inner.below is None else inner.whole
            if seen is not None and seen[0] is node and seen[1] == clip:
                nodes += seen[2]
                continue
            first = len(nodes)
            # What is inside goes into the fields too, so these are for this read alone.
            fields = dict(node.fields)
            nodes.append(Node.of(fields))
            x, y, width, height = fields["bounds"]
            self._inside(
                known, known.window, fields, Place(fields, (x, y), place.clipped(x, y, width, height), level)
            )
            if inner is not None and inner.below is not None:
                inner.whole = (node, clip, nodes[first:])

    def _windows_in(self, known: Known) -> list[Any]:
        if not self._cold:
            block: Block | None = known.block
            return [] if block is None else block.children
        return windows_in(self._registry, known, list(known.window.GetChildren()), self._internals)

    def _block(self, above: Known, window: Any, children: list[Any], place: Place) -> Block:
        """The nodes of the windows in a window, without what is inside those."""
        block: Block = above.block
        if self._cold:
            block = Block(children, [self._know(child) for child in children])
            for known in block.knowns:
                known.above = above
        key = (
            self._origin(block, window, place),
            self._special(above, window, children),
            place.visible,
            place.enabled,
            (place.left, place.top, place.right, place.bottom),
        )
        if block.stale or key != block.key:
            block.key, block.stale = key, False
            self._made += 1
            block.nodes = self._make(above, block, key[0], key[1], place)
        return block

    def _make(
        self, above: Known, block: Block, origin: tuple[int, int], special: _Special, place: Place
    ) -> list[Node]:
        """Make the nodes of a block anew."""
        inner = above.kind.leaf or above.kind.whole
        named = labels.Names()
        nodes = []
        for at, (known, child) in enumerate(zip(block.knowns, block.children, strict=True)):
            left, top, width, height = _get(_rect(child))
            left, top = special.places.get(at) or (left + origin[0], top + origin[1])
            fields = self._fields(known, child, own(known.kind, child), above.uid, (left, top, width, height))
            if at in special.titles:
                _entitle(fields, *special.titles[at])
            is_shown = _shown(child) and at not in special.hidden
            if not place.visible or not is_shown:
                fields["visible"] = False
                if is_shown:
                    fields["visible_self"] = True
            elif (
                left >= place.right
                or top >= place.bottom
                or left + width <= place.left
                or top + height <= place.top
            ):
                fields["offscreen"] = True
            if not (is_enabled := _enabled(child)) or not place.enabled:
                fields["enabled"] = False
                if is_enabled:
                    fields["enabled_self"] = True
            if inner:
                fields["internal"] = True
            if known.kind.label:
                named.label(fields)
            elif known.kind.field:
                named.field(fields)
            else:
                named.other(fields)
            known.node = node = Node.of(fields)
            nodes.append(node)
        named.apply()
        return nodes

    def _special(self, above: Known, window: Any, children: list[Any]) -> _Special:
        if above.kind.parts in BOOKS:
            current, pages = parts.current_page(window)
            hidden = [at for at, child in enumerate(children) if child is not current and child in pages]
            titles = {}
            if above.kind.parts != "pages":
                texts = {
                    page: wx.Control.RemoveMnemonics(window.GetPageText(at)) for at, page in enumerate(pages)
                }
                titles = {
                    at: ("tab-panel", texts[child]) for at, child in enumerate(children) if child in texts
                }
            return _Special({}, frozenset(hidden), titles)
        if isinstance(window, wx.CollapsiblePane):
            return _USUAL if window.IsExpanded() else _Special({}, frozenset(range(len(children))), {})
        if isinstance(window, wx.Frame):
            bars = _bars(window)
            found = [(at, child) for at, child in enumerate(children) if child in bars]
            # Not by GetScreenPosition alone: that asks the display, which may have moved the window since
            # GTK was informed, and all else in this read is placed by what GTK knows.
            places = {
                at: self._widget_at(widget_of(child)) or child.GetScreenPosition().Get()
                for at, child in found
            }
            return _Special(places, frozenset(), _panes(window, children))
        return _USUAL

    def _origin(self, block: Block, window: Any, place: Place) -> tuple[int, int]:
        """Where the positions of the windows inside are counted from, on the screen."""
        if not place.visible:
            return place.x, place.y
        if gtk is not None:
            if block.first is None or isinstance(window, wx.Frame):
                bars = _bars(window)
                child = next((each for each in block.children if _shown(each) and each not in bars), None)
                block.first = None if child is None else (child, *_get(_rect(child))[:2])
            # Not by ClientToScreen: that asks the display each time.
            at = None if block.first is None else self._widget_at(widget_of(block.first[0]))
            if block.first is not None and at is not None:
                return at[0] - block.first[1], at[1] - block.first[2]
            if not self._window_is_mapped(window):
                self._made += 1
                return place.x, place.y  # not on the screen yet
        x, y = window.ClientToScreen(0, 0)
        return x, y

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

    # -- one node --------------------------------------------------------------------------------

    def below(self, handle: Handle, uid: str) -> None:
        """Read what is at and below one node."""
        depth, self._depth = self._depth, _DEEPEST
        # Read as everything is, which costs little when most has been read before; then only this node's
        # details are added. Inner parts of a control are not in that.
        cold, self._cold = self._cold, self.anew
        details, self._details = self._details, False
        internals, self._internals = self._internals, False
        if internals and (depth or not self._is_element(handle)):
            self._cold, self._internals = cold, internals
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
            raise self._registry.stale(uid)
        self.nodes[:] = map(self._with_details, found) if details else found

    def _is_element(self, handle: Handle) -> bool:
        """Whether something is also listed without the inner parts."""
        if isinstance(handle, Widget):
            return False
        known = self._know(handle.window if isinstance(handle, Part) else handle)
        while (above := self._above(known)) is not None:
            known = above
            if known.kind.leaf or known.kind.whole or known.kind.parts in DRAWN_BOOKS:
                return False
        return True

    def _with_details(self, node: Node) -> Node:
        if ":" in node.uid or node.uid.startswith("g"):
            return node
        fields = dict(node.fields)
        _details(self._registry.handle(node.uid), fields)
        return Node.of(fields)

    def _branch(self, window: Any) -> None:
        """Read a window as it is in the one around it, whose labels may name it."""
        known = self._know(window)
        while (above := self._above(known)) is not None:
            known = above
        top = known.window
        if not top.IsShown():
            return
        # The whole top-level window: visibility, clips and names all come from above.
        self._top(top)

    def _place_of(self, window: Any) -> Place:
        """The place of a window that has been read."""
        uid = self._know(window).uid
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
            known = self._know(window)
            above = window.GetParent()
            # The focus may be in an inner part; then the control it belongs to has it.
            if self._internals or above is None or known.top:
                return known.uid
            around = self._know(above).kind
            if not around.leaf and not around.whole:
                return known.uid
            window = above
        if gtk is not None:
            return native.focused(gtk, self._registry)
        return None


class _Special(NamedTuple):
    """What is other than usual about windows in a window, by their numbers."""

    places: dict[int, tuple[int, int]]
    """Where those are on the screen that are not placed as the others are."""
    hidden: frozenset[int]
    """Those that are not shown, although they say so: pages that are not in front."""
    titles: dict[int, tuple[str, str]]
    """The role and the name of those that have a title: a tab, or the caption of a pane."""


_USUAL = _Special({}, frozenset(), {})


def _entitle(fields: Fields, role: str, title: str) -> None:
    """Call a page by its tab. What is more than a page, such as a table, stays what it is."""
    if fields["role"] in _HOLDERS:
        fields["role"] = role
    elif "name" in fields:
        return
    fields["name"] = title
    if role == "tab-panel":
        fields["labelled_by"] = title


def _panes(frame: Any, children: list[Any]) -> dict[int, tuple[str, str]]:
    """The captions of panes, where a program lets wx.aui arrange them."""
    aui = sys.modules.get("wx.aui")
    manager = None if aui is None else aui.AuiManager.GetManager(frame)
    if manager is None:
        return {}
    panes = ((at, manager.GetPane(child)) for at, child in enumerate(children))
    return {at: ("region", pane.caption) for at, pane in panes if pane.IsOk() and pane.caption}


def _bars(window: Any) -> tuple[Any, ...]:
    """The bars of a frame, which are outside of what the others are placed in."""
    if not isinstance(window, wx.Frame):
        return ()
    return tuple(bar for bar in (window.GetToolBar(), window.GetStatusBar()) if bar is not None)


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
