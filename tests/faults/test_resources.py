"""A machine that lacks something: space, a writable /tmp, a home, descriptors, processes.

Each command ends with an error that says what is lacking and what to do, without a traceback, and leaves
nothing behind. The situations are real: file systems are mounted in a namespace of the test's own, limits are
set in the child. Where this user may not do that, the test is skipped with the reason.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.policy_guard import Guard
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import ActionFailed, UploadFailed
from deskhand.serving.machine import Machine
from deskhand.serving.oversight import Audit
from tests.traces import parent, until_nothing, without_rights

ROOT = Path(__file__).parents[2]
FORM = [sys.executable, str(ROOT / "demo" / "qt_form.py")]
TRUE = ("desktop", "--", "true")
RUN = ("run", "--headless", "--", *FORM)
FULL = "No space left on device"
_LONG = 60.0

_TMP_READ_ONLY = """
mount --bind /tmp /tmp
mount -o remount,bind,ro /tmp
mount -t tmpfs tmpfs "$TMPDIR"
"""
_NOTHING_WRITABLE = """
for folder in /tmp /var/tmp; do
    mount --bind $folder $folder
    mount -o remount,bind,ro $folder
done
cd /proc
"""
_ENDING = """
import json, os, subprocess, sys, time
started, begin = [], subprocess.Popen.__init__
def record(self, *given, **options):
    begin(self, *given, **options)
    started.append(self.pid)
subprocess.Popen.__init__ = record
code = 0
try:
{body}
except SystemExit as ended:
    code = ended.code
deadline = time.monotonic() + 20
while "supervisor" in str(left := os.listdir(os.environ["TMPDIR"])) and time.monotonic() < deadline:
    time.sleep(0.01)
told = {{"code": code, "said": said, "left": left, "started": started, "user": os.geteuid()}}
print(json.dumps(told), flush=True)
"""
_COMMAND = """
    said = None
    from deskhand.cli import main
    main()
"""
_LAUNCH = """
    said = None
    from deskhand import launch
    from deskhand.model.errors import LaunchFailed
    try:
        with launch({command!r}, headless=True) as app:
            assert app.find("button")
    except LaunchFailed as error:
        said = str(error)
        print(error, file=sys.stderr)
