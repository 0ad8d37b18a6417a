"""Dear ImGui as the engine sees it: reads and actions of one program, for callers on any thread."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from ... import __version__
from ...model.errors import AppGone, InvalidParams, Stale, UiBusy
from ...model.node import AppInfo, AppState, Image, Node, Window
from ...model.operations import Action
from ...model.tree import Tree
from ..placement import Belief, Placement
from ..screen import screen
from . import record, shot
from .act import Actor
from .clipboard import ImguiClipboard
from .glfw import glfw_window
from .nodes import node
from .place import Seen, Surface
from .record import Recorder
from .scene import DrawnElement, FrameElements
from .stage import Stage

T = TypeVar("T")

_KNOWN = 4096
"""How many former elements are remembered, so that an error about one that is gone can name it."""


class ImguiAdapter:
    """Drives every context of Dear ImGui in this process that draws."""

    name = "imgui"

    def __init__(self) -> None:
        self._stages: list[Stage] = []
        self.prefix = ""
        """Before each uid."""
        self._ids: dict[str, str] = {}
        self._called: dict[str, str] = {}
        self._changed: list[Callable[[], None]] = []
        self._title: str | None = None
        self._placement = Placement(whose=os.getpid().__eq__)
        self.clipboard = ImguiClipboard(self.call)
        self.surface_of: Callable[[Recorder], Surface | None] = _own_window()
        """How to find out what a context is drawn in; asked on the GUI thread before each frame."""
        self._goes_on: Callable[[Stage], bool] = lambda _: False
        record.install(self._met)
        for recorder in record.known():
            self._met(recorder)

    # -- what the engine calls -------------------------------------------------------------------

    def info(self) -> AppInfo:
        bundle: Any = sys.modules["imgui_bundle"]
        return AppInfo(
            framework="Dear ImGui",
            version=bundle.imgui.get_version(),
            pid=os.getpid(),
            title=self._main_title(),
            runtime=f"imgui-bundle {bundle.__version__}, Python {platform.python_version()}",
            main=_program(),
            toolkit=self.name,
            deskhand=__version__,
        )

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        nodes: list[Node] = []
        windows: list[Window] = []
        focused: str | None = None
        for stage in self._live():
            scene = stage.scene(timeout)
            part = Part(stage, scene, self._ids, details)
            nodes += part.nodes
            windows += part.windows
            focused = focused or part.focused
        self.remember(nodes)
        tree = Tree(nodes, tuple(windows), focused=focused)
        if root is not None and tree.get(root) is None:
            raise self.stale(root)
        return tree.part(root, depth)

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        stage, own = self._stage(uid)
        other, own_to = self._stage(to) if to is not None else (stage, None)
        if other is not stage:
            raise InvalidParams(
                "a drag from one context of Dear ImGui to another is not possible", field="to"
            )
        scene = stage.scene(timeout)
        for known in (own, own_to):
            if known is not None and known not in scene.by_uid:
                raise self.stale(stage.prefix + known)
        actor = Actor(stage)
        try:
            return stage.play(lambda: actor.perform(action, own, own_to), timeout) or {}
        finally:
            self._placement.acted(action)

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        stage, own = self._stage(uid)
        scene = stage.scene(timeout)
        box = None
        if own is not None:
            if own not in scene.by_uid:
                raise self.stale(stage.prefix + own)
            box = scene.by_uid[own].box
        return shot.screenshot(stage, box, timeout)

    def desktop(self, *, timeout: float) -> Image:
        return screen(os.environ)

    def idle(self, *, timeout: float) -> None:
        self.settle(self._live, timeout)

    def settle(self, stages: Callable[[], Iterable[Stage]], timeout: float) -> None:
        """Return once these contexts are idle, and the windows of the program are settled."""

        def rest(left: float) -> Belief:
            deadline = time.monotonic() + left
            for stage in stages():
                stage.idle(max(0.0, deadline - time.monotonic()))
            return Belief()

        self._placement.connect(os.environ)
        self._placement.wait(rest, timeout)

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        self._changed.append(changed)
        stops = [stage.subscribe(changed) for stage in self._stages]

        def stop() -> None:
            if changed in self._changed:
                self._changed.remove(changed)
            for each in stops:
                each()

        return stop

    def state(self, *, timeout: float) -> AppState:
        modal = view = None
        foreground = False
        for stage in self._live():
            scene = stage.scene(timeout)
            window = stage.place.window
            foreground = foreground or window is None or window.focused
            dialog = next((root for root in scene.roots if root.role == "dialog"), None)
            modal = modal or (None if dialog is None else dialog.name)
            chosen = (
                element for element in scene.by_uid.values() if element.kind == "tab" and element.reading
            )
            view = view or next((tab.name for tab in chosen if tab.reading and tab.reading.selected), None)
        return AppState(active_view=view, foreground=foreground, modal_dialog=modal)

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        """Run a function of the program's own on its GUI thread."""
        return self._main().call(function, timeout)

    def set_id(self, widget: object, automation_id: str) -> None:
        self.set_id_by_label(widget, automation_id)

    def set_id_by_label(self, item: object, automation_id: str) -> None:
        """Name an item by its window and label, or by its path `ImGui/<window>/<label>`."""
        if isinstance(item, tuple) and len(item) == 2:
            item = f"ImGui/{item[0]}/{item[1]}"
        if not isinstance(item, str):
            raise InvalidParams(
                f"an item of Dear ImGui is named by its window and label, not by {type(item).__name__}",
                field="widget",
                suggestions=('give ("My window", "My label##1") or "ImGui/My window/My label##1"',),
            )
        self._ids[item] = automation_id

    def close(self) -> None:
        for stage in list(self._stages):
            with suppress(UiBusy, AppGone):
                stage.call(stage.close, 0.5)
            stage.close()
        self._stages.clear()
        record.uninstall(self._met)
        self._placement.close()

    # -- for what it is embedded in --------------------------------------------------------------

    def embed(
        self,
        prefix: str,
        surface_of: Callable[[Recorder], Surface | None],
        goes_on: Callable[[Stage], bool],
    ) -> None:
        """From now on it is drawn in what another toolkit shows. On the GUI thread."""
        self.prefix, self.surface_of, self._goes_on = prefix, surface_of, goes_on
        for stage in self._stages:
            stage.close()
        self._stages.clear()
        for recorder in record.known():
            self._met(recorder)

    @property
    def stages(self) -> list[Stage]:
        """The contexts that draw."""
        return [stage for stage in self._stages if not stage.recorder.gone]

    def stage_of(self, uid: str) -> Stage:
        """The context that knows a uid."""
        return self._stage(uid)[0]

    def part(self, stage: Stage, scene: FrameElements, details: bool, below: str | None) -> Part:
        """What a context draws, below a node of another toolkit if that has a uid here."""
        return Part(stage, scene, self._ids, details, below)

    def remember(self, nodes: list[Node]) -> None:
        """Keep what each is called, for when it is gone."""
        for each in nodes:
            self._called[each.uid] = str(each)
        while len(self._called) > _KNOWN:
            del self._called[next(iter(self._called))]

    def stale(self, uid: str) -> Stale:
        """The error for an element that is gone."""
        what = self._called.get(uid)
        return Stale(f"{what} {uid} is gone" if what else f"{uid} is gone", target=f"uid={uid}")

    # -- within ----------------------------------------------------------------------------------

    def _met(self, recorder: Recorder) -> None:
        """There is a context that draws. On its GUI thread, or before the first request."""
        if any(stage.recorder is recorder for stage in self._stages):
            return
        number = len(self._stages)
        prefix = f"{self.prefix}c{number}-" if number else self.prefix
        stage = Stage(recorder, prefix, lambda met: self.surface_of(met))
        stage.goes_on = lambda: self._goes_on(stage)
        self._stages.append(stage)
        for changed in self._changed:
            stage.subscribe(changed)

    def _live(self) -> list[Stage]:
        stages = self.stages
        if not stages and not self._stages:
            raise UiBusy("nothing was drawn with Dear ImGui yet", suggestions=("wait for its first frame",))
        if not stages:
            raise AppGone("nothing is drawn with Dear ImGui any more")
        return stages

    def _main(self) -> Stage:
        return self._live()[0]

    def _stage(self, uid: str | None) -> tuple[Stage, str | None]:
        """The context that knows a uid, and how that is called there; None for a window of the desktop."""
        if uid is None:
            return self._main(), None
        for stage in reversed(self._live()):
            if uid.startswith(stage.prefix):
                own = uid[len(stage.prefix) :]
                return stage, None if own == SURFACE else own
        raise self.stale(uid)

    def _main_title(self) -> str | None:
        stage = self._stages[0] if self._stages else None
        if stage is not None and stage.place.window is not None:
            self._title = stage.place.window.title
        elif stage is not None and (scene := stage.last_scene()) is not None:
            self._title = next((root.name for root in scene.roots if root.kind == "window"), self._title)
        return self._title


