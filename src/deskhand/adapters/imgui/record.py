"""Records what a program draws with Dear ImGui, frame by frame, by replacing its functions.

What is recorded is kept as it came: arguments, result, and what Dear ImGui knows of its last item. It is made
sense of (`scene`) only on request. While there are no requests, nothing is recorded.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from ...model.errors import ActionUnsupported
from ...model.record import dataclass
from . import wrappers
from .frames import FrameHooks, current_context
from .kinds import BESIDE, SPECS, discovered
from .wrappers import Call


@dataclass(frozen=True)
class WindowSeen:
    """A window of Dear ImGui in one frame."""

    id: int
    name: str
    flags: int
    rect: tuple[float, float, float, float]
    """Left, top, width, height."""
    clip: tuple[float, float, float, float]
    """What of its contents can be seen: left, top, right, bottom."""
    parent: int
    """The id of the window that it is a part of, or was opened from; 0 if it stands alone."""
    child: int
    """Its id as an item of the window that it is a part of."""
    collapsed: bool
    hidden: bool
    skipped: bool
    """Whether what is in it is not even laid out."""
    closable: bool
    docked: bool
    scroll: tuple[float, float]
    scroll_max: tuple[float, float]
    popup: int
    """Its id as a popup; 0 if it is none."""
    contents: tuple[float, float]
    """Of a popup: where what is in it begins, and how high that is."""
    native: Any
    """Dear ImGui's own object; for its GUI thread only."""


@dataclass(frozen=True, eq=False)
class Frame:
    """All that was drawn in one frame. Never changed once it is made."""

    number: int
    ended: float
    """When, by time.monotonic()."""
    calls: list[Call]
    windows: dict[Any, WindowSeen]
    """By Dear ImGui's own object, from the back to the front."""
    active: int
    focused: int
    focused_window: int
    modal: int
    """The id of the modal popup that is in front, if there is one."""
    popups: frozenset[int]
    """The ids of the popups that are open."""
    inner_spacing: float
    """Between the fields of one item, and between those and the label."""
    row_spacing: float
    """Between one item and the next below it."""


class Recorder:
    """The frames of one context: the last that is complete, and what must happen in each."""

    def __init__(self) -> None:
        """For the current context, on the GUI thread."""
        bundle: Any = sys.modules["imgui_bundle"]
        self.imgui = bundle.imgui
        self.context = self.imgui.get_current_context()
        self.thread = threading.get_ident()
        self.front: Frame | None = None
        self.frames = 0
        """How many frames were begun."""
        self.within: bool = self.context.within_frame_scope
        """Whether one is being drawn now."""
        self.gone = False
        self.wanted = False
        """Whether frames are recorded, from the next one on."""
        self.on_begin: list[Callable[[], None]] = []
        self.on_end: list[Callable[[], None]] = []
        self.on_gone: list[Callable[[], None]] = []
        self.real_pointer: Callable[[float, float], bool] | None = None
        """Called by a backend in Python with the real pointer's position; whether Dear ImGui is to get it."""
        self._later: list[Callable[[], None]] = []
        self._calls: list[Call] | None = None
        self._reported = False
        self._hooks = FrameHooks(self._begin, self._end, self._shutdown)
        _recorders[self._hooks.context] = self

    @property
    def inside(self) -> bool:
        """Whether this is the GUI thread, in the midst of a frame."""
        return self.within and threading.get_ident() == self.thread

    def later(self, function: Callable[[], None]) -> None:
        """Call it at the end of a frame, from whatever thread this is."""
        self._later.append(function)

    def close(self) -> None:
        """Leave the context alone. On the GUI thread."""
        _recorders.pop(self._hooks.context, None)
        if not self.gone:
            self._hooks.remove()
            self.gone = True

    def _begin(self) -> None:
        self.frames += 1
        self.within = True
        self.thread = threading.get_ident()
        for function in list(self.on_begin):
            function()
        if self.wanted:
            self._calls = []
            wrappers.start(self._calls.append, self.context)
        else:
            self._calls = None
            wrappers.stop()

    def _end(self) -> None:
        wrappers.stop()
        calls, self._calls = self._calls, None
        if calls is not None:
            self.front = self._frame(calls)
        for function in list(self.on_end):
            function()
        while self._later:
            self._later.pop(0)()
        if not self._reported:
            self._reported = True
            for listener in list(_listeners):
                listener(self)
        self.within = False

    def _shutdown(self) -> None:
        self.gone = True
        self.within = False
        _recorders.pop(self._hooks.context, None)
        for function in list(self.on_gone):
            function()
        if _listeners:
            _arm()

    def _frame(self, calls: list[Call]) -> Frame:
        context = self.context
        focused = context.nav_window
        modal = self.imgui.internal.get_top_most_and_visible_popup_modal()
        windows = {
            window: _seen(window)
            for window in context.windows
            # The window for what is drawn outside of all others is always there, mostly for nothing.
            if window.active and (window.write_accessed or not window.is_fallback_window)
        }
        return Frame(
            number=self.frames,
            ended=time.monotonic(),
            calls=calls,
            windows=windows,
            active=context.active_id,
            focused=context.nav_id,
            focused_window=0 if focused is None else focused.id_,
            modal=0 if modal is None else modal.id_,
            popups=frozenset(popup.popup_id for popup in context.open_popup_stack),
            inner_spacing=context.style.item_inner_spacing.x,
            row_spacing=context.style.item_spacing.y,
        )


