"""The folder in which tests leave screenshots, trees, logs and traces: one folder in it for each attempt."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

_LONGEST = 120
"""How long the name of a test's folder may be; longer ones are cut, and end with a digest."""


def insist_on_harmless(folder: Path, config: pytest.Config) -> None:
    """UsageError if emptying this folder would remove something that no test left there."""
    resolved = folder.resolve()
    if resolved.exists() and not resolved.is_dir():
        raise pytest.UsageError(f"--deskhand-output: '{folder}' is not a folder")
    for kept in (config.rootpath, config.invocation_params.dir, Path.home()):
        if kept.resolve().is_relative_to(resolved):
            raise pytest.UsageError(
                f"--deskhand-output: '{folder}' is emptied before the tests, and it contains '{kept}'; "
                "name a folder that has nothing else in it"
            )


def empty(folder: Path, began: float) -> None:
    """Remove what earlier sessions left: everything in the folder that is older than this one.

    What this session put there stays, such as the style sheet of an HTML report. So several workers may do
    this at the same time, and so may one that is started again later.
    """
    old = []
    for place, folders, files in os.walk(folder):
        for path in (Path(place, name) for name in (*folders, *files)):
            with contextlib.suppress(FileNotFoundError):  # another worker removed it first
                if path.lstat().st_mtime < began:
                    old.append(path)
    # Contents before the folder, whose time changes with the first of them.
    for path in reversed(old):
        with contextlib.suppress(FileNotFoundError):
            if path.is_dir() and not path.is_symlink():
                with contextlib.suppress(OSError):  # it is not empty: something of this session is in it
                    path.rmdir()
            else:
                path.unlink()


class Folders:
    """The names of the folders: the node id of the test, in letters, digits and hyphens."""

    def __init__(self, node_ids: Iterable[str]) -> None:
        self._shared = Counter(map(_slug, node_ids))

    def name(self, node_id: str, attempt: int) -> str:
        """For this attempt of a test, counted from 1."""
        slug = _slug(node_id)
        if self._shared[slug] > 1 or len(slug) > _LONGEST:
            digest = hashlib.sha256(node_id.encode(errors="surrogateescape")).hexdigest()[:8]
            slug = f"{slug[:_LONGEST]}-{digest}"
        return slug if attempt == 1 else f"{slug}-retry{attempt - 1}"


def _slug(node_id: str) -> str:
    plain = unicodedata.normalize("NFKD", node_id).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
