"""The desktop, or one program of it, as the engine sees an adapter."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from ...model.errors import (
    AccessibilityUnavailable,
    AppGone,
    ConnectFailed,
    NotReady,
    Refused,
    ScreenshotFailed,
    Stale,
    UiBusy,
)
from ...model.node import AppInfo, Image, Node, Rect, Window
from ...model.operations import NAMES, Action, ControlWindow, Key, TypeText
from ...model.tree import Cut, Tree
from ..clipboard import Clipboard
from ..display import Display
from ..external import Outer
from ..fence import Fence
from ..placement import GTK_HOLD, Belief, Placement
from ..scope import Scope, may_show_window, process_name
from . import build, fonts, windows_only
from .act import Performer
from .build import Built
from .bus import CallError, Connection, Lane
from .hands import BY_INPUT, Hands, describe
from .item import App, Item
from .kinds import FRAME, MANAGED, role_name
from .live import Live
from .shot import desktop_screenshot, window_screenshot
from .vocabulary import PROPERTIES, State
from .windows import ON_WAYLAND, Windows, XWindow
from .wire import Method, Variant, path_field

_SHORTEST = 0.25
"""The shortest time that a program gets to answer, in seconds: one that is given up is read anew later."""
_SILENCE = 1.0
"""After how long without an answer from a program other callers are let go on, in seconds."""
_PATIENCE = 2.0
"""How long a program of an app is waited for while another one of it answers, in seconds."""
_ASIDE = 0.02
"""For how long a call that waits for such a program lets others run at a time, in seconds."""
_RESTART = 3.0
"""How long a bus that ended is waited for to be started again, in seconds."""
_MAPPING = 0.3
"""How long a window may take from its program's own account of it to the window manager, in seconds."""
_MANAGED = 3.0
"""The same where input depends on it, which is for the window manager to give: once for each window."""
_WHERE_THE_FOCUS_IS = (Key, TypeText)
"""Actions that go to what has the focus unless they have a target."""
_ENDING = 1.0
"""How long an app may take to end after its last window was closed, in seconds."""
_HELD = 2.0
"""How long a button that GTK 3 holds down by itself may be so at most, in seconds."""


