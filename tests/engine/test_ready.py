"""What is in the way of an action."""

from __future__ import annotations

from deskhand.engine.ready import obstacle
from deskhand.model import operations as ops
from deskhand.model.errors import NotEditable, NotFocusable
from deskhand.model.node import Node, Option
from deskhand.model.tree import Tree


def test_a_cell_that_offers_to_be_edited_may_be_tried() -> None:
    offered, fixed = Node(uid="a", role="cell", actions=("edit",)), Node(uid="b", role="cell")
    tree = Tree([offered, fixed])
    assert obstacle(ops.SetValue(value="x"), tree, offered) is None
    assert isinstance(obstacle(ops.SetValue(value="x"), tree, fixed), NotEditable)
    assert obstacle(ops.TypeText(text="x"), tree, offered) is not None


def test_setting_the_text_of_an_element_with_options_suggests_select() -> None:
    box = Node(uid="a", role="combo-box", options=(Option(0, "Kenya"),), focusable=True)
    button = Node(uid="b", role="button", focusable=True)
    tree = Tree([box, button])
    for node, hint in ((box, "select one of its options"), (button, "target the text field itself")):
        found = obstacle(ops.SetValue(value="Kenya"), tree, node)
        assert found is not None
        assert found.suggestions == (hint,)


def test_a_cell_is_typed_into_although_its_editor_takes_the_focus() -> None:
    cell = Node(uid="a", role="cell", editable=True, actions=("edit",))
    field = Node(uid="b", role="textfield", editable=True)
    tree = Tree([cell, field])
    assert obstacle(ops.TypeText(text="x"), tree, cell) is None
    assert isinstance(obstacle(ops.TypeText(text="x"), tree, field), NotFocusable)
    assert isinstance(obstacle(ops.Focus(), tree, cell), NotFocusable)
