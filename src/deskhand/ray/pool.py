"""The pool: which desktop has which item, and what happens to an item whose desktop is lost.

Runs where the items are. An item is given to one desktop at a time, and to another one only if `retries`
allows it and the first is known to be lost. Ray starts the actors, places them and notices their end.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from ..model.errors import ActionFailed, ActionUnsupported, InvalidParams, LaunchFailed
from .progress import Progress
from .worker import Outcome, PoolDesktop, Worker

_log = logging.getLogger(__name__)

CPUS = 0.5
"""What one desktop asks of Ray unless another number is given; docs/guides/scale.md has what was measured."""
MEMORY = 512 * 1024 * 1024
"""The same in bytes."""
_START = 120.0
"""How long the pool waits for a first desktop, in seconds."""
_CLOSE = 15.0
"""How long a desktop may take to end before its actor is killed, in seconds."""
_GIVE_UP = 3
"""After how many failed starts in a row the pool fails."""
_LOOK = 0.5
"""How often the progress is shown while no item ends, in seconds."""
_SHOWN = 100
"""How much of an item a message shows."""


@dataclass(frozen=True)
class Lost:
    """One attempt at an item that was lost with its desktop."""

    item: Any
    attempt: int
    reason: str


class ItemFailed(ActionFailed):
    """The function raised; `__cause__` is its exception where that could be sent."""

    def __init__(self, message: str, item: Any, outcome: Outcome) -> None:
        super().__init__(message)
        self.item = item
        self.traceback = outcome.traceback
        """Where the function raised, as text."""
        self.trace = outcome.trace
        """The zip that `deskhand trace show` opens; None if nothing was recorded."""

    def save_trace(self, path: str | os.PathLike[str]) -> Path:
        """Write the trace to a file."""
        if self.trace is None:
            raise ActionFailed("this item has no trace: it was not recorded, or was lost with its desktop")
        Path(path).write_bytes(self.trace)
        return Path(path)


class ItemLost(ItemFailed):
    """The desktop was lost while it had the item, which may have run in part, and no attempt is left."""


@dataclass(frozen=True)
class Result:
    """What became of one item."""

    index: int
    item: Any
    value: Any = None
    error: ItemFailed | None = None
    lost: tuple[Lost, ...] = ()
    """The attempts before this result that were lost with their desktops."""
    seconds: float = 0.0


@dataclass
class _Task:
    index: int
    item: Any
    lost: list[Lost] = field(default_factory=list)


@dataclass
class _Desk:
    """One place of the pool: its present actor, and what is awaited from that; without a task, its start."""

    actor: Any
    awaited: Any
    task: _Task | None = None
    deadline: float | None = None


class _Places:
    """The actors of a pool: started, replaced and ended."""

    def __init__(self, ray: Any, remote: Any, arguments: Mapping[str, Any], count: int) -> None:
        self.ray = ray
        self._remote = remote
        self._arguments = arguments
        self.desks = [_Desk(*self._placed()) for _ in range(count)]

    def replace(self, desk: _Desk) -> None:
        """End an actor, and start another one in its place."""
        self.ray.kill(desk.actor)
        desk.actor, desk.awaited = self._placed()
        desk.task = desk.deadline = None

    def close(self) -> None:
        """End all of them: those that are idle in order, the others at once."""
        desks, self.desks = self.desks, []
        idle = [desk.actor.close.remote() for desk in desks if desk.awaited is None]
        if idle:
            self.ray.wait(idle, num_returns=len(idle), timeout=_CLOSE)
        for desk in desks:
            self.ray.kill(desk.actor)

    def _placed(self) -> tuple[Any, Any]:
        actor = self._remote.remote(**self._arguments)
        return actor, actor.ready.remote()


class Desktops:
    """A pool of `count` private desktops on the nodes of a Ray cluster.

    Use it in a `with` statement, or call `close`. It uses the cluster of `ray.init`, or the one that
    RAY_ADDRESS names; without either it starts Ray on this machine, and ends it again.
    """

    def __init__(
        self,
        count: int,
        *,
        size: tuple[int, int] = (1280, 800),
        env: Mapping[str, str] | None = None,
        tmp: Literal["private", "shared"] = "private",
        cpus: float = CPUS,
        memory: int = MEMORY,
        fresh: bool = False,
        trace: bool = True,
        timeout: float = _START,
        actor_options: Mapping[str, Any] | None = None,
    ) -> None:
        """`size`, `env` and `tmp` are those of a Desktop; Ray sets `cpus` and `memory` aside for each.

        With `fresh` every item gets a desktop that none had before; otherwise only the apps of an item end
        with it, and a desktop on which an item failed is replaced. `trace` records what items do, and returns
        it when they fail. `timeout` is how long the first desktop may take, in seconds. `actor_options` are
        further options of Ray's actors.
        """
        if count != int(count) or count < 1:
            raise InvalidParams(f"a pool has at least one desktop, not {count!r}", field="count")
        self._ray = _ray()
        self._timeout = timeout
        self._asked = f"{cpus:g} CPUs and {memory >> 20} MiB of memory"
        self._busy = threading.Lock()
        self._closed = False
        self._owned = not self._ray.is_initialized() and not os.environ.get("RAY_ADDRESS")
        if not self._ray.is_initialized():
            _connect(self._ray, local=self._owned)
        options: dict[str, Any] = {"num_cpus": cpus, "memory": memory, "scheduling_strategy": "SPREAD"}
        # An actor that Ray restarted by itself would hide that an item was lost with the one before.
        options |= {**(actor_options or {}), "max_restarts": 0, "max_task_retries": 0}
        desktop = {"size": size, "env": dict(env or {}), "tmp": tmp}
        arguments = {"options": desktop, "fresh": fresh, "traced": trace}
        self._places = _Places(self._ray, self._ray.remote(Worker).options(**options), arguments, count)

    def __enter__(self) -> Desktops:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def map(
        self,
        function: Callable[[PoolDesktop, Any], Any],
        items: Iterable[Any],
        *,
        retries: int = 0,
        timeout: float | None = None,
        return_exceptions: bool = False,
        progress: bool | None = None,
    ) -> Iterator[Any]:
        """What `function(desktop, item)` returns for each item, in the order of the items.

        Each comes as soon as it is known. The other parameters are those of `results`. The first item that
        failed raises, and ends the others; with `return_exceptions` its error takes the place of its value.
        Items run while the iterator is used.
        """
        results = self.results(function, items, retries=retries, timeout=timeout, progress=progress)
        return _in_order(results, return_exceptions)

    def results(
        self,
        function: Callable[[PoolDesktop, Any], Any],
        items: Iterable[Any],
        *,
        retries: int = 0,
        timeout: float | None = None,
        progress: bool | None = None,
    ) -> Generator[Result, None, None]:
        """A Result for each item, in the order in which they complete.

        `retries` is how often an item is given to another desktop when its desktop was lost: each attempt
        before may have run in part, and is listed in the result. An item whose function raised is not tried
        again. `timeout` is how long one item may take, in seconds; its desktop is then replaced. `progress`
        shows a bar on standard error, by default if that is a terminal.
        """
        if retries != int(retries) or retries < 0:
            raise InvalidParams(f"'retries' is a whole number from 0 on, not {retries!r}", field="retries")
        shown = Progress(sys.stderr, len(items) if isinstance(items, Sized) else None, progress)
        return self._run(_Run(self._places, function, items, retries, timeout, shown))

    def close(self) -> None:
        """End all desktops; does nothing the second time."""
        if self._closed:
            return
        self._closed = True
        if self._ray.is_initialized():
            self._places.close()
        if self._owned:
            self._ray.shutdown()

    def _run(self, run: _Run) -> Generator[Result, None, None]:
        if not self._busy.acquire(blocking=False):
            raise ActionFailed("this pool runs other items now: use those results up, or close them")
        patience = time.monotonic() + self._timeout
        try:
            while not self._closed and run.give():
                results = run.wait()
                if run.running:
                    patience = time.monotonic() + self._timeout
                elif time.monotonic() > patience:
                    raise self._unplaced()
                yield from results
            if self._closed:
                raise ActionFailed("this pool was closed")
        finally:
            run.close()
            self._busy.release()

    def _unplaced(self) -> LaunchFailed:
        free = self._ray.available_resources()
        return LaunchFailed(
            f"no desktop was ready within {self._timeout:g} s: each asks for {self._asked}, and "
            f"{free.get('CPU', 0):g} CPUs and {int(free.get('memory', 0)) >> 20} MiB are free in the cluster",
            suggestions=("ask for less with cpus= and memory=, or add nodes",),
        )


def _in_order(results: Generator[Result, None, None], return_exceptions: bool) -> Iterator[Any]:
    early: dict[int, Result] = {}
    expected = 0
    with contextlib.closing(results):
        for result in results:
            early[result.index] = result
            while (following := early.pop(expected, None)) is not None:
                expected += 1
                if following.error is not None and not return_exceptions:
                    raise following.error
                yield following.error or following.value


class _Run:
    """One use of a pool: items in, results out."""

    def __init__(
        self,
        places: _Places,
        function: Callable[[PoolDesktop, Any], Any],
        items: Iterable[Any],
        retries: int,
        timeout: float | None,
        shown: Progress,
    ) -> None:
        self._places = places
        self._ray = places.ray
        self._function = self._ray.put(function)
        self._items = enumerate(items)
        self._waiting: deque[_Task] = deque()
        self._retries = retries
        self._timeout = timeout
        self._shown = shown
        self._done = self._lost = self._failed = self._unstarted = 0

    @property
    def running(self) -> int:
        """How many items have a desktop now."""
        return sum(desk.task is not None for desk in self._places.desks)

    def give(self) -> bool:
        """Give items to idle desktops; false once there is none left and none runs."""
        for desk in self._places.desks:
            if desk.awaited is None and self._left():
                task = desk.task = self._waiting.popleft()
                desk.deadline = None if self._timeout is None else time.monotonic() + self._timeout
                desk.awaited = desk.actor.run.remote(self._function, task.item, len(task.lost) + 1)
        self._shown.show(self._done, self.running, self._lost, self._failed)
        return bool(self.running) or self._left()

    def wait(self) -> list[Result]:
        """The results that are there after a moment, or as soon as something ended."""
        awaited = {desk.awaited: desk for desk in self._places.desks if desk.awaited is not None}
        ready, _ = self._ray.wait(list(awaited), timeout=_LOOK)
        results: list[Result | None] = []
        for reference in ready:
            desk = awaited[reference]
            if desk.task is None:
                self._started(desk)
            else:
                results.append(self._ended(desk, desk.task))
        for desk in self._places.desks:
            if desk.task is not None and desk.deadline is not None and desk.deadline < time.monotonic():
                results.append(self._late(desk, desk.task))
        known = [result for result in results if result is not None]
        self._done += len(known)
        self._failed += sum(result.error is not None for result in known)
        return known

    def close(self) -> None:
        """End the items that still run."""
        for desk in self._places.desks:
            if desk.task is not None:
                self._places.replace(desk)
        self._shown.close()

    def _left(self) -> bool:
        if not self._waiting and (following := next(self._items, None)) is not None:
            self._waiting.append(_Task(*following))
        return bool(self._waiting)

    def _started(self, desk: _Desk) -> None:
        try:
            self._ray.get(desk.awaited)
        except self._ray.exceptions.RayError as error:
            self._not_started(desk, str(error).strip())
        else:
            desk.awaited, self._unstarted = None, 0

    def _not_started(self, desk: _Desk, reason: str) -> None:
        self._unstarted += 1
        _log.warning("a desktop did not start: %s", reason)
        if self._unstarted >= _GIVE_UP:
            raise LaunchFailed(f"{_GIVE_UP} desktops in a row did not start; the last one said: {reason}")
        self._places.replace(desk)

    def _ended(self, desk: _Desk, task: _Task) -> Result | None:
        errors = self._ray.exceptions
        try:
            outcome: Outcome = self._ray.get(desk.awaited)
        except (errors.RayActorError, errors.ObjectLostError, errors.OutOfMemoryError) as error:
            self._places.replace(desk)
            return self._again(task, Outcome("desktop ended", text=str(error).strip()))
        except errors.RayError as error:  # the function or its result cannot be sent
            self._places.replace(desk)
            return self._failure(task, Outcome("failed", text=str(error).strip()))
        if outcome.kind == "not started":
            self._waiting.appendleft(task)
            self._not_started(desk, outcome.text)
            return None
        desk.task = desk.awaited = None
        if outcome.kind == "desktop ended":
            return self._again(task, outcome)
        if outcome.kind == "failed":
            return self._failure(task, outcome)
        return Result(task.index, task.item, outcome.value, None, tuple(task.lost), outcome.seconds)

    def _again(self, task: _Task, outcome: Outcome) -> Result | None:
        """Give an item whose desktop was lost to another one, if an attempt is left."""
        lost = Lost(task.item, len(task.lost) + 1, outcome.text)
        task.lost.append(lost)
        self._lost += 1
        _log.warning("attempt %d at item %d was lost: %s", lost.attempt, task.index, lost.reason)
        if len(task.lost) <= self._retries:
            self._waiting.append(task)
            return None
        return self._failure(task, outcome)

    def _failure(self, task: _Task, outcome: Outcome) -> Result:
        item = repr(task.item)[:_SHOWN]
        if outcome.kind == "desktop ended":
            after = f" in attempt {len(task.lost)}" if self._retries else ", and may have run in part"
            error: ItemFailed = ItemLost(
                f"item {item} was lost with its desktop{after}: {outcome.text}", task.item, outcome
            )
        else:
            error = ItemFailed(f"item {item} failed: {outcome.text}", task.item, outcome)
        error.__cause__ = outcome.error
        return Result(task.index, task.item, None, error, tuple(task.lost), outcome.seconds)

    def _late(self, desk: _Desk, task: _Task) -> Result:
        self._places.replace(desk)
        took = self._timeout or 0.0
        return self._failure(task, Outcome("failed", text=f"it took longer than {took:g} s", seconds=took))


def _connect(ray: Any, *, local: bool) -> None:
    if local:
        # Ray would report its use to its makers.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(include_dashboard=False, log_to_driver=False)
    else:
        ray.init(log_to_driver=False)


def _ray() -> Any:
    """The module; it is large, and needed for this alone."""
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise ActionUnsupported(
            "a pool of desktops needs Ray, which is not installed",
            suggestions=("pip install 'deskhand[ray]'",),
        ) from None
    return ray
