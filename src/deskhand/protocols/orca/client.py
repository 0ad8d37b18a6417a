"""The Orca protocol, client side: requests out of methods and parameters, results out of replies.

No I/O here. An error is a code and a sentence, as those of OrcaSlicer are; some servers tell more in `data`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count
from typing import Any

from ...model.errors import (
    ActionFailed,
    Ambiguous,
    DeskhandError,
    Disabled,
    InvalidParams,
    InvalidRequest,
    LoadFailed,
    NotEnabled,
    NotFound,
    NotReady,
    NotVisible,
    ParseError,
    ScreenshotFailed,
    UiBusy,
    UnknownMethod,
    WaitTimeout,
)
from ...model.record import dataclass
from ..jsontext import dumps, loads

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

PATH = "/jsonrpc"
EVENTS = "/events"

_NUMBERS = count(1)
_LONGEST = 2000
_SEVERAL = re.compile(r"ambiguous|more than one|multiple|^\d+ \w+ match")
_KINDS: Mapping[int, type[DeskhandError]] = {
    -32700: ParseError,
    -32600: InvalidRequest,
    -32601: UnknownMethod,
    -32602: InvalidParams,
    1001: NotFound,
    1002: NotReady,
    1003: WaitTimeout,
    1004: UiBusy,
    1005: ScreenshotFailed,
    1006: Disabled,
    1007: LoadFailed,
}


@dataclass(frozen=True)
class Version:
    """What a server says about itself."""

    version: str
    capabilities: tuple[str, ...]


def encode_call(method: str, params: Mapping[str, Any] | None = None) -> tuple[int, bytes]:
    """A request for any method: its id, and what to send."""
    number = next(_NUMBERS)
    return number, dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params or {})})


def decode_reply(method: str, number: int, reply: bytes) -> Any:
    """The `result` of the reply to a request; raises what its `error` stands for.

    InvalidRequest if that is not a reply to it.
    """
    data = loads(reply)
    if not isinstance(data, dict):
        raise InvalidRequest(f"the reply to {method} is not an object")
    if (error := data.get("error")) is not None:
        raise error_of(method, error)
    if data.get("id") != number:
        raise InvalidRequest(f"the reply to {method} has the id {data.get('id')!r} and not {number}")
    if "result" not in data:
        raise InvalidRequest(f"the reply to {method} has neither result nor error")
    return data["result"]


def decode_version(result: Any) -> Version | None:
    """What `automation.version` answered; None if no server of this protocol answers so."""
    if not isinstance(result, dict) or not isinstance(result.get("capabilities"), list):
        return None
    known = tuple(name for name in result["capabilities"] if isinstance(name, str))
    return Version(str(result.get("version", "")), known) if "tree.dump" in known else None


def error_of(method: str, error: Any) -> DeskhandError:
    """The error that a reply stands for."""
    if not isinstance(error, dict):
        return ActionFailed(f"{method} failed: {str(error)[:_LONGEST]}")
    message = str(error.get("message") or f"{method} failed")[:_LONGEST]
    code, data = error.get("code"), error.get("data")
    if isinstance(data, dict) and isinstance(data.get("kind"), str):
        return DeskhandError.from_json({"message": message, **data})
    kind = _KINDS.get(code, ActionFailed) if isinstance(code, int) else ActionFailed
    # Codes that stand for two things: which it is, is said in words alone.
    said = message.lower()
    if kind is NotFound and _SEVERAL.search(said):
        kind = Ambiguous
    elif kind is NotReady and "disabled" in said and "hidden" not in said:
        kind = NotEnabled
    elif kind is NotReady and ("hidden" in said or "visible" in said) and "disabled" not in said:
        kind = NotVisible
    return kind(message, code=code) if kind is ActionFailed else kind(message)
