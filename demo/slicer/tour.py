"""Drives the slicer on a private desktop as any client would that knows nothing but its automation protocol.

`python -m demo.slicer.tour` loads a cube, moves it with the ImGui gizmo, slices it, exports the G-code, takes
screenshots, and checks the G-code against the cube. The client is this file and the standard library:
JSON-RPC by HTTP POST.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import random
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from deskhand import Desktop

from . import gcode, stl

T = TypeVar("T")

FOLDER = Path("build/slicer")
SIDE = 20.0
PLACE = (60.0, 75.0)
LINE_WIDTH = 0.45
BUSY = 1004
"""The code for a GUI thread that does not answer: it may be drawing its first frame on a machine that has
much to do."""


class Refused(Exception):
    """The slicer answered with an error; `code` says which."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Client:
    """Asks the automation server; each request is a connection of its own."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/jsonrpc"

    def ask(self, method: str, timeout: float = 30, **params: Any) -> Any:
        """The result of a method; Refused if it is an error, OSError without an answer."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            answer = json.load(reply)
        if "error" in answer:
            raise Refused(answer["error"]["code"], answer["error"]["message"])
        return answer["result"]

    def wait_for(self, target: dict[str, str], state: str, seconds: float = 20, **params: Any) -> int:
        """Wait until the target is so; gives the milliseconds that it took."""
        reply = self.ask(
            "sync.wait_for",
            seconds + 10,
            target=target,
            state=state,
            timeout_ms=int(seconds * 1000),
            **params,
        )
        return int(reply["elapsed_ms"])

    def until(self, holds: Callable[[dict[str, Any]], bool], seconds: float = 30) -> dict[str, Any]:
        """Ask for the state of the app until it is as wanted."""
        seen: dict[str, Any] = {}

        def attempt() -> bool:
            nonlocal seen
            seen = self.ask("app.state")
            return holds(seen)

        try:
            until(attempt, seconds)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; its state: {seen}") from None
        return seen

    def save_screenshot(
        self, path: Path, method: str = "screenshot.window", **params: Any
    ) -> tuple[int, int]:
        screenshot = self.ask(method, **params)
        path.write_bytes(base64.b64decode(screenshot["png_base64"]))
        return screenshot["width"], screenshot["height"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m demo.slicer.tour", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files are saved")
    arguments = parser.parse_args()
    folder: Path = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    model, exported = folder / "cube.stl", folder / "cube.gcode"
    model.write_bytes(stl.binary(stl.box((SIDE, SIDE, SIDE)), "a cube"))
    exported.unlink(missing_ok=True)
    began = time.monotonic()
    log = folder / "slicer.log"
    with Desktop(size=(1160, 820)) as desktop, slicer(desktop, model, log=log) as (client, process):
        version = client.ask("automation.version")
        say(f"The slicer is up after {time.monotonic() - began:.1f} s; automation {version['version']}:")
        tell(", ".join(version["capabilities"]))
        load(client, model)
        move(client)
        client.save_screenshot(folder / "prepare.png")
        tell(f"the window is saved in {shown(folder / 'prepare.png')}")
        slice_it(client)
        look_inside(client)
        export(client, exported)
        for name, method, size in (
            ("preview.png", "screenshot.window", {}),
            ("viewport.png", "screenshot.viewport3d", {"width": 1024, "height": 768}),
        ):
            width, height = client.save_screenshot(folder / name, method, **size)
            tell(f"{method}: {width}x{height} pixels are saved in {shown(folder / name)}")
        step("close it with ctrl+q")
        code = close(client, process)
        tell(f"it ended with exit code {code}")
    compare(model, exported)
    return code


# -- the steps --------------------------------------------------------------------------------


def load(client: Client, model: Path) -> None:
    step(f"it loads {model.name}, which was named when it was started")
    state = client.until(lambda state: bool(state["project_loaded"]))
    tell(f"app.state: {json.dumps(state)}")
    items = until(lambda: client.ask("tree.find", backend="imgui"), 20)
    tell(f"{len(items)} ImGui items are drawn, such as {', '.join(item['id'] for item in items[:4])}")


def move(client: Client) -> None:
    for axis, to in zip("XY", PLACE, strict=True):
        field = {"id": f"ImGui/Move/mm##{axis}"}
        client.wait_for(field, "visible")
        before = client.ask("widget.get", target=field)["value"]
        step(f"type {to:.0f} into {field['id']}, which holds {before}")
        client.ask("input.type", target=field, text=f"{to:.0f}")
        client.ask("input.key", keys="enter")
        client.wait_for({"id": f"ImGui/Move/{axis}##slider"}, "value", value=f"{to:g}")
        tell(f"the slider beside it says {to:g}")


