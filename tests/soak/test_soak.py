"""A short soak, and whether a growth would be noticed; `make soak` is the long one."""

from __future__ import annotations

import os
import random
import threading
from contextlib import ExitStack

import pytest

from tests.soak.__main__ import soak
from tests.soak.apps import KINDS
from tests.soak.usage import Bound, Usage, grown, growth, usage

BOUND = Bound(memory=2.0, share=0.03, count=1.5)


@pytest.mark.programs
def test_clients_of_every_protocol_work_on_three_apps_at_once() -> None:
    kinds = [kind for kind in KINDS if kind.name in ("qt", "javafx", "galculator")]
    outcome = soak(kinds, 6, 4.0, every=2.0, pace=0.0, say=print)
    assert outcome.errors == []
    assert {name.split()[0] for name in outcome.done} == {"qt", "javafx", "galculator"}
    used = outcome.samples[-1]
    assert all(used[f"{kind.name} server"].descriptors for kind in kinds)


def test_a_growth_is_found_below_noise_that_is_larger() -> None:
    chance = random.Random(1)
    noise = [50 + chance.uniform(-1.5, 1.5) for _ in range(30)]
    assert abs(growth(noise)) < 1
    assert 2.5 < growth([value + 0.12 * minute for minute, value in enumerate(noise)]) < 4.5
    assert growth([50.0] * 29 + [70.0]) == 0


def test_only_what_grows_beyond_the_bound_is_reported() -> None:
    samples = [
        {
            "flat": Usage(40, 30, 9),
            "memory": Usage(40 + 0.1 * minute, 30, 9),
            "descriptors": Usage(40, 30 + minute // 5, 9),
            "threads": Usage(40, 30, 9 + minute // 5),
            **({"ended": Usage(minute, minute, minute)} if minute < 20 else {}),
        }
        for minute in range(30)
    ]
    assert [line.split(" ", 2)[:2] for line in grown(samples, BOUND)] == [
        ["descriptors:", "descriptors"],
        ["memory:", "memory"],
        ["threads:", "threads"],
    ]


def test_what_a_process_uses_is_counted() -> None:
    before = usage(os.getpid())
    over = threading.Event()
    waiting = [threading.Thread(target=over.wait) for _ in range(3)]
    with ExitStack() as stack:
        stack.callback(over.set)
        for thread in waiting:
            thread.start()
        for _ in range(5):
            stack.callback(os.close, os.open("/dev/null", os.O_RDONLY))
        held = b"x" * 20_000_000
        after = usage(os.getpid())
    assert len(held) == 20_000_000
    assert 18 < after.memory - before.memory < 25
    assert after.descriptors - before.descriptors == 5
    assert after.threads - before.threads == 3
