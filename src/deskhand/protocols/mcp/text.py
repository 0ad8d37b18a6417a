"""A snapshot as text for a model: what can be operated first, within a number of tokens.

Says less than the JSON on purpose. A closed menu is one line, long runs of rows and cells without content are
counted, and the rest is cut where the tokens end. Every cut is reported with the call that shows more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NamedTuple

from ...model.node import Node
from ...model.record import dataclass
from ...model.roles import MENUS
from .node import (
    cut,
    draws_itself,
    flags_of,
    flat,
    held_of,
    hint_of,
    id_of,
    is_interactive,
    is_plain,
    kind_of,
    label_of,
    line_of,
    value_of,
)
from .scene import Scene, Stage
from .snapshot import ENDS, MAX_DEPTH, UNTRUSTED, Row, Shown, Wanted, choose, left_out

MAX_TOKENS = 3000
"""How many tokens a snapshot has unless another number is given."""
_TOKEN = 2.5
"""How many characters make a token: less than in prose (4), because of the references."""
_ATTEMPTS = 5
"""How often it is tried to keep within the number of tokens."""
_LISTED = 20
_OPTIONS = 8
_MOST_OPTIONS = 100
"""How many options are listed of the node that was asked for by itself."""
_LONG = 20
"""A run of more rows than this is cut."""
_IN = 30
"""How much is said of what a match is in."""
_KEPT = 12
"""How many rows of a long run are listed."""
_TWINS = 8
"""A run of more nodes than this that look the same is cut."""
_SHOWN_TWINS = 3

_ENTRIES = frozenset((*MENUS, "separator")) - {"menu-bar"}
_OPENERS = _ENTRIES | {"button", "toggle-button", "split-button", "disclosure-triangle"}
"""Roles of what opens a menu."""
_CHOICES = frozenset((*_ENTRIES, "list-box", "list", "list-box-option", "list-item"))
"""Roles of what is in the list of a combo box."""
_CELLS = frozenset(("cell", "grid-cell"))
_ROWS = _CELLS | {"list-item", "list-box-option", "tree-item", "row", "menu-list-option"}
_TEXTS = frozenset(("text", "label-text", "paragraph", "text-run", "heading", "caption"))


class Fold(NamedTuple):
    """A line that stands for nodes which are counted, below one that is shown."""

    above: str
    level: int
    text: str


@dataclass(frozen=True)
class Page:
    """A snapshot as text."""

    shown: Shown
    """The nodes that have a line. What was folded counts as left out."""
    tree: str
    notes: str


def page(scene: Scene, stages: Sequence[tuple[Stage, Node]], wanted: Wanted, *, others: bool) -> Page:
    """What is below these nodes; `others` names the windows that are not among them."""
    whole = _whole(scene, stages, wanted)
    if others:
        whole = whole.beside(scene)
    folds = [_Folded.plain(rows) if wanted.full else _fold(scene, rows) for _, rows in whole.rows]
    limit = MAX_TOKENS if wanted.max_tokens is None else wanted.max_tokens
    room = limit * _TOKEN
    budget = _Budget(whole, folds, wanted, limit)
    for _ in range(_ATTEMPTS):
        shown, folded = budget.take(room)
        tree, notes = _tree(shown, folds), _notes(scene, shown, folds)
        # What is said about the nodes, and about those that are missing, costs tokens too.
        over = len(tree) + len(notes) - limit * _TOKEN
        if over <= 0 or room <= 0:
            break
        room = max(room - over, 0.0)
    below = dict(shown.below)
    for uid, count in folded.items():
        below[uid] = below.get(uid, 0) + count
    return Page(replace(shown, below=below), tree, notes)


def _whole(scene: Scene, stages: Sequence[tuple[Stage, Node]], wanted: Wanted) -> Shown:
    """All that could be shown."""
    if wanted.max_nodes is None and wanted.max_tokens is None:
        shown = choose(scene, stages, wanted)  # which the JSON needs as well
        if wanted.text_depth is None or not shown.below:
            return shown
    depth = wanted.depth if wanted.text_depth is None else wanted.text_depth
    return choose(scene, stages, Wanted(wanted.full, depth))


def matches(scene: Scene, found: Sequence[Node], limit: int) -> str:
    """The nodes that a query found, a line for each, with what they are in."""
    lines = []
    for node in found[:limit]:
        line = _with_state(node, line_of(node))
        around = (above for above in scene.tree.ancestors(node) if above.parent is not None)
        above = next((above for above in around if label_of(above)), None)
        lines.append(line if above is None else f"{line} in {kind_of(above)} {_quoted(label_of(above))}")
    if len(found) > limit:
        lines.append(f"{len(found) - limit} more; a limit above {limit} shows them")
    return "\n".join(lines) or "no match"


def _value(node: Node, options: int = _OPTIONS, *, listed: bool = False) -> str | None:
    """What a node holds; without its options where they have lines of their own."""
    if listed and node.role != "combo-box":
        node = node.changed(options=())
    return value_of(node, options)


def _with_state(node: Node, line: str, *, listed: bool = False) -> str:
    """A line with what the node holds and its states."""
    value, states = _value(node, listed=listed), " ".join(flags_of(node))
    return line + (f" = {value}" if value else "") + (f" {states}" if states else "")


class Lines:
    """The lines that nodes have in a snapshot of all windows with room for all of them."""

    def __init__(self, scene: Scene) -> None:
        whole = choose(scene, [(stage, stage.root) for stage in scene.stages], Wanted(depth=MAX_DEPTH))
        self._about: dict[str, str] = {}
        self._listed: set[str] = set()
        self._every: set[str] = set()
        self._above: set[str | None] = set()
        self._folds: dict[str, list[str]] = {}
        for _, rows in whole.rows:
            folded = _fold(scene, rows)
            self._every.update(row.node.uid for row in rows)
            self._about.update(folded.about)
            self._listed.update(row.node.uid for row in folded.rows())
            self._above.update(row.above for row in folded.rows())
            for item in folded.items:
                if isinstance(item, Fold):
                    self._folds.setdefault(item.above, []).append(item.text)

    def has(self, node: Node) -> bool:
        """Whether it has a line, and is not one of those that are counted."""
        return node.uid in self._listed

    def counts(self, node: Node) -> bool:
        """Whether it is one of those that are counted, or that another line says."""
        return node.uid in self._every and node.uid not in self._listed

    def of(self, node: Node) -> str:
        """Its line, with what it holds and its states."""
        line = " ".join(filter(None, (line_of(node), self._about.get(node.uid))))
        return _with_state(node, line, listed=node.uid in self._above)

    def counted(self, node: Node) -> Sequence[str]:
        """What is said below a node of those that are counted."""
        return self._folds.get(node.uid, ())


def rank(node: Node) -> int:
    """How much a model needs a node, from 0: what it can operate, then what else is on the screen."""
    operable = is_interactive(node) and node.role not in _ROWS
    if is_on_screen(node) or node.focused:
        return 0 if operable or node.focused else 1
    return 2 if operable else 3


def is_on_screen(node: Node) -> bool:
    """Whether it can be seen, and so is neither scrolled away nor in a closed menu."""
    return node.visible and not node.offscreen and node.bounds is not None


# -- folding -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Folded:
    """What is left of the rows of a stage, and what stands for the others."""

    items: list[Row | Fold]
    about: dict[str, str] = field(default_factory=dict)
    """What follows the line of a node, by its uid."""
    counts: dict[str, int] = field(default_factory=dict)
    """How many nodes were folded below a node, by its uid."""
    menus: list[str] = field(default_factory=list)
    """The closed menus."""
    runs: list[str] = field(default_factory=list)
    """The nodes below which rows or cells are counted."""

    @staticmethod
    def plain(rows: Sequence[Row]) -> _Folded:
        """All of them."""
        return _Folded(list(rows))

    def rows(self) -> Iterator[Row]:
        return (item for item in self.items if isinstance(item, Row))


def _fold(scene: Scene, rows: Sequence[Row]) -> _Folded:
    return _Folding(scene, rows).folded


class _Folding:
    """Goes through the rows of a stage from the top, and leaves out what says little."""

    def __init__(self, scene: Scene, rows: Sequence[Row]) -> None:
        self._scene = scene
        self._kids: dict[str, list[Node]] = defaultdict(list)
        for row in rows[1:]:
            assert row.above is not None, "only the first has nothing above it"
            self._kids[row.above].append(row.node)
        self.folded = _Folded([rows[0]])
        self._below(rows[0].node, 1, root=rows[0].node)

    def _below(self, node: Node, level: int, root: Node) -> None:
        kids = list(self._lifted(node, node if node is not root or node.parent is not None else None))
        if node.options and node.role == "combo-box":
            # Its options are among the values; what is open is operated.
            kids = [kid for kid in kids if kid.role not in _CHOICES or is_on_screen(kid)]
        empty = [kid for kid in kids if self._is_empty(kid)]
        units = self._units(node, [kid for kid in kids if kid.role in _ROWS and not self._is_empty(kid)])
        kept = self._kept(units, all_of_them=node is root and root.parent is not None)
        gone = {kid.uid for at, unit in enumerate(units) if at not in kept for kid in unit}
        gone.update(kid.uid for kid in empty)
        twins = self._twins(kids)
        last = max((at for at, kid in enumerate(kids) if kid.role in _ROWS), default=-1)
        for at, kid in enumerate(kids):
            if at in twins:
                self._count_twins(node, level, kid, twins[at])
            elif kid.uid not in gone:
                self._add(kid, node, level, root)
            if at == last and gone:
                self._count(node, level, [unit for at, unit in enumerate(units) if at not in kept], empty)

    def _twins(self, kids: Sequence[Node]) -> dict[int, int]:
        """Where a run of nodes that look the same is cut: how many more there are, and 0 for each of them."""
        found: dict[int, int] = {}
        start = 0
        for at in range(1, len(kids) + 1):
            if at < len(kids) and self._is_twin(kids[at], kids[start]):
                continue
            if at - start > _TWINS:
                found[start + _SHOWN_TWINS] = at - start - _SHOWN_TWINS
                found.update(dict.fromkeys(range(start + _SHOWN_TWINS + 1, at), 0))
            start = at
        return found

    def _is_twin(self, node: Node, other: Node) -> bool:
        """Whether the line of a node says the same as that of another."""
        return (
            node.role == other.role
            and node.role not in _ROWS
            and node.uid not in self._kids
            and other.uid not in self._kids
            and (label_of(node), id_of(node)) == (label_of(other), id_of(other))
            and tuple(flags_of(node)) == tuple(flags_of(other))
        )

    def _count_twins(self, above: Node, level: int, node: Node, count: int) -> None:
        if count:
            what = " ".join(filter(None, (kind_of(node), _quoted(label_of(node)))))
            self.folded.items.append(Fold(above.uid, level, f"… {count} more {what}, which ui_query finds"))
            self.folded.counts[above.uid] = self.folded.counts.get(above.uid, 0) + count

    def _add(self, kid: Node, above: Node, level: int, root: Node) -> None:
        folded = self.folded
        folded.items.append(Row(kid, above.uid, level))
        inside = kid.uid in self._kids
        entries = self._entries(kid) if inside and kid.role in _OPENERS else 0
        if entries > 0:
            folded.about[kid.uid] = f"({entries} {'entry' if entries == 1 else 'entries'}, closed)"
            folded.counts[kid.uid] = self._size(kid)
            folded.menus.append(kid.uid)
            return
        if kid.role in _CELLS and kid.name and kid.name not in flat(label_of(kid)):
            folded.about[kid.uid] = f"({flat(kid.name)})"  # such as B7, next to what is in it
        elif (draws_itself(kid) or _is_blank(kid)) and kid.bounds is not None:
            folded.about[kid.uid] = f"({kid.bounds.width:.0f}x{kid.bounds.height:.0f}, use ui_screenshot)"
        if inside:
            self._below(kid, level + 1, root)

    def _count(self, above: Node, level: int, more: list[list[Node]], empty: list[Node]) -> None:
        """Say how many rows and cells are not listed."""
        folded = self.folded
        count = sum(1 + self._size(kid) for unit in more for kid in unit) + len(empty)
        folded.counts[above.uid] = folded.counts.get(above.uid, 0) + count
        folded.runs.append(above.uid)
        if more:
            noun = "rows" if more[0][0].role in (*_CELLS, "row") else "items"
            folded.items.append(Fold(above.uid, level, f"… {len(more)} more {noun}"))
        if empty:
            names = [flat(label_of(kid)) for kid in (empty[0], empty[-1])]
            span = f', "{names[0]}" to "{names[1]}"' if all(names) and len(empty) > 1 else ""
            cells = "cell" if len(empty) == 1 else "cells"
            folded.items.append(Fold(above.uid, level, f"… {len(empty)} empty {cells}{span}"))

    def _lifted(self, node: Node, above: Node | None) -> Iterator[Node]:
        """The nodes below one; what is below those that say nothing instead of them.

        `above` is the node whose line they are below; None for a window, whose title says nothing of them.
        """
        for kid in self._kids.get(node.uid, ()):
            if self._is_idle(kid, node) or (above is not None and self._is_inner(kid, above)):
                yield from self._lifted(kid, above)
            elif above is None or not _repeats(kid, above):
                yield kid

    def _is_inner(self, kid: Node, above: Node) -> bool:
        """Whether it is the button in a button, of which GTK 4 makes one with a menu."""
        return (
            kid.role == above.role
            and kid.role in _OPENERS
            and len(self._kids[above.uid]) == 1
            and not kid.focused
            and (label_of(kid) or hint_of(kid)) == (label_of(above) or hint_of(above))
        )

    def _is_idle(self, kid: Node, above: Node) -> bool:
        """Whether only what is in a node says anything."""
        if kid.focused:
            return False
        if label := label_of(kid):
            return kid.role == "scroll-bar" or (kid.role in _TEXTS and self._names_a_field(kid, label))
        if kid.role in _CELLS:
            return not held_of(kid) and kid.checked is None and not kid.editable
        if kid.role == "menu":
            return above.role in _OPENERS or above.role == "combo-box"
        return kid.role in ("scroll-bar", "splitter")

    def _names_a_field(self, text: Node, label: str) -> bool:
        """Whether it only says what the field in it is called."""
        fields = [kid for kid in self._kids.get(text.uid, ()) if is_interactive(kid)]
        return any(flat(label).rstrip(ENDS) == flat(label_of(kid)).rstrip(ENDS) for kid in fields)

    def _is_empty(self, node: Node) -> bool:
        """Whether it is a cell with nothing in it."""
        return (
            node.role in _CELLS
            and node.editable
            and not held_of(node)
            and not node.focused
            and node.checked is None
            and node.uid not in self._kids
        )

    def _entries(self, node: Node) -> int:
        """How many entries a closed menu has; -1 if it is open, or holds something else."""
        count = 0
        for kid in self._kids.get(node.uid, ()):
            inner = self._entries(kid)
            if inner < 0 or kid.role not in _ENTRIES or is_on_screen(kid):
                return -1
            count += inner + (1 if label_of(kid) and kid.role != "separator" else 0)
        return count

    def _size(self, node: Node) -> int:
        """How many rows are below a node."""
        return sum(1 + self._size(kid) for kid in self._kids.get(node.uid, ()))

    def _units(self, above: Node, nodes: Sequence[Node]) -> list[list[Node]]:
        """Rows, each with its cells."""
        units: dict[object, list[Node]] = {}
        for node in nodes:
            units.setdefault(self._row(node, above), []).append(node)
        return list(units.values())

    def _row(self, node: Node, above: Node) -> object:
        """What all cells of a row have in common: the node they are in, or else how high they are."""
        if node.role not in _CELLS:
            return node.uid
        at: Node | None = self._scene.tree.get(node.parent)
        while at is not None and at is not above:
            if at.role == "row":
                return at.uid
            at = self._scene.tree.get(at.parent)
        return node.uid if node.bounds is None else node.bounds.y + node.bounds.height / 2

    def _kept(self, units: Sequence[Sequence[Node]], *, all_of_them: bool) -> set[int]:
        """Which rows of a run are listed: the first, and those that are chosen."""
        if all_of_them or len(units) <= _LONG:
            return set(range(len(units)))
        chosen = {at for at, unit in enumerate(units) if any(node.focused or node.selected for node in unit)}
        return {*range(_KEPT), *sorted(chosen)[:_KEPT]}


def _is_blank(node: Node) -> bool:
    """Whether it is a choice of which nothing is known, as a GtkComboBox of GTK 4 is."""
    return node.role == "combo-box" and not (label_of(node) or held_of(node) or node.options)


def _quoted(text: str | None) -> str:
    return f'"{cut(flat(text), _IN)}"' if text else ""


def _repeats(node: Node, above: Node) -> bool:
    """Whether it is a text that the line above it says too."""
    if node.role not in _TEXTS or node.automation_id or node.child_count:
        return False
    text, label = flat(node.text or node.name), flat(label_of(above))
    return bool(text) and text in label


# -- keeping within the tokens -------------------------------------------------------------------


class _Budget:
    """Takes as many rows as there is room for: what can be operated first, each with all that it is in."""

    def __init__(self, whole: Shown, folds: Sequence[_Folded], wanted: Wanted, limit: int) -> None:
        self._whole, self._folds = whole, folds
        self._most = float("inf") if wanted.max_nodes is None else wanted.max_nodes
        self._limits = f"beyond {wanted.max_nodes} nodes", f"beyond {limit} tokens"
        self._about = {uid: len(text) + 1 for folded in folds for uid, text in folded.about.items()}
        self._costs: dict[str, int] = {}
        self._rows: dict[str, Row] = {}
        by_rank: dict[tuple[int, int], list[Row]] = defaultdict(list)
        for (stage, _), folded in zip(whole.rows, folds, strict=True):
            urgency = _urgency(stage)
            for row in folded.rows():
                self._rows[row.node.uid] = row
                by_rank[urgency, rank(row.node)].append(row)
        self._order = [row for each in sorted(by_rank) for row in by_rank[each]]

    def take(self, room: float) -> tuple[Shown, dict[str, int]]:
        """What fits into so many characters; and how many nodes were folded below what is shown."""
        rows = self._rows
        taken = {row.node.uid for row in self._order if row.above is None}
        room -= sum(self._cost(rows[uid]) for uid in taken)
        why = ""
        for row in self._order:
            chain = []
            at: Row | None = row
            while at is not None and at.node.uid not in taken:
                chain.append(at)
                at = None if at.above is None else rows[at.above]
            cost = sum(map(self._cost, chain))
            if chain and (len(taken) + len(chain) > self._most or cost > room):
                why = self._limits[0 if cost <= room else 1]
                break
            taken.update(each.node.uid for each in chain)
            room -= cost
        whole = self._whole
        kept = tuple(
            (stage, tuple(row for row in folded.rows() if row.node.uid in taken))
            for (stage, _), folded in zip(whole.rows, self._folds, strict=True)
        )
        reason = " and ".join(filter(None, (whole.reason, why)))
        shown = replace(whole.fresh(), rows=kept, below=self._left(taken), reason=reason)
        counts = {uid: count for each in self._folds for uid, count in each.counts.items() if uid in taken}
        return shown, counts

    def _left(self, taken: set[str]) -> dict[str, int]:
        """How many rows were not taken, by the node that is shown and that they are below."""
        deeper = self._whole.below
        below = {uid: count for uid, count in deeper.items() if uid in taken}
        if len(taken) == len(self._rows):
            return below
        place: dict[str | None, str | None] = {}
        for uid, row in self._rows.items():
            if uid in taken:
                place[uid] = uid
            else:
                place[uid] = at = place[row.above]
                assert at is not None, "the first row is always taken"
                below[at] = below.get(at, 0) + 1 + deeper.get(uid, 0)
        return below

    def _cost(self, row: Row) -> int:
        node = row.node
        known = self._costs.get(node.uid)
        if known is None:
            known = self._costs[node.uid] = _cost(row) + self._about.get(node.uid, 0)
        return known


def _urgency(stage: Stage) -> int:
    """Which windows come first: those that have the keyboard, and what is open above them."""
    return 0 if stage.window.focused or stage.window.modal or stage.is_popup else 1


def _cost(row: Row) -> int:
    """How many characters are said of a node."""
    node = row.node
    cost = 2 * (row.level + 1) + len(line_of(node)) + 1
    if is_plain(node):
        return cost
    value = _value(node)
    cost += sum(len(node.uid) + 1 for _ in flags_of(node))
    return cost if value is None else cost + len(value) + len(node.uid) + 4


# -- writing -------------------------------------------------------------------------------------


def _tree(shown: Shown, folds: Sequence[_Folded]) -> str:
    """The contract's text tree: a line for each stage and each node."""
    lines = []
    for (stage, rows), folded in zip(shown.rows, folds, strict=True):
        parts = [f"Stage[{stage.index}]", _title(stage), "(focused)" if stage.window.focused else ""]
        lines.append(" ".join(filter(None, parts)))
        there = {row.node.uid for row in rows}
        for item in folded.items:
            if isinstance(item, Fold):
                if item.above in there:
                    lines.append("  " * (item.level + 1) + item.text)
            elif item.node.uid in there:
                about = folded.about.get(item.node.uid)
                line = "  " * (item.level + 1) + line_of(item.node)
                lines.append(line if about is None else f"{line} {about}")
    return "\n".join(lines)


