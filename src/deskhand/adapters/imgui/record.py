"""Records what a program draws with Dear ImGui, frame by frame, by standing before its functions.

While nothing is recorded a call costs one look at a boolean. What is recorded is kept as it came: arguments,
result, and what Dear ImGui knows of its last item; it is made sense of (`scene`) only when somebody asks.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ...model.record import dataclass
from .frames import FrameHooks, current_context
from .kinds import SPECS, Spec, discovered

Call = tuple[Any, ...]
"""spec, args, kwargs, result, window, id, item flags, status flags, upper left, lower right, skipped, edge.

Skipped is what the window did not even lay out. The edge is the right one of the part that takes input, where
a label follows behind it. For a mark in a table, id and flags are row and column.
"""


@dataclass(frozen=True)
class WindowSeen:
    """A window of Dear ImGui in one frame."""

    id: int
    name: str
    flags: int
    rect: tuple[float, float, float, float]
    clip: tuple[float, float, float, float]
    """What of its contents can be seen: left, top, right, bottom."""
    parent: int
    """The id of the window that it is a part of, or was opened from; 0 if it stands alone."""
    popup: int
    child: int
    collapsed: bool
    hidden: bool
    closable: bool
    docked: bool
    scroll: tuple[float, float]
    scroll_max: tuple[float, float]
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
    hovered: int
    focused_window: int
    modal: int
    """The id of the modal popup that is in front, if there is one."""
    popups: frozenset[int]
    """The ids of the popups that are open."""
    display: tuple[float, float]
    inner_spacing: float
    line: float


class _Nothing:
    """Stands for the context, its window and its last item until there is one."""

    def __getattr__(self, name: str) -> _Nothing:
        return self


_NOTHING = _Nothing()

# What follows are plain globals, because nothing is quicker to look at from a wrapper.
_on = False
_append: Callable[[Call], object]
_context: Any = _NOTHING
_item: Any = _NOTHING
_min: Callable[[], Any]
_max: Callable[[], Any]
_get_id: Callable[[str], int]
_width: Callable[[], float]
_hash: Callable[[str, int, int], int]
_row: Callable[[], int]
_column: Callable[[], int]

_originals: dict[str, tuple[ModuleType, Any, Any]] = {}
"""By qualified name: the module, the function as it was, and what stands before it."""
_recorders: dict[int, Recorder] = {}
"""By the address of the context."""
_listeners: list[Callable[[Recorder], None]] = []


class Recorder:
    """The frames of one context: the last that is complete, and what must happen in each."""

    def __init__(self) -> None:
        """For the current context, on the GUI thread."""
        imgui: Any = sys.modules["imgui_bundle"]
        self.imgui = imgui.imgui
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
        """Told where the real pointer is, by a backend in Python; whether Dear ImGui is to hear of it."""
        self._later: list[Callable[[], None]] = []
        self._calls: list[Call] | None = None
        self._told = False
        self._item = self.context.last_item_data
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
        global _append, _context, _item
        self.frames += 1
        self.within = True
        self.thread = threading.get_ident()
        for function in self.on_begin:
            function()
        if self.wanted:
            self._calls = []
            _append, _context, _item = self._calls.append, self.context, self._item
            _switch(True)
        else:
            self._calls = None
            _switch(False)

    def _end(self) -> None:
        calls, self._calls = self._calls, None
        if calls is not None:
            self.front = self._frame(calls)
        _switch(False)
        for function in self.on_end:
            function()
        while self._later:
            self._later.pop(0)()
        if not self._told:
            self._told = True
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
        size = context.io.display_size
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
            hovered=context.hovered_id,
            focused_window=0 if focused is None else focused.id_,
            modal=0 if modal is None else modal.id_,
            popups=frozenset(popup.popup_id for popup in context.open_popup_stack),
            display=(size.x, size.y),
            inner_spacing=context.style.item_inner_spacing.x,
            line=context.font_size,
        )


def install(listener: Callable[[Recorder], None]) -> None:
    """Stand before the functions of imgui_bundle, and tell of each context at the end of its first frame."""
    if listener not in _listeners:
        _listeners.append(listener)
    if _originals:
        _arm()
        return
    bundle: Any = sys.modules["imgui_bundle"]
    imgui = bundle.imgui
    global _min, _max, _get_id, _row, _column, _width, _hash
    _width, _hash = imgui.calc_item_width, imgui.internal.im_hash_str
    _min, _max, _get_id = imgui.get_item_rect_min, imgui.get_item_rect_max, imgui.get_id
    _row, _column = imgui.table_get_row_index, imgui.table_get_column_index
    for module in _modules(bundle):
        for name in dir(module):
            function = getattr(module, name)
            if type(function).__name__ != "nb_func":
                continue
            spec = SPECS.get(name) if module is imgui else None
            if spec is None:
                spec = discovered(name, function.__doc__)
            if spec is not None:
                _replace(module, name, function, _wrapper(function, spec))
    _replace(imgui.ListClipper, "begin", imgui.ListClipper.begin, _clipping(imgui.ListClipper.begin))
    _replace(imgui.IO, "add_mouse_pos_event", imgui.IO.add_mouse_pos_event, _pointing(imgui.IO))
    _replace(imgui, "new_frame", imgui.new_frame, _meeting(imgui.new_frame))
    for runner in ("hello_imgui", "immapp"):
        module = getattr(bundle, runner, None)
        if module is not None:
            _replace(module, "run", module.run, _arming(module.run))
            manual = getattr(module, "manual_render", None)
            if manual is not None:
                _replace(manual, "render", manual.render, _arming(manual.render))
    _adopt({id(function): wrapper for _, function, wrapper in _originals.values()})
    _arm()


def uninstall(listener: Callable[[Recorder], None]) -> None:
    """Stop telling it; with the last one, put the functions of imgui_bundle back."""
    if listener in _listeners:
        _listeners.remove(listener)
    if _listeners:
        return
    for name, (module, function, wrapper) in _originals.items():
        attribute = name.rpartition(".")[2]
        if getattr(module, attribute) is wrapper:
            setattr(module, attribute, function)
    _adopt({id(wrapper): function for _, function, wrapper in _originals.values()})
    _originals.clear()
    _switch(False)
    for recorder in list(_recorders.values()):
        recorder.close()


def known() -> list[Recorder]:
    """The contexts that draw, the first one first."""
    return list(_recorders.values())


def hashed(text: str, above: int) -> int:
    """The id that Dear ImGui gives a label, below the one with the id `above`."""
    return _hash(text, 0, above)


def numbered(number: int, above: int) -> int:
    """The id that Dear ImGui gives a number, likewise."""
    return _hash(number.to_bytes(4, "little").decode("latin-1"), 4, above)


# -- the wrappers -------------------------------------------------------------------------------


def _wrapper(function: Any, spec: Spec) -> Callable[..., Any]:
    if spec.cell:
        wrapper = _celling(function, spec)
    elif not spec.item:
        wrapper = _marking(function, spec)
    elif spec.opens:
        wrapper = _opening(function, spec)
    elif spec.group:
        wrapper = _grouping(function, spec)
    elif spec.framed:
        wrapper = _framing(function, spec)
    else:

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if not _on:
                return function(*args, **kwargs)
            result = function(*args, **kwargs)
            item, window = _item, _context.current_window
            _append((
                spec, args, kwargs, result, window,
                item.id_, item.item_flags, item.status_flags, _min(), _max(), window.skip_items, None,
            ))  # fmt: skip
            return result

    return wrapper


def _framing(function: Any, spec: Spec) -> Callable[..., Any]:
    """For an item with a label behind it that takes no input."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not _on:
            return function(*args, **kwargs)
        result = function(*args, **kwargs)
        item, window = _item, _context.current_window
        _append((
            spec, args, kwargs, result, window, item.id_, item.item_flags, item.status_flags,
            _min(), _max(), window.skip_items, item.nav_rect.max.x,
        ))  # fmt: skip
        return result

    return wrapper


