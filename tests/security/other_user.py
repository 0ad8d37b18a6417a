"""The other user of the machine, as whom an attack runs."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

UID = 65534
"""The user that every system has for those without rights."""
MAY_SWITCH = os.geteuid() == 0
"""Whether this machine lets the tests run as two users: root may become another one."""

PYTHON = str(Path(sys.executable).resolve())
"""Outside the environment, which another user may not be able to read."""

_ASK = """
import http.client, json, sys
wanted = json.loads(sys.argv[1])
peer = http.client.HTTPConnection("127.0.0.1", wanted["port"], timeout=30)
peer.request(wanted["method"], wanted["path"], wanted["body"], wanted["headers"])
reply = peer.getresponse()
print(json.dumps([reply.status, reply.read().decode("utf-8", "replace")]))
"""


def run(*command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as the other user."""
    return subprocess.run(
        command,
        user=UID,
        group=UID,
        extra_groups=[],
        cwd="/",
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        **options,
    )


def ask_as_other(port: int, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str]:
    """Send an HTTP request from a process of the other user; the status and the body of the answer."""
    wanted = {"port": port, "method": method, "path": path, "body": body, "headers": headers}
    status, text = json.loads(run(PYTHON, "-I", "-S", "-c", _ASK, json.dumps(wanted)).stdout)
    return status, text


def ask(port: int, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str]:
    """The same from this process."""
    peer = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        peer.request(method, path, body, headers)
        reply = peer.getresponse()
        return reply.status, reply.read().decode("utf-8", "replace")
    finally:
        peer.close()
