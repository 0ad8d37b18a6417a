"""When something may look different, and when the program has become idle. No polling.

Whatever changes what can be seen makes its window repaint, so watching the windows is enough: a filter on
each of them, not on the application, where it would see every event of every object, also of those half
made or half destroyed. Changes are reported at the moment the event loop is about to block.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar, cast

from ...model.errors import UiBusy
from ...model.operations import Action
from ..jobs import Job
from ..placement import Placement
from .belief import belief, on_x11
from .binding import Binding, as_slot
from .handles import Registry
from .thread import UiThread

T = TypeVar("T")

_LATEST = 0.05
"""How long a change may go untold while the event loop finds no rest."""
_SETTLED = 0.5
"""After so long, a program that goes on repainting is taken to be animated, not busy."""
_TELLING = (
    "UpdateRequest", "Paint", "Expose", "Show", "Hide", "Close", "Move", "Resize", "FocusIn", "FocusOut",
    "WindowStateChange", "WindowTitleChange", "ModifiedChange", "EnabledChange", "WindowActivate",
    "WindowDeactivate", "ActivationChange", "LayoutRequest", "LayoutDirectionChange", "LanguageChange",
    "StyleChange", "FontChange", "PaletteChange", "ToolTipChange", "ChildAdded", "ChildRemoved",
    "ActionAdded", "ActionChanged", "ActionRemoved", "DynamicPropertyChange", "Polish", "WindowBlocked",
    "WindowUnblocked", "DeferredDelete", "ScreenChangeInternal", "WinIdChange",
)  # fmt: skip


class Changes:
    """Notifies subscribers that something may look different, and callers that the program is idle."""

    def __init__(self, binding: Binding, registry: Registry, ui: UiThread) -> None:
        self._binding = binding
        self._ui = ui
        self._placement = Placement()
        self._lock = Lock()
        self._subscribers: dict[object, Callable[[], None]] = {}
        self._watch = _Watch(binding, registry)

    # -- from any thread -------------------------------------------------------------------------

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever something may look different; returns how to stop that."""
        key = object()
        with self._lock:
            self._subscribers[key] = changed
            if len(self._subscribers) == 1:
                self._ui.later(lambda: self._watch.begin(self, self._tell))

        def stop() -> None:
            with self._lock:
                if self._subscribers.pop(key, None) is not None and not self._subscribers:
                    self._ui.later(lambda: self._watch.end(self))

        return stop

    def idle(self, timeout: float) -> frozenset[str]:
        """Return once the program is idle and its windows are settled; UiBusy if not in time.

        What the display says differently of them all the same is returned.
        """
        if self._ui.on_gui_thread():
            return frozenset()
        if not self._placement.connected:
            shown = self._ui.call(lambda: on_x11(self._binding), timeout)
            self._placement.connect(os.environ if shown else {})
        return self._placement.wait(lambda left: self._rest(lambda: belief(self._binding), left), timeout)

    def acted(self, action: Action) -> None:
        """An action was performed just now; windows may open and close because of it."""
        self._placement.acted(action)

    def _rest(self, observe: Callable[[], T], timeout: float) -> T:
        """Wait until the event loop is idle; what `observe` returns at that moment."""
        began = time.monotonic()
        at_rest = Job(observe)

        def rests() -> None:
            if at_rest.claim():
                at_rest.run()

        settle = self._ui.call(lambda: _Settle(self._watch, rests), timeout)
        self._ui.refuse_at_end(at_rest)
        if not at_rest.done.acquire(timeout=max(0.0, timeout - (time.monotonic() - began))):
            self._ui.later(settle.stop)
            raise UiBusy(f"the program was not idle after {timeout:g} s", started=True)
        return cast("T", at_rest.outcome())

    def close(self) -> None:
        """Stop watching; call it on the GUI thread."""
        with self._lock:
            self._subscribers.clear()
        self._watch.end_all()
        self._placement.close()

    def _tell(self) -> None:
        for changed in tuple(self._subscribers.values()):
            changed()