def _grouping(function: Any, spec: Spec) -> Callable[..., Any]:
    """For an item of several: its id is that of its label."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not _on:
            return function(*args, **kwargs)
        width = _width()
        result = function(*args, **kwargs)
        item, window = _item, _context.current_window
        label = args[0] if args else kwargs.get("label", "")
        low = _min()
        _append((
            spec, args, kwargs, result, window, _get_id(label), item.item_flags, item.status_flags,
            low, _max(), window.skip_items, low.x + width,
        ))  # fmt: skip
        return result

    return wrapper


def _opening(function: Any, spec: Spec) -> Callable[..., Any]:
    """For an item that may begin a window of its own: it is the one that was last before that."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not _on:
            return function(*args, **kwargs)
        before = _context.current_window
        result = function(*args, **kwargs)
        window = _context.current_window
        if window is before:
            item, left, right = _item, _min(), _max()
        else:
            item = list(_context.current_window_stack)[-1].parent_last_item_data_backup
            left, right = _point(item.rect.min), _point(item.rect.max)
        _append((
            spec, args, kwargs, result, before,
            item.id_, item.item_flags, item.status_flags, left, right, before.skip_items, item.nav_rect.max.x,
        ))  # fmt: skip
        if window is not before:
            _append((OPENED, (), {}, None, window, 0, 0, 0, None, None, False, None))
        return result

    return wrapper


