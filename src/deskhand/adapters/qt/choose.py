"""Choosing an option: of a combo box, list, table, tree, tab bar, menu or a group of radio buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...model.errors import ActionFailed, NotEnabled
from ...model.operations import Select
from ..performer import one_only
from . import menus, quick_aim, quick_choose
from .controls import attached, plain
from .handles import Entry, Handle, Item, Tab
from .hands import Hands
from .options import LISTED, Choice, insist, no_options, not_found, pick, selected

_FETCHES = 1000
"""How often a model that loads bit by bit is asked for more rows."""


def select(hands: Hands, action: Select, handle: Handle) -> dict[str, object]:
    """Choose, and answer with what is chosen now."""
    if isinstance(handle, Item):
        return _in_view(hands, action, handle.view, hands.index(handle))
    if isinstance(handle, Tab):
        handle = handle.bar
    if isinstance(handle, Entry) and (below := menus.menu_of(hands, handle)) is not None:
        handle = below
    if quick_aim.is_item(hands.binding, handle):
        return quick_choose.select(hands, action, handle)
    if hands.is_a(handle, "QComboBox"):
        return _in_combo(hands, action, handle)
    if hands.is_a(handle, "QAbstractItemView"):
        return _in_view(hands, action, handle, hands.bare(handle).rootIndex())
    if hands.is_a(handle, "QTabWidget"):
        handle = hands.bare(handle).tabBar()
    if hands.is_a(handle, "QTabBar"):
        return _in_tabs(hands, action, handle)
    if hands.is_a(handle, "QToolBox"):
        return _in_tool_box(hands, action, handle)
    if hands.is_a(handle, "QMenu", "QMenuBar"):
        return _in_menu(hands, action, handle)
    if hands.is_a(handle, "QWidget"):
        radios = hands.bare(handle).findChildren(hands.binding.QtWidgets.QRadioButton)
        if radios:
            return _in_radios(hands, action, handle, radios)
    raise no_options(hands.call(handle))


def _in_combo(hands: Hands, action: Select, native: Any) -> dict[str, object]:
    combo = hands.bare(native)

    def options() -> list[Choice]:
        # By the view: in PySide6, a model asked of a combo box dies with that, also if others use it.
        index_of = hands.bare(combo.view()).model().index
        enabled = hands.binding.Qt.ItemFlag.ItemIsEnabled
        return [
            Choice(
                at,
                combo.itemText(at),
                attached(combo.itemData, at),
                bool(index_of(at, combo.modelColumn(), combo.rootModelIndex()).flags() & enabled),
            )
            for at in range(combo.count())
        ]

    found = pick(action, options())
    if found is None:
        # Some programs fill the list only when it is opened.
        native.showPopup()
        found = pick(action, options())
        native.hidePopup()
    option = insist(hands, action, native, found, options())
    native.hidePopup()
    combo.setCurrentIndex(option.index)
    combo.activated.emit(option.index)
    combo.textActivated.emit(option.text)
    return selected(option)


def _in_tabs(hands: Hands, action: Select, native: Any) -> dict[str, object]:
    above = hands.binding.QObject.parent(native)
    pages = above if hands.is_a(above, "QTabWidget") else None
    bar, names = hands.bare(native), None if pages is None else hands.bare(pages)
    options = [
        Choice(
            at,
            plain(bar.tabText(at)),
            attached(bar.tabData, at)
            or (names.widget(at).objectName() if names is not None else None)
            or None,
            bar.isTabEnabled(at) and bar.isTabVisible(at),
        )
        for at in range(bar.count())
    ]
    option = insist(hands, action, native if pages is None else pages, pick(action, options), options)
    bar.setCurrentIndex(option.index)
    bar.tabBarClicked.emit(option.index)
    return selected(option)


def _in_tool_box(hands: Hands, action: Select, native: Any) -> dict[str, object]:
    box = hands.bare(native)
    options = [
        Choice(at, plain(box.itemText(at)), box.widget(at).objectName() or None, box.isItemEnabled(at))
        for at in range(box.count())
    ]
    option = insist(hands, action, native, pick(action, options), options)
    box.setCurrentIndex(option.index)
    return selected(option)


def _in_menu(hands: Hands, action: Select, native: Any) -> dict[str, object]:
    chosen: dict[str, object] = {}

    def choose(menu: Any, final: bool = True) -> None:
        actions = menus.options(hands, menu)
        options = [
            Choice(at, plain(each.text()), each.objectName() or attached(each.data), each.isEnabled())
            for at, each in enumerate(map(hands.bare, actions))
        ]
        found = pick(action, options)
        if found is not None or final:
            option = insist(hands, action, menu, found, options)
            chosen.update(selected(option))
            menus.press(hands, Entry(menu, actions[option.index]))

    choose(native, final=False)
    if not chosen:
        # Some programs fill a menu only when it opens.
        menus.open_and(hands, native, choose)
    return chosen


def _in_radios(hands: Hands, action: Select, group: Any, radios: Sequence[Any]) -> dict[str, object]:
    options = [
        Choice(at, plain(radio.text()), radio.objectName() or None, radio.isEnabled())
        for at, radio in enumerate(map(hands.bare, radios))
    ]
    option = insist(hands, action, group, pick(action, options), options)
    hands.call_slot(radios[option.index], "click")
    return selected(option)


# -- views -------------------------------------------------------------------------------------


def _in_view(hands: Hands, action: Select, native: Any, parent: Any) -> dict[str, object]:
    view = hands.bare(native)
    index = find_index(hands, native, parent, action.index, action.text, action.column, action.value)
    if index is None:
        model = view.model()
        options = [] if model is None else _rows(view, parent, action.column)
        raise not_found(hands, action, native, options, 0 if model is None else model.rowCount(parent))
    qt, core = hands.binding.Qt, hands.binding.QtCore
    if not index.flags() & qt.ItemFlag.ItemIsEnabled or not index.flags() & qt.ItemFlag.ItemIsSelectable:
        raise NotEnabled(f"row {index.row()} of {hands.call(native)} cannot be selected")
    modes = hands.binding.QtWidgets.QAbstractItemView
    if view.selectionMode() == modes.SelectionMode.NoSelection:
        raise ActionFailed(
            f"{hands.call(native)} does not let anything be selected", suggestions=("press the item",)
        )
    if action.extend and view.selectionMode() == modes.SelectionMode.SingleSelection:
        raise one_only(hands.call(native))
    flags = core.QItemSelectionModel.SelectionFlag
    how = flags.Select | flags.Current if action.extend else flags.ClearAndSelect
    if view.selectionBehavior() == modes.SelectionBehavior.SelectRows:
        how |= flags.Rows
    elif view.selectionBehavior() == modes.SelectionBehavior.SelectColumns:
        how |= flags.Columns
    native.scrollTo(index)
    view.selectionModel().setCurrentIndex(index, how & ~flags.Current if action.extend else how)
    # As a click says it: many programs listen to that rather than to the selection.
    view.pressed.emit(index)
    view.clicked.emit(index)
    value = attached(index.data, qt.ItemDataRole.UserRole)
    return selected(Choice(index.row(), _shown(index), value))


def find_index(
    hands: Hands,
    view: Any,
    parent: Any,
    row: int | None,
    text: str | None,
    column: int | None = None,
    value: str | None = None,
) -> Any:
    """The index of a row by number, text or value; None if there is none. Loads more rows if it must."""
    view = hands.bare(view)
    model, qt = view.model(), hands.binding.Qt
    if model is None:
        return None
    first = column if column is not None else _first_column(view)
    if row is not None:
        _fetch(model, parent, lambda: model.rowCount(parent) > row)
        index = model.index(row, first, parent)
        return index if row >= 0 and index.isValid() else None
    columns = [column] if column is not None else _columns(view)
    wanted: list[tuple[Any, str]] = []
    if text is not None:
        wanted = [(qt.ItemDataRole.DisplayRole, text)]
    elif value is not None:
        wanted = [(qt.ItemDataRole.UserRole, value), (qt.ItemDataRole.DisplayRole, value)]

    def search() -> Any:
        for role, what in wanted:
            for at in columns:
                found = _match(hands, view, parent, role, what, at)
                if found is not None:
                    return found
        return None

    found = search()
    for _ in range(_FETCHES):
        if found is not None or not model.canFetchMore(parent):
            break
        model.fetchMore(parent)
        found = search()
    return found


def _match(hands: Hands, view: Any, parent: Any, role: Any, what: str, column: int) -> Any:
    model, flag = view.model(), hands.binding.Qt.MatchFlag
    start = model.index(0, column, parent)
    if not start.isValid():
        return None
    how = flag.MatchExactly if role == hands.binding.Qt.ItemDataRole.UserRole else flag.MatchFixedString
    how |= flag.MatchCaseSensitive | flag.MatchRecursive
    hits = model.match(start, role, what, 100, how)
    return next((hit for hit in hits if not _is_hidden(view, hit)), None)


def _is_hidden(view: Any, index: Any) -> bool:
    if view.inherits("QTreeView"):
        return bool(view.isRowHidden(index.row(), index.parent()))
    return bool(view.isRowHidden(index.row())) if hasattr(view, "isRowHidden") else False


def _fetch(model: Any, parent: Any, enough: Callable[[], bool]) -> None:
    for _ in range(_FETCHES):
        if enough() or not model.canFetchMore(parent):
            return
        model.fetchMore(parent)


def _first_column(view: Any) -> int:
    if view.inherits("QListView"):
        return int(view.modelColumn())
    return next(iter(_columns(view)), 0)


def _columns(view: Any) -> list[int]:
    """The columns that a view shows, as it shows them."""
    # Not by the model's columnCount(), which is private in models of lists.
    header = getattr(view, "horizontalHeader", None) or getattr(view, "header", None)
    if header is None:
        return [_first_column(view)] if view.inherits("QListView") else [0]
    shown = (header().logicalIndex(at) for at in range(min(header().count(), LISTED)))
    return [at for at in shown if at >= 0 and not header().isSectionHidden(at)]


def _rows(view: Any, parent: Any, column: int | None) -> list[Choice]:
    model = view.model()
    at = column if column is not None else _first_column(view)
    rows = (model.index(row, at, parent) for row in range(min(model.rowCount(parent), LISTED)))
    return [Choice(index.row(), _shown(index)) for index in rows]


def _shown(index: Any) -> str:
    data = index.data()
    return "" if data is None else str(data)
