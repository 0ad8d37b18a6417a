"""JavaFX as the engine sees an adapter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any

from ... import __version__
from ...model import operations as ops
from ...model.alike import alike
from ...model.errors import AppGone, OptionNotFound, Stale, UiBusy
from ...model.node import AppInfo, AppState, Image, Node
from ...model.operations import Action
from ...model.tree import Tree
from ...model.uncollected import uncollected
from ..choices import LISTED, available
from ..clipboard import Clipboard
from ..external import Outer
from ..placement import Placement
from ..screen import screen
from .belief import belief
from .keyboard import stroke
from .link import Link
from .tree import Trees

_HELLO = 5.0
_TITLE = 0.1
"""How long `info` waits for the title of the main window, before it tells the last one known."""
_FIRST_TITLE = 1.0
"""The same while none is known: a program that has just started may be busy with showing its window."""
_SEEN = 50_000
_COMMON = {field.name for field in fields(Action)}


class JavaFxAdapter(Outer):
    """Drives the JavaFX program whose agent listens at an address.

    The address is the path of a Unix socket, or `127.0.0.1:PORT` with the secret that belongs to it.
    With `pid`, no other process may listen at that path.
    """

    name = "javafx"

    def __init__(self, address: str, secret: str | None = None, pid: int | None = None) -> None:
        self._link = Link(str(address), secret, pid)
        self._link.changed = self._tell_change
        try:
            self._about: dict[str, Any] = self._link.ask("hello", _HELLO)
        except BaseException:
            self._link.close()
            raise
        self._link.pid = self._about["pid"]
        self._app_name = (self._about["main"] or "java").rpartition("/")[2].rpartition(".")[2]
        self._subscribers: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._seen: dict[str, Node] = {}
        """What uids were last seen as, for what is said of one that is gone."""
        self._trees = Trees(self.name, self._app_name, self._about["pid"])
        variables = (("DISPLAY", self._about["display"]), ("XAUTHORITY", self._about["authority"]))
        self._display = {name: value for name, value in variables if value}
        self._placement = Placement()
        self.clipboard = Clipboard(self._display)
        self._placement.connect(self._display)

    def info(self) -> AppInfo:
        # Fallback: while the FX thread is blocked, the title is the one that it had before.
        timeout = _FIRST_TITLE if self._about["title"] is None else _TITLE
        with suppress(AppGone, UiBusy):
            title = self._link.ask("hello", timeout)["title"]
            if title is not None:
                self._about["title"] = title
        return AppInfo(
            framework="JavaFX",
            version=str(self._about["javafx"] or "").partition("-")[0].partition("+")[0],
            pid=self._about["pid"],
            title=self._about["title"],
            runtime=f"Java {self._about['java']}",
            main=self._about["main"],
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
        everything = root is None and depth is None and not details and not internals
        held = self._trees.held if everything else None
        try:
            answer = self._link.ask(
                "read",
                timeout,
                root=root,
                depth=depth,
                details=details,
                internals=internals,
                since=None if held is None else held.number,
            )
        except Stale as error:
            raise self._stale(root, error) from None
        if root is not None and not answer["nodes"]:
            raise self._stale(root, Stale(f"{root} is gone", target=f"uid={root}"))
        if root is not None and root not in self._seen:
            self.read(timeout=timeout)  # which finds the names of fields, by the labels around them
        with uncollected():
            tree = self._trees.tree(answer, held)
            if tree.windows:
                self._about["title"] = tree.windows[0].title
            if held is None or tree.nodes is not held.tree.nodes:
                if len(self._seen) > _SEEN:
                    self._seen.clear()
                self._seen.update(tree.by_uid)
            return tree

    def read_cold(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        """The same read with nothing taken from earlier ones: a part of all windows, as they are now."""

        def ask(root: str | None, depth: int | None) -> Any:
            how = {"root": root, "depth": depth, "details": details, "internals": internals}
            return self._link.ask("read", timeout, cold=True, **how)

        trees = Trees(self.name, self._app_name, self._about["pid"])
        tree = trees.tree(ask(None, None if root is not None else depth))
        if root is None:
            return tree
        if tree.get(root) is None:
            # Fallback: what is not on the screen, such as a row that is scrolled away, is in no other read.
            answer = ask(root, depth)
            if not answer["nodes"]:
                raise self._stale(root, Stale(f"{root} is gone", target=f"uid={root}"))
            return trees.tree(answer)
        return tree.part(root, depth)

    def lookup(
        self, css: str, window: str | None = None, *, limit: int = 1000, timeout: float = 5.0
    ) -> list[str]:
        """The uids of what a JavaFX CSS selector matches, in all windows or in one, by `Node.lookupAll`."""
        uids: list[str] = self._link.ask("lookup", timeout, css=css, window=window, limit=limit)["uids"]
        return uids

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        parameters = {name: value for name, value in vars(action).items() if name not in _COMMON}
        if isinstance(action, ops.Key):
            parameters = stroke(action.keys)
        parameters |= {"action": ops.NAMES[type(action)], "uid": uid, "to": to}
        try:
            done: Mapping[str, object] = self._link.ask("perform", timeout, **parameters)
        except Stale as error:
            raise self._stale(uid, error) from None
        except OptionNotFound as error:
            raise _with_near(error, action) from None
        finally:
            self._placement.acted(action)
        if isinstance(action, ops.ControlWindow) and action.do != "close":
            # JavaFX believes at once what it asked for; the display's late answer to the request before
            # would undo that for a moment.
            with suppress(UiBusy):
                self.idle(timeout=timeout)
        return done

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        try:
            answer, png = self._link.ask_data("screenshot", timeout, uid=uid)
        except Stale as error:
            raise self._stale(uid, error) from None
        return Image(png, answer["width"], answer["height"], answer["scale"])

    def desktop(self, *, timeout: float) -> Image:
        return screen(self._display)

    def idle(self, *, timeout: float) -> None:
        placement, pid = self._placement, self._about["pid"]
        placement.wait(
            lambda left: belief(self._link.ask("idle", left)["windows"], placement.managed(pid)), timeout
        )

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        with self._lock:
            self._subscribers.append(changed)
            if len(self._subscribers) == 1:
                self._link.ask("subscribe", _HELLO)

        def unsubscribe() -> None:
            with self._lock:
                if changed in self._subscribers:
                    self._subscribers.remove(changed)
                    if not self._subscribers:
                        with suppress(AppGone):
                            self._link.ask("unsubscribe", _HELLO)

        return unsubscribe

    def state(self, *, timeout: float) -> AppState:
        return AppState(**self._link.ask("state", timeout))

    def close(self) -> None:
        self._link.close()
        self._placement.close()
        self.clipboard.close()

    def _tell_change(self) -> None:
        for changed in list(self._subscribers):
            changed()

    def _stale(self, uid: str | None, error: Stale) -> Stale:
        """The same error, saying what it was that is gone."""
        seen = None if uid is None else self._seen.get(uid)
        if seen is None:
            return error
        return Stale(f"{seen} {uid} is gone", target=f"uid={uid}")


def _with_near(error: OptionNotFound, action: Action) -> OptionNotFound:
    """The same error with the options that look like the one that was asked for."""
    asked = getattr(action, "text", None) or getattr(action, "value", None)
    options = error.details.get("options") or []
    error.near = alike(str(asked or ""), options)
    error.details["options"] = options[:LISTED]
    error.message += available(options, error.details.get("options_count") or len(options))
    error.args = (error.message,)
    return error
