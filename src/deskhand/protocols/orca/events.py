"""What happens in a program, reported to listeners: Orca's future work, as a feed of JSON messages. No I/O.

The program is watched only while a client listens: by a thread that waits for changes and compares
what the protocol can tell of the tree with what it told before.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from ... import __version__
from ...model import operations as ops
from ...model.errors import (
    Cancelled,
    ConnectFailed,
    DeskhandError,
    Disabled,
    NotConnected,
    UiBusy,
)
from ...model.operations import Runner
from ...model.tree import Tree
from ..jsontext import dumps
from .server import VERSION, state_of, view_of
from .tree import Document, flat

KINDS = ("node", "window", "app", "log")
"""What can be listened to: the first word of the events' names."""
HELD = 1000
"""How many messages wait for a slow reader; what comes beyond is counted."""
HELD_SIZE = 4 * 1024 * 1024
"""How long these may be together, in characters."""
MAX_FEEDS = 64
_CYCLE = 3.0
"""How long a change is waited for before all is looked at again, announced or not, in seconds."""
_OFTEN = 0.1
"""How often to read a program that does not announce its changes, in seconds."""
_SILENT = frozenset(("gip", "agent", "orca"))
"""Toolkits that stand for a server of another make, which announces nothing."""
_FRAME = 0.02
_EASE = 2
"""How long a program that changes all the time is left alone after a read, as a multiple of its duration."""
_PAUSE = 0.5
_LONGEST = 2000
"""How much of a log message is reported."""


class Feed:
    """One listener's messages. `wake` is called, from any thread, when there is something to take."""

    def __init__(self, wanted: frozenset[str], wake: Callable[[], None]) -> None:
        self.ended: str | None = None
        """Why no more will come; None while more may."""
        self._wanted = wanted
        self._wake = wake
        self._lock = threading.Lock()
        self._held: list[str] = []
        self._size = 0
        self._number = 0
        self._dropped = 0
        self._begun = False

    def begin(self) -> None:
        """Say, once, that changes are reported from now on."""
        with self._lock:
            begun, self._begun = self._begun, True
        if not begun:
            self.put(_event("ready", version=VERSION, server=f"deskhand {__version__}"))

    def wants(self, event: str) -> bool:
        """Whether this listener gets an event."""
        kind = event.partition(".")[0]
        return kind not in KINDS or not self._wanted or kind in self._wanted

    def put(self, body: str) -> None:
        """Add a message, a JSON object; only count it if the listener reads too slowly."""
        with self._lock:
            self._number += 1
            if len(self._held) >= HELD or self._size + len(body) > HELD_SIZE:
                self._dropped += 1
            else:
                self._held.append(f'{{"seq":{self._number},{body[1:]}')
                self._size += len(body)
        self._wake()

    def end(self, reason: str) -> None:
        """There will be no more."""
        self.ended = reason
        self._wake()

    def take(self) -> list[str]:
        """The messages that wait; the last of them says how many there was no room for."""
        with self._lock:
            taken, self._held, self._size = self._held, [], 0
            if self._dropped:
                body = _event("dropped", count=self._dropped)
                taken.append(f'{{"seq":{self._number},{body[1:]}')
                self._dropped = 0
        return taken


