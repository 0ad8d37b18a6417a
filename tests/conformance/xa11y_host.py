"""Serves programs of a desktop through xa11y, as a process of its own: xa11y is on one desktop for its life.

Reads lines from its input, each a process id and an address; ends what it served before, serves that program
there, and prints the address. On Linux xa11y tells no ids. So the parts of the order form are given theirs
here, by role and name: the suite is about the parts, not about how they are found.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import Any

from deskhand.adapters.xa11y import Xa11yAdapter
from deskhand.endpoints import endpoints, serve
from deskhand.engine.session import Session
from deskhand.model.errors import AppGone
from deskhand.model.node import Node
from deskhand.model.tree import Tree

NAMED = {
    ("textfield", "Name"): "name",
    ("textfield", "Password"): "secret",
    ("combo-box", "Country"): "country",
    ("editable-text", "Notes"): "notes",
    ("button", "Send"): "send",
    ("button", "Hidden hint"): "hint",
    ("button", "Place order…"): "order",
    ("button", "Load later"): "later",
    ("button", "Far away"): "far",
    ("text", "Right-click me"): "pad",
    ("spin-button", "Amount"): "amount",
    ("spin-button", "Day"): "day",
    ("slider", "Volume"): "volume",
    ("toolbar", "Tools"): "tools",
    ("window", "Order form"): "order_form",
}
ONLY = {"tab-list": "tabs", "table": "table", "list": "colours", "tree": "tree"}
"""Roles of which the form has one, but for the lists that drop down."""


class WithIds(Xa11yAdapter):
    """The same, with the ids of the order form."""

    def read(self, root: str | None = None, **options: Any) -> Tree:
        tree = super().read(root, **options)
        if root is None:
            self.report = next((node.uid for node in reversed(tree.nodes) if _is_status(tree, node)), None)
        for node in tree:
            known = NAMED.get((node.role, node.name or "")) or ONLY.get(node.role)
            if node.uid == self.report:
                known = "report"
            above = tree.parent(node)
            if node.role == "group" and above is not None and _name_before(tree, above, node) == "Day":
                known = "area"
            if known and (above is None or above.role != "combo-box"):
                node.fields["automation_id"] = known
        return tree

    report: str | None = None


def _is_status(tree: Tree, node: Node) -> bool:
    return node.role == "text" and tree.window_of(node).name == "Order form"


def _name_before(tree: Tree, above: Node, node: Node) -> str | None:
    siblings = tree.children(above)
    place = siblings.index(node)
    return siblings[place - 1].name if place else None


def _once_there(pid: int) -> WithIds:
    """The adapter, once the program has a window."""
    adapter = WithIds(pid=pid)
    deadline = time.monotonic() + 20
    while True:
        try:
            if adapter.read(timeout=10).windows:
                return adapter
        except AppGone:
            pass
        if time.monotonic() > deadline:
            raise TimeoutError(f"program {pid} has no window")
        time.sleep(0.05)  # the registry announces nothing before a program is there


def main() -> None:
    for line in sys.stdin:
        pid, address = line.split()
        with ExitStack() as stack:
            adapter = _once_there(int(pid))
            session = Session(adapter)
            stack.callback(session.close)
            served = stack.enter_context(serve(session, endpoints(address)))
            print(served.ready[0].url, flush=True)
            sys.stdin.readline()


if __name__ == "__main__":
    main()
