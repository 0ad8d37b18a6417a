"""Text to selector: a reader that points at the character it stumbled over.

Reads once from left to right; what could take forever (nesting, regular expressions) is bounded.
"""

from __future__ import annotations

import re
from typing import NoReturn

from .alike import alike, did_you_mean
from .errors import SelectorError
from .regex import REGEX_FLAGS, make_regex, regex_end, regex_problem
from .syntax import (
    ANY,
    FLAGS,
    ITSELF,
    NUMBERS,
    ROLE_WORDS,
    STATES,
    TEXTS,
    Attribute,
    Chain,
    Class,
    Complex,
    Compound,
    Id,
    Nested,
    Nth,
    NthChild,
    Path,
    Regex,
    Role,
    State,
    Step,
    Text,
    quote,
    role_name,
)

MAX_LENGTH = 10_000
MAX_DEPTH = 20
_SHOWN = 60
"""How much of a long selector an error shows on each side of the character."""

_SPACE = " \t\r\n\f"
_IDENT = re.compile(r"(?:[\w-]|[^\x00-\x7f]|\\(?:[0-9a-fA-F]{1,6}[ \t\r\n\f]?|[^\n0-9a-fA-F]))+")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|(.))", re.DOTALL)
_BARE = re.compile(r"[^\s\]\[\"'()]+")
_PREFIX = re.compile(r"([A-Za-z][\w-]*)[ \t]*=")
_OPERATOR = re.compile(r"[!^$*~<>|]?=|[<>]")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_INTEGER = re.compile(r"[+-]?\d{1,9}")
_NTH_CHILD = re.compile(r"([+-]?\d{0,9})n(?:\s*([+-])\s*(\d{1,9}))?", re.IGNORECASE)
_LETTERS = re.compile(r"[a-z]*")

_PREFIXES = ("role", "text", "id", "path", "uid", "nth", "css")
_ATTRIBUTES = {name.replace("-", ""): name for name in (*TEXTS, *FLAGS, *NUMBERS)} | {
    "automationid": "id",
    "classname": "class",
    "nativeclass": "class",
    "label": "name",
    "min": "minimum",
    "max": "maximum",
    "focus": "focused",
}
_PSEUDOS = {name: name for name in STATES} | {"focus": "focused", "indeterminate": "mixed"}
_FUNCTIONS = ("nth", "nth-child", "text", "text-is", "has-text", "has", "not", "is")
_ALL_PSEUDOS = (*STATES, "first", "last", "scope", *_FUNCTIONS)


