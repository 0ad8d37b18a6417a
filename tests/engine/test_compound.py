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
from deskhand.engine.policy_guard import Guard
from deskhand.engine.restricted import Restricted
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.compound import Batch, Bounded, Outcome, Performed, Step, WaitUntil, WaitWindows, Within
from deskhand.model.errors import (
    AppGone,
    Cancelled,
    ConnectFailed,
    Disabled,
    InvalidParams,
    NotFound,
    NotReady,
    UiBusy,
    WaitTimeout,
)
from deskhand.model.node import Window
from deskhand.model.policy import read_policy
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


# -- batches ------------------------------------------------------------------------------------------


class Form:
    """A window with a field and a button that counts."""

    def __init__(self) -> None:
        self.pressed = 0
        self.field = Element("textfield", "Name", "name", value="")
        self.button = Element("button", "Save", "save", on_press=self.press)
        self.adapter = MemoryAdapter([Element("window", "Main", children=[self.field, self.button])])
        self.session = Session(self.adapter)

    def press(self) -> None:
        self.pressed += 1


@pytest.fixture
def form() -> Iterator[Form]:
    form = Form()
    yield form
    form.session.close()


def does(action: ops.Action) -> Step:
    return lambda _, __: action


def fails(error: Exception) -> Step:
    def make(_: Bounded, __: float) -> ops.Action:
        raise error

    return make


def kinds(performed: Performed) -> list[str]:
    return [
        "done" if one.done is not None else "skipped" if one.after is not None else type(one.error).__name__
        for one in performed.outcomes
    ]


TYPE, PRESS = does(ops.SetValue("#name", value="Ada")), does(ops.Press("#save"))


def test_a_batch_performs_its_actions_in_order_and_reports_once_what_changed(form: Form) -> None:
    performed = form.session.run(Batch((TYPE, PRESS)))

    assert kinds(performed) == ["done", "done"]
    assert (form.field.value, form.pressed, performed.idle) == ("Ada", 1, True)
    assert performed.after is not None
    assert performed.after.difference is not None
    (value,) = (each.fields["value"] for each in performed.after.difference.changed if "value" in each.fields)
    assert value == "Ada"
    assert performed.after.tree is not None


def test_a_batch_that_changed_nothing_has_no_second_tree(form: Form) -> None:
    form.session.run(Batch((PRESS,)))  # which gives it the focus
    performed = form.session.run(Batch((PRESS,)))
    assert performed.after is not None
    assert performed.after.difference is not None
    assert performed.after.difference.empty
    assert performed.after.tree is None


def test_a_batch_stops_at_the_first_failure_or_goes_on(form: Form) -> None:
    steps = (TYPE, fails(InvalidParams("wrong")), PRESS)

    stopped = form.session.run(Batch(steps))
    assert (kinds(stopped), form.pressed) == (["done", "InvalidParams", "skipped"], 0)
    assert stopped.outcomes[2] == Outcome(after=1)

    assert kinds(form.session.run(Batch(steps, stop=False))) == ["done", "InvalidParams", "done"]
    assert form.pressed == 1


def test_each_action_of_a_batch_waits_for_its_own_target(form: Form) -> None:
    form.button.enabled = False
    timer = threading.Timer(0.1, lambda: form.adapter.post(lambda: setattr(form.button, "enabled", True)))
    timer.start()
    seconds: list[float] = []

    def press(_: Bounded, patience: float) -> ops.Action:
        seconds.append(patience)
        return ops.Press("#save", timeout=patience)

    assert kinds(form.session.run(Batch((TYPE, press), timeout=60))) == ["done", "done"]
    timer.join()
    assert 1 < seconds[0] < 15


def test_a_batch_without_time_says_so_and_names_a_wrong_target_all_the_same(form: Form) -> None:
    performed = form.session.run(Batch((PRESS, fails(NotFound("no such button"))), timeout=0, stop=False))
    assert kinds(performed) == ["UiBusy", "NotFound"]
    assert form.pressed == 0
    assert performed.idle is None


def test_what_concerns_every_action_ends_the_batch(form: Form) -> None:
    with pytest.raises(ConnectFailed):
        form.session.run(Batch((TYPE, fails(ConnectFailed("refused")), PRESS), stop=False))
    form.session.enabled = False
    for batch in (Batch(()), Batch((), receipt=False), Batch((PRESS,), receipt=False)):
        with pytest.raises(Disabled):
            form.session.run(batch)


def test_an_app_that_ends_in_a_batch_leaves_what_was_done_and_why_the_rest_is_unknown() -> None:
    before = ops.Snapshot(1, tree=Tree([]))
    runner = Composer(Answers(before, ops.Done(exit=ops.Exit()), AppGone("gone", exit_code=0)))
    performed = runner.run(Batch((PRESS, PRESS, PRESS), stop=False))
    assert kinds(performed) == ["done", "AppGone", "skipped"]
    assert isinstance(performed.unknown, AppGone)
    assert performed.exit == ops.Exit()


def test_limits_hold_for_each_action_of_a_batch(form: Form) -> None:
    reads_only = Restricted(form.session, read_only=True).run(Batch((TYPE, PRESS), stop=False))
    assert kinds(reads_only) == ["ActionsOff", "ActionsOff"]
    policy = read_policy({"rule": [{"name": "Save", "decide": "deny"}]})
    guarded = Guard(policy).around(form.session, "test").run(Batch((TYPE, PRESS)))
    assert kinds(guarded) == ["done", "Refused"]
    assert (form.field.value, form.pressed) == ("Ada", 0)


def test_operations_within_one_deadline_get_the_time_that_is_left(form: Form) -> None:
    runner = Answers(())
    left: list[float] = []

    def work(bounded: Bounded) -> str:
        left.append(bounded.left)
        bounded.run(ops.Find("button"))
        bounded.run(ops.Press("#save", timeout=7))
        return "done"

    assert Composer(runner).run(Within(work, 3)) == "done"
    find, press = runner.asked
    assert 2 < left[0] <= 3
    assert isinstance(find, ops.Find)
    assert 2 < (find.timeout or 0) <= 3
    assert press == ops.Press("#save", timeout=7)


def test_an_app_that_did_not_answer_within_the_deadline_is_not_asked_again() -> None:
    runner = Answers(UiBusy("busy"))

    def work(bounded: Bounded) -> None:
        for _ in range(3):
            with pytest.raises(UiBusy, match="does not answer in time: busy"):
                bounded.run(ops.ListWindows())

    Composer(runner).run(Within(work, 0))
    assert len(runner.asked) == 1
