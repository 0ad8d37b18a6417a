"""Commands that read."""

from __future__ import annotations

import json
import threading
import time

import pytest

from deskhand.engine import session
from deskhand.model.operations import STATES
from tests.cli.conftest import Deskhand
from tests.client.greeter import Greeter


def test_tree_shows_a_line_and_a_selector_for_each_element(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("tree")

    assert done.exit_code == 0
    assert done.stdout.splitlines()[:4] == [
        'window "Greeter"  #main',
        '  textfield "Name" = ""  #name',
        '  button "Greet"  button[name="Greet"]',
        "  text  #greeting",
    ]


def test_every_selector_that_tree_shows_finds_its_element(deskhand: Deskhand, greeter: Greeter) -> None:
    nodes = json.loads(deskhand("tree", "--json").stdout)["nodes"]

    for node in nodes:
        assert json.loads(deskhand("get", node["selector"], "--json").stdout)["uid"] == node["uid"]


def test_tree_of_a_part_to_a_depth(deskhand: Deskhand, greeter: Greeter) -> None:
    assert len(deskhand("tree", "--no-selectors", "group >> nth=0").stdout.splitlines()) == 2
    assert (
        deskhand("tree", "--depth", "0", "--no-selectors").stdout == 'window "Greeter" (9 inside, not read)\n'
    )


def test_tree_leaves_out_what_is_hidden_if_asked(deskhand: Deskhand, greeter: Greeter) -> None:
    assert "Hidden" in deskhand("tree").stdout
    assert "Hidden" not in deskhand("tree", "--visible").stdout


def test_tree_says_what_it_cut(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("tree", "--max", "3")

    assert len(done.stdout.splitlines()) == 4
    assert "9 more not shown" in done.stdout.splitlines()[-1]


def test_tree_shows_what_changed_since_a_revision(deskhand: Deskhand, greeter: Greeter) -> None:
    revision = json.loads(deskhand("tree", "--json").stdout)["revision"]
    greeter.adapter.post(lambda: greeter.say("new")).result()

    assert deskhand("tree", "--since", str(revision)).stdout == "~ text \"new\": text '' → 'new'\n"


def test_output_is_coloured_only_if_asked(
    deskhand: Deskhand, greeter: Greeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b[" not in deskhand("tree").output
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in click_colour(deskhand)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in click_colour(deskhand)


def click_colour(deskhand: Deskhand) -> str:
    from click.testing import CliRunner

    from deskhand.cli.main import commands

    return CliRunner().invoke(commands, ["tree"], color=True).output


def test_find_lists_all_matches(deskhand: Deskhand, greeter: Greeter) -> None:
    assert len(deskhand("find", "button").stdout.splitlines()) == 5
    found = json.loads(deskhand("find", "button", "--json").stdout)
    assert [node["name"] for node in found["nodes"]] == ["Greet", "Late", "Twin", "Twin", "Hidden"]
    assert [node["enabled"] for node in found["nodes"]] == [True, False, True, True, True]


def test_find_says_where_it_stopped(deskhand: Deskhand, greeter: Greeter) -> None:
    assert "more than 2" in deskhand("find", "button", "--limit", "2").stdout


def test_find_of_nothing_is_an_error_that_names_near_misses(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("find", "#greetin")

    assert done.exit_code == 3
    assert done.stdout == ""
    assert "#greeting" in done.stderr


def test_get_shows_everything_or_one_field(deskhand: Deskhand, greeter: Greeter) -> None:
    assert "editable: true" in deskhand("get", "#name").stdout
    assert deskhand("get", "#colour", "value").stdout == "Red\n"
    assert deskhand("get", "#late", "enabled").stdout == "false\n"
    assert json.loads(deskhand("get", "#colour", "value", "--json").stdout) == {"value": "Red"}
    assert deskhand("get", "#colour", "colour").exit_code == 2


def test_wait_ends_when_the_state_is_there(deskhand: Deskhand, greeter: Greeter) -> None:
    greeter.later(0.2, lambda: setattr(greeter.late, "enabled", True))
    assert deskhand("wait", "#late", "enabled").exit_code == 0

    greeter.later(0.2, lambda: setattr(greeter.greeting, "text", "Hello, Ada!"))
    assert deskhand("wait", "#greeting", "--text", "Hello, Ada!").exit_code == 0
    assert deskhand("wait", "#greeting", "--contains", "Ada").exit_code == 0
    assert deskhand("wait", "#greeting", "--matches", "^Hel+o").exit_code == 0
    assert deskhand("wait", "#greeting", "--not", "--text", "Bye").exit_code == 0
    assert deskhand("wait", "button", "--count", "5").exit_code == 0
    assert deskhand("wait", "--idle").exit_code == 0


def test_wait_ends_with_7_and_says_what_was_there(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("wait", "#colour", "--value", "Blue", "--timeout", "0.1")

    assert done.exit_code == 7
    assert "'Red'" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("wait",),
        ("wait", "#late", "sideways"),
        ("wait", "#late", "text"),
        ("wait", "#late", "enabled", "--text", "x"),
        ("wait", "#late", "--idle"),
    ],
)
def test_wait_refuses_what_means_nothing(
    deskhand: Deskhand, greeter: Greeter, words: tuple[str, ...]
) -> None:
    assert deskhand(*words).exit_code == 2


def test_without_a_window_tree_says_so(deskhand: Deskhand, greeter: Greeter) -> None:
    greeter.adapter.windows.clear()

    assert deskhand("tree").stdout == "the app has no window\n"
    assert json.loads(deskhand("tree", "--json").stdout)["nodes"] == []


def test_windows_are_listed(deskhand: Deskhand, greeter: Greeter) -> None:
    assert "Greeter" in deskhand("windows").stdout
    (window,) = json.loads(deskhand("windows", "--json").stdout)["windows"]
    assert window["title"] == "Greeter"
    assert window["bounds"] == {"x": 0, "y": 0, "width": 400, "height": 300}


def test_info_names_the_toolkit(deskhand: Deskhand, greeter: Greeter) -> None:
    assert "memory" in deskhand("info").stdout
    assert json.loads(deskhand("info", "--json").stdout)["info"]["title"] == "Greeter"


def test_a_screenshot_that_is_not_a_png_is_wrong_use(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("screenshot", "window.jpg")
    assert done.exit_code == 2
    assert "whose name ends with .png, unlike 'window.jpg'" in done.stderr


def test_a_screenshot_that_fails_leaves_no_file(
    deskhand: Deskhand, greeter: Greeter, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("shot") / "window.png"

    assert deskhand("screenshot", str(path)).exit_code == 1
    assert not path.exists()
    assert deskhand("screenshot", "a.png", "b.png").exit_code == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("#nowhere", "hidden"), "#nowhere is hidden"),
        (("#nowhere", "gone"), "#nowhere is gone"),
        (("#nowhere", "visible", "--not"), "#nowhere is not visible"),
        (('button[name="Twin"]', "--count", "2"), "2 elements match"),
        (("#nowhere", "--count", "0"), "nothing matches"),
    ],
)
def test_wait_says_what_it_waited_for(
    deskhand: Deskhand, greeter: Greeter, words: tuple[str, ...], told: str
) -> None:
    assert deskhand("wait", *words).stdout.startswith(f"{told} after ")


def test_a_hint_that_the_message_has_already_is_not_given_twice(deskhand: Deskhand, greeter: Greeter) -> None:
    assert deskhand("find", "buton").stderr.count("did you mean button?") == 1


def test_unknown_field_error_names_similar_fields(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("get", "#main", "nme")

    assert done.exit_code == 2
    assert "an element has no field 'nme'; there are uid, parent, role" in done.stderr
    assert "hint: did you mean name" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("tree",),
        ("tree", "#name"),
        ("find", "button"),
        ("get", "#name"),
        ("windows",),
        ("wait", "#name"),
        ("wait", "--idle"),
        ("click", "#name"),
        ("type", "#name", "x"),
        ("key", "Enter"),
        ("window", "focus"),
    ],
)
def test_a_program_that_hangs_is_not_waited_for_longer_than_asked(
    deskhand: Deskhand, greeter: Greeter, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(session, "_FIRST_READ", 0.2)
    free = threading.Event()
    greeter.adapter.post(lambda: free.wait(60))
    try:
        began = time.monotonic()
        done = deskhand(*words, "--timeout", "0.2")
        assert time.monotonic() - began < 4
    finally:
        free.set()
    assert done.exit_code == 7
    assert "did not answer within 0.2 s" in done.stderr


def test_the_help_of_wait_names_every_state_that_it_takes(deskhand: Deskhand) -> None:
    words = deskhand("wait", "--help").stdout.replace(",", " ").replace(".", " ").split()
    assert {*words} >= {*STATES} - {"count"}  # those with a value are options
    assert "did you mean enabled" in deskhand("wait", "#name", "enabeld").stderr
