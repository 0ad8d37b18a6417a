"""The order form in GTK 3: `/usr/bin/python3 demo/gtk3_form.py`. It knows nothing of deskhand.

What the user did is shown in the status line, and printed as JSON when the form closes. With `--again`, each
line on standard input starts it over with a fresh form, which is answered by a line.
"""

import argparse
import json
import re
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402 - the version must be chosen first

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=1000)
parser.add_argument("--again", action="store_true")
arguments = parser.parse_args()


class Form(Gtk.Window):
    def __init__(self):
        super().__init__(name="order_form", title="Order form")
        self.events = []
        self.set_default_size(640, 560)
        self.connect("delete-event", self.finish)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        column.pack_start(self.make_menus(), False, False, 0)
        column.pack_start(self.make_tools(), False, False, 0)
        tabs = Gtk.Notebook(name="tabs")
        for title, page in (
            ("Person", self.make_person()),
            ("Items", self.make_items()),
            ("More", self.make_more()),
        ):
            tabs.append_page(page, Gtk.Label(label=title))
        column.pack_start(tabs, True, True, 0)
        self.report = Gtk.Label(name="report", label="ready", xalign=0)
        self.report.get_accessible().set_description("What happened last")
        column.pack_start(self.report, False, False, 4)
        self.add(column)
        self.show_all()
        self.hint.hide()
        self.name.grab_focus()
        # The first page announces itself while it is built; only what the user does is reported.
        tabs.connect("switch-page", lambda _, page, __: self.say(f"tab {tabs.get_tab_label_text(page)}"))

    def say(self, what):
        self.events.append(what)
        self.report.set_text(what)

    def finish(self, *_):
        print(json.dumps({"events": self.events, "name": self.name.get_text()}), flush=True)
        Gtk.main_quit()

    # -- the parts ------------------------------------------------------------------------

    def make_menus(self):
        keys = Gtk.AccelGroup()
        self.add_accel_group(keys)
        bar, file, view, recent = Gtk.MenuBar(), Gtk.Menu(), Gtk.Menu(), Gtk.Menu()
        save = self.entry(file, "_Save", lambda _: self.say("saved"))
        save.add_accelerator(
            "activate", keys, Gdk.KEY_s, Gdk.ModifierType.CONTROL_MASK, Gtk.AccelFlags.VISIBLE
        )
        self.entry(file, "_Recent", None).set_submenu(recent)
        self.entry(recent, "first.txt", lambda _: self.say("opened first.txt"))
        file.append(Gtk.SeparatorMenuItem())
        self.entry(file, "_Quit", self.finish)
        grid = Gtk.CheckMenuItem.new_with_mnemonic("Show _grid")
        grid.connect("toggled", lambda box: self.say(f"grid {box.get_active()}"))
        view.append(grid)
        self.entry(bar, "_File", None).set_submenu(file)
        self.entry(bar, "_View", None).set_submenu(view)
        return bar

    def entry(self, menu, text, activated):
        item = Gtk.MenuItem.new_with_mnemonic(text)
        if activated is not None:
            item.connect("activate", activated)
        menu.append(item)
        return item

    def make_tools(self):
        bar = Gtk.Toolbar(name="tools", toolbar_style=Gtk.ToolbarStyle.TEXT)
        zoom = Gtk.ToolButton(label="Zoom in")
        zoom.connect("clicked", lambda _: self.say("zoomed"))
        bar.insert(zoom, 0)
        return bar

    def row(self, grid, text, field):
        number = len(grid.get_children())
        label = Gtk.Label.new_with_mnemonic(text)
        label.set_mnemonic_widget(field)
        label.set_halign(Gtk.Align.START)
        field.set_hexpand(True)
        grid.attach(label, 0, number, 1, 1)
        grid.attach(field, 1, number, 1, 1)
        return field

    def wide(self, grid, field):
        grid.attach(field, 0, len(grid.get_children()), 2, 1)
        return field

    def make_person(self):
        grid = Gtk.Grid(row_spacing=6, column_spacing=6, border_width=6)
        self.name = self.row(grid, "_Name", Gtk.Entry(name="name", placeholder_text="Full name"))
        self.name.connect("changed", lambda entry: self.say(f"name {entry.get_text()}"))
        self.name.connect("activate", lambda entry: self.say(f"submitted {entry.get_text()}"))
        secret = self.row(grid, "_Password", Gtk.Entry(name="secret", visibility=False))
        secret.connect("changed", lambda entry: self.say(f"secret of {len(entry.get_text())}"))
        news = self.wide(grid, Gtk.CheckButton.new_with_mnemonic("Send me the _newsletter"))
        news.connect("toggled", lambda box: self.say(f"newsletter {box.get_active()}"))
        country = self.row(grid, "_Country", Gtk.ComboBoxText(name="country"))
        for text in ("France", "Kenya", "Japan", "Peru"):
            country.append_text(text)
        country.set_active(0)
        country.connect("changed", lambda box: self.say(f"country {box.get_active_text()}"))
        delivery = Gtk.Box(spacing=6)
        # The first of a group is always chosen in GTK; this one is not shown.
        unchosen = Gtk.RadioButton()
        for text in ("Post", "Courier"):
            radio = Gtk.RadioButton.new_with_label_from_widget(unchosen, text)
            radio.connect("toggled", lambda one, text=text: one.get_active() and self.say(f"delivery {text}"))
            delivery.add(radio)
        self.unchosen = unchosen
        frame = Gtk.Frame(label="Delivery")
        frame.add(delivery)
        self.wide(grid, frame)
        notes = Gtk.TextView(height_request=60, accepts_tab=False)
        notes.get_buffer().connect("changed", lambda text: self.say(f"notes {text.props.text!r}"))
        self.row(grid, "N_otes", notes)
        buttons = Gtk.Box(spacing=6)
        self.send = Gtk.Button(name="send", label="Send", sensitive=False)
        self.send.connect("clicked", lambda _: self.say("sent"))
        for name, text, clicked in (
            ("", "_Greet", lambda _: self.say(f"Hello, {self.name.get_text()}!")),
            ("order", "Place order…", self.place_order),
            ("later", "Load later", self.load_later),
        ):
            button = Gtk.Button.new_with_mnemonic(text)
            if name:
                button.set_name(name)
            button.connect("clicked", clicked)
            buttons.add(button)
        buttons.add(self.send)
        self.wide(grid, buttons)
        self.hint = self.wide(grid, Gtk.Button(name="hint", label="Hidden hint"))
        return grid

    def make_items(self):
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
        self.items = Gtk.ListStore(str, str, str)
        for number in range(arguments.rows):
            self.items.append([f"Item {number}", f"{number}.50", str(number % 7)])
        self.table = Gtk.TreeView(name="table", model=self.items)
        for at, title in enumerate(("Item", "Price", "Stock")):
            text = Gtk.CellRendererText(editable=True)
            text.connect("edited", self.edited, at)
            self.table.append_column(Gtk.TreeViewColumn(title, text, text=at))
        self.table.connect("cursor-changed", self.tell_cell)
        column.pack_start(scrolled(self.table), True, True, 0)
        lower = Gtk.Box(spacing=6, homogeneous=True)
        colours = Gtk.ListBox(name="colours")
        for text in ("red", "green", "blue"):
            colours.add(Gtk.Label(label=text, xalign=0))
        colours.connect("row-selected", self.tell_colour)
        lower.add(scrolled(colours))
        places = Gtk.TreeStore(str)
        places.append(places.append(None, ["Europe"]), ["Paris"])
        places.append(None, ["Africa"])
        tree = Gtk.TreeView(name="tree", model=places)
        tree.append_column(Gtk.TreeViewColumn("Place", Gtk.CellRendererText(), text=0))
        tree.connect("row-expanded", lambda _, at, __: self.say(f"expanded {places[at][0]}"))
        tree.get_selection().connect("changed", self.tell_place)
        lower.add(scrolled(tree))
        column.pack_start(lower, True, True, 0)
        return column

    def make_more(self):
        grid = Gtk.Grid(row_spacing=6, column_spacing=6, border_width=6)
        amount = self.row(grid, "_Amount", Gtk.SpinButton.new_with_range(0, 50, 1))
        amount.set_name("amount")
        amount.connect("value-changed", lambda spin: self.say(f"amount {spin.get_value_as_int()}"))
        volume = self.row(grid, "_Volume", Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1))
        volume.set_name("volume")
        volume.connect("value-changed", lambda scale: self.say(f"volume {round(scale.get_value())}"))
        day = self.row(grid, "_Day", Gtk.Entry(name="day", text="2026-01-31"))
        day.connect("changed", self.tell_day)
        inner = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, height_request=2000)
        far = Gtk.Button(name="far", label="Far away")
        far.connect("clicked", lambda _: self.say("far pressed"))
        inner.pack_end(far, False, False, 0)
        area = scrolled(inner)
        area.set_name("area")
        area.set_vexpand(True)
        area.get_accessible().set_name("Area")
        self.wide(grid, area)
        pad = Gtk.EventBox(name="pad")
        pad.add(Gtk.Label(label="Right-click me"))
        pad.connect("button-press-event", self.context_menu)
        self.wide(grid, pad)
        return grid

    # -- what happens -----------------------------------------------------------------------

    def tell_cell(self, table):
        path, column = table.get_cursor()
        if path is not None:
            self.say(f"selected {path[0]},{table.get_columns().index(column) if column else 0}")

    def tell_colour(self, _, row):
        if row is not None:
            self.say(f"colour {row.get_child().get_text()}")

    def tell_place(self, selection):
        places, at = selection.get_selected()
        if at is not None:
            self.say(f"place {places[at][0]}")

    def edited(self, _, path, text, column):
        self.items[path][column] = text
        self.say(f"cell {path},{column} {text}")

    def tell_day(self, entry):
        if re.fullmatch(r"\d{4}-\d\d-\d\d", entry.get_text()):
            self.say(f"day {entry.get_text()}")

    def context_menu(self, pad, event):
        if event.button == Gdk.BUTTON_SECONDARY:
            menu = Gtk.Menu(attach_widget=pad)
            self.entry(menu, "Copy", lambda _: self.say("copied"))
            menu.show_all()
            menu.popup_at_pointer(event)

    def place_order(self, _):
        box = Gtk.MessageDialog(
            transient_for=self,
            modal=True,
            message_type=Gtk.MessageType.QUESTION,
            buttons=Gtk.ButtonsType.YES_NO,
            text=f"Place the order for {self.name.get_text()}?",
            title="Confirm",
        )
        answer = box.run()
        box.destroy()
        self.say("ordered" if answer == Gtk.ResponseType.YES else "order cancelled")

    def load_later(self, _):
        self.say("loading")
        GLib.timeout_add(300, self.loaded)

    def loaded(self):
        self.send.set_sensitive(True)
        self.hint.show()
        self.say("loaded")


def scrolled(inner):
    area = Gtk.ScrolledWindow()
    area.add(inner)
    return area


def start_over(channel, _):
    if not channel.readline():
        return False
    for window in Gtk.Window.list_toplevels():
        window.destroy()
    Form()
    print("ready", flush=True)
    return True


if __name__ == "__main__":
    if arguments.again:
        GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN, start_over)
    Form()
    Gtk.main()
