"""How long each layer waits for the one inside it."""

from __future__ import annotations

import pytest

from deskhand.model import operations as ops
from deskhand.model.deadline import UI_TIMEOUT, carried, doubtful, lost, stopped, timeout_of


@pytest.mark.parametrize("timeout", [0.0, 0.2, 5.0, 3600.0])
def test_each_layer_waits_longer_than_the_one_inside_it(timeout: float) -> None:
    assert timeout < carried(timeout) < timeout + UI_TIMEOUT < doubtful(timeout) < lost(timeout)


def test_an_operation_without_a_timeout_has_none_of_its_own() -> None:
    assert timeout_of(ops.GetAppInfo()) == timeout_of(ops.ReadTree()) == timeout_of(ops.Get("a")) == 0
    assert timeout_of(ops.Click("a", timeout=2)) == 2


def test_a_stopped_process_is_given_up_on_sooner_where_no_gui_thread_is_needed() -> None:
    assert stopped(ops.GetAppInfo()) < stopped(ops.ReadTree()) == ops.TIMEOUT
    assert stopped(ops.ReadTree(timeout=0.2)) == 0.2
