"""A small form over the memory adapter, for the tests of what users hold."""

from __future__ import annotations

import threading
from collections.abc import Callable

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.session import Session
from deskhand.model.node import Rect


class Greeter:
    """A window with a name, a button that greets, a box, a combo box, a list and two equal buttons."""

    def __init__(self) -> None:
        self.greeting = Element("text", id="greeting", text="")
        self.name = Element("textfield", "Name", "name", value="")
        self.greet = Element("button", "Greet", on_press=lambda: self.say(f"Hello, {self.name.value}!"))
        self.agree = Element("checkbox", "I agree", checked=False)
        self.colour = Element("combo-box", "Colour", "colour", value="Red", options=["Red", "Green", "Blue"])
        self.late = Element("button", "Late", "late", enabled=False, on_press=lambda: self.say("at last"))
        self.window = Element(
            "window",
            "Greeter",
            "main",
            bounds=Rect(0, 0, 400, 300),
            children=[
                self.name,
                self.greet,
                self.greeting,
                self.agree,
                self.colour,
                self.late,
                Element("group", "Left", children=[Element("button", "Twin")]),
                Element("group", "Right", children=[Element("button", "Twin")]),
                Element("button", "Hidden", "hidden", visible=False),
            ],
        )
        self.adapter = MemoryAdapter([self.window])
        self.session = Session(self.adapter)

    def say(self, text: str) -> None:
        self.greeting.text = text
        self.adapter.touch()

    def later(self, seconds: float, change: Callable[[], object]) -> None:
        """Change something on the GUI thread after a while, and say so."""

        def on_gui() -> None:
            change()
            self.adapter.touch()

        threading.Timer(seconds, lambda: self.adapter.post(on_gui)).start()