class _Watch:
    """Watches the windows while a subscriber or a waiting call needs that. Belongs to the GUI thread."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        self._binding = binding
        self._registry = registry
        types = binding.QtCore.QEvent.Type
        self._telling = frozenset(getattr(types, name) for name in _TELLING if hasattr(types, name))
        self._wanting: dict[object, Callable[[], None]] = {}
        self._filter: Any = None
        self._dispatcher: Any = None
        self._watched: set[str] = set()
        self._dirty = False
        self._since = 0.0
        self._on_rest = as_slot(self._rests)
        # Once: of each class that is made from one of its own, PySide6 keeps a kilobyte for ever.
        self._new_filter = _filter_class(binding, self._seen)

    def begin(self, key: object, rests: Callable[[], None] | None = None) -> None:
        """Watch on behalf of `key`; `rests` is called after a change, when the event loop is next idle."""
        self._wanting[key] = rests or _nothing
        if self._filter is None:
            self._filter = self._new_filter()
            self._dispatcher = self._binding.QtCore.QAbstractEventDispatcher.instance()
            self._dispatcher.aboutToBlock.connect(self._on_rest)
            self._adopt()

    def end(self, key: object) -> None:
        self._wanting.pop(key, None)
        if self._wanting or self._filter is None:
            return
        watcher, self._filter = self._filter, None
        self._watched.clear()
        with contextlib.suppress(RuntimeError, TypeError):
            self._dispatcher.aboutToBlock.disconnect(self._on_rest)
        # A filter that is destroyed takes itself off what it watches.
        watcher.deleteLater()

    def end_all(self) -> None:
        for key in tuple(self._wanting):
            self.end(key)

    def wake(self) -> None:
        """Let the event loop make one more round."""
        self._dispatcher.wakeUp()

    def _adopt(self) -> bool:
        """Watch windows that are new; True if there are any."""
        self._registry.settle()
        windows = self._binding.windows()
        # Those inside others too: what is drawn in there is nothing to the window around.
        kind = self._binding.QtGui.QWindow
        inner = [child for window in windows for child in self._binding.QObject.findChildren(window, kind)]
        uids = {self._registry.uid(window): window for window in (*windows, *inner)}
        if uids.keys() == self._watched:
            return False
        for uid, window in uids.items():
            if uid not in self._watched:
                window.installEventFilter(self._filter)
        self._watched = set(uids)
        if self._binding.has_widgets():
            # Not all that concerns a widget that is a window concerns its window too: its title, for one.
            for top in self._binding.app.topLevelWidgets():
                top.removeEventFilter(self._filter)
                top.installEventFilter(self._filter)
        return True

    def _seen(self, event: Any) -> None:
        if event.type() in self._telling:
            if not self._dirty:
                self._dirty = True
                self._since = time.monotonic()
            elif time.monotonic() - self._since > _LATEST:
                self._tell()

    def _rests(self) -> None:
        if self._filter is None:
            return
        if self._adopt():
            self._dirty = True
        for key, rests in tuple(self._wanting.items()):
            if isinstance(key, _Settle):
                key.rests(self._dirty)
            elif self._dirty:
                rests()
        self._dirty = False

    def _tell(self) -> None:
        self._since = time.monotonic()
        for rests in tuple(self._wanting.values()):
            rests()


class _Settle:
    """A call that waits for the program to be idle: twice in a row with nothing done in between."""

    def __init__(self, watch: _Watch, done: Callable[[], None]) -> None:
        self._watch = watch
        self._done: Callable[[], None] | None = done
        self._quiet = 0
        self._began = time.monotonic()
        watch.begin(self)

    def rests(self, dirty: bool) -> None:
        self._quiet = 0 if dirty else self._quiet + 1
        if self._quiet >= 2 or time.monotonic() - self._began > _SETTLED:
            self.stop()
        else:
            self._watch.wake()

    def stop(self) -> None:
        done, self._done = self._done, None
        self._watch.end(self)
        if done is not None:
            done()


def _nothing() -> None:
    pass


def _filter_class(binding: Binding, seen: Callable[[Any], None]) -> Any:
    core = binding.QtCore

    class Filter(core.QObject):  # type: ignore[misc, name-defined]  # the class is known only at run time
        def eventFilter(self, _: Any, event: Any) -> bool:
            seen(event)
            return False

    return Filter
