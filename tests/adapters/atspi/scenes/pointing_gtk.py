"""A window of GTK widgets that are hard to hit: `pointing_gtk.py 3.0|4.0 STATE`; STATE says what happened."""

import json
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", sys.argv[1])
from gi.repository import GLib, Gtk  # noqa: E402 - the version must be chosen first

OLD = sys.argv[1] == "3.0"
loop = GLib.MainLoop()
if not OLD:
    Gtk.init()
window = Gtk.Window(title="pointing")
window.set_default_size(420, 400)
counts = dict.fromkeys(("save", "hidden", "wide", "far", "inside"), 0)
values, combos = [], []


def put(box, widget):
    (box.add if OLD else box.append)(widget)
    return widget


def hold(around, widget):
    (around.add if OLD else around.set_child)(widget)
    return widget


def column():
    return Gtk.Box(orientation=Gtk.Orientation.VERTICAL)


def write(*_):
    state = {
        **counts,
        "values": [one.get_value() for one in values] + [combo.get_active() for combo in combos],
        "scrolled": [one.get_vadjustment().get_value() for one in (area, nested)],
        "aside": area.get_hadjustment().get_value(),
        "name": name.get_text(),
    }
    new = Path(f"{sys.argv[2]}.new")
    new.write_text(json.dumps(state))
    new.replace(sys.argv[2])


def button(text, what):
    def count(_):
        counts[what] += 1
        write()

    made = Gtk.Button(label=text)
    made.connect("clicked", count)
    return made


top = hold(window, column())
name = put(top, Gtk.Entry())
if OLD:
    name.get_accessible().set_name("Name")
else:
    name.update_property([Gtk.AccessibleProperty.LABEL], ["Name"])
choices = Gtk.ListStore(str)
for text in ("existing", "existing too"):
    choices.append([text])
completion = Gtk.EntryCompletion(model=choices, text_column=0, minimum_key_length=1)
name.set_completion(completion)
put(top, button("Save", "save"))
line = put(top, Gtk.Box())
stack = put(line, Gtk.Overlay())
hold(stack, button("Hidden", "hidden"))
overlay = Gtk.Button(label="An overlay")
overlay.set_no_show_all(True) if OLD else overlay.set_visible(False)
stack.add_overlay(overlay)
cover = put(line, Gtk.CheckButton(label="Cover"))
cover.connect("toggled", lambda box: overlay.set_visible(box.get_active()))
area = put(top, Gtk.ScrolledWindow(vexpand=True))
rows = hold(area, column())
wide = put(rows, button("Wide", "wide"))
wide.set_size_request(1500, -1)
for _ in range(10):
    for made in (
        Gtk.SpinButton.new_with_range(-50, 50, 1),
        Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, -50, 50, 1),
    ):
        values.append(put(rows, made))
        made.set_value(0)
        made.connect("value-changed", write)
    combo = Gtk.ComboBoxText()
    for choice in range(9):
        combo.append_text(str(choice))
    combo.set_active(4)
    combo.connect("changed", write)
    combos.append(put(rows, combo))
nested = put(rows, Gtk.ScrolledWindow(height_request=90))
deep = hold(nested, column())
put(deep, Gtk.Label(label="above", height_request=500))
put(deep, button("Inside", "inside"))
put(rows, button("Far away", "far"))
for one in (area.get_vadjustment(), area.get_hadjustment(), nested.get_vadjustment()):
    one.connect("value-changed", write)
name.connect("changed", write)
if OLD:
    window.show_all()
    window.connect("destroy", lambda *_: loop.quit())
else:
    window.present()
    window.connect("close-request", lambda *_: loop.quit())
write()
loop.run()
