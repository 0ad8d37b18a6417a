"""A window whose button asks something by another program, and shows what that answered.

    asks.py gtk|qt [--wait] COMMAND...

With --wait, the button's handler returns when the other program has ended: until then the window answers
nothing.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

kind, *rest = sys.argv[1:]
waits = rest[0] == "--wait"
command = rest[1:] if waits else rest


def with_gtk() -> None:
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import GLib, Gtk

    window = Gtk.Window(title="Asks")
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    button, entry, answer = Gtk.Button(label="Ask"), Gtk.Entry(), Gtk.Label(label="nothing asked")

    def ended(process: Any) -> bool:
        if process.poll() is None:
            return True
        answer.set_text(f"answered {process.stdout.read().strip()!r}, code {process.returncode}")
        return False

    def ask(*_: object) -> None:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if waits:
            process.wait()
        GLib.timeout_add(20, ended, process)

    button.connect("clicked", ask)
    for child in (button, entry, answer):
        box.add(child)
    window.add(box)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    Gtk.main()


def with_qt() -> None:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

    app = QApplication(sys.argv[:1])
    window = QWidget(windowTitle="Asks")
    layout = QVBoxLayout(window)
    button, entry, answer = QPushButton("Ask"), QLineEdit(), QLabel("nothing asked")
    for child in (button, entry, answer):
        layout.addWidget(child)
    timer = QTimer(window, interval=20)
    running: list[Any] = []

    def ended() -> None:
        if running and running[0].poll() is not None:
            process = running.pop()
            answer.setText(f"answered {process.stdout.read().strip()!r}, code {process.returncode}")

    def ask() -> None:
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        if waits:
            running[0].wait()

    button.clicked.connect(ask)
    timer.timeout.connect(ended)
    timer.start()
    window.show()
    app.exec()


with_gtk() if kind == "gtk" else with_qt()
