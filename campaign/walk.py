"""An independent reader of the accessibility bus: a plain walk with GLib's own D-Bus library.

Runs in a process of its own under the system's Python and imports nothing of deskhand. Nothing is kept: each
answer comes from the program itself. Questions are sent without waiting for the answers to others, since a
walk of a large program takes thousands. Requests are lines of JSON on standard input, each with one line as
the answer:

    {"do": "walk", "hidden": false}    every object; those that do not show without what is in them
    {"do": "read", "objects": [...]}   some objects by bus name and path
    {"do": "hit", "window": [...], "x": 1, "y": 2}    what a window says is at a point of the screen
"""

from __future__ import annotations

import json
import sys
from collections import deque

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402 - after the version

LIMIT = 10_000
"""How many characters of a text are read."""
MANY = 200
"""Of more children than this, only the first are walked."""
DEEPEST = 100
TIMEOUT = 5_000
"""How long a program may take to answer one call, in milliseconds."""
AT_ONCE = 256
"""How many questions may be without an answer at the same time."""

LABELLED_BY = 2

ACCESSIBLE = "org.a11y.atspi.Accessible"
APPLICATION = "org.a11y.atspi.Application"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"
COMPONENT = "org.a11y.atspi.Component"
PROPERTIES = "org.freedesktop.DBus.Properties"
DAEMON = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
NULL = "/org/a11y/atspi/null"

ROLES = {}
STATES = {}


