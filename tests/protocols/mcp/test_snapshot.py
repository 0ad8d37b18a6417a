"""A snapshot that uses what is known from the last one is the same as one that knows nothing."""

from __future__ import annotations

import random
import threading

import pytest

from deskhand.model import operations as ops
from deskhand.model.node import AppInfo, Node, Rect, Window
from deskhand.model.operations import Snapshot
from deskhand.model.tree import Tree
from deskhand.serving.mcp import mcp_server

ASKED = (
    {},
    {"mode": "full"},
    {"stage": "all"},
    {"stage": "all", "maxNodes": 9},
    {"depth": 2},
    {"include": {"bounds": True}},
    {"fields": ["id", "text", "value"]},
    {"root": {"uid": "u-5"}},
)
KINDS = ("button", "textfield", "checkbox", "text", "group")


class Changing:
    """A runner over nodes that change; those that do not are the same objects, or each time others."""

    def __init__(self, shared: bool) -> None:
        self.shared = shared
        self.luck = random.Random(7)
        self.count = 2
        self.windows = [Window("u-1", "Main", focused=True), Window("u-2", "Second")]
        self.nodes = [Node("u-1", role="window", name="Main"), Node("u-2", role="window", name="Second")]
        for _ in range(24):
            self.add()

    def run(self, operation, cancel=None):
        if isinstance(operation, ops.GetAppInfo):
            return AppInfo("JavaFX", "17", 7, toolkit="javafx")
        if isinstance(operation, ops.Find):
            return [node for node in self.nodes if f'"{node.uid}"' in operation.target]
        assert isinstance(operation, ops.ReadTree)
        nodes = self.nodes if self.shared else [node.changed() for node in self.nodes]
        return Snapshot(1, tree=Tree(nodes, tuple(self.windows), captured_at=0))

    def close(self):
        pass

    # -- what changes --------------------------------------------------------------------------

    def add(self):
        self.count += 1
        above = self.luck.choice([node for node in self.nodes if node.role in ("window", "group")])
        role = self.luck.choice(KINDS)
        node = Node(f"u-{self.count}", above.uid, role, role.title(), text=f"text {self.count}")
        at = self.nodes.index(above) + 1
        self.nodes = [*self.nodes[:at], node, *self.nodes[at:]]

    def remove(self):
        leaves = {node.uid for node in self.nodes[2:]} - {node.parent for node in self.nodes} - {"u-5"}
        gone = self.luck.choice(sorted(leaves))
        self.nodes = [node for node in self.nodes if node.uid != gone]

    def change(self):
        at = self.luck.randrange(2, len(self.nodes))
        fields = self.luck.choice((
            {"value": f"{self.luck.random():.3f}"},
            {"text": f"{self.luck.random():.3f}"},
            {"name": "Label"},
                {"text": "Label"},
                {"text": None},
            {"checked": True},
            {"visible": False},
            {"visible": True},
            {"native_class": "Other"},
            {"enabled": False},
            {"automation_id": f"id{at}"},
        ))  # fmt: skip
        self.nodes = [*self.nodes[:at], self.nodes[at].changed(**fields), *self.nodes[at + 1 :]]

    def move(self):
        rect = Rect(self.luck.randrange(99), 0, 10, 10)
        self.nodes = [node.changed(bounds=rect) for node in self.nodes]

    def rename(self):
        self.windows = [
            Window("u-1", self.luck.choice("AZ"), focused=self.luck.random() < 0.5),
            self.windows[1],
        ]

    def nothing(self):
        pass


@pytest.mark.parametrize("shared", [True, False])
def test_what_is_kept_from_the_last_snapshot_changes_none(shared):
    app = Changing(shared)
    server = mcp_server(app)
    for step in range(150):
        getattr(app, app.luck.choice(("change", "change", "add", "remove", "move", "rename", "nothing")))()
        asked = ASKED[step % len(ASKED)] if step % 3 else {}
        answer = server.call("ui_get_snapshot", asked, threading.Event())
        assert answer == mcp_server(app).call("ui_get_snapshot", asked, threading.Event()), (step, asked)
        assert not answer["isError"]


@pytest.mark.parametrize(("at", "fields"), [
    (2, {"text": "Other"}),  # no caption any more
    (1, {"name": "Other"}),  # not called so any more
    (3, {"value": "x"}),  # says something now
    (3, {"visible": False}),
])  # fmt: skip
def test_a_change_that_lets_others_be_shown_lets_them_be_shown(at, fields):
    app = Changing(shared=True)
    app.windows = app.windows[:1]
    app.nodes = [
        Node("u-1", role="window"),
        Node("u-2", "u-1", "textfield", name="Label"),
        Node("u-3", "u-1", "text", text="Label"),
        Node("u-4", "u-1", "group"),
    ]
    server = mcp_server(app)
    server.call("ui_get_snapshot", {}, threading.Event())
    app.nodes = [*app.nodes[:at], app.nodes[at].changed(**fields), *app.nodes[at + 1 :]]
    told = server.call("ui_get_snapshot", {}, threading.Event())
    assert told == mcp_server(app).call("ui_get_snapshot", {}, threading.Event())
