"""Our agent gets into a JVM, at its start or while it runs; what cannot work is reported and harmless."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.inject import diagnose, jvm
from deskhand.model.errors import ActionUnsupported, LaunchFailed, MissingProgram, Unauthorized

FOLDER = Path("/some/where")
JAR = jvm.JAR
FAKE_JAR = Path(__file__)
OURS = f"-javaagent:{FAKE_JAR}={FOLDER}"

# Speaks the attach protocol as HotSpot does, and answers with its first argument.
FAKE_JVM = """
import os, pathlib, signal, socket, sys, threading

def listen(*_):
    name = f".attach_pid{os.getpid()}"
    if not any(pathlib.Path(place, name).exists() for place in (".", "/tmp")):
        os.write(1, b"thread dump\\n")  # print() may be in the middle of something
        return
    pathlib.Path(path).unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    threading.Thread(target=answer, args=(server,), daemon=True).start()

def answer(server):
    channel, _ = server.accept()
    words = b""
    while words.count(b"\\0") < 5:
        words += channel.recv(1000)
    print(words.decode().split("\\0"), flush=True)
    channel.sendall(said.encode())
    channel.close()

path = f"/tmp/.java_pid{os.getpid()}"
said = sys.argv[1].replace("|", "\\n")
signal.signal(signal.SIGQUIT, listen)
os.write(1, b"runs\\n")
while True:
    signal.pause()
"""

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a program in a folder of its own, which it must leave empty."""
    folder = tmp_path / "cwd"
    folder.mkdir()
    processes: list[subprocess.Popen[str]] = []

    def start(*argv: str) -> subprocess.Popen[str]:
        processes.append(subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, text=True))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()
        Path(f"/tmp/.java_pid{process.pid}").unlink(missing_ok=True)
        assert not Path(f"/tmp/.attach_pid{process.pid}").exists()
    assert list(folder.iterdir()) == []


@pytest.fixture
def fake_jvm(start: Start) -> Start:
    def begin(said: str = "0|return code: 0|", *words: str) -> subprocess.Popen[str]:
        process = start(sys.executable, "-c", FAKE_JVM, said, *words)
        assert process.stdout is not None
        assert process.stdout.readline() == "runs\n"
        return process

    return begin


@pytest.fixture(autouse=True)
def agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests are not about the agent itself, or about Swing; any file does for it."""
    monkeypatch.setattr(jvm, "JAR", FAKE_JAR)
    monkeypatch.setattr(jvm, "_BRIDGE", Path("/nowhere/java-atk-wrapper.jar"))


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The options for a Swing bridge that is installed."""
    monkeypatch.setattr(jvm, "_BRIDGE", FAKE_JAR)
    monkeypatch.setattr(jvm, "_LIBRARIES", tmp_path)
    folder = tmp_path / "x86" / "jni"
    folder.mkdir(parents=True)
    (folder / "libatk-wrapper.so").touch()
    return (
        f"-Xbootclasspath/a:{FAKE_JAR} -Dsun.boot.library.path={folder} "
        "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper"
    )


# -- from its start -----------------------------------------------------------------------------


def test_the_option_is_added_to_those_that_are_there():
    assert jvm.instrumented({"A": "b"}, FOLDER) == {"A": "b", "JAVA_TOOL_OPTIONS": OURS}
    assert jvm.instrumented({"JAVA_TOOL_OPTIONS": "-Dx=1"}, FOLDER)["JAVA_TOOL_OPTIONS"] == f"-Dx=1 {OURS}"


def test_the_option_of_an_earlier_start_is_replaced():
    env = jvm.instrumented({"JAVA_TOOL_OPTIONS": "-Dx=1"}, Path("/earlier"))
    assert jvm.instrumented(env, FOLDER)["JAVA_TOOL_OPTIONS"] == f"-Dx=1 {OURS}"


@pytest.mark.parametrize("env", [{}, {"JAVA_TOOL_OPTIONS": "-Dx='a b' -Dy=2"}, {"A": "b"}])
@pytest.mark.parametrize("folder", [FOLDER, Path("/some where")])
def test_an_environment_can_be_cleaned_of_us(env: dict[str, str], folder: Path):
    assert jvm.clean(jvm.instrumented(env, folder)) == env


def test_a_path_with_blanks_reaches_the_jvm_whole():
    options = jvm.instrumented({}, Path("/some where"))["JAVA_TOOL_OPTIONS"]
    assert options == f'"-javaagent:{FAKE_JAR}=/some where"'


