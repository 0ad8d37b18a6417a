"""What a selector is made of, as data, and how that is written as text.

Knows neither how text is read (`parsing`) nor what matches (`matching`).
"""

from __future__ import annotations

import re

from .record import dataclass
from .roles import ROLES

_PLAIN = re.compile(r"[^\W\d][\w-]*")
_ESCAPED = re.compile(r'[\\"\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]')


def quote(text: str) -> str:
    """The text as a quoted string of the selector language."""
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    return "\\" + char if char in '\\"' else f"\\{ord(char):x} "


# -- roles ---------------------------------------------------------------------------------------

_ALIASES: dict[str, tuple[str, ...]] = {
    "textbox": ("textfield", "editable-text"),
    "input": ("textfield", "editable-text"),
    "textinput": ("textfield",),
    "edit": ("textfield", "editable-text"),
    "lineedit": ("textfield",),
    "textarea": ("editable-text",),
    "textedit": ("editable-text",),
    "searchbox": ("search-input", "search"),
    "pushbutton": ("button",),
    "radiobutton": ("radio",),
    "spinbox": ("spin-button",),
    "combo": ("combo-box",),
    "dropdown": ("combo-box",),
    "select": ("combo-box",),
    "option": ("list-box-option", "menu-list-option"),
    "progressbar": ("progress-indicator",),
    "progress": ("progress-indicator",),
    "label": ("text", "label-text"),
    "statictext": ("text",),
    "hyperlink": ("link",),
    "statusbar": ("status",),
    "tabitem": ("tab",),
    "toggle": ("toggle-button",),
    "dateedit": ("date-picker",),
    "timeedit": ("input-time",),
    "scrollview": ("scroll-area",),
    "treeview": ("tree",),
    "listview": ("list", "list-box"),
    "tableview": ("table",),
    "contextmenu": ("menu",),
}
"""Other names that people know, without hyphens, and what they stand for."""

_SQUASHED = {role.replace("-", ""): (role,) for role in ROLES}
_ROLE_NAMES = {**_ALIASES, **_SQUASHED}

ROLE_WORDS = tuple(sorted({*ROLES, *_ALIASES}))
"""Everything that may be written where a role is expected."""

NAMED_BESIDE = frozenset((
    "textfield", "editable-text", "search", "search-input", "combo-box", "list-box", "list", "spin-button",
    "slider", "date-picker", "input-time", "color-well", "progress-indicator", "meter", "table", "tree",
    "grid", "tree-grid", "list-grid", "scroll-bar",
))  # fmt: skip
"""Roles whose name is a label next to them, not a text of their own."""

INPUT_ROLES = NAMED_BESIDE - {"scroll-bar"} | {"checkbox", "radio", "switch", "toggle-button"}
"""Roles that hold something a person enters or chooses: what `:input` and labels find."""


def role_name(word: str) -> str | None:
    """The one spelling of a role, or of a word that stands for several; None if there is none."""
    squashed = word.lower().replace("-", "").replace("_", "")
    roles = _ROLE_NAMES.get(squashed)
    if roles is None:
        return None
    return roles[0] if len(roles) == 1 else squashed


def role_set(word: str) -> tuple[str, ...]:
    """The roles that a word stands for; a word that is none of ours stands for itself."""
    return _ROLE_NAMES.get(word.lower().replace("-", "").replace("_", ""), (word,))


# -- attributes ----------------------------------------------------------------------------------

TEXTS = (
    "name", "text", "value", "id", "class", "role", "description", "tooltip", "placeholder", "help", "title",
    "path", "uid", "backend", "object-name", "platform-role", "module", "style",
)  # fmt: skip
"""Attributes that hold text; what is missing counts as empty."""
FLAGS = (
    "checked", "selected", "expanded", "enabled", "disabled", "visible", "hidden", "offscreen", "focused",
    "focusable", "editable", "password", "modal", "pressed", "internal", "mixed",
)  # fmt: skip
"""Attributes that are true, false or absent."""
NUMBERS = ("number", "minimum", "maximum", "x", "y", "width", "height", "children", "items")
"""Attributes that hold a number."""

STATES = (
    "focused", "focusable", "enabled", "disabled", "visible", "hidden", "offscreen", "checked", "unchecked",
    "mixed", "selected", "unselected", "expanded", "collapsed", "editable", "password", "modal", "pressed",
    "internal", "input", "empty", "root", "first-child", "last-child", "only-child",
)  # fmt: skip
"""Pseudo-classes without an argument, but for `:first`, `:last` and `:scope`."""


# -- steps: each narrows down what a compound matches --------------------------------------------


@dataclass(frozen=True)
class Regex:
    """A regular expression, of Python's dialect, searched for anywhere in the text."""

    pattern: str
    flags: str = ""
    """Some of `i`, `m` and `s`, in this order."""

    def __str__(self) -> str:
        parts: list[str] = []
        at = 0
        while at < len(self.pattern):
            pair = self.pattern[at : at + (2 if self.pattern[at] == "\\" else 1)]
            parts.append("\\/" if pair == "/" else pair)
            at += len(pair)
        return f"/{''.join(parts)}/{self.flags}"


