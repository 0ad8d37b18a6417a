"""Which clients are let in: those with the token, and of the users of this machine only the server's own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.adapters.memory import MemoryAdapter
from deskhand.engine.session import Session
from deskhand.serving.endpoints import AgentSettings, Served, endpoints, serve
from deskhand.transports import users
from tests.security.other_user import MAY_SWITCH, ask, ask_as_other

Start = Callable[..., "subprocess.Popen[str]"]

REQUESTS = {
    "gip": ("POST", "/", '{"jsonrpc":"2.0","id":1,"method":"ping"}'),
    "orca": ("POST", "/jsonrpc", '{"jsonrpc":"2.0","id":1,"method":"automation.version"}'),
    "agent": ("POST", "/windows", "{}"),
    "mcp": ("GET", "/health", ""),
    "webdriver": ("GET", "/status", ""),
    "inspector": ("GET", "/", ""),
}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", "from deskhand.cli import main; main()", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "DISPLAY": "", "DESKHAND_RUNTIME_DIR": str(tmp_path / "run"), **variables},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.terminate()
        process.communicate(timeout=20)


def ready(process: subprocess.Popen[str]) -> dict[str, str]:
    """The first endpoint that a server with --json says is ready."""
    assert process.stdout is not None
    first: dict[str, str] = json.loads(process.stdout.readline())
    assert json.loads(process.stdout.readline()) == {"ready": True, "url": None}
    return first


def port_of(url: str) -> int:
    return int(url.partition("://")[2].partition("/")[0].rpartition(":")[2])


def execute(port: int, command: str, token: str | None = None) -> tuple[int, str]:
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return ask(port, "POST", "/exec", json.dumps({"command": command}), **headers)


AGENT = ("agent", "--bind", "127.0.0.1", "--port", "0", "--json")
FORM = str(Path(__file__).parents[2] / "demo" / "qt_form.py")
EXEC = ("run", "--headless", "--agent", "0", "--exec", "--json", "--", sys.executable, FORM)


@pytest.fixture
def sessions() -> Iterator[Session]:
    session = Session(MemoryAdapter([]))
    yield session
    session.close()


@pytest.fixture(params=sorted(REQUESTS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def served(session: Session, kind: str, *, other_users: bool = False) -> Served:
    where = endpoints("http://127.0.0.1:0/") if kind == "gip" else endpoints(**{kind: 0})
    return serve(session, where, agent=AgentSettings(exec=True), other_users=other_users)


def as_other(
    monkeypatch: pytest.MonkeyPatch, port: int, method: str, path: str, body: str
) -> tuple[int, str]:
    """Ask as another user. Who may not become one makes the server take itself for another user's instead."""
    if MAY_SWITCH:
        return ask_as_other(port, method, path, body, **{"Content-Type": "application/json"})
    with monkeypatch.context() as context:
        context.setattr(users.os, "geteuid", lambda: os.getuid() + 1)
        return ask(port, method, path, body, **{"Content-Type": "application/json"})


# -- users ------------------------------------------------------------------------------------------