def test_an_installation_without_the_agent_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jvm, "JAR", Path("/nowhere/deskhand-javafx.jar"))
    assert jvm.instrumented({"A": "b"}, FOLDER) == {"A": "b"}


def test_the_bridge_for_swing_is_added_where_it_is_installed_with_and_without_the_agent(
    bridge: str, monkeypatch: pytest.MonkeyPatch
):
    env = {"JAVA_TOOL_OPTIONS": "-Dx=1"}
    told = jvm.instrumented(env, FOLDER)
    assert told["JAVA_TOOL_OPTIONS"] == f"-Dx=1 {OURS} {bridge}"
    assert jvm.instrumented(told, FOLDER) == told
    assert jvm.clean(told) == env
    notice = f"Picked up JAVA_TOOL_OPTIONS: {OURS} {bridge}\n"
    assert jvm.without_notice(f"a\n{notice}b\n") == "a\nb\n"
    monkeypatch.setattr(jvm, "JAR", Path("/nowhere/deskhand-javafx.jar"))
    assert jvm.instrumented({}, FOLDER) == {"JAVA_TOOL_OPTIONS": bridge}


def test_assistive_technologies_that_the_user_chose_are_kept(bridge: str):
    own = "-Djavax.accessibility.assistive_technologies=com.example.Reader"
    told = jvm.instrumented({"JAVA_TOOL_OPTIONS": own}, FOLDER)
    assert told["JAVA_TOOL_OPTIONS"] == f"{own} {OURS}"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (f"a\nPicked up JAVA_TOOL_OPTIONS: {OURS}\nb\n", "a\nb\n"),
        (f"Picked up JAVA_TOOL_OPTIONS: -Dx=1 {OURS}\n", "Picked up JAVA_TOOL_OPTIONS: -Dx=1\n"),
        ("Picked up JAVA_TOOL_OPTIONS: -Dx=1\n", "Picked up JAVA_TOOL_OPTIONS: -Dx=1\n"),
        ("a\nb", "a\nb"),
    ],
)
def test_what_the_jvm_says_about_our_option_is_taken_out(said: str, left: str):
    assert jvm.without_notice(said) == left


# -- while it runs ------------------------------------------------------------------------------


def test_a_running_jvm_loads_the_agent_on_request(fake_jvm: Start):
    process = fake_jvm()
    jvm.inject(process.pid, FOLDER, 10)
    words = ["1", "load", "instrument", "false", f"{FAKE_JAR}={FOLDER}", ""]
    assert process.stdout.readline() == f"{words}\n"


def test_a_socket_left_by_an_earlier_process_does_not_matter(fake_jvm: Start):
    process = fake_jvm()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(f"/tmp/.java_pid{process.pid}")
    jvm.inject(process.pid, FOLDER, 10)


def test_a_folder_that_cannot_be_written_to_does_not_matter(fake_jvm: Start, monkeypatch: pytest.MonkeyPatch):
    process = fake_jvm()
    open_file = os.open

    def refuse(path: Path, *rest: int) -> int:
        if "/cwd/" in str(path):
            raise PermissionError
        return open_file(path, *rest)

    with monkeypatch.context() as changed:
        changed.setattr(jvm.os, "open", refuse)
        jvm.inject(process.pid, FOLDER, 10)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("0|return code: 102|", "the agent was loaded, but did not start"),
        ("0|100", "the jar was not found there"),
        ("1|Dynamic agent loading is not enabled|", "Dynamic agent loading is not enabled"),
        ("", "it said nothing"),
    ],
)
def test_a_jvm_that_does_not_take_the_agent_is_reported_with_the_reason(
    fake_jvm: Start, said: str, told: str
):
    with pytest.raises(LaunchFailed, match=told):
        jvm.inject(fake_jvm(said).pid, FOLDER, 10)


def test_a_jvm_without_agent_support_is_reported_with_what_to_do(fake_jvm: Start):
    said = "1|java.lang.module.FindException: Module java.instrument not found|"
    with pytest.raises(LaunchFailed, match=r"Module java\.instrument not found") as caught:
        jvm.inject(fake_jvm(said).pid, FOLDER, 10)
    assert "jlink --add-modules java.instrument" in caught.value.suggestions[0]


def test_a_jvm_that_does_not_allow_attaching_is_not_even_asked(fake_jvm: Start):
    process = fake_jvm("", "-XX:+DisableAttachMechanism")
    with pytest.raises(ActionUnsupported, match=r"does not allow attaching: .*DisableAttachMechanism"):
        jvm.inject(process.pid, FOLDER, 10)
    process.send_signal(signal.SIGQUIT)
    assert process.stdout.readline() == "thread dump\n", "the first signal that it got is ours"


