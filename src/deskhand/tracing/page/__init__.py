"""The page that shows a trace: one HTML file with everything in it, or served together with the trace.

Written by hand, without a build step; see docs/why/decisions.md.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from ... import pages
from ..reader import Recorded


def html(trace: Recorded, *, embed: bool = True) -> str:
    """The page. Unless screenshots are to be embedded, it loads them from `resources/` next to it."""
    names = trace.names()
    data: dict[str, Any] = {
        "name": trace.path.name,
        "events": trace.events,
        "sources": {
            name: trace.resource(name).decode("utf-8", "replace") for name in names if name.endswith(".txt")
        },
    }
    if embed:
        screenshots = (name for name in names if name.endswith(".png"))
        data["resources"] = {name: base64.b64encode(trace.resource(name)).decode() for name in screenshots}
    # What an app shows may look like the end of the element that it is embedded in.
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    page = (
        _part("trace.html")
        .replace("/*STYLE*/", pages.style() + _part("trace.css"))
        .replace("/*SCRIPT*/", pages.script() + _part("trace.js"))
    )
    before, after = page.split("/*DATA*/")
    return before + text + after


def _part(name: str) -> str:
    return pages.part(__name__, name)