class AtspiAdapter(Outer):
    """Every program on a desktop, only those of a name, or one app with all processes that belong to it.

    `env` has DISPLAY, XAUTHORITY and DBUS_SESSION_BUS_ADDRESS of the desktop; by default, of this process.
    `bus` is where `find_bus` found the accessibility bus, if that was asked before. Without `pages`, what
    is in the pages of browsers is left out, because another adapter reads it.
    """

    name = "atspi"

    def __init__(
        self,
        env: Mapping[str, str] | None = None,
        *,
        app: str | None = None,
        pid: int | None = None,
        timeout: float = 5.0,
        bus: str | None = None,
        pages: bool = True,
    ) -> None:
        self._pages = pages
        self._env = dict(os.environ if env is None else env)
        self._app = app
        self._scope = None if pid is None else Scope(pid)
        self._confined = False
        self.without: frozenset[int] = frozenset()
        """The process ids of programs that are left out, because another adapter reads them."""
        self.display = _open_display(self._env, timeout)
        self._wayland = bool(self._env.get("WAYLAND_DISPLAY"))
        self._windows = None if self.display is None else Windows(self.display)
        self._heard: list[Callable[[], None]] = []
        try:
            self._live = self._connect(timeout, bus)
        except BaseException:
            if self.display is not None:
                self.display.close()
            raise
        self._hands = Hands(self._live, self.display, self._windows, self._managed)
        self._performer = Performer(self._hands)
        self._placement = Placement(whose=self._is_followed)
        self.clipboard = Clipboard(self._env)
        self._held_until = 0.0
        """Until when a button may be held down because of an action."""
        self._matched: dict[Item, XWindow] = {}
        self._unmatched: set[Item] = set()
        """Windows of programs that the window manager did not have at the last look, nor a moment later."""
        self._unmanaged: set[Item] = set()
        """Those that it never had, as far as was waited for."""
        self._known: dict[Item, int] = {}
        self._built: dict[App, Built] = {}
        self._unreadable: list[XWindow] = []
        self._expected: list[XWindow] = []
        """Windows of programs that are about to be on the bus."""
        self._lock = threading.RLock()
        self._others = threading.Condition(self._lock)
        """What is waited on while others may go on."""

    # -- what the engine calls -----------------------------------------------------------------

    def info(self) -> AppInfo:
        apps = self._ordered([app for app in list(self._live.apps.values()) if self._wanted(app)])
        if not self._chosen:
            return AppInfo("AT-SPI", "2", os.getpid(), "desktop", toolkit=self.name)
        if not apps:
            main = 0 if self._scope is None else self._scope.main
            return AppInfo("AT-SPI", "2", main, self._app, toolkit=self.name)
        app = apps[0]
        title = app.windows[0].name if app.windows else app.name
        return AppInfo(app.toolkit, app.version, app.pid, title, toolkit=self.name)

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        with self._unless_it_ended():
            if root is not None and (window := self._unreadable_window(root)) is not None:
                return Tree(
                    [windows_only.node(window)], (windows_only.as_window(window, process_name(window.pid)),)
                )
            item = None if root is None else self._item(root)
            apps = self._look(timeout, item.app if item is not None else None)
            if item is not None and self._live.apps.get(item.app.bus) is item.app and not _there(item):
                raise self._stale(item.uid)
            if depth == 0:
                # Of a program that has just ended, no window is missing.
                apps = [app for app in apps if app.bus in self._live.apps]
            tree = self._tree(apps, internals)
            if tree.cut is not None and not tree.windows and self._chosen:
                raise _silent(tree.cut.reason)
            if item is None:
                tree = _levels(tree, depth)
                return self._detailed(tree, timeout) if details else tree
            if item.app.missing is not None:
                raise _silent(_absent(item.app))
            if item.node is None:
                raise self._stale(item.uid)  # it hangs in no window any more
            below = []
            for one in _walk(item, depth):
                node = one.node
                if node is not None and (internals or one is item or not node.internal):
                    below.append(node)
            if details and below:
                below[0] = below[0].changed(font=fonts.font(self._live, item, timeout))
            tree = Tree(below, tree.windows, focused=tree.focused)
            return self._detailed(tree, timeout) if details else tree

    def read_cold(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        """The same read through a connection of its own that knows nothing but which uid is which object."""
        env = self._env
        if self._live.closed is None:
            # To ask the session bus again takes a connection, which programs may see and show.
            env = {**env, "AT_SPI_BUS_ADDRESS": self._live.address}
        cold = AtspiAdapter(env, app=self._app, timeout=max(timeout, _SHORTEST), pages=self._pages)
        try:
            cold._scope, cold.without = self._scope, self.without
            with self._live.lock:
                cold._live.identities = {app.bus: app.identities() for app in self._live.apps.values()}
            return cold.read(root, depth=depth, details=details, internals=internals, timeout=timeout)
        finally:
            cold.close()

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        with self._unless_it_ended():
            if uid is None and isinstance(action, ControlWindow) and self._chosen:
                # The one in front on the screen may be of any program.
                uid = self._main_window(timeout)
            if not self._confined:
                self._hands.fence = self._fence_between_apps() if uid is None else None
            if uid is not None and (window := self._unreadable_window(uid)) is not None:
                assert self._windows is not None, "who found it"

                def by_input(there: Action) -> Mapping[str, object]:
                    return self._performer.perform(there, None, None, self._matched, timeout)

                return windows_only.perform(action, window, self._windows, by_input)
            item = None if uid is None else self._item(uid)
            other = None if to is None else self._item(to)
            if item is not None and item.app.slow:
                raise _silent(_absent(item.app))
            if item is None and action.target is None and not self._live.apps:
                self._look(timeout)
            if item is not None:
                item.app.acted = (f"{NAMES[type(action)]} on {describe(item)}", time.monotonic())
            goes_to = self._goes_to() if item is None and isinstance(action, _WHERE_THE_FOCUS_IS) else ""
            by_pointer = False
            try:
                answer = self._performer.perform(action, item, other, self._matched, timeout)
                by_pointer = answer.get("detail") == BY_INPUT and not isinstance(action, _WHERE_THE_FOCUS_IS)
                return {**answer, "detail": f"{answer['detail']}{goes_to}"} if goes_to else answer
            except UiBusy as error:
                if item is None:
                    raise
                raise _silent(_absent(item.app)) from error
            except NotReady:
                # What was taken for true may not be: the next try starts from a fresh read.
                self._look(timeout, None if item is None else item.app)
                raise
            finally:
                self._placement.acted(action, self._lag(item, by_pointer))
                self._held_until = time.monotonic() + _HELD

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        with self._unless_it_ended():
            if uid is None and not self._chosen:
                return desktop_screenshot(self.display, rootless=self._wayland)
            uid = uid or self._main_window(timeout)
            if (window := self._unreadable_window(uid)) is not None:
                return window_screenshot(self.display, window.bounds, window, self._windows, lambda: None)
            item = self._item(uid)
            self._look(timeout, item.app)
            self._tree([item.app])
            if not item.app.placed and self.display is not None:
                reason = f"{item.app.name} is on Wayland, which does not show its windows to other programs"
                raise ScreenshotFailed(reason, suggestions=ON_WAYLAND[1:])
            bounds = None if item.node is None else item.node.bounds
            window = self._matched.get(item.window)

            def settle() -> None:
                # Two answers: the first may have been on its way before the program saw that it must paint.
                for _ in range(2):
                    self._look(timeout, item.app)

            return window_screenshot(
                self.display, bounds, window, self._windows, settle, rootless=self._wayland
            )

    def desktop(self, *, timeout: float) -> Image:
        if self._confined:
            raise Refused(
                "a screenshot of the whole desktop refused: this server is for one app only",
                suggestions=("take one of a window",),
            )
        return desktop_screenshot(self.display, rootless=self._wayland)

    def idle(self, *, timeout: float) -> None:
        self._placement.connect(self._env)
        self._placement.wait(self._rest, timeout, lambda: self._live.changes)

    def _rest(self, timeout: float) -> Belief:
        """Wait until every program has come round its loop; the windows that they have."""
        with self._unless_it_ended():
            # Twice: what was due when the first answer was sent is done when the second one is.
            wanted = [app for app in self._live.apps.values() if self._wanted(app)]
            self._live.come_round(wanted, min(timeout, _SILENCE))
            held = self._watched_buttons()
            apps = self._look(max(0.05, timeout))
        for app in apps:
            if app.missing is not None and self._chosen:
                raise _silent(_absent(app))
        busy = next((f"{describe(item)} is held down" for item in held if item.states & State.ARMED), "")
        if not busy and self._may_be_ending(apps):
            busy = "it has no window left, and has not ended"
        if not busy and self.opens():
            busy = "a process of the app is about to show a window"
        return Belief(also=[(window.uid, window.shown) for app in apps for window in app.windows], busy=busy)

    def _may_be_ending(self, apps: list[App]) -> bool:
        """Whether an app has lost its last window by an action just now, and may be about to end."""
        if self._scope is None or time.monotonic() > self._held_until - _HELD + _ENDING:
            return False
        return not self._unreadable and not any(app.windows for app in apps)

    def _watched_buttons(self) -> list[Item]:
        """Buttons of GTK 3, which holds one down before it does what that is for, and reports neither.

        Only for a while after an action: one that stays down is held by a person.
        """
        if time.monotonic() > self._held_until:
            return []
        found = []
        for app in self._live.apps.values():
            if self._wanted(app) and app.toolkit.lower() == "gtk" and app.how.showing:
                shown = (one for window in app.windows if window.shown for one in window.walk() if one.shown)
                found += [item for item in shown if role_name(item).endswith("button")]
        return found

    def _is_followed(self, pid: int) -> bool:
        """Whether the windows of a process count when the desktop is to be settled."""
        if pid == os.getpid():
            return False
        if self._app is not None:
            return any(app.pid == pid for app in list(self._live.apps.values()) if self._wanted(app))
        return self._scope is None or self._scope.has(pid)

    def opens(self) -> bool:
        """Whether a process of the app is about to show a window, or to bring one onto the bus."""
        if self._expected or self._scope is None or self._windows is None or self.display is None:
            return bool(self._expected)
        young = self._scope.young()
        if not young:
            return False
        shown = {one.pid for one in self._windows.all()}
        connected = self.display.clients()
        return any(pid not in shown and may_show_window(pid, connected) for pid in young)

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        # Not registered with the connection itself, which may be another one after the bus was started again.
        self._heard.append(changed)

        def stop() -> None:
            with contextlib.suppress(ValueError):
                self._heard.remove(changed)

        return stop

    def close(self) -> None:
        self._performer.close()
        self._placement.close()
        self.clipboard.close()
        self._live.close()
        if self.display is not None:
            self.display.close()

    # -- within --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _unless_it_ended(self) -> Iterator[None]:
        """With the lock held; AppGone instead of what goes wrong because the app has ended."""
        with self._lock:
            self._performer.begin()
            if self._scope is not None and not self._scope.lives():
                # Keys would go to another program by now.
                raise _gone(self._scope.main)
            try:
                yield
            except (AccessibilityUnavailable, AppGone, ConnectFailed, UiBusy) as error:
                if self._scope is None or self._scope.lives():
                    raise
                raise _gone(self._scope.main, performed=self._performer.acted) from error

    def _main_window(self, timeout: float) -> str:
        windows = self.read(depth=0, timeout=timeout).windows
        if not windows:
            raise ScreenshotFailed("the program has no window")
        return next((window for window in windows if window.focused), windows[0]).uid

    def _goes_to(self) -> str:
        """In words: which process input goes to, if it is another one than the main one of the app."""
        active = None if self._windows is None else next((w for w in self._windows.all() if w.active), None)
        if active is None or self._scope is None or active.pid == self._scope.main:
            return ""
        return f", to '{process_name(active.pid)}' (pid {active.pid}), which has the focus"

    def _lag(self, item: Item | None, by_pointer: bool) -> float:
        """How long GTK 4 may take to begin with what an action asks for; it does not show in anything.

        It holds a button down that a key or accessibility presses; and a dialog for files presses its button
        a second time when it has looked for the file.
        """
        front = item or next((one for one, window in self._matched.items() if window.active), None)
        if front is None or front.app.toolkit.lower() != "gtk" or front.app.how.showing:
            return 0.0
        window = self._matched.get(front.window)
        in_dialog = window is not None and window.owner != 0
        return GTK_HOLD * (int(not by_pointer) + int(in_dialog))

    def apps(self, timeout: float = 5.0) -> list[App]:
        """The programs that there are, whether or not they answer; nothing else is read of them."""
        with self._lock:
            self._look(timeout, no_app=True)
            return [app for app in self._live.apps.values() if self._wanted(app)]

    def knows(self, uid: str) -> bool:
        """Whether a uid is of this adapter, also of something that is gone by now."""
        return windows_only.number_of(uid) is not None or self._app_of(uid) is not None

    def has_at(self, x: float, y: float) -> bool:
        """Whether the uppermost window at a point of the screen is one of the app's other processes."""
        at = None if self._windows is None or self._scope is None else self._windows.at(x, y)
        if at is None or self._scope is None or at.pid == self._scope.main:
            return False
        return self._scope.has(at.pid)

    def strangers(self) -> list[XWindow]:
        """The windows of programs that are not on the bus, as of the last look."""
        return list(self._unreadable)

    def choose(self, scope: Scope | int) -> None:
        """Be about one app only, from now on: that of a process, with all that it started, or of a scope."""
        self._scope = Scope(scope) if isinstance(scope, int) else scope

    def confine(self) -> None:
        """Let input reach the chosen app only, and no screenshot show anything else, from now on."""
        self._confined = True
        if self.display is not None:
            self._hands.fence = Fence(self.display, self._is_followed)

    def _fence_between_apps(self) -> Fence | None:
        """What keeps input without a target from another app that was launched on the same desktop."""
        if self.display is None or self._scope is None or not self._scope.shares_desktop:
            return None
        return Fence(self.display, self._is_followed, shared=True)

    @property
    def _chosen(self) -> bool:
        """Whether it is about one app rather than about the desktop."""
        return self._app is not None or self._scope is not None

    def _ordered(self, apps: list[App]) -> list[App]:
        """The main program of an app first."""
        main = None if self._scope is None else self._scope.main
        return sorted(apps, key=lambda app: app.pid != main)

    def _wanted(self, app: App) -> bool:
        if app.pid == os.getpid() or app.pid in self.without:
            return False
        if self._scope is not None and not self._scope.has(app.pid):
            return False
        if self._app is None or (app.suspect and not app.toolkit):
            return True  # or it did not answer yet when it was asked for its name
        return self._app.lower() in app.name.lower()

    def _connect(self, timeout: float, bus: str | None = None) -> Live:
        address = bus or bus_address(self._env, timeout, self.display)
        live = Live(address, timeout=timeout, pages=self._pages)
        live.heard(self._announce)
        return live

    def _announce(self) -> None:
        for changed in list(self._heard):
            changed()

    def _reconnect(self, timeout: float) -> None:
        """Begin anew on the bus that took the place of the one that ended."""
        reason = self._live.closed
        deadline = time.monotonic() + min(timeout, _RESTART)
        while True:
            try:
                live = self._connect(timeout)
                break
            except AccessibilityUnavailable as error:
                if time.monotonic() >= deadline:
                    raise AccessibilityUnavailable(
                        f"the accessibility bus is gone ({reason}), and none took its place: {error.message}",
                        suggestions=("start the programs again once it is back", *error.suggestions),
                    ) from error
            time.sleep(0.05)  # what starts it may itself be ending; the next one is not announced
        self._live.close()
        self._live = live
        self._performer.close()
        self._performer = Performer(Hands(live, self.display, self._windows, self._managed))
        for memory in (
            self._matched,
            self._unmatched,
            self._unmanaged,
            self._known,
            self._built,
        ):
            memory.clear()

    def _look(self, timeout: float, only: App | None = None, *, no_app: bool = False) -> list[App]:
        """Bring items and windows up to date, of all that is wanted, of one program, or of none."""
        timeout = max(timeout, _SHORTEST)
        if self._live.closed is not None:
            self._reconnect(timeout)
        wanted = (lambda _: False) if no_app else self._wanted if only is None else lambda app: app is only
        windows: list[XWindow] = []

        def meanwhile() -> None:
            if self._windows is not None:
                windows.extend(self._windows.all())

        before = {app for app in self._live.apps.values() if app.slow}
        try:
            if self._several():
                apps = self._live.look(timeout, wanted, meanwhile, _SILENCE)
            else:
                # It is about one program: no other is delayed by it.
                apps = self._live.look(timeout, wanted, meanwhile, _SILENCE, timeout)
        except CallError as error:
            if self._live.closed is None:
                raise UiBusy(f"the accessibility registry: {error}") from error
            # It ended just now; who took its place may need a moment.
            self._reconnect(timeout)
            return self._look(timeout, None if only is None else self._live.apps.get(only.bus), no_app=no_app)
        slow = [app for app in apps if app.slow]
        if slow and (len(slow) == len(apps) or not before.issuperset(slow)):
            # Where another program of the same app answers, what that shows counts more.
            alone = len(slow) == len(apps) or not self._chosen
            self._wait_for_slow(slow, timeout if alone else min(timeout, _PATIENCE))
            apps = [self._live.apps.get(app.bus, app) for app in apps]
            windows[:] = [] if self._windows is None else self._windows.all()
        silent = not no_app and all(app.missing for app in apps)
        if silent and self._scope is not None and not self._scope.lives():
            raise _gone(self._scope.main)
        everybody = list(self._live.apps.values())
        self._find_unreadable([] if only is not None else windows)
        self._matched = build.match(everybody, windows, self._known)
        if self._windows is not None and not self._wayland:
            self._wait_for_new(apps, everybody)
        if self.display is None or self._wayland:
            for app in everybody:
                # Programs that came through Xwayland have windows there, and know where.
                app.placed = any(window in self._matched for window in app.windows)
        for app in apps:
            if not app.how.on_screen and app.placed and self._windows is not None:
                build.place_popovers(app, self._matched, partial(self._popups_of, app))
            if app.how.unseen_entries and app.placed and self._windows is not None:
                self._live.see_menus(app, self._popups_of(app), timeout)
        return apps

    def _popups_of(self, app: App) -> list[Rect]:
        """Where the windows of a program are that the window manager does not have."""
        assert self._windows is not None, "the display was asked"
        return [one.area for one in self._windows.popups({app.pid})]

    def _wait_for_slow(self, apps: list[App], timeout: float) -> None:
        """Wait for programs that are silent, and let other callers go on meanwhile."""
        live, deadline = self._live, time.monotonic() + timeout - _SILENCE
        while any(app.slow for app in apps) and live.closed is None:
            self._others.wait(_ASIDE)  # lets go of the lock, which is all that it is for
            if time.monotonic() < deadline:
                live.resume(apps, 2 * _ASIDE)
            else:
                live.give_up(apps, timeout)

    def _wait_for_new(self, apps: list[App], everybody: list[App]) -> None:
        """Give windows that are new a moment to come to the window manager, which knows more about them."""
        # Not for frames without a title: Chromium tells of some that no screen ever sees.
        shown = {
            item
            for app in apps
            for item in app.windows
            if item.role in MANAGED and item.shown and (item.name or item.role != FRAME)
        }
        new = self._without_manager(shown - self._matched.keys() - self._unmatched, _MAPPING)
        there = {item for app in everybody for item in app.windows}
        self._unmatched = (self._unmatched | new) & there - self._matched.keys()

    def _managed(self, window: Item) -> dict[Item, XWindow]:
        """Wait until the window manager has a window, unless it never had it."""
        assert self._windows is not None, "the caller makes input"
        there = {item for app in self._live.apps.values() for item in app.windows}
        self._unmanaged &= there
        if window in there and window.role in MANAGED and window not in self._unmanaged:
            timeout = _MANAGED if self._windows.any_manager else 0.0
            self._unmanaged |= self._without_manager({window}, timeout)
        return self._matched

    def _without_manager(self, items: set[Item], timeout: float) -> set[Item]:
        """Wait until the window manager has these windows; those that it has not in time."""
        assert self._windows is not None, "the caller has read the windows"
        everybody, deadline = list(self._live.apps.values()), time.monotonic() + timeout
        while items:
            self._matched = build.match(everybody, self._windows.all(), self._known)
            items = items - self._matched.keys()
            if not items or time.monotonic() >= deadline:
                break
            time.sleep(0.01)  # the window manager tells only those who follow its root window
        return items

    def _several(self) -> bool:
        """Whether there are programs that one of them, if it is silent, must not delay."""
        return not self._chosen or sum(map(self._wanted, self._live.apps.values())) > 1

    def _find_unreadable(self, windows: list[XWindow]) -> None:
        """Note the windows that no program on the bus has, as far as they are wanted."""
        if self._app is not None:
            self._unreadable = self._expected = []
            return
        others = {app.pid for app in self._live.apps.values()} | self.without | {os.getpid()}
        wanted = [one for one in windows if self._scope is None or self._scope.has(one.pid)]
        self._unreadable = windows_only.unreadable(wanted, others)
        if self._unreadable and self._windows is not None:
            # The menus of such programs, too; those of others are on the bus.
            self._unreadable += self._windows.popups({one.pid for one in self._unreadable})
        self._expected = windows_only.expected(wanted, others)

    def _unreadable_window(self, uid: str) -> XWindow | None:
        """The window that a uid stands for; None if it stands for something on the bus."""
        number = windows_only.number_of(uid)
        if number is None:
            return None
        window = None
        if self._windows is not None:
            window = self._windows.find(number) or self._windows.popup(number)
        if window is None:
            raise self._stale(uid)
        return window

    def _tree(self, apps: list[App], internals: bool = False) -> Tree:
        nodes: list[Node] = []
        windows: list[Window] = []
        focused = None
        for app in self._ordered(apps):
            if app.missing is not None:
                continue
            places = tuple((one.path, self._matched.get(one)) for one in app.windows)
            key = (app.changes, places)
            built = self._built.get(app)
            if built is None or built.key != key:
                built = build.build(app, self._matched)
                built.key = key
                self._built[app] = built
            nodes += built.every if internals else built.nodes
            windows += [build.window(item, self._matched.get(item)) for item in app.windows]
            focused = focused or built.focused
        for app in [app for app in self._built if self._live.apps.get(app.bus) is not app]:
            del self._built[app]
        missing = [app for app in apps if app.missing is not None]
        cut = None
        if missing:
            named = ", ".join(_absent(app) for app in missing)
            cut = Cut(len(missing), f"programs that are missing: {named}")
        nodes += [windows_only.node(one) for one in self._unreadable]
        windows += [windows_only.as_window(one, process_name(one.pid)) for one in self._unreadable]
        active = next((window.uid for window in windows if window.focused), None)
        if active is not None and windows_only.number_of(active) is not None:
            focused = active
        elif active is not None and focused is not None:
            focused = self._focused_in(active) or focused
        return Tree(nodes, tuple(windows), focused=focused, cut=cut)

    def _detailed(self, tree: Tree, timeout: float) -> Tree:
        """The tree with what AT-SPI itself says of each node."""
        items = {node.uid: item for node in tree if (item := self._find(node.uid)) is not None}
        attributes = self._live.attributes(list(items.values()), timeout)
        for app in {item.app for item in items.values()}:
            if app.missing is not None:
                raise _silent(_absent(app))
        nodes = []
        for node in tree:
            item = items.get(node.uid)
            if item is None:
                nodes.append(node)
                continue
            more = build.details(item, attributes.get(item, {}))
            nodes.append(node.changed(properties={**node.properties, **more}))
        return Tree(nodes, tree.windows, focused=tree.focused, cut=tree.cut)

    def _focused_in(self, window: str) -> str | None:
        item = self._find(window)
        if item is None:
            return None
        return build.focused_of(item.walk())

    def _item(self, uid: str) -> Item:
        item = self._find(uid)
        if item is None:
            self._look(5.0)
            item = self._find(uid)
        if item is None:
            raise self._stale(uid)
        return item

    def _stale(self, uid: str) -> Stale:
        app = self._app_of(uid)
        what = f"{app.gone[uid]} ({uid})" if app is not None and uid in app.gone else f"the element {uid}"
        return Stale(f"{what} is gone", target=f"uid={uid}")

    def _app_of(self, uid: str) -> App | None:
        code = uid.partition("-")[0]
        app = self._live.apps.get(f":{code.partition('.')[2]}")
        return app if app is not None and app.code == code else None

    def _find(self, uid: str) -> Item | None:
        app = self._app_of(uid)
        item = None if app is None else app.items.get(app.uids.get(uid, ""))
        return item if item is not None and item.uid == uid else None


def _absent(app: App) -> str:
    """Which program is missing, why, and what the last action on it was."""
    reason = f"'{name_of(app)}' (pid {app.pid}): {app.missing or 'it does not answer'}"
    if app.acted is None:
        return reason
    action, since = app.acted
    return f"{reason}; the last action, {time.monotonic() - since:.0f} s ago, was {action}"


def _gone(pid: int, *, performed: bool = False) -> AppGone:
    gone = AppGone(f"the app is gone: process {pid} ended", pid=pid)
    if performed:
        gone.details["performed"] = True
    return gone


def _silent(reason: str) -> UiBusy:
    """The error for a program that does not answer."""
    return UiBusy(
        reason,
        suggestions=(
            "wait until it is done with what it does, or end it if it hangs",
            "take a screenshot: it may show a question that keys or a click on a point can answer",
            "allow it a longer timeout",
        ),
    )


def find_bus(env: Mapping[str, str], timeout: float = 5.0) -> str:
    """Where the accessibility bus of a desktop is; asking for it starts it."""
    with contextlib.ExitStack() as opened:

        def open_display() -> Display | None:
            display = _open_display(env, timeout)
            if display is not None:
                opened.callback(display.close)
            return display

        return _bus_address(env, timeout, open_display)


def _open_display(env: Mapping[str, str], timeout: float) -> Display | None:
    if not env.get("DISPLAY"):
        return None
    try:
        return Display(env, timeout)
    except ConnectFailed:
        # Fallback: without a display, programs are still read and operated through accessibility.
        return None


def bus_address(env: Mapping[str, str], timeout: float = 5.0, display: Display | None = None) -> str:
    """The same, over an existing connection to the display."""
    return _bus_address(env, timeout, lambda: display)


def _bus_address(env: Mapping[str, str], timeout: float, open_display: Callable[[], Display | None]) -> str:
    if address := env.get("AT_SPI_BUS_ADDRESS"):
        return address
    session = env.get("DBUS_SESSION_BUS_ADDRESS")
    if not session:
        runtime = env.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
        session = f"unix:path={runtime}/bus"
    try:
        return _ask_session_bus(session, timeout)
    except AccessibilityUnavailable:
        # Fallback: where the session bus cannot be reached, the display has the address too.
        display = open_display()
        if display is not None and (address := display.property("AT_SPI_BUS").decode(errors="replace")):
            return address
        raise


def _ask_session_bus(session: str, timeout: float) -> str:
    connection = Connection(session, timeout=timeout)
    try:
        lane = Lane(connection, "org.a11y.Bus")
        # Programs start to listen when they see this; who has it set already loses nothing. That there is a
        # screen reader is not said: on some desktops that starts one.
        method = Method(
            lane.destination, PROPERTIES, "Set", "ssv", "org.a11y.Status", "IsEnabled", Variant("b", True)
        )
        lane.call(path_field("/org/a11y/bus"), method, lambda _, __: None)
        return str(lane.ask("/org/a11y/bus", "org.a11y.Bus", "GetAddress", reply="s", timeout=timeout)[0])
    except CallError as error:
        raise AccessibilityUnavailable(
            f"the accessibility bus cannot be had: {error}; its package is 'at-spi2-core'",
            package="at-spi2-core",
        ) from error
    finally:
        connection.close()


def name_of(app: App) -> str:
    """What a program calls itself; that of its process if it says nothing."""
    return app.name or process_name(app.pid) or app.bus


def _there(item: Item) -> bool:
    """Whether an item still hangs below its program."""
    at: Item | None = item
    while at is not None:
        if at is item.app.root:
            return True
        at = at.parent
    return False


def _walk(item: Item, depth: int | None) -> list[Item]:
    found = []
    stack = [(item, 0)]
    while stack:
        one, level = stack.pop()
        found.append(one)
        if depth is None or level < depth:
            stack.extend((kid, level + 1) for kid in reversed(one.kids))
    return found


def _levels(tree: Tree, depth: int | None) -> Tree:
    """The tree down to a depth."""
    if depth is None:
        return tree
    level: dict[str, int] = {}
    kept = []
    for node in tree:
        own = level[node.uid] = 0 if node.parent is None else level[node.parent] + 1
        if own <= depth:
            kept.append(node)
    return Tree(kept, tree.windows, focused=tree.focused, cut=tree.cut)
