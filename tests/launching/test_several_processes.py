"""An app has the windows of every process that it started, and on a private desktop all that are there."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from deskhand import Desktop, connect, expect, launch
from deskhand.cli.main import commands
from deskhand.client import App
from deskhand.model.errors import LaunchFailed, WaitTimeout
from deskhand.model.operations import WaitChange
from deskhand.processes import registry

pytestmark = pytest.mark.programs

ASKS = str(Path(__file__).parents[1] / "apps" / "asks.py")
KINDS = ("gtk", "qt")


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path / "registry"))


def asks(kind: str, *command: str) -> App:
    return launch([sys.executable, ASKS, kind, *command], headless=True, default_timeout=20)


@pytest.fixture(params=KINDS)
def asker(request: pytest.FixtureRequest) -> Iterator[App]:
    """A program whose button opens a dialog of another program, which asks for a text."""
    with asks(request.param, "zenity", "--entry", "--title", "Other", "--text", "Your name") as app:
        yield app


def titles(app: App) -> list[str | None]:
    return [window.title for window in app.windows()]


def until(condition: Callable[[], object], what: str, timeout: float = 30) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"not seen within {timeout} s: {what}"
        time.sleep(0.02)


def display_of(app: App) -> dict[str, str]:
    """What leads to the display that the app is on."""
    environ = Path(f"/proc/{app.pid}/environ").read_bytes().decode().split("\0")
    named = dict(entry.split("=", 1) for entry in environ if "=" in entry)
    return {name: named[name] for name in ("DISPLAY", "XAUTHORITY", "PATH")}


def xdotool(app: App, *arguments: str) -> str:
    done = subprocess.run(["xdotool", *arguments], env=display_of(app), capture_output=True, text=True)
    return done.stdout.strip()


# -- a dialog of another process --------------------------------------------------------------------


def test_a_dialog_of_another_process_is_in_the_receipt_the_tree_and_the_windows(asker: App) -> None:
    receipt = asker.get_by_role("button", name="Ask").click(receipt=True).receipt
    assert receipt is not None
    assert [window.title for window in receipt.windows_opened] == ["Other"]
    assert titles(asker) == ["Asks", "Other"]
    main, other = asker.windows()
    assert main.pid == asker.pid
    assert other.pid != asker.pid
    assert "zenity" in other.app_name
    assert asker.locator('dialog[name="Other"] >> text="Your name"').count() == 1


def test_a_dialog_of_another_process_is_answered_and_its_end_is_seen(asker: App) -> None:
    asker.get_by_role("button", name="Ask").click()
    asker.locator('dialog[name="Other"] >> textfield').fill("Ada")
    receipt = asker.locator('dialog >> button[name="OK"]').click(receipt=True).receipt
    assert receipt is not None
    expect(asker.locator("dialog")).to_have_count(0)
    expect(asker.locator("text=\"answered 'Ada', code 0\"")).to_be_visible()
    assert titles(asker) == ["Asks"]


def test_keys_go_to_the_process_that_has_the_focus_and_the_answer_names_it(asker: App) -> None:
    asker.get_by_role("button", name="Ask").click()
    expect(asker.locator('dialog[name="Other"] >> textfield')).to_be_focused()
    # GTK reports the focus in a window a moment before the window manager gives it to the window.
    until(lambda: asker.windows()[1].focused, "the focus of the dialog")
    other = asker.windows()[1]
    assert asker.tree().focused == asker.locator("dialog >> textfield").get().uid
    done = asker.keyboard.type("Grace", receipt=True)
    assert f"zenity' (pid {other.pid})" in (done.detail or "")
    expect(asker.locator("dialog >> textfield")).to_have_value("Grace")
    asker.keyboard.press("Enter")
    expect(asker.locator("text=\"answered 'Grace', code 0\"")).to_be_visible()


def test_a_screenshot_shows_the_dialog_of_another_process_that_is_in_front(asker: App) -> None:
    asker.get_by_role("button", name="Ask").click()
    dialog = asker.locator('dialog[name="Other"]')
    expect(dialog).to_be_visible()
    until(lambda: asker.windows()[1].focused, "the focus of the dialog")
    x, y, width, height = map(
        int,
        xdotool(asker, "search", "--name", "^Other$", "getwindowgeometry", "--shell")
        .replace("\n", "=")
        .split("=")[3:10:2],
    )
    for image in (dialog.screenshot(), asker.screenshot()):
        assert abs(image.width - width) <= 2 * 60, "as wide as the window, but for its shadow"
        assert image.width > 100
    assert (x, y) != (0, 0)
    assert height > 50


def test_a_wait_sees_a_window_of_another_process_open_and_close(asker: App) -> None:
    seen = asker.tree()
    threading.Timer(0.3, lambda: asker.get_by_role("button", name="Ask").click()).start()
    expect(asker.locator('dialog[name="Other"]')).to_be_visible(timeout=30)
    change = asker.run(WaitChange(seen.revision, timeout=20)).difference
    assert change is not None
    assert [window.title for window in change.windows_opened] == ["Other"]
    window = asker.windows()[1]
    threading.Timer(0.3, lambda: xdotool(asker, "key", "Escape")).start()
    expect(asker.locator('dialog[name="Other"]')).to_have_count(0, timeout=30)
    assert window.uid not in {one.uid for one in asker.windows()}
    expect(asker.locator("text=\"answered '', code 1\"")).to_be_visible()


@pytest.mark.parametrize("kind", KINDS)
def test_a_dialog_is_answered_while_the_program_that_opened_it_waits_for_it(kind: str) -> None:
    with asks(kind, "--wait", "zenity", "--entry", "--title", "Other") as app:
        app.get_by_role("button", name="Ask").click()
        app.locator('dialog[name="Other"] >> textfield').fill("Ada")
        tree = app.tree()
        assert tree.cut is not None
        assert f"pid {app.pid}" in tree.cut.reason
        app.locator('dialog >> button[name="OK"]').click()
        expect(app.locator("text=\"answered 'Ada', code 0\"")).to_be_visible(timeout=30)
        assert app.tree().cut is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_window_without_accessibility_is_listed_placed_and_closed(kind: str, tmp_path: Path) -> None:
    program = tmp_path / "plain.tcl"
    program.write_text("wm title . Plain")
    with asks(kind, "wish", str(program)) as app:
        app.get_by_role("button", name="Ask").click()
        expect(app.locator('window[name="Plain"]')).to_be_visible()
        app.locator('window[name="Plain"]').control_window("close")
        expect(app.locator("text=\"answered '', code 0\"")).to_be_visible()
        assert titles(app) == ["Asks"]


SECOND = """
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton
app = QApplication(["second"])
window = QMainWindow(windowTitle="Second")
button = QPushButton("Done")
button.clicked.connect(lambda: (print("done"), app.quit()))
window.setCentralWidget(button)
window.show()
app.exec()
"""


def test_a_second_program_with_an_agent_inside_is_read_from_inside_too() -> None:
    with asks("qt", sys.executable, "-c", SECOND) as app:
        app.get_by_role("button", name="Ask").click()
        done = app.get_by_role("button", name="Done")
        until(lambda: [node.backend for node in app.find('button[name="Done"]')] == ["qt"], "its agent")
        assert titles(app) == ["Asks", "Second"]
        assert app.windows()[1].pid != app.pid
        assert done.screenshot().png.startswith(b"\x89PNG")
        done.click()
        expect(app.locator("text=\"answered 'done', code 0\"")).to_be_visible()
        assert titles(app) == ["Asks"]


GTK2 = """
import ctypes
gtk = ctypes.CDLL("libgtk-x11-2.0.so.0")
for make in ("gtk_window_new", "gtk_button_new_with_label", "gtk_vbox_new"):
    getattr(gtk, make).restype = ctypes.c_void_p
