"""What a toolkit must provide for us to drive it.

Kept narrow on purpose: an adapter reads nodes and performs raw actions. It never searches,
waits for a state, retries or checks readiness; the engine does that, once, for all toolkits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from .node import AppInfo, AppState, Image
from .operations import Action
from .record import dataclass
from .tree import Tree

T = TypeVar("T")


class Clipboard(Protocol):
    """The clipboard of a desktop, as text; what an adapter that has one calls `clipboard`."""

    def read(self, timeout: float) -> str:
        """The text that would be pasted now; empty if nothing was copied, ActionFailed if it is not text."""

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
        """A screenshot of the node, or of the main window."""

    def desktop(self, *, timeout: float) -> Image:
        """A screenshot of the whole desktop that the program is on, whichever program shows what on it.

        Must answer while the GUI thread is blocked. ActionUnsupported or ScreenshotFailed if there is none.
        """

    def idle(self, *, timeout: float) -> None:
        """Return once the GUI thread has nothing more to do; UiBusy if it always has."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` (from any thread, cheaply) whenever something may look different.

        Once is enough until the next read. Returns how to stop that. Reading and acting by the adapter
        itself must not keep triggering it. Costs nothing without a subscriber.
        """

    def state(self, *, timeout: float) -> AppState:
        """What can be seen of the program's state: foreground, modal dialog, active view."""

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        """Run a function of the program's own on its GUI thread."""

    def set_id(self, widget: object, automation_id: str) -> None:
        """Give a native object a stable automation id. Called on the GUI thread."""

    def close(self) -> None:
        """Let go of the program; leave no thread, filter or patch behind."""


# -- what only some adapters can do -------------------------------------------------------------

Followed = Callable[[Tree | None], None]
"""Called on a change: with all windows as they are now, where the adapter has read them, else with None."""


@runtime_checkable
class Follows(Protocol):
    """Reads all windows by itself after a change, and gives them to those who wait."""

    def follow(self, changed: Followed) -> Callable[[], None]:
        """As `subscribe`, for a caller that reads all windows after each change. Returns how to stop."""


@runtime_checkable
class LooksUp(Protocol):
    """Finds nodes by the toolkit's own selectors."""

    def lookup(self, selector: str, *, limit: int, timeout: float) -> Sequence[str]:
        """The uids of what such a selector matches."""


@runtime_checkable
class ReadsCold(Protocol):
    """Keeps something between reads, and can also read without it."""

    def read_cold(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        timeout: float,
    ) -> Tree:
        """As `Adapter.read`, with only uids taken from earlier reads; what is kept stays unchanged."""


@runtime_checkable
class KnowsWidgets(Protocol):
    """Gives the uid of an object of the toolkit."""

    def uid_of(self, widget: object) -> str:
        """The uid of a widget. On the GUI thread."""


@runtime_checkable
class NamesByLabel(Protocol):
    """Its items are not objects, so that they are named by their window and label."""

    def set_id_by_label(self, item: object, automation_id: str) -> None:
        """Give an item a stable automation id, by its path or by the pair of its window and label."""


@runtime_checkable
class Grows(Protocol):
    """Its toolkit may have several application objects in one program."""

    def grow(self) -> None:
        """Drive what was made since the last call too. On the GUI thread."""


@runtime_checkable
class HasClipboard(Protocol):
    """Reads and writes the clipboard of its desktop."""

    @property
    def clipboard(self) -> Clipboard: ...


@dataclass(frozen=True)
class Abilities:
    """What an adapter can do that not every adapter can; None for what it cannot."""

    follows: Follows | None = None
    looks_up: LooksUp | None = None
    reads_cold: ReadsCold | None = None
    knows_widgets: KnowsWidgets | None = None
    names_by_label: NamesByLabel | None = None
    clipboard: Clipboard | None = None


@runtime_checkable
class Composed(Protocol):
    """An adapter made of others, which says which of their abilities it has, wrapped where needed."""

    @property
    def abilities(self) -> Abilities: ...


def abilities(adapter: Adapter) -> Abilities:
    """What this adapter can do that not every adapter can."""
    if isinstance(adapter, Composed):
        return adapter.abilities
    return Abilities(
        follows=adapter if isinstance(adapter, Follows) else None,
        looks_up=adapter if isinstance(adapter, LooksUp) else None,
        reads_cold=adapter if isinstance(adapter, ReadsCold) else None,
        knows_widgets=adapter if isinstance(adapter, KnowsWidgets) else None,
        names_by_label=adapter if isinstance(adapter, NamesByLabel) else None,
        clipboard=adapter.clipboard if isinstance(adapter, HasClipboard) else None,
    )
