"""Who gets to see the inspector, and what `deskhand inspect` and `--inspector` say."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import parse_qs, urlsplit

import pytest

from deskhand.serving import tokens
from deskhand.serving.endpoints import InspectorSettings, endpoints, serve
from deskhand.serving.limited import Limited
from tests.cli.conftest import folder as folder
from tests.cli.conftest import greeter as greeter
from tests.client.greeter import Greeter
from tests.traces import until_nothing

PROGRAM = [sys.executable, "-c", "from deskhand.cli import main; main()"]
TOKEN = "the-right-one"
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest.fixture
def url(greeter: Greeter) -> Iterator[str]:
    """The address of the page of a form, with its token."""
    with serve(greeter.session, endpoints(inspector=0), inspector=InspectorSettings(TOKEN)) as served:
        yield served.ready[0].url


def ask(url: str, path: str, **headers: str) -> tuple[int, str]:
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)) as peer:
        peer.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = peer.getresponse()
        return answer.status, "" if answer.status == 101 else answer.read().decode()


def test_page_is_given_for_its_token_only(url: str) -> None:
    assert url.endswith(f"/?token={TOKEN}")
    status, page = ask(url, f"/?token={TOKEN}")
    assert status == 200
    assert 'data-testid="screen"' in page
    assert ask(url, "/", Authorization=f"Bearer {TOKEN}")[0] == 200
    for path in ("/", "/?token=", "/?token=wrong", f"/?token={TOKEN}&token=wrong", "/?TOKEN=the-right-one"):
        status, said = ask(url, path)
        assert status == 401, path
        assert TOKEN not in said


def test_websocket_is_opened_for_the_token_and_from_the_page_only(url: str) -> None:
    here = f"http://{urlsplit(url).netloc}"
    live = f"/live?token={TOKEN}"
    assert ask(url, live, **UPGRADE, Origin=here)[0] == 101
    assert ask(url, "/live", **UPGRADE, Origin=here)[0] == 401
    assert ask(url, "/live?token=wrong", **UPGRADE, Origin=here)[0] == 401
    for origin in ("http://attacker.example", "null", "http://127.0.0.1:1"):
        assert ask(url, live, **UPGRADE, Origin=origin)[0] == 403
    assert ask(url, f"/other?token={TOKEN}", **UPGRADE, Origin=here)[0] == 404


def test_other_names_of_this_machine_and_other_pages_are_refused(url: str) -> None:
    assert ask(url, f"/?token={TOKEN}", Host="attacker.example")[0] == 403
    assert ask(url, "/page.css", Host="attacker.example")[0] == 403
    assert ask(url, f"/?token={TOKEN}", Origin="http://attacker.example")[0] == 403
    assert ask(url, f"/?token={TOKEN}", Sec_Fetch_Site="cross-site")[0] == 403
    assert ask(url, f"/../pyproject.toml?token={TOKEN}")[0] == 404


def test_limited_tokens_do_not_open_the_page(greeter: Greeter) -> None:
    with (
        tokens.Known("greeter") as known,
        closing(Limited(greeter.session, "greeter")) as limited,
        serve(
            greeter.session,
            endpoints(inspector=0),
            inspector=InspectorSettings(TOKEN),
            tokens=known,
            limited=limited,
        ) as served,
    ):
        server = tokens.server(str(os.getpid()))
        _, whole = tokens.add(server, "whole")
        _, reads = tokens.add(server, "reads", scope=tokens.Scope(read_only=True))
        assert ask(served.ready[0].url, f"/?token={whole}")[0] == 200
        assert ask(served.ready[0].url, f"/?token={reads}")[0] == 401


@pytest.mark.parametrize("words", [("inspect", "--port", "0"), ("serve", "--inspector", "0")])
def test_address_is_printed_with_its_token_and_opens_the_page(
    greeter: Greeter, words: tuple[str, ...]
) -> None:
    with subprocess.Popen(
        [*PROGRAM, *words, "--app", "greeter"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        kind, url = process.stdout.readline().split()[1:]
        assert process.stdout.readline() == "ready\n"
        (token,) = parse_qs(urlsplit(url).query)["token"]
        assert (kind, len(token) >= 32) == ("inspector", True)
        assert ask(url, f"/?token={token}")[0] == 200
        assert ask(url, "/")[0] == 401
        process.terminate()
        assert process.wait(timeout=30) == 128 + 15


def test_json_has_the_address_and_the_token(greeter: Greeter) -> None:
    command = [*PROGRAM, "inspect", "--port", "0", "--json", "--token", TOKEN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        assert told == {"ready": "inspector", "url": told["url"], "token": TOKEN}
        assert told["url"].endswith(f"/?token={TOKEN}")
        process.terminate()


def test_without_a_token_it_warns(greeter: Greeter) -> None:
    command = [*PROGRAM, "inspect", "--port", "0", "--no-token"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[2]
        assert ask(url, "/")[0] == 200
        process.terminate()
        assert "warning: --no-token" in process.communicate(timeout=30)[1]


def test_app_is_followed_only_while_a_page_is_open(url: str) -> None:
    from websockets.sync.client import connect

    def following() -> list[str]:
        return [thread.name for thread in threading.enumerate() if thread.name.startswith("inspector-")]

    with connect(f"ws://{urlsplit(url).netloc}/live?token={TOKEN}") as page:
        assert json.loads(page.recv(timeout=30))["type"] == "about"
        assert {"inspector-tree", "inspector-screen"} <= set(following())
    until_nothing(following)
