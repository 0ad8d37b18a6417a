"""A window of GTK widgets: `gtk.py 3.0|4.0 FIFO ANSWERS`."""

import os
import sys

import gi

gi.require_version("Gtk", sys.argv[1])
from gi.repository import GLib, Gtk  # noqa: E402 - the version must be chosen first

OLD = sys.argv[1] == "3.0"
fifo = os.open(sys.argv[2], os.O_RDWR | os.O_NONBLOCK)
answers = os.open(sys.argv[3], os.O_RDWR)
loop = GLib.MainLoop()
if not OLD:
    Gtk.init()
window = Gtk.Window(title="scene")
window.set_default_size(500, 420)


def put(box, widget):
    (box.add if OLD else box.append)(widget)


def column():
    return Gtk.Box(orientation=Gtk.Orientation.VERTICAL)


top = column()
label = Gtk.Label(label="a label")
entry = Gtk.Entry(text="some text")
button = Gtk.Button(label="a button")
check = Gtk.CheckButton(label="a check box")
slider = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
bar = Gtk.ProgressBar()
combo = Gtk.ComboBoxText()
for text in ("one", "two", "three"):
    combo.append_text(text)
combo.set_active(0)
tabs = Gtk.Notebook()
for number in range(2):
    page = column()
    put(page, Gtk.Label(label=f"on page {number}"))
    put(page, Gtk.Button(label=f"button {number}"))
    tabs.append_page(page, Gtk.Label(label=f"tab {number}"))
box = column()
put(box, Gtk.Button(label="in the box"))
area = Gtk.ScrolledWindow(vexpand=True)
rows = column()
for number in range(30):
    put(rows, Gtk.Button(label=f"row {number}"))
(area.add if OLD else area.set_child)(rows)
for widget in (label, entry, button, check, slider, bar, combo, tabs, box, area):
    put(top, widget)
(window.add if OLD else window.set_child)(top)
if OLD:
    window.show_all()
    window.connect("destroy", lambda *_: loop.quit())
else:
    window.present()
    window.connect("close-request", lambda *_: loop.quit())
added = []


def grow():
    added.append(Gtk.Button(label="a new row"))
    put(rows, added[0])
    added[0].show()


def describe():
    if OLD:
        button.get_accessible().set_description("what it is for")
    else:
        button.update_property([Gtk.AccessibleProperty.DESCRIPTION], ["what it is for"])


DO = {
    "label": lambda: label.set_text("another label, which is longer"),
    "entry": lambda: entry.set_text("another text"),
    "button": lambda: button.set_label("another button"),
    "describe": describe,
    "disable": lambda: button.set_sensitive(False),
    "disable all": lambda: box.set_sensitive(False),
    "lock": lambda: entry.set_editable(False),
    "check": lambda: check.set_active(True),
    "slide": lambda: slider.set_value(42),
    "progress": lambda: bar.set_fraction(0.7),
    "choose": lambda: combo.set_active(1),
    "turn": lambda: tabs.set_current_page(1),
    "hide": lambda: box.set_visible(False),
    "show": lambda: box.set_visible(True),
    "add": grow,
    "remove": lambda: rows.remove(added[0]),
    "scroll": lambda: area.get_vadjustment().set_value(300),
    "focus": lambda: check.grab_focus(),
    "rename": lambda: window.set_title("another scene"),
}


def answer(word):
    os.write(answers, f"{word}\n".encode())
    return False


def told(*_):
    for word in os.read(fifo, 1000).decode().splitlines():
        DO[word]()
        # Once what that made is done, and what follows from it.
        GLib.timeout_add(60, answer, word)
    return True


GLib.io_add_watch(fifo, GLib.IO_IN, told)
loop.run()
