"""Windows for the MCP tools: which one is meant, what is said of it, waiting until one opens or closes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...model.errors import Ambiguous, InvalidParams, NotConnected, NoWindows, UiBusy, WaitTimeout
from ...model.node import Window
from ...model.operations import Cancel
from .find import text_test
from .refs import Given
from .scene import Scene

OPENED, CLOSED = "opened", "closed"
_OPEN_WORDS = {"visible": OPENED, "exists": OPENED, "hidden": CLOSED, "gone": CLOSED}
_POLL = 0.1
"""How often the windows are listed while one is waited for, in seconds."""


def condition(until: str) -> str:
    """Whether a window is to be open or closed, by the word that was given."""
    word = _OPEN_WORDS.get(until, until)
    if word not in (OPENED, CLOSED):
        raise InvalidParams(
            f"a window can be waited for until it is {OPENED} or {CLOSED}, not '{until}'", field="until"
        )
    return word


def described(window: Window, given: Given, scene: Scene) -> dict[str, Any]:
    """A window as a result has it."""
    uid = given.tagged(window.uid)
    stage = next((stage for stage in scene.stages if stage.window.uid == uid), None)
    told: dict[str, Any] = {"title": window.title, "ref": {"uid": uid}}
    if stage is not None:
        told["stageIndex"] = stage.index
    if window.bounds is not None:
        told |= {name: getattr(window.bounds, name) for name in ("x", "y", "width", "height")}
    if window.app_name:
        told["app"] = window.app_name
    states = [name for name in ("focused", "modal", "minimized", "maximized") if getattr(window, name)]
    return {**told, "states": states} if states else told


def by_title(windows: Sequence[Window], title: str, match: str) -> Window:
    """The only window of that title: exactly so called, or else matching; NoWindows or Ambiguous."""
    found = [window for window in windows if window.title == title] or _titled(windows, title, match)
    if not found:
        raise NoWindows(f"no window is called '{title}'; there are {_titles(windows)}")
    if len(found) > 1:
        raise Ambiguous(
            f"{len(found)} windows match '{title}': {_titles(found)}",
            suggestions=("name one by its stageIndex or the uid of its ref",),
        )
    return found[0]


def wait(
    listed: Callable[[], Sequence[Window]],
    until: str,
    wanted: Mapping[str, Any],
    before: set[str] | None,
    timeout: float,
    cancel: Cancel,
) -> Window | None:
    """Wait until a window is open or closed: the one of that title, or, without a title, any.

    `before` are the uids of the windows that the caller has seen, if it has seen any: what opened or closed
    since then counts. The window that opened; None if one closed.
    """
    deadline = time.monotonic() + timeout
    title, match = wanted.get("window"), wanted.get("match", "contains")
    seen: Sequence[Window] | None = None
    busy: UiBusy | None = None
    while True:
        try:
            seen = listed()
            now = {window.uid for window in seen}
            before = now if before is None else before
            if title is None:
                found = [window for window in seen if window.uid not in before]
                closed = bool(before - now)
            else:
                found = _titled(seen, title, match)
                closed = not found
            if until == OPENED and found:
                return found[0]
            if until == CLOSED and closed:
                return None
        except NotConnected:
            if until == CLOSED:
                return None  # it has ended, and its windows with it
            raise
        except NoWindows:
            if until == CLOSED:
                return None
        except UiBusy as error:
            busy = error  # it may answer again within the timeout
        if time.monotonic() >= deadline or cancel.is_set():
            if seen is None and busy is not None:
                raise busy
            what = "a window" if title is None else f"a window that matches '{title}'"
            done = "open" if until == OPENED else "close"
            raise WaitTimeout(f"waited {timeout:g} s for {what} to {done}; there are {_titles(seen or ())}")
        time.sleep(_POLL)


def _titled(windows: Sequence[Window], title: str, match: str) -> list[Window]:
    test = text_test(title, match)
    return [window for window in windows if test(window.title or "")]


def _titles(windows: Sequence[Window]) -> str:
    return ", ".join(f"'{(window.title or '')[:60]}'" for window in windows[:10]) or "none"
