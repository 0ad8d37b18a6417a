"""What the Agent contract's requests ask for: their parameters, and the windows and elements they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields as rows_of
from typing import Any, TypeVar

from ...model import codec
from ...model.alike import alike, did_you_mean
from ...model.errors import Ambiguous, InvalidParams, NotFound, WindowNotFound
from ...model.node import Node, Window
from ...model.record import dataclass
from ...model.roles import ROLES
from ...model.tree import Cut, Tree
from .snapshot import bounds_of, has_label, is_field, label_of, number

T = TypeVar("T")

_SHOWN = 10
"""How many candidates an error names at most."""
_LONGEST = 80
_CAPTIONS = frozenset(("text", "label-text", "caption", "legend"))


@dataclass(frozen=True)
class ElementQuery:
    """Which element is meant; all that is given must be so."""

    role: str | None = None
    label: str | None = None
    window: str | None = None
    id: str | None = None
    index: int | None = None

    def __str__(self) -> str:
        what = self.role or "element"
        for name in ("label", "id"):
            if (value := getattr(self, name)) is not None:
                what += f" with {name} '{value[:_LONGEST]}'"
        return what if self.window is None else f"{what} in window '{self.window[:_LONGEST]}'"


@dataclass(frozen=True)
class SetValue(ElementQuery):
    value: str | None = None


@dataclass(frozen=True)
class SnapshotRequest:
    mode: str | None = None
    window: str | None = None
    role: str | None = None
    label: str | None = None
    depth: int | None = None


@dataclass(frozen=True)
class WindowTarget:
    window: str


@dataclass(frozen=True)
class WindowResize:
    window: str
    width: float
    height: float


@dataclass(frozen=True)
class WindowMove:
    window: str
    x: float
    y: float


@dataclass(frozen=True)
class WaitRequest:
    window: str | None = None
    timeout: float = 10.0


@dataclass(frozen=True)
class ExecRequest:
    command: str
    timeout: float = 30.0
    detach: bool = False


def read(kind: type[T], data: Mapping[str, Any]) -> T:
    """The parameters of a request: null is the same as leaving out, and what is not known is left alone."""
    known = {row.name for row in rows_of(kind)}  # type: ignore[arg-type]  # they are all records
    given = {name: value for name, value in data.items() if name in known and value is not None}
    request: T = codec.decode(kind, given)
    return request


# -- windows -----------------------------------------------------------------------------------


def shown(windows: Sequence[Window]) -> list[Window]:
    """The windows that a person has: on the screen, or put away."""
    return [window for window in windows if window.showing or window.minimized]


def has_name(window: Window, wanted: str | None) -> bool:
    """Whether a window's title or application has the text in it."""
    if wanted is None:
        return True
    folded = wanted.casefold()
    return folded in (window.title or "").casefold() or folded in window.app_name.casefold()


def no_window(windows: Sequence[Window], wanted: str, cut: Cut | None = None) -> WindowNotFound:
    """What to say of a window that is not there; it may be one of a program that did not answer (`cut`)."""
    names = [f"'{(window.title or '')[:_LONGEST]}' ({window.app_name})" for window in windows]
    there = f"there are {', '.join(names[:_SHOWN])}" if names else "there is no window"
    if len(names) > _SHOWN:
        there += f" and {len(names) - _SHOWN} more"
    if cut is not None:
        there += f"; {cut.reason}"
    return WindowNotFound(
        f"no window's title or application has '{wanted[:_LONGEST]}' in it; {there}",
        target=wanted,
        near=alike(wanted, [window.title or "" for window in windows]),
    )


# -- elements ----------------------------------------------------------------------------------


