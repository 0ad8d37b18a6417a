"""wx.propgrid.PropertyGrid: properties as items of a tree, each with its value. Keys are their names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import wx

from ...model.errors import ActionFailed, InvalidParams, Stale
from ...model.node import Node, Virtualization, called
from ..choices import Choice
from ..performer import Offer, Options, read_only
from .drawn import Bounds, Drawn, in_client
from .place import Fields, Place

_KEPT = 2000
_READ_ONLY = 0x8000
"""wx.propgrid.PG_PROP_READONLY."""


class Properties(Drawn):
    """The properties that are not in a branch that is closed."""

    kind = "property"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        places: dict[str, Place] = {}
        count = 0
        for prop in _all(window):
            count += 1
            if count > _KEPT:
                continue
            above = prop.GetParent()
            under = places.get(above.GetName()) if above is not None and not above.IsRoot() else place
            if under is None:
                continue
            fields = self._fields(window, prop, place.uid)
            node = under.put(fields, self._rect(window, prop))
            if not prop.IsEnabled():
                fields["enabled"] = False
            if not _is_open(prop):
                fields["visible"] = False
                fields.pop("offscreen", None)
            out.append(node)
            inside = Place(fields, (place.x, place.y), (place.left, place.top, place.right, place.bottom))
            places[prop.GetName()] = inside
        for inside in places.values():
            if inside.count:
                inside.fields["child_count"] = inside.count
        place.fields["virtualization"] = Virtualization("tree", count)

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        prop = self._find(window, key)
        return place.put(self._fields(window, prop, place.uid), self._rect(window, prop))

    def _fields(self, window: Any, prop: Any, uid: str | None) -> Fields:
        label = _label(prop)
        fields: Fields = {
            "uid": f"{uid}:{self.kind}:{prop.GetName()}",
            "role": "tree-item",
            "native_class": f"wx{type(prop).__name__}",
            "selected": window.GetSelection() is not None
            and window.GetSelection().GetName() == prop.GetName(),
            "actions": ("select", "scroll-into-view"),
            "automation_id": prop.GetName(),
        }
        if label:
            fields["name"] = label
        if prop.GetChildCount():
            fields["expanded"] = prop.IsExpanded()
            fields["actions"] += ("expand", "collapse")
        if prop.IsCategory():
            fields["text"] = label
            return fields
        fields["text"] = fields["value"] = prop.GetValueAsString()
        if isinstance(value := prop.GetValue(), bool):
            fields["checked"] = value
        if not prop.HasFlag(_READ_ONLY):
            fields["editable"] = fields["focusable"] = True
            fields["actions"] += ("set-value", "edit", *(("toggle",) if "checked" in fields else ()))
        if help_text := prop.GetHelpString():
            fields["description"] = help_text
        return fields

    def _rect(self, window: Any, prop: Any) -> Bounds | None:
        if not _is_open(prop):
            return None
        _, y = window.CalcScrolledPosition(0, prop.GetY())
        return in_client(window, wx.Rect(0, y, window.GetClientSize().width, window.GetRowHeight()))

    def bounds(self, window: Any, key: str) -> Bounds | None:
        return self._rect(window, self._find(window, key))

    def call(self, window: Any, key: str) -> str:
        return called("tree-item", _label(self._find(window, key)), key)

    def choose(self, window: Any, key: str, extend: bool) -> None:
        window.SelectProperty(self._find(window, key), True)

    def press(self, window: Any, key: str) -> None:
        self.choose(window, key, extend=False)

    def expand(self, window: Any, key: str, expanded: bool) -> None:
        prop = self._find(window, key)
        if not prop.GetChildCount():
            super().expand(window, key, expanded)
        (window.Expand if expanded else window.Collapse)(prop)

    def tick(self, window: Any, key: str, checked: bool) -> None:
        prop = self._find(window, key)
        if prop.HasFlag(_READ_ONLY):
            raise read_only(self.call(window, key))
        if not window.ChangePropertyValue(prop, checked):
            raise ActionFailed(f"the program did not accept that {self.call(window, key)} is {checked}")

    def value(self, window: Any, key: str) -> str:
        return str(self._find(window, key).GetValueAsString())

    def set_value(self, window: Any, key: str, value: str) -> None:
        prop = self._find(window, key)
        if prop.IsCategory() or prop.HasFlag(_READ_ONLY):
            raise read_only(self.call(window, key))
        if prop.GetValueAsString() == value:
            return
        fits, parsed = _parsed(prop, value)
        if not fits:
            raise InvalidParams(f"{self.call(window, key)} takes no value such as {value!r}", field="value")
        if not window.ChangePropertyValue(prop, parsed):
            raise ActionFailed(f"the program did not accept {value!r} for {self.call(window, key)}")

    def offer(self, window: Any, key: str | None) -> Offer:
        every = list(_all(window))
        choices = [Choice(at, _label(prop), prop.GetName()) for at, prop in enumerate(every)]
        return Options(
            self.title(window),
            choices,
            lambda choice, extend: self.choose(window, str(choice.value), extend),
        )

    def show(self, window: Any, key: str) -> None:
        window.EnsureVisible(self._find(window, key))

    def row(self, window: Any, row: int | None, text: str | None) -> str | None:
        for at, prop in enumerate(_all(window)):
            if at == row or (text is not None and _label(prop) == text):
                return str(prop.GetName())
        return None

    def rows(self, window: Any) -> int:
        return sum(1 for _ in _all(window))

    def _find(self, window: Any, key: str) -> Any:
        prop = window.GetPropertyByName(key)
        if prop is None:
            raise Stale(f"the property grid has no property '{key}' any more")
        return prop


def _all(window: Any) -> Iterator[Any]:
    """All properties with their categories, in the order that they are shown."""

    def below(prop: Any) -> Iterator[Any]:
        for at in range(prop.GetChildCount()):
            child = prop.Item(at)
            yield child
            yield from below(child)

    yield from below(window.GetRoot())


def _label(prop: Any) -> str:
    # By the class above all: some have a method of that name for something else.
    return str(sys.modules["wx.propgrid"].PGProperty.GetLabel(prop))


def _parsed(prop: Any, text: str) -> tuple[bool, Any]:
    """The value that a text stands for, and whether it is one."""
    try:
        fits, value = prop.StringToValue(text)
        return bool(fits), value
    except TypeError:
        # Some have that for something else too; so the value is set for a moment.
        old = prop.GetValue()
        fits = prop.SetValueFromString(text)
        value = prop.GetValue()
        prop.SetValue(old)
        return bool(fits), value


def _is_open(prop: Any) -> bool:
    """Whether all that it is in is open."""
    above = prop.GetParent()
    while above is not None and not above.IsRoot():
        if not above.IsExpanded():
            return False
        above = above.GetParent()
    return True
