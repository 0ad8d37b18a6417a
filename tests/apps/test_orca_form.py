"""A client that knows nothing but Orca's document drives the order form in Qt, served inside and outside."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from demo.slicer.tour import free_port
from deskhand.model.operations import ControlWindow
from deskhand.processes import registry
from tests.asking import ask
from tests.wire.orca_shapes import check_response

HERE = Path(__file__).parent
DESKHAND = [sys.executable, "-c", "from deskhand.cli import main; main()"]


class OrcaError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Orca:
    """The whole client: one POST for each call."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, method: str, **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        request = urllib.request.Request(self.url, json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30) as reply:
            response = json.load(reply)
        check_response(response, method)
        if "error" in response:
            raise OrcaError(response["error"]["code"], response["error"]["message"])
        return response["result"]

    def report(self) -> str:
        label: str = self("widget.get", target={"id": "report"})["label"]
        return label


@contextmanager
def served(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """`deskhand run` around the form, and what it and the form print until it is ready."""
    process = subprocess.Popen(
        [*DESKHAND, "run", "--orca", "0", "--", sys.executable, str(HERE / "orca_form.py"), *words],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", registry.VARIABLE: str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        lines: list[str] = []
        while "ready" not in lines or not any(line.startswith("inside") for line in lines):
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            lines.append(line.strip())
        yield process, lines
    finally:
        process.terminate()
        process.wait(20)
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def clients(lines: list[str]) -> tuple[Orca, Orca]:
    """For what the app serves itself, and for what the command serves."""
    where = {line.split()[-2]: line.split()[-1] for line in lines if " " in line}
    return Orca(where["inside"]), Orca(where["orca"])


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    # The path of a socket has a limit, which pytest's folders can exceed.
    with tempfile.TemporaryDirectory(prefix="dh.") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def both(folder: Path) -> Iterator[tuple[Orca, Orca]]:
    with served(folder) as (_, lines):
        yield clients(lines)


@pytest.fixture(params=["inside", "outside"])
def orca(both: tuple[Orca, Orca], request: pytest.FixtureRequest) -> Orca:
    orca = both[request.param == "outside"]
    for button in orca("tree.find", label="No"):
        orca("input.click", target={"path": button["path"]})
    return orca


def test_the_form_is_filled_in_and_sent(orca: Orca) -> None:
    orca("input.click", target={"id": "name"})
    orca("input.key", keys="ctrl+a")
    orca("input.type", text="Łovelace")
    orca("input.key", keys="home")
    orca("input.type", text="Ada ")
    assert orca("widget.get", target={"id": "name"})["value"] == "Ada Łovelace"
    orca("input.key", keys=["enter"])
    assert orca.report() == "submitted Ada Łovelace"
    orca("input.key", keys="ctrl+s")
    assert orca.report() == "saved"
    before = orca("tree.find", **{"class": "QCheckBox"})[0]["value"]
    orca("input.click", target={"class": "QCheckBox"})
    after = orca("tree.find", **{"class": "QCheckBox"})[0]["value"]
    assert (before, after) in (("false", "true"), ("true", "false"))
    orca("input.click", target={"id": "secret"})
    orca("input.type", text="s3cret")
    assert orca("widget.get", target={"id": "secret"})["value"] == "••••"
    orca("input.click", target={"class": "QPushButton", "label": "Greet"})
    assert orca.report() == "Hello, Ada Łovelace!"


def test_a_dialog_is_a_child_of_the_root_and_blocks_input_to_the_rest(orca: Orca) -> None:
    orca("input.click", target={"id": "order"})
    assert orca("app.state")["modal_dialog"] == "Confirm"
    with pytest.raises(OrcaError, match="Confirm") as refused:
        orca("input.click", target={"id": "later"})
    assert refused.value.code == 1002
    dialog = orca("tree.dump", max_depth=1)["children"][-1]
    assert (dialog["class"], dialog["label"]) == ("QMessageBox", "Confirm")
    (yes,) = orca("tree.find", **{"class": "QPushButton", "label": "Yes"})
    assert yes["path"].startswith(dialog["path"])
    orca("input.click", target={"path": yes["path"]})
    orca("sync.wait_for", target={"label": "ordered"}, state="visible")
    assert "modal_dialog" not in orca("app.state")


def test_what_comes_later_is_waited_for(orca: Orca) -> None:
    orca("input.click", target={"id": "later"})
    done = orca("sync.wait_for", target={"label": "loaded"}, state="exists", poll_ms=60_000)
    assert 0 <= done["elapsed_ms"] < 5000
    orca("sync.wait_for", target={"id": "send"}, state="enabled")
    orca("input.click", target={"id": "send"})
    assert orca.report() == "sent"


def test_screenshots_are_of_the_window_or_of_a_part(orca: Orca) -> None:
    whole, part = orca("screenshot.window"), orca("screenshot.window", target={"id": "country"})
    root = orca("tree.dump", max_depth=0)["rect"]
    assert (whole["width"], whole["height"]) == (root["w"], root["h"])
    assert part["height"] < whole["height"]
    assert len(base64.b64decode(whole["png_base64"])) > 1000
    with pytest.raises(OrcaError) as refused:
        orca("screenshot.window", target={"id": "far"})
    assert refused.value.code == 1005


def test_what_the_program_registered_is_done(orca: Orca, tmp_path: Path) -> None:
    assert orca("automation.version")["capabilities"][9:] == ["file.open", "view.select"]
    model = tmp_path / "cube.stl"
    model.write_text("solid cube")
    assert orca("file.open", paths=[str(model), str(model)]) == {"ok": True, "loaded": 2}
    assert orca("app.state")["project_loaded"] is True
    assert orca("view.select", view="preview") == {"ok": True, "view": "preview", "index": 2}
    assert orca("app.state")["active_tab"] == "preview"
    codes = []
    for method, params in (
        ("file.open", {"paths": str(tmp_path / "none.stl")}),
        ("view.select", {"view": "device"}),
        ("screenshot.viewport3d", {}),
    ):
        with pytest.raises(OrcaError) as refused:
            orca(method, **params)
        codes.append(refused.value.code)
    assert codes == [1007, 1001, -32601]


def test_inside_and_outside_give_the_same_answers(both: tuple[Orca, Orca]) -> None:
    inside, outside = both
    assert inside("automation.version") == outside("automation.version")
    assert inside("app.state") == outside("app.state")
    assert inside("tree.dump") == outside("tree.dump")
    assert inside("tree.find", backend="qt") == outside("tree.find", backend="qt")
    assert len(inside("tree.find", backend="qt")) > 50


def test_a_gui_thread_that_is_wedged_is_reported_within_its_deadline(
    both: tuple[Orca, Orca], folder: Path
) -> None:
    inside, outside = both
    with ThreadPoolExecutor(2) as pool:
        started = time.monotonic()
        wedging = pool.submit(inside, "view.select", view="wedged")
        other = pool.submit(outside, "tree.dump", max_depth=0)
        error = wedging.exception(20)
        assert isinstance(error, OrcaError)
        assert error.code == 1004
        assert 4.5 < time.monotonic() - started < 10
        (folder / "go on").touch()
        # This one came first, or waited until it was over: both are true of a thread that is busy.
        assert other.exception(20) is None or other.exception(20).code == 1004  # type: ignore[union-attr]
    assert inside("sync.wait_for", target={"id": "name"}, state="visible")["ok"]


def test_a_program_that_ends_during_a_wait_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    with (
        # The path of a socket has a limit, which pytest's folders can exceed.
        tempfile.TemporaryDirectory(prefix="dh.") as folder,
        served(Path(folder), "--automation-server", f"--automation-server-port={port}") as (process, lines),
        ThreadPoolExecutor(2) as pool,
    ):
        monkeypatch.setenv(registry.VARIABLE, folder)
        inside, outside = clients(lines)
        assert inside.url == f"http://127.0.0.1:{port}/jsonrpc"
        waits = [
            pool.submit(one, "sync.wait_for", target={"id": "no"}, state="exists", timeout_ms=60_000)
            for one in (inside, outside)
        ]
        ask(registry.app("qt_form"), ControlWindow("window", do="close"))
        for wait in waits:
            error = wait.exception(20)
            assert isinstance(error, (OSError, OrcaError))
            assert not isinstance(error, OrcaError) or error.code == 1004
        assert process.wait(20) == 0
        assert process.stderr is not None
        said = process.stderr.read()
        assert said.count("UI automation server ENABLED") == 2
        assert said.count("input injection is active") == 2
