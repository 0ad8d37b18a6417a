"""The order form in GTK 4: `/usr/bin/python3 demo/gtk4_form.py`. It knows nothing of deskhand.

What the user did is shown in the status line, and printed as JSON when the form closes. With `--again`, each
line on standard input starts it over with a fresh form, which is answered by a line.
"""

import argparse
import gc
import json
import re
import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, GObject, Gtk  # noqa: E402 - the version must be chosen first

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=1000)
parser.add_argument("--again", action="store_true")
arguments = parser.parse_args()


class Item(GObject.Object):
    name = GObject.Property(type=str)

    def __init__(self, number):
        super().__init__(name=f"Item {number}")
        self.texts = [f"Item {number}", f"{number}.50", str(number % 7)]


class Place(GObject.Object):
    def __init__(self, name, inside=()):
        super().__init__()
        self.name = name
        self.inside = inside


class Form(Gtk.ApplicationWindow):
    def __init__(self, app):
        super().__init__(name="order_form", application=app, title="Order form")
        self.events = []
        self.set_default_size(640, 560)
        self.connect("close-request", self.finish)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        column.append(self.make_menus(app))
        column.append(self.make_tools())
        tabs = Gtk.Notebook(name="tabs", vexpand=True)
        for title, page in (
            ("Person", self.make_person()),
            ("Items", self.make_items()),
            ("More", self.make_more()),
        ):
            tabs.append_page(page, Gtk.Label(label=title))
        column.append(tabs)
        self.report = Gtk.Label(name="report", label="ready", xalign=0, margin_top=4, margin_bottom=4)
        describe(self.report, "What happened last")
        column.append(self.report)
        self.set_child(column)
        # The first page announces itself while it is built; only what the user does is reported.
        tabs.connect("switch-page", lambda _, page, __: self.say(f"tab {tabs.get_tab_label_text(page)}"))
        self.present()
        self.name.grab_focus()

    def say(self, what):
        self.events.append(what)
        self.report.set_text(what)

    def finish(self, *_):
        print(json.dumps({"events": self.events, "name": self.name.get_text()}), flush=True)
        return False

    # -- the parts ------------------------------------------------------------------------

    def make_menus(self, app):
        for name, done in (
            ("save", lambda *_: self.say("saved")),
            ("first", lambda *_: self.say("opened first.txt")),
            ("quit", lambda *_: self.close()),
            ("copy", lambda *_: self.say("copied")),
        ):
            action = Gio.SimpleAction(name=name)
            action.connect("activate", done)
            self.add_action(action)
        grid = Gio.SimpleAction.new_stateful("grid", None, GLib.Variant("b", False))
        grid.connect("change-state", self.change_grid)
        self.add_action(grid)
        app.set_accels_for_action("win.save", ["<Control>s"])
        menu, file, recent, view = Gio.Menu(), Gio.Menu(), Gio.Menu(), Gio.Menu()
        file.append("_Save", "win.save")
        recent.append("first.txt", "win.first")
        file.append_submenu("_Recent", recent)
        file.append("_Quit", "win.quit")
        view.append("Show _grid", "win.grid")
        menu.append_submenu("_File", file)
        menu.append_submenu("_View", view)
        return Gtk.PopoverMenuBar(menu_model=menu)

    def make_tools(self):
        bar = Gtk.Box(name="tools", accessible_role=Gtk.AccessibleRole.TOOLBAR)
        bar.add_css_class("toolbar")
        zoom = Gtk.Button(label="Zoom in")
        zoom.connect("clicked", lambda _: self.say("zoomed"))
        bar.append(zoom)
        return bar

    def row(self, grid, text, field):
        number = grid.rows = getattr(grid, "rows", -1) + 1
        label = Gtk.Label.new_with_mnemonic(text)
        label.set_mnemonic_widget(field)
        label.set_halign(Gtk.Align.START)
        field.set_hexpand(True)
        grid.attach(label, 0, number, 1, 1)
        grid.attach(field, 1, number, 1, 1)
        return field

    def wide(self, grid, field):
        grid.rows = getattr(grid, "rows", -1) + 1
        grid.attach(field, 0, grid.rows, 2, 1)
        return field

    def make_person(self):
        grid = page()
        self.name = self.row(grid, "_Name", Gtk.Entry(name="name", placeholder_text="Full name"))
        self.name.connect("changed", lambda entry: self.say(f"name {entry.get_text()}"))
        self.name.connect("activate", lambda entry: self.say(f"submitted {entry.get_text()}"))
        secret = self.row(grid, "_Password", Gtk.PasswordEntry(name="secret"))
        secret.connect("changed", lambda entry: self.say(f"secret of {len(entry.get_text())}"))
        news = self.wide(grid, Gtk.CheckButton.new_with_mnemonic("Send me the _newsletter"))
        news.connect("toggled", lambda box: self.say(f"newsletter {box.get_active()}"))
        country = Gtk.DropDown.new_from_strings(["France", "Kenya", "Japan", "Peru"])
        country.set_name("country")
        country.connect("notify::selected-item", self.tell_country)
        self.row(grid, "_Country", country)
        delivery = Gtk.Box(spacing=6)
        group = None
        for text in ("Post", "Courier"):
            radio = Gtk.CheckButton(label=text, group=group)
            radio.connect("toggled", lambda one, text=text: one.get_active() and self.say(f"delivery {text}"))
            group = group or radio
            delivery.append(radio)
        self.wide(grid, Gtk.Frame(label="Delivery", child=delivery))
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
            buttons.append(button)
        buttons.append(self.send)
        self.wide(grid, buttons)
        self.hint = self.wide(grid, Gtk.Button(name="hint", label="Hidden hint", visible=False))
        return grid

    def make_items(self):
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6, vexpand=True)
        items = Gio.ListStore(item_type=Item)
        for number in range(arguments.rows):
            items.append(Item(number))
        chosen = Gtk.SingleSelection(model=items, autoselect=False, can_unselect=True)
        chosen.connect("notify::selected", lambda *_: self.say(f"selected {chosen.get_selected()},0"))
        table = Gtk.ColumnView(name="table", model=chosen)
        for at, title in enumerate(("Item", "Price", "Stock")):
            factory = Gtk.SignalListItemFactory()
            factory.connect("setup", lambda _, cell: cell.set_child(Gtk.Label(xalign=0)))
            factory.connect(
                "bind", lambda _, cell, at=at: cell.get_child().set_text(cell.get_item().texts[at])
            )
            table.append_column(Gtk.ColumnViewColumn(title=title, factory=factory, expand=True))
        column.append(scrolled(table))
        lower = Gtk.Box(spacing=6, homogeneous=True, vexpand=True)
        colours = Gtk.ListBox(name="colours")
        for text in ("red", "green", "blue"):
            colours.append(Gtk.Label(label=text, xalign=0))
        colours.unselect_all()
        colours.connect("row-selected", self.tell_colour)
        lower.append(scrolled(colours))
        lower.append(scrolled(self.make_tree()))
        column.append(lower)
        return column

    def make_tree(self):
        places = Gio.ListStore(item_type=Place)
        places.append(Place("Europe", ("Paris",)))
        places.append(Place("Africa"))
        rows = Gtk.TreeListModel.new(places, False, False, self.inside)
        chosen = Gtk.SingleSelection(model=rows, autoselect=False, can_unselect=True)
        chosen.connect("notify::selected-item", self.tell_place)
        factory = Gtk.SignalListItemFactory()
        factory.connect("setup", lambda _, cell: cell.set_child(Gtk.TreeExpander(child=Gtk.Label(xalign=0))))
        factory.connect("bind", self.bind_place)
        return Gtk.ListView(name="tree", model=chosen, factory=factory)

    def make_more(self):
        grid = page()
        amount = self.row(grid, "_Amount", Gtk.SpinButton.new_with_range(0, 50, 1))
        amount.set_name("amount")
        amount.connect("value-changed", lambda spin: self.say(f"amount {spin.get_value_as_int()}"))
        volume = self.row(grid, "_Volume", Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1))
        volume.set_name("volume")
        volume.connect("value-changed", lambda scale: self.say(f"volume {round(scale.get_value())}"))
        day = self.row(grid, "_Day", Gtk.Entry(name="day", text="2026-01-31"))
        day.connect("changed", self.tell_day)
        inner = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, height_request=2000)
        far = Gtk.Button(name="far", label="Far away", valign=Gtk.Align.END, vexpand=True)
        far.connect("clicked", lambda _: self.say("far pressed"))
        inner.append(far)
        area = scrolled(inner)
        area.set_name("area")
        area.update_property([Gtk.AccessibleProperty.LABEL], ["Area"])
        self.wide(grid, area)
        pad = Gtk.Label(name="pad", label="Right-click me")
        click = Gtk.GestureClick(button=Gdk.BUTTON_SECONDARY)
        click.connect("pressed", self.context_menu, pad)
        pad.add_controller(click)
        self.wide(grid, pad)
        return grid

    # -- what happens -----------------------------------------------------------------------

    def bind_cell(self, _, cell, column):
        cell.get_child().set_text(cell.get_item().texts[column])

    def tell_colour(self, _, row):
        if row is not None:
            self.say(f"colour {row.get_child().get_text()}")

    def tell_country(self, box, _):
        self.say(f"country {box.get_selected_item().get_string()}")

    def inside(self, place):
        if not place.inside:
            return None
        below = Gio.ListStore(item_type=Place)
        for name in place.inside:
            below.append(Place(name))
        return below

    def bind_place(self, _, cell):
        row = cell.get_item()
        cell.get_child().set_list_row(row)
        cell.get_child().get_child().set_text(row.get_item().name)
        row.connect("notify::expanded", self.tell_expanded)

    def tell_expanded(self, row, _):
        if row.get_expanded():
            self.say(f"expanded {row.get_item().name}")

    def tell_place(self, chosen, _):
        row = chosen.get_selected_item()
        if row is not None:
            self.say(f"place {row.get_item().name}")

    def tell_day(self, entry):
        if re.fullmatch(r"\d{4}-\d\d-\d\d", entry.get_text()):
            self.say(f"day {entry.get_text()}")

    def change_grid(self, action, on):
        action.set_state(on)
        self.say(f"grid {on.get_boolean()}")

    def context_menu(self, _, __, x, y, pad):
        menu = Gio.Menu()
        menu.append("Copy", "win.copy")
        popover = Gtk.PopoverMenu.new_from_model(menu)
        popover.set_parent(pad)
        at = Gdk.Rectangle()
        at.x, at.y, at.width, at.height = int(x), int(y), 1, 1
        popover.set_pointing_to(at)
        popover.popup()

    def place_order(self, _):
        box = Gtk.MessageDialog(
            transient_for=self,
            modal=True,
            message_type=Gtk.MessageType.QUESTION,
            buttons=Gtk.ButtonsType.YES_NO,
            text=f"Place the order for {self.name.get_text()}?",
            title="Confirm",
        )
        box.connect("response", self.answered)
        box.present()

    def answered(self, box, answer):
        box.destroy()
        self.say("ordered" if answer == Gtk.ResponseType.YES else "order cancelled")

    def load_later(self, _):
        self.say("loading")
        GLib.timeout_add(300, self.loaded)

    def loaded(self):
        self.send.set_sensitive(True)
        self.hint.set_visible(True)
        self.say("loaded")


def page():
    return Gtk.Grid(
        row_spacing=6, column_spacing=6, margin_top=6, margin_bottom=6, margin_start=6, margin_end=6
    )


def scrolled(inner):
    return Gtk.ScrolledWindow(child=inner, vexpand=True, hexpand=True)


def describe(widget, text):
    widget.update_property([Gtk.AccessibleProperty.DESCRIPTION], [text])


def start_over(channel, _, app):
    if not channel.readline():
        return False
    old = Gtk.Window.list_toplevels()
    Form(app)
    for window in old:
        window.destroy()
    del old, window
    gc.collect()
    print("ready", flush=True)
    return True


if __name__ == "__main__":
    app = Gtk.Application()
    app.connect("activate", Form)
    if arguments.again:
        GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN, start_over, app)
    app.run()
