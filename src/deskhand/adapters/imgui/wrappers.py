"""What replaces the functions of Dear ImGui: a check of a boolean, and while it is set, a record.

Each wrapper has the very signature of its function, made from what the binding says of it: one that passed on
whatever it got would cost twice as much, a thousand times a frame. What it checks are globals of this
module, because nothing is quicker to read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .kinds import DRAWN_TEXT, Spec

Call = tuple[Any, ...]
"""spec, args, kwargs, result, window, id, item flags, status flags, upper left, lower right, edge.

The edge is the right one of the part that takes input, where a label follows behind it. For a mark in a
table, id and flags are row and column.
"""
SPEC, ARGS, KWARGS, RESULT, WINDOW, ID, FLAGS, STATUS, LOW, HIGH, EDGE = range(11)

VISIBLE = 1 << 8
"""ImGuiItemStatusFlags_Visible."""

OPENED = Spec("", "opened", item=False, label=None)
"""A mark behind an item that began a window of its own."""
CLIPPER = Spec("", "clipper", item=False, label=None)
"""A mark that says how many rows there are."""


class _Nothing:
    """Stands for the context, its window and its last item until there is one."""

    def __getattr__(self, name: str) -> _Nothing:
        return self


NOTHING: Any = _Nothing()

on = False
append: Callable[[Call], object]
context: Any = NOTHING
item: Any = NOTHING
low: Callable[[], Any]
high: Callable[[], Any]
width: Callable[[], float]
get_id: Callable[[str], int]
row: Callable[[], int]
column: Callable[[], int]
nothing: dict[str, Any] = {}
revealed = 0
"""Lists of so many rows are drawn as a whole, also what is not in sight."""


def use(imgui: Any) -> None:
    """Ask these functions of Dear ImGui, before anything stands before them."""
    global low, high, width, get_id, row, column
    low, high, width, get_id = (
        imgui.get_item_rect_min,
        imgui.get_item_rect_max,
        imgui.calc_item_width,
        imgui.get_id,
    )
    row, column = imgui.table_get_row_index, imgui.table_get_column_index


def start(to: Callable[[Call], object], of: Any = NOTHING) -> None:
    """Record what is drawn in a context from now on."""
    global on, append, context, item
    append, context, item = to, of, of.last_item_data
    on = True


def stop() -> None:
    """Record nothing."""
    global on
    on = False


def wrapper(function: Any, spec: Spec) -> Callable[..., Any]:
    """What stands before a function that draws, begins or ends something."""
    shape = _shape(function)
    before, after = _body(spec)
    source = _TEMPLATE.format(**shape.words, before=before, after=after.format(**shape.words))
    names: dict[str, Any] = {}
    exec(source, globals(), names)  # noqa: S102 - made of the binding's own signatures, for speed
    made: Callable[..., Any] = names["make"](function, spec, *shape.defaults)
    return made


_TEMPLATE = """\
def make(function, spec{defaults}):
    def wrapper({parameters}):
        if not on:
            return function({passed})
        {before}
        result = function({passed})
        {after}
        return result
    return wrapper
