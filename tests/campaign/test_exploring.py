"""Programs of Debian explored at random for some seconds: what deskhand says of them is true."""

from __future__ import annotations

import pytest

from campaign.__main__ import explore
from campaign.explore import Explorer
from campaign.programs import BY_NAME, PROGRAMS
from deskhand.model.node import Node, Rect
from deskhand.model.tree import Tree

pytestmark = pytest.mark.programs

SEED = 1
ACTIONS = 10
"""How many for each program: a number and not a time, so that every machine does the same."""


@pytest.mark.parametrize("name", ["galculator", "gnome-calculator", "kcalc"])
def test_what_is_said_of_a_program_that_is_explored_is_true(name: str) -> None:
    outcome = explore(BY_NAME[name], SEED, ACTIONS)
    failures = [f"{one.kind} after step {one.step}: {one.what}" for one in outcome.failures]
    steps = [f"{number} {step}" for number, step in enumerate(outcome.steps, 1)]
    assert not failures, "\n".join([f"{name}, seed {SEED}:", *failures, "the steps:", *steps])
    assert outcome.actions == ACTIONS
    assert outcome.reads > outcome.restarts


def test_every_toolkit_is_explored_in_at_least_thirty_programs() -> None:
    assert len(PROGRAMS) >= 30
    assert {program.toolkit for program in PROGRAMS} >= {
        "GTK 3", "GTK 4", "Qt 5", "Qt 6", "wx", "Swing", "LibreOffice", "Chromium",
    }  # fmt: skip
    assert len(BY_NAME) == len(PROGRAMS)


def test_escape_is_pressed_after_two_refused_actions_in_a_row() -> None:
    button = Node(uid="1", role="button", parent=None, visible=True, enabled=True, bounds=Rect(0, 0, 9, 9))
    explorer, tree = Explorer(SEED), Tree([button])
    explorer.refused(True)
    assert explorer.choose(tree).args.get("keys") != "escape"
    explorer.refused(True)
    assert explorer.choose(tree).args == {"keys": "escape"}
