"""A list of 300 rows in GTK 3 or 4: `gtk_rows.py VERSION LOG`.

The log says which rows are in view; LOG.warnings has what the toolkit complains about.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", sys.argv[1])
from gi.repository import Gtk  # noqa: E402 - after the version

ROWS = 300
log = Path(sys.argv[2])
os.dup2(os.open(f"{log}.warnings", os.O_CREAT | os.O_WRONLY), 2)


def say(down: Gtk.Adjustment) -> None:
    """The first row and the last one that are in view by some pixels: all are as tall as each other."""
    tall = max(1, down.get_upper() / ROWS)
    ends = down.get_value() + 4, down.get_value() + down.get_page_size() - 4
    log.write_text(" ".join(str(int(end // tall)) for end in ends))


def activate(app: Gtk.Application) -> None:
    window = Gtk.ApplicationWindow(application=app, title="Rows", default_width=300, default_height=400)
    rows = Gtk.ListBox()
    area = Gtk.ScrolledWindow()
    for number in range(ROWS):
        rows.insert(Gtk.Label(label=f"Row {number}", height_request=30), -1)
    down = area.get_vadjustment()
    down.connect("value-changed", say)
    down.connect("changed", say)
    if Gtk.get_major_version() == 3:
        area.add(rows)
        window.add(area)
        window.show_all()
    else:
        area.set_child(rows)
        window.set_child(area)
        window.present()


app = Gtk.Application()
app.connect("activate", activate)
app.run([])
