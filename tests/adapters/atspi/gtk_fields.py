"""A window of GTK 3 or 4 with a combo box to write in: `gtk_fields.py VERSION LOG`, a line for each text."""

from __future__ import annotations

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", sys.argv[1])
from gi.repository import Gtk  # noqa: E402 - after the version

log = Path(sys.argv[2])


def say(entry: Gtk.Entry) -> None:
    with log.open("a") as file:
        file.write(f"{entry.get_text()}\n")


def activate(app: Gtk.Application) -> None:
    window = Gtk.ApplicationWindow(application=app, title="Fields")
    colour = Gtk.ComboBoxText.new_with_entry()
    for name in ("Red", "Green", "Blue"):
        colour.append_text(name)
    colour.get_child().connect("changed", say)
    if Gtk.get_major_version() == 3:
        window.add(colour)
        window.show_all()
    else:
        window.set_child(colour)
        window.present()


app = Gtk.Application()
app.connect("activate", activate)
app.run([])
