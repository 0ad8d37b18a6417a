"""Accompanies each test: what it started, its soft expectations, and what it leaves when it ends."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Generator

import pytest

from ..client import expect
from . import output_folder
from .attempt import Attempt
from .folders import Folders
from .reports import attach

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

_ATTEMPT = pytest.StashKey[Attempt]()


class Running:
    """Hooks that are called for each test, registered once a test was collected that uses deskhand."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._attempts = Counter[str]()

    @functools.cached_property
    def _folders(self) -> Folders:
        return Folders(item.nodeid for item in self._session.items)

    def attempt(self, item: pytest.Item) -> Attempt:
        """The attempt at a test that runs now."""
        if _ATTEMPT not in item.stash:
            self._begin(item)
        return item.stash[_ATTEMPT]

    def _begin(self, item: pytest.Item) -> None:
        self._attempts[item.nodeid] += 1
        # Of pytest-rerunfailures, where another worker may have made the first attempts.
        number = max(self._attempts[item.nodeid], getattr(item, "execution_count", 1))
        folder = output_folder(item.config) / self._folders.name(item.nodeid, number)
        item.stash[_ATTEMPT] = Attempt(item, folder)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self._begin(item)
        expect.take_soft()  # those of code outside of tests
        expect.set_options(test_file=item.path, output=self.attempt(item).folder)
        if item.config.getoption("--deskhand-update-snapshots"):
            expect.set_options(update_snapshots=True)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        try:
            yield
        except BaseException:
            self.attempt(item).keep_soft(expect.take_soft())
            raise
        expect.raise_soft()
        self.attempt(item).audit()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "call" or (report.when == "setup" and not report.passed):
            error = None if call.excinfo is None else call.excinfo.value
            attach(report, self.attempt(item).end(failed=report.failed, error=error), item.config)
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if _ATTEMPT in item.stash:
            del item.stash[_ATTEMPT]
        expect.set_options(test_file=None, output=None)
