"""Starts a stage and sends it the actions to perform."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

from deskhand.model import operations as ops
from deskhand.model.errors import DeskhandError
from tests.adapters.qt.stage.display import display

HERE = Path(__file__).parent


class Director:
    """One program on its stage. Names of operations are methods: `stage.click("form.push", count=2)`."""

    def __init__(self, program, binding, platform, display=None, **environment):
        self.binding, self.platform = binding, platform
        env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("QT_")},
            "STAGE_BINDING": binding,
            "QT_QPA_PLATFORM": platform,
            "QT_LOGGING_RULES": "qt.qpa.*=false",
            **environment,
        }
        if display is not None:
            env["DISPLAY"] = display
        command = [sys.executable, HERE / "play.py", program]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)

    def __getattr__(self, name):
        if name not in ops.OPERATIONS:
            raise AttributeError(name)
        return lambda on=None, to=None, **fields: self.send(perform=name, on=on, to=to, fields=fields)

    def send(self, **command):
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the program ended with {self.process.wait()}"
        answer = json.loads(line)
        if "error" in answer:
            raise DeskhandError.from_json(answer["error"])
        assert "crash" not in answer, answer["crash"]
        return answer["ok"]

    def ask(self, expression):
        return self.send(ask=expression)

    def shoot(self, on, file):
        return self.send(shoot=on, file=str(file))

    def reset(self):
        self.send(reset=True)
        return self

    @property
    def journal(self):
        """What the program wrote down since it was asked last."""
        written = self.ask("list(form.journal)")
        self.ask("form.journal.clear()")
        return written

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


STAGES = [(binding, platform) for platform in ("offscreen", "xcb") for binding in ("PySide6", "PyQt6")]


@contextmanager
def stage(program, binding, platform, **environment):
    """A program, on a display of its own if it needs one."""
    with ExitStack() as stack:
        name = stack.enter_context(display()) if platform == "xcb" else None
        director = Director(program, binding, platform, name, **environment)
        stack.callback(director.close)
        yield director
