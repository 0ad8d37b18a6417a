"""No regular expression of a client stops the program that searches with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from deskhand import expect
from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.client import App
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model import regex
from deskhand.model.errors import DeskhandError, InvalidParams, SelectorError, WaitTimeout
from deskhand.model.regex import regex_problem
from deskhand.model.selector import parse
from deskhand.model.syntax import Regex
from deskhand.protocols.gip.server import GipServer
from deskhand.serving.mcp import mcp_server
from tests.security.fuzz_patterns import DEADLINE, fuzz

ENDLESS = (
    r"(.+)(?#)+\x00",
    r"(?x)(.+) +",
    r"(?x) (a* b?) # said twice" + "\n+ c",
    r"(?:a|a)*b",
    r"(a|a)*?b",
    r"((?=a*)a*)+b",
    r"(?:(?:(?:a?){9}){9}){9}b",
    r"(\b){99999999}",
    r"(?:(a)|b|a){40}c",
    r"(a*)(?(1)(a|a)*|b)c",
)
HARMLESS = (
    r"^Order (\d{4})-(\d{2})$",
    "Save|Cancel|Close",
    "(?:ab)+c",
    "[^/]*/.*",
    r"(?i)total: +\d+",
    "a{3,}b?c?",
)


@pytest.fixture
def session() -> Iterator[Session]:
    labels = [Element("text", name="a" * 900, text="a" * 900) for _ in range(300)]
    session = Session(MemoryAdapter([Element("window", name="Window", children=labels)]))
    yield session
    session.close()


@pytest.mark.parametrize("pattern", ENDLESS)
def test_a_pattern_that_can_take_forever_is_refused_on_every_path(session: Session, pattern: str) -> None:
    with pytest.raises(SelectorError, match="forever"):
        parse(f"text[name=/{pattern}/]")
    with pytest.raises(InvalidParams, match="forever"):
        session.run(ops.Wait("window", "name", pattern, match="regex", timeout=0))
    app = App(LocalEngine(session, "here"))
    with pytest.raises(DeskhandError, match="forever"):
        expect(app.locator("window")).to_have_name(re.compile(pattern), timeout=0.1)
    wanted = {"selector": {"text": pattern, "match": "regex"}}
    assert "forever" in str(mcp_server(session).call("ui_query", wanted, _Never()))
    for method, params in {
        "deskhand_find": {"target": f"text[name=/{pattern}/]"},
        "deskhand_wait": {
            "target": "window",
            "state": "name",
            "value": pattern,
            "match": "regex",
            "timeout": 0,
        },
    }.items():
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        talk = GipServer(session).conversation("unix", "unix:/test", "test")
        assert b"forever" in (talk.handle(json.dumps(asked).encode(), _Never()) or b"")


class _Never:
    def is_set(self) -> bool:
        return False


@pytest.mark.parametrize("pattern", HARMLESS)
def test_a_pattern_of_everyday_use_is_taken(pattern: str) -> None:
    assert regex_problem(Regex(pattern, "")) is None


def test_all_texts_of_a_query_together_are_searched_for_a_limited_time(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regex, "SEARCH_TIME", -1.0)
    with pytest.raises(WaitTimeout, match="not all texts"):
        session.run(ops.Find("text[name=/a*b/]"))
    with pytest.raises(WaitTimeout, match="not all texts"):
        session.run(ops.Wait("window", "name", "a*b", match="regex", timeout=0))


def test_sets_that_take_long_to_compile_are_refused() -> None:
    assert "characters" in (regex_problem(Regex("[\0-\uffff]" * 90, "i")) or "")


def test_no_pattern_made_at_random_exceeds_its_deadline() -> None:
    seen = fuzz(800, seed=1)
    assert seen.taken > 150
    assert seen.slowest < DEADLINE, seen
