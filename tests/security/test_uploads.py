"""A file that is uploaded goes where the client means, and nowhere that another user has prepared."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand.client.transfer import landing
from deskhand.model.errors import UploadFailed
from deskhand.serving import uploads as placing
from deskhand.serving.machine import Machine
from tests.security.other_user import MAY_SWITCH, UID


def upload(path: Path, content: bytes = b"new") -> None:
    with Machine().receive(str(path)) as incoming:
        incoming.write(content)
        incoming.finish()


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder like /tmp, that all users may write to."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.fixture
def give_away(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Make a file belong to another user; who may not do that becomes another user than its owner instead."""

    def give_away(path: Path) -> None:
        if MAY_SWITCH:
            os.chown(path, UID, UID, follow_symlinks=False)
        else:
            monkeypatch.setattr(placing.os, "geteuid", lambda: os.getuid() + 1)
            real = os.fstat

            def as_of_root(descriptor: int) -> os.stat_result:
                found = real(descriptor)
                return os.stat_result([*found[:4], 0, *found[5:10]])

            monkeypatch.setattr(placing.os, "fstat", as_of_root)

    return give_away


@pytest.mark.parametrize("bit", [stat.S_ISUID, stat.S_ISGID, stat.S_ISVTX], ids=["uid", "gid", "sticky"])
@pytest.mark.parametrize("way", ["upload", "download"])
def test_a_replaced_file_passes_on_its_permissions_and_nothing_else(
    tmp_path: Path, bit: int, way: str
) -> None:
    target = tmp_path / "tool"
    target.write_bytes(b"old")
    target.chmod(bit | 0o750)

    if way == "upload":
        upload(target)
    else:
        with landing(target) as file:
            file.write(b"new")

    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o750


def test_the_permissions_of_another_users_file_are_not_taken_over(
    tmp_path: Path, give_away: Callable[[Path], None]
) -> None:
    target = tmp_path / "tool"
    target.write_bytes(b"old")
    target.chmod(0o777)
    give_away(target)
    if MAY_SWITCH:
        target.chmod(stat.S_ISUID | 0o777)

    upload(target)

    assert stat.S_IMODE(target.stat().st_mode) & 0o022 == 0
    assert not target.stat().st_mode & stat.S_ISUID
    assert target.stat().st_uid == os.getuid()


def test_another_users_file_in_a_shared_folder_is_refused(
    shared: Path, give_away: Callable[[Path], None]
) -> None:
    target = shared / "report.txt"
    target.write_bytes(b"theirs")
    give_away(target)

    with pytest.raises(UploadFailed, match="all users may write"):
        upload(target)

    assert [entry.name for entry in shared.iterdir()] == ["report.txt"]
    assert target.read_bytes() == b"theirs"


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_another_users_link_in_a_shared_folder_is_not_followed(
    tmp_path: Path, shared: Path, kind: str, give_away: Callable[[Path], None]
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    link = shared / "link"
    link.symlink_to(mine if kind == "folder" else mine / "secret")
    give_away(link)

    with pytest.raises(UploadFailed, match="link"):
        upload(link / "secret" if kind == "folder" else link)

    assert list(mine.iterdir()) == []


def test_links_of_ones_own_are_followed_also_in_shared_folders(tmp_path: Path, shared: Path) -> None:
    (shared / "link").symlink_to("../real")
    upload(shared / "link" / "deep" / "file")
    assert (tmp_path / "real" / "deep" / "file").read_bytes() == b"new"


def test_a_folder_that_becomes_a_link_meanwhile_does_not_lead_the_file_elsewhere(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    with Machine().receive(str(folder / "file")) as incoming:
        incoming.write(b"new")
        folder.rename(tmp_path / "moved")
        folder.symlink_to(elsewhere)
        incoming.finish()

    assert list(elsewhere.iterdir()) == []
    assert (tmp_path / "moved" / "file").read_bytes() == b"new"


def test_a_folder_that_becomes_a_link_after_it_was_checked_is_not_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    enter = placing._enter

    def exchange_and_enter(name: str, above: int) -> int:
        if name == folder.name:
            folder.rmdir()
            folder.symlink_to(elsewhere)
        return enter(name, above)

    monkeypatch.setattr(placing, "_enter", exchange_and_enter)
    with pytest.raises(UploadFailed):
        upload(folder / "file")
    assert list(elsewhere.iterdir()) == []


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(UploadFailed, match="levels of symbolic links"):
        upload(tmp_path / "a")
