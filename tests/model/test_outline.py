"""A tree as text says what a person would."""

from __future__ import annotations

from deskhand.model.node import Node, Option, Virtualization
from deskhand.model.outline import outline
from deskhand.model.selector import parse
from deskhand.model.tree import Cut, Tree


def test_each_element_is_a_line_below_the_one_it_is_in() -> None:
    tree = Tree(
        [
            Node(uid="1", role="window", name="Invoices", child_count=2),
            Node(
                uid="2", parent="1", role="textfield", name="Customer", value="Ada", text="Ada", focused=True
            ),
            Node(uid="3", parent="1", role="button", name="Save", text="Save", enabled=False),
        ]
    )

    assert str(tree).splitlines() == [
        'window "Invoices"',
        '  textfield "Customer" = "Ada" [focused]',
        '  button "Save" [disabled]',
    ]


def test_the_selector_of_each_element_ends_its_line() -> None:
    tree = Tree([Node(uid="1", role="checkbox", name="Agree", checked=False)])

    assert outline(tree, {"1": "#agree"}) == 'checkbox "Agree" [unchecked]  #agree'


def test_what_is_not_shown_is_counted() -> None:
    view = Virtualization("table", 100_000, (0, 19))
    options = tuple(Option(index, f"option {index}") for index in range(8))
    tree = Tree(
        [
            Node(uid="1", role="window", child_count=2),
            Node(uid="2", parent="1", role="table", virtualization=view),
            Node(uid="3", parent="1", role="combo-box", options=options),
            Node(uid="4", parent="1", role="group", child_count=7),
        ],
        cut=Cut(12, "only 4 nodes were asked for"),
    )

    text = outline(tree)

    assert "table (100000 items, 0–19 in view)" in text
    assert '"option 4", … 3 more' in text
    assert "group (7 inside, not read)" in text
    assert text.endswith("… 12 more not shown: only 4 nodes were asked for")


def test_an_element_begins_with_what_a_selector_calls_it() -> None:
    nodes = [
        Node(uid="1", role="window", native_class="Frame"),
        Node(uid="2", parent="1", role="unknown", native_class="Gauge", name="Level"),
        Node(uid="3", parent="1", role="unknown"),
    ]
    tree = Tree(nodes)

    words = [line.split()[0] for line in str(tree).splitlines()]

    assert words == ["window", ".Gauge", "unknown"]
    assert [[node.uid for node in parse(word).find(tree)] for word in words[:2]] == [["1"], ["2"]]


def test_an_element_without_a_name_is_called_by_its_text() -> None:
    tree = Tree([Node(uid="1", role="text", text="Hello")])

    assert str(tree) == 'text "Hello"'


def test_an_empty_field_shows_that_it_is_empty() -> None:
    tree = Tree([Node(uid="1", role="textfield", name="Name", value="", text="")])

    assert str(tree) == 'textfield "Name" = ""'


def test_a_long_text_is_cut_and_says_so() -> None:
    tree = Tree([Node(uid="1", role="text", text="a\nb" * 100)])

    assert str(tree).endswith('…"')
    assert len(str(tree)) < 80
    assert "\n" not in str(tree)
