"""A supervisor's processes and folder end with it, with its parent, and with nothing else."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from deskhand.model.errors import LaunchFailed, WaitTimeout
from deskhand.processes import supervisor as script
from deskhand.processes.children import Supervisor, sweep
from tests.traces import TIMEOUT, parent, until, until_nothing, without_rights

# A program with an orphan in a session of its own, and one that does not listen when asked to end.
FAMILY = "setsid sleep 1001 & (trap '' TERM; sleep 1002) & sleep 1003"

PARENT = f"""
import json, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
from deskhand.processes.children import Supervisor
with Supervisor() as supervisor:
    app = supervisor.spawn(["sh", "-c", {FAMILY!r}])
    extra = supervisor.folder.parent / "extra"
    extra.touch()
    supervisor.clean([extra])
    print(json.dumps({{"supervisor": supervisor.pid, "app": app.pid}}), flush=True)
    sys.stdin.read()
"""


def whole_family(process) -> bool:
    lines = " ".join(process.processes().values())
    return all(f"sleep {number}" in lines for number in (1001, 1002, 1003))


def test_closing_ends_every_descendant_and_removes_every_path():
    with parent(PARENT) as process:
        process.says()
        until(lambda: whole_family(process))
        assert process.asks_to_end() == 0
        assert process.left() == {}


def test_a_process_that_no_list_shows_is_ended_too():
    # It forks and ends faster than a list of processes is made, and after a while it stays.
    elusive = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
deadline = time.monotonic() + 0.5
while time.monotonic() < deadline:
    if os.fork(): os._exit(0)
os.execvp("sleep", ["sleep", "30"])
"""
    code = f"""
import sys, time
from deskhand.processes.children import Supervisor
with Supervisor() as supervisor:
    log = supervisor.folder / "log"
    app = supervisor.spawn([sys.executable, "-I", "-S", "-c", {elusive!r}], stdout=log)
    while not app.tail(): time.sleep(0.001)
"""
    with parent(code, stderr=subprocess.PIPE) as process:
        assert process.popen.wait(TIMEOUT) == 0
        # Our own list would not show it either; but for as long as it lives it keeps this pipe open.
        assert select.select([process.popen.stderr], [], [], 0)[0]
        assert process.popen.stderr.read() == ""
        assert process.left() == {}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_parent_that_is_killed_leaves_nothing(number):
    with parent(PARENT, stderr=subprocess.DEVNULL) as process:
        process.says()
        until(lambda: whole_family(process))
        process.popen.send_signal(number)
        process.popen.wait(TIMEOUT)
        until_nothing(process.left)


@pytest.mark.parametrize("moment", ["mkdir", "rename"])
def test_a_parent_killed_while_it_makes_the_folder_leaves_nothing(moment):
    code = f"""
import os, pathlib, signal
from deskhand.processes.children import Supervisor
original = pathlib.Path.{moment}
def killed(*arguments, **options):
    original(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)
pathlib.Path.{moment} = killed
Supervisor().start()
"""
    with parent(code) as process:
        assert process.popen.wait(TIMEOUT) == -signal.SIGKILL
        until_nothing(process.left)


def test_a_signal_that_interrupts_closing_leaves_nothing():
    # The supervisor is killed, and the signal comes while its work is finished here.
    code = """
import os, signal, sys, threading
from deskhand.processes import children
class Interrupted(BaseException): pass
def interrupt(*_): raise Interrupted
signal.signal(signal.SIGTERM, interrupt)
original = children.script.remove_all
def slow(*arguments, **options):
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(1)  # as on a machine that is busy
    original(*arguments, **options)
children.script.remove_all = slow
supervisor = children.Supervisor().start()
supervisor.spawn(["sleep", "1000"])
os.kill(supervisor.pid, signal.SIGKILL)
try:
    supervisor.close()
except Interrupted:
    sys.exit(3)
"""
    with parent(code) as process:
        assert process.popen.wait(TIMEOUT) == 3
        assert process.left() == {}


