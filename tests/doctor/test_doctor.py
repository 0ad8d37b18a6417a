"""The doctor tries each thing, and says how to fix what does not work."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

from deskhand import Desktop, doctor
from deskhand.doctor import Check, outside, protocols, qt, toolkits, trying
from deskhand.toolkits import GTK, JAVAFX, QT, TOOLKITS, Toolkit


@pytest.fixture(scope="module")
def checks():
    return {one.name: one for one in doctor.check()}


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Makes a package that every script of the doctor imports instead of the real one."""

    def make(name: str, code: str) -> None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        (tmp_path / name / "QtCore.py").write_text(code)
        path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
        monkeypatch.setenv("PYTHONPATH", path)

    return make


def test_what_the_tests_of_this_project_need_works(checks):
    broken = {name: one.detail for name, one in checks.items() if one.ok is False}
    assert broken == {}


def test_both_bindings_of_qt_are_driven_on_a_real_desktop(checks):
    for binding in ("PySide6", "PyQt6"):
        assert checks[f"qt: {binding}"].ok
        assert "on xcb" in checks[f"qt: {binding}"].detail


@pytest.mark.parametrize("name", [each.name for each in TOOLKITS if each.doctor in ("python", "java")])
def test_the_other_toolkits_are_driven_too(checks, name):
    assert re.fullmatch(r"\d+[\d.]+.*, shows a window and drives it", checks[name].detail)


def test_a_toolkit_that_is_not_installed_is_not_a_fault(pool):
    missing = Toolkit("abacus", "Abacus", bindings={"no_such_module": "pip install it"})
    (found,) = toolkits.in_python(missing, None, pool)
    assert (found.ok, found.fix) == (None, "pip install it")


