"""A walk with xa11y."""

# ruff: noqa: B018, ARG001 - attributes are read for what that costs, and all walks are called alike

import xa11y
from serve import serve

found = {}


def program(pid):
    return next((app for app in xa11y.App.list() if app.pid == pid), None)


def walk(pid, cold):
    app = program(pid)
    return 0 if app is None else sum(visit(child) for child in app.children())


def visit(element):
    element.role, element.name, element.description, element.value, element.bounds
    element.enabled, element.visible, element.focused, element.actions, element.numeric_value
    return 1 + sum(visit(child) for child in element.children())


def press(pid, name):
    if name not in found:
        found[name] = next(hit for child in program(pid).children() for hit in find(child, name))
        return
    found[name].press()


def find(element, name):
    if element.name == name and "press" in element.actions:
        yield element
    for child in element.children():
        yield from find(child, name)


serve(walk, press)
