"""The hook gets into a Qt program, however Python is started, and into nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deskhand.inject.command import SITE
from tests.inject.conftest import BINDINGS, PROGRAM, Outside, plain_environment, script

QML = """
import sys
from {binding}.QtGui import QGuiApplication
app = QGuiApplication(sys.argv)
sys.exit(app.exec())
"""

SUBCLASS = """
import sys
from {binding} import QtWidgets
class App(QtWidgets.QApplication):
    def __init__(self, argv, title):
        super().__init__(argv)
        self.setApplicationName(title)
app = App(sys.argv, "mine")
assert app.applicationName() == "mine"
sys.exit(app.exec())
"""

SPLASH = """
import sys
from {binding}.QtWidgets import QApplication
app = QApplication(sys.argv)
app.processEvents()
"""

LOADERS = """
import sys
from {binding} import QtWidgets
app = QtWidgets.QApplication([])
app.exec()
import json
print(json.dumps([type(QtWidgets.__loader__).__name__, type(QtWidgets.__spec__.loader).__name__]))
"""

QUIT_WITH_3 = """
from {binding}.QtCore import QTimer
QTimer.singleShot(0, app.quit)
sys.exit(app.exec() + 3)
"""

SAY_WHO_WAS_HERE = """
app.exec()
print(sys.was_here, sys.modules["sitecustomize"].__file__)
"""

# PySide6 switches its own classes to other names, depending on which module asks.
FEATURES = """
import sys
from PySide6.QtWidgets import QApplication
from __feature__ import snake_case, true_property
app = QApplication(sys.argv)
app.set_application_name = "x"
sys.exit(app.exec())
"""


@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.parametrize(
    "text", [PROGRAM, QML, SUBCLASS, SPLASH], ids=["widgets", "qml", "subclass", "splash"]
)
def test_it_starts_the_agent_from_the_event_loop(outside: Outside, bare: Path, binding: str, text: str):
    program = outside.program(text, binding=binding)
    done = outside.run(bare, program, "--an-option")
    heard = outside.heard()
    assert heard.binding == binding
    assert heard.argv == [str(program), "--an-option"]
    assert done.stderr == ""


def test_features_that_rename_methods_do_not_disturb_it(outside: Outside, bare: Path):
    done = outside.run(bare, outside.program(FEATURES))
    assert outside.heard().binding == "PySide6"
    assert done.stderr == ""


@pytest.mark.parametrize("binding", BINDINGS)
def test_the_bindings_modules_keep_their_own_loaders(outside: Outside, bare: Path, binding: str):
    done = outside.run(bare, outside.program(LOADERS, binding=binding))
    assert json.loads(done.stdout) == ["ExtensionFileLoader", "ExtensionFileLoader"]


def test_a_program_that_makes_no_application_never_meets_us(outside: Outside, bare: Path):
    text = "import sys, json; import PySide6.QtWidgets; print(json.dumps(sorted(sys.modules)))"
    done = outside.run(bare, outside.program(text))
    modules = json.loads(done.stdout)
    assert outside.silent()
    assert not [name for name in modules if name.startswith("deskhand")]


def test_a_program_without_a_toolkit_does_not_get_one(outside: Outside, bare: Path):
    text = "import sys, json; print(json.dumps(sorted(sys.modules)))"
    path = outside.program(text)
    without = subprocess.run([bare, path], env=plain_environment(), capture_output=True, check=True)
    added = set(json.loads(outside.run(bare, path).stdout)) - set(json.loads(without.stdout))
    assert added <= {"_deskhand_hook", "__future__", "importlib", "importlib._bootstrap"} | {
        "importlib._bootstrap_external", "importlib.machinery", "warnings",
    }  # fmt: skip


def test_nothing_else_of_our_packages_becomes_importable(outside: Outside, bare: Path):
    text = PROGRAM.replace("sys.exit(app.exec())", "app.exec()\nimport deskhand\nimport click")
    done = outside.run(bare, outside.program(text, binding="PySide6"), check=False)
    assert "No module named 'click'" in done.stderr
    assert str(SITE) not in outside.heard().path


def test_a_package_of_the_programs_own_wins_over_ours(outside: Outside, bare: Path):
    own = outside.folder / "deskhand"
    own.joinpath("in_app").mkdir(parents=True)
    own.joinpath("__init__.py").touch()
    own.joinpath("in_app", "__init__.py").touch()
    own.joinpath("in_app", "host.py").write_text(
        "def start_agent(settings, binding):\n"
        "    from PyQt6.QtCore import QCoreApplication\n"
        "    print('its own')\n"
        "    QCoreApplication.quit()\n"
    )
    done = outside.run(bare, outside.program(PROGRAM, binding="PyQt6"))
    assert done.stdout == "its own\n"


@pytest.mark.parametrize("binding", BINDINGS)
def test_an_agent_that_cannot_start_is_reported_and_harms_nothing(outside: Outside, bare: Path, binding: str):
    outside.folder.joinpath("package/deskhand/in_app/host.py").write_text("raise ImportError('broken')")
    text = PROGRAM.replace(
        "sys.exit(app.exec())",
        QUIT_WITH_3,
    )
    done = outside.run(bare, outside.program(text, binding=binding), check=False)
    assert done.returncode == 3
    assert outside.heard().error == "ImportError: broken"
    assert "cannot drive" not in done.stderr, "it is reported once"


def test_an_agent_that_can_neither_start_nor_report_says_so_on_stderr(outside: Outside, bare: Path):
    outside.folder.joinpath("package/deskhand/in_app/host.py").write_text("raise ImportError('broken')")
    text = PROGRAM.replace("sys.exit(app.exec())", QUIT_WITH_3)
    outside.report.close()
    done = outside.run(bare, outside.program(text, binding="PyQt6"), check=False)
    assert done.returncode == 3
    assert "deskhand: cannot drive this program: ImportError: broken" in done.stderr


def test_a_module_run_with_m_is_reached(outside: Outside, bare: Path):
    package = outside.folder / "shop"
    package.mkdir()
    package.joinpath("__init__.py").touch()
    package.joinpath("__main__.py").write_text(PROGRAM.format(binding="PySide6"))
    outside.run(bare, "-m", "shop", "x", cwd=outside.folder)
    assert outside.heard().argv == [str(package / "__main__.py"), "x"]


def test_code_on_the_command_line_is_reached(outside: Outside, bare: Path):
    outside.run(bare, "-c", PROGRAM.format(binding="PyQt6"), "x")
    assert outside.heard().argv == ["-c", "x"]


def test_a_console_script_is_reached(outside: Outside, bare: Path):
    program = script(outside.folder, f"#!{bare}\n{PROGRAM.format(binding='PySide6')}", "shop")
    outside.run("shop", "x", env={"PATH": f"{outside.folder}:/usr/bin:/bin"})
    assert outside.heard().argv == [str(program), "x"]


def test_a_shell_script_that_ends_in_python_is_reached(outside: Outside, bare: Path):
    program = outside.program(PROGRAM, binding="PySide6")
    start = script(outside.folder, f'#!/bin/sh\ncd /\nexec env LANG=C {bare} {program} "$@"\n', "start.sh")
    outside.run(start, "x")
    assert outside.heard().argv == [str(program), "x"]


def test_a_python_program_that_starts_the_real_one_passes_it_on(outside: Outside, bare: Path):
    program = outside.program(PROGRAM, binding="PyQt6")
    start = outside.program(
        f"import subprocess, sys\nsys.exit(subprocess.call([{str(bare)!r}, {str(program)!r}]))", "start.py"
    )
    outside.run(sys._base_executable, start)
    assert outside.heard().binding == "PyQt6"


# -- interpreters that see neither PYTHONPATH nor sitecustomize --------------------------------------

SAYS = """
import json, sys
print(json.dumps({"argv": sys.argv, "path": sys.path, "main": __name__, "file": globals().get("__file__"),
                  "isolated": sys.flags.isolated, "is_main": sys.modules["__main__"].__dict__ is globals(),
                  "package": globals().get("__package__"), "spec": str(__spec__ and __spec__.name)}))
