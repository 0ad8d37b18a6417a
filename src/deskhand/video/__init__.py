"""Videos of private desktops: what is on the screen, what is done, and where it is clicked.

`film` captures and encodes, `drawing` draws captions and marks. May import `tracing` and below. The extra
`video` has what it needs, PyAV and Pillow.
"""

from __future__ import annotations

from .film import INSTALL, Film, missing

__all__ = ["INSTALL", "Film", "missing"]
