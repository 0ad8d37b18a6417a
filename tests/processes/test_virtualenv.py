"""Which programs run in the caller's virtual environment: its own, and what the caller wrote."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import Desktop, launch
from deskhand.processes import virtualenv

SAY = "import sys; print(sys.prefix, flush=True)"
CALLS_PYTHON = f"#!/bin/sh\nexec python3 -c '{SAY}'\n"
IS_PYTHON = f"#!/usr/bin/env python3\n{SAY}\n"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    """A shell in which a virtual environment was activated."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, symlinks=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIRTUAL_ENV", str(folder))
        patch.setenv("PATH", f"{folder}/bin:/usr/bin:/bin")
        yield patch


@pytest.fixture(scope="module")
def desktop(shell: pytest.MonkeyPatch) -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on PATH whose programs count as the system's."""
    folder = tmp_path / "system"
    folder.mkdir()
    monkeypatch.setattr(virtualenv, "_INSTALLED", (str(folder), "/usr", "/bin"))
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{folder}")
    return folder


def written(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def prefix(desktop: Desktop, folder: Path, *argv: str) -> str:
    """The prefix of the Python that a command runs in on a desktop."""
    output = folder / "output"
    process = desktop.spawn(argv, stdout=output, stderr=output, cwd=folder)
    assert process.wait(60) == 0, output.read_text()
    return output.read_text().strip()


@pytest.mark.parametrize("program", [CALLS_PYTHON, IS_PYTHON])
def test_an_installed_script_runs_with_the_python_of_the_system(
    desktop: Desktop, installed: Path, program: str
) -> None:
    script = written(installed / "glade", program)
    assert prefix(desktop, installed, script) == "/usr"


@pytest.mark.programs
def test_launch_runs_an_installed_script_with_the_python_of_the_system(
    shell: pytest.MonkeyPatch, installed: Path
) -> None:
    said = installed / "said"
    script = f"#!/bin/sh\npython3 -c '{SAY}' >{said}\nexec zenity --info --text=hello\n"
    with launch([written(installed / "glade", script)], headless=True):
        assert said.read_text().strip() == "/usr"


@pytest.mark.parametrize(
    "argv",
    [
        ("python", "-c", SAY),
        ("python3", "-c", SAY),
        ("sh", "-c", f"python3 -c '{SAY}'"),
        ("env", "A=b", "python3", "-c", SAY),
        ("nice", "python3", "-c", SAY),
    ],
)
def test_a_command_that_names_a_python_of_the_virtual_environment_runs_in_it(
    desktop: Desktop, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    assert prefix(desktop, tmp_path, *argv) == os.environ["VIRTUAL_ENV"]


@pytest.mark.parametrize("program", [CALLS_PYTHON, IS_PYTHON])
def test_a_script_of_the_project_runs_in_the_virtual_environment(
    desktop: Desktop, tmp_path: Path, program: str
) -> None:
    assert prefix(desktop, tmp_path, written(tmp_path / "app", program)) == os.environ["VIRTUAL_ENV"]


def test_an_installed_script_that_is_to_run_a_program_of_the_environment_keeps_it(
    desktop: Desktop, installed: Path
) -> None:
    script = written(installed / "wrapper", '#!/bin/sh\nexec "$@"\n')
    assert prefix(desktop, installed, script, "python", "-c", SAY) == os.environ["VIRTUAL_ENV"]


def test_a_path_that_the_caller_gives_for_the_command_is_kept(desktop: Desktop, installed: Path) -> None:
    script = written(installed / "glade", CALLS_PYTHON)
    env = {**os.environ, "PATH": f"{os.environ['VIRTUAL_ENV']}/bin:/usr/bin"}
    assert virtualenv.for_command([script], env, {"PATH": env["PATH"]}) == env


def test_a_program_of_the_menu_runs_without_the_virtual_environment(
    shell: pytest.MonkeyPatch, installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "applications").mkdir()
    (tmp_path / "applications" / "painter.desktop").write_text(
        "[Desktop Entry]\nExec=env MENU=1 painter-2.10 %U\n"
    )
    (installed / "painter-2.10").symlink_to("/usr/bin/true")
    (installed / "painter").symlink_to("painter-2.10")
    (installed / "runner").symlink_to("/usr/bin/true")
    env = {**os.environ, "XDG_DATA_DIRS": str(tmp_path), "PYTHONHOME": os.environ["VIRTUAL_ENV"]}
    found = virtualenv.for_command(["painter-2.10"], env)
    assert os.environ["VIRTUAL_ENV"] not in found["PATH"]
    assert not {"VIRTUAL_ENV", "PYTHONHOME"} & found.keys()
    assert virtualenv.for_command(["runner"], env) == env
    assert virtualenv.for_command(["env", "A=b", "runner"], env) == env


def test_what_the_session_bus_starts_has_no_virtual_environment(desktop: Desktop) -> None:
    ask = "dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / "
    ask += "org.freedesktop.DBus.GetConnectionUnixProcessID string:org.a11y.Bus"
    answer = subprocess.run(ask.split(), env=desktop.env, capture_output=True, text=True, check=True)
    variables = Path("/proc", answer.stdout.split()[-1], "environ").read_bytes().split(b"\0")
    assert not [each for each in variables if os.environ["VIRTUAL_ENV"].encode() in each]


def test_the_environment_of_the_python_that_runs_us_counts_although_none_was_activated(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV")
    assert sys.prefix != sys.base_prefix, "the tests run in a virtual environment"
    env = {"PATH": f"{sys.prefix}/bin:/usr/bin"}
    script = written(installed / "glade", IS_PYTHON)
    assert virtualenv.for_command([script], env) == {"PATH": "/usr/bin"}
    assert virtualenv.for_command(["python", "app.py"], env) == env
