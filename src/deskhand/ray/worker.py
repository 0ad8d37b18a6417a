"""What runs in an actor of Ray: one desktop, and a function that is called with it. Imports no Ray."""

from __future__ import annotations

import contextlib
import pickle
import socket
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ..client import App, launch
from ..desktop.private import Desktop
from ..model.errors import DeskhandError, LaunchFailed
from ..processes.children import Share
from ..tracing.trace import Trace

_TRACE = "trace.zip"


@dataclass(frozen=True)
class Outcome:
    """What became of one call of the function."""

    kind: Literal["done", "failed", "desktop ended", "not started"]
    value: Any = None
    error: BaseException | None = None
    """What the function raised, if that can be sent."""
    text: str = ""
    """The error in words."""
    traceback: str = ""
    trace: bytes | None = None
    seconds: float = 0.0


class PoolDesktop(Desktop):
    """The desktop that a function of a pool gets: `launch` starts apps that end with the item."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.node = socket.gethostname()
        """The machine that it is on."""
        self.attempt = 1
        """How often this item has been given to a desktop; 2 and more after a desktop was lost."""
        self.trace: Trace | None = None
        """What apps of `launch` are recorded in."""
        self._shares: list[Share] = []
        self._apps: list[App] = []

    def launch(self, argv: Sequence[str | PathLike[str]], **options: Any) -> App:
        """Start an app here, as `deskhand.launch` does with the same options."""
        options.setdefault("trace", self.trace)
        app = launch(argv, desktop=self, **options)
        self._apps.append(app)
        return app

    def share(self) -> Share:
        share = super().share()
        self._shares.append(share)
        return share

    def end_apps(self) -> None:
        """End every app that was started here, by `launch` or otherwise."""
        with contextlib.ExitStack() as stack:
            for share in self._shares:
                stack.callback(share.close)
            for app in self._apps:
                stack.callback(app.close)
            self._shares, self._apps = [], []


class Worker:
    """An actor: it has a desktop while it lives, and gives each item to the function with it."""

    def __init__(self, options: Mapping[str, Any], *, fresh: bool, traced: bool) -> None:
        """`options` are those of Desktop. With `fresh`, every item gets a desktop that none had before."""
        self._options = dict(options)
        self._fresh = fresh
        self._traced = traced
        self._desktop: PoolDesktop | None = self._started()

    def ready(self) -> str:
        """The machine that it is on; answers once the desktop is up."""
        return socket.gethostname()

    def run(self, function: Callable[[PoolDesktop, Any], Any], item: Any, attempt: int) -> Outcome:
        """Call the function; whatever it raises is an outcome."""
        try:
            desktop = self._desktop = self._desktop or self._started()
        except DeskhandError as error:
            return Outcome("not started", text=str(error))
        desktop.attempt = attempt
        with contextlib.ExitStack() as stack:
            folder = None
            if self._traced:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="deskhand-ray.")))
                desktop.trace = stack.enter_context(_recording(folder))
            outcome = _called(function, desktop, item, folder)
        if self._fresh or outcome.kind != "done":
            self._end()
        return outcome

    def close(self) -> None:
        """End the desktop."""
        self._end()

    def _started(self) -> PoolDesktop:
        desktop = PoolDesktop(**self._options)
        desktop.start()
        return desktop

    def _end(self) -> None:
        desktop, self._desktop = self._desktop, None
        if desktop is not None:
            desktop.close()


@contextlib.contextmanager
def _recording(folder: Path) -> Any:
    """A trace that is discarded unless it has been saved."""
    trace = Trace(folder / _TRACE)
    try:
        yield trace
    finally:
        trace.discard()


def _called(
    function: Callable[[PoolDesktop, Any], Any], desktop: PoolDesktop, item: Any, folder: Path | None
) -> Outcome:
    began = time.monotonic()
    try:
        value = function(desktop, item)
        desktop.end_apps()
    except Exception as error:  # noqa: BLE001 - raised again where the item was given to the pool
        seconds = time.monotonic() - began
        return _failure(error, desktop, folder, seconds)
    return Outcome("done", value, seconds=time.monotonic() - began)


def _failure(error: Exception, desktop: PoolDesktop, folder: Path | None, seconds: float) -> Outcome:
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    # A program fails first when its desktop ends: wait for the desktop's own word.
    ended = desktop.failed if desktop.supervisor.gone() else None
    saved = None
    if folder is not None and desktop.trace is not None:
        desktop.trace.error(error)
        with contextlib.suppress(DeskhandError, OSError):  # an app that is gone cannot be closed in order
            desktop.end_apps()
        saved = desktop.trace.save().read_bytes()
    if ended is not None:
        error_ = LaunchFailed(f"the desktop ended by itself: {ended}")
        return Outcome("desktop ended", None, error_, str(error_), lines, saved, seconds)
    text = f"{type(error).__name__}: {error}"
    return Outcome("failed", None, _portable(error), text, lines, saved, seconds)


def _portable(error: Exception) -> Exception | None:
    """The exception, if another process can make it again."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    except Exception:  # noqa: BLE001 - each class of exceptions decides itself how it is pickled
        return None
    return error
