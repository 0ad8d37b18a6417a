"""References to nodes: which node one means, which were given out, and to which app they belong.

A uid is short and of the contract's form: the engine's own where that is so already (`u-1f`). Engines that
name nodes otherwise, and every app of a server but its first, get names of ours (`u2-1f`: the second app), so
that a reference is never taken for a node of another app, although apps count from the same beginning. So it
is with revisions.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...model import operations as ops
from ...model.errors import DeskhandError, InvalidParams, NotFound, Stale
from ...model.node import Node, Window
from ...model.operations import Change, Difference, Runner
from ...model.selector import by_uid
from ...model.tree import Cut, Tree
from .node import id_of, label_of
from .scene import Scene, last_type, type_of

_KEPT = 100_000
"""How many references are remembered for each app."""
_REVISIONS = 10**9
"""More revisions than an app ever has."""
_SCENES = 8
_HINTED = 60
_SHOWN = 1000
"""How much of a reference that leads nowhere an error repeats."""
_OWN = re.compile(r"u-[0-9a-z]+")
_GIVEN = re.compile(r"u(\d+)-[0-9a-z]+")
_NAMED = re.compile(r'uid="([^"]+)"')
"""What an engine's errors call a node, which was asked for by its uid."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Given:
    """The references that results had for an app's nodes: one that is gone is not one that never was."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._types: dict[str, str] = {}
        """The type that each node had in its first result, by its uid."""
        self._names: dict[str, str] = {}
        self._natives: dict[str, str] = {}
        self._count = 0
        self._lock = threading.Lock()
        self._scenes: deque[Scene] = deque(maxlen=_SCENES)
        self.shown_windows: set[str] | None = None
        """What the app calls the open windows that results have named; None if there was no result."""

    def scene(self, tree: Tree) -> Scene:
        """A tree of the app as the contract sees it; all its nodes may be referred to from now on."""
        tree = self.tag(tree)
        last = self._scenes[-1] if self._scenes else None
        scene = Scene(tree, last)
        if last is not None and last.tree.nodes is tree.nodes:
            self._scenes[-1] = scene
            return scene
        self._scenes.append(scene)
        types = self._types
        for uid, node in tree.by_uid.items():
            if uid not in types:
                types[uid] = type_of(node)
        while len(types) > _KEPT:
            del types[next(iter(types))]
        return scene

    def knows(self, ref: Mapping[str, Any]) -> bool:
        """Whether that reference was given out once; of paths, the latest are remembered."""
        path = ref.get("path")
        return ref.get("uid") in self._types or (path is not None and self.knows_path(path))

    def knows_path(self, path: str) -> bool:
        """Whether a recent result had a node with that path."""
        return any(scene.at(path) is not None for scene in list(self._scenes))

    def earlier(self, uid: str) -> Node | None:
        """A node as the last result had it; None if that is forgotten."""
        found = (scene.tree.get(uid) for scene in reversed(list(self._scenes)))
        return next((node for node in found if node is not None), None)

    def types_of(self, node: Node) -> tuple[str | None, str]:
        """The type that a node had first, and its type now: a row has another one when out of view."""
        return self._types.get(node.uid), type_of(node)

    # -- the app's own uids and ours -----------------------------------------------------------------

    def tagged(self, uid: str) -> str:
        """What a node is called here, by what its app calls it."""
        if self.number == 1 and _OWN.fullmatch(uid):
            return uid
        name = self._names.get(uid)
        if name is None:
            with self._lock:
                self._count += 1
                name = self._names[uid] = f"u{self.number}-{_base36(self._count)}"
                self._natives[name] = uid
                if len(self._names) > _KEPT:
                    del self._natives[self._names.pop(next(iter(self._names)))]
        return name

    def own_uid(self, uid: str) -> str | None:
        """What its app calls a node; None if it belongs to another app."""
        matched = _GIVEN.fullmatch(uid)
        if matched is not None:
            # One of ours that was never given out is passed on, for the app to say that there is none.
            return self._natives.get(uid, uid) if int(matched[1]) == self.number else None
        return uid if self.number == 1 else None

    def show_windows(
        self, windows: Iterable[Window], closed: Iterable[str] = (), *, all_: bool = False
    ) -> None:
        """Remember which windows of the app a result names; `all_` if there are no others."""
        known = set() if all_ or self.shown_windows is None else self.shown_windows
        self.shown_windows = (known | {window.uid for window in windows}) - set(closed)

    def is_of(self, uid: str) -> bool:
        """Whether a node of this app was given out by that uid."""
        return uid in self._types and self.own_uid(uid) is not None

    def revision(self, own: int) -> int:
        """What a revision of the app is called here."""
        return (self.number - 1) * _REVISIONS + own

    def own_revision(self, revision: int) -> int | None:
        """What its app calls a revision; None if it belongs to another app."""
        number, own = divmod(revision, _REVISIONS)
        return own if number == self.number - 1 else None

    def reworded(self, text: str) -> str:
        """A text in which nodes are called what they are called here."""
        return _NAMED.sub(lambda named: self._names.get(named[1], named[0]), text) if self._names else text

    def renames(self, uid: str) -> bool:
        """Whether nodes are called otherwise here than in their app."""
        return self.number != 1 or not _OWN.fullmatch(uid)

    def tag(self, tree: Tree) -> Tree:
        """The tree with uids that no other app has."""
        if not tree.nodes or not any(self.renames(node.uid) for node in (tree.nodes[0], tree.nodes[-1])):
            return tree
        cut = tree.cut
        if cut is not None:
            cut = Cut(cut.left_out, cut.reason, tuple(map(self.tagged, cut.at)))
        return Tree(
            [self._tag_node(node) for node in tree.nodes],
            tuple(replace(window, uid=self.tagged(window.uid)) for window in tree.windows),
            self.revision(tree.revision),
            tree.captured_at,
            None if tree.focused is None else self.tagged(tree.focused),
            cut,
        )

    def tag_difference(self, found: Difference) -> Difference:
        """The same for what changed."""
        tagged = self.tagged

        def change(each: Change) -> Change:
            return replace(each, uid=tagged(each.uid))

        return replace(
            found,
            since=self.revision(found.since),
            revision=self.revision(found.revision),
            added=tuple(self._tag_node(node) for node in found.added),
            removed=tuple(change(each) for each in found.removed),
            changed=tuple(change(each) for each in found.changed),
            windows_opened=tuple(replace(each, uid=tagged(each.uid)) for each in found.windows_opened),
            windows_closed=tuple(map(tagged, found.windows_closed)),
            focused=None if found.focused is None else tagged(found.focused),
        )

    def _tag_node(self, node: Node) -> Node:
        fields: dict[str, Any] = {"uid": self.tagged(node.uid)}
        if node.parent is not None:
            fields["parent"] = self.tagged(node.parent)
        if node.virtualization is not None:
            rows = tuple(
                replace(row, uid=None if row.uid is None else self.tagged(row.uid))
                for row in node.virtualization.visible_cells
            )
            fields["virtualization"] = replace(node.virtualization, visible_cells=rows)
        return node.changed(**fields)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits


def as_ref(data: Any) -> dict[str, Any]:
    """What was given as a reference: an object, or the uid alone."""
    ref = {"uid": data} if isinstance(data, str) else dict(data)
    named = [name for name in ("uid", "path") if ref.get(name)]
    shown = [name for name in ("text", "role", "name") if ref.get(name)]
    if named and shown:
        raise InvalidParams(
            f"a node is named by its uid, or by what it shows, not by '{named[0]}' and '{shown[0]}'",
            field="ref",
        )
    if not named and not shown:
        raise InvalidParams("a ref needs a 'uid' or a 'path', or 'text', or 'role' and 'name'", field="ref")
    return ref


def target_ref(target: Any) -> dict[str, Any]:
    """The reference in the target of an action."""
    return as_ref(target["ref"]) if isinstance(target, dict) and "ref" in target else as_ref(target)


def resolve(ref: Mapping[str, Any], given: Given, runner: Runner, scene: Callable[[bool], Scene]) -> Node:
    """The node that a reference means, by its uid and else by its path; the app's own uid is in it.

    `scene` reads the tree, with the inner parts of controls if that is asked for. Raises Stale for a node
    that is gone, NotFound for one that never was, or that is another app's.
    """
    uid, path = ref.get("uid"), ref.get("path")
    if uid is not None and given.own_uid(uid) is None:
        raise _missing(ref, given)  # another app's, in which the same path may lead to anything
    other = None
    if uid is not None:
        node = _by_uid(uid, given, runner)
        if node is not None and _fits(node, ref, given):
            if _is_ours(node, path, given, scene):
                return node
            other = node
    if path is not None and other is None:
        for inner in (False, True):
            node = scene(inner).at(path)
            if node is not None and _fits(node, ref, given, by_path=True):
                return node
    raise _missing(ref, given, other)


def _by_uid(uid: str, given: Given, runner: Runner) -> Node | None:
    own = given.own_uid(uid)
    if own is None:
        return None
    try:
        # Found, not read as a tree: that would be a revision, for which an earlier one is forgotten.
        found = runner.run(ops.Find(by_uid(own), limit=1, internals=True))
    except NotFound:
        return None
    return given.tag(Tree(found)).nodes[0] if found else None


def _fits(node: Node, ref: Mapping[str, Any], given: Given, *, by_path: bool = False) -> bool:
    """Whether a node is what the hint says: its text counts only where a path led to it, for texts change."""
    hint = ref.get("hint", {})
    return (
        hint.get("type") in (None, *given.types_of(node))
        and hint.get("id") in (None, id_of(node))
        and (not by_path or "text" not in hint or hint["text"] in (label_of(node), node.value))
    )


def _is_ours(node: Node, path: str | None, given: Given, scene: Callable[[bool], Scene]) -> bool:
    """Whether a path next to the uid of a node can be from this app: another app has the same uids.

    The type of a node never changes, and its path may. One to another place in this app is out of date; one
    to a node of another type, at a place that is not here, is another app's.
    """
    kind = None if path is None else last_type(path)
    return (
        path is None
        or kind in (None, *given.types_of(node))
        or given.knows_path(path)
        or any(scene(inner).at(path) is not None for inner in (False, True))
    )


def _missing(ref: Mapping[str, Any], given: Given, other: Node | None = None) -> DeskhandError:
    """What is wrong with a reference that leads nowhere, or to another node than it says."""
    named = {name: ref[name][:_SHOWN] for name in ("path", "uid") if name in ref}
    message = f"Node not found for uid={named.get('uid', 'null')} path={named.get('path', 'null')}"
    look = ("ui_get_snapshot or ui_query shows the current nodes",)
    if other is not None:
        mismatch = f"that uid is a {type_of(other)} here, and nothing is at that path"
        return NotFound(f"{message}: {mismatch}", ref=named, suggestions=look)
    uid = named.get("uid")
    if uid is not None and not _OWN.fullmatch(uid) and not _GIVEN.fullmatch(uid):
        shown = json.dumps({"text": uid[:_HINTED]}, ensure_ascii=False)
        return NotFound(
            f"{message}: that is not a uid, such as u-1f",
            ref=named,
            suggestions=(f"for a node that shows it: {shown}",),
        )
    kind: type[NotFound] = Stale if given.knows(ref) else NotFound
    gone = " (it was there, and is gone)" if kind is Stale else ""
    return kind(f"{message}{gone}", ref=named, suggestions=look)
