"""The Agent contract, server side: requests become operations and back. No I/O here.

Every endpoint of the contract, over any runner; what is about the machine itself (commands, files) by a
`Machine`, where there is one; and every operation of the core as `/deskhand/<operation>`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from typing import IO, Any, NamedTuple, Protocol, TypeVar

from ... import __version__
from ...model import codec
from ...model import operations as ops
from ...model.compound import WaitWindows
from ...model.errors import (
    AccessibilityUnavailable,
    ActionFailed,
    ActionUnsupported,
    AppGone,
    ConnectFailed,
    DeskhandError,
    Disabled,
    DownloadFailed,
    ExecFailed,
    InvalidParams,
    NotConnected,
    NotReady,
    OptionNotFound,
    ParseError,
    UiBusy,
    UnknownMethod,
    UploadFailed,
    WaitTimeout,
)
from ...model.node import Node, Rect, Window
from ...model.operations import Cancel, Done, Executed, Operation, Runner
from ...model.roles import CONTROL_ROLES
from ...model.tree import Tree
from ..jsontext import dumps, loads_request
from ..results import encode_result
from ..wirelog import WireLog
from . import query as query
from .errors import to_agent, to_core
from .files import Machine, download, upload
from .query import ElementQuery, read
from .snapshot import (
    DEPTH,
    MENU_BAR,
    MODES,
    Filter,
    Pane,
    SnapshotEncoder,
    encode_inspected,
    encode_windows,
    is_operated,
    number,
)

R = TypeVar("R")
T = TypeVar("T")

LIMIT = 16 * 1024 * 1024
"""How long the body of a request other than an upload may be, in bytes."""

_PATIENCE = 1.0
"""How long an element may take to be ready for an action, in seconds."""
_SETTLE = 2.0
"""How long a window may take to be in the requested state, in seconds."""
_MENU_DEPTH = 4
"""How far below its window a menu bar is looked for."""
_DEEP = 10
"""From this depth on a tree is read as a whole."""
_STILL = frozenset((
    "text", "label-text", "heading", "paragraph", "caption", "separator", "progress-indicator", "status",
))  # fmt: skip
"""Roles of elements that only show something, and cannot be pressed unless they say so."""
_PLATFORMS = {"darwin": "macos", "win32": "windows"}
_EXTENSION = "/deskhand/"
_JSON = "application/json"


class Request(Protocol):
    """An HTTP request, as a transport hands it over."""

    method: str
    path: str
    query: Mapping[str, str]
    peer: str

    def read(self, limit: int) -> bytes:
        """The whole body; ValueError if it is longer, EOFError if it ended too early."""

    def chunks(self) -> Iterator[bytes]:
        """The body as it comes; EOFError if it ends too early."""


class Reply(NamedTuple):
    """The answer to a request."""

    status: int
    body: bytes | Iterable[bytes]
    kind: str = _JSON
    length: int | None = None
    """How long a body is that comes in pieces, if that is known."""
    file: IO[bytes] | None = None
    """What the body is made of, if that is a file as it is."""
    after: Callable[[], None] | None = None
    """What is to be done once it was sent."""
    allow: str | None = None


class AgentServer:
    """Speaks the Agent contract for one runner; `handle` fits a transport."""

    def __init__(
        self,
        runner: Runner,
        *,
        health: Callable[[], DeskhandError | None],
        machine: Machine | None = None,
        shutdown: Callable[[], None] | None = None,
        log: WireLog | None = None,
    ) -> None:
        """`health` says what keeps the runner from working, without waiting for long. Without a machine,
        commands and files are refused. `shutdown` ends the server."""
        self._runner = runner
        self._machine = machine
        self._shutdown = shutdown
        self._log = log
        self._snapshots = SnapshotEncoder()
        self._health = health
        self._routes: dict[str, Callable[[Any, Cancel], Reply]] = {
            "/windows": self._windows,
            "/snapshot": self._snapshot,
            "/inspect": self._inspect,
            "/press": self._action(ops.Press),
            "/focus": self._action(ops.Focus),
            "/show-menu": self._action(ops.ShowMenu),
            "/set-value": self._set_value,
            "/wait": self._wait,
            "/window-focus": self._control("focus", query.WindowTarget),
            "/window-close": self._control("close", query.WindowTarget),
            "/window-minimize": self._control("minimize", query.WindowTarget),
            "/window-resize": self._control("resize", query.WindowResize),
            "/window-move": self._control("move", query.WindowMove),
            "/exec": self._exec,
            "/shutdown": self._end,
        }

    def handle(self, request: Request, cancel: Cancel) -> Reply:
        """Answer one request. Never raises."""
        core = request.path.startswith(_EXTENSION)
        try:
            reply = self._answer(request, cancel)
        except DeskhandError as error:
            reply = Reply(*(to_core if core else to_agent)(error))
        except Exception as error:
            import logging  # which takes some milliseconds, and is needed for this alone

            logging.getLogger("deskhand").exception("%s failed", request.path)
            reply = Reply(*to_core(DeskhandError(f"{type(error).__name__}: {error}")))
        if self._log is not None:
            about = reply.body if isinstance(reply.body, bytes) else dumps({"bytes": reply.length})
            self._log.write(request.peer, "out", about)
        return reply

    def _answer(self, request: Request, cancel: Cancel) -> Reply:
        path = request.path
        if path == "/health":
            self._note(request, None)
            if request.method not in ("GET", "HEAD"):
                error = UnknownMethod(f"{path} answers to GET, not to {request.method[:20]}")
                return Reply(*to_agent(error), allow="GET, HEAD")
            return self._healthy()
        route = self._routes.get(path)
        operation = ops.OPERATIONS.get(path[len(_EXTENSION) :]) if path.startswith(_EXTENSION) else None
        if route is None and operation is None and path not in ("/upload", "/download"):
            self._note(request, None)
            raise _unknown(path)
        if request.method != "POST":
            self._note(request, None)
            error = UnknownMethod(f"{path} answers to POST, not to {request.method[:20]}")
            return Reply(*to_agent(error), allow="POST")
        if path == "/upload":
            self._note(request, {"path": request.query.get("path")})
            return Reply(200, upload(request, self._machine_for("upload")))
        try:
            data = _body(request)
            if operation is None and not isinstance(data, dict):
                raise ParseError("the body must be a JSON object")
        except ParseError as error:
            if self._log is not None:
                self._log.note(request.peer, "in", f"POST {path}: {error.message}")
            raise
        if path == "/download":
            self._note(request, {**data, **request.query})
            return Reply(200, *download(request.query, data, self._machine_for("download")))
        if operation is not None:
            if self._log is not None:
                name = f"deskhand_{path[len(_EXTENSION) :]}"
                self._log.write_request(request.peer, {"method": name, "params": data}, self._runner)
            return self._operation(codec.decode(operation, data), cancel)
        assert route is not None
        self._note(request, data)
        return route(data, cancel)

    # -- the system ----------------------------------------------------------------------------

    def _healthy(self) -> Reply:
        platform = _PLATFORMS.get(sys.platform, "linux")
        error = self._health()
        if error is None:
            return _json(200, {"accessible": True, "platform": platform, "deskhand": __version__})
        about = {"error": "accessibility_unavailable", "details": error.message, "deskhand": __version__}
        return _json(503, {"accessible": False, "platform": platform, **about})

    def _exec(self, data: Any, cancel: Cancel) -> Reply:
        machine = self._machine_for("exec")
        try:
            wanted = read(query.ExecRequest, data)
        except InvalidParams as error:
            raise ExecFailed(error.message, **error.details) from None
        operation = ops.Execute(wanted.command, wanted.timeout, wanted.detach)
        return _json(200, _executed(operation, machine.execute(operation, cancel)))

    def _end(self, _: Any, __: Cancel) -> Reply:
        if self._shutdown is None:
            raise ActionUnsupported("this agent ends with the program that it serves, not when it is asked")
        with suppress(ActionUnsupported, NotConnected, ConnectFailed, AccessibilityUnavailable, UiBusy):
            # Never answered by a program; but where nothing may be done at all, this may not either.
            self._runner.run(ops.Shutdown())
        answer = {"success": True, "message": "the agent ends; the machine goes on"}
        return _json(200, answer)._replace(after=self._shutdown)

    def _check_enabled(self) -> None:
        """Raise Disabled on standby: there the contract's own /shutdown works, and no operation does."""
        try:
            self._runner.run(ops.MayRead())
        except Disabled:
            raise
        except DeskhandError:
            pass  # there is no desktop yet, which must not keep us running

    def _machine_for(self, what: str) -> Machine:
        if self._machine is not None:
            return self._machine
        kind = {"exec": ExecFailed, "upload": UploadFailed, "download": DownloadFailed}[what]
        raise kind(
            f"{what} is switched off here",
            status=403,
            suggestions=("start it with --exec, or use `deskhand agent`",),
        )

    def _operation(self, operation: Operation[Any], cancel: Cancel) -> Reply:
        match operation:
            case ops.Execute():
                return _json(200, codec.encode(self._machine_for("exec").execute(operation, cancel)))
            case ops.Upload():
                with self._machine_for("upload").receive(operation.path) as file:
                    file.write(operation.content)
                    file.finish()
                return _json(200, codec.encode(Done()))
            case ops.Download():
                with closing(self._machine_for("download").send(operation.path)) as source:
                    return Reply(200, dumps(codec.encode(b"".join(source))))
            case ops.Shutdown():
                self._check_enabled()
                return self._end(None, cancel)._replace(body=dumps(codec.encode(Done())))
        return Reply(200, encode_result(self._runner.run(operation, cancel)))

    # -- looking -------------------------------------------------------------------------------

    def _windows(self, _: Any, cancel: Cancel) -> Reply:
        tree = self._tree(cancel, 0)
        return Reply(200, _with_missing(encode_windows(query.shown(tree.windows)), tree))

    def _snapshot(self, data: Any, cancel: Cancel) -> Reply:
        request = read(query.SnapshotRequest, data)
        wanted = _filter(request)
        # Deep trees are rare: to look at each level of one costs more than it saves.
        tree = self._tree(cancel, max(wanted.depth, _MENU_DEPTH) if wanted.depth < _DEEP else None)
        windows = query.shown(tree.windows)
        trees: list[tuple[Tree, list[Pane]]] = [
            (tree, [Pane(one, one.uid) for one in windows if query.has_name(one, request.window)])
        ]
        menu = self._menu_bar(tree, windows, request.window, wanted.depth, cancel)
        if menu is not None:
            trees.append(menu)
        if request.window is not None and not any(panes for _, panes in trees):
            raise query.no_window(windows, request.window, tree.cut)
        return Reply(200, _with_missing(self._snapshots.encode(trees, wanted), tree))

    def _inspect(self, data: Any, cancel: Cancel) -> Reply:
        node = self._one(read(ElementQuery, data), cancel)
        return Reply(200, encode_inspected(self._runner.run(ops.Get(f"uid={node.uid}"), cancel)))

    def _tree(self, cancel: Cancel | None, depth: int | None = None) -> Tree:
        tree = self._runner.run(ops.ReadTree(depth=depth), cancel).tree
        assert tree is not None, "without a revision to compare with, a whole tree comes"
        return tree

    def _menu_bar(
        self, tree: Tree, windows: Iterable[Window], named: str | None, depth: int, cancel: Cancel
    ) -> tuple[Tree, list[Pane]] | None:
        """The menu bar of the application that has the focus, as a window of its own."""
        found = _find_menu_bar(tree, windows)
        if found is None:
            return None
        window, bar = found
        pane = Window(
            bar.uid, MENU_BAR, window.app_name, window.pid, "menuBar", bar.bounds or Rect(0, 0, 0, 0)
        )
        if not query.has_name(pane, named):
            return None
        below = self._runner.run(ops.ReadTree(f"uid={bar.uid}", depth=depth), cancel).tree
        return None if below is None else (below, [Pane(pane, bar.uid)])

    def _one(self, wanted: ElementQuery, cancel: Cancel | None) -> Node:
        tree = self._tree(cancel)
        windows = query.shown(tree.windows)
        found = [window for window in windows if query.has_name(window, wanted.window)]
        roots = [window.uid for window in found]
        if not found and wanted.window is not None:
            menu = _find_menu_bar(tree, windows)
            if menu is None or wanted.window.casefold() not in MENU_BAR.casefold():
                raise query.no_window(windows, wanted.window, tree.cut)
            roots = [menu[1].uid]
        return query.one(wanted, tree, roots)

    # -- acting --------------------------------------------------------------------------------

    def _action(self, kind: type[ops.Action]) -> Callable[[Any, Cancel], Reply]:
        def answer(data: Any, cancel: Cancel) -> Reply:
            node = self._one(read(ElementQuery, data), cancel)
            if kind is ops.Press and node.role in _STILL and not is_operated(node.actions):
                raise ActionUnsupported(
                    f"{node} offers nothing to press",
                    suggestions=("press what it belongs to", "or click on it: POST /deskhand/click"),
                )
            return self._perform(kind(f"uid={node.uid}", timeout=_PATIENCE), cancel)

        return answer

    def _set_value(self, data: Any, cancel: Cancel) -> Reply:
        wanted = read(query.SetValue, data)
        if wanted.value is None:
            raise InvalidParams("the parameter 'value' is missing", field="value")
        node = self._one(wanted, cancel)
        return self._perform(_setting(node, wanted.value), cancel)

    def _perform(self, action: ops.Action, cancel: Cancel) -> Reply:
        try:
            return _done(self._runner.run(action, cancel).detail)
        except (ActionFailed, OptionNotFound) as error:
            return _failed(error)

    def _control(self, do: str, kind: type[Any]) -> Callable[[Any, Cancel], Reply]:
        def answer(data: Any, cancel: Cancel) -> Reply:
            wanted = read(kind, data)
            tree = self._tree(cancel, 0)
            windows = query.shown(tree.windows)
            window = [one for one in windows if query.has_name(one, wanted.window)]
            if not window:
                raise query.no_window(windows, wanted.window, tree.cut)
            rest = {name: value for name, value in vars(wanted).items() if name != "window"}
            try:
                done = self._runner.run(ops.ControlWindow(f"uid={window[0].uid}", do=do, **rest), cancel)
                if do in ("move", "resize"):
                    return self._placed(done, do, window[0], tuple(rest.values()), cancel)
                return self._verified(done, do, window[0], cancel)
            except (ActionFailed, OptionNotFound) as error:
                return _failed(error)
            except AppGone:
                # It was the last one, and its program ended with it.
                if do != "close":
                    raise
                return _done("its program ended")

        return answer

    def _verified(self, done: Done, do: str, window: Window, cancel: Cancel) -> Reply:
        """That it was done, once the window is in the state that was requested; an error if it never is."""
        if do in _SEEN:

            def met(windows: tuple[Window, ...]) -> None:
                if not _SEEN[do](next((one for one in windows if one.uid == window.uid), None)):
                    raise NotReady("it did not")

            try:
                self._runner.run(WaitWindows(met, f"a window to {do}", _SETTLE), cancel)
            except WaitTimeout:
                raise ActionFailed(f"asked window '{window.title or ''}' to {do}; it did not") from None
        return _done(done.detail)

    def _placed(
        self, done: Done, do: str, window: Window, wanted: tuple[float, ...], cancel: Cancel
    ) -> Reply:
        """That it was done, and where the window is if its program or the window manager put it elsewhere."""
        reply = _done(done.detail)
        with suppress(UiBusy, ActionUnsupported):
            self._runner.run(ops.WaitIdle(timeout=0.3), cancel)
        now = next(
            (one for one in self._runner.run(ops.ListWindows(), cancel) if one.uid == window.uid), None
        )
        if now is None or now.bounds is None:
            return reply
        there = now.bounds[:2] if do == "move" else now.bounds[2:]
        if all(abs(want - have) <= 1 for want, have in zip(wanted, there, strict=True)):
            return reply
        first, second = map(number, there)
        return _done(f"it is at {first},{second} now" if do == "move" else f"it is {first}×{second} now")

    # -- waiting -------------------------------------------------------------------------------

    def _wait(self, data: Any, cancel: Cancel) -> Reply:
        wanted = read(query.WaitRequest, data)
        ops.check_timeout(wanted.timeout)

        def met(windows: tuple[Window, ...]) -> None:
            shown = query.shown(windows)
            if not any(query.has_name(window, wanted.window) for window in shown):
                raise NotReady(query.no_window(shown, wanted.window or "").message)

        try:
            self._runner.run(WaitWindows(met, "a window", wanted.timeout, absent=True), cancel)
        except WaitTimeout as error:
            return _timed_out(wanted.timeout, error.last_seen["instead"] if error.last_seen else "")
        except (AccessibilityUnavailable, NotConnected, ConnectFailed, UiBusy) as error:
            return _timed_out(wanted.timeout, error.message)
        return _done(None)

    # -- the log -------------------------------------------------------------------------------

    def _note(self, request: Request, data: Any) -> None:
        """Log a request, without what it sets as a password."""
        if self._log is None:
            return
        typed = data.get("value") if request.path == "/set-value" and isinstance(data, dict) else None
        if self._log.text and isinstance(typed, str):
            data = self._log.masked(data, "value", lambda: [self._one(read(ElementQuery, data), None)])
        message = {"method": f"{request.method} {request.path}", "params": data}
        self._log.write(request.peer, "in", dumps(message, str))


