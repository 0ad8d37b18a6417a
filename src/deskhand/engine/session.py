"""The engine: runs every operation over one adapter.

A session is a Runner. Protocols, clients and the command line hand it operations; it locates the
target, waits until it is ready, lets the adapter act, and says what happened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar, cast

from ..model import operations as ops
from ..model.adapter import Adapter, Clipboard, abilities
from ..model.deadline import UI_TIMEOUT, Deadline
from ..model.errors import (
    ActionFailed,
    ActionsOff,
    ActionUnsupported,
    Ambiguous,
    AppGone,
    Changed,
    DeskhandError,
    Disabled,
    LoadFailed,
    NotFound,
    NotReady,
    NotStable,
    ScreenshotFailed,
    Stale,
    UiBusy,
    WaitTimeout,
)
from ..model.node import AppInfo, AppState, Image, Node, Window
from ..model.operations import TIMEOUT, Action, Cancel, Compound, Done, Operation, Snapshot, Waited
from ..model.selector import Selector, generate_all, parse
from ..model.tree import Tree, window_to_raise
from ..model.verified import verified
from . import locate, observe, wait
from .check import check
from .ready import obstacle
from .watch import Watch

R = TypeVar("R")

_LAST_READ = 0.05
"""How long the read at the deadline itself may take, in seconds."""
_FIRST_READ = 1.0
"""How long the first read may take, in seconds, however short the caller's time is. A later one that had less
time, and was cut short, says less than the one before it."""
_SLOWER = 3.0
"""How many times as long as the last complete read a program may take before it counts as hung, if that is
more than the caller's time."""
_LONGEST_LINE = 200
"""How many characters of an obstacle are kept."""
_OBSTACLES = 20
"""How many obstacles of one action are kept."""
_FRAME = 1 / 60
_STROKE = 0.005
"""How long a key stroke may take in a text that is typed, in seconds."""
_PASSING = frozenset(("covered_by", "out_of_sight"))
"""What an adapter says of a node that cannot be reached now, and may be in a moment."""
_SCALE_TIMEOUT = 0.5
"""How long a program may take to say its scale for a screenshot of the desktop, in seconds."""
_SETTLE = 2.0
"""How long a receipt waits at most for a program that answers to be idle, in seconds."""


