"""What a uid stands for, and the registry that gives uids out.

A handle is a QObject itself (widget, QML item, window), or one of the small records below for things
that Qt has no object for. A uid lasts as long as what it stands for and is never given out again.
All of this belongs to the GUI thread.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, TypeAlias

from ...model.errors import Stale
from ...model.record import dataclass
from .binding import Binding
from .removed import Removed

ROWS_KEPT = 5_000
"""How many rows of views are remembered: each costs its model a persistent index."""
CELLS_KEPT = 50_000
"""How many cells of those rows; far more than are ever on the screen at once."""
_SCENE_ITEMS_KEPT = 5_000
_GONE_KEPT = 1_000
_MARK = 0x6465736B
"""The key under which a graphics item carries its mark."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, eq=False)
class Item:
    """A cell, a list item or a tree item of a view; with `row` the whole row of a table that it begins."""

    view: Any
    index: Any
    """A QPersistentModelIndex."""
    row: bool = False

    @property
    def role(self) -> str:
        """The role of its node."""
        if self.row:
            return "row"
        if self.view.inherits("QListView"):
            return "list-item"
        return "tree-item" if self.view.inherits("QTreeView") and self.index.column() == 0 else "cell"


@dataclass(frozen=True, eq=False)
class Tab:
    """One tab of a tab bar. The index is where it is now."""

    bar: Any
    index: int


@dataclass(frozen=True, eq=False)
class MenuEntry:
    """An action as it appears in one menu or menu bar."""

    menu: Any
    action: Any


@dataclass(frozen=True, eq=False)
class Header:
    """The header of one column or row: a section of a header view, by its logical index."""

    header: Any
    section: int
    text: str


@dataclass(frozen=True, eq=False)
class SceneItem:
    """A graphics item as one view shows it."""

    view: Any
    item: Any


Part: TypeAlias = Item | Tab | MenuEntry | Header | SceneItem
PARTS = (Item, Tab, MenuEntry, Header, SceneItem)
Handle: TypeAlias = Any
"""A QObject or a Part."""


class Known(weakref.ref[Any]):
    """What the registry remembers of one QObject."""

    __slots__ = ("automation_id", "kept", "key", "label", "native_class", "reader", "uid")

    uid: str
    key: int
    native_class: str
    label: str | None
    """What it was called when it was read last."""
    automation_id: str | None
    reader: Any
    """How objects of its class are read; `read` keeps it here so that one lookup finds all."""
    kept: Any
    """The wrapper itself, where nothing else keeps it: see `Registry`."""


class KnownPart:
    """What the registry remembers of a part. Holds no object, or the program could never let go of it."""

    __slots__ = ("data", "key", "kind", "label", "native_class", "owners", "uid")

    def __init__(
        self, uid: str, kind: type[Part], key: Hashable, data: Any, owners: tuple[str, ...], native_class: str
    ) -> None:
        self.uid = uid
        self.kind = kind
        self.key = key
        self.data = data
        self.owners = owners
        self.native_class = native_class
        self.label: str | None = None


class Line:
    """The parts of one row of a view, by column; the row itself is at -1."""

    __slots__ = ("columns", "index", "owner", "parts")

    def __init__(self, owner: str, index: Any, columns: int) -> None:
        self.owner = owner
        self.index = index
        """Persistent, of the first column: it moves with the row, and so is the row's identity."""
        self.columns = columns
        self.parts: dict[int, KnownPart] = {}


