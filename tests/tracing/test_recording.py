"""What a trace of a test holds: judged by reading the file, over the memory adapter."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, Trace, aio, expect
from deskhand.client._sync.link import LocalEngine
from deskhand.model.errors import ActionFailed, InvalidParams, NotFound, UiBusy
from deskhand.tracing.reader import Recorded
from tests.client.greeter import Element, Greeter


@pytest.fixture
def greeter() -> Iterator[Greeter]:
    greeter = Greeter()
    greeter.window.children.append(Element("textfield", "Password", "password", value="", password=True))
    yield greeter
    greeter.session.close()


@pytest.fixture
def app(greeter: Greeter) -> App:
    return App(LocalEngine(greeter.session, "here"), timeout=2)


def test_step_has_its_call_source_line_target_and_both_trees(app: App, tmp_path: Path) -> None:
    app.tracing.start(tmp_path / "trace.zip", title="greeting")
    app.locator("#name").fill("Ada")
    app.get_by_role("button", name="Greet").click(receipt=True)
    app.tracing.stop()
    with Recorded(tmp_path / "trace.zip") as trace:
        typed, clicked = trace.steps
        assert trace.about["title"] == "greeting"
        assert trace.complete
        assert (typed["method"], typed["params"]["text"]) == ("Locator.fill", "Ada")
        line = clicked["stack"][0]
        assert line["file"] == __file__
        assert "click(receipt=True)" in _line(trace, line)
        assert clicked["target"]["label"] == 'button "Greet"'
        assert clicked["target"]["matches"] == 1
        assert _node(trace, clicked["before"], "greeting")["text"] == ""
        assert _node(trace, clicked["after"], "greeting")["text"] == "Hello, Ada!"
        assert any("Hello, Ada!" in change for change in clicked["receipt"]["changed"])
        assert 0 <= typed["start"] <= typed["end"] <= clicked["start"] <= clicked["end"]


def test_failed_step_has_the_error_and_what_the_app_looked_like(app: App, tmp_path: Path) -> None:
    app.tracing.start(tmp_path / "trace.zip")
    with pytest.raises(NotFound):
        app.locator("button[name=Nothing]").click(timeout=0)
    app.tracing.stop()
    with Recorded(tmp_path / "trace.zip") as trace:
        (step,) = trace.steps
        assert step["error"]["kind"] == "not_found"
        assert step["error"]["near"]
        assert trace.states[step["after"]]["tree"]["nodes"]


def test_wait_records_what_it_waited_for_and_how_long(app: App, greeter: Greeter, tmp_path: Path) -> None:
    app.tracing.start(tmp_path / "trace.zip")
    greeter.later(0.2, lambda: greeter.say("done"))
    expect(app.locator("#greeting")).to_have_text("done")
    with pytest.raises(AssertionError):
        expect(app.locator("#greeting")).to_have_text("more", timeout=0.05)
    app.tracing.stop()
    with Recorded(tmp_path / "trace.zip") as trace:
        met, unmet = trace.steps
        assert met["method"] == "LocatorExpectation.to_have_text"
        assert (met["params"]["state"], met["params"]["value"]) == ("text", "done")
        assert met["result"]["elapsed"] >= 0.1
        assert unmet["error"]["last_seen"]


def test_action_records_what_it_waited_for_before_it_began(
    app: App, greeter: Greeter, tmp_path: Path
) -> None:
    app.tracing.start(tmp_path / "trace.zip")
    greeter.later(0.2, lambda: setattr(greeter.late, "enabled", True))
    done = app.locator("#late").click()
    again = app.locator("#late").click()
    app.tracing.stop()

    (at, what), *more = done.waits
    assert 0 <= at < 0.2
    assert what == 'button "Late" is not enabled'
    assert more == []
    assert again.waits == ()
    with Recorded(tmp_path / "trace.zip") as trace:
        step, other = trace.steps
        assert step["waits"] == [[step["start"] + at, what]]
        assert "waits" not in other


def test_reads_are_steps_without_states_of_their_own(app: App, tmp_path: Path) -> None:
    app.tracing.start(tmp_path / "trace.zip")
    app.find("button")
    app.title()
    app.tracing.stop()
    with Recorded(tmp_path / "trace.zip") as trace:
        found, _ = trace.steps
        assert found["result"]["count"] == 5
        assert found["result"]["first"][0]["label"] == 'button "Greet"'
        assert "after" not in found


def test_password_is_in_no_part_of_the_file(app: App, tmp_path: Path) -> None:
    app.tracing.start(tmp_path / "trace.zip")
    app.locator("#password").fill("open sesame")  # a comment with open sesame, which is a part of the source
    app.locator("#name").fill("open sesame")
    with pytest.raises(NotFound):
        app.locator("text=open sesame please").click(timeout=0)
    app.tracing.stop()
    with zipfile.ZipFile(tmp_path / "trace.zip") as zipped:
        names = zipped.namelist()
        assert any(name.endswith(".txt") for name in names)
        assert not [name for name in names if b"open sesame" in zipped.read(name)]
    with Recorded(tmp_path / "trace.zip") as trace:
        assert trace.steps[0]["params"]["text"] == "••••"


def test_text_for_a_field_that_appears_later_is_shown_unless_it_is_a_password(
    app: App, greeter: Greeter, tmp_path: Path
) -> None:
    late = [Element("textfield", "City", "city", value=""), Element("textfield", "Pin", "pin", value="")]
    late[1].password = True
    app.tracing.start(tmp_path / "trace.zip")
    greeter.later(0.2, lambda: greeter.window.children.extend(late))
    threads = [
        threading.Thread(target=app.locator("#city").fill, args=("Paris",)),
        threading.Thread(target=app.locator("#pin").fill, args=("98765",)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    app.tracing.stop()
    with Recorded(tmp_path / "trace.zip") as trace:
        typed = {step["params"]["target"]: step["params"]["text"] for step in trace.steps}
        assert typed == {"#city": "Paris", "#pin": "••••"}


def test_several_apps_share_one_trace(app: App, tmp_path: Path) -> None:
    other = Greeter()
    second = App(LocalEngine(other.session, "there"), timeout=2)
    trace = Trace(tmp_path / "trace.zip")
    app.tracing.join(trace)
    second.tracing.join(trace)
    with trace.group("both"):
        app.locator("#name").fill("Ada")
        second.locator("#name").fill("Bob")
    trace.log("a line", source="pytest")
    trace.error(ValueError("wrong"))
    assert trace.save() == tmp_path / "trace.zip"
    second.close()
    with Recorded(tmp_path / "trace.zip") as read:
        assert [step["app"] for step in read.steps] == [1, 2]
        assert [read.groups[step["group"]]["title"] for step in read.steps] == ["both", "both"]
        assert [(row["type"], row.get("text") or row["message"]) for row in read.log] == [
            ("log", "a line"),
            ("error", "ValueError: wrong"),
        ]
        values = [_node(read, step["after"], "name")["value"] for step in read.steps]
        assert values == ["Ada", "Bob"]


def test_discarded_trace_leaves_nothing(app: App, tmp_path: Path) -> None:
    trace = Trace(tmp_path / "deep" / "trace.zip")
    app.tracing.join(trace)
    app.locator("#name").fill("Ada")
    trace.discard()
    app.locator("#name").fill("Bob")  # works on, unrecorded
    assert list((tmp_path / "deep").iterdir()) == []


def test_stop_without_a_path_discards_and_a_second_start_is_refused(app: App, tmp_path: Path) -> None:
    app.tracing.start()
    with pytest.raises(ActionFailed):
        app.tracing.start()
    folder = app.tracing.trace.store.folder if app.tracing.trace else Path()
    assert app.tracing.stop() is None
    assert not folder.exists()
    assert app.tracing.trace is None


def test_async_call_has_the_line_that_awaits_it(greeter: Greeter, tmp_path: Path) -> None:
    from deskhand.client._async.link import LocalEngine as AsyncEngine

    async def use() -> None:
        async with aio.App(AsyncEngine(greeter.session, "here"), timeout=2) as app:
            await app.tracing.start(tmp_path / "trace.zip")
            await app.locator("#name").fill("Ada")

    asyncio.run(use())
    with Recorded(tmp_path / "trace.zip") as trace:
        (step,) = trace.steps
        assert '.fill("Ada")' in _line(trace, step["stack"][0])
        assert step["stack"][0]["function"] == "use"


def test_killed_process_leaves_a_readable_folder(tmp_path: Path) -> None:
    code = f"""