def test_javafx_is_tried_only_where_it_is(monkeypatch, tmp_path, pool):
    monkeypatch.setenv("OPENJFX", str(tmp_path))
    (found,) = toolkits.in_java(JAVAFX, None, pool)
    assert (found.ok, found.detail) == (
        None,
        f"the agent is installed; no JavaFX in {tmp_path} to try it with",
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    (found,) = toolkits.in_java(JAVAFX, None, pool)
    assert (found.ok, found.fix) == (None, "apt install default-jdk-headless")
    monkeypatch.setattr(toolkits.jvm, "JAR", tmp_path / "agent.jar")
    (found,) = toolkits.in_java(JAVAFX, None, pool)
    assert (found.ok, found.fix) == (False, "make setup, in a checkout")


def test_a_program_is_driven_from_outside_on_the_private_desktop(checks):
    assert checks["atspi"].ok
    assert "from outside" in checks["atspi"].detail


def test_the_desktop_that_we_are_on_is_looked_at(checks, monkeypatch):
    assert checks["atspi: own desktop"].ok is None
    monkeypatch.setenv("DISPLAY", ":65000")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    found = outside.own_desktop()
    assert (found.ok, found.fix) == (False, "apt install at-spi2-core")
    with Desktop() as desktop:
        for name, value in desktop.env.items():
            monkeypatch.setenv(name, value)
        found = outside.own_desktop()
    assert (found.ok, found.detail) == (True, "0 programs can be driven")


def test_a_wayland_session_is_reported_with_what_it_lacks_and_what_to_do(checks, monkeypatch):
    assert checks["wayland"].ok is None
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.delenv("DISPLAY", raising=False)
    found = outside.wayland()
    assert found.ok
    assert "real input" in found.detail
    assert "Xwayland" not in found.detail
    assert "deskhand run" in found.fix
    monkeypatch.setenv("DISPLAY", ":0")
    assert "Xwayland" in outside.wayland().detail


def test_xa11y_is_tried_and_missing_only_where_nothing_else_drives_the_desktop(checks, monkeypatch):
    assert checks["xa11y"].ok
    assert "drives a program" in checks["xa11y"].detail
    monkeypatch.setattr(outside.importlib.util, "find_spec", lambda name: None)
    assert (outside.xa11y(None).ok, outside.xa11y(None).fix) == (None, "pip install 'deskhand[xa11y]'")
    monkeypatch.setattr(outside.sys, "platform", "darwin")
    assert outside.xa11y(None).ok is False


def test_gip_is_asked_over_each_transport(checks):
    assert checks["gip: unix socket"].detail.startswith("answers at unix:")
    assert checks["gip: websocket"].detail.startswith("answers at ws://127.0.0.1:")
    assert checks["gip: http"].detail.startswith("answers at http://127.0.0.1:")


@pytest.mark.parametrize("name", ["agent", "orca", "mcp", "webdriver"])
def test_the_other_protocols_are_asked_too(checks, name):
    assert checks[name].detail.startswith("answers at http://127.0.0.1:")


def test_every_toolkit_and_protocol_is_named(checks):
    names = {"wx", "imgui", "tk", "gtk", "javafx", "web", "atspi", "orca", "agent", "mcp", "webdriver"}
    assert names <= checks.keys()


def test_what_has_no_adapter_is_not_in_this_version(pool):
    (absent,) = toolkits.from_outside(Toolkit("abacus", "Abacus"), None, pool)
    assert (absent.ok, absent.detail) == (None, "not in this version")


def test_what_can_be_driven_from_outside_says_so(checks):
    assert checks["web"].detail == "from outside only, in this version: see atspi"


def test_whether_a_desktop_has_a_tmp_of_its_own_is_reported(checks):
    assert checks["own /tmp"].ok
    assert "/var/tmp" in checks["own /tmp"].detail


def test_the_time_of_the_private_desktop_is_reported(checks):
    assert checks["private desktop"].ok
    assert re.match(r"up in \d+\.\d\d s", checks["private desktop"].detail)


def test_a_missing_program_fails_with_its_package(tmp_path, monkeypatch):
    for name in ("Xvfb", "dbus-daemon", "dbus-send"):
        (tmp_path / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolkits, "TOOLKITS", (QT,))
    monkeypatch.setattr(protocols, "transports", list)
    found = {one.name: one for one in doctor.check()}
    assert found["Xvfb"].ok
    assert (found["openbox"].ok, found["openbox"].fix) == (False, "apt install openbox")
    assert (found["private desktop"].ok, found["private desktop"].fix) == (False, "apt install openbox")
    assert "on offscreen" in found["qt: PySide6"].detail
    assert doctor.exit_code(found.values()) == 1


def test_a_missing_binding_is_not_a_fault_while_the_other_is_installed(pool):
    both = Toolkit("qt", "Qt", bindings={"PyQt6": "", "NoSuchQt": "pip install NoSuchQt"}, sample=QT.sample)
    _, absent = qt.bindings(both, None, pool)
    assert (absent.ok, absent.fix) == (None, "pip install NoSuchQt")


def test_missing_extras_are_named_and_are_not_a_fault(monkeypatch, tmp_path, pool):
    nothing = textwrap.dedent(
        """
        import sys
        from importlib.abc import MetaPathFinder
        class Absent(MetaPathFinder):
            def find_spec(self, name, *_):
                if name.partition(".")[0] in ("PySide6", "PyQt6", "PyQt5", "PySide2", "mcp", "PIL", "xa11y"):
                    raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        sys.meta_path.insert(0, Absent())
        """
    )
    (tmp_path / "sitecustomize.py").write_text(nothing)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(protocols, "find_spec", lambda name: None)
    checks = [*qt.bindings(QT, None, pool), protocols.over_http("mcp"), outside.xa11y(None)]
    extras = [one for one in checks if "deskhand[" in (one.fix or "")]
    assert [(one.ok, one.fix) for one in extras] == [
        (None, f"pip install 'deskhand[{name}]'") for name in ("qt", "pyqt", "mcp", "xa11y")
    ]
    others = [one.ok for one in checks if one not in extras]
    assert others == [None, None], "PyQt5 and PySide2, which no extra of ours brings"
    assert doctor.exit_code(checks) == 0


def test_an_extra_of_a_version_that_does_not_work_is_a_fault(monkeypatch, tmp_path):
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("raise ImportError('too old')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert protocols.over_http("mcp").ok is False


def test_a_missing_library_is_named_with_its_package(module):
    error = "libxcb-cursor.so.0: cannot open shared object file: No such file or directory"
    module("FakeQt", f"raise ImportError({error!r})")
    found = qt.binding_works(QT, "FakeQt", None)
    assert (found.ok, found.fix) == (False, "apt install libxcb-cursor0")
    assert error in found.detail


def test_a_crash_is_reported_with_the_output(module):
    module("FakeQt", "import os, sys; print('so sorry', file=sys.stderr, flush=True); os.abort()")
    found = qt.binding_works(QT, "FakeQt", None)
    assert found.ok is False
    assert "was ended by SIGABRT; so sorry" in found.detail


def test_a_script_that_hangs_is_a_fault(module, monkeypatch):
    monkeypatch.setattr(trying, "TIMEOUT", 1.0)
    module("FakeQt", "import time; time.sleep(1000)")
    assert "did not end within 1 s" in qt.binding_works(QT, "FakeQt", None).detail


def test_the_pyside_that_crashes_on_this_python_is_flagged(module, monkeypatch):
    monkeypatch.setattr(qt.sys, "version_info", (3, 11, 2))
    module("PySide6", "__version__ = '6.12.0'")
    found = qt.binding_works(QT, "PySide6", None)
    assert (found.ok, found.fix) == (False, "pip install 'PySide6<6.12'")
    assert "6.12.0 crashes on Python" in found.detail


@pytest.mark.parametrize(
    ("version", "python", "broken"),
    [
        ("6.11.3", (3, 11), False),
        ("6.12.0", (3, 11), True),
        ("6.12.0", (3, 10), True),
        ("6.12.0", (3, 12), False),
        ("7.0.1", (3, 11), True),
    ],
)
def test_versions_are_compared_as_numbers(version, python, broken):
    assert qt.loses_none(version, python) is broken


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libEGL.so.1", "libegl1"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libglib-2.0.so.0", "libglib2.0-0"),
        ("libgssapi_krb5.so.2", "libgssapi-krb5-2"),
    ],
)
def test_libraries_lead_to_their_debian_packages(library, package):
    assert trying.package_of(library) == package


