"""The order form of demo/, for the memory adapter: as much of it as that adapter has controls for."""

from __future__ import annotations

import threading

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.model.node import Rect


class Form:
    def __init__(self) -> None:
        self.report = Element("text", id="report", text="ready")
        self.name = Element(
            "textfield", "Name", "name", value="", on_change=lambda text: self.say(f"name {text}")
        )
        self.name.labelled_by = "Name"
        self.name.on_press = self.submitted
        self.secret = Element("textfield", "Password", "secret", value="", password=True)
        self.secret.on_change = lambda text: self.say(f"secret of {len(text)}")
        self.news = Element("checkbox", "Send me the newsletter", checked=False)
        self.news.on_press = lambda: self.say(f"newsletter {self.news.checked}")
        self.country = Element("combo-box", "Country", "country", value="France")
        self.country.options = ["France", "Kenya", "Japan", "Peru"]
        self.country.on_change = lambda text: self.say(f"country {text}")
        self.send = Element("button", "Send", "send", enabled=False, on_press=lambda: self.say("sent"))
        self.hint = Element("button", "Hidden hint", "hint", visible=False)
        self.window = Element(
            "window",
            "Order form",
            "order_form",
            bounds=Rect(0, 0, 640, 560),
            children=[
                self.name,
                self.secret,
                self.news,
                self.country,
                Element("group", "Delivery", children=[self.radio("Post"), self.radio("Courier")]),
                Element("button", "Greet", on_press=lambda: self.say(f"Hello, {self.name.value}!")),
                Element("button", "Place order…", "order", on_press=self.place_order),
                Element("button", "Load later", "later", on_press=self.load_later),
                self.send,
                self.hint,
                self.report,
            ],
        )
        self.adapter = MemoryAdapter([self.window])

    def radio(self, text: str) -> Element:
        return Element("radio", text, checked=False, on_press=lambda: self.say(f"delivery {text}"))

    def say(self, what: str) -> None:
        self.report.text = what
        self.adapter.touch()

    def submitted(self) -> None:
        self.say(f"submitted {self.name.value}")

    def place_order(self) -> None:
        def answer(what: str) -> None:
            self.adapter.windows.remove(dialog)
            self.say(what)

        dialog = Element(
            "dialog",
            "Confirm",
            modal=True,
            children=[
                Element("text", text=f"Place the order for {self.name.value}?"),
                Element("button", "Yes", on_press=lambda: answer("ordered")),
                Element("button", "No", on_press=lambda: answer("order cancelled")),
            ],
        )
        self.adapter.windows.append(dialog)

    def load_later(self) -> None:
        self.say("loading")
        threading.Timer(0.3, lambda: self.adapter.post(self.loaded)).start()

    def loaded(self) -> None:
        self.send.enabled = True
        self.hint.visible = True
        self.say("loaded")
