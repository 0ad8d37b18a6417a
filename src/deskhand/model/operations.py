"""What can be done with a user interface: each operation once, as a small frozen record.

The fields are the parameters, the docstring is the description. A `Runner` runs them: the engine
is one, a connection to an engine in another process is another, and callers need not know which
one they have. `timeout` is always in seconds: how long to wait until the target is ready (0: it must be ready
at once), or, where there is nothing to wait for, how long the app may take to answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from .errors import InvalidParams
from .node import AppInfo, AppState, Image, Node, Window
from .record import dataclass
from .tree import Tree

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

TIMEOUT = 5.0
"""How long an operation waits for its target by default."""

LONGEST = 3600.0
"""The longest timeout, in seconds. A larger one is nearly always a mistaken number of milliseconds."""

STATES = (
    "exists", "visible", "hidden", "enabled", "disabled", "value", "text", "focused", "gone", "count",
    "checked", "unchecked", "selected", "name", "editable", "empty",
)  # fmt: skip
"""What `Wait` can wait for."""

MODIFIERS = ("ctrl", "shift", "alt", "meta")
BUTTONS = ("left", "right", "middle")


def check_timeout(seconds: float | None, field: str = "timeout") -> None:
    """Raise InvalidParams unless this is None or 0 to 3600 seconds."""
    if seconds is None or 0 <= seconds <= LONGEST:
        return
    if seconds > LONGEST:
        raise InvalidParams(
            f"'{field}' is {seconds:g} seconds, which is more than an hour",
            field=field,
            suggestions=(f"it is in seconds; for {seconds:g} milliseconds write {seconds / 1000:g}",),
        )
    raise InvalidParams(f"'{field}' must be 0 or more seconds", field=field)


class Cancel(Protocol):
    """Says whether the caller disconnected, as a `threading.Event` does."""

    def is_set(self) -> bool: ...


@dataclass(frozen=True)
class Operation(Generic[R_co]):
    """Something that can be done with a user interface."""

    acts: ClassVar[bool] = False
    """Whether it changes anything; a read-only server refuses such operations."""
    ui: ClassVar[bool] = True
    """Whether it needs the app's GUI thread."""


@dataclass(frozen=True)
class Compound(Operation[R_co]):
    """An operation that is made of others and never sent: see `compound.py`."""


class Runner(Protocol):
    """Runs operations: here, or in another process."""

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R: ...

    def close(self) -> None: ...


# -- results ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A node that differs: its uid, a description for people, and the fields as they are now."""

    uid: str
    what: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Exit:
    """The app ended as the result of an action."""

    code: int | None = None
    """Its exit code, where that is known."""

    def __str__(self) -> str:
        return "the app exited" if self.code is None else f"the app exited with code {self.code}"


@dataclass(frozen=True)
class Difference:
    """What differs between two revisions of a tree. The lists are bounded; `left_out` counts the rest."""

    since: int
    revision: int
    added: tuple[Node, ...] = ()
    removed: tuple[Change, ...] = ()
    changed: tuple[Change, ...] = ()
    windows_opened: tuple[Window, ...] = ()
    windows_closed: tuple[str, ...] = ()
    focused: str | None = None
    left_out: int = 0
    exit: Exit | None = None
    """Set if the app ended."""

    @property
    def empty(self) -> bool:
        """Whether nothing changed."""
        nodes = self.added or self.removed or self.changed
        return not (nodes or self.windows_opened or self.windows_closed or self.exit)


@dataclass(frozen=True)
class Snapshot:
    """A tree, or what changed in it since the given revision."""

    revision: int
    tree: Tree | None = None
    difference: Difference | None = None
    selectors: Mapping[str, str] = field(default_factory=dict)
    """The shortest robust selector of every node of the app, by uid, if they were requested."""


@dataclass(frozen=True)
class Done:
    """An action was performed."""

    uid: str | None = None
    """The node it was performed on."""
    receipt: Difference | None = None
    """What changed, if a receipt was requested."""
    selected: Mapping[str, Any] | None = None
    """For `Select`: what is selected now (value, index, text)."""
    detail: str | None = None
    """How the action was done, where there is more than one way."""
    result: Any = None
    """For functions that the app registered: what the function returned, as plain data."""
    exit: Exit | None = None
    """Set if the action ended the app."""
    waits: tuple[tuple[float, str], ...] = ()
    """What the action waited for before it began: when that was first seen, in seconds since the operation
    began, and what it was (bounded)."""
    point: tuple[float, float] | None = None
    """Where the pointer was, in logical pixels of the screen; None without it, or if that is not known."""


