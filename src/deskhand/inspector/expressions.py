"""A line of Python that finds elements, such as `app.get_by_role("button", name="Save")`, as a selector.

Nothing is executed: the line is parsed, and only calls of the methods that locators have for finding, with
constants, are understood.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..model import selector as selectors
from ..model.alike import alike, did_you_mean
from ..model.errors import SelectorError
from ..model.selector import Selector, parse

_APP = ("app", "page", "window")
_LONGEST = 2000
"""How many characters a line may have."""
_FINDERS: Mapping[str, Callable[..., str]] = {
    "locator": lambda selector: str(selector),
    "get_by_role": selectors.by_role,
    "get_by_text": selectors.by_text,
    "get_by_label": selectors.by_label,
    "get_by_placeholder": selectors.by_placeholder,
    "get_by_tooltip": selectors.by_tooltip,
    "get_by_id": selectors.by_id,
    "get_by_test_id": selectors.by_id,
}
"""What the app and every locator have; the latter looks inside of what it finds."""
_NARROWERS: Mapping[str, Callable[..., str]] = {
    "nth": selectors.nth,
    "filter": selectors.filtered,
    "or_": selectors.either,
    "and_": selectors.both,
}
"""What only locators have."""
_ENDS: Mapping[str, int] = {"first": 0, "last": -1}
_FLAGS = {name: getattr(re, name) for name in ("I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL")}
_BEGINS = re.compile(rf"\s*(?:await\s+)?(?:{'|'.join(_APP)})\s*\.")


def selector(text: str) -> Selector:
    """The selector that is meant: the text itself, or what a line of Python finds. Raises a DeskhandError."""
    if not _BEGINS.match(text):
        return parse(text)
    if len(text) > _LONGEST:
        raise SelectorError(
            f"a line may be {_LONGEST} characters long, and this is {len(text)}",
            target=text[:200],
            position=_LONGEST,
        )
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = getattr(error, "msg", None) or str(error)
        raise SelectorError(
            f"this is not a line of Python: {reason}",
            target=text[:200],
            position=getattr(error, "offset", 0) or 0,
        ) from None
    body = tree.body.value if isinstance(tree.body, ast.Await) else tree.body
    found = _locator(body, text)
    if found is None:
        raise _wrong(body, text, "this is the app itself", 'try app.get_by_role("button")')
    return parse(found)


def _locator(node: ast.expr, text: str) -> str | None:
    """The selector of a locator; None for the app."""
    if isinstance(node, ast.Name) and node.id in _APP:
        return None
    if isinstance(node, ast.Attribute) and node.attr in _ENDS:
        return selectors.nth(_some(node.value, text), _ENDS[node.attr])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _called(node, node.func, text)
    raise _wrong(node, text, "only calls that find elements are understood here")


def _called(call: ast.Call, function: ast.Attribute, text: str) -> str:
    name = function.attr
    outer = _locator(function.value, text)
    given = [_value(argument, text) for argument in call.args]
    named = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise _wrong(keyword.value, text, "** is not understood here")
        named[keyword.arg] = _value(keyword.value, text)
    if name in _FINDERS:
        find = _FINDERS[name]
    elif name in _NARROWERS and outer is not None:
        find = _NARROWERS[name]
        given.insert(0, outer)
    else:
        known = (*_FINDERS, *_NARROWERS, *_ENDS)
        near = alike(name, known)
        why = (
            f"'{name}' does not find anything, and nothing is done here" if not near else f"no '{name}' here"
        )
        raise _wrong(call, text, why, *did_you_mean(near))
    try:
        found = find(*given, **named)
    except TypeError as error:
        raise _wrong(
            call, text, str(error).replace("by_", "get_by_").replace("<lambda>()", "locator()")
        ) from None
    return selectors.chain(outer, found) if outer is not None and name in _FINDERS else found


def _some(node: ast.expr, text: str) -> str:
    found = _locator(node, text)
    if found is None:
        raise _wrong(node, text, "the app has no such property", "write it after a call that finds something")
    return found


def _value(node: ast.expr, text: str) -> Any:
    """An argument: a constant, a regular expression or another locator."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bool, int, type(None))):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(node.operand, text)
        if isinstance(number, int):
            return -number
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile":
        return _pattern(node, text)
    elif isinstance(node, (ast.Call, ast.Attribute)):
        return _some(node, text)
    raise _wrong(node, text, "an argument is a text, a number, True, False, re.compile(…) or a locator")


def _pattern(call: ast.Call, text: str) -> re.Pattern[str]:
    flags = 0
    for flag in ast.walk(call.args[1]) if len(call.args) > 1 else ():
        if isinstance(flag, ast.Attribute):
            if flag.attr not in _FLAGS:
                raise _wrong(flag, text, f"no flag '{flag.attr}'")
            flags |= _FLAGS[flag.attr]
    pattern = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
    if not isinstance(pattern, str):
        raise _wrong(call, text, "re.compile takes a text here")
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise _wrong(call, text, f"the regular expression is wrong: {error}") from None


def _wrong(node: ast.AST, text: str, why: str, *suggestions: str) -> SelectorError:
    return SelectorError(
        why, target=text[:200], position=getattr(node, "col_offset", 0), suggestions=tuple(suggestions)
    )
