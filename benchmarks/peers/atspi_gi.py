"""A plain walk with libatspi through GObject introspection, fetching what our reader fetches."""

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402 - the version must be chosen first
from serve import serve  # noqa: E402


def walk(pid: int, cold: bool) -> int:
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        app = desktop.get_child_at_index(number)
        if app is not None and app.get_process_id() == pid:
            if cold:
                app.clear_cache()
            return sum(visit(app.get_child_at_index(at)) for at in range(app.get_child_count()))
    return 0


def visit(node: object) -> int:
    if node is None:
        return 0
    node.get_role_name(), node.get_name(), node.get_description(), node.get_attributes()
    node.get_accessible_id(), node.get_interfaces()
    states = node.get_state_set()
    showing = states.contains(Atspi.StateType.SHOWING)
    if showing and (component := node.get_component_iface()) is not None:
        component.get_extents(Atspi.CoordType.SCREEN)
    if (text := node.get_text_iface()) is not None:
        Atspi.Text.get_text(text, 0, Atspi.Text.get_character_count(text))
    if (value := node.get_value_iface()) is not None:
        value.get_current_value(), value.get_minimum_value(), value.get_maximum_value()
    if (action := node.get_action_iface()) is not None:
        [action.get_action_name(at) for at in range(action.get_n_actions())]
    return 1 + sum(visit(node.get_child_at_index(at)) for at in range(node.get_child_count()))


serve(walk)
