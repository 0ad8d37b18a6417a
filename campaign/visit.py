"""One program on a private desktop of its own: steps are done, and after each one everything is checked."""

from __future__ import annotations

import contextlib
import random
import re
import time
import traceback
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from deskhand import Desktop
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.engine.session import Session
from deskhand.launching import launcher
from deskhand.model import operations as ops
from deskhand.model.errors import AppGone, DeskhandError, LaunchFailed, UiBusy, WaitTimeout
from deskhand.model.node import Node, Rect
from deskhand.model.operations import Done
from deskhand.model.tree import Tree

from . import compare, independent
from .compare import Difference, key_of
from .explore import TIMEOUT, Step
from .independent import Key, NoAnswer, Object, OnScreen, Reader, Walk
from .programs import Program

START = 60.0
"""How long a program may take until it shows a window, in seconds."""
_ALONE = 20.0
"""After how long a window with nothing in it is all that there will be, in seconds."""
ANSWER = 30.0
"""How long it may take to answer a read before it counts as hung, in seconds."""
_EVERYTHING = 10
"""After how many actions the independent reader also walks what does not show."""
_SAMPLE = 150
"""How many of the objects that do not show are compared after each action; after some, all are."""
_SMALL = 8
"""Windows that are not larger than this in either direction are not for people."""
_PADDING = (24, 16)
"""By how much a tooltip is larger than its label."""
_OPENS = frozenset(("menu", "menu-item", "menu-bar", "combo-box", "list"))
"""What shows its entries in a window of its own."""
_NONE_SEEN = ("no effect", "nothing changed", "it was so already", "not seen", "does not say")
"""What an answer says of an action whose effect was not seen."""
_NUMBER = re.compile(r"(?<![0-9A-Za-z])\d+(?![0-9A-Za-z])")
"""A number in the name of a file that may be that of a process; in other digits it is part of a digest."""
_APPEARS = 5.0
"""How long a window that the display has may take to be in the tree, in seconds."""


@dataclass
class Failure:
    """Something that was not true, and how to see it again."""

    kind: str
    """difference, hit, success, window, hang, error, left behind, or start."""
    what: str
    step: int
    """How many steps were done before; the last of them is the one that showed it."""


@dataclass
class Outcome:
    """What a visit came to."""

    program: str
    toolkit: str = ""
    actions: int = 0
    refused: int = 0
    """Actions that deskhand refused with a reason."""
    reads: int = 0
    nodes: int = 0
    """How many nodes were compared, over all reads."""
    points: int = 0
    """How many points were checked by the toolkit's own hit test."""
    restarts: int = 0
    """How often the program ended because it was asked to, and was started again."""
    excepted: dict[str, int] = field(default_factory=dict)
    """How often each named exception applied."""
    failures: list[Failure] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def count(self, kind: str) -> int:
        return sum(failure.kind == kind for failure in self.failures)


class Ended(Exception):
    """The program ended, as a program does that is asked to."""


