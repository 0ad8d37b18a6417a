"""Makes the recorder of an app: how its screen is reached, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..launching.ending import AppProcess
from ..model.errors import DeskhandError
from ..model.operations import GetAppInfo, Runner
from ..serving.machine import session_of
from ..tracing.capture import Camera
from ..tracing.recorder import Recorder
from ..tracing.trace import Trace


def record(
    trace: Trace, runner: Runner, process: AppProcess | None, pid: int | None, address: str
) -> Recorder:
    """Begin to record an app; the runner is for the recorder alone."""
    return recorder_of(
        trace,
        runner,
        pid=pid,
        close=True,
        output=None if process is None else lambda: {"stdout": process.stdout, "stderr": process.stderr},
        address=address,
    )


def recorder_of(
    trace: Trace,
    runner: Runner,
    *,
    pid: int | None,
    name: str | None = None,
    close: bool = False,
    output: Any = None,
    **about: Any,
) -> Recorder:
    """Begin to record what a runner is used for; `pid` is of the app, if that is on this machine."""
    env: Mapping[str, str] | None = None if pid is None else session_of(pid)
    with suppress(DeskhandError):
        info = runner.run(GetAppInfo())
        about |= {"toolkit": info.toolkit, "framework": info.framework, "title": info.title}
        name = name or info.title
    camera = Camera(runner, env, close_runner=close)
    return Recorder(trace, camera, name=name, output=output, pid=pid, **about)
