"""What a command starts is known before it is started, from its files alone."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from deskhand.inject import elf, recognise
from deskhand.inject.recognise import Program

PATH = {"PATH": "/usr/bin:/bin"}


def known(*command: str) -> Program:
    return recognise.recognise(command, PATH)


@pytest.mark.programs
@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("kcalc", "a Qt 5 program"),
        ("qt6ct", "a Qt 6 program"),
        ("galculator", "a GTK 3 program"),
        ("gnome-calculator", "a GTK 4 program"),
        ("filezilla", "a wxWidgets program"),
        ("/usr/bin/python3 app.py", "a Python program"),
        ("env LANG=C kcalc", "a Qt 5 program"),
        ("idle", "a Python program"),
        ("wish app.tcl", "a Tcl program"),
        ("java -jar app.jar", "a Java program"),
        ("chromium http://127.0.0.1", "a Chromium browser"),
        ("sh -c kcalc", "a program that is linked with no toolkit"),
        ("no-such-program", "a program that was not found"),
    ],
)
def test_a_program_is_recognised(command: str, what: str) -> None:
    assert known(*command.split()).what == what


@pytest.mark.programs
def test_a_program_of_a_toolkit_that_is_entered_gets_an_agent_and_a_set_uid_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert known("kcalc") == Program("a Qt 5 program", native=True)
    copy = tmp_path / "kcalc"
    shutil.copy("/usr/bin/kcalc", copy)
    copy.chmod(0o4755)
    monkeypatch.setattr(os, "getuid", lambda: copy.stat().st_uid + 1)
    refused = known(str(copy))
    assert (refused.inside, refused.native) == (False, False)
    assert refused.reason is not None
    assert refused.reason.startswith(f"it is set to run as user {copy.stat().st_uid} (set-uid)")


def test_a_statically_linked_program_is_recognised(tmp_path: Path) -> None:
    source, program = tmp_path / "static.c", tmp_path / "static"
    source.write_text("int main(void) { return 0; }")
    subprocess.run(["gcc", "-static", "-o", str(program), str(source)], check=True)
    found = known(str(program))
    assert found.reason == "it is statically linked, so no library can be loaded into it"
    assert not found.inside


def test_a_32_bit_program_is_recognised(tmp_path: Path) -> None:
    program = tmp_path / "small"
    interpreter = struct.pack("<8I", 3, 0, 0, 0, 0, 0, 4, 1)
    header = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHH", 2, 3, 1, 0, 52, 0, 0, 52, 32, 1)
    program.write_bytes((header + bytes(6) + interpreter).ljust(128, b"\0"))
    program.chmod(0o755)
    ours = elf.read(sys.executable)
    assert ours is not None
    assert known(str(program)).reason == f"it is a 32-bit program, and the agent has {ours.bits} bits"


@pytest.mark.parametrize("cut", [4, 20, 60, 100, 700])
def test_a_broken_file_has_no_toolkit(tmp_path: Path, cut: int) -> None:
    program = tmp_path / "broken"
    program.write_bytes(Path("/bin/true").read_bytes()[:cut])
    program.chmod(0o755)
    assert known(str(program)).what in ("a script", "a program that is linked with no toolkit")


def test_libraries_are_those_that_the_dynamic_linker_loads() -> None:
    image = elf.read("/bin/ls")
    assert image is not None
    listed = subprocess.run(["ldd", "/bin/ls"], capture_output=True, text=True, check=True).stdout
    expected = {
        line.split()[0]: os.path.realpath(line.split()[2]) for line in listed.splitlines() if "=> /" in line
    }
    found = {name: os.path.realpath(path) for name, path in elf.libraries(image).items()}
    assert expected.items() <= found.items()
    assert all(found.values())
