"""Entries of closed menus, and dialogs that run inside the handlers of what was pressed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand import Desktop
from deskhand.model import operations as ops
from deskhand.model.errors import ActionFailed, NotEnabled, UiBusy
from tests.adapters.atspi.conftest import Running, Start

HERE = Path(__file__).parent


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def form(start: Start, log: Path) -> Running:
    return start(sys.executable, str(HERE / "gtk3_dialogs.py"), str(log), until="menu-bar")


def until(condition: Callable[[], object], what: str, timeout: float = 20.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def says(log: Path, *lines: str) -> None:
    """Wait until the program wrote these lines, and no others."""

    def written() -> list[str]:
        return log.read_text().splitlines() if log.exists() else []

    until(lambda: written() == list(lines), f"{lines} expected, {log} has {written()}")


def windows_named(desktop: Desktop, title: str) -> list[str]:
    """The windows on the screen with a title, as another program sees them."""
    found = subprocess.run(
        ("xdotool", "search", "--onlyvisible", "--name", title),
        env=dict(desktop.env), capture_output=True, text=True, timeout=20, check=False,
    )  # fmt: skip
    return found.stdout.split()


@pytest.mark.parametrize("act", [ops.Press, ops.Click])
def test_an_entry_of_a_closed_menu_is_chosen_by_real_input(
    form: Running, log: Path, act: type[ops.Action]
) -> None:
    for name, line in (("Deep", "deep by input"), ("Tick", "tick True by input")):
        log.write_text("")
        done = form.app.run(act(f'menu-bar >> [name="{name}"]'))
        says(log, line)
        assert done.detail == "by real input"
        assert not form.app.locator('[name="Deep"]').get().bounds, "the menu is closed again"


def test_dialogs_that_run_in_handlers_are_answered_one_inside_the_other(form: Running, log: Path) -> None:
    for opener in ('menu-bar >> [name="Ask"]', 'button[name="Question"]'):
        log.write_text("")
        form.app.run(ops.Press(opener))
        form.app.run(ops.Press('dialog[name="Level 1"] >> button[name="Ask again"]'))
        form.app.run(ops.Press('dialog[name="Level 2"] >> button[name="Yes"]'))
        form.app.run(ops.Press('dialog[name="Level 1"] >> button[name="No"]'))
        says(log, "asked 1 by input", "asked 2 by input", "yes by input", "no by input")


def test_a_disabled_entry_of_a_closed_menu_is_refused_and_no_menu_stays_open(
    form: Running, log: Path
) -> None:
    with pytest.raises(NotEnabled):
        form.app.run(ops.Click('menu-bar >> [name="Locked"]', timeout=0))
    assert not form.app.locator('[name="Ask"]').get().bounds
    form.app.run(ops.Click('button[name="Question"]'))
    says(log, "asked 1 by input")


def test_an_entry_of_a_menu_longer_than_the_screen_is_chosen(form: Running, log: Path) -> None:
    form.app.run(ops.Press('menu-bar >> [name="Entry 59"]'))
    says(log, "entry 59 by input")
    form.app.run(ops.Press('menu-bar >> [name="Entry 3"]'))
    says(log, "entry 59 by input", "entry 3 by input")


def test_a_program_that_stops_answering_is_reported_with_the_last_action(form: Running) -> None:
    form.app.run(ops.Press('button[name="Busy"]'))
    with pytest.raises(UiBusy, match=r"did not answer .* ago, was press on button \"Busy\"") as caught:
        until(lambda: form.adapter.read(timeout=1).cut, "it answered all the time")
    assert any("screenshot" in hint for hint in caught.value.suggestions)


def test_dialogs_of_gnumeric_are_opened_and_answered_without_a_hang(start: Start, tmp_path: Path) -> None:
    running = start("gnumeric", until="menu-bar", timeout=60)
    app = running.app
    app.keyboard.type("4711\n")
    for number in range(5):
        # A folder for each: a completion of names that exist would open a popup above the buttons.
        path = tmp_path / str(number) / "sheet.gnumeric"
        path.parent.mkdir()
        assert app.run(ops.Press('menu-bar >> menu-item[name="Save As"]')).detail == "by real input"
        dialog = app.locator('dialog[name*="Save"]')
        dialog.get_by_role("textfield").first.fill(str(path))
        assert app.run(ops.Press('dialog[name*="Save"] >> button[name="Save"]')).detail == "by real input"
        until(path.exists, f"{path} was not saved")
        until(lambda: len(app.windows()) == 1, "the dialog is closed")


def test_entries_of_closed_menus_of_libreoffice_are_clicked(
    start: Start, desktop: Desktop, tmp_path: Path
) -> None:
    running = start(
        "localc", "--norestore", "--nologo", f"-env:UserInstallation=file://{tmp_path}",
        until="menu-bar", timeout=90, name="soffice",
    )  # fmt: skip
    app = running.app
    for path, title in (
        (("View", "Zoom", "Zoom..."), "Zoom & View"),
        (("Format", "Cells..."), "Format Cells"),
    ):
        entry = app.locator("menu-bar >> " + " >> ".join(f'[name="{name}"]' for name in path)).first
        assert entry.click().detail == "by real input"
        until(lambda title=title: windows_named(desktop, title), f"no window {title}")  # type: ignore[misc]
        app.keyboard.press("escape")
        until(lambda title=title: not windows_named(desktop, title), f"{title} stayed")  # type: ignore[misc]
    undo = app.locator('menu-bar >> [name^="Undo"]').first
    with pytest.raises(NotEnabled):
        undo.click(timeout=0)
    # Whether there is something to undo is in the menu only once it is open.
    app.keyboard.type("5\n")
    assert undo.click().detail == "by real input"
    with pytest.raises((NotEnabled, ActionFailed)):
        undo.click(timeout=0)


# Two entries in a menu of GTK 2, for which Debian's Python has no binding.
GTK2 = """
import ctypes, sys
gtk = ctypes.CDLL("libgtk-x11-2.0.so.0")
for make in ("gtk_window_new", "gtk_menu_bar_new", "gtk_menu_new", "gtk_menu_item_new_with_label"):
    getattr(gtk, make).restype = ctypes.c_void_p
