"""A browser as one tree: its own window, with tabs and address bar, and in it the pages that it shows.

The window is read through accessibility and the pages over the DevTools protocol, each of which keeps its own
uids and acts on its own nodes. A page that is behind another tab is represented by its tab.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ...model import operations as ops
from ...model.adapter import Abilities, Adapter
from ...model.errors import ActionUnsupported, Stale
from ...model.node import AppInfo, AppState, Image, Node, Window
from ...model.operations import Action
from ...model.tree import Tree, all_cuts
from ..atspi import AtspiAdapter
from .adapter import WebAdapter
from .pages import Page

T = TypeVar("T")

_AREA = "web-area"
_PROTECTED = 0.6
"""For how long after it has opened a dialog of Chromium ignores clicks, in seconds."""
_KEYS = (ops.Key, ops.TypeText)
"""Actions that without a target go to what has the focus."""


class BrowserAdapter:
    """Drives both. Implements model.adapter.Adapter."""

    name = "web"

    def __init__(self, outer: AtspiAdapter, pages: WebAdapter) -> None:
        """`outer` leaves out what is in pages."""
        self._outer = outer
        self._pages = pages
        self._origins: dict[int, tuple[float, float]] = {}
        pages.reader.moved = lambda page: self._origins.get(page.serial)

    # -- what the engine calls -----------------------------------------------------------------

    @property
    def abilities(self) -> Abilities:
        return Abilities(looks_up=self._pages, reads_cold=self, clipboard=self._outer.clipboard)

    def info(self) -> AppInfo:
        return self._pages.info()

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        return self._read(self._outer.read, self._pages.read, root, depth, details, internals, timeout)

    def read_cold(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        """The same read with nothing taken from earlier ones."""
        return self._read(
            self._outer.read_cold, self._pages.read_cold, root, depth, details, internals, timeout
        )

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        inner = self._is_inner(uid)
        if to is not None and self._is_inner(to) is not inner:
            raise ActionUnsupported("a drag between a page and the browser's own window is not possible")
        if isinstance(action, ops.ControlWindow) and uid is not None and inner:
            tree = self.read(timeout=timeout)
            node = tree.get(uid)
            top = None if node is None else tree.window_of(node)
            if top is not None and not self._is_inner(top.uid):
                uid, inner = top.uid, False
        elif uid is None and isinstance(action, _KEYS):
            inner = any(window.focused for window in self._pages.read(depth=0, timeout=timeout).windows)
        if inner:
            return self._pages.perform(action, uid, to, timeout=timeout)
        self._await_protection()
        return self._outer.perform(action, uid, to, timeout=timeout)

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        source: Adapter = self._pages if self._is_inner(uid) else self._outer
        return source.screenshot(uid, timeout=timeout)

    def desktop(self, *, timeout: float) -> Image:
        return self._outer.desktop(timeout=timeout)

    def idle(self, *, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        self._pages.idle(timeout=timeout)
        self._outer.idle(timeout=max(0.0, deadline - time.monotonic()))

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        stops = [self._outer.subscribe(changed), self._pages.subscribe(changed)]

        def stop() -> None:
            for each in stops:
                each()

        return stop

    def state(self, *, timeout: float) -> AppState:
        windows = self.read(depth=0, timeout=timeout).windows
        state = self._pages.state(timeout=timeout)
        modal = next((window.title for window in windows if window.modal and window.showing), None)
        return replace(
            state,
            foreground=any(window.focused for window in windows),
            modal_dialog=state.modal_dialog or modal,
        )

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        return self._pages.call(function, timeout=timeout)

    def set_id(self, widget: object, automation_id: str) -> None:
        self._pages.set_id(widget, automation_id)

    def close(self) -> None:
        self._pages.close()
        self._outer.close()

    # -- within --------------------------------------------------------------------------------

    def _await_protection(self) -> None:
        """Wait until a dialog that a script has just opened takes input; it does not say when that is."""
        opened = [page.dialog.opened for page in self._pages.pages.all() if page.dialog is not None]
        left = max(opened, default=-_PROTECTED) + _PROTECTED - time.monotonic()
        if left > 0:
            time.sleep(left)

    def _is_inner(self, uid: str | None) -> bool:
        return uid is not None and self._pages.knows(uid)

    def _read(
        self,
        outer: Callable[..., Tree],
        pages: Callable[..., Tree],
        root: str | None,
        depth: int | None,
        details: bool,
        internals: bool,
        timeout: float,
    ) -> Tree:
        if root is not None and self._is_inner(root):
            return pages(root, depth=depth, details=details, internals=internals, timeout=timeout)
        how: dict[str, Any] = {"details": details, "internals": internals, "timeout": timeout}
        around = outer(None, **how)
        if root is not None and around.get(root) is None:
            raise Stale(f"{root} is gone", target=f"uid={root}")
        shown = self._match(around)
        whole = self._joined(around, pages(None, **how), shown)
        return whole if root is None and depth is None else whole.part(root, depth)

    def _match(self, around: Tree) -> dict[str, Page]:
        """The page that each area of the browser's windows shows, by the uid of the area."""
        areas = [node for node in around if node.role == _AREA and node.visible and node.bounds is not None]
        waiting = self._pages.pages.all()
        found: dict[str, Page] = {}
        for area in areas:
            named = [page for page in waiting if (page.title or page.url) == (area.name or "")]
            # Fallback: a title that has just changed may be known to one side only.
            page = next(iter(named or waiting), None)
            if page is not None and area.bounds is not None:
                waiting.remove(page)
                found[area.uid] = page
                self._origins[page.serial] = (area.bounds.x, area.bounds.y)
        return found

    def _joined(self, around: Tree, inside: Tree, shown: Mapping[str, Page]) -> Tree:
        parts = _split(inside)
        nodes: list[Node] = []
        for node in around.nodes:
            page = shown.get(node.uid)
            part = parts.get(page.window) if page is not None else None
            if part is not None:
                nodes.append(part[0].changed(role=_AREA, parent=node.parent))
                nodes += part[1:]
            else:
                nodes.append(node)
        focused_window = any(window.focused for window in around.windows)
        dialogs = self._dialogs(inside, shown)
        for window in dialogs:
            nodes += parts[window.uid]
        windows = [
            replace(window, focused=window.focused and not any(each.focused for each in dialogs))
            for window in around.windows
        ]
        focused = inside.focused if inside.focused and focused_window else around.focused
        return Tree(nodes, (*windows, *dialogs), focused=focused, cut=all_cuts(around.cut, inside.cut))

    def _dialogs(self, inside: Tree, shown: Mapping[str, Page]) -> Sequence[Window]:
        """The dialogs in pages that are shown; those of scripts are in the browser's own window."""
        wanted = {page.window.partition(".")[0] for page in shown.values()}
        return [
            window
            for window in inside.windows
            if window.kind == "dialog" and window.uid.partition(".")[0] in wanted
        ]


def _split(tree: Tree) -> dict[str, list[Node]]:
    """The nodes of each window, by its uid."""
    parts: dict[str, list[Node]] = {}
    for node in tree.nodes:
        if node.parent is None:
            part = parts[node.uid] = []
        part.append(node)
    return parts