import os, signal
from deskhand import App
from deskhand.client._sync.link import LocalEngine
from tests.client.greeter import Greeter
app = App(LocalEngine(Greeter().session, "here"))
app.tracing.start({str(tmp_path / "trace.zip")!r})
app.locator("#name").fill("Ada")
app.get_by_role("button", name="Greet").click()
os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False, env={**os.environ, "PYTHONPATH": "."})
    assert ended.returncode == -signal.SIGKILL
    with pytest.raises(InvalidParams) as missing:
        Recorded(tmp_path / "trace.zip")
    assert "trace.zip.recording" in str(missing.value)
    with Recorded(tmp_path / "trace.zip.recording") as trace:
        assert not trace.complete
        assert [step["method"] for step in trace.steps] == ["Locator.fill", "Locator.click"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as zipped:
        zipped.writestr("file", "content")
    for name in ("text.zip", "other.zip", "missing.zip"):
        with pytest.raises(InvalidParams):
            Recorded(tmp_path / name)


def test_path_that_cannot_be_written_is_an_error_at_the_start(app: App, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ActionFailed):
        app.tracing.start(tmp_path / "file" / "trace.zip")


def test_app_that_does_not_answer_is_recorded_without_trees(
    app: App, greeter: Greeter, tmp_path: Path
) -> None:
    app.tracing.start(tmp_path / "trace.zip")
    released = threading.Event()
    greeter.adapter.post(released.wait)
    try:
        with pytest.raises(UiBusy):
            app.locator("#name").fill("Ada", timeout=0.1)
    finally:
        released.set()
    expect(app.locator("#name")).to_have_value("")
    app.locator("#name").fill("Bob")
    app.tracing.stop()
    with Recorded(tmp_path / "trace.zip") as trace:
        assert "unread" in trace.states[trace.steps[0]["before"]]
        assert _node(trace, trace.steps[2]["after"], "name")["value"] == "Bob"


def _line(trace: Recorded, line: dict[str, object]) -> str:
    source = trace.resource(str(line["source"])).decode().splitlines()
    return source[int(str(line["line"])) - 1]


def _node(trace: Recorded, state: int, automation_id: str) -> dict[str, object]:
    nodes = trace.states[state]["tree"]["nodes"]
    (found,) = [node for node in nodes if node.get("automation_id") == automation_id]
    return {"text": "", "value": "", **found}
