"""Records what a person does, and does it again by running the code that came of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deskhand import App, launch
from deskhand.recording import Recording, Source
from deskhand.serving.machine import session_of
from deskhand.serving.remote import Remote

from .person import Person

PASSWORD = "s3cret-Pa55"
ENDED = 60
"""How long a replay may take, in seconds."""


@dataclass
class Recorded:
    """A recording that goes on."""

    person: Person
    recording: Recording
    app: App


@contextmanager
def recorded(command: list[str], env: Mapping[str, str] | None = None) -> Iterator[Recorded]:
    """An app on a desktop of its own, with a person who operates it and a recording of that."""
    with launch(command, headless=True, env=env) as app:
        assert app.pid is not None
        desktop = session_of(app.pid)
        runner = Remote(app.address).open()
        person = Person(app, desktop)
        source = Source(tuple(command), headless=True)
        try:
            with Recording(runner, desktop, source=source, pid=app.pid) as recording:
                yield Recorded(person, recording, app)
        finally:
            person.close()
            runner.close()


def record(command: list[str], script: Callable[[Recorded], None], env: Mapping[str, str]) -> Recording:
    """What a script recorded."""
    with recorded(command, env) as made:
        script(made)
        made.recording.stop()
        return made.recording


def replay(code: str, folder: Path, env: Mapping[str, str], format: str = "pytest") -> None:
    """Run code on a new desktop, as a user would; it must succeed."""
    file = folder / {"pytest": "test_recorded.py", "python": "recorded.py", "sh": "recorded.sh"}[format]
    file.write_text(code)
    runs = {
        "pytest": [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull,
                   f"--rootdir={folder}", f"--deskhand-output={folder / 'left'}"],
        "python": [sys.executable],
        "sh": ["sh"],
    }  # fmt: skip
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*runs[format], str(file)],
        env={**os.environ, **env, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=ENDED,
        cwd=Path.cwd(),
    )
    assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
