"""A trace while it is recorded.

It is a folder, named after the file with `.recording` at the end, until it is saved as a zip; see `store`.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import platform
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from .. import __version__
from ..model.errors import ActionFailed, DeskhandError
from .frames import Frames
from .store import FORMAT, Store

_recording: weakref.WeakSet[Trace] = weakref.WeakSet()


class Recording(Protocol):
    """Something that records until it is closed."""

    def close(self) -> None: ...


class Trace:
    """Records what is done to one or several apps, until `save` or `discard`. Thread-safe.

    It begins when it is made. Give it to `launch`, `connect` or `attach` as `trace`.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> None:
        """`path` is the zip that `save` writes; without one, `save` needs it. Raises ActionFailed."""
        self.path = None if path is None else Path(path)
        """The file that `save` writes."""
        self.title = title
        self._lock = threading.Lock()
        try:
            self.store = Store(self.path)
        except OSError as error:
            raise _unwritable(path, error) from error
        self.frames = Frames(self.store)
        self.recorders: list[Recording] = []
        self.store.write(
            "start",
            format=FORMAT,
            deskhand=__version__,
            title=title,
            wall=time.time(),
            platform=sys.platform,
            python=platform.python_version(),
            pid=os.getpid(),
        )
        _recording.add(self)

    def __repr__(self) -> str:
        return f"<Trace {self.path or self.store.folder}>"

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        if self.path is None:
            self.discard()
        else:
            self.save()

    @property
    def recording(self) -> bool:
        """Whether it still records."""
        return not self.store.over

    def log(self, text: str, *, source: str = "test") -> None:
        """Add a line to the log."""
        self.store.write("log", source=source, text=text)

    def error(self, error: BaseException | str) -> None:
        """Add an error that is not of an operation, such as the failure of a test."""
        message, details = str(error), None
        if isinstance(error, BaseException):
            message = f"{type(error).__name__}: {error}"
            details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        self.store.write("error", message=message, traceback=details)

    @contextlib.contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Show the steps inside under one title."""
        number = self.store.open_group(title)
        try:
            yield
        finally:
            self.store.close_group(number)

    def save(self, path: str | os.PathLike[str] | None = None) -> Path:
        """End the recording and write the zip; its path. ActionFailed if it cannot be written."""
        target = self.path if path is None else Path(path)
        if target is None:
            raise ActionFailed("a trace is saved to a file: give the path to save() or to Trace()")
        if self._finish():
            try:
                self.store.pack(target)
            except OSError as error:
                raise _unwritable(target, error) from error
        return target

    def discard(self) -> None:
        """End the recording and leave nothing of it."""
        if self._finish(discard=True):
            self.store.remove()

    def _finish(self, *, discard: bool = False) -> bool:
        with self._lock:
            if self.store.over:
                return False
            for recorder in list(self.recorders):
                recorder.close()
            self.frames.close(discard=discard)
            self.store.write("end")
            self.store.close()
        _recording.discard(self)
        return True


def _unwritable(path: str | os.PathLike[str] | None, error: OSError) -> ActionFailed:
    return ActionFailed(f"cannot write the trace {path}: {error.strerror}", target=str(path))


@atexit.register
def _end_all() -> None:
    """A process that ends leaves no temporary folder; what has a path is saved."""
    for trace in list(_recording):
        with contextlib.suppress(DeskhandError):
            trace.__exit__()
