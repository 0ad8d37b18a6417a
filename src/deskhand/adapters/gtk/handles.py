"""Which uid belongs to what. A widget is never kept alive by having one."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ...model.errors import Stale
from ...model.record import dataclass
from ...model.tree import Tree
from .kinds import Kind, kind_of
from .library import THREE, Gtk, address

_REMEMBERED = 2000
"""Of how many elements that are gone it is known what they were."""


class Known:
    """A widget that was read, or an item of a list that GTK 4 shows."""

    __slots__ = ("automation_id", "built", "cls", "key", "kind", "ref", "rows", "style", "uid")

    def __init__(self, uid: str, thing: Any, key: int) -> None:
        self.uid = uid
        self.key = key
        self.kind: Kind
        self.cls = ""
        """What GTK calls its class, where a program derived its own from that."""
        self.style: str | None = None
        """The class that the program derived in Python."""
        self.built: str | None = None
        """What the file calls it that it was built of."""
        self.automation_id: str | None = None
        """What `set_id` named it."""
        self.ref: Any = None
        """Gives the object as long as it exists."""
        self.rows: Any = None
        """Which rows a tree view of GTK 3 showed: see `views`."""


@dataclass(frozen=True)
class Handle:
    """A widget, or a part of one that is not a widget: a tab, a row, a cell."""

    known: Known
    widget: Any
    part: str = ""
    """The kind of part, empty for the widget itself."""
    key: str = ""

    @property
    def uid(self) -> str:
        return f"{self.known.uid}:{self.part}:{self.key}" if self.part else self.known.uid


class Registry:
    """Which uid belongs to what. Belongs to the GUI thread."""

    def __init__(self) -> None:
        self._by_key: dict[int, Known] = {}
        self._by_uid: dict[str, Known] = {}
        self._count = 0
        self.last: Tree | None = None
        """All windows as they were read last, for what elements were called that are gone."""
        self._gone: OrderedDict[str, str] = OrderedDict()

    def know(self, widget: Any) -> Known:
        """What is known of a widget."""
        found = self._by_key.get(address(widget))
        if found is None:
            found = self._learn(widget)
            found.kind, found.cls, found.style = kind_of(widget)
            built = Gtk.Buildable.get_name(widget) if THREE else widget.get_buildable_id()
            # What has no id in the file gets one that its next version will not have, and what GTK builds of
            # a file of its own is called by its class.
            found.built = built if built and not built.startswith(("___object_", "Gtk")) else None
        return found

    def item(self, item: Any) -> Known:
        """What is known of an item of a list, which is an object of GTK 4 but no widget."""
        return self._by_key.get(address(item)) or self._learn(item)

    def _learn(self, thing: Any) -> Known:
        self._count += 1
        key = address(thing)
        known = self._by_key[key] = Known(f"g{self._count}", thing, key)
        self._by_uid[known.uid] = known
        known.ref = thing.weak_ref(lambda: self._forget(known))
        return known

    def name(self, widget: Any, automation_id: str) -> None:
        """Give a widget an automation id."""
        self.know(widget).automation_id = automation_id

    def handle(self, uid: str) -> Handle:
        """What has a uid; Stale if it is gone."""
        owner, _, rest = uid.partition(":")
        known = self._by_uid.get(owner)
        widget = None if known is None else known.ref()
        if known is None or widget is None:
            raise self.stale(uid)
        part, _, key = rest.partition(":")
        return Handle(known, widget, part, key)

    def by_uid(self, uid: str) -> Any:
        """The object with a uid of its own; None if it is gone."""
        known = self._by_uid.get(uid)
        return None if known is None else known.ref()

    def stale(self, uid: str) -> Stale:
        node = None if self.last is None else self.last.get(uid)
        what = self._gone.get(uid) or (str(node) if node is not None else "")
        return Stale(f"{what}{' ' if what else ''}(uid {uid}) is gone", target=f"uid={uid}")

    def clear(self) -> None:
        self._by_key.clear()
        self._by_uid.clear()

    def _forget(self, known: Known) -> None:
        if self._by_key.get(known.key) is known:
            del self._by_key[known.key]
        self._by_uid.pop(known.uid, None)
        node = None if self.last is None else self.last.get(known.uid)
        if node is not None:
            self._gone[known.uid] = str(node)
            while len(self._gone) > _REMEMBERED:
                self._gone.popitem(last=False)
