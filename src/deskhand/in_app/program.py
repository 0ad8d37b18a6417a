"""What a program says about itself, before and after it can be driven: ids, functions, and its flags.

Meant to stay in a program permanently, so it loads nothing and does next to nothing until automation is asked
for. `host` reads it then.
"""

from __future__ import annotations

import atexit
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from ..engine.session import Session
    from ..model.adapter import Adapter
    from .host import Handle

ids: dict[object, tuple[Callable[[], Any], str]] = {}
"""Widgets and their automation ids, by the widget's own id(); items of Dear ImGui by what names them."""
# PySide6 frees objects while Python ends, and leaves weak references to them behind that lead nowhere.
atexit.register(ids.clear)
registered: dict[str, Any] = {}
"""What `register` was given, by name."""
driven: list[Session] = []
"""The engine in this program, while there is one."""


def set_id(widget: object, automation_id: str) -> None:
    """Give a widget a stable automation id, on the GUI thread; the selector `#id` finds it.

    May be called before or after `enable`, and costs next to nothing if that is never called. Dear ImGui has
    no widgets: there it is a pair of the window and the label, or the path `ImGui/<window>/<label>`.
    """
    if isinstance(widget, (str, tuple)):
        ids[widget] = (lambda: widget, automation_id)
    else:
        key = id(widget)
        ids[key] = (weakref.ref(widget, lambda _: ids.pop(key, None)), automation_id)
    for session in driven:
        name(session.adapter, widget, automation_id)


def name(adapter: Adapter, widget: object, automation_id: str) -> None:
    """Give an adapter the id of a widget, unless that is an item of another toolkit."""
    if not isinstance(widget, (str, tuple)):
        adapter.set_id(widget, automation_id)
        return
    from ..model.adapter import abilities

    if (labels := abilities(adapter).names_by_label) is not None:
        labels.set_id_by_label(widget, automation_id)


def register(
    *,
    app_state: Callable[[], Mapping[str, Any]] | None = None,
    file_open: Callable[[list[str]], object] | None = None,
    view_select: Callable[[str], object] | None = None,
    viewport3d: Callable[[int | None, int, int], bytes] | None = None,
    extended: bool | None = None,
) -> None:
    """Say what only the program knows; each is called on the GUI thread. May be called before `enable`.

    `app_state` gives fields of AppState, such as `project_loaded`, and any others; `file_open` opens files
    and may give how many; `view_select` shows a view by its name, and may give its index or raise LookupError
    for one that is not there; `viewport3d` draws the 3D view as PNG, given its index (None for the current
    one), a width and a height. Orca lists the last three among its capabilities, unless `extended` is False.
    """
    given = {
        "app_state": app_state,
        "file_open": file_open,
        "view_select": view_select,
        "viewport3d": viewport3d,
        "extended": extended,
    }
    for name, value in given.items():
        if value is not None:
            registered[name] = value
            for session in driven:
                setattr(session, name, value)


def automation_flags(argv: Iterable[str]) -> Handle | None:
    """Honour --automation-server and --automation-server-port PORT; without the former nothing happens.

    The port may also be in the same argument: --automation-server-port=PORT.
    """
    asked, port = False, ""
    arguments = iter(argv)
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if argument == "--automation-server":
            asked = True
        elif name == "--automation-server-port":
            port = value if equals else next(arguments, "")
    return _serve(port) if asked else None


def _serve(port: str) -> Handle:
    from importlib import import_module

    try:
        number = int(port or 0)
    except ValueError:
        from ..model.errors import InvalidParams

        raise InvalidParams(f"--automation-server-port wants a number, not '{port}'", field="port") from None
    # Not an import statement: what this module imports is loaded in programs that are not driven.
    host = import_module(".host", __package__)
    # Programs that take these flags read 0 and less as the default.
    handle: Handle = host.enable(orca=number if number > 0 else True)
    return handle
