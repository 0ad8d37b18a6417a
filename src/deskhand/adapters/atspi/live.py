"""All programs of the desktop, kept as items, which are read again in each read.

Events wake calls that wait for a change. They are not relied on for what changed: no toolkit reports
everything. What they alone say is which objects ended, and which exist that are in no other's children. For
these, each program is also asked something small over the bus: its answer comes after all events before it.
"""

from __future__ import annotations

import contextlib
import math
import select
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...model.node import Rect
from . import wire
from .bus import CallError, Connection, Lane, pump, turn
from .item import App, Identities, Item
from .kinds import MENU
from .reader import Reader
from .strategy import Facet, strategy, without_pages
from .vocabulary import (
    ACCESSIBLE,
    APPLICATION,
    EVENT_OBJECT,
    EVENT_WINDOW,
    NULL_PATH,
    PROPERTIES,
    REGISTRY,
    REGISTRY_PATH,
    ROOT_PATH,
)
from .wire import Header, Method, WireError

EVENTS = (
    "object:children-changed", "object:property-change", "object:state-changed", "object:text-changed",
    "object:bounds-changed", "object:visible-data-changed", "object:selection-changed",
    "object:model-changed",
    "object:row-inserted", "object:row-deleted", "object:row-reordered", "window:create",
    "window:activate", "window:deactivate", "window:minimize", "window:restore",
)  # fmt: skip
_MATCHES = (
    "type='signal',interface='org.a11y.atspi.Event.Object'",
    "type='signal',interface='org.a11y.atspi.Event.Window'",
    "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''",
)
_INTRODUCTION = 1.0
"""How long a program may take to say what it is before it counts as silent, in seconds."""
_LEAVING = ("defunct", "delete", "remove", "delete/system", "remove/system")
_STRAYS = 16
_PROBE = 0.05
"""How long a program is waited for that did not answer the last time, in seconds."""
_FIRST = 3
"""How many entries of a menu are asked where they are, to see whether it is open: some are hidden."""
_EDGES = 16
"""How much narrower an entry may be than the menu that it is in."""
_MOMENT = 0.001
_ENDLESS = 3600.0
_BUS = "org.freedesktop.DBus"
_ROOT = wire.path_field(ROOT_PATH)
_LIST = Method("org.a11y.atspi.Registry", ACCESSIBLE, "GetChildren")


