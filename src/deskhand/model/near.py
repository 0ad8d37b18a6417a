"""What is there and looks like what a selector asked for in vain."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from .matching import search
from .node import Node
from .order import ids, order_of, shown
from .syntax import ANY, Attribute, Chain, Class, Compound, Id, Path, Regex, Role, Text, role_set
from .tree import Tree

_SIMILAR = 0.6
_LONGEST = 80
"""How much of a text is compared; the comparison is slow."""
_LABELS = ("name", "text", "value", "title", "placeholder", "tooltip", "description")


def near_misses(chain: Chain, tree: Tree, limit: int = 5) -> list[Node]:
    """The nodes that come nearest to what the last compounds of a chain ask for, best first."""
    best: dict[int, float] = {}
    for complex_ in chain.parts[-1]:
        compound = complex_.links[-1][1]
        for path in (step.value for step in compound.steps if isinstance(step, Path)):
            return [tree.resolve(each) for each in tree.similar(path, limit)]
        for at, score in _scores(compound, tree).items():
            best[at] = max(score, best.get(at, 0))
    exact = {node.uid for node in search(chain, tree)} if best else set()
    nodes = order_of(tree).nodes
    ranked = sorted(best, key=lambda at: (-best[at], at))
    return [nodes[at] for at in ranked if nodes[at].uid not in exact][:limit]


def _scores(compound: Compound, tree: Tree) -> dict[int, float]:
    """How much each node is like what is asked for; only those that are somewhat."""
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
    like_label = _Likeness([label for label in labels if label])
    like_name = _Likeness([name for name in names if name])
    scores: dict[int, float] = {}
    for at, node in enumerate(order_of(tree).nodes):
        same_role = node.role in roles
        score = 2 * max(
            like_label.of(node.name), like_label.of(shown(node)), like_label.of(node.native_class) * 0.9
        )
        # An id is often the name of the thing, and what people remember of it.
        score = max(score, *(2 * like_name.of(each) for each in ids(node)), 1.5 * like_name.of(node.name))
        if score or same_role:
            # Of two that are alike, the one that can be used was meant.
            scores[at] = score + same_role + 0.1 * node.visible + 0.05 * node.enabled
    return scores


class _Likeness:
    """How much texts are like some wanted ones, from 0 (too little to mention) to 1."""

    def __init__(self, wanted: list[str]) -> None:
        self.matchers: list[tuple[str, SequenceMatcher[str]]] = []
        for text in wanted:
            folded = text.casefold()[:_LONGEST]
            self.matchers.append((folded, SequenceMatcher(None, "", folded, autojunk=False)))
        self.known: dict[str, float] = {}

    def of(self, text: str | None) -> float:
        if not text or not self.matchers:
            return 0
        score = self.known.get(text)
        if score is None:
            folded = text.casefold()[:_LONGEST]
            score = self.known[text] = max(self.compare(folded, *each) for each in self.matchers)
        return score

    def compare(self, text: str, wanted: str, matcher: SequenceMatcher[str]) -> float:
        if text == wanted:
            return 1
        if len(wanted) > 2 and (wanted in text or (len(text) > 2 and text in wanted)):
            return 0.9
        matcher.set_seq1(text)
        if matcher.real_quick_ratio() < _SIMILAR or matcher.quick_ratio() < _SIMILAR:
            return 0
        ratio = matcher.ratio()
        return ratio * 0.9 if ratio >= _SIMILAR else 0


def _words(value: str | Regex) -> str:
    """A text, or the words that a regular expression consists of."""
    return (
        " ".join(re.findall(r"\w+", re.sub(r"\\.", " ", value.pattern)))
        if isinstance(value, Regex)
        else value
    )