# -- below --------------------------------------------------------------------------------------


def _json(status: int, data: Mapping[str, Any]) -> Reply:
    return Reply(status, dumps(data))


def _done(message: str | None) -> Reply:
    return _json(200, {"success": True} if message is None else {"success": True, "message": message})


def _failed(error: DeskhandError) -> Reply:
    return _json(200, {"success": False, "message": "; ".join((error.message, *error.suggestions))})


def _timed_out(timeout: float, seen: str) -> Reply:
    message = f"Timed out waiting for accessibility after {timeout:g} s: {seen}"
    return _json(200, {"success": False, "message": message})


def _body(request: Request) -> Any:
    """The JSON in a request; an empty body is an empty object."""
    try:
        body = request.read(LIMIT)
    except EOFError:
        raise ParseError("the body ended too early") from None
    except ValueError:
        raise ParseError(f"a request may be {LIMIT} bytes long", status=413) from None
    return loads_request(body) if body.strip() else {}


def _unknown(path: str) -> UnknownMethod:
    if path == "/debug/ax":
        return UnknownMethod("/debug/ax is about accessibility on macOS, and not to be had here")
    if path.startswith(_EXTENSION):
        with suppress(IndexError):
            codec.decode_operation(path[len(_EXTENSION) : 100], {})
    return UnknownMethod(f"there is nothing at {path[:100]}")


