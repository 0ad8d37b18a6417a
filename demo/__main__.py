"""Drives the order form on a private desktop, and prints each step.

`python -m demo` runs once and ends with what the form itself reports; `--keep` leaves it running and
says how to connect to it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from deskhand import App, Desktop, expect, launch
from deskhand.model.outline import outline

FORM = Path(__file__).with_name("qt_form.py")
SCREENSHOT = Path("build/demo.png")
GIP = "deskhand-demo"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--binding", default="PySide6", choices=["PySide6", "PyQt6"])
    parser.add_argument("--keep", action="store_true", help="leave the form running and say how to connect")
    parser.add_argument("--screenshot", type=Path, default=SCREENSHOT, help="where to save the screenshot")
    arguments = parser.parse_args()
    began = time.monotonic()
    command = [sys.executable, str(FORM), "--binding", arguments.binding]
    with (
        Desktop(size=(960, 700)) as desktop,
        launch(command, env=desktop.env, gip=GIP if arguments.keep else None) as app,
    ):
        print(
            f"A private desktop and a {arguments.binding} form are up after {time.monotonic() - began:.1f} s."
        )
        drive(app)
        arguments.screenshot.parent.mkdir(parents=True, exist_ok=True)
        arguments.screenshot.write_bytes(desktop.screenshot())
        print(f"    the screen is saved in {arguments.screenshot}")
        answer(app)
        if arguments.keep:
            return keep(app)
        app.get_by_role("menu-item", name="Quit").activate()
        code = app.wait_for_exit()
        report = json.loads(app.stdout.splitlines()[-1])
    print("\nThe form itself reports:")
    for event in report["events"]:
        print(f"  {event}")
    assert report["name"] == "Ada Lovelace"
    assert report["events"][-1] == "ordered"
    print(f"\nIt ended with exit code {code}. The screenshot is in {arguments.screenshot}.")
    return code


def drive(app: App) -> None:
    print("\nWhat is on the screen, with a selector for each element:\n")
    print(outline(app.tree(visible_only=True), app.selectors()))
    print()
    step("type a name into the field labelled Name")
    app.locator('textfield[name="Name"]').fill("Ada Lovelace")
    says(app, "name Ada Lovelace")
    step("tick the newsletter box")
    app.get_by_role("checkbox", name="Send me the newsletter").check()
    says(app, "newsletter True")
    step("choose Kenya from the combo box")
    app.locator("#country").select_option(text="Kenya")
    says(app, "country Kenya")
    step("press the button Greet")
    app.get_by_role("button", name="Greet").click()
    says(app, "Hello, Ada Lovelace!")
    step("press Place order, which opens a modal dialog")
    app.locator("#order").click()
    dialog = app.locator('dialog[name="Confirm"]')
    expect(dialog).to_be_visible()
    print(f"    the dialog asks: {dialog.get_by_text('Place the order').text_content()}")


def answer(app: App) -> None:
    step("answer Yes")
    app.locator('dialog[name="Confirm"]').get_by_role("button", name="Yes").click()
    says(app, "ordered")


def keep(app: App) -> int:
    print("\nThe form keeps running. Try, in another terminal:")
    for line in ("tree", "click 'button[name=\"Greet\"]'", "screenshot --out form.png"):
        print(f"  .venv/bin/deskhand --gip {GIP} {line}")
    print("Ctrl-C ends it.")
    try:
        return app.wait_for_exit(timeout=None)
    except KeyboardInterrupt:
        return 0


def step(what: str) -> None:
    print(f"  → {what}")


def says(app: App, what: str) -> None:
    expect(app.locator("#report")).to_have_text(what)
    print(f"    the form says: {what}")


if __name__ == "__main__":
    sys.exit(main())
