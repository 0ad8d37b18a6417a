"""The Orca contract for a runner: its server, and the events that listeners get.

The program is watched only while a client listens: by a thread that waits for changes, and hands what the
protocol reports of them to the feed of each listener.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from ..engine.compound import Composer
from ..model import operations as ops
from ..model.errors import Cancelled, ConnectFailed, DeskhandError, Disabled, NotConnected, UiBusy
from ..model.operations import Runner
from ..protocols.orca import events
from ..protocols.orca.events import Event, Reporter
from ..protocols.orca.server import OrcaServer
from ..protocols.wirelog import WireLog

HELD = 1000
"""How many messages wait for a slow reader; what comes beyond is counted."""
HELD_SIZE = 4 * 1024 * 1024
"""How long these may be together, in characters."""
MAX_FEEDS = 64
_CYCLE = 3.0
"""How long a change is waited for before everything is read again, announced or not, in seconds."""
_OFTEN = 0.1
"""How often to read a program that does not announce its changes, in seconds."""
_SILENT = frozenset(("gip", "agent", "orca"))
"""Toolkits that represent a server of another project, which announces nothing."""
_FRAME = 0.02
_EASE = 2
"""How long a program that changes all the time is left alone after a read, as a multiple of its duration."""
_PAUSE = 0.5
"""How long a program that is switched off is left alone, in seconds."""


def orca_server(runner: Runner, log: WireLog | None = None) -> OrcaServer:
    """A server of the contract."""
    return OrcaServer(Composer(runner), log=log)


class Feed:
    """One listener's messages. `wake` is called, from any thread, when there is something to take."""

    def __init__(self, kinds: frozenset[str], wake: Callable[[], None]) -> None:
        self.ended: str | None = None
        """Why no more will come; None while more may."""
        self._kinds = kinds
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
            self.put(events.ready())

    def put(self, event: Event) -> None:
        """Add a message, if it is wanted; only count it if the listener reads too slowly."""
        if not event.is_wanted(self._kinds):
            return
        with self._lock:
            self._number += 1
            if len(self._held) >= HELD or self._size + len(event.body) > HELD_SIZE:
                self._dropped += 1
            else:
                self._held.append(event.numbered(self._number))
                self._size += len(event.body)
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
                taken.append(events.dropped(self._dropped).numbered(self._number))
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
        try:
            feed = Feed(events.wanted_kinds(wanted), wake)
        except ValueError as error:
            return str(error)
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

    def _publish(self, watch: _Watch, event: Event) -> None:
        with self._lock:
            feeds = list(self._feeds) if self._watch is watch else []
        for feed in feeds:
            feed.put(event)

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
        begun: Callable[[_Watch], None],
        publish: Callable[[_Watch, Event], None],
        end: Callable[[_Watch, str], None],
    ) -> None:
        self.cancel = threading.Event()
        self.ready = False
        """Whether the initial state is known, so that changes can be reported."""
        self.trouble: Event | None = None
        """The message that says why the program cannot be read now, if that is so."""
        self._runner = runner
        self._begun = begun
        self._publish = publish
        self._end = end
        self._reporter = Reporter()
        self._revision = 0
        self._poll = _CYCLE
        self._cost = 0.0
        """How long a read takes, in seconds."""
        threading.Thread(target=self._run, name="orca-events", daemon=True).start()

    def _run(self) -> None:
        import logging  # which takes some milliseconds, and is needed only with a listener

        handler = _handler(lambda event: self._publish(self, event))
        logging.getLogger().addHandler(handler)
        reason = "the server cannot watch the program any more"
        try:
            while not self.cancel.is_set():
                self._read_or_say_why_not()
        except (NotConnected, ConnectFailed) as error:
            self._publish(self, events.failed("app.gone", error))
            reason = "the program is gone"
        except Cancelled:
            pass  # the last listener left
        except Exception:
            logging.getLogger("deskhand").exception("the watching of a program for Orca's events failed")
        finally:
            logging.getLogger().removeHandler(handler)
            if not self.cancel.is_set():
                self._end(self, reason)

    def _read_or_say_why_not(self) -> None:
        try:
            self._read()
        except UiBusy as error:
            self._report_trouble("app.busy", error)
        except Disabled as error:
            self._report_trouble("app.disabled", error)
            self.cancel.wait(_PAUSE)
        else:
            self.trouble = None

    def _report_trouble(self, name: str, error: DeskhandError) -> None:
        """Report, once, that the program cannot be read."""
        if self.trouble is None:
            self.trouble = events.failed(name, error)
            self._publish(self, self.trouble)

    def _read(self) -> None:
        began = time.monotonic()
        if self.ready:
            change = ops.WaitChange(self._revision, whole=True, timeout=_CYCLE, poll=self._poll)
            snapshot = self._runner.run(change, self.cancel)
        else:
            snapshot = self._runner.run(ops.ReadTree(), self.cancel)
            self._cost = time.monotonic() - began
            if self._runner.run(ops.GetAppInfo(), self.cancel).toolkit in _SILENT:
                self._poll = _OFTEN
        took = time.monotonic() - began
        if snapshot.tree is not None:
            self._revision = snapshot.revision
            self._report(self._reporter.tree(snapshot.tree))
        self._report(self._reporter.state(self._runner.run(ops.GetAppState(), self.cancel)))
        if not self.ready:
            self._begun(self)
        rest = max(self._cost * _EASE, _FRAME)
        if took < rest:
            self.cancel.wait(rest)

    def _report(self, found: Iterable[Event]) -> None:
        """Report what was found, but for what led to the initial state."""
        for event in found:
            if self.ready:
                self._publish(self, event)


def _handler(report: Callable[[Event], None]) -> Any:
    import logging

    class Handler(logging.Handler):
        """Reports what the program, or the process that serves it, logs."""

        def emit(self, record: logging.LogRecord) -> None:
            try:
                message = record.getMessage()
            except Exception:  # noqa: BLE001 - a program's own wrong format string must not end it
                message = str(record.msg)
            report(events.logged(record.levelname, record.name, message))

    return Handler()
