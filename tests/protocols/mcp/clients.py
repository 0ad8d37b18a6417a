"""A client of the MCP tools without a transport, and programs for it to drive."""

from __future__ import annotations

import re
import threading

from deskhand.adapters.memory import Element
from deskhand.model import operations as ops
from deskhand.model.node import AppInfo, Rect, Window
from deskhand.model.operations import Snapshot
from deskhand.model.tree import Tree
from deskhand.protocols.mcp.errors import CODES

LINE = re.compile(r'( *)(\w+)(?:#(\S+))?(?: \(uid=([^)]+)\))?(?: "(.*)")?')


class Client:
    """Calls tools as a transport does."""

    def __init__(self, server):
        self.server = server

    def raw(self, name, /, **arguments):
        return self.server.call(name, arguments, threading.Event())

    def __call__(self, name, /, **arguments):
        """The output of a call that works."""
        answer = self.raw(name, **arguments)
        assert not answer["isError"], answer["content"][0]["text"]
        assert answer["content"][0]["type"] == "text"
        return answer["structuredContent"]["output"]

    def error(self, name, /, **arguments):
        """The error of a call that does not, in the one form that all have."""
        answer = self.raw(name, **arguments)
        error = answer["structuredContent"]["error"]
        assert answer["isError"] is True
        assert error["code"] in CODES
        assert answer["content"][0]["text"] == f"{error['message']} ({error['code']})"
        return error

    def one(self, css):
        return self("ui_query", selector={"css": css})["matches"][0]["ref"]


class Fixed:
    """A runner that always shows the same tree."""

    def __init__(self, *nodes, windows=None, fails=None):
        first = nodes[0]
        self.windows = windows or (Window(first.uid, first.name, bounds=first.bounds, focused=True),)
        self.nodes, self.fails = nodes, fails

    def run(self, operation, cancel=None):
        if self.fails is not None and operation.ui:
            raise self.fails
        if isinstance(operation, ops.GetAppInfo):
            return AppInfo("JavaFX", "17.0.1", 7, runtime="17.0.9", main="com.example.App", toolkit="javafx")
        if isinstance(operation, (ops.Get, ops.Find)):
            found = [node for node in self.nodes if f'"{node.uid}"' in operation.target]
            return found[0] if isinstance(operation, ops.Get) else found
        assert isinstance(operation, ops.ReadTree)
        return Snapshot(1, tree=Tree(list(self.nodes), self.windows))

    def close(self):
        pass


def window_of(*children, title="Main", **fields):
    return Element("window", title, children=list(children), bounds=Rect(0, 0, 100, 100), **fields)


def nodes_of(snapshot):
    """Every node of a snapshot."""
    waiting = [stage["scene"]["root"] for stage in snapshot["stages"]]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting = node["children"] + waiting


class Blocked:
    """A program whose GUI thread does not answer for some time, or ever."""

    def __init__(self, session, seconds=60.0):
        self.session = session
        self.free = threading.Event()
        session.adapter.post(lambda: self.free.wait(seconds))

    def run(self, operation, cancel=None):
        return self.session.run(operation, cancel)
