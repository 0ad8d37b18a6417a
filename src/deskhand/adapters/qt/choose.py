"""What a widget offers: a combo box, list, table, tree, tab bar, menu or a group of radio buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...model.errors import ActionFailed, NotEnabled
from ...model.operations import Select
from ..choices import LISTED, Choice, insist, not_found, pick
from ..performer import Offer, Options, one_only
from . import menus, quick_aim, quick_choose
from .controls import attached, plain
from .handles import Handle, Item, MenuEntry, Tab
from .hands import Hands

_FETCHES = 1000
"""How often a model that loads bit by bit is asked for more rows."""


def offer(hands: Hands, handle: Handle) -> Offer | None:
    """What a handle offers to choose from; None if that is nothing."""
    if isinstance(handle, Item):
        return _View(hands, handle.view, hands.index(handle))
    if isinstance(handle, Tab):
        handle = handle.bar
    if isinstance(handle, MenuEntry) and (below := menus.menu_of(hands, handle)) is not None:
        handle = below
    if quick_aim.is_item(hands.binding, handle):
        return quick_choose.offer(hands, handle)
    if hands.is_a(handle, "QComboBox"):
        return _Combo(hands, handle)
    if hands.is_a(handle, "QAbstractItemView"):
        return _View(hands, handle, hands.bare(handle).rootIndex())
    if hands.is_a(handle, "QTabWidget"):
        handle = hands.bare(handle).tabBar()
    if hands.is_a(handle, "QTabBar"):
        return _tabs(hands, handle)
    if hands.is_a(handle, "QToolBox"):
        return _tool_box(hands, handle)
    if hands.is_a(handle, "QMenu", "QMenuBar"):
        return _Menu(hands, handle)
    if hands.is_a(handle, "QWidget"):
        return _radios(hands, handle)
    return None


class _Combo:
    def __init__(self, hands: Hands, native: Any) -> None:
        self._hands, self._native, self._combo = hands, native, hands.bare(native)

    def pick(self, action: Select) -> Choice:
        choices = self._choices()
        if pick(action, choices) is None:
            # Some programs fill the list only when it is opened.
            self._native.showPopup()
            choices = self._choices()
            self._native.hidePopup()
        return insist(action, self._hands.call(self._native), choices)

    def choose(self, choice: Choice, _extend: bool) -> None:
        self._native.hidePopup()
        self._combo.setCurrentIndex(choice.index)
        self._combo.activated.emit(choice.index)
        self._combo.textActivated.emit(choice.text)

    def _choices(self) -> list[Choice]:
        hands, combo = self._hands, self._combo
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


def _tabs(hands: Hands, native: Any) -> Offer:
    above = hands.binding.QObject.parent(native)
    pages = above if hands.is_a(above, "QTabWidget") else None
    bar, names = hands.bare(native), None if pages is None else hands.bare(pages)
    choices = [
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

    def choose(choice: Choice, _extend: bool) -> None:
        bar.setCurrentIndex(choice.index)
        bar.tabBarClicked.emit(choice.index)

    return Options(hands.call(native if pages is None else pages), choices, choose)


def _tool_box(hands: Hands, native: Any) -> Offer:
    box = hands.bare(native)
    choices = [
        Choice(at, plain(box.itemText(at)), box.widget(at).objectName() or None, box.isItemEnabled(at))
        for at in range(box.count())
    ]
    return Options(hands.call(native), choices, lambda choice, _: box.setCurrentIndex(choice.index))


class _Menu:
    def __init__(self, hands: Hands, menu: Any) -> None:
        self._hands, self._menu = hands, menu
        self._entry: MenuEntry | None = None

    def pick(self, action: Select) -> Choice:
        actions, choices = self._listed(self._menu)
        if pick(action, choices) is not None:
            choice = insist(action, self._hands.call(self._menu), choices)
            self._entry = MenuEntry(self._menu, actions[choice.index])
            return choice
        chosen: list[Choice] = []

        def choose(menu: Any) -> None:
            actions, choices = self._listed(menu)
            chosen.append(insist(action, self._hands.call(menu), choices))
            menus.press(self._hands, MenuEntry(menu, actions[chosen[0].index]))

        # Some programs fill a menu only when it opens; then it is chosen from while it is open.
        menus.open_and(self._hands, self._menu, choose)
        return chosen[0]

    def choose(self, _choice: Choice, _extend: bool) -> None:
        if self._entry is not None:
            menus.press(self._hands, self._entry)

    def _listed(self, menu: Any) -> tuple[list[Any], list[Choice]]:
        actions = menus.options(self._hands, menu)
        return actions, [
            Choice(at, plain(each.text()), each.objectName() or attached(each.data), each.isEnabled())
            for at, each in enumerate(map(self._hands.bare, actions))
        ]


def _radios(hands: Hands, group: Any) -> Offer | None:
    radios = hands.bare(group).findChildren(hands.binding.QtWidgets.QRadioButton)
    choices = [
        Choice(at, plain(radio.text()), radio.objectName() or None, radio.isEnabled())
        for at, radio in enumerate(map(hands.bare, radios))
    ]
    what = hands.call(group)
    return (
        Options(what, choices, lambda choice, _: hands.call_slot(radios[choice.index], "click"))
        if radios
        else None
    )


# -- views -------------------------------------------------------------------------------------


class _View:
    """The rows of a view, or its cells: found by the model, and selected as a click does it."""

    def __init__(self, hands: Hands, native: Any, parent: Any) -> None:
        self._hands, self._native, self._parent = hands, native, parent
        self._index: Any = None

    def pick(self, action: Select) -> Choice:
        hands, native, parent = self._hands, self._native, self._parent
        index = find_index(hands, native, parent, action.index, action.text, action.column, action.value)
        if index is None:
            view = hands.bare(native)
            model = view.model()
            options = [] if model is None else _rows(view, parent, action.column)
            count = 0 if model is None else model.rowCount(parent)
            raise not_found(action, hands.call(native), options, count)
        self._index = index
        return Choice(
            index.row(), _shown(index), attached(index.data, hands.binding.Qt.ItemDataRole.UserRole)
        )

    def choose(self, _choice: Choice, extend: bool) -> None:
        hands, native, index = self._hands, self._native, self._index
        view = hands.bare(native)
        qt, core = hands.binding.Qt, hands.binding.QtCore
        if not index.flags() & qt.ItemFlag.ItemIsEnabled or not index.flags() & qt.ItemFlag.ItemIsSelectable:
            raise NotEnabled(f"row {index.row()} of {hands.call(native)} cannot be selected")
        modes = hands.binding.QtWidgets.QAbstractItemView
        if view.selectionMode() == modes.SelectionMode.NoSelection:
            raise ActionFailed(
                f"{hands.call(native)} does not let anything be selected", suggestions=("press the item",)
            )
        if extend and view.selectionMode() == modes.SelectionMode.SingleSelection:
            raise one_only(hands.call(native))
        flags = core.QItemSelectionModel.SelectionFlag
        how = flags.Select | flags.Current if extend else flags.ClearAndSelect
        if view.selectionBehavior() == modes.SelectionBehavior.SelectRows:
            how |= flags.Rows
        elif view.selectionBehavior() == modes.SelectionBehavior.SelectColumns:
            how |= flags.Columns
        native.scrollTo(index)
        view.selectionModel().setCurrentIndex(index, how & ~flags.Current if extend else how)
        # As a click says it: many programs listen to that rather than to the selection.
        view.pressed.emit(index)
        view.clicked.emit(index)


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
