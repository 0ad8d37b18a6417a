"""Runs one program and performs actions on it: `python play.py PROGRAM`, commands as JSON lines on stdin.

Commands: {"perform": name, "fields": {...}, "on": expression, "to": expression}, {"ask": expression}, {"reset": true}.
Expressions see the program's window as `form`, and the handles of the adapter.
"""

import importlib
import json
import os
import sys
import threading
import traceback
from pathlib import Path

BINDING = os.environ["STAGE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtGui = importlib.import_module(f"{BINDING}.QtGui")
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[3] / "src"))

# The handles are imported by name for the expressions.
from deskhand.adapters.qt import act, handles, shot, thread  # noqa: E402
from deskhand.adapters.qt.binding import Binding  # noqa: E402
from deskhand.adapters.qt.handles import Entry, Header, Item, SceneItem, Tab  # noqa: E402, F401
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

        def found(name):
            root = self.form if isinstance(self.form, QtCore.QObject) else None
            return root.findChild(QtCore.QObject, name)

        return {**globals(), "form": self.form, "app": self.binding.app, "item": item, "found": found, "stage": self}

    def handle(self, expression):
        return None if expression is None else eval(expression, self.names())

    def perform(self, command):
        action = ops.OPERATIONS[command["perform"]](**{
            name: tuple(value) if isinstance(value, list) else value for name, value in command["fields"].items()
        })

        def act_now():
            return self.performer.perform(action, self.handle(command.get("on")), self.handle(command.get("to")))

        return self.ui.post(act_now, 10)

    def shoot(self, command):
        return self.ui.call(lambda: self._shoot(command), 10)

    def _shoot(self, command):
        image = shot.take(self.binding, self.registry, self.handle(command["shoot"]))
        Path(command["file"]).write_bytes(image.png)
        return {"width": image.width, "height": image.height, "scale": image.scale}

    def ask(self, command):
        return self.ui.call(lambda: self.handle(command["ask"]), 10)

    def reset(self, command):
        def again():
            old, self.form = self.form, None
            old.close()
            old.deleteLater()
            self.form = self.program.main()

        return self.ui.call(again, 10)

    def obey(self, line):
        command = json.loads(line)
        try:
            for word in ("perform", "shoot", "ask", "reset"):
                if word in command:
                    return {"ok": getattr(self, word)(command)}
        except DeskhandError as error:
            return {"error": error.to_json()}
        except Exception:
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
