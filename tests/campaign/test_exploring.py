"""Programs of Debian explored at random for some seconds: what deskhand says of them is true."""

from __future__ import annotations

import time

import pytest

from campaign.__main__ import explore
from campaign.programs import BY_NAME, PROGRAMS

pytestmark = pytest.mark.programs

SEED = 1
SECONDS = 20.0
"""How long each program is explored: what is done in that time depends on the machine, the order does not."""


@pytest.mark.parametrize("name", ["galculator"])
def test_what_is_said_of_a_program_that_is_explored_is_true(name: str) -> None:
    outcome = explore(BY_NAME[name], SEED, 1000, time.monotonic() + SECONDS)
    failures = [f"{one.kind} after step {one.step}: {one.what}" for one in outcome.failures]
    steps = [f"{number} {step}" for number, step in enumerate(outcome.steps, 1)]
    assert not failures, "\n".join([f"{name}, seed {SEED}:", *failures, "the steps:", *steps])
    assert outcome.actions > 0
    assert outcome.reads > outcome.restarts


def test_every_toolkit_is_explored_in_at_least_thirty_programs() -> None:
    assert len(PROGRAMS) >= 30
    assert {program.toolkit for program in PROGRAMS} >= {
        "GTK 3", "GTK 4", "Qt 5", "Qt 6", "wx", "Swing", "LibreOffice", "Chromium",
    }  # fmt: skip
    assert len(BY_NAME) == len(PROGRAMS)
