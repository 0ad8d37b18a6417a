"""Random trees and selectors, and a slow matcher that follows the definitions word for word."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from deskhand.model.node import Node
from deskhand.model.order import class_names, ids, shown
from deskhand.model.syntax import (
    ANY,
    FLAGS,
    ITSELF,
    NUMBERS,
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
)
from deskhand.model.tree import Tree

ROLES = ("window", "dialog", "group", "button", "text", "textfield", "generic", "unknown", "made-up")
WORDS = (
    "Save",
    "save as",
    "OK",
    "",
    "a",
    'say "hi"',
    "back\\slash",
    "line\nbreak",
    "ß",
    "x" * 70,
    "x" * 69 + "y",
)
IDENTIFIERS = ("save", "b1", "12", "odd id", "a.b", "größe", "]", "Save")
CLASSES = ("QPushButton", "QLabel", "ns::QLabel", "org.Label", "", "odd class")


def make_tree(seed: int, size: int, roles: Sequence[str] = ROLES) -> Tree:
    """A tree full of things that look the same."""
    choose = random.Random(seed)
    nodes: list[Node] = []
    line: list[str] = []
    for at in range(size):
        # Only the node before and its ancestors can be the parent: that keeps document order.
        del line[choose.randint(0, len(line)) :]
        fields: dict[str, Any] = {"uid": f"u{at}", "parent": line[-1] if line else None}
        fields["role"] = choose.choice(roles)
        for name, values in (
            ("native_class", CLASSES),
            ("name", WORDS),
            ("text", WORDS),
            ("value", WORDS),
            ("placeholder", WORDS),
            ("automation_id", IDENTIFIERS),
            ("object_name", IDENTIFIERS),
        ):
            if choose.random() < 0.3:
                fields[name] = choose.choice(values)
        for name in ("checked", "enabled", "visible", "editable"):
            if choose.random() < 0.2:
                fields[name] = choose.random() < 0.5
        nodes.append(Node.of(fields))
        line.append(f"u{at}")
    return Tree(nodes)


# Drawing every field would make shrinking better and each example fifty times slower.
trees = st.builds(make_tree, st.integers(0, 2**32), st.integers(1, 14))
plain_trees = st.builds(
    make_tree, st.integers(0, 2**32), st.integers(1, 14), st.just(("group", "button", "text"))
)
"""Trees of few roles, in which even a long selector finds something."""


# -- selectors -----------------------------------------------------------------------------------

_texts = st.sampled_from(WORDS) | st.text(max_size=5)
_names = st.sampled_from(IDENTIFIERS) | st.text(min_size=1, max_size=5)
_regexes = st.builds(
    Regex,
    st.sampled_from(("^S", "sa.e", "[/]", "a/b", r"/\\", "(OK|a)$", "[]/]")),
    st.sampled_from(("", "i", "ims")),
)
_attributes = (
    st.builds(Attribute, st.sampled_from((*TEXTS, *FLAGS, *NUMBERS)))
    | st.builds(
        Attribute,
        st.sampled_from([name for name in TEXTS if name != "role"]),
        st.sampled_from(("=", "!=", "^=", "$=", "*=", "~=")),
        _texts,
        st.booleans(),
    )
    | st.builds(Attribute, st.sampled_from(("name", "text", "id")), st.sampled_from(("=", "!=")), _regexes)
    | st.builds(Attribute, _names.map("@".__add__), st.sampled_from(("=", "!=", "*=")), _texts)
    | st.builds(Attribute, st.sampled_from(FLAGS), st.just("="), st.just("false"))
    | st.builds(
        Attribute, st.sampled_from(NUMBERS), st.sampled_from(("=", ">", "<=")), st.sampled_from(("0", "-1.5"))
    )
)
_flat_steps = (
    st.builds(Id, _names)
    | st.builds(Class, st.sampled_from([name for name in CLASSES if name]) | _names)
    | _attributes
    | st.builds(State, st.sampled_from(STATES))
    | st.builds(NthChild, st.integers(-2, 3), st.integers(-2, 4))
    | st.builds(Text, st.sampled_from(("text", "has-text")), _texts | _regexes)
    | st.builds(Text, st.just("text-is"), _texts)
)
_roles = st.sampled_from([Role(name) for name in ROLES[:-1]])
_heads = _roles | st.builds(Path, _names)

Steps = st.SearchStrategy[Step]


def _compounds(steps: Steps, heads: Steps) -> st.SearchStrategy[Compound]:
    def build(head: Step | None, rest: list[Step]) -> Compound:
        return Compound(tuple(([head] if head else []) + rest) or (ANY,))

    return st.builds(build, st.none() | heads, st.lists(steps, max_size=3))


def _chains(steps: Steps) -> st.SearchStrategy[Chain]:
    # A path begins a selector and cannot be anywhere else in it.
    return _joined(_compounds(steps, _heads), _compounds(steps, _roles))


def _joined(
    beginning: st.SearchStrategy[Compound], following: st.SearchStrategy[Compound]
) -> st.SearchStrategy[Chain]:
    first = st.tuples(st.sampled_from((" ", " ", " ", ">", "+", "~", ITSELF)), beginning)
    later = st.tuples(st.sampled_from((" ", ">", "+", "~")), following)
    complexes = st.builds(lambda one, more: Complex((one, *more)), first, st.lists(later, max_size=2))
    parts = st.lists(complexes, min_size=1, max_size=2).map(tuple)
    return st.lists(parts, min_size=1, max_size=2).map(lambda each: Chain(tuple(each)))


_positions = st.builds(Nth, st.integers(-2, 2))
_inner = _chains(_flat_steps)
_inner_with_positions = _chains(_flat_steps | _positions)

chains = _chains(
    _flat_steps
    | _positions
    | st.builds(Nested, st.just("has"), _inner)
    | st.builds(Nested, st.sampled_from(("not", "is")), _inner_with_positions)
)
"""Selectors of every kind, as data."""


# -- the definitions, word for word --------------------------------------------------------------


def slowly(
    chain: Chain, tree: Tree, scope: Node | None, flat: Callable[[Tree, Step, Node], bool]
) -> list[Node]:
    """What a chain finds; `flat` says whether a node has what a step without structure asks."""
    base: list[Node | None] = [scope]
    for part in chain.parts:
        hits = [node for each in part for node in _complex(each, tree, base, scope, flat)]
        base = [node for node in tree.nodes if any(node is hit for hit in hits)]
    return [node for node in base if node is not None]


def _complex(
    complex_: Complex,
    tree: Tree,
    base: list[Node | None],
    scope: Node | None,
    flat: Callable[[Tree, Step, Node], bool],
) -> list[Node]:
    for combinator, compound in complex_.links:
        found = [node for node in tree.nodes if any(_relates(tree, combinator, each, node) for each in base)]
        for step in compound.steps:
            found = _narrow(step, tree, found, scope, flat)
        base = list(found)
    return [node for node in base if node is not None]


def _relates(tree: Tree, combinator: str, first: Node | None, second: Node) -> bool:
    if combinator == ITSELF:
        return first is second
    if combinator == " ":
        return first is None or first in tree.ancestors(second)
    if combinator == ">":
        return tree.parent(second) is first
    if first is None or tree.parent(first) is not tree.parent(second):
        return False
    above = tree.parent(first)
    siblings = tree.roots if above is None else tree.children(above)
    distance = siblings.index(second) - siblings.index(first)
    return distance == 1 if combinator == "+" else distance >= 1


def _narrow(
    step: Step, tree: Tree, found: list[Node], scope: Node | None, flat: Callable[[Tree, Step, Node], bool]
) -> list[Node]:
    if isinstance(step, Nth):
        return found[step.index :][:1] if -len(found) <= step.index < len(found) else []
    if isinstance(step, Nested) and step.kind == "has":
        return [node for node in found if slowly(step.chain, tree, node, flat)]
    if isinstance(step, Nested):
        inner = slowly(step.chain, tree, scope, flat)
        return [node for node in found if (node in inner) == (step.kind == "is")]
    hits = [node for node in found if flat(tree, step, node)]
    if isinstance(step, Text) and step.kind != "has-text":
        return [node for node in hits if not any(node in tree.ancestors(other) for other in hits)]
    return hits


def simply(tree: Tree, step: Step, node: Node) -> bool:
    """What some steps ask of a node; those with which the structure of selectors is tried."""
    if isinstance(step, Role):
        return step == ANY or node.role == step.name
    if isinstance(step, Id):
        return step.value in ids(node)
    if isinstance(step, Class):
        return step.value in class_names(node)
    if isinstance(step, State):
        return {"enabled": node.enabled, "hidden": not node.visible, "checked": node.checked is True}[
            step.name
        ]
    if isinstance(step, Text) and isinstance(step.value, str):
        wanted = " ".join(step.value.split())
        own = " ".join(shown(node).split())
        if step.kind == "text-is":
            return own == wanted
        if step.kind == "text":
            return bool(own) and wanted.casefold() in own.casefold()
        every = " ".join([own, *(shown(each) for each in tree.descendants(node))])
        return wanted.casefold() in " ".join(every.split()).casefold()
    assert isinstance(step, Attribute)
    return node.name == step.value


_simple_steps = (
    st.builds(Id, st.sampled_from(("save", "b1", "Save")))
    | st.builds(Class, st.sampled_from(("QLabel", "Label")))
    | st.builds(State, st.sampled_from(("enabled", "hidden", "checked")))
    | st.builds(Attribute, st.just("name"), st.just("="), st.sampled_from(("Save", "OK", "a")))
    | st.builds(
        Text, st.sampled_from(("text", "text-is", "has-text")), st.sampled_from(("Save", "a", "ok a", "ss"))
    )
)


def _plain_chains(steps: Steps) -> st.SearchStrategy[Chain]:
    """Chains of compounds that ask for little."""
    roles = st.sampled_from([ANY, Role("group"), Role("button"), Role("text")])
    few = st.lists(steps, max_size=1)
    compounds = st.builds(
        lambda role, more: Compound(tuple(more) if role == ANY and more else (role, *more)), roles, few
    )
    return _joined(compounds, compounds)


structured = _plain_chains(
    _simple_steps
    | _positions
    | st.builds(Nested, st.just("has"), _plain_chains(_simple_steps))
    | st.builds(Nested, st.sampled_from(("not", "is")), _plain_chains(_simple_steps | _positions))
)
"""Selectors whose steps `simply` understands."""
