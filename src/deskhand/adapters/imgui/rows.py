"""Rows of a table that is not drawn as a whole: Dear ImGui knows only those that can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model.errors import ActionUnsupported, NotFound, OptionNotFound
from ..performer import Steps, no_row, no_rows
from . import wrappers
from .scene import DrawnElement

if TYPE_CHECKING:
    from .act import Actor

_REVEALED = 50_000
"""How many rows at most are searched for a text."""
_DRAWN = 2
"""How many frames it takes until what was scrolled to is drawn there."""


def scroll_to(actor: Actor, table: DrawnElement, row: int | None, text: str | None) -> Steps[DrawnElement]:
    """Scroll until a row is drawn, by its number or by a text in it; its first cell."""
    if table.kind != "table":
        raise no_rows(str(table))
    if row is not None:
        return (yield from _by_number(actor, table, row))
    return (yield from _by_text(actor, table, text or ""))


def _by_number(actor: Actor, table: DrawnElement, row: int) -> Steps[DrawnElement]:
    count = _count(actor, table)
    if not 0 <= row < count:
        raise no_row(str(table), row, None, count)
    for _ in range(3):
        table = actor.element(table.uid)
        cells = _cells(table)
        found = next((cell for cell in cells if cell.cell is not None and cell.cell[0] == row), None)
        if found is not None and found.shown and _whole(found):
            return found
        first, height = _first(cells, table)
        _, top = _window(table)
        # So that the row will be in the middle, whatever is above the first one.
        offset = first.box[1] - (first.cell[0] if first.cell else 0) * height - top + _scroll(table)
        middle = (table.box[3] - table.box[1] - height) / 2
        yield from _to(actor, table, offset + row * height - middle)
    raise NotFound(f"row {row} of {table} was not drawn", target=f"row {row}")


def _by_text(actor: Actor, table: DrawnElement, text: str) -> Steps[DrawnElement]:
    """For one frame all rows are drawn, so that the one with the text is seen wherever it is."""
    found = _with_text(table, text)
    if found is None:
        wrappers.revealed = _REVEALED
        try:
            yield
        finally:
            wrappers.revealed = 0
        found = _with_text(actor.element(table.uid), text)
    if found is None or found.cell is None:
        count = _count(actor, table)
        if count > _REVEALED:
            raise OptionNotFound(f"no row in {table} says '{text}' among its first {_REVEALED}", options=[])
        raise no_row(str(table), None, text, count)
    return (yield from _by_number(actor, actor.element(table.uid), found.cell[0]))


def _to(actor: Actor, table: DrawnElement, y: float) -> Steps[None]:
    if table.window is None or not _scrolls(table):
        raise ActionUnsupported(f"{table} does not scroll")
    actor.imgui.internal.set_scroll_y(table.window.native, max(0.0, y))
    for _ in range(_DRAWN):
        yield


def _count(actor: Actor, table: DrawnElement) -> int:
    scene = actor.scene()
    rows = [cell.cell[0] for cell in _cells(table) if cell.cell is not None]
    return scene.rows.get(table.uid, max(rows, default=-1) + 1)


def _cells(table: DrawnElement) -> list[DrawnElement]:
    return [child for child in table.children if child.cell is not None and child.cell[0] >= 0]


def _first(cells: list[DrawnElement], table: DrawnElement) -> tuple[DrawnElement, float]:
    """The first cell that is drawn, and how high a row is."""
    if not cells:
        raise ActionUnsupported(f"{table} draws no rows")
    tops = {cell.cell[0]: cell.box[1] for cell in cells if cell.cell is not None}
    (first, top), (last, bottom) = min(tops.items()), max(tops.items())
    height = (bottom - top) / (last - first) if last > first else cells[0].box[3] - cells[0].box[1]
    return next(cell for cell in cells if cell.cell is not None and cell.cell[0] == first), max(height, 1.0)


def _with_text(table: DrawnElement, text: str) -> DrawnElement | None:
    return next((cell for cell in _cells(table) if cell.says() == text), None)


def _whole(cell: DrawnElement) -> bool:
    """Whether all of it can be seen, down to a pixel."""
    box = cell.visible_box()
    return box is not None and box[3] - box[1] >= cell.box[3] - cell.box[1] - 1


def _window(table: DrawnElement) -> tuple[float, float]:
    return table.box[0], table.box[1]


def _scroll(table: DrawnElement) -> float:
    return 0.0 if table.window is None else table.window.scroll[1]


def _scrolls(table: DrawnElement) -> bool:
    return table.window is not None and table.window.scroll_max[1] > 0
