"""The registry lists what runs, trusts only what is ours, and forgets what is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deskhand.model.errors import Ambiguous, NotFound, Unauthorized
from deskhand.processes import registry
from deskhand.processes.registry import AppEntry


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path / "runtime"))
    return tmp_path / "runtime"


def entry(name: str = "shop", pid: int | None = None) -> AppEntry:
    pid = os.getpid() if pid is None else pid
    return AppEntry(
        name, pid, f"/run/{pid}.sock", ("gip unix:/tmp/shop",), registry.start_time(pid), "PySide6"
    )


def test_an_app_that_registered_is_found_by_name_by_pid_and_alone():
    registry.register(entry())
    assert registry.apps() == (entry(),)
    assert registry.app("shop") == registry.app(pid=os.getpid()) == registry.app() == entry()


def test_an_app_that_left_is_not_listed():
    registry.register(entry())
    registry.unregister(os.getpid())
    assert registry.apps() == ()


def test_registering_again_replaces_the_entry():
    registry.register(entry("shop"))
    registry.register(entry("store"))
    assert [app.name for app in registry.apps()] == ["store"]


def test_the_entry_and_socket_of_a_process_that_is_gone_are_removed(folder: Path):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        path = registry.control_path(process.pid)
        path.touch()
        gone = AppEntry("shop", process.pid, str(path), (), registry.start_time(process.pid))
        registry.register(gone)
        assert registry.apps() == (gone,)
        process.communicate()
    assert registry.apps() == ()
    assert [file.name for file in folder.rglob("*") if file.is_file()] == []


def test_the_socket_of_another_program_stays(tmp_path: Path):
    theirs = tmp_path / "control"
    theirs.touch()
    registry.register(AppEntry("shop", 2**22 + 1, str(theirs)))
    assert registry.apps() == ()
    assert theirs.exists()


def test_a_process_id_that_was_used_again_is_not_the_app():
    registry.register(AppEntry("shop", os.getpid(), "/run/x.sock", (), "12345"))
    assert registry.apps() == ()


def test_an_entry_that_cannot_be_read_is_removed(folder: Path):
    registry.register(entry())
    folder.joinpath("apps", "7.json").write_text('{"name": "half')
    assert registry.apps() == (entry(),)
    assert not folder.joinpath("apps", "7.json").exists()


def test_two_apps_of_one_name_need_a_pid():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        registry.register(entry())
        registry.register(entry(pid=process.pid))
        registry.register(entry(pid=os.getppid(), name="till"))
        with pytest.raises(Ambiguous, match=r"2 apps named 'shop'.*pid") as caught:
            registry.app("shop")
        assert sorted(caught.value.matches) == sorted(
            f"shop (pid {pid})" for pid in (os.getpid(), process.pid)
        )
        assert registry.app("shop", pid=process.pid).pid == process.pid
        process.communicate()


def test_unknown_app_error_lists_the_running_apps():
    registry.register(entry())
    with pytest.raises(
        NotFound, match=rf"no app named 'sohp'; running: shop \(pid {os.getpid()}\)"
    ) as caught:
        registry.app("sohp")
    assert caught.value.near == (f"shop (pid {os.getpid()})",)
    assert caught.value.suggestions == ("did you mean shop?",)
    with pytest.raises(NotFound) as caught:
        registry.app("calculator")
    assert caught.value.suggestions == ()


def test_without_any_app_it_says_how_to_start_one():
    with pytest.raises(NotFound, match="no app runs") as caught:
        registry.app()
    assert caught.value.suggestions == ("start one: deskhand run -- python app.py",)


def test_the_folder_is_ours_alone(folder: Path):
    registry.register(entry())
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.joinpath("apps").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_could_open_is_closed_to_them(folder: Path):
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    registry.register(entry())
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_refused(folder: Path):
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    with pytest.raises(Unauthorized, match="belongs to user 65534"):
        registry.register(entry())
    with pytest.raises(Unauthorized, match="belongs to user 65534"):
        registry.apps()


def test_a_link_in_place_of_the_folder_is_refused(folder: Path, tmp_path: Path):
    target = tmp_path / "target"
    target.mkdir()
    folder.symlink_to(target)
    with pytest.raises(Unauthorized, match="link"):
        registry.apps()


def test_a_deep_folder_still_gives_a_path_that_a_socket_can_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path / ("deep" * 30)))
    assert len(os.fsencode(registry.control_path(1))) < 108


def test_a_runtime_folder_of_the_session_is_used_if_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv(registry.VARIABLE)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert registry.runtime_folder() == tmp_path / "deskhand"
