"""A process of ours that is killed at a random moment leaves nothing behind; see `make kills`."""

from __future__ import annotations

import random

import pytest

from tests.faults.kills import WAYS, kill_one


@pytest.mark.parametrize("way", sorted(WAYS))
def test_a_process_that_is_killed_leaves_nothing_behind(way: str) -> None:
    done = kill_one(way, random.Random(f"{way} 1"))
    assert not done.left, str(done)
