"""The ways in, and the check of the matrix against what ran."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from deskhand import App, connect
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.model.errors import DeskhandError
from deskhand.serving.endpoints import endpoints, serve

from .matrix import CANNOT, WAYS, adapter_of, has_all_controls, tells_ids
from .memory_form import Form
from .outside_form import (
    BRIEF_JVM,
    EnabledForm,
    LaunchedForm,
    OutsideForm,
    SharedForm,
    Xa11yForm,
    seen_as,
)

DEMO = Path(__file__).parents[2] / "demo"
BINDINGS = {"pyside6": "PySide6", "pyqt6": "PyQt6"}
REFUSED_WITHIN, REFUSED_WITHIN_BY_XA11Y = 2.0, 5.0
"""How long to wait for what the matrix denies, in seconds; xa11y may take as long for one read."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "way" in metafunc.fixturenames:
        toolkits_only = any(metafunc.definition.iter_markers("toolkits"))
        ways = [way for way in WAYS if not toolkits_only or has_all_controls(way)]
        # In the scope of the module, pytest goes one way to its end before the next: one form runs at a time.
        metafunc.parametrize("way", ways, indirect=True, scope="module")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object:
    """A behaviour that the matrix denies must be refused by an error of ours."""
    way = getattr(pyfuncitem, "callspec", None) and pyfuncitem.callspec.params.get("way")
    row = CANNOT.get(adapter_of(way), {}).get(pyfuncitem.originalname) if way else None
    if row is None:
        return (yield)
    app: App = pyfuncitem.funcargs["app"]
    usual, app.timeout = app.timeout, REFUSED_WITHIN_BY_XA11Y if way.startswith("xa11y") else REFUSED_WITHIN
    try:
        yield
    except DeskhandError as error:
        if error.kind not in ((row.refused,) if isinstance(row.refused, str) else row.refused):
            raise AssertionError(f"refused in another way than for the reason: {row.reason}") from error
        return True
    finally:
        app.timeout = usual
    raise AssertionError(f"works, although the matrix says: {row.reason}")


@pytest.fixture(scope="module")
def way(request: pytest.FixtureRequest) -> str:
    """The way in, by its name in the matrix."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def started(way: str) -> Iterator[Callable[[], SharedForm]]:
    """Gives the form that the way leads to, started when it is first asked for."""
    with ExitStack() as stack:
        yield cache(lambda: _start(way, stack))


@pytest.fixture
def app(
    way: str, started: Callable[[], SharedForm], request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[App]:
    with ExitStack() as stack:
        if way.startswith("memory"):
            yield _memory(way, tmp_path, stack)
        elif way.startswith("xa11y") and "many_rows" in request.node.name:
            # One of its own: a table that takes too long is still being read when the test is over.
            yield Xa11yForm(way.partition("-")[2], stack).start_over()
        else:
            yield started().start_over()


def _memory(way: str, tmp_path: Path, stack: ExitStack) -> App:
    session = Session(Form().adapter)
    stack.callback(session.close)
    if way == "memory":
        return stack.enter_context(App(LocalEngine(session, "memory")))
    address = {"gip": str(tmp_path / "gip"), "ws": "ws://127.0.0.1:0", "http": "http://127.0.0.1:0"}
    served = stack.enter_context(serve(session, endpoints(address[way.split("-")[1]])))
    return stack.enter_context(connect(served.ready[0].url))


def _start(way: str, stack: ExitStack) -> SharedForm:
    adapter, _, toolkit = way.partition("-")
    if adapter == "javafx":
        command = [str(DEMO / "javafx_form" / "run.sh"), "--again"]
        return LaunchedForm(command, stack, JAVA_TOOL_OPTIONS=" ".join(BRIEF_JVM))
    if adapter == "imgui":
        bare = ["--bare"] if toolkit == "bare" else []
        return LaunchedForm([sys.executable, str(DEMO / "imgui_form.py"), "--again", *bare], stack)
    if adapter == "wx":
        return LaunchedForm(["/usr/bin/python3", str(DEMO / "wx_form.py"), "--again"], stack)
    if toolkit == "enable":
        return EnabledForm(_qt_form(adapter, "qt_form.py"), stack)
    if adapter in BINDINGS:
        command = _qt_form(adapter, "qml_form.py" if toolkit == "qml" else "qt_form.py")
        if toolkit == "offscreen":
            return LaunchedForm(command, stack, on_screen=False, QT_QPA_PLATFORM="offscreen")
        return LaunchedForm(command, stack)
    if adapter == "xa11y":
        return Xa11yForm(toolkit, stack, "--rows", "12")  # it takes milliseconds for each cell of a table
    return OutsideForm(toolkit, {} if tells_ids(way) else seen_as(toolkit), stack)


def _qt_form(binding: str, form: str) -> list[str]:
    return [sys.executable, str(DEMO / form), "--binding", BINDINGS[binding], "--again"]
