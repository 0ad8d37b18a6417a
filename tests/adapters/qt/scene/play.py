"""Runs a program of this folder, and reads it through the adapter on command: `python play.py PROGRAM`.

Commands are lines of JSON on standard input, answers lines on standard output.
"""

import importlib.util
import json
import os
import sys
import threading
import traceback
from pathlib import Path

from deskhand.model import codec
from deskhand.model.errors import DeskhandError

BINDING = os.environ["SCENE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtGui = importlib.import_module(f"{BINDING}.QtGui")


def load(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def application(module):
    if hasattr(module, "QtWidgets"):
        return module.QtWidgets.QApplication([sys.argv[1]])
    return QtGui.QGuiApplication([sys.argv[1]])


class Player:
    """Answers commands. Whatever `do` and `ask` name is looked up in `names`."""

    def __init__(self, names, adapter):
        self.names = names
        self.adapter = adapter
        self.heard = 0
        self.stop = None

    def serve(self):
        for line in sys.stdin:
            try:
                answer = {"ok": self.answer(**json.loads(line))}
            except DeskhandError as error:
                answer = {"error": error.to_json()}
            except Exception:  # noqa: BLE001 - reported to the test
                answer = {"crash": traceback.format_exc()}
            print(json.dumps(answer), flush=True)
        self.adapter._ui.later(QtCore.QCoreApplication.quit)

    def answer(self, command, **fields):
        return getattr(self, f"on_{command}")(**fields)

    def on_tree(self, root=None, cold=False, **how):
        if cold:
            reader = self.adapter._reader
            return codec.encode(self.adapter.call(lambda: reader.read(root, cold=True, **how), timeout=20))
        return codec.encode(self.adapter.read(root, timeout=20, **how))

    def on_do(self, code):
        self.adapter.call(lambda: exec(code, self.names), timeout=20)

    def on_post(self, code):
        self.adapter._ui.post(lambda: exec(code, self.names), 20)

    def on_ask(self, code):
        return self.adapter.call(lambda: eval(code, self.names), timeout=20)

    def on_state(self):
        return codec.encode(self.adapter.state(timeout=5))

    def on_info(self):
        return codec.encode(self.adapter.info())

    def on_idle(self, timeout=10):
        self.adapter.idle(timeout=timeout)

    def on_here(self, code):
        """Run code on this thread, which is not the GUI thread; what it gives is its `answer`."""
        names = {**self.names, "adapter": self.adapter}
        exec(code, names)
        return names.get("answer")


def main():
    module = load(sys.argv[1])
    app = application(module)
    app.setQuitOnLastWindowClosed(False)
    names = dict(vars(module))
    form = module.start()
    from deskhand.adapters.qt.adapter import QtAdapter

    adapter = QtAdapter()
    names.update(app=app, form=form, adapter=adapter)
    del form
    # What the program holds is left to the end of Python, as in programs that keep it in their modules.
    sys.held = names
    threading.Thread(target=Player(names, adapter).serve).start()
    code = app.exec()
    if again := getattr(app, "again", None):
        again.wait(20)  # until the test has noticed that there is no event loop
        app.setProperty("rounds", 2)
        code = app.exec()
    sys.exit(code)


if __name__ == "__main__":
    main()