"""


_SERVED = """
    from pathlib import Path
    full, said = Path(os.environ["TMPDIR"], "full"), {{}}
    program = [sys.executable, "-c", "from deskhand.cli import main; main()"]
    def do(*arguments):
        done = subprocess.run([*program, *arguments], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr
    options = [option.replace("FULL", str(full)) for option in {options!r}]
    server = [*program, "run", "--headless", *options, "--", *{form!r}]
    with open(full.parent / "errors", "w") as errors:
        running = subprocess.Popen(server, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        ready = {{}}
        for line in running.stdout:
            first, *rest = line.split()
            if first == "ready" and not rest:
                break
            if first == "ready":
                ready[rest[0]] = rest[1]
{steps}
    except LookupError as error:  # of `ready`: it is not served
        said["error"] = repr(error)
    finally:
        running.terminate()
        running.wait(60)
        said["errors"] = (full.parent / "errors").read_text()
        (full.parent / "errors").unlink()
        if full.is_dir():
            said["files"] = {{path.name: path.read_text() for path in full.iterdir() if path.name != "fill"}}
            subprocess.run(["umount", full])
            full.rmdir()
"""
_FULL_FOLDER = """
mkdir "$TMPDIR/full"
mount -t tmpfs -o size=16k tmpfs "$TMPDIR/full"
echo old > "$TMPDIR/full/old.png"
dd if=/dev/zero of="$TMPDIR/full/fill" bs=1k count=64 2>/dev/null || true
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    said: Any
    errors: str


def test_desktop_on_a_full_disk_names_the_disk_and_what_to_do() -> None:
    # Each is used up at another step: the record of the supervisor, its next one, the cookie.
    for size in (4, 8, 16):
        ended = end_of(TRUE, full(size))
        assert ended.code == 1, f"{size} kB: {ended}"
        assert f"{FULL}: '/tmp/" in ended.errors, f"{size} kB: {ended}"
        assert "hint: free space on that disk" in ended.errors, f"{size} kB: {ended}"


def test_run_on_a_full_disk_names_the_disk_and_what_to_do() -> None:
    ended = end_of(RUN, full(16))
    assert ended.code == 1, ended
    assert f"error: the private desktop did not come up: {FULL}: '/tmp/" in ended.errors
    assert "hint: free space on that disk" in ended.errors


def test_launch_on_a_nearly_full_disk_works_or_says_that_it_is_full() -> None:
    failed = []
    for size in (24, 32, 48):
        ended = end_of((), full(size), _LAUNCH.format(command=FORM))
        if ended.said is not None:
            assert FULL in ended.said, f"{size} kB: {ended}"
            assert "hint: free space on that disk" in ended.said, f"{size} kB: {ended}"
            failed.append(size)
    assert failed


@pytest.mark.parametrize("command", [TRUE, RUN], ids=["desktop", "run"])
def test_a_read_only_tmp_is_named_although_temporary_files_go_elsewhere(command: tuple[str, ...]) -> None:
    ended = end_of(command, _TMP_READ_ONLY)
    assert ended.code == 1, ended
    assert "Read-only file system: '/tmp/.X" in ended.errors
    assert "hint: use a file system that can be written; a private desktop needs /tmp" in ended.errors


def test_without_any_folder_for_temporary_files_the_error_names_those_that_were_tried() -> None:
    ended = end_of(TRUE, _NOTHING_WRITABLE)
    assert ended.code == 1, ended
    assert "error: no program can be started: No usable temporary directory found in ['" in ended.errors
    assert "set TMPDIR to a folder that can be written" in ended.errors


def test_a_desktop_comes_up_although_the_home_does_not_exist() -> None:
    ended = end_of(TRUE, "export HOME=/nonexistent/home", mounts=False)
    assert ended.code == 0, ended
    assert not Path("/nonexistent").exists()


@pytest.mark.parametrize("limit", [7, 9, 11, 13, 16, 20])
def test_a_limit_on_open_files_is_named_as_the_reason(limit: int) -> None:
    ended = end_of(RUN if limit == 16 else TRUE, f"ulimit -n {limit}", mounts=False)
    assert ended.code in (1, 126), ended
    assert "Too many open files" in ended.errors
    assert f"hint: raise the limit on open files, which is {limit}: ulimit -n" in ended.errors


def test_a_desktop_needs_no_more_than_48_descriptors() -> None:
    assert end_of(TRUE, "ulimit -n 48", mounts=False).code == 0


# By what fails: the supervisor, the thread that reads its answers, the display, the bus, the keymap,
# the calls to the bus, the accessibility bus.
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 6, 8, 16])
def test_a_limit_on_processes_is_named_as_the_reason(limit: int) -> None:
    without_rights()  # checks that another user may read this checkout
    user = 2_000_000_000 + os.getpid()
    users = f"{Path('/etc/passwd').read_text()}some-user:x:{user}:{user}::/:/bin/sh"
    prepare = f"""
        printf '%s' '{users}' > "$TMPDIR/passwd"
        mount --bind "$TMPDIR/passwd" /etc/passwd
        cd /
        set -- setpriv --reuid {user} --regid {user} --clear-groups prlimit --nproc={limit} "$@"
    """
    ended = end_of(TRUE, prepare)
    assert ended.code in (1, 126), ended
    assert f"hint: this user may have {limit} processes and threads, and has " in ended.errors
    assert "ulimit -u" in ended.errors


