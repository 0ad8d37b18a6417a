"""Explore programs of Debian and check that what deskhand says is true: `python -m campaign`."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from deskhand.model.errors import DeskhandError

from .explore import Explorer, Step
from .programs import BY_NAME, PROGRAMS, Program
from .results import KINDS, has, save
from .visit import Ended, Failure, Outcome, Visit

FOLDER = Path("build/campaign")
"""Where failures leave their steps and screenshots."""
_SHOWN = 4
"""How many failures of a kind are printed for one step."""
_RESTARTS = 25
"""A program that ended more often than this is left alone."""
_STUCK = 60.0
"""How many seconds a run may take for each action before it is ended."""
_stop = threading.Event()
"""Set by a signal: the run ends after its current step, and no other one begins."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="what the random choices come from; 1 by default")
    parser.add_argument("--actions", type=int, default=50, help="how many for each program; 50 by default")
    parser.add_argument("--seeds", type=int, default=1, help="how many, from that one on; 1 by default")
    parser.add_argument("--workers", type=int, default=1, help="how many programs at the same time")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="leave out the runs that campaign/results.json has, other than failed ones of older commits",
    )
    parser.add_argument("--minutes", type=float, help="end after this time, whatever was done")
    parser.add_argument(
        "--program", action="append", metavar="NAME", help="one of them only; may be repeated"
    )
    parser.add_argument("--toolkit", action="append", metavar="NAME", help="the programs of a toolkit only")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="do the steps of a failure again")
    parser.add_argument(
        "--save", action="store_true", help="take the results into campaign/results.json, for the page"
    )
    parser.add_argument("--verbose", action="store_true", help="print each step")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.program or () if name not in BY_NAME]:
        parser.error(f"no program '{unknown[0]}'; there are {', '.join(BY_NAME)}")
    if arguments.replay is not None:
        return _replay(arguments.replay)
    programs = [
        program
        for program in PROGRAMS
        if not arguments.program or program.name in arguments.program
        if not arguments.toolkit or program.toolkit in arguments.toolkit
    ]
    deadline = time.monotonic() + 60 * arguments.minutes if arguments.minutes else float("inf")
    seeds = range(arguments.seed, arguments.seed + arguments.seeds)
    runs = [
        (program, seed)
        for seed in seeds
        for program in programs
        if not (arguments.resume and has(program.name, seed, arguments.actions))
    ]
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupted)
    if len(runs) > 1:
        return _in_processes(runs, arguments, deadline)
    failed = False
    for program, seed in runs:
        outcome = explore(program, seed, arguments.actions, deadline, arguments.verbose)
        failed = bool(outcome.failures)
        report(outcome, seed)
        if arguments.save:
            save(outcome, seed)
    return 1 if failed else 0


def _interrupted(number: int, _: object) -> None:
    """End after the current step; at once when Ctrl+C is pressed a second time."""
    if number == signal.SIGINT:
        signal.signal(number, signal.SIG_DFL)
    _stop.set()


def _in_processes(runs: list[tuple[Program, int]], arguments: argparse.Namespace, deadline: float) -> int:
    """Do each run in a process of its own, so that what ends one does not end the others."""
    began, done, worst = time.monotonic(), 0, 0
    alone = arguments.workers == 1

    def one(run: tuple[Program, int]) -> tuple[int, str]:
        left = (deadline - time.monotonic()) / 60
        if left <= 0 or _stop.is_set():
            return 0, ""
        program, seed = run
        argv = [sys.executable, "-m", "campaign", "--program", program.name, "--seed", str(seed)]
        argv += ["--actions", str(arguments.actions), *(["--save"] if arguments.save else [])]
        argv += ["--verbose"] if arguments.verbose else []
        argv += ["--minutes", f"{left:.3f}"] if left < float("inf") else []
        pipe = None if alone else subprocess.PIPE
        process = subprocess.Popen(argv, stdout=pipe, stderr=pipe and subprocess.STDOUT, text=True)
        code, printed = _watch(process, _STUCK * (arguments.actions + 5))
        if code not in (0, 1) and not _stop.is_set():
            what = "did not end in time" if code is None else f"ended with code {code}"
            outcome = Outcome(program.name, program.toolkit)
            outcome.failures.append(Failure("error", f"the run {what}", 0))
            report(outcome, seed)
            if arguments.save:
                save(outcome, seed)
        return 1 if code is None else code, printed

    with ThreadPoolExecutor(arguments.workers) as pool:
        for code, printed in pool.map(one, runs):
            done += 1
            worst = max(worst, abs(code))
            left = (time.monotonic() - began) / done * (len(runs) - done)
            if not _stop.is_set():
                print(f"{printed}  {done} of {len(runs)} runs, about {left:.0f} s left", flush=True)
    return worst


