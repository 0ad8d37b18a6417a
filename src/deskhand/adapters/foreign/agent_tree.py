"""What an agent answers to /windows and /snapshot, as a tree, and how the agent itself would search in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...model.errors import ActionFailed
from ...model.node import MASK, Node, Rect, Window
from ...model.record import dataclass
from ...model.roles import CONTROL_ROLES, ROLES, UNKNOWN
from ...model.tree import Cut, Tree
from .gip_roles import EDITABLE, FOCUSABLE

_KINDS = {
    "dialog": "dialog", "alert": "dialog", "menubar": "menuBar", "floating": "floating", "sheet": "sheet",
    "systemdialog": "systemDialog", "menu": "popup", "popup": "popup",
}  # fmt: skip
"""Kinds of windows by the words of several agents; any other word is a regular window."""
_ACTIONS = {
    "press": "press", "click": "press", "activate": "press", "invoke": "press", "axpress": "press",
    "dodefault": "press", "jump": "press", "push": "press",
    "focus": "focus", "grabfocus": "focus", "setfocus": "focus",
    "showmenu": "show-menu", "menu": "show-menu", "popup": "show-menu", "axshowmenu": "show-menu",
    "toggle": "toggle", "expand": "expand", "collapse": "collapse", "select": "select",
    "setvalue": "set-value", "increment": "increment", "decrement": "decrement", "edit": "edit",
    "axincrement": "increment", "axdecrement": "decrement", "scrollintoview": "scroll-into-view",
}  # fmt: skip
_CHECKABLE = frozenset((
    "checkbox", "radio", "switch", "toggle-button", "menu-item-checkbox", "menu-item-radio",
))  # fmt: skip
_NUMBERS = frozenset(("slider", "spin-button", "progress-indicator", "scroll-bar", "meter"))
_TEXTS = frozenset(("text", "label-text", "heading", "paragraph", "caption", "status", "text-run", "tooltip"))
_YES = frozenset(("1", "true", "on", "yes", "checked", "selected"))
_NO = frozenset(("0", "false", "off", "no", "unchecked", "unselected"))
_NOWHERE = -(2**30)
"""What lies further out than this has no place: off-screen menu items say -2147483648."""

UidOf = Callable[[tuple[object, ...]], str]


@dataclass(frozen=True)
class AgentElement:
    """A node, and what the agent itself says of it, which is what it can be asked for by."""

    node: Node
    role: str
    label: str | None
    id: str | None
    window: str
    """The uid of its window."""

    def looks_like(self, inspected: Mapping[str, Any]) -> bool:
        """Whether an answer to /inspect is about this element, as far as is known."""
        data = inspected.get("element")
        if not isinstance(data, Mapping):
            return False
        same = (_text(data, "label"), _text(data, "id")) == (self.label, self.id)
        bounds = _bounds(data) or _bounds(inspected, "boundsX", "boundsY", "boundsWidth", "boundsHeight")
        return same and data.get("role") == self.role and bounds == self.node.bounds


@dataclass(frozen=True)
class Reading:
    """A snapshot that was read: its tree, and each element by uid."""

    elements: Mapping[str, AgentElement]
    tree: Tree

    def names(self, window: str) -> Iterator[str]:
        """The words by which the agent finds a window: its title, its app."""
        found = self.tree.window(window)
        if found is not None:
            yield from filter(None, (found.title, found.app_name))

    def matching(self, query: Mapping[str, Any]) -> list[AgentElement]:
        """What the agent finds for a query: role and id exactly, label and window by a part of them."""
        words, label = str(query.get("window", "")), str(query.get("label", "")).lower()
        windows = {window.uid for window in self.tree.windows if is_called(words, window)}
        return [
            element
            for element in self.elements.values()
            if element.window in windows
            and query.get("role") in (None, element.role)
            and query.get("id") in (None, element.id)
            and label in (element.label or "").lower()
        ]


def is_called(words: str, window: Window) -> bool:
    """Whether the agent takes these words for that window: a part of its title or of its app's name."""
    return words.lower() in (window.title or "").lower() or words.lower() in window.app_name.lower()


