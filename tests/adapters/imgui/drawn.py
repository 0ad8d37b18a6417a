"""A program that draws with Dear ImGui, without a window, on a thread of its own, and what drives it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from imgui_bundle import imgui

from deskhand import App
from deskhand.adapters.imgui.adapter import ImguiAdapter
from deskhand.adapters.imgui.record import Recorder, known
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session

Draw = Callable[[], object]


class Program:
    """Calls `draw` for each frame. `draw` may be replaced at any time."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.frames = 0
        self.errors: list[BaseException] = []
        self.log: list[str] = []
        self._held = self._rests = False
        self._ended = threading.Event()
        self._drawn = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="imgui-program", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self.wait_frames(1)

    def end(self) -> None:
        with self._drawn:
            self._ended.set()
            self._drawn.notify_all()
        self._thread.join(10)
        assert not self.errors, self.errors

    @contextmanager
    def held(self) -> Iterator[None]:
        """Draws nothing meanwhile, as a program does that is busy."""
        with self._drawn:
            self._held = True
            assert self._drawn.wait_for(lambda: self._rests or self._ended.is_set(), 10)
        try:
            yield
        finally:
            with self._drawn:
                self._held = self._rests = False
                self._drawn.notify_all()

    def wait_frames(self, count: int) -> None:
        with self._drawn:
            wanted = self.frames + count
            assert self._drawn.wait_for(lambda: self.frames >= wanted or self._ended.is_set(), 10)

    def _run(self) -> None:
        try:
            self._draw_all()
        except BaseException as error:  # noqa: BLE001 - reported to the test at the end
            self.errors.append(error)
        finally:
            self._ended.set()
            imgui.destroy_context()

    def _draw_all(self) -> None:
        imgui.create_context()
        io = imgui.get_io()
        io.display_size = (800, 600)
        io.delta_time = 1 / 60
        io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
        io.set_ini_filename("")
        while not self._ended.is_set():
            imgui.new_frame()
            self.draw()
            imgui.render()
            with self._drawn:
                self.frames += 1
                self._rests = self._held
                self._drawn.notify_all()
                self._drawn.wait_for(lambda: not self._held or self._ended.is_set())
            time.sleep(0.001)


class Driven:
    """A program, and what drives it."""

    def __init__(self, program: Program, adapter: ImguiAdapter) -> None:
        self.program = program
        self.adapter = adapter
        self.session = Session(adapter)
        self.app = App(LocalEngine(self.session, "imgui"))

    @property
    def recorder(self) -> Recorder:
        return known()[0]

    @property
    def log(self) -> list[str]:
        return self.program.log


@contextmanager
def driven(draw: Draw) -> Iterator[Driven]:
    """A program that draws this, being driven."""
    program = Program(draw)
    adapter = ImguiAdapter()
    try:
        program.start()
        one = Driven(program, adapter)
        try:
            yield one
        finally:
            one.session.close()
    finally:
        adapter.close()
        program.end()


@contextmanager
def window(name: str = "Window", **options: Any) -> Iterator[None]:
    """What is drawn inside goes into a window of 400 by 400."""
    imgui.set_next_window_pos((50, 50), imgui.Cond_.once)
    imgui.set_next_window_size((400, 400), imgui.Cond_.once)
    imgui.begin(name, **options)
    try:
        yield
    finally:
        imgui.end()