def _title(stage: Stage) -> str:
    return flat(stage.window.title)


def _notes(scene: Scene, shown: Shown, folds: Sequence[_Folded]) -> str:
    """What the text tree has no room for: values and states by uid, and what was left out."""
    first = f"revision {scene.tree.revision}. {UNTRUSTED}"
    return "\n".join((
        first, *_states(shown.rows), *_apps(scene), *_fold_lines(shown, folds),
        *_left_out_lines(left_out(scene, shown)),
    ))  # fmt: skip


def _apps(scene: Scene) -> Iterator[str]:
    """Which app each window belongs to, if they are not all of one."""
    if len({stage.window.pid for stage in scene.stages}) > 1:
        owners = [
            f"Stage[{stage.index}] {flat(stage.window.app_name) or '?'}" for stage in scene.stages[:_LISTED]
        ]
        yield f"apps: {', '.join(owners)}"


def _states(stages: Iterable[tuple[Stage, Iterable[Row]]]) -> Iterator[str]:
    flags: dict[str, list[str]] = {}
    every = [row for _, rows in stages for row in rows]
    above = {row.above for row in every}
    for row in every:
        node = row.node
        if is_plain(node):
            continue
        for name in flags_of(node):
            flags.setdefault(name, []).append(node.uid)
        limit = _OPTIONS if row.above is not None else _MOST_OPTIONS
        value = _value(node, limit, listed=node.uid in above)
        if value is not None:
            yield f"{node.uid} = {value}"
    for name, uids in flags.items():
        yield f"{name}: {' '.join(uids)}"


