"""Which way into an app is taken: what its command starts, what was asked for, and what came of it, in words.

What is decided before the start is in `Plan`; what was found after it is in `Taken`. Starts nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from ..inject import jvm, preload
from ..inject.command import Command, instrumented
from ..inject.recognise import Program, recognise
from ..model.errors import InvalidParams, LaunchFailed

Way: TypeAlias = Literal["inside", "outside"]
VARIABLE = "DESKHAND_WAY"
"""The environment variable with the way that is taken where a call asks for none."""
WAYS: tuple[Way, ...] = ("inside", "outside")

_FOR_MODELS = (
    "a model reads the roles and labels of the bus; with DESKHAND_WAY=inside an agent is put into it"
)
_ACCESSIBLE = "--force-renderer-accessibility"
"""Without it the pages of a Chromium program are not on the accessibility bus."""


@dataclass(frozen=True)
class Taken:
    """How an app is driven, and why so."""

    way: Way
    reason: str


@dataclass(frozen=True)
class Plan:
    """How a command will be started."""

    command: Sequence[str]
    program: Program
    asked: Way | None

    for_model: bool = False
    """Whether a model operates it, by what it reads: then programs in C and C++ are entered only if asked."""

    def changed(self, env: Mapping[str, str], settings: dict[str, Any]) -> Command:
        """What to start instead, in which environment; `settings` get what an agent needs for it."""
        if self.asked == "outside":
            return Command(self._accessible(), jvm.accessible(env))
        if self.enters and preload.available():
            settings["native"] = preload.system_libraries(unasked=self.asked is None)
        return instrumented(self.command, env, settings)

    def taken(self, *, inside: bool, reason: str | None = None) -> Taken:
        """What came of it; LaunchFailed if that is not what was asked for."""
        if inside:
            how = "by the DevTools protocol" if self.program.browser else "with an agent in it"
            return Taken("inside", f"{self.program.what}, {how}")
        left_alone = self.program.native and not self.enters
        reason = reason or self.program.reason or (_FOR_MODELS if left_alone else None)
        if self.asked == "outside":
            reason = "as asked for"
        elif self.asked == "inside":
            raise self._refusal(reason or "no agent came up in it")
        why = f": {reason}" if reason else ""
        return Taken("outside", f"{self.program.what}, through the accessibility bus{why}")

    @property
    def enters(self) -> bool:
        """Whether an agent is put into a program written in C or C++, if this is one."""
        return self.program.native and not (self.for_model and self.asked is None)

    def _accessible(self) -> tuple[str, ...]:
        if self.program.browser and not any(part.startswith(_ACCESSIBLE) for part in self.command):
            return (self.command[0], _ACCESSIBLE, *self.command[1:])
        return tuple(self.command)

    def _refusal(self, reason: str) -> LaunchFailed:
        return LaunchFailed(
            f"'{' '.join(self.command)}' is {self.program.what}, and cannot be driven from inside: {reason}",
            target=self.command[0],
            suggestions=("let it be driven through the accessibility bus: --way outside",),
        )


def plan(command: Sequence[str], env: Mapping[str, str], way: Way | None, *, for_model: bool = False) -> Plan:
    """How to start a command. LaunchFailed if what was asked for is not possible."""
    way = way or cast("Way | None", os.environ.get(VARIABLE) or None)
    if way is not None and way not in WAYS:
        raise InvalidParams(f"a way in is {' or '.join(WAYS)}; this is '{way}'", field="way")
    if not command:
        raise LaunchFailed("no command to run", suggestions=("deskhand run -- python app.py",))
    made = Plan(command, recognise(command, env), way, for_model)
    if way == "inside" and not made.program.inside:
        raise made._refusal(made.program.reason or "no agent can be put into it")  # noqa: SLF001 - its own
    return made
