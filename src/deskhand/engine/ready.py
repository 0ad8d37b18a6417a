"""Whether a node is ready for an action, and the error that says what is in the way."""

from __future__ import annotations

from ..model.errors import NotEditable, NotEnabled, NotFocusable, NotReady, NotVisible
from ..model.node import Node
from ..model.operations import Action, SetValue, TypeText
from ..model.tree import Tree


def obstacle(action: Action, tree: Tree, node: Node) -> NotReady | None:
    """The first reason why the action cannot be performed now; None if there is none.

    Tested in the order: visible, enabled, focusable, editable. For a reason that waiting cannot
    change (a label never becomes editable) the error's `final` is true.
    """
    needs = action.needs
    if "visible" in needs and not node.visible:
        return NotVisible(
            f"{node} is not visible" + _because_hidden(tree, node),
            suggestions=("check whether something must be opened first", "wait for it to be visible"),
            last_seen={"visible": False, "enabled": node.enabled},
        )
    if "enabled" in needs and not node.enabled:
        return NotEnabled(
            f"{node} is not enabled" + _because_disabled(tree, node),
            suggestions=("see what the program needs before it enables it", "wait for it to be enabled"),
            last_seen={"visible": node.visible, "enabled": False},
        )
    if "editable" in needs and not node.editable and not _may_be_tried(action, node):
        error = NotFocusable if "focusable" in needs and not node.focusable else NotEditable
        what = "take the focus" if error is NotFocusable else "be edited"
        return error(
            f"{node} cannot {what}",
            suggestions=("select one of its options" if node.options else "target the text field itself",),
            last_seen={"editable": False, "focusable": node.focusable},
            final="set-value" not in node.actions,
        )
    if "focusable" in needs and not node.focusable and not _has_an_editor(action, node):
        return NotFocusable(
            f"{node} cannot take the focus",
            suggestions=("target an element that can, such as a text field or button",),
            last_seen={"focusable": False},
            final=True,
        )
    return None


def _may_be_tried(action: Action, node: Node) -> bool:
    """Whether an action on what does not say that it is editable may be of use.

    Typing letters into a list or a combo box searches in it. A cell that offers to be edited does not always
    know whether that will be accepted.
    """
    if isinstance(action, SetValue):
        return "edit" in node.actions
    return (
        isinstance(action, TypeText)
        and not action.clear
        and node.focusable
        and node.role in _SEARCHED_BY_KEYS
    )


def _has_an_editor(action: Action, node: Node) -> bool:
    """Whether what is typed goes into an editor that opens for it, as in the cell of a table."""
    return isinstance(action, TypeText) and "edit" in node.actions


_SEARCHED_BY_KEYS = frozenset(
    ("list", "list-box", "table", "tree", "tree-grid", "grid", "combo-box", "canvas")
)


def _because_hidden(tree: Tree, node: Node) -> str:
    hidden = [above for above in tree.ancestors(node) if not above.visible]
    return f": {hidden[-1]} around it is hidden" if hidden else ""


def _because_disabled(tree: Tree, node: Node) -> str:
    disabled = [above for above in tree.ancestors(node) if not above.enabled]
    return f": {disabled[-1]} around it is disabled" if disabled else ""
