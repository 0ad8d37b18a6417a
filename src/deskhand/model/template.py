"""A description of what a tree should contain, and whether it does.

    - textfield "Name": Ada
    - group "Delivery":
      - radio "Post" [checked]
      - radio /cour.er/i

Each line is an element: its role, then its name, states and text as far as they matter. Lines match elements
in reading order, which may have others between them; indented lines match what is inside the element above.
`/children: equal` in a list of lines allows no other elements at that level, `deep-equal` at no level below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from .alike import Likeness, alike, did_you_mean
from .errors import InvalidParams
from .reading import Item, contents, folded, scalar
from .record import dataclass
from .syntax import ROLE_WORDS, role_name, role_set

FILE = ".aria.yml"
"""How the name of a file ends that holds a template."""
_MODES = ("contain", "equal", "deep-equal")
_FLAGS = (
    "checked",
    "disabled",
    "expanded",
    "focused",
    "pressed",
    "selected",
    "editable",
    "modal",
    "password",
)
_STATES = (*_FLAGS, "active", "level")
_STATE = re.compile(r"\[\s*([\w-]+)\s*(?:=\s*([\w-]+)\s*)?\]\s*")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_REGEX = re.compile(r"/((?:[^/\\]|\\.)+)/([a-z]*)")
_ROLE = re.compile(r"[A-Za-z][\w-]*")


@dataclass(frozen=True)
class Wanted:
    """A text, or a regular expression that is searched for."""

    text: str
    regex: re.Pattern[str] | None = None

    def matches(self, actual: str) -> bool:
        return self.text == actual if self.regex is None else self.regex.search(actual) is not None

    def __str__(self) -> str:
        return json.dumps(self.text, ensure_ascii=False) if self.regex is None else self.text


@dataclass(frozen=True)
class Line:
    """One element that should be there."""

    role: str
    name: Wanted | None = None
    text: Wanted | None = None
    states: tuple[tuple[str, str], ...] = ()
    children: tuple[Line, ...] = ()
    mode: str = "contain"
    """How the children have to match: contain, equal or deep-equal."""

    def __str__(self) -> str:
        parts = [self.role, *([str(self.name)] if self.name else [])]
        parts += [f"[{name}]" if value == "true" else f"[{name}={value}]" for name, value in self.states]
        if self.text is None:
            return f"- {' '.join(parts)}"
        text = self.text.text if self.text.regex else scalar(self.text.text) if self.text.text else '""'
        return f"- {' '.join(parts)}: {text}"


@dataclass(frozen=True)
class Template:
    """The lines of a whole description."""

    lines: tuple[Line, ...]
    mode: str = "contain"

    def matches(self, items: Sequence[Item]) -> bool:
        """Whether the items, in reading order, are as described."""
        if self.mode != "contain":
            return any(_equal(self.lines, level, self.mode) for level in _levels(items))
        return _found(self.lines, _Flat(items), 0, None) is not None

    def difference(self, items: Sequence[Item]) -> list[str]:
        """Lines that begin with `-` are missing, those with `+` were found instead, others are right."""
        lines: list[str] = []
        _explain(self.lines, self.mode, _best_level(self, items), 0, lines)
        return lines


# -- matching ----------------------------------------------------------------------------------


class _Flat:
    """Items in reading order, each with the position after the last one inside of it."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items: list[Item] = []
        self.ends: list[int] = []
        self._add(items)

    def _add(self, items: Iterable[Item]) -> None:
        for item in items:
            at = len(self.items)
            self.items.append(item)
            self.ends.append(0)
            self._add(item.children)
            self.ends[at] = len(self.items)


def _found(lines: Sequence[Line], flat: _Flat, start: int, stop: int | None) -> int | None:
    """The position after the last element that the lines match in order; None if they do not match."""
    at = start
    for line in lines:
        after = _next(line, flat, at, len(flat.items) if stop is None else stop)
        if after is None:
            return None
        at = after
    return at


