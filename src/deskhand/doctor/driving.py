"""Lets a small program show a button, and presses it: whether a toolkit can be driven here."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .trying import TIMEOUT

_DRIVE = """
import json, pathlib, tempfile
from deskhand import expect, launch
with tempfile.TemporaryDirectory() as folder:
    program = pathlib.Path(folder, {name!r})
    program.write_text({source!r})
    with launch([*{command!r}, str(program)], timeout={timeout}) as app:
        app.get_by_role("button").click()
        expect(app.get_by_role("button")).to_have_text("pressed")
        about = app.info()
        print(json.dumps({{"toolkit": about.toolkit, "version": about.version}}))
"""


def drive(source: str, name: str = "form.py", command: Sequence[str] = (sys.executable,)) -> str:
    """A script that starts such a program, whose button then says `pressed`, and prints its toolkit."""
    return _DRIVE.format(name=name, source=source, command=list(command), timeout=TIMEOUT / 2)
