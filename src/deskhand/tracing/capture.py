"""What an app looks like at one moment: its tree, and a screenshot of the desktop that it is on.

Pixels are read from the X display where there is one, which takes a fraction of the time of a screenshot by
the app and also works while that hangs.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Mapping
from dataclasses import replace

from ..adapters.display import Display
from ..model.errors import DeskhandError
from ..model.node import Rect
from ..model.operations import Difference, ReadTree, Runner, Screenshot
from ..model.tree import Tree
from .frames import Shot

MOST_NODES = 4000
"""How many nodes of a tree are recorded; the tree says how many were left out."""
_PATIENCE = 1.0
"""How long an app may take for a tree or a screenshot, in seconds."""


class Camera:
    """Looks at one app, by a runner and, if `env` leads to an X display, by that."""

    def __init__(
        self,
        runner: Runner,
        env: Mapping[str, str] | None = None,
        *,
        close_runner: bool = False,
        whole: bool | None = None,
    ) -> None:
        """`whole` says whether the whole screen is recorded; else it is, unless it is the user's own."""
        self._runner = runner
        self._close_runner = close_runner
        self._lock = threading.Lock()
        self._env = env if env is not None and env.get("DISPLAY") and not env.get("WAYLAND_DISPLAY") else None
        if whole is None:
            whole = env is not None and env.get("DISPLAY") != os.environ.get("DISPLAY")
        self._whole = whole
        self._display: Display | None = None
        self._no_shot = False

    @property
    def needs_no_tree(self) -> bool:
        """Whether screenshots are of the whole display, wherever the windows of the app are now."""
        return self._whole and self._env is not None

    def tree(self, last: Tree | None = None) -> tuple[Tree, Difference | None]:
        """Its tree, and what differs from the last one if that is known. Raises a DeskhandError."""
        read = ReadTree(max_nodes=MOST_NODES, timeout=_PATIENCE)
        if last is not None:
            snapshot = self._runner.run(replace(read, since=last.revision))
            if snapshot.difference is not None and (tree := _applied(last, snapshot.difference)) is not None:
                return tree, snapshot.difference
            if snapshot.tree is not None:
                return snapshot.tree, None
        tree = self._runner.run(read).tree
        assert tree is not None, "nothing else was asked for"
        return tree, None

    def shot(self, tree: Tree | None) -> Shot | None:
        """A screenshot; None if there is no way to take one."""
        with self._lock:
            if self._env is not None:
                with contextlib.suppress(DeskhandError, OSError):
                    return self._pixels(self._env, tree)
                # Fallback: the display is gone or another user's; the app may still draw itself.
                self._let_go()
            return self._by_the_app(tree)

    def close(self) -> None:
        """Let go of the display."""
        with self._lock:
            self._let_go()
            if self._close_runner:
                self._runner.close()

    def _pixels(self, env: Mapping[str, str], tree: Tree | None) -> Shot:
        if self._display is None:
            self._display = Display(env)
        display = self._display
        scale = _scale(tree)
        area = (0, 0, display.width, display.height)
        if not self._whole:
            area = _around(tree, scale, display.width, display.height) or area
        x, y, width, height = area
        data = display.pixels(x, y, width, height)
        return Shot(width, height, pixels=data, x=x / scale, y=y / scale, scale=scale)

    def _by_the_app(self, tree: Tree | None) -> Shot | None:
        if self._no_shot:
            return None
        for desktop in (True, False):
            with contextlib.suppress(DeskhandError):
                image = self._runner.run(Screenshot(desktop=desktop, timeout=_PATIENCE))
                bounds = None if desktop or tree is None or not tree.windows else tree.windows[0].bounds
                x, y = (0.0, 0.0) if bounds is None else (bounds.x, bounds.y)
                return Shot(image.width, image.height, png=image.png, x=x, y=y, scale=image.scale)
        return None

    def _let_go(self) -> None:
        self._env = None
        if self._display is not None:
            self._display.close()
            self._display = None


def _applied(tree: Tree, difference: Difference) -> Tree | None:
    """The tree after a difference; None if that lacks something, such as the position of a new node."""
    if difference.added or difference.windows_opened or difference.windows_closed or difference.left_out:
        return None
    gone = {change.uid for change in difference.removed}
    changed = {change.uid: change.fields for change in difference.changed}
    nodes = tree.nodes
    if gone or changed:
        nodes = [
            node.changed(**changed[node.uid]) if node.uid in changed else node
            for node in nodes
            if node.uid not in gone
        ]
    windows = tuple(
        replace(window, bounds=changed[window.uid]["bounds"])
        if "bounds" in changed.get(window.uid, ())
        else window
        for window in tree.windows
    )
    return Tree(nodes, windows, difference.revision, focused=difference.focused, cut=tree.cut)


def _scale(tree: Tree | None) -> float:
    return tree.windows[0].scale if tree is not None and tree.windows else 1.0


def _around(tree: Tree | None, scale: float, width: int, height: int) -> tuple[int, int, int, int] | None:
    """The part of a screen that has an app's windows, in pixels."""
    windows = () if tree is None else tree.windows
    shown = [window.bounds for window in windows if window.bounds and window.showing and not window.minimized]
    shown = [bounds for bounds in shown if bounds.width > 0 and bounds.height > 0]
    if not shown:
        return None
    left = max(0, int(min(bounds.x for bounds in shown) * scale))
    top = max(0, int(min(bounds.y for bounds in shown) * scale))
    right = min(width, int(max(_right(bounds) for bounds in shown) * scale))
    bottom = min(height, int(max(bounds.y + bounds.height for bounds in shown) * scale))
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None


def _right(bounds: Rect) -> float:
    return bounds.x + bounds.width
