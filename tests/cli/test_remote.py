"""Commands for another machine, through an agent of another make."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Deskhand
from tests.client.foreign_agent import ForeignAgent, served
from tests.client.test_agent import desktop, free_port


@pytest.fixture
def agent() -> ForeignAgent:
    return ForeignAgent(desktop())


@pytest.fixture
def host(agent: ForeignAgent, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.delenv("DESKHAND_HOST", raising=False)
    monkeypatch.delenv("DESKHAND_TOKEN", raising=False)
    with served(agent) as address:
        yield address.removeprefix("agent://")


@pytest.mark.parametrize("place", ["before", "after", "variable", "as an address"])
def test_a_desktop_is_chosen_by_its_agent(
    deskhand: Deskhand, host: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ["--agent", host] if place == "before" else []
    after = {"after": ["--agent", host], "as an address": ["--agent", f"agent://{host}"]}.get(place, [])
    if place == "variable":
        monkeypatch.setenv("DESKHAND_HOST", host)

    done = deskhand(*before, "tree", *after)

    assert done.exit_code == 0, done.stderr
    assert 'window "Order form"' in done.stdout
    assert 'textfield "Name"' in done.stdout


def test_an_app_that_is_named_is_not_on_the_host_of_the_environment(
    deskhand: Deskhand, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_HOST", host)

    assert deskhand("tree", "--app", "missing").exit_code == 3
    assert deskhand("tree", "--agent", host, "--pid", "1").exit_code == 2


def test_its_desktop_is_looked_at_and_operated(deskhand: Deskhand, host: str, agent: ForeignAgent) -> None:
    at = ("--agent", host)
    assert deskhand(*at, "type", "#name", "Ada").exit_code == 0
    assert deskhand(*at, "get", "#name", "value").stdout == "Ada\n"
    assert deskhand(*at, "set", "#name", "Grace").exit_code == 0
    assert deskhand(*at, "focus", "#name").exit_code == 0
    assert deskhand(*at, "click", 'button[name="Greet all"]').exit_code == 0
    assert deskhand(*at, "wait", "#greeting", "--text", "Greet all!").exit_code == 0
    assert deskhand(*at, "select", 'list[name="Sizes"]', "M").exit_code == 0
    assert "Question" in deskhand(*at, "windows").stdout
    assert deskhand(*at, "window", "resize", "300x200", "dialog").exit_code == 0
    assert agent.windows[1].at[2:] == (300, 200)
    assert deskhand(*at, "screenshot").exit_code == 1
    assert deskhand(*at, "find", "slider").exit_code == 0
    assert deskhand(*at, "find", "video").exit_code == 3


def test_its_apps_are_listed(deskhand: Deskhand, host: str) -> None:
    assert "Editor" in deskhand("apps", "--agent", host).stdout
    (app,) = json.loads(deskhand("--agent", host, "apps", "--json").stdout)["apps"]
    assert app["name"] == "Editor"
    assert app["reached"] == f"agent at {host}"


# -- exec ------------------------------------------------------------------------------------------


def test_a_command_shows_what_it_writes_and_ends_with_its_code(deskhand: Deskhand, host: str) -> None:
    done = deskhand("exec", "--agent", host, "echo out; echo err >&2; exit 9")

    assert (done.exit_code, done.stdout, done.stderr) == (9, "out", "err")


def test_several_words_arrive_as_they_are(deskhand: Deskhand, host: str) -> None:
    words = ("printf", "%s|", "two words", "$HOME", "--json", "*")
    done = deskhand("exec", "--agent", host, "--", *words)

    assert done.stdout == "two words|$HOME|--json|*|"


def test_the_result_of_a_command_is_json(deskhand: Deskhand, host: str) -> None:
    done = deskhand("--json", "--agent", host, "exec", "exit 4")

    assert done.exit_code == 4
    assert json.loads(done.stdout) == {"exit_code": 4, "stdout": "", "stderr": "", "timed_out": False}


@pytest.mark.parametrize("before", [True, False])
def test_a_command_whose_time_is_over_ends_with_seven(deskhand: Deskhand, host: str, before: bool) -> None:
    limit = ("--timeout", "0.2")
    words = (*limit, "exec", "--agent", host) if before else ("exec", *limit, "--agent", host)
    done = deskhand(*words, "sleep 20")

    assert done.exit_code == 7
    assert "0.2 s" in done.stderr


def test_a_detached_command_is_begun(deskhand: Deskhand, host: str, agent: ForeignAgent) -> None:
    assert deskhand("exec", "--agent", host, "--detach", "--", "true").exit_code == 0
    assert agent.acted("/exec")[0]["detach"] is True


def test_without_a_machine_the_error_says_how_to_name_one(
    deskhand: Deskhand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DESKHAND_HOST", raising=False)
    for words in (
        ("exec", "true"),
        ("upload", "a", "b"),
        ("download", "a", "b"),
        ("--gip", "x", "exec", "true"),
    ):
        done = deskhand(*words)
        assert done.exit_code == 2
        assert "--agent HOST" in done.stderr


def test_a_machine_that_does_not_answer_is_not_found(deskhand: Deskhand) -> None:
    done = deskhand("exec", "--agent", f"127.0.0.1:{free_port()}", "true")

    assert done.exit_code == 3
    assert "deskhand agent" in done.stderr


@pytest.mark.parametrize("how", ["option", "variable", "none"])
def test_a_token_is_given_by_option_or_variable(
    deskhand: Deskhand, host: str, agent: ForeignAgent, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.token = "s3cret"
    if how == "variable":
        monkeypatch.setenv("DESKHAND_TOKEN", "s3cret")
    given = ("--token", "s3cret") if how == "option" else ()

    assert deskhand("exec", "--agent", host, *given, "true").exit_code == (4 if how == "none" else 0)


# -- files -----------------------------------------------------------------------------------------


def test_files_go_there_and_come_back(deskhand: Deskhand, host: str, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(bytes(2345))
    done = deskhand("upload", "--agent", host, str(tmp_path / "out"), str(tmp_path / "there"))
    told = deskhand("--agent", host, "download", str(tmp_path / "there"), str(tmp_path / "back"), "--json")

    assert done.exit_code == 0
    assert "(2.3 kB, " in done.stdout
    assert json.loads(told.stdout)["bytes"] == 2345
    assert (tmp_path / "back").read_bytes() == bytes(2345)


def test_a_file_that_cannot_be_carried_is_reported(deskhand: Deskhand, host: str, tmp_path: Path) -> None:
    done = deskhand("upload", "--agent", host, str(tmp_path / "missing"), "/tmp/x")
    assert done.exit_code == 1
    assert "no such file" in done.stderr
    done = deskhand("download", "--agent", host, str(tmp_path / "missing"), str(tmp_path / "x"), "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["error"]["kind"] == "download_failed"


@pytest.mark.parametrize("old", [False, True])
def test_a_long_transfer_shows_how_far_it_is_on_a_terminal(
    host: str, agent: ForeignAgent, old: bool, tmp_path: Path
) -> None:
    """In a process of its own, with a terminal for stderr; every transfer counts as long."""
    agent.old_files = old
    (tmp_path / "data").write_bytes(bytes(5_000_000))
    program = "from deskhand.cli import remote, main\nremote._SHOWN_AFTER = 0\nmain()\n"
    controller, terminal = pty.openpty()
    words = ("download", "--agent", host, str(tmp_path / "data"), str(tmp_path / "back"))
    env = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", program, *words], stdout=subprocess.PIPE, stderr=terminal, env=env
    ) as run:
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(controller, 65536):
                shown += part
        except OSError:
            pass  # the other end is closed
        assert run.wait(30) == 0
        assert run.stdout
        assert b"5.0 MB" in run.stdout.read()
    os.close(controller)

    assert b"download data" in shown
    assert b"5.0 MB" in shown
    assert (b"5.0 MB of 5.0 MB" in shown) is not old