gtk.gtk_init(None, None)
window = ctypes.c_void_p(gtk.gtk_window_new(0))
button = ctypes.c_void_p(gtk.gtk_button_new_with_label(b"Old button"))
gtk.gtk_window_set_title(window, b"Old")
gtk.gtk_container_add(window, button)
pressed = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: gtk.gtk_main_quit())
gtk.g_signal_connect_data(button, b"clicked", pressed, None, None, 0)
gtk.gtk_widget_show_all(window)
gtk.gtk_main()
"""


def test_a_dialog_of_gtk_2_is_read_and_operated() -> None:
    with asks("gtk", "/usr/bin/python3", "-c", GTK2) as app:
        app.get_by_role("button", name="Ask").click()
        app.get_by_role("button", name="Old button").click()
        expect(app.locator("text=\"answered '', code 0\"")).to_be_visible()


# -- the first window -------------------------------------------------------------------------------

DOUBLE_FORK = """
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("mousepad", ["mousepad"])
    os._exit(0)
"""


@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", "(mousepad &); sleep 60"],
        ["sh", "-c", "(mousepad &)"],
        [sys.executable, "-c", DOUBLE_FORK],
    ],
    ids=("grandchild", "orphan", "daemon"),
)
def test_the_first_window_of_any_process_that_was_started_is_waited_for(command: list[str]) -> None:
    with launch(command, headless=True) as app:
        assert any("Mousepad" in (title or "") for title in titles(app))
        assert app.returncode is None
        app.locator("editable-text").fill("written")
        expect(app.locator("editable-text")).to_have_text("written")


def test_an_orphan_with_the_windows_is_the_app_until_it_ends() -> None:
    with launch(["sh", "-c", "(zenity --question --text Sure &)"], headless=True) as app:
        assert app.returncode is None
        with pytest.raises(WaitTimeout, match="still runs"):
            app.wait_for_exit(timeout=0.2)
        app.get_by_role("button", name="No").click()
        assert app.wait_for_exit(timeout=20) == 1


def test_a_script_of_several_dialogs_is_one_app() -> None:
    script = "zenity --info --text One && zenity --entry --text Two"
    with launch(["sh", "-c", script], headless=True) as app:
        app.get_by_role("button", name="OK").click()
        app.locator("textfield").fill("typed")
        app.get_by_role("button", name="OK").click()
        assert app.wait_for_exit(timeout=20) == 0
        assert app.stdout == "typed\n"


def test_idle_with_its_child_process_is_launched() -> None:
    with launch(["/usr/bin/idle"], headless=True) as app:
        assert [title for title in titles(app) if "IDLE Shell" in (title or "")]


def test_the_error_for_an_app_without_a_window_names_its_processes() -> None:
    with pytest.raises(WaitTimeout, match=r"still running: sh \(\d+\), sleep \(\d+\), sleep \(\d+\)"):
        launch(["sh", "-c", "sleep 60 & sleep 61"], headless=True, timeout=2)


def test_an_app_that_ends_without_a_window_fails_at_once() -> None:
    with pytest.raises(LaunchFailed, match="exit code 3"):
        launch(["sh", "-c", "(true &); exit 3"], headless=True, timeout=60)


# -- several apps on one desktop ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_an_app_on_a_shared_desktop_has_no_windows_of_another_one_that_was_launched_there(kind: str) -> None:
    command = [sys.executable, ASKS, kind, "zenity", "--info", "--title", "Other", "--text", "Look"]
    with (
        launch(command, headless=True, default_timeout=20) as one,
        launch(["mousepad"], desktop=one, default_timeout=20) as two,
    ):
        one.get_by_role("button", name="Ask").click()
        expect(one.locator('dialog[name="Other"]')).to_be_visible()
        assert titles(one) == ["Asks", "Other"]
        assert ["Mousepad" in (title or "") for title in titles(two)] == [True]


@pytest.mark.parametrize("kind", KINDS)
def test_elsewhere_an_app_has_the_windows_of_what_it_started_and_no_others(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, ASKS, kind, "zenity", "--info", "--title", "Other", "--text", "Look"]
    with Desktop() as desktop:
        for name in ("DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
            monkeypatch.setenv(name, desktop.env[name])
        desktop.spawn(["zenity", "--info", "--title", "Foreign", "--text", "Not of the app"])
        with connect("zenity", timeout=60) as foreign, launch(command, default_timeout=20) as app:
            app.get_by_role("button", name="Ask").click()
            expect(app.locator('dialog[name="Other"]')).to_be_visible()
            assert titles(app) == ["Asks", "Other"]
            assert titles(foreign) == ["Foreign"]
            # The same for a client that finds the app by its process.
            with connect(f"desktop:{app.pid}") as outside:
                assert titles(outside) == ["Asks", "Other"]


def test_every_endpoint_and_command_shows_the_dialog_of_another_process(tmp_path: Path) -> None:
    command = [sys.executable, ASKS, "qt", "zenity", "--info", "--title", "Other", "--text", "Look"]
    with launch(command, headless=True, gip=str(tmp_path / "gip"), name="asker", default_timeout=20) as app:
        app.get_by_role("button", name="Ask").click()
        expect(app.locator('dialog[name="Other"]')).to_be_visible()
        for address in (str(tmp_path / "gip"), "asker"):
            with connect(address) as client:
                assert titles(client) == ["Asks", "Other"]
        listed = CliRunner().invoke(commands, ["windows", "--app", "asker", "--json"])
        assert [window["title"] for window in json.loads(listed.output)["windows"]] == ["Asks", "Other"]


def test_the_open_menu_of_a_program_without_accessibility_is_a_window_too(tmp_path: Path) -> None:
    program = tmp_path / "plain.tcl"
    program.write_text(
        "wm title . Plain; wm geometry . 300x200+50+50; menu .bar; menu .bar.file -tearoff 0;"
        ".bar.file add command -label Leave -command exit; .bar add cascade -label File -menu .bar.file;"
        ". configure -menu .bar"
    )
    with launch(["wish", str(program)], headless=True, default_timeout=20) as app:
        (main,) = app.windows()
        app.locator('window[name="Plain"]').click(position=(15, 10))
        until(lambda: [window.kind for window in app.windows()] == ["regular", "popup"], "the menu")
        menu = app.windows()[1]
        assert menu.pid == main.pid
        app.locator(f'uid="{menu.uid}"').click()
        assert app.wait_for_exit(timeout=20) == 0
