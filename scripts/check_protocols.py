"""Finds what protocols leave to the engine and to serving: threads, sleeps and waiting loops.

python scripts/check_protocols.py            fail if a module in src/deskhand/protocols has any
python scripts/check_protocols.py FILE...    the same for these files

A protocol translates messages to operations. The import contracts say which modules it may import; this
checks how it uses them. Locks are allowed: several connections share what a protocol remembers.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PROTOCOLS = Path(__file__).resolve().parent.parent / "src" / "deskhand" / "protocols"
LOCKS = frozenset(("Lock", "RLock"))
AGAIN = frozenset(("run", "wait", "sleep", "pause", "monotonic", "perf_counter"))
"""What a loop that waits calls: an operation, a pause, or the clock."""


def main(paths: list[Path]) -> int:
    found = [
        f"{path}:{line}: {what}"
        for path in paths or sorted(PROTOCOLS.rglob("*.py"))
        for line, what in problems(path.read_text(encoding="utf-8"))
    ]
    print("\n".join(found))
    return 1 if found else 0


def problems(source: str) -> Iterator[tuple[int, str]]:
    """The line and the description of everything in a module that does not belong in a protocol."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module="threading") if named := {name.name for name in node.names} - LOCKS:
                yield node.lineno, f"imports {', '.join(sorted(named))} of threading; only locks are allowed"
            case ast.Import() if any(name.name == "threading" and name.asname for name in node.names):
                yield node.lineno, "imports threading by another name, so its use cannot be checked"
            case ast.Attribute(value=ast.Name(id="threading")) if node.attr not in LOCKS:
                yield node.lineno, f"uses threading.{node.attr}; only locks are allowed"
            case ast.ImportFrom(module="time") if any(name.name == "sleep" for name in node.names):
                yield node.lineno, "imports sleep; waiting is an operation of the engine"
            case ast.Attribute(value=ast.Name(id="time"), attr="sleep"):
                yield node.lineno, "sleeps; waiting is an operation of the engine"
            case ast.While() | ast.For() if _repeats(node):
                yield node.lineno, "waits in a loop; a condition of its own is WaitUntil or WaitWindows"


def _repeats(loop: ast.While | ast.For) -> bool:
    """Whether a loop does the same again, instead of something for each of several things."""
    if isinstance(loop, ast.For) and not _counts(loop.iter):
        return False
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in AGAIN
        for node in ast.walk(loop)
    )


def _counts(iterated: ast.expr) -> bool:
    return isinstance(iterated, ast.Call) and getattr(iterated.func, "id", "") == "range"


if __name__ == "__main__":
    sys.exit(main([Path(argument) for argument in sys.argv[1:]]))
