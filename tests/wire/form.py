"""What the recorded conversations are held with: a small form without a toolkit."""

from __future__ import annotations

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.session import Session
from deskhand.model.node import Rect


def make_session(**options: bool) -> Session:
    report = Element("text", id="report", text="", native_class="QLabel")

    def say(text: str) -> None:
        report.text = text

    name = Element(
        "textfield", "Name", "name_edit", value="", native_class="QLineEdit", bounds=Rect(110, 120, 200, 30)
    )
    name.on_press = lambda: say(f"submitted {name.value}")
    country = Element("combo-box", "Country", "country", value="USA", native_class="QComboBox")
    country.options = ["USA", "Kenya", "Peru"]
    panel = Element(
        "group",
        id="panel",
        native_class="QWidget",
        bounds=Rect(105, 110, 400, 300),
        children=[
            Element("button", "One", native_class="QPushButton", on_press=lambda: say("one")),
            Element("checkbox", "Agree", checked=False, native_class="QCheckBox"),
            Element("button", "Two", native_class="QPushButton", on_press=lambda: say("two")),
            Element("button", "twin", "twin", native_class="QPushButton", on_press=lambda: say("first twin")),
            Element(
                "button", "twin", "twin", native_class="QPushButton", on_press=lambda: say("second twin")
            ),
            Element(
                "button", "Deep", "deep_button", native_class="QPushButton", on_press=lambda: say("deep")
            ),
        ],
    )
    window = Element(
        "window",
        "Order form",
        "main_window",
        native_class="MainWindow",
        bounds=Rect(100, 100, 800, 600),
        children=[
            name,
            Element(
                "textfield", "Password", "password_edit", value="", password=True, native_class="QLineEdit"
            ),
            Element(
                "button",
                "Submit",
                "submit_button",
                native_class="QPushButton",
                on_press=lambda: say("submitted"),
            ),
            Element("button", "Cancel", "cancel_button", native_class="QPushButton", enabled=False),
            Element("button", "Hidden", "hidden_button", native_class="QPushButton", visible=False),
            Element(
                "textfield", "Gone", "hidden_disabled", native_class="QLineEdit", visible=False, enabled=False
            ),
            country,
            panel,
            report,
        ],
    )
    dialog = Element(
        "dialog",
        "Question",
        "dialog",
        native_class="QDialog",
        bounds=Rect(300, 200, 300, 200),
        children=[Element("textfield", value="", native_class="QLineEdit")],
    )
    return Session(MemoryAdapter([window, dialog]), **options)
