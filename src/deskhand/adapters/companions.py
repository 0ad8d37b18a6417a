"""An app that is read from inside, with the windows of its other processes as part of the same tree.

While there are none, every call goes to the adapter inside, after a check of whether the display announced
one. While there are some, they are read through accessibility, or as bare windows. Uids of both stay
unchanged.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future, wait
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from .. import background
from ..model import operations as ops
from ..model.adapter import Abilities, Adapter, Followed, abilities
from ..model.errors import (
    AccessibilityUnavailable,
    ActionUnsupported,
    ConnectFailed,
    DeskhandError,
    ScreenshotFailed,
    UiBusy,
)
from ..model.node import AppInfo, AppState, Image, Window
from ..model.operations import Action
from ..model.tree import Cut, Tree, all_cuts
from ..model.verified import verified
from ..x11 import Connection, as_numbers, get_property, parse_display, read_cookie
from .merge import MARK, JoinedAdapter, Part, join
from .scope import Scope, may_show_window, process_name

if TYPE_CHECKING:
    from .atspi import AtspiAdapter

T = TypeVar("T")

_CONNECT = 2.0
_PATIENCE = 1.0
"""How long the app is waited for while a window of another process has the focus, in seconds."""
_SUSPECT = 0.25
"""The same if it did not answer the last time."""
_BLOCKED = 0.5
"""After how long an action that is not done may count as one that waits for another process, in seconds."""
_PAUSE = 0.02
_OTHERS = "windows of other processes are missing: "
_WHERE_THE_FOCUS_IS = (ops.Key, ops.TypeText, ops.Scroll, ops.MouseUp, ops.ControlWindow)
"""Actions that without a target and a point are for what has the focus."""


class WithOthers:
    """An adapter, and the windows of other processes of its app. Implements model.adapter.Adapter."""

    def __init__(
        self,
        main: Adapter,
        scope: Scope,
        called: str,
        env: Mapping[str, str] | None = None,
        parts: Callable[[Collection[int]], Iterable[Part]] = lambda _: (),
    ) -> None:
        """`called` is the name of the app; `env` leads to its display and bus, by default to ours.

        `parts` says which of some processes have an engine of ours inside; they are asked themselves.
        """
        self.main = verified(main)
        self.name = main.name
        self._called = called
        self.scope = scope
        self._env = dict(os.environ if env is None else env)
        self._screen: _Screen | None = None
        self._sought = False
        self._parts = parts
        self._others: _Others | None = None
        self._unread: str | None = None
        """Why the windows of other processes cannot be read."""
        self._silent = False
        """Whether the app itself did not answer the last time."""
        self._heard: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def abilities(self) -> Abilities:
        """Those of the app, except a cold read: that would be of the app's own part of this tree."""
        own = abilities(self.main)
        return replace(own, reads_cold=None, follows=own.follows and self)

    # -- what the engine calls -----------------------------------------------------------------

    def info(self) -> AppInfo:
        return self.main.info()

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        wanted: dict[str, Any] = {"depth": depth, "details": details, "internals": internals}
        others = self._present(timeout)
        if others is None:
            tree = self.main.read(root, **wanted, timeout=timeout)
            return tree if self._unread is None or root is not None else _cut(tree, _OTHERS + self._unread)
        if root is not None:
            source: Adapter = others if others.knows(root) else self.main
            return source.read(root, **wanted, timeout=timeout)
        began = time.monotonic()
        try:
            rest = others.read(**wanted, timeout=timeout)
        except DeskhandError as error:
            return _cut(self.main.read(**wanted, timeout=timeout), _OTHERS + error.message)
        left = max(timeout - (time.monotonic() - began), _SUSPECT)
        try:
            tree = self.main.read(**wanted, timeout=min(left, self._patience(rest)))
        except UiBusy as busy:
            self._silent = True
            if not rest.windows:
                raise
            missing = f"'{self._called}' (pid {self.scope.main}): {busy.message}"
            return _cut(rest, f"programs that are missing: {missing}")
        self._silent = False
        if any(window.focused for window in rest.windows):
            # The display has given the focus away, and the app may have yet to hear of it.
            tree = _unfocused(tree)
        return join([tree, rest], [])

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        others = self._present(timeout)
        if others is not None:
            source = self._performer(others, action, uid, timeout)
            if to is not None and others.knows(to) is not (source is others):
                raise ActionUnsupported(
                    "a drag from one program into another is not possible where one of them is driven from "
                    "inside"
                )
            if source is others:
                return others.perform(action, uid, to, timeout=timeout)
        if self._screen is None:
            return self.main.perform(action, uid, to, timeout=timeout)
        return self._guarded(action, uid, to, timeout)

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        others = self._present(timeout)
        if others is None:
            return self.main.screenshot(uid, timeout=timeout)
        if uid is None and (front := self._in_front(others, timeout)) is not None:
            # Fallback: one that closes just now is not in front any more.
            with contextlib.suppress(ScreenshotFailed):
                return others.screenshot(front.uid, timeout=timeout)
        source: Adapter = others if uid is not None and others.knows(uid) else self.main
        return source.screenshot(uid, timeout=timeout)

    def desktop(self, *, timeout: float) -> Image:
        return self.main.desktop(timeout=timeout)

    def idle(self, *, timeout: float) -> None:
        deadline = time.monotonic() + timeout

        def left() -> float:
            return max(0.0, deadline - time.monotonic())

        while True:
            windows = None if self._screen is None else self._screen.windows()
            self.main.idle(timeout=min(left(), _SUSPECT) if self._silent else left())
            others = self._present(left())
            if others is not None:
                others.idle(timeout=left())
            settled = self._screen is None or self._screen.windows() == windows
            if settled and not self._opens():
                return
            if time.monotonic() >= deadline:
                raise UiBusy(f"windows of other processes were about to open or close for {timeout:g} s")
            time.sleep(_PAUSE)  # nothing announces a window before it exists

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        stop_main = self.main.subscribe(changed)
        self._heard.append(changed)

        def stop() -> None:
            stop_main()
            with contextlib.suppress(ValueError):
                self._heard.remove(changed)

        return stop

    def follow(self, changed: Followed) -> Callable[[], None]:
        """Without trees while there are windows of other processes, which are not in them."""
        follows = abilities(self.main).follows
        assert follows is not None, "only then it is among the abilities"

        def heard() -> None:
            changed(None)

        stop_main = follows.follow(
            lambda tree: changed(tree if self._screen is None or not self._screen.windows() else None)
        )
        self._heard.append(heard)

        def stop() -> None:
            stop_main()
            with contextlib.suppress(ValueError):
                self._heard.remove(heard)

        return stop

    def state(self, *, timeout: float) -> AppState:
        state = self.main.state(timeout=timeout)
        others = self._present(timeout)
        if others is None:
            return state
        windows = others.read(depth=0, timeout=timeout).windows
        modal = next((window.title for window in windows if window.modal and window.showing), None)
        return replace(
            state,
            foreground=state.foreground or any(window.focused for window in windows),
            modal_dialog=state.modal_dialog or modal,
        )

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        return self.main.call(function, timeout=timeout)

    def set_id(self, widget: object, automation_id: str) -> None:
        self.main.set_id(widget, automation_id)

    def close(self) -> None:
        with self._lock:
            others, self._others = self._others, None
            screen, self._screen, self._sought = self._screen, None, True
        for each in (others, screen):
            if each is not None:
                each.close()
        self.main.close()

    # -- within --------------------------------------------------------------------------------

    def _present(self, timeout: float) -> _Others | None:
        """What reads the windows of other processes; None while there are none."""
        if not self._sought:
            with self._lock:
                if not self._sought:
                    self._screen, self._sought = _Screen.open(self._env, self.scope), True
        if self._screen is None:
            return None
        if not self._screen.windows():
            if self._others is not None:
                self._let_go()
            self._unread = None
            return None
        with self._lock:
            if self._others is None and self._screen is not None:
                self._connect(timeout)
            return self._others

    def _connect(self, timeout: float) -> None:
        from .atspi import AtspiAdapter  # which takes a while to load, and most apps never need

        try:
            whole = AtspiAdapter(self._env, timeout=timeout)
        except (AccessibilityUnavailable, ConnectFailed, UiBusy) as error:
            self._unread = error.message
            return
        self._unread = None
        whole.choose(self.scope)
        whole.without = frozenset((self.scope.main,))
        whole.subscribe(self._announce)
        self._others = _Others(whole, self._with_engine)

    def _with_engine(self) -> Iterable[Part]:
        """The other processes that are asked themselves."""
        screen = self._screen
        return () if screen is None else self._parts({pid for _, pid in screen.windows()})

    def _let_go(self) -> None:
        """Follow no other programs any more: following makes every program on the bus report its changes."""
        with self._lock:
            others, self._others = self._others, None
        if others is not None:
            others.close()

    def _announce(self) -> None:
        for changed in list(self._heard):
            changed()

    def _patience(self, rest: Tree) -> float:
        """How long the app itself may take to answer: less where another process has the focus."""
        if self._silent:
            return _SUSPECT
        return _PATIENCE if any(window.focused for window in rest.windows) else float("inf")

    def _performer(self, others: _Others, action: Action, uid: str | None, timeout: float) -> Adapter:
        """What performs an action: what knows the target, is at that point, or has the focus."""
        if uid is not None:
            return others if others.knows(uid) else self.main
        x, y = getattr(action, "x", None), getattr(action, "y", None)
        if x is not None and y is not None and not isinstance(action, ops.ControlWindow):
            return others if others.has_at(x, y) else self.main
        if isinstance(action, _WHERE_THE_FOCUS_IS) and self._in_front(others, timeout) is not None:
            return others
        return self.main

    def _guarded(
        self, action: Action, uid: str | None, to: str | None, timeout: float
    ) -> Mapping[str, object]:
        """Let the app do it; if it opens a window of another process meanwhile and waits for that, go on."""
        assert self._screen is not None, "callers have one"
        before = self._screen.windows()
        performed = background.begin(
            lambda: self.main.perform(action, uid, to, timeout=timeout), "deskhand-perform"
        )
        if not _is_done(performed, _BLOCKED):
            while not _is_done(performed, _PAUSE * 5):
                new = self._screen.windows() - before
                if new and not _is_done(performed, _BLOCKED):
                    pid = next(iter(new))[1]
                    who = f"'{process_name(pid)}' (pid {pid})"
                    self._silent = True
                    return {"detail": f"the app still works on it, with a window of {who} open"}
        return performed.result()

    def _in_front(self, others: _Others, timeout: float) -> Window | None:
        """The window of another process that has the focus."""
        windows = others.read(depth=0, timeout=timeout).windows
        return next((window for window in windows if window.focused), None)

    def _opens(self) -> bool:
        """Whether another process of the app is about to show a window."""
        if self._others is not None and self._others.opens():
            return True
        young = self.scope.young()
        if not young or self._screen is None:
            return False
        shown = {pid for _, pid in self._screen.windows()}
        connected = self._screen.clients()
        return any(pid not in shown and may_show_window(pid, connected) for pid in young)


