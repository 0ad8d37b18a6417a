"""What the order form does not have, in GTK 3 or 4: `gallery.py 3|4`. Says what its user did in a label.

Knows nothing of deskhand. A part of it is built from a UI file, as most programs of GTK are.
"""

import sys

import gi

four = sys.argv[1] == "4"
gi.require_version("Gtk", "4.0" if four else "3.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402 - the version must be chosen first

BUILT = """
<interface>
  <object class="GtkBox" id="panel">
    <property name="visible">1</property>
    <property name="spacing">6</property>
    <child><object class="GtkSwitch" id="airplane"><property name="visible">1</property></object></child>
    <child><object class="GtkButton" id="build-button">
      <property name="visible">1</property><property name="label">Build</property>
    </object></child>
    <child><object class="GtkButton" id="___object_9___">
      <property name="visible">1</property><property name="label">Nameless</property>
    </object></child>
  </object>
</interface>
"""


class Row(Gtk.Button):
    """A class of the program's own."""


def add(box, *widgets):
    for widget in widgets:
        (box.append if four else box.add)(widget)


def child(outer, inner):
    (outer.set_child if four else outer.add)(inner)
    return outer


def header():
    bar = Gtk.HeaderBar()
    if not four:
        bar.set_show_close_button(True)
    actions = Gio.SimpleActionGroup()
    for name in ("about", "deep"):
        action = Gio.SimpleAction(name=name)
        action.connect("activate", lambda one, _: say(f"{one.get_name()} chosen"))
        actions.add_action(action)
    dark = Gio.SimpleAction.new_stateful("dark", None, GLib.Variant("b", False))
    dark.connect("change-state", lambda one, to: (one.set_state(to), say(f"dark {to.get_boolean()}")))
    actions.add_action(dark)
    menu, more = Gio.Menu(), Gio.Menu()
    menu.append("_About", "app.about")
    menu.append("_Dark", "app.dark")
    more.append("Dee_p", "app.deep")
    menu.append_submenu("_More", more)
    button = Gtk.MenuButton(menu_model=menu, tooltip_text="Main menu", name="main-menu")
    if not four:
        button.set_use_popover(False)
    bar.pack_start(button)
    window.insert_action_group("app", actions)
    window.set_titlebar(bar)


def popover():
    inner = Gtk.Popover(name="extras")
    content = Gtk.Button(label="In the popover")
    content.connect("clicked", lambda _: say("popover pressed"))
    child(inner, content)
    button = Gtk.MenuButton(label="Extras", popover=inner, name="opens-extras")
    if not four:
        content.show()
    return button


def days():
    calendar = Gtk.Calendar(name="calendar")
    if four:
        calendar.select_day(GLib.DateTime.new_local(2026, 1, 31, 0, 0, 0))
        calendar.connect("day-selected", lambda one: say(one.get_date().format("%Y-%m-%d")))
    else:
        calendar.select_month(0, 2026)
        calendar.connect("day-selected", lambda one: say("{}-{}-{}".format(*one.get_date())))
    return calendar


def say(text):
    report.set_text(text)


def clicked(button):
    say(f"{button.get_label()} pressed")


loop = GLib.MainLoop()
window = Gtk.Window(title="Gallery", default_width=500, default_height=500, name="gallery")
report = Gtk.Label(label="ready", name="report")
header()
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
builder = Gtk.Builder()
builder.add_from_string(BUILT)
builder.get_object("airplane").connect("notify::active", lambda one, _: say(f"airplane {one.get_active()}"))
builder.get_object("build-button").connect("clicked", clicked)
own = Row(label="Own", name="own")
own.connect("clicked", clicked)
expander = child(Gtk.Expander(label="_Details", use_underline=True), Gtk.Label(label="the details"))
icon = Gtk.Button(tooltip_text="Refresh")
add(box, builder.get_object("panel"), own, icon, popover(), expander, days(), report)
child(window, box)
window.connect("close-request" if four else "delete-event", lambda *_: loop.quit())
(window.present if four else window.show_all)()
loop.run()
