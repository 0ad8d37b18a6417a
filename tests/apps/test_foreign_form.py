"""A Qt program of another project (pyqtgraph's example browser), driven unchanged, in both bindings.

Its own label shows which example it loaded, so the program itself says what happened.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deskhand import Desktop, expect, launch

COMMAND = [sys.executable, "-m", "pyqtgraph.examples"]
DESKHAND = str(Path(sys.executable).with_name("deskhand"))


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


@pytest.fixture(params=["PySide6", "PyQt6"])
def env(request: pytest.FixtureRequest, desktop: Desktop) -> dict[str, str]:
    return {**desktop.env, "PYQTGRAPH_QT_LIB": request.param}


def test_the_library_drives_it(env: dict[str, str]) -> None:
    with launch(COMMAND, env=env) as app:
        assert app.title() == "PyQtGraph Examples"
        app.get_by_placeholder("Type to filter...").fill("Scatter")
        item = app.locator('tree-item[name="GraphicsItems"] >> tree-item[name="Scatter Plot"]')
        expect(item).to_be_visible()
        item.click()
        expect(app.locator("#loadedFileLabel")).to_contain_text("ScatterPlot.py")
        app.locator("#searchFiles").select_option(text="Content Search")
        expect(app.locator("#searchFiles")).to_have_value("Content Search")


def test_the_command_line_drives_it(env: dict[str, str], tmp_path: Path) -> None:
    registry = {**env, "DESKHAND_RUNTIME_DIR": str(tmp_path)}

    def deskhand(*words: str) -> str:
        done = subprocess.run([DESKHAND, *words], env=registry, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with running(["--"], registry) as ready:
        assert ready() == "ready\n"
        deskhand("type", "#exampleFilter", "Legend")
        deskhand("click", 'tree-item[name="LegendItem"]')
        deskhand("wait", "#loadedFileLabel", "--contains", "Legend.py")
        assert "exampleFilter" in deskhand("tree")
        (found,) = json.loads(deskhand("find", "#exampleFilter", "--json"))["nodes"]
        assert found["value"] == "Legend"


def test_raw_gip_drives_it(env: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "gip"
    with running(["--gip", str(path), "--"], env) as ready:
        assert ready() == f"ready gip unix:{path}\n"
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(os.fspath(path))
            lines = client.makefile("rwb")

            def call(method: str, **params: object) -> object:
                request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                lines.write(json.dumps(request).encode() + b"\n")
                lines.flush()
                reply = json.loads(lines.readline())
                assert "error" not in reply, reply
                return reply["result"]

            assert call("type", ref="root/exampleFilter", text="Hist", clear=True) == {"success": True}
            call("select", ref="root/searchFiles", index=1)
            nodes = {node["objectName"]: node for node in walk(call("snapshot"))}
            assert nodes["exampleFilter"]["properties"]["text"] == "Hist"
            assert nodes["searchFiles"]["properties"]["currentText"] == "Content Search"


@contextmanager
def running(options: list[str], env: dict[str, str]) -> Iterator[Callable[[], str]]:
    """`deskhand run` with the program; gives how to read its next line."""
    words = [DESKHAND, "run", *options, *COMMAND]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        try:
            yield run.stdout.readline
        finally:
            run.terminate()


def walk(node: object) -> Iterator[dict[str, dict[str, object]]]:
    assert isinstance(node, dict)
    yield node
    for child in node["children"]:
        yield from walk(child)
