"""What a person does to the form of each toolkit, recorded and repeated, leads to the same state of it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from demo.forms import FORMS, command

from .replays import PASSWORD, Recorded, record, replay

WAYS = ("pyside6-xcb", "wx-xcb", "tk-xcb", "atspi-gtk3", "atspi-gtk4", "javafx")


def order(made: Recorded) -> None:
    """Fill in the form, order, and close it."""
    person = made.person
    person.click('textfield[name="Name"]')
    person.type("Ada Lovelace")
    person.press("Tab")
    person.type(PASSWORD)
    person.click('checkbox[name="Send me the newsletter"]', at=(12, 10))
    person.click('combo-box[name="Country"]')
    person.press("Down", "Enter")
    person.click('[name="Courier"]', at=(10, 10))
    person.click('editable-text[name="Notes"]')
    person.type("two")
    person.press("Enter")
    person.type("lines")
    person.click('[name="File"]:visible')
    person.click('menu-item[name="Save"]')
    person.click('button[name="Load later"]')
    person.click('button[name="Send"]:enabled')
    person.click('button[name="Place order…"]')
    person.click("button[name=/Yes/]")
    person.wait(lambda: "ordered" in str(made.app.tree()))
    person.press("alt+F4")
    made.app.wait_for_exit(timeout=10)


def result(file: Path) -> dict[str, object]:
    """What a form printed when it was closed: of the texts that grew while they were typed, the last."""
    printed = json.loads(file.read_text().strip().splitlines()[-1])
    events: list[str] = []
    for event in printed["events"]:
        if events and event.split(" ")[0] == events[-1].split(" ")[0]:
            events.pop()
        events.append(event)
    return {**printed, "events": events}


@pytest.mark.parametrize("way", WAYS)
def test_an_order_in_a_form_is_recorded_and_replayed(way: str, tmp_path: Path) -> None:
    wanted, got = tmp_path / "recorded.json", tmp_path / "replayed.json"
    form = ["sh", "-c", f'exec {shlex.join(command(FORMS[way]))} > "$STATE"']
    recording = record(form, order, {"STATE": str(wanted)})
    code = recording.code()
    assert PASSWORD not in code
    replay(code, tmp_path, {"STATE": str(got), "PASSWORD": PASSWORD})
    assert result(got) == result(wanted), code
