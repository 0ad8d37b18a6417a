"""Top-level windows: which is in front, which takes all input, and what can be done to them."""

from __future__ import annotations

import tkinter
from contextlib import suppress

from ...model.errors import ActionFailed, AppGone, NotEnabled
from ...model.node import Node, Rect
from ...model.operations import ControlWindow
from ..performer import arranged, cannot_focus
from .kinds import text_of
from .roots import Handle, Registry, Root
from .thread import UiThread

_SETTLE = 2.0
"""How long the window manager may take, in seconds."""


def top_of(handle: Handle) -> str:
    """The path of the window that something is in."""
    return text_of(handle.known.root.call("winfo", "toplevel", handle.path))


def is_menu(handle: Handle) -> bool:
    return handle.known.kind == "menu"


def active(root: Root) -> str:
    """The window that has the keyboard; empty if none of this interpreter has."""
    focus = text_of(root.call("focus"))
    return text_of(root.call("winfo", "toplevel", focus)) if focus else ""


def grab(root: Root) -> str:
    """The widget that takes all input; empty if there is none."""
    return text_of(root.call("::deskhand::grabbed"))


def modal_title(registry: Registry) -> str | None:
    """The title of the modal dialog that is open."""
    for root in registry.alive():
        if (path := grab(root)) and text_of(root.call("winfo", "class", path)) not in (
            "Menu",
            "ComboboxPopdown",
        ):
            top = text_of(root.call("winfo", "toplevel", path))
            if text_of(root.call("wm", "overrideredirect", top)) not in ("1", "True"):
                return text_of(root.call("wm", "title", top))
    return None


def insist_on_unblocked(handle: Handle, what: str) -> None:
    """ActionFailed if a modal dialog or an open menu keeps input from what is meant."""
    root = handle.known.root
    path = grab(root)
    if not path or path == "." or handle.path == path or handle.path.startswith(f"{path}."):
        return
    cls = text_of(root.call("winfo", "class", path))
    if is_menu(handle):
        return  # menus take the input from each other
    if cls in ("Menu", "ComboboxPopdown"):
        raise ActionFailed(
            f"a {'menu' if cls == 'Menu' else 'list'} is open, which takes the click on {what}",
            suggestions=("choose from it, or close it: key esc",),
        )
    title = text_of(root.call("wm", "title", root.call("winfo", "toplevel", path)))
    raise ActionFailed(
        f"{what} is behind the modal dialog '{title}'",
        suggestions=("answer the dialog first",),
        blocked_by=title,
    )


def activate(ui: UiThread, handle: Handle, what: str, timeout: float) -> bool:
    """Bring the window forward, and give it the keyboard; False if the window system does not."""
    root = handle.known.root

    def begin() -> bool:
        insist_on_unblocked(handle, what)
        top = top_of(handle)
        if is_menu(handle) or text_of(root.call("wm", "overrideredirect", top)) in ("1", "True"):
            return True  # a menu needs no focus
        if text_of(root.call("wm", "state", top)) == "iconic":
            root.call("wm", "deiconify", top)
        if active(root) == top:
            return True
        root.call("raise", top)
        root.call("focus", "-force", text_of(root.call("focus", "-lastfor", top)) or top)
        return False

    if ui.call(begin, timeout):
        return True
    return bool(ui.wait(lambda: active(root) == top_of(handle), min(_SETTLE, timeout)))


def focus(ui: UiThread, handle: Handle, node: Node, timeout: float) -> None:
    """Give the keyboard focus; NotFocusable if it cannot have it."""
    what, root = str(node), handle.known.root
    if not activate(ui, handle, what, timeout):
        raise ActionFailed(
            f"the window of {what} could not be activated",
            suggestions=("check whether a window manager runs",),
        )
    path = _takes_focus(handle)

    def take() -> bool:
        if path == top_of(handle):
            return True
        if not node.enabled:
            raise NotEnabled(f"{what} is not enabled, so it cannot take the focus")
        if not node.focusable and not handle.part:
            raise cannot_focus(what)
        root.call("focus", path)
        return False

    if ui.call(take, timeout):
        return
    if not ui.wait(lambda: _has_focus(root, path), min(_SETTLE, timeout)):
        raise ActionFailed(f"{what} did not keep the focus")


def _takes_focus(handle: Handle) -> str:
    """The widget that takes the keys: for a control of several widgets, the one that is typed into."""
    inner = getattr(handle.known.widget, "_entry", None) or getattr(handle.known.widget, "_textbox", None)
    return str(inner) if inner is not None else handle.path


