"""`--policy` and `--audit`, the same for every protocol, and `deskhand policy check`."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand import connect
from deskhand.model.errors import Refused
from tests.cli.conftest import Deskhand
from tests.cli.test_mcp import FORM, Stdio
from tests.client.greeter import Greeter
from tests.traces import parent, until

PROGRAM = [sys.executable, "-c", "from deskhand.cli import main; main()"]
RULES = """
default = "allow"

[[rule]]
role = "button"
name = "/^(Greet|Pay)/"
decide = "{decide}"

[[rule]]
operation = ["exec", "upload", "app_launch"]
decide = "deny"
"""


@pytest.fixture
def policy(folder: Path) -> Path:
    path = folder / "policy.toml"
    path.write_text(RULES.format(decide="deny"))
    return path


@pytest.fixture
def serve(greeter: Greeter) -> Iterator[Callable[..., dict[str, dict[str, str]]]]:
    """Serve the greeter; what is ready, by its kind."""
    started: list[subprocess.Popen[str]] = []

    def serve(*words: str) -> dict[str, dict[str, str]]:
        process = subprocess.Popen([*PROGRAM, "serve", "--json", *words], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        ready: dict[str, dict[str, str]] = {}
        while (told := json.loads(process.stdout.readline()))["ready"] is not True:
            ready[told["ready"]] = told
        ready["pid"] = {"pid": str(process.pid)}
        return ready

    yield serve
    for process in started:
        process.kill()
        process.communicate(timeout=20)


def post(told: dict[str, str], path: str, body: object, **headers: str) -> tuple[int, Any]:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    if "token" in told:
        headers["Authorization"] = f"Bearer {told['token']}"
    request = urllib.request.Request(told["url"] + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def tool(told: dict[str, str], name: str, **arguments: Any) -> Any:
    """Call a tool of MCP over HTTP."""
    params = {"name": name, "arguments": arguments}
    answer = post(told, "", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})[1]
    return answer["result"]["structuredContent"]


def lines(audit: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in audit.read_text().splitlines()]


def test_every_protocol_refuses_what_the_policy_denies_and_names_the_rule(
    serve: Callable[..., dict[str, dict[str, str]]], greeter: Greeter, folder: Path, policy: Path
) -> None:
    audit = folder / "audit"
    ready = serve(
        "--gip", str(folder / "gip"), "--orca", "0", "--agent", "0", "--exec", "--mcp", "0",
        "--policy", str(policy), "--audit", str(audit),
    )  # fmt: skip

    with connect(f"unix:{folder / 'gip'}") as app:
        app.locator("#name").fill("Ada")
        with pytest.raises(Refused, match="rule 1"):
            app.get_by_role("button", name="Greet").activate()
    with pytest.raises(Refused, match="rule 1"), connect(f"unix:{folder / 'gip'}") as app:
        app.locator("#name").press("Enter")
    click = {"jsonrpc": "2.0", "id": 1, "method": "input.click", "params": {"target": {"label": "Greet"}}}
    orca = post(ready["orca"], "", click)[1]["error"]
    assert orca["code"] == 1002
    status, agent = post(ready["agent"], "/press", {"role": "button", "label": "Greet"})
    assert (status, agent["error"]) == (403, "action_unsupported")
    status, executed = post(ready["agent"], "/exec", {"command": f"touch {folder / 'made'}"})
    assert status == 403
    found = tool(ready["mcp"], "ui_query", selector={"css": 'button[name="Greet"]'})["output"]["matches"]
    action = {"type": "click", "target": {"ref": found[0]["ref"]}}
    mcp = tool(ready["mcp"], "ui_perform", actions=[action])["error"]

    for told in (orca["message"], agent["details"], mcp["message"]):
        assert 'rule 1 (role = "button"; name = "/^(Greet|Pay)/"; deny)' in told
    assert "rule 2" in executed["details"]
    assert not (folder / "made").exists()
    assert greeter.name.value == "Ada"
    assert greeter.greeting.text == ""
    until(lambda: {line["client"] for line in lines(audit) if line["outcome"] == "refused"} == {
        "gip", "orca", "agent", "mcp",
    })  # fmt: skip
    refused = [line for line in lines(audit) if line["outcome"] == "refused"]
    assert {line["target"] for line in refused} >= {'button "Greet" in "Greeter" of greeter', "touch"}
    assert all(line["decision"] == "deny" and line["rule"].startswith("rule ") for line in refused)
    assert "Ada" not in audit.read_text()


def test_a_server_that_is_killed_leaves_no_broken_line(
    serve: Callable[..., dict[str, dict[str, str]]], folder: Path
) -> None:
    audit = folder / "audit"
    ready = serve("--orca", "0", "--audit", str(audit))
    call = {"jsonrpc": "2.0", "id": 1, "method": "automation.version"}
    flood = subprocess.Popen(
        [sys.executable, "-c", FLOOD, ready["orca"]["url"], json.dumps(call)], stderr=subprocess.DEVNULL
    )
    try:
        until(lambda: audit.exists() and len(audit.read_bytes()) > 20_000)
        os.kill(int(ready["pid"]["pid"]), 9)
    finally:
        flood.kill()
        flood.wait()
    # It is complete once the process that writes it has ended.
    until(lambda: not _open_in_a_process(audit))

    assert audit.read_bytes().endswith(b"\n")
    assert all(line["operation"] for line in lines(audit))
    assert audit.stat().st_mode & 0o777 == 0o600


FLOOD = """
import sys, urllib.request
while True:
    request = urllib.request.Request(sys.argv[1], sys.argv[2].encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request).read()