def _with_missing(text: bytes, tree: Tree) -> bytes:
    """An answer with windows, and the programs that did not answer; those that did are included."""
    return text if tree.cut is None else text[:-1] + b',"details":' + dumps(tree.cut.reason) + b"}"


def _executed(operation: ops.Execute, result: Executed) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "success": not result.timed_out,
        # As the contract's document prints it.
        "message": None,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "exitCode": result.exit_code,
    }
    if result.timed_out:
        answer["timedOut"] = True
        answer["message"] = f"not done within {operation.timeout:g} s, and ended with all that it had started"
    return answer


def _filter(request: query.SnapshotRequest) -> Filter:
    mode = MODES.get(request.mode or "interactive")
    if mode is None:
        raise InvalidParams(
            f"'mode' must be one of {', '.join(MODES)}, not '{(request.mode or '')[:60]}'", field="mode"
        )
    depth = DEPTH if request.depth is None else request.depth
    if depth < 0:
        raise InvalidParams(f"'depth' must be 0 or more, not {depth}", field="depth")
    role = None if request.role is None else query.role_of(request.role)
    return Filter(mode, min(depth, 10_000), role, request.label)


def _find_menu_bar(tree: Tree, windows: Iterable[Window]) -> tuple[Window, Node] | None:
    """The menu bar of the focused window, or of another one of the same application."""
    focused = next((window for window in windows if window.focused), None)
    if focused is None:
        return None
    own = {window.uid: window for window in windows if window.pid == focused.pid}
    bars = [
        (own[above.uid], node)
        for node in tree.nodes
        if node.role == "menu-bar" and (above := tree.window_of(node)).uid in own
    ]
    return next((pair for pair in bars if pair[0] is focused), bars[0] if bars else None)


