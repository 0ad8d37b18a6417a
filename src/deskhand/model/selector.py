"""The selector language: `parse` a text, `find` what it means in a tree, and write selectors for nodes.

docs/reference/selectors.md is the whole language. The syntax is in `syntax`, reading it in
`parsing`, what it matches in `matching`, selectors for a given node in `generate`.
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import lru_cache

from .errors import SelectorError
from .generate import generate, generate_all
from .matching import search
from .near import Near, near_misses
from .node import Node
from .parsing import read
from .record import dataclass
from .regex import from_pattern, regex_problem
from .syntax import Attribute, Chain, Id, Path, quote, role_name
from .traits import local_test
from .tree import Tree

__all__ = [
    "Selector", "both", "by_id", "by_label", "by_path", "by_placeholder", "by_role", "by_text", "by_title",
    "by_tooltip", "by_uid", "chain", "either", "filtered", "generate", "generate_all", "near", "nth", "parse",
    "quote",
]  # fmt: skip


@dataclass(frozen=True)
class Selector:
    """A selector that was read. `str` gives its one canonical text."""

    chain: Chain
    source: str = field(default="", compare=False)
    """The text as it was written."""

    def find(self, tree: Tree, limit: int | None = None, within: Node | None = None) -> list[Node]:
        """All nodes that match, in document order, each once; below `within` if that is given."""
        found = search(self.chain, tree, within)
        return found if limit is None else found[: max(limit, 0)]

    def matches(self, tree: Tree, node: Node) -> bool:
        """Whether this node is one of those that `find` gives."""
        if (test := local_test(self.chain)) is not None:
            return node.uid in tree.by_uid and test(node)
        return any(found.uid == node.uid for found in self.find(tree))

    def missing(self, tree: Tree, within: Node | None = None) -> Selector | None:
        """The shortest beginning, up to some `>>`, that finds nothing already; None if all find something."""
        for count in range(1, len(self.chain.parts) + 1):
            beginning = Chain(self.chain.parts[:count])
            if not search(beginning, tree, within):
                return Selector(beginning, str(beginning))
        return None

    @property
    def path(self) -> str | None:
        """The path, if the selector is `path=…` and nothing else."""
        step = self._only_step()
        return step.value if isinstance(step, Path) else None

    @property
    def uid(self) -> str | None:
        """The uid, if the selector is `uid=…` and nothing else."""
        step = self._only_step()
        return step.uid if isinstance(step, Attribute) else None

    @property
    def uses_properties(self) -> bool:
        """Whether it asks for native properties, which a tree has only if details were read."""
        return any(isinstance(step, Attribute) and step.name.startswith("@") for step in self.chain.steps())

    @property
    def uses_ids(self) -> bool:
        """Whether it asks for an id."""
        return any(isinstance(step, Id) for step in self.chain.steps())

    def _only_step(self) -> object:
        if len(self.chain.parts) != 1 or len(self.chain.parts[0]) != 1:
            return None
        links = self.chain.parts[0][0].links
        if len(links) != 1 or links[0][0] != " " or len(links[0][1].steps) != 1:
            return None
        return links[0][1].steps[0]

    def __str__(self) -> str:
        return str(self.chain)


def parse(text: str) -> Selector:
    """Read a selector; SelectorError says at which character it went wrong, and what to write."""
    if not isinstance(text, str):
        raise SelectorError(f"a selector is a text, not {type(text).__name__}", position=0)
    return _parse(text)


@lru_cache(maxsize=512)
def _parse(text: str) -> Selector:
    return Selector(read(text), text)


def near(selector: Selector, tree: Tree, limit: int = 5) -> Near:
    """The elements that resemble what was asked for, best first, and others of the same kind."""
    whole = near_misses(selector.chain, tree, limit)
    missing = selector.missing(tree)
    if missing is None or missing == selector:
        return whole
    # A part that finds nothing is where it went wrong.
    part = near_misses(missing.chain, tree, limit)
    seen = {node.uid for node in part.nodes}
    alike = [*part.alike, *(node for node in whole.alike if node.uid not in seen)]
    seen |= {node.uid for node in alike}
    others = [*part.others, *(node for node in whole.others if node.uid not in seen)]
    return Near(
        tuple(alike[:limit]), tuple(others[: max(0, limit - len(alike))]), absent=part.absent or whole.absent
    )


# -- selectors from values -----------------------------------------------------------------------


def by_role(
    role: str,
    name: str | re.Pattern[str] | None = None,
    exact: bool = False,
    *,
    checked: bool | None = None,
    disabled: bool | None = None,
    expanded: bool | None = None,
    pressed: bool | None = None,
    selected: bool | None = None,
    include_hidden: bool = True,
) -> str:
    """A role, and the name if that is given: a part of it in any case, or exactly it."""
    word = role_name(role)
    if word is None:
        read(role)
        raise SelectorError(f"no role '{role[:40]}'", target=role[:200], position=0)
    states = {
        "checked": checked,
        "disabled": disabled,
        "expanded": expanded,
        "pressed": pressed,
        "selected": selected,
    }
    flags = "".join(
        f"[{key}{'' if value else '=false'}]" for key, value in states.items() if value is not None
    )
    label = "" if name is None else _attribute("name", name, exact)
    return f"{word}{label}{flags}{'' if include_hidden else ':visible'}"


def by_text(text: str | re.Pattern[str], exact: bool = False) -> str:
    """The text that an element shows: a part of it in any case, or exactly it."""
    if isinstance(text, re.Pattern):
        return f":text({_regex(text)})"
    return f":text-is({quote(text)})" if exact else f":text({quote(text)})"


def by_label(text: str | re.Pattern[str], exact: bool = False) -> str:
    """A field by its label."""
    return ":input" + _attribute("name", text, exact)


def by_placeholder(text: str | re.Pattern[str], exact: bool = False) -> str:
    """A field by what it shows while it is empty."""
    return _attribute("placeholder", text, exact)


def by_tooltip(text: str | re.Pattern[str], exact: bool = False) -> str:
    """An element by its tooltip."""
    return _attribute("tooltip", text, exact)


by_title = by_tooltip


def by_id(automation_id: str) -> str:
    """An element by its automation id."""
    if not automation_id:
        raise SelectorError("an id may not be empty", target="#", position=1)
    return str(Id(automation_id))


def by_path(path: str) -> str:
    """An element by its path."""
    return str(Path(path))


def by_uid(uid: str) -> str:
    """An element by its uid."""
    return f"uid={quote(uid)}"


# -- selectors from selectors --------------------------------------------------------------------


def chain(outer: str, inner: str) -> str:
    """What the inner one finds inside of what the outer one finds."""
    return f"{outer} >> {inner}"


def nth(selector: str, index: int) -> str:
    """One of all that a selector finds, from 0; negative, from the end."""
    return f"{selector} >> nth={index}"


def either(*selectors: str) -> str:
    """What any of the selectors finds."""
    return f":is({', '.join(map(_inside, selectors))})"


def both(first: str, second: str) -> str:
    """Those of what the first selector finds that the second finds as well."""
    return f"{first} >> :scope:is({_inside(second)})"


def filtered(
    selector: str,
    *,
    has: str | None = None,
    has_not: str | None = None,
    has_text: str | re.Pattern[str] | None = None,
    has_not_text: str | re.Pattern[str] | None = None,
    visible: bool | None = None,
) -> str:
    """Those of what a selector finds that have, or do not have, something in them."""
    tests = "" if has is None else f":has({parse(has)})"
    tests += "" if has_not is None else f":not(:has({parse(has_not)}))"
    tests += "" if has_text is None else f":has-text({_literal(has_text)})"
    tests += "" if has_not_text is None else f":not(:has-text({_literal(has_not_text)}))"
    tests += "" if visible is None else ":visible" if visible else ":hidden"
    return f"{selector} >> :scope{tests}" if tests else selector


def _inside(selector: str) -> str:
    """A selector as one of several in brackets."""
    read_ = parse(selector).chain
    return str(read_) if len(read_.parts) == 1 else f":is({read_})"


def _attribute(name: str, value: str | re.Pattern[str], exact: bool) -> str:
    if isinstance(value, re.Pattern):
        return f"[{name}={_regex(value)}]"
    return f"[{name}={quote(value)}]" if exact else f"[{name}*={quote(value)} i]"


def _literal(value: str | re.Pattern[str]) -> str:
    return _regex(value) if isinstance(value, re.Pattern) else quote(value)


def _regex(pattern: re.Pattern[str]) -> str:
    regex = from_pattern(pattern)
    if problem := regex_problem(regex):
        raise SelectorError(problem, target=pattern.pattern[:200], position=0)
    return str(regex)
