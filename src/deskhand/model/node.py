"""One element of a user interface, the same record for every toolkit.

A node is sparse: the class holds the defaults and an instance only what differs, so that a
tree of ten thousand nodes is cheap to read, to compare and to send.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, NamedTuple

from .record import dataclass

MASK = "••••"
"""What stands for the value of a password field, in every adapter and protocol."""

ACTIONS = (
    "press", "focus", "show-menu", "toggle", "expand", "collapse", "select", "set-value", "scroll-into-view",
    "increment", "decrement", "scroll", "edit",
)  # fmt: skip
"""The canonical names of what can be done to a node (`Node.actions`)."""


class Rect(NamedTuple):
    """A rectangle in logical pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def relative_to(self, other: Rect) -> Rect:
        """The same rectangle, seen from the top left corner of another."""
        return Rect(self.x - other.x, self.y - other.y, self.width, self.height)

    def intersection(self, other: Rect) -> Rect | None:
        """What both share; None if that is nothing."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Rect(left, top, right - left, bottom - top) if right > left and bottom > top else None


@dataclass(frozen=True)
class Option:
    """One choice of a combo box, list or tab bar."""

    index: int
    text: str
    value: str | None = None
    selected: bool = False
    enabled: bool = True


@dataclass(frozen=True)
class Column:
    """One column of a virtualised view."""

    id: str
    text: str


@dataclass(frozen=True)
class VisibleRow:
    """One row that is on screen: its index, its node, and the texts by column id."""

    index: int
    uid: str | None
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Virtualization:
    """What a view with many items shows of them. Ranges are inclusive."""

    kind: str
    items_count: int
    visible_range: tuple[int, int] | None = None
    selected_indices: tuple[int, ...] = ()
    focused_index: int | None = None
    columns: tuple[Column, ...] = ()
    visible_cells: tuple[VisibleRow, ...] = ()


@dataclass(frozen=True)
class Font:
    """How a node's text looks; read only for one node at a time."""

    family: str | None = None
    size: float | None = None
    weight: str | None = None
    color: str | None = None


_WEIGHTS = {
    100: "thin", 200: "extralight", 300: "light", 400: "normal", 500: "medium", 600: "demibold", 700: "bold",
    800: "extrabold", 900: "black",
}  # fmt: skip


def weight_name(number: int) -> str:
    """What a font's weight is called, from the number that CSS, Pango and Qt 6 give it."""
    return _WEIGHTS[min(_WEIGHTS, key=lambda known: abs(known - number))]


