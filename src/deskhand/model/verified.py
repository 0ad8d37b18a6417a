"""Adapters that prove every read: with `DESKHAND_VERIFY=1` it is done in two ways, and both must be alike.

An adapter that keeps anything between reads has a method `read_cold`, with the parameters of `read`: the same
read with nothing taken from earlier ones, and with the same uids. It does not touch the cache, or it would
repair what it is to prove. Adapters that keep nothing are not wrapped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar, cast

from .adapter import Abilities, Adapter, Followed, Follows, abilities
from .errors import DeskhandError, NotFound, UiBusy, WrongRead
from .node import Node, Window
from .record import dataclass
from .tree import Tree

VARIABLE = "DESKHAND_VERIFY"

_COLD = 30.0
"""How long a cold read may take at least, in seconds, however short the caller's time is."""
_LISTED = 20
"""How many differences an error has at most."""
_LONGEST = 200
"""How much of a value is shown."""

A = TypeVar("A", bound=Adapter)
_Outcome = Tree | NotFound


def verified(adapter: A) -> A:
    """The adapter, with proven reads if DESKHAND_VERIFY asks for that and it keeps anything between reads."""
    wanted = os.environ.get(VARIABLE, "") not in ("", "0")
    if not wanted or isinstance(adapter, Verified) or abilities(adapter).reads_cold is None:
        return adapter
    return cast("A", Verified(adapter))


@dataclass(frozen=True)
class Mismatch:
    """A field of a node or window that differs between both reads; as text, so that it can be sent."""

    uid: str
    what: str
    field: str
    kept: str
    cold: str

    @property
    def appeared(self) -> bool:
        """Whether only the read from what is kept has it."""
        return (self.field, self.kept) == ("presence", "there")

    def __str__(self) -> str:
        return f"{self.what} {self.uid}: {self.field} is {self.kept}, cold {self.cold}"


class Verified:
    """An adapter whose reads are compared with cold ones. All else is the adapter's own."""

    __slots__ = ("_adapter", "_seen")

    _adapter: Any
    _seen: set[str]
    """The uids that the last read of everything had, and reads of parts since."""

    def __init__(self, adapter: Adapter) -> None:
        object.__setattr__(self, "_adapter", adapter)
        object.__setattr__(self, "_seen", set())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._adapter, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._adapter, name, value)

    @property
    def abilities(self) -> Abilities:
        own = abilities(self._adapter)
        return replace(own, follows=own.follows and _WithoutTrees(own.follows))

    def read(self, root: str | None = None, *, timeout: float, **how: Any) -> Tree:
        """As `Adapter.read`; WrongRead if cold reads before and after it agree, and it does not."""

        def kept() -> _Outcome:
            return _outcome(lambda: self._adapter.read(root, timeout=timeout, **how))

        def cold(limit: float) -> _Outcome:
            return _outcome(lambda: self._adapter.read_cold(root, timeout=limit, **how))

        try:
            before = cold(timeout)
        except DeskhandError as error:
            if isinstance(error, UiBusy) and error.details.get("started") is False:
                raise  # the GUI thread was blocked all the time, for any read
            kept()  # its error is the caller's, unless only a cold read takes longer or finds no bus yet
            before = cold(max(timeout, _COLD))
        read = kept()
        if found := mismatches(read, before):
            # Where the program changed in between, the read after it differs from the one before.
            after = set(mismatches(read, cold(max(timeout, _COLD))))
            wrong = [mismatch for mismatch in found if mismatch in after]
            new = set() if isinstance(read, NotFound) else {node.uid for node in read} - self._seen
            if any(mismatch.appeared and mismatch.uid in new for mismatch in wrong):
                # What is new may have come after the first cold read and gone before the second.
                read = kept()
                lasting = mismatches(read, cold(max(timeout, _COLD)))
                wrong = [mismatch for mismatch in wrong if mismatch in lasting]
            if wrong:
                raise _wrong_read(wrong)
        if isinstance(read, NotFound):
            raise read
        if root is None:
            self._seen.clear()
        self._seen.update(node.uid for node in read)
        self._seen.update(window.uid for window in read.windows)
        return read


