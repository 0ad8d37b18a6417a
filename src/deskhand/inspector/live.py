"""An app as it is now: its tree and its screen, followed while a page is open.

The tree is read when the app reports a change. Where pixels can be read from an X display, they are compared
with the last ones several times a second; an app that draws itself is asked only after something happened.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..model import operations as ops
from ..model.errors import AppGone, Cancelled, ConnectFailed, DeskhandError, NotConnected
from ..model.operations import Runner
from ..model.tree import Tree
from ..tracing.capture import Camera
from ..tracing.frames import Shot, changed_parts

RATE = 0.1
"""How often the pixels of a display are compared, in seconds."""
_DRAWN = 0.4
"""How long an app that draws its screenshots itself is left alone between two of them, in seconds."""
_DRAWN_ANYWAY = 3.0
"""After how many seconds it draws one although nothing is known to have happened."""
_CYCLE = 3.0
"""How long a change of the tree is waited for before it is read again, in seconds."""
_EASE = 2
"""How long an app that changes all the time is left alone after a read, as a multiple of its duration."""
_LEAST = 0.05
"""The shortest time between two reads, in seconds."""
_AGAIN = 0.5
"""How long an app that cannot be read is left alone, in seconds."""


class Live:
    """Follows one app while it is held. Thread-safe; `changed` is called when there is something new."""

    def __init__(
        self, runner: Runner, changed: Callable[[], None], env: Mapping[str, str] | None, *, whole: bool
    ) -> None:
        """`env` leads to the app's X display, if there is one; `whole` says that all of it may be shown."""
        self._runner = runner
        self._changed = changed
        self._env = env
        self._whole = whole
        self._lock = threading.Lock()
        self._held = 0
        self._following: _Following | None = None
        self.tree: Tree | None = None
        """As it was read last."""
        self.shot: Shot | None = None
        """The newest screenshot; its pixels stay as they are."""
        self.trouble: str | None = None
        """Why the tree cannot be read now."""

    def hold(self) -> None:
        """Follow it until `let_go` was called as often."""
        with self._lock:
            self._held += 1
            if self._following is None:
                camera = Camera(self._runner, self._env, whole=self._whole)
                self._following = _Following(self, self._runner, camera)

    def let_go(self) -> None:
        """One who wanted it followed does so no longer."""
        with self._lock:
            self._held -= 1
            if self._held:
                return
            following, self._following = self._following, None
        if following is not None:
            following.end()

    def stir(self) -> None:
        """Something was done to the app: what it looks like may be different."""
        following = self._following
        if following is not None:
            following.stirred.set()

    def publish(self, **news: object) -> None:
        """Take what was found."""
        for name, value in news.items():
            setattr(self, name, value)
        self._changed()


class _Following:
    """The two threads that follow an app."""

    def __init__(self, live: Live, runner: Runner, camera: Camera) -> None:
        self._live = live
        self._runner = runner
        self._camera = camera
        self._end = threading.Event()
        self.stirred = threading.Event()
        self._threads = [
            threading.Thread(target=work, name=f"inspector-{name}", daemon=True)
            for name, work in (("tree", self._follow_tree), ("screen", self._follow_screen))
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Stop. A read that is under way is cancelled, and not waited for."""
        self._end.set()
        self.stirred.set()

    # -- the tree --------------------------------------------------------------------------------

    def _follow_tree(self) -> None:
        tree: Tree | None = None
        cost = 0.0
        while not self._end.is_set():
            try:
                began = time.monotonic()
                new = self._read(tree)
                if tree is None:
                    cost = time.monotonic() - began
            except Cancelled:
                return
            except DeskhandError as error:
                tree = None
                self._lose(error)
                self._end.wait(_AGAIN)
                continue
            if new is not None and not self._end.is_set():
                tree = new
                self._live.publish(tree=tree, trouble=None)
                self.stirred.set()
                self._end.wait(min(max(cost * _EASE, _LEAST), _AGAIN))

    def _read(self, last: Tree | None) -> Tree | None:
        """The tree once it differs from the last one; None if it does not in time."""
        if last is None:
            return self._runner.run(ops.ReadTree(), self._end).tree
        wait = ops.WaitChange(last.revision, whole=True, timeout=_CYCLE)
        snapshot = self._runner.run(wait, self._end)
        return None if snapshot.revision == last.revision else snapshot.tree

    def _lose(self, error: DeskhandError) -> None:
        gone = isinstance(error, (AppGone, NotConnected, ConnectFailed))
        news: dict[str, object] = {"tree": None, "shot": None} if gone else {}
        if not self._end.is_set() and self._live.trouble != error.message:
            self._live.publish(trouble=error.message, **news)

    # -- the screen ------------------------------------------------------------------------------

    def _follow_screen(self) -> None:
        """Take a screenshot as often as is worth it, and publish those that differ."""
        try:
            while not self._end.is_set():
                self.stirred.clear()
                shot = self._camera.shot(self._live.tree)
                if shot is not None and _differs(self._live.shot, shot) and not self._end.is_set():
                    self._live.publish(shot=_kept(shot))
                if shot is not None and shot.pixels is not None:
                    self._end.wait(RATE)
                else:
                    self._end.wait(_DRAWN)
                    self.stirred.wait(_DRAWN_ANYWAY)
        finally:
            self._camera.close()


def _differs(last: Shot | None, shot: Shot) -> bool:
    if last is None or last.frame != shot.frame or (last.pixels is None) != (shot.pixels is None):
        return True
    if shot.pixels is None or last.pixels is None:
        return last.png != shot.png
    assert isinstance(last.pixels, bytearray)
    return bool(changed_parts(last.pixels, shot.pixels, shot.width, shot.height))


def _kept(shot: Shot) -> Shot:
    """The same, in memory that the next screenshot does not overwrite."""
    return shot if shot.pixels is None else replace(shot, pixels=bytearray(shot.pixels))
