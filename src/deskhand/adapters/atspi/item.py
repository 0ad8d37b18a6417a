"""What is known of one accessible object, and of one program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...model.node import Node, Rect
from .bus import Lane, Question
from .strategy import CAREFUL, Strategy
from .vocabulary import ACCESSIBLE, ROLE_NUMBERS, State
from .wire import Method, path_field

_REMEMBERED = 1000
_MENU_BAR = ROLE_NUMBERS["menu bar"]

if TYPE_CHECKING:
    from .reader import Reader
    from .views import View

_PREFIX = "/org/a11y/atspi/accessible/"


class Item:
    """One accessible object. Filled by answers, kept right by events; `node` is what was made of it."""

    __slots__ = (
        "actions", "ahead", "app", "around", "aside", "attributes", "child_count", "clip", "description",
        "extents", "faces", "field", "generation", "id", "inside", "kids", "label", "lent", "listed", "moved",
        "name", "node", "opened", "parent", "path", "popup", "questions", "rest", "role", "round", "states",
        "text", "text_length", "uid", "vacant", "value", "view",
    )  # fmt: skip

    def __init__(self, app: App, path: str, generation: int = 1, uid: str | None = None) -> None:
        self.app = app
        self.path = path
        self.field = path_field(path)
        self.generation = generation
        self.uid = uid or app.new_uid(path, generation)
        """Unique for the life of the object: the program on the bus, the object, and which of that name."""
        self.parent: Item | None = None
        self.kids: list[Item] = []
        self.child_count = 0
        self.vacant = 0
        """How many children the program counts that it has no object for."""
        self.role = 0
        self.states = 0
        self.faces = 0
        self.name = ""
        self.description = ""
        self.extents: tuple[int, int, int, int] | None = None
        """As the program reported them."""
        self.text: str | None = None
        self.text_length: int | None = None
        self.value: tuple[float | None, float | None, float | None] | None = None
        """Current, minimum, maximum."""
        self.attributes: dict[str, str] | None = None
        self.actions: tuple[str, ...] | None = None
        self.id = ""
        self.label = ""
        """What the program says that it is labelled by."""
        self.aside = ""
        """What the label beside it says, where the program says nothing."""
        self.node: Node | None = None
        """What was made of it; None if it must be made again."""
        self.around: Any = None
        """The surroundings that the node was made in."""
        self.inside: Any = None
        """Those of what is inside."""
        self.clip: tuple[int, int, int, int] | None = None
        """What of its place can be seen; empty if nothing. Only for toolkits that clip."""
        self.view: View | None = None
        """For a view with many items: what of it is on screen."""
        self.rest: Any = None
        """What the reader still needs to know about it."""
        self.popup: Rect | None = None
        """For a popover of GTK 4 that is open: where the display has it."""
        self.opened = False
        """For an entry of a menu of GTK 2: whether the display shows that menu."""
        self.round = 0
        """In which read it was read last."""
        self.lent = False
        """For a window: it only shows what a combo box opens, which is in the combo box."""
        self.listed = False
        """Whether it was on the program's own list then."""
        self.ahead = 0
        """In which read it was last asked for what that list does not say."""
        self.moved = True
        """Whether its place may be another one than the known one, by what events say."""
        self.questions: list[Question] | None = None
        """Those questions; None if they may be others since something about it changed."""

    @property
    def row(self) -> tuple[int, str, int, str, int]:
        """What a program's list says of an object, in its order."""
        return self.faces, self.name, self.role, self.description, self.states

    @property
    def shown(self) -> bool:
        """Whether the toolkit says that it is on the screen, or the display does."""
        return self.opened or bool(self.states & (State.SHOWING if self.app.how.showing else State.VISIBLE))

    @property
    def selected(self) -> bool:
        return bool(self.states & State.SELECTED)

    @property
    def dead(self) -> bool:
        """Whether it is a menu bar without a size, which another one took the place of."""
        flat = self.role == _MENU_BAR and self.extents is not None and 0 in self.extents[2:]
        return flat and self.app.how.vcl

    def has(self, face: int) -> bool:
        return bool(self.faces & face)

    def walk(self) -> Iterator[Item]:
        """Itself and all below, in document order."""
        stack = [self]
        while stack:
            item = stack.pop()
            yield item
            stack.extend(reversed(item.kids))

    def changed(self) -> None:
        """Say that what was made of it is out of date, and of those that take names or options from below."""
        self.node = self.questions = None
        self.app.changes += 1
        self.app.changed.add(self)
        above = self.parent
        while above is not None and above.node is not None:
            above.node = None
            above = above.parent

    @property
    def window(self) -> Item:
        """The top-level object above, or itself."""
        item = self
        while item.parent is not None and item.parent is not self.app.root:
            item = item.parent
        return item


class RoleFaces:
    """Which interfaces the objects of one role have, in a program where they all have the same."""

    __slots__ = ("asked", "faces", "mixed", "seen", "sure", "waiting")

    def __init__(self) -> None:
        self.faces = 0
        self.asked = 0
        self.seen = 0
        self.sure = False
        self.mixed = False
        """They do not, in this program."""
        self.waiting: list[Item] = []


@dataclass(frozen=True)
class Identities:
    """Which uid is which object of a program, and where to find those that are in no other's children."""

    uids: dict[str, str]
    generations: dict[str, int]
    popups: frozenset[str]
    renewing: dict[str, list[str]]
    """The children of what makes new objects for the same items at each question."""
    overgrown: bool
    """Whether its list is not worth reading."""


