"""What is recorded of a program that draws with Dear ImGui, and when."""

from __future__ import annotations

import sys
import threading
import types

import pytest
from imgui_bundle import imgui

from deskhand.adapters.imgui import stage, wrappers
from deskhand.adapters.imgui.adapter import ImguiAdapter
from tests.adapters.imgui.drawn import driven, window


def test_functions_are_wrapped_only_while_the_app_is_driven() -> None:
    before = {name: getattr(imgui, name) for name in dir(imgui)}
    methods = imgui.IO.add_mouse_pos_event, imgui.ListClipper.begin, imgui.ImDrawList.add_text
    with driven(lambda: None):
        assert imgui.button is not before["button"]
        assert imgui.IO.add_mouse_pos_event is not methods[0]
    assert {name: getattr(imgui, name) for name in dir(imgui)} == before
    assert (imgui.IO.add_mouse_pos_event, imgui.ListClipper.begin, imgui.ImDrawList.add_text) == methods
    assert wrappers.on is False


def test_functions_that_were_imported_by_name_before_are_seen_too() -> None:
    program = types.ModuleType("program_of_this_test")
    program.button = imgui.button
    sys.modules[program.__name__] = program
    original = imgui.button
    try:

        def draw() -> None:
            with window():
                program.button("By name")

        with driven(draw) as drawn:
            assert drawn.app.get_by_role("button", name="By name").count() == 1
        assert program.button is original
    finally:
        del sys.modules[program.__name__]


def test_nothing_is_recorded_without_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "_INTEREST", 0.0)

    def draw() -> None:
        with window():
            drawn_while_on.append(wrappers.on)

    drawn_while_on: list[bool] = []
    with driven(draw) as drawn:
        drawn.program.wait_frames(3)
        assert not any(drawn_while_on)
        assert drawn.recorder.front is None
        drawn.app.tree()
        assert any(drawn_while_on)
        drawn.program.wait_frames(3)
        drawn_while_on.clear()
        drawn.program.wait_frames(3)
        assert not any(drawn_while_on)


def test_a_call_by_keywords_means_the_same_as_without_us() -> None:
    def draw() -> None:
        with window():
            results.append(imgui.slider_int(label="By keyword", v=3, v_min=0, v_max=9))
            results.append(imgui.button(label="Sized", size=(90, 30)))

    results: list[object] = []
    with driven(draw) as drawn:
        slider = drawn.app.get_by_role("slider").get()
        assert (slider.name, slider.value, slider.maximum) == ("By keyword", "3", 9.0)
        bounds = drawn.app.get_by_role("button").bounds()
        assert bounds is not None
        assert (bounds.width, bounds.height) == (90, 30)
    assert results[:2] == [(False, 3), False]


def test_a_wrong_call_fails_as_it_does_without_us() -> None:
    with pytest.raises(TypeError):
        imgui.slider_int("Too few")
    with driven(lambda: None), pytest.raises(TypeError):
        imgui.slider_int("Too few")


def test_what_is_read_in_the_midst_of_a_frame_is_the_last_complete_one() -> None:
    def draw() -> None:
        with window():
            imgui.button("First")
            if pause.is_set():
                reached.set()
                assert go_on.wait(10)
            imgui.button("Second")

    pause, reached, go_on = threading.Event(), threading.Event(), threading.Event()
    with driven(draw) as drawn:
        drawn.app.tree()
        pause.set()
        assert reached.wait(10)
        front = drawn.recorder.front
        pause.clear()
        go_on.set()
        assert front is not None
        assert [call[1][0] for call in front.calls if call[0].kind == "button"] == ["First", "Second"]


def test_two_adapters_in_turn_leave_one_program_alone_in_between() -> None:
    original = imgui.button
    for _ in range(2):
        adapter = ImguiAdapter()
        assert imgui.button is not original
        adapter.close()
        assert imgui.button is original
