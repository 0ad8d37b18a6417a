"""What a server lets its clients do: rules by app, window, element and operation, and what they decide.

A policy is read from plain data, such as a TOML file, and is checked completely before anything is served.
The first rule that matches decides. Where it cannot be known which element an operation reaches, everything
that it may reach counts: one of it is enough for a rule that asks or denies, and a rule that allows must be
about all of it. So a policy can be too strict, and never too lax.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Protocol

from .alike import alike, did_you_mean
from .errors import InvalidParams
from .node import Node
from .operations import OPERATIONS
from .record import dataclass
from .regex import REGEX_FLAGS, Expression, compiled, found_in, make_regex, regex_end, regex_problem
from .syntax import role_name, role_set

DECISIONS = ("allow", "ask", "deny")
ASK_TIMEOUT = 60.0
"""How long a person is waited for, in seconds, unless the policy says otherwise."""

_OTHER_OPERATIONS = ("app_launch", "app_attach", "app_close")
"""What clients can ask for that is not done in a user interface."""
_SHORT = {
    "exec": "execute", "type": "type_text", "set": "set_value", "fill": "set_value", "check": "set_checked",
    "window": "control_window", "tree": "read_tree", "windows": "list_windows",
}  # fmt: skip
"""What the command line calls them."""
_NAMES = (*OPERATIONS, *_OTHER_OPERATIONS)
_TEXTS = ("app", "window", "role", "name", "id")
_RULE_KEYS = (*_TEXTS, "operation", "decide")
_POLICY_KEYS = ("default", "ask_timeout", "rule")

Matcher = Callable[[str], bool]


class Ask(Protocol):
    """Asks a person: True for yes, False for no, None if there was no answer in time or no person."""

    def __call__(self, question: str, timeout: float) -> bool | None: ...


asked_by_client: ContextVar[Ask | None] = ContextVar("asked_by_client", default=None)
"""How the client that is served now asks the person who uses it, if it can."""


class Asking:
    """How long a person is being asked: who bounds how long an operation takes does not count this."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._since: float | None = None

    @property
    def spent(self) -> float:
        """How long that was so far, in seconds."""
        since = self._since
        return self._spent + (0.0 if since is None else time.monotonic() - since)

    @property
    def now(self) -> bool:
        """Whether a person is being asked now."""
        return self._since is not None

    def __enter__(self) -> None:
        self._since = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._spent, self._since = self.spent, None


asking: ContextVar[Asking | None] = ContextVar("asking", default=None)
"""Where it is noted that a person is being asked, if a caller wants to know."""


@dataclass(frozen=True)
class Reach:
    """Something that an operation may reach: an element, with all that is around it."""

    apps: tuple[str, ...] = ()
    """The names of its app: as it calls itself, and as its process is called."""
    window: str | None = None
    """The title of its window."""
    nodes: tuple[Node, ...] = ()
    """The element, what it is in, and so on up to the window."""


