"""The clipboard of a private desktop, between programs of two toolkits, one of them driven from inside."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deskhand import App, expect, launch
from deskhand.model import operations as ops
from deskhand.model.errors import ActionFailed, InvalidParams
from tests.traces import until

DEMO = Path(__file__).parents[2] / "demo"
LONG = "long ✓ " * 100_000
GTK = """
import gi
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk
clipboard = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD)
box = Gtk.Box()
entry = Gtk.Entry()
entry.connect("changed", lambda entry: print(entry.get_text(), flush=True))
copy = Gtk.Button(label="Copy")
copy.connect("clicked", lambda _: clipboard.set_text("long ✓ " * 100_000, -1))
icon = Gtk.Button(label="Icon")
image = lambda _: clipboard.set_image(Gtk.IconTheme.get_default().load_icon("image-missing", 16, 0))
icon.connect("clicked", image)
window = Gtk.Window(title="Clip")
for each in (entry, copy, icon):
    box.add(each)
window.add(box)
window.show_all()
Gtk.main()
"""
QT = """
from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QApplication, QPushButton
app = QApplication([])
def secret():
    data = QMimeData()
    data.setText("hunter22")
    data.setData("x-kde-passwordManagerHint", b"secret")
    app.clipboard().setMimeData(data)
button = QPushButton("Secret")
button.clicked.connect(secret)
button.show()
app.exec()
"""


def clipboard(app: App) -> str:
    return app.run(ops.GetClipboard())


def test_texts_go_between_programs_and_other_contents_or_passwords_are_not_shown() -> None:
    with (
        launch(["/usr/bin/python3", "-c", GTK], headless=True) as outside,
        launch([sys.executable, "-c", QT], desktop=outside) as inside,
    ):
        assert clipboard(outside) == clipboard(inside) == ""
        outside.run(ops.SetClipboard("héllo ✓"))
        assert clipboard(outside) == clipboard(inside) == "héllo ✓"
        outside.get_by_role("textfield").focus()
        outside.run(ops.Key(keys="ctrl+v"))
        until(lambda: "héllo ✓" in outside.stdout)

        inside.run(ops.SetClipboard("from inside"))
        assert clipboard(outside) == clipboard(inside) == "from inside"
        outside.get_by_role("button", name="Copy").click()
        until(lambda: clipboard(inside) == LONG)
        assert clipboard(outside) == LONG

        outside.get_by_role("button", name="Icon").click()
        until(lambda: _fails(outside, "no text"))
        until(lambda: _fails(inside, "no text"))
        inside.get_by_role("button", name="Secret").click()
        until(lambda: _fails(outside, "password"))
        assert _fails(inside, "password")
        with pytest.raises(InvalidParams, match="200,000 bytes"):
            outside.run(ops.SetClipboard(LONG))


@pytest.mark.parametrize("form", ["wx_form.py", "imgui_form.py"])
def test_a_program_that_is_driven_from_inside_pastes_what_was_put_there(form: str) -> None:
    python = "/usr/bin/python3" if form.startswith("wx") else sys.executable
    with launch([python, str(DEMO / form)], headless=True) as app:
        app.run(ops.SetClipboard("héllo"))
        assert clipboard(app) == "héllo"
        app.get_by_label("Name").focus()
        app.run(ops.Key(keys="ctrl+v"))
        expect(app.locator("#report")).to_have_text("name héllo")


def _fails(app: App, word: str) -> bool:
    try:
        clipboard(app)
    except ActionFailed as error:
        return word in error.message
    return False