def _has_focus(root: Root, path: str) -> bool:
    found = text_of(root.call("focus"))
    return found == path or found.startswith(f"{path}.")


# -- move, resize, close -------------------------------------------------------------------------


def control(
    ui: UiThread, action: ControlWindow, handle: Handle | None, registry: Registry, timeout: float
) -> dict[str, object]:
    """Focus, move, resize, minimize, maximize, restore or close a window."""
    top = ui.call(lambda: main(registry) if handle is None else _window(handle, registry), timeout)
    root, path = top.known.root, top.path
    if action.do == "focus":
        if not activate(ui, top, "the window", timeout):
            raise ActionFailed(
                "the window could not be activated", suggestions=("check whether a window manager runs",)
            )
    elif action.do == "close":
        ui.post(lambda: _close(root, path), timeout)
        # With its last window the program may end.
        with suppress(AppGone):
            if not ui.wait(lambda: not _is_shown(root, path), min(_SETTLE, timeout)):
                raise ActionFailed(
                    "the program keeps the window open", suggestions=("see whether it asks something",)
                )
    elif action.do in ("move", "resize"):
        return _arrange(ui, action, root, path, timeout)
    else:
        ui.call(lambda: _show(root, path, action.do), timeout)
        wanted = {"minimize": ("iconic", None), "maximize": ("normal", True), "restore": ("normal", False)}
        state, zoomed = wanted[action.do]
        ui.wait(
            lambda: (
                text_of(root.call("wm", "state", path)) == state and zoomed in (None, _zoomed(root, path))
            ),
            min(_SETTLE, timeout),
        )
    return {}


def main(registry: Registry) -> Handle:
    """The main window."""
    found = registry.last
    if found is None or not found.windows:
        raise ActionFailed("no window is open")
    return registry.handle(found.windows[0].uid)


def _window(handle: Handle, registry: Registry) -> Handle:
    known = registry.at(handle.known.root, top_of(handle))
    return handle if known is None else Handle(known)


def _close(root: Root, path: str) -> None:
    # What the window manager sends when its user closes the window.
    command = root.call("wm", "protocol", path, "WM_DELETE_WINDOW")
    if text_of(command):
        root.call("uplevel", "#0", command)
    else:
        root.call("destroy", path)


def _is_shown(root: Root, path: str) -> bool:
    try:
        return bool(int(root.call("winfo", "viewable", path)))
    except (tkinter.TclError, RuntimeError):
        return False


def _show(root: Root, path: str, do: str) -> None:
    if do == "minimize":
        root.call("wm", "iconify", path)
        return
    if text_of(root.call("wm", "state", path)) == "iconic":
        root.call("wm", "deiconify", path)
    root.call("wm", "attributes", path, "-zoomed", do == "maximize")


def _zoomed(root: Root, path: str) -> bool:
    return text_of(root.call("wm", "attributes", path, "-zoomed")) in ("1", "True")


def _arrange(ui: UiThread, action: ControlWindow, root: Root, path: str, timeout: float) -> dict[str, object]:
    moves = action.do == "move"

    def number(what: str) -> int:
        return int(root.call("winfo", what, path))

    def bar() -> int:
        return int(root.call("::deskhand::bar_height", path))

    def bounds() -> Rect:
        high = bar()
        return Rect(number("rootx"), number("rooty") - high, number("width"), number("height") + high)

    def now() -> tuple[int, int]:
        x, y, width, height = (int(one) for one in bounds())
        return (x, y) if moves else (width, height)

    wanted = ui.call(lambda: arranged(action, bounds()), timeout)

    def begin() -> None:
        if _zoomed(root, path):
            _show(root, path, "restore")
        if moves:
            # What is set is where the frame begins, which is around the content.
            _, left, top = text_of(root.call("wm", "geometry", path)).split("+")
            x, y = now()
            root.call("wm", "geometry", path, f"+{wanted[0] - x + int(left)}+{wanted[1] - y + int(top)}")
        else:
            root.call("wm", "geometry", path, f"{wanted[0]}x{max(1, wanted[1] - bar())}")

    ui.call(begin, timeout)
    if ui.wait(lambda: now() == wanted, min(_SETTLE, timeout)):
        return {}
    found = ui.call(now, timeout)
    if moves:
        return {"detail": f"it is at {found[0]},{found[1]} now, where the window system put it"}
    return {"detail": f"it is {found[0]}×{found[1]} now, which is as near as the program allows"}