def test_a_parent_killed_while_its_fork_lives_leaves_nothing():
    forking = PARENT.replace(
        "    print(", "    import os\n    if os.fork() == 0: sys.stdin.read()\n    print(", 1
    )
    with parent(forking) as process:
        pids = process.says()
        until(lambda: whole_family(process))
        process.popen.send_signal(signal.SIGKILL)
        until(lambda: pids["supervisor"] not in process.processes() and not process.pid_of("sleep"))
        assert process.processes(), "the fork ended as well, so this test showed nothing"
        assert process.files() == []


def test_a_supervisor_that_is_killed_leaves_nothing_although_its_parent_lives():
    with parent(PARENT) as process:
        pids = process.says()
        until(lambda: whole_family(process))
        os.kill(pids["supervisor"], signal.SIGKILL)
        until_nothing(process.left)
        assert process.popen.poll() is None


def test_a_supervisor_asked_to_end_ends_everything():
    with parent(PARENT) as process:
        pids = process.says()
        until(lambda: whole_family(process))
        os.kill(pids["supervisor"], signal.SIGTERM)
        until_nothing(process.left)
        assert process.popen.poll() is None


def test_what_a_double_kill_left_is_removed_at_the_next_start():
    with parent(PARENT) as process:
        pids = process.says()
        until(lambda: whole_family(process))
        process.kill_with(pids["supervisor"])
        until(lambda: pids["app"] not in process.processes())
        assert process.pid_of("sleep 1001")
        assert process.files()
        env = {**os.environ, "TMPDIR": str(process.folder)}
        subprocess.run(
            [sys.executable, "-c", "from deskhand.processes.children import sweep; sweep()"],
            env=env,
            check=True,
        )
        assert process.left() == {}


def test_a_sweep_spares_the_living():
    with Supervisor() as supervisor:
        sweep()
        assert (supervisor.folder / "owner").exists()
        assert supervisor.spawn(["true"]).wait(TIMEOUT) == 0


def test_a_sweep_removes_listed_paths_only_while_their_lock_is_unchanged(tmp_path):
    lock, ours, theirs = tmp_path / "lock", tmp_path / "ours", tmp_path / "theirs"
    for path in (lock, ours, theirs):
        path.write_text("1")
    script.remove_all([{"paths": [str(theirs)], "lock": [str(lock), "2"]}])
    script.remove_all([{"paths": [str(ours)], "lock": [str(lock), "1"]}])
    assert theirs.exists()
    assert not ours.exists()


def test_the_folder_is_private_and_follows_tmpdir():
    with parent(PARENT) as process:
        process.says()
        (folder,) = process.folder.glob("deskhand-supervisor.*")
        assert folder.stat().st_mode & 0o777 == 0o700


def test_the_folder_moves_where_socket_paths_would_be_too_long(tmp_path):
    deep = tmp_path / ("d" * 80)
    deep.mkdir()
    code = "from deskhand.processes.children import Supervisor\nwith Supervisor() as own: print(own.folder)"
    env = {**os.environ, "TMPDIR": str(deep)}
    answer = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    assert len(answer.stdout.strip()) < 50


def test_exit_codes_and_signals_are_reported():
    with Supervisor() as supervisor:
        assert supervisor.spawn(["sh", "-c", "exit 7"]).wait(TIMEOUT) == 7
        killed = supervisor.spawn(["sh", "-c", "kill -9 $$"])
        assert killed.wait(TIMEOUT) == -signal.SIGKILL
        assert killed.ending() == "was ended by SIGKILL"


def test_a_program_that_is_not_there_is_named():
    with (
        Supervisor() as supervisor,
        pytest.raises(LaunchFailed, match="'no-such-program': no such program") as caught,
    ):
        supervisor.spawn(["no-such-program"])
    assert caught.value.details["errno"] == 2
    assert caught.value.details["exit_code"] == 127, "as shells have it"


def test_a_program_that_may_not_be_run_says_so(tmp_path):
    (tmp_path / "plain").write_text("text")
    with Supervisor() as supervisor, pytest.raises(LaunchFailed, match="Permission denied") as caught:
        supervisor.spawn([str(tmp_path / "plain")])
    assert caught.value.details["exit_code"] == 126