def test_a_control_group_that_is_full_is_named_as_the_reason() -> None:
    with control_group(4) as group:
        ended = end_of(TRUE, f"echo $$ > {group}/cgroup.procs")
    assert ended.code in (1, 126), ended
    assert "Resource temporarily unavailable" in ended.errors
    assert "this container or control group may have 4 processes and threads, and has " in ended.errors


def test_commands_say_that_the_disk_is_full_and_leave_files_whole() -> None:
    steps = """
        token, agent = ("--token", "secret"), ("--agent", ready["agent"].removeprefix("http://"))
        big = os.path.realpath(sys.executable)
        said["new"] = do("screenshot", str(full / "new.png"))
        said["old"] = do("screenshot", str(full / "old.png"))
        said["upload"] = do("upload", *agent, *token, big, str(full / "upload"))
        said["download"] = do("download", *agent, *token, big, str(full / "download"))
        said["click"] = do("click", "--gip", ready["gip"], 'button[name="Greet"]')
    """
    options = ("--gip", "http://127.0.0.1:0/", "--agent", "0", "--exec", "--token", "secret")
    said = served(_FULL_FOLDER, (*options, "--log-wire", "FULL/wire"), steps)
    for name in ("new", "old", "upload", "download"):
        code, errors = said[name]
        assert code == 1, said
        assert FULL.lower() in errors.lower(), said
        assert "free space on that disk" in errors, said
    assert said["click"][0] == 0, said
    # Once by the server, and once by the app, which serves some of it.
    assert 1 <= said["errors"].count(f"wire misses messages: {FULL}") <= 2, said
    assert said["files"] == {"old.png": "old\n", "wire": ""}


def test_an_audit_log_on_a_full_disk_stops_every_operation() -> None:
    steps = """
        for name in ("first", "second", "third"):
            said[name] = do("click", "--gip", ready["gip"], 'button[name="Greet"]')
    """
    said = served(_FULL_FOLDER, ("--gip", "http://127.0.0.1:0/", "--audit", "FULL/audit"), steps)
    for name in ("first", "second", "third"):
        code, errors = said[name]
        assert code == 1, said
        assert "full/audit cannot be written any more, so nothing is done" in errors, said
        assert "hint: see whether its disk is full" in errors, said
    assert said["files"] == {"old.png": "old\n", "audit": ""}


def test_an_operation_that_cannot_be_recorded_is_not_done(tmp_path: Path) -> None:
    box = Element("checkbox", name="Agree", checked=False)
    session = Session(MemoryAdapter([Element("window", children=[box])]))
    with small_disk(tmp_path) as disk:
        guard = Guard(record=Audit(disk / "audit"))
        with pytest.raises(ActionFailed, match="cannot be written any more, so nothing is done"):
            guard.around(session, "gip").run(ops.SetChecked("checkbox", checked=True))
        assert box.checked is False
        guard.close()
        assert (disk / "audit").read_text() == ""
    guard = Guard(record=Audit(tmp_path / "audit"))
    guard.around(session, "gip").run(ops.SetChecked("checkbox", checked=True))
    guard.close()
    assert box.checked is True
    lines = (tmp_path / "audit").read_text().splitlines()
    assert [json.loads(line)["outcome"] for line in lines] == ["done"]


def test_a_server_without_descriptors_serves_again_once_connections_are_closed() -> None:
    steps = """
        import resource, socket
        unix, (host, port) = ready["gip"].removeprefix("unix:"), ready["orca"].split("/")[2].split(":")
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))
        held = []
        for number in range(80):
            for family, address in ((socket.AF_UNIX, unix), (socket.AF_INET, (host, int(port)))):
                peer = socket.socket(family)
                peer.settimeout(0.2)
                held.append(peer)
                try:
                    peer.connect(address)
                except OSError:
                    pass  # it waits to be accepted
        for peer in held:
            peer.close()
        said["gip"] = do("click", "--gip", unix, 'button[name="Greet"]')
        said["orca"] = do("tree", "--orca", f"{host}:{port}")
        said["running"] = running.poll()
    """
    options = ("--gip", "crowded", "--orca", "0")
    said = served("ulimit -Sn 64", options, steps, mounts=False)
    assert "could not accept 1 connections so far: Too many open files" in said["errors"], said
    assert said["gip"][0] == 0, said
    assert said["orca"][0] == 0, said
    assert said["running"] is None, said


