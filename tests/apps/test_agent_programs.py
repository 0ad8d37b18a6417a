"""Programs of Debian, driven by the Agent contract alone, with requests as curl would send them."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand import Desktop
from deskhand.processes.children import Process
from tests.cli.test_serve import ready
from tests.wire.agent_shapes import check_answer

pytestmark = pytest.mark.programs

AGENT = [
    sys.executable,
    "-c",
    "from deskhand.cli import main; main()",
    "agent",
    "--bind",
    "127.0.0.1",
    "--port",
    "0",
    "--no-token",
]
Ask = Callable[..., Any]
Start = Callable[..., Process]


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


@pytest.fixture(scope="module")
def ask(desktop: Desktop) -> Iterator[Ask]:
    """Sends a request to the one agent of all these tests; gives the JSON of an answer that is a success."""
    agent = subprocess.Popen(
        AGENT, env=desktop.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    peer = http.client.HTTPConnection(ready(agent)[0].removeprefix("ready agent http://"), timeout=60)

    def ask(path: str, status: int = 200, **body: Any) -> Any:
        peer.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        reply = peer.getresponse()
        text = reply.read()
        assert reply.status == status, text
        answer = json.loads(text)
        if path != "/snapshot" or "details" not in answer:
            check_answer(path, reply.status, text)
        assert answer.get("success") is not False, f"{path} {body}: {answer}"
        return answer

    yield ask
    peer.close()
    agent.terminate()
    agent.communicate(timeout=20)


@pytest.fixture
def start(desktop: Desktop, ask: Ask) -> Iterator[Start]:
    """Starts a program, and waits until something in its window is there."""
    started = []

    def start(*argv: str, window: str, env: dict[str, str] | None = None, **until: Any) -> Process:
        started.append(desktop.spawn(argv, env=env, stdout="null", stderr="null"))
        ask("/wait", window=window, timeout=60)
        deadline = time.monotonic() + 60
        while not found(ask, window=window, **until):
            assert time.monotonic() < deadline, ask("/snapshot", window=window, depth=99)
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait(20)
    # Nothing of it may be taken for a part of the next program.
    deadline = time.monotonic() + 20
    while ask("/windows")["windows"]:
        assert time.monotonic() < deadline


def elements(answer: Any) -> Iterator[dict[str, Any]]:
    below = [element for window in answer["windows"] for element in window["elements"]]
    while below:
        element = below.pop()
        yield element
        below += element.get("children", ())


def found(ask: Ask, window: str, role: str | None = None, label: str | None = None) -> list[dict[str, Any]]:
    """The elements on the screen that match."""
    wanted = {name: value for name, value in (("role", role), ("label", label)) if value is not None}
    answer = ask("/snapshot", mode="full", depth=99, window=window, **wanted)
    return [
        one
        for one in elements(answer)
        if one["showing"] and role in (None, one["role"]) and (label is None or label in one.get("label", ""))
    ]


def shows(ask: Ask, window: str, text: str) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        every = list(elements(ask("/snapshot", mode="full", depth=99, window=window)))
        if any(text in (one.get("label"), one.get("value")) for one in every):
            return True
    return False


@pytest.mark.parametrize(
    ("program", "window", "role", "keys"),
    [
        ("galculator", "galculator", "toggle-button", "7*6="),
        ("kcalc", "KCalc", "button", "7×6="),
        ("gnome-calculator", "Calculator", "button", "7×6="),
    ],
)
def test_a_calculator_computes_by_its_buttons(
    start: Start, ask: Ask, program: str, window: str, role: str, keys: str
) -> None:
    start(program, window=window, role=role, label="7")
    for key in keys:
        ask("/press", window=window, role=role, label=key)
    assert shows(ask, window, "42")
    if program == "galculator":
        # The one of them that says how large its figures are, in units of its toolkit.
        assert 10 <= ask("/inspect", window=window, role="editable-text", index=0)["fontSize"] <= 100


BOTH = """
import sys, gi
gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk

def write(line):
    with open(sys.argv[1], "a") as file:
        print(line, file=file)

def show(app):
    window = Gtk.ApplicationWindow(application=app, title="Both")
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    button = Gtk.Button(label="Write")
    button.connect("clicked", lambda _: write("pressed"))
    colours = Gtk.DropDown.new_from_strings(["red", "green", "blue"])
    colours.connect("notify::selected", lambda *_: write(colours.get_selected_item().get_string()))
    box.append(button)
    box.append(colours)
    window.set_child(box)
    window.present()