def read_windows(answer: Any, uid_of: UidOf) -> Reading:
    """The windows of an answer with all that is in them; `uid_of` gives a uid to what tells one apart."""
    windows = answer.get("windows") if isinstance(answer, Mapping) else None
    if not isinstance(windows, list):
        raise ActionFailed(f"the agent answered without windows: {str(answer)[:200]}")
    return _Walk(uid_of).read([window for window in windows if isinstance(window, Mapping)])


class _Walk:
    """One answer on its way to a tree."""

    def __init__(self, uid_of: UidOf) -> None:
        self._uid_of = uid_of
        self._nodes: list[Node] = []
        self._windows: list[Window] = []
        self._elements: dict[str, AgentElement] = {}
        self._focused: str | None = None
        self._cut: list[str] = []

    def read(self, windows: list[Mapping[str, Any]]) -> Reading:
        counts: Counter[tuple[object, ...]] = Counter()
        for data in _without_copies(windows):
            kind = _kind(data)
            key = (_text(data, "appName"), kind, _text(data, "title"))
            counts[key] += 1
            self._window(data, kind, (*key, counts[key]))
        reason = "the agent reads no deeper; ask for the window or element alone"
        cut = Cut(len(self._cut), reason, tuple(self._cut[:100])) if self._cut else None
        tree = Tree(self._nodes, tuple(self._windows), focused=self._focused, cut=cut)
        return Reading(self._elements, tree)

    def _window(self, data: Mapping[str, Any], kind: str, key: tuple[object, ...]) -> None:
        uid = self._uid_of(key)
        title, bounds = _text(data, "title"), _bounds(data)
        children = _elements(data.get("elements"))
        fields: dict[str, Any] = {
            "uid": uid,
            "role": {"dialog": "dialog", "systemDialog": "dialog", "menuBar": "menu-bar"}.get(kind, "window"),
            "backend": "agent",
            "child_count": len(children),
        }
        if title is not None:
            fields["name"] = title
        if bounds is not None:
            fields["bounds"] = bounds
        focused = data.get("focused") is True
        self._nodes.append(Node.of(fields))
        app = _text(data, "appName") or ""
        self._windows.append(Window(uid, title, app, kind=kind, bounds=bounds, focused=focused))
        self._below(self._nodes[-1], children)

    def _below(self, top: Node, elements: list[Mapping[str, Any]]) -> None:
        stack = [(data, top, key) for data, key in reversed(_keyed(elements, top.uid))]
        while stack:
            data, above, key = stack.pop()
            node = self._node(data, above, key)
            self._nodes.append(node)
            role, label = _text(data, "role") or UNKNOWN, _text(data, "label")
            self._elements[node.uid] = AgentElement(node, role, label, _text(data, "id"), top.uid)
            children = _elements(data.get("children"))
            if not children and node.child_count:
                self._cut.append(node.uid)
            stack += [(child, node, child_key) for child, child_key in reversed(_keyed(children, node.uid))]

    def _node(self, data: Mapping[str, Any], above: Node, key: tuple[object, ...]) -> Node:
        role, platform_role = _role(data.get("role")), _text(data, "platformRole")
        fields: dict[str, Any] = {
            "uid": self._uid_of(key),
            "role": role,
            "parent": above.uid,
            "backend": "agent",
        }
        if platform_role:
            fields["platform_role"] = fields["native_class"] = platform_role
        # Agents tell both with what is above in mind; that a container says no is often said of itself alone.
        if not _flag(data.get("showing"), above.visible):
            fields["visible"] = False
        if not _flag(data.get("enabled"), above.enabled):
            fields["enabled"] = False
        for name, key_name in (("automation_id", "id"), ("description", "description"), ("name", "label")):
            if text := _text(data, key_name):
                fields[name] = text
        if (bounds := _bounds(data)) is not None:
            fields["bounds"] = bounds
        if data.get("focused") is True:
            fields["focused"] = True
            self._focused = fields["uid"]
        actions = [str(action) for action in data.get("actions") or () if isinstance(action, str)]
        if actions:
            known = (_ACTIONS.get(re.sub(r"[^a-z]", "", action.lower())) for action in actions)
            fields["actions"] = tuple(dict.fromkeys(filter(None, known)))
            fields["properties"] = {"actions": actions}
        count = data.get("childCount")
        if isinstance(count, int) and count > 0:
            fields["child_count"] = count
        fields.update(_content(data, role, platform_role, fields))
        return Node.of(fields)


