"""ui_query: what selectors find, and what matches contain."""

from __future__ import annotations

import time

import pytest

from deskhand.adapters.memory import Element
from deskhand.model import operations as ops
from deskhand.model.node import Node
from deskhand.model.operations import Snapshot
from deskhand.model.tree import Tree
from deskhand.serving.mcp import mcp_server
from tests.protocols.mcp.clients import Client, Fixed, window_of


@pytest.mark.parametrize(
    ("selector", "count"),
    [
        ({"css": "#submit_button"}, 1),
        ({"css": "QPushButton"}, 8),
        ({"css": "Button"}, 8),
        ({"css": "button:enabled"}, 7),
        ({"css": "#panel > QPushButton"}, 5),
        ({"css": "MainWindow QCheckBox"}, 1),
        ({"css": "MainWindow"}, 1),
        ({"css": ".QLineEdit"}, 3),
        ({"css": "QLineEdit:not(#name_edit)"}, 2),
        ({"css": 'button[name="Two"], #report'}, 2),
        ({"css": ':has-text("twin") > Button:nth-child(1)'}, 1),
        ({"css": "NoSuchThing"}, 0),
        ({"text": "SUB"}, 1),
        ({"text": "Submit", "match": "equals"}, 1),
        ({"text": "submit", "match": "equals"}, 0),
        ({"text": " Submit ", "match": "equals"}, 1),
        ({"text": "^t[wn]", "match": "regex"}, 3),
        ({"text": "usa"}, 1),
        ({"predicate": {"typeIs": ["QPushButton", "QCheckBox"], "enabled": True}}, 8),
        ({"predicate": {"idEquals": "twin"}}, 2),
        ({"predicate": {"textContains": "DEEP"}}, 1),
        ({"predicate": {"visible": False}}, 2),
        ({"predicate": {"styleClassHas": "primary"}}, 0),
        ({"css": "#submit_button", "text": None, "predicate": None}, 1),
        ({"css": "QPushButton", "text": "two", "match": "contains"}, 1),
        ({"css": "QCheckBox", "text": "submit"}, 0),
        ({"css": "QPushButton", "text": "twin", "predicate": {"enabled": False}}, 0),
        ({"text": "submit", "predicate": {"typeIs": ["QPushButton"]}}, 1),
    ],
)
def test_a_query_finds(call, selector, count):
    assert len(call("ui_query", selector=selector)["matches"]) == count


def test_waiting_for_css_and_text_needs_both(call):
    both = {"css": "QPushButton", "text": "Two"}
    waited = call("ui_wait", selector=both, timeoutMs=2000)
    assert waited["ref"]["uid"] == call("ui_query", selector=both)["matches"][0]["ref"]["uid"]
    assert waited["count"] == 1
    error = call.error("ui_wait", selector={"css": "QCheckBox", "text": "Two"}, timeoutMs=100)
    assert error["code"] == "MCP_UI_TIMEOUT"


def test_a_match_has_a_reference_a_summary_and_its_bounds(call):
    (match,) = call("ui_query", selector={"css": "#name_edit"})["matches"]

    assert match == {
        "ref": {"path": "/stages[0]/scene/root/QLineEdit[0]", "uid": match["ref"]["uid"]},
        "type": "QLineEdit",
        "id": "name_edit",
        "summary": "QLineEdit[text=Name]",
        "layout": {"boundsInScene": {"minX": 10, "minY": 20, "width": 200, "height": 30}},
        "states": ["empty"],
    }


def test_a_match_that_cannot_be_used_now_says_so(make):
    _, call = make(
        window_of(
            Element("button", "Send", enabled=False, native_class="Button"),
            Element("button", "Hint", visible=False, native_class="Button"),
            Element("button", "Go", native_class="Button"),
        )
    )

    found = call("ui_query", selector={"css": "Button"})["matches"]

    assert [match.get("states") for match in found] == [["disabled"], ["hidden"], None]


def test_an_empty_text_matches_whatever_has_a_text(call):
    found = call("ui_query", selector={"text": ""})["matches"]

    assert "QPushButton[text=Submit]" in [match["summary"] for match in found]
    assert "report" not in [match.get("id") for match in found]


def test_long_texts_are_cut_in_summaries(make):
    _, call = make(window_of(Element("text", text="y" * 30, native_class="Label")))

    assert (
        call("ui_query", selector={"css": "Label"})["matches"][0]["summary"] == f"Label[text={'y' * 20}...]"
    )


