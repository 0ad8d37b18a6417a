# Generated from client/_async/tracing.py by scripts/generate_sync.py; edit that file instead.
"""Tracing of one app: starting and stopping it, and what it adds to each operation."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ...launching.ending import AppProcess
from ...model.errors import ActionFailed
from ..place import in_place

if TYPE_CHECKING:
    from ...tracing.recorder import Recorder
    from ...tracing.trace import Trace
    from .link import Link

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it


class Tracing:
    """Records what is done to an app in a file that `deskhand trace show` opens."""

    def __init__(self, link: Link, process: AppProcess | None, pid: int | None) -> None:
        self.recorder: Recorder | None = None
        self._link = link
        self._process = process
        self._pid = pid
        self._own: Trace | None = None  # ends with the app

    @property
    def trace(self) -> Trace | None:
        """What the app is recorded in now."""
        return None if self.recorder is None else self.recorder.trace

    def start(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> None:
        """Record every operation from now on; `path` is the file, if it is known already.

        It is written by `stop`, or when the app is closed.
        """
        from ...tracing.trace import Trace  # which most tests do not need

        if self.recorder is not None:
            raise ActionFailed("this app is traced already; stop that first", target=self._link.address)
        self._own = in_place(Trace, path, title=title)
        self.join(self._own)

    def stop(self, path: str | PathLike[str] | None = None) -> Path | None:
        """End the recording and write it to `path`, or to that of `start`; without either, discard it."""
        own, self._own = self._own, None
        self._leave()
        if own is None:
            return None
        if path is None and own.path is None:
            in_place(own.discard)
            return None
        return in_place(own.save, path)

    def join(self, trace: Trace | str | PathLike[str]) -> None:
        """Record every operation in a trace that other apps may share; a path makes a trace of its own."""
        if isinstance(trace, (str, PathLike)):
            self.start(trace)
            return
        from ...serving.traced import recorder_of

        self.recorder = in_place(
            recorder_of,
            trace,
            self._link.runner(),
            pid=self._pid,
            process=self._process,
            close=True,
            address=self._link.address,
        )

    def end(self) -> None:
        """The app is about to be closed."""
        own, self._own = self._own, None
        self._leave()
        if own is not None:
            in_place(own.__exit__)

    def _leave(self) -> None:
        recorder, self.recorder = self.recorder, None
        if recorder is not None:
            in_place(recorder.close)
