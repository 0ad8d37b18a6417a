"""How long programs on the bus are waited for: until the deadline, and longer while they keep answering."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from deskhand.adapters.atspi import bus
from deskhand.adapters.atspi.bus import Lane, pump
from deskhand.model.deadline import UI_TIMEOUT


class Program(Lane):
    """A lane whose program answers one question every so many seconds, by a clock of the test."""

    def __init__(self, questions: int, every: float) -> None:
        self.left, self.every = questions, every
        self.answered = 0
        self.failed = None
        self.connection = self  # type: ignore[assignment]  # only its identity counts

    @property
    def idle(self) -> bool:
        return self.left == 0 or self.failed is not None

    def fill(self) -> None:
        pass

    def fail(self, reason: str) -> None:
        self.failed = reason


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]

    def turn(programs: Iterable[Program], timeout: float) -> None:
        (program,) = programs
        now[0] += min(timeout, program.every)
        if program.every <= timeout:
            program.answered += 1
            program.left -= 1

    monkeypatch.setattr(bus, "turn", turn)
    monkeypatch.setattr(bus.time, "monotonic", lambda: now[0])
    return now


def test_program_that_keeps_answering_is_read_to_the_end_at_a_short_deadline(clock: list[float]) -> None:
    program = Program(questions=20, every=0.1)
    pump([program], 0.25)
    assert (program.failed, program.left) == (None, 0)


def test_silent_program_fails_at_the_deadline(clock: list[float]) -> None:
    program = Program(questions=1, every=60.0)
    pump([program], 0.25)
    assert program.failed == "it did not answer within 0.25 s"
    assert clock[0] == pytest.approx(100.25)


def test_program_that_never_ends_answering_fails_after_the_longest_time(clock: list[float]) -> None:
    program = Program(questions=1000, every=0.1)
    pump([program], 0.25)
    assert program.failed is not None
    assert clock[0] == pytest.approx(100.25 + UI_TIMEOUT, abs=0.5)
