"""Nodes by what they show: `{"text": "Save"}` or `{"role": "button", "name": "Save"}` instead of a reference.

Exactly one must be meant. Of several, those that are visible count first, then those in the focused window
and its pop-ups, then those that can be operated: a caption does not compete with its field, nor a text with
its button.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...model import operations as ops
from ...model.errors import Ambiguous, DeskhandError, NotFound, UiBusy, WaitTimeout
from ...model.node import Node
from ...model.operations import Cancel, Runner
from ...model.selector import near, parse, quote
from ...model.syntax import role_name
from ...model.tree import Tree
from .node import is_interactive, line_of
from .refs import Given
from .scene import Scene

_MEMBERS = ("text", "role", "name")
_TEXTS = ("text", "label-text", "heading", "paragraph", "legend")
_MOST = 200
_NAMED = 5
"""How many nodes an error names."""


def is_described(ref: Mapping[str, Any]) -> bool:
    """Whether a reference says what a node shows, instead of which it is."""
    return any(name in ref for name in _MEMBERS)


def find_described(
    ref: Mapping[str, Any],
    given: Given,
    runner: Runner,
    scene: Callable[[], Scene],
    patience: float,
    cancel: Cancel | None,
) -> Node:
    """The only node that is meant, which may take so many seconds to show up; NotFound or Ambiguous."""
    selector = selector_of(ref)

    def find() -> Sequence[Node]:
        return runner.run(ops.Find(selector, limit=_MOST), cancel)

    found = _visible(find())
    # An entry of a closed menu is hidden, and a click opens the menu.
    if not patience or any(node.visible or node.role.startswith("menu-item") for node in found):
        return _meant(ref, given, found, scene)
    try:
        runner.run(ops.Wait(selector, "visible", any_match=True, timeout=patience), cancel)
    except WaitTimeout:
        try:
            return _meant(ref, given, _visible(find()), scene)
        except UiBusy:
            raise _unseen(ref, patience) from None
    return _meant(ref, given, _visible(find()), scene)


def _meant(ref: Mapping[str, Any], given: Given, found: Sequence[Node], scene: Callable[[], Scene]) -> Node:
    """The only one that is meant of those that match; NotFound or Ambiguous."""
    if len(found) == 1:
        return given.tag(Tree(found)).nodes[0]
    now = scene()
    tagged = [node for one in found if (node := now.tree.get(given.tagged(one.uid))) is not None]
    if not tagged:
        raise _nothing(ref, now)
    meant = _operable(_in_front(tagged, now))
    if len(meant) > 1:
        raise _several(ref, meant, now)
    return meant[0]


def selector_of(ref: Mapping[str, Any]) -> str:
    """What is described, in our own selectors."""
    role = ref.get("role")
    # What a snapshot calls a node is often its class.
    selector = "" if role is None else (role_name(role) or f".{quote(role)}")
    for member, fields in (("name", ("name", "text")), ("text", ("name", "text", "value"))):
        if member in ref:
            wanted = quote(ref[member].strip())
            selector += f":is({', '.join(f'[{field}={wanted}]' for field in fields)})"
    return selector


def _visible(nodes: Sequence[Node]) -> list[Node]:
    return [node for node in nodes if node.visible] or list(nodes)


def _in_front(nodes: list[Node], scene: Scene) -> list[Node]:
    stages = () if scene.main is None else scene.with_popups(scene.main)
    roots = {stage.root.uid for stage in stages}
    return [
        node for node in nodes if (stage := scene.stage_of(node)) is not None and stage.root.uid in roots
    ] or nodes


def _operable(nodes: list[Node]) -> list[Node]:
    interactive = [node for node in nodes if is_interactive(node)]
    return interactive or [node for node in nodes if node.role not in _TEXTS] or nodes


def _described(ref: Mapping[str, Any]) -> str:
    return json.dumps({name: ref[name] for name in _MEMBERS if name in ref}, ensure_ascii=False)[:200]


def _listed(nodes: Sequence[Node]) -> str:
    listed = ", ".join(map(line_of, nodes[:_NAMED]))
    return f"{listed} and {len(nodes) - _NAMED} more" if len(nodes) > _NAMED else listed


def _nothing(ref: Mapping[str, Any], scene: Scene) -> DeskhandError:
    """That nothing matches, with what looks like it."""
    wanted = ref.get("name", ref.get("text"))
    role = None if "role" not in ref else role_name(ref["role"])
    like = (role or "") + ("" if wanted is None else f"[name={quote(wanted.strip())}]")
    alike = [node for node in near(parse(like or "*"), scene.tree).nodes if node.visible]
    saw = f"; there is {_listed(alike)}" if alike else ""
    return NotFound(
        f"nothing matches {_described(ref)}{saw}",
        suggestions=() if alike else ("ui_get_snapshot or ui_query shows the current nodes",),
    )


def _unseen(ref: Mapping[str, Any], patience: float) -> NotFound:
    """That nothing visible matched, where the app is too slow to be read once more."""
    return NotFound(
        f"nothing visible matched {_described(ref)} within {patience:.1f} s",
        suggestions=("ui_get_snapshot or ui_query shows the current nodes",),
    )


def _several(ref: Mapping[str, Any], nodes: Sequence[Node], scene: Scene) -> Ambiguous:
    return Ambiguous(
        f"{len(nodes)} nodes match {_described(ref)}: {_listed(nodes)}",
        refs=[scene.ref(node) for node in nodes[:_NAMED]],
        suggestions=("name one by its uid, or by role and name",),
    )
