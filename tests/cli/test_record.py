"""`deskhand record`, as a person uses it: from the terminal, with real input."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deskhand import connect
from deskhand.processes import registry
from deskhand.serving.machine import session_of
from tests.recording.person import Person

DESKHAND = str(Path(sys.executable).parent / "deskhand")
FORM = [sys.executable, str(Path("demo/qt_form.py").absolute())]
PASSWORD = "hunter2-is-long"


class Terminal:
    """A recording that runs in a process of its own."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [DESKHAND, "record", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
        )
        self.lines: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self._threads = [
            threading.Thread(target=self._read, args=(name,), daemon=True) for name in self.lines
        ]
        for thread in self._threads:
            thread.start()

    def _read(self, name: str) -> None:
        for line in getattr(self.process, name):
            self.lines[name].append(line.rstrip("\n"))

    def wait_for(self, line: str, where: str = "stdout") -> None:
        deadline = time.monotonic() + 40
        while not any(line in seen for seen in self.lines[where]):
            assert time.monotonic() < deadline, f"no {line!r} in {self.lines}"
            assert self.process.poll() is None, f"it ended: {self.lines}"
            time.sleep(0.05)

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self, number: int | None = signal.SIGINT) -> int:
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(30)
        for thread in self._threads:
            thread.join(10)
        return code


@contextmanager
def terminal(*arguments: str, env: dict[str, str] | None = None) -> Iterator[Terminal]:
    started = Terminal(*arguments, env=env)
    try:
        started.wait_for("ready", "stdout" if "-o" in arguments else "stderr")
        yield started
    finally:
        if started.process.poll() is None:
            started.process.kill()
        started.process.wait()
        for stream in (started.process.stdin, started.process.stdout, started.process.stderr):
            assert stream is not None
            stream.close()


@contextmanager
def person_at(child_of: int) -> Iterator[Person]:
    """A person in front of the app that a process started."""
    (entry,) = [entry for entry in registry.apps() if child_of in _ancestors(entry.pid)]
    with connect(f"unix:{entry.control}") as app:
        person = Person(app, session_of(entry.pid))
        try:
            yield person
        finally:
            person.close()


def _ancestors(pid: int) -> list[int]:
    found = []
    while pid > 1:
        found.append(pid)
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return found


def in_memory(pid: int, text: str) -> bool:
    """Whether a process has a text anywhere in its memory, in an encoding that Python uses."""
    wanted = [text.encode(), text.encode("utf-16-le"), text.encode("utf-32-le")]
    with Path(f"/proc/{pid}/maps").open() as maps, Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        for line in maps:
            found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if found and "[v" not in line:
                start, end = (int(part, 16) for part in found.groups())
                memory.seek(start)
                try:
                    data = memory.read(end - start)
                except OSError:
                    continue
                if any(each in data for each in wanted):
                    return True
    return False


def test_what_is_done_appears_as_code_and_is_in_the_file_when_it_is_interrupted(tmp_path: Path) -> None:
    file = tmp_path / "test_form.py"
    with terminal("--headless", "-o", str(file), "--", *FORM) as started:
        compile(file.read_text(), "before anything is done", "exec")
        with person_at(started.process.pid) as person:
            person.click("#name")
            person.type("Ada é")
            person.press("Tab")
            person.type(PASSWORD)
            person.click("checkbox", at=(12, 10))
            started.wait_for('app.locator("#name").fill("Ada é")')
            started.wait_for('app.locator("#secret").fill(os.environ["PASSWORD"])')
            assert in_memory(started.process.pid, "Ada é")
            assert not in_memory(started.process.pid, PASSWORD)
            started.say("assert text #report")
            started.wait_for('expect(app.locator("#report")).to_have_text("newsletter True")')
            started.say("assert value #secret")
            started.wait_for("password field, whose text is not recorded", "stderr")
            person.hover("#name")
            started.say("assert value")
            started.wait_for('expect(app.locator("#name")).to_have_value("Ada é")')
            person.click("#order")
        # The last click has not become a step when it is interrupted.
        assert started.end() == 0
    said = "\n".join(started.lines["stdout"] + started.lines["stderr"])
    assert "Traceback" not in said
    assert PASSWORD not in said + file.read_text()
    assert file.read_text().endswith('    app.locator("#order").click()\n'), file.read_text()
    assert "note: PASSWORD has to be in the environment" in said
    compile(file.read_text(), str(file), "exec")


def test_a_recording_ends_with_the_app_and_its_code_is_on_standard_output() -> None:
    with terminal("--headless", "--format", "python", "--", *FORM) as started:
        with person_at(started.process.pid) as person:
            person.click("#name")
            person.type("Ada")
            started.wait_for('fill("Ada")')
            person.press("alt+F4")
        assert started.end(None) == 0
    code = "\n".join(started.lines["stdout"])
    compile(code, "what was printed", "exec")
    assert "with launch(" in code
    assert code.endswith(
        '    app.locator("#name").fill("Ada")\n    app.locator("#order_form").control_window("close")'
    )
    assert '"name": "Ada"' in "\n".join(started.lines["stderr"])  # what the app itself printed


def test_everything_on_a_desktop_is_recorded_without_a_command(tmp_path: Path) -> None:
    file = tmp_path / "recorded.py"
    recorder = f"exec {DESKHAND} record --format python -o {file}"
    desktop = subprocess.Popen(
        [DESKHAND, "desktop", "--", "sh", "-c", f"galculator & {recorder}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert desktop.stdout is not None
    try:
        assert "ready\n" in iter(desktop.stdout.readline, "")
        env = _environment_on(desktop.pid)
        found = subprocess.run(
            ["xdotool", "search", "--sync", "--onlyvisible", "--name", "galculator"],
            env=env, capture_output=True, text=True, timeout=30,
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        window = found.stdout.split()[-1]
        subprocess.run(["xdotool", "windowfocus", "--sync", window, "key", "--delay", "200", "7", "asterisk"],
                       env=env, check=True, timeout=30)  # fmt: skip
        time.sleep(0.5)
        for pid in _children(desktop.pid):
            if "record" in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGINT)
        assert desktop.wait(30) == 0
    finally:
        if desktop.poll() is None:
            desktop.terminate()
            desktop.wait(30)
        desktop.stdout.close()
    assert '.type("7*")' in file.read_text(), file.read_text()
    assert "with connect() as app:" in file.read_text()


def _children(pid: int) -> list[int]:
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdecimal() and entry.name != str(pid) and pid in _line(int(entry.name))
    ]


def _line(pid: int) -> list[int]:
    try:
        return _ancestors(pid)
    except (OSError, ValueError):
        return []


def _environment_on(pid: int) -> dict[str, str]:
    for child in _children(pid):
        data = Path(f"/proc/{child}/environ").read_text()
        given = dict(part.split("=", 1) for part in data.split("\0") if "=" in part)
        if "galculator" in Path(f"/proc/{child}/cmdline").read_text():
            return given
    raise AssertionError("galculator does not run")
