"""The audit itself: what is asked of an app, in which order, and what is made of the answers.

A generator of operations, so that sync and async callers run it alike: each gets the answer, or the error.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..model.errors import ActionFailed, DeskhandError
from ..model.node import Image
from ..model.operations import Operation, ReadTree, Runner, Screenshot, Selectors
from ..model.record import dataclass
from ..model.selector import by_uid
from . import names
from .contrast import Shots, boxes, contrasts
from .finding import RULES, Audit, Baseline, Fault, Finding, checked_rules
from .keyboard import Walk, order, reach, walk
from .scene import Scene, brief

T = TypeVar("T")

_PATIENCE = 10.0
"""How long the app may take to answer, in seconds."""
_PIXELS = frozenset(("contrast", "state"))
_MARGIN = 12
"""How much of its surroundings the screenshot of a finding shows, in pixels."""
_MOST = 1000
"""How many findings are reported."""


def audited(
    *,
    tab: bool = True,
    skip: Iterable[str] = (),
    baseline: Path | None = None,
    folder: Path | None = None,
) -> Generator[Operation[Any], Any, Audit]:
    """The findings that are not in a baseline; their screenshots are written to a folder, if there is one."""
    skipped = checked_rules(skip)
    known = None if baseline is None else Baseline.read(baseline)
    notes: list[str] = []
    snapshot = yield ReadTree(timeout=_PATIENCE)
    scene = Scene(snapshot.tree)
    if snapshot.tree.cut is not None:
        notes.append(f"not all of the app was read: {snapshot.tree.cut.reason}")
    shots = None
    if not skipped >= _PIXELS or folder is not None:
        shots = yield from _shots(scene, notes)
    faults = [*_by_tree(scene)]
    if shots is not None:
        faults += [*contrasts(scene, shots), *boxes(scene, shots)]
    walked: Walk | None = None
    if tab and not {"keyboard", "focus-order"} <= skipped:
        walked = yield from walk(scene)
        if walked.note is not None:
            notes.append(walked.note)
    faults += [*reach(scene, walked), *order(scene, walked)]
    faults = _ordered([fault for fault in faults if fault.rule not in skipped], scene)
    if len(faults) > _MOST:
        notes.append(f"{len(faults) - _MOST} more findings are not listed")
        del faults[_MOST:]
    selectors = {}
    if faults:
        selectors = yield Selectors(tuple({fault.node.uid: None for fault in faults}), timeout=_PATIENCE)
    found = [_finding(fault, scene, selectors.get(fault.node.uid)) for fault in faults]
    audit = Audit(found, notes, nodes=len(scene.nodes))
    if known is not None:
        audit = audit.without(known)
        if fixed := known.fixed(found):
            audit.notes += (f"{fixed} findings of the baseline are there no more; write it anew",)
    if folder is not None and shots is not None:
        audit.findings = tuple(_pictured(audit.findings, scene, shots, folder))
    return audit


@dataclass(frozen=True)
class Step(Generic[T]):
    """How far a plan has come: what it asks next, or what it leads to."""

    operation: Operation[Any] | None = None
    result: T | None = None


def advance(plan: Generator[Operation[Any], Any, T], answer: Any) -> Step[T]:
    """Give a plan the answer to its last operation, or the DeskhandError; None begins it."""
    try:
        if isinstance(answer, DeskhandError):
            return Step(plan.throw(answer))
        return Step(plan.send(answer))
    except StopIteration as end:
        return Step(result=end.value)


def perform(runner: Runner, plan: Generator[Operation[Any], Any, T]) -> T:
    """Run a plan."""
    step = advance(plan, None)
    while step.result is None:
        assert step.operation is not None
        try:
            answer = runner.run(step.operation)
        except DeskhandError as error:
            step = advance(plan, error)
        else:
            step = advance(plan, answer)
    return step.result


def _by_tree(scene: Scene) -> Iterator[Fault]:
    for rule in (
        names.names, names.labels, names.roles, names.names_as_shown, names.unique_ids, names.titles,
        names.sizes, names.states,
    ):  # fmt: skip
        yield from rule(scene)


def _shots(scene: Scene, notes: list[str]) -> Generator[Operation[Any], Any, Shots]:
    images: dict[str, Image] = {}
    for root in scene.tree.roots:
        if not scene.is_shown(root):
            continue
        try:
            images[root.uid] = yield Screenshot(by_uid(root.uid), timeout=_PATIENCE)
        except DeskhandError as error:
            notes.append(f"{brief(root)} was not judged by its screenshot: {error.message.splitlines()[0]}")
    return Shots(images, scene)


def _ordered(faults: list[Fault], scene: Scene) -> list[Fault]:
    """By window and position, as people read; each fault once."""
    at = {node.uid: number for number, node in enumerate(scene.tree.nodes)}
    rules = list(RULES)
    once = {(fault.rule, fault.node.uid): fault for fault in reversed(faults)}
    return sorted(once.values(), key=lambda fault: (at[fault.node.uid], rules.index(fault.rule)))


def _finding(fault: Fault, scene: Scene, selector: str | None) -> Finding:
    rule, node = RULES[fault.rule], fault.node
    window = scene.windows.get(scene.window(node).uid)
    return Finding(
        rule=rule.id,
        selector=selector or by_uid(node.uid),
        message=fault.message,
        remedy=rule.remedy,
        criterion=rule.criterion,
        role=node.role,
        name=node.name or node.text,
        window=None if window is None else window.title,
        bounds=node.bounds,
        uid=node.uid,
    )


def _pictured(findings: Iterable[Finding], scene: Scene, shots: Shots, folder: Path) -> Iterator[Finding]:
    for number, finding in enumerate(findings, 1):
        node = scene.tree.get(finding.uid)
        part = None if node is None else shots.of(node, margin=_MARGIN)
        if part is None:
            yield finding
            continue
        path = folder / f"{number:03}-{finding.rule}.png"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(part.png())
        except OSError as error:
            raise ActionFailed(f"cannot write '{path}': {error.strerror}", target=str(path)) from error
        yield finding.with_screenshot(str(path))
