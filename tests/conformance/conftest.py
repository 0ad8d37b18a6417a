"""The ways in, and the check of the matrix against what ran."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from deskhand import App, connect
from deskhand.client._sync.link import LocalEngine
from deskhand.endpoints import endpoints, serve
from deskhand.engine.session import Session
from deskhand.model.errors import DeskhandError

from .matrix import CANNOT, WAYS, adapter_of, has_all_controls, tells_ids
from .memory_form import Form
from .outside_form import (
    SEEN_BY_XA11Y,
    EnabledForm,
    LaunchedForm,
    OutsideForm,
    SharedForm,
    seen_as,
    through_xa11y,
)

DEMO = Path(__file__).parents[2] / "demo"
BINDINGS = {"pyside6": "PySide6", "pyqt6": "PyQt6"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "app" in metafunc.fixturenames:
        toolkits_only = any(metafunc.definition.iter_markers("toolkits"))
        ways = [way for way in WAYS if not toolkits_only or has_all_controls(way)]
        metafunc.parametrize("app", ways, indirect=True)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object:
    """A behaviour that the matrix denies must be refused by an error of ours."""
    way = getattr(pyfuncitem, "callspec", None) and pyfuncitem.callspec.params.get("app")
    row = CANNOT.get(adapter_of(way), {}).get(pyfuncitem.originalname) if way else None
    if row is None:
        return (yield)
    try:
        yield
    except DeskhandError as error:
        if error.kind != row.refused:
            raise AssertionError(f"refused in another way than for the reason: {row.reason}") from error
        return True
    raise AssertionError(f"works, although the matrix says: {row.reason}")


@pytest.fixture(scope="module")
def shared() -> Iterator[Callable[..., SharedForm]]:
    """Gives the running form of a toolkit, started when it is first asked for."""
    with ExitStack() as stack:
        forms: dict[tuple[str, ...], SharedForm] = {}

        def form(way: str, *options: str) -> SharedForm:
            key = (way, *options)
            if key not in forms:
                adapter, _, toolkit = way.partition("-")
                made: SharedForm
                if adapter == "javafx":
                    made = LaunchedForm([str(DEMO / "javafx_form" / "run.sh"), "--again"], stack)
                elif adapter == "imgui":
                    bare = ["--bare"] if toolkit == "bare" else []
                    made = LaunchedForm(
                        [sys.executable, str(DEMO / "imgui_form.py"), "--again", *bare], stack
                    )
                elif adapter == "wx":
                    made = LaunchedForm(["/usr/bin/python3", str(DEMO / "wx_form.py"), "--again"], stack)
                elif toolkit == "enable":
                    made = EnabledForm(_qt_form(adapter, "qt_form.py"), stack)
                elif adapter in BINDINGS:
                    offscreen = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
                    command = _qt_form(adapter, "qml_form.py" if toolkit == "qml" else "qt_form.py")
                    made = LaunchedForm(command, stack, offscreen if toolkit == "offscreen" else None)
                elif adapter == "xa11y":
                    made = OutsideForm(toolkit, SEEN_BY_XA11Y, stack, through_xa11y, *options)
                else:
                    made = OutsideForm(toolkit, {} if tells_ids(way) else seen_as(toolkit), stack)
                forms[key] = made
            return forms[key]

        yield form


@pytest.fixture
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[App]:
    way: str = request.param
    with ExitStack() as stack:
        app = _ENTER[way.split("-")[0]](way, request, tmp_path, stack)
        # The first look loads what a toolkit is read with; short timeouts in the tests are not about that.
        app.tree()
        yield app


def _memory(way: str, request: pytest.FixtureRequest, tmp_path: Path, stack: ExitStack) -> App:
    session = Session(Form().adapter)
    stack.callback(session.close)
    if way == "memory":
        return stack.enter_context(App(LocalEngine(session, "memory")))
    address = {"gip": str(tmp_path / "gip"), "ws": "ws://127.0.0.1:0", "http": "http://127.0.0.1:0"}
    served = stack.enter_context(serve(session, endpoints(address[way.split("-")[1]])))
    return stack.enter_context(connect(served.ready[0].url))


def _qt_form(binding: str, form: str) -> list[str]:
    return [sys.executable, str(DEMO / form), "--binding", BINDINGS[binding], "--again"]


def _shared(way: str, request: pytest.FixtureRequest, tmp_path: Path, stack: ExitStack) -> App:
    options = []
    if way.startswith("xa11y") and "many_rows" not in request.node.name:
        options = ["--rows", "12"]  # it takes milliseconds for each cell of a table
    form: SharedForm = request.getfixturevalue("shared")(way, *options)
    return form.start_over()


_ENTER: dict[str, Callable[[str, pytest.FixtureRequest, Path, ExitStack], App]] = {
    "memory": _memory,
    "pyside6": _shared,
    "pyqt6": _shared,
    "atspi": _shared,
    "imgui": _shared,
    "javafx": _shared,
    "wx": _shared,
    "xa11y": _shared,
}
