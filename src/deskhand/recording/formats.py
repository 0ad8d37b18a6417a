"""Writes the steps of a recording as a program: a test for pytest, plain Python, or shell commands.

The Python is formatted as ruff formats it, and uses only what the reference documents.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .layout import INDENT, Call, Code, Items, Named, flat, layout
from .steps import Element, Secret, Step

FORMATS = ("pytest", "python", "sh")
_QUOTES = '"' * 3
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True)
class Source:
    """What was recorded: an app that a command starts, one that ran already, or a whole desktop."""

    command: tuple[str, ...] = ()
    app: str | None = None
    headless: bool = False
    size: tuple[int, int] | None = None
    """Of the private desktop, if not the usual one."""


def program(steps: Sequence[Step], format: str, source: Source) -> str:
    """The whole program."""
    used = frozenset(
        [*(["os"] if _secrets(steps) else []), *(["expect"] if any(step.expects for step in steps) else [])]
    )
    body = [line for step in steps for line in indented(step, format, source)]
    return "\n".join([*opening(format, source, used), *body, *closing(format, source, steps)]) + "\n"


def opening(format: str, source: Source, used: frozenset[str] = frozenset(("os", "expect"))) -> list[str]:
    """The lines before the first step; `used` says what the steps need."""
    if format == "sh":
        return _shell_opening(source)
    head = ["import os", ""] if "os" in used else []
    expect = ["expect"] if "expect" in used else []
    if format == "python":
        names = sorted([*expect, "launch" if source.command else "connect"])
        return [*head, f"from deskhand import {', '.join(names)}", "", *_with(source, "")]
    if not source.command:
        head += [f"from deskhand import {', '.join(['connect', *expect])}", "", ""]
        return [*head, "def test_recorded() -> None:", *_with(source, INDENT)]
    head += ["import pytest", f"from deskhand import {', '.join(['App', *expect])}", "", ""]
    marker = layout(Call((("@pytest.mark.deskhand", (_list(source.command), *_size(source))),)), "")
    return [*head, *marker, "def test_recorded(deskhand_app: App) -> None:", f"{INDENT}app = deskhand_app"]


def indented(step: Step, format: str, source: Source) -> list[str]:
    """The lines of one step, as they are in the program."""
    if format == "sh":
        return shell_lines(step)
    indent = INDENT if format == "python" or source.command else 2 * INDENT
    written = []
    inside = False
    for line in python_lines(step, len(indent)):
        # The lines of a text in three quotes are part of the text.
        written.append(line if inside or not line else indent + line)
        if line.count(_QUOTES) % 2:
            inside = not inside
    return written


def closing(format: str, source: Source, steps: Sequence[Step]) -> list[str]:
    """The lines after the last step."""
    if (
        format == "sh"
        or any(step.comment is None for step in steps)
        or (format == "pytest" and source.command)
    ):
        return []
    return [INDENT + "pass"] if format == "python" else [2 * INDENT + "pass"]


# -- Python --------------------------------------------------------------------------------------


def _with(source: Source, indent: str) -> list[str]:
    """The line that opens the app."""
    arguments: tuple[Code, ...] = ()
    if source.command:
        headless = (Named("headless", "True"),) if source.headless else ()
        arguments = (_list(source.command), *headless, *_size(source))
    elif source.app is not None:
        arguments = (_text(source.app),)
    call = Call((("launch" if source.command else "connect", arguments),))
    return layout(call, indent, "with ", " as app:")


def _size(source: Source) -> tuple[Code, ...]:
    return (Named("size", str(source.size)),) if source.size else ()


def _secrets(steps: Sequence[Step]) -> bool:
    return any(isinstance(value, Secret) for step in steps for value in step.arguments)


def python_lines(step: Step, indent: int = 0) -> list[str]:
    """One step in Python, to be indented so far."""
    if step.comment is not None:
        return [f"# {step.comment}"]
    named = [Named(name, _value(value)) for name, value in step.options.items()]
    arguments = (*map(_value, step.arguments), *named)
    subject: Call | None = None if step.element is None else locator(step.element)
    parts: tuple[tuple[str, tuple[Code, ...]], ...]
    if step.expects:
        parts = (("expect", (subject or "app",)), (f".{step.method}", arguments))
    elif subject is not None:
        parts = (*subject.parts, (f".{step.method}", arguments))
    else:
        parts = ((f"app.{step.method}", arguments),)
    call = Call(parts)
    if "\n" in flat(call):
        return flat(call).split("\n")
    prefix = " " * indent
    return [line[indent:] for line in layout(call, prefix)]


def locator(named: Element) -> Call:
    """How Python names an element."""
    if named.role is not None and named.name is not None:
        exact = (Named("exact", "True"),) if named.exact else ()
        return Call((("app.get_by_role", (_text(named.role), Named("name", _text(named.name)), *exact)),))
    return Call((("app.locator", (_text(named.selector),)),))


def _value(value: Any) -> Code:
    if isinstance(value, Secret):
        return f'os.environ["{value.variable}"]'
    if isinstance(value, Element):
        return locator(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return Items(tuple(_text(each) for each in value))
    return repr(value)


def _text(text: str) -> str:
    """A text as ruff quotes it: in double quotes, unless single ones need fewer backslashes."""
    if text.startswith("\n") and _QUOTES not in text and "\\" not in text:
        return f"{_QUOTES}{text}{_QUOTES}"
    quoted = repr(text)
    if quoted[0] == '"':
        return quoted  # it has single quotes and no double ones
    plain = quoted[1:-1].replace("\\'", "'")
    if plain.count('"') > plain.count("'"):
        return quoted
    return '"' + plain.replace('"', '\\"') + '"'


def _list(words: Sequence[str]) -> Items:
    return Items(tuple(map(_text, words)))


# -- shell ---------------------------------------------------------------------------------------

_COMMANDS = {
    "click": "click", "dblclick": "click --count 2", "right_click": "click --button right", "hover": "hover",
    "fill": "type --clear", "type": "type", "press": "key", "check": "check", "uncheck": "uncheck",
    "select_option": "select", "set_value": "set", "expand": "expand", "collapse": "collapse",
    "keyboard.press": "key", "keyboard.type": "type", "drag_to": "drag", "choose_file": "choose-file",
}  # fmt: skip
_FLAGS = {"to_have_text": "--text", "to_have_value": "--value"}
_STATES = {"to_be_visible": "visible", "to_be_enabled": "enabled", "to_be_checked": "checked"}


def _shell_opening(source: Source) -> list[str]:
    head = ["#!/bin/sh", "set -eu"]
    if source.command:
        options = ["--headless"] if source.headless else []
        options += [f"--size {source.size[0]}x{source.size[1]}"] if source.size else []
        named = '--name "$DESKHAND_APP" --'
        start = " ".join(["deskhand run", *options, named, shlex.join(source.command), "&"])
        head += [
            'export DESKHAND_APP="recorded-$$"',
            start,
            "app=$!",
            "trap 'kill \"$app\" 2>/dev/null || true' EXIT",
            "deskhand wait --timeout 30 window exists",
        ]
    elif source.app is not None:
        head.append(f"export DESKHAND_APP={shlex.quote(source.app)}")
    return [*head, ""]


def shell_lines(step: Step) -> list[str]:
    """One step as commands."""
    if step.comment is not None:
        return [f"# {step.comment}"]
    if step.expects:
        return [_wait(step)]
    words = []
    if step.method == "scroll":
        dy, dx = (*step.arguments, 0)[:2]
        amounts = (("down", dy), ("up", -dy), ("right", dx), ("left", -dx))
        command = "scroll " + " ".join(f"--{way} {amount}" for way, amount in amounts if amount > 0)
    elif step.method == "control_window":
        command = f"window {step.arguments[0]}"
    elif step.method in _COMMANDS:
        command = _COMMANDS[step.method]
        words = [_word(value) for value in step.arguments]
    else:
        return [f"# no command does this: {' '.join(python_lines(step))}"]
    if step.options.get("target_position"):
        return [f"# no command drags to a position: {' '.join(python_lines(step))}"]
    command += "".join(f" {option}" for option in _shell_options(step))
    if step.target is not None:
        words.insert(0, shlex.quote(step.target))
    dashes = ["--"] if any(word.startswith(_LIKE_OPTIONS) for word in words) else []
    return [" ".join(["deskhand", command, *dashes, *words])]


_LIKE_OPTIONS = ("-", "'-", '"$')
"""How words begin that would be taken for options, or might be."""


def _shell_options(step: Step) -> list[str]:
    options: list[str] = []
    for name, value in step.options.items():
        if name == "modifiers":
            options += [f"--modifier {_MODIFIERS[each]}" for each in value]
        elif name == "position":
            options.append(f"--at {value[0]:g},{value[1]:g}")
        elif name == "overwrite":
            options.append("--overwrite")
        else:
            options.append(f"--{name} {value}")
    return options


_MODIFIERS = {"Control": "ctrl", "Shift": "shift", "Alt": "alt", "Meta": "meta"}


def _wait(step: Step) -> str:
    timeout = f" --timeout {step.options['timeout']:g}" if "timeout" in step.options else ""
    target = "" if step.target is None else f" {shlex.quote(step.target)}"
    if step.method in _FLAGS:
        return f"deskhand wait{timeout}{target} {_FLAGS[step.method]} {_word(step.arguments[0])}"
    if step.method == "to_be_checked" and step.options.get("checked") is False:
        return f"deskhand wait{timeout}{target} unchecked"
    if step.method in _STATES:
        return f"deskhand wait{timeout}{target} {_STATES[step.method]}"
    return f"# no command expects this: {_BLANKS.sub(' ', ' '.join(python_lines(step)))}"


def _word(value: Any) -> str:
    if isinstance(value, Secret):
        return f'"${value.variable}"'
    return shlex.quote(value.selector if isinstance(value, Element) else str(value))
