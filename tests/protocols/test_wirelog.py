"""The wire log with `--log-wire-text`: everything that was said, but for passwords.

What it shows without is in tests/security/test_wire_log.py.
"""

from __future__ import annotations

import json
import os
import threading

import pytest

from deskhand.protocols.gip.server import GipServer
from deskhand.protocols.wirelog import WireLog
from tests.wire.form import make_session


@pytest.fixture
def log(tmp_path):
    log = WireLog(tmp_path / "wire.log", text=True, limit=2000)
    yield log
    log.close()


@pytest.fixture
def session():
    session = make_session()
    yield session
    session.close()


@pytest.fixture
def ask(log, session):
    conversation = GipServer(session, log=log).conversation("unix", "unix:/tmp/app", "unix-1 pid 7")

    def ask(method, /, **params):
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        return json.loads(conversation.handle(json.dumps(request).encode()))

    ask.raw = conversation.handle
    ask.refuse = conversation.refuse
    return ask


def lines(log):
    return [json.loads(line) for line in log.path.read_text().splitlines()]


def test_every_request_and_reply_is_one_line(ask, log):
    ask("ping")
    asked, answered = lines(log)
    assert asked["dir"] == "in"
    assert asked["message"] == {"jsonrpc": "2.0", "method": "ping", "params": {}, "id": 1}
    assert answered["dir"] == "out"
    assert answered["message"]["result"]["status"] == "ok"
    assert asked["connection"] == answered["connection"] == "unix-1 pid 7"
    assert asked["t"] <= answered["t"]


def test_what_is_typed_is_shown(ask, log):
    ask("type", ref="root/name_edit", text="Ada Lovelace")
    assert lines(log)[0]["message"]["params"]["text"] == "Ada Lovelace"


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("type", {"ref": "root/password_edit"}, "text"),
        ("deskhand_type_text", {"target": "#password_edit"}, "text"),
        ("deskhand_set_value", {"target": "#password_edit"}, "value"),
        ("deskhand_key", {"target": "#password_edit"}, "keys"),
    ],
)
def test_a_password_is_masked(ask, log, method, params, field):
    ask(method, **params, **{field: "hunter2 ü"})
    assert lines(log)[0]["message"]["params"][field] == "••••"
    assert "hunter2" not in log.path.read_text()


def test_a_password_typed_where_the_focus_is_is_masked(ask, log):
    ask("deskhand_focus", target="#password_edit")
    ask("deskhand_type_text", text="hunter2")
    assert "hunter2" not in log.path.read_text()


def test_what_is_typed_into_something_that_is_not_there_is_masked(ask, log):
    ask("type", ref="root/passwort_edit", text="hunter2")
    ask("deskhand_type_text", target="button[", text="hunter2")
    assert "hunter2" not in log.path.read_text()


def test_a_password_that_the_program_shows_later_is_masked_too(ask, log, session):
    report = next(node for node in session.adapter.windows[0].walk() if node.id == "report")
    ask("type", ref="root/password_edit", text='1234"x')
    session.adapter.call(lambda: setattr(report, "text", 'you said 1234"x, id 1234'), timeout=5)
    assert ask("deskhand_get", target="#report")["result"]["text"] == 'you said 1234"x, id 1234'
    assert lines(log)[-1]["message"]["result"]["text"] == "you said ••••, id 1234"


def test_a_password_that_is_a_number_leaves_other_numbers_alone(ask, log):
    ask("type", ref="root/password_edit", text="8000")
    ask("deskhand_click", target="#submit_button", x=8000, y=1)
    assert lines(log)[-2]["message"]["params"]["x"] == 8000


def test_a_short_password_is_masked_only_as_a_whole_text(ask, log, session):
    ask("type", ref="root/password_edit", text="ab")
    ask("type", ref="root/name_edit", text="abc")
    ask("type", ref="root/name_edit", text="ab")
    shown = [line["message"]["params"]["text"] for line in lines(log) if line["dir"] == "in"]
    assert shown == ["••••", "abc", "••••"]


def test_what_cannot_be_read_is_not_shown(ask, log):
    ask.raw(b'{"jsonrpc":"2.0","method":"type","params":{"ref":"root/password_edit","text":"hunter2"')
    ask.refuse("a message may be 16 bytes long")
    assert "hunter2" not in log.path.read_text()
    assert [("unreadable" in line) for line in lines(log)] == [True, False, True, False]


def test_a_long_message_is_cut_and_says_so(ask, log):
    ask("snapshot")
    answered = lines(log)[-1]
    assert isinstance(answered["message"], str)
    assert len(answered["message"]) == 2000
    assert answered["cut"].startswith("the first 2000 characters of ")


def test_a_password_is_not_in_the_part_that_is_left_of_a_long_message(ask, log, session):
    report = next(node for node in session.adapter.windows[0].walk() if node.id == "main_window")
    ask("type", ref="root/password_edit", text="hunter2")
    session.adapter.call(lambda: setattr(report, "name", "hunter2" * 400), timeout=5)
    ask("snapshot")
    assert "hunter" not in log.path.read_text()


def test_only_the_owner_may_read_it(tmp_path):
    path = tmp_path / "wire.log"
    path.write_text("before\n")
    path.chmod(0o644)
    WireLog(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == "before\n"


def test_a_new_log_is_never_open_to_others(tmp_path):
    before = os.umask(0)
    try:
        WireLog(tmp_path / "wire.log").close()
    finally:
        os.umask(before)
    assert (tmp_path / "wire.log").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110 - a name
def test_a_full_disk_is_reported_once_and_disturbs_no_request(capfd, session):
    mode = os.stat("/dev/full").st_mode  # noqa: PTH116 - a name
    log = WireLog("/dev/full")
    conversation = GipServer(session, log=log).conversation("unix", "unix:/tmp/app", "unix-1")
    for _ in range(3):
        reply = json.loads(conversation.handle(b'{"jsonrpc":"2.0","method":"ping","id":1}'))
        assert reply["result"]["status"] == "ok"
    log.close()
    assert capfd.readouterr().err.count("/dev/full misses messages: No space left on device") == 1
    assert os.stat("/dev/full").st_mode == mode  # noqa: PTH116 - a name


def test_lines_of_many_threads_are_whole(log):
    def write():
        for _ in range(50):
            log.write("c", "in", b'{"a":"' + b"x" * 500 + b'"}')

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(log)) == 400


def test_writing_after_the_end_does_no_harm(log):
    log.close()
    log.write("c", "in", b"{}")
    log.close()
