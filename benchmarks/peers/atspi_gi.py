"""A plain walk with libatspi through GObject introspection, fetching the fields that our reader fetches.

Attributes, ids and relations only of those of whom our reader asks them too.
"""

from contextlib import suppress

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402 - the version must be chosen first
from serve import serve  # noqa: E402

FIELDS = {
    Atspi.Role.ENTRY, Atspi.Role.TEXT, Atspi.Role.PASSWORD_TEXT, Atspi.Role.COMBO_BOX, Atspi.Role.SPIN_BUTTON,
    Atspi.Role.SLIDER,
}  # fmt: skip
found = {}


def program(pid):
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        app = desktop.get_child_at_index(number)
        if app is not None and app.get_process_id() == pid:
            return app
    return None


def walk(pid, cold):
    app = program(pid)
    if app is None:
        return 0
    if cold:
        app.clear_cache()
    toolkit = (app.get_toolkit_name() or "").lower()
    version = app.get_toolkit_version() or ""
    # GTK 4 says of nothing that it shows.
    shows = Atspi.StateType.VISIBLE if toolkit == "gtk" and version[:1] == "4" else Atspi.StateType.SHOWING
    ids = (toolkit == "qt" and version[:1] == "6") or app.get_name() == "soffice"
    return sum(
        visit(app.get_child_at_index(at), toolkit, shows, ids, False) for at in range(app.get_child_count())
    )


def visit(node, toolkit, shows, ids, web):
    if node is None:
        return 0
    role = node.get_role()
    name = node.get_name()
    node.get_description(), node.get_interfaces()
    if ids:
        node.get_accessible_id()
    field = role in FIELDS
    web = web or role == Atspi.Role.DOCUMENT_WEB
    shown = node.get_state_set().contains(shows)
    if (toolkit == "chromium" and (web or shown)) or (field and toolkit == "gtk"):
        node.get_attributes()
    if field and not name:
        node.get_relation_set()
    if shown and (component := node.get_component_iface()) is not None:
        component.get_extents(Atspi.CoordType.SCREEN)
    if (text := node.get_text_iface()) is not None:
        Atspi.Text.get_text(text, 0, Atspi.Text.get_character_count(text))
    if (value := node.get_value_iface()) is not None:
        # Chromium's have no limits at times.
        with suppress(GLib.GError):
            value.get_current_value(), value.get_minimum_value(), value.get_maximum_value()
    if (action := node.get_action_iface()) is not None:
        [action.get_action_name(at) for at in range(action.get_n_actions())]
    return 1 + sum(
        visit(node.get_child_at_index(at), toolkit, shows, ids, web) for at in range(node.get_child_count())
    )


def press(pid, name):
    if name not in found:
        found[name] = find(program(pid), name)
        return
    found[name].get_action_iface().do_action(0)


def find(node, name):
    if node.get_name() == name and node.get_action_iface() is not None:
        return node
    for at in range(node.get_child_count()):
        if (below := find(node.get_child_at_index(at), name)) is not None:
            return below
    return None


serve(walk, press)
