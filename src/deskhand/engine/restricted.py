"""A Runner that lets through only what is allowed, around one that allows more."""

from __future__ import annotations

from typing import TypeVar, cast

from .. import toolkits
from ..model import operations as ops
from ..model.errors import ActionsOff, Disabled, Refused
from ..model.operations import NAMES, Cancel, Compound, Operation, Runner
from . import compound

R = TypeVar("R")

_WITH_FENCE = "atspi"
"""The adapter that can keep input within the app by a fence; others do if they make it inside."""
_ANYWHERE = (ops.Click, ops.Hover, ops.MouseDown, ops.MouseUp, ops.Drag, ops.Key, ops.TypeText, ops.Scroll)
"""What goes to a point of the screen or to the focus if there is no target."""


class Restricted:
    """Refuses to act if it is read-only, what is not about the app if it is confined, and everything while it
    is switched off."""

    def __init__(
        self,
        runner: Runner,
        *,
        standby: bool = False,
        read_only: bool = False,
        confined: bool = False,
        fenced: bool = True,
        token: bool = False,
    ) -> None:
        """`fenced` says that an adapter over accessibility keeps input within the app, too; `token` that
        the limits are those of a client's token and not of the whole server."""
        self.enabled = not standby
        self.read_only = read_only
        self._confined = confined
        self._fenced = fenced
        self._token = token
        self._runner = runner
        self._toolkit: str | None = None

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation, if that is allowed."""
        if isinstance(operation, Compound):
            return cast("R", compound.run(self, operation, cancel))  # each operation of it is decided on
        if operation.ui and not self.enabled:
            raise Disabled("this server is switched off", suggestions=("start it without --standby",))
        if operation.acts and self.read_only:
            limit = "this token is for questions" if self._token else "this server answers questions"
            raise ActionsOff(
                f"{NAMES[type(operation)]} refused: {limit} only",
                suggestions=(f"{'use a token' if self._token else 'start it'} without --read-only",),
            )
        if self._confined and self._leaves_the_app(operation):
            limited = "this token" if self._token else "this server"
            raise Refused(
                f"{NAMES[type(operation)]} refused: it may reach others, and {limited} is for one app only",
                suggestions=(
                    "name an element or a window of the app",
                    f"or {'use a token' if self._token else 'serve the desktop,'} without --app",
                ),
            )
        return self._runner.run(operation, cancel)

    def close(self) -> None:
        """Let go of the app."""
        self._runner.close()

    def _leaves_the_app(self, operation: Operation[object]) -> bool:
        if isinstance(operation, ops.Screenshot):
            return operation.desktop
        if isinstance(operation, (ops.GetClipboard, ops.SetClipboard)):
            return True
        if not isinstance(operation, _ANYWHERE):
            return False
        here = operation.target is not None
        there = not isinstance(operation, ops.Drag) or operation.to is not None
        if self._fenced:
            return not (here and there) and not (self._made_with() == _WITH_FENCE or self._makes_it_inside())
        # Without a fence an offset may also end outside the app.
        offset = any(getattr(operation, name, None) is not None for name in ("x", "y", "to_x", "to_y"))
        return (offset or not (here and there)) and not self._makes_it_inside()

    def _makes_it_inside(self) -> bool:
        toolkit = toolkits.named(self._made_with())
        return toolkit is not None and toolkit.own_input

    def _made_with(self) -> str:
        if self._toolkit is None:
            self._toolkit = self._runner.run(ops.GetAppInfo()).toolkit
        return self._toolkit
