"""`deskhand run` and `desktop`, as processes of their own around a real program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand import connect
from deskhand.model.errors import ActionsOff, Disabled
from tests.cli.test_serve import ready

GREETER = [sys.executable, str(Path(__file__).parents[1] / "client" / "qt_greeter.py")]
DESKHAND = [sys.executable, "-c", "from deskhand.cli import main; main()"]

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start the command; what it prints can be read."""
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    started: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*DESKHAND, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=20)


def deskhand(*words: str) -> str:
    done = subprocess.run([*DESKHAND, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("binding", ["PySide6", "PyQt6"])
def test_a_program_is_started_driven_by_commands_and_ends_with_its_code(start: Start, binding: str) -> None:
    process = start("run", "--", *GREETER, binding)
    assert ready(process) == ["ready"]

    assert "qt_greeter" in deskhand("apps")
    assert 'button "Greet"' in deskhand("tree")
    deskhand("type", 'textfield[name="Name"]', "Ada")
    deskhand("click", 'button[name="Greet"]')
    deskhand("wait", "#greeting", "--text", "Hello, Ada!")
    assert deskhand("get", "#greeting", "text") == "Hello, Ada!\n"
    deskhand("click", 'button[name="Quit"]')

    out, _ = process.communicate(timeout=20)
    assert out == "Hello, Ada!\n"
    assert process.returncode == 5


def test_headless_gives_it_a_desktop_and_screenshots(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    process = start("run", "--headless", "--size", "800x600", "--", *GREETER)
    ready(process)

    told = json.loads(deskhand("screenshot", "--json", str(tmp_path / "window.png")))

    assert (tmp_path / "window.png").read_bytes().startswith(b"\x89PNG")
    assert told["width"] > 50


def test_endpoints_are_announced_and_served(start: Start, folder: Path) -> None:
    process = start(
        "run", "--gip", str(folder / "a"), "--gip", "http://127.0.0.1:0/", "--json", "--", *GREETER
    )
    lines = [json.loads(line) for line in ready(process)]

    assert [line["ready"] for line in lines] == ["gip", "gip", True]
    assert lines[0]["url"] == f"unix:{folder / 'a'}"
    for line in lines[:-1]:
        with connect(line["url"]) as app:
            assert app.title() == "Greeter"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_too(start: Start, folder: Path, number: int) -> None:
    process = start("run", "--gip", str(folder / "a"), "--", *GREETER)
    ready(process)
    (app,) = json.loads(deskhand("apps", "--json"))["apps"]

    process.send_signal(number)

    assert process.wait(20) == 128 + number
    with pytest.raises(ProcessLookupError):
        os.kill(app["pid"], 0)
    assert not (folder / "a").exists()
    assert json.loads(deskhand("apps", "--json")) == {"apps": []}


def test_read_only_and_standby_reach_into_the_program(start: Start, folder: Path) -> None:
    ready(start("run", "--read-only", "--gip", str(folder / "a"), "--", *GREETER))
    ready(start("run", "--standby", "--gip", str(folder / "b"), "--", *GREETER))

    with connect(str(folder / "a")) as app, pytest.raises(ActionsOff):
        app.locator("textfield").fill("Ada")
    with connect(str(folder / "b")) as app, pytest.raises(Disabled):
        app.windows()


def test_the_programs_own_options_are_its_own(start: Start) -> None:
    process = start(
        "run", "--", sys.executable, "-c", "import sys; print(sys.argv); sys.exit(4)", "--json", "-h"
    )

    out, told = process.communicate(timeout=30)
    assert "['-c', '--json', '-h']" in out
    assert process.returncode == 4
    assert "before it had a window" in told


@pytest.mark.parametrize(("program", "code"), [("raise SystemExit(9)", 9), ("import os; os.abort()", 134)])
def test_a_program_that_ends_before_it_has_a_window_still_gives_its_code(
    start: Start, program: str, code: int
) -> None:
    process = start("run", "--json", "--", sys.executable, "-c", program)

    out, _ = process.communicate(timeout=30)
    assert process.returncode == code
    (line,) = out.splitlines()
    assert json.loads(line)["error"]["kind"] == "launch_failed"


def test_a_screenshot_that_cannot_be_written_is_an_error_without_a_traceback(
    start: Start, tmp_path: Path
) -> None:
    ready(start("run", "--", *GREETER))

    done = subprocess.run(
        [*DESKHAND, "screenshot", str(tmp_path / "none" / "x.png")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr == f"error: cannot write '{tmp_path / 'none' / 'x.png'}': no such file or directory\n"


def test_a_desktop_runs_a_command_with_its_exit_code(start: Start) -> None:
    process = start("desktop", "--size", "640x480", "--", "sh", "-c", "echo $DISPLAY; exit 9")

    out, told = process.communicate(timeout=60)
    assert out.startswith(":"), told
    assert process.returncode == 9


@pytest.mark.parametrize("command", ["run", "desktop"])
@pytest.mark.parametrize(("program", "code"), [("no-such-program", 127), ("/etc/passwd", 126)])
def test_a_program_that_cannot_be_started_ends_it_as_shells_do(
    start: Start, command: str, program: str, code: int
) -> None:
    process = start(command, "--", program)
    _, said = process.communicate(timeout=20)

    assert process.returncode == code
    assert said.startswith(f"error: cannot start '{program}': ")
    assert said.count("\n") == 1


def test_a_request_is_logged_once_wherever_it_comes_in(start: Start, folder: Path) -> None:
    served = ("--gip", str(folder / "a"), "--gip", "ws://127.0.0.1:0/")
    logging = ("--log-wire", str(folder / "wire"), "--log-wire-text")
    lines = [json.loads(line) for line in ready(start("run", *served, *logging, "--json", "--", *GREETER))]

    for number, line in enumerate(lines[:-1]):
        with connect(line["url"]) as app:
            app.locator("textfield").fill(f"person {number}")
    deskhand("set", "textfield", "by command")

    logged = (folder / "wire").read_text().splitlines()
    for text in ("person 0", "person 1", "by command"):
        assert len([line for line in logged if '"dir":"in"' in line and text in line]) == 1
