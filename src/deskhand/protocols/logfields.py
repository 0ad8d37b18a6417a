"""Which fields of a message the wire log shows when it must not show what was typed.

An allow-list: a field that is not listed here is shown by its length, whatever the protocol and the method,
so that a new or misspelt one cannot reveal a password.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..model.errors import DeskhandError
from ..model.node import MASK
from ..model.selector import parse
from ..model.syntax import Attribute, Regex, Text

_ASKED_WORDS = frozenset((
    "jsonrpc", "method", "protocolVersion", "version", "upgrade", "backend", "role", "type", "class", "state",
    "until", "match", "do", "button", "modifiers", "mode", "include", "onError",
))  # fmt: skip
WORDS = _ASKED_WORDS | frozenset((
    "protocol", "schema", "deskhand", "transport", "status", "platform", "framework", "platformRole",
    "platform_role", "kind", "nativeClass", "native_class", "style_classes", "pseudo_classes", "styleClass",
    "pseudoClass", "toolkit", "capturedAt", "windowType", "states", "actions", "capabilities", "contentType",
    "mimeType", "code", "methodCode", "field", "required",
))  # fmt: skip
"""Fields of a few known words: shown unchanged, also when the same word was typed somewhere."""

_ASKED_NAMES = frozenset((
    "id", "ref", "refs", "uid", "uids", "path", "paths", "name", "label", "title", "window", "view", "root",
    "app", "screenshot", "desktop", "home", "cwd",
))  # fmt: skip
NAMES = _ASKED_NAMES | frozenset((
    "near_uids", "parent", "names", "windowRef", "appName", "app_name", "focused", "automation_id",
    "automationId", "object_name", "objectName", "labelled_by", "labelledBy", "placeholder", "description",
    "tooltip", "help", "module", "options", "similar", "tools", "active_tab", "modal_dialog", "active_view",
    "family", "fontFamily", "color", "weight", "columns",
))  # fmt: skip
"""Fields that name elements, windows, files and programs: shown, but for what was typed before."""

SELECTORS = frozenset(("target", "selector", "css", "to", "from", "within", "scope", "targets"))
MESSAGES = frozenset((
    "message", "error", "details", "reason", "detail", "what", "suggestions", "near", "instructions",
    "how", "body",
))  # fmt: skip
"""Sentences of ours in answers, shown without what they quote."""

CONTENTS = frozenset(("text", "value", "values", "keys", "key", "cells"))
"""Fields of what is typed, or of what an element holds: nothing in them is shown, whatever it is called."""

NUMBERS = frozenset((
    "x", "y", "w", "h", "bounds", "dx", "dy", "to_x", "to_y", "deltaX", "deltaY", "width", "height",
    "minX", "minY", "maxX", "maxY", "row", "column", "columnIndex", "rowIndex", "opacity", "index",
    "count", "limit", "steps", "depth", "max_depth", "maxDepth", "maxNodes", "max_nodes", "maxTokens",
    "timeout", "timeout_ms", "timeoutMs", "poll", "poll_ms", "pollMs", "elapsed", "elapsedMs",
    "elapsed_ms", "uptime", "timestamp", "captured_at", "t", "pid", "exitCode", "exit_code", "since",
    "sinceRevision", "revision", "position", "line", "stage", "stageIndex", "plate", "scale", "size",
    "childCount", "child_count", "items_count", "itemsCount", "positionX", "positionY", "sizeWidth",
    "sizeHeight", "boundsX", "boundsY", "boundsWidth", "boundsHeight", "currentIndex", "currentPage",
    "bytes", "length", "total", "left_out", "leftOut", "nodes", "tokens", "slice_progress", "progress",
    "mark", "marks", "selected_indices", "visible_range", "focused_index", "minimum", "maximum",
    "minLength", "maxLength", "minItems", "maxItems", "focusedIndex", "loaded", "options_count", "after",
    "before_count", "matched", "skipped", "visible_count",
))  # fmt: skip

_ATTRIBUTES = frozenset((
    "name", "label", "id", "class", "role", "title", "description", "tooltip", "help", "placeholder",
    "path", "uid", "object-name", "platform-role", "module", "backend", "style", "checked", "selected",
    "expanded", "enabled", "disabled", "visible", "hidden", "offscreen", "focused", "focusable",
    "editable", "password", "modal", "pressed", "internal", "mixed", "x", "y", "width", "height",
    "children", "items", "minimum", "maximum",
))  # fmt: skip
"""What a selector may ask for without holding the content of a field."""
_MCP_REF = re.compile(r"u-[0-9a-z-]{1,20}")
_QUOTE = re.compile(r"""["`“”‘’«»]|(?<!\w)'|'(?!\w)""")
_LONGEST_WORD = 200
_NUMERIC = 4
"""From how many characters on a number that is not shown is looked for in texts."""


def shown_of_request(message: Any, hide: Callable[[str], None]) -> Any:
    """A request with nothing but fields known to be harmless; `hide` is called with each text left out."""
    return _shown("", message, hide)


def shown_of_answer(message: Any) -> Any:
    """An answer with nothing but fields known to be harmless."""
    return _shown("", message, None)


def length_of(text: str) -> str:
    """What stands for a text that is not shown."""
    return f"({len(text)} characters)"


def _shown(field: str, value: Any, hide: Callable[[str], None] | None) -> Any:
    if isinstance(value, dict):
        inside = field if field in CONTENTS else None
        return {name: _shown(inside or name, part, hide) for name, part in value.items()}
    if isinstance(value, list):
        return [_shown(field, part, hide) for part in value]
    if isinstance(value, str):
        return _text(field, value, hide)
    words, names = (WORDS, NAMES) if hide is None else (_ASKED_WORDS, _ASKED_NAMES)
    if value is None or isinstance(value, bool) or field in NUMBERS or field in words or field in names:
        return value
    if hide is not None and len(str(value)) >= _NUMERIC:
        hide(str(value))
    return "(a number)"


def _text(field: str, text: str, hide: Callable[[str], None] | None) -> str:
    words, names = (WORDS, NAMES) if hide is None else (_ASKED_WORDS, _ASKED_NAMES)
    if text in ("", MASK) or field in names or (field in words and len(text) <= _LONGEST_WORD):
        return text
    if field in MESSAGES and hide is None:
        return _without_quotes(text)
    secrets = _contents(text) if field in SELECTORS else [text]
    if not secrets:
        return text
    if hide is not None:
        for secret in (text, *secrets):
            hide(secret)
    return length_of(text)


def _without_quotes(text: str) -> str:
    """A sentence without all from its first to its last quote: a quoted text can hold quotes itself."""
    quotes = [found.start() for found in _QUOTE.finditer(text)]
    if not quotes:
        return text
    # Where one is missing, the sentence was cut.
    end = quotes[-1] + 1 if len(quotes) % 2 == 0 else len(text)
    return text[: quotes[0]] + length_of(text[quotes[0] : end]) + text[end:]


def _contents(selector: str) -> list[str]:
    """The texts in a selector that can be the content of a field; all of it if it cannot be read."""
    if _MCP_REF.fullmatch(selector):
        return []
    try:
        steps = parse(selector).chain.steps()
    except DeskhandError:
        return [selector]
    found = []
    for step in steps:
        if isinstance(step, Text) or (isinstance(step, Attribute) and step.name not in _ATTRIBUTES):
            found.append(step.value.pattern if isinstance(step.value, Regex) else step.value)
    return [text for text in found if text]
