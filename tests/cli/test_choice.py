"""Which app a command works on, and how errors are reported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deskhand.cli.exits import CODES, code_of
from deskhand.model import errors
from deskhand.processes import registry
from tests.cli.conftest import Deskhand
from tests.client.foreign_orca import served, slicer
from tests.client.greeter import Greeter
from tests.client.test_foreign import Foreign


def test_without_an_app_the_error_says_how_to_start_one(deskhand: Deskhand) -> None:
    done = deskhand("tree")

    assert done.exit_code == 3
    assert done.stderr.startswith("error: no app runs that deskhand can drive\n")
    assert "deskhand run" in done.stderr


def test_the_only_app_needs_no_choosing(deskhand: Deskhand, greeter: Greeter) -> None:
    assert deskhand("get", "#main", "name").stdout == "Greeter\n"


@pytest.fixture
def another(folder: Path) -> registry.AppEntry:
    """A second entry, of a process that runs: our parent."""
    entry = registry.AppEntry("another", os.getppid(), str(folder / "missing"))
    registry.register(entry)
    return entry


def test_with_several_apps_the_error_lists_them(
    deskhand: Deskhand, greeter: Greeter, another: registry.AppEntry
) -> None:
    done = deskhand("tree")

    assert done.exit_code == 5
    assert f"greeter (pid {os.getpid()})" in done.stderr
    assert f"another (pid {another.pid})" in done.stderr


@pytest.mark.parametrize("place", ["before", "after", "variable"])
def test_an_app_is_chosen_by_name_before_or_after_the_command(
    deskhand: Deskhand,
    greeter: Greeter,
    another: registry.AppEntry,
    place: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if place == "variable":
        monkeypatch.setenv("DESKHAND_APP", "greeter")
    before = ["--app", "greeter"] if place == "before" else []
    after = ["--app", "greeter"] if place == "after" else []

    assert deskhand(*before, "get", "#main", "name", *after).stdout == "Greeter\n"


def test_an_app_is_chosen_by_pid_or_address(
    deskhand: Deskhand, greeter: Greeter, another: registry.AppEntry, folder: Path
) -> None:
    assert deskhand("--pid", str(os.getpid()), "get", "#main", "name").stdout == "Greeter\n"
    assert deskhand("--gip", str(folder / "control"), "get", "#main", "name").stdout == "Greeter\n"


def test_an_option_after_the_command_wins(
    deskhand: Deskhand, greeter: Greeter, another: registry.AppEntry
) -> None:
    assert deskhand("--app", "another", "get", "#main", "name", "--pid", str(os.getpid())).exit_code == 0


def test_two_ways_to_choose_are_one_too_many(deskhand: Deskhand, greeter: Greeter) -> None:
    assert deskhand("tree", "--app", "greeter", "--pid", "1").exit_code == 2


def test_an_unknown_name_lists_the_known_ones(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("--app", "greter", "tree")

    assert done.exit_code == 3
    assert "greeter" in done.stderr


def test_an_app_that_does_not_listen_is_not_found(deskhand: Deskhand, another: registry.AppEntry) -> None:
    assert deskhand("tree").exit_code == 3


def test_apps_are_listed(deskhand: Deskhand, greeter: Greeter) -> None:
    assert "greeter" in deskhand("apps").stdout
    (app,) = json.loads(deskhand("apps", "--json").stdout)["apps"]
    assert app["name"] == "greeter"
    assert app["pid"] == os.getpid()


def test_no_apps_is_not_an_error(deskhand: Deskhand) -> None:
    done = deskhand("apps")

    assert done.exit_code == 0
    assert "deskhand run" in done.stdout
    assert json.loads(deskhand("apps", "--json").stdout) == {"apps": []}


def test_with_json_an_error_is_the_only_thing_on_stdout(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("click", "#greetin", "--timeout", "0", "--json")

    assert done.exit_code == 3
    assert done.stderr == ""
    error = json.loads(done.stdout)["error"]
    assert error["kind"] == "not_found"
    assert error["near"][0] == "#greeting"


def test_wrong_use_is_reported_as_json_too(deskhand: Deskhand) -> None:
    done = deskhand("tree", "--deep", "--json")

    assert done.exit_code == 2
    assert json.loads(done.stdout)["error"]["kind"] == "usage"


def test_every_kind_of_error_has_an_exit_code() -> None:
    assert set(CODES) <= set(errors.ERRORS)
    told = {kind: code_of(error("x")) for kind, error in errors.ERRORS.items()}
    assert set(told.values()) == {1, 2, 3, 4, 5, 7}
    assert told["stale"] == told["no_windows"] == 3
    assert told["selector"] == told["invalid_key"] == 2
    assert told["app_gone"] == told["action_failed"] == told["not_enabled"] == 1


@pytest.mark.parametrize("name", ["bench"])
def test_what_is_not_in_this_version_says_so(deskhand: Deskhand, name: str) -> None:
    done = deskhand(name, "--port", "1", "argument")

    assert done.exit_code == 2
    assert "not in this version" in done.stderr
    assert json.loads(deskhand(name, "--json").stdout)["error"]["kind"] == "usage"
    assert name not in [line.split()[0] for line in deskhand("--help").stdout.splitlines() if line.split()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(deskhand: Deskhand, shell: str) -> None:
    done = deskhand("completion", shell)

    assert done.exit_code == 0
    assert "_DESKHAND_COMPLETE" in done.stdout


def test_completion_offers_commands_and_running_apps(deskhand: Deskhand, greeter: Greeter) -> None:
    assert {"tree", "tree-item"} & set(complete("deskhand tr")) == {"tree"}
    assert "greeter" in complete("deskhand --app gr")


def complete(line: str) -> list[str]:
    """What the completion script would be answered."""
    words = line.split(" ")
    env = {
        **os.environ,
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_DESKHAND_COMPLETE": "bash_complete",
    }
    program = [sys.executable, "-c", "from deskhand.cli import main; main()"]
    done = subprocess.run(program, env=env, capture_output=True, text=True, check=True, timeout=30)
    return [entry.partition(",")[2] for entry in done.stdout.splitlines()]


def test_the_version_is_reported(deskhand: Deskhand) -> None:
    assert deskhand("--version").stdout == "deskhand 0.1.0\n"


def test_every_command_has_help_with_an_example(deskhand: Deskhand) -> None:
    from deskhand.cli.main import commands

    for name, command in commands.commands.items():
        if not command.hidden:
            assert f"deskhand {name}" in str(command.help), name


@pytest.mark.parametrize("kind", ["newer", "older"])
def test_a_program_behind_a_foreign_gip_server_is_driven_by_the_same_commands(
    deskhand: Deskhand, folder: Path, kind: str
) -> None:
    foreign = Foreign(folder / "foreign", kind)
    target = str(folder / "foreign")
    try:
        assert 'button "Greet"  #greet' in deskhand("tree", "--gip", target).stdout
        assert deskhand("--gip", target, "type", "#field", "Ada").exit_code == 0
        assert deskhand("--gip", target, "click", 'button[name="Greet"]').exit_code == 0
        assert deskhand("--gip", target, "wait", "#label", "--text", "Hello, Ada!").exit_code == 0
        assert deskhand("--gip", target, "screenshot").exit_code == 1
    finally:
        foreign.close()
    assert foreign.text == "Ada"


def test_a_program_that_speaks_orca_is_chosen_by_its_port(deskhand: Deskhand) -> None:
    orca = slicer()
    with served(orca) as port:
        assert deskhand("--orca", str(port), "get", "#btn_slice", "name").stdout == "Slice plate\n"
        assert deskhand("click", "#btn_slice", "--orca", f"127.0.0.1:{port}").exit_code == 0
        assert deskhand("--orca", str(port), "wait", "#btn_export", "enabled").exit_code == 0
        assert deskhand("--orca", str(port), "hover", "#btn_slice").exit_code == 1
        assert "Preferences" in deskhand("--orca", str(port), "windows").stdout
    assert orca.done == [("click", ("btn_slice", {}))]
    assert deskhand("--orca", str(port), "tree").exit_code == 3
    assert deskhand("--orca", "no port", "tree").exit_code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--gip", "ftp://x", "tree"), "is not an address"),
        (("key", "ctrl+nothing"), "no key named 'nothing'"),
    ],
)
def test_what_can_never_be_is_wrong_use_before_an_app_is_looked_for(
    deskhand: Deskhand, folder: Path, words: tuple[str, ...], said: str
) -> None:
    done = deskhand(*words)
    assert done.exit_code == 2
    assert said in done.stderr