def role_of(name: str) -> str:
    """A role as the contract spells it; camelCase is taken as well."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def one(query: ElementQuery, tree: Tree, roots: Sequence[str]) -> Node:
    """The element that is meant, of those below some nodes; NotFound or Ambiguous says what there is."""
    if query.index is not None and query.index < 0:
        raise InvalidParams(f"'index' must be 0 or more, not {query.index}", field="index")
    inside = _inside(tree, roots)
    found = [node for node in inside if _means(query, node)]
    if query.index is not None and query.index < len(found):
        return found[query.index]
    if not found:
        raise _not_found(query, inside)
    if query.index is not None:
        raise NotFound(f"{_count(found)} {_match(found)} {query}, so there is no index {query.index}")
    if len(found) > 1 and query.label is not None:
        # A whole label means that one, and not all that have it as a part.
        wanted = query.label.casefold()
        found = [node for node in found if (label_of(node.__dict__) or "").casefold() == wanted] or found
        found = _without_captions(found)
    if len(found) > 1:
        lines = [_line(node) for node in found[:_SHOWN]]
        more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
        raise Ambiguous("\n".join((*lines, *more)), matches=tuple(lines))
    return found[0]


def _without_captions(nodes: list[Node]) -> list[Node]:
    """Without the texts that caption a field among them: its label is how the field is found."""
    captioned = {label_of(node.__dict__) for node in nodes if is_field(node.__dict__)}
    return [node for node in nodes if node.role not in _CAPTIONS or label_of(node.__dict__) not in captioned]


def _inside(tree: Tree, roots: Sequence[str]) -> list[Node]:
    below: set[str | None] = set(roots)
    inside = []
    for node in tree.nodes:
        fields = node.__dict__
        uid = fields.get("uid", "")
        if fields.get("parent") in below and uid not in below:
            below.add(uid)
            inside.append(node)
    return inside


def _means(query: ElementQuery, node: Node) -> bool:
    fields = node.__dict__
    if query.role is not None and fields.get("role", "unknown") != role_of(query.role):
        return False
    if query.id is not None and query.id not in (
        fields.get("automation_id"), fields.get("object_name"), fields.get("uid"),
    ):  # fmt: skip
        return False
    return query.label is None or has_label(fields, query.label)


def _not_found(query: ElementQuery, inside: Sequence[Node]) -> NotFound:
    if query.role is not None and (role := role_of(query.role)) not in ROLES:
        near = alike(role, ROLES)
        hint = "".join(f"; {each}" for each in did_you_mean(near))
        return NotFound(f"there is no role '{query.role[:_LONGEST]}'{hint}", near=near)
    lines = [_line(node) for node in _near(query, inside)]
    saw = "; there is\n" + "\n".join(lines) if lines else ""
    return NotFound(f"no {query}{saw}", near=tuple(lines))


def _near(query: ElementQuery, inside: Sequence[Node]) -> list[Node]:
    """What is like that which was asked for: what misses one thing only, then what is nearly called so."""
    near: dict[str, Node] = {}
    without = [("id", query.id), ("role", query.role), ("label", query.label)]
    given = {name: value for name, value in without if value is not None}
    if len(given) > 1:
        for left_out in given:
            rest = ElementQuery(**{name: value for name, value in given.items() if name != left_out})  # type: ignore[arg-type]  # none of these is the index
            near.update({node.uid: node for node in inside if _means(rest, node)})
    for wanted, named in ((query.label, label_of), (query.id, _id_of)):
        if wanted is None:
            continue
        names: dict[str, Node] = {}
        for node in inside:
            if name := named(node.__dict__):
                names.setdefault(name, node)
        close = alike(wanted, names, _SHOWN)
        near = {**{names[name].uid: names[name] for name in close}, **near}
    return list(near.values())[:_SHOWN]


def _id_of(fields: Mapping[str, Any]) -> str | None:
    return fields.get("automation_id") or fields.get("object_name")


def _line(node: Node) -> str:
    """A description that distinguishes an element from others; a uid serves as an id where there is none."""
    line = node.role
    if label := label_of(node.__dict__):
        line += f" label={label[:_LONGEST]!r}"
    line += f" id={_id_of(node.__dict__) or node.uid}"
    if (bounds := bounds_of(node.bounds)) is not None:
        line += f" pos=({number(bounds.x)},{number(bounds.y)})"
    return line


def _count(found: Sequence[Node]) -> str:
    return "1 element" if len(found) == 1 else f"{len(found)} elements"


def _match(found: Sequence[Node]) -> str:
    return "matches" if len(found) == 1 else "match"
