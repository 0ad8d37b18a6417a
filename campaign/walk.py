"""An independent reader of the accessibility bus: a plain walk with the bus's own library.

Runs in a process of its own under the system's Python and imports nothing of deskhand. The library's cache is
off (`ATSPI_NO_CACHE`), so each answer comes from the program itself. Requests are lines of JSON on standard
input, each with one line as the answer:

    {"do": "walk", "hidden": false}    every object; those that do not show without what is in them
    {"do": "read", "objects": [...]}   some objects by bus name and path, asked by plain D-Bus calls
    {"do": "hit", "window": [...], "x": 1, "y": 2}    what a window says is at a point of the screen
"""

from __future__ import annotations

import json
import os
import sys
import warnings

os.environ["ATSPI_NO_CACHE"] = "1"
warnings.simplefilter("ignore")  # the library calls its own interfaces deprecated

import gi  # noqa: E402 - after the settings above

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402 - as above

LIMIT = 10_000
"""How many characters of a text are read."""
MANY = 200
"""Of more children than this, only the first are walked."""
DEEPEST = 100
TIMEOUT = 5_000
"""How long a program may take to answer one call, in milliseconds."""

FIELDS = ("entry", "text", "password text", "combo box", "spin button", "slider")
"""Roles that are called by their labels."""
LABELLED_BY = 2

ACCESSIBLE = "org.a11y.atspi.Accessible"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"
COMPONENT = "org.a11y.atspi.Component"
PROPERTIES = "org.freedesktop.DBus.Properties"
NULL = "/org/a11y/atspi/null"


def main():
    Atspi.init()
    Atspi.set_timeout(TIMEOUT, TIMEOUT)
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
    own = os.getpid()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "walk":
                answer = walk(request["hidden"], own)
            elif request["do"] == "read":
                answer = {"objects": [read(bus, *one) for one in request["objects"]]}
            else:
                found = hits(bus, *request["window"], request["x"], request["y"])
                answer = {"hits": found, "above": above(bus, *found[-1])}
        except GLib.Error as error:
            answer = {"error": error.message}
        print(json.dumps(answer), flush=True)


# -- the walk --------------------------------------------------------------------------------------


def walk(hidden, own):
    """Every object of every program, each with what its own interfaces say."""
    desktop = Atspi.get_desktop(0)
    programs, objects, errors = [], [], []
    for index in range(desktop.get_child_count()):
        program = desktop.get_child_at_index(index)
        if program is None:
            continue
        try:
            if program.get_process_id() == own:
                continue
            toolkit = f"{program.get_toolkit_name()} {program.get_toolkit_version()}"
            about = {"name": program.get_name(), "toolkit": toolkit, "pid": program.get_process_id()}
        except GLib.Error as error:
            errors.append(f"program {index}: {error.message}")
            continue
        programs.append({**about, "bus": program.app.bus_name, "path": program.path})
        # GTK 4 sets the state SHOWING only on windows.
        needed = Atspi.StateType.VISIBLE if toolkit.startswith("GTK 4") else Atspi.StateType.SHOWING
        stack, seen = [(program, None, 0)], set()
        while stack:
            one, parent, depth = stack.pop()
            if one.path in seen or depth > DEEPEST:
                continue
            seen.add(one.path)
            try:
                known, kids = describe(one, hidden, needed, depth)
            except GLib.Error as error:
                errors.append(f"{one.path}: {error.message}")
                continue
            known["parent"] = parent
            objects.append(known)
            stack.extend((kid, one.path, depth + 1) for kid in reversed(kids))
    return {"programs": programs, "objects": objects, "errors": errors}


