"""A window of GTK 3 whose menus and buttons run dialogs in their handlers, and a log of what they did.

Each line says whether a person's input led to it (`input`) or a call (`call`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402 - after the version


class Form(Gtk.Window):
    def __init__(self, log: Path) -> None:
        super().__init__(title="Dialogs")
        self._log = log
        self.set_default_size(400, 300)
        bar = Gtk.MenuBar()
        entries = self._menu(bar, "File")
        self._entry(entries, "Ask", self._ask)
        self._entry(entries, "Locked", None).set_sensitive(False)
        inner = self._menu(entries, "More")
        deepest = self._menu(inner, "Even more")
        self._entry(deepest, "Deep", lambda: self._say("deep"))
        tick = Gtk.CheckMenuItem(label="Tick")
        tick.connect("toggled", lambda item: self._say(f"tick {item.get_active()}"))
        inner.append(tick)
        many = self._menu(bar, "Many")
        for number in range(60):
            self._entry(many, f"Entry {number}", lambda number=number: self._say(f"entry {number}"))
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.add(bar)
        for name, handler in (("Question", self._ask), ("Busy", lambda: time.sleep(6))):
            button = Gtk.Button(label=name)
            button.connect("clicked", lambda _, handler=handler: handler())
            box.add(button)
        self.add(box)
        self.connect("destroy", Gtk.main_quit)

    def _menu(self, around: Gtk.MenuShell, name: str) -> Gtk.Menu:
        item, menu = Gtk.MenuItem(label=name), Gtk.Menu()
        item.set_submenu(menu)
        around.append(item)
        return menu

    def _entry(self, menu: Gtk.Menu, name: str, handler: Callable[[], None] | None) -> Gtk.MenuItem:
        item = Gtk.MenuItem(label=name)
        item.connect("activate", lambda _: handler and handler())
        menu.append(item)
        return item

    def _say(self, what: str) -> None:
        way = "call" if Gtk.get_current_event() is None else "input"
        with self._log.open("a") as log:
            log.write(f"{what} by {way}\n")

    def _ask(self, level: int = 1) -> None:
        self._say(f"asked {level}")
        dialog = Gtk.Dialog(title=f"Level {level}", transient_for=self, modal=True)
        dialog.add_buttons("Yes", Gtk.ResponseType.YES, "No", Gtk.ResponseType.NO)
        again = Gtk.Button(label="Ask again")
        again.connect("clicked", lambda _: self._ask(level + 1))
        dialog.get_content_area().add(again)
        dialog.show_all()
        answer = dialog.run()
        self._say("yes" if answer == Gtk.ResponseType.YES else "no")
        dialog.destroy()


if __name__ == "__main__":
    Form(Path(sys.argv[1])).show_all()
    Gtk.main()
