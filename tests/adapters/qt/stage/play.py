"""Runs one program and performs actions on it: `python play.py PROGRAM`, commands as JSON lines on stdin.

Commands: {"perform": name, "fields": {...}, "on": expression, "to": expression}, {"ask": expression},
{"shoot": expression, "file": path}, {"reset": true}. Expressions see the program's window as `form`, and the
handles of the adapter.
"""

import ctypes
import faulthandler
import importlib
import json
import os
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

faulthandler.enable()
# Ends with the process that started it, even when it is stuck: PR_SET_PDEATHSIG.
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
BINDING = os.environ["STAGE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtGui = importlib.import_module(f"{BINDING}.QtGui")
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[4] / "src"))

# The handles are imported by name for the expressions.
from deskhand.adapters.qt import act, handles, hooks, quick, shot, thread  # noqa: E402
from deskhand.adapters.qt.binding import Binding  # noqa: E402
from deskhand.adapters.qt.handles import Header, Item, MenuEntry, SceneItem, Tab  # noqa: E402, F401
from deskhand.model import codec  # noqa: E402
from deskhand.model import operations as ops  # noqa: E402
from deskhand.model.errors import DeskhandError  # noqa: E402


class Stage:
    def __init__(self, program):
        self.program = importlib.import_module(program)
        self.form = self.program.main()
        self.binding = Binding(BINDING)
        self.registry = handles.Registry(self.binding)
        self.ui = thread.UiThread(self.binding)
        self.performer = act.Performer(self.binding, self.registry, self.ui)

    def names(self):
        def item(view, row, column=0, parent=None):
            index = view.model().index(row, column, *([parent] if parent is not None else []))
            return Item(view, QtCore.QPersistentModelIndex(index))

        def named(text, role=None):
            """The QML item that its node calls so."""
            for node in self.nodes():
                if node.name == text and role in (None, node.role):
                    return self.registry.native(node.uid)
            raise LookupError(text)

        def modal():
            """The dialog that is open; kept, as the adapter keeps what it reads."""
            dialog = self.binding.app.activeModalWidget()
            if dialog is not None:
                self.registry.know(dialog)
            return dialog

        known = {
            "form": self.form,
            "app": self.binding.app,
            "item": item,
            "named": named,
            "modal": modal,
            "stage": self,
        }
        return {**globals(), **known}

    def nodes(self, internals=False):
        window, out = self.form.window, []
        quick.nodes(
            self.binding, self.registry, window.contentItem(), "u-0", (window.x(), window.y()), out, internals
        )
        return out

    def count(self, levels):
        """How many children a QML window is said to have."""
        root = self.form.window.contentItem()
        return quick.nodes(self.binding, self.registry, root, "u-0", (0, 0), [], False, levels)

    def tree(self, internals=False):
        """What a QML window holds, as plain data."""
        return [codec.encode(node) for node in self.nodes(internals)]

    def handle(self, expression):
        return None if expression is None else eval(expression, self.names())

    def use_qtest(self):
        """Send events by the second way in."""
        self.performer._hands.input._found = hooks.TestHooks(self.binding)

    def perform(self, command):
        given = command["fields"].items()
        fields = {name: tuple(value) if isinstance(value, list) else value for name, value in given}
        action = ops.OPERATIONS[command["perform"]](**fields)

        def act_now():
            on, to = self.handle(command.get("on")), self.handle(command.get("to"))
            return self.performer.perform(action, on, to)

        return self.ui.post(act_now, 10)

    def shoot(self, command):
        return self.ui.call(lambda: self._shoot(command), 10)

    def _shoot(self, command):
        image = shot.screenshot(self.binding, self.registry, self.handle(command["shoot"]))
        Path(command["file"]).write_bytes(image.png)
        return {"width": image.width, "height": image.height, "scale": image.scale}

    def ask(self, command):
        return self.ui.call(lambda: self.handle(command["ask"]), 10)

    def reset(self, command):
        def again():
            application = self.binding.app
            for left_open in ("activePopupWidget", "activeModalWidget"):
                if (window := getattr(application, left_open, lambda: None)()) is not None:
                    window.close()
            old, self.form = self.form, None
            old.close()
            old.deleteLater()
            self.form = self.program.main()

        self.ui.call(again, 10)
        shown = self.form.window if hasattr(self.form, "engine") else self.form.windowHandle()
        while not self.ui.call(shown.isExposed, 10):
            time.sleep(0.005)

    def obey(self, line):
        command = json.loads(line)
        try:
            for word in ("perform", "shoot", "ask", "reset"):
                if word in command:
                    return {"ok": getattr(self, word)(command)}
        except DeskhandError as error:
            return {"error": error.to_json()}
        except Exception:  # noqa: BLE001 - reported to the test, which fails
            return {"crash": traceback.format_exc()}

    def listen(self):
        for line in sys.stdin:
            print(json.dumps(self.obey(line), default=str), flush=True)
        os._exit(0)


if __name__ == "__main__":
    program = sys.argv[1]
    if program == "quick_form":
        application = QtGui.QGuiApplication(sys.argv[:1])
    else:
        application = importlib.import_module(f"{BINDING}.QtWidgets").QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    stage = Stage(program)
    threading.Thread(target=stage.listen, daemon=True).start()
    application.exec()
