"""Files to and from an agent: both forms, and everything that can happen to them on the way."""

from __future__ import annotations

import asyncio
import os
import resource
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, aio, connect
from deskhand.client import transfer
from deskhand.model.errors import DownloadFailed, InvalidParams, NotConnected, Unauthorized, UploadFailed
from deskhand.model.operations import Download, Upload
from tests.client.foreign_agent import ForeignAgent, served

SIZES = [0, 1, 2, 3, 4, 1000, transfer._PIECE - 1, transfer._PIECE, transfer._PIECE + 1, 3 * 1024 * 1024 + 7]


@pytest.fixture(params=["as they are", "in JSON"])
def agent(request: pytest.FixtureRequest) -> ForeignAgent:
    return ForeignAgent([], old_files=request.param == "in JSON")


@pytest.fixture
def app(agent: ForeignAgent) -> Iterator[App]:
    with served(agent) as address, connect(address) as app:
        yield app


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


@pytest.fixture
def there(tmp_path: Path) -> Path:
    folder = tmp_path / "there"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("size", SIZES)
def test_a_file_comes_back_as_it_went(app: App, here: Path, there: Path, size: int) -> None:
    content = os.urandom(size)
    (here / "out").write_bytes(content)

    assert app.upload(here / "out", str(there / "in")) == size
    assert (there / "in").read_bytes() == content
    assert app.download(str(there / "in"), here / "back") == size
    assert (here / "back").read_bytes() == content
    assert sorted(path.name for path in here.iterdir()) == ["back", "out"]


@pytest.mark.parametrize(
    "name", ["with blank", "a+b", "100%", "Straße", "quote\"'", "back\\slash", "?x=1&y", "#1"]
)
def test_any_name_arrives(app: App, here: Path, there: Path, name: str) -> None:
    (here / "out").write_text("content")
    app.upload(here / "out", str(there / name))

    assert [path.name for path in there.iterdir()] == [name]
    app.download(str(there / name), here)
    assert "content" in [path.read_text() for path in here.iterdir() if path.name != "out"]


def test_a_directory_is_taken_for_where_the_file_goes(app: App, here: Path, there: Path) -> None:
    (here / "data.bin").write_bytes(b"1")
    app.upload(here / "data.bin", f"{there}/")
    (here / "data.bin").unlink()
    app.download(str(there / "data.bin"), here)

    assert (here / "data.bin").read_bytes() == b"1"


def test_progress_is_reported(app: App, here: Path, there: Path) -> None:
    app.run(Upload(str(there / "in"), b""))  # from which it is known which form the agent takes
    (here / "out").write_bytes(bytes(3 * transfer.CHUNK))
    up: list[tuple[int, int | None]] = []
    down: list[tuple[int, int | None]] = []
    app.upload(here / "out", str(there / "in"), progress=lambda *told: up.append(told))
    app.download(str(there / "in"), here / "back", progress=lambda *told: down.append(told))

    assert up[-1] == (3 * transfer.CHUNK, 3 * transfer.CHUNK)
    assert down[-1][0] == 3 * transfer.CHUNK
    assert down[-1][1] in (None, 3 * transfer.CHUNK)
    for told in (up, down):
        assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_bytes_that_are_not_a_file_are_uploaded_too(app: App, there: Path) -> None:
    app.run(Upload(str(there / "in"), b"\x00\xff"))

    assert app.run(Download(str(there / "in"))) == b"\x00\xff"


# -- what goes wrong there -------------------------------------------------------------------------


def test_a_missing_file_is_reported_and_nothing_is_written(app: App, here: Path, there: Path) -> None:
    (here / "old").write_text("old")
    with pytest.raises(DownloadFailed, match="No such file"):
        app.download(str(there / "missing"), here / "old")

    assert [path.name for path in here.iterdir()] == ["old"]
    assert (here / "old").read_text() == "old"


def test_a_path_that_cannot_be_written_is_reported(app: App, here: Path, there: Path) -> None:
    (here / "out").write_text("x")
    with pytest.raises(UploadFailed, match="No such file"):
        app.upload(here / "out", str(there / "no" / "such" / "place"))


def test_a_download_that_is_cut_off_leaves_what_was_there(here: Path, there: Path) -> None:
    agent = ForeignAgent([])
    agent.cut_after = 100_000
    (there / "data").write_bytes(bytes(300_000))
    (here / "data").write_text("old")
    raises = pytest.raises(DownloadFailed, match="100000 of 300000 bytes")
    with served(agent) as address, connect(address) as app, raises:
        app.download(str(there / "data"), here / "data")

    assert [path.name for path in here.iterdir()] == ["data"]
    assert (here / "data").read_text() == "old"


def test_an_upload_that_is_cut_off_is_reported(here: Path, there: Path) -> None:
    agent = ForeignAgent([])
    agent.cut_after = 100_000
    (here / "data").write_bytes(bytes(30_000_000))
    with served(agent) as address, connect(address) as app, pytest.raises(UploadFailed):
        app.upload(here / "data", str(there / "data"))


def test_a_refusal_before_the_end_of_the_file_is_heard(here: Path, there: Path) -> None:
    """The agent answers at once, reads nothing, and hangs up."""
    agent = ForeignAgent([])
    (here / "data").write_bytes(bytes(50_000_000))
    with served(agent) as address, connect(address) as app:
        agent.token = "changed"
        with pytest.raises((Unauthorized, UploadFailed)):
            app.upload(here / "data", str(there / "data"))

    assert list(there.iterdir()) == []


