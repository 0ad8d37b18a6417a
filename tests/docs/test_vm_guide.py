"""What the guide types on the host works against an agent on a desktop of its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/guides/drive-another-machine.md").read_text(encoding="utf-8")
ADDRESS = "192.168.122.50:8648"
DESKHAND = (
    f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -c 'from deskhand.cli import main; main()' \"$@\"\n"
)

pytestmark = pytest.mark.programs


@dataclass(frozen=True)
class Host:
    """The host's side: where it types, its environment, and where the machine really is."""

    folder: Path
    env: dict[str, str]
    address: str

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    (folder / "bin").mkdir()
    (folder / "bin" / "deskhand").write_text(DESKHAND)
    (folder / "bin" / "deskhand").chmod(0o755)
    env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "DESKHAND_TOKEN": "s3cret"}
    command = ["deskhand", "desktop", "--", "deskhand", "agent"]
    options = ["--bind", "127.0.0.1", "--port", "0"]
    with subprocess.Popen([*command, *options], env=env, stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout
        lines = list(iter(agent.stdout.readline, "ready\n"))
        address = lines[-1].split()[2].removeprefix("http://")
        yield Host(folder, {**env, "DESKHAND_HOST": address}, address)
        agent.terminate()


def blocks(kind: str) -> list[str]:
    found = re.findall(rf"^```{kind}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    assert found
    return found


def test_the_commands_and_the_program_and_the_requests_work_one_after_the_other(host: Host) -> None:
    there = host.folder / "there"
    there.mkdir()
    for line in "".join(blocks("sh host")).splitlines():
        host.run(
            "bash", "-c", re.sub("/tmp(/again)?", lambda tmp: str(there if tmp[1] else host.folder), line)
        )

    assert (there / "words").read_text() == "one two\n"
    assert (host.folder / "calculator.png").read_bytes().startswith(b"\x89PNG")

    (program,) = blocks("python host")
    out = host.run(sys.executable, "-c", program.replace(ADDRESS, host.address).replace("/tmp", str(there)))
    assert out.startswith("0 ")
    assert (there / "desktop.png").read_bytes() == (host.folder / "desktop.png").read_bytes()

    with pytest.raises(urllib.error.HTTPError, match="401"):
        asked(host, f"curl http://{ADDRESS}/windows --json '{{}}'")
    answers = [asked(host, line) for line in "".join(blocks("sh curl")).splitlines()]
    assert answers[0]["accessible"] is True
    assert answers[1]["windows"][0]["appName"] == "galculator"
    assert answers[2]["windows"][0]["elements"]
    assert answers[3]["success"] is True
    assert answers[4]["exitCode"] == 0


def asked(host: Host, line: str) -> dict[str, Any]:
    """What a line of curl is answered."""
    curl, url, *options = shlex.split(line)
    assert curl == "curl"
    given = dict(zip(options[::2], options[1::2], strict=True))
    headers = {"Content-Type": "application/json"} | (
        dict([given["-H"].split(": ")]) if "-H" in given else {}
    )
    body = given["--json"].encode() if "--json" in given else None
    request = urllib.request.Request(url.replace(ADDRESS, host.address), body, headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        answer: dict[str, Any] = json.load(reply)
        return answer
