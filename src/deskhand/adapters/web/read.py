"""Makes one tree of what our script reads in each frame.

The nodes of a document are kept until something in it may have changed. That it has not is asked each time:
its style and layout were not computed again, nothing was mutated or scrolled, no control holds something
else, and no animation runs. A cold read takes nothing from what is kept.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from json import JSONDecoder
from typing import Any

from ...model.errors import ActionFailed, Stale, UiBusy
from ...model.node import Column, Font, Node, Option, Rect, Virtualization, VisibleRow, Window
from ...model.record import dataclass
from ...model.tree import Cut, Tree
from ...model.uncollected import uncollected
from .link import IN_DIALOG, CallRefused, Link, Pending
from .pages import Context, Dialog, Page, Pages

_loads: Callable[[str], Any]
try:
    _loads = import_module("orjson").loads
except ImportError:
    # Fallback: without orjson the standard library reads the same, slower.
    _loads = JSONDecoder().decode

Fields = dict[str, Any]

_LOADS = 2.0
"""How long a page that is being loaded may take until it has a document, in seconds."""
_SUSPECT = 0.25
"""How long a page is waited for that did not answer the last time, in seconds."""
_AGAIN = 0.02
_MOST_KEPT = 100
"""Of how many documents the nodes are kept."""
_COUNTED = ("Nodes", "LayoutCount", "RecalcStyleCount")
"""What the browser counts that goes up, or changes, before anything can look different."""
_CRASHED = "the page has crashed"
_FOCUSABLE = ("focus",)
_PRESSED = ("press", "focus")
_ACTIONS: dict[str, tuple[str, ...]] = {
    "button": _PRESSED,
    "link": _PRESSED,
    "tab": _PRESSED,
    "menu-item": _PRESSED,
    "disclosure-triangle": (*_PRESSED, "expand", "collapse"),
    "toggle-button": (*_PRESSED, "toggle"),
    "checkbox": (*_PRESSED, "toggle"),
    "switch": (*_PRESSED, "toggle"),
    "radio": (*_PRESSED, "toggle"),
    "menu-item-checkbox": (*_PRESSED, "toggle"),
    "menu-item-radio": (*_PRESSED, "toggle"),
    "combo-box": (*_PRESSED, "select", "expand", "collapse"),
    "list-box": ("focus", "select"),
    "list": ("select",),
    "tree": ("focus", "select"),
    "table": ("select", "scroll"),
    "grid": ("focus", "select", "scroll"),
    "tab-list": ("select",),
    "list-item": ("press",),
    "tree-item": (*_PRESSED, "expand", "collapse"),
    "cell": ("press",),
    "grid-cell": _PRESSED,
}

OK, CANCEL, FIELD = "ok", "cancel", "field"
"""The parts of a dialog that can be operated, as their uids end."""


@dataclass(frozen=True)
class Asked:
    """What a read is to give, as the engine says it."""

    depth: int | None = None
    details: bool = False
    cold: bool = False
    """Whether nothing may be taken from earlier reads."""


@dataclass(frozen=True)
class _Content:
    """What was read of one document."""

    nodes: list[Node]
    frames: list[Fields]
    focused: str | None
    about: Fields


@dataclass(frozen=True)
class _Kept:
    """The last read of a whole document, and by what it is known that nothing has changed since."""

    how: str
    token: int
    counts: tuple[float, ...]
    content: _Content


@dataclass(frozen=True)
class Element:
    """An element of a document."""

    page: Page
    uid: str
    context: Context
    number: int


@dataclass(frozen=True)
class Part:
    """A dialog that a script opened, or a part of it."""

    page: Page
    uid: str
    dialog: Dialog
    part: str


Handle = Element | Part
"""What a uid stands for."""


class Reader:
    """Reads all pages, or what is at and below one element. For any thread."""

    def __init__(self, link: Link, pages: Pages, backend: str, app_name: str) -> None:
        self._link = link
        self._pages = pages
        self._backend = backend
        self._app_name = app_name
        self._seen: dict[str, Node] = {}
        """What uids were last seen as, for the error for one that is gone."""
        self._suspects: set[int] = set()
        self._kept: dict[int, _Kept] = {}
        """By the serial of the document."""
        self.moved: Callable[[Page], tuple[float, float] | None] = lambda _: None
        """Where on the screen the contents of a page are, if that is known better than from the page."""

    # -- which ---------------------------------------------------------------------------------

    def handle(self, uid: str) -> Handle:
        """What a uid stands for; Stale if it is gone."""
        kind, serial, rest = _parts(uid)
        if kind == "w" and (found := self._pages.of(serial)) is not None:
            return Element(found[0], uid, found[1], int(rest))
        if kind == "j" and (page := self._pages.with_dialog(serial)) is not None:
            assert page.dialog is not None, "it was found by it"
            return Part(page, uid, page.dialog, rest)
        raise self.stale(uid)

    def stale(self, uid: str) -> Stale:
        """The error for what is gone, saying what it was."""
        what = self._seen.get(uid, "the element")
        return Stale(f"{what} {uid} is gone", target=f"uid={uid}")

    # -- reading -------------------------------------------------------------------------------

    def read(self, asked: Asked, until: float) -> Tree:
        """Read all pages: those in front first. One that does not answer costs its own part."""
        trees: list[Tree] = []
        missing: list[str] = []
        pages = self._pages.all()
        for page in pages:
            suspect = page.serial in self._suspects and len(pages) > 1
            limit = min(until, time.monotonic() + _SUSPECT) if suspect else until
            if len(pages) > 1 and not suspect:
                # So that one that hangs leaves time for the others.
                limit = min(limit, time.monotonic() + max(_SUSPECT, (until - time.monotonic()) / 2))
            try:
                trees.append(self.page(page, asked, limit))
                self._suspects.discard(page.serial)
            except UiBusy as busy:
                self._suspects.add(page.serial)
                if len(pages) == 1:
                    raise
                missing.append(f"page '{page.title or page.url}': {busy.message}")
        return self._joined(trees, missing)

    def page(self, page: Page, asked: Asked, until: float, root: Element | None = None) -> Tree:
        """Read a page, or what is at and below one of its elements; again if it is replaced meanwhile."""
        while True:
            if page.silent:
                if root is not None and page.dialog is not None:
                    raise UiBusy(IN_DIALOG, suggestions=("answer the dialog first",))
                if root is not None:
                    raise self.stale(root.uid)
                return self._without_content(page)
            try:
                return self._read(page, asked, until, root)
            except CallRefused as refused:
                if root is not None and self._pages.of(root.context.serial) is None:
                    raise self.stale(root.uid) from None
                if time.monotonic() >= until:
                    raise UiBusy(f"the page is being replaced: {refused.message}") from None
                # Its document went away while it was read; the next one announces itself.
                with self._pages.news:
                    self._pages.news.wait(_AGAIN)
            except UiBusy:
                # A dialog that opened meanwhile keeps the page from answering.
                if not page.silent:
                    raise

    def part(self, part: Part, asked: Asked) -> Tree:
        """Read a dialog that a script opened, or a part of it."""
        nodes, windows = _dialog(part.page, part.dialog, self._backend, self._app_name, self._link.pid or 0)
        return Tree(nodes, tuple(windows)).part(part.uid, asked.depth)

    def evaluate(self, context: Context, expression: str, until: float) -> Any:
        """What an expression gives in the world of our script."""
        return value_of(self.ask(context, expression).result(until))

    def ask(self, context: Context, expression: str, *, wait: bool = False) -> Pending:
        """Send an expression; `wait` for the promise that it gives."""
        return self._link.begin(
            "Runtime.evaluate",
            session=context.session,
            contextId=context.id,
            expression=expression,
            returnByValue=True,
            awaitPromise=wait,
        )

    # -- one page ------------------------------------------------------------------------------

    def _read(self, page: Page, asked: Asked, until: float, root: Element | None) -> Tree:
        context = self._pages.ready(page, min(until, time.monotonic() + _LOADS))
        if context is None:
            return self._without_content(page)
        at = self.origin(page, context, until)
        above = None if root is None or root.context == context else self.frame_origin(page, root, until)
        start = context if root is None else root.context
        dx, dy, scale = at if above is None else (at[0] + above[0] * at[2], at[1] + above[1] * at[2], at[2])
        how: Fields = {
            "root": None if root is None else root.number, "prefix": start.prefix, "parent": None, "dx": dx,
            "dy": dy, "scale": scale, "clip": None if above is None else above[2], "depth": asked.depth,
            "details": asked.details,
        }  # fmt: skip
        if root is not None and root.context != context:
            how["parent"] = ""
        content = self._content(start, how, until, cold=asked.cold)
        if content is None:
            assert root is not None, "only a root can be gone"
            raise self.stale(root.uid)
        nodes, focused, about = content.nodes, content.focused, content.about
        if content.frames:
            parts = self._frames(page, start, content.frames, how, until, cold=asked.cold)
            nodes, focused = _with_frames(nodes, focused, parts)
        if asked.depth is not None:
            nodes = Tree(nodes).part(nodes[0].uid if root is not None else None, asked.depth).nodes  # type: ignore[assignment]
        page.title = about["title"] or page.title
        if root is None:
            page.window = nodes[0].uid
        return Tree(nodes, self._windows(page, nodes, about) if root is None else (), focused=focused)

    def _content(self, context: Context, how: Fields, until: float, *, cold: bool) -> _Content | None:
        """What a document has; what is kept of it if nothing has changed. None if the root is gone."""
        whole = how["root"] is None and how["depth"] is None and not how["details"] and not cold
        if not whole:
            answer = self._answer(self.ask(context, _call("read", how)), until)
            return None if answer.get("gone") else self._made(answer)
        key, kept = json.dumps(how), self._kept.get(context.serial)
        token = kept.token if kept is not None and kept.how == key else 0
        same = self.ask(context, _call("same", token, context.prefix))
        # After the page was asked, which computes style and layout if that is due.
        metrics = self._link.begin("Performance.getMetrics", session=context.session)
        found, counts = value_of(same.result(until)), _counts(metrics.result(until))
        if found is not None and kept is not None and counts == kept.counts:
            return replace(kept.content, focused=found["focused"], about=found["about"])
        answer = self._answer(self.ask(context, _call("read", {**how, "keep": True})), until)
        content = self._made(answer)
        self._kept[context.serial] = _Kept(key, answer["token"], counts, content)
        if len(self._kept) > _MOST_KEPT:
            self._kept.pop(next(iter(self._kept)))
        return content

    def _made(self, answer: Fields) -> _Content:
        with uncollected():
            return _Content(self._nodes(answer), answer["frames"], answer["focused"], answer["about"])

    def _answer(self, pending: Pending, until: float) -> Fields:
        answer: Fields = _loads(value_of(pending.result(until)))
        return answer

    def origin(self, page: Page, context: Context, until: float) -> tuple[float, float, float]:
        """Where the contents of a page are on the screen, and how many pixels of it one of CSS takes."""
        metrics = self._link.begin("Page.getLayoutMetrics", session=page.session)
        about = self.ask(context, "deskhand.about()")
        zoom = metrics.result(until)["cssVisualViewport"].get("zoom") or 1.0
        found = value_of(about.result(until))
        known = self.moved(page)
        if known is not None:
            return known[0], known[1], zoom
        # Without the browser's own window: its borders are at both sides, its bars at the top.
        side = max(0.0, (found["outer"][0] - found["inner"][0] * zoom) / 2)
        top = max(0.0, found["outer"][1] - found["inner"][1] * zoom)
        return found["at"][0] + side, found["at"][1] + top, zoom

    def frame_origin(
        self, page: Page, element: Element, until: float
    ) -> tuple[float, float, list[float] | None]:
        """Where the frame of an element is in the page, and the part of the frame that can be seen."""
        x = y = 0.0
        clip: list[float] | None = None
        context = element.context
        while (above := page.contexts.get(page.parents.get(context.frame, ""))) is not None:
            owner = self.owner(page, above, context, until)
            if owner is None:
                break
            number = int(owner.partition(".")[2])
            how = {
                "root": number, "prefix": above.prefix, "parent": "", "dx": 0, "dy": 0, "scale": 1,
                "clip": None, "depth": 0, "details": False,
            }  # fmt: skip
            frames = self._answer(self.ask(above, _call("read", how)), until).get("frames")
            if not frames:
                break
            left, top, own = frames[0]["left"], frames[0]["top"], frames[0]["clip"]
            if clip is None:
                clip = own
            else:
                clip = [
                    max(clip[0], own[0] - x),
                    max(clip[1], own[1] - y),
                    min(clip[2], own[2] - x),
                    min(clip[3], own[3] - y),
                ]
            x, y, context = x + left, y + top, above
        return x, y, clip

    def _frames(
        self,
        page: Page,
        context: Context,
        frames: list[Fields],
        how: Mapping[str, Any],
        until: float,
        *,
        cold: bool,
    ) -> dict[str, tuple[list[Node], str | None]]:
        """The nodes in each frame, and what has the focus there, by the uid of the element that shows it."""
        if not frames or how["depth"] == 0:
            return {}
        inner: dict[str, Context] = {}
        for each in list(page.contexts.values()):
            if page.parents.get(each.frame) == context.frame:
                owner = self.owner(page, context, each, until)
                if owner is not None:
                    inner[owner] = each
        found = {}
        for frame in frames:
            child = inner.get(frame["uid"])
            if child is None or not frame["shown"]:
                continue
            own = {
                **how, "root": None, "prefix": child.prefix, "parent": frame["uid"], "depth": None,
                "dx": how["dx"] + frame["left"] * how["scale"], "dy": how["dy"] + frame["top"] * how["scale"],
                "clip": frame["clip"],
            }  # fmt: skip
            content = self._content(child, own, until, cold=cold)
            assert content is not None, "a whole document is there"
            deeper = self._frames(page, child, content.frames, own, until, cold=cold)
            found[frame["uid"]] = _with_frames(content.nodes, content.focused, deeper)
        return found

    def owner(self, page: Page, above: Context, inner: Context, until: float) -> str | None:
        """The uid of the element that shows a frame; None if it is gone. It stays so as long as both do."""
        known = page.owners.get(inner.frame)
        if known is not None and known[0] == above.serial:
            return known[1]
        try:
            call = self._link.begin("DOM.getFrameOwner", session=above.session, frameId=inner.frame)
            node = call.result(until)["backendNodeId"]
            call = self._link.begin(
                "DOM.resolveNode", session=above.session, backendNodeId=node, executionContextId=above.id
            )
            found = call.result(until)["object"]["objectId"]
            call = self._link.begin(
                "Runtime.callFunctionOn",
                session=above.session,
                objectId=found,
                functionDeclaration="function() { return deskhand.owner(this) }",
                returnByValue=True,
            )
            uid = f"{above.prefix}{value_of(call.result(until))}"
        except CallRefused:
            return None
        page.owners[inner.frame] = (above.serial, uid)
        return uid

    # -- what it looks like --------------------------------------------------------------------

    def _nodes(self, answer: Fields) -> list[Node]:
        new, rect, of, backend, acts = tuple.__new__, Rect, Node.of, self._backend, _acts
        listed: list[Fields] = answer["nodes"]
        for at in answer["rich"]:
            _enrich(listed[at])
        nodes = []
        for raw in listed:
            raw["backend"] = backend
            if "bounds" in raw:
                raw["bounds"] = new(rect, raw["bounds"])
            if raw["parent"] is None:
                del raw["parent"]
            key = (raw["role"], "focusable" in raw, "editable" in raw)
            actions = acts.get(key)
            if actions is None:
                actions = acts[key] = _actions(*key)
            if actions:
                raw["actions"] = actions
            nodes.append(of(raw))
        return nodes

    def _windows(self, page: Page, nodes: list[Node], about: Fields) -> tuple[Window, ...]:
        tops = [node for node in nodes if node.parent is None]
        dialogs = tops[1:]
        common: dict[str, Any] = {
            "app_name": self._app_name,
            "pid": self._link.pid or 0,
            "showing": about["visible"],
            "scale": about["ratio"],
        }
        main = Window(
            tops[0].uid,
            tops[0].name,
            bounds=tops[0].bounds,
            focused=about["hasFocus"] and not dialogs,
            **common,
        )
        others = [
            Window(
                each.uid, each.name, kind="dialog", modal=True, bounds=each.bounds,
                focused=about["hasFocus"] and each is dialogs[-1], **common,
            )
            for each in dialogs
        ]  # fmt: skip
        return (main, *others)

    def _without_content(self, page: Page) -> Tree:
        """The window of a page that cannot be read, and the dialog that keeps it from that."""
        uid = page.window or f"p{page.serial}.0"
        fields: Fields = {"uid": uid, "role": "window", "native_class": "html", "backend": self._backend}
        if page.title:
            fields["name"] = page.title
        nodes = [Node.of(fields)]
        windows = [Window(uid, page.title or None, self._app_name, self._link.pid or 0)]
        cut = None
        dialog = page.dialog
        if dialog is not None:
            cut = Cut(1, IN_DIALOG, (uid,))
            more, others = _dialog(page, dialog, self._backend, self._app_name, self._link.pid or 0)
            nodes += more
            windows += others
        elif page.crashed:
            cut = Cut(1, _CRASHED, (uid,))
        return Tree(nodes, tuple(windows), cut=cut)

    def _joined(self, trees: list[Tree], missing: list[str]) -> Tree:
        trees.sort(key=lambda tree: not any(window.focused for window in tree.windows))
        nodes = [node for tree in trees for node in tree.nodes]
        windows = [window for tree in trees for window in tree.windows]
        windows.sort(key=lambda window: (not window.showing, window.kind != "regular"))
        cuts = [tree.cut for tree in trees if tree.cut is not None]
        if missing:
            cuts.append(Cut(len(missing), f"pages that are missing: {', '.join(missing)}"))
        cut = None
        if cuts:
            reason = "; ".join(dict.fromkeys(each.reason for each in cuts))
            cut = Cut(
                sum(each.left_out for each in cuts), reason, tuple(uid for each in cuts for uid in each.at)
            )
        focused = next((tree.focused for tree in trees if tree.focused), None)
        tree = Tree(nodes, tuple(windows), focused=focused, cut=cut)
        self.remember(tree)
        return tree

    def remember(self, tree: Tree) -> None:
        """Know what the elements of a tree were when they are gone."""
        if len(self._seen) > 50_000:
            self._seen.clear()
        self._seen.update(tree.by_uid)


def _enrich(raw: Fields) -> None:
    """Make records of the parts of a node that are not plain."""
    if "options" in raw:
        raw["options"] = tuple(
            Option(each["index"], each["text"], each.get("value"), each["selected"], each["enabled"])
            for each in raw["options"]
        )
    if "virtualization" in raw:
        raw["virtualization"] = _virtualization(raw["virtualization"])
    if "style_classes" in raw:
        raw["style_classes"] = tuple(raw["style_classes"])
    if "font" in raw:
        raw["font"] = Font(**raw["font"])


_acts: dict[tuple[str, bool, bool], tuple[str, ...]] = {}


def _actions(role: str, focusable: bool, editable: bool) -> tuple[str, ...]:
    """What can be done to an element."""
    found = _ACTIONS.get(role, _FOCUSABLE if focusable else ())
    return (*found, "set-value") if editable else found


def _with_frames(
    nodes: list[Node], focused: str | None, parts: Mapping[str, tuple[list[Node], str | None]]
) -> tuple[list[Node], str | None]:
    """Nodes with those of each frame behind the element that shows it."""
    found = []
    for node in nodes:
        inner = parts.get(node.uid)
        found.append(node if inner is None else node.changed(child_count=1))
        if inner is not None:
            found += inner[0]
            focused = inner[1] or focused
    return found, focused


def value_of(answer: Mapping[str, Any]) -> Any:
    """What an expression gave; an error of ours if it failed."""
    if (failed := answer.get("exceptionDetails")) is not None:
        said = failed.get("exception", {}).get("description") or failed.get("text")
        raise ActionFailed(f"the script in the page failed: {str(said)[:500]}")
    return answer["result"].get("value")


def _counts(answer: Mapping[str, Any]) -> tuple[float, ...]:
    return tuple(each["value"] for each in answer["metrics"] if each["name"] in _COUNTED)


def _call(function: str, *arguments: object) -> str:
    return f"deskhand.{function}({','.join(json.dumps(each) for each in arguments)})"


call = _call
"""The expression that calls a function of our script."""


def _parts(uid: str) -> tuple[str, int, str]:
    """The kind of a uid, the serial of its document or dialog, and the rest."""
    head, _, rest = uid.partition(".")
    if head[:1] in ("w", "j") and head[1:].isdigit() and (head[0] == "j" or rest.isdigit()):
        return head[0], int(head[1:]), rest
    return "", 0, ""


def _virtualization(raw: Fields) -> Virtualization:
    shown = raw["visible_range"]
    return Virtualization(
        raw["kind"],
        raw["items_count"],
        None if shown is None else (shown[0], shown[1]),
        tuple(raw["selected_indices"]),
        columns=tuple(Column(**each) for each in raw["columns"]),
        visible_cells=tuple(
            VisibleRow(index, uid, tuple((at, text) for at, text in cells))
            for index, uid, cells in raw["visible_cells"]
        ),
    )


def _dialog(
    page: Page, dialog: Dialog, backend: str, app_name: str, pid: int
) -> tuple[list[Node], list[Window]]:
    """A dialog that a script opened, as it looks."""
    uid = f"j{dialog.serial}."
    title = f"{page.title or page.url} says"
    top = uid + "dialog"

    def node(part: str, role: str, **fields: Any) -> Node:
        shared = {"uid": uid + part, "role": role, "backend": backend, "native_class": dialog.kind}
        return Node.of({**shared, **({} if part == "dialog" else {"parent": top}), **fields})

    parts = [node("message", "text", name=dialog.message, text=dialog.message)]
    if dialog.kind == "prompt":
        parts.append(
            node(FIELD, "textfield", value=page.typed, editable=True, focusable=True, actions=("set-value",))
        )
    button: Fields = {"focusable": True, "actions": _PRESSED}
    parts.append(node(OK, "button", name="OK", **button))
    if dialog.kind != "alert":
        parts.append(node(CANCEL, "button", name="Cancel", **button))
    nodes = [node("dialog", "dialog", name=title, modal=True, child_count=len(parts)), *parts]
    window = Window(top, title, app_name, pid, kind="dialog", modal=True, focused=True)
    return nodes, [window]
