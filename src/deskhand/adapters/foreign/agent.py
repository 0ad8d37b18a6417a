"""A desktop that another project's agent serves by the Agent contract, as one more toolkit.

The contract reads everything, and acts on what a query of role, label, window, id and number finds: it
presses, sets values, gives the focus, opens context menus and arranges windows. It has no mouse, keyboard or
screenshots; what needs those is refused with a reason, never imitated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from ...model import operations as ops
from ...model.alike import alike
from ...model.errors import (
    ActionFailed,
    ActionUnsupported,
    Ambiguous,
    NotFound,
    OptionNotFound,
    Stale,
    UnknownMethod,
)
from ...model.node import AppInfo, AppState, Font, Image, Rect
from ...model.operations import Action
from ...model.tree import Tree
from ..choices import LISTED, available
from ..external import Outer
from ..performer import arranged
from .agent_tree import AgentElement, Reading, is_called, read_windows

Call = Callable[[str, Mapping[str, Any], float], Any]
"""Posts a request to an endpoint, within a timeout in seconds; gives the answer or raises a DeskhandError."""

DEPTH = 200
"""How deep snapshots are asked for; agents stop at 3 unless told."""
OPTIONS = frozenset((
    "list-item", "list-box-option", "menu-item", "menu-item-radio", "menu-item-checkbox", "menu-list-option",
    "tab", "tree-item", "radio", "row",
))  # fmt: skip
_WINDOW_ENDPOINTS = {
    "focus": "/window-focus",
    "move": "/window-move",
    "resize": "/window-resize",
    "minimize": "/window-minimize",
    "close": "/window-close",
}
_OURS = ("run `deskhand agent` on that machine: it can do everything",)


class AgentAdapter(Outer):
    """Drives a desktop through `call`. Implements model.adapter.Adapter."""

    name = "agent"

    def __init__(self, call: Call, *, platform: str = "") -> None:
        self._call = call
        self._info = AppInfo(
            framework=f"{platform} desktop".strip(), version="", pid=0, title=None, toolkit=self.name
        )
        self._uids: dict[tuple[object, ...], str] = {}
        """By what is known to tell an element from others; see agent_tree."""
        self._numbers = count(1)
        self._seen = Reading({}, Tree([]))

    def info(self) -> AppInfo:
        return self._info

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        if root is None and depth == 0:
            return read_windows(self._call("/windows", {}, timeout), self._uid).tree
        self._seen = read_windows(
            self._call("/snapshot", {"mode": "full", "depth": DEPTH}, timeout), self._uid
        )
        tree = self._seen.tree.part(root, depth)
        if details and root is not None:
            node = tree.nodes[0]
            font = self._font(self._seen, node.uid, timeout)
            tree.nodes = [node if font is None else node.changed(font=font), *tree.nodes[1:]]
        return tree

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        if isinstance(action, ops.ControlWindow):
            return self._control(action, uid, timeout)
        if uid is None:
            raise ActionUnsupported(
                "an agent of this make has no mouse and no keyboard; it acts on elements only",
                suggestions=_OURS,
            )
        element = self._element(uid)
        match action:
            case ops.Press():
                return self._act("/press", element, timeout)
            case ops.Click(button="left", count=1, modifiers=(), x=None, y=None):
                return self._act("/press", element, timeout, "pressed: this agent has no mouse")
            case ops.Click(button="right", count=1, modifiers=(), x=None, y=None):
                return self._act("/show-menu", element, timeout, "menu opened: this agent has no mouse")
            case ops.ShowMenu():
                return self._act("/show-menu", element, timeout)
            case ops.Focus():
                return self._act("/focus", element, timeout)
            case ops.SetValue(value=value):
                return self._act("/set-value", element, timeout, value=value)
            case ops.TypeText(submit=False):
                return self._type(action, element, timeout)
            case ops.SetChecked(checked=wanted):
                return self._check(element, wanted, timeout)
            case ops.Select(column=None, extend=False):
                return self._select(action, element, timeout)
        raise ActionUnsupported(
            f"an agent of this make cannot {ops.NAMES[type(action)].replace('_', ' ')} like this: "
            "the contract has press, set-value, focus, show-menu and windows, and neither mouse nor keyboard",
            suggestions=_OURS,
        )

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        raise ActionUnsupported("the Agent contract has no screenshots", suggestions=_OURS)

    def desktop(self, *, timeout: float) -> Image:
        raise ActionUnsupported("the Agent contract has no screenshots", suggestions=_OURS)

    def idle(self, *, timeout: float) -> None:
        """The contract cannot tell; an agent answers once what was asked before is done."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """The contract has no events; a wait reads again and again."""
        return lambda: None

    def state(self, *, timeout: float) -> AppState:
        windows = self.read(depth=0, timeout=timeout).windows
        modal = next((window.title for window in windows if window.kind == "dialog" and window.focused), None)
        return AppState(modal_dialog=modal)

    def close(self) -> None:
        """The connection belongs to the code that made it."""

    # -- acting ------------------------------------------------------------------------------------

    def _act(
        self, endpoint: str, element: AgentElement, timeout: float, detail: str | None = None, **more: Any
    ) -> Mapping[str, object]:
        query = self._query(element, timeout)
        try:
            self._call(endpoint, {**query, **more}, timeout)
        except NotFound as error:
            raise Stale(
                f"the agent showed {element.node} and does not find it now: {error.message}",
                target=f"uid={element.node.uid}",
                suggestions=("some agents look no deeper than ten levels for what to act on",),
            ) from None
        return {} if detail is None else {"detail": detail}

    def _type(self, action: ops.TypeText, element: AgentElement, timeout: float) -> Mapping[str, object]:
        node = element.node
        if node.password and not action.clear:
            raise ActionUnsupported(
                "an agent of this make can only replace the text of a password field",
                suggestions=("fill it, or type with clear", *_OURS),
            )
        held = "" if action.clear else node.value or ""
        detail = "set as a whole: this agent has no keyboard"
        return self._act("/set-value", element, timeout, detail, value=held + action.text)

    def _check(self, element: AgentElement, wanted: bool, timeout: float) -> Mapping[str, object]:
        if element.node.checked is None:
            raise ActionUnsupported(
                f"the agent does not tell whether {element.node} is checked",
                suggestions=("press it, and look at what it did", *_OURS),
            )
        return {} if element.node.checked is wanted else self._act("/press", element, timeout)

    def _select(self, action: ops.Select, element: AgentElement, timeout: float) -> Mapping[str, object]:
        options = [node for node in self._seen.tree.descendants(element.node) if node.role in OPTIONS]
        wanted = action.text if action.text is not None else action.value
        for index, node in enumerate(options):
            if index == action.index or (wanted is not None and wanted in (node.name, node.value)):
                self._act("/press", self._seen.elements[node.uid], timeout)
                return {"selected": {"index": index, "text": node.name}}
        names = [str(node.name) for node in options]
        asked = f"'{wanted}'" if wanted is not None else f"number {action.index}"
        raise OptionNotFound(
            f"{element.node} has no option {asked}{available(names, len(names)) or '; the agent sees none'}",
            options=names[:LISTED],
            options_count=len(names),
            near=alike(wanted or "", names),
            suggestions=() if names else ("press it, and then what opens", *_OURS),
        )

    def _control(self, action: ops.ControlWindow, uid: str | None, timeout: float) -> Mapping[str, object]:
        endpoint = _WINDOW_ENDPOINTS.get(action.do)
        if endpoint is None:
            raise ActionUnsupported(f"the Agent contract cannot {action.do} a window", suggestions=_OURS)
        window, bounds = self._window(uid, timeout)
        names = {"move": ("x", "y"), "resize": ("width", "height")}.get(action.do, ())
        params = dict(zip(names, arranged(action, bounds or Rect(0, 0, 0, 0)), strict=False))
        self._call(endpoint, {"window": window, **params}, timeout)
        return {}

    def _window(self, uid: str | None, timeout: float) -> tuple[str, Rect | None]:
        """The words by which the agent finds a window: it takes the first that they match. And its bounds."""
        tree = self.read(timeout=timeout)
        node = tree.main if uid is None else tree.get(uid)
        if node is None:
            raise Stale(f"{uid} is gone" if uid else "there is no window", target=f"uid={uid}")
        window = tree.window_of(node)
        for words in self._seen.names(window.uid):
            called = (seen for seen in tree.windows if is_called(words, seen))
            if next(called).uid == window.uid:
                return words, window.bounds
        raise ActionUnsupported(
            f"the agent finds windows by a part of their title, and would take another one for {window}",
            suggestions=_OURS,
        )

    # -- finding what to act on ----------------------------------------------------------------------

    def _element(self, uid: str) -> AgentElement:
        element = self._seen.elements.get(uid)
        if element is None:
            raise Stale(f"{uid} is gone", target=f"uid={uid}")
        return element

    def _query(self, element: AgentElement, timeout: float) -> dict[str, Any]:
        """A query that finds this element and no other.

        A number is given only where nothing else tells it apart. Agents count differently (the contract
        says from 0, one counts from 1, one stops at a depth), so what a number finds is looked at first.
        """
        queries = list(_queries(self._seen, element))
        found = [self._seen.matching(query) for query in queries]
        for query, matches in zip(queries, found, strict=True):
            if len(matches) == 1:
                return query
        query, same = min(zip(queries, found, strict=True), key=lambda pair: len(pair[1]))
        place = next(index for index, other in enumerate(same) if other.node.uid == element.node.uid)
        for index in (place, place + 1):
            numbered = {**query, "index": index}
            if element.looks_like(self._inspect(numbered, timeout)):
                return numbered
        raise ActionUnsupported(
            f"{len(same)} elements look like {element.node} to the agent; it cannot distinguish them",
            suggestions=_OURS,
        )

    def _inspect(self, query: Mapping[str, Any], timeout: float) -> Mapping[str, Any]:
        try:
            answer = self._call("/inspect", query, timeout)
        except (NotFound, Ambiguous, ActionFailed):
            return {}
        return answer if isinstance(answer, Mapping) else {}

    def _font(self, seen: Reading, uid: str, timeout: float) -> Font | None:
        element = seen.elements.get(uid)
        if element is None:
            return None
        try:
            answer = self._inspect(self._query(element, timeout), timeout)
        except (ActionUnsupported, UnknownMethod):
            # Fallback: few callers need the look of a text; the rest is known without it.
            return None
        size = answer.get("fontSize")
        font = Font(
            family=_word(answer.get("fontFamily")),
            size=size if isinstance(size, (int, float)) else None,
            weight=_word(answer.get("fontWeight")),
            color=_word(answer.get("textColor")),
        )
        return None if font == Font() else font

    def _uid(self, key: tuple[object, ...]) -> str:
        return self._uids.get(key) or self._uids.setdefault(key, f"a-{next(self._numbers)}")


def _queries(seen: Reading, element: AgentElement) -> Iterator[dict[str, Any]]:
    """Ways to ask for an element, the plainest first; the last says all that can be said."""
    query: dict[str, Any] = {"role": element.role}
    if element.label:
        query["label"] = element.label
    if element.id:
        yield {**query, "id": element.id}
    yield query
    for words in seen.names(element.window):
        yield {**query, "window": words}
    if element.id:
        query["id"] = element.id
        for words in seen.names(element.window):
            yield {**query, "window": words}


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
