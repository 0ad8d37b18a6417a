"""What the documentation tells people to install can be installed."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def test_the_readme_names_the_extra_where_it_shows_the_command_that_needs_it() -> None:
    sections = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")
    shown = [section for section in sections if "    deskhand mcp" in section]

    assert shown
    assert all("pip install 'deskhand[mcp]'" in section for section in shown)


def test_every_extra_that_a_page_names_exists() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = project.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    extras = set(re.findall(r"^(\w+) = ", section, re.MULTILINE))
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"deskhand\[(\w+)\]", text))

    assert named
    assert named <= extras