class Visit:
    """A program that is explored."""

    def __init__(self, program: Program, shots: Path | None = None) -> None:
        """`shots` is a folder for a screenshot of each step that fails."""
        self.program = program
        self.shots = shots
        self.outcome = Outcome(program.name, program.toolkit)
        self.tree = Tree([])
        self._stack = contextlib.ExitStack()
        self._known: set[tuple[Any, ...]] = set()
        self._sample = random.Random(program.name)
        self._missed: set[int] = set()
        self.notes: list[str] = []
        """What was refused, and why."""
        self._pids: set[int] = set()

    def __enter__(self) -> Visit:
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End everything, and see that nothing is left behind."""
        folder, display = self._desktop.folder, self._desktop.display
        self._pids |= _on_display(display)
        self._stack.close()
        for left in left_behind(folder, display, self._pids):
            self._fail("left behind", left)

    # -- starting and ending -----------------------------------------------------------------------

    def _start(self) -> None:
        self._desktop = self._stack.enter_context(Desktop(timeout=60))
        home = Path(self._desktop.env["HOME"])
        self.program.prepare(home)
        self._begin()

    def _begin(self) -> None:
        desktop = self._desktop
        self._run = self._stack.enter_context(contextlib.ExitStack())
        home = Path(desktop.env["HOME"])
        self._app = self._run.enter_context(
            launcher.start(
                self.program.argv(home), desktop=desktop, env=self.program.env, cwd=home, timeout=START,
                stdout="null", stderr="null", way="outside",
            )
        )  # fmt: skip
        if self._app.runner is None:
            raise LaunchFailed(f"{self.program.name} is not driven through accessibility")
        self._runner, self._session = self._app.runner, _session(self._app.runner)
        self._reader = self._run.enter_context(Reader(desktop.env, desktop.a11y_address))
        deadline = time.monotonic() + START
        while True:
            tree = self._read()
            waited = time.monotonic() > deadline - START + _ALONE
            if any(window.showing for window in tree.windows) and (len(tree.nodes) > 3 or waited):
                break
            if time.monotonic() > deadline:
                raise WaitTimeout(f"{self.program.name} showed no window within {START:g} s")
            time.sleep(0.2)
        self._settle()
        self.tree = self._read()

    def restart(self) -> None:
        """Start the program again, in the same home."""
        self._pids |= _on_display(self._desktop.display)
        self._run.close()
        self.outcome.restarts += 1
        self._known.clear()
        self._begin()

    # -- one step ----------------------------------------------------------------------------------

    def check(self) -> None:
        """Check the current state without doing anything."""
        self._guarded(self._after)

    def do(self, step: Step) -> None:
        """Do a step and check everything; Ended if the program ended by it."""
        self.outcome.steps.append(step)
        self.outcome.actions += 1
        self._guarded(lambda: self._do(step))

    def _guarded(self, work: Any) -> None:
        try:
            work()
        except AppGone:
            raise Ended from None
        except (UiBusy, NoAnswer) as error:
            if self._gone():
                raise Ended from None
            self._insist_on_answer(error)
        except DeskhandError as error:
            if self._gone():
                raise Ended from None
            self._fail("error", f"{type(error).__name__}: {error}")
        except (AssertionError, LookupError, TypeError, ValueError, AttributeError, OSError) as error:
            if self._gone():
                raise Ended from None
            where = traceback.format_exc().strip().splitlines()[-4:]
            self._fail(
                "error", f"{type(error).__name__}: {error}: " + " / ".join(line.strip() for line in where)
            )
        if self._gone():
            raise Ended

    def _do(self, step: Step) -> None:
        node = step.find(self.tree)
        if step.role and node is None:
            self.outcome.refused += 1
            return
        key = None if node is None else key_of(node)
        before, shot = self.tree, self._desktop.screenshot()
        (raw,) = self._reader.read([key]) if key is not None else [None]
        reached = step.do != "click" or node is None or self._aim(node)
        if not reached and node is not None and not node.role.startswith("menu"):
            # The pointer did not get there in time. Only entries have menus that are opened on the way.
            self.outcome.refused += 1
            self._after()
            return
        try:
            done = self._runner.run(step.action(None if node is None else node.uid))
        except (AppGone, UiBusy):
            raise
        except DeskhandError as error:
            self.outcome.refused += 1
            self.notes.append(f"refused {step}: {error}")
            done = None
        self._after()
        if done is not None:
            self._judge(step, node, key, raw, done, before, shot)

    def _after(self) -> None:
        self._settle()
        self._compare()
        self._windows()

    def _settle(self) -> None:
        with contextlib.suppress(UiBusy):
            self._session.adapter.idle(timeout=3.0)

    # -- (1) the tree --------------------------------------------------------------------------------

    def _compare(self) -> None:
        hidden = self.outcome.actions % _EVERYTHING == 0
        walk = self._walk(hidden)
        warm = self._read()
        self.tree = warm
        self.outcome.reads += 1
        self.outcome.nodes += len(warm.nodes)
        keys = self._chosen(warm, walk)
        found = self._with(warm, walk, keys)
        cold = compare.with_cold(warm, self._read_cold())
        if found:
            # The same walk before and after the read rules out that the program changed in between.
            found = compare.same_subjects(found, self._with(warm, self._walk(hidden), keys))
        if cold:
            self._settle()
            again = self._read()
            cold = compare.same_subjects(cold, compare.with_cold(again, self._read_cold()))
        for difference in (*found, *cold):
            self._differs(difference)
        self._walked = walk

    def _chosen(self, tree: Tree, walk: Walk) -> list[Key]:
        """Which objects that the walk did not meet are read one by one."""
        keys = compare.unmet(tree, walk)
        few = not self.outcome.actions % _EVERYTHING or len(keys) <= _SAMPLE
        if few:
            return keys
        tops = {key_of(node) for node in tree if node.parent is None}
        return [*self._sample.sample(keys, _SAMPLE), *(key for key in keys if key in tops)]

    def _with(self, tree: Tree, walk: Walk, keys: list[Key]) -> list[Difference]:
        return compare.with_independent(tree, walk, dict(zip(keys, self._reader.read(keys), strict=True)))

    def _differs(self, difference: Difference) -> None:
        signature = (*difference.subject, repr(difference.ours), repr(difference.theirs))
        if signature not in self._known:
            self._known.add(signature)
            self._fail("difference", str(difference))

    def _walk(self, hidden: bool) -> Walk:
        walk = self._reader.walk(hidden=hidden)
        self._pids.update(program.pid for program in walk.programs)
        return walk

    def _read(self) -> Tree:
        return self._session.adapter.read(details=True, internals=True, timeout=ANSWER)

    def _read_cold(self) -> Tree:
        adapter = cast("AtspiAdapter", self._session.adapter)  # which may be a verified one
        return adapter.read_cold(details=True, internals=True, timeout=ANSWER)

    # -- (2) the point that is clicked ---------------------------------------------------------------

    def _aim(self, node: Node) -> bool:
        """Point at a node as a click would, and ask the toolkit what it hits; whether that worked."""
        try:
            self._session.run(ops.Hover(target=f"uid={node.uid}", timeout=TIMEOUT))
        except (AppGone, UiBusy):
            raise
        except DeskhandError:
            return False  # refused, as the click will be
        self._hit(node)
        return True

    def _hit(self, node: Node) -> None:
        x, y = independent.pointer(self._desktop.env)
        key, top = key_of(node), self._around(node)
        roots = [one for one in self.tree.ancestors(node) if one.platform_role == "root pane"]
        if self.program.toolkit == "LibreOffice" and roots:
            top = roots[-1]
        window = None if top is None else key_of(top)
        if key is None or window is None:
            return
        assert top is not None
        chain, above = self._reader.hits(window, *self._in_window(top, x, y - self._left_out(node)))
        if len(chain) < 2:
            return  # the toolkit has no opinion
        self.outcome.points += 1
        at, aim = self._reader.read([chain[-1], key])
        # A tree of Qt 5 makes new objects for the same items each time that it is asked.
        same = at is not None and aim is not None and (at.role, at.name) == (aim.role, aim.name)
        around = [key_of(one) for one in self.tree.ancestors(node)]
        if same or key in above or related(key, chain, self._walked, around):
            return
        if aim is not None and aim.role.endswith("header") and above[:1] == around[:1]:
            return  # a view of Qt names a cell of its own wherever its header is
        self._walked = self._walk(hidden=False)  # what the pointer is on may show only since it is there
        ordered = self._toolkit(node) in ("GTK 3", "Qt 5", "Qt 6")
        branch = drawn_above(key, chain[-1], self._walked) if ordered else None
        if self.program.toolkit == "LibreOffice":
            branch = window  # by the point on the screen, as it understands it at other times
        if branch is None or not related(key, self._reader.hits(branch, x, y)[0], self._walked):
            seen = ", ".join(_named(one, self._walked) for one in chain[-2:])
            what = f"{str(node).splitlines()[0][:80]} {node.bounds}"
            self._fail("hit", f"{what}: the pointer at {x},{y} is on {seen}")

    def _in_window(self, window: Node, x: int, y: int) -> tuple[int, int]:
        """A point of the screen as the toolkit expects it: GTK 4 knows only positions in its window."""
        gtk_4 = self._toolkit(window) == "GTK 4"
        if gtk_4 and window.parent is not None and window.bounds is not None:
            return x - round(window.bounds.x), y - round(window.bounds.y)  # a popover, a window of its own
        shown = {one.uid: one.native_id for one in self.tree.windows}
        on_x = next((one for one in self._on_screen() if one.id == shown.get(window.uid)), None)
        if not gtk_4 or on_x is None:
            return x, y
        width, height = window.properties.get("extents", (0, 0, on_x.width, on_x.height))[2:]
        # Without a compositor it draws a border of some pixels around it, the same on all sides.
        return x - on_x.x - (on_x.width - width) // 2, y - on_x.y - (on_x.height - height) // 2

    def _left_out(self, node: Node) -> int:
        """How much lower something is than LibreOffice says.

        GTK puts a menu bar above what LibreOffice draws, which it takes into account at some times only. The
        root pane finds what is at such a point; the window finds GTK's menu bar there.
        """
        extents = node.properties.get("extents") if self.program.toolkit == "LibreOffice" else None
        return 0 if extents is None or node.bounds is None else round(node.bounds.y - extents[1])

    def _toolkit(self, node: Node) -> str:
        """What the program draws with that has a node: meld starts nautilus, and wx draws with GTK 3."""
        bus = node.properties.get("bus_name")
        named = next((one.toolkit for one in self._walked.programs if one.bus == bus), "").lower()
        if self.program.toolkit == "LibreOffice":
            return self.program.toolkit  # which says that it is GTK 3
        kits = [kit for kit in ("GTK 3", "GTK 4") if named.startswith(kit.lower())]
        return kits[0] if kits else self.program.toolkit

    def _around(self, node: Node) -> Node | None:
        """What is asked for what is at a point: the window of a node, or the menu that it is in."""
        by_uid = {one.uid: one for one in self.tree}
        at: Node | None = node
        gtk_4 = self._toolkit(node) == "GTK 4"
        popups = [one for one in self._on_screen() if not one.managed] if gtk_4 else []
        while at is not None and at.parent is not None:
            if at.bounds is not None and any(_alike(at.bounds, _area(one)) for one in popups):
                return at  # a popover, which is a window of its own
            at, below = by_uid.get(at.parent), at
            if at is not None and at.role in _OPENS and node.role.startswith("menu"):
                break
            if at is not None and at.role == "combo-box":
                return below  # the list that it opens, which is above the window
            if at is not None and at.parent is None and self._toolkit(node) == "GTK 3":
                # A window of GTK 3 names the first of its children that is there, not the popover on top.
                return below
        return at

    # -- (3) success means an effect -----------------------------------------------------------------

    def _judge(
        self, step: Step, node: Node | None, key: Key | None, before: Object | None, done: Done, tree: Tree,
        shot: bytes,
    ) -> None:  # fmt: skip
        (after,) = self._reader.read([key]) if key is not None else [None]
        silent = says_none(done)
        wrong = broken_promise(step, node, before, after, self._walked, tree)
        now = "" if after is None or after.value is None else f"it holds {after.value:g}"
        unsure = any(words in (done.detail or "") for words in ("does not say", now) if words)
        if wrong is not None and not unsure and not (silent and step.do == "type"):
            self._fail("success", f"{step}: {wrong}; the answer was {_answer(done)}")
            return
        if silent:
            return
        changed = compare.with_cold(tree, self.tree) or shot != self._desktop.screenshot()
        if not changed:
            self._fail("success", f"{step}: nothing changed; the answer was {_answer(done)}")

    # -- (4) every window ----------------------------------------------------------------------------

    def _windows(self) -> None:
        deadline = time.monotonic() + _APPEARS
        while missing := [one for one in self._on_screen() if not in_tree(one, self.tree)]:
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
            self.tree = self._read()
        for one in missing:
            if one.id not in self._missed:
                self._missed.add(one.id)
                kind = independent.window_type(self._desktop.env, one) or "no type"
                frame = "with a frame" if one.managed else "without a frame"
                size = f"{one.width}x{one.height}+{one.x}+{one.y}"
                what = f"window 0x{one.id:x} {one.title!r} ({one.kind}, {kind}, {frame}, {size})"
                self._fail("window", f"{what} is not in the tree")

    def _on_screen(self) -> Iterator[OnScreen]:
        for one in independent.windows(self._desktop.env):
            inside = one.x + one.width > 0 and one.y + one.height > 0
            if one.width > _SMALL and one.height > _SMALL and inside:
                yield one

    # -- (5) still there -----------------------------------------------------------------------------

    def _gone(self) -> bool:
        if self._app.returncode is None:
            return False
        try:
            return not self._session.adapter.read(depth=0, timeout=ANSWER).windows
        except DeskhandError:
            return True

    def _insist_on_answer(self, error: Exception) -> None:
        """A program that is busy for longer than an action waits does not hang if it answers afterwards."""
        try:
            self.tree = self._read()
        except AppGone:
            raise Ended from None
        except UiBusy:
            self._hung(error)
        self.outcome.refused += 1
        self.notes.append(f"refused: {error}")
        if isinstance(error, NoAnswer):
            self._hung(error)

    def _hung(self, error: Exception) -> None:
        self._fail("hang", f"the program does not answer: {error}")
        raise Ended from error

    # -- reporting -----------------------------------------------------------------------------------

    def _fail(self, kind: str, what: str) -> None:
        for one in self.program.exceptions:
            if one.applies(kind, what):
                self.outcome.excepted[one.name] = self.outcome.excepted.get(one.name, 0) + 1
                return
        number = len(self.outcome.steps)
        if self.shots is not None and not any(one.step == number for one in self.outcome.failures):
            with contextlib.suppress(DeskhandError, OSError):
                self.shots.mkdir(parents=True, exist_ok=True)
                (self.shots / f"{self.program.name}-{number}.png").write_bytes(self._desktop.screenshot())
        self.outcome.failures.append(Failure(kind, what, number))


# -- the checks themselves -----------------------------------------------------------------------------


def _session(runner: object) -> Session:
    """The engine behind a runner, for what no operation can be asked: cold reads."""
    while not isinstance(runner, Session):
        runner = getattr(runner, "session", None) or getattr(runner, "runner", None)
        assert runner is not None, "an app that is driven from here has an engine here"
    return runner


def related(key: Key, chain: list[Key], walk: Walk, around: Sequence[Key | None] = ()) -> bool:
    """Whether what a hit test found is the node, in it, or around it.

    `around` is what the tree has it in: a header of a tree of Qt may be another object in the walk.
    """
    if key in chain:
        return True
    deepest = chain[-1]
    if deepest in around or _in_one_cell(key, deepest, walk):
        return True
    return key in _ancestors(deepest, walk) or deepest in _ancestors(key, walk)


def drawn_above(key: Key, other: Key, walk: Walk) -> Key | None:
    """What has an object and is drawn above another one in the same container; None if it is not.

    A container of GTK 3 or Qt draws its children one after the other, and its hit test names the first that
    has the point: the one at the bottom.
    """
    mine, theirs = [key, *_ancestors(key, walk)], [other, *_ancestors(other, walk)]
    for number, up in enumerate(mine[1:]):
        if up in theirs[1:]:
            kids = walk.objects[up].kids or ()
            branch, below = mine[number], theirs[theirs.index(up) - 1]
            above = branch in kids and below in kids and kids.index(branch) > kids.index(below)
            return branch if above else None
    return None


def _in_one_cell(key: Key, other: Key, walk: Walk) -> bool:
    """Whether two objects are parts of one cell: GTK 3 reports all of them at the same position."""
    one, two = walk.objects.get(key), walk.objects.get(other)
    if one is None or two is None or one.parent != two.parent or one.parent is None:
        return False
    cell = walk.objects.get((key[0], one.parent))
    return cell is not None and cell.role == one.role == two.role == "table cell"


def _ancestors(key: Key, walk: Walk) -> list[Key]:
    found: list[Key] = []
    one = walk.objects.get(key)
    while one is not None and one.parent is not None and len(found) < 200:
        found.append((key[0], one.parent))
        one = walk.objects.get(found[-1])
    return found


def broken_promise(
    step: Step, node: Node | None, before: Object | None, after: Object | None, walk: Walk, tree: Tree
) -> str | None:
    """What an action that reported success did not achieve, by what the program itself says.

    `tree` is from before the action, `walk` from after it.
    """
    if after is None or before is None or node is None:
        return None  # it is gone, as what was in a dialog is
    match step.do:
        case "check":
            checked = not after.states.isdisjoint(("checked", "pressed"))
            if checked != step.args["checked"]:
                return f"it is{'' if checked else ' not'} checked"
        case "expand":
            if ("expanded" in after.states) != step.args["expanded"] and "expandable" in after.states:
                return f"its states are {sorted(after.states)}"
        case "focus":
            if "focused" not in after.states and not _holds_focus(after, walk):
                return "it does not have the focus"
        case "fill":
            wanted = step.args["value"]
            if node.number is not None and after.value is not None:
                if abs(after.value - float(wanted)) > 1e-6 and (after.text or "") != wanted:
                    return f"its value is {after.value:g}"
            elif after.role == "password text":
                return None if after.length == len(wanted) else f"it has {after.length} characters"
            elif after.role == "table cell" and wanted.startswith("="):
                return None  # it shows the result of the formula
            elif after.text is not None and after.text != wanted:
                return f"its text is {after.text[:80]!r}"
        case "type":
            text = step.args["text"]
            if after.role in ("password text", "table cell") or after.text is None or step.args.get("submit"):
                return None  # what is typed into a cell is in its editor until Enter
            if text not in after.text and after.text == before.text:
                return f"its text is still {after.text[:80]!r}"
        case "select":
            option = node.options[step.args["index"]]
            called = [one for one in tree if option.text in (one.name, one.text)]
            # Once it is selected it may be called something else.
            same = {key_of(one) for one in called if any(up.uid == node.uid for up in tree.ancestors(one))}
            if not _is_chosen(option.text, after, walk, same):
                return f"{option.text!r} is not selected"
    return None


def _holds_focus(one: Object, walk: Walk) -> bool:
    return any(
        "focused" in other.states and one.key in _ancestors(other.key, walk)
        for other in walk.objects.values()
    )


def _is_chosen(text: str, chooser: Object, walk: Walk, same: Collection[Key | None]) -> bool:
    if text in (chooser.name, chooser.text):
        return True
    below = [one for one in walk.objects.values() if chooser.key in _ancestors(one.key, walk)]
    named = [one for one in below if one.key in same or text in (one.name, one.name.strip(), one.text)]
    return (
        any("selected" in one.states or one.role in ("text", "entry", "label") for one in named) or not below
    )


def says_none(done: Done) -> bool:
    """Whether an answer says that no effect was seen."""
    if done.detail and any(words in done.detail for words in _NONE_SEEN):
        return True
    return done.receipt is None or done.receipt.empty


def in_tree(window: OnScreen, tree: Tree) -> bool:
    """Whether a window of the display is in a tree."""
    if any(one.native_id == window.id for one in tree.windows):
        return True
    area = _area(window)
    if any(one.bounds is not None and _alike(one.bounds, area) for one in tree.windows):
        return True
    if window.managed:
        return any(one.title == window.title != "" for one in tree.windows)
    return any(node.visible and node.bounds is not None and _fills(node, area) for node in tree)


def _fills(node: Node, area: Rect) -> bool:
    """Whether a node is what a window without a frame shows: a menu, a list, a tooltip."""
    assert node.bounds is not None
    if _alike(node.bounds, area):
        return True
    if node.bounds.intersection(area) == node.bounds and node.role.startswith("menu"):
        return True
    # GTK 4 reports the position of a popover or tooltip as if it were in the window; its size is right.
    wide, high = area.width - node.bounds.width, area.height - node.bounds.height
    return -2 <= wide <= _PADDING[0] and -2 <= high <= _PADDING[1]


def _area(window: OnScreen) -> Rect:
    return Rect(window.x, window.y, window.width, window.height)


def _alike(one: Rect, other: Rect) -> bool:
    both = one.intersection(other)
    if both is None:
        return False
    size = both.width * both.height
    return size >= 0.5 * other.width * other.height and size >= 0.5 * one.width * one.height


def left_behind(folder: Path, display: str, pids: set[int]) -> list[str]:
    """What a desktop that was closed has left: processes, files, sockets."""
    deadline = time.monotonic() + 10
    while (alive := _on_display(display)) and time.monotonic() < deadline:
        time.sleep(0.1)
    found = [f"process {pid} ({_command(pid)})" for pid in sorted(alive)]
    number = display.lstrip(":")
    paths = [folder, Path(f"/tmp/.X{number}-lock"), Path(f"/tmp/.X11-unix/X{number}")]
    found += [str(path) for path in paths if path.exists()]
    for shared in (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")):
        for path in shared.iterdir() if shared.is_dir() else ():
            numbers = {int(part) for part in _NUMBER.findall(path.name)}
            if numbers & {pid for pid in pids if pid > 1000}:
                found.append(str(path))
    return found


def _on_display(display: str) -> set[int]:
    wanted = f"DISPLAY={display}".encode()
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in path.read_bytes().split(b"\0"):
                found.add(int(path.parent.name))
    return found


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return (
            Path(f"/proc/{pid}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode(errors="replace")
            .strip()[:80]
        )
    return "gone"


def _named(key: Key, walk: Walk) -> str:
    one = walk.objects.get(key)
    return key[1] if one is None else f"{one.role} '{one.name[:40]}' {key[1]}"


def _answer(done: Done) -> str:
    receipt = done.receipt
    if receipt is None:
        return f"{done.detail!r}"
    sizes = f"added {len(receipt.added)}, removed {len(receipt.removed)}, changed {len(receipt.changed)}"
    first = "".join(f"; {change.what} {dict(change.fields)}" for change in receipt.changed[:2])
    return f"{done.detail!r}, receipt: {sizes}{first[:200]}"
