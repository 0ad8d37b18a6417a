"""What `tree.dump` answers, as a tree, and by which target the server finds each element of it again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from ...model.errors import ActionFailed
from ...model.node import MASK, Node, Rect, Window
from ...model.record import dataclass
from ...model.tree import Tree
from .gip_roles import ACTIONS, EDITABLE, FOCUSABLE, WINDOWS
from .orca_roles import role_in_context, role_of

CHECKABLE = frozenset((
    "checkbox", "radio", "switch", "toggle-button", "menu-item-checkbox", "menu-item-radio", "menu-item",
    "unknown", "generic",
))  # fmt: skip
_NUMBERS = frozenset(("slider", "spin-button", "progress-indicator", "scroll-bar"))
_NUMBER = re.compile(r"\s*(-?\d+(?:\.\d+)?)")
_UNTOLD = frozenset(("unknown", "generic"))

Key = tuple[object, ...]
"""What tells an element from others, for as long as the server tells it so."""


@dataclass(frozen=True, eq=False)
class OrcaElement:
    """A node, and the words of the server for it."""

    node: Node
    backend: str
    id: str
    path: str
    kind: str
    label: str
    value: str | None
    rect: Rect | None

    @property
    def positional(self) -> bool:
        """Whether its path says only where it stands, so that another may be found there later."""
        return self.backend != "imgui"

    def may_be(self, data: Mapping[str, Any]) -> bool:
        """Whether an answer of the server can be about this element."""
        if str(data.get("class") or "") != self.kind:
            return False
        return str(data.get("label") or "") == self.label or rect_of(data.get("rect")) == self.rect


@dataclass(frozen=True, eq=False)
class Reading:
    """One dump: the tree, and by uid what its elements are to the server."""

    tree: Tree
    elements: Mapping[str, OrcaElement]

    def target(self, element: OrcaElement) -> dict[str, Any] | None:
        """A target that finds this element and no other; None if there is none."""
        every = self.elements.values()
        named = bool(element.id) and element.id != element.path
        if named and sum(other.id == element.id for other in every) == 1:
            return {"id": element.id}
        if element.path and sum(other.path == element.path for other in every) == 1:
            return {"path": element.path}
        properties = {"class": element.kind, "label": element.label, "backend": element.backend}
        if element.value is not None:
            properties["value"] = element.value
        alike = [
            other
            for other in every
            if (other.kind, other.label, other.backend) == (element.kind, element.label, element.backend)
            and element.value in (None, other.value)
        ]
        return {name: part for name, part in properties.items() if part} if len(alike) == 1 else None


def read_dump(data: Any, uid_of: Callable[[Key], str], *, details: bool = False) -> Reading:
    """The tree that a dump tells of; ActionFailed if it tells of none."""
    if not isinstance(data, Mapping) or not (data.get("path") or data.get("class")):
        raise ActionFailed(f"the Orca server answered tree.dump without a root: {str(data)[:200]}")
    return _Reading(uid_of, details).read(data)


def read_node(data: Mapping[str, Any], known: OrcaElement, *, details: bool = False) -> Node:
    """An element that is known already, as it is now."""
    above = known.node.parent
    fields = _fields(data, known.node.role, details)
    fields["uid"] = known.node.uid
    if known.node.child_count:
        fields["child_count"] = known.node.child_count
    if above is not None:
        fields["parent"] = above
    return Node.of(fields)


class _Reading:
    def __init__(self, uid_of: Callable[[Key], str], details: bool) -> None:
        self._uid_of = uid_of
        self._details = details
        self._nodes: list[Node] = []
        self._windows: list[Window] = []
        self._elements: dict[str, OrcaElement] = {}
        self._seen: Counter[Key] = Counter()

    def read(self, root: Mapping[str, Any]) -> Reading:
        # Further windows are somewhere below the main one there; here they come after all that is in it.
        windows: list[Mapping[str, Any]] = [root]
        for window in windows:
            self._below(window, windows)
        return Reading(Tree(self._nodes, tuple(self._windows)), self._elements)

    def _below(self, top: Mapping[str, Any], windows: list[Mapping[str, Any]]) -> None:
        stack: list[tuple[Mapping[str, Any], Node | None]] = [(top, None)]
        main = not self._windows
        while stack:
            data, above = stack.pop()
            children = [child for child in data.get("children") or () if isinstance(child, Mapping)]
            apart = [_is_window(child, main and above is None) for child in children]
            windows += [child for child, is_apart in zip(children, apart, strict=True) if is_apart]
            inner = [child for child, is_apart in zip(children, apart, strict=True) if not is_apart]
            node = self._add(data, above, len(inner))
            stack += [(child, node) for child in reversed(inner)]

    def _add(self, data: Mapping[str, Any], above: Node | None, count: int) -> Node:
        backend, kind = str(data.get("backend") or ""), str(data.get("class") or "")
        fields = _fields(data, _role(data, above), self._details)
        path, own = str(data.get("path") or ""), str(data.get("id") or "")
        key: Key = (backend, own or path, kind)
        self._seen[key] += 1
        # Not every id is unique; each element needs an identity of its own all the same.
        fields["uid"] = uid = self._uid_of((*key, self._seen[key]))
        if above is not None:
            fields["parent"] = above.uid
        if count:
            fields["child_count"] = count
        node = Node.of(fields)
        self._nodes.append(node)
        value = data.get("value")
        self._elements[uid] = OrcaElement(
            node,
            backend,
            own,
            path,
            kind,
            str(data.get("label") or ""),
            value if isinstance(value, str) else None,
            node.bounds,
        )
        if above is None:
            kind_of_window = "dialog" if node.role == "dialog" else "regular"
            self._windows.append(
                Window(uid, node.name, kind=kind_of_window, bounds=node.bounds, showing=node.visible)
            )
        return node


def _is_window(data: Mapping[str, Any], of_the_main_window: bool) -> bool:
    """Whether it is a window of its own.

    In wx that can be anywhere, as a dialog is the child of what opened it. Other toolkits have inner windows
    too, so only what hangs at the main window itself is taken for one.
    """
    backend = str(data.get("backend") or "")
    if backend == "imgui" or not (of_the_main_window or backend == "wx"):
        return False
    return role_of(backend, str(data.get("class") or ""), "") in WINDOWS


def _role(data: Mapping[str, Any], above: Node | None) -> str:
    backend, kind = str(data.get("backend") or ""), str(data.get("class") or "")
    role = role_of(backend, kind, str(data.get("id") or ""))
    if above is None:
        return role if role in WINDOWS else "window"
    value = data.get("value")
    text = value if isinstance(value, str) else None
    return role_in_context(role, above.role, str(data.get("label") or ""), text)


def _fields(data: Mapping[str, Any], role: str, details: bool) -> dict[str, Any]:
    """All of a node that the answer itself tells."""
    backend, kind = str(data.get("backend") or ""), str(data.get("class") or "")
    own, path = str(data.get("id") or ""), str(data.get("path") or "")
    fields: dict[str, Any] = {"uid": "", "role": role, "native_class": kind, "backend": backend or "orca"}
    if own and (own != path or backend == "imgui"):
        fields["automation_id"] = own
    fields.update({name: False for name in ("visible", "enabled") if data.get(name) is False})
    if (bounds := rect_of(data.get("rect"))) is not None:
        fields["bounds"] = bounds
    label = str(data.get("label") or "")
    value = data.get("value")
    fields.update(_content(role, _shown(label, backend), value if isinstance(value, str) else None))
    hint = data.get("name_hint")
    if isinstance(hint, str) and hint and "name" not in fields:
        fields["name"] = fields["labelled_by"] = hint
    if details:
        fields["properties"] = {name: part for name, part in (("path", path), ("label", label)) if part}
    return fields


def _content(role: str, label: str, value: str | None) -> dict[str, Any]:
    """What it says and holds, and what follows from its role."""
    content: dict[str, Any] = {}
    if role in CHECKABLE and value in ("true", "false", "mixed"):
        content["checked"] = value == "true"
        if value == "mixed":
            content["mixed"] = True
        value = None
    holds_text = role in EDITABLE or (role in _UNTOLD and value is not None)
    if label and not (holds_text and label == value):
        content["name"] = label
    if value is not None:
        content["value"] = value
        if value == MASK:
            content["password"] = True
    text = value if holds_text or role == "combo-box" else label or value
    if text is not None and role not in WINDOWS:
        content["text"] = text
    if role in _NUMBERS and value is not None and (number := _NUMBER.match(value)):
        content["number"] = float(number[1])
    if role in FOCUSABLE or role == "canvas" or holds_text:
        content["focusable"] = True
    if holds_text:
        content["editable"] = True
    if role in ACTIONS:
        content["actions"] = ACTIONS[role]
    return content


def _shown(label: str, backend: str) -> str:
    """A label as a person reads it: what follows `##` is there for ImGui alone."""
    return label.partition("##")[0] if backend == "imgui" else label


def rect_of(value: Any) -> Rect | None:
    """A rectangle of the screen; None if that is none."""
    if not isinstance(value, Mapping):
        return None
    numbers: list[Any] = [value.get(name) for name in ("x", "y", "w", "h")]
    if not all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in numbers):
        return None
    return Rect(*numbers)
