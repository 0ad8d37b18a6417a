"""`deskhand agent`, and `--agent` on run, attach and serve, asked over HTTP as any host would."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand.cli import agent as module
from deskhand.desktop.private import Desktop
from deskhand.serving.virtual import Facts
from tests.cli.conftest import Deskhand
from tests.cli.test_serve import ready
from tests.client.greeter import Greeter
from tests.wire.agent_shapes import check_answer

Start = Callable[..., "subprocess.Popen[str]"]
SECRET = {"Authorization": "Bearer s3cret"}
FORM = Path(__file__).parents[2] / "demo" / "qt_form.py"


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
        program = [sys.executable, "-c", "from deskhand.cli import main; main()", *words]
        process = subprocess.Popen(
            program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.terminate()
        process.communicate(timeout=20)


def ask(url: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    peer = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    try:
        if path == "/health":
            peer.request("GET", path, headers=headers)
        else:
            peer.request(
                "POST", path, json.dumps(body or {}), {"Content-Type": "application/json", **headers}
            )
        reply = peer.getresponse()
        text = reply.read()
    finally:
        peer.close()
    if reply.status != 401:
        check_answer(path, reply.status, text)
    return reply.status, json.loads(text)


def listens(url: str) -> bool:
    try:
        return ask(url, "/health", **SECRET)[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def url_of(lines: list[str]) -> str:
    (line,) = [line for line in lines if line.startswith("ready agent ")]
    return line.split()[2]


# -- on an app --------------------------------------------------------------------------------------


def test_serve_offers_an_app_to_this_machine_and_keeps_commands_to_itself(
    start: Start, greeter: Greeter
) -> None:
    process = start("serve", "--app", "greeter", "--agent", "0")
    url = url_of(ready(process))

    assert url.startswith("http://127.0.0.1:")
    assert ask(url, "/health")[1]["accessible"] is True
    assert ask(url, "/set-value", {"label": "Name", "value": "Ada"}) == (200, {"success": True})
    assert ask(url, "/press", {"role": "button", "label": "Greet"}) == (200, {"success": True})
    assert greeter.greeting.text == "Hello, Ada!"
    assert ask(url, "/exec", {"command": "true"})[0] == 403
    assert ask(url, "/shutdown") == (200, {"success": True, "message": "the agent ends; the machine goes on"})
    assert process.wait(20) == 0
    assert greeter.adapter.info().title == "Greeter"


def test_a_token_is_asked_for_where_one_is_given(start: Start, greeter: Greeter) -> None:
    lines = ready(start("serve", "--app", "greeter", "--agent=0", "--token", "s3cret", "--json"))
    told = json.loads(lines[0])

    assert (told["ready"], told["token"], json.loads(lines[-1])) == (
        "agent",
        "s3cret",
        {"ready": True, "url": None},
    )
    status, body = ask(told["url"], "/windows")
    assert (status, body["error"]) == (401, "unauthorized")
    assert ask(told["url"], "/windows", Authorization="Bearer s3cret")[0] == 200


def test_commands_run_where_that_is_allowed_and_are_reported(start: Start, greeter: Greeter) -> None:
    process = start("serve", "--app", "greeter", "--agent", "0", "--exec", "--token", "s3cret")
    url = url_of(ready(process))

    assert ask(url, "/exec", {"command": "echo private; exit 5"}, **SECRET)[1]["exitCode"] == 5
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGINT
    assert "exec 'echo private; exit 5': exit 5" in told


def test_read_only_and_standby_are_errors_of_the_contract(start: Start, greeter: Greeter) -> None:
    url = url_of(ready(start("serve", "--app", "greeter", "--agent", "0", "--read-only")))
    status, body = ask(url, "/press", {"label": "Greet"})
    assert (status, body["error"]) == (403, "action_unsupported")
    url = url_of(ready(start("serve", "--app", "greeter", "--agent", "0", "--standby")))
    status, body = ask(url, "/health")
    assert (status, body["error"]) == (503, "accessibility_unavailable")
    assert ask(url, "/snapshot")[0] == 503


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--exec", "--gip"),
        ("serve", "--agent", "0", "--exec", "--read-only"),
        ("serve", "--agent", "0", "--exec", "--standby"),
        ("serve", "--agent", "0", "--token", ""),
        ("serve", "--agent", "70000"),
        ("run", "--agent", "x", "--", "true"),
        ("--agent", "somewhere", "serve", "--gip"),
        ("agent", "--token", ""),
        ("agent", "--port", "-1"),
    ],
)
def test_contradictions_are_wrong_use(deskhand: Deskhand, words: tuple[str, ...]) -> None:
    assert deskhand(*words).exit_code == 2


def test_a_port_that_is_taken_is_an_error(start: Start, greeter: Greeter) -> None:
    port = url_of(ready(start("serve", "--app", "greeter", "--agent", "0"))).rpartition(":")[2]
    process = start("serve", "--app", "greeter", "--agent", port)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 1
    assert f"port {port}" in told


def test_an_app_that_run_started_is_driven_and_commands_are_on_its_desktop(start: Start) -> None:
    words = (
        "run",
        "--headless",
        "--agent",
        "0",
        "--exec",
        "--token",
        "s3cret",
        "--",
        sys.executable,
        str(FORM),
    )
    process = start(*words)
    url = url_of(ready(process))

    assert [window["title"] for window in ask(url, "/windows", **SECRET)[1]["windows"]] == ["Order form"]
    assert ask(url, "/window-move", {"window": "order", "x": 40, "y": 50}, **SECRET)[1]["success"] is True
    assert (
        ask(url, "/window-resize", {"window": "order", "width": 700, "height": 520}, **SECRET)[1]["success"]
        is True
    )
    (window,) = ask(url, "/windows", **SECRET)[1]["windows"]
    assert [window[name] for name in ("positionX", "positionY", "sizeWidth", "sizeHeight")] == [
        40,
        50,
        700,
        520,
    ]
    assert ask(url, "/window-minimize", {"window": "order"}, **SECRET)[1]["success"] is True
    assert ask(url, "/window-focus", {"window": "order"}, **SECRET)[1]["success"] is True
    assert (
        ask(url, "/snapshot", {"mode": "full", "depth": 50}, **SECRET)[1]["windows"][-1]["title"]
        == "Menu Bar"
    )
    inspected = ask(url, "/inspect", {"role": "button", "index": 0}, **SECRET)[1]
    assert inspected.keys() >= {"fontFamily", "fontSize", "textColor", "boundsX"}
    done = ask(url, "/exec", {"command": "xdotool getwindowfocus getwindowname; echo $HOME; pwd"}, **SECRET)[
        1
    ]
    title, home, folder = done["stdout"].splitlines()
    assert (title, home) == ("Order form", folder)
    assert home != os.environ.get("HOME")
    assert ask(url, "/shutdown", **SECRET)[0] == 200
    deadline = time.monotonic() + 20
    while listens(url):
        assert time.monotonic() < deadline
    assert process.poll() is None, "the app goes on"


# -- the desktop ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


def test_an_agent_starts_before_the_desktop_and_is_ready_when_that_is(
    start: Start, desktop: Desktop, tmp_path: Path
) -> None:
    bus = desktop.env["DBUS_SESSION_BUS_ADDRESS"].partition("path=")[2].partition(",")[0]
    late = tmp_path / "bus"
    env = {**desktop.env, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={late}"}
    env.pop("AT_SPI_BUS_ADDRESS", None)
    env["DISPLAY"] = ""
    process = start("agent", "--bind", "127.0.0.1", "--port", "0", "--token", "s3cret", env=env)
    url = url_of(ready(process))

    status, body = ask(url, "/health", **SECRET)
    assert (status, body["accessible"], body["error"]) == (503, False, "accessibility_unavailable")
    assert ask(url, "/windows", **SECRET)[0] == 503
    assert ask(url, "/exec", {"command": "echo up"}, **SECRET)[1]["stdout"] == "up\n"
    late.symlink_to(bus)
    deadline = time.monotonic() + 20
    while ask(url, "/health", **SECRET)[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert ask(url, "/windows", **SECRET)[0] == 200
    assert ask(url, "/shutdown", **SECRET)[0] == 200
    assert process.wait(20) == 0


def test_an_agent_drives_a_program_of_the_desktop(start: Start, desktop: Desktop) -> None:
    url = url_of(
        ready(start("agent", "--bind", "127.0.0.1", "--port", "0", "--token", "s3cret", env=desktop.env))
    )
    command = f"exec {sys.executable} {FORM}"
    assert ask(url, "/exec", {"command": command, "detach": True}, **SECRET)[1]["exitCode"] == 0

    assert ask(url, "/wait", {"window": "Order form", "timeout": 60}, **SECRET) == (200, {"success": True})
    assert ask(url, "/snapshot", {"mode": "full", "depth": 50, "window": "Order form"}, **SECRET)[0] == 200
    assert (
        ask(url, "/set-value", {"role": "textfield", "index": 0, "value": "Ada"}, **SECRET)[1]["success"]
        is True
    )
    assert ask(url, "/inspect", {"role": "textfield", "index": 0}, **SECRET)[1]["element"]["value"] == "Ada"
    assert ask(url, "/window-close", {"window": "Order form"}, **SECRET)[1]["success"] is True
    assert ask(url, "/windows", **SECRET) == (200, {"windows": []})


@pytest.mark.parametrize(
    ("facts", "address"),
    [(Facts("none"), "127.0.0.1"), (Facts("kvm"), "0.0.0.0"), (Facts("docker"), "0.0.0.0")],
)
def test_it_is_open_to_others_only_where_it_is_meant_for_them(
    monkeypatch: pytest.MonkeyPatch, facts: Facts, address: str
) -> None:
    monkeypatch.setattr(module, "look", lambda: facts)
    assert module._default_address()[0] == address


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        (("--bind", "0.0.0.0", "--no-token"), True),
        (("--bind", "0.0.0.0", "--token", "x"), False),
        (("--bind", "0.0.0.0"), False),
        (("--bind", "127.0.0.1"), False),
    ],
)
def test_being_open_to_others_is_warned_of(start: Start, options: tuple[str, ...], warned: bool) -> None:
    process = start("agent", *options, "--port", "0", env={**os.environ, "DISPLAY": ""})
    ready(process)
    process.terminate()
    _, told = process.communicate(timeout=20)
    assert ("anyone that can reach it can run commands" in told) == warned
    assert options[1] in told
    assert "--bind says so" in told
    assert process.returncode == 128 + signal.SIGTERM