class Registry:
    """Uids for what is in a program, and the way back.

    Objects made in Python are held weakly: a window that its program drops must go. Their wrapper lives
    as long as they do, so its id() is their identity. Objects made in C++ have a wrapper only while
    something holds it; holding it owns nothing, so the registry does. It holds those of their ancestors
    too, without which PySide6 takes theirs for dead.
    """

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._removed = Removed() if binding.entered else None
        if self._removed is not None:
            binding.watch_validity(self.settle)
        self._is_valid = binding.is_valid
        self._persistent = binding.QtCore.QPersistentModelIndex
        self._made_in_python = binding.made_in_python
        self.known: dict[int, Known] = {}
        """By id() of the wrapper. `read` looks here first; what it misses goes through `know`."""
        self._by_uid: dict[str, Known | KnownPart] = {}
        self._parts: dict[Hashable, KnownPart] = {}
        self._lines: OrderedDict[Hashable, Line] = OrderedDict()
        """Rows in the order they were last seen."""
        self._cells = 0
        self._scene_items: OrderedDict[Hashable, None] = OrderedDict()
        """Keys of graphics items in the order they were last seen."""
        self._tabs: dict[str, tuple[list[str], list[int]]] = {}
        """Of tab bars without pages: the texts and marks as last seen."""
        self._kept: dict[str, Known] = {}
        self._at: dict[int, Known] = {}
        """In a program in C++, by the address of the object."""
        self._purge_at = 1_000
        self._gone: OrderedDict[str, str] = OrderedDict()
        self._last = 0
        self.anew = False
        """While everything is read anew: what readers keep with an object is neither used nor replaced."""

    # -- objects -------------------------------------------------------------------------------

    def uid(self, native: Handle) -> str:
        """The uid of an object or a part."""
        if isinstance(native, PARTS):
            return self._part_uid(native)
        known = self.known.get(id(native))
        return known.uid if known is not None else self.know(native).uid

    def know(self, native: Any) -> Known:
        """What is remembered of an object; from now on something is."""
        key = id(native)
        known = self.known.get(key)
        if known is not None:
            return known
        known = Known(native, self._forget)
        known.uid = self._next()
        known.key = key
        made_in_python = self._made_in_python(native)
        # What Python made has the class that it has in Python; what C++ made may be of one unknown there.
        known.native_class = type(native).__name__ if made_in_python else self._binding.class_name(native)
        known.label = known.automation_id = known.reader = known.kept = None
        self.known[key] = known
        self._by_uid[known.uid] = known
        if not made_in_python:
            if self._removed is not None:
                address = self._binding.address(native)
                self._at[address] = known
                self._removed.know(address)
            known.kept = native
            self._kept[known.uid] = known
            # Not native.parent(): a model has another function of that name.
            above = self._binding.QObject.parent(native)
            if above is not None:
                self.know(above)
        return known

    def settle(self) -> None:
        """Let go of what a program in C++ has destroyed. To be called before it is looked at."""
        if self._removed is None:
            return
        gone = [*self._removed.take(), *(tuple(self._at) if self._removed.lost_count() else ())]
        for address in gone:
            if (known := self._at.pop(address, None)) is not None:
                if known.kept is not None:
                    self._binding.set_deleted(known.kept)
                self._forget(known)
                known.kept = None

    def close(self) -> None:
        """Learn nothing more of what is destroyed."""
        if self._removed is not None:
            self._removed.close()

    def native(self, uid: str) -> Handle:
        """What a uid stands for; Stale if that is gone."""
        self.settle()
        known = self._by_uid.get(uid)
        if isinstance(known, Known):
            native = self._alive(uid)
            if native is not None:
                return native
        elif known is not None:
            part = self._current(known)
            if part is not None:
                return part
            self._drop(known)
        raise Stale(f"{self._describe(uid, known)} is gone", target=f"uid={uid}")

    def label(self, uid: str, label: str | None) -> None:
        """Remember what a node is called, for the day it is gone."""
        known = self._by_uid.get(uid)
        if known is not None:
            known.label = label

    def purge(self) -> None:
        """Let go of what is gone. Call it after a read; it does nothing until there is much to gain."""
        if self._size() < self._purge_at:
            return
        self.sweep()
        for key, line in list(self._lines.items()):
            if not line.index.isValid() or self._alive(line.owner) is None:
                self._drop_line(key, line)
        for part in list(self._parts.values()):
            if any(self._alive(owner) is None for owner in part.owners):
                self._drop(part)
        self._purge_at = max(1_000, 2 * self._size())

    def sweep(self) -> None:
        """Let go of the wrappers of objects that are gone. To be called before QML items are looked at.

        In PySide6 the wrapper of an object keeps that of its QMetaObject. For QML's own types that one may be
        freed, and its place taken by a new item, for which PySide6 then gives the wrapper that is there.
        """
        for known in list(self._kept.values()):
            if not self._is_valid(known.kept):
                self._forget(known)
                known.kept = None

    def clear(self) -> None:
        """Forget everything."""
        self.known.clear()
        self._by_uid.clear()
        self._parts.clear()
        self._lines.clear()
        self._cells = 0
        self._scene_items.clear()
        self._tabs.clear()
        self._kept.clear()
        self._at.clear()

    def _size(self) -> int:
        return len(self._kept) + len(self._parts) + len(self._lines)

    def _alive(self, uid: str) -> Any:
        """The object of that uid; None if it is gone."""
        known = self._by_uid.get(uid)
        native = known() if isinstance(known, Known) else None
        return native if native is not None and self._is_valid(native) else None

    def _next(self) -> str:
        self._last = number = self._last + 1
        digits = ""
        while number:
            number, digit = divmod(number, 36)
            digits = _DIGITS[digit] + digits
        return f"u-{digits}"

    def _forget(self, known: Any) -> None:
        """The wrapper is going. May run on any thread, so it only takes things out of tables."""
        key: int = known.key
        if self.known.get(key) is known:
            self.known.pop(key, None)
        self._kept.pop(known.uid, None)
        self._tabs.pop(known.uid, None)
        if self._by_uid.pop(known.uid, None) is not None:
            self._bury(known.uid, known.native_class, known.label)

    def _bury(self, uid: str, native_class: str, label: str | None) -> None:
        self._gone[uid] = f'{native_class} "{label}"' if label else native_class
        if len(self._gone) > _GONE_KEPT:
            self._gone.popitem(last=False)

    def _describe(self, uid: str, known: Known | KnownPart | None) -> str:
        if known is not None:
            label = f' "{known.label}"' if known.label else ""
            return f"{known.native_class}{label} (uid {uid})"
        what = self._gone.get(uid)
        return f"{what} (uid {uid})" if what else f"what had the uid '{uid}'"

    # -- parts ---------------------------------------------------------------------------------

    def item(self, view: Any, index: Any, row: bool = False) -> str:
        """The uid of an item of a view; `index` is a QModelIndex or a persistent one."""
        column = index.column()
        first = index.sibling(index.row(), 0) if column else index
        line = self.line(self.uid(view), first, self.columns(index.model(), index.parent()))
        return self.cell(line, -1 if row else column).uid

    def columns(self, model: Any, parent: Any) -> int:
        """How many columns a model has below an index."""
        # A list model has one, and does not let others ask.
        if isinstance(model, self._binding.QtCore.QAbstractListModel):
            return 1
        return int(self._binding.ask(model, "columnCount", parent) or 0)

    def line(self, owner: str, index: Any, columns: int) -> Line:
        """What is remembered of a row: of a view, that has so many columns, beginning at the index."""
        if not isinstance(index, self._persistent):
            index = self._persistent(index)
        key = (owner, index)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = Line(owner, index, columns)
            if len(self._lines) > ROWS_KEPT:
                self._drop_oldest_line()
        else:
            self._lines.move_to_end(key)
            if line.columns != columns:
                # Which of the columns are the old ones is not known.
                self._empty(line)
                line.columns = columns
        return line

    def cell(self, line: Line, column: int) -> KnownPart:
        """What is remembered of a cell of a row; of the row itself at -1."""
        part = line.parts.get(column)
        if part is None:
            part = KnownPart(self._next(), Item, None, (line, column), (line.owner,), "QModelIndex")
            line.parts[column] = part
            self._by_uid[part.uid] = part
            self._cells += 1
            while self._cells > CELLS_KEPT and len(self._lines) > 1:
                self._drop_oldest_line()
        return part

    def tabs(self, bar: Any) -> list[str]:
        """The uids of all tabs of a bar.

        Qt gives tabs no identity. Those of a tab widget have their page; others are followed by their
        texts: what stays in order stays the same tab.
        """
        owner = self.uid(bar)
        pages = self._pages(bar)
        bare = self._binding.bare(bar)
        count = bare.count()
        marks: list[Any]
        if pages is not None:
            marks = [self.uid(self._binding.bare(pages).widget(at)) for at in range(count)]
        else:
            marks = self._follow(owner, [bare.tabText(at) for at in range(count)])
        return [self._part((owner, "tab", mark), Tab, None, (owner,), "QTab") for mark in marks]

    def entry(self, menu: Any, action: Any) -> str:
        """The uid of an action in one menu or menu bar."""
        owners = (self.uid(menu), self.uid(action))
        return self._part(owners, MenuEntry, None, owners, "QAction")

    def header(self, header: Any, section: int, text: str) -> str:
        """The uid of a section of a header view."""
        owner = self.uid(header)
        return self._part((owner, section, text), Header, (section, text), (owner,), "QHeaderSection")

    def scene_item(self, view: Any, item: Any) -> str:
        """The uid of a graphics item in one view."""
        # The mark is kept in the C++ item: the wrapper says nothing of an address that is used again.
        bare = self._binding.bare(item)
        mark = bare.data(_MARK)
        if mark is None:
            self._last += 1
            mark = self._last
            bare.setData(_MARK, mark)
        owner = self.uid(view)
        key = (owner, "scene", mark)
        self._scene_items[key] = None
        self._scene_items.move_to_end(key)
        if len(self._scene_items) > _SCENE_ITEMS_KEPT:
            oldest, _ = self._scene_items.popitem(last=False)
            if oldest in self._parts:
                self._drop(self._parts[oldest])
        return self._part(key, SceneItem, mark, (owner,), type(item).__name__)

    def _part_uid(self, part: Part) -> str:
        if isinstance(part, Item):
            return self.item(part.view, part.index, part.row)
        if isinstance(part, Tab):
            return self.tabs(part.bar)[part.index]
        if isinstance(part, MenuEntry):
            return self.entry(part.menu, part.action)
        if isinstance(part, Header):
            return self.header(part.header, part.section, part.text)
        return self.scene_item(part.view, part.item)

    def _part(
        self, key: Hashable, kind: type[Part], data: Any, owners: tuple[str, ...], native_class: str
    ) -> str:
        part = self._parts.get(key)
        if part is None:
            part = KnownPart(self._next(), kind, key, data, owners, native_class)
            self._parts[key] = part
            self._by_uid[part.uid] = part
        return part.uid

    def _drop(self, part: KnownPart) -> None:
        self._parts.pop(part.key, None)
        self._scene_items.pop(part.key, None)
        if self._by_uid.pop(part.uid, None) is not None:
            self._bury(part.uid, part.native_class, part.label)

    def _drop_oldest_line(self) -> None:
        oldest = next(iter(self._lines))
        self._drop_line(oldest, self._lines[oldest])

    def _drop_line(self, key: Hashable, line: Line) -> None:
        self._lines.pop(key, None)
        self._empty(line)

    def _empty(self, line: Line) -> None:
        for part in line.parts.values():
            self._drop(part)
        self._cells -= len(line.parts)
        line.parts.clear()

    def _current(self, part: KnownPart) -> Part | None:
        """The part as it is now; None if it is gone."""
        owners = [self._alive(owner) for owner in part.owners]
        if any(owner is None for owner in owners):
            return None
        owner = owners[0]
        if part.kind is Item:
            return self._current_item(owner, *part.data)
        if part.kind is Tab:
            uids = self.tabs(owner)
            return Tab(owner, uids.index(part.uid)) if part.uid in uids else None
        if part.kind is MenuEntry:
            there = any(action is owners[1] for action in self._binding.bare(owner).actions())
            return MenuEntry(owner, owners[1]) if there else None
        if part.kind is Header:
            section, text = part.data
            same = header_text(self._binding, owner, section) == text
            return Header(owner, section, text) if same else None
        scene = self._binding.bare(owner).scene()
        items = scene.items() if scene is not None else ()
        found = next((item for item in items if self._binding.bare(item).data(_MARK) == part.data), None)
        return SceneItem(owner, found) if found is not None else None

    def _current_item(self, view: Any, line: Line, column: int) -> Item | None:
        index = line.index
        if not index.isValid() or self.columns(index.model(), index.parent()) != line.columns:
            return None
        if column > 0:
            index = self._persistent(index.sibling(index.row(), column))
        return Item(view, index, column < 0)

    def _pages(self, bar: Any) -> Any:
        """The tab widget that a bar belongs to."""
        above = self._binding.QObject.parent(bar)
        tab_widget = self._binding.QtWidgets.QTabWidget
        return above if isinstance(above, tab_widget) and tab_widget.tabBar(above) is bar else None

    def _follow(self, owner: str, texts: list[str]) -> list[int]:
        before, marks = self._tabs.get(owner, ([], []))
        if texts != before:
            # As many as before, but other texts: tabs were renamed.
            if len(texts) != len(before) or sorted(texts) == sorted(before):
                marks = self._align(before, marks, texts)
            self._tabs[owner] = (texts, marks)
        return marks

    def _align(self, before: list[str], marks: list[int], texts: list[str]) -> list[int]:
        left = list(zip(before, marks, strict=True))
        aligned = []
        for text in texts:
            at = next((at for at, (known, _) in enumerate(left) if known == text), None)
            if at is None:
                self._last += 1
                aligned.append(self._last)
            else:
                aligned.append(left.pop(at)[1])
        return aligned


def header_text(binding: Binding, header: Any, section: int) -> str | None:
    """What a header section shows; None if there is no such section."""
    header = binding.bare(header)
    model = header.model()
    if model is None or not 0 <= section < header.count():
        return None
    text = binding.ask(
        model, "headerData", section, header.orientation(), binding.Qt.ItemDataRole.DisplayRole
    )
    return "" if text is None else str(text)
