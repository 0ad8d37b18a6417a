"""A tree as the MCP contract sees it: stages in a fixed order, each node at one canonical path.

`/stages[0]/scene/root` is the root of a window; below it each segment is the simple class and which sibling
of that class it is, from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from ...model.errors import NoWindows
from ...model.node import Node, Window
from ...model.record import dataclass
from ...model.tree import Tree, changes

_PATH = re.compile(r"/stages\[(\d+)\]/scene/root((?:/.*)?)")
_SEGMENT = re.compile(r"(.+)\[(\d+)\]")
_UNFIT = re.compile(r"[/\[\]\s\"\\\x00-\x1f]+")
"""What would make a path ambiguous, or need quoting in JSON."""
_LATE_KINDS = ("popup", "menuBar")
"""Windows that come and go: they stand after the others, whose indexes they would change."""


@dataclass(frozen=True)
class Stage:
    """A window that is shown, and the node at its root."""

    index: int
    window: Window
    root: Node

    @property
    def is_popup(self) -> bool:
        return self.window.kind in _LATE_KINDS

    @property
    def path(self) -> str:
        return f"/stages[{self.index}]/scene/root"


class Kept:
    """What was found out about the scenes of one app, for the next one: mostly little changes between them.

    The caller makes sure that it is still valid.
    """

    def __init__(self) -> None:
        self.pieces: dict[str, Any] = {}
        """What nodes were written as, by uid."""
        self.views: dict[object, Any] = {}
        """What was chosen to be shown, by what was wanted."""


class Scene:
    """The stages of a tree and the paths in it."""

    def __init__(self, tree: Tree, before: Scene | None = None) -> None:
        """`before` is an earlier scene of the same app, of which is used what still holds."""
        self.tree = tree
        self.kept: Kept = Kept() if before is None else before.kept
        roots = tree.by_uid
        shown = [
            window for window in tree.windows if (window.showing or window.minimized) and window.uid in roots
        ]
        shown.sort(key=_place)
        self.stages = tuple(Stage(at, window, roots[window.uid]) for at, window in enumerate(shown))

        if before is not None:
            self._go_on(before)

    def _go_on(self, before: Scene) -> None:
        """Take over how things hang together, if that has not changed."""
        changed = changes(before.tree.nodes, self.tree.nodes)
        if changed is None or [stage.root.uid for stage in before.stages] != [
            stage.root.uid for stage in self.stages
        ]:
            return
        known = vars(before)
        if "paths" in known:
            vars(self)["paths"] = known["paths"]
        if "children" in known:
            children = known["children"]
            now = {node.uid: node for _, node in changed}
            above = {node.parent for node in now.values()}
            children = {
                **children,
                **{uid: [now.get(one.uid, one) for one in children[uid]] for uid in above},
            }
            vars(self)["children"] = children

    @property
    def focused(self) -> Stage | None:
        """The stage that has the focus; None if none has."""
        focused = [stage for stage in self.stages if stage.window.focused]
        # A pop-up that takes the keyboard belongs to a window, which is meant.
        return next((stage for stage in focused if not stage.is_popup), focused[0] if focused else None)

    @property
    def main(self) -> Stage | None:
        """The focused stage, or else the first."""
        return self.focused or (self.stages[0] if self.stages else None)

    def with_popups(self, stage: Stage) -> tuple[Stage, ...]:
        """A stage, and the pop-ups that are open, such as a menu that was just opened in it."""
        return (stage, *(other for other in self.stages if other.is_popup and other is not stage))

    @cached_property
    def paths(self) -> dict[str, str]:
        """The path of every node that is in a stage, by uid."""
        found: dict[str, str] = {}
        children = self.children
        for stage in self.stages:
            found[stage.root.uid] = stage.path
            waiting = [stage.root.uid]
            while waiting:
                above = waiting.pop()
                if (below := children.get(above)) is not None:
                    path = found[above]
                    for child, segment in _segments(below):
                        found[child.uid] = f"{path}/{segment}"
                        waiting.append(child.uid)
        return found

    @cached_property
    def children(self) -> dict[str | None, list[Node]]:
        """The children of each node that has some, by its uid."""
        found: dict[str | None, list[Node]] = {}
        for node in self.tree.nodes:
            above = node.parent
            if above in found:
                found[above].append(node)
            else:
                found[above] = [node]
        return found

    def stage_of(self, node: Node) -> Stage | None:
        """The stage that a node is in."""
        top = self.tree.window_of(node).uid
        return next((stage for stage in self.stages if stage.window.uid == top), None)

    def ref(self, node: Node) -> dict[str, str | None]:
        """What a caller names the node by."""
        return {"path": self.paths.get(node.uid), "uid": node.uid}

    def at(self, path: str) -> Node | None:
        """The node at a path; None if there is none."""
        matched = _PATH.fullmatch(path)
        if matched is None or int(matched[1]) >= len(self.stages):
            return None
        node = self.stages[int(matched[1])].root
        for wanted in matched[2].split("/")[1:]:
            child = next(
                (child for child, segment in _segments(self.tree.children(node)) if segment == wanted), None
            )
            if child is None:
                return None
            node = child
        return node


def _place(window: Window) -> tuple[bool, str, int, str]:
    """What windows are sorted by: of several with the same title, the uid, which never changes."""
    return window.kind in _LATE_KINDS, window.title or "", len(window.uid), window.uid


def _segments(children: Sequence[Node]) -> Iterator[tuple[Node, str]]:
    """The children of a node, each with the last part of its path."""
    counts: dict[str, int] = {}
    late = []
    for child in children:
        if child.internal:
            # Inner parts of controls count last, so that a path is the same whether they were read or not.
            late.append(child)
            continue
        kind = type_of(child)
        counts[kind] = at = counts.get(kind, -1) + 1
        yield child, f"{kind}[{at}]"
    for child in late:
        kind = type_of(child)
        counts[kind] = at = counts.get(kind, -1) + 1
        yield child, f"{kind}[{at}]"


def type_of(node: Node) -> str:
    """The simple class of a node; its role where the toolkit tells no class."""
    return simple(node.native_class or node.role)


@lru_cache(maxsize=4096)
def simple(name: str) -> str:
    """A class without its package or namespace, fit for a path."""
    short = name.rpartition("::")[2].rpartition(".")[2].rpartition("$")[2]
    return _UNFIT.sub("_", short or name)


def last_type(path: str) -> str | None:
    """The type that the last segment of a path names; None for a root."""
    matched = _SEGMENT.fullmatch(path.rpartition("/")[2])
    return None if matched is None or matched[1] == "stages" else matched[1]


def stage_at(scene: Scene, index: int) -> Stage:
    """The window of that index; of -1, the focused one."""
    stage = scene.main if index < 0 else scene.stages[index] if index < len(scene.stages) else None
    if stage is None:
        raise no_stages(index, len(scene.stages))
    return stage


def searched(scene: Scene, scope: Mapping[str, Any]) -> Sequence[Stage]:
    """The stages that a query searches."""
    which = scope.get("stage", "index" if "stageIndex" in scope else "focused")
    if which == "all":
        return scene.stages
    if which == "index":
        index = scope.get("stageIndex", 0)
        return scene.stages[index : index + 1]
    return () if scene.main is None else scene.with_popups(scene.main)


def no_stages(index: int | None = None, count: int = 0) -> NoWindows:
    if index is None or not count:
        return NoWindows("the app shows no window", suggestions=("ui_wait for one, or start the app again",))
    return NoWindows(f"there is no stage {index}; there are {count}, from 0", stageIndex=index, stages=count)
