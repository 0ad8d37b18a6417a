"""What happens in a program, as messages for listeners: Orca's future work, as a feed of JSON. No I/O.

Compares what the protocol reports of one tree, and of one state, with what it reported of the last.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ... import __version__
from ...model.errors import DeskhandError
from ...model.node import AppState
from ...model.tree import Tree
from ..jsontext import dumps
from .server import VERSION, state_of, view_of
from .tree import Document, flat

KINDS = ("node", "window", "app", "log")
"""What can be listened to: the first word of the events' names."""
_LONGEST = 2000
"""How much of a log message is reported."""


class Event(NamedTuple):
    """A message: the name of the event, and the JSON object, which still lacks its number."""

    name: str
    body: str

    def numbered(self, number: int) -> str:
        """The message as it is sent."""
        return f'{{"seq":{number},{self.body[1:]}'

    def is_wanted(self, kinds: frozenset[str]) -> bool:
        """Whether a listener to these kinds gets it; no kinds are all."""
        kind = self.name.partition(".")[0]
        return kind not in KINDS or not kinds or kind in kinds


def wanted_kinds(text: str) -> frozenset[str]:
    """Some of KINDS, with commas between them. ValueError names one that does not exist."""
    kinds = frozenset(filter(None, (kind.strip() for kind in text.split(","))))
    if unknown := sorted(kinds - set(KINDS)):
        raise ValueError(f"no events '{unknown[0][:40]}'; there are {', '.join(KINDS)}")
    return kinds


def ready() -> Event:
    """Changes are reported from now on."""
    return _event("ready", version=VERSION, server=f"deskhand {__version__}")


def dropped(count: int) -> Event:
    """The listener read too slowly, and missed so many messages."""
    return _event("dropped", count=count)


def failed(name: str, error: DeskhandError) -> Event:
    """The program cannot be read: `app.busy`, `app.disabled` or `app.gone`."""
    return _event(name, message=error.message)


def logged(level: str, logger: str, message: str) -> Event:
    """The program, or the process that serves it, logged something."""
    return _event("log", level=level.lower(), logger=logger, message=message[:_LONGEST])


class Reporter:
    """The events that lead from each tree and state to the next. The first ones lead to none."""

    def __init__(self) -> None:
        self._seen: _Seen | None = None
        self._view = ""
        self._state: Mapping[str, Any] | None = None

    def tree(self, tree: Tree) -> Iterator[Event]:
        """What has changed in the tree."""
        before, self._seen = self._seen, _Seen(tree)
        self._view = view_of(tree)
        if before is not None:
            for name, fields in self._seen.since(before):
                yield _event(name, **fields)

    def state(self, state: AppState) -> Iterator[Event]:
        """What has changed in what the app says of itself."""
        before, self._state = self._state, state_of(state, self._view)
        if before is not None and before != self._state:
            yield _event("app.state", state=self._state)


class _Seen:
    """What the protocol reports of a tree, to be compared."""

    def __init__(self, tree: Tree) -> None:
        document = Document(tree)
        self.nodes = {item.node.uid: flat((item,))[1:-1] for item in (*document.items, *document.imgui)}
        """By uid, the node as JSON text."""
        self.windows = [window.uid for window in tree.windows]

    def since(self, before: _Seen) -> list[tuple[str, dict[str, Any]]]:
        """The events that lead from an earlier tree to this one."""
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


def _event(name: str, **fields: Any) -> Event:
    return Event(name, dumps({"event": name, "time": round(time.time(), 3), **fields}).decode())