GOOD = Check("machine", "python", True, "3.11")
BAD = Check("machine", "openbox", False, "not found on PATH", "apt install openbox")
ABSENT = Check("toolkits", "wx", None, "not in this version")
EXTRA = Check("protocols", "mcp", None, "not installed", "pip install 'deskhand[mcp]'")


def test_only_what_does_not_work_makes_the_exit_code_1():
    assert doctor.exit_code([GOOD, ABSENT]) == 0
    assert doctor.exit_code([GOOD, BAD, ABSENT]) == 1


def test_people_see_groups_marks_and_fixes():
    assert doctor.render([GOOD, BAD, ABSENT]).splitlines() == [
        "machine",
        "  ok    python             3.11",
        "  FAIL  openbox            not found on PATH",
        "                           fix: apt install openbox",
        "",
        "toolkits",
        "  -     wx                 not in this version",
    ]


def test_people_see_how_to_add_what_is_optional_rather_than_a_fix():
    assert doctor.render([EXTRA]).splitlines() == [
        "protocols",
        "  -     mcp                not installed",
        "                           to add it: pip install 'deskhand[mcp]'",
    ]


def test_marks_can_be_painted():
    painted = doctor.render([BAD], lambda text, colour: f"<{colour}>{text}</>")
    assert "<red>FAIL</>" in painted


def test_programs_get_plain_data():
    (data,) = json.loads(json.dumps(doctor.to_json([BAD])))
    assert data == {
        "group": "machine",
        "name": "openbox",
        "ok": False,
        "detail": "not found on PATH",
        "fix": "apt install openbox",
    }


def test_each_result_is_reported_as_it_comes(monkeypatch):
    monkeypatch.setattr(toolkits, "TOOLKITS", (GTK,))
    monkeypatch.setattr(protocols, "transports", list)
    seen: list[Check] = []
    assert doctor.check(seen.append) == seen
