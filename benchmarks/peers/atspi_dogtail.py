"""A walk with dogtail."""

# ruff: noqa: B018 - attributes are read for what that costs

import os
import sys

sys.argv = sys.argv[:1]
os.environ.setdefault("XDG_SESSION_TYPE", "x11")

from dogtail import tree  # noqa: E402 - it reads the environment when imported
from dogtail.config import config  # noqa: E402
from serve import serve  # noqa: E402

config.logDebugToFile = False
config.logDebugToStdOut = False
config.childrenLimit = 100000


def walk(pid, cold):
    for app in tree.root.children:
        if app.get_process_id() == pid:
            if cold:
                app.clear_cache()
            return sum(visit(child) for child in app.children)
    return 0


def visit(node):
    node.roleName, node.name, node.description, node.getState().getStates()
    if node.showing:
        node.extents
    node.text, node.actions
    if "Value" in node.get_interfaces():
        node.value, node.minValue, node.maxValue
    return 1 + sum(visit(child) for child in node.children)


serve(walk)
