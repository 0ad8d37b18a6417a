"""Each private desktop has a /tmp and a /var/tmp of its own; what the machine has in /tmp is seen there."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import Desktop, connect, launch
from deskhand.launching import launcher
from deskhand.model.errors import ActionFailed, InvalidParams, LaunchFailed
from deskhand.model.operations import Execute, ListWindows
from deskhand.serving.endpoints import endpoints
from deskhand.serving.machine import Machine, session_of
from deskhand.serving.remote import Remote
from tests.traces import TIMEOUT, parent, until, until_nothing, without_rights

GREETER = [sys.executable, str(Path(__file__).parents[1] / "client" / "qt_greeter.py")]
TMP, VAR_TMP = Path("/tmp"), Path("/var/tmp")


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        assert desktop.tmp_note is None
        yield desktop


@pytest.fixture
def name() -> Iterator[str]:
    """A name that nothing has in /tmp or /var/tmp, and nothing has any more afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="dh-name.", dir="/tmp"))
    folder.rmdir()
    yield folder.name
    for place in (TMP, VAR_TMP):
        path = place / folder.name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="dh") as folder:
        monkeypatch.setenv("DESKHAND_RUNTIME_DIR", folder)
        yield


def sh(desktop: Desktop, script: str, **options: object) -> str:
    """What a shell script prints on the desktop."""
    with tempfile.TemporaryFile() as out:
        process = desktop.spawn(["sh", "-c", script], stdout=out.fileno(), stderr="stdout", **options)  # type: ignore[arg-type]
        code = process.wait(TIMEOUT)
        out.seek(0)
        text = out.read().decode().strip()
    assert code == 0, text
    return text


def mounted(*folders: Path) -> list[str]:
    """What is mounted below folders, or covers /tmp or /var/tmp, as this process sees it."""
    points = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    covers = [point for point in points if point in (str(TMP), str(VAR_TMP))]
    return covers + [point for point in points if point.startswith(tuple(f"{path}/" for path in folders))]


# -- what is private -------------------------------------------------------------------------------


def test_what_a_program_puts_into_tmp_is_its_desktops_alone(desktop: Desktop, name: str) -> None:
    before = mounted(desktop.folder)
    with Desktop() as other:
        for place in (TMP, VAR_TMP):
            sh(desktop, f"mkdir {place}/{name}; echo mine > {place}/{name}/recovery")
            assert sh(desktop, f"cat {place}/{name}/recovery") == "mine"
            assert sh(other, f"ls -d {place}/{name} 2>/dev/null || echo none") == "none"
            assert not (place / name).exists()
        assert desktop.tmp is not None
        assert (desktop.tmp / name / "recovery").read_text() == "mine\n"
        folder = other.folder
        assert mounted(desktop.folder, folder) == before
    assert not folder.exists()


def test_var_tmp_is_empty_at_first(desktop: Desktop, name: str) -> None:
    (VAR_TMP / name).mkdir()
    assert sh(desktop, f"ls /var/tmp | grep {name[:12]} || echo none") == "none"


