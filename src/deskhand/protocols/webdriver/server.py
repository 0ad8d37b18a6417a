"""WebDriver's routes and sessions: a request becomes a command of a session. No I/O here.

Commands that have no meaning on a desktop are refused by name. BiDi is not offered.
"""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

from ... import __version__
from ...model import operations as ops
from ...model.errors import DeskhandError, ParseError
from ...model.node import Node
from ...model.operations import Cancel
from ..jsontext import dumps, loads_request
from ..wirelog import WireLog
from . import capabilities, errors, scripts
from .errors import WebDriverError
from .session import App, Call, Session, Tools

LIMIT = 16 * 1024 * 1024
"""How long the body of a request may be, in bytes."""
IDLE = 300.0
"""How long a session may be without commands unless its client says otherwise, in seconds."""
MOST = 1000
"""How many sessions there may be at once."""

_JSON = "application/json; charset=utf-8"
_HUB = "/wd/hub"
_IDLE = "appium:newCommandTimeout"


class Request(Protocol):
    """An HTTP request, as a transport passes it on."""

    method: str
    path: str
    peer: str

    def read(self, limit: int) -> bytes:
        """The whole body; ValueError if it is longer, EOFError if it ended too early."""


class Reply(NamedTuple):
    """The answer to a request."""

    status: int
    body: bytes
    kind: str = _JSON
    length: int | None = None
    file: IO[bytes] | None = None
    after: Callable[[], None] | None = None
    allow: str | None = None


class Opener(Protocol):
    """Provides what new sessions drive."""

    def open(self, wanted: Mapping[str, Any], cancel: Cancel) -> App:
        """The app that the capabilities name. A DeskhandError becomes `session not created`."""

    def free(self) -> bool:
        """Whether a session could be opened now."""


Command: TypeAlias = "Callable[[Session, Call], Any]"


