"""Records what a person does to an app as code: a test, a script or shell commands.

`Recording` observes the input of an X display and reads the app by any Runner. May import the model, the
adapters and `x11`.
"""

from __future__ import annotations

from .formats import FORMATS, Source
from .recording import EXPECTATIONS, Event, Recording
from .steps import Element, Secret, Step

__all__ = ["EXPECTATIONS", "FORMATS", "Element", "Event", "Recording", "Secret", "Source", "Step"]
