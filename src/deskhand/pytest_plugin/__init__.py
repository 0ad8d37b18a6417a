"""The pytest plugin, which `pip install deskhand` registers: fixtures, options, what a failed test leaves.

Every run of pytest where deskhand is installed loads this file, so it imports next to nothing. The rest is
loaded when a collected test uses it. May import everything but the command line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .. import aio
    from ..client import App
    from ..desktop.private import Desktop
    from .attempt import Attempt
    from .running import Running

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

OUTPUT = "test-results"
"""The folder for what tests leave, unless --deskhand-output names another."""
STARTED = pytest.StashKey[float]()
"""When the session began: files in the output folder that are older belong to earlier ones."""

_FIXTURES = frozenset(
    {"deskhand_desktop", "deskhand_launch", "deskhand_app", "deskhand_aio_launch", "deskhand_aio_app"}
)
_LIBRARY = "deskhand.client"
"""Imported by tests that use deskhand without these fixtures."""

Command = Sequence[str | PathLike[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("deskhand", "desktop apps (deskhand)")
    option = group.addoption
    option(
        "--deskhand-headed",
        action="store_true",
        help="Show the apps on your own screen, instead of on a private desktop for each test.",
    )
    option(
        "--deskhand-output",
        metavar="DIR",
        help=f"Where failed tests leave screenshots, trees, logs and traces; emptied first ({OUTPUT}).",
    )
    option(
        "--deskhand-slowmo",
        type=_milliseconds,
        default=0.0,
        metavar="MS",
        help="Wait so many milliseconds after each action, so that a person can follow.",
    )
    option(
        "--deskhand-update-snapshots",
        action="store_true",
        help="Write the expected screenshots and trees anew, instead of comparing with them.",
    )
    option(
        "--deskhand-trace",
        choices=("on", "off", "retain-on-failure"),
        default="retain-on-failure",
        help="Which tests leave a trace (retain-on-failure).",
    )
    option(
        "--deskhand-screenshot",
        choices=("on", "off", "only-on-failure"),
        default="only-on-failure",
        help="Which tests leave a screenshot of their desktop (only-on-failure).",
    )
    option(
        "--deskhand-video",
        choices=("on", "off", "retain-on-failure"),
        default="off",
        help="Which tests leave a video (off).",
    )
    option(
        "--deskhand-audit",
        action="store_true",
        help="Audit the accessibility of the apps at the end of each test; findings fail it.",
    )
    option(
        "--deskhand-audit-baseline",
        metavar="FILE",
        help="The same, but for the findings of this file, which `deskhand audit --json` wrote.",
    )
    parser.addini(
        "deskhand_command",
        "The command of the app that the fixture deskhand_app starts, such as: python app.py",
        type="args",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    given: dict[str, Any] = getattr(config, "workerinput", {})
    config.stash[STARTED] = given.get("deskhand_started", time.time())
    config.addinivalue_line(
        "markers",
        "deskhand(command, **arguments): the app that the fixture deskhand_app starts for this test, "
        "and arguments of launch.",
    )
    if config.getoption("--deskhand-video") != "off":
        from ..video import INSTALL, missing

        if (reason := missing()) is not None:
            raise pytest.UsageError(f"--deskhand-video: {reason}: {INSTALL}")
    if config.getoption("--deskhand-output") is not None:
        from .folders import insist_on_harmless

        insist_on_harmless(output_folder(config), config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Of pytest-xdist: let a worker know when and where the session began; it may start much later."""
    node.workerinput["deskhand_started"] = node.config.stash[STARTED]
    node.workerinput["deskhand_output"] = str(output_folder(node.config))


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if hasattr(config, "workerinput"):
        return
    if config.getoption("--deskhand-output") is not None and not _only_shows_tests(config):
        _empty(config)
    if config.pluginmanager.hasplugin("dsession"):
        # Of pytest-xdist: only the workers collect tests, and know what they use.
        _register_reports(config)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Load the rest of the plugin, if a test needs it."""
    config = session.config
    if _only_shows_tests(config):
        return
    uses = any(not _FIXTURES.isdisjoint(getattr(item, "fixturenames", ())) for item in session.items)
    if uses or _LIBRARY in sys.modules:
        _empty(config)
        _running(session)


def _running(session: pytest.Session) -> Running:
    """The part of the plugin that accompanies tests, loaded if it was not yet."""
    from .running import Running

    plugins = session.config.pluginmanager
    running: Running | None = plugins.get_plugin("deskhand-running")
    if running is None:
        running = Running(session)
        plugins.register(running, "deskhand-running")
        if not hasattr(session.config, "workerinput"):
            _register_reports(session.config)
    return running


def _register_reports(config: pytest.Config) -> None:
    from .reports import Reports

    config.pluginmanager.register(Reports(config), "deskhand-reports")


def output_folder(config: pytest.Config) -> Path:
    """The folder for what tests leave."""
    given: dict[str, str] = getattr(config, "workerinput", {})
    wanted = given.get("deskhand_output") or config.getoption("--deskhand-output") or OUTPUT
    return Path(config.invocation_params.dir, wanted)


def _only_shows_tests(config: pytest.Config) -> bool:
    return bool(config.getoption("collectonly") or config.getoption("setupplan", False))


def _empty(config: pytest.Config) -> None:
    from .folders import empty

    empty(output_folder(config), config.stash[STARTED])


def _milliseconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError
    return value


# -- fixtures ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def deskhand_launch_args() -> dict[str, Any]:
    """Arguments of every launch, such as `env`, `cwd`, `size` or `default_timeout`; override it."""
    return {}


@pytest.fixture
def deskhand_desktop(
    request: pytest.FixtureRequest, deskhand_launch_args: dict[str, Any]
) -> Iterator[Desktop]:
    """A private desktop of this test's own; with --deskhand-headed, your own screen."""
    with _attempt(request).desktop(deskhand_launch_args) as desktop:
        yield desktop


@pytest.fixture
def deskhand_launch(
    request: pytest.FixtureRequest, deskhand_desktop: Desktop, deskhand_launch_args: dict[str, Any]
) -> Iterator[Callable[..., App]]:
    """Starts apps on the desktop of this test, which end with the test: `deskhand_launch(command, env=…)`."""
    with _attempt(request).launcher(deskhand_desktop, deskhand_launch_args) as launch:
        yield launch


@pytest.fixture
def deskhand_app(request: pytest.FixtureRequest, deskhand_launch: Callable[..., App]) -> App:
    """The app that the marker `deskhand` or the ini key `deskhand_command` names."""
    return _attempt(request).start_declared(deskhand_launch)


@pytest.fixture
def deskhand_aio_launch(
    request: pytest.FixtureRequest, deskhand_desktop: Desktop, deskhand_launch_args: dict[str, Any]
) -> Iterator[Callable[..., aio.Opening]]:
    """Starts apps as `deskhand_launch` does, for async tests: `await deskhand_aio_launch(command)`."""
    with _attempt(request).aio_launcher(deskhand_desktop, deskhand_launch_args) as launch:
        yield launch


@pytest.fixture
def deskhand_aio_app(
    request: pytest.FixtureRequest, deskhand_aio_launch: Callable[..., aio.Opening]
) -> aio.App:
    """The app of `deskhand_app`, for async tests: its methods are awaited."""
    from .attempt import opened_now

    start = deskhand_aio_launch
    return _attempt(request).start_declared(lambda *args, **named: opened_now(start(*args, **named)))


def _attempt(request: pytest.FixtureRequest) -> Attempt:
    return _running(request.session).attempt(request.node)
