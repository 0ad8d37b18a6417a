"""A tree as a person reads it: what is left out, in which order, and as text."""

from __future__ import annotations

from typing import Any

import pytest

from deskhand.model.node import Node, Rect
from deskhand.model.reading import read, reading_order, render, scalar
from deskhand.model.template import parse
from deskhand.model.tree import Tree


def tree(*described: Any) -> Tree:
    """A tree of nested tuples: role, fields, children."""
    nodes: list[Node] = []

    def add(role: str, fields: dict[str, Any], children: list[Any], parent: str | None) -> None:
        node = Node(uid=str(len(nodes)), parent=parent, role=role, **fields)
        nodes.append(node)
        for child in children:
            add(*child, node.uid)

    for root in described:
        add(*root, None)
    return Tree(nodes)


def text(*described: Any) -> str:
    return render(read(tree(*described)))


def test_lines_have_role_name_states_and_text() -> None:
    assert text(
        ("window", {"name": "Form"}, [
            ("textfield", {"name": "Name", "value": "Ada \n Lovelace"}, []),
            ("checkbox", {"name": "News", "checked": True}, []),
            ("checkbox", {"name": "All", "checked": True, "mixed": True}, []),
            ("toggle-button", {"name": "Bold", "checked": True}, []),
            ("button", {"name": "Send", "enabled": False}, []),
            ("heading", {"name": "Top", "properties": {"level": 2}}, []),
            ("tree", {}, [("tree-item", {"name": "Root", "expanded": True, "selected": True}, [])]),
            ("text", {"name": "Ready", "text": "Ready"}, []),
        ])
    ) == """\
- window "Form":
  - textfield "Name": Ada Lovelace
  - checkbox "News" [checked]
  - checkbox "All" [checked=mixed]
  - toggle-button "Bold" [pressed]
  - button "Send" [disabled]
  - heading "Top" [level=2]
  - tree:
    - tree-item "Root" [expanded] [selected]
  - text: Ready"""  # fmt: skip


def test_layouts_and_repeated_parts_and_hidden_elements_are_left_out() -> None:
    assert text(
        ("window", {"name": "Form"}, [
            ("group", {}, [
                ("button", {"name": "Greet"}, [("text", {"name": "Greet"}, [])]),
                ("button", {"name": "Away", "visible": False}, []),
            ]),
            ("group", {"name": "Delivery"}, [("radio", {"name": "Post"}, [])]),
            ("scroll-area", {}, [
                ("list", {"name": "Colours"}, [
                    ("list-item", {"name": "red"}, [("text", {"text": "red"}, [])]),
                ]),
                ("scroll-bar", {"value": "0"}, []),
            ]),
            ("menu", {"name": "File", "bounds": Rect(0, 0, 9, 9)}, [("menu-item", {"name": "Save"}, [])]),
        ])
    ) == """\
- window "Form":
  - button "Greet"
  - group "Delivery":
    - radio "Post"
  - list "Colours":
    - list-item "red"
  - menu "File\""""  # fmt: skip


def test_a_part_that_shows_something_else_is_kept() -> None:
    assert '- button "Close"' in text(
        ("tab", {"name": "One"}, [("button", {"name": "Close"}, []), ("text", {"name": "One"}, [])])
    )


def test_siblings_are_in_the_order_of_the_screen() -> None:
    def at(name: str, x: float, y: float, width: float = 50, height: float = 20) -> Node:
        return Node(name=name, bounds=Rect(x, y, width, height))

    tall, first, second = at("tall", 0, 40, 90, 60), at("first", 100, 40), at("second", 100, 70)
    label, field, button = at("label", 0, 3, 40, 14), at("field", 45, 0), at("button", 0, 110)

    order = reading_order([button, second, first, tall, field, label])

    assert [node.name for node in order] == ["label", "field", "tall", "first", "second", "button"]


def test_siblings_that_overlap_or_have_no_bounds_stay_as_they_are() -> None:
    one, two = Node(name="1", bounds=Rect(5, 5, 20, 20)), Node(name="2", bounds=Rect(0, 0, 20, 20))
    nowhere = Node(name="3")

    assert reading_order([one, two]) == [one, two]
    assert reading_order([one, nowhere, two]) == [one, nowhere, two]


@pytest.mark.parametrize(
    "shown",
    ["Ada", "a: b", "# no comment", "a # b", "true", "12", "- x", '"quoted"', "it's", "/path/", "x" * 900,
     "colon:", "[x]", "C:\\temp"],
)  # fmt: skip
def test_a_text_is_read_again_as_it_was_written(shown: str) -> None:
    described = tree(("textfield", {"name": shown, "value": f"{shown} "}, []), ("text", {"text": shown}, []))

    assert parse(render(read(described))).matches(read(described))
    assert not parse(render(read(described))).matches(read(tree(("textfield", {"name": "other"}, []))))


def test_a_long_text_is_cut_to_a_regular_expression() -> None:
    assert scalar("a" * 600).startswith("/^aaa")


def test_a_tree_with_too_many_lines_says_how_many_are_left_out() -> None:
    many = text(("list", {}, [("list-item", {"name": str(number)}, []) for number in range(2500)]))

    assert many.endswith("# … 501 more lines")
    assert parse(many)
