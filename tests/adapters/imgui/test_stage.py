"""Frames, deadlines and changes: what callers on other threads get of a program that draws when it likes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from imgui_bundle import imgui

from deskhand.model import operations as ops
from deskhand.model.errors import AppGone, UiBusy
from tests.adapters.imgui.drawn import Driven, driven, window
from tests.traces import until


def inside(function: Callable[[], object]) -> Callable[[], None]:
    def draw() -> None:
        with window():
            function()

    return draw


def _busy(drawn: Driven) -> bool:
    try:
        drawn.adapter.read(timeout=0)
    except UiBusy:
        return True
    return False


def test_a_program_that_draws_nothing_is_busy() -> None:
    with driven(inside(lambda: imgui.button("Press"))) as drawn:
        drawn.app.tree()
        with drawn.program.held():
            until(lambda: _busy(drawn))  # while the last frame is fresh, it is what is on the screen
            began = time.monotonic()
            with pytest.raises(UiBusy, match=r"drew no frame within 0\.2 s"):
                drawn.adapter.read(timeout=0.2)
            assert 0.2 <= time.monotonic() - began < 2
            with pytest.raises(UiBusy):
                drawn.adapter.call(lambda: None, timeout=0.1)
            assert drawn.adapter.info().pid > 0


def test_an_action_that_came_too_late_does_not_happen_later() -> None:
    def function() -> None:
        if imgui.button("Press"):
            pressed.append(True)

    pressed: list[bool] = []
    with driven(inside(function)) as drawn:
        uid = drawn.app.get_by_role("button").get().uid
        with drawn.program.held(), pytest.raises(UiBusy):
            drawn.adapter.perform(ops.Click(), uid, None, timeout=0.2)
        drawn.program.wait_frames(10)
        assert pressed == []
        drawn.adapter.perform(ops.Click(), uid, None, timeout=5)
        assert pressed == [True]


def test_an_action_that_is_given_up_in_its_midst_lets_go_of_the_mouse() -> None:
    def function() -> None:
        imgui.button("Press")
        held.append(imgui.is_mouse_down(0))
        if held[-1] and block.is_set():
            assert go_on.wait(10)

    held: list[bool] = []
    block, go_on = threading.Event(), threading.Event()
    with driven(inside(function)) as drawn:
        uid = drawn.app.get_by_role("button").get().uid
        block.set()
        with pytest.raises(UiBusy, match=r"the action had begun; it is in wait"):
            drawn.adapter.perform(ops.Click(), uid, None, timeout=1)
        block.clear()
        go_on.set()
        drawn.program.wait_frames(4)
        assert held[-1] is False


def test_a_function_of_the_program_runs_on_its_own_thread_within_a_frame() -> None:
    with driven(inside(lambda: None)) as drawn:
        name, within = drawn.adapter.call(
            lambda: (threading.current_thread().name, imgui.get_current_context().within_frame_scope),
            timeout=5,
        )
        assert (name, within) == ("imgui-program", True)
        with pytest.raises(ZeroDivisionError):
            drawn.adapter.call(lambda: 1 / 0, timeout=5)


def test_a_waiting_call_learns_only_of_changes() -> None:
    words = ["same"]
    with driven(inside(lambda: imgui.text(words[0]))) as drawn:
        drawn.program.wait_frames(2)
        heard = threading.Event()
        stop = drawn.adapter.subscribe(heard.set)
        assert heard.wait(5), "the first frame is news"
        drawn.program.wait_frames(3)
        heard.clear()
        drawn.program.wait_frames(20)
        assert not heard.is_set()
        words[0] = "other"
        assert heard.wait(5)
        drawn.program.wait_frames(3)
        stop()
        heard.clear()
        words[0] = "third"
        drawn.program.wait_frames(3)
        assert not heard.is_set()


def test_a_clock_does_not_keep_a_program_from_being_idle_but_things_that_move_do() -> None:
    def function() -> None:
        imgui.text(f"frame {imgui.get_frame_count()}")
        if moving:  # and does not return to an earlier position during the wait
            imgui.set_cursor_pos((imgui.get_frame_count() % 97, imgui.get_frame_count() % 101))
        imgui.button("Here")

    moving: list[bool] = []
    with driven(inside(function)) as drawn:
        drawn.app.wait_idle()
        moving.append(True)
        drawn.program.wait_frames(2)
        with pytest.raises(UiBusy):
            drawn.adapter.idle(timeout=0.2)


def test_waiting_calls_learn_that_the_context_is_gone() -> None:
    with driven(inside(lambda: imgui.button("Press"))) as drawn:
        drawn.app.tree()
        seen: list[BaseException] = []

        def wait() -> None:
            try:
                drawn.adapter.perform(ops.Click(), uid, None, timeout=10)
            except AppGone as error:
                seen.append(error)

        uid = drawn.app.get_by_role("button").get().uid
        with drawn.program.held():
            waiter = threading.Thread(target=wait)
            waiter.start()
            time.sleep(0.05)  # so that it waits already; if not, it hears the same a little later
            drawn.program.end()
        waiter.join(5)
        assert len(seen) == 1
        with pytest.raises(AppGone):
            drawn.app.tree()


def test_frames_that_take_long_are_waited_for() -> None:
    def function() -> None:
        imgui.button("Slow")
        time.sleep(slow[0])

    slow = [0.0]
    with driven(inside(function)) as drawn:
        slow[0] = 0.15
        assert drawn.app.get_by_role("button", name="Slow").count() == 1
        drawn.app.get_by_role("button", name="Slow").click()
        slow[0] = 0.0
