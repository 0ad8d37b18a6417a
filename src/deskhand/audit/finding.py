"""Findings and their rules, and what is known already: baselines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

from ..model.alike import alike, did_you_mean
from ..model.errors import InvalidParams
from ..model.node import Node, Rect
from ..model.record import dataclass


@dataclass(frozen=True)
class Rule:
    """What is checked, why, and what to do where it does not hold."""

    id: str
    title: str
    criterion: str
    """The success criterion of WCAG 2.2 that it belongs to."""
    remedy: str


RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            "name", "what can be operated has a name", "4.1.2 Name, Role, Value",
            "give it a text, or a name for screen readers: setAccessibleName() in Qt, a label or "
            "atk_object_set_name() in GTK, setAccessibleText() in JavaFX, aria-label on a page",
        ),
        Rule(
            "label", "every field has a label that belongs to it", "3.3.2 Labels or Instructions",
            "connect a label with the field: QLabel.setBuddy() or QFormLayout.addRow() in Qt, a mnemonic "
            "widget in GTK, Label.setLabelFor() in JavaFX, <label for> on a page; or give the field a name",
        ),
        Rule(
            "role", "what can be operated has a role", "4.1.2 Name, Role, Value",
            "use a standard widget, or say what the custom one is: a QAccessibleInterface in Qt, "
            "gtk_widget_class_set_accessible_role() in GTK, setAccessibleRole() in JavaFX, role= on a page",
        ),
        Rule(
            "label-in-name", "the name contains the text that is shown", "2.5.3 Label in Name",
            "let the accessible name begin with the visible text, so that people can say what they see",
        ),
        Rule(
            "id", "no two elements have the same id", "1.3.1 Info and Relationships",
            "give each element an id of its own: setObjectName() in Qt, deskhand.set_id() in any toolkit",
        ),
        Rule(
            "window-title", "every window has a title", "2.4.2 Page Titled",
            "set a title that says what the window is for",
        ),
        Rule(
            "keyboard", "the keyboard reaches what the mouse can operate", "2.1.1 Keyboard",
            "let the control take the focus: setFocusPolicy(Qt.StrongFocus) in Qt, set_focusable() in GTK, "
            "takefocus=1 in Tk; or make sure that a key or menu entry does the same",
        ),
        Rule(
            "focus-order", "Tab moves in the order in which people read", "2.4.3 Focus Order",
            "add the controls in the order in which they are shown, or set the order: QWidget.setTabOrder() "
            "in Qt, lift() in Tk, focus chains in GTK",
        ),
        Rule(
            "focus", "one element has the focus, and it can be seen", "2.4.7 Focus Visible",
            "let only what is shown and enabled have the focus",
        ),
        Rule(
            "state", "the states that screen readers are given are those on the screen",
            "4.1.2 Name, Role, Value",
            "let the control report the state that it draws: use the standard widget, or emit the toolkit's "
            "accessibility event when the state changes",
        ),
        Rule(
            "contrast", "text stands out from its background", "1.4.3 Contrast (Minimum)",
            "choose colours with a ratio of at least 4.5:1, or 3:1 for large text",
        ),
        Rule(
            "target-size", "what is clicked is large enough, or has room around it",
            "2.5.8 Target Size (Minimum)",
            "make it at least 24 by 24 pixels, or leave more room between it and its neighbours",
        ),
    )
}  # fmt: skip
"""Every rule, by its id."""


@dataclass(frozen=True)
class Finding:
    """One fault: what it is, where it is, and what to do."""

    rule: str
    selector: str
    """Finds exactly the element."""
    message: str
    remedy: str
    criterion: str
    role: str
    name: str | None = None
    window: str | None = None
    """The title of its window."""
    bounds: Rect | None = None
    screenshot: str | None = None
    """The file with what it looks like, where one was wanted."""
    uid: str = ""

    def __str__(self) -> str:
        return f"{self.rule}: {self.message} ({self.selector})"

    @property
    def key(self) -> tuple[str, str]:
        """What it is recognised by in a baseline: figures in its message may differ."""
        return self.rule, self.selector

    def with_screenshot(self, path: str) -> Finding:
        return replace(self, screenshot=path)

    def to_json(self) -> dict[str, Any]:
        """As plain data, without what is empty."""
        shown = {
            "rule": self.rule, "selector": self.selector, "message": self.message, "role": self.role,
            "name": self.name, "window": self.window,
            "bounds": None if self.bounds is None else self.bounds._asdict(),
            "criterion": self.criterion, "remedy": self.remedy, "screenshot": self.screenshot,
        }  # fmt: skip
        return {field: value for field, value in shown.items() if value is not None}


@dataclass(frozen=True)
class Fault:
    """A finding before its selector is known."""

    rule: str
    node: Node
    message: str


class Audit(Sequence[Finding]):
    """The findings of an audit: false if there are none."""

    def __init__(
        self, findings: Iterable[Finding], notes: Iterable[str] = (), *, nodes: int = 0, known: int = 0
    ) -> None:
        self.findings = tuple(findings)
        self.notes = tuple(notes)
        """What could not be checked, and why."""
        self.nodes = nodes
        """How many elements were checked."""
        self.known = known
        """How many findings were left out, as the baseline has them."""

    def __len__(self) -> int:
        return len(self.findings)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, index: int | slice) -> Finding | tuple[Finding, ...]:
        return self.findings[index]

    def __repr__(self) -> str:
        return f"<Audit of {self.nodes} elements: {len(self)} findings>"

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or "no findings"

    def without(self, baseline: Baseline) -> Audit:
        """What a baseline does not have."""
        new = [finding for finding in self if finding.key not in baseline.keys]
        return Audit(new, self.notes, nodes=self.nodes, known=self.known + len(self) - len(new))


@dataclass(frozen=True)
class Baseline:
    """Findings that a project has accepted for now."""

    keys: frozenset[tuple[str, str]]

    @staticmethod
    def read(path: Path) -> Baseline:
        """Of a file that `deskhand audit --json` wrote."""
        try:
            listed = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InvalidParams(
                f"cannot read the baseline '{path}': {reason}",
                field="baseline",
                suggestions=(f"deskhand audit --json > {path}",),
            ) from None
        except ValueError as error:
            raise InvalidParams(f"the baseline '{path}' is not JSON: {error}", field="baseline") from None
        try:
            return Baseline(frozenset((str(row["rule"]), str(row["selector"])) for row in listed))
        except (TypeError, KeyError):
            raise InvalidParams(
                f"the baseline '{path}' is not what `deskhand audit --json` prints: a list of findings, each "
                "with a rule and a selector",
                field="baseline",
            ) from None

    def fixed(self, findings: Iterable[Finding]) -> int:
        """How many of its findings are there no more."""
        return len(self.keys - {finding.key for finding in findings})


def checked_rules(names: Iterable[str]) -> frozenset[str]:
    """Some ids of rules; InvalidParams if there is no such rule."""
    wanted = frozenset(names)
    for name in sorted(wanted - RULES.keys()):
        near = alike(name, RULES)
        raise InvalidParams(
            f"no rule '{name}'; there are {', '.join(RULES)}",
            field="rule",
            near=near,
            suggestions=did_you_mean(near),
        )
    return wanted