def test_sockets_and_pipes_of_the_machine_are_not_passed_on(desktop: Desktop, name: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/tmp/{name}")
        assert sh(desktop, f"ls /tmp/{name} 2>/dev/null || echo none") == "none"
    (TMP / name).unlink()
    os.mkfifo(f"/tmp/{name}")
    assert sh(desktop, f"ls /tmp/{name} 2>/dev/null || echo none") == "none"


def test_tmp_is_shared_where_that_is_wanted(name: str) -> None:
    with Desktop(tmp="shared") as desktop:
        sh(desktop, f"echo ours > /tmp/{name}")
        assert (TMP / name).read_text() == "ours\n"
        assert (desktop.tmp, desktop.tmp_note) == (None, None)
    with pytest.raises(InvalidParams, match="'private' or 'shared'"):
        Desktop(tmp="mine")  # type: ignore[arg-type]


DESKHAND = str(Path(sys.executable).with_name("deskhand"))


def test_the_desktop_command_names_the_files_that_go_with_its_tmp(name: str) -> None:
    script = f"echo here > /tmp/{name}; touch /tmp/.{name}; cat /tmp/{name}"
    answer = subprocess.run(
        [DESKHAND, "desktop", "--", "sh", "-c", script], capture_output=True, text=True, timeout=60
    )
    assert answer.stdout == "here\n"
    assert answer.stderr.startswith(f"note: removed with the desktop's own /tmp: /tmp/{name}; ")
    assert not (TMP / name).exists()


@pytest.mark.parametrize("ended", ["by itself", "by a signal"])
def test_run_names_the_files_that_go_with_its_tmp(ended: str, name: str) -> None:
    script = f"echo here > /tmp/{name}; exec {' '.join(GREETER)}"
    command = [DESKHAND, "run", "--headless", "--name", "greeter", "--", "sh", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        if ended == "by itself":
            with connect("greeter") as app:
                app.get_by_role("button", name="Quit").click()
        else:
            process.terminate()
        _, said = process.communicate(timeout=60)
    assert f"note: removed with the desktop's own /tmp: /tmp/{name}; " in said


@pytest.mark.parametrize("command", [["desktop"], ["run", "--headless"]], ids=lambda words: words[0])
def test_a_command_shares_tmp_with_the_machine_where_that_is_wanted(command: list[str], name: str) -> None:
    script = f"echo here > /tmp/{name}"
    arguments = [*command, "--shared-tmp", "--", "sh", "-c", script]
    answer = subprocess.run([DESKHAND, *arguments], capture_output=True, text=True, timeout=60)
    assert "note:" not in answer.stderr
    assert (TMP / name).read_text() == "here\n"


# -- what is the machine's ---------------------------------------------------------------------------


def test_folders_of_the_machine_are_read_and_written(desktop: Desktop, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("from outside")
    assert sh(desktop, f"cat {tmp_path}/in; mv {tmp_path}/in {tmp_path}/out") == "from outside"
    assert (tmp_path / "out").read_text() == "from outside"


def test_a_running_program_sees_what_the_machine_adds_and_removes(desktop: Desktop, name: str) -> None:
    script = f"until cat /tmp/{name}/in 2>/dev/null; do sleep 0.02; done; "
    script += f"echo seen > /tmp/{name}/out; while ls /tmp/{name} >/dev/null 2>&1; do sleep 0.02; done"
    process = desktop.spawn(["sh", "-c", script], stdout="null")
    (TMP / name).mkdir()
    (TMP / name / "in").touch()
    until((TMP / name / "out").exists)
    shutil.rmtree(TMP / name)
    assert process.wait(TIMEOUT) == 0


def test_a_new_folder_of_the_same_name_takes_the_place_of_the_old(desktop: Desktop, name: str) -> None:
    for number in range(3):
        (TMP / name).mkdir()
        (TMP / name / str(number)).touch()
        assert sh(desktop, f"ls /tmp/{name}") == str(number)
        shutil.rmtree(TMP / name)


def test_a_file_of_the_machine_that_a_program_saves_reaches_the_machine(desktop: Desktop, name: str) -> None:
    file = TMP / name
    file.write_text("first")
    assert sh(desktop, f"cat /tmp/{name}; echo second > /tmp/{name}") == "first"
    assert file.read_text() == "second\n"

    # As most editors save: a new file takes the place of the old one.
    sh(desktop, f"echo third > /tmp/{name}.new; mv /tmp/{name}.new /tmp/{name}")
    until(lambda: file.read_text() == "third\n")
    assert not file.is_symlink()
    sh(desktop, f"rm /tmp/{name}; echo fourth > /tmp/{name}")
    until(lambda: file.read_text() == "fourth\n")
    file.write_text("fifth")
    assert sh(desktop, f"cat /tmp/{name}") == "fifth"


def test_a_program_runs_in_a_folder_of_var_tmp_that_its_command_names(desktop: Desktop, name: str) -> None:
    (VAR_TMP / name).mkdir()
    (VAR_TMP / name / "file").write_text("there")
    assert sh(desktop, "cat file; echo more > file", cwd=VAR_TMP / name) == "there"
    assert (VAR_TMP / name / "file").read_text() == "more\n"


def test_programs_that_join_a_desktop_have_its_tmp(name: str, tmp_path: Path) -> None:
    script = f"cp /tmp/{name} {tmp_path}/copy; exec {' '.join(GREETER)}"
    first = ["sh", "-c", f"echo first > /tmp/{name}; exec {' '.join(GREETER)}"]
    with launch(first, headless=True) as app, launch(["sh", "-c", script], desktop=app):
        assert (tmp_path / "copy").read_text() == "first\n"
    assert not (TMP / name).exists()


# -- what we need of it --------------------------------------------------------------------------------


def test_a_gip_socket_is_reached_by_its_name_in_tmp(name: str) -> None:
    with launcher.start(GREETER, headless=True, endpoints=endpoints(name)) as launched:
        assert launched.ready[0].url == f"unix:/tmp/{name}"
        with connect(name) as app:
            assert app.title() == "Greeter"
        with pytest.raises(ActionFailed):
            launcher.start(GREETER, headless=True, endpoints=endpoints(name))
    assert not os.path.lexists(f"/tmp/{name}")


def test_a_log_in_tmp_is_written_for_the_machine(name: str) -> None:
    with launcher.start(GREETER, headless=True, log_wire=f"/tmp/{name}") as launched:
        runner = Remote(f"unix:{launched.control}")
        assert runner.run(ListWindows())
        runner.close()
    assert "list_windows" in (TMP / name).read_text()


def test_commands_and_files_of_an_agent_are_where_its_app_is(name: str) -> None:
    command = ["sh", "-c", f"echo saved > /tmp/{name}; exec {' '.join(GREETER)}"]
    with tempfile.NamedTemporaryFile("w", dir="/tmp") as theirs, launch(command, headless=True) as app:
        theirs.write("from outside")
        theirs.flush()
        assert app.pid is not None
        machine = Machine(session_of(app.pid), as_seen_by=app.pid)
        assert machine.execute(Execute(f"cat /tmp/{name}")).stdout == "saved\n"
        assert machine.execute(Execute("exit 3")).exit_code == 3
        for path, content in ((f"/tmp/{name}", b"saved\n"), (theirs.name, b"from outside")):
            file = machine.send(path)
            assert b"".join(file) == content
            file.close()
        with machine.receive(f"/tmp/{name}") as incoming:
            incoming.write(b"sent")
            incoming.finish()
        assert machine.execute(Execute(f"cat /tmp/{name}")).stdout == "sent"
    assert not (TMP / name).exists()


def test_an_agent_gets_into_a_program_with_a_tmp_of_its_own(desktop: Desktop) -> None:
    process = desktop.spawn(GREETER)
    search = ["xdotool", "search", "--onlyvisible", "--name", "^Greeter$"]
    try:
        until(lambda: subprocess.run(search, env={**os.environ, **desktop.env}, capture_output=True).stdout)
        entry = launcher.attach(process.pid, name="joined later").entry
        runner = Remote(f"unix:{entry.control}")
        until(lambda: [window.title for window in runner.run(ListWindows())] == ["Greeter"])
        runner.close()
    finally:
        process.kill()


def test_a_desktop_within_a_desktop_has_a_tmp_of_its_own(desktop: Desktop, name: str) -> None:
    script = textwrap.dedent(f"""
        from pathlib import Path
        from deskhand import Desktop
        Path("/tmp/{name}").mkdir()
        with Desktop() as inner:
            assert inner.tmp_note is None
            code = inner.spawn(["sh", "-c", "touch /tmp/{name}/in /tmp/{name}.inner"]).wait(20)
            print(code, Path("/tmp/{name}/in").exists(), Path("/tmp/{name}.inner").exists())
    """)
    process = desktop.spawn([sys.executable, "-c", script], stdout=desktop.folder / "out")
    assert process.wait(60) == 0
    assert (desktop.folder / "out").read_text() == "0 True False\n"
    assert not (TMP / name).exists()


# -- how it ends ---------------------------------------------------------------------------------------

PARENT = """
import json, sys
from deskhand.desktop.private import Desktop
with Desktop() as desktop:
    app = desktop.spawn(["sh", "-c", "setsid sleep 1004 & touch /tmp/mine; sleep 1005"])
    room = json.loads((desktop.folder / "desktop.json").read_text())["room"]
    facts = {"supervisor": desktop.supervisor.pid, "room": room, "note": desktop.tmp_note}
    print(json.dumps(facts), flush=True)
    if sys.stdin.readline():
        desktop.supervisor._over.wait(20)
        print(json.dumps({"failed": desktop.failed}), flush=True)
        sys.stdin.read()
"""


def test_a_user_without_rights_has_a_tmp_of_their_own() -> None:
    with parent(PARENT, **without_rights()) as process:
        assert process.says()["note"] is None
        process.asks_to_end()
        until_nothing(process.left)


@pytest.mark.parametrize("killed", ["room", "supervisor", "parent"])
def test_whatever_is_killed_nothing_is_left(killed: str) -> None:
    with parent(PARENT) as process:
        before = mounted()
        facts = process.says()
        os.kill(facts.get(killed, process.pid), signal.SIGKILL)
        if killed == "room":
            assert process.popen.stdin is not None
            process.popen.stdin.write("\n")
            process.popen.stdin.flush()
            assert "the private /tmp" in process.says()["failed"]
        if killed != "parent":
            process.asks_to_end()
        until_nothing(process.left)
        assert mounted(process.folder) == before


def test_a_machine_that_allows_no_namespace_is_named_as_the_reason() -> None:
    script = PARENT.replace("room = ", "room = 0 #")
    without = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]
    with tempfile.TemporaryDirectory(prefix="dt", dir="/tmp") as folder:
        answer = subprocess.run(
            [*without, sys.executable, "-c", script],
            input="", capture_output=True, text=True, timeout=60, env={**os.environ, "TMPDIR": folder},
        )  # fmt: skip
    assert "share /tmp and /var/tmp with this machine" in answer.stdout, answer.stderr
    assert "namespaces" in answer.stdout


def test_to_remove_a_folder_leaves_alone_what_is_mounted_in_it(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "folder" / "mounted").mkdir(parents=True)
    (tmp_path / "folder" / "other").touch()
    code = f'from deskhand.processes.supervisor import remove; remove("{tmp_path}/folder", quiet=True)'
    script = f"""
        mount --bind {tmp_path}/kept {tmp_path}/folder/mounted
        {sys.executable} -c '{code}'
    """
    subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-ec", script], check=True)
    assert (tmp_path / "kept" / "file").exists()
    assert not (tmp_path / "folder" / "other").exists()


def test_a_desktop_that_was_closed_takes_no_more_programs(tmp_path: Path) -> None:
    with Desktop() as desktop:
        pass
    with pytest.raises(LaunchFailed):
        desktop.spawn(["touch", str(tmp_path / "x")])
