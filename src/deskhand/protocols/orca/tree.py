"""A tree as Orca's document: one root, every node with its path, and Dear ImGui's items in a flat list.

Also where targets are resolved, and where the document is written as JSON text. That is done by hand, and
without recursion, because it is most of what a dump of a large window costs. And most of the time little has
changed since the last one, so only that is written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import compress
from operator import attrgetter, eq
from typing import Any, NamedTuple

from ...model.alike import alike
from ...model.errors import Ambiguous, InvalidParams, NotFound, NoWindows
from ...model.node import Node
from ...model.roles import CONTROL_ROLES
from ...model.selector import by_id
from ...model.tree import Tree, changes
from ..jsontext import quote

_IMGUI = "imgui"
_IMGUI_PATH = "ImGui/"
_IMGUI_WINDOWS = frozenset(("window", "popup"))
_STAGES = frozenset(("window", "dialog"))
_IMGUI_AROUND = _IMGUI_WINDOWS | {"tooltip", "child", "menu_bar", "tab_bar", "table"}
"""Kinds of what Dear ImGui draws around items, which are not items."""
_APART = "use the path of one of them"
_ALIKE = "give one of them another label in the program; what is behind ## is not shown"
_SHOWN = 5
"""How many nodes an error names at most."""
_COMPARED = 5000
"""How many names are compared when looking for near misses."""


class Item:
    """A node as Orca sees it."""

    __slots__ = ("_text", "backend", "id", "kind", "label", "level", "node", "path", "value")

    def __init__(self, node: Node, path: str, kind: str, label: str, level: int) -> None:
        self.node = node
        self.backend = node.backend
        self.id = node.automation_id or path
        self.path = path
        self.kind = kind
        self.label = label
        self.value = _value(node)
        self.level = level
        """How deep below the root it is."""
        self._text: str | None = None

    @property
    def text(self) -> str:
        """It as JSON, up to where its children would come."""
        if self._text is None:
            self._text = _text(self)
        return self._text


class Target(NamedTuple):
    """What names a node; None for what was not given."""

    id: str | None = None
    path: str | None = None
    name: str | None = None
    kind: str | None = None
    label: str | None = None
    value: str | None = None
    backend: str | None = None

    @property
    def selector(self) -> str | None:
        """The same for the engine, if it is nothing but an id that the program gave; None if not."""
        if not self.id or self != Target(id=self.id) or self.id.startswith(_IMGUI_PATH):
            return None
        return by_id(self.id)

    def __str__(self) -> str:
        given = zip(_KEYS, self, strict=True)
        text = ", ".join(f"{key} '{value[:100]}'" for key, value in given if value is not None)
        return text or "an empty target"

    @property
    def attribute(self) -> tuple[str, str] | None:
        """An attribute that items must have so to match, and what it must be; None if none alone must."""
        order = ("id", "path", "label", "value", "kind", "backend")
        values = ((name, getattr(self, name)) for name in order)
        return next(((name, value) for name, value in values if value is not None), None)

    def matches(self, item: Item) -> bool:
        """Whether it is this one. An id goes before a path, and a path before all others, which are ANDed."""
        if self.id is not None:
            return item.id == self.id
        if self.path is not None:
            return item.path == self.path
        return (
            (self.name is None or self.name in (item.id, item.label))
            and (self.kind is None or item.kind == self.kind)
            and (self.label is None or item.label == self.label)
            and (self.value is None or item.value == self.value)
            and (self.backend is None or item.backend == self.backend)
        )


_KEYS = ("id", "path", "name", "class", "label", "value", "backend")
_NAMES = {type(None): "null", str: "a string", list: "a list", bool: "true or false"}


def read_target(data: Mapping[str, Any]) -> Target:
    """The target in an object; keys that are not known, and values that are not strings, are left alone."""
    given = (data.get(key) for key in _KEYS)
    return Target(*(value if isinstance(value, str) else None for value in given))


def target_in(params: Mapping[str, Any]) -> Target:
    """The parameter `target`, which must be there."""
    data = params.get("target")
    if not isinstance(data, Mapping):
        seen = "is missing" if "target" not in params else f"is {_NAMES.get(type(data), 'a number')}"
        raise InvalidParams(f'\'target\' must be an object such as {{"id": "btn_save"}}; it {seen}')
    return read_target(data)


class Document:
    """All nodes of a program, in the order in which they are searched."""

    def __init__(self, tree: Tree, before: Document | None = None) -> None:
        """`before` is an earlier one of the same program: what is as it was then is taken from there."""
        self.tree = tree
        self.items: list[Item] = []
        """The native nodes, parents before children; the first is the root."""
        self.imgui: list[Item] = []
        """Dear ImGui's items as they are drawn."""
        self.texts: dict[tuple[Item, int, bool, bool], str] = {}
        """What was asked for as text."""
        self._numbers: dict[str, int] | None = None
        changed = None if before is None else _changed(before.tree, tree)
        if before is None or changed is None:
            _project(tree, self.items, self.imgui, {} if before is None else before.by_uid())
        elif not changed:
            self.items, self.imgui, self.texts = before.items, before.imgui, before.texts
            self._numbers = before.numbers
        else:
            self.items, self.imgui, self._numbers = before.items.copy(), before.imgui, before.numbers
            for node in changed:
                at = self._numbers[node.uid]
                self.items[at] = _again(self.items[at], node)

    @property
    def numbers(self) -> dict[str, int]:
        """Where in the list each native node is, by uid."""
        if self._numbers is None:
            self._numbers = {item.node.uid: at for at, item in enumerate(self.items)}
        return self._numbers

    @property
    def root(self) -> Item:
        if not self.items:
            raise NoWindows("the program has no window")
        return self.items[0]

    def find(self, target: Target) -> list[Item]:
        """The nodes that match; none for an empty target."""
        if target == _EMPTY:
            return []
        every = [*self.items, *self.imgui]
        if (known := target.attribute) is not None:
            # One attribute of all is compared at once: to ask each takes several times as long.
            name, wanted = known
            every = list(compress(every, map(partial(eq, wanted), map(attrgetter(name), every))))
        return [item for item in every if target.matches(item)]

    def meant(self, target: Target) -> list[Item]:
        """The nodes that a target may mean: of a control and the text in it that labels it, the control."""
        found = self.find(target)
        if len(found) > 1 and target.id is None and target.path is None:
            found = [item for item in found if not _is_caption(item, found)]
        return found

    def one(self, target: Target) -> Item:
        """The only node that is meant."""
        return self._only(self.meant(target), target)

    def at(self, place: str) -> Item:
        """The only node with that id, or else that path."""
        found = self.find(Target(id=place)) or self.find(Target(path=place))
        return self._only(found, Target(id=place))

    def _only(self, found: list[Item], target: Target) -> Item:
        if len(found) == 1:
            return found[0]
        if found:
            paths = [item.path for item in found[:_SHOWN]]
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            raise Ambiguous(
                f"{len(found)} nodes match {target}: {', '.join(paths)}{more}",
                target=str(target),
                matches=tuple(paths),
                suggestions=(_APART if len({item.path for item in found}) > 1 else _ALIKE,),
            )
        if not self.items:
            raise NoWindows(f"nothing matches {target}: the program has no window", target=str(target))
        if target == _EMPTY:
            raise NotFound("nothing matches an empty target", suggestions=("give an id, a path or a name",))
        near = self._near(target)
        saw = f"; saw {', '.join(near)}" if near else ""
        raise NotFound(f"nothing matches {target}{saw}", target=str(target), near=near)

    def _near(self, target: Target) -> tuple[str, ...]:
        wanted = target.id or target.path or target.name or target.label or ""
        known: dict[str, str] = {}
        for item in (*self.items, *self.imgui)[:_COMPARED]:
            for word in (item.id, item.label):
                known.setdefault(word, item.id)
        known.pop("", None)
        return tuple(dict.fromkeys(known[word] for word in alike(wanted, known, _SHOWN)))

    def below(self, item: Item) -> list[Item]:
        """What is below a native node, in order."""
        if item.backend == _IMGUI and item.level:
            return []
        first = self.items.index(item) + 1
        end = first if first > 1 else len(self.items)
        while end < len(self.items) and self.items[end].level > item.level:
            end += 1
        return self.items[first:end]

    def by_uid(self) -> dict[str, Item]:
        """The native nodes by the uids that the engine has for them."""
        return {item.node.uid: item for item in self.items}

    # -- as text -------------------------------------------------------------------------------

    def text(self, item: Item, *, depth: int = -1, visible_only: bool = False, imgui: bool = False) -> str:
        """A node with its children, so deep (-1 for all), as JSON; with `imgui` all of its items come after
        the children."""
        if item.backend == _IMGUI and item.level:
            return item.text + "}"
        wanted = (item, depth, visible_only, imgui)
        text = self.texts.get(wanted)
        if text is None:
            # Only the last one: a client mostly asks for the same again, and a dump may be long.
            self.texts.clear()
            text = self.texts[wanted] = self._written(*wanted)
        return text

    def _written(self, item: Item, depth: int, visible_only: bool, imgui: bool) -> str:
        below = self.below(item)
        if depth >= 0:
            below = [child for child in below if child.level - item.level <= depth]
        if visible_only:
            below = _visible(below)
        pieces = [item.text]
        level = item.level
        for child in below:
            pieces.append(_OPENED if child.level > level else _closed(level - child.level))
            pieces.append(child.text)
            level = child.level
        pieces.append(_CLOSED + "]}" * (level - item.level - 1) if level > item.level else _OPENED)
        if imgui:
            shown = [one.text for one in self.imgui if one.node.visible or not visible_only]
            pieces.append(("," if below and shown else "") + "},".join(shown) + ("}" if shown else ""))
        pieces.append("]}")
        return "".join(pieces)