def _setting(node: Node, value: str) -> ops.Action:
    """What setting a value means for an element: text and numbers are set, boxes ticked, options chosen."""
    target = f"uid={node.uid}"
    if not node.editable and node.checked is not None:
        word = value.strip().casefold()
        if word not in _TICKED:
            raise InvalidParams(
                f"the value of a {node.role} is one of {', '.join(_TICKED)}, not '{value[:60]}'",
                field="value",
            )
        return ops.SetChecked(target, timeout=_PATIENCE, checked=_TICKED[word])
    if _is_chosen(node, value):
        return ops.Select(target, timeout=_PATIENCE, text=value)
    return ops.SetValue(target, timeout=_PATIENCE, value=value)


def _is_chosen(node: Node, value: str) -> bool:
    """Whether an element takes a value by choosing it. Not all list their options while closed."""
    if node.editable:
        return any(option.text == value for option in node.options)
    if node.options:
        return True
    return node.role not in _CHOSEN and node.role not in _STILL and _SET.isdisjoint(node.actions)


_CHOSEN = CONTROL_ROLES - {"combo-box"}
"""Roles that have no options: they are pressed, edited, or are themselves options."""
_SET = frozenset(("set-value", "edit"))
_TICKED = {"1": True, "0": False, "true": True, "false": False, "on": True, "off": False}
_SEEN: dict[str, Callable[[Window | None], bool]] = {
    "focus": lambda now: now is not None and now.focused,
    "minimize": lambda now: now is None or now.minimized or not now.showing,
    "close": lambda now: now is None or not now.showing,
}
"""How a window looks once it was done."""
