"""Compares a tree of deskhand's with a cold one and with what the independent reader saw; asks no program.

What the model documents is allowed for, and nothing else: the value of a password is masked, only the rows on
screen of a long view are in the tree, and a name may come from a label, a placeholder or the title of the
window. A stack of GTK 4 has pages between itself and what is on them only when it is asked for one child
after the other (`GetChildAtIndex`), and not when it is asked for all (`GetChildren`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deskhand.model.node import MASK, Node, Virtualization
from deskhand.model.tree import Tree

from .independent import Key, Object, Walk

LIMIT = 10_000
"""How many characters of a text deskhand reads."""
_LABELS = ("label", "static", "caption")
_NUMBERS = ("slider", "spin button", "progress bar", "scroll bar", "dial", "level bar")
_TEXTS = ("text", "entry", "terminal", "paragraph", "document text", "document frame", "editbar", "heading")
_VIEWS = ("table", "tree", "tree table", "list", "list box")
_POPUPS = ("popup menu", "tool tip", "window")
_OPENERS = ("combo box", "menu", "menu item")
_CLASS = re.compile("[A-Z][a-z0-9]+([A-Z_][A-Za-z0-9]*)+")
"""GTK 4 puts the name of its class where an object has no name."""
_SAME: dict[str, Any] = {"uid": "", "parent": None, "properties": {}, "virtualization": None}
"""What may differ between two objects for the same thing."""
_OF_GTK_4 = re.compile("/a11y/[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}")
"""How the path of an object of GTK 4 ends."""


@dataclass(frozen=True)
class Difference:
    """One field of one node that two readers disagree about."""

    uid: str
    node: str
    """What the node is, for people."""
    field: str
    ours: Any
    theirs: Any
    reader: str
    """Who disagrees with deskhand's cached tree: `cold` or `independent`."""
    path: str = ""
    bus: str = ""

    @property
    def subject(self) -> tuple[str, str, str]:
        """What it is about, to find it again in a second comparison."""
        return self.reader, self.path or self.uid, self.field

    def __str__(self) -> str:
        return (
            f"{self.node} ({self.path or self.uid}) {self.field}: deskhand {_short(self.ours)}, "
            f"{self.reader} reader {_short(self.theirs)}"
        )


def with_cold(warm: Tree, cold: Tree) -> list[Difference]:
    """Where a tree that was kept up to date differs from one that was read from nothing."""
    ours, theirs = {node.uid: node for node in warm}, {node.uid: node for node in cold}
    tops: dict[str, Node] = {}
    found = []
    gone, new = [], [node for uid, node in theirs.items() if uid not in ours]
    for uid, node in ours.items():
        tops[uid] = node if node.parent is None else tops.get(node.parent, node)
        other = theirs.get(uid)
        if other is not None:
            found += _fields(node, other)
        elif tops[uid].platform_role not in (*_POPUPS, *_VIEWS) or tops[uid].uid in theirs:
            # Of a menu, tooltip or list that has no parent, only the event says that it is there.
            gone.append(node)
    for node in gone:
        again = next((one for one in new if _renewed(node, one, ours, theirs)), None)
        if again is not None:
            new.remove(again)
            continue
        found.append(Difference(node.uid, str(node), "presence", "present", "absent", "cold", *_place(node)))
    found += [
        Difference(node.uid, str(node), "presence", "absent", "present", "cold", *_place(node))
        for node in new
    ]
    return found


def _fields(node: Node, other: Node) -> list[Difference]:
    found = []
    for name in sorted(node.fields.keys() | other.fields.keys()):
        mine, cold = getattr(node, name), getattr(other, name)
        if name == "properties":
            # The rest is what a node was once asked for, and compared by the fields that are made of it.
            mine, cold = mine.get("states"), cold.get("states")
        if name == "virtualization" and mine is not None and cold is not None:
            mine, cold = _without_uids(mine), _without_uids(cold)
        if mine != cold:
            found.append(Difference(node.uid, str(node), name, mine, cold, "cold", *_place(node)))
    return found


def _without_uids(view: Virtualization) -> Virtualization:
    return replace(view, visible_cells=tuple(replace(row, uid=None) for row in view.visible_cells))


def _renewed(one: Node, other: Node, ours: dict[str, Node], theirs: dict[str, Node]) -> bool:
    """Whether a toolkit made another object for the same thing, as some do each time they are asked."""
    if {**one.fields, **_SAME} != {**other.fields, **_SAME}:
        return False
    above, over = ours.get(one.parent or ""), theirs.get(other.parent or "")
    return one.parent == other.parent or (
        above is not None and over is not None and _renewed(above, over, ours, theirs)
    )


