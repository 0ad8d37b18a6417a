"""Timing, statistics, and the table that is printed."""

from __future__ import annotations

import gc
import json
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Figure:
    """One comparison: ours against a peer's on the same work, and the bound it must keep, if there is one."""

    what: str
    ours: float
    unit: str
    peer: str = ""
    theirs: float | None = None
    bound: str = ""
    kept: bool | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None or not self.ours else self.theirs / self.ours


@dataclass
class Report:
    """Collects figures, prints each as it comes, and saves them all."""

    figures: list[Figure] = field(default_factory=list)
    rows: tuple[str, ...] = ()
    """Texts that limit what is measured; empty for everything."""

    def wants(self, *names: str) -> bool:
        """Whether to measure something that goes by one of these names."""
        return not self.rows or any(row in name for row in self.rows for name in names)

    def add(self, figure: Figure) -> None:
        self.figures.append(figure)
        against = f"  {figure.peer} {figure.theirs:.4g} {figure.unit}" if figure.theirs is not None else ""
        ratio = f"  ratio {figure.ratio:.2f}" if figure.ratio is not None else ""
        verdict = "" if figure.kept is None else f"  [{'kept' if figure.kept else 'BROKEN'}: {figure.bound}]"
        print(f"{figure.what}: {figure.ours:.4g} {figure.unit}{against}{ratio}{verdict}", flush=True)

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        machine = {"python": platform.python_version(), "machine": platform.machine()}
        figures = [{**asdict(figure), "ratio": figure.ratio} for figure in self.figures]
        path.write_text(json.dumps({"machine": machine, "figures": figures}, indent=2) + "\n")

    def table(self) -> str:
        """The figures as a table in Markdown."""
        lines = ["| what | ours | peer | ratio | bound |", "|---|---|---|---|---|"]
        for one in self.figures:
            theirs = "" if one.theirs is None else f"{one.peer} {one.theirs:.3g} {one.unit}"
            ratio = "" if one.ratio is None else f"{one.ratio:.3g}"
            bound = "" if one.kept is None else f"{one.bound}: {'kept' if one.kept else 'broken'}"
            lines.append(f"| {one.what} | {one.ours:.3g} {one.unit} | {theirs} | {ratio} | {bound} |")
        return "\n".join(lines)

    @property
    def broken(self) -> list[Figure]:
        return [figure for figure in self.figures if figure.kept is False]


def interleaved(
    times: int, *functions: Callable[[], object], before: Callable[[], object] | None = None
) -> list[float]:
    """The median time of each in ms, taking turns so that a noisy moment affects all of them.

    `before` is called each time, and not measured. As in `timeit`, this process does not collect garbage
    while it measures: what it holds has nothing to do with what is measured.
    """
    taken: list[list[float]] = [[] for _ in functions]
    for function in functions:
        function()
    for _ in range(times):
        for function, own in zip(functions, taken, strict=True):
            if before is not None:
                before()
            own.append(_timed(function))
    return [statistics.median(own) for own in taken]


def _timed(function: Callable[[], object]) -> float:
    gc.disable()
    try:
        began = time.perf_counter()
        function()
        return (time.perf_counter() - began) * 1000
    finally:
        gc.enable()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
