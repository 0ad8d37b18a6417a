"""Texts and regular expressions as a `Wait` takes them."""

from __future__ import annotations

import re

_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x", re.ASCII: "a"}


def wanted_text(text: str | re.Pattern[str], match: str = "equals") -> tuple[str, str, str]:
    """The value, how it is matched, and both in words."""
    if isinstance(text, re.Pattern):
        flags = "".join(letter for flag, letter in _FLAGS.items() if text.flags & flag)
        pattern = f"(?{flags}){text.pattern}" if flags else text.pattern
        return pattern, "regex", f"matching /{text.pattern}/{flags}"
    return text, match, f"containing {text!r}" if match == "contains" else repr(text)
