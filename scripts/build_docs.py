"""Builds the documentation site of docs/ into build/docs; any warning is an error, such as a broken link.

    python scripts/build_docs.py

The pages mark their examples for the tests (```python runnable, ```python app.py), which the site generator
does not understand: it gets a copy without these marks, in which a file's name is the title of its example.
Examples in Python, JSON and TOML must parse; tests/docs runs those that are marked runnable. Every page must
be in the navigation.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build" / "docs"
WORK = ROOT / "build" / "docs-work"
"""Where the generator runs: it takes a folder `.cache` for its own, and ours has other things in it."""
FENCE = re.compile(r"^```(?P<language>\w+)[ \t]+(?P<mark>\S+)[ \t]*$", re.MULTILINE)
EXAMPLE = re.compile(
    r"^```(?P<language>python|json|toml)\b[^\n]*\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)
PARSERS = {
    "python": lambda text: compile(
        text, "example", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    ),
    "json": lambda text: _json_values(text),
    "toml": tomllib.loads,
}


def main() -> int:
    """Copy the pages, check their examples and build the site; the exit code."""
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", WORK / "docs")
    shutil.copy(ROOT / "zensical.toml", WORK)
    broken = 0
    for page in sorted(WORK.glob("docs/**/*.md")):
        text = page.read_text(encoding="utf-8")
        broken += _broken_examples(page.relative_to(WORK), text)
        page.write_text(FENCE.sub(_plain_fence, text), encoding="utf-8")
    missing = _pages_not_in_navigation()
    for missing_page in missing:
        print(f"docs/{missing_page} is not in nav of zensical.toml")
    if broken or missing:
        return 1
    command = [Path(sys.executable).with_name("zensical"), "build", "--strict"]
    built = subprocess.run(command, cwd=WORK, capture_output=True, text=True, check=False)
    if built.returncode:
        print(re.sub(r"\x1b\[[\d;]*m", "", built.stdout))
        print((built.stderr.strip().splitlines() or ["the site could not be built"])[-1])
        return 1
    (WORK / "site").rename(SITE)
    shutil.rmtree(WORK)
    print(f"built {len(list(SITE.rglob('*.html')))} pages: open {SITE.relative_to(ROOT)}/index.html")
    return 0


def _pages_not_in_navigation() -> list[str]:
    def pages(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        entries = entry.values() if isinstance(entry, dict) else entry
        return [page for each in entries for page in pages(each)]

    listed = pages(tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"])
    existing = {str(page.relative_to(ROOT / "docs")) for page in ROOT.glob("docs/**/*.md")}
    return sorted(existing - set(listed))


def _json_values(text: str) -> None:
    """Parse one JSON value after the other: a page may show a request and its reply."""
    while text := text.strip():
        _, end = json.JSONDecoder().raw_decode(text)
        text = text[end:]


def _plain_fence(fence: re.Match[str]) -> str:
    title = f' title="{fence["mark"]}"' if "." in fence["mark"] else ""
    return f"```{fence['language']}{title}"


def _broken_examples(page: Path, text: str) -> int:
    broken = 0
    for example in EXAMPLE.finditer(text):
        try:
            PARSERS[example["language"]](example["text"])
        except ValueError as error:
            line = text.count("\n", 0, example.start()) + 1
            print(f"{page}:{line}: this example is not valid {example['language']}: {error}")
            broken += 1
        except SyntaxError as error:
            line = text.count("\n", 0, example.start()) + 1 + (error.lineno or 0)
            print(f"{page}:{line}: this example is not valid Python: {error.msg}")
            broken += 1
    return broken


if __name__ == "__main__":
    sys.exit(main())
