"""No test sees the desktop of the person who runs it: a command that names no app would mean that one.

Examples that are made up are the same in each run, and may take as long as a busy machine takes.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

for _name in ("DISPLAY", "WAYLAND_DISPLAY", "AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"):
    os.environ.pop(_name, None)

settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--repeat", type=int, default=1, metavar="N", help="Run each test N times.")
    parser.addoption("--heavy", action="store_true", help="Also run the tests of programs that are large.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--heavy"):
        heavy = [item for item in items if item.get_closest_marker("heavy")]
        items[:] = [item for item in items if item not in heavy]
        config.hook.pytest_deselected(items=heavy)


@pytest.fixture
def repetition() -> None:
    """Stands for one of the runs that --repeat asks for."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    times = metafunc.config.getoption("--repeat")
    if times > 1:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(times), indirect=True, ids=lambda number: f"run{number + 1}")
