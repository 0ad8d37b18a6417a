"""Measures in one process of GTK: reads by the adapter, and a straightforward walk with PyGObject.

`gtk_widgets.py VERSION WIDGETS TIMES` prints the best of each as JSON, in milliseconds.
"""

import json
import sys
import threading
import time
from pathlib import Path

# The interpreter is Debian's, which has nothing of ours.
sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

import gi

version, count, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
gi.require_version("Gtk", version)
from gi.repository import GLib, Gtk  # noqa: E402 - the version must be chosen first

THREE = version == "3.0"


def build():
    """Rows of a caption, a field, a tick and two buttons: what real forms are made of."""
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    add = column.add if THREE else column.append
    made = []
    for number in range(count // 6):
        row = Gtk.Box()
        put = row.add if THREE else row.append
        field = Gtk.Entry(text=f"value {number}")
        for one in (
            Gtk.Label(label=f"Caption {number}"),
            field,
            Gtk.CheckButton(label=f"Tick {number}"),
            Gtk.Button(label=f"Press {number}"),
            Gtk.Label(label=f"Note {number}"),
        ):
            put(one)
        add(row)
        made.append(field)
    window = Gtk.Window(title="measured", default_width=800, default_height=600)
    area = Gtk.ScrolledWindow()
    if THREE:
        area.add(column)
        window.add(area)
        window.show_all()
    else:
        area.set_child(column)
        window.set_child(area)
        window.present()
    return window, made


def walk(widget, parent, window, found):
    """The same facts as a node has, asked for one by one."""
    node = {
        "uid": hash(widget),
        "parent": parent,
        "class": widget.__gtype__.name,
        "name": widget.get_name(),
        "id": Gtk.Buildable.get_name(widget) if THREE else widget.get_buildable_id(),
        "mapped": widget.get_mapped(),
        "visible": widget.get_visible(),
        "enabled": widget.is_sensitive(),
        "tooltip": widget.get_tooltip_text(),
        "focused": widget.has_focus(),
        "focusable": widget.get_can_focus(),
        "bounds": bounds(widget, window),
    }
    if isinstance(widget, Gtk.Label):
        node["text"] = widget.get_text()
        node["names"] = widget.get_mnemonic_widget()
    elif isinstance(widget, Gtk.CheckButton):
        node["text"], node["checked"] = widget.get_label(), widget.get_active()
        node["mixed"] = widget.get_inconsistent()
    elif isinstance(widget, Gtk.Button):
        node["text"] = widget.get_label()
    elif isinstance(widget, Gtk.Entry):
        node["password"], node["hint"] = not widget.get_visibility(), widget.get_placeholder_text()
        node["value"], node["editable"] = widget.get_text(), widget.get_editable()
    found.append(node)
    if isinstance(widget, (Gtk.Button, Gtk.CheckButton, Gtk.Entry, Gtk.Label)):
        return found
    for child in children(widget):
        walk(child, node["uid"], window, found)
    return found


def bounds(widget, window):
    if THREE:
        at = widget.translate_coordinates(window, 0, 0)
        _, x, y = window.get_window().get_origin()
        return at and (x + at[0], y + at[1], widget.get_allocated_width(), widget.get_allocated_height())
    inside, box = widget.compute_bounds(window)
    return inside and (box.get_x(), box.get_y(), box.get_width(), box.get_height())


def children(widget):
    if THREE:
        return widget.get_children()
    found, child = [], widget.get_first_child()
    while child is not None:
        found.append(child)
        child = child.get_next_sibling()
    return found


def timed(function):
    """Of the processor alone: none of these waits for anything, and other programs are none of theirs."""
    began = time.thread_time()
    function()
    return (time.thread_time() - began) * 1000


def measure(window, made):
    from deskhand.adapters.gtk.adapter import GtkAdapter

    adapter = GtkAdapter()
    best = {"changed": 1e9, "walk": 1e9}
    for number in range(times):
        made[0].set_text(f"changed {number}")
        best["changed"] = min(best["changed"], timed(lambda: adapter.read(timeout=60)))
        best["walk"] = min(best["walk"], timed(lambda: walk(window, None, window, [])))
    tree, walked = adapter.read(timeout=60), walk(window, None, window, [])
    assert any(node.value == f"changed {times - 1}" for node in tree)
    assert abs(len(tree) - len(walked)) <= 8, (len(tree), len(walked))
    threading.Thread(target=measure_unchanged, args=(adapter, best)).start()
    return False


def measure_unchanged(adapter, best):
    """From another thread, as the engine reads, while the event loop runs."""
    best["same"] = 1e9
    for _ in range(times * 3):
        began = time.perf_counter()
        adapter.read(timeout=60)
        best["same"] = min(best["same"], (time.perf_counter() - began) * 1000)
    print(json.dumps(best), flush=True)
    adapter.close()
    GLib.idle_add(loop.quit)


loop = GLib.MainLoop()
window, made = build()
GLib.timeout_add(1000, measure, window, made)
loop.run()
