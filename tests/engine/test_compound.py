"""Operations made of others wait as the engine does, over any runner."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine import compound
from deskhand.engine.compound import Composer
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.compound import WaitUntil, WaitWindows
from deskhand.model.errors import AppGone, Cancelled, NotReady, UiBusy, WaitTimeout
from deskhand.model.node import Window
from deskhand.model.tree import Tree
from tests.traces import until

Windows = tuple[Window, ...]


@pytest.fixture
def adapter() -> Iterator[MemoryAdapter]:
    adapter = MemoryAdapter([Element("window", "Main")])
    yield adapter
    adapter.close()


@pytest.fixture
def session(adapter: MemoryAdapter) -> Session:
    return Session(adapter)


class Answers:
    """A runner that gives these answers in order, and then always the last one."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.asked: list[ops.Operation[Any]] = []

    def run(self, operation: ops.Operation[Any], cancel: ops.Cancel | None = None) -> Any:
        self.asked.append(operation)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None: ...


def titled(title: str) -> Callable[[Windows], str]:
    def met(windows: Windows) -> str:
        titles = [window.title for window in windows]
        if title not in titles:
            raise NotReady(f"there are {titles}")
        return title

    return met


def opens(adapter: MemoryAdapter, title: str) -> None:
    """Open a window as soon as changes are waited for."""
    until(lambda: adapter._changed)
    adapter.call(lambda: adapter.windows.append(Element("window", title)), timeout=5)
    adapter.touch()


def test_the_windows_are_listed_again_when_they_differ_from_an_earlier_answer(
    session: Session, adapter: MemoryAdapter
) -> None:
    before = session.run(ops.ListWindows())
    with ThreadPoolExecutor(1) as pool:
        listed = pool.submit(session.run, ops.ListWindows(30, since=before))
        opens(adapter, "Second")
        assert [window.title for window in listed.result(20)] == ["Main", "Second"]
    assert adapter._changed == []


def test_windows_that_do_not_change_in_time_are_the_same(session: Session) -> None:
    before = session.run(ops.ListWindows())
    assert session.run(ops.ListWindows(0.05, since=before)) == before
    assert session.run(ops.ListWindows(30, since=())) == before


def test_a_wait_for_windows_returns_what_its_condition_returns(
    session: Session, adapter: MemoryAdapter
) -> None:
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(session.run, WaitWindows(titled("Second"), "a second window", 30))
        opens(adapter, "Second")
        assert waiting.result(20) == "Second"


def test_a_wait_for_windows_that_times_out_says_what_was_found(session: Session) -> None:
    with pytest.raises(WaitTimeout) as failed:
        session.run(WaitWindows(titled("Second"), "a second window", 0.05))
    assert failed.value.message == "waited 0.05 s for a second window; there are ['Main']"
    assert failed.value.last_seen == {"instead": "there are ['Main']"}


def test_a_busy_app_is_waited_for_and_named_only_if_it_never_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compound, "_AGAIN", 0.01)
    main = (Window("w", "Main"),)
    runner = Composer(Answers(UiBusy("busy"), UiBusy("busy"), main))
    assert runner.run(WaitWindows(titled("Main"), "it", 30)) == "Main"
    with pytest.raises(UiBusy):
        Composer(Answers(UiBusy("busy"))).run(WaitWindows(titled("Main"), "it", 0.05))
    with pytest.raises(WaitTimeout):
        Composer(Answers(main, UiBusy("busy"))).run(WaitWindows(titled("Other"), "it", 0.05))


def test_an_app_that_is_gone_ends_a_wait_unless_absent_apps_are_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compound, "_AGAIN", 0.01)
    main = (Window("w", "Main"),)
    with pytest.raises(AppGone):
        Composer(Answers(AppGone("gone"), main)).run(WaitWindows(titled("Main"), "it", 30))
    runner = Composer(Answers(AppGone("gone"), main))
    assert runner.run(WaitWindows(titled("Main"), "it", 30, absent=True)) == "Main"


def test_a_runner_that_does_not_wait_itself_is_not_asked_all_the_time() -> None:
    answers = Answers((Window("w", "Main"),))
    with pytest.raises(WaitTimeout):
        Composer(answers).run(WaitWindows(titled("Other"), "it", 0.3))
    assert len(answers.asked) < 6


def test_a_caller_that_goes_away_ends_a_wait_for_windows(session: Session, adapter: MemoryAdapter) -> None:
    cancel = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(session.run, WaitWindows(titled("Other"), "it", 60), cancel)
        until(lambda: adapter._changed)
        cancel.set()
        with pytest.raises(Cancelled):
            waiting.result(20)
    assert adapter._changed == []


def count_of(number: int) -> Callable[[Tree], int]:
    def met(tree: Tree) -> int:
        if len(tree) != number:
            raise NotReady(f"{len(tree)} nodes")
        return number

    return met


def test_a_wait_for_the_tree_reads_it_once_and_then_waits_for_changes(
    session: Session, adapter: MemoryAdapter
) -> None:
    class Asked:
        operations: list[ops.Operation[Any]] = []  # noqa: RUF012 - of this test alone

        def run(self, operation: ops.Operation[Any], cancel: ops.Cancel | None = None) -> Any:
            self.operations.append(operation)
            return session.run(operation, cancel)

        def close(self) -> None: ...

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(Composer(Asked()).run, WaitUntil(count_of(2), "two nodes", 30, poll=60))
        opens(adapter, "Second")
        assert waiting.result(20) == 2
    assert [type(operation) for operation in Asked.operations] == [ops.ReadTree, ops.WaitChange]


def test_a_wait_for_the_tree_that_times_out_says_what_was_found(session: Session) -> None:
    with pytest.raises(WaitTimeout) as failed:
        session.run(WaitUntil(count_of(2), "two nodes", 0.05))
    assert failed.value.message == "waited 0.05 s for two nodes; 1 nodes"
