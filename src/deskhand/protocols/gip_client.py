"""The GUI Instrumentation Protocol, client side: requests out of operations, results out of replies. No I/O here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..model.errors import DeskhandError
from ..model.operations import Operation

R = TypeVar("R")


@dataclass(frozen=True)
class Request:
    """A request: what to send, and the id that its reply must have."""

    id: int
    data: bytes


def encode_call(method: str, params: Mapping[str, Any] | None = None) -> Request:
    """A request for any method."""
    raise NotImplementedError


def decode_reply(request: Request, reply: bytes) -> Any:
    """The `result` of the reply to a request; raises what its `error` says.

    An error of our own server becomes the same exception as there; that of another server the one
    that its code stands for. A reply that answers nothing we asked is an InvalidRequest.
    """
    raise NotImplementedError


def encode_operation(operation: Operation[Any]) -> Request:
    """The request that runs an operation on one of our own servers."""
    raise NotImplementedError


def decode_result(operation: Operation[R], request: Request, reply: bytes) -> R:
    """What the operation gave; raises what it raised there."""
    raise NotImplementedError


def error_of(code: int, message: str, data: Mapping[str, Any]) -> DeskhandError:
    """The error that a GIP error object stands for."""
    raise NotImplementedError


def is_ours(connect_result: Any) -> bool:
    """Whether the result of `connect` came from a deskhand server, which knows every operation."""
    return isinstance(connect_result, dict) and bool(
        isinstance(info := connect_result.get("app_info"), dict) and info.get("deskhand")
    )
