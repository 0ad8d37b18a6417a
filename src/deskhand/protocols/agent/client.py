"""The Agent protocol, client side: what an answer says, as data or as the error it stands for.

No I/O here. Works with our own agents, whose errors carry every field, and with any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from ...model import codec
from ...model.errors import (
    AccessibilityUnavailable,
    ActionFailed,
    ActionsOff,
    ActionUnsupported,
    Ambiguous,
    DeskhandError,
    DownloadFailed,
    ExecFailed,
    InvalidRequest,
    NotFound,
    ParseError,
    Unauthorized,
    UnknownMethod,
    UploadFailed,
    WaitTimeout,
    WindowNotFound,
)
from ...model.operations import Executed, Operation
from ...model.record import dataclass
from ..jsontext import dumps, loads

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

R = TypeVar("R")

PREFIX = "/deskhand/"
"""Below this, our own agents run every operation by its name."""

_KEYS: Mapping[str, type[DeskhandError]] = {
    "notfound": NotFound,
    "elementnotfound": NotFound,
    "ambiguous": Ambiguous,
    "multiplematches": Ambiguous,
    "windownotfound": WindowNotFound,
    "actionunsupported": ActionUnsupported,
    "accessibilityunavailable": AccessibilityUnavailable,
    "execfailed": ExecFailed,
    "uploadfailed": UploadFailed,
    "downloadfailed": DownloadFailed,
    "invalidjson": ParseError,
    "timeout": WaitTimeout,
    "unauthorized": Unauthorized,
}
"""By the key without its separators, as agents write it with them, or in camel case."""
_LONGEST = 2000


@dataclass(frozen=True)
class Health:
    """How an agent is."""

    accessible: bool
    """Whether it can see the desktop; commands and files work also where it cannot."""
    platform: str = ""
    """linux, macos or windows, where it says so."""
    deskhand: str | None = None
    """The version of deskhand there; None for an agent of another make."""
    details: str | None = None
    """Why it cannot see the desktop, where it says so."""


def encode(params: Mapping[str, Any]) -> bytes:
    """The body of a request."""
    return dumps(dict(params))


def decode(path: str, status: int, body: bytes) -> Any:
    """What an answer holds; raises what its error says, also where that came with a good status."""
    data = _data(path, status, body)
    if not 200 <= status < 300 or (isinstance(data, dict) and data.get("error")):
        raise error_of(path, status, data)
    return data


def decode_action(path: str, status: int, body: bytes) -> str | None:
    """The message of an action that worked; ActionFailed with the agent's reason for one that did not."""
    answer = decode(path, status, body)
    message = answer.get("message") if isinstance(answer, dict) else None
    said = str(message).strip()[:_LONGEST] if message else None
    if not isinstance(answer, dict) or answer.get("success") is False:
        raise ActionFailed(f"the agent could not do {path}: {said or 'it gives no reason'}")
    return said


def decode_health(status: int, body: bytes) -> Health:
    """The agent's health; InvalidRequest if another server answers, Unauthorized if it wants a token."""
    try:
        data = _data("/health", status, body)
    except InvalidRequest:
        # The contract asks for no body; a page of a web server is none all the same.
        data = [] if body.lstrip()[:1] == b"<" else {}
    if not isinstance(data, dict) or not (200 <= status < 300 or "accessible" in data):
        if status in (401, 403):
            raise error_of("/health", status, data)
        raise InvalidRequest(f"it answered HTTP {status} to /health, as no agent does")
    version = data.get("deskhand")
    details = data.get("details") or data.get("error")
    return Health(
        accessible=bool(data.get("accessible", 200 <= status < 300)),
        platform=str(data.get("platform") or ""),
        deskhand=str(version) if version else None,
        details=str(details)[:_LONGEST] if details else None,
    )


def decode_executed(status: int, body: bytes) -> Executed:
    """How a command ended."""
    answer = decode("/exec", status, body)
    code = answer.get("exitCode") if isinstance(answer, dict) else None
    if not isinstance(code, int):
        raise ExecFailed(f"the agent did not say how the command ended: {str(answer)[:200]}")
    stdout, stderr = str(answer.get("stdout") or ""), str(answer.get("stderr") or "")
    timed_out = answer.get("timedOut")
    if timed_out is None:
        # Older agents say it in words only.
        said = f"{answer.get('message') or ''} {stderr}".lower()
        timed_out = code == -1 and "timed out" in said
    return Executed(code, stdout, stderr, bool(timed_out))


def decode_result(operation: Operation[R], status: int, body: bytes) -> R:
    """What an operation gave on one of our own agents; raises what it raised there."""
    kind = codec.result_type(type(operation))
    return cast("R", codec.decode(kind, decode("the operation", status, body), "result"))


_GIVE_TOKEN = "give its token: --token-file FILE, DESKHAND_TOKEN=TOKEN, --token TOKEN, or token=…"  # noqa: S105 - how to give one


def error_of(path: str, status: int, data: Any) -> DeskhandError:
    """The error that an answer stands for."""
    fields = dict(data) if isinstance(data, dict) else {}
    key = str(fields.pop("error", "") or "")
    details = str(fields.pop("details", "") or "")[:_LONGEST]
    if isinstance(fields.get("kind"), str):
        return DeskhandError.from_json({"message": details or key, **fields})
    kind = _KEYS.get(key.lower().replace("_", "").replace("-", ""))
    if status == 401 or (status == 403 and kind is None):
        kind = Unauthorized
    elif status == 403 and kind is not Unauthorized:
        kind = ActionsOff
    elif status == 404 and (kind is None or (key == "not_found" and not details)):
        return UnknownMethod(f"the agent does not know {path}", target=path)
    if kind is None:
        said = ": ".join(filter(None, (key[:_LONGEST], details))) or "no reason given"
        return ActionFailed(f"{path} failed (HTTP {status}): {said}", status=status)
    matches = tuple(filter(None, map(str.strip, details.splitlines()))) if kind is Ambiguous else ()
    suggestions = (_GIVE_TOKEN,) if status == 401 else ()
    return kind(_message(path, kind, key, details), matches=matches, suggestions=suggestions)


def _message(path: str, kind: type[DeskhandError], key: str, details: str) -> str:
    if kind is Ambiguous and details:
        return f"the agent sees several that match: {details.replace(chr(10), '; ')}"
    return details or f"the agent answered {key} to {path}"


def _data(path: str, status: int, body: bytes) -> Any:
    if not body.strip():
        return {}
    try:
        return loads(body)
    except ParseError:
        if 200 <= status < 300:
            raise InvalidRequest(f"the answer to {path} is not JSON: {_start(body)}") from None
        return {"error": _start(body)}


def _start(body: bytes) -> str:
    return body[:200].decode("utf-8", "replace").strip()