handler = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
gtk.gtk_init(None, None)
window, bar, menu = map(ctypes.c_void_p, (gtk.gtk_window_new(0), gtk.gtk_menu_bar_new(), gtk.gtk_menu_new()))
handlers = []
def entry(shell, name):
    item = ctypes.c_void_p(gtk.gtk_menu_item_new_with_label(name))
    gtk.gtk_menu_shell_append(shell, item)
    handlers.append(handler(lambda *_: open(sys.argv[1], "ab").write(name + b"\\n")))
    gtk.g_signal_connect_data(item, b"activate", handlers[-1], None, None, 0)
    return item
entry(menu, b"New")
entry(menu, b"Export")
bar_entry = ctypes.c_void_p(gtk.gtk_menu_item_new_with_label(b"File"))
gtk.gtk_menu_shell_append(bar, bar_entry)
gtk.gtk_menu_item_set_submenu(bar_entry, menu)
gtk.gtk_container_add(window, bar)
gtk.gtk_widget_show_all(window)
gtk.gtk_main()
"""


def test_an_entry_of_a_closed_menu_of_gtk_2_is_chosen(start: Start, log: Path) -> None:
    form = start("/usr/bin/python3", "-c", GTK2, str(log), until="menu-bar")
    form.app.get_by_role("menu-item", name="Export").click()
    says(log, "Export")
    form.app.get_by_role("menu-item", name="New").activate()
    says(log, "Export", "New")


def test_entries_of_an_open_menu_of_gtk_2_have_bounds_and_are_clicked_there(start: Start, log: Path) -> None:
    app = start("/usr/bin/python3", "-c", GTK2, str(log), until="menu-bar").app
    export, menu = app.get_by_role("menu-item", name="Export"), app.locator('menu-bar >> [name="File"]')
    assert export.get().bounds is None, "its menu is closed"
    menu.click()
    until(lambda: export.get().bounds is not None, "the entries of the open menu have bounds")
    assert export.get().bounds != app.get_by_role("menu-item", name="New").get().bounds
    assert export.click().detail == "by real input"
    says(log, "Export")
    until(lambda: export.get().bounds is None, "the entries of the closed menu have none")
    app.keyboard.press("F10")
    until(lambda: export.get().bounds is not None, "they have them again")
    app.keyboard.press("escape")