def _watch(process: subprocess.Popen[str], limit: float) -> tuple[int | None, str]:
    """Wait for a run; its code and what it printed. Without a code it had to be killed."""
    deadline, passed_on = time.monotonic() + limit, False
    while True:
        try:
            printed, _ = process.communicate(timeout=1)
            return process.returncode, printed or ""
        except subprocess.TimeoutExpired:
            if _stop.is_set() and not passed_on:
                process.terminate()
                passed_on = True
        if time.monotonic() > deadline:
            process.kill()
            printed, _ = process.communicate()
            return None, printed or ""


def explore(
    program: Program, seed: int, actions: int, deadline: float = float("inf"), verbose: bool = False
) -> Outcome:
    """Explore one program."""
    explorer = Explorer(f"{seed} {program.name}", program.avoid)
    began = time.monotonic()
    visit = Visit(program, FOLDER)
    try:
        with visit:
            visit.check()
            while visit.outcome.actions < actions and time.monotonic() < deadline and not _stop.is_set():
                seen, refused = len(visit.outcome.failures), visit.outcome.refused
                step = explorer.choose(visit.tree)
                _progress(program, visit.outcome, actions, began)
                try:
                    visit.do(step)
                except Ended:
                    if visit.outcome.restarts >= _RESTARTS:
                        break
                    visit.restart()
                explorer.refused(visit.outcome.refused > refused)
                if verbose:
                    print(f"  {visit.outcome.actions:4} {time.monotonic() - began:6.1f}s {step}", flush=True)
                    for note in visit.notes:
                        print(f"       {note}", flush=True)
                    visit.notes.clear()
                _show(program, step, visit.outcome.failures[seen:])
    except DeskhandError as error:
        visit.outcome.failures.append(
            Failure("start", f"{type(error).__name__}: {error}", visit.outcome.actions)
        )
    except Exception:  # noqa: BLE001 - a fault of the campaign itself, which the page must not hide
        visit.outcome.failures.append(Failure("error", traceback.format_exc(), visit.outcome.actions))
    return visit.outcome


def _show(program: Program, step: Step, failures: list[Failure]) -> None:
    for kind in dict.fromkeys(failure.kind for failure in failures):
        same = [failure for failure in failures if failure.kind == kind]
        print(f"\n  {program.name}: {kind}: after {step}:", flush=True)
        for failure in same[:_SHOWN]:
            print(f"    {failure.what}", flush=True)
        if len(same) > _SHOWN:
            print(f"    and {len(same) - _SHOWN} more", flush=True)


def report(outcome: Outcome, seed: int) -> None:
    """Print what a visit came to, and leave the steps that lead to each failure."""
    counts = ", ".join(f"{kind} {outcome.count(kind)}" for kind in KINDS if outcome.count(kind))
    print(
        f"\r{outcome.program} ({outcome.toolkit}): {outcome.actions} actions, {outcome.refused} refused, "
        f"{outcome.reads} reads, {outcome.nodes} nodes, {outcome.points} points, "
        f"{outcome.restarts} restarts: {counts or 'no failure'}",
        flush=True,
    )
    if not outcome.failures:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{outcome.program}-{seed}.json"
    recorded = {
        "program": outcome.program,
        "seed": seed,
        "failures": [asdict(one) for one in outcome.failures],
        "steps": [asdict(step) for step in outcome.steps],
    }
    path.write_text(json.dumps(recorded, indent=1))
    last = max(one.step for one in outcome.failures)
    print(f"  seed {seed}; the {last} steps to the last failure are in {path}", flush=True)
    print(f"  do them again: {sys.executable} -m campaign --replay {path}", flush=True)


def _replay(path: Path) -> int:
    recorded = json.loads(path.read_text())
    last = max(one["step"] for one in recorded["failures"])
    visit = Visit(BY_NAME[recorded["program"]], FOLDER)
    with visit:
        visit.check()
        for number, fields in enumerate(recorded["steps"][:last], 1):
            step = Step(**fields)
            print(f"{number:4} {step}", flush=True)
            seen = len(visit.outcome.failures)
            try:
                visit.do(step)
            except Ended:
                print("     the program ended and is started again")
                visit.restart()
            for failure in visit.outcome.failures[seen:]:
                print(f"     {failure.kind}: {failure.what}", flush=True)
    return 1 if visit.outcome.failures else 0


def _progress(program: Program, outcome: Outcome, actions: int, began: float) -> None:
    """One line that is written again and again, where a person watches."""
    if not sys.stderr.isatty():
        return
    filled = 30 * outcome.actions // max(1, actions)
    bar = "#" * filled + "." * (30 - filled)
    left = (time.monotonic() - began) / max(1, outcome.actions) * (actions - outcome.actions)
    print(
        f"\r{program.name:18} [{bar}] {outcome.actions}/{actions}, "
        f"{len(outcome.failures)} failures, {left:.0f} s left ",
        end="",
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
