"""Names what tests left in each kind of report: terminal, JUnit XML, pytest-html, Allure, GitHub."""

from __future__ import annotations

import base64
import os
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from _pytest.junitxml import xml_key

from .attempt import Left

_KINDS = {".png": "screenshot", ".zip": "trace", ".webm": "video"}
_TYPES = {".png": ("image/png", "png"), ".txt": ("text/plain", "txt"), ".log": ("text/plain", "txt"),
          ".zip": ("application/zip", "zip"), ".webm": ("video/webm", "webm")}  # fmt: skip
_LINES = 20
"""How many lines of an error an annotation repeats."""


def attach(report: pytest.TestReport, left: Left, config: pytest.Config) -> None:
    """Name what a test left in its report, in the process that ran it."""
    if not left.files and not left.notes and not left.soft:
        return
    # Of plain types: it travels from a worker to the process that writes the reports.
    report.deskhand = [str(path.resolve()) for path in left.files]  # type: ignore[attr-defined]  # reports take any
    _to_terminal(report, left, config)
    if config.pluginmanager.hasplugin("html"):
        _to_html(report, left, config)
    if config.getoption("allure_report_dir", None):
        _to_allure(left)


class Reports:
    """What is written where all reports arrive: the process that the user started."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._cases: list[tuple[Any, str]] = []
        self._annotations: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        files: list[str] = getattr(report, "deskhand", [])
        if not files:
            return
        junit = self._config.stash.get(xml_key, None)
        if junit is not None:
            lines = "".join(f"[[ATTACHMENT|{path}]]\n" for path in files)
            self._cases.append((junit.node_reporter(report), lines))
        if os.environ.get("GITHUB_ACTIONS") == "true" and report.failed:
            self._annotations.append(_annotation(report, files, self._config))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Add the attachments of JUnit, which is written after this, to the output of each test."""
        for reporter, lines in self._cases:
            case = reporter.to_xml()
            out = case.find("system-out")
            if out is None:
                out = ElementTree.Element("system-out")
                out.text = ""
                # One that is not finished makes its element anew each time.
                (case if reporter.to_xml() is case else reporter).append(out)
            out.text = f"{out.text}{lines}"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for annotation in self._annotations:
            terminalreporter.ensure_newline()
            terminalreporter.write_line(annotation)


def _to_terminal(report: pytest.TestReport, left: Left, config: pytest.Config) -> None:
    add = getattr(report.longrepr, "addsection", lambda *section: report.sections.append(section[:2]))
    if left.soft:
        add("soft expectations that failed before", "\n".join(left.soft), "-")
    lines = [*left.notes, *(f"{_kind(path)}: {_shown(path, config)}" for path in left.files)]
    if lines:
        add("deskhand", "\n".join(lines), "-")


def _to_html(report: pytest.TestReport, left: Left, config: pytest.Config) -> None:
    from pytest_html import extras  # it is installed, as its plugin is registered

    shown = getattr(report, "extras", [])
    target = config.getoption("htmlpath", None)
    for path in left.files:
        if path.suffix == ".png":
            shown.append(extras.png(base64.b64encode(path.read_bytes()).decode(), name=path.name))
        elif target:
            start = Path(config.invocation_params.dir, target).parent
            shown.append(extras.url(os.path.relpath(path, start), name=path.name))
    report.extras = shown  # type: ignore[attr-defined]  # of pytest-html


def _to_allure(left: Left) -> None:
    import allure  # it is installed, as its option is given

    for path in left.files:
        mime, extension = _TYPES.get(path.suffix, ("application/octet-stream", path.suffix.lstrip(".")))
        allure.attach.file(str(path), name=path.name, attachment_type=mime, extension=extension)


def _annotation(report: pytest.TestReport, files: list[str], config: pytest.Config) -> str:
    """A command to GitHub's runner, which shows the message at the line of the test."""
    file, line, _ = report.location
    crash = getattr(report.longrepr, "reprcrash", None)
    message = report.longreprtext if crash is None else crash.message
    if crash is not None and Path(crash.path).is_relative_to(config.rootpath):
        file, line = crash.path, crash.lineno - 1
    shown = [*message.splitlines()[:_LINES], *(f"{_kind(Path(path))}: {path}" for path in files)]
    where = os.path.relpath(config.rootpath / file, os.environ.get("GITHUB_WORKSPACE", config.rootpath))
    fields = {"file": where, "line": str((line or 0) + 1), "title": report.nodeid}
    named = ",".join(f"{name}={_escaped(value, ',:')}" for name, value in fields.items())
    return f"::error {named}::{_escaped(chr(10).join(shown))}"


def _escaped(text: str, more: str = "") -> str:
    for char in f"%\r\n{more}":
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _kind(path: Path) -> str:
    return _KINDS.get(path.suffix, path.stem.replace("app", "app log"))


def _shown(path: Path, config: pytest.Config) -> str:
    """Where a file is; for a trace, the command that opens it."""
    relative = os.path.relpath(path, config.invocation_params.dir)
    shown = str(path) if relative.startswith("..") else relative
    return f"deskhand trace show {shlex.quote(shown)}" if path.suffix == ".zip" else shown
