"""A walk with xa11y."""

# ruff: noqa: B018, ARG001 - attributes are read for what that costs, and all walks are called alike

import xa11y
from serve import serve


def walk(pid, cold):
    for app in xa11y.App.list():
        if app.pid == pid:
            return sum(visit(child) for child in app.children())
    return 0


def visit(element):
    element.role, element.name, element.description, element.value, element.bounds
    element.enabled, element.visible, element.focused, element.actions, element.numeric_value
    return 1 + sum(visit(child) for child in element.children())


serve(walk)