def test_a_style_class_is_found_as_css_means_it():
    call = Client(
        mcp_server(
            Fixed(
                Node(uid="u-1", name="Main", native_class="Stage"),
                Node(uid="u-2", parent="u-1", native_class="Button", style_classes=("button", "primary")),
                Node(uid="u-3", parent="u-1", native_class="Button", style_classes=("button",)),
            )
        )
    )

    assert [match["ref"]["uid"] for match in call("ui_query", selector={"css": ".primary"})["matches"]] == [
        "u-2"
    ]
    assert len(call("ui_query", selector={"css": "Stage > .button"})["matches"]) == 2
    assert len(call("ui_query", selector={"predicate": {"styleClassHas": "primary"}})["matches"]) == 1


def test_a_bare_word_is_a_class_before_it_is_a_role():
    call = Client(
        mcp_server(
            Fixed(
                Node(uid="u-1", name="Main", native_class="Stage"),
                Node(uid="u-2", parent="u-1", role="table", native_class="my.List"),
                Node(uid="u-3", parent="u-1", role="list", native_class="Rows"),
            )
        )
    )

    assert [match["ref"]["uid"] for match in call("ui_query", selector={"css": "List"})["matches"]] == ["u-2"]
    assert [match["ref"]["uid"] for match in call("ui_query", selector={"css": "list"})["matches"]] == ["u-3"]


class Looking(Fixed):
    """A runner whose toolkit has selectors of its own."""

    def run(self, operation, cancel=None):
        if isinstance(operation, ops.Find):
            assert operation.native
            assert ":" not in operation.target
            wanted = {".own": "u-3", ".inner": "u-4"}.get(operation.target)
            return [
                node for node in self.nodes if node.uid == wanted and operation.internals >= node.internal
            ]
        if isinstance(operation, ops.ReadTree) and not operation.internals:
            return Snapshot(1, tree=Tree([node for node in self.nodes if not node.internal], self.windows))
        return super().run(operation, cancel)


def test_javafx_is_asked_for_its_own_css_and_ours_knows_the_rest():
    call = Client(
        mcp_server(
            Looking(
                Node(uid="u-1", name="Main", native_class="javafx.stage.Stage", backend="javafx"),
                Node(uid="u-2", parent="u-1", role="button", native_class="javafx.scene.control.Button"),
                Node(uid="u-3", parent="u-1", role="text", native_class="javafx.scene.control.Label"),
                Node(uid="u-4", parent="u-2", role="text", native_class="LabeledText", internal=True),
            )
        )
    )

    def found(css):
        return [match["ref"]["uid"] for match in call("ui_query", selector={"css": css})["matches"]]

    assert found(".own") == ["u-3"]
    assert found("Button") == found("button") == ["u-2"]
    assert found(".inner") == ["u-4"], "inner parts of controls are found by those who name them"
    assert found(".none") == []
    assert found(".own:focused") == [], "its own CSS would take no notice of the state"
    assert found(':has-text("x")') == []


def test_a_query_has_a_scope_and_a_limit(call):
    everywhere = {"scope": {"stage": "all"}, "selector": {"css": "QLineEdit"}}
    assert len(call("ui_query", **everywhere)["matches"]) == 4
    other = {"stage": "index", "stageIndex": 1}
    assert len(call("ui_query", scope=other, selector={"css": "QLineEdit"})["matches"]) == 1
    assert call("ui_query", scope={"stage": "index", "stageIndex": 9}, selector={"css": "*"}) == {
        "matches": []
    }
    limited = call("ui_query", selector={"css": "QPushButton"}, limit=3)
    assert len(limited["matches"]) == 3
    assert limited["leftOut"]["matches"] == 5


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ({}, "No selector specified"),
        (None, "No selector specified"),
        ({"css": None}, "No selector specified"),
        ({"text": "(", "match": "regex"}, "cannot be read"),
        ({"text": "(a+)+$", "match": "regex"}, "forever"),
        ({"text": ".*.*.*.*.*.*x", "match": "regex"}, "forever"),
        ({"css": "button["}, ""),
    ],
)
def test_a_selector_that_means_nothing_is_an_error_that_says_so(call, selector, said):
    error = call.error("ui_query", selector=selector)

    assert error["code"] == "MCP_UI_INTERNAL"
    assert said in error["message"]


def test_a_regular_expression_never_takes_long(make):
    labels = [Element("text", text="a" * 3000, native_class="Label") for _ in range(300)]
    _, call = make(window_of(*labels))

    for pattern in ("a*a*a*a*b", "a?a?a?a?a?a?a?a?a?a?aaaaaaaaaab", "(?:a{1,30}){1,2}b"):
        began = time.process_time()
        call.raw("ui_query", selector={"text": pattern, "match": "regex"})
        assert time.process_time() - began < 3
