"""Trees as expectations: inline or in a file next to the test."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, aio, expect
from deskhand.client import ExpectationFailed
from deskhand.client._sync.link import LocalEngine
from deskhand.client.options import options
from deskhand.model.errors import InvalidParams
from tests.client.greeter import Greeter


@pytest.fixture
def app(greeter: Greeter) -> App:
    return App(LocalEngine(greeter.session, "here"), timeout=0)


@pytest.fixture(autouse=True)
def _own_options(tmp_path: Path) -> Iterator[None]:
    before = vars(options).copy()
    options.__init__()  # type: ignore[misc] - back to the defaults
    expect.set_options(test_file=tmp_path / "test_form.py")
    yield
    vars(options).update(before)


def test_the_example_of_an_app_matches(app: App) -> None:
    app.locator("#name").fill("Ada")

    expect(app).to_match_tree("""
      - textfield "Name": Ada
      - button "Greet"
    """)
    expect(app.locator('group[name="Left"]')).to_match_tree('- button "Twin"')
    expect(app.locator('group[name="Left"]')).not_.to_match_tree('- button "Greet"')


def test_the_snapshot_of_an_app_or_element_matches_it(app: App) -> None:
    expect(app).to_match_tree(app.tree_snapshot())

    left = app.locator('group[name="Left"]')
    assert left.tree_snapshot() == '- group "Left":\n  - button "Twin"'
    expect(left).to_match_tree(left.tree_snapshot())


def test_a_tree_is_waited_for(app: App, greeter: Greeter) -> None:
    greeter.later(0.2, lambda: setattr(greeter.greeting, "text", "Hello, Ada!"))
    expect(app).to_match_tree("- text: Hello, Ada!", timeout=30)

    greeter.later(0.2, lambda: setattr(greeter.greeting, "text", "Bye"))
    expect(app).not_.to_match_tree("- text: Hello, Ada!", timeout=30)


def test_an_element_that_appears_later_is_waited_for(app: App, greeter: Greeter) -> None:
    greeter.later(0.2, lambda: setattr(greeter.greeting, "id", "other"))

    expect(app.locator("#other")).to_match_tree("- text", timeout=30)


def test_a_failure_shows_what_is_missing_and_what_was_found_instead(app: App) -> None:
    with pytest.raises(ExpectationFailed, match="expected path=root to match the tree") as caught:
        expect(app).to_match_tree('- combo-box "Colour": Blue\n- button "Late" [disabled]')

    message = str(caught.value)
    assert (
        '- - combo-box "Colour": Blue\n  + - combo-box "Colour": Red\n    - button "Late" [disabled]'
        in message
    )
    assert '- window "Greeter":' in message


def test_an_element_that_is_not_found_fails_with_near_misses(app: App) -> None:
    with pytest.raises(ExpectationFailed, match="greeting"):
        expect(app.locator("#greetin")).to_match_tree("- text")
    with pytest.raises(ExpectationFailed, match="2 elements"):
        expect(app.locator("button[name=Twin]")).to_match_tree("- button")


def test_a_file_that_does_not_exist_is_written_and_fails_once(app: App, tmp_path: Path) -> None:
    with pytest.raises(ExpectationFailed, match="did not exist and was written") as caught:
        expect(app).to_match_tree("form.aria.yml")

    assert caught.value.files == (tmp_path / "form.aria.yml",)
    assert '- textfield "Name"' in (tmp_path / "form.aria.yml").read_text()
    expect(app).to_match_tree("form.aria.yml")


def test_a_file_is_written_anew_with_update_snapshots(app: App, tmp_path: Path) -> None:
    file = tmp_path / "form.aria.yml"
    file.write_text('- button "Gone"\n')
    with pytest.raises(ExpectationFailed, match=r"match form\.aria\.yml"):
        expect(app).to_match_tree("form.aria.yml")
    assert file.read_text() == '- button "Gone"\n'

    expect.set_options(update_snapshots=True)
    expect(app).to_match_tree("form.aria.yml")
    expect(app.locator("#colour")).to_match_tree("new.aria.yml")
    expect.set_options(update_snapshots=False)

    assert '- button "Greet"' in file.read_text()
    assert (tmp_path / "new.aria.yml").read_text() == '- combo-box "Colour": Red\n'
    expect(app).to_match_tree("form.aria.yml")


def test_a_file_that_matches_is_kept_by_update_snapshots(app: App, tmp_path: Path) -> None:
    file = tmp_path / "form.aria.yml"
    file.write_text('# by hand\n- button "Greet"\n')
    expect.set_options(update_snapshots=True)

    expect(app).to_match_tree("form.aria.yml")

    assert file.read_text() == '# by hand\n- button "Greet"\n'


def test_without_a_test_runner_the_file_is_next_to_the_caller(app: App) -> None:
    expect.set_options(test_file=None)
    file = Path(__file__).with_name("written_by_a_test.aria.yml")
    try:
        with pytest.raises(ExpectationFailed, match=re.escape(str(file))):
            expect(app).to_match_tree(file.name)
        assert file.exists()
    finally:
        file.unlink(missing_ok=True)


def test_a_wrong_description_is_an_error_at_once(app: App) -> None:
    with pytest.raises(InvalidParams, match="buttn"):
        expect(app).to_match_tree("- buttn", timeout=60)


def test_a_soft_tree_is_collected_and_playwrights_names_work(app: App) -> None:
    expect.soft(app).to_match_tree("- slider")
    expect(app).to_match_aria_snapshot("- button")

    assert len(expect.take_soft()) == 1
    assert app.aria_snapshot() == app.tree_snapshot()


def test_trees_are_expected_with_asyncio_too(address: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with aio.connect(address, default_timeout=5) as app:
            await aio.expect(app).to_match_tree(await app.tree_snapshot())
            with pytest.raises(ExpectationFailed):
                await aio.expect(app.locator("#colour")).to_match_tree("colour.aria.yml")

    asyncio.run(main())
    assert (tmp_path / "colour.aria.yml").read_text() == '- combo-box "Colour": Red\n'
