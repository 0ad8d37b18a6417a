"""Elements that resemble what a selector without a match asked for, and others of the same kind."""

from __future__ import annotations

import re

from .alike import Likeness
from .matching import search
from .node import Node
from .order import ids, order_of, shown
from .record import dataclass
from .syntax import ANY, Attribute, Chain, Class, Compound, Id, Path, Regex, Role, Text, role_set
from .tree import Tree

_LABELS = ("name", "text", "value", "title", "placeholder", "tooltip", "description")


@dataclass(frozen=True)
class Near:
    """What a selector may have meant."""

    alike: tuple[Node, ...] = ()
    """What looks like it, best first."""
    others: tuple[Node, ...] = ()
    """Some of what has the same role, or an id too, but does not look like it."""
    more: int = 0
    """How many more of the others there are."""
    absent: str = ""
    """The role that was asked for, if nothing has it."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All that is worth naming, best first."""
        return (*self.alike, *self.others)


def near_misses(chain: Chain, tree: Tree, limit: int) -> Near:
    """What comes nearest to what the last compounds of a chain ask for; `limit` of those that are alike."""
    best: dict[int, float] = {}
    others: set[int] = set()
    for complex_ in chain.parts[-1]:
        compound = complex_.links[-1][1]
        for path in (step.value for step in compound.steps if isinstance(step, Path)):
            close, beside = tree.similar(path, limit)
            return Near(tuple(map(tree.resolve, close)), tuple(map(tree.resolve, beside)))
        scores, kin = _scores(compound, tree)
        others |= kin
        for at, score in scores.items():
            best[at] = max(score, best.get(at, 0))
    nodes = order_of(tree).nodes
    exact = {node.uid for node in search(chain, tree)} if best or others else set()
    ranked = [at for at in sorted(best, key=lambda at: (-best[at], at)) if nodes[at].uid not in exact]
    alike = [nodes[at] for at in ranked[:limit]]
    rest = [nodes[at] for at in sorted(others - best.keys()) if nodes[at].uid not in exact]
    # Where nothing is alike, what there is helps the more.
    telling = _telling(rest)[: limit - len(alike) if alike else 2 * limit]
    return Near(tuple(alike), tuple(telling), len(rest) - len(telling), _absent(chain, tree))


def _absent(chain: Chain, tree: Tree) -> str:
    """The role that the last compounds ask for, if it is one and nothing has it."""
    links = [complex_.links[-1][1] for complex_ in chain.parts[-1]]
    roles = {step.name for compound in links for step in compound.steps if isinstance(step, Role)}
    there = order_of(tree).by_role
    role = roles.pop() if len(roles) == 1 else ANY.name
    return "" if role == ANY.name or any(each in there for each in role_set(role)) else role


def _telling(nodes: list[Node]) -> list[Node]:
    """The nodes, first those that can be used, have a name and are called by none before."""
    seen: set[str] = set()
    ranks: list[tuple[bool, bool, bool, int]] = []
    for at, node in enumerate(nodes):
        label = str(node) if node.name or node.text or node.automation_id else ""
        ranks.append((not node.visible, not node.enabled, not label or label in seen, at))
        seen.add(label)
    return [nodes[rank[-1]] for rank in sorted(ranks)]


def _scores(compound: Compound, tree: Tree) -> tuple[dict[int, float], set[int]]:
    """How much each node is like what is asked for, only those that are; and those that are of its kind."""
    roles: tuple[str, ...] = ()
    labels: list[str] = []
    names: list[str] = []
    for step in compound.steps:
        if isinstance(step, Role) and step != ANY:
            roles = role_set(step.name)
        elif isinstance(step, Id):
            names.append(step.value)
        elif isinstance(step, (Text, Attribute)) and (isinstance(step, Text) or step.name in _LABELS):
            labels.append(_words(step.value))
        elif isinstance(step, Attribute) and step.name == "id":
            names.append(_words(step.value))
        elif isinstance(step, Class):
            labels.append(step.value)
    like_label, like_name = Likeness(labels), Likeness(names)
    scores: dict[int, float] = {}
    kin: set[int] = set()
    for at, node in enumerate(order_of(tree).nodes):
        own = ids(node)
        score = max(
            like_label.of(node.name), like_label.of(shown(node)), 0.9 * like_label.of(node.native_class)
        )
        # An id is often the name of the thing, and what people remember of it.
        score = max(score, *(like_name.of(each) for each in own), 0.75 * like_name.of(node.name))
        same_role = node.role in roles
        if score:
            # Of two that are alike, the one that can be used was meant.
            scores[at] = 2 * score + same_role + 0.1 * node.visible + 0.05 * node.enabled
        elif same_role or (own and names and not roles):
            kin.add(at)
    # Ids are as many as there are elements: they are compared only where none is alike.
    return scores, kin if roles or not scores else set()


def _words(value: str | Regex) -> str:
    """A text, or the words that a regular expression consists of."""
    return (
        " ".join(re.findall(r"\w+", re.sub(r"\\.", " ", value.pattern)))
        if isinstance(value, Regex)
        else value
    )