# -- what goes wrong here --------------------------------------------------------------------------


def test_a_local_file_that_cannot_be_read_is_reported(app: App, here: Path) -> None:
    with pytest.raises(UploadFailed, match="no such file"):
        app.upload(here / "missing", "/tmp/x")
    with pytest.raises(UploadFailed, match="is a directory"):
        app.upload(here, "/tmp/x")
    os.mkfifo(here / "pipe")
    keep = os.open(here / "pipe", os.O_RDWR)
    try:
        with pytest.raises(UploadFailed, match="not a regular file"):
            app.upload(here / "pipe", "/tmp/x")
    finally:
        os.close(keep)


def test_a_local_path_that_cannot_be_written_is_reported(app: App, here: Path, there: Path) -> None:
    (there / "data").write_text("x")
    with pytest.raises(DownloadFailed, match="no such file or directory"):
        app.download(str(there / "data"), here / "no" / "place")
    with pytest.raises(DownloadFailed, match="not a directory"):
        app.download(str(there / "data"), Path(__file__) / "below")


def test_a_full_disk_is_reported_and_the_existing_file_stays(here: Path, there: Path) -> None:
    """As a limit on the length of files has it, in a process of its own."""
    (there / "data").write_bytes(bytes(5_000_000))
    (here / "data").write_text("old")
    program = (
        "import sys, resource\n"
        "from deskhand import connect\n"
        "from deskhand.model.errors import DownloadFailed\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))\n"
        "with connect(sys.argv[1]) as app:\n"
        "    try:\n"
        "        app.download(sys.argv[2], sys.argv[3])\n"
        "    except DownloadFailed as error:\n"
        "        print(error.message)\n"
    )
    assert resource.RLIMIT_FSIZE
    with served(ForeignAgent([])) as address:
        command = [sys.executable, "-c", program, address, str(there / "data"), str(here / "data")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)

    assert "file too large" in done.stdout
    assert [path.name for path in here.iterdir()] == ["data"]
    assert (here / "data").read_text() == "old"


@pytest.mark.parametrize("remote", ["", "a\0b"])
def test_what_is_not_a_path_is_refused_here(app: App, here: Path, remote: str) -> None:
    (here / "out").write_text("x")
    with pytest.raises(InvalidParams):
        app.upload(here / "out", remote)
    with pytest.raises(InvalidParams):
        app.download(remote, here / "back")


def test_a_file_that_shrinks_on_the_way_is_reported(here: Path, there: Path) -> None:
    (here / "data").write_bytes(bytes(8 * transfer.CHUNK))

    def shrink(done: int, total: int | None) -> None:
        os.truncate(here / "data", transfer.CHUNK)

    with served(ForeignAgent([])) as address, connect(address) as app:
        with pytest.raises(UploadFailed, match="became shorter"):
            app.upload(here / "data", str(there / "data"), progress=shrink)
        assert app.exec("echo on").stdout == "on"


def test_the_mode_of_a_file_that_is_replaced_stays(app: App, here: Path, there: Path) -> None:
    (there / "data").write_text("new")
    (here / "data").write_text("old")
    (here / "data").chmod(0o640)
    (here / "link").symlink_to("data")
    with (here / "data").open() as reading:
        app.download(str(there / "data"), here / "link")
        assert reading.read() == "old"  # a process that had it open still reads the old contents

    assert (here / "link").is_symlink()
    assert (here / "data").read_text() == "new"
    assert stat.S_IMODE((here / "data").stat().st_mode) == 0o640


def test_a_device_is_written_to_and_not_replaced(app: App, here: Path, there: Path) -> None:
    (there / "data").write_text("new")
    os.mkfifo(here / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((here / "pipe").read_text()))
    reader.start()
    app.download(str(there / "data"), here / "pipe")
    reader.join(20)

    assert read == ["new"]
    assert stat.S_ISFIFO((here / "pipe").stat().st_mode)


def test_after_the_end_nothing_is_carried(app: App, here: Path) -> None:
    app.close()
    with pytest.raises(NotConnected):
        app.download("/etc/hostname", here / "x")


# -- with await ------------------------------------------------------------------------------------


def test_files_are_carried_with_await(agent: ForeignAgent, here: Path, there: Path) -> None:
    (here / "out").write_bytes(bytes(100_000))

    async def main() -> None:
        with served(agent) as address:
            async with aio.connect(address) as app:
                await app.upload(here / "out", str(there / "in"))
                await app.download(str(there / "in"), here / "back")

    asyncio.run(main())
    assert (here / "back").read_bytes() == bytes(100_000)


def test_a_cancelled_download_leaves_nothing(here: Path, there: Path) -> None:
    (there / "data").write_bytes(bytes(4 * transfer.CHUNK))
    started = threading.Event()
    go_on = threading.Event()

    def slow(done: int, total: int | None) -> None:
        started.set()
        go_on.wait(20)

    async def main() -> None:
        with served(ForeignAgent([])) as address:
            async with aio.connect(address) as app:
                task = asyncio.ensure_future(app.download(str(there / "data"), here / "data", progress=slow))
                await asyncio.to_thread(started.wait, 20)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert list(here.iterdir()) != []
                go_on.set()
                while list(here.iterdir()):
                    await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(main(), 20))