class Live:
    """The programs on one accessibility bus. One thread at a time may hold `lock` and look."""

    def __init__(self, address: str, *, timeout: float = 5.0, pages: bool = True) -> None:
        """Without `pages`, what is in the pages of browsers is left out."""
        self.address = address
        self._pages = pages
        self.lock = threading.RLock()
        self.apps: dict[str, App] = {}
        """In the order of the registry."""
        self.changes = 0
        """Counts everything that happened."""
        self.identities: dict[str, Identities] = {}
        """By bus name: the uids that another connection gave to the objects of a program."""
        self._heard: list[Callable[[], None]] = []
        self._own = threading.local()
        self.connection = Connection(address, timeout=timeout)
        self.connection.signal = self._signal
        self._registry = Lane(self.connection, "org.a11y.atspi.Registry")
        self._daemon = Lane(self.connection, _BUS)
        self._direct: list[Connection] = []
        self._ears = select.epoll()
        """What the thread waits with that takes in events while nothing is read."""
        self._reading = 0
        self._ears.register(self.connection, select.EPOLLIN)
        self._register()
        self._closing = False
        self._thread = threading.Thread(target=self._listen, name="deskhand-atspi", daemon=True)
        self._thread.start()

    def close(self) -> None:
        with self.lock:
            self._closing = True
            for connection in (self.connection, *self._direct):
                connection.close()
        if threading.current_thread() is not self._thread:
            self._thread.join(1)
            self._ears.close()

    @property
    def closed(self) -> str | None:
        """Why there is no connection any more; None while there is."""
        return self.connection.closed

    def heard(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call this at every event; returns how to stop it."""
        self._heard.append(changed)

        def stop() -> None:
            with contextlib.suppress(ValueError):
                self._heard.remove(changed)

        return stop

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """With the lock held, and without waking the thread that listens at each answer."""
        with self.lock:
            self._reading += 1
            if self._reading == 1:
                self._hear(0)
            try:
                yield
            finally:
                self._reading -= 1
                if self._reading == 0:
                    self._hear(select.EPOLLIN)

    def _hear(self, events: int) -> None:
        for connection in (self.connection, *self._direct):
            if connection.closed is None:
                # It may end at any time, in another thread too.
                with contextlib.suppress(OSError, ValueError):
                    self._ears.modify(connection, events)

    def _connect(self, address: str, timeout: float) -> Connection:
        """A connection to a program itself."""
        connection = Connection(address, direct=True, timeout=timeout)
        self._direct.append(connection)
        self._ears.register(connection, 0 if self._reading else select.EPOLLIN)
        return connection

    # -- looking -------------------------------------------------------------------------------

    def look(
        self,
        timeout: float,
        wanted: Callable[[App], bool] = lambda _: True,
        meanwhile: Callable[[], None] = lambda: None,
        silence: float | None = None,
        probe: float = _PROBE,
    ) -> list[App]:
        """Bring the wanted programs up to date; those that did not answer have `missing` set.

        `meanwhile` is done once the programs are asked; what it marks is read in the same look. Programs that
        are silent for so long (`silence`) are set aside: they are `slow`, and `resume` goes on with them.
        Those that did not answer the last time are waited for so long (`probe`).
        """
        with self._alone():
            known = [app for app in self.apps.values() if wanted(app)]
            listed: list[bytes | CallError] = []
            self._registry.call(_ROOT, _LIST, lambda _, answer: listed.append(answer))
            self._bring_up(known, timeout, meanwhile, silence, probe)
            new = self._list_apps(listed, timeout)
            self._bring_up([app for app in new if wanted(app)], timeout, None, silence, probe)
            apps = [app for app in self.apps.values() if wanted(app)]
            ended = [app for app in known if app.bus not in self.apps and app.missing is not None]
            apps += ended
            return apps

    def resume(self, apps: list[App], silence: float = _MOMENT) -> None:
        """Take in what programs answered that were set aside; those that are done are slow no more."""
        with self._alone():
            slow = [app for app in apps if app.slow]
            if not slow:
                return
            for app in slow:
                app.slow, app.missing = False, None
            self._pump(slow, _ENDLESS, silence=silence)
            self._finish([app for app in slow if not app.slow], _ENDLESS, silence)
            self._lose_missing(slow)

    def give_up(self, apps: list[App], timeout: float) -> None:
        """Wait no longer for programs that were set aside."""
        with self.lock:
            slow = [app for app in apps if app.slow]
            for app in slow:
                app.slow, app.missing = False, f"it did not answer within {timeout:.3g} s"
                for lane in (app.bus_lane, app.lane):
                    lane.fail(app.missing)
            self._lose_missing(slow)

    def come_round(self, apps: Iterable[App], silence: float) -> bool:
        """Wait until each of these programs has come round its loop; False if one is silent for so long.

        Those that were not read yet, or did not answer the last time, are not asked.
        """
        with self._alone():
            known = [app for app in apps if app.loaded and not (app.slow or app.suspect)]
            for app in known:
                app.bus_lane.call(_ROOT, app.barrier, _ignore)
            return not pump([app.bus_lane for app in known], math.inf, silence)

    def _bring_up(
        self,
        apps: list[App],
        timeout: float,
        meanwhile: Callable[[], None] | None = None,
        silence: float | None = None,
        probe: float = _PROBE,
    ) -> None:
        if not apps and meanwhile is None:
            return
        for app in apps:
            app.missing = None
        self._probe([app for app in apps if app.suspect], probe)
        self.resume(apps)
        if silence is None:
            self.give_up(apps, timeout)
        here = [app for app in apps if not (app.suspect or app.missing)]
        for app in here:
            self._begin(app)
        if meanwhile is not None:
            for lane in (self._registry, *(app.bus_lane for app in here)):
                lane.fill()
            self.connection.flush()
            meanwhile()
        self._pump(here, timeout, [self._registry, self._daemon], silence)
        self._finish(here, timeout, silence)
        self._lose_missing(here)

    @staticmethod
    def _reader(app: App) -> Reader:
        if app.reader is None or app.reader.lane is not app.lane:
            app.reader = Reader(app)
        return app.reader

    def _lose_missing(self, apps: list[App]) -> None:
        for app in apps:
            if app.missing is not None and not app.slow and self.apps.get(app.bus) is app:
                self._lost(app)

    def refresh(self, item: Item, facets: int, timeout: float, also: Iterable[Item] = ()) -> None:
        """Read some facets of one item again, and of others of its program."""
        with self._alone():
            item.app.missing = None
            for one in (*also, item):
                self._reader(item.app).fetch(one, facets)
            self._pump([item.app], timeout)
            self._lose_missing([item.app])

    def see_menus(self, app: App, popups: list[Rect], timeout: float) -> None:
        """See which menus of GTK 2 are open: nothing says so, but their entries are in one of the popups."""
        menus = [item for item in app.items.values() if item.role == MENU and item.kids]
        asked = {kid for menu in menus if popups for kid in menu.kids[:_FIRST]}
        before = {kid for menu in menus for kid in menu.kids if kid.opened}
        self._read_places(app, asked, timeout)
        opened = {
            kid
            for menu in menus
            if any(_fills(popup, one.extents) for popup in popups for one in menu.kids[:_FIRST])
            for kid in menu.kids
        }
        self._read_places(app, opened - asked, timeout)
        for kid in (before | asked) - opened:
            kid.opened, kid.extents = False, None
        for kid in before ^ opened:
            kid.changed()

    def _read_places(self, app: App, entries: set[Item], timeout: float) -> None:
        for entry in entries:
            entry.opened = True
        if entries:
            self.refresh(next(iter(entries)), Facet.EXTENTS, timeout, entries)

    def attributes(self, items: list[Item], timeout: float) -> dict[Item, dict[str, str]]:
        """The object attributes of items, read now; a program that does not answer has `missing` set."""
        found: dict[Item, dict[str, str]] = {}
        with self._alone():
            apps = list(dict.fromkeys(item.app for item in items))
            for item in items:
                self._reader(item.app).read_attributes(item, found)
            self._pump(apps, timeout)
            self._lose_missing(apps)
        return found

    def _probe(self, apps: list[App], timeout: float) -> None:
        """See whether programs that did not answer do so again."""
        if not apps:
            return
        for app in apps:
            app.bus_lane.failed = None
            app.bus_lane.call(_ROOT, Method(app.bus, ACCESSIBLE, "GetRole"), _ignore)
        pump([app.bus_lane for app in apps], timeout)
        for app in apps:
            if app.bus_lane.failed is None:
                app.suspect = False
                if not app.toolkit:
                    self._introduce([app], timeout)
            else:
                app.missing = "it does not answer"
                app.bus_lane.failed = None

    def _begin(self, app: App) -> None:
        """Put the questions of a read under way."""
        if app.loaded:
            app.bus_lane.call(_ROOT, app.barrier, self._past_barrier, app)
        app.loaded = True
        self._reader(app).read()

    def _past_barrier(self, app: App, _: bytes | CallError) -> None:
        """All events so far are here."""
        self._discover(app)
        self._reader(app).read_moved()

    def _finish(self, apps: list[App], timeout: float, silence: float | None) -> None:
        """Read what the answers so far ask for."""
        done = [app for app in apps if not (app.slow or app.missing)]
        for app in done:
            self._discover(app)
        self._pump([app for app in done if not app.lane.idle], timeout, silence=silence)
        self._pump([app for app in done if self._reader(app).finish()], timeout, silence=silence)

    def _discover(self, app: App) -> None:
        """Find what unknown objects are in that events came from."""
        strays, app.strays = app.strays, set()
        for path in strays:
            if path not in app.items:
                self._reader(app).discover(path)

    def _pump(
        self,
        apps: list[App],
        timeout: float,
        more: list[Lane] | None = None,
        silence: float | None = None,
    ) -> None:
        if not (apps or more):
            return
        lanes = {id(lane): lane for app in apps for lane in (app.bus_lane, app.lane)}
        lanes |= {id(lane): lane for lane in more or []}
        try:
            silent = pump(lanes.values(), timeout, silence)
            for app in apps:
                if app.bus_lane in silent or app.lane in silent:
                    app.slow, app.missing = True, "it does not answer"
            pump(more or [], timeout)
        except WireError as error:
            for app in apps:
                app.missing = f"it answered what cannot be read: {error}"
        for app in apps:
            reason = app.lane.failed or app.bus_lane.failed
            if reason is not None:
                app.missing = reason

    def _lost(self, app: App) -> App:
        """Start anew with a program that did not answer: what is known of it may be half of it."""
        fresh = App(app.bus, Lane(self.connection, app.bus))
        fresh.acted = app.acted
        fresh.name, fresh.pid, fresh.toolkit, fresh.version, fresh.how = (
            app.name, app.pid, app.toolkit, app.version, app.how,
        )  # fmt: skip
        fresh.suspect = True
        fresh.generations, fresh.overgrown = app.generations, app.overgrown
        if app.lane is not app.bus_lane and app.lane.connection.closed is None:
            app.lane.failed = None
            fresh.lane = app.lane
        fresh.missing, fresh.address = app.missing, app.address
        self.apps[app.bus] = fresh
        return fresh

    # -- acting --------------------------------------------------------------------------------

    def action_lane(self, app: App) -> Lane:
        """The way for calls that may not be answered for long.

        A GTK program that opens a dialog in the middle of a call reads nothing more from that connection
        until the dialog is closed. So actions have one of their own.
        """
        if not app.address:
            return app.bus_lane
        if app.actions is None or app.actions.connection.closed is not None:
            with self.lock:
                app.actions = Lane(self._connect(app.address, 2.0), None)
        return app.actions

    def leave(self, app: App, lane: Lane, answers: list[bytes | CallError]) -> None:
        """Wait no longer for the answer on a lane of actions; it comes when the dialog is closed."""
        app.nested = answers
        if lane is app.actions:
            app.actions = None
        else:
            lane.connection.set_aside(lane)

    # -- which programs there are ----------------------------------------------------------------

    def _list_apps(self, listed: list[bytes | CallError], timeout: float) -> list[App]:
        """Take in the registry's list; the programs on it that are new."""
        failed, self._registry.failed, self._daemon.failed = self._registry.failed, None, None
        if not listed:
            raise CallError("no answer", failed or "")
        if isinstance(listed[0], CallError):
            raise listed[0]
        references = wire.unpack("a(so)", listed[0])[0]
        order = list(dict.fromkeys(bus for bus, path in references if path != NULL_PATH))
        new = [App(bus, Lane(self.connection, bus)) for bus in order if bus not in self.apps]
        for app in new:
            if app.bus in self.identities:
                app.identify(self.identities[app.bus])
        if new:
            self._introduce(new, timeout)
        known = {**self.apps, **{app.bus: app for app in new}}
        self.apps = {bus: known[bus] for bus in order}
        return new

    def _introduce(self, apps: list[App], timeout: float) -> None:
        """Learn what new programs are, and connect to those that can be talked to directly."""
        for app in apps:
            method = Method(_BUS, _BUS, "GetConnectionUnixProcessID", "s", app.bus)
            self._daemon.call(wire.path_field("/org/freedesktop/DBus"), method, self._got_pid, app)
        pump([self._daemon], timeout)
        self._daemon.failed = None
        for app in apps:
            for interface, name in (
                (ACCESSIBLE, "Name"),
                (APPLICATION, "ToolkitName"),
                (APPLICATION, "Version"),
            ):
                method = Method(app.bus, PROPERTIES, "Get", "ss", interface, name)
                app.bus_lane.call(_ROOT, method, self._got_address, (app, name))
        pump([app.bus_lane for app in apps], min(timeout, _INTRODUCTION))
        direct = []
        for app in apps:
            if app.bus_lane.failed is not None:
                app.suspect = True
                app.bus_lane.failed = None
            app.how = strategy(app.toolkit, app.version, app.name)
            if not self._pages:
                app.how = without_pages(app.how)
            if app.how.direct:
                direct.append(app)
        addresses: list[tuple[App, str]] = []

        def answered(app: App, body: bytes | CallError) -> None:
            if not isinstance(body, CallError):
                addresses.append((app, str(wire.unpack("s", body)[0])))

        for app in direct:
            app.bus_lane.call(_ROOT, Method(app.bus, APPLICATION, "GetApplicationBusAddress"), answered, app)
        pump([app.bus_lane for app in direct], timeout)
        for app, address in addresses:
            # Fallback: a program may offer an address that does not answer; the bus always leads there.
            with contextlib.suppress(Exception):
                app.lane = Lane(self._connect(address, 0.5), None)
                app.address = address
        self._direct = [connection for connection in self._direct if connection.closed is None]

    @staticmethod
    def _got_address(argument: tuple[App, str], body: bytes | CallError) -> None:
        app, name = argument
        if not isinstance(body, CallError):
            value = str(wire.unpack("v", body)[0])
            setattr(app, {"Name": "name", "ToolkitName": "toolkit", "Version": "version"}[name], value)

    @staticmethod
    def _got_pid(app: App, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            app.pid = int(wire.unpack("u", body)[0])

    # -- events --------------------------------------------------------------------------------

    def _register(self) -> None:
        for rule in _MATCHES:
            self._daemon.call(
                wire.path_field("/org/freedesktop/DBus"), Method(_BUS, _BUS, "AddMatch", "s", rule), _ignore
            )
        registry = wire.path_field(REGISTRY_PATH)
        for event in EVENTS:
            method = Method("org.a11y.atspi.Registry", REGISTRY, "RegisterEvent", "s", event)
            self._registry.call(registry, method, _ignore)

    def _listen(self) -> None:
        """Take in events while no call reads, so that they neither pile up nor go unheard."""
        while not self._closing and self.connection.closed is None:
            with contextlib.suppress(OSError, ValueError):
                self._ears.poll(0.5)
            with self.lock:
                if not self._closing:
                    turn([c for c in (self.connection, *self._direct) if c.closed is None], 0)
                    self._direct = [c for c in self._direct if c.closed is None]
        self._tell()

    def _signal(self, header: Header, body: bytes) -> None:
        if header.interface == EVENT_OBJECT or header.interface == EVENT_WINDOW:
            app = self.apps.get(header.sender)
            if app is not None:
                if header.member == "VisibleDataChanged" and header.path not in app.items:
                    # Swing says so of what it draws names with, whenever it is asked for such a name.
                    return
                try:
                    event = wire.unpack(header.signature, body)
                    if _says_nothing_new(app, header, event):
                        return
                    self._event(app, header, str(event[0]), event[1])
                except (WireError, IndexError, TypeError):
                    pass  # what it says is not needed: everything is read again
        elif header.member == "NameOwnerChanged":
            name = str(wire.unpack("sss", body)[0])
            app = self.apps.pop(name, None)
            if app is None:
                return
            for lane in (app.bus_lane, app.lane):
                lane.fail("it ended")
        else:
            return
        self.changes += 1
        self._tell()

    def _tell(self) -> None:
        for changed in list(self._heard):
            changed()

    def _event(self, app: App, header: Header, detail: str, first: int) -> None:
        """Take in what no answer would say: what has the focus, what is new, and what is gone."""
        if detail == "focused" and first:
            app.focus = header.path
        item = app.root if header.path == ROOT_PATH else app.items.get(header.path)
        if item is None:
            # An unknown object: what contains it has changed, and no event said so.
            if header.path != NULL_PATH and detail not in _LEAVING and len(app.strays) < _STRAYS:
                app.strays.add(header.path)
        elif header.member == "BoundsChanged":
            app.moved.add(item)
        elif header.member == "StateChanged" and detail == "defunct" and first and item.parent is not None:
            parent = item.parent
            if item in parent.kids:
                parent.kids.remove(item)
            parent.changed()
            app.drop(item, defunct=True)


def _says_nothing_new(app: App, header: Header, event: tuple[Any, ...]) -> bool:
    """Whether an event reports a name or description that is known.

    Thunar reports those of its icons whenever they are asked for, so that each read would be a change.
    """
    item = app.items.get(header.path) if header.member == "PropertyChange" else None
    if item is None or event[0] not in ("accessible-name", "accessible-description"):
        return False
    return bool(event[3] == (item.name if event[0] == "accessible-name" else item.description))


def _fills(popup: Rect, entry: tuple[int, int, int, int] | None) -> bool:
    """Whether an entry is in a popup, from the left edge to the right one."""
    place = None if entry is None or 0 in entry[2:] else Rect(*entry)
    return place is not None and place.intersection(popup) == place and popup.width - place.width <= _EDGES


def _ignore(_: object, __: bytes | CallError) -> None:
    pass