class Session:
    """Runs operations over one adapter. Thread-safe."""

    def __init__(self, adapter: Adapter, *, read_only: bool = False, ui_timeout: float = UI_TIMEOUT) -> None:
        self.adapter = verified(adapter)
        self.enabled = True
        self.read_only = read_only
        self.ui_timeout = ui_timeout
        self.app_state: Callable[[], Mapping[str, Any]] | None = None
        self.file_open: Callable[[list[str]], object] | None = None
        self.view_select: Callable[[str], object] | None = None
        self.viewport3d: Callable[[int | None, int, int], bytes | Image] | None = None
        self.extended = True
        self._started = time.monotonic()
        self._revisions = observe.Revisions()
        self._seen: tuple[float, Tree] | None = None
        self._took = 0.0
        """How long the last complete read took, in seconds."""

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation; raises a DeskhandError that says why it could not be."""
        if isinstance(operation, Compound):
            from . import compound  # which an app that is driven over a connection never needs

            return cast("R", compound.run(self, operation, cancel))
        if operation.ui and not self.enabled:
            raise Disabled(
                "automation is switched off in this program",
                suggestions=("switch it on by the handle that deskhand.enable() gave",),
            )
        if operation.acts and self.read_only:
            raise ActionsOff(
                f"{ops.NAMES[type(operation)]} refused: this server answers questions only",
                suggestions=("start it without --read-only",),
            )
        check(operation)
        return cast("R", self._run(operation, cancel))

    def close(self) -> None:
        self.adapter.close()

    def _run(self, operation: Operation[Any], cancel: Cancel | None) -> object:
        match operation:
            case ops.ReadTree():
                return self._read_tree(operation)
            case ops.Find():
                return self._find(operation)
            case ops.Get():
                return self._get(operation, cancel)
            case ops.Selectors():
                return self._selectors(operation)
            case ops.Wait():
                return self._wait(operation, cancel)
            case ops.WaitChange():
                return self._wait_change(operation, cancel)
            case ops.WaitIdle():
                return self._wait_idle(operation)
            case ops.Screenshot():
                return self._screenshot(operation, cancel)
            case ops.ListWindows():
                return self._list_windows(operation, cancel)
            case ops.GetAppInfo():
                return self._app_info()
            case ops.GetAppState():
                return self._app_state(self._budget(operation.timeout))
            case ops.Ping():
                return ops.Pong(time.time(), time.monotonic() - self._started)
            case ops.MayRead() | ops.MayAct():
                return Done()
            case Action():
                return self._act(operation, cancel)
            case ops.OpenFiles():
                return self._open_files(operation)
            case ops.SelectView():
                return self._select_view(operation)
            case ops.Viewport3d():
                return self._viewport3d(operation)
            case ops.GetClipboard():
                return self._clipboard().read(self._budget(operation.timeout))
            case ops.SetClipboard():
                self._clipboard().write(operation.text, self._budget(operation.timeout))
                return Done()
        raise ActionUnsupported(
            f"{ops.NAMES[type(operation)]} is nothing a program can do; an agent on the machine can",
            target=ops.NAMES[type(operation)],
        )

    # -- looking -----------------------------------------------------------------------------

    def _read_tree(self, operation: ops.ReadTree) -> Snapshot:
        root = None
        budget = self._budget(operation.timeout)
        if operation.target is not None:
            selector = parse(operation.target)
            root = self._until(Deadline(0), lambda _: self._one(selector, budget)[1]).uid
        began = time.monotonic()
        tree = self.adapter.read(
            root,
            depth=operation.depth,
            details=operation.details,
            internals=operation.internals,
            timeout=budget,
        )
        if root is None:
            self._took = time.monotonic() - began
        read = tree
        tree = observe.reduce(tree, operation.visible_only, operation.max_nodes)
        view = replace(operation, since=None, timeout=None, whole=False, selectors=False)
        before = None if operation.since is None else self._revisions.get(operation.since, view)
        self._revisions.add(tree, view)
        if root is None and not operation.internals:
            self._saw(tree)
        if before is None:
            if not operation.selectors:
                return Snapshot(tree.revision, tree=tree)
            # A selector is the shortest among all nodes that selectors are matched against.
            everything = root is None and operation.depth is None and not operation.internals
            known = generate_all(read if everything else self._look(timeout=budget))
            return Snapshot(tree.revision, tree=tree, selectors=known)
        difference = observe.difference(before, tree)
        return Snapshot(tree.revision, tree if operation.whole and not difference.empty else None, difference)

    def _find(self, operation: ops.Find) -> tuple[Node, ...]:
        if operation.native:
            return self._look_up(operation)
        selector = parse(operation.target)
        try:
            tree = self._look(
                selector, internals=operation.internals, timeout=self._budget(operation.timeout)
            )
        except Stale:
            return ()
        return tuple(selector.find(tree, limit=operation.limit))

    def _look_up(self, operation: ops.Find) -> tuple[Node, ...]:
        """By the toolkit's own selectors, where its adapter knows them."""
        looks_up = abilities(self.adapter).looks_up
        if looks_up is None:
            raise ActionUnsupported(
                f"{self.adapter.name} has no selectors of its own", target=operation.target
            )
        budget = self._budget(operation.timeout)
        uids = looks_up.lookup(operation.target, limit=operation.limit, timeout=budget)
        tree = self._look(internals=operation.internals, timeout=budget)
        found = (tree.get(uid) for uid in uids)
        return tuple(node for node in found if node is not None)[: operation.limit]

    def _get(self, operation: ops.Get, cancel: Cancel | None) -> Node:
        selector = parse(operation.target)
        deadline = Deadline(operation.timeout, cancel)
        node = self._until(deadline, lambda timeout: self._one(selector, timeout)[1])
        return self.adapter.read(node.uid, depth=0, details=True, timeout=self.ui_timeout).nodes[0]

    def _selectors(self, operation: ops.Selectors) -> Mapping[str, str]:
        every = generate_all(self._look(timeout=self._budget(operation.timeout)))
        if not operation.uids:
            return every
        return {uid: every[uid] for uid in operation.uids if uid in every}

    def _app_info(self) -> AppInfo:
        offers = tuple(name for name in _OFFERS if getattr(self, name) is not None)
        return replace(self.adapter.info(), offers=offers, extended=self.extended)

    def _app_state(self, timeout: float) -> AppState:
        state = self.adapter.state(timeout=timeout)
        if self.app_state is None:
            return state
        given = dict(self.adapter.call(self.app_state, timeout=timeout))
        known = {name: given.pop(name) for name in list(given) if name in AppState.__dataclass_fields__}
        return replace(state, **known, extra={**state.extra, **given})

    def _budget(self, timeout: float | None) -> float:
        """How long the GUI thread may take for a single read that the caller gave so many seconds."""
        least = min(max(_FIRST_READ, _SLOWER * self._took), self.ui_timeout)
        return max(timeout, least) if timeout else self.ui_timeout

    def _look(
        self, selector: Selector | None = None, *, internals: bool = False, timeout: float | None = None
    ) -> Tree:
        """Read what a selector is matched against: everything, or the one node that its uid names."""
        timeout = self.ui_timeout if timeout is None else timeout
        details = selector is not None and selector.uses_properties
        if selector is not None and selector.uid is not None:
            return self.adapter.read(selector.uid, depth=0, details=details, internals=True, timeout=timeout)
        began = time.monotonic()
        tree = self.adapter.read(details=details, internals=internals, timeout=timeout)
        self._took = time.monotonic() - began
        if not internals:
            self._saw(tree)
        return tree

    def _saw(self, tree: Tree) -> None:
        if self._seen is None or time.monotonic() - self._seen[0] > _FRAME:
            self._seen = (time.monotonic(), tree)

    def _one(self, selector: Selector, timeout: float) -> tuple[Tree, Node]:
        """The only node that matches, and the tree it was found in."""
        tree = self._look(selector, timeout=timeout)
        if selector.uid is not None:
            return tree, tree.nodes[0]
        try:
            return tree, locate.one(tree, selector)
        except NotFound:
            if selector.path is None:
                raise
            # A path may lead into the inner parts of a control, which are read only then.
            inner = self._look(selector, internals=True, timeout=timeout)
            try:
                return inner, locate.one(inner, selector)
            except NotFound:
                pass
            raise

    # -- waiting -----------------------------------------------------------------------------

    def _until(
        self,
        deadline: Deadline,
        attempt: Callable[[float], R],
        poll: float = 0.1,
        obstacles: list[tuple[float, str]] | None = None,
    ) -> R:
        """Repeat until it does not raise, at the latest until the deadline; then raise what it raised.

        What it raised before it did not is appended to `obstacles`, with when that was.
        """
        seen: DeskhandError | None = None
        enough = _FIRST_READ
        least = min(_FIRST_READ, self.ui_timeout)
        with Watch(self.adapter, deadline, poll) as watch:
            while True:
                watch.look()
                budget = self.ui_timeout if deadline.timeout == 0 else max(deadline.remaining, least)
                least = _LAST_READ
                began = time.monotonic()
                try:
                    return attempt(budget)
                except UiBusy as busy:
                    # A read that was cut short says less than the complete one before it.
                    error = seen if seen is not None and budget < enough else busy
                except (NotFound, Ambiguous, NotReady) as unmet:
                    error = seen = unmet
                    enough = max(_FIRST_READ, _SLOWER * (time.monotonic() - began))
                if obstacles is not None:
                    _note(obstacles, deadline.elapsed, error)
                if error.details.pop("final", False) or not watch.pause():
                    if isinstance(error, locate.Missing):
                        error = error.explained()
                    raise _waited(error, deadline)

    def _wait(self, operation: ops.Wait, cancel: Cancel | None) -> Waited:
        operation = wait.straight(operation)
        selector = parse(operation.target)
        deadline = Deadline(operation.timeout, cancel)

        def attempt(timeout: float) -> Waited:
            try:
                tree = self._look(selector, timeout=timeout)
            except Stale:
                tree = Tree([])
            verdict = wait.judge(operation, tree, selector)
            if verdict.holds:
                return Waited(deadline.elapsed, verdict.node, verdict.count)
            raise _Unmet(tree, verdict)

        try:
            return self._until(deadline, attempt, operation.poll)
        except _Unmet as unmet:
            raise self._wait_timeout(operation, selector, unmet) from None

    def _wait_timeout(self, operation: ops.Wait, selector: Selector, unmet: _Unmet) -> DeskhandError:
        verdict = unmet.verdict
        anyone = operation.any_match or operation.state in ("count", "hidden", "gone", "exists")
        if not anyone and len(found := locate.meant(selector.find(unmet.tree))) > 1:
            return locate.ambiguous(unmet.tree, selector, found)
        seen = ", ".join(f"{name}={value!r}" for name, value in verdict.seen.items())
        error = WaitTimeout(
            f"waited {operation.timeout:g} s for {selector.source} to {wait.describe(operation)}; "
            f"last seen {seen}",
            target=selector.source,
            last_seen=verdict.seen,
        )
        if verdict.count == 0:
            missing = locate.not_found(unmet.tree, selector)
            error.near, error.suggestions = missing.near, missing.suggestions
            error.message += f"; {missing.message}"
            error.args = (error.message,)
        return error

    def _wait_change(self, operation: ops.WaitChange, cancel: Cancel | None) -> Snapshot:
        view = ops.ReadTree()
        before = self._revisions.get(operation.since, view)
        deadline = Deadline(operation.timeout, cancel)
        with Watch(self.adapter, deadline, operation.poll, everything=True) as watch:
            while True:
                tree = watch.look()
                budget = min(self.ui_timeout, max(deadline.remaining, _LAST_READ))
                try:
                    if tree is None:
                        tree = self.adapter.read(timeout=budget)
                except UiBusy:
                    # A caller that waits no longer than this learns that no change was seen.
                    if before is None or budget == self.ui_timeout:
                        raise
                else:
                    if before is None or observe.differs(before, tree):
                        break
                if not watch.pause():
                    return Snapshot(operation.since)
        self._revisions.add(tree, view)
        self._saw(tree)
        if before is None or operation.whole:
            return Snapshot(tree.revision, tree=tree)
        return Snapshot(tree.revision, difference=observe.difference(before, tree))

    def _list_windows(self, operation: ops.ListWindows, cancel: Cancel | None) -> tuple[Window, ...]:
        if operation.since is None:
            return self.adapter.read(depth=0, timeout=self._budget(operation.timeout)).windows
        timeout = TIMEOUT if operation.timeout is None else operation.timeout
        deadline = Deadline(timeout, cancel)
        with Watch(self.adapter, deadline) as watch:
            while True:
                watch.look()
                budget = self._budget(max(deadline.remaining, _LAST_READ))
                windows = self.adapter.read(depth=0, timeout=budget).windows
                if windows != operation.since or not watch.pause():
                    return windows

    def _wait_idle(self, operation: ops.WaitIdle) -> Waited:
        deadline = Deadline(operation.timeout)
        self.adapter.idle(timeout=operation.timeout)
        return Waited(deadline.elapsed)

    # -- acting ------------------------------------------------------------------------------

    def _act(self, action: Action, cancel: Cancel | None) -> Done:
        deadline = Deadline(action.timeout, cancel)
        obstacles: list[tuple[float, str]] = []
        node = None if action.target is None else self._ready(action, action.target, deadline, obstacles)
        to = None
        if isinstance(action, ops.Drag) and action.to is not None:
            to = self._ready(ops.Hover(action.to), action.to, deadline).uid
        uid = None if node is None else node.uid
        before = self.adapter.read(timeout=self.ui_timeout) if action.receipt else None
        deadline.check()
        try:
            answer = self._perform(action, uid, to, deadline)
        except AppGone as gone:
            if not gone.details.get("performed"):
                raise
            receipt = None if before is None else observe.ended(before)
            return Done(uid, receipt, exit=ops.Exit())
        receipt = None if before is None else self._receipt(before)
        return Done(
            uid,
            receipt,
            cast("Mapping[str, Any] | None", answer.get("selected")),
            cast("str | None", answer.get("detail")),
            waits=tuple(obstacles),
            point=cast("tuple[float, float] | None", answer.get("point")),
            exit=None if receipt is None else receipt.exit,
        )

    def _perform(
        self, action: Action, uid: str | None, to: str | None, deadline: Deadline
    ) -> Mapping[str, object]:
        """Perform it. What is in the way may go by itself: an adapter that says so has done nothing yet."""
        with Watch(self.adapter, deadline) as watch:
            while True:
                watch.look()
                # A program that has just shown its target does what is begun, also if it takes a while.
                least = self.ui_timeout if action.target is not None else self._budget(deadline.timeout)
                budget = max(deadline.remaining, least + _time_to_type(action))
                try:
                    return self.adapter.perform(action, uid, to, timeout=budget)
                except NotReady as error:
                    # A drag may have begun before it was found that its end is covered.
                    if not _PASSING & error.details.keys() or isinstance(action, ops.Drag):
                        raise
                    if not watch.pause():
                        raise _waited(error, deadline) from None

    def _ready(
        self,
        action: Action,
        target: str,
        deadline: Deadline,
        obstacles: list[tuple[float, str]] | None = None,
    ) -> Node:
        """The target once it is there, alone, and in the state that the action needs."""
        selector = parse(target)
        strict = isinstance(action, ops.Click) and action.strict
        raised = False

        def attempt(timeout: float) -> Node:
            nonlocal raised
            tree, node = self._only(selector, timeout) if strict else self._one(selector, timeout)
            if action.sure is not None and node.identity != action.sure:
                raise Changed(f"{node} has become something else", target=target, final=True)
            if (error := obstacle(action, tree, node)) is not None:
                error.target = target
                error.details.setdefault("uid", node.uid)
                if strict:
                    error.details["final"] = True
                raise error
            if strict and not raised:
                raised = True
                self._raise_window_of(tree, node)
            if "stable" in action.needs:
                node = self._stable(node, timeout, deadline)
            return node

        return self._until(deadline, attempt, obstacles=obstacles)

    def _only(self, selector: Selector, timeout: float) -> tuple[Tree, Node]:
        """The only node that matches at all, and the tree with all windows; its errors are not waited out."""
        tree = self._look(timeout=timeout, internals=selector.uid is not None)
        found = selector.find(tree)
        if len(found) == 1:
            return tree, found[0]
        error = locate.ambiguous(tree, selector, found) if found else locate.Missing(tree, selector)
        error.details["final"] = True
        raise error

    def _raise_window_of(self, tree: Tree, node: Node) -> None:
        window = window_to_raise(tree.windows, tree.window_of(node).uid)
        if window is not None:
            # What cannot be raised may be reached all the same; if not, the click says what covers it.
            with suppress(DeskhandError):
                self._act(ops.ControlWindow(f"uid={window.uid}", timeout=0, do="focus"), None)

    def _stable(self, node: Node, timeout: float, deadline: Deadline) -> Node:
        """The node where it is scrolled into view and does not move; without time to wait, as it is."""
        if node.offscreen:
            self.adapter.perform(ops.Scroll(into_view=True), node.uid, None, timeout=timeout)
            node = self.adapter.read(node.uid, depth=0, internals=True, timeout=timeout).nodes[0]
        if deadline.timeout == 0:
            return node
        if self._seen is not None and time.monotonic() - self._seen[0] >= _FRAME:
            earlier = self._seen[1].get(node.uid)
            if earlier is not None and earlier.bounds == node.bounds:
                return node
        time.sleep(_FRAME)  # the one thing there is to wait for is the next frame itself
        again = self.adapter.read(node.uid, depth=0, internals=True, timeout=timeout).nodes[0]
        if again.bounds != node.bounds:
            raise NotStable(
                f"{node} is moving",
                last_seen={"bounds": again.bounds, "before": node.bounds},
                suggestions=("wait for the animation to end",),
            )
        return again

    def _receipt(self, before: Tree) -> ops.Difference:
        try:
            self._settle()
            after = self.adapter.read(timeout=self.ui_timeout)
        except AppGone:
            return observe.ended(before)
        view = ops.ReadTree()
        self._revisions.add(before, view)
        self._revisions.add(after, view)
        return observe.difference(before, after)

    def _settle(self) -> None:
        """Wait until the program is settled; if it never is, as with an animation, until it answers."""
        try:
            self.adapter.idle(timeout=_SETTLE)
        except UiBusy as busy:
            if not busy.details.get("restless"):
                # It is still busy with what it was asked to do.
                with suppress(UiBusy):
                    self.adapter.idle(timeout=self.ui_timeout)

    def _screenshot(self, operation: ops.Screenshot, cancel: Cancel | None) -> Image:
        if operation.desktop:
            return self._desktop(self._budget(operation.timeout))
        if operation.target is None:
            return self.adapter.screenshot(None, timeout=self._budget(operation.timeout))
        uid = self._ready(ops.Hover(), operation.target, Deadline(operation.timeout, cancel)).uid
        return self.adapter.screenshot(uid, timeout=self.ui_timeout)

    def _desktop(self, timeout: float) -> Image:
        image = self.adapter.desktop(timeout=timeout)
        if image.scale != 1:
            return image
        # Fallback: a program that hangs or has ended does not say how it enlarges its bounds.
        with suppress(DeskhandError):
            windows = self.adapter.read(depth=0, timeout=min(timeout, _SCALE_TIMEOUT)).windows
            return replace(image, scale=windows[0].scale if windows else 1.0)
        return image

    def _clipboard(self) -> Clipboard:
        found = abilities(self.adapter).clipboard
        if found is None:
            raise ActionUnsupported(f"{self.adapter.name} has no clipboard", target="clipboard")
        return found

    # -- what the program registered -----------------------------------------------------------

    def _open_files(self, operation: ops.OpenFiles) -> Done:
        paths = list(operation.paths)
        answer = self._call_hook("file_open", self.file_open, (paths,), LoadFailed)
        if answer is False:
            raise LoadFailed(f"the program could not open {', '.join(paths)}", paths=paths)
        return Done(result=_plain(answer))

    def _select_view(self, operation: ops.SelectView) -> Done:
        answer = self._call_hook("view_select", self.view_select, (operation.view,), ActionFailed)
        if answer is False:
            raise _no_view(operation.view)
        return Done(result=_plain(answer))

    def _viewport3d(self, operation: ops.Viewport3d) -> Image:
        arguments = (operation.index, operation.width, operation.height)
        answer = self._call_hook("viewport3d", self.viewport3d, arguments, ScreenshotFailed)
        return answer if isinstance(answer, Image) else _png(answer)

    def _call_hook(
        self,
        name: str,
        hook: Callable[..., object] | None,
        arguments: tuple[object, ...],
        failure: type[DeskhandError],
    ) -> object:
        """Call a function of the program on its GUI thread; what it raises becomes an error of ours."""
        if hook is None:
            raise ActionUnsupported(
                f"this program did not register {name}",
                suggestions=(f"call deskhand.register({name}=...) in it",),
            )

        def call() -> object:
            try:
                return hook(*arguments)
            except DeskhandError:
                raise
            except (LookupError, ValueError) as error:
                if failure is not ActionFailed:
                    raise failure(_told(error), target=name) from error
                wanted = arguments[0]
                # Looked up in a dict or a list, which say no more than that it is not there.
                if error.args in ((wanted,), (f"{wanted!r} is not in list",)):
                    raise _no_view(str(wanted)) from error
                raise NotFound(_told(error), target=name) from error
            except Exception as error:  # whatever a program's own function may raise
                raise failure(_told(error), target=name) from error

        return self.adapter.call(call, timeout=self.ui_timeout)


