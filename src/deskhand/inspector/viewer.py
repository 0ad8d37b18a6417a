"""One page that is open: what it is sent, and what it wants. Messages are JSON; a screenshot is bytes.

What the page does to the app goes through a runner like that of any client, one action after the other.
"""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from .. import __version__
from ..background import Worker
from ..images.png import to_png
from ..model import operations as ops
from ..model.codec import decode_operation, encode
from ..model.errors import DeskhandError, InvalidParams, NotFound, Refused
from ..model.node import Node
from ..model.operations import Action, Runner
from ..model.selector import Selector, by_uid, near
from ..model.tree import Tree
from ..tracing import trees
from ..tracing.frames import Part, Shot, changed_parts
from . import turns
from .expressions import selector
from .inspection import Inspection
from .page_recording import PageRecording
from .suggest import suggestions

_LISTED = 500
"""How many matches are sent; their number is always complete."""
_NEAR = 3
_OPERATIONS = (
    "click", "drag", "mouse_down", "mouse_up", "scroll", "key", "type_text", "control_window",
)  # fmt: skip
"""What a page may do, once it is switched on."""


_LATER = ("act", "record", "expect")
"""What may take long, and is done one after the other."""


class Viewer:
    """A page, until `close`."""

    def __init__(self, inspection: Inspection, runner: Runner, wake: Callable[[], None]) -> None:
        """`runner` is what the page acts by; `wake` says that there is something to take."""
        self.ended: str | None = None
        self._inspection = inspection
        self._runner = runner
        self._wake = wake
        self._lock = threading.Lock()
        self._replies: list[str] = []
        self._actions = Worker("inspector-page")
        self._gone = threading.Event()
        self._operating = False
        self._work: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "try": self._try,
            "describe": self._describe,
            "operate": self._operate,
            "act": self._act,
            "take-over": self._take_over,
            "answer": self._reply_to,
            "record": self._record,
            "expect": self._expect,
        }
        self._sent: dict[str, Any] = {}
        """What the page knows: the newest message of each kind that says how something is."""
        self._tree: Tree | None = None
        self._shot: Shot | None = None
        self._console = 0
        self._tries: str | None = None
        """What is in the field for selectors, whose matches are found again when the tree changes."""
        self._matched: Tree | None = None
        inspection.join(self, wake)

    def close(self) -> None:
        """The page was closed."""
        self._gone.set()
        self._inspection.leave(self)
        self._actions.close(0)

    # -- what it is sent -------------------------------------------------------------------------

    def take(self) -> list[str | bytes]:
        """What differs from what the page knows."""
        with self._lock:
            messages: list[str | bytes] = [*self._replies]
            self._replies.clear()
        messages += self._states()
        live = self._inspection.live
        tree = live.tree
        if tree is not self._tree:
            messages += self._tree_messages(tree)
        if self._tries is not None and self._matched is not tree:
            messages.append(self._matches(tree))
        shot = live.shot
        if shot is not self._shot:
            messages += self._shot_messages(shot)
        self._console, entries = self._inspection.console.since(self._console)
        if entries:
            messages.append(_message("console", entries=[entry.told() for entry in entries]))
        return messages

    def _states(self) -> list[str]:
        """The small things that are sent as a whole whenever they differ."""
        inspection = self._inspection
        holder = inspection.turn.holder
        recording = inspection.recording
        states: dict[str, dict[str, Any]] = {
            "about": {"name": inspection.name, "version": __version__},
            "trouble": {"text": inspection.live.trouble},
            "turn": {"taken": holder is not None, "mine": holder is self, "waiting": inspection.turn.waiting},
            "operating": {"on": self._operating},
            "questions": {
                "questions": [
                    {"number": each.number, "text": each.text, "until": each.until}
                    for each in inspection.questions.open
                ]
            },
            "recording": {
                "there": recording is not None,
                "active": recording is not None and recording.active,
                "code": {} if recording is None else dict(recording.code),
            },
        }
        new = {kind: state for kind, state in states.items() if self._sent.get(kind) != state}
        self._sent.update(new)
        return [_message(kind, **state) for kind, state in new.items()]

    def _tree_messages(self, tree: Tree | None) -> list[str | bytes]:
        before, self._tree = self._tree, tree
        if tree is None:
            return [_message("tree", tree=None)]
        change = trees.whole(tree) if before is None else trees.difference(before, tree)
        return [_message("tree", tree=change, revision=tree.revision)]

    def _shot_messages(self, shot: Shot | None) -> list[str | bytes]:
        before, self._shot = self._shot, shot
        if shot is None:
            return [_message("screen")]
        parts: list[Part] = [(0, 0, shot.width, shot.height)]
        if shot.pixels is None:
            images = [shot.png or b""]
        else:
            if before is not None and before.pixels is not None and before.frame == shot.frame:
                assert isinstance(before.pixels, bytearray)
                parts = changed_parts(before.pixels, shot.pixels, shot.width, shot.height)
            images = [to_png(part[2], part[3], _cut(shot, part)) for part in parts]
        header = {
            "width": shot.width,
            "height": shot.height,
            "x": shot.x,
            "y": shot.y,
            "scale": shot.scale,
            "parts": [[*part, len(image)] for part, image in zip(parts, images, strict=True)],
        }
        head = json.dumps(header).encode()
        return [struct.pack(">I", len(head)) + head + b"".join(images)]

    # -- what it wants ---------------------------------------------------------------------------

    def handle(self, message: str) -> None:
        """Do what the page wants. What acts is done later, so that a page that waits can still be used."""
        try:
            wanted = json.loads(message)
            do, number = wanted["do"], wanted.get("id")
            work = self._work[do]
        except (ValueError, TypeError, KeyError, RecursionError):
            self._say(_message("failed", message="the page sent what is not understood here"))
            return
        if do in _LATER:
            self._actions.begin(lambda: self._answer(number, work, wanted))
        else:
            self._answer(number, work, wanted)

    def _answer(
        self, number: Any, work: Callable[[Mapping[str, Any]], Any], wanted: Mapping[str, Any]
    ) -> None:
        try:
            result = work(wanted)
        except DeskhandError as error:
            told = {"message": error.message, "kind": error.kind, "suggestions": list(error.suggestions)}
            self._say(_message("reply", id=number, error=told))
        except (KeyError, TypeError, ValueError) as error:
            self._say(_message("reply", id=number, error={"message": f"wrong request: {error!r}"}))
        else:
            self._say(_message("reply", id=number, result=result))

    def _say(self, message: str) -> None:
        with self._lock:
            self._replies.append(message)
        self._wake()

    def _try(self, wanted: Mapping[str, Any]) -> None:
        """Find what a selector, or a line of Python, matches: now, and whenever the tree has changed."""
        text = str(wanted["text"]).strip()
        self._tries = text or None
        self._matched = None

    def _matches(self, tree: Tree | None) -> str:
        text, self._matched = self._tries or "", tree
        told: dict[str, Any] = {"text": text, "count": 0, "uids": []}
        try:
            found, meant = self._find(text, tree)
            told |= {
                "count": len(found),
                "uids": [node.uid for node in found[:_LISTED]],
                "selector": str(meant),
            }
            if not found and tree is not None:
                told["near"] = [str(node) for node in near(meant, tree, _NEAR).nodes]
        except DeskhandError as error:
            told |= {"error": error.message, "suggestions": list(error.suggestions)}
        return _message("matches", **told)

    def _find(self, text: str, tree: Tree | None) -> tuple[list[Node], Selector]:
        meant = selector(text)
        if tree is None:
            return [], meant
        if meant.uses_properties:
            # The tree is read without native properties, which take long.
            return list(self._inspection.runner.run(ops.Find(str(meant), limit=_LISTED), self._gone)), meant
        return meant.find(tree), meant

    def _describe(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """All that is known of a node, and selectors for it."""
        uid, tree = str(wanted["uid"]), self._inspection.live.tree
        node = None if tree is None else tree.get(uid)
        if tree is None or node is None:
            raise NotFound("this element is gone", target=by_uid(uid))
        with suppress(DeskhandError):  # an app that is busy still has what was read before
            node = self._inspection.runner.run(ops.Get(by_uid(uid)), self._gone)
        told = encode(node)
        return {"uid": uid, "node": told, "selectors": suggestions(tree, tree.by_uid[uid])}

    def _operate(self, wanted: Mapping[str, Any]) -> None:
        self._operating = wanted["on"] is True

    def _act(self, wanted: Mapping[str, Any]) -> None:
        """Do something to the app, as its user would."""
        if not self._operating:
            raise Refused("this page does not operate the app", suggestions=("switch Operate on",))
        name, params = wanted["operation"], wanted["params"]
        if name not in _OPERATIONS or not isinstance(params, dict):
            raise InvalidParams(f"a page cannot do '{str(name)[:60]}'", field="operation")
        operation = decode_operation(name, params)
        assert isinstance(operation, Action)
        before = turns.person.set(self)
        try:
            self._runner.run(operation, self._gone)
        finally:
            turns.person.reset(before)

    def _take_over(self, wanted: Mapping[str, Any]) -> None:
        if wanted["on"] is not True:
            self._inspection.turn.give_back(self)
        elif not self._inspection.turn.take(self):
            raise Refused("another page has taken over", suggestions=("hand back there first",))

    def _reply_to(self, wanted: Mapping[str, Any]) -> None:
        """Answer a question of the policy."""
        if not self._inspection.questions.answer(int(wanted["number"]), wanted["yes"] is True):
            raise NotFound("this question is not open any more")

    def _record(self, wanted: Mapping[str, Any]) -> None:
        recording = self._recording()
        if wanted["on"] is True:
            recording.start()
        else:
            recording.stop()
        self._inspection.changed()

    def _expect(self, wanted: Mapping[str, Any]) -> None:
        """Add to the recorded code what is expected of an element."""
        kind, uid = str(wanted["kind"]), wanted["uid"]
        self._recording().expect(kind, None if uid is None else by_uid(str(uid)))

    def _recording(self) -> PageRecording:
        recording = self._inspection.recording
        if recording is None:
            raise Refused("what is done to this app cannot be recorded here")
        return recording


def _message(kind: str, **content: Any) -> str:
    return json.dumps({"type": kind, **content}, ensure_ascii=False)


def _cut(shot: Shot, part: Part) -> bytes:
    """The pixels of a part."""
    left, top, width, height = part
    pixels = shot.pixels
    assert pixels is not None
    if (left, width) == (0, shot.width):
        return bytes(pixels[top * width * 4 : (top + height) * width * 4])
    rows = range(top, top + height)
    starts = ((row * shot.width + left) * 4 for row in rows)
    return b"".join(bytes(pixels[start : start + width * 4]) for start in starts)