def read(text: str) -> Chain:
    """The selector that a text says; SelectorError if it says none."""
    return _Reader(text).whole()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.inside: list[str] = []
        """The functions whose argument is being read."""

    # -- structure -------------------------------------------------------------------------------

    def whole(self) -> Chain:
        if len(self.text) > MAX_LENGTH:
            self.fail(
                f"a selector may have {MAX_LENGTH:,} characters, this one has {len(self.text):,}", MAX_LENGTH
            )
        if not self.text.strip(_SPACE):
            self.fail(
                "the selector is empty", 0, suggestions=('write what to find, such as button[name="Save"]',)
            )
        return self.chain()

    def chain(self) -> Chain:
        parts = [self.part()]
        while self.text.startswith(">>", self.at):
            self.at += 2
            parts.append(self.part())
        if self.inside:
            if self.at >= len(self.text):
                self.fail(f"expected ')' to close ':{self.inside[-1]}('")
        elif self.at < len(self.text):
            hint = ("every ')' needs a '('",) if self.peek() == ")" else ()
            self.fail("expected '>>', ',' or the end", suggestions=hint)
        return Chain(tuple(parts))

    def part(self) -> tuple[Complex, ...]:
        alternatives = [self.complex()]
        while self.peek() == ",":
            self.at += 1
            alternatives.append(self.complex())
        return tuple(alternatives)

    def complex(self) -> Complex:
        self.skip_space()
        combinator, more = " ", True
        if self.peek() in (">", "+", "~") and not self.text.startswith(">>", self.at):
            combinator = self.text[self.at]
            self.at += 1
            self.skip_space()
        steps: list[Step] = []
        if prefix := _PREFIX.match(self.text, self.at):
            steps, more = self.prefixed(prefix)
        if more:
            compound, scope = self.compound(steps, first=combinator == " ")
        else:
            compound, scope = Compound(tuple(steps)), prefix is not None and prefix[1].lower() == "nth"
        links = [(ITSELF if scope else combinator, compound)]
        while more:
            spaced = self.skip_space()
            here = self.peek()
            if here in ("", ",") or self.text.startswith(">>", self.at) or (here == ")" and self.inside):
                break
            if here in (">", "+", "~"):
                self.at += 1
                self.skip_space()
                links.append((here, self.compound([])[0]))
            elif spaced:
                links.append((" ", self.compound([])[0]))
            else:
                break
        self.skip_space()
        return Complex(tuple(links))

    def prefixed(self, prefix: re.Match[str]) -> tuple[list[Step], bool]:
        """The steps that `role=…`, `text=…` and the like stand for, and whether more may follow."""
        word, start = prefix[1].lower(), self.at
        if word not in _PREFIXES:
            hints = [f"{near}=" for near in alike(word, _PREFIXES)]
            if word.replace("-", "") in _ATTRIBUTES:
                hints.append(f'[{_ATTRIBUTES[word.replace("-", "")]}="…"]')
            known = ", ".join(f"{each}=" for each in _PREFIXES)
            self.fail(f"no prefix '{word}='; there are {known}", suggestions=did_you_mean(hints))
        self.at = prefix.end()
        self.skip_space()
        if word in ("role", "css"):
            return [], True
        if word == "nth":
            self.positional(start)
            return [Nth(self.integer("a number after 'nth='"))], False
        quoted = self.peek() in ('"', "'")
        value: str | Regex
        if quoted:
            value = self.string()
        elif word == "text" and (regex := self.whole_regex()) is not None:
            value = regex
        else:
            value = self.bare_body()
            if not value:
                self.fail(f"expected something after '{word}='")
        if word == "text":
            if isinstance(value, Regex):
                return [Text("text", value)], False
            return [Text("text-is" if quoted else "text", value)], quoted
        value = str(value)
        if not value:
            self.fail(f"expected something in the quotes after '{word}='", start)
        step: Step = (
            Id(value) if word == "id" else Path(value) if word == "path" else Attribute("uid", "=", value)
        )
        return [step], quoted

    def bare_body(self) -> str:
        """What follows a prefix without quotes: all up to `>>`, or to the end of the argument."""
        end = self.text.find(">>", self.at)
        end = len(self.text) if end < 0 else end
        if self.inside:
            end = next((at for at in range(self.at, end) if self.text[at] in ",)"), end)
        body = self.text[self.at : end].strip(_SPACE)
        self.at = end
        return body

    def whole_regex(self) -> Regex | None:
        """A regular expression, if it is one and nothing else follows: `/usr/bin` is a text."""
        start = self.at
        if self.peek() != "/" or (end := regex_end(self.text, start)) is None:
            return None
        flags = _LETTERS.match(self.text, end)
        self.at = flags.end() if flags else end
        self.skip_space()
        closed = self.peek() in ("", *(",)" if self.inside else ())) or self.text.startswith(">>", self.at)
        self.at = start
        return self.regex() if closed and flags and set(flags[0]) <= REGEX_FLAGS else None

    # -- compounds -------------------------------------------------------------------------------

    def compound(self, steps: list[Step], *, first: bool = False) -> tuple[Compound, bool]:
        """What one node must be, and whether it is about the scope itself."""
        scope = False
        start = self.at
        if not steps and (self.peek() == "*" or _IDENT.match(self.text, self.at)):
            steps.append(self.role())
        while True:
            here = self.peek()
            if here == "#":
                self.at += 1
                steps.append(Id(self.name("an id after '#'")))
            elif here == ".":
                self.at += 1
                steps.append(Class(self.class_name()))
            elif here == "[":
                steps.append(self.attribute())
            elif here == ":":
                begin = self.at
                step = self.pseudo()
                if step is not None:
                    steps.append(step)
                elif not first:
                    self.fail("':scope' can only come first", begin)
                else:
                    scope = True
            else:
                break
        if not steps and not scope:
            self.expected_compound(start)
        if len(steps) > 1 and steps[0] == ANY:
            del steps[0]
        return Compound(tuple(steps or [ANY])), scope

    def expected_compound(self, start: int) -> NoReturn:
        hints: tuple[str, ...] = ()
        if self.peek() in ('"', "'"):
            hints = ('for a text write text="…"', 'for a name write [name="…"]')
        elif self.text.startswith("//", self.at):
            hints = ("XPath is not spoken here; see path=, or > for children",)
        elif self.peek() == "@":
            hints = ('for a native property write [@name="…"]',)
        self.fail(
            "expected a role, '*', '#id', '.Class', '[attribute]' or ':state'", start, suggestions=hints
        )

    def role(self) -> Role:
        start = self.at
        if self.peek() == "*":
            self.at += 1
            return ANY
        word = self.ident()
        name = role_name(word)
        if name is None:
            close = alike(word.lower(), ROLE_WORDS)
            near = list(dict.fromkeys(role_name(each) or each for each in close))
            hints = list(did_you_mean(near))
            if "_" in word or not word.islower():
                hints.append(f"for a native class write {Class(word)}, for an id {Id(word)}")
            self.fail(f"no role '{word[:40]}'", start, near=tuple(near), suggestions=tuple(hints))
        return Role(name)

    def class_name(self) -> str:
        name = self.name("a class after '.'")
        while self.text.startswith("::", self.at) and _IDENT.match(self.text, self.at + 2):
            self.at += 2
            name += "::" + self.ident()
        return name

    def name(self, wanted: str) -> str:
        """An identifier, or a quoted one."""
        quoted = self.peek() in ('"', "'")
        if not quoted and not _IDENT.match(self.text, self.at):
            self.fail(f"expected {wanted}", suggestions=('quote it if it has odd characters: #"a b"',))
        start = self.at
        value = self.string() if quoted else self.ident()
        if not value:
            self.fail(f"expected {wanted}, not an empty one", start)
        return value

    # -- attributes ------------------------------------------------------------------------------

    def attribute(self) -> Attribute:
        opened = self.at
        self.at += 1
        self.skip_space()
        name = self.attribute_name(opened)
        self.skip_space()
        if self.peek() == "]":
            self.at += 1
            return Attribute(name)
        if self.peek() == "":
            self.fail(f"expected ']' to close the '[' at character {opened}")
        operator = self.operator(name)
        self.skip_space()
        begin = self.at
        value = self.attribute_value(opened)
        self.skip_space()
        flag = ""
        if self.peek() in ("i", "I", "s", "S") and not isinstance(value, Regex):
            flag = self.peek().lower()
            self.at += 1
            self.skip_space()
        if self.peek() != "]":
            end = self.text.find("]", self.at)
            bare = self.text[begin : end if end > 0 else len(self.text)].strip()
            unquoted = self.text[begin] not in "\"'/" and end > 0
            hints = (f"quote a value with spaces: [{name}{operator}{quote(bare)}]",) if unquoted else ()
            self.fail(f"expected ']' to close the '[' at character {opened}", suggestions=hints)
        self.at += 1
        return self.checked_attribute(name, operator, value, flag == "i", begin)

    def attribute_name(self, opened: int) -> str:
        start = self.at
        if self.text.startswith(("@", "prop:"), self.at):
            self.at += 1 if self.peek() == "@" else len("prop:")
            return "@" + self.name("the name of a native property")
        if not _IDENT.match(self.text, self.at):
            if self.peek() == "":
                self.fail(f"expected ']' to close the '[' at character {opened}")
            self.fail("expected the name of an attribute")
        word = self.ident()
        name = _ATTRIBUTES.get(word.lower().replace("-", "").replace("_", ""))
        if name is None:
            near = list(dict.fromkeys(_ATTRIBUTES[each] for each in alike(word.lower(), _ATTRIBUTES)))
            hints = (*did_you_mean(near), f"for a native property write [@{word[:40]}]")
            self.fail(f"no attribute '{word[:40]}'", start, near=tuple(near), suggestions=hints)
        return name

    def operator(self, name: str) -> str:
        match = _OPERATOR.match(self.text, self.at)
        if match is None:
            self.fail("expected ']' or one of = != ^= $= *= ~= < <= > >=")
        start, operator = self.at, match[0]
        self.at = match.end()
        if operator == "=" and self.peek() == "=":
            self.at += 1
        if operator == "|=":
            self.fail("there is no '|='", start, suggestions=("use ^= for how it begins",))
        order = operator in ("<", ">", "<=", ">=")
        if order and name not in NUMBERS and not name.startswith("@"):
            self.fail(f"'{name}' is not a number, so it cannot be compared with '{operator}'", start)
        if name in FLAGS and operator not in ("=", "!="):
            self.fail(f"'{name}' is true or false, so only = and != make sense", start)
        if name in NUMBERS and not order and operator not in ("=", "!="):
            self.fail(f"'{name}' is a number, so only = != < <= > >= make sense", start)
        return operator

    def attribute_value(self, opened: int) -> str | Regex:
        here = self.peek()
        if here in ('"', "'"):
            return self.string()
        if here == "/":
            return self.regex()
        match = _BARE.match(self.text, self.at)
        if match is None:
            if here == "":
                self.fail(f"expected a value, then ']' to close the '[' at character {opened}")
            self.fail("expected a value", suggestions=('write it in quotes: "…"',))
        self.at = match.end()
        return self.unescape(match[0])

    def checked_attribute(
        self, name: str, operator: str, value: str | Regex, ignore_case: bool, begin: int
    ) -> Attribute:
        """The attribute, if operator and value fit each other."""
        if isinstance(value, Regex):
            if operator not in ("=", "!="):
                self.fail(f"a regular expression goes with = or !=, not '{operator}'", begin)
            if name in FLAGS or name in NUMBERS:
                self.fail(f"'{name}' holds no text, so a regular expression makes no sense", begin)
            return Attribute(name, operator, value)
        if name in FLAGS:
            wanted = ("true", "false", "mixed") if name == "checked" else ("true", "false")
            value = value.lower()
            if value not in wanted:
                self.fail(f"'{name}' is {' or '.join(wanted)}, not '{value[:40]}'", begin)
            if (operator, value) == ("=", "true"):
                return Attribute(name)
            return Attribute(name, operator, value)
        order = operator in ("<", ">", "<=", ">=")
        if (name in NUMBERS or order) and not _NUMBER.fullmatch(value):
            self.fail(f"expected a number to compare '{name}' with, not '{value[:40]}'", begin)
        if name in NUMBERS or order:
            return Attribute(name, operator, value)
        if name == "role" and operator in ("=", "!="):
            value = role_name(value) or value
        return Attribute(name, operator, value, ignore_case)

    # -- pseudo-classes --------------------------------------------------------------------------

    def pseudo(self) -> Step | None:
        """A pseudo-class; None for `:scope`."""
        start = self.at
        self.at += 1
        if not _IDENT.match(self.text, self.at):
            self.fail("expected a name after ':'")
        word = self.ident()
        name = word.lower()
        called = self.peek() == "("
        if name in _PSEUDOS and not called:
            return State(_PSEUDOS[name])
        if name in ("first", "last") and not called:
            self.positional(start)
            return Nth(0 if name == "first" else -1)
        if name == "scope" and not called:
            return None
        name = {"where": "is", "matches": "is", "contains": "has-text"}.get(name, name)
        if name in _FUNCTIONS:
            if not called:
                self.fail(f"expected '(' after ':{name}'")
            return self.function(name, start)
        if called and (name in _PSEUDOS or name in ("first", "last", "scope")):
            self.fail(f"':{name}' takes no argument")
        near = alike(name, _ALL_PSEUDOS)
        hints = did_you_mean([f":{each}" for each in near])
        return self.fail(
            f"no pseudo-class ':{word[:40]}'",
            start,
            near=tuple(f":{each}" for each in near),
            suggestions=hints,
        )

    def function(self, name: str, start: int) -> Step:
        self.at += 1
        self.skip_space()
        step: Step
        if name in ("has", "not", "is"):
            if len(self.inside) >= MAX_DEPTH:
                self.fail(f"selectors may be nested {MAX_DEPTH} deep", start)
            self.inside.append(name)
            step = Nested(name, self.chain())
            self.inside.pop()
        elif name == "nth":
            self.positional(start)
            step = Nth(self.integer("a number from 0, or from -1 for the last"))
        elif name == "nth-child":
            step = self.nth_child()
        else:
            step = Text(name, self.text_argument(name))
        self.skip_space()
        if self.peek() != ")":
            self.fail(f"expected ')' to close ':{name}('")
        self.at += 1
        return step

    def positional(self, start: int) -> None:
        if "has" in self.inside:
            self.fail(
                "':has(…)' asks whether there is any, so a position inside it means nothing",
                start,
                suggestions=("use :nth-child(…), which counts siblings",),
            )

    def nth_child(self) -> NthChild:
        for word, step in (("odd", NthChild(2, 1)), ("even", NthChild(2, 0))):
            if self.text[self.at : self.at + len(word)].lower() == word:
                self.at += len(word)
                return step
        match = _NTH_CHILD.match(self.text, self.at)
        if match is None:
            return NthChild(0, self.integer("a number from 1, 'odd', 'even' or a formula such as 2n+1"))
        self.at = match.end()
        factor = int(match[1] + "1") if match[1] in ("", "+", "-") else int(match[1])
        offset = int(f"{match[2]}{match[3]}") if match[2] else 0
        return NthChild(factor, offset)

    def text_argument(self, name: str) -> str | Regex:
        here = self.peek()
        if here in ('"', "'"):
            return self.string()
        if here == "/" and name != "text-is":
            return self.regex()
        end = self.text.find(")", self.at)
        if end < 0:
            self.fail(f"expected ')' to close ':{name}('", len(self.text))
        bare = self.text[self.at : end].strip(_SPACE)
        if not bare:
            self.fail("expected a text in quotes")
        self.at = end
        return bare

    # -- words, strings, numbers -----------------------------------------------------------------

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def skip_space(self) -> bool:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in _SPACE:
            self.at += 1
        return self.at > start

    def ident(self) -> str:
        match = _IDENT.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.unescape(match[0])

    def integer(self, wanted: str) -> int:
        match = _INTEGER.match(self.text, self.at)
        if match is None:
            self.fail(f"expected {wanted}")
        self.at = match.end()
        return int(match[0])

    def string(self) -> str:
        start, mark = self.at, self.text[self.at]
        at = start + 1
        while at < len(self.text):
            if self.text[at] == "\\":
                at += 2
            elif self.text[at] == mark:
                self.at = at + 1
                return self.unescape(self.text[start + 1 : at])
            else:
                at += 1
        return self.fail(f"expected {mark} to close the quote at character {start}", len(self.text))

    def unescape(self, text: str) -> str:
        return _ESCAPE.sub(_unescaped, text) if "\\" in text else text

    def regex(self) -> Regex:
        start = self.at
        end = regex_end(self.text, start)
        if end is None:
            message = f"expected '/' to close the regular expression at character {start}"
            self.fail(message, len(self.text))
        letters = _LETTERS.match(self.text, end)
        self.at = letters.end() if letters else end
        flags = letters[0] if letters else ""
        if unknown := set(flags) - REGEX_FLAGS:
            self.fail(f"no flag '{min(unknown)}' of regular expressions; there are i, m and s", end)
        regex = make_regex(self.text[start + 1 : end - 1], flags)
        if problem := regex_problem(regex):
            self.fail(problem, start)
        return regex

    # -- errors ----------------------------------------------------------------------------------

    def fail(
        self,
        problem: str,
        at: int | None = None,
        *,
        near: tuple[str, ...] = (),
        suggestions: tuple[str, ...] = (),
    ) -> NoReturn:
        at = min(self.at if at is None else at, len(self.text))
        if problem.startswith("expected"):
            problem += f", found '{self.text[at]}'" if at < len(self.text) else ", found the end"
        line, column = _excerpt(self.text, at)
        advice = f" ({'; '.join(suggestions)})" if suggestions else ""
        raise SelectorError(
            f"{problem}, at character {at}{advice}\n  {line}\n  {' ' * column}^",
            target=self.text[:200],
            near=near,
            suggestions=suggestions,
            position=at,
        )


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        code = int(match[1], 16)
        return chr(code) if code <= 0x10FFFF else "\ufffd"
    return {"n": "\n", "t": "\t", "r": "\r"}.get(match[2], match[2])


def _excerpt(text: str, at: int) -> tuple[str, int]:
    """The part of the text around a character, on one line, and where in it that character is."""
    start, end = max(0, at - _SHOWN), min(len(text), at + _SHOWN)
    before, after = "…" if start else "", "…" if end < len(text) else ""
    line = "".join(char if char.isprintable() else " " for char in text[start:end])
    return f"{before}{line}{after}", len(before) + at - start
