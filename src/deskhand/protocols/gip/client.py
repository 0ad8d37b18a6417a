"""The GUI Instrumentation Protocol, client side: requests out of operations, results out of replies.

No I/O here. Works with our own servers, which know every operation, and with any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, TypeVar, cast

from ...model import codec
from ...model.errors import ActionFailed, DeskhandError, InvalidRequest, NotFound, UnknownMethod
from ...model.operations import Operation
from ...model.record import dataclass
from ..jsontext import dumps, loads
from .errors import from_gip
from .methods import PREFIX

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

R = TypeVar("R")

_NUMBERS = count(1)


@dataclass(frozen=True)
class Request:
    """A request: what to send, and the id that its reply must have."""

    method: str
    id: int
    data: bytes


def encode_call(method: str, params: Mapping[str, Any] | None = None) -> Request:
    """A request for any method."""
    number = next(_NUMBERS)
    message = {"jsonrpc": "2.0", "method": method, "params": dict(params or {}), "id": number}
    return Request(method, number, dumps(message))


def decode_reply(request: Request, reply: bytes) -> Any:
    """The `result` of the reply to a request; raises what its `error` says.

    An error of our own server becomes the same exception as there; that of another server the one
    that its code stands for. A reply to something else than what was asked is an InvalidRequest.
    """
    data = loads(reply)
    if not isinstance(data, dict):
        raise InvalidRequest(f"the reply to {request.method} is not an object")
    error = data.get("error")
    if error is not None:
        raise _error(request, error)
    if data.get("id") != request.id:
        raise InvalidRequest(
            f"the reply to {request.method} has the id {data.get('id')!r} and not {request.id}",
            suggestions=("do not use one connection for two exchanges at once",),
        )
    if "result" not in data:
        raise InvalidRequest(f"the reply to {request.method} has neither result nor error")
    result = data["result"]
    if isinstance(result, dict) and (result.get("success") is False or set(result) == {"error"}):
        raise _older_error(request, result)
    return result


def encode_operation(operation: Operation[Any]) -> Request:
    """The request that runs an operation on one of our own servers."""
    name, params = codec.encode_operation(operation)
    return encode_call(PREFIX + name, params)


def decode_result(operation: Operation[R], request: Request, reply: bytes) -> R:
    """What the operation gave; raises what it raised there."""
    kind = codec.result_type(type(operation))
    return cast("R", codec.decode(kind, decode_reply(request, reply), "result"))


def is_ours(connect_result: Any) -> bool:
    """Whether the result of `connect` came from a deskhand server, which knows every operation."""
    info = connect_result.get("app_info") if isinstance(connect_result, dict) else None
    return isinstance(info, dict) and bool(info.get("deskhand"))


def _error(request: Request, error: Any) -> DeskhandError:
    if not isinstance(error, dict):
        return ActionFailed(f"{request.method} failed: {str(error)[:500]}")
    code, data = error.get("code"), error.get("data")
    return from_gip(
        code if isinstance(code, int) else 0,
        str(error.get("message", f"{request.method} failed"))[:2000],
        data if isinstance(data, dict) else {},
        request.method,
    )


def _older_error(request: Request, result: dict[str, Any]) -> DeskhandError:
    """A failure inside a result, as older servers report it."""
    message = str(result.get("error") or f"{request.method} failed")[:2000]
    if isinstance(result.get("code"), int):
        return _error(request, {**result, "message": message})
    lower = message.lower()
    if "not found" in lower:
        return NotFound(message)
    if "unknown method" in lower:
        return UnknownMethod(message)
    return ActionFailed(message)
