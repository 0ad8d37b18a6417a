"""Records the operations of one app in a trace: what was wanted, what it was done to, and how it ended.

A state of the app (tree and screenshot) is taken before each operation that acts. What an operation led to is
the state before the next action, or a moment later if none follows: so one state serves both, and an app that
is still drawing has had time for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from ..model import operations as ops
from ..model.codec import encode, encode_operation
from ..model.errors import AppGone, DeskhandError, NotConnected, UiBusy
from ..model.node import MASK, Image, Node
from ..model.operations import Cancel, Operation, Runner
from ..model.selector import parse
from ..model.tree import Tree
from . import trees
from .capture import Camera
from .stack import Call, call
from .trace import Trace

R = TypeVar("R")

SETTLED = 0.1
"""How long after an operation its result is recorded, if no other operation begins before, in seconds."""
_TYPED: Mapping[type[Operation[Any]], str] = {ops.TypeText: "text", ops.SetValue: "value", ops.Key: "keys"}
"""The fields that may hold a password."""
_LISTED = 20
"""How many nodes of a result are recorded."""
_LONGEST = 4000
"""How many characters of a text are recorded, but for sources and outputs."""
_OVERLAP = 200


class Recorder:
    """Records one app. Thread-safe."""

    def __init__(
        self,
        trace: Trace,
        camera: Camera,
        *,
        name: str | None = None,
        output: Callable[[], Mapping[str, str]] | None = None,
        **about: Any,
    ) -> None:
        """`output` gives what the app has written so far, by stream; `about` is recorded with the app."""
        self.trace = trace
        self._store = trace.store
        self.app = self._store.next_app()
        self._camera = camera
        self._output = output
        self._written: dict[str, str] = {}
        self._lock = threading.RLock()
        self._state: int | None = None
        self._tree: Tree | None = None
        self._frame: int | None = None
        self._pending: list[Step] = []
        self._deaf = False
        """Whether the app did not answer the last time; then it is not asked for trees."""
        self._closing = self._closed = False
        self._wake = threading.Condition(self._lock)
        self._idle = False
        """Whether the thread that takes states later waits for something to do."""
        self._output_at = 0.0
        self._store.write("app", app=self.app, name=name, **about)
        trace.recorders.append(self)
        self._thread = threading.Thread(target=self._settle_later, name="deskhand-trace-states", daemon=True)
        self._thread.start()

    def call(self) -> Call:
        """Which line of the program this thread or task is in."""
        return call()

    def begin(self, operation: Operation[Any], by: Call | None = None, **about: Any) -> Step:
        """An operation is about to be run; `by` says which line called it, `about` what else is known."""
        with self._lock:
            taken = operation.acts and operation.ui and not self._closed
            if taken:
                self._settle()
            number, group = self._store.next_step()
            step = Step(self, number, operation)
            name, params = encode_operation(operation)
            typed = _TYPED.get(type(operation))
            if typed is not None and (secret := self._is_secret(operation)) is not False:
                # Where it is not known yet what a text is typed into, that is decided when it is known.
                step.doubtful = typed if secret is None else None
                if secret:
                    self._store.hide(str(getattr(operation, typed)))
                params[typed] = MASK
            target = self._meant(operation)
            self._store.write(
                "before",
                step=number,
                app=self.app,
                group=group,
                operation=name,
                acts=operation.acts,
                method=None if by is None else by.method,
                title=_title(operation, name, params, None if by is None else by.method),
                params=_shown_params(operation, params),
                stack=None if by is None else self._store.sources(by),
                state=self._state if taken else None,
                target=target,
                **about,
            )
            return step

    def close(self) -> None:
        """Record how it is now, and no more. Does nothing the second time."""
        with self._lock:
            if self._closed:
                return
            self._closing = True
            self._settle()
            self._closed = True
            self._wake.notify_all()
        self._thread.join()
        self._camera.close()
        self._store.write("app-end", app=self.app)
        with suppress(ValueError):
            self.trace.recorders.remove(self)

    # -- for steps ---------------------------------------------------------------------------------

    def ended(self, step: Step, result: Any, error: BaseException | None, *, settle: bool = True) -> None:
        """An operation has ended."""
        if isinstance(result, ops.Done) and result.uid is not None:
            node = None if self._tree is None else self._tree.get(result.uid)
            target = {"uid": result.uid} if node is None else trees.describe(node)
        else:
            target = None
        self._store.write(
            "after",
            step=step.number,
            target=target,
            result=None if error is not None else _shown(result, step.operation),
            receipt=_receipt(result),
            error=_failure(error),
        )
        with self._lock:
            if error is None:
                self._deaf = False
            self._decide(step, result)
            if not _shows(step.operation) and error is None:
                return
            step.ended = time.monotonic()
            self._pending.append(step)
            if error is not None and settle:
                # What a failure looked like must not be lost by what follows.
                self._settle()
                self._store.flush()
            elif self._idle:
                self._wake.notify_all()

    # -- states ------------------------------------------------------------------------------------

    def _settle_later(self) -> None:
        with self._lock:
            while not self._closed:
                if not self._pending:
                    self._idle = True
                    self._wake.wait()
                    self._idle = False
                elif (left := self._pending[0].ended + SETTLED - time.monotonic()) > 0:
                    self._wake.wait(left)
                else:
                    self._settle()
                    self._store.flush()

    def _settle(self) -> None:
        """Take a state; it is what the operations that have ended led to."""
        pending, self._pending = self._pending, []
        if self._closed:
            return
        self._take()
        for step in pending:
            self._store.write("settled", now=False, step=step.number, state=self._state)
        self._take_output()

    def _take(self) -> None:
        if self._store.full:
            self._state = None
            return
        tree, difference, unread = None, None, None
        if not self._deaf:
            try:
                tree, difference = self._camera.tree(self._tree)
            except UiBusy as busy:
                self._deaf, unread = True, busy.message
            except (AppGone, NotConnected) as gone:
                self._deaf, unread = True, gone.message
            except DeskhandError as error:
                unread = error.message
        else:
            unread = "the app did not answer"
        shot = self._camera.shot(tree)
        frame = None if shot is None else self.trace.frames.add(self.app, shot)
        described: dict[str, Any] | None = None
        if tree is not None:
            described = self._described(tree, difference)
            if described == {} and frame == self._frame and self._state is not None:
                return  # nothing changed: it is the same state
        self._state, self._frame = self._store.next_state(), frame
        self._store.write(
            "state",
            now=False,
            app=self.app,
            state=self._state,
            frame=frame,
            tree=described,
            unread=unread,
        )
        if tree is not None:
            self._tree = tree

    def _described(self, tree: Tree, difference: ops.Difference | None) -> dict[str, Any]:
        if self._tree is None:
            return trees.whole(tree)
        if difference is None:
            return trees.difference(self._tree, tree)
        return trees.known_difference(self._tree, tree, difference)

    def _take_output(self) -> None:
        if self._output is None or (time.monotonic() < self._output_at + SETTLED and not self._closing):
            return
        self._output_at = time.monotonic()
        with suppress(DeskhandError, OSError, ValueError):
            for stream, text in self._output().items():
                new = _continued(self._written.get(stream, ""), text)
                self._written[stream] = text
                if new:
                    self._store.write("output", now=False, app=self.app, stream=stream, text=new)

    # -- targets and passwords ----------------------------------------------------------------------

    def _meant(self, operation: Operation[Any]) -> dict[str, Any] | None:
        """What the selector of an operation matches in the newest tree."""
        target = getattr(operation, "target", None)
        if target is None or self._tree is None:
            return None
        found = _found(self._tree, target)
        if found is None:
            return None
        shown = [node for node in found if node.visible] or found
        told: dict[str, Any] = {"selector": target, "matches": len(found)}
        if len(shown) == 1:
            told |= trees.describe(shown[0])
        return told

    def _is_secret(self, operation: Operation[Any], uid: str | None = None) -> bool | None:
        """Whether what is typed goes into a password field; None if that is not known."""
        if self._tree is None:
            return None
        target = getattr(operation, "target", None)
        if uid is not None or target is None:
            node = self._tree.get(uid or self._tree.focused)
            return None if node is None else node.password
        found = _found(self._tree, target)
        return any(node.password for node in found) if found else None

    def _decide(self, step: Step, result: Any) -> None:
        """Record what was typed after all, or leave it out everywhere."""
        typed, step.doubtful = step.doubtful, None
        if typed is None:
            return
        self._settle()
        text = str(getattr(step.operation, typed))
        if self._is_secret(step.operation, getattr(result, "uid", None)) is False:
            self._store.write("params", step=step.number, params={typed: _bounded(text)})
        else:
            self._store.hide(text)


class Step:
    """An operation that runs."""

    def __init__(self, recorder: Recorder, number: int, operation: Operation[Any]) -> None:
        self.number = number
        self.operation = operation
        self.ended = 0.0
        self.doubtful: str | None = None
        """The field of the operation that may hold a password."""
        self._recorder = recorder

    def done(self, result: Any) -> None:
        """It succeeded."""
        self._recorder.ended(self, result, None)

    def failed(self, error: BaseException) -> None:
        """It did not; what the app looks like now is recorded at once."""
        self._recorder.ended(self, None, error)

    def cancelled(self, error: BaseException) -> None:
        """Its caller was cancelled or interrupted, and does not wait."""
        self._recorder.ended(self, None, error, settle=False)


class Traced:
    """Runs the operations of one runner, and records them. A Runner."""

    def __init__(
        self, runner: Runner, recorder: Recorder, about: Callable[[], Mapping[str, Any]] = dict
    ) -> None:
        """`about` gives what else is recorded of each operation, such as which client it is for."""
        self._runner = runner
        self._recorder = recorder
        self._about = about

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation."""
        step = self._recorder.begin(operation, **self._about())
        try:
            result = self._runner.run(operation, cancel)
        except BaseException as error:
            step.failed(error)
            raise
        step.done(result)
        return result

    def close(self) -> None:
        """Let go of the app."""
        self._recorder.close()
        self._runner.close()


