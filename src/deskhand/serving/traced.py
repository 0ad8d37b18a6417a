"""Makes the recorder of an app: how its screen is reached, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from ..model.errors import DeskhandError
from ..model.operations import GetAppInfo, Runner
from ..tracing.capture import Camera
from ..tracing.recorder import Recorder, Traced
from ..tracing.trace import Trace
from ..transports.bearer import bearer
from .machine import session_of


class Writes(Protocol):
    """A process whose output is kept."""

    @property
    def stdout(self) -> str: ...

    @property
    def stderr(self) -> str: ...


def recorder_of(
    trace: Trace,
    runner: Runner,
    *,
    pid: int | None,
    name: str | None = None,
    process: Writes | None = None,
    close: bool = False,
    **about: Any,
) -> Recorder:
    """Begin to record an app; `runner` is what it is read by, and `close` lets the recorder close it.

    `pid` is of the app, if that is on this machine, and `process` is what has its output.
    """
    output: Callable[[], Mapping[str, str]] | None = None
    if process is not None:
        output = lambda: {"stdout": process.stdout, "stderr": process.stderr}  # noqa: E731 - with the process
    with suppress(DeskhandError):
        info = runner.run(GetAppInfo())
        about |= {"toolkit": info.toolkit, "framework": info.framework, "title": info.title}
        name = name or info.title
    camera = Camera(runner, None if pid is None else session_of(pid), close_runner=close)
    return Recorder(trace, camera, name=name, output=output, pid=pid, **about)


def traced(runner: Runner, recorder: Recorder, client: str) -> Traced:
    """The runner for clients of one kind, with everything recorded that they do."""

    def about() -> dict[str, Any]:
        known = bearer.get()
        return {"client": client, **({} if known is None else {"token": known.name})}

    return Traced(runner, recorder, about)
