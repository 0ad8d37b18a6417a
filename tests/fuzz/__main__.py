"""`make fuzz`: inputs made at random, over every transport, and what became of the server.

No crash, no answer slower than a second, flat memory, no traceback, and every answer is one of its protocol.
An input that fails is printed, and saved in the corpus, which the test suite replays.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.inputs import Input, maker
from tests.fuzz.peers import TRANSPORTS, Peer, Server, Wrong, started

CORPUS = Path(__file__).with_name("corpus")
SHARES = {"unix": 0.35, "http": 0.2, "websocket": 0.2, "stdio": 0.1, "jvm": 0.15}
"""How much of all inputs each transport gets, by what it can answer in the same time."""
_BATCH = 32
_WARM = 0.2
"""After which part of the inputs the memory is expected to be flat."""
_MORE_MEMORY = 1.1, 8.0
"""How much it may have grown from then on: by a factor, or by so many MB."""
_MOST_FAILURES = 10


class Result(NamedTuple):
    transport: str
    count: int
    seconds: float
    slowest: float
    """The longest that a batch took, in seconds, and so not less than any answer in it; of a batch that took
    longer than an answer may, the longest that one of its inputs took alone."""
    memory: tuple[float, float]
    """After warming up and at the end, in MB."""
    failures: list[str]


def fuzz(transport: str, count: int, seed: int, limit: float, corpus: Path | None) -> Result:
    """Send so many inputs over a transport. An answer may take `limit` seconds."""
    failures: list[str] = []
    with started(transport) as (server, peer):
        make = maker(transport, seed, server.uids)
        began = said = time.monotonic()
        slowest, warm, done = 0.0, server.memory(), 0
        numbers = iter(range(count))
        while server.alive and len(failures) < _MOST_FAILURES:
            inputs = [make(number) for number in islice(numbers, _BATCH)]
            if not inputs:
                break
            took = _exchange(
                server, peer, inputs, limit, failures, corpus, f"{transport}, seed {seed}, from {done}"
            )
            slowest = max(slowest, took)
            if done < count * _WARM <= done + len(inputs):
                warm = server.memory()
            done += len(inputs)
            if time.monotonic() - said > 15:
                said = time.monotonic()
                rate, memory = done / (said - began), server.memory()
                print(f"{transport}: {done} inputs, {rate:.0f} a second, {memory:.0f} MB", flush=True)
        spent = time.monotonic() - began
        if not server.alive:
            failures.append(
                f"the server ended with {server.process.returncode}: {server.said.read_text()[-2000:]}"
            )
            return Result(transport, done, spent, slowest, (warm, 0.0), failures)
        if complaints := server.complaints():
            failures.append(f"on stderr, {len(complaints)} lines: {server.said.read_text()[-3000:]}")
        memory = server.memory()
        factor, more = _MORE_MEMORY
        if count > 10_000 and memory > max(warm * factor, warm + more):
            failures.append(f"the memory grew from {warm:.1f} to {memory:.1f} MB")
        return Result(transport, done, spent, slowest, (warm, memory), failures)


def replay(file: Path) -> list[str]:
    """Send the inputs of a file of the corpus again; what went wrong."""
    saved = json.loads(file.read_text())
    inputs = [Input.from_json(each) for each in saved["inputs"]]
    return send(saved["transport"], inputs)


def send(transport: str, inputs: Sequence[Input]) -> list[str]:
    """Send these inputs, and then what shows that the server still answers; what went wrong."""
    with started(transport) as (server, peer):
        try:
            for at in range(0, len(inputs), _BATCH):
                peer.exchange(inputs[at : at + _BATCH])
            peer.reset()
            peer.exchange([])
        except (Wrong, OSError) as error:
            return [str(error), *server.complaints()]
        return server.complaints() if server.alive else [server.said.read_text()]


def _exchange(
    server: Server,
    peer: Peer,
    inputs: Sequence[Input],
    limit: float,
    failures: list[str],
    corpus: Path | None,
    where: str,
) -> float:
    """Send a batch; if it fails or takes too long, find out which input it was. How long it took."""
    began = time.monotonic()
    before = len(server.complaints())
    problem = _sent(peer, inputs)
    took = time.monotonic() - began
    if problem is None and took <= limit and len(server.complaints()) == before:
        return took
    slowest = 0.0
    found = False
    for each in inputs:
        problem_alone, took_alone = _again(peer, each, limit)
        complaints = server.complaints()[before:]
        slowest = max(slowest, took_alone)
        if problem_alone is not None or took_alone > limit or complaints:
            reason = problem_alone or (complaints[0] if complaints else f"it took {took_alone:.2f} s")
            failures.append(_report(where, [each], reason, corpus))
            found = True
            break
        if not server.alive:
            break
    if problem is not None and not found:
        failures.append(_report(where, inputs, problem, corpus))
    return slowest


def _again(peer: Peer, sent: Input, limit: float) -> tuple[str | None, float]:
    """The same alone, up to three times if it takes too long: the machine may have been busy."""
    best = float("inf")
    for _ in range(3):
        peer.reset()
        began = time.monotonic()
        problem = _sent(peer, [sent])
        best = min(best, time.monotonic() - began)
        if problem is not None or best <= limit:
            return problem, best
    return None, best


def _sent(peer: Peer, inputs: Sequence[Input]) -> str | None:
    try:
        peer.exchange(inputs)
    except (Wrong, OSError) as error:
        peer.reset()
        return f"{type(error).__name__}: {error}"
    return None


def _report(where: str, inputs: Sequence[Input], reason: str, corpus: Path | None) -> str:
    transport = where.split(",")[0]
    text = json.dumps(
        {"transport": transport, "about": reason[:200], "inputs": [each.to_json() for each in inputs]}
    )
    saved = "not saved"
    if corpus is not None:
        file = corpus / f"{transport}-{hashlib.sha256(text.encode()).hexdigest()[:10]}.json"
        file.write_text(text + "\n")
        saved = str(file)
    return f"{where}: {reason}\n  {inputs[0].data[:300]!r}\n  {saved}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="how many inputs in all")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--transport", action="append", choices=TRANSPORTS, help="only this one; may be repeated"
    )
    parser.add_argument("--limit", type=float, default=1.0, help="how long an answer may take, in seconds")
    parser.add_argument("--workers", type=int, default=2, help="how many transports at once")
    parser.add_argument(
        "--replay", type=Path, action="append", help="only a file of the corpus; may be repeated"
    )
    given = parser.parse_args()
    if given.replay:
        failures = [failure for file in given.replay for failure in replay(file)]
        print("\n".join(failures) or "nothing went wrong")
        sys.exit(bool(failures))
    chosen = given.transport or list(TRANSPORTS)
    whole = sum(SHARES[each] for each in chosen)
    with ProcessPoolExecutor(given.workers) as pool:
        running = [
            pool.submit(
                fuzz, each, round(given.count * SHARES[each] / whole), given.seed, given.limit, CORPUS
            )
            for each in chosen
        ]
        results = [each.result() for each in running]
    for result in results:
        rate = result.count / max(result.seconds, 0.001)
        print(
            f"{result.transport}: {result.count} inputs in {result.seconds:.0f} s ({rate:.0f} a second), "
            f"slowest {result.slowest:.2f} s, memory {result.memory[0]:.1f} MB after warming up, "
            f"{result.memory[1]:.1f} MB at the end"
        )
        for failure in result.failures:
            print(f"  FAILED {failure}")
    failed = sum(len(each.failures) for each in results)
    print(f"{sum(result.count for result in results)} inputs, {failed} failures")
    sys.exit(any(result.failures for result in results))


if __name__ == "__main__":
    main()