def test_a_working_directory_that_is_not_there_is_named():
    with Supervisor() as supervisor, pytest.raises(LaunchFailed, match="working directory '/no/such/folder'"):
        supervisor.spawn(["true"], cwd="/no/such/folder")


def test_a_supervisor_that_has_ended_is_the_reason_why_a_log_in_its_folder_cannot_be_opened():
    with Supervisor() as supervisor:
        critical = supervisor.spawn(["sleep", "1000"], role="critical")
        os.kill(critical.pid, signal.SIGKILL)
        until(lambda: not supervisor.folder.exists())
        with pytest.raises(LaunchFailed, match=r"cannot start 'true': sleep .* was ended by SIGKILL"):
            supervisor.spawn(["true"], stdout=supervisor.folder / "log")


def test_a_log_in_a_missing_folder_is_an_error_of_its_own(tmp_path):
    with Supervisor() as supervisor, pytest.raises(FileNotFoundError):
        supervisor.spawn(["true"], stdout=tmp_path / "missing" / "log")


def test_a_closed_supervisor_starts_nothing():
    with Supervisor() as supervisor:
        pass
    with pytest.raises(LaunchFailed, match="the supervisor is closed"):
        supervisor.spawn(["true"])


def test_waiting_for_a_process_ends_at_its_deadline():
    with Supervisor() as supervisor:
        process = supervisor.spawn(["sleep", "1000"])
        with pytest.raises(WaitTimeout, match="still runs"):
            process.wait(0.05)


def test_terminate_takes_the_whole_tree_and_only_that():
    with Supervisor() as supervisor:
        bystander = supervisor.spawn(["sleep", "1000"])
        stubborn = (
            "import signal; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); signal.pause()"
        )
        log = supervisor.folder / "log"
        family = ["sh", "-c", '"$0" -c "$1" & setsid "$0" -c "$1" & sleep 1000', sys.executable, stubborn]
        process = supervisor.spawn(family, stdout=log)
        until(lambda: log.read_text().count("ready") == 2 and len(below(process.pid)) == 3)
        children = below(process.pid)
        assert process.terminate(grace=0.2) == -signal.SIGTERM
        until(lambda: not children & script.process_table().keys())
        assert bystander.poll() is None


def below(pid: int) -> set[int]:
    return script.descendants(pid, script.process_table())


def test_output_to_a_file_can_be_read_while_and_after(tmp_path):
    with Supervisor() as supervisor:
        log = supervisor.folder / "log"
        process = supervisor.spawn(
            ["sh", "-c", "echo out; echo err >&2; read x"], stdout=log, stderr="stdout", stdin="null"
        )
        process.wait(TIMEOUT)
        waiting = supervisor.spawn(["sh", "-c", "echo here; exec sleep 1000"], stdout=log, stderr=log)
        until(lambda: "here" in waiting.tail())
    assert not log.exists()
    assert process.tail() == "out\nerr\n"
    assert waiting.tail(5) == "here\n"


def test_inherited_streams_are_those_of_the_parent(tmp_path):
    code = """
import sys
from deskhand.processes.children import Supervisor
with Supervisor() as supervisor:
    argv = ["sh", "-c", "read word; echo got $word; echo bad >&2; exit 3"]
    sys.exit(supervisor.spawn(argv, stdin="inherit").wait())
"""
    answer = subprocess.run([sys.executable, "-c", code], input="bread\n", capture_output=True, text=True)
    assert (answer.returncode, answer.stdout, answer.stderr) == (3, "got bread\n", "bad\n")


def test_a_process_has_no_descriptors_but_those_it_was_given():
    with Supervisor() as supervisor:
        log = supervisor.folder / "log"
        read, write = os.pipe()
        listing = "import os; print([n for n in range(1000) if os.path.exists(f'/dev/fd/{n}')])"
        supervisor.spawn([sys.executable, "-c", listing], stdout=log, fds={5: write}).wait(TIMEOUT)
        os.close(write)
        os.close(read)
        assert json.loads(log.read_text()) == [0, 1, 2, 5]


