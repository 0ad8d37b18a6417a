"""Which window is which, and which modal window blocks which, as the display reports it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from deskhand.adapters.atspi import build
from deskhand.adapters.atspi.vocabulary import ROLE_NUMBERS
from deskhand.adapters.atspi.windows import XWindow, blocker
from deskhand.model.node import Rect

MAIN, OTHER, DIALOG, QUESTION, FOREIGN = 1, 2, 3, 4, 5
MODAL = frozenset(["_NET_WM_STATE_MODAL"])


def window(
    number: int, owner: int = 0, *, modal: bool = False, pid: int = 7, iconic: bool = False
) -> XWindow:
    states = MODAL if modal else frozenset()
    return XWindow(number, pid, str(number), Rect(0, 0, 9, 9), states=states, iconic=iconic, owner=owner)


CASES: dict[str, tuple[list[XWindow], dict[int, int | None]]] = {
    "a dialog that is not modal": ([window(MAIN), window(DIALOG, MAIN)], {MAIN: None, DIALOG: None}),
    "one that belongs to a window": (
        [window(MAIN), window(OTHER), window(DIALOG, MAIN, modal=True)],
        {MAIN: DIALOG, OTHER: None, DIALOG: None},
    ),
    "one that belongs to no program, or to the screen": (
        [window(MAIN), window(OTHER), window(DIALOG, 99, modal=True), window(FOREIGN, pid=8)],
        {MAIN: DIALOG, OTHER: DIALOG, DIALOG: None, FOREIGN: None},
    ),
    "a question in a dialog": (
        [window(MAIN), window(DIALOG, MAIN, modal=True), window(QUESTION, DIALOG, modal=True)],
        {MAIN: QUESTION, DIALOG: QUESTION, QUESTION: None},
    ),
    "two that belong to no program": (
        [window(MAIN), window(DIALOG, modal=True), window(QUESTION, modal=True)],
        {MAIN: QUESTION, DIALOG: QUESTION, QUESTION: None},
    ),
    "a plain window that a dialog opened": (
        [window(MAIN), window(DIALOG, MAIN, modal=True), window(OTHER, DIALOG)],
        {MAIN: DIALOG, OTHER: None},
    ),
    "one that is put away": ([window(MAIN), window(DIALOG, MAIN, modal=True, iconic=True)], {MAIN: None}),
    "windows that belong to each other": (
        [window(MAIN, OTHER), window(OTHER, MAIN), window(DIALOG, modal=True)],
        {MAIN: DIALOG, OTHER: DIALOG},
    ),
}


@pytest.mark.parametrize("case", list(CASES))
def test_a_modal_window_keeps_input_from_what_it_belongs_to(case: str) -> None:
    windows, expected = CASES[case]
    by_number = {one.id: one for one in windows}
    for number, by in expected.items():
        found = blocker(by_number[number], windows)
        assert (None if found is None else found.id) == by, number


def test_a_window_that_is_gone_is_kept_from_nothing() -> None:
    assert blocker(window(MAIN), [window(DIALOG, modal=True)]) is None


class _Top:
    """A window as a program of GTK 4 reports it."""

    def __init__(self, app: Any, name: str, size: tuple[int, int]) -> None:
        self.app, self.name, self.role, self.shown = app, name, ROLE_NUMBERS["frame"], True
        self.extents = (0, 0, *size)


def test_the_last_window_of_a_program_and_of_the_display_are_the_same() -> None:
    app = SimpleNamespace(pid=7, how=SimpleNamespace(on_screen=False))
    main, about = _Top(app, "GtkApplicationWindow", (790, 590)), _Top(app, "About", (300, 200))
    app.windows = [main, about]
    shown = [
        XWindow(1, 7, "Fonts", Rect(240, 100, 800, 600)),
        XWindow(2, 7, "About", Rect(400, 300, 300, 200)),
    ]
    matched: Any = build.match(cast("Any", [app]), shown, {})
    assert {top.name: window.id for top, window in matched.items()} == {"GtkApplicationWindow": 1, "About": 2}
