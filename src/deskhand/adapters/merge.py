"""A desktop of several sources as one tree: each program from the source that tells most about it.

The desktop as a whole is one adapter. Programs that have an engine of ours inside are asked themselves, side
by side. Their uids get the process id behind them, so that each leads back to its source. One that hangs or
ends costs its own part: it is named in the tree's `cut`, and the rest is returned.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from dataclasses import replace
from typing import Protocol, TypeVar

from .. import background
from ..model import operations as ops
from ..model.adapter import Abilities, Adapter, abilities
from ..model.deadline import carried
from ..model.errors import ActionUnsupported, AppGone, ConnectFailed, DeskhandError, Stale, UiBusy, WrongRead
from ..model.node import AppInfo, AppState, Image, Node, Window
from ..model.operations import Action, Operation, Runner
from ..model.record import dataclass
from ..model.selector import by_uid
from ..model.tree import Cut, Tree, all_cuts
from ..model.verified import verified
from .scope import descendants

T = TypeVar("T")

MARK = "@"
"""Between a uid as its source has it and the process id of the source."""
_SUSPECT = 0.25
"""How long a program is waited for that did not answer the last time, in seconds."""


@dataclass(frozen=True, eq=False)
class Part:
    """A program with an engine of ours inside."""

    name: str
    pid: int
    runner: Runner


class Whole(Adapter, Protocol):
    """The desktop, which leaves out the programs that another part reads."""

    without: frozenset[int]


class JoinedAdapter:
    """A desktop, and programs on it that are asked themselves. Implements model.adapter.Adapter."""

    name = "desktop"

    def __init__(self, whole: Whole, parts: Callable[[], Iterable[Part]]) -> None:
        """`parts` says at every read which programs there are; it owns their runners."""
        self._whole = verified(whole)
        self._without = whole.without
        self._parts = parts
        self._suspects: set[Part] = set()
        self._unreachable: set[Part] = set()

    # -- what the engine calls -----------------------------------------------------------------

    def info(self) -> AppInfo:
        return self._whole.info()

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        source, own = self._source(root)
        wanted = ops.ReadTree(
            None if own is None else by_uid(own), depth=depth, details=details, internals=internals
        )
        if source is not None:
            return self._ask(source, wanted, timeout)
        if root is not None:
            return self._whole.read(root, depth=depth, details=details, internals=internals, timeout=timeout)
        while True:
            parts = self._current()
            self._leave_out(parts)
            asked = [(part, self._begin(part, wanted)) for part in parts]
            tree = self._whole.read(depth=depth, details=details, internals=internals, timeout=timeout)
            if not asked:
                return tree
            trees, missing = self._collect(asked, timeout)
            if not self._unreachable & set(parts):
                return join([tree, *trees], missing)
            # Fallback: what does not let us in is read like any other program.

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        if uid is None and isinstance(action, ops.ControlWindow):
            uid = self._active(timeout)
        source, own = self._source(uid)
        other, own_to = self._source(to)
        if to is not None and other is not source:
            raise ActionUnsupported(
                "a drag from one program into another is not possible where one of them is driven from inside"
            )
        if source is None:
            return self._whole.perform(action, uid, to, timeout=timeout)
        there: Action = replace(action, target=by_uid(own or ""), timeout=0.0, receipt=False)
        if isinstance(there, ops.Click):
            there = replace(there, strict=False)  # it was found ready, and its window is in front
        if isinstance(there, ops.Drag) and own_to is not None:
            there = replace(there, to=by_uid(own_to))
        done = self._run(source, there, carried(timeout))
        assert isinstance(done, ops.Done)
        return {"selected": done.selected, "detail": done.detail or "inside the program"}

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        source, own = self._source(uid)
        if source is None or own is None:
            return self._whole.screenshot(uid, timeout=timeout)
        return self._run(source, ops.Screenshot(by_uid(own), timeout=0.0), carried(timeout))

    @property
    def abilities(self) -> Abilities:
        """The clipboard of the desktop; what else the whole can do leaves out the parts."""
        return Abilities(clipboard=abilities(self._whole).clipboard)

    def desktop(self, *, timeout: float) -> Image:
        return self._whole.desktop(timeout=timeout)

    def idle(self, *, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        asked = [(part, self._begin(part, ops.WaitIdle(timeout=timeout))) for part in self._current()]
        self._whole.idle(timeout=timeout)
        for part, (answer, cancel) in asked:
            try:
                answer.result(carried(max(0.0, deadline - time.monotonic())))
            except TooLate:
                cancel.set()
                raise UiBusy(f"'{part.name}' (pid {part.pid}) did not answer in time") from None
            except (AppGone, ConnectFailed):
                continue

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        # Fallback: parts announce nothing over their connections; a wait for them reads now and then.
        return self._whole.subscribe(changed)

    def state(self, *, timeout: float) -> AppState:
        windows = self.read(depth=0, timeout=timeout).windows
        modal = next((window.title for window in windows if window.modal and window.showing), None)
        return AppState(foreground=any(window.focused for window in windows), modal_dialog=modal)

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        return self._whole.call(function, timeout=timeout)

    def set_id(self, widget: object, automation_id: str) -> None:
        self._whole.set_id(widget, automation_id)

    def close(self) -> None:
        self._whole.close()

    # -- within --------------------------------------------------------------------------------

    def _current(self) -> list[Part]:
        parts = list(self._parts())
        self._suspects &= set(parts)
        self._unreachable &= set(parts)
        return [part for part in parts if part not in self._unreachable]

    def _leave_out(self, parts: list[Part]) -> None:
        """Let the desktop leave out what the parts read: their own windows, and of all that they started."""
        theirs = {pid for part in parts for pid in (part.pid, *descendants(part.pid))}
        self._whole.without = self._without | theirs

    def _source(self, uid: str | None) -> tuple[Part | None, str | None]:
        """Who knows a uid, and how it is called there; None for the desktop itself."""
        if uid is None or MARK not in uid:
            return None, uid
        own, _, pid = uid.rpartition(MARK)
        part = next((part for part in self._parts() if str(part.pid) == pid), None)
        if part is None:
            raise Stale(f"the element {uid} is gone: process {pid} is no longer here", target=f"uid={uid}")
        return part, own

    def _active(self, timeout: float) -> str | None:
        windows = self.read(depth=0, timeout=timeout).windows
        return next((window.uid for window in windows if window.focused), None)

    def _begin(self, part: Part, operation: Operation[T]) -> tuple[Future[T], threading.Event]:
        """Ask in a thread of its own: a program that hangs does not delay the others."""
        cancel = threading.Event()
        return background.begin(lambda: part.runner.run(operation, cancel), "deskhand-joined"), cancel

    def _collect(
        self, asked: list[tuple[Part, tuple[Future[ops.Snapshot], threading.Event]]], timeout: float
    ) -> tuple[list[Tree], list[str]]:
        """The trees of those that answered, and why the others did not."""
        trees, missing = [], []
        deadline = time.monotonic() + timeout
        for part, (answer, cancel) in asked:
            left = max(0.0, deadline - time.monotonic())
            try:
                tree = answer.result(min(left, _SUSPECT) if part in self._suspects else left).tree
            except TooLate:
                cancel.set()
                self._suspects.add(part)
                missing.append(f"{_said(part)}: it did not answer within {timeout:.3g} s")
            except ConnectFailed:
                self._unreachable.add(part)
            except WrongRead:
                raise
            except DeskhandError as error:
                missing.append(f"{_said(part)}: {error.message}")
            else:
                self._suspects.discard(part)
                assert tree is not None, "only a tree since some revision may be left out"
                trees.append(_named(tree, part))
        return trees, missing

    def _ask(self, part: Part, operation: ops.ReadTree, timeout: float) -> Tree:
        tree = self._run(part, operation, timeout).tree
        assert tree is not None, "only a tree since some revision may be left out"
        return _named(tree, part)

    def _run(self, part: Part, operation: Operation[T], timeout: float) -> T:
        answer, cancel = self._begin(part, operation)
        try:
            return answer.result(timeout)
        except TooLate:
            cancel.set()
            self._suspects.add(part)
            raise UiBusy(f"{_said(part)} did not answer within {timeout:.3g} s") from None
        except DeskhandError as error:
            if error.target is not None and error.target.startswith("uid="):
                error.target = f"{error.target.rstrip(chr(34))}{MARK}{part.pid}"
            raise


def _said(part: Part) -> str:
    return f"'{part.name}' (pid {part.pid})"


def _named(tree: Tree, part: Part) -> Tree:
    """The same tree with uids that no other program has."""
    tail = f"{MARK}{part.pid}"
    nodes: list[Node] = []
    for node in tree.nodes:
        fields = {**node.fields, "uid": node.uid + tail}
        if node.parent is not None:
            fields["parent"] = node.parent + tail
        if node.virtualization is not None and node.virtualization.visible_cells:
            rows = tuple(
                row if row.uid is None else replace(row, uid=row.uid + tail)
                for row in node.virtualization.visible_cells
            )
            fields["virtualization"] = replace(node.virtualization, visible_cells=rows)
        nodes.append(Node.of(fields))
    windows = tuple(_window(window, part, tail) for window in tree.windows)
    cut = tree.cut and replace(tree.cut, at=tuple(uid + tail for uid in tree.cut.at))
    return Tree(nodes, windows, focused=tree.focused and tree.focused + tail, cut=cut)


def _window(window: Window, part: Part, tail: str) -> Window:
    return replace(
        window, uid=window.uid + tail, pid=window.pid or part.pid, app_name=window.app_name or part.name
    )


def join(trees: list[Tree], missing: list[str]) -> Tree:
    """One tree of all; what has the focus is in the window that has it."""
    nodes = [node for tree in trees for node in tree.nodes]
    windows = tuple(window for tree in trees for window in tree.windows)
    active = [tree.focused for tree in trees if any(window.focused for window in tree.windows)]
    focused = next((uid for uid in (*active, *(tree.focused for tree in trees)) if uid), None)
    unanswered = Cut(len(missing), f"programs that are missing: {', '.join(missing)}") if missing else None
    return Tree(nodes, windows, focused=focused, cut=all_cuts(*(tree.cut for tree in trees), unanswered))
