"""What processes use, and whether that grows."""

from __future__ import annotations

import os
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path


@dataclass(frozen=True)
class Usage:
    """What one process uses, or several that do the same for one app."""

    memory: float = 0.0
    """Memory of its own in MB: anonymous and shared memory by its share, without mapped files.

    How much of the mapped files counts as its own depends on which other programs of the machine run.
    """
    descriptors: int = 0
    threads: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.memory + other.memory,
            self.descriptors + other.descriptors,
            self.threads + other.threads,
        )

    def __str__(self) -> str:
        return f"{self.memory:.1f} MB {self.descriptors} fd {self.threads} thr"


@dataclass(frozen=True)
class Bound:
    """How much the median of the growth may be until it is no longer noise, over the time that is judged."""

    memory: float
    """In MB."""
    share: float
    """Or this share of the memory, if that is more."""
    count: float
    """Descriptors, and threads."""


def usage(pid: int) -> Usage:
    """What a process uses now; OSError if it has ended."""
    process = Path(f"/proc/{pid}")
    sizes = dict(line.split(":", 1) for line in (process / "smaps_rollup").read_text().splitlines()[1:])
    kilobytes = sum(int(sizes[name].split()[0]) for name in ("Pss_Anon", "Pss_Shmem", "SwapPss"))
    return Usage(
        kilobytes / 1024,
        len(os.listdir(process / "fd")),  # noqa: PTH208 - only how many
        len(os.listdir(process / "task")),  # noqa: PTH208 - only how many
    )


def tree_usage(top: int) -> dict[str, Usage]:
    """What a process and all below it use, by the names of their programs."""
    children = defaultdict(list)
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children[parent].append(int(entry.name))
    found: dict[str, Usage] = {}
    waiting = [top]
    while waiting:
        pid = waiting.pop()
        waiting += children[pid]
        with suppress(OSError):
            used = usage(pid)
            name = "server" if pid == top else _name(pid)
            found[name] = found.get(name, Usage()) + used
    return found


def _name(pid: int) -> str:
    """The program that a process runs; of a script in Python, the script."""
    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    names = [Path(word).name for word in words if word and not word.startswith("-")]
    if len(names) > 1 and names[0].startswith("python"):
        return names[1]
    return names[0] if names else "?"


def growth(values: Sequence[float]) -> float:
    """By how much they grow from the first to the last: the median of all slopes between two of them.

    A single high or low value does not change it, and neither does a step at one end.
    """
    pairs = combinations(enumerate(values), 2)
    slopes = [(later - earlier) / (then - first) for (first, earlier), (then, later) in pairs]
    return statistics.median(slopes) * (len(values) - 1) if slopes else 0.0


def grown(samples: Sequence[Mapping[str, Usage]], bound: Bound) -> list[str]:
    """What grew beyond the bound, of the processes that were there the whole time."""
    steady = set.intersection(*(set(sample) for sample in samples)) if samples else set()
    found = []
    for name in sorted(steady):
        own = [sample[name] for sample in samples]
        memory = growth([each.memory for each in own])
        if memory > max(bound.memory, bound.share * own[0].memory):
            found.append(f"{name}: memory {own[0].memory:.1f} to {own[-1].memory:.1f} MB, {memory:+.1f}")
        for what in ("descriptors", "threads"):
            counts = [getattr(each, what) for each in own]
            if growth(counts) > bound.count:
                found.append(f"{name}: {what} {counts[0]} to {counts[-1]}, {growth(counts):+.1f}")
    return found
