"""What a selector asks of one node alone: its role, its attributes, its states."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from .node import Node
from .order import class_names, ids
from .regex import compiled, found_in
from .syntax import (
    ANY,
    FLAGS,
    INPUT_ROLES,
    NAMED_BESIDE,
    NUMBERS,
    Attribute,
    Chain,
    Class,
    Id,
    Regex,
    Role,
    State,
    Step,
    role_set,
)

Test = Callable[[Node], bool]


_STATES: dict[str, Test] = {
    "focused": lambda node: node.focused,
    "focusable": lambda node: node.focusable,
    "enabled": lambda node: node.enabled,
    "disabled": lambda node: not node.enabled,
    "visible": lambda node: node.visible,
    "hidden": lambda node: not node.visible,
    "offscreen": lambda node: node.offscreen,
    "checked": lambda node: node.checked is True and not node.mixed,
    "unchecked": lambda node: node.checked is False and not node.mixed,
    "mixed": lambda node: node.mixed,
    "selected": lambda node: node.selected is True,
    "unselected": lambda node: node.selected is False,
    "expanded": lambda node: node.expanded is True,
    "collapsed": lambda node: node.expanded is False,
    "editable": lambda node: node.editable,
    "password": lambda node: node.password,
    "modal": lambda node: node.modal,
    "pressed": lambda node: node.pressed,
    "internal": lambda node: node.internal,
    "input": lambda node: node.role in INPUT_ROLES,
}

_FLAGS: dict[str, Callable[[Node], bool | None]] = {
    "checked": lambda node: None if node.mixed else node.checked,
    "selected": lambda node: node.selected,
    "expanded": lambda node: node.expanded,
    **{name: _STATES[name] for name in FLAGS if name not in ("checked", "selected", "expanded")},
}

_TEXTS: dict[str, Callable[[Node], Sequence[str]]] = {
    "id": ids,
    "class": class_names,
    "style": lambda node: node.style_classes,
}
_FIELDS = {"object-name": "object_name", "platform-role": "platform_role"}

_NUMBERS: dict[str, Callable[[Node], float | None]] = {
    "number": lambda node: node.number,
    "minimum": lambda node: node.minimum,
    "maximum": lambda node: node.maximum,
    "x": lambda node: node.bounds.x if node.bounds else None,
    "y": lambda node: node.bounds.y if node.bounds else None,
    "width": lambda node: node.bounds.width if node.bounds else None,
    "height": lambda node: node.bounds.height if node.bounds else None,
    "children": lambda node: node.child_count,
    "items": lambda node: node.virtualization.items_count if node.virtualization else node.options_count,
}

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@lru_cache(maxsize=1024)
def test_of(step: Step) -> Test:
    """What a step asks of one node alone."""
    if isinstance(step, Id):
        return lambda node: step.value in ids(node)
    if isinstance(step, Class):
        return lambda node: step.value in class_names(node)
    if isinstance(step, Role):
        roles = frozenset(role_set(step.name))
        return (lambda _: True) if step == ANY else (lambda node: node.role in roles)
    if isinstance(step, State):
        return _STATES[step.name]
    assert isinstance(step, Attribute)
    if step.name in FLAGS:
        return _flag_test(step)
    if step.name in NUMBERS:
        number = _NUMBERS[step.name]
        return lambda node: _compares(number(node), step)
    if step.name.startswith("@"):
        return _property_test(step)
    if step.name == "role" and step.operator in ("=", "!=") and isinstance(step.value, str):
        roles = frozenset(role_set(step.value))
        return lambda node: (node.role in roles) == (step.operator == "=")
    if step.name == "name" and isinstance(step.value, str) and step.value.rstrip(": ") != step.value:
        return _label_test(step)
    return _text_test(step)


_WITHOUT_COLON = {"=": "=", "^=": "=", "$=": "$=", "*=": "$="}


def _label_test(step: Attribute) -> Test:
    """The test of a name that ends with a colon, as labels do: a field may be named without it."""
    test, name = _text_test(step), str(step.value).rstrip(": ")
    if not name or step.operator not in _WITHOUT_COLON:
        return test
    short = _text_test(replace(step, operator=_WITHOUT_COLON[step.operator], value=name))
    return lambda node: test(node) or (node.role in NAMED_BESIDE and short(node))


def _text_test(step: Attribute) -> Test:
    compare = comparison(step)
    if step.name in _TEXTS:
        texts = _TEXTS[step.name]
        return lambda node: compare(texts(node))
    get = operator.attrgetter(_FIELDS.get(step.name, step.name))
    if step.operator == "=" and step.value and isinstance(step.value, str) and not step.ignore_case:
        return lambda node: bool(get(node) == step.value)
    return lambda node: compare((get(node) or "",))


def comparison(step: Attribute) -> Callable[[Sequence[str]], bool]:
    """Compare the texts of an attribute; one of them is enough, and for `!=` none may be equal."""
    if not step.operator:
        return any
    if isinstance(step.value, Regex):
        pattern = compiled(step.value)
        found = step.operator == "="
        return lambda texts: any(found_in(text, pattern) for text in texts or ("",)) == found
    wanted = step.value.casefold() if step.ignore_case else step.value
    matches = _ONE[step.operator]
    absent = step.operator == "!="

    def compare(texts: Sequence[str]) -> bool:
        if step.ignore_case:
            texts = [text.casefold() for text in texts]
        return any(matches(text, wanted) for text in texts or ("",)) != absent

    return compare


_ONE: dict[str, Callable[[str, str], bool]] = {
    "=": operator.eq,
    "!=": operator.eq,
    "^=": str.startswith,
    "$=": str.endswith,
    "*=": operator.contains,
    "~=": lambda text, word: word in text.split(),
}


def _flag_test(step: Attribute) -> Test:
    flag = _FLAGS[step.name]
    if step.value == "mixed":
        return lambda node: node.mixed == (step.operator == "=")
    wanted = step.value != "false"
    if step.operator == "!=":
        return lambda node: flag(node) is not wanted
    return lambda node: flag(node) is wanted


def _property_test(step: Attribute) -> Test:
    name = step.name[1:]
    if step.operator in ("<", "<=", ">", ">="):
        return lambda node: _compares(_number(node.properties.get(name)), step)
    if not step.operator:
        return lambda node: node.properties.get(name) not in (None, False, "")
    compare = comparison(step)
    return lambda node: compare((_plain(node.properties.get(name)),))


def _compares(number: float | None, step: Attribute) -> bool:
    if not step.operator:
        return number is not None
    if number is None:
        return step.operator == "!="
    return _COMPARE[step.operator](number, float(str(step.value)))


def _number(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _plain(value: Any) -> str:
    """A native property as the text it is compared by."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return ",".join(map(_plain, value))
    return str(value)


def local_test(chain: Chain) -> Test | None:
    """What a whole selector asks of a node; None if it matters where in the tree that is."""
    if len(chain.parts) != 1:
        return None
    alternatives: list[list[Test]] = []
    for complex_ in chain.parts[0]:
        combinator, compound = complex_.links[0]
        if len(complex_.links) != 1 or combinator != " " or not all(map(_is_local, compound.steps)):
            return None
        alternatives.append([test_of(step) for step in compound.steps])
    return lambda node: any(all(test(node) for test in tests) for tests in alternatives)


def _is_local(step: Step) -> bool:
    if isinstance(step, Attribute):
        return step.name not in ("path", "title")
    return isinstance(step, (Role, Id, Class)) or (isinstance(step, State) and step.name in _STATES)
