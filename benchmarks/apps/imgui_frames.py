"""Draws frames of many items with Dear ImGui, without a window: plain, with the recorder off, and recording.

Prints the median of each in ms as JSON. The functions are those that a program has, without us and with us.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from imgui_bundle import imgui

from benchmarks.measure import interleaved
from deskhand.adapters.imgui.adapter import Part
from deskhand.adapters.imgui.record import install, known
from deskhand.adapters.imgui.scene import FrameElements
from deskhand.adapters.imgui.stage import Stage


def main(items: int, frames: int) -> None:
    imgui.create_context()
    io = imgui.get_io()
    io.display_size = (1280, 800)
    io.delta_time = 1 / 60
    io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
    io.set_ini_filename("")
    before = {name: getattr(imgui, name) for name in _USED}
    install(lambda _: None)
    after = {name: getattr(imgui, name) for name in _USED}
    _frame(_mixed(after, items))
    recorder = known()[0]

    def draw(rows: Callable[[], None], record: bool) -> None:
        recorder.wanted = record
        _frame(rows)

    figures: dict[str, Any] = {}
    for kind, rows in (("mixed", _mixed), ("buttons", _buttons)):
        plain, wrapped = rows(before, items), rows(after, items)
        figures[kind] = interleaved(
            frames, partial(draw, plain, False), partial(draw, wrapped, False), partial(draw, wrapped, True)
        )
    frame = recorder.front
    assert frame is not None, "it was recorded"
    stage = Stage(recorder, "", lambda _: None)
    took = []
    for _ in range(20):
        began = time.perf_counter()
        nodes = Part(stage, FrameElements(frame), {}).nodes
        took.append((time.perf_counter() - began) * 1000)
    figures["read"] = (statistics.median(took), len(nodes))
    print(json.dumps(figures))


_USED = ("begin", "end", "button", "checkbox", "slider_float", "text")


def _mixed(functions: dict[str, Any], items: int) -> Callable[[], None]:
    begin, end = functions["begin"], functions["end"]
    button, checkbox, slider, text = (
        functions[name] for name in ("button", "checkbox", "slider_float", "text")
    )
    labels = [f"Item {number}" for number in range(items // 4)]

    def draw() -> None:
        begin("Items")
        for label in labels:
            button(label)
            checkbox(label, True)
            slider(label, 0.5, 0.0, 1.0)
            text(label)
        end()

    return draw


def _buttons(functions: dict[str, Any], items: int) -> Callable[[], None]:
    begin, end, button = functions["begin"], functions["end"], functions["button"]
    labels = [f"Item {number}" for number in range(items)]

    def draw() -> None:
        begin("Items")
        for label in labels:
            button(label)
        end()

    return draw


def _frame(draw: Callable[[], None]) -> None:
    imgui.new_frame()
    draw()
    imgui.render()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
