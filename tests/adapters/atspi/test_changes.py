"""A second read returns what a first read would, whatever happened in between, reported or not.

After each change the tree that was kept by events is compared with one that is read from nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from deskhand import Desktop
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.model import operations as ops
from deskhand.model.node import Node
from deskhand.model.tree import Tree

from .conftest import Start

pytestmark = pytest.mark.programs

SCENES = Path(__file__).parent / "scenes"
NUMBERS = ("number", "value", "minimum", "maximum")
Known = dict[str, dict[str, Any]]


def known(tree: Tree) -> Known:
    return {node.uid: {one.name: getattr(node, one.name) for one in fields(Node)} for node in tree}


def differences(warm: Known, cold: Known, unreported: tuple[str, ...]) -> list[object]:
    found: list[object] = []
    for uid in {**warm, **cold}:
        one, other = warm.get(uid), cold.get(uid)
        if one is None or other is None:
            which = "only at the second look" if other is None else "only at the first look"
            there = one or other or {}
            if "hidden" in unreported and not there["visible"]:
                continue
            found.append((which, *(there[name] for name in ("role", "name", "text", "visible", "parent"))))
        else:
            # What is out of sight has its numbers read again when it comes into sight.
            seen = one["visible"] and not one["offscreen"]
            passed = unreported if seen else (*unreported, *NUMBERS)
            names = [name for name in one if one[name] != other[name] and name not in passed]
            if names:
                found.append((one["name"] or one["role"], {name: (one[name], other[name]) for name in names}))
    return found


def look(adapter: AtspiAdapter, desktop: Desktop, pid: int, unreported: tuple[str, ...] = ()) -> Known:
    """The tree that the adapter keeps up to date, once it equals what a new adapter reads.

    `unreported` names what a toolkit does not report and what is therefore not compared: fields, and
    `hidden` for what comes and goes out of sight.
    """
    deadline = time.monotonic() + 10
    while True:
        warm = known(adapter.read(timeout=10))
        new = AtspiAdapter(desktop.env, pid=pid)
        try:
            different = differences(warm, known(new.read(timeout=10)), unreported)
        finally:
            new.close()
        if not different:
            return warm
        assert time.monotonic() < deadline, different[:15]
        time.sleep(0.05)  # a program draws what it changed when it comes to it


class Scene:
    """A window that follows commands, and the adapter that reads it."""

    def __init__(self, desktop: Desktop, toolkit: str, folder: Path, stack: ExitStack) -> None:
        self.desktop, self.toolkit = desktop, toolkit
        argv = SCENES_OF[toolkit]
        for name in ("told", "done"):
            os.mkfifo(folder / name)
        self._told, self._done = (os.open(folder / name, os.O_RDWR) for name in ("told", "done"))
        stack.callback(os.close, self._told)
        stack.callback(os.close, self._done)
        command = (
            sys.executable,
            str(SCENES / argv[0]),
            *argv[1:],
            str(folder / "told"),
            str(folder / "done"),
        )
        self.process = desktop.spawn(command, stdout="null", stderr="null")
        stack.callback(self.process.wait, 20)
        stack.callback(self.process.signal, signal.SIGKILL)
        self.adapter = AtspiAdapter(desktop.env, pid=self.process.pid)
        stack.callback(self.adapter.close)
        deadline = time.monotonic() + 30
        while not any(node.name == "row 29" for node in self.adapter.read(timeout=10)):
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def tell(self, word: str) -> None:
        os.write(self._told, f"{word}\n".encode())
        assert os.read(self._done, 100).decode().strip() == word

    def look(self) -> Known:
        return look(self.adapter, self.desktop, self.process.pid)


TOOLKITS = {
    "GTK 3": ("gtk.py", "3.0"),
    "GTK 4": ("gtk.py", "4.0"),
    "Qt 5": ("qt.py", "PyQt5"),
    "Qt 6": ("qt.py", "PySide6"),
}
SCENES_OF: dict[str, tuple[str, ...]] = {**TOOLKITS, "moving": ("moving.py",)}


@pytest.fixture(scope="module", params=list(TOOLKITS))
def scene(
    request: pytest.FixtureRequest, desktop: Desktop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("scene")
        made = Scene(desktop, request.param, folder, stack)
        made.look()
        yield made


def only(nodes: Known, **wanted: object) -> list[dict[str, Any]]:
    return [one for one in nodes.values() if all(one[name] == value for name, value in wanted.items())]


def test_texts_and_states_that_change_are_seen(scene: Scene) -> None:
    for word in ("label", "entry", "button", "disable", "disable all", "lock", "check", "focus"):
        scene.tell(word)
        nodes = scene.look()
    if scene.toolkit != "GTK 3":  # which does not report it
        scene.tell("describe")
        assert only(scene.look(), description="what it is for")
    assert only(nodes, name="another label, which is longer")
    assert only(nodes, text="another text", editable=False)
    assert only(nodes, name="another button", role="button", enabled=False)
    assert only(nodes, name="a check box", checked=True, focused=True)


def test_values_choices_and_pages_that_change_are_seen(scene: Scene) -> None:
    for word in ("slide", "progress", "choose", "turn"):
        scene.tell(word)
        nodes = scene.look()
    assert only(nodes, role="slider", number=42)
    assert only(nodes, name="button 1", visible=True)
    if scene.toolkit != "GTK 4":  # which says that both pages are seen
        assert not only(nodes, name="button 0", visible=True)


def test_what_comes_and_goes_is_seen(scene: Scene) -> None:
    scene.tell("add")
    assert only(scene.look(), name="a new row", role="button")
    scene.tell("remove")
    assert not only(scene.look(), name="a new row", role="button")
    scene.tell("hide")
    assert not only(scene.look(), name="in the box", role="button", visible=True)
    scene.tell("show")
    assert only(scene.look(), name="in the box", role="button", visible=True)


def test_what_moves_by_scrolling_moving_and_resizing_is_seen(scene: Scene) -> None:
    before = only(scene.look(), role="slider")[0]["bounds"]
    scene.tell("scroll")
    assert only(scene.look(), name="row 0", role="button")[0]["offscreen"]
    window = scene.adapter.read(timeout=10).windows[0]
    assert window.bounds is not None
    for action in (
        ops.ControlWindow("window", do="move", x=120, y=140),
        ops.ControlWindow("window", do="resize", width=int(window.bounds.width) + 90, height=640),
    ):
        scene.adapter.perform(action, window.uid, None, timeout=10)
        nodes = scene.look()
    after = only(nodes, role="slider")[0]["bounds"]
    assert (after.x, after.y) != (before.x, before.y)
    assert after.width > before.width
    scene.tell("rename")
    assert only(scene.look(), name="another scene")


def test_what_moves_inside_a_window_of_gtk3_is_where_it_moved_to(desktop: Desktop, tmp_path: Path) -> None:
    with ExitStack() as stack:
        scene = Scene(desktop, "moving", tmp_path, stack)
        moved = (
            "left 0", "right 2", "above", "revealed 2", "second 2", "wanders 2", "row 2", "laid 2",
            "floating",
        )  # fmt: skip
        before = {name: [one["bounds"] for one in only(scene.look(), name=name)] for name in moved}
        for word in ("pane", "overlay", "reveal", "slide", "fixed", "scroll", "layout", "float"):
            scene.look()  # again: from now on, only a few are asked
            scene.tell(word)
            nodes = scene.look()
        after = {name: [one["bounds"] for one in only(nodes, name=name)] for name in moved}
    assert [name for name in moved if before[name] == after[name]] == []


@pytest.mark.parametrize("program", ["galculator", "kcalc", "gnome-calculator"])
def test_what_a_calculator_shows_is_seen_at_each_press(start: Start, desktop: Desktop, program: str) -> None:
    running = start(program, until='[name="7"]:visible:focusable')
    for key in "71":
        running.app.run(ops.Press(f'[name="{key}"]:visible:focusable'))
    assert running.shows("71")
    look(running.adapter, desktop, running.process.pid)


def test_an_editor_in_use_is_seen_as_it_is(start: Start, desktop: Desktop) -> None:
    running = start("mousepad", until="editable-text")
    pid = running.process.pid
    running.app.locator("editable-text").first.type("some words")
    assert only(look(running.adapter, desktop, pid), text="some words")
    running.app.run(ops.Press('menu-item[name="Find"], menu-item[name="Find..."]'))
    look(running.adapter, desktop, pid)
    running.app.run(ops.ControlWindow("window", do="resize", width=700, height=300))
    look(running.adapter, desktop, pid)