def flat(items: Iterable[Item]) -> str:
    """Nodes without their children, as a JSON array."""
    return f"[{','.join(item.text + '}' for item in items)}]"


_EMPTY = Target()
_OPENED = ',"children":['
_CLOSED = ',"children":[]}'
_CLOSINGS = [f"{_CLOSED}{']}' * levels}," for levels in range(100)]


def _closed(levels: int) -> str:
    """What is between a node and the next one, which is so many levels higher."""
    return _CLOSINGS[levels] if levels < len(_CLOSINGS) else f"{_CLOSED}{']}' * levels},"


def _visible(items: list[Item]) -> list[Item]:
    """Those that are visible, and in nothing that is not."""
    shown = []
    hidden: int | None = None
    for item in items:
        if hidden is not None and item.level > hidden:
            continue
        hidden = None if item.node.visible else item.level
        if hidden is None:
            shown.append(item)
    return shown


def _text(item: Item) -> str:
    """A node as JSON, up to where its children would come."""
    get = item.node.fields.get
    bounds = get("bounds")
    x, y, width, height = (0, 0, 0, 0) if bounds is None else map(_whole, bounds)
    text = (
        f'{{"backend":{quote(item.backend)},"id":{quote(item.id)},"path":{quote(item.path)},'
        f'"class":{quote(item.kind)},"label":{quote(item.label)},'
        f'"rect":{{"x":{x},"y":{y},"w":{width},"h":{height}}},'
        f'"enabled":{"true" if get("enabled", True) else "false"},'
        f'"visible":{"true" if get("visible", True) else "false"}'
    )
    if item.value is not None:
        text += f',"value":{quote(item.value)}'
    hint = item.node.labelled_by
    return text if hint is None else f'{text},"name_hint":{quote(hint)}'


