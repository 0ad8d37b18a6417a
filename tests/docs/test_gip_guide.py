"""The examples of the GIP guide work against the app of the first lesson."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/guides/use-any-language.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```(?:python|js) (\S+)\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL))
CURLS = re.findall(r"^curl (\S+) --json '(.*)'$", GUIDE, re.MULTILINE)
ADDRESS = "http://127.0.0.1:8551/"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[dict[str, str], str]]:
    """The environment in which the app is served, and the address that stands for the guide's."""
    lesson = (ROOT / "docs/start/README.md").read_text(encoding="utf-8")
    app = re.search(r"^```python app.py\n(.*?)^```", lesson, re.MULTILINE | re.DOTALL)
    assert app
    (tmp_path / "app.py").write_text(app[1], encoding="utf-8")
    env = {**os.environ, "TMPDIR": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    words = ("run", "--gip", "greeter", "--gip", "http://127.0.0.1:0/", "--", sys.executable, "app.py")
    command = [sys.executable, "-c", "from deskhand.cli import main; main()", *words]
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        lines = list(iter(run.stdout.readline, "ready\n"))
        yield env, lines[-1].split()[2]
        run.terminate()


def test_the_requests_for_curl_greet(served: tuple[dict[str, str], str]) -> None:
    replies: list[dict[str, Any]] = []
    for address, body in CURLS:
        assert address == ADDRESS
        headers = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(served[1], body.encode(), headers)) as reply:
            replies.append(json.load(reply))

    assert ["result" in reply for reply in replies] == [True] * 4
    assert replies[-1]["result"]["node"]["text"] == "Hello, Ada!"


def test_the_program_in_python_greets(served: tuple[dict[str, str], str]) -> None:
    out = run(served, sys.executable, "-I", "-S", "-c", FILES["greet.py"])

    assert out.splitlines()[-1] == "Hello, Ada!"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node, which set-up does not install")
def test_the_program_in_node_greets(served: tuple[dict[str, str], str]) -> None:
    program = FILES["greet.mjs"].replace(ADDRESS, served[1])

    assert run(served, "node", "--input-type=module", "-e", program) == "Hello, Grace!\n"


def run(served: tuple[dict[str, str], str], *command: str) -> str:
    done = subprocess.run(command, env=served[0], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
