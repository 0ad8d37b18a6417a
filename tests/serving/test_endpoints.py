"""Servers that need libraries: which are loaded early, and what is said of those that cannot be loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import deskhand.transports.http  # noqa: F401 - so that a server starts in less time than SLOW takes
from deskhand.engine.session import Session
from deskhand.model.errors import MissingProgram
from deskhand.serving.endpoints import endpoints, load_early, serve
from tests.client.greeter import Greeter

SLOW = """
import sys, time
time.sleep(0.3)  # as mcp and its libraries take to load
sys.loaded_early = True
"""


@pytest.fixture
def session() -> Session:
    return Greeter().session


def test_a_server_waits_for_what_is_being_loaded_early(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two threads that load packages which import each other see them half loaded."""
    (tmp_path / "slow_to_load.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "loaded_early", False, raising=False)
    load_early("slow_to_load")
    with serve(session, endpoints("http://127.0.0.1:0")):
        assert sys.loaded_early  # type: ignore[attr-defined]
    session.close()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import no_such_library", r"needs no_such_library, which is not installed in"),
        (
            "from json import no_such_name",
            r"needs json, but cannot import name 'no_such_name' from 'json'.*, in",
        ),
    ],
)
def test_a_library_that_is_installed_is_not_called_missing(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    (tmp_path / "starlette").mkdir()
    (tmp_path / "starlette" / "__init__.py").write_text(code)
    for name in [name for name in sys.modules if name.split(".")[0] == "starlette"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "deskhand.transports.http", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingProgram, match=said), serve(session, endpoints("http://127.0.0.1:0")):
        pass
    session.close()
