"""What is open in a browser: its pages, the frames in them, and the dialogs that their scripts opened.

Kept up to date by the browser's own events. Nothing here reads what a page shows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from ...model.errors import AppGone, UiBusy
from ...model.record import dataclass
from .link import CallRefused, Link, Pending

WALKER = Path(__file__).with_name("walker.js").read_text(encoding="utf-8")
WORLD = "deskhand"
"""The world in which our script runs in each frame, apart from the page's own."""
_CHANGED = "deskhandChanged"
_KINDS = ("page", "iframe", "webview")
_FILTER = [*({"type": kind, "exclude": False} for kind in _KINDS), {"exclude": True}]
_ATTACH: dict[str, Any] = {
    "autoAttach": True,
    "waitForDebuggerOnStart": False,
    "flatten": True,
    "filter": _FILTER,
}


@dataclass(frozen=True)
class Context:
    """One document of a frame, with our script in it."""

    serial: int
    """Never used again, so that neither are the uids of its elements."""
    session: str
    id: int
    frame: str

    @property
    def prefix(self) -> str:
        """What the uids of its elements begin with."""
        return f"w{self.serial}."


@dataclass(frozen=True)
class Dialog:
    """An alert, confirm or prompt that is open."""

    serial: int
    session: str
    kind: str
    message: str
    default: str
    url: str
    opened: float
    """When it opened, by the monotonic clock."""


class Page:
    """A tab or window of the browser."""

    def __init__(self, target: str, session: str, info: Mapping[str, Any]) -> None:
        self.target = target
        self.session = session
        self.title: str = info.get("title", "")
        self.url: str = info.get("url", "")
        self.main = target
        """Its main frame: its id is that of the target."""
        self.sessions = {session}
        self.contexts: dict[str, Context] = {}
        """By frame."""
        self.parents: dict[str, str] = {}
        """The frame that each frame is in."""
        self.owners: dict[str, tuple[int, str]] = {}
        """The element that shows a frame: the serial of its document, and its uid."""
        self.dialog: Dialog | None = None
        self.typed = ""
        """What was typed into the field of its prompt."""
        self.crashed = False
        self.loading: set[str] = set()
        self.window = ""
        """The uid of its window when it was last read."""
        self.serial = 0
        """Distinguishes it from every other page."""

    @property
    def silent(self) -> bool:
        """Whether it cannot answer: a dialog of its scripts is open, or it has crashed."""
        return self.dialog is not None or self.crashed


