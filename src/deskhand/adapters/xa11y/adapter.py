"""The desktop, or one program of it, through xa11y, as the engine sees an adapter.

xa11y drives the desktop of its own process, with one connection for its whole life.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, cast

from ...model.errors import (
    AccessibilityUnavailable,
    AppGone,
    MissingProgram,
    ScreenshotFailed,
    Stale,
    UiBusy,
)
from ...model.node import AppInfo, Image, Node, Window
from ...model.operations import Action
from ...model.tree import Cut, Tree
from ..external import Outer
from ..placement import GTK_HOLD, Belief, Placement
from . import build
from .act import Performer, translated
from .build import Around
from .worker import Deadline, Worker

if TYPE_CHECKING:
    import xa11y

_ENDS = 0.2
"""How long a thread may take to end that asks a program, in seconds."""
_REMEMBERED = 100_000
_CUT_AT = 20
_GONE = 1000


@dataclass(eq=False)
class SeenElement:
    """An element that was seen, and what it was seen as last."""

    uid: str
    program: Program
    element: xa11y.Element
    parent: SeenElement | None
    around: Around
    node: Node

    @property
    def window(self) -> SeenElement:
        at = self
        while at.parent is not None:
            at = at.parent
        return at


@dataclass(eq=False)
class Program:
    """A program, the thread that asks it, and its elements by uid."""

    app: xa11y.App
    name: str
    pid: int
    worker: Worker
    entries: dict[str, SeenElement] = field(default_factory=dict)
    uids: dict[tuple[object, ...], str] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)
    """What elements were that are gone, by uid."""


@dataclass(frozen=True)
class Look:
    """How to look."""

    depth: int | None
    details: bool
    internals: bool
    deadline: Deadline
    cold: bool = False
    """Whether what is known of elements is neither used nor replaced."""


@dataclass
class Reading:
    """What a read of one program gave."""

    seen: dict[str, SeenElement] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    focused: str | None = None
    sure: bool = False
    """Whether what says that it has the focus cannot be only the current item of a view."""
    closed: list[str] = field(default_factory=list)
    """The uids of hidden elements that were not looked into."""


class Xa11yAdapter(Outer):
    """Every program of the desktop that this process is on, or only those of a name or process id."""

    name = "xa11y"

    def __init__(self, *, app: str | None = None, pid: int | None = None, timeout: float = 5.0) -> None:
        self._app, self._pid = app, pid
        self._library = library()
        self._programs: dict[tuple[int, str], Program] = {}
        self._registry = Worker("the accessibility registry")
        self._performer = Performer(self._library, self.fresh)
        self._listing: Future[list[tuple[xa11y.App, str, int]]] | None = None
        self._count = 0
        self._lock = threading.Lock()
        self._placement = Placement(whose=self._is_wanted)
        self._look(Deadline(timeout))

    # -- what the engine calls -----------------------------------------------------------------

    def info(self) -> AppInfo:
        title: str | None = "desktop"
        pid = os.getpid()
        if self._app is not None or self._pid is not None:
            program = next(iter(self._programs.values()), None)
            pid = program.pid if program is not None else self._pid or 0
            windows = (
                []
                if program is None
                else [entry for entry in program.entries.values() if entry.parent is None]
            )
            title = windows[0].node.name if windows else program.name if program is not None else self._app
        return AppInfo("xa11y", version("xa11y"), pid, title, toolkit=self.name)

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        deadline = Deadline(timeout)
        if root is not None:
            return self._read_below(root, Look(depth, details, True, deadline))
        return self._read_all(Look(depth, details, internals, deadline))

    def read_cold(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        """The same read with nothing taken from earlier ones: a part of all windows, as they are now."""
        deadline = Deadline(timeout)
        if root is None:
            return self._read_all(Look(depth, details, internals, deadline, cold=True))
        whole = self._read_all(Look(None, details, True, deadline, cold=True))
        if whole.get(root) is None:
            # Fallback: what is inside of something hidden is in no read of everything.
            return self._read_below(root, Look(depth, details, True, deadline))
        part = whole.part(root, depth)
        windows = () if depth == 0 else tuple(window for window in part.windows if window.uid == root)
        closed = () if whole.cut is None else whole.cut.at
        cut = _cut([], [uid for uid in closed if part.get(uid) is not None])
        return Tree(part.nodes, windows, focused=part.focused, cut=cut)

    def _read_all(self, look: Look) -> Tree:
        deadline = look.deadline
        programs = self._look(deadline)
        readings = [
            (program, program.worker.begin(partial(self._read_program, program, look)))
            for program in programs
        ]
        nodes: list[Node] = []
        windows: list[Window] = []
        closed: list[str] = []
        missing: list[str] = []
        focused = None
        for program, future in readings:
            try:
                reading = program.worker.finish(future, deadline)
            except AppGone:
                continue
            except (UiBusy, AccessibilityUnavailable) as error:
                if self._pid is not None or self._app is not None:
                    raise
                missing.append(f"'{program.name}' (pid {program.pid}): {error.message}")
                continue
            nodes += reading.nodes
            windows += reading.windows
            closed += reading.closed
            focused = focused or reading.focused
        if missing and not nodes:
            raise UiBusy(f"no program answered in time: {'; '.join(missing)}")
        if not programs and (self._pid is not None or self._app is not None):
            raise AppGone(
                f"{self._app or f'the program with pid {self._pid}'} is not on the desktop any more"
            )
        return Tree(nodes, tuple(windows), focused=focused, cut=_cut(missing, closed))

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        deadline = Deadline(timeout)
        entry = None if uid is None else self._entry(uid, deadline)
        other = None if to is None else self._entry(to, deadline)
        worker = self._registry if entry is None else entry.program.worker
        try:
            return worker.run(lambda: self._performer.perform(action, entry, other, deadline), deadline)
        finally:
            # It does not say which toolkit a program is made with, so any may be GTK.
            self._placement.acted(action, GTK_HOLD)

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        deadline = Deadline(timeout)
        entry = None if uid is None else self._entry(uid, deadline)
        if entry is None and (self._app is not None or self._pid is not None):
            windows = self.read(depth=0, timeout=timeout).windows
            entry = self._entry(windows[0].uid, deadline) if windows else None
        bounds = None if entry is None else entry.node.bounds
        if entry is not None and bounds is None:
            raise ScreenshotFailed(f"{entry.node} has no place on the screen", target=f"uid={uid}")
        region = None if bounds is None else tuple(round(number) for number in bounds)
        return self._take(cast("tuple[int, int, int, int] | None", region), deadline)

    def desktop(self, *, timeout: float) -> Image:
        return self._take(None, Deadline(timeout))

    def _take(self, region: tuple[int, int, int, int] | None, deadline: Deadline) -> Image:
        def take() -> Image:
            with translated("take a screenshot"):
                shot = self._library.screenshot(region=region)
                return Image(shot.to_png(), shot.width, shot.height, shot.scale)

        return self._registry.run(take, deadline)

    def idle(self, *, timeout: float) -> None:
        self._placement.connect(os.environ)
        self._placement.wait(self._rest, timeout)

    def _rest(self, timeout: float) -> Belief:
        """What was found; nothing that all toolkits do would say that there is no more to come."""
        return Belief(also=[node.fields for node in self.read(timeout=max(timeout, 0.05))])

    def _is_wanted(self, pid: int) -> bool:
        return self._app is None and self._pid in (None, pid)

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        subscriptions: list[Future[xa11y.Subscription]] = []
        for program in list(self._programs.values()):
            future = program.worker.begin(program.app.as_element().subscribe)
            future.add_done_callback(lambda future: _listen(future, changed))
            subscriptions.append(future)

        def stop() -> None:
            for future in subscriptions:
                if not future.cancel():
                    future.add_done_callback(_end)  # at once, or when a subscription under way is made

        return stop

    def close(self) -> None:
        for worker in [self._registry, *(program.worker for program in self._programs.values())]:
            worker.close(_ENDS)
        self._programs.clear()
        self._placement.close()

    # -- programs ------------------------------------------------------------------------------

    def programs(self, timeout: float) -> list[tuple[int, str]]:
        """The process ids and names of the programs that there are."""
        return [(program.pid, program.name) for program in self._look(Deadline(timeout))]

    def choose(self, pid: int) -> None:
        """Be about one program only, from now on."""
        self._pid = pid

    def _look(self, deadline: Deadline) -> list[Program]:
        """The programs that are wanted, as they are now."""

        def ask() -> list[tuple[xa11y.App, str, int]]:
            with translated("list the programs"):
                if self._pid is not None:
                    # Where the platform can, this goes to the process itself and to no other.
                    with suppress(self._library.SelectorNotMatchedError):
                        app = self._library.App.by_pid(self._pid, timeout=0)
                        return [(app, app.name, self._pid)]
                    return []
                return [(app, app.name, app.pid or 0) for app in self._library.App.list()]

        if self._listing is None or self._listing.done():
            self._listing = self._registry.begin(ask)
        known_ones = list(self._programs.values())
        try:
            share = Deadline(deadline.remaining / 3) if known_ones else deadline
            found = self._registry.finish(self._listing, share)
        except UiBusy:
            # Fallback: xa11y asks every program for its name; while one hangs, those known before are read.
            if known_ones:
                return known_ones
            raise
        with self._lock:
            programs: dict[tuple[int, str], Program] = {}
            for app, name, pid in found:
                if pid == os.getpid() or not self._wanted(name):
                    continue
                key = (pid, _identity(app.as_element()))
                known = self._programs.get(key)
                programs[key] = known or Program(
                    app, name, pid, Worker(name or f"the program with pid {pid}")
                )
            for key, program in self._programs.items():
                if key not in programs:
                    program.worker.close(_ENDS)
            self._programs = programs
            return list(programs.values())

    def _wanted(self, name: str) -> bool:
        return self._app is None or self._app.casefold() in name.casefold()

    # -- reading, in the program's worker --------------------------------------------------------

    def _read_program(self, program: Program, look: Look) -> Reading:
        reading = Reading()
        with translated(f"read {program.name}"):
            windows = _tops(program)
        for place, element in enumerate(windows):
            self._walk(program, element, place, None, Around(), look, reading)
        if look.cold:
            return reading
        seen = reading.seen
        for uid, entry in program.entries.items():
            if uid not in seen:
                if _hidden(entry, seen) or (look.depth is not None and entry.window.uid in seen):
                    seen[uid] = entry  # not looked at this time
                else:
                    program.gone[uid] = str(entry.node)
        program.entries = seen
        while len(program.gone) > _GONE:
            del program.gone[next(iter(program.gone))]
        return reading

    def _walk(
        self,
        program: Program,
        top: xa11y.Element,
        place: int,
        above: SeenElement | None,
        around: Around,
        look: Look,
        reading: Reading,
    ) -> None:
        """Read an element and what is below it, in document order."""
        rows: list[tuple[SeenElement, dict[str, Any], list[dict[str, Any]]]] = []
        stack: list[tuple[xa11y.Element, int, SeenElement | None, Around, int, list[dict[str, Any]] | None]]
        stack = [(top, place, above, around, 0, None)]
        while stack:
            element, place, parent, around, level, siblings = stack.pop()
            uid = self._uid(program, element, parent, place)
            fields = build.fields_of(element, uid, around)
            if look.details:
                fields["properties"] = build.properties(element)
            entry = SeenElement(uid, program, element, parent, around, Node.of(fields))
            choices: list[dict[str, Any]] = []
            beyond = look.depth is not None and level > look.depth
            if not beyond:
                reading.seen[uid] = entry
                rows.append((entry, fields, choices))
            if parent is not None and fields["role"] == "text":
                build.entitle(parent.node.fields, fields)
            if siblings is not None and fields["role"] in build.CHOICES:
                siblings.append(fields)
            if not build.worth_entering(fields, around):
                if build.hides(fields) and not beyond:
                    reading.closed.append(uid)
                continue
            asked = look.depth is None or level < look.depth or build.says_of_it(fields, around, beyond)
            if beyond and not asked:
                continue
            look.deadline.check(f"reading {program.name}, at {entry.node},")
            with translated(f"read {program.name}"):
                children = element.children()
            fields["child_count"] = len(children)
            if not asked:
                continue
            below = build.beneath(around, fields)
            collects = choices
            if siblings is not None and build.passes_on(fields["role"], around):
                collects = siblings
            inner = [
                (child, number, entry, build.labelled(below, child, children), level + 1, collects)
                for number, child in enumerate(children)
            ]
            stack.extend(reversed(inner))
        for entry, fields, choices in rows:
            if fields.get("internal") and not look.internals:
                continue
            build.add_options(fields, choices)
            fields.pop("label", None)
            reading.nodes.append(entry.node)
            if entry.parent is None:
                reading.windows.append(build.window_of(entry.element, entry.node, program.name, program.pid))
            if fields.get("focused") and fields.get("visible", True):
                sure = entry.around.keyboard or not build.is_current(entry.element, fields["role"])
                if sure or not reading.sure:
                    reading.focused, reading.sure = entry.uid, sure

    def _uid(self, program: Program, element: xa11y.Element, parent: SeenElement | None, place: int) -> str:
        """The uid of an element, the same as long as it lives where the platform tells one from another."""
        raw = element.raw
        key: tuple[object, ...]
        if path := raw.get("object_path"):
            key = (raw.get("bus_name"), path)
        else:
            # Only Linux names the objects: elsewhere it is what stands at its place, by name.
            above = None if parent is None else parent.uid
            key = (above, element.role, element.stable_id or element.name or place)
        with self._lock:
            uid = program.uids.get(key)
            if uid is None:
                self._count += 1
                uid = program.uids[key] = f"x{self._count}"
                if len(program.uids) > _REMEMBERED:
                    program.uids.pop(next(iter(program.uids)))
            return uid

    # -- one element -----------------------------------------------------------------------------

    def _entry(self, uid: str, deadline: Deadline) -> SeenElement:
        found = self._find(uid)
        if found is None:
            self.read(timeout=deadline.remaining)
            found = self._find(uid)
        if found is None:
            known = [program.gone[uid] for program in self._programs.values() if uid in program.gone]
            what = f"{known[0]} ({uid})" if known else f"the element {uid}"
            raise Stale(f"{what} is gone", target=f"uid={uid}")
        return found

    def _find(self, uid: str) -> SeenElement | None:
        for program in list(self._programs.values()):
            if (entry := program.entries.get(uid)) is not None:
                return entry
        return None

    def fresh(self, entry: SeenElement, deadline: Deadline) -> SeenElement:
        """The same element as it is now. In the program's worker; Stale if it is gone."""
        look = Look(0, False, True, deadline)
        return self._read_one(entry, look).seen[entry.uid]

    def _read_one(self, entry: SeenElement, look: Look) -> Reading:
        """What is at and below an element now, with what holds for it because of those around it."""
        element, place, above, around = self._found(entry, look.deadline)
        reading = Reading()
        self._walk(entry.program, element, place, above, around, look, reading)
        entry.program.entries.update(reading.seen)
        return reading

    def _found(
        self, entry: SeenElement, deadline: Deadline
    ) -> tuple[xa11y.Element, int, SeenElement | None, Around]:
        """The element itself, its place among its siblings, and what it is in, all as they are now."""
        above: SeenElement | None = None
        inside = Around()
        if entry.parent is not None:
            element, _, higher, around = self._found(entry.parent, deadline)
            fields = build.fields_of(element, entry.parent.uid, around)
            above = SeenElement(entry.parent.uid, entry.program, element, higher, around, Node.of(fields))
            inside = build.beneath(around, fields)
        deadline.check(f"reading {entry.node} again")
        with translated(f"read {entry.program.name}"):
            siblings = above.element.children() if above is not None else _tops(entry.program, hidden=True)
        for place, element in enumerate(siblings):
            if self._uid(entry.program, element, above, place) == entry.uid:
                around = inside if above is None else build.labelled(inside, element, siblings)
                return element, place, above, around
        raise Stale(f"{entry.node} ({entry.uid}) is gone", target=f"uid={entry.uid}")

    def _read_below(self, uid: str, look: Look) -> Tree:
        entry = self._entry(uid, look.deadline)
        found = entry.program.worker.run(lambda: self._read_one(entry, look), look.deadline)
        windows = () if look.depth == 0 else tuple(found.windows)
        return Tree(found.nodes, windows, focused=found.focused, cut=_cut([], found.closed))


