"""What our pages in a browser have in common: colours, controls, and small functions for their scripts.

Written by hand, without a build step; see docs/why/decisions.md. Imports nothing of ours.
"""

from __future__ import annotations

from importlib import resources


def part(package: str, name: str) -> str:
    """A file of a page, in the package that has it."""
    return resources.files(package).joinpath(name).read_text("utf-8")


def style() -> str:
    """The style sheet that all pages begin with."""
    return part(__name__, "page.css")


def script() -> str:
    """The classic script that all pages begin with; it leaves one name, `deskhand`."""
    return part(__name__, "page.js")