@dataclass(frozen=True)
class Attempt:
    """Something that a client wants to do, with all that it may reach."""

    operation: str
    acts: bool = True
    reaches: tuple[Reach, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One rule. What it does not mention matches everything, but for questions: those it must name."""

    number: int
    decide: str
    conditions: Mapping[str, str]
    """As they are written."""
    operations: tuple[str, ...]
    matchers: Mapping[str, Matcher]

    @property
    def about_elements(self) -> bool:
        """Whether it must be known what is reached to tell whether it matches."""
        return bool(self.matchers)

    def concerns(self, operation: str, acts: bool) -> bool:
        """Whether it can match such an operation."""
        return operation in self.operations if self.operations else acts

    def matches(self, attempt: Attempt) -> bool:
        """Whether it is about this attempt: one that allows, if it is about all that may be reached."""
        if not self.concerns(attempt.operation, attempt.acts):
            return False
        if not self.matchers:
            return True
        found = map(self._is_about, attempt.reaches)
        return bool(attempt.reaches) and (all(found) if self.decide == "allow" else any(found))

    def _is_about(self, reach: Reach) -> bool:
        if "app" in self.matchers and not any(map(self.matchers["app"], reach.apps)):
            return False
        if "window" in self.matchers and (reach.window is None or not self.matchers["window"](reach.window)):
            return False
        wanted = [key for key in _TEXTS_OF if key in self.matchers]
        return not wanted or any(self._fits(node, wanted) for node in reach.nodes)

    def _fits(self, node: Node, wanted: Iterable[str]) -> bool:
        return all(
            any(self.matchers[key](text) for text in _TEXTS_OF[key](node) if text is not None)
            for key in wanted
        )

    def __str__(self) -> str:
        parts = [f'{key} = "{text}"' for key, text in self.conditions.items()]
        if self.operations:
            parts.append(f"operation = {', '.join(self.operations)}")
        return f"rule {self.number} ({'; '.join((*parts, self.decide))})"


_TEXTS_OF: Mapping[str, Callable[[Node], tuple[str | None, ...]]] = {
    "role": lambda node: (node.role,),
    # What it is called and what it shows may differ, and a person may mean either.
    "name": lambda node: (node.name, node.text),
    "id": lambda node: (node.automation_id, node.object_name),
}


@dataclass(frozen=True)
class Verdict:
    """What a policy decides, and the rule that did; None if it is what is decided otherwise."""

    decide: str
    rule: Rule | None = None

    def __str__(self) -> str:
        return str(self.rule) if self.rule is not None else f'default = "{self.decide}"'


@dataclass(frozen=True)
class Policy:
    """Rules in order, and what is decided where none matches."""

    rules: tuple[Rule, ...] = ()
    default: str = "allow"
    ask_timeout: float = ASK_TIMEOUT

    def decide(self, attempt: Attempt) -> Verdict:
        """The first rule that matches; the default concerns only what acts."""
        for rule in self.rules:
            if rule.matches(attempt):
                return Verdict(rule.decide, rule)
        return Verdict(self.default if attempt.acts else "allow")

    def needs_target(self, operation: str, acts: bool) -> bool:
        """Whether it must be known what such an operation reaches, to tell what is decided."""
        return any(rule.about_elements and rule.concerns(operation, acts) for rule in self.rules)


def read_policy(data: Mapping[str, Any]) -> Policy:
    """The policy that this data says. Raises InvalidParams, which says what is wrong and where."""
    _known_keys(data, _POLICY_KEYS, "the policy")
    default = _decision(data.get("default", "allow"), "default")
    timeout = data.get("ask_timeout", ASK_TIMEOUT)
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout <= 3600:
        raise _wrong("ask_timeout", f"is a number of seconds, above 0 and up to 3600, not {timeout!r}")
    rules = data.get("rule", [])
    if not isinstance(rules, list) or not all(isinstance(rule, Mapping) for rule in rules):
        raise _wrong("rule", "is a list of tables: begin each rule with [[rule]]")
    return Policy(tuple(_rule(number, rule) for number, rule in enumerate(rules, 1)), default, float(timeout))


def _rule(number: int, data: Mapping[str, Any]) -> Rule:
    where = f"rule {number}"
    _known_keys(data, _RULE_KEYS, where)
    if "decide" not in data:
        raise _wrong(where, "decides nothing: add decide = " + _one_of(DECISIONS))
    matchers, conditions = {}, {}
    for key in _TEXTS:
        if key in data:
            text = data[key]
            if not isinstance(text, str) or not text:
                raise _wrong(f"{key} of {where}", f"is a text, not {text!r}")
            conditions[key] = text
            matchers[key] = _matcher(key, text, where)
    operations = data.get("operation", ())
    operations = [operations] if isinstance(operations, str) else operations
    if not isinstance(operations, (list, tuple)) or ("operation" in data and not operations):
        raise _wrong(f"operation of {where}", "is a name or a list of names")
    return Rule(
        number,
        _decision(data["decide"], f"decide of {where}"),
        conditions,
        tuple(_operation(name, where) for name in operations),
        matchers,
    )


def _matcher(key: str, text: str, where: str) -> Matcher:
    if text.startswith("/"):
        pattern = _regex(key, text, where)
        return lambda seen: found_in(seen, pattern)
    if key == "role":
        if role_name(text) is None:
            near = alike(text, _roles())
            raise _wrong(f"role of {where}", f"is not a role: '{text}'", near)
        roles = frozenset(role_set(text))
        return lambda seen: seen in roles
    folded = text.casefold()
    return lambda seen: seen.casefold() == folded


def _regex(key: str, text: str, where: str) -> Expression:
    end = regex_end(text, 0)
    flags = "" if end is None else text[end:]
    if end is None or not set(flags) <= REGEX_FLAGS:
        raise _wrong(
            f"{key} of {where}", f"begins like a regular expression, and must end like one: '{text}'"
        )
    regex = make_regex(text[1 : end - 1], flags)
    if (problem := regex_problem(regex)) is not None:
        raise _wrong(f"{key} of {where}", f"cannot be used: {problem}")
    return compiled(regex)


def _operation(name: object, where: str) -> str:
    if not isinstance(name, str):
        raise _wrong(f"operation of {where}", f"is a name or a list of names, not {name!r}")
    word = name.casefold().replace("-", "_")
    word = _SHORT.get(word, word)
    if word not in _NAMES:
        near = alike(name, (*_NAMES, *_SHORT))
        raise _wrong(f"operation of {where}", f"is none of ours: '{name}'", near)
    return word


def _decision(value: object, what: str) -> str:
    if not isinstance(value, str) or value not in DECISIONS:
        raise _wrong(what, f"is {_one_of(DECISIONS)}, not {value!r}")
    return value


def _known_keys(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in known:
            raise _wrong(where, f"has no '{key}'; it may have {', '.join(known)}", alike(key, known))


def _one_of(words: tuple[str, ...]) -> str:
    return ", ".join(f'"{word}"' for word in words[:-1]) + f' or "{words[-1]}"'


def _roles() -> tuple[str, ...]:
    from .roles import ROLES

    return tuple(ROLES)


def _wrong(what: str, why: str, near: tuple[str, ...] = ()) -> InvalidParams:
    return InvalidParams(f"{what} {why}", field=what, near=near, suggestions=did_you_mean(near))