class OrcaEvents:
    """The feeds of one runner."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._lock = threading.Lock()
        self._feeds: list[Feed] = []
        self._watch: _Watch | None = None

    def join(self, wanted: str, wake: Callable[[], None]) -> Feed | str:
        """A feed of what is wanted, some of KINDS with commas between them, or nothing for all of them.

        The reason in words if there can be none.
        """
        kinds = frozenset(filter(None, (kind.strip() for kind in wanted.split(","))))
        if unknown := sorted(kinds - set(KINDS)):
            return f"no events '{unknown[0][:40]}'; there are {', '.join(KINDS)}"
        feed = Feed(kinds, wake)
        with self._lock:
            if len(self._feeds) >= MAX_FEEDS:
                return f"{MAX_FEEDS} clients listen already"
            self._feeds.append(feed)
            if self._watch is None:
                self._watch = _Watch(self._runner, self._begin, self._publish, self._end)
            elif self._watch.ready:
                feed.begin()
            elif self._watch.trouble is not None:
                feed.put(self._watch.trouble)
        return feed

    def leave(self, feed: Feed) -> None:
        """The listener is gone; with the last one the watching ends."""
        with self._lock:
            if feed in self._feeds:
                self._feeds.remove(feed)
            if not self._feeds and self._watch is not None:
                self._watch.cancel.set()
                self._watch = None

    def _publish(self, watch: _Watch, event: str, body: str) -> None:
        with self._lock:
            feeds = list(self._feeds) if self._watch is watch else []
        for feed in feeds:
            if feed.wants(event):
                feed.put(body)

    def _begin(self, watch: _Watch) -> None:
        with self._lock:
            watch.ready = True
            feeds = list(self._feeds) if self._watch is watch else []
        for feed in feeds:
            feed.begin()

    def _end(self, watch: _Watch, reason: str) -> None:
        with self._lock:
            if self._watch is not watch:
                return
            feeds, self._feeds, self._watch = self._feeds, [], None
        for feed in feeds:
            feed.end(reason)


class _Watch:
    """Watches the program, in a thread, until it is cancelled or the program is gone."""

    def __init__(
        self,
        runner: Runner,
        begin: Callable[[_Watch], None],
        publish: Callable[[_Watch, str, str], None],
        end: Callable[[_Watch, str], None],
    ) -> None:
        self.cancel = threading.Event()
        self.ready = False
        """Whether the initial state is known, so that changes can be reported."""
        self.trouble: str | None = None
        """The message that tells why the program cannot be looked at now, if that is so."""
        self._runner = runner
        self._begin = begin
        self._publish = publish
        self._end = end
        self._seen = _Seen(None)
        self._revision = 0
        self._view = ""
        self._poll = _CYCLE
        self._cost = 0.0
        """How long a read takes, in seconds."""
        self._state: Mapping[str, Any] | None = None
        threading.Thread(target=self._run, name="orca-events", daemon=True).start()

    def _run(self) -> None:
        import logging  # which takes some milliseconds, and is needed only with a listener

        handler = _handler(self._tell)
        logging.getLogger().addHandler(handler)
        reason = "the server cannot watch the program any more"
        try:
            while not self.cancel.is_set():
                self._look_or_say_why_not()
        except (NotConnected, ConnectFailed) as error:
            self._tell("app.gone", message=error.message)
            reason = "the program is gone"
        except Cancelled:
            pass  # the last listener left
        except Exception:
            logging.getLogger("deskhand").exception("the watching of a program for Orca's events failed")
        finally:
            logging.getLogger().removeHandler(handler)
            if not self.cancel.is_set():
                self._end(self, reason)

    def _look_or_say_why_not(self) -> None:
        try:
            self._look()
        except UiBusy as error:
            self._trouble_with("app.busy", error)
        except Disabled as error:
            self._trouble_with("app.disabled", error)
            self.cancel.wait(_PAUSE)
        else:
            self.trouble = None

    def _trouble_with(self, event: str, error: DeskhandError) -> None:
        """Tell that the program cannot be looked at, once."""
        if self.trouble is None:
            self.trouble = _event(event, message=error.message)
            self._publish(self, event, self.trouble)

    def _look(self) -> None:
        began = time.monotonic()
        if self.ready:
            wanted = ops.WaitChange(self._revision, whole=True, timeout=_CYCLE, poll=self._poll)
            snapshot = self._runner.run(wanted, self.cancel)
        else:
            snapshot = self._runner.run(ops.ReadTree(), self.cancel)
            self._cost = time.monotonic() - began
            if self._runner.run(ops.GetAppInfo(), self.cancel).toolkit in _SILENT:
                self._poll = _OFTEN
        took = time.monotonic() - began
        if snapshot.tree is not None:
            seen = _Seen(snapshot.tree)
            if self.ready:
                for event, fields in seen.since(self._seen):
                    self._tell(event, **fields)
            self._seen, self._revision = seen, snapshot.revision
            self._view = view_of(snapshot.tree)
        state = state_of(self._runner.run(ops.GetAppState(), self.cancel), self._view)
        if not self.ready:
            self._begin(self)
        elif state != self._state:
            self._tell("app.state", state=state)
        self._state = state
        rest = max(self._cost * _EASE, _FRAME)
        if took < rest:
            self.cancel.wait(rest)

    def _tell(self, event: str, **fields: Any) -> None:
        self._publish(self, event, _event(event, **fields))


class _Seen:
    """What the protocol can tell of a tree, to be compared."""

    def __init__(self, tree: Tree | None) -> None:
        document = None if tree is None else Document(tree)
        items = [] if document is None else [*document.items, *document.imgui]
        self.nodes = {item.node.uid: flat((item,))[1:-1] for item in items}
        """By uid, the node as JSON text."""
        self.windows = [] if tree is None else [window.uid for window in tree.windows]

    def since(self, before: _Seen) -> list[tuple[str, dict[str, Any]]]:
        """The events that lead from an earlier look to this one."""
        events: list[tuple[str, dict[str, Any]]] = []
        for uid in before.windows:
            if uid not in self.windows and uid in before.nodes:
                events.append(("window.closed", {"node": json.loads(before.nodes[uid])}))
        for uid, text in before.nodes.items():
            if uid not in self.nodes:
                events.append(("node.removed", {"node": json.loads(text)}))
        for uid, text in self.nodes.items():
            was = before.nodes.get(uid)
            if was is None:
                events.append(("node.added", {"node": json.loads(text)}))
            elif was != text:
                events.append(("node.changed", _changed(json.loads(was), json.loads(text))))
        for uid in self.windows:
            if uid not in before.windows and uid in self.nodes:
                events.append(("window.opened", {"node": json.loads(self.nodes[uid])}))
        return events


def _changed(was: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in {**now, **was} if was.get(name) != now.get(name)]
    return {"node": now, "changed": names, "before": {name: was[name] for name in names if name in was}}


def _event(event: str, **fields: Any) -> str:
    return dumps({"event": event, "time": round(time.time(), 3), **fields}).decode()


def _handler(tell: Callable[..., None]) -> Any:
    import logging

    class Handler(logging.Handler):
        """Reports what the program, or the process that serves it, logs."""

        def emit(self, record: logging.LogRecord) -> None:
            try:
                message = record.getMessage()[:_LONGEST]
            except Exception:  # noqa: BLE001 - a program's own wrong format string must not end it
                message = str(record.msg)[:_LONGEST]
            tell("log", level=record.levelname.lower(), logger=record.name, message=message)

    return Handler()
