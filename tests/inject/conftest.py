"""An interpreter that has the Qt bindings and nothing else, and a stand-in for our package in the program."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deskhand.inject.command import instrumented

BINDINGS = ("PySide6", "PyQt6")

FAKE_HOST = """
import json, socket, sys
def start_agent(settings, binding):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        said = {"binding": binding, "argv": sys.argv, "path": sys.path, "settings": settings}
        channel.sendto(json.dumps(said).encode(), settings["report"])
    from importlib import import_module
    import_module(binding + ".QtCore").QCoreApplication.quit()
"""

PROGRAM = """
import sys
from {binding}.QtWidgets import QApplication, QLabel
app = QApplication(sys.argv)
label = QLabel("Hello")
label.show()
sys.exit(app.exec())
"""


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment's interpreter, with the bindings and nothing of ours."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run(
        [sys._base_executable, "-m", "venv", "--without-pip", str(folder)],
        check=True,
        env=plain_environment(),
    )
    packages = next(folder.glob("lib/python*/site-packages"))
    for name in ("PySide6", "shiboken6", "PyQt6"):
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        packages.joinpath(name).symlink_to(Path(spec.origin).parent)
    return folder / "bin" / "python"


def plain_environment(**more: str) -> dict[str, str]:
    """Ours, without what leads Python to our packages, on a screen that is not there."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DESKHAND"))}
    return {**env, "QT_QPA_PLATFORM": "offscreen", **more}


class Outside:
    """What would be the launcher: starts programs with the hook, and hears what the stand-in says."""

    def __init__(self, folder: Path, socket_folder: Path) -> None:
        self.folder = folder
        package = folder / "package" / "deskhand"
        inner = package / "in_app"
        inner.mkdir(parents=True)
        package.joinpath("__init__.py").touch()
        inner.joinpath("__init__.py").touch()
        inner.joinpath("host.py").write_text(FAKE_HOST)
        package.with_name("click").mkdir()
        self.report = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.report.bind(str(socket_folder / "report"))
        self.report.settimeout(20)
        self.settings = {"package": str(package.parent), "report": str(socket_folder / "report")}

    def run(
        self,
        *argv: str | Path,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        command = instrumented([str(part) for part in argv], plain_environment(**(env or {})), self.settings)
        done = subprocess.run(
            command.argv, env=dict(command.env), cwd=cwd, capture_output=True, text=True, timeout=60
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    def heard(self) -> SimpleNamespace:
        """What a program with the hook in it said."""
        return SimpleNamespace(**json.loads(self.report.recv(1 << 16)))

    def silent(self) -> bool:
        """Whether no program with the hook in it said anything."""
        self.report.setblocking(False)
        try:
            self.report.recv(1 << 16)
        except BlockingIOError:
            return True
        finally:
            self.report.settimeout(20)
        return False

    def program(self, text: str, name: str = "program.py", **values: Any) -> Path:
        path = self.folder / name
        path.write_text(text.format(**values) if values else text)
        return path


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    # The path of a socket has a limit, which pytest's folders can exceed.
    with tempfile.TemporaryDirectory(prefix="dh.") as short:
        outside = Outside(tmp_path, Path(short))
        yield outside
        outside.report.close()


def script(folder: Path, text: str, name: str, mode: int = 0o755) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(mode)
    return path
