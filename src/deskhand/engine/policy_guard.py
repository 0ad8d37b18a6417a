"""Lets clients do only what a policy allows, asks a person where it says so, and records every operation.

A guard is put around a runner, so it is the same for every protocol and toolkit. An action is decided on
after its target is resolved, and is then performed on that very element: if the element has become something
else by then, the engine refuses it and it is decided again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import field, replace
from typing import Any, Protocol, TypeVar, cast

from ..model import operations as ops
from ..model.deadline import Deadline
from ..model.errors import Changed, DeskhandError, NotFound, Refused
from ..model.keys import parse as parse_keys
from ..model.node import Node
from ..model.operations import NAMES, Action, Cancel, Compound, Operation, Runner
from ..model.policy import Ask, Attempt, Policy, Reach, Verdict, asked_by_client, asking
from ..model.record import dataclass
from ..model.tree import Tree
from . import compound

R = TypeVar("R")

_POINTER = (ops.Click, ops.MouseDown, ops.MouseUp, ops.Drag)
_LISTED = 80
"""How much of a name the log and the questions repeat."""


class Record(Protocol):
    """Keeps what was done. Raises a DeskhandError if it cannot."""

    def __call__(self, entry: AuditEntry) -> None: ...

    def check(self) -> None:
        """Before an operation: raise if it could not be kept, so that it is not done."""

    def close(self) -> None: ...


@dataclass
class AuditEntry:
    """What is recorded of one operation: never a value."""

    client: str
    operation: str
    token: str | None = None
    """What the token of the client is called; None where none is asked for."""
    target: str | None = None
    decision: str = "allow"
    rule: str | None = None
    outcome: str = "done"
    time: float = field(default_factory=time.time)


class Guard:
    """Decides, asks and records, for all clients of one server. Thread-safe."""

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        ask: Ask | None = None,
        record: Record | None = None,
        names: Callable[[int], Iterable[str]] = lambda _: (),
        token: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`names` gives what a process is called, by its id; `token` what that of the client that is served
        now is called."""
        self.policy = policy or Policy()
        self.ask = ask
        self.watched_by: Callable[[], Ask | None] = lambda: None
        """Gives how a person is asked who watches what clients do, if one does: before any other person."""
        self.record = record
        self.names = names
        self._token = token

    def around(self, runner: Runner, client: str, app: str | None = None) -> Guarded:
        """The runner for clients of one kind; `app` is what its app is called, if it is one."""
        return Guarded(self, runner, client, app)

    def close(self) -> None:
        """Wait until all is recorded."""
        if self.record is not None:
            self.record.close()

    @contextmanager
    def permitted(self, client: str, operation: str, target: str | None = None) -> Iterator[None]:
        """Do what no runner does, such as launching an app. Raises Refused if it is not allowed."""
        with self.recorded(client, operation) as entry:
            entry.target = target
            self.insist(Attempt(operation), target or "", entry)
            yield

    def insist(self, attempt: Attempt, what: str, entry: AuditEntry) -> None:
        """Raise Refused if it is not allowed, or if a person was asked and did not say yes."""
        verdict = self.policy.decide(attempt)
        entry.decision = verdict.decide
        entry.rule = None if verdict.rule is None else str(verdict.rule)
        if verdict.decide == "allow":
            return
        wanted = f"{attempt.operation} {what}".rstrip()
        if verdict.decide == "deny":
            raise _refused(wanted, "the policy denies it", verdict)
        ask = self.watched_by() or asked_by_client.get() or self.ask
        with asking.get() or nullcontext():
            answer = None if ask is None else ask(f"{wanted}?", self.policy.ask_timeout)
        entry.decision = "ask: yes" if answer else "ask: no"
        if not answer:
            reason = "the person who was asked said no" if answer is False else "no person allowed it in time"
            raise _refused(wanted, reason, verdict)

    @contextmanager
    def recorded(self, client: str, operation: str) -> Iterator[AuditEntry]:
        """Record how it ends."""
        if self.record is not None:
            self.record.check()
        entry = AuditEntry(client, operation, self._token())
        try:
            yield entry
        except DeskhandError as error:
            entry.outcome = error.kind
            raise
        except BaseException as error:
            entry.outcome = type(error).__name__
            raise
        finally:
            if self.record is not None:
                self.record(entry)


