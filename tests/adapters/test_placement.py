"""What a program believes of its windows, compared with a display that is made up."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest

from deskhand.adapters import placement
from deskhand.adapters.placement import Belief, Believed, Placement
from deskhand.model.errors import UiBusy
from deskhand.model.node import Rect

WINDOW = 7


class Display:
    """Says each time which window has the focus; all else is as the program believes."""

    root = 1

    def __init__(self, *focus: int) -> None:
        self._focus = list(focus)

    def follow_windows(self) -> None:
        pass

    def windows_changed(self, timeout: float) -> bool:
        placement.time.sleep(timeout)
        return False

    def manager_caught_up(self, timeout: float) -> bool:
        return True

    def ask(self, *requests: bytes) -> list[bytes]:
        focus = self._focus.pop(0) if len(self._focus) > 1 else self._focus[0]
        return [
            struct.pack("<8xI20x", focus),
            struct.pack("<26xB5x", 2),
            struct.pack("<16xHH12x", 300, 200),
            struct.pack("<12xhh16x", 10, 20),
        ]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(now=0.0)

    def sleep(seconds: float) -> None:
        clock.now += seconds

    monkeypatch.setattr(placement, "time", SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep))
    return clock


def test_a_program_that_was_busy_for_long_has_not_disagreed_for_long(clock: SimpleNamespace) -> None:
    def rest(left: float) -> Belief:
        clock.now += 3.0
        return Belief((Believed(WINDOW, True, Rect(10, 20, 300, 200), focused=True),))

    assert Placement(Display(0, WINDOW)).wait(rest, 30) == frozenset()  # type: ignore[arg-type]


def test_what_differs_for_a_second_is_returned_and_not_waited_for_again(clock: SimpleNamespace) -> None:
    belief = Belief((Believed(WINDOW, True, Rect(10, 20, 300, 200), focused=True),))
    compared = Placement(Display(0))  # type: ignore[arg-type]
    differs = frozenset(("whether window 0x7 has the focus",))
    assert compared.wait(lambda _: belief, 30) == differs
    assert 1 < clock.now < 1.1
    before = clock.now
    assert compared.wait(lambda _: belief, 30) == differs
    assert clock.now == before


def test_a_program_whose_windows_keep_changing_is_not_idle(clock: SimpleNamespace) -> None:
    def rest(left: float) -> Belief:
        return Belief((Believed(WINDOW, True, Rect(10, 20, 300, 200), focused=int(clock.now * 20) % 2 == 0),))

    with pytest.raises(UiBusy, match="not settled after 3 s"):
        Placement(Display(0)).wait(rest, 3)  # type: ignore[arg-type]
