"""The ways in, and the check of the matrix against what ran."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from demo.forms import command
from deskhand import App, connect
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.model.errors import DeskhandError
from deskhand.serving.endpoints import endpoints, serve
from deskhand.toolkits import Way

from .matrix import WAYS, limit, reports_ids
from .memory_form import Form
from .outside_form import EnabledForm, LaunchedForm, OutsideForm, SharedForm, Xa11yForm, seen_as

REFUSED_WITHIN, REFUSED_WITHIN_BY_XA11Y = 2.0, 5.0
"""How long to wait for what the matrix denies, in seconds; xa11y may take as long for one read."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "way" in metafunc.fixturenames:
        toolkits_only = any(metafunc.definition.iter_markers("toolkits"))
        ways = [name for name, way in WAYS.items() if not toolkits_only or way.all_controls]
        # In the scope of the module, pytest goes one way to its end before the next: one form runs at a time.
        metafunc.parametrize("way", ways, indirect=True, scope="module")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object:
    """A behaviour that the matrix denies must be refused by an error of ours."""
    name = getattr(pyfuncitem, "callspec", None) and pyfuncitem.callspec.params.get("way")
    row = limit(WAYS[name], pyfuncitem.originalname) if name else None
    if row is None:
        return (yield)
    app: App = pyfuncitem.funcargs["app"]
    usual, app.timeout = app.timeout, REFUSED_WITHIN_BY_XA11Y if name.startswith("xa11y") else REFUSED_WITHIN
    try:
        yield
    except DeskhandError as error:
        if error.kind not in row.refused:
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
        yield cache(lambda: _start(WAYS[way], stack))


@pytest.fixture
def app(
    way: str, started: Callable[[], SharedForm], request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[App]:
    with ExitStack() as stack:
        if way.startswith("memory"):
            yield _memory(way, tmp_path, stack)
        elif way.startswith("xa11y") and "many_rows" in request.node.name:
            # One of its own: a table that takes too long is still being read when the test is over.
            yield Xa11yForm(WAYS[way], stack, "--rows", "1000").start_over()
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


def _start(way: Way, stack: ExitStack) -> SharedForm:
    if way.through == "launch":
        return LaunchedForm(command(way, "--again"), stack, on_screen=way.on_screen, **way.env)
    if way.through == "enable":
        return EnabledForm(command(way, "--again"), stack)
    if way.through == "xa11y":
        return Xa11yForm(way, stack)
    return OutsideForm(way, {} if reports_ids(way) else seen_as(way), stack)
