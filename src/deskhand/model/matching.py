"""What a selector finds in a tree.

Works from left to right on lists of positions, always in document order, so that every step costs
at most one pass over the nodes, and `:nth(…)` means the same wherever it stands.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from .errors import Ambiguous, NotFound
from .node import Node
from .order import Order, order_of
from .regex import MAX_SEARCHED, compiled, found_in, one_query
from .roles import WINDOW_ROLES
from .syntax import (
    ANY,
    ITSELF,
    Attribute,
    Chain,
    Complex,
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
    role_set,
)
from .traits import comparison, local_test, test_of
from .tree import Tree


def search(chain: Chain, tree: Tree, within: Node | None = None) -> list[Node]:
    """Everything that matches, in document order; below one node if one is given."""
    order = order_of(tree)
    scope = -1 if within is None else order.position.get(within.uid, -2)
    if scope == -2:
        return []
    nodes = order.nodes
    with one_query():
        return [nodes[at] for at in _Search(tree, order, scope).chain(chain)]


class _Search:
    """One search: remembers what nested selectors matched."""

    def __init__(self, tree: Tree, order: Order, scope: int) -> None:
        self.tree = tree
        self.order = order
        self.scope = scope
        self.nested: dict[Nested, set[int]] = {}

    # -- structure -------------------------------------------------------------------------------

    def chain(self, chain: Chain) -> list[int]:
        base = [self.scope]
        for part in chain.parts:
            base = self.union([self.complex(each, base) for each in part])
        return base

    def union(self, lists: list[list[int]]) -> list[int]:
        return lists[0] if len(lists) == 1 else sorted(set().union(*lists))

    def complex(self, complex_: Complex, base: list[int]) -> list[int]:
        for combinator, compound in complex_.links:
            if not base:
                break
            steps = compound.steps
            if combinator == ITSELF:
                base = self.narrow(steps, [at for at in base if at >= 0])
                continue
            seeds = self.seeds(steps[0])
            found = self.related(combinator, base, seeds)
            base = self.narrow(steps if seeds is None else steps[1:], found)
        return base

    def narrow(self, steps: Iterable[Step], found: Sequence[int]) -> list[int]:
        for step in steps:
            if not found:
                break
            found = self.step(step, found)
        return list(found)

    def seeds(self, step: Step) -> list[int] | None:
        """All that match a step for which there is an index; None if there is none."""
        order = self.order
        if isinstance(step, Role) and step != ANY:
            return self.union([order.by_role.get(role, []) for role in role_set(step.name)])
        if isinstance(step, Id):
            return order.by_id.get(step.value, [])
        if isinstance(step, Path):
            try:
                node = self.tree.resolve(step.value)
            except (NotFound, Ambiguous):
                return []
            return [order.position[node.uid]] if node.uid in order.position else []
        if isinstance(step, Attribute) and (uid := step.uid) is not None:
            return [order.position[uid]] if uid in order.position else []
        return None

    def related(self, combinator: str, base: list[int], seeds: list[int] | None) -> Sequence[int]:
        """Those of the seeds, or of all nodes, that have this relation to some node of the base."""
        order = self.order
        if combinator == " ":
            return self.below(base, seeds)
        pool = range(len(order.nodes)) if seeds is None else seeds
        if combinator == ">":
            parents, above = order.parents, set(base)
            return [at for at in pool if parents[at] in above]
        if combinator == "+":
            places, before = order.places, set(base)
            return [at for at in pool if places[at][1] in before]
        parents = order.parents
        firsts: dict[int, int] = {}
        for at in base:
            if at >= 0:
                firsts.setdefault(parents[at], at)
        return [at for at in pool if firsts.get(parents[at], at) < at]

    def below(self, base: list[int], seeds: list[int] | None) -> Sequence[int]:
        spans: list[tuple[int, int]] = []
        covered = -1
        for at in base:
            start, end = self.order.span(at)
            if end > covered:
                spans.append((start, end))
                covered = end
        if len(spans) == 1:
            (start, end) = spans[0]
            if seeds is None:
                return range(start, end)
            return seeds[bisect_left(seeds, start) : bisect_left(seeds, end)]
        found: list[int] = []
        for start, end in spans:
            if seeds is None:
                found += range(start, end)
            else:
                found += seeds[bisect_left(seeds, start) : bisect_left(seeds, end)]
        return found

    # -- steps -----------------------------------------------------------------------------------

    def step(self, step: Step, found: Sequence[int]) -> Sequence[int]:
        nodes = self.order.nodes
        if isinstance(step, Nth):
            at = step.index if step.index >= 0 else len(found) + step.index
            return [found[at]] if 0 <= at < len(found) else []
        if isinstance(step, Nested):
            return self.nest(step, found)
        if isinstance(step, Text):
            return self.texts(step, found)
        if isinstance(step, NthChild):
            places = self.order.places
            return [at for at in found if _is_nth(places[at][0], step)]
        if isinstance(step, Path) or (isinstance(step, Role) and step != ANY):
            known = set(self.seeds(step) or ())
            return [at for at in found if at in known]
        if isinstance(step, Role):
            return found
        if isinstance(step, State) and step.name in _PLACES:
            test_place = _PLACES[step.name]
            return [at for at in found if test_place(self.order, at)]
        if isinstance(step, Attribute) and step.name in ("path", "title"):
            return self.derived(step, found)
        test = test_of(step)
        return [at for at in found if test(nodes[at])]

    def derived(self, step: Attribute, found: Sequence[int]) -> list[int]:
        """For attributes that only the tree knows."""
        nodes = self.order.nodes
        if step.name == "path":
            values = {node.uid: path for node, path in self.tree.paths()}
        else:
            titles = {window.uid: window.title for window in self.tree.windows}
            values = {
                nodes[at].uid: titles.get(nodes[at].uid) or nodes[at].name or ""
                for at in found
                if nodes[at].uid in titles or nodes[at].role in WINDOW_ROLES
            }
        compare = comparison(step)
        return [at for at in found if compare((values.get(nodes[at].uid, ""),))]

    def texts(self, step: Text, found: Sequence[int]) -> list[int]:
        if step.kind == "has-text":
            return self.has_text(step.value, found)
        texts = self.order.texts
        if isinstance(step.value, Regex):
            pattern = compiled(step.value)
            hits = [at for at in found if texts[at] and found_in(texts[at], pattern)]
        else:
            wanted = " ".join(step.value.split())
            if step.kind == "text-is":
                hits = [at for at in found if texts[at] == wanted]
            else:
                wanted = wanted.casefold()
                hits = [at for at in found if texts[at] and wanted in texts[at].casefold()]
        # Of a node and the nodes in it, only the inner one: its text is what made the outer one match.
        ends = self.order.ends
        inner = [at for at, following in pairwise(hits) if following >= ends[at]]
        return inner + hits[-1:]

    def has_text(self, value: str | Regex, found: Sequence[int]) -> list[int]:
        if isinstance(value, Regex):
            pattern = compiled(value)
            return [at for at in found if found_in(self.text_below(at), pattern)]
        running, starts = self.order.folded_text
        ends = self.order.ends
        wanted = " ".join(value.split()).casefold()
        if not wanted:
            return list(found)
        hits: list[int] = []
        hit = running.find(wanted)
        while hit >= 0:
            hits.append(hit)
            hit = running.find(wanted, hit + 1)
        matching: list[int] = []
        for at in found:
            first = bisect_left(hits, starts[at])
            # The text of a node ends with a space that belongs to no node.
            if first < len(hits) and hits[first] + len(wanted) < starts[ends[at]]:
                matching.append(at)
        return matching

    def text_below(self, at: int) -> str:
        """The texts of a node and all below, as far as a regular expression is searched."""
        running, starts = self.order.running_text
        start, end = starts[at], starts[self.order.ends[at]] - 1
        return running[start : min(end, start + MAX_SEARCHED)] if end > start else ""

    # -- selectors in selectors ------------------------------------------------------------------

    def nest(self, step: Nested, found: Sequence[int]) -> list[int]:
        if step.kind != "has" and (test := local_test(step.chain)) is not None:
            nodes = self.order.nodes
            wanted = step.kind == "is"
            return [at for at in found if test(nodes[at]) == wanted]
        known = self.nested.get(step)
        if known is None:
            known = self.containers(step.chain) if step.kind == "has" else set(self.chain(step.chain))
            self.nested[step] = known
        if step.kind == "not":
            return [at for at in found if at not in known]
        return [at for at in found if at in known]

    def containers(self, chain: Chain) -> set[int]:
        """The nodes relative to which the chain finds something; from its end backwards."""
        wanted: set[int] | None = None
        every = range(len(self.order.nodes))
        for part in reversed(chain.parts):
            scopes: set[int] = set()
            for complex_ in part:
                inner = wanted
                for combinator, compound in reversed(complex_.links):
                    seeds = self.seeds(compound.steps[0])
                    steps = compound.steps if seeds is None else compound.steps[1:]
                    hits = self.narrow(steps, every if seeds is None else seeds)
                    if inner is not None:
                        hits = [at for at in hits if at in inner]
                    inner = self.inverse(combinator, hits)
                scopes |= inner or set()
            wanted = scopes
        return wanted or set()

    def inverse(self, combinator: str, hits: list[int]) -> set[int]:
        """All nodes to which one of the hits has this relation."""
        parents, places = self.order.parents, self.order.places
        found: set[int] = set()
        if combinator == ITSELF:
            return set(hits)
        if combinator == ">":
            return {parents[at] for at in hits}
        if combinator == "+":
            return {places[at][1] for at in hits}
        for at in hits:
            step = parents[at] if combinator == " " else places[at][1]
            while step >= 0 and step not in found:
                found.add(step)
                step = parents[step] if combinator == " " else places[step][1]
        return found


_PLACES: dict[str, Callable[[Order, int], bool]] = {
    "root": lambda order, at: order.parents[at] < 0,
    "first-child": lambda order, at: order.places[at][1] < 0,
    "last-child": lambda order, at: at in order.lasts,
    "only-child": lambda order, at: order.places[at][1] < 0 and at in order.lasts,
    "empty": lambda order, at: order.ends[at] == at + 1 and _is_empty(order.nodes[at]),
}


def _is_empty(node: Node) -> bool:
    return not node.child_count and not node.text and not node.value


def _is_nth(place: int, step: NthChild) -> bool:
    rest = place - step.offset
    return rest == 0 if not step.step else rest % step.step == 0 and rest // step.step >= 0
