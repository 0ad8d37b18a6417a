"""Expectations: state what should be seen, and wait until it is.

Most are one `Wait` that the engine answers when the user interface changes, so an expectation that
holds costs one round trip and one that does not hold yet costs no polling.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from ...images.compare import THRESHOLD
from ...model.errors import Ambiguous, DeskhandError, InvalidParams, NotFound, Stale, WaitTimeout
from ...model.operations import TIMEOUT, ReadTree, Wait, WaitChange
from ...model.outline import cut_note
from ...model.reading import Item, read, render
from ...model.template import Template
from .. import soft
from ..failure import ExpectationFailed, failed
from ..known import known_as
from ..options import options, output_folder
from ..patterns import wanted_text
from ..snapshots import described, store, tree_file
from .app import App
from .locator import Locator
from .shots import Shots, Tolerance, leave, load
from .shots import words as compared
from .values import ValueExpectation

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

Text = str | re.Pattern[str]
_ROUND = 30.0
"""How long a change is waited for at a time, in seconds."""
_SHOWN = 100
"""How many lines of a tree a failure shows."""


class Expect:
    """What should be seen; a failing expectation raises an AssertionError.

    `expect(locator)` and `expect(app)` are about the user interface. `expect(function)` calls a function
    until it returns what is expected.
    """

    @overload
    def __call__(self, subject: Locator) -> LocatorExpectation: ...

    @overload
    def __call__(self, subject: App) -> AppExpectation: ...

    @overload
    def __call__(self, subject: Callable[[], Any]) -> ValueExpectation: ...

    def __call__(
        self, subject: Locator | App | Callable[[], Any]
    ) -> LocatorExpectation | AppExpectation | ValueExpectation:
        return _about(subject)

    @overload
    def soft(self, subject: Locator) -> LocatorExpectation: ...

    @overload
    def soft(self, subject: App) -> AppExpectation: ...

    @overload
    def soft(self, subject: Callable[[], Any]) -> ValueExpectation: ...

    def soft(
        self, subject: Locator | App | Callable[[], Any]
    ) -> LocatorExpectation | AppExpectation | ValueExpectation:
        """The same, but a failure is collected and the test goes on.

        The pytest plugin raises what was collected at the end of the test: one failure as itself, several as
        `SoftFailures`. Without it, leaving the `with` block of an app does, or `raise_soft()`.
        """
        return _about(subject, soft=True)

    def poll(
        self,
        function: Callable[[], Any],
        *,
        timeout: float | None = None,
        intervals: Sequence[float] | None = None,
    ) -> ValueExpectation:
        """What a function should return, called again until it does: `expect.poll(path.exists).to_be(True)`.

        An exception of the function fails the test at once; `to_pass` goes on instead. `intervals` are the
        seconds between calls, the last of which repeats.
        """
        return ValueExpectation(function, timeout=timeout, intervals=intervals)

    def set_options(self, **given: Any) -> None:
        """Change the defaults of all expectations, sync and async; what is not named stays.

        `timeout` in seconds (None: the app's own), `update_snapshots`, `output`, the folder for files of
        failed comparisons, and `test_file`, next to which snapshots are stored.
        """
        options.set(given)

    def raise_soft(self) -> None:
        """Raise what soft expectations collected: one failure as itself, several as `SoftFailures`."""
        soft.raise_all(self.take_soft())

    def take_soft(self) -> list[AssertionError]:
        """What soft expectations collected since the last call, for test runners."""
        return soft.take()


expect = Expect()


def _about(subject: object, soft: bool = False) -> LocatorExpectation | AppExpectation | ValueExpectation:
    if isinstance(subject, App):
        return AppExpectation(subject, soft=soft)
    if isinstance(subject, Locator):
        return LocatorExpectation(subject, soft=soft)
    if callable(subject):
        return ValueExpectation(subject, soft=soft)
    raise TypeError(f"expect takes a locator, an app or a function, not {type(subject).__name__}")


@dataclass(frozen=True)
class _Shown:
    """What is shown of an element, or why that cannot be said."""

    items: tuple[Item, ...] = ()
    text: str = ""
    error: DeskhandError | None = None

    def matches(self, template: Template) -> bool | None:
        """Whether it is as described; None where nothing can be said."""
        return None if self.error is not None else template.matches(self.items)


class _Expectation:
    def __init__(self, app: App, target: str, root: str | None, negated: bool, soft: bool) -> None:
        self._app = app
        self._target = target
        self._root = root
        self._negated = negated
        self._soft = soft

    if not TYPE_CHECKING:  # type checkers know `.not_`, and report every other name

        def __getattr__(self, name: str) -> Any:
            return known_as(self, name)

    async def _wait(self, wanted: str, state: str, timeout: float | None, **fields: Any) -> None:
        limit = self._limit(timeout)
        wait = Wait(self._target, state=state, timeout=limit, negate=self._negated, **fields)
        try:
            await self._app.run(wait)
        except (WaitTimeout, Ambiguous) as error:
            failure = failed(self._target, self._words(wanted), error, limit)
        else:
            return
        self._fail(failure)

    async def _wait_text(
        self, noun: str, state: str, text: Text, timeout: float | None, match: str = "equals"
    ) -> None:
        value, match, words = wanted_text(text, match)
        await self._wait(f"have {noun} {words}", state, timeout, value=value, match=match)

    async def to_match_tree(self, tree: str, *, timeout: float | None = None) -> None:
        """What is shown is as described, in reading order; other elements may be in between.

        `tree` is the description, or the name of a file next to the test that ends with `.aria.yml`. A line
        is such as `- textfield "Name" [disabled]: Ada`; a name or text may be `/a regular expression/`.
        `- /children: equal` allows no other elements at its level, `deep-equal` at no level below either. A
        file that does not exist is written, and the test fails once; with `update_snapshots` a file that does
        not match is written anew.
        """
        limit = self._limit(timeout)
        file = tree_file(tree)
        template = described(tree, file)
        wanted = "match the tree" if file is None else f"match {file.name}"
        words = self._words(wanted)
        if template is None:
            await self._app.wait_idle(timeout=max(limit, TIMEOUT))
            found = await self._shown()
        else:
            found = await self._until_matching(template, limit)
            if found.matches(template) is (not self._negated):
                return
        if found.error is not None:
            self._fail(failed(self._target, words, found.error, limit))
        elif file is not None and not self._negated and (template is None or options.update_snapshots):
            store(file, f"{found.text}\n".encode())
            if not options.update_snapshots:
                lines = [f"{file} did not exist and was written; run the test again"]
                self._fail(ExpectationFailed(self._target, words, limit, lines, files=(file,)))
        else:
            lines = ["what is shown:", *found.text.splitlines()[:_SHOWN]]
            if template is not None and not self._negated:
                lines = ["(- is missing, + was found instead)", *template.difference(found.items), "", *lines]
            self._fail(ExpectationFailed(self._target, words, limit, lines))

    async def to_have_screenshot(
        self,
        name: str,
        *,
        mask: Sequence[Locator] = (),
        mask_color: str = "#ff00ff",
        threshold: float = THRESHOLD,
        max_diff_pixels: int | None = None,
        max_diff_pixel_ratio: float | None = None,
        timeout: float | None = None,
    ) -> None:
        """It looks as in the stored screenshot `name`, such as `greeting.png`.

        Elements that `mask` finds are painted over. Colours may differ by `threshold`, from 0 to 1, and
        `max_diff_pixels` or this ratio of all pixels by more; those of smoothed edges do not count. The
        screenshot is stored next to the test, in `<test file>-snapshots`, when two in a row are the same: the
        first time, and the test fails once, and with `update_snapshots` if it differs. A failure leaves
        `<name>-expected.png`, `-actual.png` and `-diff.png` in the output folder.
        """
        limit = self._limit(timeout)
        tolerance = Tolerance(threshold, max_diff_pixels, max_diff_pixel_ratio)
        tolerance.check()
        file, stored = load(name)
        if stored is None and self._negated:
            raise InvalidParams(f"{file} does not exist, so nothing can differ from it", field="name")
        words = self._words(f"look like {name}")
        shots = Shots(self._app, self._root, mask, mask_color)
        rewrite = options.update_snapshots and not self._negated
        try:
            writing = max(limit, TIMEOUT) if stored is None or rewrite else limit
            taken = await shots.until(stored, tolerance, not self._negated, writing, rewrite)
        except (NotFound, Ambiguous, WaitTimeout) as error:
            failure = failed(self._target, words, error, limit)
        else:
            same = taken.comparison is not None and tolerance.same(taken.comparison)
            if taken.comparison is not None and same is not self._negated:
                return
            if taken.settled and (stored is None or rewrite):
                store(file, taken.shot.png)
                if rewrite:
                    return
                lines = [f"{file} did not exist and was written; run the test again"]
                failure = ExpectationFailed(self._target, words, limit, lines, files=(file,))
            elif stored is None or rewrite or taken.comparison is None:
                lines = ["no two screenshots in a row were the same, so none was stored"]
                failure = ExpectationFailed(self._target, words, limit, lines)
            elif self._negated:
                failure = ExpectationFailed(self._target, words, limit, [f"it looks like {file}"])
            else:
                allowed = tolerance.allowed(taken.comparison.total)
                files = leave(name, stored, taken, output_folder())
                lines = [compared(taken.comparison, allowed), *map(str, files)]
                failure = ExpectationFailed(self._target, words, limit, lines, files=files)
        self._fail(failure)

    async def _until_matching(self, template: Template, limit: float) -> _Shown:
        """What is shown when that is as wanted, or at the end of the time."""
        deadline = time.monotonic() + limit
        while True:
            revision = (await self._app.run(ReadTree())).revision
            found = await self._shown()
            left = deadline - time.monotonic()
            if found.matches(template) is (not self._negated) or left <= 0:
                return found
            await self._app.run(WaitChange(revision, timeout=min(left, _ROUND)))

    async def _shown(self) -> _Shown:
        """What is shown now of the element or app."""
        try:
            snapshot = await self._app.run(ReadTree(self._root))
        except (NotFound, Ambiguous, Stale) as error:
            return _Shown(error=error)
        assert snapshot.tree is not None
        items = read(snapshot.tree)
        return _Shown(items, render(items, cut_note(snapshot.tree)))

    def _limit(self, timeout: float | None) -> float:
        return self._app.timeout_or(options.timeout if timeout is None else timeout)

    def _words(self, wanted: str) -> str:
        return f"not {wanted}" if self._negated else wanted

    def _fail(self, failure: ExpectationFailed) -> None:
        if not self._soft:
            raise failure
        soft.add(failure)


class LocatorExpectation(_Expectation):
    """What should be seen of an element. `timeout` is in seconds; None is the app's own.

    A text may be a compiled regular expression, which is searched for.
    """

    def __init__(self, locator: Locator, negated: bool = False, soft: bool = False) -> None:
        super().__init__(locator.app, locator.selector, locator.selector, negated, soft)
        self._locator = locator

    @property
    def not_(self) -> LocatorExpectation:
        """The opposite: `expect(button).not_.to_be_enabled()`."""
        return LocatorExpectation(self._locator, not self._negated, self._soft)

    async def to_exist(self, *, timeout: float | None = None) -> None:
        """It is there, visible or not."""
        await self._wait("exist", "exists", timeout)

    async def to_be_visible(self, *, timeout: float | None = None) -> None:
        """It is there and shown."""
        await self._wait("be visible", "visible", timeout)

    async def to_be_hidden(self, *, timeout: float | None = None) -> None:
        """It is not shown, or not there at all."""
        await self._wait("be hidden", "hidden", timeout)

    async def to_be_enabled(self, *, timeout: float | None = None) -> None:
        """It can be used."""
        await self._wait("be enabled", "enabled", timeout)

    async def to_be_disabled(self, *, timeout: float | None = None) -> None:
        """It is there and cannot be used."""
        await self._wait("be disabled", "disabled", timeout)

    async def to_be_checked(self, *, checked: bool = True, timeout: float | None = None) -> None:
        """It is ticked or switched on; with `checked=False`, it is not."""
        state = "checked" if checked else "unchecked"
        await self._wait(f"be {state}", state, timeout)

    async def to_be_selected(self, *, timeout: float | None = None) -> None:
        """It is the chosen one, or one of them."""
        await self._wait("be selected", "selected", timeout)

    async def to_be_focused(self, *, timeout: float | None = None) -> None:
        """It has the keyboard focus."""
        await self._wait("be focused", "focused", timeout)

    async def to_be_editable(self, *, timeout: float | None = None) -> None:
        """Its text or value can be changed."""
        await self._wait("be editable", "editable", timeout)

    async def to_be_empty(self, *, timeout: float | None = None) -> None:
        """It is there and has nothing in it: a field without text, a list without items."""
        await self._wait("be empty", "empty", timeout)

    async def to_have_text(self, text: Text, *, timeout: float | None = None) -> None:
        """It shows this text, and no other."""
        await self._wait_text("text", "text", text, timeout)

    async def to_contain_text(self, text: Text, *, timeout: float | None = None) -> None:
        """This is part of the text it shows."""
        await self._wait_text("text", "text", text, timeout, "contains")

    async def to_have_value(self, value: Text | float, *, timeout: float | None = None) -> None:
        """It holds this value: what was typed, chosen or set."""
        wanted = value if isinstance(value, (str, re.Pattern)) else f"{value:g}"
        await self._wait_text("value", "value", wanted, timeout)

    async def to_have_name(self, name: Text, *, timeout: float | None = None) -> None:
        """It is called this: by its caption, the label beside it, its title."""
        await self._wait_text("name", "name", name, timeout)

    async def to_have_count(self, count: int, *, timeout: float | None = None) -> None:
        """So many elements match."""
        await self._wait(f"have {count} matches", "count", timeout, count=count)


class AppExpectation(_Expectation):
    """What should be seen of an app. `timeout` is in seconds; None is the app's own."""

    def __init__(self, app: App, negated: bool = False, soft: bool = False) -> None:
        super().__init__(app, "path=root", None, negated, soft)

    @property
    def not_(self) -> AppExpectation:
        """The opposite: `expect(app).not_.to_have_title("Untitled")`."""
        return AppExpectation(self._app, not self._negated, self._soft)

    async def to_have_title(self, title: Text, *, timeout: float | None = None) -> None:
        """Its main window has this title."""
        await self._wait_text("title", "name", title, timeout)
