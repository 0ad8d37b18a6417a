"""A program with two toolkits as one tree: Dear ImGui, and the one in whose canvas it is drawn.

Each keeps its own uids, and acts on its own nodes. What Dear ImGui draws hangs below the canvas.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from ..images.png import cut
from ..model import operations as ops
from ..model.adapter import Abilities, Adapter, Followed, abilities
from ..model.errors import ActionUnsupported, AppGone, UiBusy
from ..model.node import AppInfo, AppState, Image, Node, Rect
from ..model.operations import Action
from ..model.tree import Tree
from ..model.verified import verified
from .imgui import canvas as canvases
from .imgui.adapter import ImguiAdapter, Part
from .imgui.canvas import WxCanvas
from .imgui.stage import Stage

T = TypeVar("T")

_PREFIX = "im-"
"""Before the uids of Dear ImGui."""
_FRAME = 0.5
"""How long a canvas may take to draw before what it drew last is taken, in seconds."""
_PROBE = 0.2
"""How long an event loop may take to say that it runs, in seconds."""
_WHERE_THE_FOCUS_IS = (ops.Key, ops.TypeText, ops.MouseUp)
"""Actions that without a target go on where the last one was."""


class SeveralAdapter:
    """Drives both. Implements model.adapter.Adapter. Made on the GUI thread."""

    def __init__(self, outer: Adapter, imgui: ImguiAdapter) -> None:
        self.name = outer.name
        self._outer = verified(outer)
        self._imgui = imgui
        self._in_imgui = False
        """Whether the last action was on something of Dear ImGui."""
        canvases.watch()
        imgui.embed(_PREFIX, lambda _: canvases.current(), self._goes_on)

    # -- what the engine calls -------------------------------------------------------------------

    def info(self) -> AppInfo:
        info = self._outer.info()
        return replace(info, runtime=f"{info.runtime}, {self._imgui.info().runtime}")

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        if root is not None and root.startswith(_PREFIX):
            whole = self._outer.read(timeout=timeout)
        elif depth == 0:
            return self._outer.read(root, depth=0, details=details, internals=internals, timeout=timeout)
        else:
            whole = self._outer.read(root, details=details, internals=internals, timeout=timeout)
        tree = self._with_imgui(whole, details, timeout)
        if root is not None and tree.get(root) is None:
            raise self._imgui.stale(root)
        return tree.part(root, depth)

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        inner = _is_inner(uid)
        if uid is None and isinstance(action, _WHERE_THE_FOCUS_IS):
            inner = self._in_imgui
        if to is not None and _is_inner(to) is not inner:
            raise ActionUnsupported("a drag between Dear ImGui and another toolkit is not possible")
        self._in_imgui = inner
        adapter: Adapter = self._imgui if inner else self._outer
        return adapter.perform(action, uid, to, timeout=timeout)

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        if uid is None or not _is_inner(uid):
            return self._outer.screenshot(uid, timeout=timeout)
        stage = self._imgui.stage_of(uid)
        canvas = self._canvas(stage, timeout)
        if canvas is None:
            raise self._imgui.stale(uid)
        image = self._outer.screenshot(canvas, timeout=timeout)
        whole = self._outer.read(canvas, depth=0, timeout=timeout).nodes[0].bounds
        part = self.read(uid, depth=0, timeout=timeout).nodes[0].bounds
        assert whole is not None, "what is on a screenshot has bounds"
        assert part is not None, "every item has bounds"
        return _cut(image, part.relative_to(whole))

    @property
    def abilities(self) -> Abilities:
        """Those of the outer toolkit, except a cold read, which would lack what Dear ImGui draws."""
        own = abilities(self._outer)
        return replace(own, reads_cold=None, follows=own.follows and self, names_by_label=self._imgui)

    def follow(self, changed: Followed) -> Callable[[], None]:
        """Without trees while Dear ImGui draws anything, which is not in them."""
        follows = abilities(self._outer).follows
        assert follows is not None, "only then it is among the abilities"
        stops = [
            follows.follow(lambda tree: changed(None if self._imgui.stages else tree)),
            self._imgui.subscribe(lambda: changed(None)),
        ]

        def stop() -> None:
            for each in stops:
                each()

        return stop

    def desktop(self, *, timeout: float) -> Image:
        return self._outer.desktop(timeout=timeout)

    def idle(self, *, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        self._outer.idle(timeout=timeout)
        left = max(0.0, deadline - time.monotonic())
        self._imgui.settle(lambda: self._showing(left), left)

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        stops = [self._outer.subscribe(changed), self._imgui.subscribe(changed)]

        def stop() -> None:
            for each in stops:
                each()

        return stop

    def state(self, *, timeout: float) -> AppState:
        state = self._outer.state(timeout=timeout)
        if state.modal_dialog is not None:
            return state
        scenes = [stage.last_scene() for stage in self._showing(timeout)]
        modal = (root.name for scene in scenes if scene for root in scene.roots if root.role == "dialog")
        return replace(state, modal_dialog=next(modal, None))

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        return self._outer.call(function, timeout=timeout)

    def set_id(self, widget: object, automation_id: str) -> None:
        self._outer.set_id(widget, automation_id)

    def close(self) -> None:
        with suppress(UiBusy, AppGone):
            self._outer.call(self._let_go, timeout=1.0)
        self._imgui.close()
        self._outer.close()

    # -- within ----------------------------------------------------------------------------------

    def _let_go(self) -> None:
        canvases.unwatch()
        self._imgui.close()

    def _with_imgui(self, tree: Tree, details: bool, timeout: float) -> Tree:
        """The tree of the outer toolkit, with what Dear ImGui draws below each canvas."""
        parts: dict[str, Part] = {}
        beside: list[Part] = []
        for stage in self._imgui.stages:
            canvas = self._canvas(stage, timeout)
            node = None if canvas is None else tree.get(canvas)
            if canvas is not None and (node is None or not node.visible):
                continue
            # Fallback: a canvas that is covered draws nothing; what it drew last is what it would show.
            with suppress(UiBusy):
                stage.frame(min(timeout, _FRAME))
            scene = stage.last_scene()
            if scene is None:
                continue
            if node is not None:
                parts[node.uid] = self._imgui.part(stage, scene, details, node.uid)
            elif tree.roots and tree.roots[0].parent is None:
                # It is unknown what it is drawn in: its windows are next to the others.
                beside.append(self._imgui.part(stage, scene, details, None))
        nodes = _joined(tree.nodes, parts)
        for part in beside:
            nodes += part.nodes
        self._imgui.remember(nodes)
        focused = tree.focused
        if focused is None or focused in parts:
            focused = next((part.focused for part in parts.values() if part.focused), focused)
        windows = (*tree.windows, *(window for part in beside for window in part.windows))
        return Tree(nodes, windows, focused=focused, cut=tree.cut)

    def _showing(self, timeout: float) -> list[Stage]:
        """The contexts whose canvas is shown."""
        found = []
        for stage in self._imgui.stages:
            surface = stage.surface
            if isinstance(surface, WxCanvas) and self._outer.call(surface.is_shown, timeout=timeout):
                found.append(stage)
        return found

    def _canvas(self, stage: Stage, timeout: float) -> str | None:
        """The uid of the canvas that a context is drawn in."""
        outer = abilities(self._outer).knows_widgets
        surface = stage.surface
        if not isinstance(surface, WxCanvas) or outer is None:
            return None
        return self._outer.call(
            lambda: outer.uid_of(surface.canvas) if surface.canvas else None, timeout=timeout
        )

    def _goes_on(self, stage: Stage) -> bool:
        """Whether an event loop runs in the midst of a frame: a dialog of the outer toolkit is open."""
        if not stage.recorder.within:
            return False
        try:
            return self._outer.call(lambda: stage.recorder.within, timeout=_PROBE)
        except (UiBusy, AppGone):
            return False


def _joined(outer: Sequence[Node], parts: Mapping[str, Part]) -> list[Node]:
    """The nodes of the outer toolkit, with each part behind all that its canvas has itself."""
    nodes: list[Node] = []
    waiting: list[tuple[set[str], Part]] = []
    for node in outer:
        while waiting and node.parent not in waiting[-1][0]:
            nodes += waiting.pop()[1].nodes
        for inside, _ in waiting:
            inside.add(node.uid)
        part = parts.get(node.uid)
        if part is None:
            nodes.append(node)
            continue
        own = sum(1 for each in part.nodes if each.parent == node.uid)
        nodes.append(node.changed(child_count=node.child_count + own))
        waiting.append(({node.uid}, part))
    while waiting:
        nodes += waiting.pop()[1].nodes
    return nodes


def _is_inner(uid: str | None) -> bool:
    return uid is not None and uid.startswith(_PREFIX)


def _cut(image: Image, part: Rect) -> Image:
    scale = image.scale
    box = [round(number * scale) for number in part]
    png, width, height = cut(image.png, box[0], box[1], box[2], box[3])
    return Image(png, width, height, scale)
