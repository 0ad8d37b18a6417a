"""What becomes of keys: what takes them for itself, and what a field made of a text."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand import App, Desktop
from deskhand.model.errors import ActionFailed, NotReady

from .conftest import Start
from .test_menus import until
from .test_pointing import popups

DEBIAN = "/usr/bin/python3"
GTK = """if 1:
    import gi, sys
    gi.require_version("Gtk", "3.0")
    from gi.repository import GLib, Gtk
    from pathlib import Path
    window = Gtk.Window(title="typing")
    window.connect("destroy", Gtk.main_quit)
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    window.add(column)
    bar, menu, top = Gtk.MenuBar(), Gtk.Menu(), Gtk.MenuItem(label="File")
    for name in ("Add", "Be"):
        menu.append(Gtk.MenuItem(label=f"_{name}", use_underline=True))
    top.set_submenu(menu)
    bar.append(top)
    column.add(bar)
    fields = {}
    for name in ("Plain", "Own", "Digits", "Upper"):
        fields[name] = Gtk.Entry()
        fields[name].get_accessible().set_name(name)
        column.add(fields[name])
    fields["Own"].set_text("12")
    fields["Digits"].set_text("7")
    def say(*_):
        Path(sys.argv[1]).write_text("|".join(one.get_text() for one in fields.values()))
    def own(*_):
        if fields["Own"].get_text() not in ("", "2"):
            fields["Own"].set_text("2")
    def only(entry, new, length, at, allowed):
        if not allowed(new[:length]):
            entry.stop_emission_by_name("insert-text")
    fields["Digits"].connect("insert-text", only, str.isdigit)
    fields["Own"].connect("changed", lambda *_: GLib.idle_add(own))
    fields["Upper"].connect("changed", lambda one: one.set_text(one.get_text().upper()))
    for one in fields.values():
        one.connect("changed", say)
    say()
    window.show_all()
    Gtk.main()
"""
QT = """if 1:
    import importlib, sys
    from pathlib import Path
    widgets = importlib.import_module(sys.argv[1] + ".QtWidgets")
    app = widgets.QApplication([])
    window = widgets.QMainWindow()
    menu = window.menuBar().addMenu("File")
    for name in ("&Add", "&Be"):
        menu.addAction(name)
    plain = widgets.QPlainTextEdit()
    plain.setAccessibleName("Plain")
    window.setCentralWidget(plain)
    plain.textChanged.connect(lambda: Path(sys.argv[2]).write_text(plain.toPlainText()))
    window.show()
    (getattr(app, "exec", None) or app.exec_)()
"""


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """The file in which the program says what its fields hold."""
    path = tmp_path / "held"
    path.write_text("")
    return path


@pytest.fixture
def fields(start: Start, held: Path) -> App:
    return start(DEBIAN, "-c", GTK, str(held), until='[name="Upper"]').app


@pytest.mark.parametrize("kit", ["gtk3", "PyQt5", "PySide6"])
def test_an_open_menu_is_named_as_what_takes_the_keys(
    start: Start, held: Path, desktop: Desktop, kit: str
) -> None:
    argv = {
        "gtk3": (DEBIAN, "-c", GTK, str(held)),
        "PyQt5": (DEBIAN, "-c", QT, "PyQt5", str(held)),
        "PySide6": (sys.executable, "-c", QT, "PySide6", str(held)),
    }[kit]
    app = start(*argv, until='[name="Plain"]').app
    plain = app.locator('[name="Plain"]').first
    plain.type("old")
    until(lambda: held.read_text().startswith("old"), "typed")
    before = len(popups(desktop))
    app.locator('menu-bar >> [name="File"]').first.click()
    until(lambda: len(popups(desktop)) > before, "the menu is open")
    acts: tuple[Callable[[], object], ...] = (
        lambda: plain.type("ab", timeout=0.3),
        lambda: plain.fill("ab", timeout=0.3),
        lambda: plain.press("a", timeout=0.3),
    )
    for act in acts:
        with pytest.raises(NotReady) as caught:
            act()
        assert "menu" in str(caught.value.details["covered_by"])
    assert len(popups(desktop)) > before
    subprocess.run(["xdotool", "key", "Escape"], env=dict(desktop.env), check=True, timeout=20)
    until(lambda: len(popups(desktop)) == before, "the menu is closed")
    plain.type("er")
    until(lambda: held.read_text().startswith("older"), "typed behind it")


def test_a_field_in_which_the_program_puts_another_text_does_not_take_a_fill(fields: App, held: Path) -> None:
    own = fields.locator('[name="Own"]').first
    for act in (own.fill, own.set_value):
        with pytest.raises(ActionFailed, match=r"did not take 'a b'; it (still )?holds '2'"):
            act("a b")
    until(lambda: held.read_text() == "|2|7|", "the program's own text")


def test_a_field_that_refuses_every_character_does_not_take_a_fill(fields: App, held: Path) -> None:
    digits = fields.locator('[name="Digits"]').first
    with pytest.raises(ActionFailed, match="did not take 'abc'; it holds ''"):
        digits.fill("abc")
    digits.fill("42")
    assert held.read_text() == "|12|42|"
    done = digits.type("x")
    assert done.detail == "by real input; no effect was seen: it still holds '42'"
    assert held.read_text() == "|12|42|"


def test_a_text_that_the_program_writes_in_another_way_is_reported_with_what_it_holds(
    fields: App, held: Path
) -> None:
    upper = fields.locator('[name="Upper"]').first
    assert upper.fill("abc").detail == "by real input; it holds 'ABC'"
    assert held.read_text() == "|12|7|ABC"
    digits = fields.locator('[name="Digits"]').first
    assert digits.fill("1a2").detail == "by real input; it holds '12'"
    assert held.read_text() == "|12|12|ABC"
    assert fields.locator('[name="Plain"]').first.fill("a b").detail == "by real input"
