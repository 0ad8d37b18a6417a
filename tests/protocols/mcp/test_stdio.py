"""What the tools do to real programs, by the SDK's client over stdio; the programs say what happened."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from PIL import Image as Pixels

from tests.traces import until

APP = """
import gi, sys
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk
log = open(sys.argv[1], "a", buffering=1)
def say(*words):
    print(*words, file=log)
main = Gtk.Window(title="Paint")
box = Gtk.VBox()
field = Gtk.Entry()
field.connect("changed", lambda field: say("text", field.get_text()))
canvas = Gtk.DrawingArea()
canvas.set_size_request(200, 100)
canvas.add_events(Gdk.EventMask.BUTTON_PRESS_MASK)
def press(_, event):
    # GTK adds an event for a double click, which three clicks at one point are on a fast machine.
    if event.type == Gdk.EventType.BUTTON_PRESS:
        say("canvas", int(event.x), int(event.y))
canvas.connect("button-press-event", press)
def paint(_, cairo):
    cairo.set_source_rgb(1, 0, 0)
    cairo.rectangle(150, 60, 20, 20)
    cairo.fill()
canvas.connect("draw", paint)
def ask(_):
    def show():
        other = Gtk.Window(title="Question")
        other.add(Gtk.Label(label="Really?"))
        other.show_all()
        other.connect("delete-event", lambda *_: say("closed"))
    GLib.timeout_add(400, show)
button = Gtk.Button(label="Ask")
button.connect("clicked", ask)
for each in (field, canvas, button):
    box.pack_start(each, False, False, 0)
main.add(box)
main.connect("delete-event", Gtk.main_quit)
main.show_all()
Gtk.main()
"""
OPAQUE = """
trace add variable text write {apply {args {
    set file [open [lindex $::argv 0] w]
    puts -nonewline $file $::text
    close $file
}}}
pack [label .label -text Name] [entry .entry -textvariable text -background #ff0000 -width 10]
"""
"""A Tcl program with Tk, which is not on the accessibility bus."""
ENDS = """
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window = Gtk.Window(title="Ends")
window.connect("destroy", Gtk.main_quit)
window.show()
Gtk.main()
"""


class Tools:
    """Calls tools, and keeps the answers."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self.images: list[bytes] = []

    async def __call__(self, name: str, /, **arguments: Any) -> Any:
        """What the texts of a result say; where it is JSON, the data."""
        result = await self._session.call_tool(name, arguments)
        assert not result.is_error, result.content
        self.images += [base64.b64decode(block.data) for block in result.content if block.type == "image"]
        texts = [block.text for block in result.content if block.type == "text"]
        return json.loads(texts[0]) if texts[0].startswith("{") else "\n".join(texts)

    async def error(self, name: str, /, **arguments: Any) -> str:
        result = await self._session.call_tool(name, arguments)
        assert result.is_error, result.content
        return result.content[0].text  # type: ignore[union-attr]


def talk(folder: Path, script: Callable[[Tools], Awaitable[None]]) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from deskhand.cli import main; main()", "mcp"],
        env={"DESKHAND_RUNTIME_DIR": str(folder)},
    )

    async def run() -> None:
        async with stdio_client(server) as streams, ClientSession(*streams) as client:
            await client.initialize()
            await script(Tools(client))

    asyncio.run(run())


