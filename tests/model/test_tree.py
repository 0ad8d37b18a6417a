"""Trees: ways around, bounds, paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.model.errors import Ambiguous, NotFound
from deskhand.model.node import Node, Rect
from deskhand.model.tree import Tree


def node(
    uid: str, parent: str | None = None, cls: str = "Box", name: str | None = None, **fields: object
) -> Node:
    known = {"uid": uid, "native_class": cls, "automation_id": name, **fields}
    if parent:
        known["parent"] = parent
    return Node.of({key: value for key, value in known.items() if value is not None})


@pytest.fixture
def tree() -> Tree:
    return Tree([
        node("w", None, "Window", bounds=Rect(100, 100, 400, 300)),
        node("p", "w", "Panel", "panel", bounds=Rect(110, 120, 200, 100)),
        node("a", "p", "Button", bounds=Rect(115, 125, 50, 20)),
        node("b", "p", "Button", "save"),
        node("c", "w", "Button"),
        node("d", None, "Dialog", "question"),
        node("e", "d", "Button", "yes"),
    ])  # fmt: skip


def test_paths_use_names_and_same_class_indexes(tree: Tree) -> None:
    assert {n.uid: path for n, path in tree.paths()} == {
        "w": "root",
        "p": "root/panel",
        "a": "root/panel/Button[0]",
        "b": "root/panel/save",
        "c": "root/Button[0]",
        "d": "root/question",
        "e": "root/question/yes",
    }


def test_a_single_path_is_the_same_as_among_all(tree: Tree) -> None:
    assert [tree.path(n) for n in tree] == [path for _, path in tree.paths()]


def test_an_index_leads_to_a_named_node_too(tree: Tree) -> None:
    assert tree.resolve("root/Panel[0]/Button[1]").uid == "b"


def test_a_short_path_finds_a_name_at_any_depth(tree: Tree) -> None:
    assert tree.resolve("root/save").uid == "b"
    assert tree.resolve("root/yes").uid == "e"


def test_a_short_path_refuses_to_choose() -> None:
    tree = Tree(
        [
            node("w"),
            *(node(f"p{n}", "w", "Panel") for n in range(2)),
            node("a", "p0", name="x"),
            node("b", "p1", name="x"),
        ]
    )
    with pytest.raises(Ambiguous) as caught:
        tree.resolve("root/x")
    assert caught.value.matches == ("root/Panel[0]/x", "root/Panel[1]/x")


def test_equal_names_among_siblings_become_indexes() -> None:
    tree = Tree([node("w"), node("a", "w", "Button", "ok"), node("b", "w", "Button", "ok")])
    assert [path for _, path in tree.paths()] == ["root", "root/Button[0]", "root/Button[1]"]


def test_a_wrong_path_names_similar_ones(tree: Tree) -> None:
    with pytest.raises(NotFound) as caught:
        tree.resolve("root/panel/sve")
    assert caught.value.near[0] == "root/panel/save"
    assert caught.value.target == "root/panel/sve"


@pytest.mark.parametrize("path", ["", "panel", "Root/panel", "root/panel/", "root//panel", "root/Button[9]"])
def test_what_is_not_a_path_is_not_found(tree: Tree, path: str) -> None:
    with pytest.raises(NotFound):
        tree.resolve(path)


def test_bounds_are_relative_to_screen_window_and_parent(tree: Tree) -> None:
    button = tree.by_uid["a"]
    assert tree.bounds_in_parent(button) == Rect(5, 5, 50, 20)
    assert tree.bounds_in_window(button) == Rect(15, 25, 50, 20)
    assert tree.bounds_in_parent(tree.by_uid["w"]) == Rect(100, 100, 400, 300)


def test_descendants_come_in_document_order(tree: Tree) -> None:
    assert [n.uid for n in tree.descendants(tree.by_uid["w"])] == ["p", "a", "b", "c"]


NAMES = st.one_of(
    st.none(), st.sampled_from(["a", "b", "Button[0]", "Box[1]", "x/y", "root", "", "é", "a b", "["])
)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    nodes: list[Node] = []
    for index in range(draw(st.integers(1, 25))):
        above = draw(st.one_of(st.none(), st.integers(0, index - 1))) if index else None
        cls = draw(st.sampled_from(["Box", "Button", "Q::Odd[2]"]))
        nodes.append(node(f"u{index}", None if above is None else f"u{above}", cls, draw(NAMES)))
    tree = Tree(nodes)
    order = [below for root in tree.roots for below in (root, *tree.descendants(root))]
    return Tree(order)


@given(trees())
def test_every_path_of_any_tree_leads_back_to_its_node(tree: Tree) -> None:
    for n, path in tree.paths():
        assert tree.resolve(path) is n
        assert tree.path(n) == path