class Guarded:
    """Runs what is allowed of one runner's operations. A Runner."""

    def __init__(self, guard: Guard, runner: Runner, client: str, app: str | None) -> None:
        self._guard = guard
        self._runner = runner
        self._client = client
        self._app = app

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation, if that is allowed."""
        if isinstance(operation, Compound):
            return cast("R", compound.run(self, operation, cancel))  # each operation of it is decided on
        if isinstance(operation, (ops.MayRead, ops.MayAct)):
            # It does nothing, so there is nothing to decide or to record.
            return cast("R", self._runner.run(operation, cancel))
        name = NAMES[type(operation)]
        with self._guard.recorded(self._client, name) as entry:
            if isinstance(operation, Action):
                return cast("R", self._act(operation, name, entry, cancel))
            entry.target = _without_texts(getattr(operation, "target", None))
            self._guard.insist(self._question(operation, name), "", entry)
            return self._runner.run(operation, cancel)

    def verdict(self, action: Action) -> tuple[str, Verdict]:
        """What an action is about, and what would be decided; nothing is done."""
        _, reaches = self._aim(action, Deadline(action.timeout))
        attempt = Attempt(NAMES[type(action)], reaches=reaches)
        return self._describe(reaches, action), self._guard.policy.decide(attempt)

    def close(self) -> None:
        """Let go of the app."""
        self._runner.close()

    def _question(self, operation: Operation[Any], name: str) -> Attempt:
        """What does not act reaches everything that is there, as far as a rule is about it at all."""
        if not self._guard.policy.needs_target(name, operation.acts):
            return Attempt(name, operation.acts)
        tree = self._read()
        return Attempt(name, operation.acts, tuple(self._reach(tree, node) for node in tree))

    def _act(self, action: Action, name: str, entry: AuditEntry, cancel: Cancel | None) -> object:
        guard = self._guard
        if guard.record is None and not guard.policy.needs_target(name, acts=True):
            guard.insist(Attempt(name), action.target or "", entry)
            return self._runner.run(action, cancel)
        deadline = Deadline(action.timeout, cancel)
        while True:
            sure, reaches = self._aim(action, deadline)
            entry.target = self._describe(reaches, action)
            began = time.monotonic()
            guard.insist(Attempt(name, reaches=reaches), entry.target, entry)
            # A person who was asked takes as long as it takes; the action has its own time.
            deadline = Deadline(deadline.timeout + time.monotonic() - began, cancel)
            try:
                return self._runner.run(replace(sure, timeout=deadline.remaining), cancel)
            except Changed:
                if deadline.passed:
                    raise
            except DeskhandError as error:
                if error.target == sure.target:
                    error.target = action.target
                raise

    # -- what an action may reach ----------------------------------------------------------------

    def _aim(self, action: Action, deadline: Deadline) -> tuple[Action, tuple[Reach, ...]]:
        """The action on the very element that it is about, and all that it may reach."""
        node = end = None
        if action.target is not None:
            node = self._runner.run(ops.Get(action.target, timeout=deadline.remaining))
        if isinstance(action, ops.Drag) and action.to is not None:
            end = self._runner.run(ops.Get(action.to, timeout=deadline.remaining))
        tree = self._read(internals=any(each is not None and each.internal for each in (node, end)))
        reached = list(self._reached(tree, action, _in(tree, node)))
        if isinstance(action, ops.Drag):
            reached += self._at_point(tree, _in(tree, end), action.to_x, action.to_y)
            if end is not None:
                action = replace(action, to=f"uid={end.uid}")
        if node is not None:
            now = _in(tree, node)
            assert now is not None
            action = replace(action, target=f"uid={node.uid}", sure=now.identity)
        # Each once: a node may be reached in several ways.
        nodes = {each.uid: each for each in reached}
        reaches = [self._reach(tree, each) for each in nodes.values()]
        if isinstance(action, ops.Select):
            reaches += [_chosen(text, reaches[0]) for text in _texts(action, nodes.values())]
        return action, tuple(reaches)

    def _reached(self, tree: Tree, action: Action, node: Node | None) -> Iterable[Node]:
        if isinstance(action, _POINTER):
            return self._at_point(tree, node, action.x, action.y)
        if isinstance(action, (ops.Key, ops.TypeText)):
            return _by_keys(tree, action, node if node is not None else tree.get(tree.focused))
        if isinstance(action, ops.Select) and node is not None:
            return (node, *tree.descendants(node))
        return tree.nodes if node is None else (node,)

    def _at_point(self, tree: Tree, node: Node | None, x: float | None, y: float | None) -> list[Node]:
        """What a click may hit: a node and what is in it, or whatever is at a point, however many windows."""
        reached = [] if node is None else [node, *tree.descendants(node)]
        if x is None or y is None:
            return reached or list(tree.nodes)
        if node is not None and node.bounds is not None:
            x, y = x + node.bounds.x, y + node.bounds.y
        return [*reached, *(each for each in tree if _covers(each, x, y))] or list(tree.nodes)

    def _reach(self, tree: Tree, node: Node) -> Reach:
        chain = (node, *tree.ancestors(node))
        window = tree.window(chain[-1].uid)
        known = [self._app]
        if window is not None:
            known += [window.app_name, *self._guard.names(window.pid)]
        title = chain[-1].name if window is None else window.title
        return Reach(tuple(dict.fromkeys(name for name in known if name)), title, chain)

    def _read(self, *, internals: bool = False) -> Tree:
        tree = self._runner.run(ops.ReadTree(internals=internals)).tree
        assert tree is not None, "nothing else was asked for"
        return tree

    def _describe(self, reaches: tuple[Reach, ...], action: Action) -> str:
        """What an action is about, for people."""
        if action.target is None and isinstance(action, _POINTER) and action.x is not None:
            return f"at {action.x:g},{action.y:g}"
        if action.target is None and not isinstance(action, (ops.Key, ops.TypeText)):
            return "the app"
        if not reaches:
            return "whatever has the focus"
        first = reaches[0]
        app = f" of {first.apps[0]}" if first.apps else ""
        where = f' in "{_short(first.window)}"' if first.window and len(first.nodes) > 1 else ""
        node = first.nodes[0]
        return (
            f'{node.role} "{_short(label)}"{where}{app}' if (label := _label(node)) else f"{node}{where}{app}"
        )


def _in(tree: Tree, node: Node | None) -> Node | None:
    """The same node as it is in the tree. NotFound if it is gone."""
    if node is None:
        return None
    found = tree.get(node.uid)
    if found is None:
        raise NotFound(f"{node} is gone", target=f"uid={node.uid}")
    return found


def _by_keys(tree: Tree, action: ops.Key | ops.TypeText, node: Node | None) -> Iterable[Node]:
    """What keys may reach: plain letters the field that has the focus, others anything in its window."""
    if node is None:
        return tree.nodes
    if isinstance(action, ops.TypeText):
        plain = node.editable and not action.submit and action.text.isprintable()
    else:
        plain = _writes_or_moves(action.keys, node)
    if plain:
        return (node,)
    top = tree.window_of(node)
    return (node, top, *tree.descendants(top))


_MOVES = frozenset(("Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown"))


def _writes_or_moves(keys: str, node: Node) -> bool:
    """Whether a chord does nothing but write a letter into a field, or move what is current."""
    chord = parse_keys(keys)
    if set(chord.modifiers) - {"shift"}:
        return False
    return chord.key in _MOVES or (chord.text is not None and node.editable)


def _covers(node: Node, x: float, y: float) -> bool:
    bounds = node.bounds
    if bounds is None or not node.visible:
        return False
    return bounds.x <= x < bounds.x + bounds.width and bounds.y <= y < bounds.y + bounds.height


def _texts(action: ops.Select, nodes: Iterable[Node]) -> set[str]:
    """What the option may be called that is chosen."""
    texts = {action.text, action.value}
    for node in nodes:
        texts |= {option.text for option in node.options if option.index == action.index}
    return {text for text in texts if text}


def _chosen(text: str, among: Reach) -> Reach:
    """An option that is chosen counts as an element of its own, also where it is none."""
    return replace(among, nodes=(Node(role="list-box-option", name=text), *among.nodes))


def _without_texts(selector: str | None) -> str | None:
    """A selector for the log, without the texts that it compares with: they may be values."""
    return None if selector is None else _QUOTED.sub('"…"', selector)


_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'|/[^/]*/|(?<=text=).*")


def _label(node: Node) -> str | None:
    return node.name or node.automation_id


def _short(text: str | None) -> str:
    text = (text or "").replace("\n", " ")
    return text if len(text) <= _LISTED else text[: _LISTED - 1] + "…"


def _refused(wanted: str, why: str, verdict: Verdict) -> Refused:
    return Refused(
        f"{wanted} refused: {why}, by {verdict}",
        rule=str(verdict),
        suggestions=("ask the person who runs this server, or do something else",),
    )
