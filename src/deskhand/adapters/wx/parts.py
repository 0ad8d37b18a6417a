"""Which control draws which parts, and the way from a part to what knows about it."""

from __future__ import annotations

from typing import Any

from ...model.node import Node
from . import bars, books, dataviews, grids, lists, properties, reports, trees
from .books import current_page
from .drawn import Bounds, Drawn
from .handles import Part, Registry
from .kinds import Kind
from .place import Place

__all__ = ["bounds", "count", "current_page", "family", "menus", "of", "one", "read"]

menus = bars.Menus()
_FAMILIES: dict[str, Drawn] = {
    "menus": menus,
    "tools": bars.Tools(),
    "aui-tools": bars.AuiTools(),
    "tabs": books.Tabs(),
    "aui-tabs": books.AuiTabs(),
    "flat-tabs": books.FlatTabs(),
    "pages": books.Pages(),
    "list": lists.Items(),
    "drawn-list": lists.DrawnItems(),
    "radios": lists.Radios(),
    "report": reports.Report(),
    "drawn-report": reports.DrawnReport(),
    "tree": trees.Items(),
    "drawn-tree": trees.DrawnItems(),
    "grid": grids.Cells(),
    "data": dataviews.Items(),
    "properties": properties.Properties(),
}


def family(kind: Kind) -> Drawn | None:
    """What knows the parts of a kind of window."""
    return None if kind.parts is None else _FAMILIES[kind.parts]


def of(part: Part, registry: Registry) -> Drawn:
    """What knows about a part."""
    found = family(registry.know(part.window).kind)
    assert found is not None, "only such windows have parts"
    return found


def read(name: str, window: Any, place: Place, out: list[Node], registry: Registry) -> None:
    """Put the nodes of a window's parts below its own."""
    _FAMILIES[name].read(window, place, out, registry)


def count(kind: Kind, window: Any) -> int:
    """How many parts are directly below a window, as far as that is known."""
    found = family(kind)
    return 0 if found is None else found.count(window)


def bounds(part: Part, registry: Registry) -> Bounds | None:
    """Where a part is on the screen."""
    return of(part, registry).bounds(part.window, part.key)


def one(part: Part, place: Place, registry: Registry) -> Node:
    """The node of a part that is not on the screen."""
    return of(part, registry).one(part.window, part.key, place, registry)