def with_independent(
    tree: Tree, walk: Walk, extra: Mapping[Key, Object | None] | None = None
) -> list[Difference]:
    """Where a tree (read with details and internals) differs from what the independent reader saw.

    `extra` has objects of the tree that the walk did not meet, read one by one; None for one that is gone.
    Those that were not read are not compared.
    """
    extra = extra or {}
    known = {**walk.objects, **{key: one for key, one in extra.items() if one is not None}}
    labels = _label_names(known.values())
    inside = _inside(tree)
    titles = {node.uid: _title(tree, node) for node in tree if node.parent is None}
    # The cells of a long view are made when they are asked for, and again the next time.
    long = {node.uid for node in tree if node.virtualization is not None}
    found: list[Difference] = []
    for node in tree:
        key = key_of(node)
        if key is None:
            continue  # a window that is not on the bus at all
        one = known.get(key)
        if one is None:
            if key in extra and node.parent not in long:
                found.append(_of(node, "presence", "present", "absent"))
            continue
        if node.platform_role != one.role:
            found.append(_of(node, "role", node.platform_role, one.role))
        states = frozenset(node.properties["states"])
        if states != one.states:
            found.append(_of(node, "states", sorted(states - one.states), sorted(one.states - states)))
        names = _names(one, known, labels, titles.get(node.uid))
        within = inside.get(node.uid, [])
        if not one.name.strip() or _CLASS.fullmatch(one.name):
            # What does not show is not walked: the labels in it are those that the tree has there.
            read = [known[kid] for kid in within if kid in known]
            names.add(" ".join(kid.name for kid in read if kid.role in _LABELS and kid.name))
        if one.name.strip() or all(kid in known for kid in within):
            if (node.name or "") not in names:
                theirs = sorted(names)[0] if len(names) == 1 else one.name
                found.append(_of(node, "name", node.name or "", theirs))
            found += _text(node, one, names)
        found += _value(node, one)
    found += _children(tree, walk, known)
    return found


def unmet(tree: Tree, walk: Walk) -> list[Key]:
    """The objects of a tree that a walk did not meet: rows of long views, open menus without a parent."""
    keys = (key_of(node) for node in tree)
    return [key for key in keys if key is not None and key not in walk.objects]


def key_of(node: Node) -> Key | None:
    """The object that a node stands for; None for one that is not on the bus."""
    path = node.properties.get("path")
    return None if path is None else (str(node.properties["bus_name"]), str(path))


# -- fields ----------------------------------------------------------------------------------------


def _names(
    one: Object, known: dict[Key, Object], labels: dict[str, frozenset[str]], title: str | None
) -> set[str]:
    """What a node may be called: its own name, or what the model documents in its place."""
    own = one.name.strip()
    names = {own, one.name}
    if title:
        names.add(title)
    names.update(label.strip() for label in one.labels)
    names.update(one.labels)
    if one.placeholder and not one.text:
        names.add(one.placeholder)
    if own == "Tab" or _CLASS.fullmatch(own) or one.role == "popup menu":
        own = ""  # a class name of GTK 4 or what Qt calls every menu is not a name
        names.add("")
    if not own or one.role == "combo box" or "_" in own or len(own) % 2:
        # A label next to it or inside it; GTK 4 says the label of a button twice or with its underscore.
        names |= labels.get(one.bus, frozenset())
    if not own:
        inside = [
            known[kid].name for kid in _below(one, known) if known[kid].role in _LABELS and known[kid].name
        ]
        names.add(" ".join(inside))
    return names


def _inside(tree: Tree) -> dict[str, list[Key]]:
    """The objects in each node, at any depth, in document order."""
    above = {node.uid: node.parent for node in tree}
    found: dict[str, list[Key]] = {}
    for node in tree:
        key, at = key_of(node), node.parent
        while key is not None and at is not None:
            found.setdefault(at, []).append(key)
            at = above.get(at)
    return found


def _text(node: Node, one: Object, names: set[str]) -> list[Difference]:
    if one.role == "password text":
        wanted = MASK if one.length else ""
        return [] if node.value == wanted else [_of(node, "value", node.value, wanted)]
    if one.role == "combo box":
        return []  # what is chosen in it: compared by the options and by what is inside
    text = one.text[:LIMIT] if one.text is not None else None
    if text is None:
        allowed = names | {""}
    else:
        allowed = {text, text.replace("\ufffc", "")}
        if one.role not in _TEXTS:
            # Of what is called by its text only one of the two is read; of what holds others neither.
            allowed |= names | {""}
    shown = node.text or ""
    return [] if shown in allowed else [_of(node, "text", shown, text or one.name)]


