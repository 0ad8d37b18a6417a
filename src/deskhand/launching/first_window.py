"""The wait of a start for the app's first window, and the errors for an app that shows none.

The app is whichever of the processes that were started shows a window first. This starts and ends nothing.
"""

from __future__ import annotations

import contextlib
import functools
import json
import socket
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..adapters.scope import Scope, process_name
from ..inject import chromium, diagnose, jvm
from ..model.errors import DeskhandError, LaunchFailed, WaitTimeout
from ..processes import shortage
from ..processes.children import Process, Share, Supervisor
from .output import Output

if TYPE_CHECKING:
    from ..serving.proxy import Outsider

_LAST_LINES = 20
_FIRST_SEARCH, _NEXT_SEARCH = 1.0, 0.25
"""When to search for windows of a program that no agent can be put into, in seconds."""
_WINDOWS_ONLY = 10.0
"""When to be content with the windows of a program that is not on the accessibility bus, in seconds."""
_JVM_POLL = 0.05
"""How often to check whether an agent in a JVM listens, in seconds. It cannot report to us: Java has no such
sockets."""
_FIRST_PORT = 0.3
"""When to search for a browser with a debugging port, in seconds."""
_NAMED = 8
"""How many processes an error names."""


class Reports:
    """What agents report to this process, over a datagram socket."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            self._socket.bind(str(path))
        except OSError:
            self._socket.close()
            raise
        path.chmod(0o600)

    def __enter__(self) -> Reports:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self.path.unlink(missing_ok=True)

    def wake(self) -> None:
        """Let `next` return an empty report."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.sendto(b"{}", str(self.path))

    def next(self, timeout: float) -> dict[str, Any] | None:
        """The next report, or None if there is none in time."""
        self._socket.settimeout(max(timeout, 0.001))
        try:
            message: dict[str, Any] = json.loads(self._socket.recv(1 << 16))
        except TimeoutError:
            return None
        return message


class _Refused:
    """The processes that get no agent, although they look as if they would."""

    def __init__(self, reported: Container[int], outside: bool, late: bool) -> None:
        """`late` is whether what was entered has had its time to report that an agent runs there."""
        self._reported = reported
        self._outside = outside
        self._late = late

    def __contains__(self, pid: object) -> bool:
        if self._outside or (isinstance(pid, int) and pid in self._reported):
            return True
        return self._late and isinstance(pid, int) and diagnose.was_entered(pid)


@dataclass(frozen=True)
class Starting:
    """An app that was started, and need not have a window yet."""

    command: Sequence[str]
    process: Process
    """The one that the command started; its children may be the app."""
    supervisor: Supervisor | Share
    output: tuple[Output, Output]
    env: Mapping[str, str]
    agents: Path
    """The folder in which agents in JVMs listen."""
    browsers: chromium.Awaited
    """Where a browser that we start connects."""
    scope: Scope
    outside: bool = False
    """Whether it was started without an agent, to be driven from outside."""

    def first_window(self, reports: Reports, timeout: float) -> dict[str, Any] | Outsider:
        """Wait until the app reports that it can be driven, or can be driven by this process."""
        now = time.monotonic()
        deadline, search, content = now + timeout, now + _FIRST_SEARCH, now + _WINDOWS_ONLY
        trouble: DeskhandError | None = None
        port_search = now + _FIRST_PORT
        refused: dict[int, str] = {}
        while True:
            # Read before the reports, so that what it reported before it ended still counts.
            ended = self.process.returncode is not None and not self.supervisor.apps()
            report = reports.next(min(deadline - time.monotonic(), _JVM_POLL))
            now = time.monotonic()
            if report is None and ended:
                raise self._ended()
            if report is None and now < deadline:
                if not self.outside and (browser := self._browser(at_port=now >= port_search)) is not None:
                    return browser
                if now < search and not any(jvm.listening(self.agents)):
                    continue
                from ..serving import proxy  # which takes a while to load, and most programs do not need

                program = proxy.find_in_jvm(self.agents, self.scope, self.env)
                if program is None and now >= search:
                    late = now >= content
                    program, trouble = self._search(_Refused(refused, self.outside, late), patient=not late)
                    search = time.monotonic() + _NEXT_SEARCH
                if program is not None:
                    return replace(program, reason=refused.get(program.pid))
                continue
            if report is None:
                raise self._no_window(timeout, trouble)
            if report.get("ready"):
                return report
            if "outside" in report:
                refused[report["pid"]] = report["outside"]
                search = time.monotonic()
            if "error" in report:
                raise LaunchFailed(
                    f"'{self._shown}' runs, but cannot be driven: {report['error']}",
                    target=self.command[0],
                    suggestions=shortage.advice_on(report["error"]),
                    traceback=report.get("traceback"),
                )

    def _browser(self, *, at_port: bool) -> Outsider | None:
        """The browser that has connected, or that has a debugging port."""
        connected = self.browsers.connected()
        found = list(chromium.ports(self.supervisor.apps())) if at_port and connected is None else []
        if connected is None and not found:
            return None
        from ..serving import proxy  # as below

        if connected is not None:
            return proxy.connected_browser(*connected, self.scope, self.env)
        return proxy.find_browser(found, self.scope, self.env)

    @property
    def _shown(self) -> str:
        return " ".join(self.command)

    def _search(self, refused: _Refused, *, patient: bool) -> tuple[Outsider | None, DeskhandError | None]:
        """The program that has a window by now, or why the search failed; both None if none has one."""
        from ..serving import proxy  # as above

        trouble = None
        for find in (proxy.find, functools.partial(proxy.find_windows, patient=patient)):
            try:
                if (program := find(self.scope, self.env, refused)) is not None:
                    return program, None
            except DeskhandError as error:
                trouble = error  # accessibility may come up later
        return None, trouble

    def _no_window(self, timeout: float, trouble: DeskhandError | None) -> WaitTimeout:
        """The error for an app that runs and shows nothing, with what was seen of it."""
        running = self.supervisor.apps()
        verdict = diagnose.without_agent(running)
        unseen = "" if diagnose.may_get_agent(running) else "; accessibility shows no window of it"
        if trouble is not None:
            unseen += f"; the last search for its windows failed: {trouble}"
        if self.process.returncode is not None:
            unseen += f"; process {self.process.pid} {self.process.ending()}"
        if len(running) > 1:
            names = [f"{process_name(pid) or 'process'} ({pid})" for pid in sorted(running)]
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            unseen += f"; still running: {', '.join(names[:_NAMED])}{more}"
        return WaitTimeout(
            f"waited {timeout:g} s for '{self._shown}' to show a window that can be driven; "
            f"{verdict.reason}{unseen}",
            target=self.command[0],
            suggestions=verdict.suggestions,
            stderr=self.output[1].end,
            processes=sorted(running),
        )

    def _ended(self) -> LaunchFailed:
        stdout, stderr = self.output[0].end, self.output[1].end
        # A JVM that cannot start says why on its standard output.
        last = (stderr.rstrip() or stdout.rstrip()).splitlines()[-_LAST_LINES:]
        said = "; its last words:\n" + "\n".join(f"  {line}" for line in last) if last else ""
        return LaunchFailed(
            f"'{self._shown}' {self.process.ending()} before it had a window{said}",
            target=self.command[0],
            suggestions=jvm.without_agents(stdout),
            exit_code=self.process.returncode,
            stderr=stderr,
        )