@dataclass(frozen=True)
class Role:
    """`button`, or `*`."""

    name: str

    def __str__(self) -> str:
        return self.name


ANY = Role("*")


@dataclass(frozen=True)
class Id:
    """`#save`."""

    value: str

    def __str__(self) -> str:
        return "#" + (self.value if _PLAIN.fullmatch(self.value) else quote(self.value))


@dataclass(frozen=True)
class Class:
    """`.QPushButton`."""

    value: str

    def __str__(self) -> str:
        return "." + (self.value if _PLAIN.fullmatch(self.value) else quote(self.value))


@dataclass(frozen=True)
class Path:
    """`path=root/form/save`."""

    value: str

    def __str__(self) -> str:
        return "path=" + quote(self.value)


@dataclass(frozen=True)
class Attribute:
    """`[name="Save"]`; without an operator, whether it is there. `@` begins a native property."""

    name: str
    operator: str = ""
    value: str | Regex = ""
    ignore_case: bool = False

    @property
    def uid(self) -> str | None:
        """The uid that this asks for, if it asks for one."""
        exact = (self.name, self.operator, self.ignore_case) == ("uid", "=", False)
        return self.value if exact and isinstance(self.value, str) else None

    def __str__(self) -> str:
        if self.name.startswith("@"):
            name = self.name if _PLAIN.fullmatch(self.name[1:]) else "@" + quote(self.name[1:])
        else:
            name = self.name
        if not self.operator:
            return f"[{name}]"
        bare = self.name in FLAGS or self.name in NUMBERS or isinstance(self.value, Regex)
        value = str(self.value) if bare else quote(str(self.value))
        return f"[{name}{self.operator}{value}{' i' if self.ignore_case else ''}]"


@dataclass(frozen=True)
class State:
    """`:enabled`."""

    name: str

    def __str__(self) -> str:
        return ":" + self.name


@dataclass(frozen=True)
class Nth:
    """`:nth(1)`: one of all that matched so far, from 0; negative, from the end."""

    index: int

    def __str__(self) -> str:
        return {0: ":first", -1: ":last"}.get(self.index) or f":nth({self.index})"


@dataclass(frozen=True)
class NthChild:
    """`:nth-child(2n+1)`, from 1 as in CSS."""

    step: int
    offset: int

    def __str__(self) -> str:
        if not self.step:
            return f":nth-child({self.offset})"
        return f":nth-child({self.step}n{self.offset:+d})"


@dataclass(frozen=True)
class Text:
    """`:text("save")`, `:text-is("Save")`, `:has-text("save")`."""

    kind: str
    value: str | Regex

    def __str__(self) -> str:
        return f":{self.kind}({self.value if isinstance(self.value, Regex) else quote(self.value)})"


@dataclass(frozen=True)
class Nested:
    """`:has(…)`, `:not(…)`, `:is(…)`."""

    kind: str
    chain: Chain

    def __str__(self) -> str:
        return f":{self.kind}({self.chain})"


Step = Role | Id | Class | Path | Attribute | State | Nth | NthChild | Text | Nested


# -- how steps are joined ------------------------------------------------------------------------


@dataclass(frozen=True)
class Compound:
    """What one node must be: `button[name="Save"]:enabled`. Steps apply in this order."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.steps))


ITSELF = ""
"""The combinator of a first compound with `:scope`: it is about the scope's own nodes."""


@dataclass(frozen=True)
class Complex:
    """Compounds, each with how it relates to the one before; the first relates to the scope.

    Combinators are " " (below), ">" (child), "+" (next sibling), "~" (later sibling) and ITSELF.
    """

    links: tuple[tuple[str, Compound], ...]

    def __str__(self) -> str:
        parts: list[str] = []
        for combinator, compound in self.links:
            if combinator == ITSELF:
                first = compound.steps[0]
                typed = isinstance(first, (Role, Path)) and first != ANY
                rest = compound.steps[1:] if typed or first == ANY else compound.steps
                parts.append(f"{first if typed else ''}:scope{''.join(map(str, rest))}")
            elif combinator == " ":
                parts.append(f" {compound}" if parts else str(compound))
            else:
                parts.append(f" {combinator} {compound}" if parts else f"{combinator} {compound}")
        return "".join(parts)


@dataclass(frozen=True)
class Chain:
    """Parts joined by `>>`, each a list of alternatives; a part matches inside the one before."""

    parts: tuple[tuple[Complex, ...], ...]

    def __str__(self) -> str:
        return " >> ".join(", ".join(map(str, part)) for part in self.parts)

    def steps(self) -> list[Step]:
        """Every step at any depth."""
        found: list[Step] = []
        waiting = [self]
        while waiting:
            for part in waiting.pop().parts:
                for each in part:
                    for _, compound in each.links:
                        found += compound.steps
                        waiting += [step.chain for step in compound.steps if isinstance(step, Nested)]
        return found