def describe(one, hidden, needed, depth):
    """What one object says of itself, and its children as far as they are walked."""
    states = one.get_state_set()
    role = one.get_role()
    known = {
        "bus": one.app.bus_name,
        "path": one.path,
        "role": role.value_nick.replace("-", " "),
        "name": one.get_name() or "",
        "states": sorted(state.value_nick for state in states.get_states()),
    }
    faces = one.get_interfaces()
    if "Text" in faces:
        count = Atspi.Text.get_character_count(one)
        known["length"] = count
        if role != Atspi.Role.PASSWORD_TEXT:
            known["text"] = Atspi.Text.get_text(one, 0, min(count, LIMIT)) if count > 0 else ""
    if "Value" in faces:
        known["value"] = Atspi.Value.get_current_value(one)
    attributes = one.get_attributes() or {}
    if attributes.get("placeholder-text"):
        known["placeholder"] = attributes["placeholder-text"]
    labels = [
        relation.get_target(index).get_name()
        for relation in one.get_relation_set()
        if relation.get_relation_type() == Atspi.RelationType.LABELLED_BY
        for index in range(relation.get_n_targets())
    ]
    if labels:
        known["labels"] = labels
    if depth > 1 and not hidden and not states.contains(needed):
        return known, []
    count = one.get_child_count()
    known["count"] = count
    kids = [one.get_child_at_index(index) for index in range(min(count, MANY))]
    kids = [kid for kid in kids if kid is not None and kid.path != NULL]
    known["kids"] = [[kid.app.bus_name, kid.path] for kid in kids]
    return known, [kid for kid in kids if kid.app.bus_name == one.app.bus_name]


# -- single objects, by plain calls ----------------------------------------------------------------


def read(bus, name, path):
    """What one object says of itself; None where it does not answer."""
    role = ask(bus, name, path, ACCESSIBLE, "GetRole")
    if role is None:
        return None
    bits = ask(bus, name, path, ACCESSIBLE, "GetState") or [0, 0]
    states = bits[0] | bits[1] << 32
    nick = Atspi.Role(role).value_nick.replace("-", " ")
    known = {
        "bus": name,
        "path": path,
        "role": nick,
        "name": prop(bus, name, path, ACCESSIBLE, "Name") or "",
        "states": sorted(
            Atspi.StateType(number).value_nick for number in range(64) if states >> number & 1 and number < 45
        ),
    }
    if nick in FIELDS:
        relations = ask(bus, name, path, ACCESSIBLE, "GetRelationSet") or []
        labels = [target for kind, targets in relations if kind == LABELLED_BY for target in targets]
        known["labels"] = [prop(bus, *label, ACCESSIBLE, "Name") or "" for label in labels]
    faces = ask(bus, name, path, ACCESSIBLE, "GetInterfaces") or []
    if TEXT in faces:
        count = known["length"] = prop(bus, name, path, TEXT, "CharacterCount") or 0
        if nick != "password text":
            known["text"] = (
                ask(bus, name, path, TEXT, "GetText", "(ii)", 0, min(count, LIMIT)) if count else ""
            )
    if VALUE in faces:
        known["value"] = prop(bus, name, path, VALUE, "CurrentValue")
    return known


def hits(bus, name, path, x, y):
    """The objects that a window says are at a point, from itself down to the innermost."""
    found = [[name, path]]
    while len(found) < DEEPEST:
        answer = ask(bus, *found[-1], COMPONENT, "GetAccessibleAtPoint", "(iiu)", x, y, 0)
        if answer is None or answer[1] == NULL or list(answer) in found:
            break
        found.append(list(answer))
    return found


def above(bus, name, path):
    """What an object says that it is in, up to its program."""
    found = []
    while len(found) < DEEPEST:
        answer = prop(bus, name, path, ACCESSIBLE, "Parent")
        if answer is None or answer[1] == NULL or list(answer) in found:
            break
        name, path = answer
        found.append([name, path])
    return found


def prop(bus, name, path, interface, member):
    return ask(bus, name, path, PROPERTIES, "Get", "(ss)", interface, member)


def ask(bus, name, path, interface, member, signature=None, *values):
    """The first value of an answer; None if the program refused or is gone."""
    body = GLib.Variant(signature, values) if signature else None
    try:
        answer = bus.call_sync(name, path, interface, member, body, None, 0, TIMEOUT, None)
    except GLib.Error:
        return None
    return answer.unpack()[0]


if __name__ == "__main__":
    main()
