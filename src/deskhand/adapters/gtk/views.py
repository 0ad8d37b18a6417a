"""Rows: those of tree views, which are only drawn, and those of lists of GTK 4, which are widgets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...model.errors import Stale
from ...model.node import Column, Virtualization, VisibleRow
from ...model.record import dataclass
from .handles import Handle, Known
from .kinds import item_text, own_texts, text_in
from .library import Gtk, address, children, know_rows, row_position
from .place import Area, Fields, Place

COUNTED = 100_000
"""Up to so many rows are counted where rows can be open."""
_KEPT = 400
"""Of how many rows of a view it is known which is which."""
_LISTED = 100
Path = tuple[int, ...]


# -- tree views of GTK 3 (and the old ones in GTK 4) ---------------------------------------------


@dataclass(frozen=True)
class Cell:
    """What a cell shows."""

    text: str
    checked: bool | None = None
    editable: bool = False
    number: float | None = None


def is_flat(view: Any) -> bool:
    """Whether no row can have others in it."""
    model = view.get_model()
    return model is None or bool(model.get_flags() & Gtk.TreeModelFlags.LIST_ONLY)


def columns(view: Any) -> list[Any]:
    return [column for column in view.get_columns() if column.get_visible()]


def displayed(view: Any) -> Iterator[Path]:
    """The paths of the rows that can be scrolled to, in order."""
    model = view.get_model()
    if model is None:
        return
    if is_flat(view):
        yield from ((at,) for at in range(model.iter_n_children(None)))
        return

    def below(parent: Any, path: Path) -> Iterator[Path]:
        for at in range(model.iter_n_children(parent)):
            own = (*path, at)
            yield own
            if view.row_expanded(Gtk.TreePath(own)):
                yield from below(model.iter_nth_child(parent, at), own)

    yield from below(None, ())


def count(view: Any) -> int:
    model = view.get_model()
    if model is None:
        return 0
    if is_flat(view):
        return int(model.iter_n_children(None))
    return sum(1 for _, _ in zip(displayed(view), range(COUNTED), strict=False))


def visible(view: Any) -> list[Path]:
    """The paths of the rows on the screen."""
    found = view.get_visible_range()
    if found is None:
        return []
    first, last = (tuple(path.get_indices()) for path in found)
    if is_flat(view):
        return [(at,) for at in range(first[0], last[0] + 1)]
    paths = []
    for path in displayed(view):
        if path >= first:
            paths.append(path)
        if path >= last:
            break
    return paths


def cell(view: Any, column: Any, path: Path) -> Cell:
    """What a cell shows: what its first renderer with a text does."""
    model = view.get_model()
    at = model.get_iter(Gtk.TreePath(path))
    column.cell_set_cell_data(model, at, model.iter_has_child(at), False)
    text, checked, editable, number = "", None, False, None
    for renderer in column.get_cells():
        if not renderer.get_visible():
            continue
        if isinstance(renderer, Gtk.CellRendererText):
            text = text or (renderer.get_property("text") or "")
            editable = editable or bool(renderer.get_property("editable"))
        elif isinstance(renderer, Gtk.CellRendererToggle):
            checked = bool(renderer.get_property("active"))
        elif isinstance(renderer, Gtk.CellRendererProgress):
            number = float(renderer.get_property("value"))
            text = text or (renderer.get_property("text") or f"{number:g}")
    return Cell(text, checked, editable, number)


def row_text(view: Any, path: Path) -> str:
    """What a row is called: its first text."""
    return next((text for column in columns(view) if (text := cell(view, column, path).text)), "")


class Rows:
    """Which key belongs to which row of a tree view, also after the row moved."""

    def __init__(self, model: Any) -> None:
        self.model = address(model)
        self._references: dict[str, Any] = {}
        self._keys: dict[Path, str] = {}

    def refresh(self) -> None:
        """Find out where the rows are now."""
        self._keys.clear()
        for key, reference in list(self._references.items()):
            path = reference.get_path()
            if path is None:
                del self._references[key]
            else:
                self._keys[tuple(path.get_indices())] = key

    def key(self, path: Path, model: Any) -> str:
        found = self._keys.get(path)
        if found is None:
            found = self._keys[path] = str(next(_numbers))
            self._references[found] = Gtk.TreeRowReference.new(model, Gtk.TreePath(path))
            while len(self._references) > _KEPT:
                del self._references[next(iter(self._references))]
        return found

    def path(self, key: str) -> Path | None:
        """Where a row is now; None if it is gone."""
        reference = self._references.get(key)
        path = None if reference is None else reference.get_path()
        return None if path is None else tuple(path.get_indices())


_numbers = itertools.count(1)
"""A key is never given to a second row."""


def rows_of(view: Any, known: Known) -> Rows:
    model = view.get_model()
    if known.rows is None or known.rows.model != address(model):
        known.rows = Rows(model)
    known.rows.refresh()
    found: Rows = known.rows
    return found


def path_of(handle: Handle) -> Path:
    """Where the row of a row or cell is now; Stale if it is gone."""
    rows = handle.known.rows
    path = None if rows is None else rows.path(handle.key.partition("/")[0])
    if path is None:
        raise Stale(f"the row (uid {handle.uid}) is gone", target=f"uid={handle.uid}")
    found: Path = path
    return found


def column_of(handle: Handle) -> Any:
    """The column of a cell; of a row, the first one."""
    at = handle.key.partition("/")[2]
    shown = columns(handle.widget)
    if int(at or 0) >= len(shown):
        raise Stale(f"the column of the cell (uid {handle.uid}) is gone", target=f"uid={handle.uid}")
    return shown[int(at or 0)]


def cell_area(view: Any, path: Path, column: Any | None) -> Area:
    """The rectangle of a cell as its view has it, or of a whole row."""
    area = view.get_background_area(Gtk.TreePath(path), column or view.get_column(0))
    x, y = view.convert_bin_window_to_widget_coords(area.x, area.y)
    if column is not None:
        return int(x), int(y), area.width, area.height
    return 0, int(y), view.get_allocated_width(), area.height


def put_rows(view: Any, known: Known, place: Place, origin: tuple[int, int]) -> None:
    """Put the rows of a tree view below it that are on the screen; `origin` is where the view is."""
    model, shown = view.get_model(), columns(view)
    if model is None or not shown:
        return
    flat, headers = is_flat(view), view.get_headers_visible()
    simple = len(shown) == 1 and not (flat and headers)
    place.fields["role"] = "table" if flat and not simple else "list" if flat else "tree"
    role = {"table": "row", "list": "list-item", "tree": "tree-item"}[place.fields["role"]]
    rows, selection = rows_of(view, known), view.get_selection()
    paths = visible(view) if place.visible and view.get_realized() else []
    inside: dict[Path, Place] = {}
    seen: list[tuple[Path, str, list[Cell]]] = []
    for path in paths:
        key = rows.key(path, model)
        cells = [cell(view, column, path) for column in shown]
        above = inside.get(path[:-1], place)
        fields: Fields = {
            "uid": f"{known.uid}:row:{key}",
            "role": role,
            "native_class": "GtkTreeRow",
            "actions": ("press", "select", "scroll-into-view"),
            "properties": {"path": ":".join(map(str, path))},
            "selected": bool(selection.path_is_selected(Gtk.TreePath(path))),
        }
        if text := next((each.text for each in cells if each.text), ""):
            fields["name"] = fields["text"] = text
        if not flat and model.iter_has_child(model.get_iter(Gtk.TreePath(path))):
            fields["expanded"] = bool(view.row_expanded(Gtk.TreePath(path)))
            fields["actions"] = ("press", "select", "expand", "scroll-into-view")
        if simple:
            _cell_states(cells[0], fields)
        above.part(fields, _moved(cell_area(view, path, None), origin))
        inside[path] = row = above.below(fields)
        if not simple:
            _put_cells(view, known, path, key, cells, row, origin)
        seen.append((path, fields["uid"], cells))
    for row in inside.values():
        if row.count:
            row.fields["child_count"] = row.count
    place.fields["virtualization"] = _virtualization(view, flat, seen, shown, place.fields["role"])


def _put_cells(
    view: Any, known: Known, path: Path, key: str, cells: list[Cell], row: Place, origin: tuple[int, int]
) -> None:
    for at, (column, shown) in enumerate(zip(columns(view), cells, strict=True)):
        fields: Fields = {
            "uid": f"{known.uid}:cell:{key}/{at}",
            "role": "cell",
            "native_class": "GtkTreeViewColumn",
            "actions": ("press", "select"),
            "properties": {"column": at},
        }
        if shown.text:
            fields["name"] = fields["text"] = shown.text
        _cell_states(shown, fields)
        row.part(fields, _moved(cell_area(view, path, column), origin))


def _cell_states(cell: Cell, fields: Fields) -> None:
    if cell.checked is not None:
        fields["checked"] = cell.checked
        fields["actions"] = (*fields["actions"], "toggle")
    if cell.number is not None:
        fields["number"] = cell.number
    if cell.editable:
        fields["editable"], fields["value"] = True, cell.text
        fields["actions"] = (*fields["actions"], "edit", "set-value")


def _moved(area: Area, origin: tuple[int, int]) -> Area:
    return origin[0] + area[0], origin[1] + area[1], area[2], area[3]


def _virtualization(
    view: Any, flat: bool, seen: list[tuple[Path, str, list[Cell]]], shown: list[Any], kind: str
) -> Virtualization:
    selected = view.get_selection().get_selected_rows()[1] if view.get_realized() else []
    chosen = [tuple(path.get_indices()) for path in selected[:_LISTED]]
    cursor = view.get_cursor()[0]
    at: dict[Path, int]
    if flat:
        at = {path: path[0] for path in (*chosen, *(row[0] for row in seen))}
        if cursor is not None:
            at[tuple(cursor.get_indices())] = cursor.get_indices()[0]
    else:
        at = {path: index for index, path in zip(range(COUNTED), displayed(view), strict=False)}
    names = [Column(str(index), column.get_title() or "") for index, column in enumerate(shown)]
    rows = tuple(
        VisibleRow(
            at[path],
            uid,
            tuple((name.id, each.text) for name, each in zip(names, cells, strict=True)),
        )
        for path, uid, cells in seen
        if path in at
    )
    return Virtualization(
        kind,
        count(view),
        (rows[0].index, rows[-1].index) if rows else None,
        tuple(at[path] for path in chosen if path in at),
        at.get(tuple(cursor.get_indices())) if cursor is not None else None,
        tuple(names),
        rows,
    )


# -- lists of GTK 4 ------------------------------------------------------------------------------


def list_in(view: Any) -> Any:
    """What has the rows of a view: a column view has headers as well."""
    if isinstance(view, Gtk.ColumnView):
        return next(each for each in children(view) if isinstance(each, Gtk.ListView))
    return view


def list_rows(view: Any) -> list[tuple[int, Any]]:
    """The rows that are widgets now, in order, each with the number of its item."""
    model = view.get_model()
    if model is None:
        return []
    know_rows()
    found = []
    for row in children(list_in(view)):
        if row.get_mapped() and (at := row_position(row, model.get_item)) is not None:
            found.append((at, row))
    return sorted(found, key=lambda one: one[0])


def tree_row(item: Any) -> Any:
    """What says of an item whether it is open; None for one that is in no tree."""
    return item if isinstance(item, Gtk.TreeListRow) else None


def expander_in(row: Any, deep: int = 4) -> Any:
    """What opens and closes a row, in that."""
    for child in children(row):
        if isinstance(child, Gtk.TreeExpander):
            return child
        if deep and (found := expander_in(child, deep - 1)) is not None:
            return found
    return None


def opens(item: Any, row: Any) -> Any:
    """What opens and closes an item that has others in it; None if it has none."""
    found = tree_row(item)
    if found is None and (expander := expander_in(row)) is not None:
        found = expander.get_list_row()
    return found


def index_of(view: Any, item: Any) -> int | None:
    """The number of an item now; None if it is not in the list any more."""
    model = view.get_model()
    wanted = address(item)
    for at, _ in list_rows(view):
        if address(model.get_item(at)) == wanted:
            return at
    return next((at for at in range(model.get_n_items()) if address(model.get_item(at)) == wanted), None)


def list_columns(view: Any) -> list[Any]:
    if not isinstance(view, Gtk.ColumnView):
        return []
    listed = view.get_columns()
    every = [listed.get_item(at) for at in range(listed.get_n_items())]
    return [column for column in every if column.get_visible()]


def list_text(view: Any, at: int) -> str:
    """What an item is called: as its row shows, or as it says itself."""
    for number, row in list_rows(view):
        if number == at:
            return text_in(row) if not list_columns(view) else text_in(children(row)[0])
    item = view.get_model().get_item(at)
    return item_text(item.get_item() if isinstance(item, Gtk.TreeListRow) else item)


def item_texts(view: Any) -> Iterator[tuple[str, ...]]:
    """The texts that the items of a list say of themselves, in order."""
    model = view.get_model()
    for at in range(0 if model is None else model.get_n_items()):
        item = model.get_item(at)
        yield tuple(own_texts(item.get_item() if isinstance(item, Gtk.TreeListRow) else item))
