"""Ways to a browser: the flags that it is started with, its debugging port, and GIP's `connect`."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deskhand import connect
from deskhand.cli.main import commands
from deskhand.engine.session import Session
from deskhand.inject import chromium
from deskhand.serving.endpoints import endpoints, serve
from deskhand.transports.open import open_channel

from .conftest import Browser


def test_a_browser_gets_a_pipe_and_a_profile_and_as_root_no_sandbox(tmp_path: Path) -> None:
    command = chromium.instrumented(["/usr/bin/chromium", "http://localhost/"], tmp_path)
    at = command.index("/usr/bin/chromium")
    flags = command[at + 1 : -1]
    assert command[-1] == "http://localhost/"
    assert "--remote-debugging-pipe" in flags
    assert f"--user-data-dir={tmp_path}/profile" in flags
    assert ("--no-sandbox" in flags) is (os.geteuid() == 0)


def test_flags_that_a_command_has_already_are_kept(tmp_path: Path) -> None:
    own = ["chromium", "--user-data-dir=/srv/profile", "--no-sandbox"]
    command = chromium.instrumented(own, tmp_path)
    assert [part for part in command if part.startswith("--user-data-dir")] == [
        "--user-data-dir=/srv/profile"
    ]
    assert command.count("--no-sandbox") == 1
    debugged = ("chromium", "--remote-debugging-port=9222")
    assert chromium.instrumented(debugged, tmp_path) == debugged


@pytest.mark.parametrize(("program", "is_one"), [
    ("chromium", True), ("/usr/bin/google-chrome-stable", True), ("chromium-browser", True),
    ("chromedriver", False), ("firefox", False), ("python", False),
])  # fmt: skip
def test_a_browser_is_recognised_by_its_name(program: str, is_one: bool) -> None:
    assert chromium.is_browser([program, "x"]) is is_one


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the debugging port of a browser that shows a page."""
    folder = tmp_path_factory.mktemp("port")
    page = folder / "page.html"
    page.write_text(
        "<!doctype html><title>By port</title><button onclick=\"textContent = 'pressed'\">Go</button>"
    )
    command = [
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
        f"--user-data-dir={folder}/a profile", page.as_uri(),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while not (found := list(chromium.ports([process.pid]))):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield found[0].address
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.parametrize("scheme", ["ws", "http", "cdp"])
def test_the_address_of_a_debugging_port_leads_to_its_pages(port: str, scheme: str) -> None:
    with connect(f"{scheme}://{port}") as app:
        app.locator("button").wait_for()
        assert [window.title for window in app.windows()] == ["By port"]
        assert app.info().toolkit == "web"
        assert app.info().pid > 0


def test_commands_choose_a_browser_by_its_port(port: str) -> None:
    number = port.rpartition(":")[2]

    def deskhand(*words: str) -> Result:
        return CliRunner().invoke(commands, words, prog_name="deskhand")

    assert deskhand("--cdp", number, "click", 'button[name="Go"]').exit_code == 0
    assert deskhand("--cdp", f"http://{port}", "get", "button", "name").stdout == "pressed\n"


def test_gip_clients_connect_by_the_address_of_the_browser(browser: Browser, tmp_path: Path) -> None:
    session = Session(browser.adapter)
    with serve(session, endpoints(str(tmp_path / "gip"))) as served:
        channel = open_channel(served.ready[0].url)
        try:
            for target in ("ws://localhost:9222", "http://localhost:9222"):
                call = {"jsonrpc": "2.0", "id": 1, "method": "connect", "params": {"target": target}}
                answer = json.loads(channel.exchange(json.dumps(call).encode(), 10))
                assert answer["result"]["success"]
                assert answer["result"]["app_info"]["toolkit"] == "web"
        finally:
            channel.close()
