"""Several programs on one private desktop, screenshots of all of it, and homes that are kept."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image as PngImage

from deskhand import Desktop, aio, expect, launch
from deskhand.client.apps import OpenApps
from deskhand.desktop.private import Joined
from deskhand.model.errors import InvalidParams, LaunchFailed, NotFound, Refused, ScreenshotFailed, UiBusy
from deskhand.model.operations import Click, Key, TypeText
from deskhand.protocols.mcp.server import McpServer
from tests.traces import TIMEOUT, until

GREETER = [sys.executable, str(Path(__file__).parents[1] / "client" / "qt_greeter.py")]
DESKHAND = str(Path(sys.executable).with_name("deskhand"))
RED = (255, 0, 0)
SIGN = """
import sys, gi
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk
style = Gtk.CssProvider()
style.load_from_data(b"window { background: #ff0000; }")
Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), style, 800)
window = Gtk.Window(title="Sign")
window.set_default_size(300, 200)
window.connect("delete-event", Gtk.main_quit)
window.show_all()
Gtk.main()
"""
"""A program of another toolkit, with a window that is all red."""
HANGS = """
import sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton
app = QApplication([])
button = QPushButton("Hang")
def hang():
    open(sys.argv[1], "w").close()
    time.sleep(1000)
button.clicked.connect(lambda: QTimer.singleShot(300, hang))
button.show()
app.exec()
"""
SIGN_PAINTER = ["/usr/bin/python3", "-c", SIGN]


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="dh") as folder:
        monkeypatch.setenv("DESKHAND_RUNTIME_DIR", folder)
        yield


def red_pixels(png: bytes) -> int:
    with PngImage.open(io.BytesIO(png)) as opened:
        colours = opened.convert("RGB").getcolors(opened.width * opened.height)
    return next((count for count, colour in colours if colour == RED), 0)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


# -- several programs --------------------------------------------------------------------------


def test_two_programs_share_a_desktop_and_each_ends_by_itself() -> None:
    with Desktop() as desktop:
        one = launch(GREETER, desktop=desktop)
        two = launch([*GREETER, "PyQt6"], desktop=desktop)
        assert one.pid is not None

        one.close()
        assert not alive(one.pid)
        two.get_by_label("Name").fill("Ada")
        two.get_by_role("button", name="Greet").click()
        expect(two.locator("#greeting")).to_have_text("Hello, Ada!")
        assert two.stdout == "Hello, Ada!\n"

        two.close()
        assert list(desktop.folder.glob("app.*")) == []
        assert desktop.failed is None


ENTRY = """
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window = Gtk.Window(title="Entry")
window.add(Gtk.Entry())
window.connect("delete-event", Gtk.main_quit)
window.show_all()
Gtk.main()
"""


def test_keys_without_a_target_never_reach_the_other_program_on_the_desktop() -> None:
    with (
        launch(["/usr/bin/python3", "-c", ENTRY], headless=True, way="outside") as entry,
        launch(GREETER, desktop=entry) as greeter,
    ):
        name = greeter.locator("textfield")
        name.focus()
        until(lambda: name.get().focused)

        for keys in (Key(keys="7"), TypeText(text="8")):
            with pytest.raises(Refused, match=r"keys would go elsewhere: .* has the focus") as caught:
                entry.run(keys)
            assert "this app" in caught.value.suggestions[0]
        bounds = name.get().bounds
        assert bounds is not None
        with pytest.raises(Refused, match="there is a window of"):
            entry.run(Click(x=bounds.x + 3, y=bounds.y + 3))

        assert name.get().value == ""
        entry.locator("textfield").focus()
        entry.run(Key(keys="9"))
        expect(entry.locator("textfield")).to_have_value("9")


def test_closing_the_desktop_ends_every_program_on_it() -> None:
    with Desktop() as desktop:
        apps = [launch(GREETER, desktop=desktop), launch([*GREETER, "PyQt6"], desktop=desktop)]
    for app in apps:
        assert app.pid is not None
        assert not alive(app.pid)
        app.close()
    with pytest.raises(LaunchFailed, match="desktop"):
        launch(GREETER, desktop=desktop)


def test_what_a_closed_program_left_running_ends_with_it(tmp_path: Path) -> None:
    script = f"sleep 1003 & echo $! > {tmp_path}/pid; exec {' '.join(GREETER)}"
    with Desktop() as desktop:
        with launch(["sh", "-c", script], desktop=desktop):
            child = int((tmp_path / "pid").read_text())
            assert alive(child)
        until(lambda: not alive(child))
        assert desktop.failed is None


def test_a_program_joins_the_desktop_of_an_app_and_ends_with_it() -> None:
    with launch(GREETER, headless=True, size=(700, 500)) as first:
        second = launch([*GREETER, "PyQt6"], desktop=first)
        image = second.screenshot(desktop=True)
        assert (image.width, image.height) == (700, 500)
        assert second.pid is not None
        assert first.pid is not None
        assert alive(second.pid)
    until(lambda: not alive(second.pid))
    second.close()


def test_a_program_on_no_private_desktop_cannot_be_joined() -> None:
    with (
        launch(GREETER, env={"QT_QPA_PLATFORM": "offscreen"}) as app,
        pytest.raises(NotFound, match="is on no private desktop"),
    ):
        launch(GREETER, desktop=app)
    with pytest.raises(NotFound):
        Joined(2**22 + 1)


def test_async_launches_share_a_desktop(tmp_path: Path) -> None:
    async def main() -> tuple[int, int]:
        with Desktop((640, 480)) as desktop:
            async with aio.launch(GREETER, desktop=desktop) as app:
                image = await app.screenshot(tmp_path / "all.png", desktop=True)
                return image.width, image.height

    assert asyncio.run(main()) == (640, 480)
    assert (tmp_path / "all.png").read_bytes().startswith(b"\x89PNG")


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`deskhand run`, once it is ready."""
    with subprocess.Popen([DESKHAND, "run", *arguments], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            while (line := process.stdout.readline()) != "ready\n":
                assert line, "deskhand run ended"
            yield process
        finally:
            process.terminate()


def test_run_joins_the_desktop_of_an_app_that_runs(tmp_path: Path) -> None:
    file = tmp_path / "all.png"
    with (
        running("--headless", "--size", "600x400", "--name", "first", "--", *GREETER) as first,
        running("--desktop", "first", "--name", "second", "--", *SIGN_PAINTER) as second,
    ):
        answer = subprocess.run(
            [DESKHAND, "screenshot", "--app", "first", "--desktop", "--json", str(file)],
            capture_output=True,
            text=True,
            check=True,
        )
        told = json.loads(answer.stdout)
        assert (told["width"], told["height"]) == (600, 400)
        assert red_pixels(file.read_bytes()) > 10_000

        first.terminate()
        first.wait(TIMEOUT)
        assert second.wait(TIMEOUT) != 0


def test_run_refuses_a_desktop_and_a_new_one_at_once() -> None:
    answer = subprocess.run(
        [DESKHAND, "run", "--headless", "--desktop", "1", "--", "true"], capture_output=True, text=True
    )
    assert answer.returncode == 2
    assert "give one of them" in answer.stderr


def test_a_chat_client_starts_programs_on_one_desktop_and_closes_one(tmp_path: Path) -> None:
    with OpenApps() as apps:
        server = McpServer(apps=apps)
        first = apps.launch({"command": GREETER, "name": "greeter", "width": 640, "height": 480})
        second = apps.launch({"command": SIGN_PAINTER, "name": "sign", "desktop": "greeter"})
        answer = server.call("ui_screenshot", {"desktop": True, "marks": True}, threading.Event())
        output = answer["structuredContent"]["output"]
        assert (output["width"], output["height"]) == (640, 480)
        assert red_pixels(base64.b64decode(output["dataBase64"])) > 10_000

        apps.let_go({"app": "greeter"})
        until(lambda: not alive(first["pid"]))
        assert alive(second["pid"])
        assert apps.attach({"app": "sign"})["windows"] == ["Sign"]

        third = apps.launch({"command": GREETER, "desktop": str(second["pid"])})
        apps.let_go({"app": "sign"})
        assert alive(third["pid"])
    assert not alive(third["pid"])


# -- screenshots of the desktop -----------------------------------------------------------------


@pytest.mark.parametrize("command", [GREETER, SIGN_PAINTER], ids=["agent inside", "from outside"])
def test_a_screenshot_of_the_desktop_has_the_windows_of_every_program(command: list[str]) -> None:
    with (
        Desktop() as desktop,
        launch(command, desktop=desktop) as app,
        launch(SIGN_PAINTER, desktop=desktop, name="sign"),
    ):
        image = app.screenshot(desktop=True)
    with PngImage.open(io.BytesIO(image.png)) as opened:
        assert opened.size == (image.width, image.height) == (1280, 800)
    assert red_pixels(image.png) >= 300 * 200 - 100
    assert image.scale == 1


def test_a_screenshot_of_the_desktop_says_how_much_the_app_is_enlarged() -> None:
    with launch(GREETER, headless=True, env={"QT_SCALE_FACTOR": "2"}) as app:
        image = app.screenshot(desktop=True)
        assert (image.width, image.height, image.scale) == (1280, 800, 2)


def test_the_desktop_is_taken_while_the_program_hangs(tmp_path: Path) -> None:
    with launch([sys.executable, "-c", HANGS, str(tmp_path / "hangs")], headless=True) as app:
        app.get_by_role("button", name="Hang").click()
        until((tmp_path / "hangs").exists)
        assert app.screenshot(desktop=True).width == 1280
        with pytest.raises(UiBusy):
            app.tree(timeout=0.2)


def test_an_app_without_a_desktop_has_no_screenshot_of_one() -> None:
    with (
        launch(GREETER, env={"QT_QPA_PLATFORM": "offscreen"}) as app,
        pytest.raises(ScreenshotFailed, match="offscreen"),
    ):
        app.screenshot(desktop=True)


# -- home ---------------------------------------------------------------------------------------


def test_a_home_keeps_what_programs_write_for_the_next_launch(tmp_path: Path) -> None:
    home = tmp_path / "new" / "profile"
    for number in (1, 2):
        with Desktop(home=home) as desktop:
            script = 'mkdir -p "$XDG_CONFIG_HOME"; echo x >> "$XDG_CONFIG_HOME/count"; echo y >> ~/count'
            assert desktop.spawn(["sh", "-c", script]).wait(TIMEOUT) == 0
            assert desktop.env["HOME"] == str(home)
        for path in (home / "count", home / ".config" / "count"):
            assert len(path.read_text().splitlines()) == number


def test_an_app_is_launched_with_a_home_that_stays(tmp_path: Path) -> None:
    script = f"touch ~/seen; exec {' '.join(GREETER)}"
    with launch(["sh", "-c", script], headless=True, home=tmp_path / "home") as app:
        assert app.title() == "Greeter"
    assert (tmp_path / "home" / "seen").exists()


def test_run_keeps_a_home(tmp_path: Path) -> None:
    script = f"touch ~/seen; exec {' '.join(GREETER)}"
    with running("--headless", "--home", str(tmp_path / "home"), "--", "sh", "-c", script):
        pass
    assert (tmp_path / "home" / "seen").exists()


def test_a_chat_client_keeps_a_home(tmp_path: Path) -> None:
    command = ["sh", "-c", f"touch ~/seen; exec {' '.join(GREETER)}"]
    with OpenApps() as apps:
        apps.launch({"command": command, "home": str(tmp_path / "home")})
    assert (tmp_path / "home" / "seen").exists()


def test_a_home_belongs_to_one_desktop_at_a_time(tmp_path: Path) -> None:
    with Desktop(home=tmp_path), pytest.raises(LaunchFailed, match="home of another desktop"):
        Desktop(home=tmp_path).start()
    with Desktop(home=tmp_path):
        pass


def test_a_home_is_for_a_new_private_desktop_only(tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match="home"):
        launch(GREETER, home=tmp_path)