def _seen(window: Any) -> WindowSeen:
    at, size, clip = window.pos, window.size, window.inner_clip_rect
    parent = window.parent_window
    return WindowSeen(
        id=window.id_,
        name=window.name,
        flags=window.flags,
        rect=(at.x, at.y, size.x, size.y),
        clip=(clip.min.x, clip.min.y, clip.max.x, clip.max.y),
        parent=0 if parent is None else parent.id_,
        child=window.child_id,
        collapsed=window.collapsed,
        hidden=window.hidden,
        skipped=window.skip_items,
        closable=window.has_close_button,
        docked=window.dock_id != 0,
        scroll=(window.scroll.x, window.scroll.y),
        scroll_max=(window.scroll_max.x, window.scroll_max.y),
        popup=(popup := window.popup_id),
        contents=(window.dc.cursor_start_pos.y, window.content_size.y) if popup else (0.0, 0.0),
        native=window,
    )


# -- contexts -----------------------------------------------------------------------------------

_recorders: dict[int, Recorder] = {}
"""By the address of the context."""
_listeners: list[Callable[[Recorder], None]] = []


def known() -> list[Recorder]:
    """The contexts that draw, the first one first."""
    return list(_recorders.values())


def _meet() -> None:
    """Make a recorder for the current context if it has none."""
    address = current_context()
    if address and address not in _recorders:
        Recorder()


def _arm() -> None:
    """Look at the next call of any function, since it may be of a context that is not known yet."""
    if not any(recorder.within for recorder in _recorders.values()):
        wrappers.start(_met_by_call)


def _met_by_call(_call: Call) -> None:
    _meet()
    wrappers.stop()


# -- replacing the functions --------------------------------------------------------------------

_replaced: list[tuple[Any, str, Any, Any]] = []
"""Where, under which name, the original function, and its replacement."""
_hash: Callable[[str, int, int], int]


def install(listener: Callable[[Recorder], None]) -> None:
    """Replace the functions of imgui_bundle, and report each context at the end of its first frame."""
    if listener not in _listeners:
        _listeners.append(listener)
    if not _replaced:
        bundle: Any = sys.modules["imgui_bundle"]
        imgui = bundle.imgui
        _check(bundle)
        global _hash
        _hash = imgui.internal.im_hash_str
        wrappers.use(imgui)
        for module in _modules(bundle):
            _replace_all(module, module is imgui)
        _replace(imgui.ListClipper, "begin", wrappers.clipping(imgui.ListClipper.begin))
        _replace(imgui.ImDrawList, "add_text", wrappers.writing(imgui))
        _replace(imgui.IO, "add_mouse_pos_event", _pointing(imgui.IO.add_mouse_pos_event))
        _replace(imgui, "new_frame", _meeting(imgui.new_frame))
        for name in ("hello_imgui", "immapp"):
            runner = getattr(bundle, name, None)
            if runner is not None:
                _replace(runner, "run", _arming(runner.run))
                manual = getattr(runner, "manual_render", None)
                if manual is not None:
                    _replace(manual, "render", _arming(manual.render))
        _adopt({id(function): ours for _, _, function, ours in _replaced})
    _arm()


