"""The ways in, and the check of the matrix against what ran."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from deskhand import App, Desktop, connect, launch
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.client._sync.link import LocalEngine
from deskhand.endpoints import endpoints, serve
from deskhand.engine.session import Session
from deskhand.model.errors import ConnectFailed, DeskhandError

from .matrix import CANNOT, TOOLKITS, WAYS, adapter_of
from .memory_form import Form

FORM = Path(__file__).parents[2] / "demo" / "qt_form.py"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "app" in metafunc.fixturenames:
        toolkits_only = any(metafunc.definition.iter_markers("toolkits"))
        ways = [way for way in WAYS if not toolkits_only or adapter_of(way) in TOOLKITS]
        metafunc.parametrize("app", ways, indirect=True)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object:
    """A behaviour that the matrix denies must be refused by an error of ours."""
    way = getattr(pyfuncitem, "callspec", None) and pyfuncitem.callspec.params.get("app")
    reason = CANNOT.get(adapter_of(way), {}).get(pyfuncitem.originalname) if way else None
    if reason is None:
        return (yield)
    try:
        yield
    except DeskhandError as error:
        if error.kind not in ("action_unsupported", "screenshot_failed"):
            raise AssertionError(f"refused in another way than for the reason: {reason}") from error
        return True
    raise AssertionError(f"works, although the matrix says: {reason}")


@pytest.fixture(scope="session")
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


@pytest.fixture
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[App]:
    way: str = request.param
    with ExitStack() as stack:
        yield _ENTER[way.split("-")[0]](way, request, tmp_path, stack)


def _memory(way: str, request: pytest.FixtureRequest, tmp_path: Path, stack: ExitStack) -> App:
    session = Session(Form().adapter)
    stack.callback(session.close)
    if way == "memory":
        return stack.enter_context(App(LocalEngine(session, "memory")))
    address = {"gip": str(tmp_path / "gip"), "ws": "ws://127.0.0.1:0", "http": "http://127.0.0.1:0"}
    served = stack.enter_context(serve(session, endpoints(address[way.split("-")[1]])))
    return stack.enter_context(connect(served.ready[0].url))


def _qt(way: str, request: pytest.FixtureRequest, tmp_path: Path, stack: ExitStack) -> App:
    binding, platform = way.split("-")
    command = [sys.executable, str(FORM), "--binding", {"pyside6": "PySide6", "pyqt6": "PyQt6"}[binding]]
    if platform == "offscreen":
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    else:
        env = dict(request.getfixturevalue("desktop").env)
    if platform == "enable":
        return _enabled(command, env, tmp_path, stack)
    return stack.enter_context(launch(command, env=env))


def _enabled(command: list[str], env: dict[str, str], tmp_path: Path, stack: ExitStack) -> App:
    """The same form in a program that enables deskhand itself."""
    address = str(tmp_path / "gip")
    interpreter, *rest = command
    enabled = [interpreter, str(Path(__file__).with_name("enabled_form.py")), address, *rest]
    process = subprocess.Popen(enabled, env={**env, "DESKHAND_RUNTIME_DIR": str(tmp_path)})
    stack.callback(process.wait, 20)
    stack.callback(process.terminate)
    deadline = time.monotonic() + 30
    while True:
        try:
            return stack.enter_context(connect(address))
        except ConnectFailed:
            if time.monotonic() > deadline or process.poll() is not None:
                raise
            time.sleep(0.02)  # it says nothing when its socket is there


def _atspi(way: str, request: pytest.FixtureRequest, tmp_path: Path, stack: ExitStack) -> App:
    """The form as it is, driven through the accessibility bus."""
    desktop: Desktop = request.getfixturevalue("desktop")
    process = desktop.spawn([sys.executable, str(FORM), "--binding", "PySide6"])
    stack.callback(process.wait, 20)
    stack.callback(process.signal, signal.SIGTERM)
    session = Session(AtspiAdapter(desktop.env, pid=process.pid))
    stack.callback(session.close)
    app = stack.enter_context(App(LocalEngine(session, "atspi")))
    app.locator("#report").wait_for(timeout=30)
    return app


_ENTER: dict[str, Callable[[str, pytest.FixtureRequest, Path, ExitStack], App]] = {
    "memory": _memory,
    "pyside6": _qt,
    "pyqt6": _qt,
    "atspi": _atspi,
}
