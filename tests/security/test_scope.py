"""`--app` is a boundary: a client of one app reaches no other, not by coordinates, not by keys."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deskhand import App, Desktop, connect
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import Refused
from deskhand.model.node import Node
from tests.traces import parent, until

PROGRAM = [sys.executable, "-c", "from deskhand.cli import main; main()"]
ASKED = ["zenity", "--entry", "--title"]
LETTERS = "abcdefgh" * 100


class Pair(NamedTuple):
    """Two programs on one desktop: a client of the first, and a view of both that is not confined."""

    mine: App
    both: Session
    desktop: Desktop

    def field(self, title: str) -> Node:
        return self.both.run(ops.Get(f'dialog[name="{title}"] textfield, window[name="{title}"] textfield'))

    def raise_(self, title: str) -> None:
        self.both.run(ops.ControlWindow(f'dialog[name="{title}"], window[name="{title}"]', do="focus"))


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with tempfile.TemporaryDirectory(prefix="dh") as folder, Desktop() as desktop:
        first = desktop.spawn([*ASKED, "Mine"])
        desktop.spawn([*ASKED, "Theirs"])
        both = Session(AtspiAdapter(desktop.env))
        for title in ("Mine", "Theirs"):
            both.run(
                ops.Wait(f'dialog[name="{title}"] textfield, window[name="{title}"] textfield', timeout=60)
            )
        # Side by side, so that each has points of its own.
        for number, title in enumerate(("Mine", "Theirs")):
            window = f'dialog[name="{title}"], window[name="{title}"]'
            both.run(ops.ControlWindow(window, do="move", x=50 + number * 600, y=100))
        socket = f"{folder}/gip"
        server = subprocess.Popen(
            [*PROGRAM, "serve", "--pid", str(first.pid), "--gip", socket],
            env=desktop.env,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            assert server.stdout.readline().startswith("ready gip")
            with connect(f"unix:{socket}") as mine, contextlib.closing(both):
                yield Pair(mine, both, desktop)
        finally:
            server.terminate()
            server.communicate(timeout=20)


def test_what_is_named_works_as_ever(pair: Pair) -> None:
    pair.raise_("Mine")
    pair.mine.locator("textfield").fill("named")
    pair.mine.locator("textfield").press("End")
    pair.mine.locator("textfield").type("!")
    until(lambda: pair.field("Mine").value == "named!")


def test_a_point_in_another_app_is_refused_for_clicks_drags_and_the_wheel(pair: Pair) -> None:
    pair.raise_("Mine")
    theirs, mine = pair.field("Theirs"), pair.field("Mine")
    assert theirs.bounds is not None
    assert mine.bounds is not None
    x, y = theirs.bounds.center
    apart = x - mine.bounds.x
    pair.mine.run(ops.Click(x=mine.bounds.center[0], y=mine.bounds.center[1]))
    for action in (
        ops.Click(x=x, y=y),
        ops.Hover(x=x, y=y),
        ops.MouseDown(x=x, y=y),
        ops.Drag("textfield", to_x=x, to_y=y),
        ops.Drag(x=x, y=y, to="textfield"),
        ops.Click(x=5, y=790),
    ):
        with pytest.raises(Refused, match="one app only"):
            pair.mine.run(action)
    assert apart > 100
    windows = {window.title: window for window in pair.both.run(ops.ListWindows())}
    assert windows["Mine"].focused
    assert not windows["Theirs"].focused


def test_keys_are_refused_while_another_app_has_the_focus(pair: Pair) -> None:
    before = pair.field("Theirs").value
    pair.raise_("Theirs")
    for action in (ops.TypeText(text="secret"), ops.Key(keys="a")):
        with pytest.raises(Refused, match="has the focus"):
            pair.mine.run(action)
    assert pair.field("Theirs").value == before


def test_a_text_ends_where_the_focus_moves_to_another_app(pair: Pair) -> None:
    before = pair.field("Theirs").value
    pair.raise_("Mine")
    pair.mine.locator("textfield").fill("")
    pair.mine.locator("textfield").focus()
    failed: list[Exception] = []

    def type_() -> None:
        try:
            pair.mine.run(ops.TypeText(text=LETTERS * 5, timeout=60))
        except Refused as error:
            failed.append(error)

    typing = threading.Thread(target=type_)
    typing.start()
    until(lambda: len(pair.field("Mine").value or "") > 20)
    pair.raise_("Theirs")
    typing.join(60)

    assert failed, "all of it was typed before the focus moved"
    assert "characters were typed; then keys would go elsewhere" in str(failed[0])
    assert pair.field("Theirs").value == before


def test_the_desktop_is_not_shown_and_the_clipboard_not_read(pair: Pair) -> None:
    for operation in (ops.Screenshot(desktop=True), ops.GetClipboard(), ops.SetClipboard(text="x")):
        with pytest.raises(Refused, match="one app"):
            pair.mine.run(operation)
    assert pair.mine.run(ops.Screenshot()).png


def test_a_chat_client_of_one_app_starts_and_chooses_no_other(pair: Pair, tmp_path: Path) -> None:
    script = (
        "import sys; sys.argv = ['deskhand', 'mcp', '--structured', '--app', 'zenity', *sys.argv[1:]]; "
        "from deskhand.cli import main; main()"
    )
    with parent(script, env={**pair.desktop.env, "DESKHAND_RUNTIME_DIR": str(tmp_path)}) as process:

        def ask(number: int, method: str, **params: Any) -> Any:
            assert process.popen.stdin is not None
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.popen.stdin.write(json.dumps(message) + "\n")
            process.popen.stdin.flush()
            return process.says()

        ask(
            1,
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "t", "version": "1"},
        )
        for number, (name, arguments) in enumerate(
            (
                ("app_launch", {"command": ["touch", str(tmp_path / "made")]}),
                ("app_attach", {"app": "desktop"}),
            )
        ):
            told = ask(number + 2, "tools/call", name=name, arguments=arguments)
            assert "refused: this server is for the app 'zenity' only" in json.dumps(told)
    assert not (tmp_path / "made").exists()
