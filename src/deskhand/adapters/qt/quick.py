"""Reading the items of a QML scene.

Inner parts of controls (the text in a button, the rectangle behind it) are left out, or marked as internal;
what lies inside them and can be operated is not. Of a view only what shows is read: Qt keeps rows that are
scrolled away.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...model.node import Node, Rect, Virtualization, VisibleRow
from .binding import Binding
from .handles import Known, Registry
from .quick_aim import window_of
from .quick_call import evaluate, texts
from .quick_kinds import ACCESSIBLE_ROLES, Fields, Kind, Scribe, as_menu, as_part, kind_of
from .quick_scroll import row_count, row_of

_MOST_LEVELS = 200
"""Deeper than any interface."""
_WINDOW_CONTENT = "ApplicationWindowContentControl"
_EVERYWHERE = (-1e9, -1e9, 1e9, 1e9)


def nodes(
    binding: Binding,
    registry: Registry,
    root_item: Any,
    parent_uid: str,
    origin: tuple[float, float],
    out: list[Node],
    internals: bool = False,
    levels: int | None = None,
) -> int:
    """Append what is below the root of a scene, in document order; gives how many are directly below.

    `parent_uid` is whose children they are, `origin` where the scene's corner is on the screen, and `levels`
    how deep to go.
    """
    registry.sweep()
    window = window_of(root_item)
    size = (root_item.width(), root_item.height()) if window is None else (window.width(), window.height())
    scene = _Scene(binding, registry, origin, out, internals, window)
    deep = _MOST_LEVELS if levels is None else levels
    return scene.below(root_item, kind_of(root_item), _Around(parent_uid, (0.0, 0.0, *size), levels=deep))


def node(
    binding: Binding,
    registry: Registry,
    item: Any,
    parent_uid: str | None,
    origin: tuple[float, float],
    out: list[Node],
    internals: bool = False,
    levels: int | None = None,
) -> None:
    """Append one item, also an inner part, and what is below it."""
    scene = _Scene(binding, registry, origin, out, internals, window_of(item))
    around = _Around(parent_uid, _EVERYWHERE, levels=_MOST_LEVELS if levels is None else levels + 1)
    scene.add(item, kind_of(item), around, keep=True)


class _Around:
    """What an item is in. One is made for each item that has children, so it is not a dataclass."""

    __slots__ = ("clip", "closed", "inner", "levels", "parent", "shown", "skip", "view")

    def __init__(
        self,
        parent: str | None,
        clip: tuple[float, float, float, float],
        levels: int,
        shown: bool = True,
        inner: bool = False,
        closed: bool = False,
        view: Any = None,
        skip: Any = None,
    ) -> None:
        self.parent = parent
        self.clip = clip
        """What shows, in the scene: left, top, right, bottom."""
        self.levels = levels
        self.shown = shown
        self.inner = inner
        """Whether it is inside a control that is one thing to its user, but for what can be operated."""
        self.closed = closed
        """Whether it is inside one that holds nothing of use at all."""
        self.view = view
        """The view that it is a row of."""
        self.skip = skip
        """An item that only marks another."""

    def through(self, shown: bool, view: Any, skip: Any) -> _Around:
        """The same for what is in an item that has no node."""
        return _Around(
            self.parent, self.clip, self.levels, shown, self.inner, self.closed, view, skip or self.skip
        )


class _Scene:
    """One reading of one scene."""

    def __init__(
        self,
        binding: Binding,
        registry: Registry,
        origin: tuple[float, float],
        out: list[Node],
        internals: bool,
        window: Any,
    ) -> None:
        self._binding = binding
        self._registry = registry
        self._left, self._top = origin
        self._out = out
        self._internals = internals
        self._focus = window.activeFocusItem() if window is not None else None
        self._scribe = Scribe(binding)
        self._rect = binding.QtCore.QRectF
        self._counting = False

    def below(self, item: Any, kind: Kind, around: _Around) -> int:
        """Append the children of an item; gives how many there are."""
        if around.levels <= 0 and not self._counting:
            return self._count(item, kind, around)
        children: Iterable[Any] = item.childItems()
        if around.view is not None:
            children = sorted(children, key=lambda child: (child.y(), child.x()))
        background = item.property("background") if kind.background else None
        content = item.property("contentItem") if kind.content else None
        if content is not None and background is None:
            background = _behind_text(content)
        count = 0
        label: str | None = None
        for child in children:
            of = kind_of(child)
            if of.role == "none" or child is around.skip:
                continue
            if of.leaf and around.inner and not of.operable and not self._internals:
                continue
            if kind.view is not None and child is content:
                count += self.below(child, of, around.through(around.shown, item, _highlight(item)))
                continue
            if child is background or child is content:
                of = as_part(of, child is background)
            elif kind.role == "root" and child.objectName() == _WINDOW_CONTENT:
                of = as_part(of, False)
            added, fields = self.add(child, of, around)
            count += added
            if fields is None:
                continue
            if of.field:
                if called := fields.get("name") or label:
                    if "name" not in fields:
                        fields["guessed"] = True
                    fields["name"] = fields["labelled_by"] = called
                elif hint := fields.get("placeholder"):
                    fields["name"] = hint
                    fields["guessed"] = True
            label = fields.get("text", "").strip().rstrip(":：") or None if of.role == "text" else None
        return count

    def add(self, item: Any, kind: Kind, around: _Around, keep: bool = False) -> tuple[int, Fields | None]:
        """Append an item and what is below it; gives how many children its parent gets, and its fields."""
        inner = kind.transparent or around.closed or (around.inner and not kind.operable)
        shown = around.shown and item.isVisible() and item.opacity() > 0
        if inner and not self._internals and not keep:
            # What a control is made of may hold something that can be operated; text and images do not.
            if kind.leaf:
                return 0, None
            return self.below(item, kind, around.through(shown, None, _highlight(item, kind))), None
        at = item.mapRectToScene(self._rect(0, 0, item.width(), item.height())).getRect()
        x, y, width, height = at
        left, top, right, bottom = around.clip
        inside = x < right and y < bottom and x + width > left and y + height > top
        inside = inside or not width or not height
        row = None
        if around.view is not None:
            row = row_of(self._binding, around.view, item) if inside else None
            if not inside:
                return 0, None
        if self._counting:
            return 1, None
        known = self._registry.known.get(id(item)) or self._registry.know(item)
        fields: Fields = {
            "uid": known.uid,
            "role": kind.role,
            "native_class": kind.native_class,
            "backend": "qt",
            "bounds": Rect(self._left + x, self._top + y, width, height),
        }
        if around.parent is not None:
            fields["parent"] = around.parent
        if not shown:
            fields["visible"] = False
        elif not inside:
            fields["offscreen"] = True
        if not item.isEnabled():
            fields["enabled"] = False
        if inner:
            fields["internal"] = True
        self._describe(item, kind, known, fields)
        if fields["role"] == "menu":
            kind = as_menu(kind)
        if row is not None:
            self._as_row(around.view, item, row, fields)
        known.label = fields.get("name")
        self._out.append(Node.of(fields))
        if not kind.leaf or self._internals:
            fields["child_count"] = self.below(
                item, kind, self._inside(item, kind, around, known.uid, shown, at)
            )
        if kind.view is not None:
            self._summarise(item, kind.view, fields)
        return 1, fields

    def _count(self, item: Any, kind: Kind, around: _Around) -> int:
        """How many children an item has that are too deep to be read."""
        self._counting = True
        try:
            return self.below(item, kind, around)
        finally:
            self._counting = False

    def _inside(
        self, item: Any, kind: Kind, around: _Around, uid: str, shown: bool, at: tuple[float, ...]
    ) -> _Around:
        clip = around.clip
        if kind.view is not None or item.clip():
            left, top, right, bottom = clip
            x, y, width, height = at
            clip = (max(left, x), max(top, y), min(right, x + width), min(bottom, y + height))
        inner = kind.whole or (around.inner and not kind.operable)
        return _Around(uid, clip, around.levels - 1, shown, inner, kind.leaf or around.closed)

    # -- one item ------------------------------------------------------------------------------

    def _describe(self, item: Any, kind: Kind, known: Known, fields: Fields) -> None:
        seen = known.reader
        if seen is None:
            seen = known.reader = _Seen.of(self._binding, item)
        elif self._registry.anew:
            seen = _Seen.of(self._binding, item)
        name = known.automation_id or item.objectName()
        if name:
            fields["automation_id"] = name
        if kind.actions:
            fields["actions"] = kind.actions
        if kind.focusable:
            fields["focusable"] = True
        if kind.read is not None:
            getattr(self._scribe, kind.read)(item, fields)
        focus = self._focus
        if focus is not None and (focus is item or (kind.whole and item.isAncestorOf(focus))):
            fields["focused"] = True
        if seen.pressable and "press" not in fields.get("actions", ()):
            fields["actions"] = ("press", *fields.get("actions", ()))
        if seen.accessible is not None and self._binding.is_valid(seen.accessible):
            self._as_told(item, seen, fields)

    def _as_told(self, item: Any, seen: _Seen, fields: Fields) -> None:
        """What the author says by the attached property Accessible."""
        name = seen.accessible.property("name")
        # Where the author says nothing, a combo box gives itself its choice as a name, and a text its markup.
        said = fields.get("value") if fields["role"] == "combo-box" else item.property("text")
        if name and (name != said or (fields["role"] != "combo-box" and "name" not in fields)):
            fields["name"] = name
        if description := seen.accessible.property("description"):
            fields["description"] = description
        if fields["role"] == "generic":
            if seen.role is None:
                number = evaluate(self._binding, item, "Accessible.role")
                seen.role = ACCESSIBLE_ROLES.get(number, "generic") if isinstance(number, int) else "generic"
            fields["role"] = seen.role

    # -- views ---------------------------------------------------------------------------------

    def _as_row(self, view: Any, item: Any, row: int, fields: Fields) -> None:
        """What shows a row is one, whatever it is made of."""
        properties: dict[str, Any] = {"row": row}
        if view.inherits("QQuickTableView"):
            role = "tree-item" if view.inherits("QQuickTreeView") else "cell"
            properties["column"] = row_of(self._binding, view, item, "column")
            selected = item.property("selected")
            if isinstance(selected, bool):
                fields["selected"] = selected
        else:
            role = "list-item"
            fields["selected"] = view.property("currentIndex") == row
        if fields["role"] in ("generic", "text", "image", "menu-item"):
            fields["role"] = role
        if "name" not in fields and (shown := texts(item)):
            fields["name"] = " ".join(shown)
        fields["properties"] = properties

    def _summarise(self, view: Any, what: str, fields: Fields) -> None:
        rows: dict[int, tuple[str, list[tuple[str, str]]]] = {}
        for node in reversed(self._out):
            if node.fields is fields:
                break
            if node.parent == fields["uid"] and (at := node.properties.get("row")) is not None:
                column = str(node.properties.get("column", 0))
                rows.setdefault(at, (node.uid, []))[1].insert(0, (column, node.name or ""))
        current = view.property("currentIndex" if view.inherits("QQuickItemView") else "currentRow")
        chosen = current if isinstance(current, int) and current >= 0 else None
        fields["virtualization"] = Virtualization(
            what,
            row_count(view),
            (min(rows), max(rows)) if rows else None,
            () if chosen is None else (chosen,),
            chosen,
            visible_cells=tuple(
                VisibleRow(at, uid, tuple(cells)) for at, (uid, cells) in sorted(rows.items())
            ),
        )


class _Seen:
    """What of an item does not change: found once, since asking for an item's children is slow."""

    __slots__ = ("accessible", "pressable", "role")

    def __init__(self, accessible: Any, pressable: bool) -> None:
        self.accessible = accessible
        self.pressable = pressable
        self.role: str | None = None

    @classmethod
    def of(cls, binding: Binding, item: Any) -> _Seen:
        accessible, pressable = None, False
        for child in item.children():
            name = binding.class_name(child)
            if name == "QQuickAccessibleAttached":
                accessible = child
            elif name.startswith(("QQuickTapHandler", "QQuickMouseArea")):
                pressable = True
        return cls(accessible, pressable)


def _behind_text(content: Any) -> Any:
    """The rectangle behind a text area that is scrolled: it is beside the text area, not in it."""
    areas = (child for child in content.childItems() if child.inherits("QQuickTextEdit"))
    return next((area.property("background") for area in areas), None)


def _highlight(item: Any, kind: Kind | None = None) -> Any:
    """The item by which a view marks its current row."""
    if kind is not None and not kind.content:
        return None
    return item.property("highlightItem") if item.inherits("QQuickItemView") else None