class App:
    """One program on the accessibility bus."""

    def __init__(self, bus: str, lane: Lane) -> None:
        self.bus = bus
        self.code = f"{lane.connection.guid[:4]}.{bus[1:]}"
        """The bus that it is on, and its number there: how the uids of its objects begin."""
        self.bus_lane = lane
        """Through the bus: calls here are answered after the events that came before."""
        self.lane = lane
        """The fastest way there is."""
        self.barrier = Method(bus, ACCESSIBLE, "GetRole")
        """What is asked to hear all events that were before the answer."""
        self.reader: Reader | None = None
        """What reads it; None before the first read."""
        self.actions: Lane | None = None
        """The way for calls that may open a dialog."""
        self.nested: list[Any] | None = None
        """Where the answer to an action will be that opened a dialog; empty while that is open."""
        self.address = ""
        """Where it can be talked to directly; empty if nowhere."""
        self.name = ""
        self.toolkit = ""
        self.version = ""
        self.pid = 0
        self.how: Strategy = CAREFUL
        self.placed = True
        """Whether it knows where on the screen its windows are; a program on Wayland does not."""
        self.items: dict[str, Item] = {}
        self.uids: dict[str, str] = {}
        """The path of each uid that was given."""
        self.generations: dict[str, int] = {}
        """How often each path that became free was used."""
        self.root = Item(self, _PREFIX + "root")
        self.gone: dict[str, str] = {}
        """What objects that are gone were, by uid."""
        self.faces_by_role: dict[int, RoleFaces] = {}
        self.popups: list[Item] = []
        """Menus that are open and not the child of any item."""
        self.focus = ""
        """The path that took the focus last, known or not."""
        self.strays: set[str] = set()
        """Paths that began to show, and are not known."""
        self.renewing: dict[str, list[str]] = {}
        """By what objects another connection knows the children of what makes new ones each time."""
        self.overgrown = False
        """Whether most of what is on its list is gone."""
        self.loaded = False
        self.suspect = False
        """It did not answer the last time; it is not waited for long."""
        self.slow = False
        """It has not answered for a while to what it was asked, and may still do so."""
        self.missing: str | None = None
        """Why it is not in the tree."""
        self.acted: tuple[str, float] | None = None
        """The last action that was performed on it, and when."""
        self.round = 0
        """Counts the reads."""
        self.changes = 1
        """Counts what changed, so that what was made of it can be used again."""
        self.changed: set[Item] = set()
        """What changed since the program's own list was taken in."""
        self.moved: set[Item] = set()
        """What said that it has another place or size."""
        self.moves = 0
        """Counts what came, left or is in another object now."""

    def item(self, path: str) -> Item:
        """The object at a path, known or new."""
        found = self.items.get(path)
        if found is None:
            found = self.items[path] = Item(self, path, self.generations.get(path, 1))
        return found

    def new_uid(self, path: str, generation: int) -> str:
        """A name for the object at a path, the same in every process that reads it, and on no other bus."""
        tail = path[len(_PREFIX) :] if path.startswith(_PREFIX) else path.rsplit("/", 1)[-1]
        for short in (tail.partition("_")[0], tail):
            uid = f"{self.code}-{short}" if generation == 1 else f"{self.code}-{short}~{generation}"
            if self.uids.setdefault(uid, path) == path:
                break
        return uid

    def cell(self, table: Item, row: int, column: int, path: str) -> Item:
        """The cell at a position of a table whose objects come and go; it is at this path now."""
        return self._at(f"{table.uid}.{row}.{column}", path)

    def inside(self, parent: Item, index: int, path: str) -> Item:
        """What is at a position inside something whose objects come and go."""
        return self._at(f"{parent.uid}.{index}", path)

    def _at(self, uid: str, path: str) -> Item:
        found = self.items.pop(self.uids.get(uid, ""), None)
        if found is None:
            found = Item(self, path, uid=uid)
        found.path, found.field, found.ahead, found.questions = path, path_field(path), 0, None
        self.items[path] = found
        self.uids[uid] = path
        return found

    def identities(self) -> Identities:
        """What another connection needs to call the same objects by the same uids."""
        renewing = [item for item in self.items.values() if item.role in self.how.renews]
        return Identities(
            dict(self.uids),
            dict(self.generations),
            frozenset(item.path for item in self.popups),
            {item.path: [kid.path for kid in item.kids] for item in renewing},
            self.overgrown,
        )

    def identify(self, known: Identities) -> None:
        """Call objects by the uids that another connection gave them."""
        self.uids, self.generations = dict(known.uids), dict(known.generations)
        self.strays, self.renewing = set(known.popups), dict(known.renewing)
        self.overgrown = known.overgrown

    def drop(self, item: Item, *, defunct: bool = False) -> None:
        """Forget an object and all below. One that is defunct may leave its path to another later."""
        for one in list(item.walk()):
            if self.items.get(one.path) is one:
                del self.items[one.path]
                if defunct:
                    self.generations[one.path] = one.generation + 1
            one.parent = None
            one.states |= State.DEFUNCT
            self.gone[one.uid] = str(one.node) if one.node is not None else one.name
            if len(self.gone) > _REMEMBERED:
                del self.gone[next(iter(self.gone))]
        self.changes += 1
        self.moves += 1

    @property
    def tops(self) -> list[Item]:
        """All objects that are in no other."""
        return [*self.root.kids, *(one for one in self.popups if one not in self.root.kids)]

    @property
    def windows(self) -> list[Item]:
        """The top-level objects that have something of their own to show."""
        return [one for one in self.tops if not one.lent]