def _next(line: Line, flat: _Flat, start: int, stop: int) -> int | None:
    """The same for one line: where its match ends that ends first."""
    best: int | None = None
    for at in range(start, stop):
        if best is not None and at >= best:
            break
        item = flat.items[at]
        if not _head(line, item):
            continue
        if line.mode == "contain":
            after = _found(line.children, flat, at + 1, flat.ends[at])
        else:
            after = flat.ends[at] if _equal(line.children, item.content, line.mode) else None
        if after is not None and (best is None or after < best):
            best = after
    return best


def _equal(lines: Sequence[Line], items: Sequence[Item], mode: str) -> bool:
    """Whether there is exactly one item for each line."""
    return len(lines) == len(items) and all(
        _whole(line, item, mode) for line, item in zip(lines, items, strict=True)
    )


def _whole(line: Line, item: Item, mode: str) -> bool:
    if not _head(line, item):
        return False
    own = mode if mode == "deep-equal" else line.mode
    if own == "contain":
        return _found(line.children, _Flat(item.children), 0, None) is not None
    return _equal(line.children, item.content, own)


def _levels(items: Sequence[Item]) -> list[tuple[Item, ...]]:
    """What a whole description may be of: the items, or the content of the only one."""
    level = contents(items)
    return [level, level[0].content] if len(level) == 1 else [level]


def _head(line: Line, item: Item) -> bool:
    """Whether an element is as its line says, whatever is in it."""
    if item.node.role not in role_set(line.role):
        return False
    if line.name is not None and not line.name.matches(item.name):
        return False
    if line.text is not None and not any(line.text.matches(each) for each in item.texts or ("",)):
        return False
    return all(_state(item, name) == value for name, value in line.states)


def _state(item: Item, name: str) -> str:
    node = item.node
    if name == "level":
        return str(item.level)
    if node.mixed and name in ("checked", "pressed"):
        return "mixed"
    value = {
        "checked": node.checked,
        "disabled": not node.enabled,
        "expanded": node.expanded,
        "focused": node.focused,
        "active": node.focused,
        "pressed": node.pressed or (node.role == "toggle-button" and node.checked),
        "selected": node.selected,
        "editable": node.editable,
        "modal": node.modal,
        "password": node.password,
    }[name]
    return "true" if value else "false"


# -- what differs --------------------------------------------------------------------------------


def _best_level(template: Template, items: Sequence[Item]) -> tuple[Item, ...]:
    """The level that the lines are probably about."""
    if template.mode == "contain":
        return tuple(items)
    return max(_levels(items), key=lambda level: sum(map(_head, template.lines, level)))


def _explain(
    lines: Sequence[Line], mode: str, items: Sequence[Item], depth: int, out: list[str], deep: bool = False
) -> None:
    if mode == "contain" and not deep:
        _explain_contained(lines, _Flat(items), depth, out)
    else:
        _explain_equal(lines, contents(items), depth, out, deep or mode == "deep-equal")


def _explain_contained(lines: Sequence[Line], flat: _Flat, depth: int, out: list[str]) -> None:
    at, stop = 0, len(flat.items)
    for line in lines:
        after = _next(line, flat, at, stop)
        if after is not None:
            _put(" ", line, depth, out)
            at = after
            continue
        close = _closest(line, flat.items[at:])
        if close is None:
            _put("-", line, depth, out)
            continue
        at += close
        _explain_one(line, flat.items[at], depth, out, deep=False)
        at += 1


def _explain_equal(
    lines: Sequence[Line], items: Sequence[Item], depth: int, out: list[str], deep: bool
) -> None:
    at = 0
    for line in lines:
        ahead = [number for number in range(at, len(items)) if _head(line, items[number])]
        if ahead:
            _put_items(items[at : ahead[0]], depth, out)
            at = ahead[0]
            _explain_one(line, items[at], depth, out, deep)
            at += 1
            continue
        close = _closest(line, items[at : at + 1])
        if close is None:
            _put("-", line, depth, out)
        else:
            _explain_one(line, items[at], depth, out, deep)
            at += 1
    _put_items(items[at:], depth, out)


def _explain_one(line: Line, item: Item, depth: int, out: list[str], deep: bool) -> None:
    """A line and the element that it is probably about."""
    if not _head(line, item):
        out.append(f"- {'  ' * depth}{line}")
        out.append(f"+ {'  ' * depth}{_seen(line, item)}")
    else:
        out.append(f"  {'  ' * depth}{line}")
    mode = "deep-equal" if deep else line.mode
    if line.children or mode != "contain":
        _explain(line.children, mode, item.children, depth + 1, out, deep)