@dataclass(frozen=True)
class Waited:
    """The condition holds."""

    elapsed: float
    node: Node | None = None
    count: int | None = None


@dataclass(frozen=True)
class Pong:
    """The engine answers."""

    timestamp: float
    uptime: float


@dataclass(frozen=True)
class Executed:
    """How a command ended."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False


# -- reading ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReadTree(Operation[Snapshot]):
    """Read the tree: all windows, or everything below one node."""

    target: str | None = None
    depth: int | None = None
    since: int | None = None
    """An earlier revision: return only what changed since then."""
    whole: bool = False
    """With `since`: return the whole tree as well, if anything changed."""
    visible_only: bool = False
    internals: bool = False
    """Include the inner parts of controls, such as the line edit of a spin box."""
    details: bool = False
    """Include native properties and fonts."""
    selectors: bool = False
    """With a whole tree: return the shortest robust selector of every node of the app as well."""
    max_nodes: int | None = None
    timeout: float | None = None
    """How long the app may take to answer; None for the usual time."""


@dataclass(frozen=True)
class Find(Operation[tuple[Node, ...]]):
    """List the nodes that match, in document order."""

    target: str
    limit: int = 100
    internals: bool = False
    native: bool = False
    """The target is a selector in the toolkit's own language, such as JavaFX's CSS."""
    timeout: float | None = None
    """How long the app may take to answer; None for the usual time."""


@dataclass(frozen=True)
class Get(Operation[Node]):
    """Return the only node that matches, with all its details."""

    target: str
    timeout: float = 0.0


@dataclass(frozen=True)
class Selectors(Operation[Mapping[str, str]]):
    """Return the shortest robust selector of each given node, by uid; of all nodes if none are given."""

    uids: tuple[str, ...] = ()
    timeout: float | None = None
    """How long the app may take to answer; None for the usual time."""


@dataclass(frozen=True)
class Wait(Operation[Waited]):
    """Wait until a condition holds; see STATES for the conditions."""

    target: str
    state: str = "visible"
    value: str | None = None
    """For value, text and name: what to wait for."""
    count: int | None = None
    match: str = "equals"
    """How `value` is compared: equals, contains or regex."""
    negate: bool = False
    """Wait until the condition does not hold. The node must still exist, unless that is the condition."""
    any_match: bool = False
    """If several nodes match, it is enough that the condition holds for one; otherwise only one may match."""
    timeout: float = TIMEOUT
    poll: float = 0.1
    """How often to read again if the toolkit reports no change."""


@dataclass(frozen=True)
class WaitChange(Operation[Snapshot]):
    """Wait until the tree differs from a revision, and return what changed.

    The result has the same revision if nothing changed in time, and the whole tree if that revision is no
    longer known.
    """

    since: int = 0
    """The revision of a `ReadTree` without options, or of another `WaitChange`."""
    whole: bool = False
    """Return the whole tree instead of what changed."""
    timeout: float = TIMEOUT
    poll: float = 0.1
    """How often to read again if the toolkit reports no change."""


@dataclass(frozen=True)
class WaitIdle(Operation[Waited]):
    """Wait until the app is idle and its windows have not changed for 150 ms."""

    timeout: float = TIMEOUT


@dataclass(frozen=True)
class Screenshot(Operation[Image]):
    """Take a screenshot of a window or a node; of the main window if there is no target."""

    target: str | None = None
    timeout: float = TIMEOUT
    desktop: bool = False
    """Take one of the app's whole desktop instead, with the windows of all programs."""


@dataclass(frozen=True)
class ListWindows(Operation[tuple[Window, ...]]):
    """List the top-level windows, the main one first."""

    timeout: float | None = None
    """How long the app may take to answer, or with `since` to change; None for the usual time."""
    since: tuple[Window, ...] | None = None
    """An earlier answer: wait until the windows differ from it. If they do not in time, they are the same."""


@dataclass(frozen=True)
class GetAppInfo(Operation[AppInfo]):
    """Return which toolkit the app uses, with its version, title and process."""

    ui: ClassVar[bool] = False