def slice_it(client: Client) -> None:
    step("press btn_slice, and wait until btn_export is enabled")
    if client.ask("widget.get", target={"id": "btn_export"})["enabled"]:
        raise RuntimeError("there is nothing to export yet, and btn_export is enabled")
    client.ask("input.click", target={"id": "btn_slice"})
    took = client.wait_for({"id": "btn_export"}, "enabled", 180, poll_ms=100)
    tell(f"that took {took} ms; app.state: {json.dumps(client.ask('app.state'))}")


def look_inside(client: Client) -> None:
    slider = {"id": "ImGui/Preview/Layer##slider"}
    client.wait_for(slider, "visible")
    every = client.ask("widget.get", target=slider)["value"]
    step(f"click into the middle of {slider['id']}, so that the infill is seen, and on Fit")
    client.ask("input.click", target=slider)
    client.ask("input.click", target={"id": "ImGui/View/Fit"})
    tell(f"layer {client.ask('widget.get', target=slider)['value']} of {every} is shown")


def export(client: Client, path: Path) -> None:
    step("press btn_export, type a file name into the dialog, and press enter")
    client.ask("input.click", target={"id": "btn_export"})
    state = client.until(lambda state: "modal_dialog" in state)
    tell(f"the dialog is called {state['modal_dialog']!r}")
    name_file(client, path)
    client.until(lambda state: "modal_dialog" not in state)
    until(path.exists, 10)
    tell(f"{path.stat().st_size} bytes of G-code are saved in {shown(path)}")


def name_file(client: Client, path: Path) -> None:
    """Type a file name into the dialog of GTK, and press enter."""
    # The dialog proposes a name, of which it selects only a part.
    client.ask("input.key", keys="ctrl+a")
    client.ask("input.type", text=str(path))
    client.wait_for({"class": "GtkFileChooserEntry"}, "value", value=str(path))
    client.ask("input.key", keys="enter")


def close(client: Client, process: Any) -> int:
    """Close it by its own shortcut; its exit code."""
    # It may have ended before it could answer.
    with contextlib.suppress(Refused, OSError):
        client.ask("input.key", keys="ctrl+q")
    return int(process.wait(20))


def compare(model: Path, exported: Path) -> None:
    step("hold the G-code against the cube")
    drawn = gcode.read(exported.read_text())
    corners = stl.load(model).bounds
    size = corners[1] - corners[0]
    # A line is drawn along its middle, and a layer at its top.
    edge = LINE_WIDTH / 2
    low = (PLACE[0] - size[0] / 2, PLACE[1] - size[1] / 2, 0.0)
    high = (PLACE[0] + size[0] / 2, PLACE[1] + size[1] / 2, float(size[2]))
    seen = (*(drawn.low[:2] - edge), 0.0, *(drawn.high[:2] + edge), drawn.high[2])
    for name, is_at, belongs in zip("xyzxyz", seen, (*low, *high), strict=True):
        tell(f"{name}: the lines reach {is_at:.3f}, the cube {belongs:.3f}")
        if abs(is_at - belongs) > 0.01:
            raise RuntimeError(
                f"the G-code does not draw the cube: in {name} it reaches {is_at}, not {belongs}"
            )
    say(f"\nThe G-code draws the cube where it was moved to, in {drawn.layers} layers.")
    say(f"The screenshots are in {shown(exported.parent)}.")


# -- starting it ------------------------------------------------------------------------------


@contextlib.contextmanager
def slicer(desktop: Desktop, *models: Path, log: Path) -> Iterator[tuple[Client, Any]]:
    """The slicer on a desktop, once it answers; it is ended afterwards. What it prints is in the log."""
    port = free_port()
    flags = ["--automation-server", f"--automation-server-port={port}"]
    argv = [sys.executable, "-m", "demo.slicer", *flags, *map(str, models)]
    log.unlink(missing_ok=True)
    process = desktop.spawn(argv, stdout=log, stderr="stdout")
    client = Client(port)
    try:

        def answers() -> bool:
            if process.poll() is not None:
                raise RuntimeError(f"the slicer ended with exit code {process.poll()}:\n{log.read_text()}")
            try:
                return bool(client.ask("automation.version"))
            except (urllib.error.URLError, ConnectionError):
                return False

        until(answers, 60)
        yield client, process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(10)


def free_port() -> int:
    """One that stays free: the kernel gives those from 32768 on to new connections."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def until(attempt: Callable[[], T], seconds: float) -> T:
    """Try until the answer is true, and give it. A slicer that is too busy to answer is asked again."""
    end = time.monotonic() + seconds
    while True:
        try:
            seen: object
            if answer := attempt():
                return answer
            seen = answer
        except Refused as refused:
            if refused.code != BUSY:
                raise
            seen = refused
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s without success; last seen: {seen!r}")
        time.sleep(0.05)


def shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def say(text: str) -> None:
    print(text, flush=True)


def step(text: str) -> None:
    say(f"  → {text}")


def tell(text: str) -> None:
    say(f"    {text}")


if __name__ == "__main__":
    sys.exit(main())