@dataclass(frozen=True, eq=False)
class Node:
    """One element. Identity is the uid; everything else is what was seen when it was read."""

    uid: str = ""
    parent: str | None = None
    """The parent's uid; None for a top-level window."""
    role: str = "unknown"
    native_class: str = ""
    backend: str = ""

    automation_id: str | None = None
    """A stable id: set by the app (`deskhand.set_id`) or the toolkit's own (objectName, fx:id)."""
    object_name: str | None = None
    """The toolkit's own name, where it differs from `automation_id`."""
    name: str | None = None
    """What a person calls it: caption, the label beside it, the accessible name, the title."""
    labelled_by: str | None = None
    """The name, where it is not a text that the node itself shows: the label beside a field, the tab of a
    page, what a screen reader says. None for any other name, which is the node's own (`own_name`)."""
    guessed: bool = False
    """The name is a text next to it, its tooltip or its placeholder, which people read as its name; the
    toolkit gives it none, so that screen readers may not say any."""
    text: str | None = None
    """The text it shows."""
    value: str | None = None
    """What it holds, as text; masked for passwords."""
    number: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    placeholder: str | None = None
    description: str | None = None
    tooltip: str | None = None
    help: str | None = None

    visible: bool = True
    """Shown, with all its ancestors."""
    visible_self: bool | None = None
    """Its own flag, where that differs from `visible`."""
    offscreen: bool = False
    """Visible, but scrolled or clipped away, or in a menu that is closed."""
    enabled: bool = True
    enabled_self: bool | None = None
    focused: bool = False
    focusable: bool = False
    editable: bool = False
    password: bool = False
    checked: bool | None = None
    mixed: bool = False
    selected: bool | None = None
    expanded: bool | None = None
    pressed: bool = False
    modal: bool = False
    internal: bool = False
    """A part of a control that its user does not think of as an element."""

    bounds: Rect | None = None
    """In logical pixels of the screen."""
    actions: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    options_count: int | None = None
    """How many options there are, where `options` was cut."""
    virtualization: Virtualization | None = None
    child_count: int = 0
    """How many children it really has, also where they were not read."""
    platform_role: str | None = None
    module: str | None = None
    style_classes: tuple[str, ...] = ()
    pseudo_classes: tuple[str, ...] = ()
    font: Font | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Native properties, by the toolkit's own names. Complete only when details were asked for."""

    @staticmethod
    def of(fields: dict[str, Any]) -> Node:
        """Make a node of a dict that holds only what differs from the defaults. Keeps the dict."""
        node = _new(Node)
        _set(node, "__dict__", fields)
        return node

    @property
    def own_name(self) -> str | None:
        """Its name, unless that is a text which it does not show itself."""
        return self.name if self.labelled_by is None else None

    @property
    def fields(self) -> dict[str, Any]:
        """What differs from the defaults."""
        return self.__dict__

    def changed(self, **fields: Any) -> Node:
        """A copy with some fields replaced."""
        return Node.of({**self.__dict__, **fields})

    def same(self, other: Node) -> bool:
        """Whether both look the same."""
        return self.__dict__ == other.__dict__

    @property
    def identity(self) -> str:
        """What a person takes it for: if this changes, it has become something else."""
        return f"{self.role}|{self.automation_id or ''}|{self.name or ''}"

    def __str__(self) -> str:
        label = self.name or self.text or self.automation_id
        return f'{self.role} "{label}"' if label else f"{self.role} {self.native_class}".rstrip()


_LABEL = 60
"""How many characters of its label name a node in an error."""


def called(role: str, label: object, otherwise: str = "") -> str:
    """A node in an error, such as `button "Save"`: its role as selectors spell it, and what it is called.

    Without a label, it is `otherwise` that identifies it.
    """
    line = " ".join(str(label or "").split())
    if not line:
        return f"{role} {otherwise}".rstrip()
    return f'{role} "{line if len(line) <= _LABEL else line[: _LABEL - 1] + "…"}"'


_new = object.__new__
_set = object.__setattr__
# A sparse node finds the default on the class, where a factory leaves none.
Node.properties = {}


@dataclass(frozen=True)
class Window:
    """A top-level window. Its uid is that of the node at its root."""

    uid: str
    title: str | None = None
    app_name: str = ""
    pid: int = 0
    kind: str = "regular"
    """regular, dialog, floating, sheet, systemDialog, menuBar or popup."""
    bounds: Rect | None = None
    focused: bool = False
    showing: bool = True
    minimized: bool = False
    maximized: bool = False
    modal: bool = False
    native_id: int | None = None
    scale: float = 1.0
    """Physical pixels for each logical one."""
    stylesheets: tuple[str, ...] = ()


@dataclass(frozen=True)
class AppInfo:
    """What a program is made with."""

    framework: str
    version: str
    pid: int
    title: str | None = None
    runtime: str | None = None
    main: str | None = None
    toolkit: str = ""
    """The adapter's name, such as `qt`."""
    deskhand: str | None = None
    """The version of deskhand inside; None if another project's server is inside."""
    offers: tuple[str, ...] = ()
    """What the app registered in addition to its state: file_open, view_select, viewport3d."""
    extended: bool = False
    """Whether Orca lists those among its capabilities."""


@dataclass(frozen=True)
class AppState:
    """What only the program knows about itself, and what can be seen of it."""

    active_view: str | None = None
    project_loaded: bool = False
    busy: bool = False
    progress: int = -1
    foreground: bool = False
    modal_dialog: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Image:
    """A screenshot: PNG bytes, and their size in physical pixels."""

    png: bytes
    width: int
    height: int
    scale: float = 1.0
