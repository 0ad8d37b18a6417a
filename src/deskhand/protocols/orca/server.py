"""The Orca contract, server side: JSON-RPC requests become operations and back. No I/O here.

Every method of the OrcaSlicer UI Automation Protocol 1.0.0, over any runner, and the three of its other
revisions for programs that registered what they need.
"""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from ...model import operations as ops
from ...model.alike import alike, did_you_mean
from ...model.compound import WaitUntil
from ...model.deadline import UI_TIMEOUT
from ...model.errors import (
    ActionFailed,
    ActionsOff,
    ActionUnsupported,
    Ambiguous,
    AppGone,
    DeskhandError,
    InvalidKey,
    InvalidParams,
    InvalidRequest,
    NotEnabled,
    NotFound,
    NotReady,
    NotVisible,
    NoWindows,
    ParseError,
    ScreenshotFailed,
    Stale,
    UnknownMethod,
    WaitTimeout,
)
from ...model.node import MASK, AppState, Image, Node, Window
from ...model.operations import Cancel, Operation, Runner
from ...model.tree import Tree, window_to_raise
from ..jsontext import dumps, id_of, loads_request, to_bytes
from ..wirelog import FOCUSED, WireLog
from .errors import code_of, message_of
from .keys import read_keys, read_modifiers
from .tree import Document, Item, Target, flat, read_target, target_in

R = TypeVar("R")

VERSION = "1.0.0"
HEALTH = f"OrcaSlicer automation server v{VERSION}"
"""The page that says that the server is there."""

CAPABILITIES = (
    "tree.dump", "tree.find", "widget.get", "input.click", "input.type", "input.key", "sync.wait_for",
    "app.state", "screenshot.window",
)  # fmt: skip
EXTENDED = {"screenshot.viewport3d": "viewport3d", "file.open": "file_open", "view.select": "view_select"}
"""Methods of other revisions, and what a program registers for each."""

_FOCUS = 0.5
"""How long the focus may take to follow a click, in seconds."""
_PATIENCE = 1.0
"""How long a node may take to hold still, in seconds."""
_STROKE = 0.02
"""How much longer each character may take to be typed, in seconds."""
_STATES = ("exists", "visible", "enabled", "value")
_OK = '{"ok":true}'


def may_wait(message: bytes) -> bool:
    """Whether a request may wait for something, so that others should not wait for it."""
    return b"sync.wait_for" in message or b"\\u" in message  # which may be any letter of it


class OrcaServer:
    """Speaks Orca for one runner; `conversation` fits a transport."""

    def __init__(self, runner: Runner, *, log: WireLog | None = None) -> None:
        self.runner = runner
        self.log = log
        self._last: Document | None = None

    def document(self, tree: Tree) -> Document:
        """A tree as the document. What is as it was in the last one is not made again."""
        self._last = document = Document(tree, self._last)
        return document

    def conversation(self, _transport: str, _url: str, peer: str) -> Conversation:
        """A new connection; give this method to a transport's server."""
        return Conversation(self, peer)


