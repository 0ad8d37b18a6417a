"""What every action needs at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...model.errors import ActionUnsupported
from ...model.operations import Action
from ...model.record import dataclass
from .aim import Aim
from .binding import Binding
from .handles import Handle, Registry
from .input import Input
from .names import describe


@dataclass(frozen=True)
class Hands:
    """The program's binding, its uids, the mouse and keyboard, and the eye that aims them."""

    binding: Binding
    registry: Registry
    input: Input
    aim: Aim
    perform: Callable[[Action, Handle], Mapping[str, object]]
    """Performs an action on something that belongs to the target, such as the editor of a cell."""

    def is_a(self, handle: Handle, *names: str) -> bool:
        """Whether a handle is an object of one of Qt's classes, named as in C++."""
        return isinstance(handle, self.binding.QObject) and any(handle.inherits(name) for name in names)

    def bare(self, native: Any) -> Any:
        """The object with Qt's own methods only: programs call their own things `model`, `menu` or `text`.

        Not for methods that a program may define anew, such as `showPopup` or `scrollTo`.
        """
        return self.binding.bare(native)

    def call(self, handle: Handle) -> str:
        """What to call it in a message."""
        return describe(self.binding, handle)

    def unsupported(self, handle: Handle, what: str, *suggestions: str) -> ActionUnsupported:
        return ActionUnsupported(f"{self.call(handle)} {what}", suggestions=suggestions)

    def call_slot(self, native: Any, slot: str) -> None:
        """Call a slot that may open a dialog or a menu.

        Called as a method, it would keep Python's lock: if C++ opens one, no other thread would run any more.
        """
        direct = self.binding.Qt.ConnectionType.DirectConnection
        self.binding.QtCore.QMetaObject.invokeMethod(native, slot, direct)

    def click(self, handle: Handle, button: str = "left", modifiers: tuple[str, ...] = ()) -> None:
        """Click on the best point of it, as a person would."""
        spot = self.aim.spot(handle)
        self.input.activate(spot.window)
        self.input.play(self.input.click(spot.window, spot.point, button, modifiers))

    def index(self, item: Any) -> Any:
        """The plain index of a view's item; what a persistent one stands for now."""
        return self.binding.QtCore.QModelIndex(item.index)