def _value(node: Node, one: Object) -> list[Difference]:
    if node.number is not None:
        same = one.value is not None and abs(node.number - one.value) <= 1e-6 * max(1.0, abs(one.value))
        return [] if same else [_of(node, "value", node.number, one.value)]
    if one.value is not None and one.role in _NUMBERS and not one.text and "showing" in one.states:
        return [_of(node, "value", None, one.value)]
    return []


# -- children --------------------------------------------------------------------------------------


def _children(tree: Tree, walk: Walk, known: dict[Key, Object]) -> list[Difference]:
    """Compare what is in what. The inner parts of controls count as what they are in."""
    nodes = {node.uid: node for node in tree}
    by_key = {key: node for node in tree if (key := key_of(node)) is not None}
    ours: dict[str | None, list[Key]] = {}
    for node in tree:
        key = key_of(node)
        if key is not None and not node.internal:
            ours.setdefault(node.parent, []).append(key)
    found = []
    for node in tree:
        key = key_of(node)
        one = known.get(key) if key is not None else None
        if node.internal or one is None or one.kids is None or _is_long(node, one):
            continue
        theirs = _kids(one, known, by_key)
        if theirs is not None:
            # An entry of an open menu that is also in what draws the menu is in the menu.
            own = ours.get(node.uid, ())
            theirs = [kid for kid in theirs if kid in own or not _in_menu(kid, nodes, by_key, known)]
        if theirs is not None and _are_renewed(node, ours.get(node.uid, []), theirs):
            found += _renewed_kids(node, ours.get(node.uid, []), theirs, by_key, known)
        elif theirs is not None and ours.get(node.uid, []) != theirs:
            found.append(_children_of(node, ours.get(node.uid, []), theirs, nodes, by_key, known))
    for program in walk.programs:
        root = known.get((program.bus, program.path))
        if root is None or root.kids is None:
            continue
        tops = [key for key in ours.get(None, []) if key[0] == program.bus]
        listed = list(dict.fromkeys(kid for kid in root.kids if kid[0] == program.bus))
        wanted = [
            kid
            for kid in listed
            if not _is_elsewhere(kid, nodes, by_key, known) and not _only_shows(kid, nodes, by_key, known)
        ]
        popups = [
            key
            for key in tops
            if key not in wanted and key in known and known[key].role in (*_POPUPS, *_VIEWS)
        ]
        if [key for key in tops if key not in popups] != wanted:
            missing = [_called(key, known) for key in wanted if key not in tops]
            more = [_called(key, known) for key in tops if key not in wanted]
            found.append(
                Difference(
                    program.bus, f"program {program.name}", "children", more, missing, "independent",
                    program.path, program.bus,
                )
            )  # fmt: skip
    return found


def _are_renewed(node: Node, ours: list[Key], theirs: list[Key]) -> bool:
    """Whether a view made other objects for its items when the walk asked for them."""
    return node.platform_role in _VIEWS and bool(ours and theirs) and set(ours).isdisjoint(theirs)


def _renewed_kids(
    node: Node, ours: list[Key], theirs: list[Key], by_key: dict[Key, Node], known: dict[Key, Object]
) -> list[Difference]:
    """Compare items that are other objects in the walk by what they are, one after the other."""
    mine = [by_key[key] for key in ours]
    other = [known.get(key) for key in theirs]
    have = [(one.platform_role, one.name or "", sorted(one.properties["states"])) for one in mine]
    want = [(one.role, one.name.strip(), sorted(one.states)) for one in other if one is not None]
    return [] if have == want or None in other else [_of(node, "items", have, want)]


def _kids(one: Object, known: dict[Key, Object], by_key: dict[Key, Node]) -> list[Key] | None:
    """The children of an object, with those of an inner part in its place; None if not all were walked."""
    found: list[Key] = []
    for kid in dict.fromkeys(one.kids or ()):
        if kid[0] != one.bus or kid == one.key:
            continue
        node, inner = by_key.get(kid), known.get(kid)
        page = node is None and inner is not None and _is_page(inner, one, by_key)
        if not page and (node is None or not node.internal):
            found.append(kid)
            continue
        below = None if inner is None or inner.kids is None else _kids(inner, known, by_key)
        if below is None:
            return None
        found += below
    return found