def uninstall(listener: Callable[[Recorder], None]) -> None:
    """Stop telling it; with the last one, put the functions of imgui_bundle back."""
    if listener in _listeners:
        _listeners.remove(listener)
    if _listeners:
        return
    wrappers.stop()
    for owner, name, function, ours in _replaced:
        if getattr(owner, name) is ours:
            setattr(owner, name, function)
    _adopt({id(ours): function for _, _, function, ours in _replaced})
    _replaced.clear()
    for recorder in list(_recorders.values()):
        recorder.close()


def point(io: Any, x: float, y: float) -> None:
    """Tell Dear ImGui where the pointer is, past who stands before that function."""
    tell = type(io).add_mouse_pos_event
    getattr(tell, "__wrapped__", tell)(io, x, y)


def hashed(text: str, above: int) -> int:
    """The id that Dear ImGui gives a label, below the one with the id `above`."""
    return _hash(text, 0, above)


def numbered(number: int, above: int) -> int:
    """The id that Dear ImGui gives a number, likewise."""
    return _hash(number.to_bytes(4, "little").decode("latin-1"), 4, above)


def _check(bundle: Any) -> None:
    """What is read of Dear ImGui's last item has its name since 1.91.4."""
    if not hasattr(bundle.imgui.internal.LastItemData, "item_flags"):
        raise ActionUnsupported(
            f"this program has imgui-bundle {bundle.__version__}, which is too old to be driven",
            suggestions=("install imgui-bundle 1.92 or later",),
        )


def _modules(bundle: Any) -> list[Any]:
    """imgui itself, and the modules beside it that have widgets."""
    names = ("imgui", "imgui_toggle", "imgui_knobs", "hello_imgui")
    found = [module for name in names if (module := getattr(bundle, name, None)) is not None]
    return [*found, bundle.imgui.internal]


def _replace_all(module: Any, is_imgui: bool) -> None:
    short = module.__name__.rpartition(".")[2]
    for name in dir(module):
        function = getattr(module, name)
        if type(function).__name__ != "nb_func":
            continue
        spec = SPECS.get(name) if is_imgui else BESIDE.get(f"{short}.{name}")
        if spec is None and short != "internal":
            spec = discovered(name, function.__doc__)
        if spec is not None:
            _replace(module, name, wrappers.wrapper(function, spec))


def _replace(owner: Any, name: str, ours: Any) -> None:
    function = getattr(owner, name)
    ours.__name__ = ours.__qualname__ = name
    ours.__doc__ = getattr(function, "__doc__", None)
    ours.__wrapped__ = function
    _replaced.append((owner, name, function, ours))
    setattr(owner, name, ours)


def _adopt(replaced: dict[int, Any]) -> None:
    """Also where a module imported a function by its name before we came."""
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", None)
        if not isinstance(name, str) or name.startswith("deskhand.") or not hasattr(module, "__dict__"):
            continue  # sys.modules may hold any object in place of a module
        names = vars(module)
        for known_as, value in list(names.items()):
            found = replaced.get(id(value))
            if found is not None:
                names[known_as] = found


def _meeting(function: Any) -> Callable[..., Any]:
    """For new_frame: a context that is new is met before its first frame."""

    def new_frame() -> Any:
        _meet()
        return function()

    return new_frame


def _arming(function: Any) -> Callable[..., Any]:
    """For what may make a context where we do not see it."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _arm()
        return function(*args, **kwargs)

    return wrapper


def _pointing(function: Any) -> Callable[..., Any]:
    """For what tells where the real pointer is, which may not be where an action has put it."""

    def add_mouse_pos_event(io: Any, x: float, y: float) -> None:
        recorder = _recorders.get(current_context())
        if recorder is None or recorder.real_pointer is None or recorder.real_pointer(x, y):
            function(io, x, y)

    return add_mouse_pos_event
