"""A person at a keyboard and a mouse: real input on a display, at elements that are found by reading only."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from deskhand import App
from deskhand.adapters.display import Display
from deskhand.adapters.keyboard import Input
from deskhand.model.node import Node

PACE = 0.12
"""A person does nothing more quickly than that, in seconds,"""
AGAIN = 0.06
"""apart from the second click of a double click."""


class Person:
    """Does things with real input. `app` is only read."""

    def __init__(self, app: App, env: Mapping[str, str]) -> None:
        self.app = app
        self._display = Display(env)
        self._input = Input(self._display)

    def close(self) -> None:
        self._input.close()
        self._display.close()

    def see(self, selector: str, timeout: float = 10.0) -> Node:
        """The element, once it can be seen."""
        deadline = time.monotonic() + timeout
        while True:
            found = [
                node
                for node in self.app.find(selector)
                if node.visible and not node.offscreen and node.bounds and node.bounds.width > 0
            ]
            if found:
                return found[0]
            assert time.monotonic() < deadline, f"{selector} is not there:\n{self.app.tree()}"
            time.sleep(0.03)

    def point(self, selector: str, at: tuple[float, float] | None = None) -> tuple[float, float]:
        """Where a person would click, after a moment for seeing it."""
        self.see(selector)
        time.sleep(PACE)
        bounds = self.see(selector).bounds
        assert bounds is not None
        x, y = (bounds.width / 2, bounds.height / 2) if at is None else at
        return bounds.x + x, bounds.y + y

    def click(
        self,
        selector: str,
        button: str = "left",
        count: int = 1,
        at: tuple[float, float] | None = None,
        modifiers: tuple[str, ...] = (),
    ) -> None:
        point = self.point(selector, at)
        for _ in range(count):
            self._input.click(*point, button, 1, modifiers)
            time.sleep(AGAIN)
        time.sleep(PACE)

    def hover(self, selector: str) -> None:
        self._input.move(*self.point(selector))

    def click_at(self, x: float, y: float) -> None:
        self._input.click(x, y)
        time.sleep(PACE)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self._input.drag(start, end, "left", 10, ())
        time.sleep(PACE)

    def wheel(self, selector: str, notches: int) -> None:
        self._input.wheel(*self.point(selector), 0, notches)
        time.sleep(PACE)

    def type(self, text: str) -> None:
        for character in text:
            self._input.type(character)
            time.sleep(0.02)
        time.sleep(PACE)

    def press(self, *keys: str) -> None:
        for key in keys:
            self._input.chord(key)
            time.sleep(PACE)

    def rush(self, *keys: str) -> None:
        """Press keys faster than any tree can be read."""
        for key in keys:
            self._input.chord(key)

    def wait(self, condition: Callable[[], bool], timeout: float = 10.0) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, f"it did not happen:\n{self.app.tree()}"
            time.sleep(0.03)
