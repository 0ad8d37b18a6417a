"""A desktop of several sources is one tree, and each element leads back to its source."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.adapters.merge import JoinedAdapter, Part
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import ActionUnsupported, AppGone, ConnectFailed, NotFound, Stale, UiBusy
from deskhand.model.operations import Cancel, Operation
from deskhand.model.tree import Tree
from tests.client.greeter import Greeter

R = TypeVar("R")


class Whole(MemoryAdapter):
    """A desktop with two programs; the one with process id 7 may be left out."""

    def __init__(self) -> None:
        self.without: frozenset[int] = frozenset()
        self.pressed: list[str] = []
        self._every = {7: _window("Seven", self.pressed), 9: _window("Nine", self.pressed)}
        super().__init__([])

    def read(self, root: str | None = None, **more: Any) -> Tree:
        self.windows = [window for pid, window in self._every.items() if pid not in self.without]
        return super().read(root, **more)


def _window(name: str, pressed: list[str]) -> Element:
    return Element("window", name, children=[Element("button", name, on_press=lambda: pressed.append(name))])


class Dead:
    """A runner whose program does not let us in, or is gone."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        raise self._error

    def close(self) -> None:
        pass


class Slow:
    """A runner that answers once `go` is set, and fails once the call is cancelled."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.go = threading.Event()
        self.told = threading.Event()

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        while not self.go.wait(0.01):
            if cancel is not None and cancel.is_set():
                self.told.set()
                raise UiBusy("the call was given up")
        return self._session.run(operation, cancel)

    def close(self) -> None:
        pass


@dataclass
class Stage:
    whole: Whole
    greeter: Greeter
    parts: list[Part] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.adapter = JoinedAdapter(self.whole, lambda: self.parts)
        self.session = Session(self.adapter)

    def names(self) -> list[str | None]:
        return [window.title for window in self.session.run(ops.ListWindows())]


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage(Whole(), Greeter())
    stage.parts.append(Part("greeter", 7, stage.greeter.session))
    yield stage
    stage.adapter.close()
    stage.greeter.session.close()


def test_a_program_with_a_source_of_its_own_is_read_from_there_and_nowhere_else(stage: Stage) -> None:
    assert stage.names() == ["Nine", "Greeter"]
    tree = stage.session.run(ops.ReadTree()).tree
    assert tree is not None
    assert [node.name for node in tree.roots] == ["Nine", "Greeter"]
    assert all(node.uid.endswith("@7") for node in tree if tree.window_of(node).name == "Greeter")
    assert len({node.uid for node in tree}) == len(tree)


def test_each_action_goes_to_the_source_of_its_target(stage: Stage) -> None:
    stage.session.run(ops.SetValue("#name", value="Ada"))
    done = stage.session.run(ops.Press('button[name="Greet"]'))
    stage.session.run(ops.Press('button[name="Nine"]'))
    assert stage.greeter.greeting.text == "Hello, Ada!"
    assert stage.whole.pressed == ["Nine"]
    assert done.detail == "inside the program"


def test_a_forwarded_operation_neither_waits_nor_makes_a_receipt(stage: Stage) -> None:
    passed: list[Operation[object]] = []

    class Spy(Slow):
        def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
            passed.append(operation)
            return super().run(operation, cancel)

    spy = Spy(stage.greeter.session)
    spy.go.set()
    stage.parts[:] = [Part("greeter", 7, spy)]
    done = stage.session.run(ops.Press('button[name="Greet"]', receipt=True, timeout=3))
    assert done.receipt is not None
    (action,) = [operation for operation in passed if isinstance(operation, ops.Press)]
    assert (action.timeout, action.receipt) == (0.0, False)


def test_a_uid_finds_its_element_again_and_one_of_a_program_that_ended_is_stale(stage: Stage) -> None:
    (node,) = stage.session.run(ops.Find("#name"))
    assert stage.session.run(ops.Get(f'uid="{node.uid}"', timeout=0)).automation_id == "name"
    stage.parts.clear()
    with pytest.raises(Stale, match="7 is no longer here"):
        stage.adapter.read(node.uid, timeout=1)
    assert stage.names() == ["Seven", "Nine"]


def test_a_stale_uid_is_named_as_the_client_gave_it(stage: Stage) -> None:
    with pytest.raises(Stale) as caught:
        stage.adapter.read("m-999@7", timeout=1)
    assert caught.value.target is not None
    assert "m-999@7" in caught.value.target.replace('"', "")


def test_a_wait_sees_what_happens_in_a_part(stage: Stage) -> None:
    stage.greeter.later(0.1, lambda: setattr(stage.greeter.late, "enabled", True))
    assert stage.session.run(ops.Wait("#late", "enabled", timeout=5)).node is not None


def test_a_part_that_hangs_is_named_and_delays_the_rest_only_once(stage: Stage) -> None:
    slow = Slow(stage.greeter.session)
    stage.parts[:] = [Part("greeter", 7, slow)]
    tree = stage.adapter.read(timeout=0.2)
    assert [window.title for window in tree.windows] == ["Nine"]
    assert tree.cut is not None
    assert "'greeter' (pid 7)" in tree.cut.reason
    assert slow.told.wait(5), "the question is taken back"
    cut = stage.session.run(ops.ReadTree(max_nodes=1)).tree
    assert cut is not None
    assert cut.cut is not None
    assert "only 1 nodes" in cut.cut.reason
    assert "'greeter' (pid 7)" in cut.cut.reason
    with pytest.raises(NotFound) as caught:
        stage.session.run(ops.Get("#name", timeout=0))
    assert any("'greeter' (pid 7)" in hint for hint in caught.value.suggestions)
    began = time.monotonic()
    stage.adapter.read(timeout=30)
    assert time.monotonic() - began < 5
    slow.go.set()
    tree = stage.adapter.read(timeout=5)
    assert [window.title for window in tree.windows] == ["Nine", "Greeter"]
    assert tree.cut is None


def test_an_action_in_a_part_that_hangs_ends_at_its_deadline(stage: Stage) -> None:
    uid = stage.session.run(ops.Find("#name"))[0].uid
    stage.parts[:] = [Part("greeter", 7, Slow(stage.greeter.session))]
    with pytest.raises(UiBusy, match="'greeter' \\(pid 7\\)"):
        stage.adapter.perform(ops.Press(), uid, None, timeout=0.1)


def test_a_part_that_ends_in_the_middle_is_named(stage: Stage) -> None:
    stage.parts[:] = [Part("greeter", 7, Dead(AppGone("the app is gone: process 7 ended")))]
    tree = stage.adapter.read(timeout=5)
    assert [window.title for window in tree.windows] == ["Nine"]
    assert tree.cut is not None
    assert "process 7 ended" in tree.cut.reason


def test_a_part_that_does_not_let_us_in_is_read_like_any_other_program(stage: Stage) -> None:
    stage.parts[:] = [Part("greeter", 7, Dead(ConnectFailed("no server listens")))]
    tree = stage.adapter.read(timeout=5)
    assert [window.title for window in tree.windows] == ["Seven", "Nine"]
    assert tree.cut is None


def test_a_drag_between_sources_is_refused(stage: Stage) -> None:
    tree = stage.adapter.read(timeout=5)
    inside = next(node.uid for node in tree if node.name == "Greet")
    outside = next(node.uid for node in tree if node.name == "Nine" and node.role == "button")
    with pytest.raises(ActionUnsupported, match="from one program into another"):
        stage.adapter.perform(ops.Drag(), inside, outside, timeout=1)
