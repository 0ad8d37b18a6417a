"""XPath 1.0 over a document, by lxml, in a process of its own that is ended at a deadline.

An expression can take for ever and lxml cannot be interrupted; so it runs where it can be killed. The process
keeps the last document, so that further expressions on it need not read it again. Run as a program, this
module is that process.
"""

from __future__ import annotations

import contextlib
import json
import math
import select
import signal
import subprocess
import sys
import threading
import time
from typing import IO, Any

from ..model.errors import ActionFailed, MissingProgram, SelectorError, WaitTimeout

LONGEST = 10_000
"""How many characters an expression may have."""
_START = 20.0
"""How long the process may take to start, in seconds."""


class XPath:
    """Evaluates expressions. Thread-safe; one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._has: str | None = None
        """The document that the process has."""

    def __call__(self, document: str, expression: str, context: int, timeout: float) -> list[int]:
        """The elements that it finds, by their number in document order, from 0; evaluated at `context`.

        The same document, as the same object, is sent only once.

        Raises SelectorError if it is not an expression that finds elements, WaitTimeout at the deadline.
        """
        if len(expression) > LONGEST:
            raise SelectorError(
                f"an XPath may have {LONGEST} characters", target=expression[:100], position=LONGEST
            )
        with self._lock:
            process = self._started()
            data = b"" if document is self._has else document.encode()
            ask = {
                "xpath": expression,
                "context": context,
                "length": len(data),
                "timeout": timeout,
            }
            try:
                answer = _exchange(process, ask, data, timeout)
            except BaseException:
                self._end()
                raise
            self._has = document
        if "error" in answer:
            raise SelectorError(
                f"cannot find by XPath {expression[:200]!r}: {answer['error']}",
                target=expression[:200],
                position=0,
            )
        found: list[int] = answer["found"]
        return found

    def close(self) -> None:
        """End the process; the next expression starts another."""
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        self._process = subprocess.Popen(
            [sys.executable, "-P" if sys.version_info >= (3, 11) else "-I", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        answer = _read(self._process, time.monotonic() + _START)
        if answer.get("missing"):
            self._end()
            raise MissingProgram(
                f"XPath needs lxml, which is not installed in {sys.executable}",
                missing="lxml",
                package="lxml",
                suggestions=("pip install lxml",),
            )
        return self._process

    def _end(self) -> None:
        process, self._process, self._has = self._process, None, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            process.wait()


def _exchange(
    process: subprocess.Popen[bytes], ask: dict[str, Any], data: bytes, timeout: float
) -> dict[str, Any]:
    assert process.stdin is not None
    deadline = time.monotonic() + timeout
    try:
        # It has answered everything before, so it takes in all of this.
        process.stdin.write(json.dumps(ask).encode() + b"\n" + data)
        process.stdin.flush()
    except OSError as error:
        raise ActionFailed(f"the process for XPath ended: {error.strerror}") from error
    try:
        return _read(process, deadline)
    except WaitTimeout:
        raise WaitTimeout(f"the XPath took longer than {timeout:g} s", target=ask["xpath"][:200]) from None


def _read(process: subprocess.Popen[bytes], deadline: float) -> dict[str, Any]:
    assert process.stdout is not None
    left = max(deadline - time.monotonic(), 0.0)
    if not select.select([process.stdout], [], [], left)[0]:
        raise WaitTimeout("no answer in time")
    line = process.stdout.readline()
    if not line:
        raise ActionFailed(f"the process for XPath ended with {process.wait()}")
    answer: dict[str, Any] = json.loads(line)
    return answer


def _main() -> None:
    """Answer requests on standard input until that is closed."""
    answers = sys.stdout.buffer
    try:
        from lxml import etree
    except ImportError:
        _answer(answers, {"missing": True})
        return
    _answer(answers, {})
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    elements: list[Any] = []
    numbers: dict[Any, int] = {}
    for line in iter(sys.stdin.buffer.readline, b""):
        ask = json.loads(line)
        if ask["length"]:
            elements = list(etree.fromstring(sys.stdin.buffer.read(ask["length"]), parser).iter())
            numbers = {element: number for number, element in enumerate(elements)}
        # Also if the process that asked is gone: what takes too long ends itself.
        signal.alarm(math.ceil(ask["timeout"]) + 1)
        try:
            found = elements[ask["context"]].xpath(ask["xpath"], smart_strings=False)
        except etree.XPathError as error:
            _answer(answers, {"error": str(error)})
            continue
        if not isinstance(found, list) or not all(element in numbers for element in found):
            _answer(answers, {"error": "it does not find elements"})
        else:
            _answer(answers, {"found": [numbers[element] for element in found]})


def _answer(to: IO[bytes], message: dict[str, Any]) -> None:
    signal.alarm(0)
    to.write(json.dumps(message).encode() + b"\n")
    to.flush()


if __name__ == "__main__":
    _main()
