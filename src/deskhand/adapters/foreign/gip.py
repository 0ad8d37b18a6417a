"""A program with another project's GIP server, as one more toolkit.

GIP tells little (type, name, a few properties) and can little (click, type, select); the rest is refused with
a reason, never imitated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported, Stale, UnknownMethod
from ...model.node import MASK, AppInfo, AppState, Image, Node, Option, Rect, Window
from ...model.operations import Action
from ...model.tree import Tree
from ..external import Outer
from .gip_roles import ACTIONS, EDITABLE, FOCUSABLE, WINDOWS, role_of

Call = Callable[[str, Mapping[str, Any], float], Any]
"""Calls a method with parameters and a timeout in seconds; gives its result or raises a DeskhandError."""

_INDEXED = re.compile(r"(.+)\[(\d+)\]")


class GipAdapter(Outer):
    """Drives a program through `call`. Implements model.adapter.Adapter."""

    name = "gip"

    def __init__(
        self, call: Call, *, info: Mapping[str, Any] | None = None, title: str | None = None
    ) -> None:
        """`info` is the `app_info` that its connect answered with, if it knows connect."""
        self._call = call
        about = dict(info or {})
        pid = about.get("pid")
        self._info = AppInfo(
            framework=str(about.get("framework") or "unknown"),
            version=str(about.get("version") or ""),
            pid=pid if isinstance(pid, int) else 0,
            title=str(about.get("title") or "") or title,
            toolkit=self.name,
        )
        self._uids: dict[tuple[str, str], str] = {}
        """By ref and type: that is all the identity that GIP gives to an element."""
        self._refs: dict[str, str] = {}
        """By uid, the ref by which the server finds it."""

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
        snapshot = self._call("snapshot", {}, timeout)
        if not isinstance(snapshot, dict) or "ref" not in snapshot:
            raise ActionFailed(f"the GIP server answered a snapshot without a root: {str(snapshot)[:200]}")
        tree = _Reading(self._uid, self._info.title).read(snapshot)
        return tree.part(root, depth)

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        if uid is None:
            raise ActionUnsupported("GIP acts on elements only, never at a point or where the focus is")
        ref = self._refs.get(uid)
        if ref is None:
            raise Stale(f"{uid} is gone", target=f"uid={uid}")
        match action:
            case ops.Click(count=1, x=None, y=None):
                self._do("click", {"ref": ref, **_click_options(action)}, timeout)
            case ops.Press():
                self._do("click", {"ref": ref}, timeout)
            case ops.SetChecked(checked=wanted):
                if self.read(uid, depth=0, timeout=timeout).nodes[0].checked is not wanted:
                    self._do("click", {"ref": ref}, timeout)
            case ops.TypeText(text=text, clear=clear, submit=submit):
                options = {name: True for name, on in (("clear", clear), ("submit", submit)) if on}
                self._do("type", {"ref": ref, "text": text, **options}, timeout)
            case ops.SetValue(value=value):
                self._set_value(uid, ref, value, timeout)
            case ops.Select(column=None, extend=False):
                given = {"value": action.value, "index": action.index, "text": action.text}
                chosen = {name: part for name, part in given.items() if part is not None}
                answer = self._do("select", {"ref": ref, **chosen}, timeout)
                selected = answer.get("selected") if isinstance(answer, dict) else None
                return {"selected": selected if isinstance(selected, dict) else chosen}
            case _:
                raise ActionUnsupported(
                    f"GIP knows click, type and select, and not {ops.NAMES[type(action)]} like this",
                    suggestions=("instrument the program by deskhand run, which can do everything",),
                )
        return {}

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        raise ActionUnsupported(
            "GIP has no screenshots", suggestions=("instrument the program by deskhand run",)
        )

    def desktop(self, *, timeout: float) -> Image:
        raise ActionUnsupported(
            "GIP has no screenshots", suggestions=("instrument the program by deskhand run",)
        )

    def idle(self, *, timeout: float) -> None:
        """GIP cannot tell; a server answers only once what was asked before is done."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """GIP has no events; a wait reads again and again."""
        return lambda: None

    def state(self, *, timeout: float) -> AppState:
        windows = self.read(depth=0, timeout=timeout).windows
        modal = next((window.title for window in windows[1:] if window.kind == "dialog"), None)
        return AppState(modal_dialog=modal)

    def close(self) -> None:
        """The connection belongs to the code that made it."""

    def _do(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        try:
            return self._call(method, params, timeout)
        except UnknownMethod as error:
            raise ActionUnsupported(f"this GIP server does not know {method}: {error.message}") from None

    def _set_value(self, uid: str, ref: str, value: str, timeout: float) -> None:
        self._do("type", {"ref": ref, "text": value, "clear": True}, timeout)
        node = self.read(uid, depth=0, timeout=timeout).nodes[0]
        # Some servers do not know `clear`, and write the text behind what was there.
        held = "" if node.password else node.value or ""
        if value and held != value and held.endswith(value):
            raise ActionFailed(
                f"the GIP server did not clear {node} first: it holds '{held[:200]}' now",
                target=f"uid={uid}",
            )

    def _uid(self, ref: str, kind: str, resolvable: str) -> str:
        uid = self._uids.get((ref, kind))
        if uid is None:
            uid = self._uids[ref, kind] = f"g-{len(self._uids) + 1}"
        self._refs[uid] = resolvable
        return uid


def _click_options(action: ops.Click) -> dict[str, Any]:
    """Only what was asked for: some servers fail at parameters they do not know."""
    options: dict[str, Any] = {}
    if action.button != "left":
        options["button"] = action.button
    if action.modifiers:
        options["modifiers"] = list(action.modifiers)
    return options


class _Reading:
    """One snapshot on its way to a tree."""

    def __init__(self, uid_of: Callable[[str, str, str], str], title: str | None) -> None:
        self._uid_of = uid_of
        self._title = title
        self._nodes: list[Node] = []
        self._windows: list[Window] = []
        self._focused: str | None = None
        self._seen: Counter[str] = Counter()

    def read(self, root: dict[str, Any]) -> Tree:
        # Further windows are children of the root there; here they come after all that is in the main one.
        windows: list[tuple[dict[str, Any], str]] = []
        self._add(root, str(root.get("ref", "root")), None, windows)
        for window, ref in windows:
            self._add(window, ref, None, None)
        return Tree(self._nodes, tuple(self._windows), focused=self._focused)

    def _add(
        self,
        top: dict[str, Any],
        top_ref: str,
        parent: Node | None,
        windows: list[tuple[dict[str, Any], str]] | None,
    ) -> None:
        stack: list[tuple[dict[str, Any], str, Node | None]] = [(top, top_ref, parent)]
        while stack:
            data, resolvable, above = stack.pop()
            node = self._node(data, resolvable, above)
            self._nodes.append(node)
            if above is None:
                self._windows.append(self._window(node))
            children = [child for child in data.get("children") or () if isinstance(child, dict)]
            refs = _resolvable_refs(resolvable, children)
            if above is None and windows is not None:
                apart = [_is_window(child) for child in children]
                pairs = list(zip(children, refs, apart, strict=True))
                windows += [(child, ref) for child, ref, is_window in pairs if is_window]
                inner = [(child, ref) for child, ref, is_window in pairs if not is_window]
            else:
                inner = list(zip(children, refs, strict=True))
            stack += [(child, ref, node) for child, ref in reversed(inner)]

    def _node(self, data: dict[str, Any], resolvable: str, above: Node | None) -> Node:
        ref = str(data.get("ref") or resolvable)
        kind = str(data.get("type") or "")
        self._seen[ref] += 1
        # Not every server's refs are unique; each element needs an identity of its own all the same.
        own = ref if self._seen[ref] == 1 else f"{ref}#{self._seen[ref]}"
        raw = data.get("properties")
        properties: dict[str, Any] = dict(raw) if isinstance(raw, dict) else {}
        role = ("window" if above is None else None) or role_of(kind, properties)
        if above is None and role_of(kind, properties) == "dialog":
            role = "dialog"
        uid = self._uid_of(own, kind, resolvable)
        fields: dict[str, Any] = {"uid": uid, "role": role, "native_class": kind, "backend": "gip"}
        if above is not None:
            fields["parent"] = above.uid
        visible = _flag(data.get("visible"), True) and (above is None or above.visible)
        enabled = _flag(data.get("enabled"), not _flag(data.get("disabled"), False))
        enabled = enabled and (above is None or above.enabled)
        fields.update({name: False for name, on in (("visible", visible), ("enabled", enabled)) if not on})
        if automation_id := _id(data, ref, properties):
            fields["automation_id"] = automation_id
        fields.update(_texts(role, kind, properties))
        fields.update(_states(role, properties))
        if fields.get("focused"):
            self._focused = uid
        if (bounds := _bounds(data.get("geometry"), above)) is not None:
            fields["bounds"] = bounds
        if role in ACTIONS:
            fields["actions"] = ACTIONS[role]
        if children := data.get("children"):
            fields["child_count"] = len(children)
        if properties:
            fields["properties"] = _without_password(fields, properties)
        return Node.of(fields)

    def _window(self, node: Node) -> Window:
        return Window(
            uid=node.uid,
            title=node.name or (self._title if not self._windows else None),
            kind="dialog" if node.role == "dialog" else "regular",
            bounds=node.bounds,
            showing=node.visible,
        )


def _resolvable_refs(above: str, children: list[dict[str, Any]]) -> list[str]:
    """The refs by which the server finds the children.

    A published Qt server prints `Type[n]` with n counting all siblings, but finds by counting those of the
    type. Where the first was printed and differs from the second, the second is meant.
    """
    counts: Counter[str] = Counter()
    found = []
    for position, child in enumerate(children):
        kind = str(child.get("type") or "")
        same_kind = counts[kind]
        counts[kind] += 1
        printed = str(child.get("ref") or "")
        segment = printed.rpartition("/")[2]
        indexed = _INDEXED.fullmatch(segment)
        if indexed and indexed[1] == kind and kind[:1] == "Q" and position == int(indexed[2]) != same_kind:
            segment = f"{kind}[{same_kind}]"
            found.append(f"{above}/{segment}")
        elif printed.startswith(f"{above}/") or not segment:
            found.append(printed)
        else:
            # Below an element whose ref had to be put right, so must this one be.
            found.append(f"{above}/{segment}" if printed.count("/") == above.count("/") + 1 else printed)
    return found


def _is_window(data: dict[str, Any]) -> bool:
    """Whether a child of the root is a window of its own, as far as its type tells."""
    return role_of(str(data.get("type") or ""), {}) in WINDOWS


def _id(data: dict[str, Any], ref: str, properties: dict[str, Any]) -> str | None:
    for name in (data.get("objectName"), data.get("id"), properties.get("objectName"), data.get("data")):
        if isinstance(name, str) and name:
            return name
    last = ref.rpartition("/")[2]
    # Without a name of its own an element is called by its type and a number, or its place.
    return last if "/" in ref and not last.endswith("]") else None


def _texts(role: str, kind: str, properties: dict[str, Any]) -> dict[str, Any]:
    texts: dict[str, Any] = {}
    text = _string(properties, "text", "label", "title")
    value = _string(properties, "value", "currentText")
    if role in EDITABLE and value is None:
        value = _string(properties, "text")
    if _is_password(kind, properties):
        texts["password"] = True
        value = MASK if value else value
        text = None
    if role in EDITABLE:
        texts["text"] = value
        texts["name"] = _string(properties, "accessibleName", "name", "label")
    else:
        texts["text"] = text if text is not None or role in WINDOWS else value
        texts["name"] = _string(properties, "accessibleName", "name", "title") or text
    texts["value"] = value
    texts["placeholder"] = _string(properties, "placeholder", "placeholderText", "hint_text")
    texts["tooltip"] = _string(properties, "toolTip", "tooltip")
    number = properties.get("value")
    if isinstance(number, (int, float)) and not isinstance(number, bool):
        texts["number"] = number
    return {name: part for name, part in texts.items() if part is not None}


def _states(role: str, properties: dict[str, Any]) -> dict[str, Any]:
    states: dict[str, Any] = {}
    checked = properties.get("checked")
    if checked is None and role in ("checkbox", "switch", "radio"):
        checked = properties.get("value")
    if isinstance(checked, bool):
        states["checked"] = checked
    if isinstance(properties.get("selected"), bool):
        states["selected"] = properties["selected"]
    if properties.get("focused") is True:
        states["focused"] = True
    if role in FOCUSABLE or "focused" in properties:
        states["focusable"] = True
    if role in EDITABLE and not any(properties.get(name) is True for name in ("readOnly", "read_only")):
        states["editable"] = True
    options = properties.get("options") or properties.get("items")
    if isinstance(options, list) and all(isinstance(option, str) for option in options):
        current = _string(properties, "currentText", "value", "text")
        states["options"] = tuple(
            Option(index, text, selected=text == current) for index, text in enumerate(options[:1000])
        )
        if len(options) > 1000:
            states["options_count"] = len(options)
    return states


def _is_password(kind: str, properties: dict[str, Any]) -> bool:
    if "password" in kind.lower() or properties.get("password") is True:
        return True
    return str(properties.get("type", "")).lower() == "password" or properties.get("echoMode") in (
        "Password",
        "QLineEdit.Password",
        2,
    )


def _without_password(fields: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    if not fields.get("password"):
        return properties
    return {name: MASK if name in ("text", "value") and part else part for name, part in properties.items()}


def _bounds(geometry: Any, above: Node | None) -> Rect | None:
    if not isinstance(geometry, dict):
        return None
    numbers: list[Any] = [geometry.get(name) for name in ("x", "y", "width", "height")]
    if not all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in numbers):
        return None
    x, y, width, height = numbers
    if above is not None and above.bounds is not None:
        x, y = x + above.bounds.x, y + above.bounds.y
    return Rect(x, y, width, height)


def _string(properties: dict[str, Any], *names: str) -> str | None:
    """The first of these properties that is a text or number."""
    for name in names:
        part = properties.get(name)
        if isinstance(part, str):
            return part
        if isinstance(part, (int, float)) and not isinstance(part, bool):
            return str(part)
    return None


def _flag(value: Any, default: bool) -> bool:
    return value if isinstance(value, bool) else default
