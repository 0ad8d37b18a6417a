"""Windows for the MCP tools: which one is meant, what is said of it, waiting until one opens or closes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...model.compound import WaitWindows
from ...model.errors import Ambiguous, InvalidParams, NotReady, NoWindows
from ...model.node import Window
from .find import text_test
from .refs import Given
from .scene import Scene

OPENED, CLOSED = "opened", "closed"
_OPEN_WORDS = {"visible": OPENED, "exists": OPENED, "hidden": CLOSED, "gone": CLOSED}
_LONGEST = 200
"""How much of a title an error repeats."""


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
    entry: dict[str, Any] = {"title": window.title, "ref": {"uid": uid}}
    if stage is not None:
        entry["stageIndex"] = stage.index
    if window.bounds is not None:
        entry |= {name: getattr(window.bounds, name) for name in ("x", "y", "width", "height")}
    if window.app_name:
        entry["app"] = window.app_name
    states = [name for name in ("focused", "modal", "minimized", "maximized") if getattr(window, name)]
    return {**entry, "states": states} if states else entry


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


def awaited(
    until: str, wanted: Mapping[str, Any], before: set[str] | None, timeout: float
) -> WaitWindows[Window | None]:
    """Wait until a window is open or closed: the one of that title, or, without a title, any.

    `before` are the uids of the windows that the caller has seen, if it has seen any: what opened or closed
    since then counts. Gives the window that opened; None if one closed.
    """
    title, match = wanted.get("window"), wanted.get("match", "contains")

    def met(windows: Sequence[Window]) -> Window | None:
        nonlocal before
        now = {window.uid for window in windows}
        before = now if before is None else before
        if title is None:
            found = [window for window in windows if window.uid not in before]
            closed = bool(before - now)
        else:
            found = _titled(windows, title, match)
            closed = not found
        if until == OPENED and found:
            return found[0]
        if until == CLOSED and closed:
            return None
        raise NotReady(f"there are {_titles(windows)}")

    what = "a window" if title is None else f"a window that matches '{title[:_LONGEST]}'"
    return WaitWindows(met, f"{what} to {'open' if until == OPENED else 'close'}", timeout)


def _titled(windows: Sequence[Window], title: str, match: str) -> list[Window]:
    test = text_test(title, match)
    return [window for window in windows if test(window.title or "")]


def _titles(windows: Sequence[Window]) -> str:
    return ", ".join(f"'{(window.title or '')[:60]}'" for window in windows[:10]) or "none"
