"""What a gesture changed: the state of one control, or the windows. Compares trees, and knows no gesture."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.node import MASK, Node
from ..model.tree import Tree
from .hit import CHECKABLE, DATES, NUMBERS, OPTIONS

_LISTS = frozenset(("list", "list-box"))
_TABS = frozenset(("tab-list",))
_SEEN = (
    "name", "text", "value", "number", "checked", "mixed", "selected", "expanded", "visible", "enabled",
    "pressed", "modal", "description",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """A control got another state: the method of a locator that leads to it, and what that takes."""

    method: str
    node: Node
    """As it was before."""
    arguments: tuple[str, ...] = ()


def outcome(before: Tree, after: Tree, node: Node) -> Outcome | None:
    """What became of a control, or of the group that it belongs to; None if its state is the same."""
    now = after.get(node.uid)
    found = None if now is None else _own(node, now)
    if found is not None:
        return found
    chosen_radio = _radio(before, after) if node.role == "radio" else None
    if chosen_radio is not None:
        return Outcome("check", chosen_radio)
    for above in (node, *before.ancestors(node)):
        later = after.get(above.uid)
        if later is None:
            continue
        if above.role == "combo-box" or above.role in _LISTS:
            was, is_now = chosen(before, above), chosen(after, later)
            if is_now is not None and is_now != was:
                return Outcome("select_option", above, (is_now,))
            return None
        if above.role in _TABS:
            return _tab(before, after, above)
    return None


def _own(node: Node, now: Node) -> Outcome | None:
    if node.role in CHECKABLE and now.checked is not None and now.checked != node.checked and not now.mixed:
        return Outcome("check" if now.checked else "uncheck", node)
    if node.role == "radio" and now.checked and not node.checked:
        return Outcome("check", node)
    if node.role in NUMBERS or node.role in DATES:
        value = written(now)
        if value is not None and value != written(node):
            return Outcome("set_value", node, (value,))
    toggled = now.expanded is not None and now.expanded != node.expanded
    if node.role == "tree-item" and toggled and now.selected == node.selected:
        return Outcome("expand" if now.expanded else "collapse", node)
    return None


def written(node: Node) -> str | None:
    """The value of a field, as text that can be given to it; None if it has none, or hides it."""
    if node.password or node.value == MASK:
        return None
    if node.value is not None:
        return node.value
    if node.number is not None:
        return f"{node.number:g}"
    return node.text


def chosen(tree: Tree, node: Node) -> str | None:
    """The only chosen option of a combo box or list; None if there is none, or several are."""
    options = [option.text for option in node.options if option.selected]
    if not options and node.role != "combo-box":
        options = [
            below.name or below.text or ""
            for below in tree.descendants(node)
            if below.selected and below.role in OPTIONS
        ]
    if len(options) == 1:
        return options[0]
    return node.value if node.role == "combo-box" and not options else None


def _radio(before: Tree, after: Tree) -> Node | None:
    """The radio button that is chosen now and was not before."""
    for now in after.nodes:
        was = before.get(now.uid) if now.role == "radio" and now.checked else None
        if was is not None and not was.checked:
            return was
    return None


def _tab(before: Tree, after: Tree, tabs: Node) -> Outcome | None:
    for was in before.descendants(tabs):
        now = after.get(was.uid) if was.role == "tab" else None
        if now is not None and now.selected and not was.selected:
            return Outcome("click", was)
    return None


def differs(before: Tree, after: Tree) -> bool:
    """Whether anything looks different, apart from which element has the focus and where things are."""
    if before is after:
        return False
    if len(before.nodes) != len(after.nodes):
        return True
    known = before.by_uid
    for node in after.nodes:
        was = known.get(node.uid)
        if was is None:
            return True
        if was is not node and any(getattr(was, name) != getattr(node, name) for name in _SEEN):
            return True
    return False


def opened(before: Tree, after: Tree) -> list[Node]:
    """The windows that are new, other than menus and tool tips."""
    known = {root.uid for root in before.roots if root.visible}
    kinds = {window.uid: window.kind for window in after.windows}
    return [
        root
        for root in after.roots
        if root.uid not in known
        and root.visible
        and kinds.get(root.uid) != "popup"
        and root.role in ("window", "dialog", "alert", "alert-dialog")
    ]


def closed(before: Tree, after: Tree) -> list[Node]:
    """The windows that are gone."""
    left = {root.uid for root in after.roots if root.visible}
    return [root for root in before.roots if root.visible and root.uid not in left]