def _content(
    data: Mapping[str, Any], role: str, platform_role: str | None, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """What an element holds, and what follows from its role."""
    content: dict[str, Any] = {}
    value = _text(data, "value", empty=True)
    said_role = (platform_role or "").lower()
    if "password" in said_role or "secure" in said_role:
        content["password"] = True
        value = MASK if value else value
    if value is not None:
        content["value"] = value
    text = value if role in EDITABLE else fields.get("name") if role in _TEXTS else None
    text = value if text is None and role in _TEXTS else text
    if text is not None:
        content["text"] = text
    if role in _NUMBERS and value is not None and re.fullmatch(r"-?\d+(\.\d+)?", value):
        content["number"] = float(value)
    answer = (value or "").lower().removesuffix(".0")
    if role in _CHECKABLE and answer in _YES | _NO:
        content["checked"] = answer in _YES
    actions = fields.get("actions", ())
    if role in FOCUSABLE or "focus" in actions:
        content["focusable"] = True
    if role in EDITABLE or role in ("slider", "scroll-bar") or "set-value" in actions:
        content["editable"] = True
    return content


def _without_copies(windows: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The windows without a menu bar that is a window of its own here, and also a part of one."""
    with_bar = {
        _text(window, "appName") for window in windows if _kind(window) != "menuBar" and _has_bar(window)
    }
    return [
        window for window in windows if _kind(window) != "menuBar" or _text(window, "appName") not in with_bar
    ]


def _has_bar(window: Mapping[str, Any]) -> bool:
    stack = _elements(window.get("elements"))
    while stack:
        data = stack.pop()
        if data.get("role") == "menu-bar":
            return True
        stack += _elements(data.get("children"))
    return False


def _keyed(
    elements: list[Mapping[str, Any]], above: str
) -> list[tuple[Mapping[str, Any], tuple[object, ...]]]:
    """Each with what tells it from its siblings.

    The caption of a control is a part of that, as another caption is mostly another control; that of a text
    is not, as texts change.
    """
    counts: Counter[tuple[object, ...]] = Counter()
    keyed: list[tuple[Mapping[str, Any], tuple[object, ...]]] = []
    for data in elements:
        role = _text(data, "role") or UNKNOWN
        own = (role, _text(data, "id"), _text(data, "label") if role in CONTROL_ROLES else None)
        counts[own] += 1
        keyed.append((data, (above, *own, counts[own])))
    return keyed


def _elements(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _role(value: Any) -> str:
    """A unified role; some agents write them in camel case."""
    if not isinstance(value, str):
        return UNKNOWN
    role = value if value in ROLES else re.sub(r"(?<!^)(?=[A-Z])", "-", value).lower()
    return role if role in ROLES else UNKNOWN


def _kind(window: Mapping[str, Any]) -> str:
    return _KINDS.get(str(window.get("windowType") or "").lower().replace("-", ""), "regular")


def _bounds(
    data: Mapping[str, Any],
    x: str = "positionX",
    y: str = "positionY",
    width: str = "sizeWidth",
    height: str = "sizeHeight",
) -> Rect | None:
    numbers: list[Any] = [data.get(name) for name in (x, y, width, height)]
    if not all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in numbers):
        return None
    return None if min(numbers[:2]) < _NOWHERE or min(numbers[2:]) < 0 else Rect(*numbers)


def _text(data: Mapping[str, Any], name: str, *, empty: bool = False) -> str | None:
    """A text, or a number as one; null and what is left out are the same."""
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None if not isinstance(value, bool) else str(value).lower()
    text = str(value)
    return text if text or empty else None


def _flag(value: Any, default: bool) -> bool:
    return value if isinstance(value, bool) else default
