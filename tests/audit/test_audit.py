"""The audit of forms that have each fault once, and of the same forms without them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deskhand import App, aio, launch
from deskhand.audit import RULES, Audit, Finding
from deskhand.cli.main import commands
from deskhand.model.errors import InvalidParams
from deskhand.protocols.gip.server import GipServer
from deskhand.transports.socket import SocketServer
from tests.client.greeter import Greeter

HERE = Path(__file__).parent

QT_FAULTS = [
    ("window-title", "window", "the window has no title"),
    ("name", "#icon", "the button has no name"),
    ("name", "#tipped", "the button has no name; only its tooltip says 'Save the trip'"),
    ("label-in-name", "#other", "the button shows 'Send' and is called 'button17'"),
    ("role", "#dial", "the Dial can be operated, and does not say what it is"),
    ("label", "#beside", "'Name' is next to the textfield, and the toolkit does not know it as its label"),
    ("label", "#bare", "the spin-button has no label"),
    (
        "label", "#hinted",
        "the textfield has no label, only the placeholder 'City', which goes when something is typed",
    ),
    (
        "state", 'checkbox[name="Return"]',
        'checkbox "Return" is checked, and looks like checkbox "Window seat", which is not',
    ),
    ("id", 'checkbox[name="Window seat"]',
     "checkbox \"Window seat\" has the id 'on', and so has checkbox \"Return\""),
    ("contrast", "#pale", "'Prices include all taxes' has a contrast of at most 2.9:1"),
    ("state", "#gone", "the text says 'Seats are limited', and nothing is drawn there"),
    ("focus-order", "#two", 'Tab goes back from button "Three" to button "Two"'),
    ("keyboard", "#mouse", 'button "Mouse" cannot have the keyboard focus'),
    ("keyboard", "#click", 'Tab goes round in the window and does not reach button "Click"'),
    ("target-size", "#less", "the button is 16 by 16 pixels, right next to button \"more\""),
    ("target-size", "#more", "the button is 16 by 16 pixels, right next to button \"less\""),
]  # fmt: skip
TK_FAULTS = [
    ("name", "#reload", "the button has no name"),
    ("label", "#city", "the textfield has no label"),
    ("contrast", "#pale", "'Prices include taxes' has a contrast of at most 2.1:1"),
    ("keyboard", "#mouse", 'Tab goes round in the window and does not reach button "Mouse"'),
]


def form(toolkit: str, *arguments: str) -> list[str]:
    return [sys.executable, str(HERE / f"{toolkit}_faults.py"), *arguments]


@pytest.fixture(scope="module")
def faulty() -> Iterator[App]:
    with launch(form("qt"), headless=True) as app:
        yield app


@pytest.fixture(scope="module")
def found(faulty: App, tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return faulty.audit(output=tmp_path_factory.mktemp("findings"))


def brief(found: Audit) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.selector, finding.message) for finding in found]


def same(found: Audit, expected: list[tuple[str, str, str]]) -> None:
    """Each finding is expected, and none is missing; of a message only the beginning counts."""
    seen = brief(found)
    assert [row[:2] for row in seen] == [row[:2] for row in expected]
    for row, wanted in zip(seen, expected, strict=True):
        assert row[2].startswith(wanted[2])


def test_each_fault_of_a_qt_form_is_found_and_nothing_else(found: Audit) -> None:
    same(found, QT_FAULTS)
    assert found.notes == ()


def test_the_corrected_form_has_no_findings() -> None:
    with launch(form("qt", "--fixed"), headless=True) as app:
        focused = app.tree().focused
        found = app.audit()

        assert brief(found) == []
        assert not found
        assert app.tree().focused == focused


def test_each_selector_finds_exactly_the_element(faulty: App, found: Audit) -> None:
    for finding in found:
        assert [node.uid for node in faulty.find(finding.selector)] == [finding.uid]


def test_each_finding_has_a_screenshot_and_a_remedy(found: Audit) -> None:
    for finding in found:
        assert finding.screenshot is not None
        assert Path(finding.screenshot).read_bytes().startswith(b"\x89PNG")
        assert finding.remedy == RULES[finding.rule].remedy


def test_tk_form(tmp_path: Path) -> None:
    with launch(form("tk"), headless=True) as app:
        same(app.audit(), TK_FAULTS)
    with launch(form("tk", "--fixed"), headless=True) as app:
        assert brief(app.audit()) == []


def test_findings_of_a_baseline_are_left_out(faulty: App, found: Audit, tmp_path: Path) -> None:
    baseline = tmp_path / "known.json"
    rows = [finding.to_json() for finding in found]
    baseline.write_text(json.dumps([row for row in rows if row["rule"] != "contrast"]))

    new = faulty.audit(tab=False, baseline=baseline)

    assert [finding.rule for finding in new] == ["contrast"]
    assert new.known == len([row for row in QT_FAULTS if row[0] not in ("focus-order", "contrast")]) - 1
    assert new.notes == ("2 findings of the baseline are there no more; write it anew",)


def test_rules_can_be_left_out(faulty: App) -> None:
    found = faulty.audit(tab=False, skip=sorted(RULES.keys() - {"contrast"}))

    assert [finding.rule for finding in found] == ["contrast"]


def test_unknown_rule_is_named(faulty: App) -> None:
    with pytest.raises(InvalidParams, match="no rule 'contrasts'; there are name, "):
        faulty.audit(skip=["contrasts"])


async def _audit(address: str) -> list[Finding]:
    async with await aio.connect(address) as app:
        return [*await app.audit(tab=False)]


def test_async_audit(faulty: App, found: Audit) -> None:
    seen = {finding.key for finding in asyncio.run(_audit(faulty.address))}

    assert seen == {finding.key for finding in found} - {("focus-order", "#two"), ("keyboard", "#click")}


# -- the command --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    greeter = Greeter()
    path = tmp_path_factory.mktemp("dh") / "greeter"
    server = SocketServer(path, GipServer(greeter.session).conversation)
    yield str(path)
    server.close()
    greeter.session.close()


def deskhand(*words: str) -> Result:
    return CliRunner().invoke(commands, words, prog_name="deskhand")


def test_command_prints_a_list_that_is_a_baseline(faulty: App, tmp_path: Path) -> None:
    gip = faulty.address
    first = deskhand("audit", "--gip", gip, "--json", "--no-tab")
    rows = json.loads(first.stdout)
    (tmp_path / "known.json").write_text(first.stdout)
    again = deskhand("audit", "--gip", gip, "--json", "--no-tab", "--baseline", str(tmp_path / "known.json"))

    assert first.exit_code == 1
    assert {"rule", "selector", "message"} <= rows[0].keys()
    assert (again.exit_code, json.loads(again.stdout)) == (0, [])


def test_command_shows_rule_selector_and_remedy(faulty: App) -> None:
    done = deskhand("audit", "--gip", faulty.address, "--no-tab")

    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[lines.index("  #icon") - 1] == "name: the button has no name"
    assert lines[-1].startswith("15 findings in ")


def test_sarif_has_rules_results_and_logical_locations(faulty: App, tmp_path: Path) -> None:
    file, shots = tmp_path / "audit.sarif", tmp_path / "shots"
    done = deskhand("audit", "--gip", faulty.address, "--no-tab", "--sarif", str(file), "-o", str(shots))
    run = json.loads(file.read_text())["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]

    assert done.exit_code == 1
    assert rules == list(RULES)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        (location,) = result["locations"]
        assert location["logicalLocations"][0]["name"]
        assert Path(location["physicalLocation"]["artifactLocation"]["uri"]).exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot read the baseline"),
        ("{", "is not JSON"),
        ('[{"rule": 1}]', "is not what `deskhand audit"),
    ],
)
def test_wrong_baseline_is_wrong_use(address: str, tmp_path: Path, content: str | None, says: str) -> None:
    file = tmp_path / "known.json"
    if content is not None:
        file.write_text(content)

    done = deskhand("audit", "--gip", address, "--baseline", str(file))

    assert done.exit_code == 2
    assert says in done.stderr
