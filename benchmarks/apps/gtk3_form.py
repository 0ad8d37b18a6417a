"""A GTK 3 form of so many widgets: `gtk3_form.py COUNT FIFO [PRESSED]`.

Writing to the FIFO changes one label; pressing "Press me" writes to the other.
"""

import os
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402 - the version must be chosen first

count = int(sys.argv[1])
fifo = os.open(sys.argv[2], os.O_RDWR | os.O_NONBLOCK)
window = Gtk.Window(title="GTK 3 form")
window.set_default_size(600, 700)
scrolled = Gtk.ScrolledWindow()
column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
changing = Gtk.Label(label="before")
column.add(changing)
button = Gtk.Button(label="Press me")
column.add(button)
if len(sys.argv) > 3:
    pressed = os.open(sys.argv[3], os.O_RDWR)
    button.connect("clicked", lambda *_: os.write(pressed, b"."))
for number in range(count // 5):
    row = Gtk.Box()
    for widget in (
        Gtk.Label(label=f"Field {number}"),
        Gtk.Entry(text=f"text {number}"),
        Gtk.CheckButton(label=f"Check {number}"),
        Gtk.Button(label=f"Button {number}"),
    ):
        row.add(widget)
    column.add(row)
scrolled.add(column)
window.add(scrolled)
window.connect("destroy", Gtk.main_quit)
window.show_all()
done = 0


def change(*_):
    global done
    os.read(fifo, 100)
    done += 1
    changing.set_text(f"after {done}")
    return True


GLib.io_add_watch(fifo, GLib.IO_IN, change)
Gtk.main()
