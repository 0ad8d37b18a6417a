"""The `deskhand` command: a thin layer of words over the client library. May import everything."""

from __future__ import annotations

from .main import main

__all__ = ["main"]
