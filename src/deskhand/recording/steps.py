"""One step of a recording: a call of the client's API, in a form that every format can write.

Data only. `meaning` makes steps, `formats` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Element:
    """How a step names an element."""

    selector: str
    role: str | None = None
    """With `name`: what `get_by_role` finds the element by; None if only the selector does."""
    name: str | None = None
    exact: bool = False


@dataclass(frozen=True)
class Secret:
    """Stands for a password: the variable of the environment that has it when the code runs."""

    variable: str


@dataclass(frozen=True)
class Step:
    """A call: of a method of a locator, or of the app where no element is named."""

    method: str
    """As `Locator` and `App` call it, such as `fill` or `keyboard.press`; `to_…` are expectations."""
    element: Element | None = None
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    comment: str | None = None
    """A remark for the reader instead of a call, where what was done could not be seen."""

    @property
    def expects(self) -> bool:
        """Whether it checks something, instead of doing something."""
        return self.method.startswith("to_")

    @property
    def target(self) -> str | None:
        """The selector of its element."""
        return None if self.element is None else self.element.selector