"""
_ITEM = """\
append((spec, {args}, {kwargs}, result, context.current_window, item.id_, item.item_flags,
                item.status_flags, low(), high(), None))"""
_FRAMED = """\
at = low()
        append((spec, {args}, {kwargs}, result, context.current_window, item.id_, item.item_flags,
                item.status_flags, at, high(), at.x + wide))"""
_GROUP = """\
at = low()
        append((spec, {args}, {kwargs}, result, context.current_window, get_id({first}), item.item_flags,
                item.status_flags, at, high(), at.x + wide))"""
_MARK = "append((spec, {args}, {kwargs}, result, context.current_window, 0, 0, 0, None, None, None))"
_CELL = (
    "append((spec, {args}, {kwargs}, result, context.current_window, row(), column(), 0, None, None, None))"
)
_OPENS = "_opened(spec, {args}, {kwargs}, result, window, wide)"


def _body(spec: Spec) -> tuple[str, str]:
    """What is done before the call, and what after."""
    if spec.cell:
        return "", _CELL
    if not spec.item:
        return "", _MARK
    if spec.opens:
        return "window, wide = context.current_window, width()", _OPENS
    if spec.group:
        return "wide = width()", _GROUP
    return ("wide = width()", _FRAMED) if spec.framed else ("", _ITEM)


def _opened(
    spec: Spec, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, before: Any, wide: float
) -> None:
    """Of an item that may have begun a window of its own: it is the one that was last before that."""
    window = context.current_window
    if window is before:
        last, at, to = item, low(), high()
    else:
        last = list(context.current_window_stack)[-1].parent_last_item_data_backup
        at, to = _copy(last.rect.min), _copy(last.rect.max)
    append((
        spec, args, kwargs, result, before, last.id_, last.item_flags, last.status_flags, at, to, at.x + wide,
    ))  # fmt: skip
    if window is not before:
        append((OPENED, (), nothing, None, window, 0, 0, 0, None, None, None))


def _copy(vector: Any) -> Any:
    return type(vector)(vector.x, vector.y)


# -- signatures ---------------------------------------------------------------------------------


class _Shape:
    """How a function is called: its parameters, and how a wrapper passes them on."""

    def __init__(self, parameters: str, passed: str, args: str, kwargs: str, first: str) -> None:
        self.words = {
            "parameters": parameters,
            "passed": passed,
            "args": args,
            "kwargs": kwargs,
            "first": first,
            "defaults": "",
        }
        self.defaults: tuple[Any, ...] = ()


def _shape(function: Any) -> _Shape:
    signatures: Any = getattr(function, "__nb_signature__", ())
    found = _PARAMETERS.match(signatures[0][0]) if len(signatures) == 1 else None
    parts = [] if found is None else _split(found[1])
    if found is None or any(not _NAMED.match(part) for part in parts):
        # Several signatures, or one that we do not understand.
        return _Shape("*args, **kwargs", "*args, **kwargs", "args", "kwargs", "_first(args, kwargs)")
    names = [_NAMED.match(part)[1] for part in parts]  # type: ignore[index]  # all match
    defaults = signatures[0][2] or ()
    parameters = ", ".join(
        f"{name}=default{given[1]}" if (given := _DEFAULT.search(part)) else name
        for name, part in zip(names, parts, strict=True)
    )
    passed = ", ".join(names)
    shape = _Shape(
        parameters, passed, f"({passed},)" if names else "()", "nothing", names[0] if names else '""'
    )
    shape.words["defaults"] = "".join(f", default{at}" for at in range(len(defaults)))
    shape.defaults = tuple(defaults)
    return shape


_PARAMETERS = re.compile(r"def \w+\((.*)\) -> ", re.DOTALL)
_NAMED = re.compile(r"(\w+): ")
_DEFAULT = re.compile(r"= \\(\d+)$")


def _split(text: str) -> list[str]:
    """What stands between commas, but for those in brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _first(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[0] if args else kwargs.get("label", "")


# -- methods ------------------------------------------------------------------------------------


def clipping(function: Any) -> Callable[..., Any]:
    """For ListClipper.begin, which says how many rows there are, so that only those in sight are drawn."""

    def begin(clipper: Any, items_count: int, items_height: float = -1.0) -> Any:
        result = function(clipper, items_count, items_height)
        if on:
            window = context.current_window
            append((CLIPPER, (items_count,), nothing, None, window, 0, 0, 0, None, None, None))
            if 0 < items_count <= revealed:
                clipper.include_items_by_index(0, items_count)
        return result

    return begin


def writing(imgui: Any) -> Callable[..., Any]:
    """For ImDrawList.add_text: text that a program draws itself."""
    function, measure, vector = imgui.ImDrawList.add_text, imgui.calc_text_size, imgui.ImVec2

    def add_text(draw_list: Any, *args: Any, **kwargs: Any) -> Any:
        result = function(draw_list, *args, **kwargs)
        if on and context is not NOTHING:
            text = next(argument for argument in (*args, *kwargs.values()) if isinstance(argument, str))
            # With a font and a size before it, or without.
            place = kwargs.get("pos", args[0] if len(args) < 4 else args[2])
            size, at = measure(text), vector(place[0], place[1])
            to = vector(at.x + size.x, at.y + size.y)
            window = context.current_window
            append((DRAWN_TEXT, (text,), nothing, None, window, 0, 0, VISIBLE, at, to, None))
        return result

    return add_text