def library() -> Any:
    """The library itself, or what to do to have it."""
    try:
        return import_module("xa11y")
    except ImportError as error:
        raise MissingProgram(
            f"the library xa11y cannot be loaded: {error}",
            missing="xa11y",
            package="deskhand[xa11y]",
            suggestions=("pip install 'deskhand[xa11y]'",),
        ) from error


def _listen(future: Future[xa11y.Subscription], changed: Callable[[], None]) -> None:
    """Tell of every event until the subscription is closed, in a thread of its own."""
    if future.cancelled() or future.exception() is not None:
        return  # the engine looks from time to time all the same
    subscription = future.result()

    def listen() -> None:
        with suppress(Exception):  # it is closed, or the program is gone: no more events either way
            for _ in subscription:
                changed()

    threading.Thread(target=listen, name="xa11y-events", daemon=True).start()


def _end(future: Future[xa11y.Subscription]) -> None:
    """Close a subscription, if it was made."""
    if future.exception() is None:
        future.result().close()


def _tops(program: Program, *, hidden: bool = False) -> list[xa11y.Element]:
    """What is at the top of a program, the main window first; what is hidden, such as a menu, comes last."""
    every = program.app.as_element().children()
    windows = [top for top in every if top.role in build.WINDOWS]
    # The first is the main one, which the menu bar of macOS is not.
    others = [top for top in every if top.role not in build.WINDOWS]
    unseen = [top for top in others if not top.visible] if hidden else []
    return windows + [top for top in others if top.visible] + unseen


def _identity(element: xa11y.Element) -> str:
    return str(element.raw.get("bus_name") or element.name or "")


def _hidden(entry: SeenElement, seen: dict[str, SeenElement]) -> bool:
    """Whether an element was not looked at because something above it is hidden now."""
    at = entry.parent
    while at is not None:
        if (above := seen.get(at.uid)) is not None:
            return not above.node.visible
        at = at.parent
    return False


def _cut(missing: list[str], closed: list[str]) -> Cut | None:
    if missing:
        return Cut(len(missing), f"programs that are missing: {'; '.join(missing)}")
    if closed:
        return Cut(
            len(closed),
            "hidden elements are not looked into, which xa11y is slow at",
            tuple(closed[:_CUT_AT]),
        )
    return None
