"""Python examples that are marked runnable run: those of a page one after the other, as one program."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python runnable\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = sorted(page for page in ROOT.glob("docs/**/*.md") if BLOCK.search(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(page: Path) -> None:
    program = "\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))

    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert result.returncode == 0, result.stdout + result.stderr


def test_there_are_such_pages() -> None:
    assert PAGES