def _is_caption(item: Item, found: list[Item]) -> bool:
    """Whether a text is a part of a control that is also one of these, and is that control's label."""
    if item.node.role != "text":
        return False
    return any(
        item.label == other.label
        and item.path.startswith(f"{other.path}/")
        and other.node.role in CONTROL_ROLES
        for other in found
    )


def _whole(number: float) -> int:
    # NaN, which some toolkits have for a position that does not exist, becomes 0.
    return round(number) if abs(number) < 1e9 else 0


# -- making it -----------------------------------------------------------------------------------


def _changed(before: Tree, tree: Tree) -> list[Node] | None:
    """The nodes that say something else than before; None if there are others, or a path may be another."""
    found = changes(before.nodes, tree.nodes)
    # What Dear ImGui draws has paths of its own, of what it says.
    if found is None or any(node.backend == _IMGUI for _, node in found):
        return None
    return [node for _, node in found]


def _again(item: Item, node: Node) -> Item:
    """The item of a node that says something else, and is where it was."""
    return Item(node, item.path, item.kind, _label(node), item.level)


def _project(tree: Tree, items: list[Item], imgui: list[Item], known: Mapping[str, Item]) -> None:
    """Further windows are children of the root, after its own. `known` are items from before, by uid."""
    places: dict[str | None, tuple[str, int, list[int]]] = {}
    """For each native node its path and level, and how many children of it there were so far."""
    windows: dict[str | None, str] = {}
    """The name of the ImGui window that each of ImGui's nodes is in."""
    main: tuple[str, int, list[int]] | None = None
    for node in tree.nodes:
        if node.backend == _IMGUI:
            inside = windows.get(node.parent, "")
            windows[node.uid] = _imgui_window(node, inside)
            if main is not None:
                if node.native_class not in _IMGUI_AROUND:
                    imgui.append(_imgui_item(node, inside))
                continue
        item = known.get(node.uid)
        if item is not None and not (item.node is node or item.node.same(node)):
            item = None
        kind = _kind(node) if item is None else item.kind
        if main is None:
            path, level = kind, 0
        else:
            upper, level, count = places.get(node.parent) or main
            path, level = f"{upper}/{kind}[{count[0]}]", level + 1
            count[0] += 1
        if item is None or item.path != path or item.level != level:
            item = Item(node, path, kind, _label(node), level)
        items.append(item)
        places[node.uid] = place = (path, level, [0])
        main = main or place


