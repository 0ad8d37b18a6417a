"""Calls in other threads."""

from __future__ import annotations

import threading
from contextvars import ContextVar

import pytest

from deskhand import background

who: ContextVar[str] = ContextVar("who", default="nothing")


def test_a_result_and_an_error_come_back_to_the_caller() -> None:
    assert background.begin(lambda: 2 + 3).result(20) == 5
    with pytest.raises(KeyboardInterrupt):
        background.begin(lambda: (_ for _ in ()).throw(KeyboardInterrupt)).result(20)


def test_a_call_has_the_context_of_its_caller_and_a_thread_of_its_own() -> None:
    who.set("the caller")
    thread = threading.current_thread()
    assert background.begin(lambda: (who.get(), threading.current_thread() is thread)).result(20) == (
        "the caller",
        False,
    )


def test_a_worker_makes_its_calls_in_order_and_leaves_out_those_that_were_cancelled() -> None:
    worker, first, done = background.Worker("worker"), threading.Event(), []
    waiting = worker.begin(lambda: first.wait(20))
    dropped = worker.begin(lambda: done.append("dropped"))
    last = worker.begin(lambda: done.append("last"))
    dropped.cancel()
    first.set()
    assert (waiting.result(20), last.result(20), done) == (True, None, ["last"])
    worker.close(20)
    assert not worker.thread.is_alive()
