"""Unmodified JavaFX programs are started and driven, and got into while they run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import Desktop, attach, connect, expect, launch
from deskhand.client.targets import listed
from deskhand.launching import launcher
from deskhand.model.errors import ActionsOff, AppGone
from deskhand.model.operations import Find, Press, Wait
from deskhand.processes import registry
from tests.asking import ask

FORM = Path(__file__).parents[2] / "demo" / "javafx_form" / "run.sh"
# What a person would type, once the form is compiled.
JAVA = [
    *("java", "--module-path", "/usr/share/openjfx/lib", "--add-modules", "javafx.controls"),
    *("-Dprism.order=sw", "-XX:TieredStopAtLevel=1", "-cp", str(FORM.parents[2] / "build/javafx_form")),
    *("OrderForm", "--rows", "5"),
]


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path / "registry"))


@pytest.fixture(scope="module")
def running(desktop: Desktop) -> Iterator[subprocess.Popen[str]]:
    """The form, not started by deskhand; it is compiled first if needed."""
    process = subprocess.Popen(
        [FORM, "--rows", "5", "--again"],
        env=desktop.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("again\n")
    process.stdin.flush()
    assert process.stdout.readline() == "ready\n"
    yield process
    process.terminate()  # not killed, so that the JVM removes what it made
    process.communicate()


def left_behind(pid: int) -> list[str]:
    """What a JVM and we left in the temp folder."""
    ours = {f".java_pid{pid}", f".attach_pid{pid}"}
    return [path.name for path in Path("/tmp").iterdir() if path.name in ours]


def test_a_program_that_runs_is_got_into_and_driven_and_goes_on(running: subprocess.Popen[str]) -> None:
    with attach(running.pid) as app:
        app.locator("#name").fill("Ada")
        app.get_by_role("button", name="Greet").click()
        expect(app.locator("#report")).to_have_text("Hello, Ada!")
        (entry,) = listed()
        assert (entry.name, entry.pid, entry.reached) == ("OrderForm", running.pid, "inside")
        assert entry.framework.startswith("JavaFX 1")
        with connect("OrderForm") as other:
            assert other.title() == "Order form"
    assert registry.apps() == ()
    assert running.poll() is None
    # The socket is the JVM's own, for the next client.
    assert left_behind(running.pid) == [f".java_pid{running.pid}"]


def test_it_is_got_into_again_with_other_wishes(running: subprocess.Popen[str]) -> None:
    with launcher.attach(running.pid, read_only=True, name="form") as attached:
        assert attached.entry.name == "form"
        assert ask(attached.entry, Find("#report"))
        with pytest.raises(ActionsOff):
            ask(attached.entry, Press('button[name="Greet"]'))
        with launcher.attach(running.pid) as second:
            assert second.entry == attached.entry


def test_the_command_attaches_serves_and_leaves_nothing(
    running: subprocess.Popen[str], tmp_path: Path
) -> None:
    script = "from deskhand.cli import main; main()"
    command = [sys.executable, "-c", script, "attach", str(running.pid), "--gip", str(tmp_path / "gip")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hub:
        try:
            assert hub.stdout is not None
            assert hub.stdout.readline() == f"ready gip unix:{tmp_path / 'gip'}\n"
            assert hub.stdout.readline() == "ready\n"
            assert ask(tmp_path / "gip", Find("#report"))
        finally:
            hub.terminate()
    assert hub.returncode == 128 + signal.SIGTERM
    assert registry.apps() == ()
    assert not (tmp_path / "gip").exists()


def test_a_program_that_is_killed_is_gone_at_once_and_leaves_nothing(
    running: subprocess.Popen[str],
) -> None:
    with attach(running.pid) as app:
        running.kill()
        with pytest.raises(AppGone, match=f"process {running.pid} ended"):
            app.run(Wait("#nowhere", "exists", timeout=30))
    assert registry.apps() == ()
    # Though its parent has not waited for it yet, so that it still counts as a process.
    assert Path(f"/proc/{running.pid}").exists()
    assert left_behind(running.pid) == []
    running.wait(20)


def test_a_program_is_launched_as_it_is_and_its_end_is_seen(
    running: subprocess.Popen[str], desktop: Desktop
) -> None:
    options = "-Ddeskhand.test=kept"
    with launch(JAVA, env={**desktop.env, "JAVA_TOOL_OPTIONS": options}) as app:
        assert [entry.name for entry in registry.apps()] == ["OrderForm"]
        info = app.info()
        assert (info.framework, info.toolkit, info.title) == ("JavaFX", "javafx", "Order form")
        app.locator("#country").select_option(text="Kenya")
        expect(app.locator("#report")).to_have_text("country Kenya")
        assert "javaagent" not in app.stderr
        assert options in app.stderr
        os.kill(info.pid, signal.SIGKILL)
        with pytest.raises(AppGone, match="SIGKILL"):
            app.run(Wait("#nowhere", "exists", timeout=30))
    assert registry.apps() == ()
    assert left_behind(info.pid) == []