def _is_page(inner: Object, stack: Object, by_key: dict[Key, Node]) -> bool:
    """Whether an object is a page of a stack of GTK 4: what is on it is in the stack, as the tree has it."""
    if inner.role != "panel" or _OF_GTK_4.search(inner.path) is None:
        return False
    around = by_key.get(stack.key)
    on_it = [by_key.get(kid) for kid in inner.kids or ()]
    return all(kid is not None and around is not None and kid.parent == around.uid for kid in on_it)


def _is_elsewhere(
    kid: Key, nodes: dict[str, Node], by_key: dict[Key, Node], known: dict[Key, Object]
) -> bool:
    """Whether what is listed in one object is in another one as well, and the tree has it there.

    What Chromium shows in the corner of a window is a child of the window and of the program.
    """
    mine = by_key.get(kid)
    if mine is None or mine.parent is None:
        return False
    around = known.get(key_of(nodes[mine.parent]) or ("", ""))
    return around is not None and kid in (around.kids or ())


def _in_menu(kid: Key, nodes: dict[str, Node], by_key: dict[Key, Node], known: dict[Key, Object]) -> bool:
    """Whether the tree has something in a menu or combo box that lists it."""
    mine = by_key.get(kid)
    around = None if mine is None or mine.parent is None else nodes[mine.parent]
    return (
        around is not None and around.platform_role in _OPENERS and _is_elsewhere(kid, nodes, by_key, known)
    )


def _only_shows(kid: Key, nodes: dict[str, Node], by_key: dict[Key, Node], known: dict[Key, Object]) -> bool:
    """Whether a window has nothing but what a combo box opens, and the tree has that in the combo box.

    GTK 3 lists it as the child of both.
    """
    window = known.get(kid)
    if kid in by_key or window is None or not window.kids:
        return False
    return all(_in_menu(inner, nodes, by_key, known) for inner in window.kids)


def _is_long(node: Node, one: Object) -> bool:
    """Whether only those of its children that are on screen are in the tree."""
    return (
        node.virtualization is not None
        or (one.count or 0) > 200
        or (one.role in _VIEWS and "manages-descendants" in one.states and (one.count or 0) > 200)
    )


def _children_of(
    node: Node, ours: list[Key], theirs: list[Key], nodes: dict[str, Node], by_key: dict[Key, Node],
    known: dict[Key, Object],
) -> Difference:  # fmt: skip
    more = [_called(key, known) for key in ours if key not in theirs]
    missing = [
        _called(key, known)
        + (f" (deskhand has it in {nodes.get(by_key[key].parent or '', node)})" if key in by_key else "")
        for key in theirs
        if key not in ours
    ]
    if not more and not missing:
        return _of(node, "order of children", [path for _, path in ours], [path for _, path in theirs])
    return _of(node, "children", more, missing)


# -- small things ----------------------------------------------------------------------------------


def _of(node: Node, field: str, ours: Any, theirs: Any) -> Difference:
    return Difference(node.uid, str(node), field, ours, theirs, "independent", *_place(node))


def _place(node: Node) -> tuple[str, str]:
    return str(node.properties.get("path", "")), str(node.properties.get("bus_name", ""))


def _called(key: Key, known: dict[Key, Object]) -> str:
    one = known.get(key)
    return key[1] if one is None else f"{one.role} '{one.name}' {key[1]}"


def _label_names(objects: Iterable[Object]) -> dict[str, frozenset[str]]:
    """What the labels of each program say."""
    found: dict[str, set[str]] = {}
    for one in objects:
        if one.role in _LABELS and one.name:
            found.setdefault(one.bus, set()).update(
                (one.name, one.name.strip(), one.name.strip().rstrip(":"))
            )
    return {bus: frozenset(names) for bus, names in found.items()}


def _below(one: Object, known: dict[Key, Object]) -> list[Key]:
    found: list[Key] = []
    stack: list[Key] = list(reversed(one.kids or ()))
    while stack and len(found) < 500:
        key = stack.pop()
        if key in known and key not in found:
            found.append(key)
            stack.extend(reversed(known[key].kids or ()))
    return found


def _title(tree: Tree, node: Node) -> str | None:
    return next((window.title for window in tree.windows if window.uid == node.uid), None)


def _short(value: object, limit: int = 160) -> str:
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def same_subjects(first: Sequence[Difference], second: Sequence[Difference]) -> list[Difference]:
    """Those of the second that the first has, too, with the same values."""
    seen = {(one.subject, repr(one.ours), repr(one.theirs)) for one in first}
    return [one for one in second if (one.subject, repr(one.ours), repr(one.theirs)) in seen]
