"""A window of GTK 3 whose list and table say what was chosen: `gtk3_pages.py LOG`, a line for each choice."""

from __future__ import annotations

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402 - after the version

log = Path(sys.argv[1])


def say(what: str) -> None:
    with log.open("a") as file:
        file.write(f"{what}\n")


window = Gtk.Window(title="Pages")
window.set_default_size(500, 300)
box = Gtk.Box()
rows = Gtk.ListBox()
rows.get_accessible().set_name("Rows")
for number in range(40):
    row = Gtk.ListBoxRow()
    row.add(Gtk.Label(label=f"Row {number}"))
    row.get_accessible().set_name(f"Row {number}")
    rows.add(row)
rows.connect("row-activated", lambda _, row: say(f"activated {row.get_index()}"))
around = Gtk.ScrolledWindow(hexpand=True)
around.add(rows)
box.add(around)

store = Gtk.ListStore(str)
for number in range(40):
    store.append([f"Line {number}"])
table = Gtk.TreeView(model=store)
table.get_accessible().set_name("Lines")
table.append_column(Gtk.TreeViewColumn("Line", Gtk.CellRendererText(), text=0))
table.connect("cursor-changed", lambda view: say(f"cursor {view.get_cursor()[0]}"))
around = Gtk.ScrolledWindow(hexpand=True)
around.add(table)
box.add(around)

window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
