"""A toolkit is one record: it is complete, and what needs to know the toolkits reads it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from deskhand.toolkits import TOOLKITS, Toolkit
from tests.conformance.matrix import WAYS, behaviour, limits

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "deskhand"
SUITE = ROOT / "tests" / "conformance" / "test_conformance.py"
IN_PYTHON = [toolkit for toolkit in TOOLKITS if toolkit.adapter and toolkit.runtime == "python"]

READERS = [
    *SOURCE.rglob("*.py"),
    *(ROOT / "scripts").glob("*.py"),
    *(ROOT / "tests" / "conformance").glob("*.py"),
    ROOT / "demo" / "forms.py",
]
"""Where what a toolkit needs is read from its record."""
OWN = [SOURCE / "toolkits.py", *(SOURCE / "adapters" / toolkit.name for toolkit in TOOLKITS)]
"""The records, and the folder of each toolkit."""
SPELLED_OUT = {
    SOURCE / "adapters" / "foreign" / "orca_roles.py": "what servers of that contract call things",
    SOURCE / "audit" / "finding.py": "what to do about a fault, as each toolkit has it",
    **{
        SOURCE / "adapters" / "atspi" / f"{name}.py": "how toolkits differ on the accessibility bus"
        for name in ("aim", "build", "choose", "hands")
    },
}
"""Files that are about some toolkits because of what they do, and would not change for a new one."""


def test_a_place_that_lists_toolkits_by_hand_is_found(tmp_path: Path) -> None:
    path = tmp_path / "listing.py"
    path.write_text(
        'KNOWN = ("wx", "imgui_bundle")\n\ndef run():\n    """Apps with PySide6 or wxPython."""\n'
    )
    assert [line for line, _ in _lists(path)] == [1, 4]
    path.write_text('"""Reads Qt alone."""\nKNOWN = ("PySide6", "PyQt6")\nif backend == "wx": ...\n')
    assert not list(_lists(path))


def test_no_place_lists_toolkits_by_hand() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in READERS
        if path not in SPELLED_OUT and not any(path.is_relative_to(own) for own in OWN)
        for line, text in _lists(path)
    ]
    assert not found, "read deskhand.toolkits instead:\n" + "\n".join(found)


def test_every_folder_that_is_entered_by_the_hook_has_a_record() -> None:
    folders = {path.parent.name for path in SOURCE.glob("adapters/*/application.py")}
    assert folders == {toolkit.name for toolkit in IN_PYTHON}


@pytest.mark.parametrize("toolkit", IN_PYTHON, ids=lambda toolkit: toolkit.name)
def test_the_hook_finds_all_that_it_needs_of_a_toolkit(toolkit: Toolkit) -> None:
    entered = import_module(f"deskhand.adapters.{toolkit.name}.application")
    expected = {"watch": 3, "running": 1, "on_gui_thread": 1, "post": 2, "on_end": 2}
    if toolkit.immediate:
        expected["unwatch"] = 0
    taken = {name: len(inspect.signature(getattr(entered, name)).parameters) for name in expected}
    assert taken == expected
    assert {module.partition(".")[0] for module in toolkit.watched} == toolkit.bindings.keys()
    adapter = ast.parse((SOURCE / "adapters" / toolkit.name / "adapter.py").read_text(encoding="utf-8"))
    assert toolkit.adapter in {each.name for each in adapter.body if isinstance(each, ast.ClassDef)}


@pytest.mark.parametrize("toolkit", IN_PYTHON, ids=lambda toolkit: toolkit.name)
def test_a_toolkit_that_gets_an_agent_is_recognised_checked_and_demonstrated(toolkit: Toolkit) -> None:
    assert toolkit.programs
    assert toolkit.libraries
    assert "pressed" in toolkit.sample
    assert toolkit.ways


def test_every_form_is_behind_a_way_in() -> None:
    forms = {path.name for path in (ROOT / "demo").iterdir() if re.search(r"_form(\.py)?$", path.name)}
    assert forms == {way.form.partition("/")[0] for toolkit in TOOLKITS for way in toolkit.ways}


def test_every_limit_is_about_a_behaviour_of_the_suite() -> None:
    suite = ast.parse(SUITE.read_text(encoding="utf-8"))
    known = {behaviour(each.name) for each in suite.body if isinstance(each, ast.FunctionDef)}
    unknown = {name: limits(way).keys() - known for name, way in WAYS.items()}
    assert {name: left for name, left in unknown.items() if left} == {}


def test_every_column_of_the_matrix_says_what_it_is() -> None:
    assert {way.column for way in WAYS.values()} == {way.column for way in WAYS.values() if way.note}


# -- finding lists ------------------------------------------------------------------------------


def _lists(path: Path) -> Iterator[tuple[int, str]]:
    """Where two toolkits or more are named in one list, mapping or text, and the text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            texts = [each.value for each in node.elts if isinstance(each, ast.Constant)]
        elif isinstance(node, ast.Dict):
            texts = [each.value for each in (*node.keys, *node.values) if isinstance(each, ast.Constant)]
        elif isinstance(node, ast.Constant):
            texts = [node.value]
        else:
            continue
        named = {name for text in texts if isinstance(text, str) for name in _named(text)}
        if len(named) > 1:
            yield node.lineno, " ".join(ast.unparse(node).split())[:100]


def _named(text: str) -> set[str]:
    """The toolkits with an adapter that a text names."""
    return {toolkit.name for toolkit in TOOLKITS if toolkit.adapter and _NAMES[toolkit.name].search(text)}


def _pattern(toolkit: Toolkit) -> re.Pattern[str]:
    names = {toolkit.name, toolkit.title, *toolkit.bindings, *toolkit.programs}
    return re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")


_NAMES = {toolkit.name: _pattern(toolkit) for toolkit in TOOLKITS}