class _Others(JoinedAdapter):
    """The windows of other processes, each from the source that tells most about it."""

    def __init__(self, whole: AtspiAdapter, parts: Callable[[], Iterable[Part]]) -> None:
        super().__init__(whole, parts)
        self._seen = whole

    def knows(self, uid: str) -> bool:
        """Whether a uid is of one of them."""
        return MARK in uid or self._seen.knows(uid)

    def has_at(self, x: float, y: float) -> bool:
        """Whether the uppermost window at a point of the screen is one of them."""
        return self._seen.has_at(x, y)

    def opens(self) -> bool:
        """Whether one of the processes is about to show a window."""
        return self._seen.opens()


class _Screen:
    """Which windows of other processes of an app the window manager has. For any thread."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self._connection = connection
        self._scope = scope
        self._lock = threading.Lock()
        self._known = -1
        self._windows: frozenset[tuple[int, int]] = frozenset()
        connection.follow_root()

    @classmethod
    def open(cls, env: Mapping[str, str], scope: Scope) -> _Screen | None:
        """None where there is no display."""
        try:
            host, number = parse_display(env.get("DISPLAY", ""))
            return cls(Connection(number, read_cookie(env, number), _CONNECT, host=host), scope)
        except ConnectFailed:
            # Fallback: without a display the windows of other processes cannot be found.
            return None

    def windows(self) -> frozenset[tuple[int, int]]:
        """The windows of other processes, each with its process. Asks only if something has changed."""
        with self._lock:
            try:
                while (events := self._connection.events()) != self._known:
                    self._known = events
                    self._windows = self._ask()
            except ConnectFailed:
                # Fallback: the display is gone, and with it every window on it.
                self._windows = frozenset()
            return self._windows

    def clients(self) -> list[int]:
        """The processes that are connected to the display."""
        try:
            return self._connection.clients()
        except ConnectFailed:
            return []

    def close(self) -> None:
        self._connection.close()

    def _ask(self) -> frozenset[tuple[int, int]]:
        display = self._connection
        (atom,) = display.atoms("_NET_WM_PID")
        listed = display.numbers(display.root, "_NET_CLIENT_LIST")
        answers = display.ask(*(get_property(window, atom) for window in listed)) if listed else []
        found = set()
        for window, answer in zip(listed, answers, strict=True):
            pid = (as_numbers(answer) or (0,))[0] or display.process_of(window)
            if pid != self._scope.main and self._scope.has(pid):
                found.add((window, pid))
        return frozenset(found)


def _unfocused(tree: Tree) -> Tree:
    """The same tree without the focus."""
    nodes = [node.changed(focused=False) if node.focused else node for node in tree.nodes]
    windows = tuple(replace(window, focused=False) for window in tree.windows)
    return Tree(nodes, windows, cut=tree.cut)


def _is_done(future: Future[Any], timeout: float) -> bool:
    """Whether something is done within this time."""
    return bool(wait([future], timeout).done)


def _cut(tree: Tree, reason: str) -> Tree:
    """The same tree, saying what is missing in it."""
    cut = all_cuts(tree.cut, Cut(1, reason))
    return Tree(tree.nodes, tree.windows, focused=tree.focused, cut=cut)
