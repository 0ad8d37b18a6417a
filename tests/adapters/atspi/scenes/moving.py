"""A window of GTK 3 whose parts move by the means that GTK has for that: `moving.py FIFO ANSWERS`."""

import os
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402 - the version must be chosen first

fifo = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
answers = os.open(sys.argv[2], os.O_RDWR)


def column(name):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for number in range(3):
        box.add(Gtk.Button(label=f"{name} {number}"))
    return box


pane = Gtk.Paned(position=200)
pane.add1(column("left"))
pane.add2(column("right"))
overlay = Gtk.Overlay()
overlay.add(column("below"))
above = [Gtk.Box(halign=Gtk.Align.START, valign=Gtk.Align.START, margin_start=side) for side in (150, 250)]
for box in above:
    box.add(Gtk.Label(label="above"))
    overlay.add_overlay(box)
revealer = Gtk.Revealer(transition_type=Gtk.RevealerTransitionType.SLIDE_RIGHT)
revealer.add(column("revealed"))
stack = Gtk.Stack(transition_type=Gtk.StackTransitionType.SLIDE_LEFT)
for name in ("first", "second"):
    stack.add_named(column(name), name)
fixed = Gtk.Fixed()
fixed.put(Gtk.Label(label="stays"), 10, 0)
wanders = column("wanders")
fixed.put(wanders, 60, 0)
area = Gtk.ScrolledWindow(vexpand=True)
rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for number in range(30):
    rows.add(Gtk.Button(label=f"row {number}"))
area.add(rows)
layout = Gtk.Layout(width=900, height=900)
layout.put(column("laid"), 20, 20)
scrolled = Gtk.ScrolledWindow(vexpand=True)
scrolled.add(layout)
top = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for widget in (pane, overlay, revealer, stack, fixed, area, scrolled):
    top.add(widget)
window = Gtk.Window(title="moving")
window.set_default_size(600, 700)
window.add(top)
window.show_all()
popovers = []
for name in ("resting", "floating"):
    popovers.append(Gtk.Popover(relative_to=fixed, modal=False))
    popovers[-1].add(Gtk.Label(label=name, visible=True))
    popovers[-1].show()
window.connect("destroy", lambda *_: Gtk.main_quit())


def drift(popover):
    """Move it without a signal, and what is in it with its window."""
    area = popover.get_allocation()
    area.x += 5
    popover.set_allocation(area)
    popover.get_window().move(5, 0)


WORDS = {
    "pane": lambda: pane.set_position(120),
    "overlay": lambda: above[1].set_margin_start(330),
    "reveal": lambda: revealer.set_reveal_child(True),
    "slide": lambda: stack.set_visible_child_name("second"),
    "fixed": lambda: fixed.move(wanders, 90, 0),
    "scroll": lambda: area.get_vadjustment().set_value(45),
    "layout": lambda: scrolled.get_hadjustment().set_value(15),
    "float": lambda: drift(popovers[1]),
}


def answer(word):
    os.write(answers, f"{word}\n".encode())
    return GLib.SOURCE_REMOVE


def told(*_):
    for word in os.read(fifo, 1000).decode().splitlines():
        WORDS[word]()
        GLib.idle_add(answer, word, priority=GLib.PRIORITY_LOW)
    return GLib.SOURCE_CONTINUE


GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, fifo, GLib.IOCondition.IN, told)
Gtk.main()