def _seen(line: Line, item: Item) -> str:
    """An element as it is, with the states that its line is about."""
    shown = str(item)
    for name, value in line.states:
        if (actual := _state(item, name)) != value and f"[{name}" not in shown:
            head, mark, text = shown.partition(": ")
            shown = f"{head} [{name}={actual}]{mark}{text}"
    return shown


def _put(mark: str, line: Line, depth: int, out: list[str]) -> None:
    out.append(f"{mark} {'  ' * depth}{line}")
    for child in line.children:
        _put(mark, child, depth + 1, out)


def _put_items(items: Iterable[Item], depth: int, out: list[str]) -> None:
    out += [f"+ {'  ' * depth}{item}" for item in items]


def _closest(line: Line, items: Sequence[Item]) -> int | None:
    """Which element a line that does not match is probably about."""
    likeness = Likeness([] if line.name is None or line.name.regex else [line.name.text])
    best, found = 0.0, None
    for at, item in enumerate(items):
        same = item.node.role in role_set(line.role)
        called = likeness.of(item.name) if line.name is not None else 0.0
        if line.name is not None and line.name.matches(item.name):
            called = 1.0
        if line.name is None and same:
            called = 0.5
        score = called + (0.5 if same else 0.0) if called else 0.0
        if score > best:
            best, found = score, at
    return found


# -- reading a description -----------------------------------------------------------------------


def parse(text: str, source: str = "the tree") -> Template:
    """Read a description; InvalidParams names the line that is wrong."""
    lines = [
        (number, line) for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]  # fmt: skip
    if not lines:
        raise InvalidParams(f"{source} has no lines; each begins with '- '", field="tree")
    reader = _Reader(lines, source)
    found, mode = reader.block(reader.indent(0))
    reader.insist_on_end()
    return Template(found, mode)


