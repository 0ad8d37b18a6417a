"""DESKHAND_VERIFY=1: a read from what an adapter keeps must be what a cold read gives, or it is an error."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from deskhand.adapters.companions import WithOthers
from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.adapters.scope import Scope
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import AccessibilityUnavailable, DeskhandError, UiBusy, WrongRead
from deskhand.model.tree import Tree
from deskhand.model.verified import VARIABLE, verified


class Keeper(MemoryAdapter):
    """Keeps what it read first and never reads again, unless it must forget that."""

    def __init__(self) -> None:
        self.label = Element("text", id="label", text="one")
        self.button = Element("button", "Save", "save")
        self.window = Element("window", "Main", children=[self.label, self.button])
        self.kept: dict[str | None, Tree] = {}
        self.without: frozenset[int] = frozenset()
        self.between: Callable[[], object] = lambda: None
        """Runs before each cold read, as a program does that changes all the time."""
        super().__init__([self.window])

    def read(self, root: str | None = None, *, timeout: float, **how: Any) -> Tree:
        if root not in self.kept:
            self.kept[root] = super().read(root, timeout=timeout, **how)
        return self.kept[root]

    def read_cold(self, root: str | None = None, *, timeout: float, **how: Any) -> Tree:
        self.between()
        return super().read(root, timeout=timeout, **how)

    def lookup(self, css: str, *, limit: int, timeout: float) -> list[str]:
        return [node.uid for node in super().read(timeout=timeout) if node.role == css]


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    monkeypatch.setenv(VARIABLE, "1")
    keeper = Keeper()
    yield keeper
    keeper.close()


def test_a_stale_read_is_an_error_that_names_the_node_the_field_and_both_values(keeper: Keeper) -> None:
    session = Session(keeper)
    session.run(ops.ReadTree())
    keeper.label.text = "two"
    with pytest.raises(WrongRead) as caught:
        session.run(ops.ReadTree())
    (wrong,) = caught.value.details["differences"]
    assert (wrong["field"], wrong["kept"], wrong["cold"]) == ("text", "'one'", "'two'")
    assert wrong["what"] == 'text "two"'
    again = DeskhandError.from_json(caught.value.to_json())
    assert isinstance(again, WrongRead)
    assert again.details == caught.value.details


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda keeper: keeper.window.children.append(Element("button", "New")), "presence"),
        (lambda keeper: keeper.window.children.remove(keeper.button), "presence"),
        (lambda keeper: keeper.window.children.reverse(), "order"),
        (lambda keeper: setattr(keeper.window, "name", "Other"), "title"),
        (lambda keeper: setattr(keeper, "focused", keeper.button), "focused"),
    ],
)
def test_every_kind_of_difference_is_found(
    keeper: Keeper, change: Callable[[Keeper], None], field: str
) -> None:
    session = Session(keeper)
    session.run(ops.ReadTree())
    change(keeper)
    with pytest.raises(WrongRead) as caught:
        session.run(ops.ReadTree())
    assert field in [one["field"] for one in caught.value.details["differences"]]


def test_actions_and_waits_are_proven_too(keeper: Keeper) -> None:
    session = Session(keeper)
    session.run(ops.ReadTree())
    keeper.button.name = "Save as"
    for operation in (ops.Click("#save"), ops.Wait("#save"), ops.Find("button"), ops.Get("#save")):
        with pytest.raises(WrongRead):
            session.run(operation)


def test_an_element_that_only_one_of_both_reads_has_is_a_difference(keeper: Keeper) -> None:
    session = Session(keeper)
    uid = session.run(ops.Get("#save")).uid
    keeper.window.children.remove(keeper.button)
    with pytest.raises(WrongRead) as caught:
        session.adapter.read(uid, depth=0, details=True, timeout=5)
    assert caught.value.details["differences"][0]["cold"] == "missing"


def test_a_program_that_changes_between_reads_is_not_an_error(keeper: Keeper) -> None:
    turns = iter(range(1000))

    def change() -> None:
        keeper.label.text = f"at {next(turns)}"
        keeper.kept.clear()

    keeper.between = change
    session = Session(keeper)
    for _ in range(5):
        session.run(ops.ReadTree())


def test_an_element_that_comes_and_goes_between_both_cold_reads_is_not_an_error(keeper: Keeper) -> None:
    session = Session(keeper)
    session.run(ops.ReadTree())
    tip = Element("tooltip", "Tip")
    reads = iter(range(100))

    def between() -> None:
        """The first cold read has no tip, the read after it has, and all later ones have not."""
        keeper.kept.clear()
        if next(reads) == 0:
            keeper.window.children.append(tip)
            keeper.kept[None] = MemoryAdapter.read(keeper, timeout=1)
            keeper.window.children.remove(tip)

    keeper.between = between
    assert "Tip" not in [node.name for node in session.run(ops.ReadTree()).tree]


def test_an_element_that_is_new_and_stays_in_one_of_both_reads_is_an_error(keeper: Keeper) -> None:
    session = Session(keeper)
    session.run(ops.ReadTree())
    tip = Element("tooltip", "Tip")
    keeper.window.children.append(tip)
    keeper.kept[None] = MemoryAdapter.read(keeper, timeout=1)
    keeper.window.children.remove(tip)
    with pytest.raises(WrongRead, match="Tip"):
        session.run(ops.ReadTree())


@pytest.mark.parametrize(("started", "cold_reads"), [(False, 1), (True, 2)])
def test_a_blocked_gui_thread_costs_a_proven_read_its_time_once_and_a_slow_cold_read_gets_more(
    keeper: Keeper, started: bool, cold_reads: int
) -> None:
    limits: list[float] = []

    def busy(_: str | None = None, *, timeout: float, **how: Any) -> Tree:
        limits.append(timeout)
        raise UiBusy("the GUI thread is busy", started=started)

    keeper.read_cold = busy  # type: ignore[method-assign]  # stands for a program that is busy
    with pytest.raises(UiBusy):
        verified(keeper).read(timeout=2)
    assert limits == [2, 30.0][:cold_reads]


def test_if_both_reads_fail_the_error_is_that_of_the_read_without_proof(keeper: Keeper) -> None:
    def fails(message: str) -> Callable[..., Tree]:
        def read(_: str | None = None, **how: Any) -> Tree:
            raise AccessibilityUnavailable(message)

        return read

    keeper.read_cold = fails("cannot connect")  # type: ignore[method-assign]  # stands for a bus that ended
    keeper.read = fails("the desktop is gone")  # type: ignore[method-assign]  # as above
    with pytest.raises(AccessibilityUnavailable, match="the desktop is gone"):
        verified(keeper).read(timeout=2)


def test_of_many_differences_some_are_listed_and_the_rest_is_counted(keeper: Keeper) -> None:
    session = Session(keeper)
    session.run(ops.ReadTree())
    keeper.window.children += [Element("button", f"button {number}") for number in range(50)]
    with pytest.raises(WrongRead) as caught:
        session.run(ops.ReadTree())
    assert len(caught.value.details["differences"]) == 20
    assert caught.value.details["left_out"] > 30
    assert len(caught.value.message) < 4000


def test_what_else_an_adapter_can_do_stays(keeper: Keeper) -> None:
    session = Session(keeper)
    assert [node.name for node in session.run(ops.Find("button", native=True))] == ["Save"]
    whole: Any = session.adapter
    whole.without = frozenset((7,))
    assert keeper.without == {7}
    assert not hasattr(whole, "follow")


def test_nothing_is_between_the_engine_and_an_adapter_that_is_not_to_be_proven(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = MemoryAdapter([])
    assert Session(plain).adapter is plain
    plain.close()
    for off in ("", "0"):
        monkeypatch.setenv(VARIABLE, off)
        assert Session(keeper).adapter is keeper


def test_an_app_with_windows_of_other_processes_is_proven_by_its_parts(keeper: Keeper) -> None:
    joined = WithOthers(keeper, Scope(os.getpid()), "keeper", {})
    session = Session(joined)
    session.run(ops.ReadTree())
    keeper.label.text = "two"
    with pytest.raises(WrongRead):
        session.run(ops.ReadTree())
    assert session.adapter is joined, "there is no cold read of an app and of others together"
