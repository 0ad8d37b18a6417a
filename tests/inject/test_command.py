"""A command is changed only where the hook would not get in otherwise."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from deskhand.inject.command import ISOLATED, SITE, clean, instrumented
from deskhand.model.errors import LaunchFailed

THROUGH = str(ISOLATED)


@pytest.mark.parametrize(
    "argv",
    [
        ["python", "app.py", "-I"],
        ["python3.12", "-m", "shop", "-E"],
        ["python", "-c", "print(1)", "-S"],
        ["python", "-mIES"],
        ["python", "-X", "dev", "-W", "I", "app.py"],
        ["python", "-u"],
        ["/bin/sh", "-c", "python -I app.py"],
        ["pythonic", "-I", "app.py"],
        ["env", "A=1", "python", "app.py"],
    ],
)
def test_a_command_that_the_hook_gets_into_stays_as_it_is(argv: list[str]):
    assert instrumented(argv, {}, {}).argv == tuple(argv)


@pytest.mark.parametrize(
    ("argv", "rewritten"),
    [
        (["python", "-I", "app.py", "-x"], ["python", "-I", THROUGH, "app.py", "-x"]),
        (["/opt/python3.12", "-uE", "app.py"], ["/opt/python3.12", "-uE", THROUGH, "app.py"]),
        (["python", "-I", "-m", "shop", "x"], ["python", "-I", THROUGH, "-m", "shop", "x"]),
        (["python", "-Im", "shop"], ["python", "-I", THROUGH, "-m", "shop"]),
        (["python", "-S", "-cprint(1)"], ["python", "-S", THROUGH, "-c", "print(1)"]),
        (["python", "-X", "dev", "-IWerror", "a"], ["python", "-X", "dev", "-IWerror", THROUGH, "a"]),
        (["python", "--check-hash-based-pycs", "always", "-I", "a"],
         ["python", "--check-hash-based-pycs", "always", "-I", THROUGH, "a"]),
        (["/usr/bin/env", "A=1", "python", "-I", "a"], ["/usr/bin/env", "A=1", "python", "-I", THROUGH, "a"]),
    ],
)  # fmt: skip
def test_an_interpreter_that_would_not_see_the_hook_is_led_to_it(argv: list[str], rewritten: list[str]):
    assert instrumented(argv, {}, {}).argv == tuple(rewritten)


def test_a_program_from_standard_input_that_cannot_be_reached_is_refused():
    with pytest.raises(LaunchFailed, match="standard input"):
        instrumented(["python", "-I", "-"], {}, {})


def test_a_script_with_plain_first_line_stays_as_it_is(tmp_path: Path):
    script = tmp_path / "shop"
    script.write_text("#!/usr/bin/python3 -u\n")
    script.chmod(0o755)
    assert instrumented([str(script)], {"PATH": ""}, {}).argv == (str(script),)


def test_the_programs_own_python_path_comes_after_ours():
    env = instrumented(["python"], {"PYTHONPATH": "/a:/b", "LANG": "C"}, {"control": "/x"}).env
    assert env["PYTHONPATH"] == f"{SITE}{os.pathsep}/a:/b"
    assert env["LANG"] == "C"
    assert json.loads(env["DESKHAND_AGENT"])["control"] == "/x"


def test_without_a_python_path_the_current_folder_does_not_slip_in():
    assert instrumented(["python"], {"PYTHONPATH": ""}, {}).env["PYTHONPATH"] == str(SITE)


@pytest.mark.parametrize("env", [{"LANG": "C"}, {"PYTHONPATH": "/a:/b"}])
def test_an_environment_can_be_cleaned_of_us(env: dict[str, str]):
    assert clean(instrumented(["python"], env, {}).env) == env


def test_no_command_is_refused():
    with pytest.raises(LaunchFailed, match="no command"):
        instrumented([], {}, {})
