"""The library that tests and programs hold, sync and async.

`_async` is written by hand, `_sync` is made from it. May import everything but the command line.
"""

from __future__ import annotations

from ._sync.app import App
from ._sync.expect import expect
from ._sync.locator import Locator
from ._sync.start import attach, connect, launch
from .failure import ExpectationFailed
from .soft import SoftFailures

__all__ = ["App", "ExpectationFailed", "Locator", "SoftFailures", "attach", "connect", "expect", "launch"]