class WebDriverServer:
    """Speaks WebDriver for the apps that an opener provides; `handle` fits a transport."""

    def __init__(
        self, opener: Opener, tools: Tools, *, files: Files | None = None, log: WireLog | None = None
    ) -> None:
        """Without `files`, none are pushed and pulled."""
        self._opener = opener
        self._tools = tools
        self._files = files
        self._log = log
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._ended: deque[str] = deque(maxlen=MOST)
        """Sessions that ended with their last window: clients still delete them."""
        self._closed = False

    def handle(self, request: Request, cancel: Cancel) -> Reply:
        """Answer one request. Never raises."""
        try:
            value = self._answer(request, cancel)
            reply = value if isinstance(value, Reply) else Reply(200, dumps({"value": value}, str))
        except WebDriverError as error:
            reply = _failed(error)
        except DeskhandError as error:
            reply = _failed(errors.of(error))
        except Exception as error:
            import logging  # which takes some milliseconds, and is needed for this alone

            logging.getLogger("deskhand").exception("%s failed", request.path)
            reply = _failed(WebDriverError("unknown error", f"{type(error).__name__}: {error}"))
        if self._log is not None:
            self._log.write(request.peer, "out", reply.body)
        return reply

    def expire(self) -> None:
        """End the sessions whose clients have sent nothing for longer than they may."""
        now = time.monotonic()
        with self._lock:
            idle = [session for session in self._sessions.values() if _abandoned(session, now)]
            for session in idle:
                del self._sessions[session.id]
        for session in idle:
            session.app.close()

    def close(self) -> None:
        """End all sessions; none can be opened afterwards."""
        with self._lock:
            self._closed = True
            sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            session.app.close()

    # -- requests ------------------------------------------------------------------------------

    def _answer(self, request: Request, cancel: Cancel) -> Any:
        path = request.path.removeprefix(_HUB).rstrip("/") or "/"
        found = [(route, parts) for route in _ROUTES if (parts := route.path.fullmatch(path))]
        route = next(((one, parts) for one, parts in found if one.method == request.method), None)
        if route is None:
            self._note(request, None)
            if not found:
                raise WebDriverError("unknown command", f"there is no command {request.method} {path[:200]}")
            allowed = ", ".join(sorted({one.method for one, _ in found}))
            error = WebDriverError(
                "unknown method", f"{path[:200]} answers to {allowed}, not {request.method}"
            )
            return _failed(error)._replace(allow=allowed)
        one, parts = route
        body = self._body(request, may_be_empty=one.bodiless) if request.method == "POST" else {}
        names = parts.groupdict()
        if "session" not in names:
            self._note(request, body)
            return one.command(self, Call(names, body, cancel))
        if one.command is WebDriverServer.delete_session and names["session"] in self._ended:
            return None
        session = self._session(names.pop("session"))
        call = Call(names, body, cancel)
        with self._lock:
            session.running += 1
        try:
            self._note(request, body, session, call)
            return one.command(self, session, call)
        finally:
            with self._lock:
                session.running -= 1
                session.used = time.monotonic()

    def _body(self, request: Request, *, may_be_empty: bool) -> Mapping[str, Any]:
        try:
            data = request.read(LIMIT)
            found = {} if may_be_empty and not data.strip() else loads_request(data)
        except EOFError:
            raise ParseError("the body ended too early") from None
        except ValueError:
            raise ParseError(f"a request may be {LIMIT} bytes long") from None
        if not isinstance(found, dict):
            raise WebDriverError("invalid argument", "the body must be a JSON object")
        return found

    def _session(self, id_: str) -> Session:
        session = self._sessions.get(id_)
        if session is None:
            raise WebDriverError("invalid session id", f"there is no session '{id_[:60]}'")
        return session

    def _note(
        self, request: Request, body: Any, session: Session | None = None, call: Call | None = None
    ) -> None:
        """Log a request, without what it types into a password field."""
        if self._log is None:
            return
        if self._log.text and session is not None and call is not None and body:
            body = self._masked(self._log, dict(body), session, call)
        self._log.write(
            request.peer, "in", dumps({"method": f"{request.method} {request.path}", "params": body}, str)
        )

    def _masked(self, log: WireLog, body: dict[str, Any], session: Session, call: Call) -> dict[str, Any]:
        """A body without what it types, unless that is known to go into other than password fields."""

        def reached() -> Sequence[Node]:
            if "element" in call.path:
                return [session.node(call.path["element"], call.cancel)]
            if "actions" in body:
                return session.run(ops.Find(":focused"), call.cancel)
            return scripts.elements(session, call)

        for field in ("text", "value", "actions", "args") if "using" not in body else ():
            if body.get(field):
                body = log.masked(body, field, reached)
        return body

    # -- commands without a session ------------------------------------------------------------

    def status(self, _: Call) -> dict[str, Any]:
        free = self._opener.free()
        return {
            "ready": free,
            "message": "a new session can be opened" if free else "every slot is in use; a new session waits",
            "build": {"version": __version__, "name": "deskhand"},
        }

    def new_session(self, call: Call) -> dict[str, Any]:
        wanted = capabilities.choose(call.body)
        if len(self._sessions) >= MOST:
            raise WebDriverError("session not created", f"there are {MOST} sessions already")
        try:
            app = self._opener.open(wanted, call.cancel)
        except DeskhandError as error:
            found = errors.of(error)
            code = found.code if found.code == "invalid argument" else "session not created"
            raise WebDriverError(code, found.message) from None
        session = Session(str(uuid.uuid4()), app, wanted, self._tools)
        idle = wanted.get(_IDLE, IDLE)
        session.idle_timeout = float(idle) or None
        with self._lock:
            if not self._closed and not call.cancel.is_set():
                self._sessions[session.id] = session
                return {"sessionId": session.id, "capabilities": session.capabilities}
        app.close()
        raise WebDriverError("session not created", "the server ends, or the client went away")

    def list_sessions(self, _: Call) -> list[dict[str, Any]]:
        return [
            {
                "id": session.id,
                "created": int(session.created * 1000),
                "capabilities": session.capabilities,
            }
            for session in list(self._sessions.values())
        ]

    # -- commands about a session --------------------------------------------------------------

    def delete_session(self, session: Session, _: Call) -> None:
        with self._lock:
            found = self._sessions.pop(session.id, None)
        if found is not None:
            found.app.close()

    def close_window(self, session: Session, call: Call) -> list[str]:
        left = session.close_window(call)
        if not left:
            self._ended.append(session.id)
            self.delete_session(session, call)
        return left

    def push_file(self, _: Session, call: Call) -> None:
        self._files_for("pushFile").push(call.body)

    def pull_file(self, _: Session, call: Call) -> str:
        return self._files_for("pullFile").pull(call.body)

    def execute(self, session: Session, call: Call) -> Any:
        name = re.sub(r"\W", "", str(call.body.get("script"))).lower()
        arguments = call.body.get("args")
        if name in ("mobilepushfile", "mobilepullfile") and isinstance(arguments, list) and arguments:
            files = self._files_for("files")
            given = arguments[0] if isinstance(arguments[0], dict) else {}
            return files.push(given) if name == "mobilepushfile" else files.pull(given)
        return scripts.execute(session, call)

    def _files_for(self, what: str) -> Files:
        if self._files is None:
            raise WebDriverError(
                "unsupported operation", f"{what} is switched off: start the server with --exec"
            )
        return self._files


