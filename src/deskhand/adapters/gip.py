"""A program that somebody else's GIP server instruments, as one more toolkit.

GIP tells little (type, name, a few properties) and can little (click, type, select); the rest is refused with
a reason, never imitated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Call = Callable[[str, Mapping[str, Any], float], Any]
"""Calls a method with parameters and a timeout in seconds; gives its result or raises a DeskhandError."""


class GipAdapter:
    """Drives a program through `call`. Implements model.adapter.Adapter."""

    name = "gip"

    def __init__(self, call: Call, *, info: Mapping[str, Any] | None = None, title: str | None = None) -> None:
        """`info` is the `app_info` that its connect answered with, if it knows connect."""
        raise NotImplementedError
