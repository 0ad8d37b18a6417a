"""`deskhand serve` offers a running app to others, in its own process."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand import connect
from deskhand.model.errors import ActionsOff, Disabled, Unauthorized
from tests.cli.conftest import Deskhand
from tests.client.greeter import Greeter

Serve = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def serve(greeter: Greeter) -> Iterator[Serve]:
    started: list[subprocess.Popen[str]] = []

    def serve(*words: str) -> subprocess.Popen[str]:
        program = [sys.executable, "-c", "from deskhand.cli import main; main()", "serve", *words]
        process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield serve
    for process in started:
        process.kill()
        process.communicate(timeout=20)


def ready(process: subprocess.Popen[str]) -> list[str]:
    """The lines up to the last one of the announcement."""
    assert process.stdout is not None
    lines = []
    while line := process.stdout.readline():
        lines.append(line.rstrip("\n"))
        if lines[-1] == "ready" or '"ready": true' in lines[-1]:
            return lines
    raise AssertionError(f"it ended: {process.communicate()[1]}")


def test_an_app_is_served_on_sockets_websocket_and_http(serve: Serve, greeter: Greeter, folder: Path) -> None:
    lines = ready(
        serve("--gip", str(folder / "public"), "--gip", "ws://127.0.0.1:0/", "--gip", "http://127.0.0.1:0/")
    )

    assert [line.split()[:2] for line in lines[:-1]] == [["ready", "gip"]] * 3
    assert lines[0] == f"ready gip unix:{folder / 'public'}"
    assert lines[-1] == "ready"
    for line in lines[:-1]:
        with connect(line.split()[2]) as app:
            app.locator("#name").fill(line)
        assert greeter.name.value == line


def test_with_json_each_line_is_an_object(serve: Serve, folder: Path) -> None:
    lines = [json.loads(line) for line in ready(serve("--json", "--gip", str(folder / "public")))]

    assert lines == [{"ready": "gip", "url": f"unix:{folder / 'public'}"}, {"ready": True, "url": None}]


def test_a_token_is_asked_for_everywhere_if_that_is_wanted(serve: Serve) -> None:
    told = ready(serve("--json", "--token-everywhere", "--gip", "http://127.0.0.1:0/"))
    first = json.loads(told[0])

    with connect(first["url"], token=first["token"]) as app:
        assert app.title() == "Greeter"
    with pytest.raises(Unauthorized):
        connect(first["url"])


def test_orca_is_served_switched_off_and_with_a_token(serve: Serve) -> None:
    process = serve("--json", "--token-everywhere", "--standby", "--orca", "0")
    told = json.loads(ready(process)[0])
    assert told["ready"] == "orca"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/jsonrpc", told["url"])

    def call(method: str, **headers: str) -> dict[str, Any]:
        body = json.dumps({"id": 1, "method": method}).encode()
        with urllib.request.urlopen(urllib.request.Request(told["url"], body, headers), timeout=10) as reply:
            answer: dict[str, Any] = json.load(reply)
            return answer

    with pytest.raises(urllib.error.HTTPError, match="401") as refused:
        call("automation.version")
    refused.value.close()
    token = f"Bearer {told['token']}"
    assert call("automation.version", Authorization=token)["result"]["version"] == "1.0.0"
    assert call("tree.dump", Authorization=token)["error"]["code"] == 1006


def test_read_only_answers_questions_only(serve: Serve, folder: Path, greeter: Greeter) -> None:
    ready(serve("--read-only", "--gip", str(folder / "public")))

    with connect(str(folder / "public")) as app:
        assert app.title() == "Greeter"
        with pytest.raises(ActionsOff):
            app.locator("#name").fill("Ada")
    assert greeter.name.value == ""


def test_standby_answers_nothing(serve: Serve, folder: Path) -> None:
    ready(serve("--standby", "--gip", str(folder / "public")))

    with connect(str(folder / "public")) as app, pytest.raises(Disabled):
        app.windows()


def test_the_wire_is_logged(serve: Serve, folder: Path) -> None:
    ready(serve("--log-wire", str(folder / "wire"), "--gip", str(folder / "public")))
    with connect(str(folder / "public")) as app:
        app.locator("#name").fill("Ada")

    logged = (folder / "wire").read_text()
    assert "deskhand_type_text" in logged


@pytest.mark.parametrize("options", [(), ("--log-wire-text",)])
def test_typed_text_is_in_the_log_only_if_that_was_asked_for(
    serve: Serve, folder: Path, options: tuple[str, ...]
) -> None:
    ready(serve("--log-wire", str(folder / "wire"), *options, "--gip", str(folder / "public")))
    with connect(str(folder / "public")) as app:
        app.locator("#name").fill("Ada Lovelace")

    logged = (folder / "wire").read_text()
    assert ("Ada Lovelace" in logged) is bool(options)
    assert ("(12 characters)" in logged) is (not options)


def test_refused_clients_are_in_the_wire_log_of_every_protocol(serve: Serve, folder: Path) -> None:
    wanted = ("--gip", "http://127.0.0.1:0/", "--orca", "0", "--agent", "0", "--mcp", "0")
    process = serve("--json", "--log-wire", str(folder / "wire"), *wanted)
    urls = [json.loads(line)["url"] for line in ready(process)[:-1]]

    for url in urls:
        request = urllib.request.Request(url, b"{}", {"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="403") as refused:
            urllib.request.urlopen(request, timeout=10)
        with refused.value as answer:
            answer.read()  # it is written down before its end is sent

    lines = [json.loads(line) for line in (folder / "wire").read_text().splitlines()]
    asked = [line["message"]["method"] for line in lines if line["dir"] == "in"]
    assert asked == ["POST /", "POST /jsonrpc", "POST /", "POST /mcp"]
    assert [line["message"]["status"] for line in lines if line["dir"] == "out"] == [403] * 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_leaves_the_app_alone(
    serve: Serve, folder: Path, number: int, deskhand: Deskhand
) -> None:
    process = serve("--gip", str(folder / "public"))
    ready(process)

    process.send_signal(number)

    assert process.wait(20) == 128 + number
    assert not (folder / "public").exists()
    assert deskhand("get", "#main", "name").stdout == "Greeter\n"


def test_an_address_that_is_taken_is_an_error(serve: Serve, folder: Path) -> None:
    process = serve("--gip", str(folder / "control"))

    _, told = process.communicate(timeout=30)
    assert process.returncode == 1
    assert str(folder / "control") in told


def test_without_an_endpoint_there_is_nothing_to_serve(deskhand: Deskhand) -> None:
    done = deskhand("serve")

    assert done.exit_code == 2
    assert "--gip" in done.stderr


def test_no_token_contradicts_a_token(deskhand: Deskhand) -> None:
    assert deskhand("serve", "--gip", "--no-token", "--token", "x").exit_code == 2


def test_gip_before_the_command_is_not_an_endpoint(deskhand: Deskhand) -> None:
    done = deskhand("--gip", "name", "run", "--", "true")

    assert done.exit_code == 2
    assert "after" in done.stderr


def test_attach_finds_an_app_that_can_be_driven_already(serve: Serve, greeter: Greeter, folder: Path) -> None:
    program = [sys.executable, "-c", "from deskhand.cli import main; main()"]
    process = subprocess.Popen(
        [*program, "attach", str(os.getpid()), "--gip", str(folder / "public")],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert ready(process)[-1] == "ready"
        with connect(str(folder / "public")) as app:
            assert app.title() == "Greeter"
    finally:
        process.kill()
        process.communicate(timeout=20)
