"""What can be chosen from, and choosing it with what the program is notified by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...model.errors import ActionFailed, ActionUnsupported
from ...model.operations import Select
from ...model.record import dataclass
from ..choices import Choice, named, not_found
from ..performer import Answer, Offer, Options, no_column, one_only
from . import views
from .handles import Handle
from .kinds import combo_options, drop_down_options, text_in
from .library import THREE, Gtk, children

if TYPE_CHECKING:
    from .act import Performer

_LISTED = 100
"""How many rows an error lists."""


def offer(performer: Performer, handle: Handle, action: Select) -> Offer | None:
    """What a widget offers; None if it offers nothing. On the GUI thread."""
    widget = handle.widget
    if handle.part:
        return None
    what = performer.name(handle)
    if isinstance(widget, Gtk.ComboBox):
        found = [Choice(at, text, value) for at, (text, value) in enumerate(combo_options(widget))]
        return Options(what, found, performer.posted(lambda at, _: widget.set_active(at)))
    if not THREE and isinstance(widget, Gtk.DropDown):
        texts = drop_down_options(widget)
        return Options(what, named(texts), performer.posted(lambda at, _: widget.set_selected(at)))
    if isinstance(widget, Gtk.Notebook):
        pages = [widget.get_nth_page(at) for at in range(widget.get_n_pages())]
        tabs = [
            Choice(at, widget.get_tab_label_text(page) or text_in(widget.get_tab_label(page)))
            for at, page in enumerate(pages)
        ]
        return Options(what, tabs, performer.posted(lambda at, _: widget.set_current_page(at)))
    if isinstance(widget, (Gtk.ListBox, Gtk.FlowBox)):
        rows = [row for row in children(widget) if isinstance(row, (Gtk.ListBoxRow, Gtk.FlowBoxChild))]
        items = [Choice(at, text_in(row), enabled=row.is_sensitive()) for at, row in enumerate(rows)]
        return Options(
            what, items, performer.posted(lambda at, more: choose_row(widget, rows[at], more, what))
        )
    if isinstance(widget, Gtk.TreeView):
        return Rows(performer, handle, what, action.column)
    if not THREE and isinstance(widget, (Gtk.ListBase, Gtk.ColumnView)):
        return Items(performer, handle, what, action.column)
    return None


def choose_row(box: Any, row: Any, extend: bool, what: str) -> None:
    """Select a row of a list box, as a click does."""
    many = box.get_selection_mode() == Gtk.SelectionMode.MULTIPLE
    if extend and not many:
        raise one_only(what)
    flow = isinstance(box, Gtk.FlowBox)
    if not extend and many:
        box.unselect_all()
    (box.select_child if flow else box.select_row)(row)
    if not row.is_selected():
        raise ActionFailed(f"{what} lets no row be selected")


@dataclass(frozen=True)
class Rows:
    """The rows of a tree view, those in closed rows excluded. `column` is that of the cell to choose."""

    performer: Performer
    handle: Handle
    what: str
    column: int | None

    def pick(self, action: Select) -> Choice:
        return self.performer.call(lambda: self._pick(action))

    def _pick(self, action: Select) -> Choice:
        view = self.handle.widget
        at = path_at(view, action)
        if at is None:
            listed = [
                Choice(number, views.row_text(view, path))
                for number, path in zip(range(_LISTED), views.displayed(view), strict=False)
            ]
            raise not_found(action, self.what, listed, views.count(view))
        shown = views.columns(view)
        if self.column is not None and not 0 <= self.column < len(shown):
            raise no_column(self.what, self.column, len(shown))
        return Choice(at[0], views.row_text(view, at[1]))

    def choose(self, choice: Choice, extend: bool) -> Answer | None:
        view, known = self.handle.widget, self.handle.known

        def found() -> views.Path:
            path = path_at(view, Select(index=choice.index))
            assert path is not None, "it was there a moment ago"
            return path[1]

        def cell() -> Handle:
            key = views.rows_of(view, known).key(found(), view.get_model())
            return Handle(known, view, "cell", f"{key}/{self.column}")

        if self.column is None:
            self.performer.post(lambda: choose_path(view, found(), None, extend, self.what))
        else:
            # GTK selects rows; which cell was meant, a program knows from where it was clicked.
            self.performer.click_cell(self.performer.call(cell), extend)
        return None


def path_at(view: Any, action: Select) -> tuple[int, views.Path] | None:
    """The row that is meant, with its number among those displayed."""
    if action.index is not None:
        if views.is_flat(view):
            return (action.index, (action.index,)) if 0 <= action.index < views.count(view) else None
        every = zip(range(views.COUNTED), views.displayed(view), strict=False)
        return next(((at, path) for at, path in every if at == action.index), None)
    wanted = action.text if action.text is not None else action.value
    every = zip(range(views.COUNTED), views.displayed(view), strict=False)
    return next(((at, path) for at, path in every if views.row_text(view, path) == wanted), None)


def choose_path(view: Any, path: views.Path, column: int | None, extend: bool, what: str) -> None:
    """Select a row of a tree view, as a click does."""
    selection, at = view.get_selection(), Gtk.TreePath(path)
    if extend:
        if selection.get_mode() != Gtk.SelectionMode.MULTIPLE:
            raise one_only(what)
        selection.select_path(at)
    else:
        view.set_cursor(at, None if column is None else views.columns(view)[column], False)
    view.scroll_to_cell(at, None, False, 0, 0)
    if selection.get_mode() != Gtk.SelectionMode.NONE and not selection.path_is_selected(at):
        raise ActionFailed(f"the program does not let this row of {what} be selected")


@dataclass(frozen=True)
class Items:
    """The items of a list of GTK 4."""

    performer: Performer
    handle: Handle
    what: str
    column: int | None

    def pick(self, action: Select) -> Choice:
        return self.performer.call(lambda: self._pick(action))

    def _pick(self, action: Select) -> Choice:
        view = self.handle.widget
        count = view.get_model().get_n_items() if view.get_model() is not None else 0
        at = item_at(view, action, count)
        if at is None:
            listed = [Choice(number, views.list_text(view, number)) for number, _ in views.list_rows(view)]
            raise not_found(action, self.what, listed[:_LISTED], count)
        shown = views.list_columns(view)
        if self.column is not None and not 0 <= self.column < len(shown):
            raise no_column(self.what, self.column, len(shown))
        if self.column is not None:
            raise ActionUnsupported(
                f"{self.what} selects rows: GTK 4 has no cells that can be selected",
                suggestions=("select the row without a column, or click the cell",),
            )
        return Choice(at, views.list_text(view, at))

    def choose(self, choice: Choice, extend: bool) -> Answer | None:
        self.performer.post(lambda: choose_item(self.handle.widget, choice.index, extend, self.what))
        return None


def item_at(view: Any, action: Select, count: int) -> int | None:
    """The number of the item that is meant: by its text, as it says or as its row shows."""
    if action.index is not None:
        return action.index if 0 <= action.index < count else None
    wanted = action.text if action.text is not None else action.value
    shown = next((at for at, _ in views.list_rows(view) if views.list_text(view, at) == wanted), None)
    if shown is not None:
        return shown
    return next((at for at, texts in enumerate(views.item_texts(view)) if wanted in texts), None)


def choose_item(view: Any, at: int, extend: bool, what: str) -> None:
    model = view.get_model()
    if extend and not isinstance(model, Gtk.MultiSelection):
        raise one_only(what)
    model.select_item(at, not extend)
    if not model.is_selected(at):
        raise ActionFailed(f"the program does not let this row of {what} be selected")


def tab_index(handle: Handle, page: Any) -> int:
    """Where a page of a notebook is now; -1 if it is gone."""
    return -1 if page is None else int(handle.widget.page_num(page))