class Files(Protocol):
    """Where files are written and read, for clients that may do so."""

    def push(self, given: Mapping[str, Any]) -> None:
        """Write the Base64 in `payload` or `data` to `remotePath` or `path`."""

    def pull(self, given: Mapping[str, Any]) -> str:
        """The file at `remotePath` or `path`, as Base64."""


def _failed(error: WebDriverError) -> Reply:
    return Reply(error.status, error.encode())


def _abandoned(session: Session, now: float) -> bool:
    timeout = session.idle_timeout
    return timeout is not None and not session.running and now - session.used > timeout


# -- routes -------------------------------------------------------------------------------------


class _Route(NamedTuple):
    method: str
    path: re.Pattern[str]
    command: Callable[..., Any]
    bodiless: bool = False
    """Whether a POST may come without a body, which the standard forbids."""


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


def _of_session(command: Callable[[Session, Call], Any]) -> Callable[..., Any]:
    return lambda _, session, call: command(session, call)


def _made(make: Callable[..., Callable[[Call], Any]], *arguments: Any) -> Callable[..., Any]:
    return lambda _, session, call: make(session, *arguments)(call)


def _refused(what: str, _: Any, __: Session, ___: Call) -> Any:
    raise WebDriverError("unsupported operation", f"{what}: desktop apps have none of it")


def _posted(command: Callable[[Session, Mapping[str, Any], Call], Any]) -> Callable[..., Any]:
    return lambda _, session, call: command(session, call.body, call)


def _constant(value: Any) -> Callable[..., Any]:
    return lambda *_: value