class _Reader:
    """Reads lines of the form `- role "name" [state]: text`, nested by indentation."""

    def __init__(self, lines: Sequence[tuple[int, str]], source: str) -> None:
        self._lines = lines
        self._source = source
        self._at = 0

    def indent(self, at: int) -> int:
        line = self._lines[at][1]
        if "\t" in line[: len(line) - len(line.lstrip())]:
            self._at = at
            raise self._wrong("is indented with a tab; use blanks")
        return len(line) - len(line.lstrip())

    def block(self, indent: int) -> tuple[tuple[Line, ...], str]:
        """The lines of one level, and how they have to match."""
        found: list[Line] = []
        mode = "contain"
        while self._at < len(self._lines) and self.indent(self._at) == indent:
            body = self._lines[self._at][1].strip()
            if body != "-" and not body.startswith("- "):
                raise self._wrong("does not begin with '- '")
            body = body[1:].strip()
            if body.startswith("/children"):
                mode = self._mode(body)
                self._at += 1
            else:
                found.append(self._element(body, indent))
        return tuple(found), mode

    def insist_on_end(self) -> None:
        if self._at < len(self._lines):
            raise self._wrong("is indented less than the first one, or like no line above")

    def _element(self, body: str, indent: int) -> Line:
        key, rest = self._key(body)
        role, name, states = self._head(key)
        text = self._text(rest)
        self._at += 1
        children: tuple[Line, ...] = ()
        mode = "contain"
        if self._at < len(self._lines) and (deeper := self.indent(self._at)) > indent:
            children, mode = self.block(deeper)
            if self._at < len(self._lines) and self.indent(self._at) > indent:
                raise self._wrong("is indented like no line above")
        return Line(role, name, text, states, children, mode)

    def _key(self, body: str) -> tuple[str, str]:
        """What is before the colon, and after it; quotes around all that is before are YAML's."""
        if body.startswith("'"):
            quoted = re.match(r"'((?:[^']|'')*)'", body)
            if quoted is None:
                raise self._wrong("has no closing '")
            return quoted[1].replace("''", "'"), body[quoted.end() :]
        match = _ROLE.match(body)
        if match is None:
            raise self._wrong("does not begin with a role, such as '- button \"Save\"'")
        at = match.end()
        while at < len(body):
            part = body[at:]
            blank = len(part) - len(part.lstrip())
            inner = _QUOTED.match(part, blank) or _REGEX.match(part, blank) or _STATE.match(part, blank)
            if inner is None or (not blank and not part.startswith("[")):
                break
            at += inner.end()
        return body[:at], body[at:]

    def _head(self, key: str) -> tuple[str, Wanted | None, tuple[tuple[str, str], ...]]:
        match = _ROLE.match(key)
        if match is None:
            raise self._wrong("does not begin with a role")
        if role_name(match[0]) is None:
            hint = "".join(f"; {each}" for each in did_you_mean(alike(match[0], ROLE_WORDS)))
            raise self._wrong(f"has the role '{match[0]}', which does not exist{hint}")
        rest = key[match.end() :].strip()
        name: Wanted | None = None
        if quoted := _QUOTED.match(rest):
            name, rest = Wanted(folded(self._string(quoted[0]))), rest[quoted.end() :].strip()
        elif regex := _REGEX.match(rest):
            name, rest = self._regex(regex), rest[regex.end() :].strip()
        states: list[tuple[str, str]] = []
        while state := _STATE.match(rest):
            states.append(self._state(state[1], state[2]))
            rest = rest[state.end() :]
        if rest:
            raise self._wrong(f"has '{rest}', where a name in quotes, /…/, a [state] or ':' was expected")
        return match[0], name, tuple(states)

    def _state(self, name: str, value: str | None) -> tuple[str, str]:
        if name not in _STATES:
            hint = "".join(f"; {each}" for each in did_you_mean(alike(name, _STATES)))
            raise self._wrong(f"has the state '{name}', and there are {', '.join(_STATES)}{hint}")
        if name == "level":
            if value is None or not value.isdigit():
                raise self._wrong("has a level without a number: [level=1]")
        elif value not in (None, "true", "false", "mixed"):
            raise self._wrong(f"has [{name}={value}], where true, false or mixed was expected")
        return name, value or "true"

    def _text(self, rest: str) -> Wanted | None:
        """What follows the key: nothing, or a colon and perhaps a text."""
        rest = rest.strip()
        if not rest or rest.startswith("#"):
            return None
        if not rest.startswith(":"):
            raise self._wrong(f"has '{rest}', where a name in quotes, /…/, a [state] or ':' was expected")
        text = rest[1:].strip()
        if not text or text.startswith("#"):
            return None
        if quoted := re.fullmatch(rf"({_QUOTED.pattern})(\s+#.*)?", text):
            return Wanted(folded(self._string(quoted[1])))
        if single := re.fullmatch(r"'((?:[^']|'')*)'(\s+#.*)?", text):
            return Wanted(folded(single[1].replace("''", "'")))
        if regex := _REGEX.fullmatch(text):
            return self._regex(regex)
        return Wanted(folded(text.split(" #")[0]))

    def _mode(self, body: str) -> str:
        name, _, value = body.partition(":")
        if name.strip() != "/children" or value.strip() not in _MODES:
            raise self._wrong(f"has to be '/children: ' and one of {', '.join(_MODES)}")
        return value.strip()

    def _string(self, quoted: str) -> str:
        try:
            return str(json.loads(quoted, strict=False))
        except ValueError as error:
            raise self._wrong(f"has a text that cannot be read: {error}") from None

    def _regex(self, match: re.Match[str]) -> Wanted:
        flags = re.IGNORECASE if "i" in match[2] else 0
        try:
            return Wanted(match[0], re.compile(match[1].replace("\\/", "/"), flags))
        except re.error as error:
            raise self._wrong(f"has a regular expression that cannot be read: {error}") from None

    def _wrong(self, what: str) -> InvalidParams:
        number, line = self._lines[self._at]
        return InvalidParams(
            f"line {number} of {self._source} {what}",
            field="tree",
            target=line.strip()[:200],
            suggestions=('a line is such as: - textfield "Name" [disabled]: Ada',),
        )