def red(png: bytes) -> tuple[int, int]:
    """The middle of what is red."""
    with Pixels.open(io.BytesIO(png)) as opened:
        image = opened.convert("RGB")
        points = [
            (x, y)
            for x in range(image.width)
            for y in range(image.height)
            if image.getpixel((x, y)) == (255, 0, 0)
        ]
    xs, ys = sorted(x for x, _ in points), sorted(y for _, y in points)
    return xs[len(xs) // 2], ys[len(ys) // 2]


def test_a_form_is_operated_by_what_it_shows_and_by_what_a_screenshot_shows(tmp_path: Path) -> None:
    log = tmp_path / "log"

    async def script(use: Tools) -> None:
        await use("app_launch", command=["/usr/bin/python3", "-c", APP, str(log)], name="paint")

        for shot in ({}, {"desktop": True}, {"desktop": True, "scale": 0.5}):
            told = await use("ui_screenshot", **shot)
            x, y = red(use.images[-1])
            action = {"type": "click", "x": x, "y": y, "screenshot": told["screenshot"]}
            await use("ui_perform", actions=[action])
        until(lambda: log.read_text().count("canvas") == 3)
        places = [tuple(map(int, line.split()[1:])) for line in log.read_text().splitlines()]
        assert all(150 <= x < 170 and 60 <= y < 80 for x, y in places), places

        # A part of the desktop around the red square, enlarged: all of it is red.
        whole = await use("ui_screenshot", desktop=True)
        x, y = red(use.images[-1])
        part = {"x": x - 4, "y": y - 4, "width": 8, "height": 8}
        told = await use("ui_screenshot", region=part, scale=2)
        with Pixels.open(io.BytesIO(use.images[-1])) as opened:
            assert opened.convert("RGB").getcolors() == [(256, (255, 0, 0))]
        assert told["origin"] == {"x": x - 4, "y": y - 4}
        assert whole["origin"] == {"x": 0, "y": 0}

        await use("ui_clipboard", text="from the clipboard ✓")
        paste = {"type": "pressKey", "key": "V", "modifiers": ["CTRL"], "target": {"role": "textfield"}}
        await use("ui_perform", actions=[paste])
        until(lambda: "text from the clipboard ✓" in log.read_text())
        assert (await use("ui_clipboard"))["text"] == "from the clipboard ✓"

        await use("ui_perform", actions=[{"type": "click", "target": {"text": "Ask"}}])
        opened = await use("ui_wait", until="opened", window="question", timeoutMs=20_000)
        assert opened["window"]["title"] == "Question"
        moved = await use("ui_window", do="move", window="Question", x=300, y=200)
        place = next(each for each in moved["windows"] if each["title"] == "Question")
        assert (place["x"], place["y"]) != (opened["window"]["x"], opened["window"]["y"])
        await use("ui_window", do="close", window="Question")
        assert (await use("ui_wait", until="closed", window="Question", timeoutMs=20_000))["ok"] is True
        assert "closed" in log.read_text()

        missing = await use.error("ui_perform", actions=[{"type": "click", "target": {"text": "Aks"}}])
        assert ') "Ask"' in missing
        wrong = await use.error("ui_perform", actions=[{"type": "click", "target": "Ask"}])
        assert "that is not a uid" in wrong
        assert "another app" not in wrong

    talk(tmp_path / "run", script)


def test_an_app_without_accessibility_refers_to_the_screenshot(tmp_path: Path) -> None:
    log, program = tmp_path / "log", tmp_path / "opaque.tcl"
    program.write_text(OPAQUE)

    async def script(use: Tools) -> None:
        told = await use("app_launch", command=["wish", str(program), str(log)])
        assert "use ui_screenshot" in told["hint"]
        assert "use ui_screenshot" in await use("ui_get_snapshot")
        shot = await use("ui_screenshot")
        x, y = red(use.images[-1])
        click = {"type": "click", "x": x, "y": y, "screenshot": shot["screenshot"]}
        await use("ui_perform", actions=[click, {"type": "typeText", "text": "hi"}])
        until(lambda: log.exists() and log.read_text() == "hi")

    talk(tmp_path / "run", script)


def test_two_apps_share_a_desktop_and_a_node_of_the_other_is_said_to_be_its(tmp_path: Path) -> None:
    async def script(use: Tools) -> None:
        first = {"command": ["/usr/bin/python3", "-c", APP, str(tmp_path / "log")], "name": "paint"}
        await use("app_launch", **first)
        found = re.search(r"uid=([^)]+)", await use("ui_query", selector={"text": "Ask"}))
        assert found is not None
        uid = found[1]
        command = ["/usr/bin/python3", "-c", ENDS]
        await use("app_launch", command=command, name="ends", desktop="paint")

        assert "it belongs to the app 'paint'" in await use.error("ui_get_node", ref=uid)
        assert "u9-1 path=null" in (missing := await use.error("ui_get_node", ref="u9-1"))
        assert "belongs" not in missing

        assert [each["title"] for each in (await use("ui_window"))["windows"]] == ["Ends"]
        closed = await use("ui_window", do="close", window="Ends")
        assert closed == {"ok": True, "do": "close", "windows": [], "exited": True, "exitCode": 0}
        for tool, arguments in (
            ("ui_get_snapshot", {}),
            ("ui_screenshot", {}),
            ("ui_clipboard", {}),
            ("ui_window", {}),
            ("ui_wait", {"until": "opened", "window": "Ends"}),
            ("ui_perform", {"actions": [{"type": "pressKey", "key": "A"}]}),
        ):
            said = await use.error(tool, **arguments)
            assert "exited" in said or "ended" in said, (tool, said)
            assert "descriptor" not in said

    talk(tmp_path / "run", script)