def _fold_lines(shown: Shown, folds: Sequence[_Folded]) -> Iterator[str]:
    """How to see what is folded."""
    there = {node.uid for node in shown.nodes()}
    menus = [uid for folded in folds for uid in folded.menus if uid in there]
    windows = {stage.root.uid for stage, _ in shown.rows}
    runs = [uid for folded in folds for uid in folded.runs if uid in there]
    runs.sort(key=lambda uid: uid in windows)
    if menus:
        yield (
            f'closed menus: {{"root":"{menus[0]}"}} lists the entries of one; ui_query finds entries of '
            'closed menus too, and ui_perform clicks one without opening its menu, by uid or {"text":…}'
        )
    if runs:
        how = "" if runs[0] in windows else f'{{"root":"{runs[0]}"}} lists them, '
        yield f"rows only counted: {how}ui_query and targets find any row or cell by its name"


def _left_out_lines(left: Mapping[str, Any] | None) -> Iterator[str]:
    if left is None:
        return
    if left["hidden"]:
        yield f'{left["hidden"]} hidden nodes left out; {{"mode":"full"}} has them'
    if "at" in left:
        places = ", ".join(f"{place['nodes']} below {place['uid']}" for place in left["at"])
        if "further" in left:
            places += f", {left['further']['nodes']} in {left['further']['places']} other places"
        more = "; a larger maxTokens shows more at once" if "tokens" in left["reason"] else ""
        yield f"{left['nodes']} nodes {left['reason']} left out: {places}; {left['how']}{more}"
    if "stages" in left:
        titles = ", ".join(
            f"Stage[{stage['stageIndex']}] {flat(stage['title']) or '(untitled)'}" for stage in left["stages"]
        )
        yield f'windows not shown: {titles}; {{"stage":"all"}} or {{"stageIndex":…}} shows them'
    if "unread" in left:
        yield f"{left['unread']['nodes']} not read: {left['unread']['reason']}"