def mismatches(kept: _Outcome, cold: _Outcome) -> list[Mismatch]:
    """What differs between two reads that should be alike."""
    if isinstance(kept, NotFound) or isinstance(cold, NotFound):
        if isinstance(kept, NotFound) and isinstance(cold, NotFound):
            return []
        target = str((kept if isinstance(kept, NotFound) else cast("NotFound", cold)).target)
        return [Mismatch(target, "the element", "presence", _presence(kept), _presence(cold))]
    found = list(_between(kept.nodes, cold.nodes, lacks=kept.cut != cold.cut))
    found += _between(kept.windows, cold.windows, lacks=kept.cut != cold.cut)
    # Of a part of a tree, not every adapter says what has the focus elsewhere.
    focused, other = kept.get(kept.focused), cold.get(cold.focused)
    if (focused and focused.uid) != (other and other.uid):
        found.append(Mismatch("", "the tree", "focused", repr(kept.focused), repr(cold.focused)))
    return found


def _between(
    kept: Iterable[Node | Window], cold: Iterable[Node | Window], *, lacks: bool
) -> Iterator[Mismatch]:
    """What differs between nodes or windows; with `lacks`, one read may lack what the other has."""
    old, new = {each.uid: each for each in kept}, {each.uid: each for each in cold}
    for uid, node in old.items():
        other = new.get(uid)
        if other is not None:
            yield from _fields(node, other)
        elif not lacks:
            yield Mismatch(uid, _called(node), "presence", "there", "missing")
    if not lacks:
        for uid, node in new.items():
            if uid not in old:
                yield Mismatch(uid, _called(node), "presence", "missing", "there")
    both = [uid for uid in old if uid in new]
    order = [uid for uid in new if uid in old]
    moved = next(((uid, other) for uid, other in zip(both, order, strict=True) if uid != other), None)
    if moved is not None:
        yield Mismatch(moved[0], _called(old[moved[0]]), "order", moved[0], moved[1])


def _fields(kept: Node | Window, cold: Node | Window) -> Iterator[Mismatch]:
    was_fields, now_fields = vars(kept), vars(cold)
    if was_fields == now_fields:
        return
    for name in {**was_fields, **now_fields}:
        was, now = getattr(kept, name), getattr(cold, name)
        if was != now:
            yield Mismatch(kept.uid, _called(cold), name, _short(was), _short(now))


def _outcome(read: Callable[[], Tree]) -> _Outcome:
    """The tree, or that there is no such element."""
    try:
        return read()
    except NotFound as error:
        return error


class _WithoutTrees:
    """The same notices without the trees that the adapter read by itself: each is then read, and checked."""

    def __init__(self, follows: Follows) -> None:
        self._follows = follows

    def follow(self, changed: Followed) -> Callable[[], None]:
        return self._follows.follow(lambda _: changed(None))


def _wrong_read(wrong: list[Mismatch]) -> WrongRead:
    listed = wrong[:_LISTED]
    more = f"\n  and {len(wrong) - _LISTED} more" if len(wrong) > _LISTED else ""
    return WrongRead(
        # A line for each: what is between the quotes of two would be taken for one long text.
        "\n  ".join((f"what is kept differs from a cold read in {_count(wrong)}:", *map(str, listed))) + more,
        differences=[dict(vars(mismatch)) for mismatch in listed],
        left_out=len(wrong) - len(listed),
    )


def _count(wrong: list[Mismatch]) -> str:
    return "1 field" if len(wrong) == 1 else f"{len(wrong)} fields"


def _presence(outcome: _Outcome) -> str:
    return "missing" if isinstance(outcome, NotFound) else "there"


def _called(shown: Node | Window) -> str:
    return str(shown) if isinstance(shown, Node) else f'window "{shown.title}"'


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