_OFFERS = ("file_open", "view_select", "viewport3d")
_PNG = b"\x89PNG\r\n\x1a\n"


def _told(error: Exception) -> str:
    """An exception of the program's own code in words: its arguments, or else its name."""
    text = str(error.args[0]) if len(error.args) == 1 else str(error)
    if isinstance(error, KeyError) and " " not in text:
        return f"KeyError: {text!r}"  # a key alone explains nothing
    return text or type(error).__name__


def _note(obstacles: list[tuple[float, str]], at: float, error: DeskhandError) -> None:
    """Append what an error says, unless it said so before; a few at most."""
    line = (error.message or type(error).__name__).partition("\n")[0]
    line = line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"
    if len(obstacles) < _OBSTACLES and line not in (known for _, known in obstacles):
        obstacles.append((round(at, 3), line))


def _no_view(view: str) -> NotFound:
    return NotFound(f"the program has no view '{view}'", target=view)


def _plain(value: object) -> Any:
    """What a program's own function answered, if it is plain data that can be passed on."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return value if isinstance(value, (str, int, float)) else None


def _png(data: object) -> Image:
    if not isinstance(data, (bytes, bytearray)) or data[:8] != _PNG or len(data) < 24:
        raise ScreenshotFailed(
            f"the function registered as viewport3d gave no PNG but {type(data).__name__}",
            suggestions=("let it return the bytes of a PNG",),
        )
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    return Image(bytes(data), width, height)


class _Unmet(NotReady):
    """A condition that does not hold yet."""

    kind = "unmet"

    def __init__(self, tree: Tree, verdict: wait.Verdict) -> None:
        super().__init__("not yet")
        self.tree = tree
        self.verdict = verdict


def _time_to_type(action: Action) -> float:
    """What a long text takes longer than other actions, in seconds."""
    return len(action.text) * _STROKE if isinstance(action, ops.TypeText) else 0.0


def _waited(error: DeskhandError, deadline: Deadline) -> DeskhandError:
    """The same error, saying how long it was waited for."""
    waited = f"{min(deadline.elapsed, deadline.timeout):.1f}"
    if waited != "0.0" and not isinstance(error, (_Unmet, UiBusy)):
        error.message = f"{error.message} (waited {waited} s)"
        error.args = (error.message,)
    return error