def test_descriptors_arrive_under_the_right_numbers():
    # So many, and from high to low, that their numbers collide in the supervisor.
    pipes = {number: os.pipe() for number in reversed(range(3, 60))}
    code = "import os\nfor number in range(3, 60): os.write(number, b'%d' % number)"
    with Supervisor() as supervisor:
        fds = {number: write for number, (_, write) in pipes.items()}
        assert supervisor.spawn([sys.executable, "-c", code], fds=fds).wait(TIMEOUT) == 0
    for number, (read, write) in pipes.items():
        os.close(write)
        assert os.read(read, 100) == b"%d" % number
        os.close(read)


_RESET = ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGHUP")


def test_signals_that_python_ignores_have_their_default_in_a_program():
    with Supervisor() as supervisor:
        log = supervisor.folder / "log"
        supervisor.spawn(["grep", "SigIgn", "/proc/self/status"], stdout=log).wait(TIMEOUT)
        ignored = int(log.read_text().split()[1], 16)
        # The process that runs the tests may ignore others; those are passed on, as by any program.
        assert not [name for name in _RESET if ignored >> (signal.Signals[name] - 1) & 1]


def test_the_environment_passes_as_it_is():
    value = os.fsdecode('Zoë\n"quoted" '.encode() + b"\xff")
    with Supervisor() as supervisor:
        log = supervisor.folder / "log"
        supervisor.spawn(["sh", "-c", 'printf %s "$V"'], env={**os.environ, "V": value}, stdout=log).wait(
            TIMEOUT
        )
        assert log.read_bytes() == os.fsencode(value)


def test_a_big_environment_passes_whole():
    env = {**os.environ, **{f"V{number}": "x" * 100_000 for number in range(12)}}
    with Supervisor() as supervisor:
        log = supervisor.folder / "log"
        supervisor.spawn(
            [sys.executable, "-c", "import os; print(len(os.environ['V11']))"], env=env, stdout=log
        ).wait(TIMEOUT)
        assert log.read_text() == "100000\n"


def test_the_end_of_a_critical_process_ends_everything_and_says_why():
    with Supervisor() as supervisor:
        app = supervisor.spawn(["sleep", "1000"])
        ended = threading.Event()
        supervisor.on_end(ended.set)
        critical = supervisor.spawn(["sleep", "1000"], role="critical")
        os.kill(critical.pid, signal.SIGKILL)
        assert ended.wait(TIMEOUT)
        assert app.returncode == -signal.SIGTERM
        assert supervisor.failed == f"sleep (pid {critical.pid}) was ended by SIGKILL"
        assert not supervisor.folder.exists()


def test_a_killed_supervisor_is_reported():
    with Supervisor() as supervisor:
        app = supervisor.spawn(["sleep", "1000"])
        os.kill(supervisor.pid, signal.SIGKILL)
        assert app.wait(TIMEOUT) == -signal.SIGKILL
        until(lambda: supervisor.failed)
        assert supervisor.failed == f"the supervisor (pid {supervisor.pid}) was ended by SIGKILL"
        with pytest.raises(LaunchFailed, match="was ended by SIGKILL"):
            supervisor.spawn(["true"])


def test_apps_end_before_the_services_they_use():
    with Supervisor() as supervisor:
        service = supervisor.spawn(["sleep", "1000"], role="service")
        watching = f"""
import pathlib, signal, sys, time
def end(*_):
    time.sleep(0.3)  # takes a moment to close its windows
    state = pathlib.Path("/proc/{service.pid}/stat").read_text().split()[2]
    sys.exit(5 if state not in "ZX" else 6)
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
signal.pause()
"""
        log = supervisor.folder / "log"
        app = supervisor.spawn([sys.executable, "-c", watching], stdout=log, stderr=log)
        until(lambda: app.tail())
    assert app.returncode == 5


def test_every_exit_is_reported_when_all_end_at_once():
    with Supervisor() as supervisor:
        processes = [supervisor.spawn(["sleep", "1000"]) for _ in range(20)]
    assert [process.returncode for process in processes] == [-signal.SIGTERM] * 20


