"""A conversation that knows no protocol: it answers with what it was sent, or waits."""

from __future__ import annotations

import threading


class Echo:
    """Answers `wait` only once it is cancelled or released, and gives no answer to `quiet`."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, str, str]] = []
        self.closed = 0
        self.cancelled = 0
        self.waiting = threading.Semaphore(0)
        self.changed = threading.Condition()
        self.release = threading.Event()

    def __call__(self, transport: str, url: str, peer: str) -> _Conversation:
        self.opened.append((transport, url, peer))
        return _Conversation(self)

    def until(self, what) -> None:
        """Wait until something is true of this."""
        with self.changed:
            assert self.changed.wait_for(lambda: what(self), 10)


class _Conversation:
    def __init__(self, echo: Echo) -> None:
        self._echo = echo

    def handle(self, message, cancel):
        echo = self._echo
        if b"wait" in message:
            echo.waiting.release()
            while not cancel.is_set() and not echo.release.wait(0.01):
                pass
            if cancel.is_set():
                with echo.changed:
                    echo.cancelled += 1
                    echo.changed.notify_all()
        return None if b"quiet" in message else message

    def refuse(self, reason):
        return b'{"refused":"' + reason.encode() + b'"}'

    def close(self):
        with self._echo.changed:
            self._echo.closed += 1
            self._echo.changed.notify_all()
