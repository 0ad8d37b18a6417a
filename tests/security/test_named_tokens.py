"""`deskhand token`: a server accepts several tokens, each with a name and what it is good for."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as connect_websocket

from deskhand import Desktop
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.cli.main import commands
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import NotConnected
from deskhand.processes import registry
from deskhand.serving import oversight
from deskhand.serving import tokens as tokenfile
from deskhand.serving.endpoints import AgentSettings, McpSettings, Served, endpoints, serve
from deskhand.serving.limited import Limited
from tests.client.greeter import Greeter
from tests.security.other_user import ask
from tests.traces import until

PROGRAM = [sys.executable, "-c", "from deskhand.cli import main; main()"]
MAIN = "s3cret-main"
KINDS = ("gip", "orca", "agent", "mcp")


class Endpoint(NamedTuple):
    """One endpoint, asked with a token."""

    kind: str
    url: str

    def __call__(self, token: str, method: str, path: str, body: object) -> tuple[int, Any]:
        port = int(self.url.partition("://")[2].partition("/")[0].rpartition(":")[2])
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {token}",
        }
        status, text = ask(port, method, path, json.dumps(body), **headers)
        return status, json.loads(text)

    def rpc(self, token: str, method: str, **params: Any) -> tuple[int, Any]:
        path = {"gip": "/", "orca": "/jsonrpc", "mcp": "/mcp"}[self.kind]
        return self(token, "POST", path, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})

    def tool(self, token: str, name: str, **arguments: Any) -> tuple[int, Any]:
        return self.rpc(token, "tools/call", name=name, arguments=arguments)

    def click_ref(self, token: str, button: str) -> tuple[int, Any]:
        found = self.tool(token, "ui_query", selector={"css": f'button[name="{button}"]'})
        if found[0] != 200 or "output" not in found[1]["result"]["structuredContent"]:
            return found
        (match,) = found[1]["result"]["structuredContent"]["output"]["matches"]
        return self.tool(token, "ui_perform", actions=[{"type": "click", "target": {"ref": match["ref"]}}])

    def read(self, token: str) -> tuple[int, str]:
        """Ask what is shown."""
        status, answer = {
            "gip": lambda: self.rpc(token, "deskhand_read_tree"),
            "orca": lambda: self.rpc(token, "tree.dump"),
            "agent": lambda: self(token, "POST", "/snapshot", {"mode": "full", "depth": 20}),
            "mcp": lambda: self.tool(token, "ui_get_snapshot"),
        }[self.kind]()
        return status, json.dumps(answer)

    def press(self, token: str, button: str = "Greet") -> tuple[int, str]:
        """Press a button."""
        status, answer = {
            "gip": lambda: self.rpc(token, "deskhand_press", target=f'button[name="{button}"]'),
            "orca": lambda: self.rpc(token, "input.click", target={"label": button}),
            "agent": lambda: self(token, "POST", "/press", {"role": "button", "label": button}),
            "mcp": lambda: self.click_ref(token, button),
        }[self.kind]()
        return status, json.dumps(answer)


class Server(NamedTuple):
    """Everything that serves the greeter in this process."""

    greeter: Greeter
    served: Served
    known: tokenfile.Known
    audit: Path

    def __getitem__(self, kind: str) -> Endpoint:
        return Endpoint(kind, next(ready.url for ready in self.served.ready if ready.kind == kind))

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.audit.read_text().splitlines()]


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path / "run"))
    return tmp_path / "run"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    greeter, audit = Greeter(), tmp_path / "audit"
    guard = oversight.guard(None, audit)
    assert guard is not None
    wanted = endpoints(("http://127.0.0.1:0/", "ws://127.0.0.1:0/ws"), orca=0, agent=0, mcp=0)
    with (
        contextlib.closing(greeter.session),
        tokenfile.Known("greeter") as known,
        contextlib.closing(Limited(greeter.session, "greeter")) as limited,
        serve(
            greeter.session,
            wanted,
            names=("greeter",),
            token=MAIN,
            agent=AgentSettings(MAIN, exec=True),
            mcp=McpSettings(MAIN),
            guard=guard,
            tokens=known,
            limited=limited,
        ) as served,
    ):
        yield Server(greeter, served, known, audit)
    guard.close()


def deskhand(*arguments: str, code: int = 0) -> Any:
    """Run a command in this process; what it prints as JSON."""
    result = CliRunner().invoke(commands, [*arguments, "--json"], prog_name="deskhand")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def new(*options: str) -> str:
    token: str = deskhand("token", "new", *options)["token"]
    return token


# -- what a token lets its clients do ----------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_read_only_token_reads_and_does_not_act_and_the_log_names_it(server: Server, kind: str) -> None:
    token = new("--name", "reviewer", "--read-only", "--expires", "1h")
    endpoint = server[kind]

    status, shown = endpoint.read(token)
    assert (status, "Greet" in shown) == (200, True)
    _, refused = endpoint.press(token)
    assert "token" in refused or kind == "mcp"
    assert "rror" in refused
    assert server.greeter.greeting.text == ""
    endpoint.press(MAIN)
    until(lambda: server.greeter.greeting.text == "Hello, !")

    def outcomes() -> set[tuple[str, str]]:
        acts = ("press", "click")
        return {(line["token"], line["outcome"]) for line in server.log() if line["operation"] in acts}

    # The log is written by a process of its own.
    until(lambda: ("main", "done") in outcomes())
    assert outcomes() <= {("reviewer", "actions_off"), ("main", "done")}
    assert {line["token"] for line in server.log() if line["client"] == kind} >= {"reviewer", "main"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_without_limits_acts_until_it_is_revoked(server: Server, kind: str) -> None:
    token = new("--name", "helper")
    endpoint = server[kind]
    assert endpoint.press(token)[0] == 200
    until(lambda: server.greeter.greeting.text == "Hello, !")

    deskhand("token", "revoke", "helper")
    server.greeter.say("")
    status, said = endpoint.press(token)
    assert (status, "the token is wrong" in said) == (401, True)
    assert endpoint.read(token)[0] == 401
    assert endpoint.read(MAIN)[0] == 200
    assert server.greeter.greeting.text == ""


@pytest.mark.parametrize("kind", KINDS)
def test_an_expired_token_is_refused_like_a_wrong_one(
    server: Server, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = new("--expires", "1h")
    endpoint = server[kind]
    assert endpoint.read(token)[0] == 200
    now = time.time()
    monkeypatch.setattr(tokenfile.time, "time", lambda: now + 3590)
    assert endpoint.read(token)[0] == 200
    monkeypatch.setattr(tokenfile.time, "time", lambda: now + 3601)
    assert endpoint.read(token) == endpoint.read("guess")
    assert endpoint.read(token)[0] == 401
    assert [each["name"] for each in deskhand("token", "list")["tokens"]] == ["main"]


def test_a_websocket_is_closed_when_its_token_is_revoked(server: Server) -> None:
    url = next(ready.url for ready in server.served.ready if ready.url.startswith("ws:"))
    token = new("--name", "reader", "--read-only")
    headers = {"Authorization": f"Bearer {token}"}

    def call(number: int, method: str, **params: str) -> str:
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    with connect_websocket(url, additional_headers=headers, proxy=None) as socket:
        socket.send(call(1, "deskhand_read_tree"))
        assert "Greet" in str(socket.recv(30))
        socket.send(call(2, "deskhand_press", target='button[name="Greet"]'))
        assert "this token is for questions only" in str(socket.recv(30))
        deskhand("token", "revoke", "reader")
        socket.send(call(3, "deskhand_read_tree"))
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(30)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008
    assert server.greeter.greeting.text == ""
    until(lambda: {line["token"] for line in server.log() if line["client"] == "gip"} == {"reader"})


@pytest.mark.parametrize("options", [("--read-only",), ("--app", "greeter")], ids=["read-only", "app"])
def test_commands_files_and_shutdown_are_not_for_limited_tokens(
    server: Server, tmp_path: Path, options: tuple[str, ...]
) -> None:
    token, agent = new(*options), server["agent"]
    made = tmp_path / "made"
    assert agent(token, "POST", "/exec", {"command": f"touch {made}"})[0] == 403
    assert agent(token, "POST", f"/upload?path={made}", {"a": 1})[0] == 403
    assert agent(token, "POST", "/download", {"path": "/etc/hostname"})[0] == 403
    assert agent(token, "POST", "/deskhand/execute", {"command": f"touch {made}"})[0] == 403
    assert agent(token, "POST", "/shutdown", {})[0] >= 400
    assert agent(token, "POST", "/deskhand/shutdown", {})[0] >= 400
    assert not made.exists()
    assert agent(MAIN, "POST", "/exec", {"command": f"touch {made}"})[0] == 200
    assert made.exists()
    line = until(lambda: [line for line in server.log() if line["operation"] == "execute"])[-1]
    assert line["token"] == "main"


def test_a_read_only_token_is_offered_no_tools_that_act(server: Server) -> None:
    def offered(token: str) -> set[str]:
        return {tool["name"] for tool in server["mcp"].rpc(token, "tools/list")[1]["result"]["tools"]}

    assert "ui_perform" in offered(MAIN)
    assert "ui_perform" not in offered(new("--read-only"))
    assert "ui_perform" in offered(new("--app", "greeter"))


# -- one app ------------------------------------------------------------------------------------------


def test_a_token_for_another_app_than_the_one_that_is_served_reaches_nothing(server: Server) -> None:
    said = deskhand("token", "new", "--app", "other", code=2)
    assert "serves 'greeter' only" in said["error"]["message"]

    anyway = tokenfile.Server("greeter", os.getpid(), registry.start_time(os.getpid()), desktop=True)
    _, token = tokenfile.add(anyway, scope=tokenfile.Scope("other"))
    for kind in KINDS:
        _, shown = server[kind].read(token)
        assert "Greet" not in shown.replace("'greeter'", "")
        server[kind].press(token)
    assert server.greeter.greeting.text == ""


def test_a_token_for_the_app_that_is_served_reaches_it_but_not_the_clipboard(server: Server) -> None:
    token = new("--app", "greeter")
    for kind in KINDS:
        assert "Greet" in server[kind].read(token)[1]
    gip = server["gip"]
    for method, params in (
        ("deskhand_get_clipboard", {}),
        ("deskhand_screenshot", {"desktop": True}),
        ("deskhand_click", {"x": 1, "y": 1}),
        ("deskhand_click", {"target": "#name", "x": 4000, "y": 1}),
        ("deskhand_type_text", {"text": "x"}),
    ):
        assert "this token is for one app only" in json.dumps(gip.rpc(token, method, **params)[1])
    assert gip.press(token)[0] == 200
    until(lambda: server.greeter.greeting.text == "Hello, !")


def test_events_are_sent_to_a_token_for_the_app_until_it_is_revoked(server: Server) -> None:
    url = server["orca"].url.replace("http:", "ws:").replace("/jsonrpc", "/events")
    headers = {"Authorization": f"Bearer {new('--name', 'listener', '--app', 'greeter')}"}

    def tell(socket: ClientConnection, text: str) -> str:
        """Change the greeting until an event says so; the first may come before the listener is known."""
        while True:
            server.greeter.say(f"{text} {time.monotonic()}")
            with contextlib.suppress(TimeoutError):
                return str(socket.recv(0.5))

    with connect_websocket(url, additional_headers=headers, proxy=None) as socket:
        assert tell(socket, "hello")
        deskhand("token", "revoke", "listener")
        with pytest.raises(ConnectionClosed) as closed:
            list(iter(lambda: tell(socket, "again"), ""))
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008
    with pytest.raises(InvalidStatus, match="401"):
        connect_websocket(url, additional_headers=headers, proxy=None)


def test_an_app_that_was_started_again_is_reached_again() -> None:
    first, second = Greeter(), Greeter()
    started = iter((first.session, second.session))
    limited = Limited(Greeter().session, None, open_app=lambda _: next(started))
    with contextlib.closing(limited):
        runner = limited(tokenfile.Scope("greeter"))
        assert runner.run(ops.Find("#name"))
        first.session.close()
        with pytest.raises(NotConnected):
            runner.run(ops.Find("#name"))
        assert runner.run(ops.Find("#name"))


# -- which server, and what is kept -----------------------------------------------------------------


def test_tokens_are_kept_as_hashes_in_a_private_file_that_goes_with_the_server(
    server: Server, runtime: Path
) -> None:
    token = new("--name", "reviewer", "--app", "greeter", "--read-only", "--expires", "1h30m")
    (file,) = (runtime / "apps").iterdir()
    assert token not in file.read_text()
    assert MAIN not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    listed = deskhand("token", "list")["tokens"][1]
    assert {**listed, "expires": ""} == {
        "name": "reviewer", "app": "greeter", "read_only": True, "expires": "",
    }  # fmt: skip
    server.known.close()
    assert not list(runtime.rglob("*.tokens*"))
    assert server["orca"].read(token)[0] == 401
    assert server["orca"].read(MAIN)[0] == 200


def test_names_are_given_taken_and_refused(server: Server) -> None:
    assert [deskhand("token", "new")["name"] for _ in range(2)] == ["token-1", "token-2"]
    deskhand("token", "revoke", "token-1")
    assert deskhand("token", "new")["name"] == "token-1"
    for name in ("token-2", "main", "two words", "", "é"):
        deskhand("token", "new", "--name", name, code=2)
    deskhand("token", "revoke", "main", code=2)
    assert "token-2" in deskhand("token", "revoke", "token-3", code=3)["error"]["message"]
    for expires in ("0s", "1", "1y", "367d", "-1h"):
        deskhand("token", "new", "--expires", expires, code=2)


def test_tokens_that_are_made_at_once_are_all_accepted(server: Server) -> None:
    there = tokenfile.server()
    with ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda _: tokenfile.add(there), range(40)))
    assert {token.name for token, _ in made} == {f"token-{number}" for number in range(1, 41)}
    assert {server["orca"].read(secret)[0] for _, secret in made} == {200}


def test_a_server_that_was_killed_or_asks_for_no_token_is_not_found() -> None:
    assert "no server runs" in deskhand("token", "new", code=3)["error"]["message"]
    with (
        contextlib.closing(Greeter().session) as session,
        tokenfile.Known("open") as known,
        serve(session, endpoints(orca=0), tokens=known),
    ):
        deskhand("token", "new", code=3)
    process = subprocess.Popen(
        [*PROGRAM, "agent", "--bind", "127.0.0.1", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "DISPLAY": ""},
    )
    assert process.stdout is not None
    endpoint = Endpoint("agent", json.loads(process.stdout.readline())["url"])
    assert endpoint(new("--server", str(process.pid)), "POST", "/exec", {"command": "true"})[0] == 200
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=20)
    deskhand("token", "list", code=3)


# -- on a desktop ---------------------------------------------------------------------------------------


@pytest.mark.programs
def test_a_token_for_one_app_of_the_desktop_sees_and_operates_no_other(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    with Desktop() as desktop:
        desktop.spawn(["zenity", "--entry", "--title", "Mine"])
        desktop.spawn(["galculator"])
        with contextlib.closing(Session(AtspiAdapter(desktop.env))) as both:
            field = 'dialog[name="Mine"] textfield, window[name="Mine"] textfield'
            both.run(ops.Wait(field, timeout=60))
            until(lambda: "galculator" in {window.title for window in both.run(ops.ListWindows())}, 60)
            process = subprocess.Popen(
                [*PROGRAM, "serve", "--gip", "http://127.0.0.1:0/", "--orca", "0", "--agent", "0",
                 "--mcp", "0", "--token-everywhere", "--json"],
                env={**desktop.env, registry.VARIABLE: run},
                stdout=subprocess.PIPE,
                text=True,
            )  # fmt: skip
            try:
                served = list(_ready(process))
                token = new("--app", "zenity")
                main = served[0][1]
                for endpoint, _ in served:
                    assert "galculator" in endpoint.read(main)[1]
                    shown = endpoint.read(token)[1]
                    assert "Mine" in shown
                    assert "galculator" not in shown
                _insist_on_one_app(served[0][0], token, both)
            finally:
                process.terminate()
                process.communicate(timeout=20)


def _ready(process: subprocess.Popen[str]) -> Iterator[tuple[Endpoint, str]]:
    assert process.stdout is not None
    while (told := json.loads(process.stdout.readline()))["ready"] is not True:
        yield Endpoint(told["ready"], told["url"]), told["token"]


def _insist_on_one_app(gip: Endpoint, token: str, both: Session) -> None:
    others = next(each for each in both.run(ops.ListWindows()) if each.title == "galculator")
    both.run(ops.ControlWindow(f"uid={others.uid}", do="move", x=700, y=100))
    both.run(ops.ControlWindow(f"uid={others.uid}", do="focus"))
    bounds = next(each for each in both.run(ops.ListWindows()) if each.title == "galculator").bounds
    assert bounds is not None
    x, y = bounds.center
    refusals: dict[str, dict[str, object]] = {
        "deskhand_click": {"x": x, "y": y},
        "deskhand_type_text": {"text": "7"},
        "deskhand_get_clipboard": {},
        "deskhand_control_window": {"target": f"uid={others.uid}", "do": "close"},
    }
    for method, params in refusals.items():
        assert "error" in gip.rpc(token, method, **params, timeout=1)[1], method
    assert "galculator" in {window.title for window in both.run(ops.ListWindows())}
    answer = gip.rpc(token, "deskhand_set_value", target="textfield", value="reached")[1]
    assert "error" not in answer, answer
    field = 'dialog[name="Mine"] textfield, window[name="Mine"] textfield'
    until(lambda: both.run(ops.Get(field)).value == "reached")
