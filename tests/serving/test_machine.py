"""Commands and files of the machine itself, judged by what is on it afterwards."""

from __future__ import annotations

import base64
import inspect
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from deskhand.model.errors import Cancelled, DownloadFailed, ExecFailed, UploadFailed
from deskhand.model.operations import Execute
from deskhand.serving import machine
from deskhand.serving.machine import BLOCK, Machine, session_of


@pytest.fixture
def here(tmp_path):
    return Machine({**os.environ, "HOME": str(tmp_path)})


def run(here, command, timeout=20.0, **options):
    return here.execute(Execute(command, timeout, **options))


def ended(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def soon(condition) -> bool:
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(condition())


# -- commands ---------------------------------------------------------------------------------------


def test_a_command_runs_in_bash_at_home_and_its_output_is_returned_unchanged(here, tmp_path):
    done = run(here, "echo  $0 {1..3}; pwd; printf 'no newline' >&2; exit 7")
    assert done.stdout == f"/bin/bash 1 2 3\n{tmp_path}\n"
    assert (done.stderr, done.exit_code, done.timed_out) == ("no newline", 7, False)


def test_a_signal_is_a_negative_exit_code(here):
    assert run(here, "kill -9 $$").exit_code == -signal.SIGKILL


def test_a_command_reads_nothing(here):
    assert run(here, "cat").exit_code == 0


def test_output_that_is_not_text_is_returned_too(here):
    assert run(here, r"printf '\xff\xfe ok'").stdout == "�� ok"


@pytest.mark.parametrize("command", ["", "  ", "echo \0"])
def test_an_empty_command_is_refused(here, command):
    with pytest.raises(ExecFailed):
        run(here, command)


def test_a_shell_that_is_not_there_is_a_failure_of_the_machine(here, monkeypatch):
    monkeypatch.setattr(machine, "SHELL", "/nowhere/bash")
    with pytest.raises(ExecFailed) as caught:
        run(here, "true")
    assert caught.value.details["status"] == 500


def test_at_its_timeout_a_command_ends_with_all_in_its_group(here, tmp_path):
    began = time.monotonic()
    done = run(here, "sleep 600 & echo $! > child; echo before; sleep 600", timeout=1.5)
    assert time.monotonic() - began < 8
    assert (done.stdout, done.exit_code, done.timed_out) == ("before\n", -1, True)
    assert done.stderr == "Process timed out"
    assert soon(lambda: ended(int((tmp_path / "child").read_text())))


def test_a_process_left_behind_delays_no_call_and_can_keep_writing(here, tmp_path):
    began = time.monotonic()
    done = run(
        here,
        "(while [ ! -e go ]; do sleep 0.02; done; head -c 300000 /dev/zero && touch done) & echo first",
        timeout=30,
    )
    assert time.monotonic() - began < 8
    assert (done.stdout, done.exit_code) == ("first\n", 0)
    (tmp_path / "go").touch()
    assert soon((tmp_path / "done").exists)


def test_a_process_left_behind_that_writes_forever_delays_no_call(here):
    began = time.monotonic()
    done = run(here, "yes & echo $! >&2; exit 4")
    os.kill(int(done.stderr), signal.SIGKILL)
    assert done.exit_code == 4
    assert time.monotonic() - began < 8


def test_a_detached_command_goes_on_by_itself(here, tmp_path):
    began = time.monotonic()
    done = run(here, "echo $$ > pid; while [ ! -e go ]; do sleep 0.02; done; touch done", detach=True)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert time.monotonic() - began < 5
    assert soon(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    pid = int((tmp_path / "pid").read_text())
    assert os.getsid(pid) == pid
    (tmp_path / "go").touch()
    assert soon((tmp_path / "done").exists)
    assert soon(lambda: not Path(f"/proc/{pid}").exists()), "it must not stay a zombie"


def test_a_command_ends_when_its_caller_goes_away(here, tmp_path):
    cancel = threading.Event()
    threading.Thread(target=lambda: (soon((tmp_path / "written").exists), cancel.set())).start()
    with pytest.raises(Cancelled):
        here.execute(Execute("echo $$ > pid; touch written; sleep 600", 600), cancel)
    assert soon(lambda: ended(int((tmp_path / "pid").read_text())))


def test_of_endless_output_the_beginning_and_the_end_are_kept(here, monkeypatch):
    monkeypatch.setattr(machine, "OUTPUT", 1000)
    done = run(here, "seq 1000000")
    assert done.stdout.startswith("1\n2\n3\n")
    assert done.stdout.endswith("999999\n1000000\n")
    assert len(done.stdout) < 1100
    assert f"[… {6888896 - 1000} bytes left out …]" in done.stdout


def test_output_as_long_as_it_may_be_is_whole(here, monkeypatch):
    monkeypatch.setattr(machine, "OUTPUT", 1000)
    assert run(here, "head -c 1000 /dev/zero | tr '\\0' x").stdout == "x" * 1000


def test_a_command_is_logged_without_its_output(here, capfd):
    run(here, "echo very''secret; exit 3")
    run(here, "true\nfalse", detach=True)
    run(here, "sleep 60", timeout=0)
    logged = capfd.readouterr().err.splitlines()
    assert len(logged) == 3
    assert re.search(r"exec \"echo very''secret; exit 3\": exit 3, \d+\.", logged[0])
    assert "verysecret" not in logged[0]
    assert "'true\\nfalse': detached" in logged[1]
    assert "timed out" in logged[2]


def test_a_command_runs_on_the_desktop_of_another_process():
    env = {"PATH": os.environ["PATH"], "DISPLAY": ":77", "HOME": "/", "WEIRD": "1"}
    other = subprocess.Popen(["sleep", "60"], env=env)
    try:
        assert soon(lambda: b"DISPLAY" in Path(f"/proc/{other.pid}/environ").read_bytes())
        found = session_of(other.pid)
    finally:
        other.kill()
        other.wait()
    assert (found["DISPLAY"], found["HOME"]) == (":77", "/")
    assert "WEIRD" not in found
    assert session_of(os.getpid()) == dict(os.environ)
    assert session_of(2**22 + 1) == dict(os.environ)


# -- files ------------------------------------------------------------------------------------------


def put(here, path, *pieces: bytes):
    with here.receive(str(path)) as file:
        for piece in pieces:
            file.write(piece)
        file.finish()


def test_a_file_is_written_with_the_folders_it_is_in(here, tmp_path):
    put(here, tmp_path / "a" / "b" / "c.txt", b"one ", b"two")
    assert (tmp_path / "a/b/c.txt").read_bytes() == b"one two"
    assert [path.name for path in (tmp_path / "a/b").iterdir()] == ["c.txt"]


def test_a_file_may_be_in_more_folders_than_the_recursion_limit(here, tmp_path):
    path = tmp_path.joinpath(*["d"] * 300, "f")
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        put(here, path, b"deep")
    finally:
        sys.setrecursionlimit(before)
    assert path.read_bytes() == b"deep"


def test_a_path_that_ends_like_a_folder_is_refused_for_a_file(here, tmp_path):
    with pytest.raises(UploadFailed, match="names a folder"):
        put(here, f"{tmp_path}/new/", b"x")
    assert not list(tmp_path.iterdir())


def test_a_relative_path_and_a_tilde_begin_at_home(here, tmp_path):
    put(here, "x/y", b"1")
    put(here, "~/x/z", b"2")
    assert (tmp_path / "x/y").read_bytes() + (tmp_path / "x/z").read_bytes() == b"12"


def test_a_file_that_is_not_finished_leaves_the_old_one_and_nothing_else(here, tmp_path):
    (tmp_path / "f").write_text("old")
    with here.receive(str(tmp_path / "f")) as file:
        file.write(b"new")
        assert (tmp_path / "f").read_text() == "old"
        assert len(list(tmp_path.iterdir())) == 2, "the upload is next to its destination until it is renamed"
    assert (tmp_path / "f").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(here, tmp_path):
    (tmp_path / "old").touch(0o600)
    (tmp_path / "program").touch()
    (tmp_path / "program").chmod(0o755)
    before = os.umask(0o027)
    try:
        for name in ("old", "program", "new"):
            put(here, tmp_path / name, b"x")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"old": 0o600, "program": 0o755, "new": 0o640}


def test_what_a_link_leads_to_is_written_and_the_link_stays(here, tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    put(here, tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_path_that_is_not_a_regular_file_is_not_replaced(here, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    for path in ("/dev/null", tmp_path, tmp_path / "pipe", tmp_path / "file" / "below", "bad\0path"):
        with pytest.raises(UploadFailed):
            here.receive(str(path))
        assert not Path("/dev/null").is_file()
    for path in ("/dev/null", tmp_path, tmp_path / "pipe", tmp_path / "missing", "bad\0path"):
        with pytest.raises(DownloadFailed):
            here.send(str(path))
    assert len(list(tmp_path.iterdir())) == 2


def test_a_full_disk_is_a_failed_upload(here, tmp_path):
    full = os.open("/dev/full", os.O_WRONLY)
    with here.receive(str(tmp_path / "f")) as file:
        os.dup2(full, file._placed._file)
        with pytest.raises(UploadFailed, match="No space left"):
            file.write(b"x")
    os.close(full)
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_a_path_waits_for_it(here, tmp_path):
    with here.receive(None) as file:
        file.write(b"x" * (BLOCK + 5))
        assert list(tmp_path.iterdir()) == []
        file.finish("late/f")
    assert (tmp_path / "late/f").read_bytes() == b"x" * (BLOCK + 5)


def test_two_paths_are_one_too_many(here, tmp_path):
    with pytest.raises(UploadFailed, match="two paths"), here.receive("one") as file:
        file.finish("two")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 2])
def test_a_file_is_read_in_pieces_that_fit_base64(here, tmp_path, size):
    content = os.urandom(size)
    (tmp_path / "f").write_bytes(content)
    file = here.send("f")
    pieces = list(file)
    file.close()
    assert b"".join(pieces) == content
    assert file.size == (size or None)
    assert all(len(piece) <= BLOCK for piece in pieces)
    assert b"".join(map(base64.b64encode, pieces)) == base64.b64encode(content)


def test_a_file_that_the_kernel_makes_up_is_read_too(here):
    file = here.send("/proc/self/status")
    assert file.size is None
    assert b"".join(file).startswith(b"Name:")
    file.close()


def test_a_file_that_shrinks_is_a_failed_download(here, tmp_path):
    (tmp_path / "f").write_bytes(b"x" * (2 * BLOCK))
    file = here.send("f")
    pieces = iter(file)
    next(pieces)
    os.truncate(tmp_path / "f", BLOCK)
    with pytest.raises(DownloadFailed, match="shorter"):
        next(pieces)
    file.close()


_SERVER = """
import sys
from deskhand.adapters.memory import MemoryAdapter
from deskhand.serving.endpoints import AgentSettings, endpoints, serve
from deskhand.engine.session import Session
with serve(Session(MemoryAdapter([])), endpoints(agent=0), agent=AgentSettings(exec=True)) as served:
    print(served.ready[0].url, flush=True)
    sys.stdin.read()
"""


def test_a_large_file_goes_both_ways_in_both_forms_in_bounded_memory(tmp_path):
    import http.client

    size = 96 * 1024 * 1024
    block = os.urandom(3 * 65536)
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().decode().strip().removeprefix("http://")
        peer = http.client.HTTPConnection(url, timeout=60)

        def ask(path, body, length):
            peer.request("POST", path, body, {"Content-Length": str(length)})
            reply = peer.getresponse()
            received = 0
            while part := reply.read(1 << 20):
                received += len(part)
            assert reply.status == 200
            return received

        raw, encoded = size // len(block) * len(block), size // len(block) * len(block) // 3 * 4
        ask(f"/upload?path={tmp_path}/raw", (block for _ in range(size // len(block))), raw)
        opening = b'{"path":"%s/json","content":"' % str(tmp_path).encode()
        digits = base64.b64encode(block)
        body = (part for part in [opening, *([digits] * (size // len(block))), b'"}'])
        ask("/upload", body, len(opening) + encoded + 2)
        assert ask(f"/download?path={tmp_path}/raw", b"", 0) == raw
        assert (
            ask("/download", b'{"path":"%s/json"}' % str(tmp_path).encode(), 11 + len(f"{tmp_path}/json"))
            == encoded + 14
        )
        peer.close()
        status = Path(f"/proc/{server.pid}/status").read_text()
        highest = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
        assert highest < 64 * 1024
        assert (tmp_path / "raw").stat().st_size == (tmp_path / "json").stat().st_size == raw
        subprocess.run(["cmp", tmp_path / "raw", tmp_path / "json"], check=True)
    finally:
        server.stdin.close()
        server.wait(20)
        server.stdout.close()
