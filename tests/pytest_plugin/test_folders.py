"""The names of the folders that tests leave things in, and what is removed from them."""

from __future__ import annotations

import os
from pathlib import Path

from deskhand.pytest_plugin.folders import Folders, empty


def test_a_folder_has_the_name_of_the_test() -> None:
    folders = Folders(["tests/test_form.py::TestForm::test_greets[Ada Lovelace]"])
    name = folders.name("tests/test_form.py::TestForm::test_greets[Ada Lovelace]", 1)
    assert name == "tests-test-form-py-testform-test-greets-ada-lovelace"


def test_further_attempts_are_numbered() -> None:
    folders = Folders(["test_form.py::test_greets"])
    names = [folders.name("test_form.py::test_greets", attempt) for attempt in (1, 2, 3)]
    assert names == [f"test-form-py-test-greets{more}" for more in ("", "-retry1", "-retry2")]


def test_tests_whose_names_differ_only_in_signs_have_different_folders() -> None:
    ids = ["test_form.py::test_it[a+b]", "test_form.py::test_it[A-B]", "test_form.py::test_other"]
    names = [Folders(ids).name(each, 1) for each in ids]
    assert len(set(names)) == 3
    assert names[2] == "test-form-py-test-other"
    assert names == [Folders(reversed(ids)).name(each, 1) for each in ids]


def test_a_long_name_is_cut_and_stays_unique() -> None:
    ids = [f"test_form.py::test_it[{'long' * 100}{number}]" for number in range(2)]
    names = [Folders(ids).name(each, 1) for each in ids]
    assert len(set(names)) == 2
    assert all(len(name) < 140 for name in names)


def test_emptying_keeps_what_this_session_wrote(tmp_path: Path) -> None:
    for name in ("old/deep/a.png", "both/old.png", "both/new.png", "new/deep/b.png", "old.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "link").symlink_to(tmp_path / "old")
    for path in (*tmp_path.rglob("*old*"), *tmp_path.glob("old/**/*"), tmp_path / "link"):
        os.utime(path, (1000, 1000), follow_symlinks=False)
    empty(tmp_path, 2000)
    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert names == ["both", "both/new.png", "new", "new/deep", "new/deep/b.png"]


def test_emptying_does_not_follow_links(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "test-results"
    elsewhere.mkdir()
    folder.mkdir()
    (elsewhere / "kept.txt").touch()
    (folder / "link").symlink_to(elsewhere)
    empty(folder, 1e12)
    assert list(folder.iterdir()) == []
    assert (elsewhere / "kept.txt").exists()


def test_a_folder_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    empty(tmp_path / "nothing", 1e12)
    assert not (tmp_path / "nothing").exists()