app = Gtk.Application()
app.connect("activate", show)
app.run()
"""


def test_a_press_is_answered_once_a_program_of_gtk_4_has_handled_it(
    start: Start, ask: Ask, tmp_path: Path
) -> None:
    written = tmp_path / "written"
    start("/usr/bin/python3", "-c", BOTH, str(written), window="Both", role="button", label="Write")
    for count in (1, 2, 3):
        ask("/press", window="Both", role="button", label="Write")
        assert written.read_text() == "pressed\n" * count


def test_setting_the_value_of_a_drop_down_of_gtk_4_chooses_the_option(
    start: Start, ask: Ask, tmp_path: Path
) -> None:
    written = tmp_path / "written"
    start("/usr/bin/python3", "-c", BOTH, str(written), window="Both", role="combo-box")
    ask("/set-value", window="Both", role="combo-box", value="blue")
    assert written.read_text() == "blue\n"
    answer = ask("/set-value", window="Both", role="combo-box", value="green")
    assert answer["success"] is True
    assert written.read_text() == "blue\ngreen\n"


def test_an_editor_is_filled_and_its_text_saved(start: Start, ask: Ask, tmp_path: Path) -> None:
    start("mousepad", window="Mousepad", role="editable-text")
    text = "Grüße, 世界\nsecond line\n"
    ask("/set-value", role="editable-text", value=text)
    assert ask("/inspect", role="editable-text")["element"]["value"] == text
    ask("/press", role="menu-item", label="Save As...")
    ask("/wait", window="Save As", timeout=20)
    ask("/set-value", role="textfield", window="Save As", label="Name:", value=str(tmp_path / "saved.txt"))
    ask("/press", role="button", window="Save As", label="Save")
    ask("/wait", window="saved.txt", timeout=20)
    assert ask("/exec", command=f"cat {tmp_path}/saved.txt")["stdout"] == text


def test_the_question_of_an_editor_is_a_dialog_and_is_answered(start: Start, ask: Ask) -> None:
    start("mousepad", window="Mousepad", role="editable-text")
    ask("/set-value", role="editable-text", value="not saved")
    ask("/press", role="menu-item", label="Quit")
    deadline = time.monotonic() + 20
    while "dialog" not in [window["windowType"] for window in ask("/windows")["windows"]]:
        assert time.monotonic() < deadline
    ask("/press", role="button", label="Don't Save")
    while ask("/windows")["windows"]:
        assert time.monotonic() < deadline


def test_the_question_of_an_editor_that_was_killed_is_an_alert_and_is_answered(
    start: Start, ask: Ask, tmp_path: Path
) -> None:
    settings = tmp_path / "config" / "glib-2.0" / "settings" / "keyfile"
    settings.parent.mkdir(parents=True)
    settings.write_text("[org/xfce/mousepad/preferences/file]\nautosave-timer=uint32 1\n")
    folders = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "data")}
    env = {**folders, "GSETTINGS_BACKEND": "keyfile"}
    letter = tmp_path / "letter.txt"
    letter.write_text("old")
    killed = start("mousepad", str(letter), window="letter.txt", env=env, role="editable-text")
    ask("/set-value", role="editable-text", value="lost otherwise")
    deadline = time.monotonic() + 20
    while not list((tmp_path / "data" / "Mousepad").glob("autosave-*")):
        assert time.monotonic() < deadline
        time.sleep(0.05)  # the editor says nothing when it has saved a copy
    killed.kill()
    killed.wait(20)
    start("mousepad", window="Mousepad", env=env, role="button", label="Yes")
    (question,) = ask("/windows")["windows"]
    assert question["windowType"] == "dialog"
    ask("/press", role="button", label="Yes")
    ask("/wait", window="letter.txt", timeout=20)
    assert ask("/inspect", role="editable-text")["element"]["value"] == "lost otherwise"


def test_windows_are_moved_resized_minimised_focused_and_closed(start: Start, ask: Ask) -> None:
    start("mousepad", window="Mousepad", role="editable-text")
    ask("/window-move", window="mousepad", x=100, y=120)
    ask("/window-resize", window="mousepad", width=500, height=400)
    (window,) = ask("/windows")["windows"]
    assert [window[name] for name in ("positionX", "positionY", "sizeWidth", "sizeHeight")] == [
        100,
        120,
        500,
        400,
    ]
    ask("/window-minimize", window="mousepad")
    assert ask("/windows")["windows"][0]["focused"] is False
    ask("/window-focus", window="mousepad")
    assert ask("/windows")["windows"][0]["focused"] is True
    ask("/window-close", window="mousepad")
    assert ask("/windows") == {"windows": []}


def test_a_form_in_a_browser_is_filled_and_sent(start: Start, ask: Ask, tmp_path: Path) -> None:
    page = tmp_path / "form.html"
    page.write_text(
        "<title>Form</title><form onsubmit='document.title = \"Sent \" + n.value; return false'>"
        "<label>Name <input id=n></label><button>Send</button></form>"
    )
    start(
        "chromium",
        "--no-sandbox",
        "--no-first-run",
        "--force-renderer-accessibility",
        f"--user-data-dir={tmp_path}/profile",
        str(page),
        window="Form",
        role="button",
        label="Send",
    )
    ask("/set-value", window="Form", role="textfield", label="Name", value="Ada")
    assert ask("/inspect", window="Form", role="textfield", label="Name")["element"]["value"] == "Ada"
    ask("/press", window="Form", role="button", label="Send")
    ask("/wait", window="Sent Ada", timeout=20)


def test_a_paragraph_in_an_office_program_is_written_read_back_and_made_bold(start: Start, ask: Ask) -> None:
    options = ("--norestore", "--nologo", "--nofirststartwizard")
    start("soffice", "--writer", *options, window="LibreOffice Writer", role="paragraph")
    ask("/set-value", role="paragraph", value="Written by an agent")
    assert ask("/inspect", role="paragraph")["element"]["value"] == "Written by an agent"
    ask("/press", role="menu-item", label="Select All")
    ask("/press", role="toggle-button", label="Bold")
    deadline = time.monotonic() + 20
    while ask("/inspect", role="toggle-button", label="Bold")["element"]["value"] != "1":
        assert time.monotonic() < deadline
    assert ask("/inspect", role="paragraph")["element"]["value"] == "Written by an agent"
