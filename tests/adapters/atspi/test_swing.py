"""Java Swing through the bridge that Debian has for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskhand import expect, launch
from deskhand.inject import jvm
from deskhand.launching import launcher
from deskhand.model import operations as ops
from deskhand.model.node import MASK
from deskhand.model.verified import VARIABLE

from .conftest import Start

pytestmark = pytest.mark.programs

BRIDGE = [
    "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper",
    "-Djava.library.path=/usr/lib/x86_64-linux-gnu/jni",
    "-cp",
    "/usr/share/java/java-atk-wrapper.jar",
]
FORM = Path(__file__).with_name("SwingForm.java")
TREE = Path(__file__).with_name("SwingTree.java")


def test_a_swing_form_is_read_and_operated(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    running = start("java", *BRIDGE, str(FORM), until='button[name="Greet"]', timeout=40)
    app = running.app
    name, greet = app.get_by_role("textfield", name="Name"), app.get_by_role("button", name="Greet")
    name.fill("Ada")
    expect(name).to_have_value("Ada")
    greet.click()
    expect(app.get_by_text("Hello, Ada!")).to_be_visible()
    assert greet.activate().detail == "through accessibility"
    app.get_by_role("checkbox", name="Newsletter").check()
    expect(app.get_by_text("newsletter true")).to_be_visible()
    app.get_by_role("menu-item", name="Save").activate()
    expect(app.get_by_text("saved")).to_be_visible()
    app.run(ops.Select("combo-box", text="Kenya"))
    expect(app.get_by_text("country Kenya")).to_be_visible()
    app.get_by_role("menu", name="File").click()
    expect(app.get_by_role("menu-item", name="Save")).to_be_visible()
    assert {window.app_name for window in app.tree().windows} == {"Swing form"}
    # The position reported for an open menu is wrong.
    assert app.get_by_role("menu-item", name="Save").click().detail == "through accessibility"
    expect(app.get_by_text("saved")).to_be_visible()
    assert "hunter2" not in repr([node.fields for node in app.tree()])
    assert app.get_by_role("textfield", name="Password").get().value == MASK
    # Each tab is said to have the focus while the one that is shown has it.
    name.click()
    app.keyboard.press("shift+tab")
    expect(app.locator("tab-list")).to_be_focused()
    app.run(ops.Select("tab-list", text="Other"))
    expect(app.get_by_text("page 1")).to_be_visible()


def test_launch_reads_and_operates_a_swing_program_without_options_for_it() -> None:
    with launch(["java", "-XX:TieredStopAtLevel=1", str(FORM)], headless=True, timeout=60) as app:
        app.get_by_role("textfield", name="Name").fill("Ada")
        app.get_by_role("button", name="Greet").click()
        expect(app.get_by_text("Hello, Ada!")).to_be_visible()
        assert "Picked up" not in app.stderr


def test_run_names_the_package_that_a_swing_program_needs_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jvm, "_BRIDGE", Path("/nowhere/java-atk-wrapper.jar"))
    command = ["java", "-XX:TieredStopAtLevel=1", str(FORM)]
    with launcher.start(command, headless=True, timeout=60) as launched:
        assert "apt install libatk-wrapper-java" in (launched.note or "")


def test_nodes_of_a_swing_tree_keep_their_uids_and_show_what_replaced_them(start: Start) -> None:
    running = start("java", *BRIDGE, str(TREE), until='button[name="Rename"]', timeout=40)

    def nodes() -> dict[str, str]:
        names = {"plants", "trees", "oak", "beech", "lime", "herbs"}
        return {node.name: node.uid for node in running.adapter.read(timeout=30) if node.name in names}

    before = nodes()
    assert set(before) == {"plants", "trees", "oak", "lime", "herbs"}
    assert nodes() == before
    done = running.app.get_by_role("button", name="Rename").click(receipt=True)
    running.app.locator('[name="beech"]').first.wait_for(timeout=20)
    assert done.receipt is not None
    assert not {change.uid for change in done.receipt.removed} & {before["plants"], before["herbs"]}
    after = nodes()
    assert after.pop("beech") == before.pop("oak")
    assert after == before
