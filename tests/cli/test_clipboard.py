"""`deskhand clipboard`, judged by what an editor copies and by the file that it saves what it pasted to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from deskhand import Desktop
from deskhand.processes import registry
from tests.cli.conftest import Deskhand
from tests.client.greeter import Greeter
from tests.traces import until, until_nothing

COMMAND = str(Path(sys.executable).with_name("deskhand"))


@pytest.mark.programs
def test_an_editor_pastes_what_the_command_set_after_the_command_has_ended(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("copied ✓")
    with Desktop() as desktop:
        env = {**os.environ, **desktop.env, registry.VARIABLE: str(desktop.folder / "registry")}
        env.pop("DESKHAND_APP", None)

        def deskhand(*arguments: str, stdin: bytes = b"not read") -> str:
            command = [COMMAND, *arguments, "--app", "mousepad", "--timeout", "20"]
            done = subprocess.run(command, env=env, input=stdin, capture_output=True, timeout=120)
            assert done.returncode == 0, done.stderr
            return done.stdout.decode()

        desktop.spawn(["mousepad", str(notes)], stdout="null", stderr="null")
        deskhand("wait", "textarea:visible")
        assert deskhand("clipboard") == "\n"
        deskhand("key", "textarea", "ctrl+a")
        deskhand("key", "textarea", "ctrl+c")
        until(lambda: deskhand("clipboard") == "copied ✓\n")
        assert json.loads(deskhand("clipboard", "--json")) == {"text": "copied ✓"}

        assert deskhand("clipboard", "set é") == "set the clipboard\n"
        first = _holders(desktop)
        assert len(first) == 1
        assert deskhand("clipboard", "-", "--json", stdin=b"piped \xe2\x9c\x93\n") == "{}\n"
        until_nothing(lambda: first & _holders(desktop))
        deskhand("key", "textarea", "ctrl+v")
        deskhand("key", "textarea", "ctrl+s")
        until(lambda: notes.read_text().rstrip("\n") == "piped ✓")
    until_nothing(lambda: _holders(desktop))


def test_clipboard_of_an_app_that_has_none_fails(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("clipboard", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["error"]["kind"] == "action_unsupported"
    assert "no clipboard" in deskhand("clipboard", "Ada").stderr


def test_clipboard_refuses_input_that_is_not_utf8(folder: Path) -> None:
    for arguments, stdin in ((["-"], b"\xff"), ([b"\xff"], b"")):
        done = subprocess.run([COMMAND, "clipboard", *arguments], input=stdin, capture_output=True)
        assert done.returncode == 2, done.stderr
        assert b"UTF-8" in done.stderr


def _holders(desktop: Desktop) -> set[int]:
    """The processes in the background that hold a text on a desktop."""
    display = f"\0DISPLAY={desktop.env['DISPLAY']}\0".encode()
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            started = b"deskhand.adapters.clipboard" in (process / "cmdline").read_bytes()
            if started and display in b"\0" + (process / "environ").read_bytes():
                found.add(int(process.name))
    return found
