"""The primitives of a web page: real input through the browser, and what only a script can set."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from ...model import operations as ops
from ...model.errors import (
    ActionFailed,
    ActionUnsupported,
    AppGone,
    InvalidParams,
    NotEnabled,
    NotReady,
    NotVisible,
    Stale,
    UiBusy,
)
from ...model.keys import Chord
from ...model.node import Node, Rect
from ...model.operations import Action
from ...model.record import dataclass
from .. import performer
from ..choices import Choice
from ..performer import (
    Answer,
    Offer,
    State,
    arranged,
    at_once,
    cannot_expand,
    cannot_focus,
    cannot_press,
    cannot_tick,
)
from . import keys
from .link import CallRefused, Link
from .pages import Context, Page, Pages
from .read import CANCEL, FIELD, OK, Asked, Element, Handle, Part, Reader, call

_KEY_BY_KEY = 200
"""Up to this length a text is typed key by key, so that the page sees each."""
_REACTS = 0.5
"""How long a page may take to react to an action, in seconds."""
_PAUSE = 0.01
_NOTCH = 100
"""How many pixels a notch of the wheel scrolls."""
_WHEEL = 3000
"""How far one event of the wheel scrolls at most, in pixels."""
_NUMBERS = ("number", "range")
_BUTTONS = {"left": 1, "right": 2, "middle": 4, "back": 8, "forward": 16}
_PRESSED_BY_CLICK = ("list-item", "tree-item", "cell", "grid-cell", "row")


@dataclass(frozen=True)
class Point:
    """A point of a page, in its own pixels."""

    page: Page
    x: float
    y: float
    screen: tuple[float, float] | None = None
    """The same point of the screen, where that is known."""


class Performer:
    """Performs actions, one at a time. Implements performer.Toolkit."""

    title = "a web page"

    def __init__(self, link: Link, pages: Pages, reader: Reader) -> None:
        self._link = link
        self._pages = pages
        self._reader = reader
        self._turn = Lock()
        self._until = 0.0
        self._held = 0
        """The buttons of the mouse that are down."""
        self._pointer: Point | None = None

    def perform(self, action: Action, uid: str | None, to: str | None, timeout: float) -> Answer:
        """Do it; the answer may have `selected` and `detail`."""
        until = time.monotonic() + timeout
        if not self._turn.acquire(timeout=timeout):
            raise UiBusy(f"another action was not done after {timeout:g} s", started=False)
        try:
            self._until = until
            handle = None if uid is None else self._reader.handle(uid)
            other = None if to is None else self._reader.handle(to)
            if handle is not None and not isinstance(action, ops.ControlWindow):
                self._insist_on_answer(handle)
            steps = performer.perform(self, action, handle, other)  # type: ignore[misc]  # H is a union
            return at_once(steps)
        except CallRefused as refused:
            # Its document was replaced, or the page closed, by what was done or meanwhile.
            if uid is not None:
                self._reader.handle(uid)
            raise ActionFailed(refused.message) from None
        finally:
            self._turn.release()

    def _insist_on_answer(self, handle: Handle) -> None:
        """Raise an error if a dialog that a script opened keeps the page from doing anything."""
        page = handle.page
        if isinstance(handle, Element) and page.dialog is not None:
            raise NotReady(
                f"the page is blocked by its dialog {page.dialog.message!r}",
                suggestions=("answer the dialog first",),
                covered_by=f"the dialog {page.dialog.message!r}",
            )

    # -- how things are --------------------------------------------------------------------------

    def describe(self, handle: Handle) -> str:
        return str(self._node(handle))

    def _node(self, handle: Handle) -> Node:
        if isinstance(handle, Part):
            return self._reader.part(handle, Asked(0)).nodes[0]
        return self._reader.page(handle.page, Asked(0), self._until, handle).nodes[0]

    def state(self, handle: Handle) -> State:
        return State.of(self._node(handle))

    def until(self, so: Callable[[], bool]) -> bool:
        """Whether something is so; a page does not announce what its scripts set."""
        end = min(self._until, time.monotonic() + _REACTS)
        while not so():
            if time.monotonic() >= end:
                return False
            time.sleep(_PAUSE)
        return True

    # -- the mouse -------------------------------------------------------------------------------

    def aim(self, handle: Handle | None, x: float | None, y: float | None) -> Point:
        """A point to press at, with the page in front and nothing over it."""
        if isinstance(handle, Element):
            self._show(handle.page, handle.context)
        return self._point(handle, x, y, free=True)

    def point(self, handle: Handle | None, x: float | None, y: float | None) -> Point:
        return self._point(handle, x, y, free=False)

    def _point(self, handle: Handle | None, x: float | None, y: float | None, *, free: bool) -> Point:
        if handle is None:
            return self._on_screen(x, y)
        if isinstance(handle, Part):
            return Point(handle.page, 0, 0)  # what is operated there is not operated by the mouse
        page, context = handle.page, handle.context
        main = self._document(page)
        left, top, outside = 0.0, 0.0, [-1e9, -1e9, 1e9, 1e9]
        if context != main:
            left, top, clip = self._reader.frame_origin(page, handle, self._until)
            outside = clip or outside
        across, down, scale = self._reader.origin(page, main, self._until)
        offset = [None if each is None else each / scale for each in (x, y)]
        found = self._ask(context, "point", handle.number, *offset, outside)
        if found.get("gone"):
            raise self._reader.stale(handle.uid)
        if found.get("hidden") or found.get("clipped"):
            why = "is not shown" if found.get("hidden") else "is scrolled away or clipped"
            raise NotVisible(f"{found['what']} {why}", suggestions=("scroll it into view",))
        here = left + found["x"], top + found["y"]
        at = Point(page, *here, (across + here[0] * scale, down + here[1] * scale))
        if free:
            covered = found["covered"] or (self._covers(page, main, handle, at) if context != main else None)
            if covered:
                raise NotReady(
                    f"{found['what']} is covered by {covered}",
                    suggestions=("close or move what is in front",),
                    covered_by=covered,
                )
        return at

    def _covers(self, page: Page, main: Context, handle: Element, at: Point) -> str | None:
        """What of the page is over the frame of an element, at a point; None if nothing is."""
        hit = self._ask(main, "hitAt", at.x, at.y)
        frames = self._ask(main, "frameAt", at.x, at.y)
        if hit is None or frames:
            return None
        return str(self._ask(main, "describe", hit))

    def _on_screen(self, x: float | None, y: float | None) -> Point:
        """A point of the screen, as one of the page that is there."""
        if x is None or y is None:
            raise performer.no_point()
        for page in self._pages.all():
            context = page.contexts.get(page.main)
            if context is None or page.dialog is not None:
                continue
            about = self._reader.evaluate(context, "deskhand.about()", self._until)
            left, top, scale = self._reader.origin(page, context, self._until)
            width, height = (each * scale for each in about["inner"])
            if about["visible"] and left <= x < left + width and top <= y < top + height:
                return Point(page, (x - left) / scale, (y - top) / scale, (x, y))
        raise ActionUnsupported(f"no page is shown at {x:g},{y:g} of the screen")

    def _show(self, page: Page, context: Context) -> None:
        """Bring the page to the front of its window if it is behind another tab."""
        about = self._reader.evaluate(context, "deskhand.about()", self._until)
        if not about["visible"] or not about["hasFocus"]:
            self._do(page, "Page.bringToFront")

    def on_screen(self, at: Point) -> tuple[float, float] | None:
        return at.screen

    def move(self, at: Point) -> None:
        self._mouse("mouseMoved", at)

    def click(self, at: Point, handle: Handle | None, action: ops.Click) -> Answer | None:
        if isinstance(handle, Part):
            self._answer(handle)
            return {"detail": "answered through the browser"}
        self._mouse("mouseMoved", at, modifiers=action.modifiers)
        for number in range(1, action.count + 1):
            self._button("mousePressed", at, action.button, action.modifiers, number)
            if self._open(at.page):
                self._button("mouseReleased", at, action.button, action.modifiers, number)
        return None

    def hold(self, at: Point, button: str, modifiers: tuple[str, ...]) -> None:
        self._mouse("mouseMoved", at, modifiers=modifiers)
        self._button("mousePressed", at, button, modifiers, 1)

    def release(self, at: Point | None, button: str, modifiers: tuple[str, ...]) -> None:
        where = at or self._pointer
        if where is None:
            raise performer.no_point()
        if at is not None:
            self._mouse("mouseMoved", at, modifiers=modifiers)
        self._button("mouseReleased", where, button, modifiers, 1)

    def drag(self, start: Point, end: Point, action: ops.Drag) -> None:
        if start.page is not end.page:
            raise ActionUnsupported("a drag from one page to another is not possible")
        self.hold(start, action.button, action.modifiers)
        try:
            for x, y in performer.path((start.x, start.y), (end.x, end.y), action.steps):
                self._mouse("mouseMoved", Point(start.page, x, y), modifiers=action.modifiers)
        finally:
            self._button("mouseReleased", end, action.button, action.modifiers, 1)

    def wheel(self, handle: Handle | None, dx: float, dy: float) -> None:
        at = self.point(handle, None, None) if handle is not None else self._pointer
        if at is None:
            raise performer.no_point()
        left = [dx * _NOTCH, dy * _NOTCH]
        while any(left):
            step = [max(-_WHEEL, min(_WHEEL, each)) for each in left]
            self._mouse("mouseWheel", at, deltaX=step[0], deltaY=step[1])
            left = [each - done for each, done in zip(left, step, strict=True)]

    # -- the keyboard ----------------------------------------------------------------------------

    def key(self, chord: Chord, handle: Handle | None) -> None:
        if isinstance(handle, Part):
            self._key_of_dialog(chord, handle)
            return
        page = self._focus_for_keys(handle)
        for stroke in keys.strokes(chord):
            if self._open(page):
                self._do(page, "Input.dispatchKeyEvent", **stroke)

    def type_text(self, action: ops.TypeText, handle: Handle | None) -> None:
        if isinstance(handle, Part):
            typed = action.text if action.clear else handle.page.typed + action.text
            self._fill(handle, typed)
            if action.submit:
                self._answer(Part(handle.page, handle.uid, handle.dialog, OK))
            return
        page = self._focus_for_keys(handle)
        if isinstance(handle, Element):
            self._ask(handle.context, "caret", handle.number, action.clear)
            if action.clear:
                self._keys(page, Chord((), key="Delete"))
        self._type(page, action.text)
        if action.submit:
            self._keys(page, Chord((), key="Return"))

    def _type(self, page: Page, text: str) -> None:
        if len(text) > _KEY_BY_KEY:
            self._do(page, "Input.insertText", text=text)
            return
        for character in text.replace("\r\n", "\n"):
            if keys.typable(character):
                for stroke in keys.typed(character):
                    self._do(page, "Input.dispatchKeyEvent", **stroke)
            else:
                self._do(page, "Input.insertText", text=character)

    def _keys(self, page: Page, chord: Chord) -> None:
        for stroke in keys.strokes(chord):
            if self._open(page):
                self._do(page, "Input.dispatchKeyEvent", **stroke)

    def _focus_for_keys(self, handle: Handle | None) -> Page:
        """Give an element the focus; the page that then gets keys."""
        if isinstance(handle, Element):
            self._show(handle.page, handle.context)
            if not self._ask(handle.context, "focus", handle.number):
                self._gone(handle)
                node = self._node(handle)
                if node.focusable:
                    raise cannot_focus(str(node))
            return handle.page
        for page in self._pages.all():
            context = page.contexts.get(page.main)
            if context is not None and page.dialog is None:
                about = self._reader.evaluate(context, "deskhand.about()", self._until)
                if about["hasFocus"]:
                    return page
        raise ActionUnsupported(
            "no page has the focus", suggestions=("name the element that is to get the key",)
        )

    # -- what an element does itself -------------------------------------------------------------

    def press(self, handle: Handle) -> Answer | None:
        if isinstance(handle, Part):
            self._answer(handle)
            return None
        node = self._node(handle)
        if not node.enabled:
            raise NotEnabled(f"{node} is not enabled")
        if "press" not in node.actions:
            raise cannot_press(str(node))
        self._script(handle, "press")
        return None

    def toggle(self, handle: Handle, checked: bool) -> Answer | None:
        if isinstance(handle, Part):
            raise cannot_tick(self.describe(handle))
        return self.press(handle)

    def expand(self, handle: Handle, expanded: bool) -> None:
        node = self._node(handle)
        if isinstance(handle, Part) or node.expanded is None:
            raise cannot_expand(str(node))
        kind = self._kind(handle)
        if kind["tag"] == "DETAILS":
            self._script(handle, "pressSummary")
        elif kind["tag"] == "SELECT":
            self._focus_for_keys(handle)
            self._keys(handle.page, Chord(("alt",), key="Down") if expanded else Chord((), key="Escape"))
        elif node.role == "tree-item" and node.focusable:
            self._focus_for_keys(handle)
            self._keys(handle.page, Chord((), key="Right" if expanded else "Left"))
            if not self.until(lambda: self.state(handle).expanded is expanded):
                self._script(handle, "press")
        else:
            self._script(handle, "press")
        with suppress(Stale, AppGone):
            if not self.until(lambda: self.state(handle).expanded is expanded):
                raise ActionFailed(
                    f"{node} was {'opened' if expanded else 'closed'}, and is not so",
                    suggestions=("click what opens and closes it",),
                    last_seen={"expanded": not expanded},
                )

    def set_value(self, handle: Handle, value: str) -> None:
        if isinstance(handle, Part):
            self._fill(handle, value)
            return
        kind, node = self._kind(handle), self._node(handle)
        if kind["readOnly"]:
            raise performer.read_only(str(node))
        if kind["type"] == "file":
            self._choose_files(handle, value)
            return
        if kind["type"] in _NUMBERS:
            performer.number_within(value, node.minimum, node.maximum, str(node))
        if kind["takesText"] and kind["type"] != "number":
            self._replace(handle, value)
            return
        done = self._ask(handle.context, "setValue", handle.number, value)
        if done is None:
            raise self._reader.stale(handle.uid)
        if done.get("refused"):
            what = {
                "date": "a date such as 2026-01-31",
                "time": "a time such as 13:45",
                "color": "a color such as #ff8800",
            }
            raise InvalidParams(
                f"{value!r} is not {what.get(kind['type'], 'a value that can be set')}, as {node} needs",
                field="value",
            )

    def _replace(self, handle: Element, value: str) -> None:
        """Replace a text as a person does who selects it and types or pastes."""
        self._focus_for_keys(handle)
        self._ask(handle.context, "caret", handle.number, True)
        if value:
            self._do(handle.page, "Input.insertText", text=value)
        else:
            self._keys(handle.page, Chord((), key="Delete"))
        if not self._open(handle.page):
            return
        wanted = value.replace("\r\n", "\n")

        def so() -> bool:
            return self._ask(handle.context, "textIn", handle.number) in (wanted, None)

        if not self.until(so):
            now = self._node(handle)
            raise ActionFailed(
                f"{now} was given another value, and holds something else now",
                last_seen={"value": now.value},
                suggestions=("see what the page accepts there",),
            )

    def _choose_files(self, handle: Element, value: str) -> None:
        paths = [each for each in value.split("\n") if each]
        missing = [each for each in paths if not Path(each).is_file()]
        if missing and self._link.pid is not None:
            raise InvalidParams(f"there is no file {missing[0]!r}", field="value")
        found = self._link.begin(
            "Runtime.evaluate",
            session=handle.context.session,
            contextId=handle.context.id,
            expression=call("elementOf", handle.number),
        ).result(self._until)["result"]
        self._do(
            handle.page,
            "DOM.setFileInputFiles",
            session=handle.context.session,
            files=paths,
            objectId=found["objectId"],
        )

    def offer(self, handle: Handle, action: ops.Select) -> Offer | None:
        if isinstance(handle, Part):
            return None
        listed = self._ask(handle.context, "choices", handle.number)
        if listed is None:
            self._gone(handle)
            return None
        what, kind = self.describe(handle), self._kind(handle)
        found = [Choice(each["index"], each["text"], each.get("value"), each["enabled"]) for each in listed]

        def take(choice: Choice, extend: bool) -> Answer | None:
            if kind["tag"] == "SELECT":
                if extend and not kind["multiple"]:
                    raise performer.one_only(what)
                self._focus_for_keys(handle)
                self._script(handle, "chooseOption", choice.index, extend)
                return None
            at = self._ask(handle.context, "choiceAt", handle.number, choice.index, action.column)
            if at is None:
                raise self._reader.stale(handle.uid)
            if "columns" in at:
                raise performer.no_column(what, action.column or 0, at["columns"])
            item = _inner(handle, at["number"])
            self.into_view(item)
            self.click(self.aim(item, None, None), item, ops.Click(modifiers=("ctrl",) if extend else ()))
            return None

        return performer.Options(what, found, take)

    def focus(self, handle: Handle) -> None:
        if isinstance(handle, Part):
            return
        self._show(handle.page, handle.context)
        if not self._ask(handle.context, "focus", handle.number):
            self._gone(handle)
            raise cannot_focus(self.describe(handle))

    def show_menu(self, handle: Handle) -> None:
        self.click(self.aim(handle, None, None), handle, ops.Click(button="right"))

    def into_view(self, handle: Handle) -> None:
        if isinstance(handle, Part):
            return
        page, context, number = handle.page, handle.context, handle.number
        while True:
            if not self._ask(context, "intoView", number):
                self._gone(handle)
            above = page.contexts.get(page.parents.get(context.frame, ""))
            owner = None if above is None else self._reader.owner(page, above, context, self._until)
            if above is None or owner is None:
                return
            context, number = above, int(owner.partition(".")[2])

    def to_row(self, handle: Handle, row: int | None, text: str | None) -> None:
        listed = None if isinstance(handle, Part) else self._ask(handle.context, "choices", handle.number)
        what = self.describe(handle)
        if listed is None or isinstance(handle, Part):
            raise performer.no_rows(what)
        at = row
        if at is None:
            at = next((each["index"] for each in listed if each["text"] == text), -1)
        if not 0 <= at < len(listed):
            raise performer.no_row(what, row, text, len(listed))
        found = self._ask(handle.context, "choiceAt", handle.number, at, None)
        if found is None:
            raise performer.no_rows(what)
        self.into_view(_inner(handle, found["number"]))

    def control(self, action: ops.ControlWindow, handle: Handle | None) -> None:
        page = handle.page if handle is not None else next(iter(self._pages.all()), None)
        if page is None:
            raise performer.no_point()
        if action.do == "focus":
            self._do(page, "Page.bringToFront")
        elif action.do == "close":
            self._link.begin("Page.close", session=page.session).result(self._until)
        else:
            self._arrange(page, action)

    def _arrange(self, page: Page, action: ops.ControlWindow) -> None:
        """Move or resize the browser's window so that the page is where and as large as it is to be."""
        found = self._link.begin("Browser.getWindowForTarget", targetId=page.target).result(self._until)
        window, bounds = found["windowId"], found["bounds"]
        states = {"minimize": "minimized", "maximize": "maximized", "restore": "normal"}
        if action.do in states:
            wanted: dict[str, Any] = {"windowState": states[action.do]}
        else:
            now = self._reader.page(page, Asked(0), self._until).windows[0].bounds or Rect(0, 0, 0, 0)
            first, second = arranged(action, now)
            if action.do == "move":
                wanted = {
                    "left": bounds["left"] + round(first - now.x),
                    "top": bounds["top"] + round(second - now.y),
                }
            else:
                wanted = {
                    "width": bounds["width"] + round(first - now.width),
                    "height": bounds["height"] + round(second - now.height),
                }
        self._link.begin("Browser.setWindowBounds", windowId=window, bounds=wanted).result(self._until)
        if action.do in ("move", "resize"):
            self.until(lambda: self._is_arranged(page, action))

    def _is_arranged(self, page: Page, action: ops.ControlWindow) -> bool:
        now = self._reader.page(page, Asked(0), self._until).windows[0].bounds
        if now is None:
            return False
        found = (now.x, now.y) if action.do == "move" else (now.width, now.height)
        return tuple(round(each) for each in found) == arranged(action, now)

    # -- dialogs of scripts ----------------------------------------------------------------------

    def _answer(self, handle: Part) -> None:
        if handle.part not in (OK, CANCEL):
            raise cannot_press(self.describe(handle))
        self._close_dialog(handle, accept=handle.part == OK)

    def _key_of_dialog(self, chord: Chord, handle: Part) -> None:
        if chord.modifiers or chord.key not in ("Return", "Escape"):
            raise ActionUnsupported(f"{self.describe(handle)} takes Enter and Escape only")
        self._close_dialog(handle, accept=chord.key == "Return")

    def _close_dialog(self, handle: Part, *, accept: bool) -> None:
        page, dialog = handle.page, handle.dialog
        text: dict[str, Any] = {"promptText": page.typed} if dialog.kind == "prompt" and accept else {}
        self._link.begin("Page.handleJavaScriptDialog", session=dialog.session, accept=accept, **text).result(
            self._until
        )
        with self._pages.news:
            closed = self._pages.news.wait_for(
                lambda: page.dialog is not dialog, max(0.0, self._until - time.monotonic())
            )
        if not closed:
            raise ActionFailed(f"the dialog {dialog.message!r} was answered, and is open still")

    def _fill(self, handle: Part, text: str) -> None:
        if handle.part != FIELD:
            raise performer.no_value(self.describe(handle))
        handle.page.typed = text

    # -- steps -----------------------------------------------------------------------------------

    def _document(self, page: Page) -> Context:
        context = self._pages.ready(page, self._until)
        if context is None:
            raise UiBusy("the page has no document now", suggestions=("wait until it is loaded",))
        return context

    def _ask(self, context: Context, function: str, *arguments: object) -> Any:
        return self._reader.evaluate(context, call(function, *arguments), self._until)

    def _kind(self, handle: Element) -> Mapping[str, Any]:
        kind: Mapping[str, Any] | None = self._ask(handle.context, "kindOf", handle.number)
        if kind is None:
            raise self._reader.stale(handle.uid)
        return kind

    def _gone(self, handle: Element) -> None:
        """Raise Stale if an element is gone."""
        if self._ask(handle.context, "describe", handle.number) is None:
            raise self._reader.stale(handle.uid)

    def _script(self, handle: Element, function: str, *arguments: object) -> None:
        """Let our script do something by which a dialog may open, or the page go away."""
        self._do(
            handle.page,
            "Runtime.evaluate",
            session=handle.context.session,
            contextId=handle.context.id,
            expression=call(function, handle.number, *arguments),
            userGesture=True,
        )

    def _button(self, kind: str, at: Point, button: str, modifiers: tuple[str, ...], count: int) -> None:
        if button not in _BUTTONS:
            raise ActionUnsupported(f"a web page knows no mouse button {button!r}")
        bit = _BUTTONS[button]
        self._held = self._held | bit if kind == "mousePressed" else self._held & ~bit
        self._mouse(kind, at, modifiers=modifiers, button=button, clickCount=count)

    def _mouse(self, kind: str, at: Point, modifiers: tuple[str, ...] = (), **params: Any) -> None:
        self._pointer = at
        if kind == "mouseMoved" and self._held:
            # Without it the page would take the button for released.
            params["button"] = next(name for name, bit in _BUTTONS.items() if bit & self._held)
        self._do(
            at.page,
            "Input.dispatchMouseEvent",
            type=kind,
            x=at.x,
            y=at.y,
            modifiers=keys.bits(modifiers),
            buttons=self._held,
            **params,
        )

    def _open(self, page: Page) -> bool:
        """Whether a page can get more input: it is there, and no dialog of its scripts is open."""
        return page.dialog is None and not page.crashed and page in self._pages.all()

    def _do(self, page: Page, method: str, session: str | None = None, **params: Any) -> None:
        """Call a method, and return when it is done, or has opened a dialog or closed the page."""
        news = self._pages.news

        def heard(_: object) -> None:
            with news:
                news.notify_all()

        pending = self._link.begin(method, session=session or page.session, then=heard, **params)
        with news:
            news.wait_for(
                lambda: pending.came.is_set() or page.dialog is not None or page.crashed or not page.sessions,
                max(0.0, self._until - time.monotonic()),
            )
        if pending.reply is not None:
            try:
                answer = pending.taken()
            except CallRefused:
                if page.sessions and not page.crashed:
                    raise
                return  # it closed the page
            if "exceptionDetails" in answer:
                said = answer["exceptionDetails"].get("exception", {}).get("description", "")
                raise ActionFailed(f"the script in the page failed: {str(said)[:500]}")
        elif page.dialog is None and not page.crashed and page.sessions:
            raise UiBusy(
                "the page did not handle the input in time",
                started=True,
                suggestions=("see whether a script of the page runs without end",),
            )


def _inner(above: Element, number: int) -> Element:
    """Another element of the same document."""
    return Element(above.page, f"{above.context.prefix}{number}", above.context, number)