@dataclass(frozen=True)
class GetAppState(Operation[AppState]):
    """Return what the app says about its own state."""

    timeout: float | None = None
    """How long the app may take to answer; None for the usual time."""


@dataclass(frozen=True)
class Ping(Operation[Pong]):
    """Check that the engine answers."""

    ui: ClassVar[bool] = False


@dataclass(frozen=True)
class MayRead(Operation[Done]):
    """Check that questions are answered. An error says that the server is switched off."""


@dataclass(frozen=True)
class MayAct(Operation[Done]):
    """Check that actions are performed. An error says that the server is switched off or read-only."""

    acts: ClassVar[bool] = True


# -- acting -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Action(Operation[Done]):
    """Something that changes the user interface."""

    acts: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset(("visible", "enabled"))
    """What the target must be before the action: visible, enabled, stable, focusable, editable."""

    target: str | None = None
    timeout: float = TIMEOUT
    receipt: bool = False
    """Return what changed until the app was idle again."""
    sure: str | None = None
    """The `Node.identity` that the target must still have; otherwise `Changed` is raised."""


_POINTER = frozenset(("visible", "enabled", "stable"))


@dataclass(frozen=True)
class Click(Action):
    """Click with the mouse: in the middle of a node, at an offset in it, or at a point on the screen."""

    needs: ClassVar[frozenset[str]] = _POINTER

    button: str = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()
    x: float | None = None
    """Relative to the target's top left corner, or to the screen if there is no target."""
    y: float | None = None
    strict: bool = False
    """The target must match once, hidden nodes included, and be visible and enabled at once. The click still
    waits until it stands still and is not covered. Its window is brought to the front, unless a menu or a
    modal dialog is open."""


@dataclass(frozen=True)
class Hover(Action):
    """Move the mouse over a node, or to a point on the screen."""

    needs: ClassVar[frozenset[str]] = frozenset(("visible", "stable"))

    x: float | None = None
    y: float | None = None


@dataclass(frozen=True)
class MouseDown(Action):
    """Press a mouse button and hold it."""

    needs: ClassVar[frozenset[str]] = _POINTER

    button: str = "left"
    modifiers: tuple[str, ...] = ()
    x: float | None = None
    y: float | None = None


@dataclass(frozen=True)
class MouseUp(Action):
    """Release a mouse button."""

    needs: ClassVar[frozenset[str]] = frozenset(("visible",))

    button: str = "left"
    modifiers: tuple[str, ...] = ()
    x: float | None = None
    y: float | None = None


@dataclass(frozen=True)
class Drag(Action):
    """Drag from one node to another, or to a point on the screen."""

    needs: ClassVar[frozenset[str]] = _POINTER

    to: str | None = None
    to_x: float | None = None
    """Relative to `to`'s top left corner, or to the screen if there is none."""
    to_y: float | None = None
    x: float | None = None
    y: float | None = None
    button: str = "left"
    modifiers: tuple[str, ...] = ()
    steps: int = 10


@dataclass(frozen=True)
class Press(Action):
    """Activate a node without the mouse: push the button, toggle the box, follow the link."""


@dataclass(frozen=True)
class SetChecked(Action):
    """Check or uncheck a box; does nothing if it already has that state."""

    checked: bool = True


@dataclass(frozen=True)
class Expand(Action):
    """Open or close a tree item, a combo box or a menu; does nothing if it already has that state."""

    expanded: bool = True


@dataclass(frozen=True)
class TypeText(Action):
    """Type text with the keyboard: into a node, which gets the focus first, or where the focus is."""

    needs: ClassVar[frozenset[str]] = frozenset(("visible", "enabled", "focusable", "editable"))

    text: str = ""
    clear: bool = False
    submit: bool = False
    """Press Enter afterwards."""


@dataclass(frozen=True)
class SetValue(Action):
    """Replace the text or value of a node in one step."""

    needs: ClassVar[frozenset[str]] = frozenset(("visible", "enabled", "editable"))

    value: str = ""


@dataclass(frozen=True)
class Key(Action):
    """Press a chord such as `ctrl+shift+s`, on a node or where the focus is."""

    keys: str = ""


@dataclass(frozen=True)
class Select(Action):
    """Choose an option of a combo box, list, table, tree or tab bar, by exactly one of value, index, text."""

    value: str | None = None
    index: int | None = None
    text: str | None = None
    column: int | None = None
    """For tables: the column, to select one cell."""
    extend: bool = False
    """Keep the current selection and add to it."""


