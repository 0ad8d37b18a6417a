"""Many long-lived objects are created faster if the garbage collector does not scan them meanwhile.

To do so takes half as long again as to make a tree.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the collector of garbage rest for a moment. Not for what may wait for something."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