"""


@pytest.mark.parametrize(
    "options", [["-I"], ["-E"], ["-s", "-E"], ["-Es"], ["-IX", "dev"], ["-I", "-W", "ignore"]]
)
@pytest.mark.parametrize("how", ["script", "module", "code", "folder", "archive"])
def test_options_that_keep_the_hook_out_do_not(outside: Outside, bare: Path, how: str, options: list[str]):
    argv, cwd = _ways(outside, PROGRAM.format(binding="PySide6"))[how]
    if how == "module" and "I" in options[0]:
        pytest.skip("isolated, Python does not look for modules in the current folder")
    outside.run(bare, *options, *argv, cwd=cwd)
    assert outside.heard().binding == "PySide6"


@pytest.mark.parametrize("options", [["-I"], ["-E"], ["-S"], ["-ES"]])
@pytest.mark.parametrize("how", ["script", "module", "code", "folder", "archive"])
def test_the_program_does_not_notice_that_it_was_started_another_way(
    outside: Outside, bare: Path, how: str, options: list[str]
):
    argv, cwd = _ways(outside, SAYS)[how]
    plain = subprocess.run(
        [bare, *options, *argv, "x", "-y"], env=plain_environment(), cwd=cwd, capture_output=True, text=True
    )
    done = outside.run(bare, *options, *argv, "x", "-y", cwd=cwd, check=False)
    assert done.returncode == plain.returncode
    if plain.returncode == 0:
        assert json.loads(done.stdout) == json.loads(plain.stdout)
    else:
        assert "No module named shop" in plain.stderr
        assert "No module named shop" in done.stderr


def test_a_script_whose_first_line_keeps_the_hook_out_is_reached(outside: Outside, bare: Path):
    program = script(outside.folder, f"#!{bare} -Es\n{PROGRAM.format(binding='PyQt6')}", "shop")
    outside.run(program, "x")
    assert outside.heard().argv == [str(program), "x"]


def test_a_script_that_names_its_interpreter_with_env_is_reached(outside: Outside, bare: Path):
    program = script(
        outside.folder, f"#!/usr/bin/env -S python -I\n{PROGRAM.format(binding='PyQt6')}", "shop"
    )
    outside.run(program, "x", env={"PATH": f"{bare.parent}:/usr/bin:/bin"})
    assert outside.heard().argv == [str(program), "x"]


def _ways(outside: Outside, text: str) -> dict[str, tuple[list[str], Path]]:
    """The same program as Python can be given it: arguments, and the folder to be in."""
    home = outside.folder
    script_file = outside.program("# program\n" + text)
    folder = home / "shop"
    folder.mkdir()
    folder.joinpath("__main__.py").write_text(text)
    archive = shutil.make_archive(str(home / "archive"), "zip", folder)
    return {
        "script": ([script_file.name], home),
        "module": (["-m", "shop"], home),
        "code": (["-c", text], home),
        "folder": ([str(folder)], home),
        "archive": ([archive], home),
    }


# -- what was there before ------------------------------------------------------------------------


def test_a_sitecustomize_that_was_there_before_still_runs(outside: Outside, bare: Path):
    own = outside.folder / "own"
    own.mkdir()
    own.joinpath("sitecustomize.py").write_text("import sys\nsys.was_here = True\n")
    text = PROGRAM.replace("sys.exit(app.exec())", SAY_WHO_WAS_HERE)
    done = outside.run(bare, outside.program(text, binding="PySide6"), env={"PYTHONPATH": str(own)})
    assert done.stdout == f"True {own / 'sitecustomize.py'}\n"
    assert str(own) in outside.heard().path


def test_a_broken_sitecustomize_is_reported_as_without_us(outside: Outside, bare: Path):
    own = outside.folder / "own"
    own.mkdir()
    own.joinpath("sitecustomize.py").write_text("import nothing_of_that_name\n")
    path = outside.program("print('runs')")
    env = {"PYTHONPATH": str(own)}
    plain = subprocess.run(
        [bare, path], env=plain_environment(**env), capture_output=True, text=True, check=True
    )
    done = outside.run(bare, path, env=env)
    assert (done.stdout, done.stderr) == (plain.stdout, plain.stderr)


def test_a_toolkit_that_was_loaded_before_the_hook_is_noticed(outside: Outside, bare: Path):
    early = next(bare.parents[1].glob("lib/python*/site-packages")) / "early.pth"
    early.write_text("import PySide6.QtWidgets\n")
    try:
        outside.run(bare, outside.program(PROGRAM, binding="PySide6"))
    finally:
        early.unlink()
    assert outside.heard().binding == "PySide6"


def test_another_finder_that_asks_all_finders_does_not_loop(outside: Outside, bare: Path):
    text = (
        """
import sys
class Asks:
    def find_spec(self, name, path=None, target=None):
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(name, path, target)) is not None:
                return spec
sys.meta_path.insert(1, Asks())
"""
        + PROGRAM
    )
    outside.run(bare, outside.program(text, binding="PyQt6"))
    assert outside.heard().binding == "PyQt6"


OLD = sorted(Path.home().glob(".pyenv/versions/*/bin/python"))


@pytest.mark.skipif(not OLD, reason="no other interpreters on this machine")
@pytest.mark.parametrize("python", OLD, ids=lambda path: path.parents[1].name)
def test_other_versions_of_python_are_left_in_peace(outside: Outside, python: Path):
    path = outside.program(
        "import sys\nsys.stdout.write('runs %d' % (not [p for p in sys.path if 'inject' in p]))"
    )
    done = outside.run(python, path)
    assert (done.stdout, done.stderr) == ("runs 1", "")