def test_many_threads_may_start_processes_at_once():
    with Supervisor() as supervisor:
        codes: list[int] = []

        def start(code: int) -> None:
            codes.append(supervisor.spawn(["sh", "-c", f"exit {code}"]).wait(TIMEOUT))

        threads = [threading.Thread(target=start, args=(code,)) for code in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(codes) == list(range(20))


def with_mounts(code: str) -> str:
    """Run code whose mounts no other process sees; it must succeed. Returns what it wrote to stderr."""
    rights = [] if os.geteuid() == 0 else ["--map-root-user"]
    answer = subprocess.run(
        ["unshare", "--mount", *rights, sys.executable, "-c", code], capture_output=True, text=True
    )
    if answer.stderr.startswith("unshare:"):
        pytest.skip(f"this machine does not allow mounts: {answer.stderr.strip()}")
    assert answer.returncode == 0, answer.stderr
    return answer.stderr


def test_what_is_mounted_in_the_folder_is_not_removed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("data")
    complaints = with_mounts(f"""
import pathlib, subprocess
from deskhand.processes import supervisor
folder = pathlib.Path({str(tmp_path)!r}) / "folder"
(folder / "mnt").mkdir(parents=True)
(folder / "link").symlink_to({str(precious)!r})
subprocess.run(["mount", "-t", "tmpfs", "none", folder / "mnt"], check=True)
(folder / "mnt/file").write_text("data")
supervisor.remove(str(folder))
assert (folder / "mnt/file").read_text() == "data"
assert not (folder / "link").is_symlink()
""")
    assert (precious / "file").exists()
    assert "folder stays: " in complaints


def test_the_file_system_of_a_program_that_was_killed_does_not_keep_the_folder(tmp_path):
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("this machine has no FUSE for its user, so no program leaves such a file system behind")
    folder = tmp_path / "a folder"
    complaints = with_mounts(f"""
import ctypes, os, pathlib
from deskhand.processes import supervisor
folder = pathlib.Path({str(folder)!r})
(folder / "run" / "doc").mkdir(parents=True)
(folder / "run" / "file").touch()
device = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={{device}},rootmode=40000,user_id=0,group_id=0".encode()
mounted = ctypes.CDLL(None).mount(b"portal", os.fsencode(folder / "run" / "doc"), b"fuse.portal", 0, options)
assert mounted == 0, "cannot mount"
os.close(device)  # as when the program is killed that keeps it
assert supervisor.fuse_mounts(str(folder)) == [str(folder / "run" / "doc")]
supervisor.remove(str(folder))
""")
    assert (complaints, folder.exists()) == ("", False)


def test_leftovers_of_others_that_cannot_be_removed_do_not_stop_a_start(tmp_path):
    complaints = with_mounts(f"""
import os, pathlib, subprocess, tempfile
from deskhand.processes.children import Supervisor
tempfile.tempdir = {str(tmp_path)!r}
left = pathlib.Path(tempfile.tempdir) / "deskhand-supervisor.left"
(left / "mnt").mkdir(parents=True)
subprocess.run(["mount", "-t", "tmpfs", "none", left / "mnt"], check=True)
os.utime(left, (0, 0))
with Supervisor():
    pass
assert left.exists()
""")
    assert complaints == ""


def test_a_file_added_while_its_folder_is_removed_does_not_keep_the_folder(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    (folder / "log").mkdir(parents=True)
    late = [folder / "late", folder / "log" / "late"]
    rmdir = os.rmdir

    def add_first(path: str) -> None:
        if late and late[-1].parent == Path(path):
            late.pop().touch()
        rmdir(path)

    monkeypatch.setattr("os.rmdir", add_first)
    script.remove(str(folder))
    assert not late
    assert not folder.exists()


def test_folders_without_permissions_are_removed_as_well():
    code = """
from deskhand.processes.children import Supervisor
with Supervisor() as kept:
    locked = kept.folder / "home" / "locked"
    locked.mkdir(parents=True)
    (locked / "file").touch()
    locked.chmod(0o500)
"""
    # To root no permission is missing.
    with parent(code, **without_rights()) as process:
        assert process.popen.wait(TIMEOUT) == 0
        assert process.left() == {}


def test_the_supervisor_needs_nothing_but_the_standard_library():
    code = f"import runpy; runpy.run_path({script.__file__!r})"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
