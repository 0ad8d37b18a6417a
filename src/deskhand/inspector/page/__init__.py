"""The files of the inspector's page. Written by hand, as modules that browsers load without a build step."""

from __future__ import annotations

from ... import pages
from ...transports.pages import File

_HTML, _CSS, _JS = "text/html; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8"
_MODULES = ("inspector", "link", "screen", "tree", "details", "console")


def files() -> dict[str, File]:
    """By path."""
    found = {
        "/": File(_HTML, _part("inspector.html")),
        "/page.css": File(_CSS, pages.style().encode()),
        "/page.js": File(_JS, pages.script().encode()),
        "/icon.svg": File("image/svg+xml", _part("icon.svg")),
        "/inspector.css": File(_CSS, _part("inspector.css")),
    }
    return found | {f"/{name}.js": File(_JS, _part(f"{name}.js")) for name in _MODULES}


def _part(name: str) -> bytes:
    return pages.part(__name__, name).encode()
