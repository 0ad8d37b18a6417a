"""The recording that a page starts and stops: the same as that of `deskhand record`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from ..adapters.scope import ancestors
from ..model.errors import InvalidParams
from ..model.operations import Runner
from ..recording import FORMATS, Recording, Source


class PageRecording:
    """Writes down what a person does to one app. Thread-safe; `changed` is called when there is more."""

    def __init__(
        self,
        runner: Runner,
        env: Mapping[str, str],
        changed: Callable[[], None],
        *,
        name: str | None,
        pid: int | None,
        private: bool,
    ) -> None:
        """`private` says that all that is done on the display is done to the app."""
        self._runner = runner
        self._env = env
        self._changed = changed
        self._source = Source(app=name)
        self._pid = pid
        self._private = private
        self._lock = threading.Lock()
        self._recording: Recording | None = None
        self._last: Recording | None = None

    @property
    def active(self) -> bool:
        """Whether it records now."""
        return self._recording is not None

    @property
    def code(self) -> Mapping[str, str]:
        """What was recorded last, in each format; empty if nothing was."""
        last = self._last
        return {} if last is None else {kind: last.code(kind) for kind in FORMATS}

    def start(self) -> None:
        """Begin anew. Raises a DeskhandError if input cannot be observed."""
        with self._lock:
            if self._recording is None:
                owns = None if self._private or self._pid is None else _family_of(self._pid)
                self._last = self._recording = Recording(
                    self._runner,
                    self._env,
                    source=self._source,
                    pid=self._pid,
                    on_event=lambda _: self._changed(),
                    owns=owns,
                )

    def expect(self, kind: str, selector: str | None) -> None:
        """Record that an element, or for `tree` the whole app, is as it is now. Raises a DeskhandError."""
        recording = self._recording
        if recording is None:
            raise InvalidParams("nothing is being recorded", suggestions=("switch Record on",))
        recording.expect(kind, selector)

    def stop(self) -> None:
        """End it; what was done just before is in the code."""
        with self._lock:
            recording, self._recording = self._recording, None
        if recording is not None:
            recording.stop()


def _family_of(app: int) -> Callable[[int], bool]:
    """Whether a process is an app's, or was started by it."""
    return lambda pid: pid == app or app in ancestors(pid)