class Conversation:
    """One peer's requests, each answered by one response."""

    def __init__(self, server: OrcaServer, peer: str) -> None:
        self._runner = server.runner
        self._as_document = server.document
        self._log = server.log
        self._peer = peer
        self._lock = threading.Lock()
        self._noted = self._answered = False
        self._methods: dict[str, Callable[[Mapping[str, Any], Cancel], str]] = {
            "automation.version": self._version,
            "tree.dump": self._dump,
            "tree.find": self._find,
            "widget.get": self._get,
            "input.click": self._click,
            "input.type": self._type,
            "input.key": self._key,
            "sync.wait_for": self._wait_for,
            "app.state": self._app_state,
            "screenshot.window": self._screenshot,
            "screenshot.viewport3d": self._viewport3d,
            "file.open": self._open_files,
            "view.select": self._select_view,
        }

    def handle(self, message: bytes, cancel: Cancel) -> bytes:
        """Answer one request. Never raises."""
        number: Any = None
        try:
            data = loads_request(message)
            number = id_of(data, message)
            method, params = _read(data)
            self._note(data, method, params)
            reply = to_bytes(f'{{"jsonrpc":"2.0","id":{_json(number)},"result":')
            reply += to_bytes(self._call(method, params, cancel) + "}")
        except DeskhandError as error:
            if isinstance(error, (ParseError, InvalidRequest)):
                self._note_unreadable(_unreadable(message, error))
            reply = _failure(number, error)
        except Exception as error:
            import logging  # which takes some milliseconds, and is needed for this alone

            logging.getLogger("deskhand").exception("an Orca request failed")
            reply = _failure(number, DeskhandError(f"{type(error).__name__}: {error}"))
        self._note_answer(reply)
        return reply

    def refuse(self, reason: str) -> bytes:
        """The answer to a request that could not even be read, such as one that is too long."""
        reply = _failure(None, InvalidRequest(reason))
        self._note_unreadable(reason)
        self._note_answer(reply)
        return reply

    def end(self, message: bytes) -> bytes | None:
        """Answer a request, from any thread, as the server ends; None if it is answered already."""
        number: Any = None
        try:
            data = loads_request(message)
            number = id_of(data, message)
            method, params = _read(data)
            if method in _TYPED and isinstance(params, dict):
                # The program cannot be asked any more whether a password is typed.
                data = {**data, "params": {**params, _TYPED[method]: MASK}}
            self._note_request(data)
        except (ParseError, InvalidRequest) as error:
            self._note_unreadable(_unreadable(message, error))
        reply = _failure(number, AppGone("the server ends"))
        return reply if self._note_answer(reply) else None

    def close(self) -> None:
        """The peer is gone; there is nothing to let go of."""

    def _call(self, method: str, params: Any, cancel: Cancel) -> str:
        if method not in self._methods:
            raise _unknown(method, self._methods)
        try:
            return self._perform(method, params, cancel)
        except ActionsOff as error:
            # By the name that its caller knows it by.
            refusal = f"{method} refused: this server answers questions only"
            raise ActionsOff(refusal, suggestions=error.suggestions) from None

    def _perform(self, method: str, params: Any, cancel: Cancel) -> str:
        try:
            if not isinstance(params, Mapping):
                raise InvalidParams("'params' must be an object", field="params")
            return self._methods[method](params, cancel)
        except (InvalidParams, NotFound, Ambiguous, NotReady):
            # A client that is not allowed at all gets that error first.
            if method != "automation.version":
                self._runner.run(ops.MayAct() if method in _ACTING else ops.MayRead(), cancel)
            raise
        except ActionFailed as error:
            # Such as what is covered, or behind a modal dialog: it cannot be acted on now.
            if method not in _INPUT:
                raise
            raise NotReady(error.message, suggestions=error.suggestions) from None

    # -- looking -------------------------------------------------------------------------------

    def _version(self, _: Mapping[str, Any], cancel: Cancel) -> str:
        listed = list(CAPABILITIES)
        # A program that is gone or does not answer offers nothing, and the server is still there.
        with suppress(DeskhandError):
            about = self._runner.run(ops.GetAppInfo(), cancel)
            if about.extended:
                listed += [method for method, offer in EXTENDED.items() if offer in about.offers]
        return _json({"version": VERSION, "protocol": "2.0", "capabilities": listed})

    def _dump(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        document = self._document(cancel)
        root = params.get("root")
        item = document.at(root) if isinstance(root, str) else document.root
        return document.text(
            item,
            depth=max(-1, _whole(params, "max_depth", -1)),
            visible_only=_flag(params, "visible_only", False),
            imgui=_flag(params, "include_imgui", True),
        )

    def _find(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        return flat(self._document(cancel).find(read_target(params)))

    def _get(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        target = target_in(params)
        document = self._document(cancel)
        item = document.one(target)
        return document.text(item, imgui=item is document.root)

    def _app_state(self, _: Mapping[str, Any], cancel: Cancel) -> str:
        state = self._runner.run(ops.GetAppState(), cancel)
        says = state.active_view is not None or "active_tab" in state.extra
        # From outside, only the tree says what is shown.
        return _json(state_of(state, "" if says else view_of(self._tree(cancel))))

    def _screenshot(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        if _flag(params, "desktop", False):
            return _image(self._take(ops.Screenshot(desktop=True), cancel))
        if params.get("target") is None:
            windows = self._runner.run(ops.ListWindows(), cancel)
            if not windows:
                raise ScreenshotFailed("the program has no window")
            uid = windows[0].uid
            self._raise_window(windows, uid, cancel)
        else:
            target = target_in(params)
            document = self._document(cancel)
            item = document.one(target)
            if item in document.imgui:
                raise ScreenshotFailed(
                    f"{item.id} is drawn by Dear ImGui and is not a window",
                    suggestions=("take the window or canvas that it is drawn in",),
                )
            uid = item.node.uid
            self._raise_window_of(document.tree, item, cancel)
        return _image(self._take(ops.Screenshot(f"uid={uid}", timeout=0), cancel))

    def _take(self, operation: Operation[Image], cancel: Cancel) -> Image:
        try:
            return self._runner.run(operation, cancel)
        except (NotReady, ActionUnsupported, ActionFailed, NoWindows) as error:
            raise ScreenshotFailed(error.message, suggestions=error.suggestions) from None

    def _document(self, cancel: Cancel | None) -> Document:
        return self._as_document(self._tree(cancel))

    def _tree(self, cancel: Cancel | None) -> Tree:
        tree = self._runner.run(ops.ReadTree(), cancel).tree
        assert tree is not None, "without a revision to compare with, a whole tree comes"
        return tree

    # -- acting --------------------------------------------------------------------------------

    def _click(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        target = target_in(params)
        button = params.get("button")
        how: dict[str, Any] = {
            "button": button if button in ops.BUTTONS else "left",
            "count": 2 if _flag(params, "double", False) else 1,
            "modifiers": read_modifiers(params.get("modifiers")),
        }
        selector = target.selector
        if selector is not None:
            # Fallback: what the engine does not find by an id may have that path; if not, the document lists
            # the existing elements in the words of this protocol.
            with suppress(NotFound, Ambiguous):
                self._runner.run(ops.Click(selector, timeout=_PATIENCE, strict=True, **how), cancel)
                return _OK
        self._click_on(target, cancel, **how)
        return _OK

    def _click_on(self, target: Target, cancel: Cancel, **how: Any) -> Item:
        document = self._document(cancel)
        item = document.one(target)
        _insist_on_actionable(item)
        self._raise_window_of(document.tree, item, cancel)
        self._runner.run(ops.Click(f"uid={item.node.uid}", timeout=_PATIENCE, **how), cancel)
        return item

    def _raise_window_of(self, tree: Tree, item: Item, cancel: Cancel) -> None:
        self._raise_window(tree.windows, tree.window_of(item.node).uid, cancel)

    def _raise_window(self, windows: Sequence[Window], uid: str, cancel: Cancel) -> None:
        """Bring a window to the front, where it is not, and where that can be done."""
        window = window_to_raise(windows, uid)
        if window is None:
            return
        with suppress(DeskhandError):
            self._runner.run(ops.ControlWindow(f"uid={window.uid}", timeout=0, do="focus"), cancel)

    def _type(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        text = params.get("text")
        if not isinstance(text, str):
            raise InvalidParams("'text' must be a string", field="text")
        if params.get("target") is not None:
            node = self._click_on(target_in(params), cancel).node
            if node.focusable and not node.focused:
                # A window manager that gives the focus for a click needs a moment; keys before that are lost.
                # If it does not come, what is clicked takes keys without it, or another part has it.
                with suppress(WaitTimeout, NotFound, Stale):
                    self._runner.run(ops.Wait(f"uid={node.uid}", "focused", timeout=_FOCUS), cancel)
        patience = min(UI_TIMEOUT + len(text) * _STROKE, ops.LONGEST)
        self._runner.run(ops.TypeText(text=text, timeout=patience), cancel)
        return _OK

    def _key(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        keys = read_keys(params.get("keys"))
        if keys is None:
            self._runner.run(ops.MayAct(), cancel)
        else:
            with suppress(InvalidKey):
                self._runner.run(ops.Key(keys=keys), cancel)
        return _OK

    # -- waiting -------------------------------------------------------------------------------

    def _wait_for(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        started = time.monotonic()
        target = target_in(params)
        state, value = params.get("state"), params.get("value")
        if state not in _STATES:
            raise InvalidParams(f"'state' must be one of {', '.join(_STATES)}", field="state")
        if state == "value" and not isinstance(value, str):
            raise InvalidParams("state \"value\" needs 'value', a string", field="value")
        timeout = max(0, _whole(params, "timeout_ms", 5000)) / 1000
        poll = max(1, _whole(params, "poll_ms", 100)) / 1000

        def met(tree: Tree) -> None:
            if (seen := _unmet(self._as_document(tree), target, state, value)) is not None:
                raise NotReady(seen)

        what = f"{target} to be {_asked(state, value)}"
        self._runner.run(WaitUntil(met, what, timeout, poll), cancel)
        return f'{{"ok":true,"elapsed_ms":{int((time.monotonic() - started) * 1000)}}}'

    # -- what a program registers --------------------------------------------------------------

    def _open_files(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        given = params.get("paths")
        paths = [given] if isinstance(given, str) else given
        if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
            raise InvalidParams("'paths' must be a string or a list of strings", field="paths")
        paths = [path for path in paths if path]
        if not paths:
            raise InvalidParams("'paths' names no file", field="paths")
        done = self._offered(ops.OpenFiles(tuple(paths)), "file.open", cancel)
        loaded = done.result
        whole = isinstance(loaded, int) and not isinstance(loaded, bool)
        return _json({"ok": True, "loaded": loaded if whole else len(paths)})

    def _select_view(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        view = params.get("view")
        if not isinstance(view, str) or not view:
            raise InvalidParams("'view' must be the name of a view", field="view")
        result = self._offered(ops.SelectView(view), "view.select", cancel).result
        answer: dict[str, Any] = {"ok": True, "view": view, "index": -1}
        if isinstance(result, Mapping):
            answer.update(result)
        elif isinstance(result, int) and not isinstance(result, bool):
            answer["index"] = result
        return _json(answer)

    def _viewport3d(self, params: Mapping[str, Any], cancel: Cancel) -> str:
        plate = params.get("plate")
        wanted = ops.Viewport3d(
            plate if isinstance(plate, int) and not isinstance(plate, bool) else None,
            _whole(params, "width", 800),
            _whole(params, "height", 600),
        )
        try:
            return _image(self._runner.run(wanted, cancel))
        except ActionUnsupported:
            # Fallback: a program that draws nothing for us is asked for what its canvas shows.
            canvas = _canvas(self._document(cancel))
            if canvas is None:
                raise UnknownMethod("this program has no 3D view, and did not register viewport3d") from None
            return _image(self._take(ops.Screenshot(f"uid={canvas.node.uid}", timeout=0), cancel))

    def _offered(self, operation: Operation[ops.Done], method: str, cancel: Cancel) -> ops.Done:
        try:
            return self._runner.run(operation, cancel)
        except ActionUnsupported as error:
            raise UnknownMethod(f"{method}: {error.message}", suggestions=error.suggestions) from None

    # -- the log -------------------------------------------------------------------------------

    def _note(self, data: Any, method: str, params: Any) -> None:
        """Log a request, without what it types into a password field."""
        if self._log is None or not self._log.text:
            self._note_request(data)
            return
        typed = _TYPED.get(method)
        if typed is not None and isinstance(params, dict) and isinstance(params.get(typed), (str, list)):
            data = {**data, "params": self._log.masked(params, typed, lambda: self._reached(method, params))}
        self._note_request(data)

    def _note_request(self, data: Any) -> None:
        with self._lock:
            if self._log is not None and not self._noted:
                self._noted = True
                self._log.write(self._peer, "in", dumps(data, str))

    def _note_unreadable(self, about: str) -> None:
        with self._lock:
            if self._log is not None and not self._noted:
                self._noted = True
                self._log.note(self._peer, "in", about)

    def _note_answer(self, reply: bytes) -> bool:
        """Log an answer; False if there has been one. What ends later is not reported."""
        with self._lock:
            if self._answered:
                return False
            self._answered = True
            if self._log is not None:
                self._log.write(self._peer, "out", reply)
            return True

    def _reached(self, method: str, params: Mapping[str, Any]) -> Sequence[Node]:
        """What is typed into."""
        if method == "input.type" and isinstance(params.get("target"), dict):
            return [self._document(None).one(target_in(params)).node]
        return self._runner.run(ops.Find(FOCUSED, limit=2))


def view_of(tree: Tree) -> str:
    """What a program shows: the first tab that is chosen, or else the title of its main window."""
    tabs = (node for node in tree.nodes if node.role == "tab" and node.selected and node.visible)
    tab = next(tabs, None)
    if tab is not None and tab.name:
        return tab.name
    return (tree.windows[0].title or "") if tree.windows else ""


def state_of(state: AppState, view: str) -> dict[str, Any]:
    """The state of a program as Orca tells it; `view` is what it shows, if it does not say so itself."""
    # A program may tell these by the names that Orca has for them.
    extra = state.extra
    answer: dict[str, Any] = {
        "active_tab": str(extra.get("active_tab", state.active_view or view)),
        "project_loaded": bool(state.project_loaded),
        "slicing": bool(extra.get("slicing", state.busy)),
        "slice_progress": int(extra.get("slice_progress", state.progress)),
        "foreground": bool(state.foreground),
    }
    if state.modal_dialog is not None:
        answer["modal_dialog"] = str(state.modal_dialog)
    return answer


_INPUT = frozenset(("input.click", "input.type", "input.key"))
_ACTING = _INPUT | {"file.open", "view.select"}
_TYPED = {"input.type": "text", "input.key": "keys"}
"""The methods whose parameters can hold a password, and where."""


def _unreadable(message: bytes, error: DeskhandError) -> str:
    """What is said in the log of a message that cannot be shown: a password may be anywhere in it."""
    kind = "not JSON" if isinstance(error, ParseError) else "not a request"
    return f"{len(message)} bytes that are {kind}"


def _read(data: Any) -> tuple[str, Any]:
    if isinstance(data, list):
        raise InvalidRequest("a request is one object; send the requests of a batch one by one")
    if not isinstance(data, dict):
        raise InvalidRequest("a request is an object")
    method = data.get("method")
    if not isinstance(method, str):
        raise InvalidRequest("'method' must be a string")
    params = data.get("params")
    return method, {} if params is None else params


def _unknown(method: str, known: Mapping[str, Any]) -> UnknownMethod:
    near = alike(method[:100], known)
    suggestions = did_you_mean(near[:1])
    return UnknownMethod(f"no method '{method[:100]}'", near=near, suggestions=suggestions)


def _failure(id: Any, error: DeskhandError) -> bytes:
    described = {"code": code_of(error), "message": message_of(error)}
    return dumps({"jsonrpc": "2.0", "id": id, "error": described})


def _json(value: Any) -> str:
    return dumps(value).decode()


def _whole(params: Mapping[str, Any], name: str, default: int) -> int:
    """An optional whole number; what is none counts as not given."""
    value = params.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _flag(params: Mapping[str, Any], name: str, default: bool) -> bool:
    value = params.get(name)
    return value if isinstance(value, bool) else default


def _insist_on_actionable(item: Item) -> None:
    if not item.node.visible:
        raise NotVisible(f"{item.id} is hidden", suggestions=("wait for it to be visible",))
    if not item.node.enabled:
        raise NotEnabled(f"{item.id} is disabled", suggestions=("wait for it to be enabled",))


def _unmet(document: Document, target: Target, state: str, value: Any) -> str | None:
    """What was seen instead of the state that is waited for; None if it is so."""
    found = document.meant(target)
    if len(found) != 1:
        return f"{len(found)} nodes match"
    item = found[0]
    node = item.node
    met = {
        "exists": True,
        "visible": node.visible,
        "enabled": node.enabled and node.visible,
        "value": item.value is not None and item.value == value,
    }[state]
    if met:
        return None
    held = "" if item.value is None else f", value '{item.value[:100]}'"
    return f"last seen visible={node.visible}, enabled={node.enabled}{held}"


def _asked(state: str, value: Any) -> str:
    return {"exists": "there", "value": f"'{value}'"}.get(state, state)


def _canvas(document: Document) -> Item | None:
    """What a program most likely shows its 3D view in: the largest canvas for OpenGL that is visible."""
    canvases = [item for item in document.items if "GL" in item.kind and item.node.visible]
    return max(canvases, key=_area, default=None)


def _area(item: Item) -> float:
    bounds = item.node.bounds
    return 0.0 if bounds is None else bounds.width * bounds.height


def _image(image: Image) -> str:
    if not image.png:
        raise ScreenshotFailed("the screenshot is empty")
    encoded = base64.b64encode(image.png).decode()
    return f'{{"png_base64":"{encoded}","width":{image.width},"height":{image.height}}}'