# -- what is shown -------------------------------------------------------------------------------------


def _shows(operation: Operation[Any]) -> bool:
    """Whether the app may look different after it: it acts, or waits for something."""
    return (operation.acts and operation.ui) or isinstance(operation, (ops.Wait, ops.WaitIdle))


def _found(tree: Tree, target: str) -> list[Node] | None:
    try:
        return list(parse(target).find(tree))
    except DeskhandError:
        return None


def _title(operation: Operation[Any], name: str, params: Mapping[str, Any], method: str | None) -> str:
    """An operation in one line."""
    verb = name if method is None else method.rpartition(".")[2]
    words = [verb.replace("_", " ")]
    if (target := params.get("target")) is not None:
        words.append(_short(str(target), 80))
    if isinstance(operation, ops.Wait) and verb == name:
        words.append(("not " if operation.negate else "") + operation.state)
    for field in ("text", "value", "keys", "index", "count", "view", "do"):
        value = params.get(field)
        if value is not None and not (field == "count" and not isinstance(operation, ops.Wait)):
            words.append(f'"{_short(value, 60)}"' if isinstance(value, str) else str(value))
    return " ".join(words)


def _shown_params(operation: Operation[Any], params: dict[str, Any]) -> dict[str, Any]:
    params.pop("sure", None)
    if isinstance(operation, ops.Execute):
        # Its arguments may be secrets: as in the audit log, only the program is recorded.
        params["command"] = " ".join([*operation.command.split(maxsplit=1)[:1], "…"])
    if isinstance(operation, ops.Upload):
        params["content"] = f"{len(operation.content)} bytes"
    return {name: _bounded(value) for name, value in params.items()}


