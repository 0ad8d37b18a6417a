"""The Tcl interpreters of a program, one for each `tkinter.Tk`, and what has a uid in them."""

from __future__ import annotations

import gc
import tkinter
import zlib
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...model.errors import Stale
from ...model.record import dataclass
from ...model.tree import Tree

_WALK = Path(__file__).with_name("walk.tcl")
_REMEMBERED = 2000
"""Of how many elements that are gone it is known what they were."""


class Known:
    """A widget that was read."""

    __slots__ = ("automation_id", "cls", "custom", "kind", "path", "root", "style", "uid", "widget")

    def __init__(self, root: Root, uid: str, path: str, cls: str, kind: str) -> None:
        self.root = root
        self.uid = uid
        self.path = path
        self.cls = cls
        """The class that Tk has for it."""
        self.kind = kind
        """Which widget it is, whatever its class is called: see walk.tcl."""
        self.widget: Any = None
        """The object of Python; None for a widget made in Tcl."""
        self.style: str | None = None
        """The name of its Python class, unless that is one of tkinter's own."""
        self.custom: str | None = None
        """Its class in CustomTkinter: see `custom`."""
        self.automation_id: str | None = None
        """Its name, where the program chose one."""


@dataclass(frozen=True)
class Handle:
    """A widget, or a part of one that is not a widget: a tab, a row, an entry of a menu."""

    known: Known
    part: str = ""
    """The kind of part, empty for the widget itself."""
    key: str = ""

    @property
    def uid(self) -> str:
        return f"{self.known.uid}:{self.part}:{self.key}" if self.part else self.known.uid

    @property
    def path(self) -> str:
        return self.known.path

    def call(self, *words: object) -> Any:
        """A command of the widget."""
        return self.known.root.call(self.known.path, *words)


class Root:
    """One Tcl interpreter with Tk in it."""

    def __init__(self, tk: tkinter.Tk, number: int) -> None:
        self.tk = tk
        self.app: Any = tk.tk
        self.call: Callable[..., Any] = self.app.call
        self.split: Callable[[Any], tuple[Any, ...]] = self.app.splitlist
        self.app.eval(_WALK.read_text(encoding="utf-8"))
        self.call("set", "::deskhand::prefix", "t" if number == 0 else f"t{number}.")

    @property
    def alive(self) -> bool:
        """Whether its main window is there: without it, no command of Tk is."""
        try:
            return bool(self.app.getboolean(self.call("winfo", "exists", ".")))
        except (tkinter.TclError, RuntimeError):
            return False

    def words(self, value: Any) -> tuple[str, ...]:
        """A Tcl list as texts."""
        return tuple(str(one) for one in self.split(value))

    def close(self) -> None:
        with suppress(tkinter.TclError, RuntimeError):
            self.call("::deskhand::close")


class Registry:
    """Which uid belongs to what. Belongs to the GUI thread."""

    def __init__(self) -> None:
        self.roots: list[Root] = []
        self.by_uid: dict[str, Known] = {}
        self._ids: dict[tuple[int, str], str] = {}
        """The automation ids that a program gave, by interpreter and path."""
        self.last: Tree | None = None
        """All windows as they were read last, for what elements were called that are gone."""
        self._gone: OrderedDict[str, str] = OrderedDict()
        self._count = 0
        self.renamed = 0
        """How often an automation id was given."""
        self.has_custom = False
        """Whether controls of CustomTkinter were met, which say in Python what they are."""

    def add(self, tk: tkinter.Tk) -> Root | None:
        """Read a further interpreter too; None if it was known already."""
        if any(root.tk is tk for root in self.roots):
            return None
        root = Root(tk, self._count)
        self._count += 1
        self.roots.append(root)
        return root

    def alive(self) -> list[Root]:
        """The interpreters whose windows exist; those that ended are forgotten."""
        ended = [root for root in self.roots if not root.alive]
        for root in ended:
            self.roots.remove(root)
            for uid in [uid for uid, known in self.by_uid.items() if known.root is root]:
                self.forget(uid)
        return self.roots

    def learn(self, root: Root, uid: str, path: str, cls: str, kind: str) -> Known:
        known = self.by_uid[uid] = Known(root, uid, path, cls, kind)
        with suppress(KeyError):
            known.widget = root.tk.nametowidget(path)
        if known.widget is not None:
            of = type(known.widget)
            if not of.__module__.startswith("tkinter"):
                known.style = of.__name__
        known.automation_id = self._ids.get((id(known.widget), path)) or _given_name(path, root)
        return known

    def name(self, widget: tkinter.Misc, automation_id: str) -> None:
        """Give a widget an automation id, whether it was read before or not."""
        self._ids[id(widget), str(widget)] = automation_id
        self.renamed += 1
        for known in self.by_uid.values():
            if known.widget is widget:
                known.automation_id = automation_id

    def forget(self, uid: str) -> None:
        known = self.by_uid.pop(uid, None)
        if known is None:
            return
        self._ids.pop((id(known.widget), known.path), None)
        for node in self.last or ():
            if node.uid == uid or node.uid.startswith(f"{uid}:"):
                self._gone[node.uid] = str(node)
        while len(self._gone) > _REMEMBERED:
            self._gone.popitem(last=False)

    def handle(self, uid: str) -> Handle:
        """What has a uid; Stale if it is gone."""
        owner, _, rest = uid.partition(":")
        known = self.by_uid.get(owner)
        if known is None or not self._exists(known):
            raise self.stale(uid)
        part, _, key = rest.partition(":")
        return Handle(known, part, key)

    def at(self, root: Root, path: str) -> Known | None:
        """The widget at a path, if it was read."""
        try:
            uid = str(root.call("::deskhand::uid_of", path))
        except tkinter.TclError:
            return None
        return self.by_uid.get(uid)

    def stale(self, uid: str) -> Stale:
        node = None if self.last is None else self.last.get(uid)
        what = self._gone.get(uid) or (str(node) if node is not None else "")
        return Stale(f"{what}{' ' if what else ''}(uid {uid}) is gone", target=f"uid={uid}")

    def clear(self) -> None:
        for root in self.roots:
            root.close()
        self.roots.clear()
        self.by_uid.clear()

    def _exists(self, known: Known) -> bool:
        try:
            return str(known.root.call("::deskhand::uid_of", known.path)) == known.uid
        except (tkinter.TclError, RuntimeError):
            return False


def all_roots() -> list[tkinter.Tk]:
    """Every interpreter with Tk in it that this process has, whichever way its program keeps it."""
    found = [one for one in gc.get_objects() if issubclass(type(one), tkinter.Tk)]
    return [one for one in found if getattr(one, "_tkloaded", False)]


def mark(*what: object) -> str:
    """A short sign of what a part shows: a part of the same number that shows something else is another."""
    return f"{zlib.crc32(repr(what).encode()):08x}"


def _given_name(path: str, root: Root) -> str | None:
    """The name that the program chose for a widget; those that tkinter makes up begin with `!`."""
    name = path.rpartition(".")[2]
    if path == ".":
        # Other programs of the same name get a number.
        name = str(root.call("winfo", "name", ".")).partition(" #")[0]
        return None if name == "tk" else name
    return None if name.startswith(("!", "#")) else name
