"""What a screen costs an AI agent: tokens of a compact snapshot, of what a click changed, and of a find.

Counted for all alike as characters divided by four, as the tables of real tokenizers cannot be had offline.
The peers are the same screen as the full JSON of the contract, and as the text tree of roles, names and
references that agents of browsers read.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deskhand.launching import launcher
from deskhand.model.errors import WaitTimeout
from deskhand.model.operations import ReadTree, Runner, Wait
from deskhand.model.tree import Tree
from deskhand.protocols.mcp.node import is_interactive
from deskhand.protocols.mcp.scene import Scene
from deskhand.protocols.mcp.server import McpServer
from deskhand.serving.mcp import mcp_server
from deskhand.serving.remote import Remote

from .measure import Figure, Report

_ROOT = Path(__file__).parents[1]
_DEMO = _ROOT / "demo"
_CHARACTERS = 4


@dataclass(frozen=True)
class Screen:
    """A program as it looks after its start, what is clicked there, and what is looked for."""

    name: str
    command: tuple[str, ...]
    click: dict[str, Any]
    find: str
    there: str = "button"
    """What is waited for before anything is measured."""
    env: dict[str, str] = field(default_factory=dict)


SCREENS = (
    Screen("gnome-calculator", ("gnome-calculator",), {"css": 'button[name="7"]'}, "="),
    Screen("mousepad", ("mousepad", "--disable-server"), {"css": 'menu[name="File"]'}, "Save"),
    Screen(
        "the slicer",
        (sys.executable, "-m", "demo.slicer"),
        {"css": 'button[name="Top"]'},
        "Slice",
        'button[name="Iso"]',
    ),
    Screen("the Qt form", (sys.executable, str(_DEMO / "qt_form.py")), {"text": "Greet"}, "Country"),
    Screen(
        "the JavaFX form",
        (str(_DEMO / "javafx_form" / "run.sh"),),
        {"css": 'button[name="Greet"]'},
        "Country",
    ),
)


def run(report: Report, quick: bool) -> None:
    for screen in SCREENS[-2:] if quick else SCREENS:
        if shutil.which(screen.command[0]) is None:
            print(f"{screen.name} is not installed, and left out; make programs installs it", flush=True)
            continue
        with opened(screen) as runner:
            _measure(report, screen, runner)


def tokens(text: str) -> float:
    """How many tokens a text is taken for."""
    return len(text) / _CHARACTERS


def _measure(report: Report, screen: Screen, runner: Runner) -> None:
    server = mcp_server(runner)
    tree = runner.run(ReadTree()).tree
    assert tree is not None
    texts, output = _call(server, "ui_get_snapshot", stage="all")
    compact = tokens(texts)
    shown = paths(output)
    missing = [path for path in operated(tree) if path not in shown]
    assert not missing, f"{screen.name}: not in the compact snapshot: {missing[:5]}"
    _, full = _call(server, "ui_get_snapshot", stage="all", mode="full")
    whole = tokens(json.dumps(full, ensure_ascii=False, separators=(",", ":")))
    browser = tokens(browser_tree(tree))
    name = f"compact snapshot of {screen.name}"
    report.add(Figure(name, compact, "tokens", "full JSON", whole, "8 times smaller", whole / compact >= 8))
    report.add(Figure(name, compact, "tokens", "role-name-ref tree", browser))
    found, matches = _call(server, "ui_query", selector=screen.click)
    ref = matches["matches"][0]["ref"]
    _call(server, "ui_perform", actions=[{"type": "click", "target": {"ref": ref}}], receipt=False)
    changed = tokens(_call(server, "ui_get_snapshot", sinceRevision=output["revision"])[0])
    what = f"difference after one click in {screen.name}"
    bound = "under 5 % of the snapshot"
    report.add(Figure(what, changed, "tokens", "compact snapshot", compact, bound, changed < compact * 0.05))
    found, _ = _call(server, "ui_query", selector={"text": screen.find}, limit=1)
    report.add(Figure(f"a find in {screen.name}", tokens(found), "tokens", "compact snapshot", compact))


def operated(tree: Tree) -> Iterator[str]:
    """The paths of the nodes that a person can see and operate."""
    scene = Scene(tree)
    for node in tree.nodes:
        if node.visible and is_interactive(node):
            yield scene.paths[node.uid]


def paths(snapshot: dict[str, Any]) -> set[str]:
    """The paths of all nodes that a snapshot has."""
    waiting = [stage["scene"]["root"] for stage in snapshot["stages"]]
    found = set()
    while waiting:
        node = waiting.pop()
        found.add(node["ref"]["path"])
        waiting += node["children"]
    return found


def browser_tree(tree: Tree) -> str:
    """The tree as agents of browsers read it: role, name, states and a reference for each element."""
    lines = []
    levels: dict[str | None, int] = {None: -1}
    for node in tree.nodes:
        if not node.visible or node.parent not in levels:
            continue
        levels[node.uid] = level = levels[node.parent] + 1
        label = f' "{node.name}"' if node.name else ""
        states = [
            name
            for name, holds in (
                ("checked", node.checked),
                ("disabled", not node.enabled),
                ("selected", node.selected),
                ("expanded", node.expanded),
                ("active", node.focused),
            )
            if holds
        ]
        marks = "".join(f" [{state}]" for state in states)
        held = node.value or (node.text if node.text != node.name else None)
        value = f": {held}" if held else ""
        lines.append(f"{'  ' * level}- {node.role}{label}{marks} [ref={node.uid}]{value}")
    return "\n".join(lines)


def _call(server: McpServer, name: str, /, **arguments: Any) -> tuple[str, Any]:
    """What a model reads of the answer, and what a program does."""
    answer = server.call(name, arguments, threading.Event())
    assert not answer["isError"], answer["content"][0]["text"]
    texts = "\n".join(block["text"] for block in answer["content"] if block["type"] == "text")
    return texts, answer["structuredContent"]["output"]


@contextmanager
def opened(screen: Screen) -> Iterator[Runner]:
    """The program on a private desktop, with its window and everything in it."""
    with launcher.start(screen.command, headless=True, cwd=_ROOT, env=screen.env) as launched:
        runner = Remote(f"unix:{launched.control}").open()
        try:
            runner.run(Wait(screen.there, "exists", timeout=20))
            yield runner
        except WaitTimeout as error:
            raise RuntimeError(f"{screen.name} shows no button: {error.message}") from error
        finally:
            runner.close()