def _shown(result: Any, operation: Operation[Any]) -> Any:
    if isinstance(result, Image):
        return {"width": result.width, "height": result.height}
    if isinstance(result, bytes):
        return {"bytes": len(result)}
    if isinstance(result, ops.Snapshot):
        size = None if result.tree is None else len(result.tree)
        return {"revision": result.revision, **({} if size is None else {"nodes": size})}
    if isinstance(result, ops.Done):
        return _bounded(encode(replace(result, receipt=None)))
    if isinstance(operation, ops.GetClipboard):
        return {"characters": len(str(result))}
    if isinstance(result, tuple):
        shown = [_label(part) for part in result[:_LISTED]]
        return {"count": len(result), "first": shown}
    if isinstance(result, Node):
        return {"uid": result.uid, "label": str(result)}
    if isinstance(result, ops.Waited):
        return {
            "elapsed": round(result.elapsed, 4),
            **({} if result.count is None else {"count": result.count}),
            **({} if result.node is None else {"uid": result.node.uid, "label": str(result.node)}),
        }
    return _bounded(encode(result))


def _label(part: Any) -> Any:
    return {"uid": part.uid, "label": str(part)} if isinstance(part, Node) else _bounded(encode(part))


def _receipt(result: Any) -> Any:
    receipt = getattr(result, "receipt", None)
    if receipt is None:
        return None
    return _bounded(
        {
            "changed": [change.what for change in receipt.changed[:_LISTED]],
            "added": [str(node) for node in receipt.added[:_LISTED]],
            "removed": [change.what for change in receipt.removed[:_LISTED]],
            "windows_opened": [window.title for window in receipt.windows_opened],
            "windows_closed": list(receipt.windows_closed),
            **({} if receipt.exit is None else {"exit": str(receipt.exit)}),
        }
    )


def _failure(error: BaseException | None) -> dict[str, Any] | None:
    if error is None:
        return None
    if isinstance(error, DeskhandError):
        told: dict[str, Any] = _bounded(encode(error.to_json()))
        return told
    return {"kind": type(error).__name__, "message": _short(str(error), _LONGEST)}


def _bounded(value: Any) -> Any:
    if isinstance(value, str):
        return _short(value, _LONGEST)
    if isinstance(value, dict):
        return {name: _bounded(part) for name, part in list(value.items())[:100]}
    if isinstance(value, (list, tuple)):
        return [_bounded(part) for part in value[:100]]
    return value


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _continued(before: str, now: str) -> str:
    """What was written since: only the end of an output is known."""
    if now.startswith("… ("):
        now = now.partition("\n")[2]
    if before.startswith("… ("):
        before = before.partition("\n")[2]
    if now.startswith(before):
        return now[len(before) :]
    end = before[-_OVERLAP:]
    at = now.rfind(end)
    return now if at < 0 else now[at + len(end) :]
