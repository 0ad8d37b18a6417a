"""How to start each form of this folder, by the records of the toolkits."""

from __future__ import annotations

import sys
from pathlib import Path

from deskhand.toolkits import TOOLKITS, Way

HERE = Path(__file__).parent

FORMS = {way.name: way for toolkit in TOOLKITS for way in toolkit.ways}
"""Every way in to a form, by its name in the conformance matrix."""


def command(way: Way, *options: str) -> list[str]:
    """The command that starts the form behind a way in."""
    form = str(HERE / way.form)
    runs = [form] if not way.form.endswith(".py") else [way.python or sys.executable, form]
    return [*runs, *way.arguments, *options]
