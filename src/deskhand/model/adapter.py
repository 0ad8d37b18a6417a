"""What a toolkit must provide for us to drive it.

Kept narrow on purpose: an adapter reads nodes and performs raw actions. It never searches,
waits for a state, retries or checks readiness; the engine does that, once, for all toolkits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from .node import AppInfo, AppState, Image
from .operations import Action
from .tree import Tree

T = TypeVar("T")


class Clipboard(Protocol):
    """The clipboard of a desktop, as text; what an adapter that has one calls `clipboard`."""

    def read(self, timeout: float) -> str:
        """The text that would be pasted now; empty if nothing was copied, ActionFailed if it is no text."""

    def write(self, text: str, timeout: float) -> None:
        """Put a text there; it can be pasted when this returns."""


class Adapter(Protocol):
    """One toolkit, as the engine sees it. Every method may be called from any thread.

    `timeout` is how long the GUI thread may take to answer, in seconds; after that every method
    raises UiBusy, and the work that was posted must not run later as if nothing had happened
    (a read is dropped; an action that did not start is cancelled).
    """

    name: str
    """Such as `qt`; the backend of its nodes."""

    def info(self) -> AppInfo:
        """What the program is made with. Must answer while the GUI thread is blocked."""

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        """Read all windows, or what is at and below one uid (Stale if that is gone).

        `depth` 0 is the root alone (without a root: the windows alone). With a root, the tree's first node is
        that one. `details` adds native properties and fonts.
        """

    def perform(
        self, action: Action, uid: str | None, to: str | None, *, timeout: float
    ) -> Mapping[str, object]:
        """Do it now, to the node with that uid; `to` is the second node of a drag.

        Returns when the action is done, or when it opened a nested event loop (a modal dialog,
        a menu) that goes on. May answer with `selected` or `detail` for the `Done` record. Raises
        ActionUnsupported, ActionFailed, OptionNotFound, InvalidKey, NotEditable, NotFocusable, Stale, UiBusy.
        """

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        """A picture of the node, or of the main window."""

    def desktop(self, *, timeout: float) -> Image:
        """A screenshot of the whole desktop that the program is on, whichever program shows what on it.

        Must answer while the GUI thread is blocked. ActionUnsupported or ScreenshotFailed if there is none.
        """

    def idle(self, *, timeout: float) -> None:
        """Return once the GUI thread has nothing more to do; UiBusy if it always has."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` (from any thread, cheaply) whenever something may look different.

        Once is enough until somebody reads. Returns how to stop that. Reading and acting by the adapter
        itself must not keep triggering it. Costs nothing while nobody subscribes.
        """

    def state(self, *, timeout: float) -> AppState:
        """What can be seen of the program's state: foreground, modal dialog, active view."""

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        """Run a function of the program's own on its GUI thread."""

    def set_id(self, widget: object, automation_id: str) -> None:
        """Give a native object a stable automation id. Called on the GUI thread."""

    def close(self) -> None:
        """Let go of the program; leave no thread, filter or patch behind."""
