"""Every program on the desktop, unmodified, through the accessibility bus of Linux (AT-SPI) and X11.

Runs outside the programs it drives. Imports the model and the standard library; screenshots use a fast
compressor where one is installed.
"""

from __future__ import annotations

from .adapter import AtspiAdapter

__all__ = ["AtspiAdapter"]