OPENED = Spec("", "opened", item=False, label=None)
"""A mark behind an item that began a window."""


def _marking(function: Any, spec: Spec) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not _on:
            return function(*args, **kwargs)
        result = function(*args, **kwargs)
        _append((spec, args, kwargs, result, _context.current_window, 0, 0, 0, None, None, False, None))
        return result

    return wrapper


def _celling(function: Any, spec: Spec) -> Callable[..., Any]:
    """For what moves on in a table: with the row and the column."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not _on:
            return function(*args, **kwargs)
        result = function(*args, **kwargs)
        _append(
            (
                spec,
                args,
                kwargs,
                result,
                _context.current_window,
                _row(),
                _column(),
                0,
                None,
                None,
                False,
                None,
            )
        )
        return result

    return wrapper


def _clipping(function: Any) -> Callable[..., Any]:
    """For what tells how many rows there are, so that only those are drawn that can be seen."""

    def begin(clipper: Any, items_count: int, items_height: float = -1.0) -> Any:
        if _on:
            window = _context.current_window
            _append((CLIPPER, (items_count,), {}, None, window, 0, 0, 0, None, None, False, None))
        return function(clipper, items_count, items_height)

    return begin


CLIPPER = Spec("", "clipper", item=False, label=None)


def _pointing(io: Any) -> Callable[..., Any]:
    """For what tells where the real pointer is, which may not be where an action has put it."""
    function = io.add_mouse_pos_event

    def add_mouse_pos_event(self: Any, x: float, y: float) -> Any:
        recorder = _recorders.get(current_context())
        if recorder is None or recorder.real_pointer is None or recorder.real_pointer(x, y):
            function(self, x, y)

    return add_mouse_pos_event


def point(io: Any, x: float, y: float) -> None:
    """Tell Dear ImGui where the pointer is, past who stands before that function."""
    kind = type(io)
    getattr(kind.add_mouse_pos_event, "__wrapped__", kind.add_mouse_pos_event)(io, x, y)


def _meeting(function: Any) -> Callable[..., Any]:
    """For new_frame: a context that is new is met before its first frame."""

    def wrapper() -> Any:
        _meet()
        return function()

    return wrapper


def _arming(function: Any) -> Callable[..., Any]:
    """For what may make a context where we do not see it."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _arm()
        return function(*args, **kwargs)

    return wrapper


def _point(vector: Any) -> Any:
    return type(vector)(vector.x, vector.y)


# -- contexts -----------------------------------------------------------------------------------


def _meet() -> None:
    """Make a recorder for the current context if it has none."""
    address = current_context()
    if address and address not in _recorders:
        Recorder()


def _arm() -> None:
    """Look at the next call of any function, since it may be of a context that is not known yet."""
    global _append, _context, _item
    if any(recorder.within for recorder in _recorders.values()):
        return
    _append, _context, _item = _met_by_call, _NOTHING, _NOTHING
    _switch(True)


def _met_by_call(_call: Call) -> None:
    _meet()
    _switch(False)


def _switch(on: bool) -> None:
    global _on
    _on = on


# -- putting the wrappers in --------------------------------------------------------------------


def _modules(bundle: Any) -> list[Any]:
    """imgui itself, and the modules beside it that have widgets."""
    names = ("imgui", "imgui_toggle", "imgui_knobs", "hello_imgui")
    return [module for name in names if (module := getattr(bundle, name, None)) is not None]


def _replace(module: Any, name: str, function: Any, wrapper: Any) -> None:
    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__ = getattr(function, "__doc__", None)
    wrapper.__wrapped__ = function
    _originals[f"{module.__name__}.{name}"] = (module, function, wrapper)
    setattr(module, name, wrapper)


def _adopt(replaced: dict[int, Any]) -> None:
    """Also where a module imported a function by its name before we came."""
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", None)
        if not isinstance(name, str) or name.startswith("deskhand.") or not hasattr(module, "__dict__"):
            continue  # anything may stand in for a module
        names = vars(module)
        for name, value in list(names.items()):
            found = replaced.get(id(value))
            if found is not None:
                names[name] = found


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
        popup=window.popup_id,
        child=window.child_id,
        collapsed=window.collapsed,
        hidden=window.hidden,
        closable=window.has_close_button,
        docked=window.dock_id != 0,
        scroll=(window.scroll.x, window.scroll.y),
        scroll_max=(window.scroll_max.x, window.scroll_max.y),
        native=window,
    )
