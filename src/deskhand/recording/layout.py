"""Lays out Python on lines that are short enough, as ruff does. Knows calls, lists and texts, and no more."""

from __future__ import annotations

from dataclasses import dataclass

WIDTH = 88
"""How long lines may be; that of ruff, unless a project says otherwise."""
INDENT = "    "


@dataclass(frozen=True)
class Call:
    """Calls one after the other, such as `app.locator("#a").click()`: what is called, and with what."""

    parts: tuple[tuple[str, tuple[Code, ...]], ...]


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Named:
    """An argument with its name."""

    name: str
    value: Code


Code = str | Call | Items | Named


def flat(code: Code) -> str:
    """It on one line."""
    if isinstance(code, str):
        return code
    if isinstance(code, Named):
        return f"{code.name}={flat(code.value)}"
    if isinstance(code, Items):
        return f"[{', '.join(code.items)}]"
    return "".join(f"{name}({', '.join(map(flat, arguments))})" for name, arguments in code.parts)


def layout(code: Code, indent: str, before: str = "", after: str = "") -> list[str]:
    """Its lines, with what comes before it on the first and after it on the last."""
    line = f"{indent}{before}{flat(code)}{after}"
    if len(line) <= WIDTH or isinstance(code, str):
        return [line]
    if isinstance(code, Named):
        return layout(code.value, indent, f"{before}{code.name}=", after)
    if isinstance(code, Items):
        inner = [f"{indent}{INDENT}{item}," for item in code.items]
        return [f"{indent}{before}[", *inner, f"{indent}]{after}"]
    heads = [before + flat(Call(code.parts[:at])) + name + "(" for at, (name, _) in enumerate(code.parts)]
    full = [at for at, (_, arguments) in enumerate(code.parts) if arguments]
    fitting = [at for at in full if len(indent + heads[at]) <= WIDTH]
    if not full:
        return [line]
    at = fitting[-1] if fitting else full[0]
    tail = ")" + flat(Call(code.parts[at + 1 :])) + after
    return [indent + heads[at], *_arguments(code.parts[at][1], indent + INDENT), indent + tail]


def _arguments(arguments: tuple[Code, ...], indent: str) -> list[str]:
    """All on one line, or each on lines of its own."""
    line = indent + ", ".join(map(flat, arguments))
    if len(line) <= WIDTH:
        return [line]
    comma = "," if len(arguments) > 1 else ""
    return [line for argument in arguments for line in layout(argument, indent, after=comma)]