def test_an_upload_that_does_not_fit_leaves_the_old_file(tmp_path: Path) -> None:
    with small_disk(tmp_path) as disk:
        path = disk / "file"
        path.write_text("old")
        with pytest.raises(UploadFailed, match=FULL) as failed:
            upload(path, bytes(1 << 20))
        assert failed.value.target == str(path)
        assert "free space on that disk" in failed.value.suggestions[0]
        assert {entry.name: entry.read_text() for entry in disk.iterdir()} == {"file": "old"}


def upload(path: Path, content: bytes) -> None:
    with Machine().receive(str(path)) as incoming:
        incoming.write(content)
        incoming.finish()


# -- situations --------------------------------------------------------------------------------------


def end_of(arguments: tuple[str, ...], prepare: str, body: str = _COMMAND, *, mounts: bool = True) -> Ended:
    """Run a command after a shell has prepared what it lacks; no traceback, and nothing left behind."""
    if mounts and os.geteuid() != 0:
        pytest.skip("only root can mount file systems, become another user and limit a control group")
    around = ["unshare", "--mount", "--propagation", "private"] if mounts else []
    before = [*around, "sh", "-ec", f'{prepare}\nexec "$@"', "sh"]
    script = f"import sys; sys.argv = {['deskhand', *arguments]!r}" + _ENDING.format(body=body)
    with parent(script, before=before, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as started:
        out, errors = started.popen.communicate(timeout=_LONG)
        assert out, f"it ended with {started.popen.returncode}: {errors}"
        assert "Traceback" not in errors, errors
        told: dict[str, Any] = json.loads(out.splitlines()[-1])
        until_nothing(started.processes)
        # The registry is a folder of the user, and stays.
        left = [name for name in told["left"] if name not in (f"deskhand-{told['user']}", "passwd")]
        assert not left, f"left in the folder for temporary files: {left}"
        locks = [str(lock) for lock in Path("/tmp").glob(".X*-lock") if _owner(lock) in told["started"]]
        assert not locks, f"left of displays: {locks}"
    return Ended(told["code"], told["said"], errors)


def served(prepare: str, options: tuple[str, ...], steps: str, *, mounts: bool = True) -> dict[str, Any]:
    """Serve an app where something is lacking, and take these steps; what they noted in `said`."""
    steps = textwrap.indent(textwrap.dedent(steps), " " * 8)
    body = _SERVED.format(options=options, form=FORM, steps=steps)
    said: dict[str, Any] = end_of((), prepare, body, mounts=mounts).said
    assert "Traceback" not in said["errors"], said["errors"]
    return said


def full(kilobytes: int) -> str:
    """A disk for temporary files that is as good as full."""
    return f'mount -t tmpfs -o size={kilobytes}k tmpfs "$TMPDIR"'


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount file systems")
    disk = folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=True)
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


@contextmanager
def control_group(limit: int) -> Iterator[Path]:
    """A control group that may have so many processes and threads."""
    version1 = Path("/sys/fs/cgroup/pids")
    group = (version1 if version1.is_dir() else Path("/sys/fs/cgroup")) / f"deskhand-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "pids.max").write_text(str(limit))
    except OSError as error:
        with suppress(OSError):
            group.rmdir()
        pytest.skip(f"this machine lets us make no control group with a limit on processes: {error}")
    try:
        yield group
    finally:
        until_nothing(lambda: (group / "cgroup.procs").read_text())
        group.rmdir()


def _owner(lock: Path) -> int:
    with suppress(OSError, ValueError):
        return int(lock.read_text())
    return 0