@dataclass(frozen=True)
class Scroll(Action):
    """Turn the wheel over a node, or scroll something into view.

    `into_view` scrolls the node itself into view; `row` or `text` that row of a list, table or tree.
    Positive dy scrolls down, positive dx to the right; one is one notch of the wheel.
    """

    needs: ClassVar[frozenset[str]] = frozenset(("visible",))

    dx: float = 0.0
    dy: float = 0.0
    into_view: bool = False
    row: int | None = None
    text: str | None = None


@dataclass(frozen=True)
class Focus(Action):
    """Give a node the keyboard focus."""

    needs: ClassVar[frozenset[str]] = frozenset(("visible", "enabled", "focusable"))


@dataclass(frozen=True)
class ShowMenu(Action):
    """Open the context menu of a node."""


@dataclass(frozen=True)
class ControlWindow(Action):
    """Focus, move, resize, minimize, maximize, restore or close the window that a node is in.

    A move takes `x`, `y` or both, a resize `width`, `height` or both; what is not given stays unchanged.
    """

    needs: ClassVar[frozenset[str]] = frozenset()

    do: str = "focus"
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None


WINDOW_ACTIONS = ("focus", "move", "resize", "minimize", "maximize", "restore", "close")


# -- what only some apps and hosts can do -------------------------------------------------------


@dataclass(frozen=True)
class OpenFiles(Operation[Done]):
    """Let the app open files, if it registered a function for that (`deskhand.register(file_open=…)`)."""

    acts: ClassVar[bool] = True

    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class SelectView(Operation[Done]):
    """Let the app show one of its views, if it registered a function for that."""

    acts: ClassVar[bool] = True

    view: str = ""


@dataclass(frozen=True)
class Viewport3d(Operation[Image]):
    """An image of the app's 3D view, if the app registered a function that draws it (`viewport3d=…`)."""

    index: int | None = None
    """Which of several views it is to show; None for the current one."""
    width: int = 800
    height: int = 600


@dataclass(frozen=True)
class GetClipboard(Operation[str]):
    """Return the text on the clipboard of the app's desktop; empty if nothing was copied."""

    timeout: float = TIMEOUT


@dataclass(frozen=True)
class SetClipboard(Operation[Done]):
    """Put text on the clipboard of the app's desktop."""

    acts: ClassVar[bool] = True

    text: str = ""
    timeout: float = TIMEOUT


@dataclass(frozen=True)
class Execute(Operation[Executed]):
    """Run a shell command on the machine, where the host allows it."""

    acts: ClassVar[bool] = True
    ui: ClassVar[bool] = False

    command: str = ""
    timeout: float = 30.0
    detach: bool = False


@dataclass(frozen=True)
class Upload(Operation[Done]):
    """Write a file on the machine, where the host allows it."""

    acts: ClassVar[bool] = True
    ui: ClassVar[bool] = False

    path: str = ""
    content: bytes = b""


@dataclass(frozen=True)
class Download(Operation[bytes]):
    """Read a file on the machine, where the host allows it."""

    ui: ClassVar[bool] = False

    path: str = ""


@dataclass(frozen=True)
class Shutdown(Operation[Done]):
    """End the server, never the machine or the app."""

    acts: ClassVar[bool] = True
    ui: ClassVar[bool] = False


def _name(kind: type[Operation[Any]]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


OPERATIONS: Mapping[str, type[Operation[Any]]] = {
    _name(kind): kind
    for kind in (
        ReadTree, Find, Get, Selectors, Wait, WaitChange, WaitIdle, Screenshot, ListWindows, GetAppInfo,
        GetAppState, Ping, MayRead, MayAct, Click, Hover, MouseDown, MouseUp, Drag, Press, SetChecked,
        Expand, TypeText, SetValue, Key, Select, Scroll, Focus, ShowMenu, ControlWindow, OpenFiles,
        SelectView, Viewport3d, GetClipboard, SetClipboard, Execute, Upload, Download, Shutdown,
    )
}  # fmt: skip
"""Every operation by its name on the wire and in the reference: `read_tree`, `click`, …"""

NAMES: Mapping[type[Operation[Any]], str] = {kind: name for name, kind in OPERATIONS.items()}