SURFACE = "window"
"""The uid of the window of the desktop."""


def _own_window() -> Callable[[Recorder], Surface | None]:
    """Finds the window of hello_imgui, which is the same for as long as the context lives."""
    found: dict[Recorder, Surface | None] = {}

    def surface_of(recorder: Recorder) -> Surface | None:
        if recorder not in found:
            found.clear()
            found[recorder] = glfw_window()
        return found[recorder]

    return surface_of


class Part:
    """The nodes and windows of one context: below a node of another toolkit if that has a uid here."""

    def __init__(
        self,
        stage: Stage,
        scene: FrameElements,
        ids: Mapping[str, str],
        details: bool = False,
        below: str | None = None,
    ) -> None:
        self.nodes: list[Node] = []
        self.windows: list[Window] = []
        self.focused: str | None = None
        self._scene = scene
        self._place = stage.place
        self._prefix = stage.prefix
        self._ids = ids
        self._details = details
        window = self._place.window
        top = below
        inner = scene.roots
        if below is None and window is not None:
            top = self._prefix + SURFACE
            inner = [root for root in scene.roots if root.role != "dialog"]
            self._surface(window, top, len(inner))
        for root in inner:
            self._add(root, top)
        for root in scene.roots:
            if below is None and (top is None or root.role == "dialog"):
                if top is not None:
                    self._add(root, None)
                self._window(root)

    def _surface(self, seen: Seen, uid: str, children: int) -> None:
        self.nodes.append(
            Node(
                uid=uid,
                role="window",
                native_class=seen.native_class,
                backend="imgui",
                name=seen.title or None,
                bounds=seen.bounds,
                child_count=children,
                visible=not seen.minimized,
                actions=("focus",),
            )
        )
        self.windows.append(
            Window(
                uid=uid,
                title=seen.title,
                app_name=_program() or "",
                pid=os.getpid(),
                bounds=seen.bounds,
                focused=seen.focused,
                showing=not seen.minimized,
                minimized=seen.minimized,
                maximized=seen.maximized,
                native_id=seen.native_id,
            )
        )

    def _window(self, element: DrawnElement) -> None:
        seen = element.window
        modal = element.role == "dialog"
        self.windows.append(
            Window(
                uid=self._prefix + element.uid,
                title=element.name,
                app_name=_program() or "",
                pid=os.getpid(),
                kind="dialog" if modal else "popup" if element.kind != "window" else "regular",
                bounds=self._place.on_screen(element.box),
                focused=seen is not None and seen.id == self._scene.frame.focused_window,
                showing=element.visible,
                minimized=seen is not None and seen.collapsed,
                modal=modal,
            )
        )

    def _add(self, element: DrawnElement, parent: str | None) -> None:
        made = node(element, self._scene, self._place, self._prefix, self._ids, parent, self._details)
        self.nodes.append(made)
        if made.focused:
            self.focused = made.uid
        for child in element.children:
            self._add(child, made.uid)


def _program() -> str | None:
    return Path(sys.argv[0]).name if sys.argv and sys.argv[0] else None
