"""What a trace costs: the same 100 actions of a test with and without one, and the size of its file."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from deskhand import App, expect, launch

from .measure import Figure, Report, interleaved

_DEMO = Path(__file__).parents[1] / "demo"
_APPS = {
    "PySide6, from inside": [sys.executable, str(_DEMO / "qt_form.py")],
    "GTK 3, from outside": ["/usr/bin/python3", str(_DEMO / "gtk3_form.py")],
}
_MORE = 0.3
"""How much more time a trace may take."""
_LARGEST = 10_000_000
"""How many bytes the trace of 100 actions may have."""


def run(report: Report, quick: bool) -> None:
    for name, command in _APPS.items():
        if report.wants(name, "trace"):
            _measure(report, name, command, 3 if quick else 9)


def _measure(report: Report, name: str, command: list[str], times: int) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder,
        launch(command, headless=True) as plain,
        launch(command, headless=True) as traced,
    ):
        file = Path(folder) / "trace.zip"

        def record() -> None:
            traced.tracing.start(file)
            _hundred_actions(traced)
            traced.tracing.stop()

        ours, without = interleaved(times, record, lambda: _hundred_actions(plain))
        size = file.stat().st_size
    more = f"at most {_MORE:.0%} more"
    report.add(
        Figure(
            f"100 actions with a trace, {name}",
            ours,
            "ms",
            "without",
            without,
            more,
            ours <= without * (1 + _MORE),
        )
    )
    report.add(
        Figure(f"size of that trace, {name}", size / 1e6, "MB", bound="below 10 MB", kept=size < _LARGEST)
    )


def _hundred_actions(app: App) -> None:
    """What tests do: type, click, tick, choose, and expect something each time."""
    for number in range(20):
        app.locator('textfield[name="Name"]').fill(f"Person {number}")
        app.get_by_role("button", name="Greet").click()
        expect(app.locator(f'text[name="Hello, Person {number}!"]')).to_be_visible()
        app.locator("checkbox").first.set_checked(number % 2 == 0)
        app.locator("combo-box").first.select_option(text=("Kenya", "Japan")[number % 2])