def test_another_user_is_refused_by_every_endpoint(
    sessions: Session, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, path, body = REQUESTS[kind]
    with served(sessions, kind) as server:
        port = port_of(server.ready[0].url)
        status, said = as_other(monkeypatch, port, method, path, body)
        assert status == 403
        assert "--allow-other-users" in said
        assert ask(port, method, path, body, **{"Content-Type": "application/json"})[0] == 200


def test_another_user_is_served_where_that_is_allowed(
    sessions: Session, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(sessions, kind, other_users=True) as server:
        assert as_other(monkeypatch, port_of(server.ready[0].url), *REQUESTS[kind])[0] == 200


def test_the_owner_of_a_connection_is_the_same_by_netlink_and_by_the_list_of_connections() -> None:
    for address in ("127.0.0.1", "::1"):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with (
            socket.create_server((address, 0), family=family) as server,
            socket.create_connection(server.getsockname()[:2]) as client,
        ):
            here, there = server.getsockname()[:2], client.getsockname()[:2]
            with users.Peers() as peers:
                found = peers._ask_kernel(here, there)
            assert found == users._listed(here, there)
            assert found is not None
            assert (found.user, found.inode > 0) == (os.geteuid(), True)


def test_a_socket_that_no_process_has_open_any_more_is_not_taken_for_one_of_root() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        peer, _ = server.accept()
        with peer, users.Peers() as peers:
            assert peers.visitor(peer.getsockname(), client.getsockname()).refused is None
            there = client.getsockname()
            client.close()
            said = peers.visitor(peer.getsockname(), there).refused
    assert said is not None
    assert "gone" in said


def test_an_answer_of_the_kernel_to_an_earlier_question_is_not_taken_for_the_next_one() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
        server.accept()[0] as peer,
        users.Peers() as peers,
    ):
        peers.check_available()
        assert peers._kernel is not None
        # Left unread, as after a question whose answer was not awaited: nothing has these ports.
        peers._kernel.send(users._question(12345, ("127.0.0.1", 1), ("127.0.0.1", 2)))
        found = peers.visitor(peer.getsockname(), client.getsockname())
        assert found == users.Visitor(f"user {os.geteuid()}", None)
        assert client.getpeername() == peer.getsockname()


# -- tokens -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [AGENT, EXEC], ids=["agent", "run --exec"])
def test_commands_are_run_only_for_clients_with_the_token_that_was_made(
    start: Start, command: tuple[str, ...]
) -> None:
    endpoint = ready(start(*command))
    port = port_of(endpoint["url"])

    assert execute(port, "echo ran")[0] == 401
    assert execute(port, "echo ran", "guess")[0] == 401
    status, said = execute(port, "echo ran", endpoint["token"])
    assert (status, json.loads(said)["stdout"]) == (200, "ran\n")


def test_a_made_token_is_printed_for_people_too(start: Start) -> None:
    process = start("agent", "--bind", "127.0.0.1", "--port", "0")
    assert process.stdout is not None
    url = process.stdout.readline().split()[2]
    process.terminate()
    _, said = process.communicate(timeout=20)
    (token,) = [line.split()[1] for line in said.splitlines() if line.startswith("token ")]
    assert url.startswith("http://127.0.0.1:")
    assert len(token) >= 32


def test_an_agent_without_token_warns_at_each_start(start: Start) -> None:
    process = start(*AGENT, "--no-token", DESKHAND_TOKEN="ignored")
    endpoint = ready(process)
    assert "token" not in endpoint
    assert execute(port_of(endpoint["url"]), "echo ran")[0] == 200
    process.terminate()
    assert "warning: --no-token" in process.communicate(timeout=20)[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--agent", "0", "--exec", "--no-token", "--", "true"),
        ("agent", "--no-token", "--token", "x"),
        ("agent", "--token", "x", "--token-file", "/dev/null"),
        ("agent", "--token-file", "/dev/null"),
        ("agent", "--token-file", "/no/such/file"),
        ("tree", "--agent", "127.0.0.1:1", "--token-file", "/no/such/file"),
    ],
)
def test_contradictions_about_tokens_are_wrong_use(start: Start, arguments: tuple[str, ...]) -> None:
    assert start(*arguments).wait(30) == 2


@pytest.mark.parametrize("source", ["--token", "--token=", "--token-file", "DESKHAND_TOKEN"])
def test_a_token_is_not_in_the_list_of_processes_and_commands_do_not_inherit_it(
    start: Start, tmp_path: Path, source: str
) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret-s3cret\n")
    file.chmod(0o600)
    options = {
        "--token": ["--token", "s3cret-s3cret"],
        "--token=": ["--token=s3cret-s3cret"],
        "--token-file": ["--token-file", str(file)],
    }.get(source, [])
    variables = {source: "s3cret-s3cret"} if source == "DESKHAND_TOKEN" else {}
    process = start(*AGENT, *options, **variables)
    endpoint = ready(process)
    shown = Path(f"/proc/{process.pid}/cmdline").read_text()
    status, said = execute(port_of(endpoint["url"]), "env; echo done", "s3cret-s3cret")

    assert "s3cret" not in shown
    assert shown.split("\0")[3:8] == list(AGENT[:5]), "the rest of the command line is still shown"
    assert status == 200
    assert json.loads(said)["stdout"].endswith("done\n")
    assert "s3cret" not in said


def test_a_launched_program_does_not_inherit_the_token(start: Start, tmp_path: Path) -> None:
    script = f"env > {tmp_path}/env; exec {sys.executable} {FORM}"
    command = ("run", "--headless", "--shared-tmp", "--agent", "0", "--json", "--", "sh", "-c", script)
    endpoint = ready(start(*command, DESKHAND_TOKEN="s3cret-s3cret"))

    assert endpoint["token"] == "s3cret-s3cret"
    assert "s3cret" not in (tmp_path / "env").read_text()


def test_the_client_names_the_options_for_a_token(start: Start) -> None:
    endpoint = ready(start(*AGENT))
    client = start("exec", "--agent", endpoint["url"].removeprefix("http://"), "--", "true")
    _, said = client.communicate(timeout=30)
    assert client.returncode == 4
    assert "DESKHAND_TOKEN" in said
    assert "--token-file" in said


def test_a_token_file_that_others_can_read_is_warned_about(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret\n")
    file.chmod(0o644)
    process = start(*AGENT, "--token-file", str(file))
    assert ready(process)["token"] == "s3cret"
    process.terminate()
    assert "other users can read the token" in process.communicate(timeout=20)[1]