def main():
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    bus = Bus(Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "walk":
                answer = walk(bus, request["hidden"])
            elif request["do"] == "read":
                found = [{} for _ in request["objects"]]
                for known, (name, path) in zip(found, request["objects"], strict=True):
                    describe(bus, known, name, path)
                bus.run()
                answer = {"objects": [known if "role" in known else None for known in found]}
            else:
                found = hits(bus, *request["window"], request["x"], request["y"])
                answer = {"hits": found, "above": above(bus, *found[-1])}
        except GLib.Error as error:
            answer = {"error": error.message}
        print(json.dumps(answer), flush=True)


class Bus:
    """Asks questions, and calls what waits for each answer; that is given None where there is none."""

    def __init__(self, connection):
        self.connection = connection
        self.waiting = deque()
        self.open = 0

    def ask(self, then, name, path, interface, member, signature=None, *values):
        self.waiting.append((then, name, path, interface, member, signature, values))

    def get(self, then, name, path, interface, member):
        self.ask(then, name, path, PROPERTIES, "Get", "(ss)", interface, member)

    def run(self):
        """Return when everything is answered, and all that was asked because of that."""
        context = GLib.MainContext.default()
        while self.waiting or self.open:
            while self.waiting and self.open < AT_ONCE:
                then, name, path, interface, member, signature, values = self.waiting.popleft()
                body = GLib.Variant(signature, values) if signature else None
                self.open += 1
                self.connection.call(
                    name, path, interface, member, body, None, 0, TIMEOUT, None, self._answered, then
                )
            context.iteration(True)

    def now(self, name, path, interface, member, signature=None, *values):
        """The answer to a single question."""
        found = []
        self.ask(found.append, name, path, interface, member, signature, *values)
        self.run()
        return found[0]

    def _answered(self, connection, result, then):
        self.open -= 1
        try:
            answer = connection.call_finish(result).unpack()
        except GLib.Error:
            answer = None
        then(answer[0] if answer else None)


# -- the walk --------------------------------------------------------------------------------------


def walk(bus, hidden):
    """Every object of every program, each with what its own interfaces say."""
    programs, objects = [], []
    for name, path in bus.now(*REGISTRY, ACCESSIBLE, "GetChildren") or []:
        about = {"bus": name, "path": path, "name": "", "toolkit": "", "pid": 0}
        told = {}
        bus.get(lambda value, told=told: told.update(name=value), name, path, ACCESSIBLE, "Name")
        bus.get(lambda value, told=told: told.update(kit=value), name, path, APPLICATION, "ToolkitName")
        bus.get(lambda value, told=told: told.update(version=value), name, path, APPLICATION, "Version")
        bus.ask(
            lambda value, told=told: told.update(pid=value),
            *DAEMON,
            "GetConnectionUnixProcessID",
            "(s)",
            name,
        )
        bus.run()
        if told["kit"] is None:
            continue  # it ended, or does not answer
        about.update(
            name=told["name"] or "", toolkit=f"{told['kit']} {told['version']}", pid=told["pid"] or 0
        )
        programs.append(about)
        # GTK 4 sets the state SHOWING only on windows.
        needed = "visible" if about["toolkit"].startswith("GTK 4") else "showing"
        Walker(bus, objects, hidden, needed).visit(name, path, None, 0)
        bus.run()
    return {"programs": programs, "objects": objects, "errors": []}


class Walker:
    """Walks one program, as answers come."""

    def __init__(self, bus, objects, hidden, needed):
        self.bus, self.objects, self.hidden, self.needed = bus, objects, hidden, needed
        self.seen = set()

    def visit(self, name, path, parent, depth):
        if path in self.seen or depth > DEEPEST:
            return
        self.seen.add(path)
        known = {"parent": parent}
        describe(self.bus, known, name, path, lambda: self.enter(known, depth))

    def enter(self, known, depth):
        """The object has said what it is."""
        self.objects.append(known)
        if depth > 1 and not self.hidden and self.needed not in known["states"]:
            return
        self.bus.get(
            lambda count: self.counted(known, depth, count or 0),
            known["bus"], known["path"], ACCESSIBLE, "ChildCount",
        )  # fmt: skip

    def counted(self, known, depth, count):
        known["count"] = count
        if count <= MANY:
            self.bus.ask(
                lambda kids: self.listed(known, depth, kids or []),
                known["bus"], known["path"], ACCESSIBLE, "GetChildren",
            )  # fmt: skip
            return
        kids = [None] * MANY
        left = [MANY]

        def one(index, kid):
            kids[index] = kid
            left[0] -= 1
            if not left[0]:
                self.listed(known, depth, [kid for kid in kids if kid is not None])

        for index in range(MANY):
            self.bus.ask(
                lambda kid, index=index: one(index, kid),
                known["bus"], known["path"], ACCESSIBLE, "GetChildAtIndex", "(i)", index,
            )  # fmt: skip

    def listed(self, known, depth, kids):
        known["kids"] = [[name, path] for name, path in kids if path != NULL]
        for name, path in known["kids"]:
            if name == known["bus"]:
                self.visit(name, path, known["path"], depth + 1)


# -- single objects --------------------------------------------------------------------------------


def describe(bus, known, name, path, then=lambda: None):
    """Ask what an object says of itself; `known` stays without a role where it does not answer."""

    def role(number):
        if number is None:
            return
        if number not in ROLES:
            ROLES[number] = Atspi.Role(number).value_nick.replace("-", " ")
        known.update(bus=name, path=path, role=ROLES[number], name="", states=[])
        bus.get(lambda text: known.update(name=text or ""), name, path, ACCESSIBLE, "Name")
        bus.ask(relations, name, path, ACCESSIBLE, "GetRelationSet")
        bus.ask(attributes, name, path, ACCESSIBLE, "GetAttributes")
        bus.ask(faces, name, path, ACCESSIBLE, "GetInterfaces")
        # Last: what is done then depends on it.
        bus.ask(states, name, path, ACCESSIBLE, "GetState")

    def states(bits):
        bits = bits or [0, 0]
        known["states"] = named_states(bits[0] | bits[1] << 32)
        then()

    def faces(names):
        if TEXT in (names or ()):
            bus.get(length, name, path, TEXT, "CharacterCount")
        if VALUE in (names or ()):
            bus.get(lambda value: known.update(value=value), name, path, VALUE, "CurrentValue")

    def length(count):
        known["length"] = count = count or 0
        if known["role"] == "password text":
            return
        known["text"] = ""
        if count > 0:
            end = min(count, LIMIT)
            bus.ask(lambda text: known.update(text=text), name, path, TEXT, "GetText", "(ii)", 0, end)

    def attributes(told):
        if told and told.get("placeholder-text"):
            known["placeholder"] = told["placeholder-text"]

    def relations(told):
        labels = [target for kind, targets in told or () if kind == LABELLED_BY for target in targets]
        known["labels"] = [""] * len(labels)
        for index, label in enumerate(labels):
            bus.get(
                lambda text, index=index: known["labels"].__setitem__(index, text or ""),
                *label, ACCESSIBLE, "Name",
            )  # fmt: skip

    bus.ask(role, name, path, ACCESSIBLE, "GetRole")


def named_states(bits):
    if bits not in STATES:
        numbers = [number for number in range(45) if bits >> number & 1]
        STATES[bits] = sorted(Atspi.StateType(number).value_nick for number in numbers)
    return STATES[bits]


def hits(bus, name, path, x, y):
    """The objects that a window says are at a point, from itself down to the innermost."""
    found = [[name, path]]
    while len(found) < DEEPEST:
        answer = bus.now(*found[-1], COMPONENT, "GetAccessibleAtPoint", "(iiu)", x, y, 0)
        if answer is None or answer[1] == NULL or list(answer) in found:
            break
        found.append(list(answer))
    return found


def above(bus, name, path):
    """What an object says that it is in, up to its program."""
    found = []
    while len(found) < DEEPEST:
        answer = bus.now(name, path, PROPERTIES, "Get", "(ss)", ACCESSIBLE, "Parent")
        if answer is None or answer[1] == NULL or list(answer) in found:
            break
        name, path = answer
        found.append([name, path])
    return found


if __name__ == "__main__":
    main()
