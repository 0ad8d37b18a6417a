"""Trees and screenshots of a trace: what is written is what is read again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

from deskhand.images.png import to_png
from deskhand.model.node import Node
from deskhand.model.tree import Tree
from deskhand.tracing import Trace, trees
from deskhand.tracing.frames import Shot, changed_parts, pixels_of
from deskhand.tracing.reader import Recorded


def test_any_two_trees_are_the_same_after_difference_and_patch() -> None:
    chance = random.Random(5)
    before = _random_tree(chance, [])
    for _ in range(300):
        after = _random_tree(chance, list(before.nodes))
        written = json.loads(json.dumps(trees.difference(before, after)))
        read = trees.patched(json.loads(json.dumps(trees.whole(before))), written)
        assert read["nodes"] == json.loads(json.dumps(trees.whole(after)))["nodes"]
        before = after


def test_small_change_of_a_large_tree_is_small() -> None:
    before = Tree([Node(uid=f"u{number}", name=f"row {number}") for number in range(2000)])
    nodes = list(before.nodes)
    nodes[700] = nodes[700].changed(name="other")
    nodes.insert(900, Node(uid="new", name="new row"))
    written = trees.difference(before, Tree(nodes))
    assert len(json.dumps(written)) < 1000


def test_screenshots_are_stored_once_and_in_part(tmp_path: Path) -> None:
    first = bytes(random.Random(1).randbytes(200 * 100 * 4))
    second = bytearray(first)
    second[(30 * 200 + 50) * 4 : (30 * 200 + 60) * 4] = bytes(40)
    second[(80 * 200 + 20) * 4 : (80 * 200 + 30) * 4] = bytes(40)
    trace = Trace(tmp_path / "trace.zip")
    shots = [Shot(200, 100, pixels=data) for data in (first, first, bytes(second), first)]
    numbers = [trace.frames.add(1, shot) for shot in shots]
    trace.save()
    assert numbers == [1, 1, 2, 3]
    with Recorded(tmp_path / "trace.zip") as read:
        sizes = [len(read.resource(read.frames[number]["png"])) for number in (1, 2, 3)]
        assert sizes[1] < sizes[0] / 10
        for number, data in ((1, first), (2, bytes(second)), (3, first)):
            png = read.screenshot(number)
            assert png is not None
            assert pixels_of(png) == pixels_of(to_png(200, 100, data))


def test_changed_parts_contain_every_changed_pixel_and_little_more() -> None:
    chance = random.Random(3)
    plain = bytearray(90 * 100 * 4)
    for _ in range(300):
        changed = bytearray(plain)
        points = [(chance.randrange(90), chance.randrange(100)) for _ in range(chance.randint(0, 5))]
        for x, y in points:
            changed[(y * 90 + x) * 4] = 255
        parts = changed_parts(plain, bytes(changed), 90, 100)
        for left, top, width, height in parts:
            assert 0 <= left < left + width <= 90
            assert 0 <= top < top + height <= 100
            assert any(left <= x < left + width and y == top for x, y in points)
        for x, y in points:
            assert any(left <= x < left + w and top <= y < top + h for left, top, w, h in parts)


def _random_tree(chance: random.Random, nodes: list[Node]) -> Tree:
    changes: list[Callable[[], object]] = [
        lambda: nodes.insert(chance.randint(0, len(nodes)), Node(uid=f"u{chance.random()}", name="new")),
        lambda: nodes.pop(chance.randrange(len(nodes))) if nodes else None,
        lambda: nodes.append(nodes.pop(0)) if nodes and chance.random() < 0.2 else None,
    ]
    for _ in range(chance.randint(0, 6)):
        chance.choice(changes)()
    if nodes and chance.random() < 0.5:
        at = chance.randrange(len(nodes))
        nodes[at] = nodes[at].changed(name=str(chance.random()))
    return Tree(nodes)
