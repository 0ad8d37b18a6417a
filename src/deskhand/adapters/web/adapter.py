"""Web pages as the engine sees an adapter: all of a browser, or one of its pages."""

from __future__ import annotations

import base64
import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import __version__
from ...model.errors import NoWindows, ScreenshotFailed, UiBusy
from ...model.node import AppInfo, AppState, Image
from ...model.operations import Action
from ...model.tree import Tree
from ..clipboard import Clipboard
from ..external import Outer
from ..placement import Belief, Placement
from ..screen import screen
from .act import Performer
from .channel import Channel
from .link import CallRefused, Link
from .pages import Pages
from .read import Asked, Part, Reader, call, value_of

_OPENS = 10.0
_UID = re.compile(r"[wjp]\d+\.\w+")
_SIZE = slice(16, 24)
"""Where a PNG has its width and height."""
_VARIABLES = ("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY")


class WebAdapter(Outer):
    """Drives the pages of the browser at the other end of a channel.

    `page` is the id of a page to which alone the channel leads. `pid` is the browser's process, where that
    is known; without it the browser is asked, if it is on this machine (`local`). `env` is the environment
    that it was started in, where that is known.
    """

    name = "web"

    def __init__(
        self,
        channel: Channel,
        *,
        pid: int | None = None,
        page: str | None = None,
        env: Mapping[str, str] | None = None,
        local: bool = True,
    ) -> None:
        self._link = Link(channel, pid)
        self._subscribers: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self.pages = Pages(self._link, self._tell_change)
        self._link.ended = self.pages.ended
        self._link.start()
        self._display = _display_of(pid) if env is None else _display_in(env)
        try:
            self._version = self._ask_version()
            if pid is None and local and page is None:
                self._link.pid = self._ask_pid()
            self.pages.open(_OPENS, page)
        except BaseException:
            self._link.close()
            raise
        self._reader = Reader(self._link, self.pages, self.name, self._version["name"])
        self._performer = Performer(self._link, self.pages, self._reader)
        self._placement = Placement()
        if self._display:
            self._placement.connect(self._display)
            self.clipboard = Clipboard(self._display)

    def _ask_version(self) -> dict[str, Any]:
        answer = self._link.call("Browser.getVersion", timeout=_OPENS)
        name, _, version = answer.get("product", "").partition("/")
        return {
            "name": name.replace("HeadlessChrome", "Chrome"),
            "version": version,
            "js": answer.get("jsVersion"),
        }

    def _ask_pid(self) -> int | None:
        """The browser's process, as it says itself; None if it does not."""
        try:
            processes = self._link.call("SystemInfo.getProcessInfo", timeout=_OPENS)["processInfo"]
        except CallRefused:
            return None
        return next((each["id"] for each in processes if each["type"] == "browser"), None)

    def await_page(self, timeout: float) -> None:
        """Wait until a page is open; UiBusy if none is in time."""
        with self.pages.news:
            opened = self.pages.news.wait_for(lambda: self._link.closed or self.pages.any(), timeout)
        self._insist_on_browser()
        if not opened:
            raise UiBusy(f"the browser opened no page within {timeout:g} s")

    def report_downloads(self, folder: Path | None = None) -> None:
        """Have what is downloaded reported in `state`, and saved in a folder if one is given."""
        where = (
            {"behavior": "default"} if folder is None else {"behavior": "allow", "downloadPath": str(folder)}
        )
        self._link.call("Browser.setDownloadBehavior", timeout=_OPENS, eventsEnabled=True, **where)

    @property
    def reader(self) -> Reader:
        return self._reader

    def knows(self, uid: str) -> bool:
        """Whether a uid is one of ours."""
        return _UID.fullmatch(uid) is not None

    # -- what the engine calls -----------------------------------------------------------------

    def info(self) -> AppInfo:
        pages = self.pages.all()
        return AppInfo(
            framework=self._version["name"] or "Chromium",
            version=self._version["version"],
            pid=self._link.pid or 0,
            title=pages[0].title if pages else None,
            runtime=f"V8 {self._version['js']}" if self._version["js"] else None,
            main=pages[0].url if pages else None,
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
        return self._read(root, Asked(depth, details), timeout)

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
        return self._read(root, Asked(depth, details, cold=True), timeout)

    def _read(self, root: str | None, asked: Asked, timeout: float) -> Tree:
        self._insist_on_browser()
        until = time.monotonic() + timeout
        if root is None:
            return self._reader.read(asked, until)
        handle = self._reader.handle(root)
        if isinstance(handle, Part):
            return self._reader.part(handle, asked)
        tree = self._reader.page(handle.page, asked, until, handle)
        self._reader.remember(tree)
        return tree

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        self._insist_on_browser()
        try:
            return self._performer.perform(action, uid, to, timeout)
        finally:
            self._placement.acted(action)

    def lookup(self, selector: str, *, limit: int, timeout: float) -> Sequence[str]:
        """The uids of what a CSS selector matches, in every document and open shadow root."""
        until = time.monotonic() + timeout
        found: list[str] = []
        for page in self.pages.all():
            for context in list(page.contexts.values()):
                numbers = self._reader.evaluate(context, call("lookup", selector, limit), until)
                found += [f"{context.prefix}{number}" for number in numbers]
        return found[:limit]

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        self._insist_on_browser()
        until = time.monotonic() + timeout
        if uid is None:
            windows = self._reader.read(Asked(0), until).windows
            if not windows:
                raise NoWindows("the browser shows no page", suggestions=("open one",))
            uid = windows[0].uid
        handle = self._reader.handle(uid)
        if isinstance(handle, Part):
            raise ScreenshotFailed(
                "a dialog of a script is not drawn by the page", suggestions=("take the desktop",)
            )
        page = handle.page
        node = self._reader.page(page, Asked(0), until, handle).nodes[0]
        if not node.visible or node.bounds is None or node.bounds.width < 1 or node.bounds.height < 1:
            raise ScreenshotFailed(f"{node} is not shown", suggestions=("show it first",))
        context = self.pages.ready(page, until)
        if context is None:
            raise ScreenshotFailed("the page has no document now")
        left, top, scale = self._reader.origin(page, context, until)
        ratio = self._reader.evaluate(context, "devicePixelRatio", until) / scale
        x, y, width, height = node.bounds
        clip = {
            "x": round((x - left) / scale), "y": round((y - top) / scale),
            "width": round(width) / scale, "height": round(height) / scale, "scale": 1,
        }  # fmt: skip
        try:
            answer = self._link.begin(
                "Page.captureScreenshot",
                session=page.session,
                format="png",
                clip=clip,
                captureBeyondViewport=False,
            ).result(until)
        except CallRefused as refused:
            raise ScreenshotFailed(refused.message) from None
        png = base64.b64decode(answer["data"])
        size = png[_SIZE]
        return Image(png, int.from_bytes(size[:4], "big"), int.from_bytes(size[4:], "big"), ratio)

    def desktop(self, *, timeout: float) -> Image:
        return screen(self._display)

    def idle(self, *, timeout: float) -> None:
        self._placement.wait(self._rest, timeout)

    def _rest(self, timeout: float) -> Belief:
        """Let each page in front do what is due; whether one is being loaded."""
        self._insist_on_browser()
        until = time.monotonic() + timeout
        stirred: list[object] = [self.pages.stirred]
        busy = ""
        for page in self.pages.all():
            context = page.contexts.get(page.main)
            if page.loading and not page.crashed and page.dialog is None:
                busy = f"the page '{page.title or page.url}' is being loaded"
            if context is None or page.dialog is not None or page.crashed:
                continue
            try:
                if not self._reader.evaluate(context, "document.visibilityState === 'visible'", until):
                    continue  # no frames are drawn for it, and its timers are late
                pending = self._reader.ask(context, "deskhand.settle()", wait=True)
                stirred.append(value_of(pending.result(until)))
            except CallRefused:
                stirred.append(None)  # its document was replaced meanwhile
            except UiBusy:
                if page.dialog is None:
                    raise
        return Belief(also=tuple(stirred), busy=busy)

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        with self._lock:
            self._subscribers.append(changed)
            if len(self._subscribers) == 1:
                self.pages.watch(True)

        def unsubscribe() -> None:
            with self._lock:
                if changed in self._subscribers:
                    self._subscribers.remove(changed)
                    if not self._subscribers:
                        self.pages.watch(False)

        return unsubscribe

    def state(self, *, timeout: float) -> AppState:
        windows = self.read(depth=0, timeout=timeout).windows
        modal = next((window.title for window in windows if window.modal and window.showing), None)
        pages = [window.title for window in windows if window.kind == "regular" and window.showing]
        return AppState(
            active_view=pages[0] if pages else None,
            foreground=any(window.focused for window in windows),
            modal_dialog=modal,
            busy=any(page.loading for page in self.pages.all()),
            extra={"downloads": [dict(each) for each in self.pages.downloads.values()]}
            if self.pages.downloads
            else {},
        )

    def close(self) -> None:
        self._link.close()
        self._placement.close()
        if self._display:
            self.clipboard.close()

    # -- within --------------------------------------------------------------------------------

    def _insist_on_browser(self) -> None:
        if self._link.closed:
            raise self._link.gone()

    def _tell_change(self) -> None:
        for changed in list(self._subscribers):
            changed()


def _display_of(pid: int | None) -> dict[str, str]:
    """What leads to the display that a process is on; empty if that is not known."""
    if pid is None:
        return {}
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    return _display_in(dict(part.split("=", 1) for part in os.fsdecode(data).split("\0") if "=" in part))


def _display_in(env: Mapping[str, str]) -> dict[str, str]:
    return {name: env[name] for name in _VARIABLES if name in env}
