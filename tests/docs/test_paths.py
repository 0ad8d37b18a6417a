"""The paths of a click and of a read through the modules are as docs/why/design.md describes them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/why/design.md").read_text(encoding="utf-8")


@cache
def traced() -> dict[str, list[str]]:
    """The modules that a click and a read entered in an app, in that order."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("traced_app.py"))],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True, text=True, timeout=100, check=True,
    )  # fmt: skip
    paths: dict[str, list[str]] = json.loads(done.stdout)
    return paths


def described(heading: str) -> list[str]:
    """The module that each step of a section names first."""
    [section] = re.findall(rf"^## {heading}\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    return re.findall(r"^\d+\. `([\w/]+\.py)`", section, re.MULTILINE)


def in_order(steps: list[str], path: Iterator[str]) -> bool:
    return all(step in path for step in steps)


@pytest.mark.parametrize(
    ("heading", "call"), [("The path of one click", "click"), ("The path of one cached read", "read")]
)
def test_the_design_page_names_the_modules_of_a_call_in_their_order(heading: str, call: str) -> None:
    steps, path = described(heading), traced()[call]
    assert len(steps) > 5
    assert set(steps) <= set(path)
    assert in_order(steps, iter(path)), path


def test_the_traced_click_reached_the_app() -> None:
    assert traced()["label"] == "greeted"