class Pages:
    """All pages of a browser. For any thread; `changed` is called on the reading thread."""

    def __init__(self, link: Link, changed: Callable[[], None]) -> None:
        self._link = link
        self._changed = changed
        self._serials = count(1)
        self._pages: dict[str, Page] = {}
        """By session; that of a frame of another process leads to its page too."""
        self._lock = threading.Lock()
        self.news = threading.Condition(self._lock)
        """Notified whenever something was opened, closed or loaded."""
        self.watching = False
        self.stirred = 0
        """How often a page or dialog was opened or closed, or a page was loaded."""
        self.downloads: dict[str, dict[str, Any]] = {}
        link.event = self._event

    def open(self, timeout: float, page: str | None = None) -> None:
        """Follow all pages, or with the id of a page that alone; the connection is then to that page."""
        if page is not None:
            self._add({"targetId": page, "type": "page"}, "", "")
            return
        self._link.call("Target.setAutoAttach", timeout=timeout, **_ATTACH)
        self._link.call("Target.setDiscoverTargets", timeout=timeout, discover=True, filter=_FILTER)

    def all(self) -> list[Page]:
        """The pages that are open, in the order in which they were opened."""
        with self._lock:
            return sorted(set(self._pages.values()), key=lambda page: page.serial)

    def any(self) -> bool:
        """Whether a page is open. To be called by one who holds `news`."""
        return bool(self._pages)

    def ended(self) -> None:
        """The connection has ended."""
        self._stir()

    def of(self, context: int) -> tuple[Page, Context] | None:
        """The page and the document with a serial; None if it is gone."""
        for page in self.all():
            for found in list(page.contexts.values()):
                if found.serial == context:
                    return page, found
        return None

    def with_dialog(self, serial: int) -> Page | None:
        """The page whose open dialog has this serial."""
        return next((page for page in self.all() if page.dialog and page.dialog.serial == serial), None)

    def ready(self, page: Page, until: float) -> Context | None:
        """The document of a page; None if there is none by then, or the page is gone, hangs in a dialog."""
        with self.news:
            self.news.wait_for(
                lambda: (
                    page.main in page.contexts
                    or page.crashed
                    or page.dialog is not None
                    or page.session not in self._pages
                ),
                max(0.0, until - time.monotonic()),
            )
            return page.contexts.get(page.main)

    def watch(self, on: bool) -> None:
        """Let the documents report changes, or no longer."""
        self.watching = on
        for page in self.all():
            for context in list(page.contexts.values()):
                self._watch(context)

    # -- events, on the reading thread -------------------------------------------------------------

    def _event(self, session: str, method: str, params: dict[str, Any]) -> None:
        if method == "Target.attachedToTarget":
            self._add(params["targetInfo"], params["sessionId"], session)
        elif method == "Target.detachedFromTarget":
            self._remove(params["sessionId"])
        elif method == "Target.targetInfoChanged":
            self._rename(params["targetInfo"])
        elif method == "Target.targetCrashed":
            self._crash(params["targetId"])
        elif method.startswith("Browser.download"):
            self._download(method, params)
        elif (page := self._pages.get(session)) is not None:
            self._of_page(page, session, method, params)

    def _of_page(self, page: Page, session: str, method: str, params: dict[str, Any]) -> None:
        match method:
            case "Runtime.executionContextCreated":
                self._context(page, session, params["context"])
            case "Runtime.executionContextDestroyed":
                gone = params["executionContextId"]
                self._forget(page, lambda each: each.session == session and each.id == gone)
            case "Runtime.executionContextsCleared":
                self._forget(page, lambda each: each.session == session)
            case "Runtime.bindingCalled" if params["name"] == _CHANGED:
                self._changed()
            case "Inspector.targetCrashed":
                page.crashed = True
                self._stir()
            case "Page.frameAttached":
                page.parents[params["frameId"]] = params["parentFrameId"]
            case "Page.frameDetached" if params.get("reason") != "swap":
                self._forget(page, lambda each: each.frame == params["frameId"])
            case "Page.frameStartedLoading":
                page.loading.add(params["frameId"])
            case "Page.frameStoppedLoading":
                page.loading.discard(params["frameId"])
                self._stir()
            case "Page.javascriptDialogOpening":
                page.typed = params.get("defaultPrompt") or ""
                page.dialog = Dialog(
                    next(self._serials),
                    session,
                    params["type"],
                    params["message"],
                    page.typed,
                    params["url"],
                    time.monotonic(),
                )
                self._link.block(page.sessions)
                self._stir()
            case "Page.javascriptDialogClosed":
                page.dialog = None
                self._link.unblock(page.sessions)
                self._stir()

    def _add(self, info: Mapping[str, Any], session: str, above: str) -> None:
        around = self._pages.get(above) if info["type"] == "iframe" else None
        if around is None:
            page = Page(info["targetId"], session, info)
            page.serial = next(self._serials)
        else:
            page = around
            page.sessions.add(session)
            if parent := info.get("parentFrameId"):
                page.parents[info["targetId"]] = parent
        with self._lock:
            self._pages[session] = page
        begin = self._link.begin
        begin("Page.enable", session=session)
        begin("DOM.enable", session=session)
        begin("Performance.enable", session=session)
        begin("Runtime.addBinding", session=session, name=_CHANGED, executionContextName=WORLD)
        begin("Runtime.enable", session=session)
        begin(
            "Page.addScriptToEvaluateOnNewDocument",
            session=session,
            source=WALKER,
            worldName=WORLD,
            runImmediately=True,
        )
        begin("Target.setAutoAttach", session=session, **_ATTACH)
        begin("Page.getFrameTree", session=session, then=lambda pending: self._frames(page, pending))
        self._stir()

    def _frames(self, page: Page, pending: Pending) -> None:
        with suppress(CallRefused, AppGone, UiBusy):
            waiting = [pending.taken()["frameTree"]]
            while waiting:
                tree = waiting.pop()
                frame = tree["frame"]
                if parent := frame.get("parentId"):
                    page.parents[frame["id"]] = parent
                waiting += tree.get("childFrames", ())

    def _context(self, page: Page, session: str, context: Mapping[str, Any]) -> None:
        if context.get("name") != WORLD:
            return
        found = Context(next(self._serials), session, context["id"], context["auxData"]["frameId"])
        page.contexts[found.frame] = found
        page.owners.pop(found.frame, None)
        if self.watching:
            self._watch(found)
        self._stir()

    def _watch(self, context: Context) -> None:
        with suppress(AppGone):
            self._link.begin(
                "Runtime.evaluate",
                session=context.session,
                contextId=context.id,
                expression=f"deskhand.watch({str(self.watching).lower()})",
            )

    def _forget(self, page: Page, gone: Callable[[Context], bool]) -> None:
        for frame, context in list(page.contexts.items()):
            if gone(context):
                page.contexts.pop(frame, None)
                page.owners.pop(frame, None)
        self._stir()

    def _remove(self, session: str) -> None:
        with self._lock:
            page = self._pages.pop(session, None)
            if page is not None and page.session == session:
                for each in page.sessions:
                    self._pages.pop(each, None)
        if page is not None:
            page.sessions.discard(session)
            if session == page.session:
                page.sessions.clear()
            self._forget(page, lambda each: each.session == session)

    def _rename(self, info: Mapping[str, Any]) -> None:
        for page in self.all():
            if page.target == info["targetId"]:
                page.title, page.url = info.get("title", ""), info.get("url", "")
        self._changed()

    def _crash(self, target: str) -> None:
        for page in self.all():
            if page.target == target:
                page.crashed = True
        self._stir()

    def _download(self, method: str, params: Mapping[str, Any]) -> None:
        known = self.downloads.setdefault(params["guid"], {"state": "inProgress"})
        if method == "Browser.downloadWillBegin":
            known.update(url=params["url"], file=params["suggestedFilename"])
        else:
            known["state"] = params["state"]
            if path := params.get("filePath"):
                known["path"] = path
        self._changed()

    def _stir(self) -> None:
        with self.news:
            self.stirred += 1
            self.news.notify_all()
        self._changed()
