"""File dialogs of each toolkit are answered, judged by what the programs print."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, aio, launch
from deskhand.model.errors import ActionFailed, InvalidParams, NotFound
from tests.traces import until

HERE = Path(__file__).parent / "dialogs"
DEBIAN = "/usr/bin/python3"
PROGRAMS = {
    "qt": [sys.executable, str(HERE / "ask_qt.py")],
    "gtk3": [DEBIAN, str(HERE / "ask_gtk3.py")],
    "gtk4": [DEBIAN, str(HERE / "ask_gtk4.py")],
    "wx": [DEBIAN, str(HERE / "ask_wx.py")],
    "tk": [DEBIAN, str(HERE / "ask_tk.py")],
}


@pytest.fixture(scope="module", params=list(PROGRAMS))
def app(request: pytest.FixtureRequest) -> Iterator[App]:
    with launch(PROGRAMS[request.param], headless=True, size=(1000, 700), default_timeout=30) as app:
        yield app


@pytest.fixture(scope="module")
def qt() -> Iterator[App]:
    """For what is the same in each toolkit."""
    with launch(PROGRAMS["qt"], headless=True, default_timeout=30) as app:
        yield app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.txt").write_text("data")
    (tmp_path / "data-2.txt").write_text("more")
    return tmp_path


def printed(app: App, path: Path | str) -> bool:
    return app.stdout.splitlines()[-1:] == [f"chosen {path}".rstrip()]


def test_a_file_is_opened_by_its_path(app: App, folder: Path) -> None:
    app.get_by_role("button", name="Open").click()
    app.choose_file(folder / "data.txt")

    until(lambda: printed(app, folder / "data.txt"))


def test_a_file_is_saved_under_a_name_that_begins_like_another(app: App, folder: Path) -> None:
    app.get_by_role("button", name="Save").click()
    app.choose_file(folder / "data")

    until(lambda: printed(app, folder / "data"))


def test_a_folder_is_chosen(app: App, folder: Path) -> None:
    app.get_by_role("button", name="Folder").click()
    app.choose_file(folder)

    until(lambda: printed(app, folder))


def test_a_file_that_exists_is_replaced_only_if_that_is_wanted(app: App, folder: Path) -> None:
    app.get_by_role("button", name="Save").click()

    with pytest.raises(ActionFailed, match="already exists") as caught:
        app.choose_file(folder / "data.txt")
    assert "overwrite=True" in caught.value.suggestions[0]
    assert not printed(app, folder / "data.txt")

    app.keyboard.press("Escape")  # the question
    app.choose_file(folder / "data.txt", overwrite=True)
    until(lambda: printed(app, folder / "data.txt"))


def test_a_program_that_ends_with_its_answer_has_answered(folder: Path) -> None:
    with launch(["zenity", "--file-selection"], headless=True, default_timeout=30) as app:
        app.choose_file(folder / "data.txt")
        assert app.wait_for_exit(timeout=30) == 0

    assert app.stdout.strip() == str(folder / "data.txt")


def test_a_dialog_that_stays_open_says_why(qt: App, folder: Path) -> None:
    qt.get_by_role("button", name="Open").click()

    with pytest.raises(ActionFailed, match="is still open and says: missing File not found"):
        qt.choose_file(folder / "missing", overwrite=True)

    qt.get_by_role("button", name="OK").click()
    qt.choose_file(folder / "data.txt")
    until(lambda: printed(qt, folder / "data.txt"))


def test_without_a_file_dialog_the_error_names_the_windows(qt: App) -> None:
    with pytest.raises(NotFound, match=r"no file dialog is open .* the windows are 'Files'"):
        qt.choose_file("/nowhere", timeout=0.2)
    with pytest.raises(InvalidParams, match="no path"):
        qt.choose_file("")


def test_a_dialog_that_opens_later_is_waited_for_with_asyncio(qt: App, folder: Path) -> None:
    async def main() -> None:
        async with aio.connect(qt.address, default_timeout=30) as again:
            chosen = asyncio.ensure_future(again.choose_file(folder / "data.txt"))
            await again.get_by_role("button", name="Open").click()
            await chosen

    asyncio.run(main())
    until(lambda: printed(qt, folder / "data.txt"))
