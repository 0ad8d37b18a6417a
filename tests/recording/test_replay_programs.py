"""What a person does to programs of Debian, recorded and repeated, leads to the same result."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskhand.model.order import shown_text

from .replays import Recorded, record, recorded, replay

pytestmark = pytest.mark.programs


def test_a_text_written_with_mousepad_is_saved_again(tmp_path: Path) -> None:
    home = tmp_path / "texts"
    home.mkdir()

    def write(made: Recorded) -> None:
        person = made.person
        person.see("editable-text")
        person.type("one line")
        person.press("Enter")
        person.type("and another")
        person.press("ctrl+s")
        person.see("dialog")
        person.type(str(home / "saved.txt"))
        person.click('dialog >> button[name="Save"]:enabled')
        person.wait((home / "saved.txt").exists)
        person.wait(lambda: "saved.txt" in str(made.app.windows()))

    recording = record(["mousepad"], write, {})
    wanted = (home / "saved.txt").read_text()
    assert wanted.split("\n")[:2] == ["one line", "and another"]
    code = recording.code()
    assert "app.choose_file(" in code, code
    assert f'"{home}/saved.txt"' in code, code
    (home / "saved.txt").unlink()
    replay(code, tmp_path, {})
    assert (home / "saved.txt").read_text() == wanted, code


@pytest.mark.parametrize(
    ("program", "buttons"), [("galculator", ("7", "*", "6", "=")), ("kcalc", ("7", "×", "6", "="))]
)
def test_a_calculation_by_mouse_has_the_same_result_again(
    program: str, buttons: tuple[str, ...], tmp_path: Path
) -> None:
    with recorded([program]) as made:
        for name in buttons:
            made.person.click(f'[name="{name}"]')
        made.person.wait(lambda: "42" in str(made.app.tree()))
        (shown, *_) = [node for node in made.app.tree() if node.visible and "42" in (shown_text(node) or "")]
        made.recording.expect("text", made.app.selectors(shown)[shown.uid])
        made.recording.stop()
        codes = {name: made.recording.code(name) for name in ("python", "sh")}
    assert "42" in codes["python"], codes["python"]
    replay(codes["python"], tmp_path, {}, "python")
    if program == "galculator":
        replay(codes["sh"], tmp_path, {}, "sh")


def test_a_calculation_by_keyboard_has_the_same_result_again(tmp_path: Path) -> None:
    with recorded(["gnome-calculator"]) as made:
        person = made.person
        person.see('button[name="7"]')
        person.type("7*6")
        person.press("Enter")
        person.wait(lambda: "42" in str(made.app.tree()))
        made.recording.expect("tree")
        made.recording.stop()
        code = made.recording.code("python")
    assert "42" in code
    replay(code, tmp_path, {}, "python")
