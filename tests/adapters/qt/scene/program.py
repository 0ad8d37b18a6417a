"""Starts a program of this folder, and talks to it."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

from deskhand.model import codec
from deskhand.model.errors import DeskhandError
from deskhand.model.node import AppInfo, AppState
from deskhand.model.tree import Tree

BINDINGS = ("PySide6", "PyQt6")
PLATFORMS = ("offscreen", "xcb")


class Program:
    """A program that is read through the adapter inside it."""

    def __init__(self, name, binding, platform="offscreen", **environment):
        self.binding, self.platform = binding, platform
        env = {
            **{key: value for key, value in os.environ.items() if not key.startswith("QT_")},
            "SCENE_BINDING": binding,
            "QT_QPA_PLATFORM": platform,
            "QT_LOGGING_RULES": "qt.qpa.*=false",
            **environment,
        }
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("play.py"), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )

    def send(self, command, **fields):
        self.process.stdin.write(json.dumps({"command": command, **fields}).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the program ended with {self.process.wait()}"
        answer = json.loads(line)
        if "error" in answer:
            raise DeskhandError.from_json(answer["error"])
        assert "crash" not in answer, answer["crash"]
        return answer["ok"]

    def tree(self, root=None, **how):
        return codec.decode(Tree, self.send("tree", root=root, **how))

    def get(self, name, **how):
        """The node of that automation id."""
        found = [node for node in self.tree(**how) if node.automation_id == name]
        assert len(found) == 1, f"{len(found)} nodes of the name {name}"
        return found[0]

    def do(self, code):
        """Let the program do something on its GUI thread, and wait until it is idle."""
        self.send("do", code=code)
        self.idle()

    def post(self, code):
        """The same for what may open a dialog and wait for its answer."""
        self.send("post", code=code)

    def ask(self, code):
        return self.send("ask", code=code)

    def here(self, code):
        return self.send("here", code=code)

    def idle(self, timeout=10):
        self.send("idle", timeout=timeout)

    def state(self):
        return codec.decode(AppState, self.send("state"))

    def info(self):
        return codec.decode(AppInfo, self.send("info"))

    def close(self):
        """Let the program end as programs do, and see that it does."""
        self.process.stdin.close()
        try:
            code = self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
        assert code == 0, f"the program ended with {code}"


@contextmanager
def display(size="1280x1024"):
    """The name of an X display of one's own."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as numbers:
            yield f":{numbers.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def program(name, binding, platform="offscreen", **environment):
    """A program, on a display of its own if it needs one."""
    with ExitStack() as stack:
        if platform == "xcb":
            environment["DISPLAY"] = stack.enter_context(display())
        running = Program(name, binding, platform, **environment)
        stack.callback(running.close)
        running.idle()
        yield running


def outline(tree):
    """A tree as text, for looking at it."""
    level = {None: -1}
    lines = []
    for node in tree:
        level[node.uid] = level.get(node.parent, -1) + 1
        shown = {
            name: value
            for name, value in node.fields.items()
            if name not in ("uid", "parent", "role", "backend", "native_class", "actions", "virtualization")
        }
        if "bounds" in shown:
            shown["bounds"] = tuple(shown["bounds"])
        lines.append(f"{'  ' * level[node.uid]}{node.role} {node.native_class} {shown}")
    return "\n".join(lines)