"""


def _open_in_a_process(path: Path) -> bool:
    for process in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if process.samefile(path):
                return True
        except OSError:  # it ended, or belongs to another user
            continue
    return False


def test_the_person_at_the_terminal_is_asked(folder: Path, policy: Path, greeter: Greeter) -> None:
    policy.write_text(RULES.format(decide="ask"))
    words = [*PROGRAM, "serve", "--gip", str(folder / "gip"), "--policy", str(policy)]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(words[0], words)
    try:
        until(lambda: (folder / "gip").exists())
        for answer, greeting in ((b"n\n", ""), (b"y\n", "Hello, !")):
            client = subprocess.Popen(
                [*PROGRAM, "press", 'button[name="Greet"]', "--gip", str(folder / "gip")],
                stderr=subprocess.PIPE,
                text=True,
            )
            shown = ""
            while "[y/N]" not in shown:
                shown += os.read(terminal, 1000).decode()
            os.write(terminal, answer)
            told = client.communicate(timeout=60)[1]
            assert 'press button "Greet" in "Greeter" of greeter?' in shown
            assert greeter.greeting.text == greeting
            assert client.returncode == (0 if greeting else 4), told
    finally:
        os.kill(pid, 15)
        os.waitpid(pid, 0)
        os.close(terminal)


class Person(Stdio):
    """A chat client whose person answers what the server asks."""

    answer: dict[str, Any] | None = None
    asked: list[str]

    def ask(self, method: str, **params: Any) -> Any:
        if method == "initialize":
            params["capabilities"] = {"elicitation": {}}
            self.asked = []
        stdin = self.process.popen.stdin
        assert stdin is not None
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        stdin.write(json.dumps(message) + "\n")
        stdin.flush()
        while True:
            told = self.process.says()
            if told.get("method") == "elicitation/create":
                self.asked.append(told["params"]["message"])
                if self.answer is not None:
                    stdin.write(
                        json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": self.answer}) + "\n"
                    )
                    stdin.flush()
            elif told.get("id") == self.count and "result" in told:
                return told["result"]


def test_the_person_at_a_chat_client_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("DESKHAND_RUNTIME_DIR", str(tmp_path))
    policy = tmp_path / "policy.toml"
    policy.write_text('ask_timeout = 1\n[[rule]]\nname = "Greet"\ndecide = "ask"\n')
    script = (
        f"import sys; sys.argv = ['deskhand', 'mcp', '--structured', '--policy', {str(policy)!r}]; "
        "from deskhand.cli import main; main()"
    )
    with parent(script) as process:
        person = Person(process)
        person.call("app_launch", command=FORM)
        found = person.call("ui_query", selector={"css": 'button[name="Greet"]'})["matches"]
        greet = {"type": "click", "target": {"ref": found[0]["ref"]}}

        def greeted() -> bool:
            return bool(person.call("ui_query", selector={"text": "Hello, !"})["matches"])

        for answer in ({"action": "decline"}, {"action": "accept", "content": {"allow": False}}, None):
            person.answer = answer
            refused = person.call("ui_perform", actions=[greet])
            assert "refused" in refused["results"][0]["error"]
            assert not greeted()
        person.answer = {"action": "accept", "content": {"allow": True}}
        done = person.call("ui_perform", actions=[greet])["results"][0]
        assert done["ok"] is True, done
        assert greeted()
        assert len(person.asked) == 4
        assert 'click button "Greet" in "Order form" of qt_form?' in person.asked[0]
        assert process.asks_to_end() == 0


def test_what_a_policy_would_decide_can_be_seen(
    deskhand: Deskhand, greeter: Greeter, folder: Path, policy: Path
) -> None:
    checked = deskhand("policy", "check", str(policy), "button", "--json")
    decisions = {row["target"]: row for row in json.loads(checked.output)["decisions"]}
    greet = decisions['button "Greet" in "Greeter" of memory']
    assert (greet["decide"], greet["rule"].partition(" (")[0]) == ("deny", "rule 1")
    assert decisions['button "Late" in "Greeter" of memory']["decide"] == "allow"
    assert greeter.greeting.text == ""

    policy.write_text("[[rule]]\nrole = 'buton'\ndecide = 'deny'\n")
    wrong = deskhand("policy", "check", str(policy))
    assert wrong.exit_code == 2
    assert "role of rule 1 is not a role: 'buton'" in wrong.stderr
    assert "did you mean button?" in wrong.stderr


def test_a_server_does_not_start_with_a_policy_that_cannot_be_read(deskhand: Deskhand, folder: Path) -> None:
    broken = folder / "broken.toml"
    broken.write_text("[[rule]\n")
    for words, message in (
        (("--policy", str(broken)), "is not TOML"),
        (("--policy", str(folder / "none")), "cannot read the policy"),
        (("--audit", str(folder / "no" / "folder")), "cannot write the audit log"),
    ):
        result = deskhand("run", "--headless", "--gip", str(folder / "gip"), *words, "--", "true")
        assert result.exit_code in (1, 2)
        assert message in result.stderr
