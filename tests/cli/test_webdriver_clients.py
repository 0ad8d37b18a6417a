"""Stock clients of other languages and frameworks, unmodified, in one app of each toolkit after the other.

What was done to a form is judged by the JSON that it prints itself, and a letter by its file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .test_webdriver import FORMS, ORDER, ROOT, Server, said

pytestmark = [
    pytest.mark.programs,
    pytest.mark.timeout(400),
]

CLIENTS = Path(__file__).with_name("clients")
WEBDRIVERIO = ROOT / ".cache/webdriverio/node_modules/webdriverio/build/node.js"
WRITER = ["soffice", "--writer", "--norestore", "--nologo", "--nofirststartwizard"]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server("--slots", "1")
    yield server
    server.close()


def apps(folder: Path) -> list[tuple[str, list[str], str]]:
    """The kind of each app, its command, and the file that has what was done."""
    found = []
    for toolkit, command in FORMS.items():
        (folder / toolkit).mkdir()
        out = folder / toolkit / "out"
        out.touch()  # /tmp of an app is its own, and shows what exists
        found.append((toolkit, ["sh", "-c", f'exec "$0" "$@" > {out}', *command], str(out)))
    return [*found, ("office", WRITER, str(folder / "letter.odt"))]


def check(folder: Path) -> None:
    for toolkit in FORMS:
        events = said(folder / toolkit)
        assert [event for event in events if event in ORDER] == list(ORDER), toolkit
    with zipfile.ZipFile(folder / "letter.odt") as document:
        assert b"Dear Eve" in document.read("content.xml")


def test_webdriver_io_completes_a_task_in_every_toolkit(server: Server, tmp_path: Path) -> None:
    ran = subprocess.run(
        ["node", CLIENTS / "order.mjs", WEBDRIVERIO, server.url, json.dumps(apps(tmp_path))],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    check(tmp_path)


def test_appium_library_of_robot_framework_completes_a_task_in_every_toolkit(
    server: Server, tmp_path: Path
) -> None:
    given = apps(tmp_path)
    variables = tmp_path / "variables.json"
    variables.write_text(
        json.dumps(
            {
                "URL": server.url,
                "COMMANDS": {kind: command for kind, command, _ in given},
                "FILES": {kind: file for kind, _, file in given},
            }
        )
    )
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "robot", "--variablefile", variables, "--outputdir", tmp_path / "robot"),
            *("--exitonfailure", CLIENTS / "order.robot"),
        ],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    check(tmp_path)
