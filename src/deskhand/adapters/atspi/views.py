"""Lists, tables and trees with so many children that only those on screen are read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...model.node import Column, Virtualization, VisibleRow
from . import wire
from .bus import CallError, pump
from .item import Item
from .vocabulary import ACCESSIBLE, COMPONENT, NULL_PATH, PROPERTIES, ROLE_NUMBERS, TABLE, Face
from .wire import Method

if TYPE_CHECKING:
    from .live import Live
    from .reader import Reader

COLUMNS = 30
"""How many columns of a table are read."""
ROWS = 200
"""How many rows are read at most, however tall the view is."""
SEARCHED = 5000
"""In how many rows a text is looked for."""
_INSIDE = 4
_SCROLLS = frozenset(ROLE_NUMBERS[name] for name in ("scroll pane", "viewport"))
_ADDRESS = re.compile("([A-Z]{1,3})([0-9]{1,7})")


@dataclass
class View:
    """What is known of a view with many items."""

    rows: int = 0
    columns: int = 0
    titles: dict[int, str] = field(default_factory=dict)
    shown_columns: range = range(0)
    first: int | None = None
    last: int | None = None
    cells: dict[tuple[int, int], Item] = field(default_factory=dict)


class Looker:
    """Finds out what of a view is on screen, step by step as answers come."""

    def __init__(self, reader: Reader, item: Item) -> None:
        self._reader = reader
        self._item = item
        self._to = reader.app.lane.destination
        self._within = 0 if reader.app.how.on_screen else 1
        """What its places are relative to: the screen, or the window."""
        self._view = View()
        self._ends: dict[str, int] = {}
        self._open = 0
        self._area: tuple[int, int, int, int] | None = None

    def start(self) -> None:
        self._ask(self._item.field, COMPONENT, "GetExtents", "u", self._within, then=self._placed)
        if self._item.has(Face.TABLE):
            for name in ("NRows", "NColumns"):
                self._get(TABLE, name, name)
        else:
            self._view.rows, self._view.columns = self._item.child_count, 1

    def _placed(self, body: bytes) -> None:
        if len(body) == 16:
            self._area = wire.unpack("(iiii)", body)[0]

    def _counted(self, name: str, body: bytes) -> None:
        number = int(wire.unpack("v", body)[0])
        if name == "NRows":
            self._view.rows = number
        else:
            self._view.columns = number

    def _settled(self) -> None:
        """All answers of a step are here: take the next one."""
        view, item = self._view, self._item
        if self._ends or self._area is None or view.first is not None:
            self._finish()
            return
        x, y, width, height = self._in_view(self._area)
        if self._within:
            self._ends = {"top": -1, "bottom": -1}
            self._ask(item.field, ACCESSIBLE, "GetChildren", then=self._listed, argument=(y, y + height))
            return
        inside = x + min(width // 2, 40)
        # Inside the first and the last row, below a header that may be there.
        steps = [(f"top{below}", inside, y + below) for below in (_INSIDE, 30)] + [
            (f"bottom{above}", inside, y + height - above) for above in (_INSIDE, 24)
        ]
        if view.columns > COLUMNS:
            steps += [
                ("left", x + _INSIDE, y + height // 2),
                ("right", x + width - _INSIDE, y + height // 2),
            ]
        for end, across, down in steps:
            self._ends[end] = -1
            self._ask(
                item.field, COMPONENT, "GetAccessibleAtPoint", "iiu", across, down, 0,
                then=self._hit, argument=end,
            )  # fmt: skip

    def _listed(self, seen: tuple[int, int], body: bytes) -> None:
        """See which rows are in view: GTK 4 does not say what is at a point before a row was read."""
        for row, (_, path) in enumerate(wire.unpack("a(so)", body)[0][:SEARCHED]):
            self._ask(
                wire.path_field(path), COMPONENT, "GetExtents", "u", self._within,
                then=self._row_placed, argument=(row, *seen),
            )  # fmt: skip

    def _row_placed(self, place: tuple[int, int, int], body: bytes) -> None:
        row, top, bottom = place
        _, y, _, height = wire.unpack("(iiii)", body)[0]
        if y + height > top + _INSIDE and y < bottom - _INSIDE and height > 0:
            first, last = self._ends["top"], self._ends["bottom"]
            self._ends = {"top": min(row, first) if first >= 0 else row, "bottom": max(row, last)}

    def _in_view(self, area: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        """What of the view can be seen: in GTK one is as tall as its rows, and what is around it scrolls."""
        left, top, right, bottom = area[0], area[1], area[0] + area[2], area[1] + area[3]
        above = self._item.parent
        while above is not None and above is not self._reader.app.root:
            if above.extents is not None and (above.role in _SCROLLS or self._within):
                x, y, width, height = above.extents
                left, right = max(left, x), min(right, x + width)
                top, bottom = max(top, y), min(bottom, y + height)
            above = above.parent
        return (left, top, right - left, bottom - top) if right > left and bottom > top else area

    def _titled(self, column: int, body: bytes) -> None:
        self._view.titles[column] = str(wire.unpack("s", body)[0])

    def _hit(self, end: str, body: bytes) -> None:
        ((bus, path),) = wire.unpack("(so)", body)
        if bus != self._reader.app.bus or path in (NULL_PATH, self._item.path):
            return
        cell = wire.path_field(path)
        if self._reader.app.how.renews_cells:
            self._ask(cell, PROPERTIES, "Get", "ss", ACCESSIBLE, "Name", then=self._named, argument=end)
        # Answered last, and better known.
        self._ask(cell, ACCESSIBLE, "GetIndexInParent", then=self._indexed, argument=end)

    def _indexed(self, end: str, body: bytes) -> None:
        index = int(wire.unpack("i", body)[0])
        if index < 0:
            return
        if self._item.has(Face.TABLE):
            member = "GetColumnAtIndex" if end in ("left", "right") else "GetRowAtIndex"
            self._ask(self._item.field, TABLE, member, "i", index, then=self._found, argument=end)
        else:
            self._ends[end] = index

    def _found(self, end: str, body: bytes) -> None:
        self._ends[end] = int(wire.unpack("i", body)[0])

    def _named(self, end: str, body: bytes) -> None:
        """Take a position from the name of a cell: while a formula is typed, LibreOffice has no other."""
        address = _ADDRESS.fullmatch(str(wire.unpack("v", body)[0]))
        if address is not None and end in ("left", "right"):
            column = 0
            for letter in address[1]:
                column = column * 26 + ord(letter) - ord("A") + 1
            self._ends[end] = column - 1
        elif address is not None:
            self._ends[end] = int(address[2]) - 1

    def _finish(self) -> None:
        view, item = self._view, self._item
        if view.first is not None or not self._ends:
            self._done()
            return
        rows = [
            row
            for end, row in self._ends.items()
            if end.startswith(("top", "bottom")) and 0 <= row < view.rows
        ]
        top = [row for end, row in self._ends.items() if end.startswith("top") and row >= 0]
        view.first = min(top) if top else 0
        bottom = [row for end, row in self._ends.items() if end.startswith("bottom") and row >= 0]
        view.last = max(bottom) if bottom else view.rows - 1 if view.rows <= ROWS else max(rows or [0])
        view.last = min(view.last, view.first + ROWS, view.rows - 1)
        view.shown_columns = self._shown_columns()
        self._open += 1
        for column in view.shown_columns:
            if item.has(Face.TABLE):
                self._ask(
                    item.field, TABLE, "GetColumnDescription", "i", column, then=self._titled, argument=column
                )
        for row in range(view.first, view.last + 1):
            for column in view.shown_columns:
                if item.has(Face.TABLE):
                    self._ask(
                        item.field, TABLE, "GetAccessibleAt", "ii", row, column,
                        then=self._cell, argument=(row, column),
                    )  # fmt: skip
                else:
                    self._ask(
                        item.field, ACCESSIBLE, "GetChildAtIndex", "i", row,
                        then=self._cell, argument=(row, column),
                    )  # fmt: skip

        self._answered_all()

    def _shown_columns(self) -> range:
        """The columns that are read: all if they are few, else those on screen."""
        if self._view.columns <= COLUMNS:
            return range(self._view.columns)
        first = max(0, self._ends.get("left", 0))
        last = max(first, self._ends.get("right", -1))
        return range(first, min(last + 1, first + COLUMNS, self._view.columns))

    def _cell(self, place: tuple[int, int], body: bytes) -> None:
        ((bus, path),) = wire.unpack("(so)", body)
        app = self._reader.app
        if bus != app.bus or path == NULL_PATH:
            return
        cell = app.cell(self._item, *place, path) if app.how.renews_cells else app.item(path)
        if cell.parent is None:
            cell.parent = self._item
            self._reader.begin(cell)
        elif app.how.renews_cells:
            self._reader.again(cell)
        self._view.cells[place] = cell

    def _done(self) -> None:
        view, item = self._view, self._item
        kids = list(dict.fromkeys(view.cells[place] for place in sorted(view.cells)))
        kids = [kid for kid in kids if kid.parent is item]
        old = item.view
        same = (
            old is not None
            and kids == item.kids
            and (old.rows, old.columns, old.first, old.last, old.titles, old.shown_columns)
            == (view.rows, view.columns, view.first, view.last, view.titles, view.shown_columns)
        )
        item.view = view
        if not same:
            for gone in item.kids:
                if gone not in kids:
                    self._reader.app.drop(gone)
            item.kids = kids
            item.app.moves += 1
            item.changed()

    # -- asking --------------------------------------------------------------------------------

    def _get(self, interface: str, name: str, argument: str) -> None:
        self._ask(
            self._item.field, PROPERTIES, "Get", "ss", interface, name, then=self._counted, argument=argument
        )

    def _ask(
        self, field: bytes, interface: str, member: str, signature: str = "", *values: object,
        then: object, argument: object = None,
    ) -> None:  # fmt: skip
        self._open += 1
        method = Method(self._to, interface, member, signature, *values)
        self._reader.app.lane.call(field, method, self._answered, (then, argument))

    def _answered(self, argument: tuple[object, object], body: bytes | CallError) -> None:
        then, own = argument
        if not isinstance(body, CallError):
            assert callable(then)
            if own is None:
                then(body)
            else:
                then(own, body)
        self._answered_all()

    def _answered_all(self) -> None:
        self._open -= 1
        if self._open == 0:
            self._settled()


def rows_of(live: Live, item: Item, rows: int, timeout: float) -> list[str]:
    """The text in the first column of each row, also of those that are not on screen."""
    to = item.app.lane.destination
    names = [""] * min(rows, SEARCHED)
    table = item.has(Face.TABLE)

    def named(row: int, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            names[row] = str(wire.unpack("v", body)[0])

    def found(row: int, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            return
        ((bus, path),) = wire.unpack("(so)", body)
        if bus == item.app.bus and path != NULL_PATH:
            item.app.lane.call(wire.path_field(path), name, named, row)

    name = Method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "Name")
    with live.lock:
        for row in range(len(names)):
            if table:
                method = Method(to, TABLE, "GetAccessibleAt", "ii", row, 0)
            else:
                method = Method(to, ACCESSIBLE, "GetChildAtIndex", "i", row)
            item.app.lane.call(item.field, method, found, row)
        pump([item.app.lane], timeout)
    return names


def virtualization(item: Item, kind: str) -> Virtualization | None:
    """What the model says of such a view."""
    view = item.view
    if view is None:
        # The children of a table are its cells; how many rows these are is known when it was on screen.
        many = item.child_count > len(item.kids) and not item.has(Face.TABLE)
        return Virtualization(kind, item.child_count) if many else None
    columns = tuple(
        Column(str(number), view.titles.get(number) or str(number)) for number in view.shown_columns
    )
    rows: list[VisibleRow] = []
    chosen = []
    if view.first is not None and view.last is not None:
        for row in range(view.first, view.last + 1):
            cells = [(column, view.cells.get((row, column))) for column in view.shown_columns]
            first = next((cell for _, cell in cells if cell is not None), None)
            texts = tuple(
                (str(column), cell.name or cell.text or "") for column, cell in cells if cell is not None
            )
            rows.append(VisibleRow(row, first.uid if first is not None else None, texts))
            if any(cell is not None and cell.selected for _, cell in cells):
                chosen.append(row)
    visible = (view.first, view.last) if view.first is not None and view.last is not None else None
    return Virtualization(
        kind, view.rows, visible, tuple(chosen), None, columns if view.columns > 1 else (), tuple(rows)
    )