def _routes() -> Iterable[_Route]:
    server, session, element = WebDriverServer, "/session/{session}", "/session/{session}/element/{element}"

    def of(
        table: Mapping[str, Callable[..., Any]], prefix: str = session, *, bodiless: bool = False
    ) -> Iterable[_Route]:
        for line, command in table.items():
            method, _, path = line.partition(" ")
            yield _Route(method, _pattern(f"{prefix}/{path}".rstrip("/")), command, bodiless)

    yield from of(
        {
            "GET status": server.status,
            "POST session": server.new_session,
            "GET sessions": server.list_sessions,
            "GET appium/sessions": server.list_sessions,
        },
        "",
    )
    yield from of(
        {
            "DELETE ": server.delete_session,
            "GET ": lambda _, one, __: one.capabilities,
            "GET appium/capabilities": lambda _, one, __: {"capabilities": one.capabilities},
            "GET timeouts": _of_session(Session.get_timeouts),
            "POST timeouts": _of_session(Session.set_timeouts),
            "POST timeouts/implicit_wait": _of_session(Session.set_implicit),
            "GET title": _of_session(Session.title),
            "GET window": _of_session(Session.get_window),
            "POST window": _of_session(Session.switch_window),
            "DELETE window": server.close_window,
            "GET window/handles": _of_session(Session.get_handles),
            "GET window/rect": _of_session(Session.get_rect),
            "POST window/rect": _of_session(Session.set_rect),
            "POST window/maximize": _made(Session.control, "maximize"),
            "POST window/minimize": _made(Session.control, "minimize"),
            "POST frame": _of_session(Session.switch_frame),
            "POST frame/parent": _constant(None),
            "GET source": _of_session(Session.source),
            "GET sourceRaw": lambda _, one, call: Reply(200, one.source(call).encode(), "application/xml"),
            "POST element": _of_session(Session.find_one),
            "POST elements": _of_session(Session.find_all),
            "GET element/active": _of_session(Session.active),
            "POST execute/sync": server.execute,
            "POST execute/async": server.execute,
            "POST execute": server.execute,
            "POST actions": _of_session(Session.perform),
            "DELETE actions": _of_session(Session.release),
            "GET screenshot": _of_session(Session.screenshot),
            "GET alert/text": _of_session(Session.alert_text),
            "POST alert/text": _of_session(Session.alert_send),
            "POST alert/accept": _made(Session.end_alert, True),
            "POST alert/dismiss": _made(Session.end_alert, False),
        }
    )
    yield from of(
        {
            "POST element": _of_session(Session.find_one),
            "POST elements": _of_session(Session.find_all),
            "GET shadow": _of_session(Session.no_shadow_root),
            "GET selected": _of_session(Session.selected),
            "GET enabled": _of_session(Session.enabled),
            "GET displayed": _of_session(Session.displayed),
            "GET attribute/{name}": _of_session(Session.attribute),
            "GET property/{name}": _of_session(Session.property),
            "GET css/{name}": _of_session(Session.css),
            "GET text": _of_session(Session.text),
            "GET name": _of_session(Session.tag),
            "GET rect": _of_session(Session.rect),
            "GET computedrole": _of_session(Session.tag),
            "GET computedlabel": _of_session(Session.label),
            "POST click": _of_session(Session.click),
            "POST clear": _of_session(Session.clear),
            "POST value": _of_session(Session.send_keys),
            "GET screenshot": _of_session(Session.element_screenshot),
        },
        element,
    )
    # Appium's own, and those of clients from before the standard.
    yield from of(
        {
            "GET appium/settings": _of_session(Session.get_settings),
            "POST appium/settings": _of_session(Session.set_settings),
            "POST appium/device/app_state": _posted(scripts.app_state),
            "POST appium/device/activate_app": _posted(scripts.activate_app),
            "POST appium/device/terminate_app": _posted(scripts.terminate_app),
            "POST appium/device/get_clipboard": _posted(scripts.get_clipboard),
            "POST appium/device/set_clipboard": _posted(scripts.set_clipboard),
            "POST appium/device/press_keycode": _posted(scripts.press_key),
            "POST appium/device/push_file": server.push_file,
            "POST appium/device/pull_file": server.pull_file,
            "POST appium/device/hide_keyboard": _constant(None),
            "GET appium/device/is_keyboard_shown": _constant(False),
            "GET appium/device/system_time": lambda *_: time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "POST appium/element/{element}/value": _of_session(Session.set_value),
            "POST appium/element/{element}/replace_value": _of_session(Session.set_value),
            "GET element/{element}/location_in_view": _of_session(Session.rect),
            "GET context": _constant("NATIVE_APP"),
            "GET contexts": _constant(["NATIVE_APP"]),
            "GET orientation": _constant("LANDSCAPE"),
        },
        bodiless=True,
    )
    for line, what in _REFUSED.items():
        for method in line.partition(" ")[0].split("|"):
            path = line.partition(" ")[2]
            yield _Route(method, _pattern(f"{session}/{path}"), partial(_refused, what))


_REFUSED = {
    "GET|POST|DELETE cookie": "cookies",
    "GET|DELETE cookie/{name}": "cookies",
    "GET|POST url": "navigation",
    "POST back": "navigation",
    "POST forward": "navigation",
    "POST refresh": "navigation",
    "POST print": "printing",
    "POST window/new": "new windows by command",
    "POST window/fullscreen": "full screen by command",
    "POST shadow/{shadow}/element": "shadow roots",
    "POST shadow/{shadow}/elements": "shadow roots",
    "POST appium/compare_images": "comparing images",
}
"""Commands that have no meaning on a desktop, and what they are about."""

_ROUTES = tuple(_routes())
