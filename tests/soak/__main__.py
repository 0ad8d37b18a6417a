"""`make soak`: ten clients on five apps over all protocols for an hour, and what the processes use meanwhile.

Each client connects, reads, searches, acts, waits, takes screenshots, abandons waits and disconnects, then
connects by another protocol. What an app reports is read by another protocol than the one that acted, and
compared with what the app itself noted. Once a minute all clients disconnect, and what each process uses then
is noted: nothing may grow beyond the bound in the second half, and nothing may fail.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.soak.apps import KINDS, Kind, Served, served
from tests.soak.drivers import PATIENCE, Driver, Wrong, abandon, driver
from tests.soak.usage import Bound, Usage, grown, tree_usage, usage

HOUR = Bound(memory=2.0, share=0.03, count=1.5)
"""For what is judged of an hour: its second half."""
_STEPS = 6, 25
"""How many things a client does on one connection."""
_SETTLED = 5.0
"""How long descriptors and threads may take to be given back when all clients have left, in seconds."""
_CLIENTS = "clients"


@dataclass
class Outcome:
    """What the clients did, what failed, and what was used at each quiet moment."""

    done: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    samples: list[Mapping[str, Usage]] = field(default_factory=list)


class Gate:
    """Lets the clients work, or waits until all of them have disconnected."""

    def __init__(self, clients: int) -> None:
        self._clients = clients
        self._changed = threading.Condition()
        self._closed = False
        self._waiting = 0
        self.over = False

    def wanted(self) -> bool:
        """Whether a client should disconnect now."""
        return self._closed or self.over

    def passed(self) -> None:
        """Wait until the clients may work."""
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._closed)
            self._waiting -= 1

    def quiet(self) -> ExitStack:
        """All clients have disconnected, for as long as the result is open."""
        stack = ExitStack()
        with self._changed:
            self._closed = True
            if not self._changed.wait_for(lambda: self._waiting == self._clients, PATIENCE * 2):
                raise Wrong(f"only {self._waiting} of {self._clients} clients finished their step")
        stack.callback(self._open)
        return stack

    def _open(self) -> None:
        with self._changed:
            self._closed = False
            self._changed.notify_all()


class Client:
    """One client, which works on one app by one protocol after the other."""

    def __init__(self, number: int, app: Served, gate: Gate, outcome: Outcome, pace: float) -> None:
        self._name = f"c{number}"
        self._app = app
        self._gate = gate
        self._outcome = outcome
        self._pace = pace
        self._chance = random.Random(number)
        # Two clients of one app do not begin with the same protocol.
        self._turn = number
        self._acts = 0

    def run(self) -> None:
        while True:
            self._gate.passed()
            if self._gate.over:
                return
            protocols = list(self._app.urls)
            protocol = protocols[self._turn % len(protocols)]
            self._turn += 1
            self._guarded(protocol, "connect", lambda protocol=protocol: self._visit(protocol))  # type: ignore[misc]

    def _visit(self, protocol: str) -> None:
        """Connect, do some things, disconnect."""
        with ExitStack() as stack:
            own = self._open(protocol, stack)
            self._count(protocol, "connect")
            for _ in range(self._chance.randint(*_STEPS)):
                if self._gate.wanted():
                    return
                step = self._chance.choices(
                    (self._read, self._search, self._act, self._shoot, self._abandon), (3, 4, 4, 1, 1)
                )[0]
                what = step.__name__.strip("_")
                self._guarded(protocol, what, lambda step=step: step(protocol, own))  # type: ignore[misc]
                self._count(protocol, what)
                time.sleep(self._chance.uniform(0, 2 * self._pace))  # a client thinks

    def _open(self, protocol: str, stack: ExitStack) -> Driver:
        connected = driver(protocol, self._app.urls[protocol], self._app.token)
        stack.callback(connected.close)
        return connected

    def _read(self, protocol: str, own: Driver) -> None:
        if (nodes := own.read()) < self._app.kind.least:
            raise Wrong(f"only {nodes} nodes")

    def _search(self, protocol: str, own: Driver) -> None:
        if (found := own.count(self._app.kind.button)) != 1:
            raise Wrong(f"{found} times {self._app.kind.button}")

    def _act(self, protocol: str, own: Driver) -> None:
        """Do something, wait for what the app reports, and read that by another protocol."""
        kind = self._app.kind
        other = self._chance.choice([name for name in self._app.urls if name != protocol])
        self._acts += 1
        with ExitStack() as stack:
            judge = self._open(other, stack)
            with self._app.acting:
                expected = kind.act(own, f"{self._name}-{self._acts:05}", self._chance)
                own.wait_for_text(kind.report_by(protocol), expected)
                if (seen := judge.text(kind.report_by(other))) != expected:
                    raise Wrong(f"the app reports {seen!r} by {other}, not {expected!r}")
                self._app.reports.append(expected)

    def _shoot(self, protocol: str, own: Driver) -> None:
        if not (png := own.screenshot()).startswith(b"\x89PNG") or len(png) < 1000:
            raise Wrong(f"a screenshot of {len(png)} bytes: {png[:20]!r}")

    def _abandon(self, protocol: str, own: Driver) -> None:
        abandon(protocol, self._app.urls[protocol], self._app.token)

    def _guarded(self, protocol: str, what: str, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:  # noqa: BLE001 - whatever it is, the soak has found it
            where = f"{self._name} {self._app.kind.name} by {protocol}, {what}"
            self._outcome.errors.append(f"{where}: {type(error).__name__}: {error}")
            print(f"ERROR {self._outcome.errors[-1]}", flush=True)

    def _count(self, protocol: str, what: str) -> None:
        self._outcome.done[f"{self._app.kind.name} {protocol} {what}"] += 1


def soak(
    kinds: Sequence[Kind],
    clients: int,
    seconds: float,
    *,
    every: float,
    pace: float,
    say: Callable[[str], None],
) -> Outcome:
    """Let clients work that long; what is used is noted again and again."""
    outcome, gate = Outcome(), Gate(clients)
    with served(kinds) as apps:
        threads = [
            threading.Thread(
                target=Client(number, apps[number % len(apps)], gate, outcome, pace).run, daemon=True
            )
            for number in range(clients)
        ]
        end = time.monotonic() + seconds
        for thread in threads:
            thread.start()
        while time.monotonic() < end:
            time.sleep(min(every, max(0.0, end - time.monotonic())))
            with gate.quiet():
                outcome.samples.append(_used(apps))
            say(_line(outcome))
        gate.over = True
        for thread in threads:
            thread.join(PATIENCE)
        for app in apps:
            outcome.errors += [f"{app.kind.name} wrote to stderr: {line}" for line in app.complaints()]
            try:
                app.finish()
            except Exception as error:  # noqa: BLE001 - whatever it is, the soak has found it
                outcome.errors.append(f"{app.kind.name}, closing: {type(error).__name__}: {error}")
    return outcome


def _used(apps: Sequence[Served]) -> dict[str, Usage]:
    """What all processes use, once descriptors and threads no longer become fewer."""
    end = time.monotonic() + _SETTLED
    best: dict[str, Usage] = {}
    while time.monotonic() < end:
        now = {
            f"{app.kind.name} {name}": used
            for app in apps
            for name, used in tree_usage(app.process.pid).items()
        }
        now[_CLIENTS] = usage(os.getpid())
        if best and _counts(now) >= _counts(best):
            return best
        best = now
        time.sleep(0.5)  # they close what the clients have left
    return best


def _counts(used: Mapping[str, Usage]) -> int:
    return sum(each.descriptors + each.threads for each in used.values())


def _line(outcome: Outcome) -> str:
    now = outcome.samples[-1]
    shown = {name: used for name, used in now.items() if name == _CLIENTS or name.endswith("server")}
    rest = [used for name, used in now.items() if name not in shown]
    parts = [f"{name} {used}" for name, used in shown.items()]
    parts.append(f"all {len(rest)} others {sum(rest, Usage())}")
    return f"{sum(outcome.done.values())} done, {len(outcome.errors)} errors | " + " | ".join(parts)


def _save(outcome: Outcome, file: Path) -> None:
    """Write all samples to a file: the cause of a growth is looked for there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    samples = [{name: asdict(used) for name, used in sample.items()} for sample in outcome.samples]
    file.write_text(json.dumps({"done": outcome.done, "errors": outcome.errors, "samples": samples}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--every", type=float, default=60, help="seconds between two notes of what is used")
    parser.add_argument("--pace", type=float, default=0.3, help="seconds that a client thinks, on average")
    parser.add_argument("--app", action="append", choices=[kind.name for kind in KINDS], help="only this one")
    parser.add_argument("--out", type=Path, default=Path("build/soak.json"), help="where all figures go")
    given = parser.parse_args()
    kinds = [kind for kind in KINDS if not given.app or kind.name in given.app]
    began = time.monotonic()

    def say(line: str) -> None:
        print(f"{(time.monotonic() - began) / 60:5.1f} min {line}", flush=True)

    outcome = soak(kinds, given.clients, given.minutes * 60, every=given.every, pace=given.pace, say=say)
    _save(outcome, given.out)
    half = outcome.samples[len(outcome.samples) // 2 :]
    print("\nby process, at the beginning and the end of the second half:")
    for name in sorted(half[0]):
        print(f"  {name}: {half[0][name]} -> {half[-1].get(name, 'ended')}")
    print("\ndone:")
    for name, count in sorted(outcome.done.items()):
        print(f"  {name}: {count}")
    found = grown(half, HOUR)
    for line in found:
        print(f"GREW {line}")
    for line in outcome.errors:
        print(f"FAILED {line}")
    print(f"{sum(outcome.done.values())} done, {len(outcome.errors)} errors, {len(found)} grew")
    return 1 if found or outcome.errors else 0


if __name__ == "__main__":
    sys.exit(main())