def _imgui_window(node: Node, inside: str) -> str:
    """The name of the window that is around what is below a node."""
    if node.native_class not in _IMGUI_WINDOWS:
        return inside
    own = node.automation_id or ""
    return own[len(_IMGUI_PATH) :] if own.startswith(_IMGUI_PATH) else _label(node)


def _imgui_item(node: Node, window: str) -> Item:
    """An item, whose label is the whole one, also what only makes it unique."""
    own = node.automation_id or ""
    above = f"{_IMGUI_PATH}{window}/"
    if own.startswith(above):
        path, label = own, own[len(above) :]
    else:
        label = _label(node) + (f"##{node.object_name}" if node.object_name else "")
        path = above + label
    return Item(node, path, node.native_class, label, 1)


def _kind(node: Node) -> str:
    """The class without the prefix of wx, or the package of Java."""
    name = node.native_class.rpartition(".")[2] if node.backend == "javafx" else node.native_class
    if node.backend == "javafx" and node.role in _STAGES and not name.startswith("Dialog"):
        name = "Stage"  # reported as one with the pane at its root, whose class says nothing of a window
    if node.backend == "wx":
        name = name.removeprefix("wx")
    return name or "".join(word.title() for word in node.role.split("-"))


def _label(node: Node) -> str:
    label = node.own_name
    if label is not None:
        return label
    # The text of what holds a value is that value.
    return node.text or "" if node.value is None else ""


def _value(node: Node) -> str | None:
    if node.checked is not None:
        return "mixed" if node.mixed else "true" if node.checked else "false"
    return node.value
