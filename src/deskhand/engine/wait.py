"""Whether a condition holds in a tree, for every state that can be waited for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..model.alike import alike
from ..model.errors import InvalidParams
from ..model.node import Node
from ..model.operations import STATES, Wait
from ..model.order import shown_text
from ..model.record import dataclass
from ..model.regex import compiled, found_in, one_query, regex_problem
from ..model.selector import Selector
from ..model.syntax import Regex
from ..model.tree import Tree
from .locate import meant

_MATCHES = ("equals", "contains", "regex")
_LIMIT = 1000
"""How many matches are tested where any of them is enough."""
_SEARCHED = 100_000
"""How much of a text a regular expression is searched in, unless its cost allows less."""


@dataclass(frozen=True)
class Verdict:
    """Whether it holds, and what was seen."""

    holds: bool
    node: Node | None
    count: int
    seen: dict[str, Any]


def check(wait: Wait) -> None:
    """Refuse a wait that could never mean anything."""
    if wait.state not in STATES:
        near = alike(wait.state, STATES)
        raise InvalidParams(
            f"no state '{wait.state}'; there are {', '.join(STATES)}", field="state", near=near
        )
    if wait.state in ("value", "text", "name") and wait.value is None:
        raise InvalidParams(f"waiting for a {wait.state} needs the value to wait for", field="value")
    if wait.state == "count" and (wait.count is None or wait.count < 0):
        raise InvalidParams("waiting for a count needs the count, 0 or more", field="count")
    if wait.match not in _MATCHES:
        raise InvalidParams(f"no way to match '{wait.match}'; there are {', '.join(_MATCHES)}", field="match")
    if wait.timeout < 0 or wait.poll <= 0:
        raise InvalidParams("a timeout is 0 or more, a poll interval more than 0", field="timeout")
    if wait.match == "regex" and (problem := regex_problem(Regex(wait.value or "", ""))) is not None:
        raise InvalidParams(f"cannot match '{wait.value}': {problem}", field="value")


def straight(wait: Wait) -> Wait:
    """The same condition without a negation, where there is a state for the opposite."""
    opposite = _OPPOSITES.get(wait.state) if wait.negate else None
    return wait if opposite is None else replace(wait, state=opposite, negate=False)


_OPPOSITES = {"exists": "gone", "gone": "exists", "visible": "hidden", "hidden": "visible"}


def judge(wait: Wait, tree: Tree, selector: Selector) -> Verdict:
    """See whether the condition holds now."""
    found = selector.find(tree)
    count = len(found)
    if wait.state in ("exists", "gone", "count"):
        holds = {"exists": count > 0, "gone": count == 0, "count": count == wait.count}[wait.state]
        shown = found if wait.any_match else meant(found)
        node = shown[0] if len(shown) == 1 or (shown and wait.any_match) else None
        return Verdict(holds != wait.negate, node, count, {"count": count})
    if wait.state == "hidden":
        shown = [node for node in found if node.visible]
        return Verdict(not shown, None, count, {"count": count, "visible": bool(shown)})
    found = found[:_LIMIT] if wait.any_match else meant(found)
    if not found or (len(found) > 1 and not wait.any_match):
        return Verdict(False, None, count, {"count": count})
    condition = _CONDITIONS[wait.state]
    with one_query():
        node = next((node for node in found if condition(node, wait) != wait.negate), None)
    return Verdict(node is not None, node, count, _seen(wait.state, node or found[0]))


def state_of(node: Node) -> dict[str, Any]:
    """What is worth telling about a node that is not as it should be."""
    seen: dict[str, Any] = {"visible": node.visible, "enabled": node.enabled}
    for name in ("name", "text", "value", "checked", "selected"):
        if (value := getattr(node, name)) is not None:
            seen[name] = value
    if node.focused:
        seen["focused"] = True
    return seen


def _seen(state: str, node: Node) -> dict[str, Any]:
    """What is worth telling, and in any case what was looked at."""
    if state == "empty":
        items = node.virtualization.items_count if node.virtualization else node.child_count
        return {**state_of(node), "empty": _is_empty(node), "items": items}
    name = {"disabled": "enabled", "unchecked": "checked"}.get(state, state)
    return {**state_of(node), name: shown_text(node) if name == "text" else getattr(node, name)}


def describe(wait: Wait) -> str:
    """The condition in words, after «to»."""
    if wait.negate:
        return f"not {describe(replace(wait, negate=False))}"
    if wait.state == "count":
        return f"have {wait.count} matches"
    if wait.state in ("value", "text", "name"):
        how = {"equals": "", "contains": " containing", "regex": " matching"}[wait.match]
        return f"have the {wait.state}{how} '{wait.value}'"
    return {"exists": "exist", "gone": "be gone"}.get(wait.state, f"be {wait.state}")


def _text_matches(actual: str | None, wait: Wait) -> bool:
    wanted = wait.value or ""
    if actual is None:
        return False
    if wait.match == "contains":
        return wanted in actual
    if wait.match == "regex":
        return found_in(actual, compiled(Regex(wanted, "")), _SEARCHED)
    return actual == wanted


def _is_empty(node: Node) -> bool:
    """Whether a field has no text, a list no items, and any other element neither text nor content."""
    if node.virtualization is not None:
        return node.virtualization.items_count == 0
    if node.editable or node.value is not None:
        return not (node.value or node.text)
    return not (shown_text(node) or node.child_count or node.options)


_CONDITIONS: dict[str, Callable[[Node, Wait], bool]] = {
    "visible": lambda node, _: node.visible,
    "enabled": lambda node, _: node.enabled and node.visible,
    "disabled": lambda node, _: not node.enabled,
    "focused": lambda node, _: node.focused,
    "checked": lambda node, _: node.checked is True,
    "unchecked": lambda node, _: node.checked is False,
    "selected": lambda node, _: node.selected is True,
    "editable": lambda node, _: node.editable,
    "empty": lambda node, _: _is_empty(node),
    "value": lambda node, wait: _text_matches(node.value, wait),
    "text": lambda node, wait: _text_matches(shown_text(node), wait),
    "name": lambda node, wait: _text_matches(node.name, wait),
}