def test_a_process_that_the_signal_would_end_is_not_sent_it(start: Start):
    process = start("sleep", "100")
    with pytest.raises(ActionUnsupported, match="does not listen to SIGQUIT"):
        jvm.inject(process.pid, FOLDER, 10)
    assert process.poll() is None


def test_a_socket_of_another_process_in_its_place_is_not_spoken_to(start: Start):
    process = start("sleep", "100")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(f"/tmp/.java_pid{process.pid}")
        other.listen()
        with pytest.raises(Unauthorized, match=f"process {os.getpid()} of user .* listens there"):
            jvm.inject(process.pid, FOLDER, 10)


def test_a_file_instead_of_the_socket_is_reported(start: Start):
    process = start("sleep", "100")
    Path(f"/tmp/.java_pid{process.pid}").touch()
    with pytest.raises(Unauthorized, match="is not our socket"):
        jvm.inject(process.pid, FOLDER, 10)


def test_a_jvm_that_never_answers_is_given_up_on(fake_jvm: Start, monkeypatch: pytest.MonkeyPatch):
    process = fake_jvm()
    monkeypatch.setattr(jvm.signal, "SIGQUIT", 0)
    monkeypatch.setattr(jvm, "_insist_on_attachable", lambda _: None)
    with pytest.raises(LaunchFailed, match="did not listen in time"):
        jvm.inject(process.pid, FOLDER, 0.1)


def test_a_missing_agent_is_reported_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jvm, "JAR", Path("/nowhere/deskhand-javafx.jar"))
    with pytest.raises(MissingProgram, match="is missing: there is no /nowhere") as caught:
        jvm.inject(os.getpid(), FOLDER, 10)
    assert "make setup" in caught.value.suggestions[0]


# -- what it listens on -------------------------------------------------------------------------


def test_agents_are_found_by_what_they_put_into_the_folder(tmp_path: Path):
    (tmp_path / "12.sock").touch()
    (tmp_path / "13.tcp").write_text("127.0.0.1:4711 hush\n")
    (tmp_path / "13.new").touch()
    assert list(jvm.listening(tmp_path)) == [
        jvm.Listening(12, str(tmp_path / "12.sock")),
        jvm.Listening(13, "127.0.0.1:4711", "hush"),
    ]


def test_a_jvm_without_javafx_is_reported(tmp_path: Path):
    (tmp_path / "12.none").touch()
    with pytest.raises(ActionUnsupported, match="process 12 runs Java without JavaFX"):
        list(jvm.listening(tmp_path))


# -- why there is no agent ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("libraries", "option", "reason"),
    [
        ("", True, "has loaded neither JavaFX nor Swing"),
        ("/libawt_xawt.so /libgtk-3.so", True, "is a Java Swing program, and only those of JavaFX"),
        ("/libglass.so /libgtk-3.so", False, "without our option in JAVA_TOOL_OPTIONS"),
        ("/libglass.so /libgtk-3.so", True, "has loaded JavaFX, but shows no window yet"),
    ],
)  # fmt: skip
def test_it_is_said_why_a_java_program_has_no_agent(libraries: str, option: bool, reason: str):
    seen = diagnose.Seen(12, ("java",), f"/libjvm.so {libraries}", has_settings=True, has_jvm_option=option)
    verdict = diagnose.judge(seen)
    assert reason in verdict.reason


def test_the_error_for_a_javafx_program_says_what_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jvm, "JAR", Path("/nowhere/deskhand-javafx.jar"))
    seen = diagnose.Seen(12, ("java",), "/lib/libjvm.so /lib/libglass.so", has_settings=True)
    assert "the agent for those is missing" in diagnose.judge(seen).reason


def test_a_real_jvm_without_javafx_says_so_and_goes_on(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(jvm, "JAR", JAR)
    program = tmp_path / "Waits.java"
    program.write_text(
        "public class Waits { public static void main(String[] w) throws Exception {"
        ' System.out.println("runs"); Thread.sleep(100000); } }'
    )
    process = start(shutil.which("java") or "java", "-XX:TieredStopAtLevel=1", str(program))
    assert process.stdout.readline() == "runs\n"
    folder = tmp_path / "agents"
    folder.mkdir(0o700)
    jvm.inject(process.pid, folder, 20)
    with pytest.raises(ActionUnsupported, match=f"process {process.pid} runs Java without JavaFX"):
        list(jvm.listening(folder))
    assert process.poll() is None
