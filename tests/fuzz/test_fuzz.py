"""A short run over every transport, and all that ever failed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.__main__ import CORPUS, fuzz, replay
from tests.fuzz.inputs import maker
from tests.fuzz.peers import TRANSPORTS

PATIENT = 60.0
"""On a busy machine nothing can be said about time, but that an answer comes."""
COUNTS = {"unix": 1500, "http": 600, "websocket": 1500, "stdio": 400, "jvm": 400}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_wrong_inputs_are_answered_and_leave_the_server_running(transport: str) -> None:
    result = fuzz(transport, COUNTS[transport], 3, PATIENT, None)
    assert result.failures == []
    assert result.count == COUNTS[transport]


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*.json")), ids=lambda file: file.stem)
def test_inputs_that_once_failed_do_not_fail_again(file: Path) -> None:
    assert replay(file) == []


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_seed_and_a_number_always_make_the_same_input(transport: str) -> None:
    uids = ["u-1", "u-2", "u-3"]
    once, again, other = maker(transport, 5, uids), maker(transport, 5, uids), maker(transport, 6, uids)
    assert [once(number) for number in range(50)] == [again(number) for number in range(50)]
    assert [once(number) for number in range(50)] != [other(number) for number in range(50)]
