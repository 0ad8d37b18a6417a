"""Commands that read: apps, tree, find, get, wait, windows, screenshot, info."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ..client.files import write_whole
from ..client.targets import Listed, listed
from ..model.alike import alike, did_you_mean
from ..model.errors import ActionFailed, InvalidParams
from ..model.node import Font, Node, Rect
from ..model.operations import (
    STATES,
    Find,
    Get,
    GetAppInfo,
    GetAppState,
    ReadTree,
    Screenshot,
    Selectors,
    Wait,
    WaitIdle,
)
from ..model.outline import cut_note, describe, lines
from ..processes.shortage import advice
from .choice import Choice, Chosen, agent_option, json_option, on_app, remember, token_options
from .output import emit, plain, styled, table
from .paint import paint

_MAX_NODES = 1000
_OTHER_IMAGES = (".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
_NO_WINDOW = "the app has no window"
_PLAIN_STATES = [state for state in STATES if state not in ("text", "value", "name", "count")]


@click.command()
@agent_option
@token_options
@json_option
@click.pass_context
def apps(
    context: click.Context,
    agent: str | None,
    token: str | None,
    token_file: Path | None,
    as_json: bool | None,
) -> None:
    """List the apps that run and can be driven.

    Those that run with deskhand inside, and those of the desktop, which are reached through accessibility;
    with --agent, those that have windows on another machine.

    \b
      deskhand apps
      deskhand apps --json | jq -r '.apps[].name'
    """
    choice = remember(context, Choice(agent=agent, token=token, token_file=token_file, as_json=as_json))
    running = listed() if choice.host is None else _listed_there(choice)
    rows = [
        (app.name, str(app.pid or "-"), app.framework or "-", app.reached, ", ".join(app.endpoints) or "-")
        for app in running
    ]
    nothing = "no app runs that deskhand can drive; start one: deskhand run -- python app.py"
    if choice.host is not None:
        nothing = "no app has a window there; start one: deskhand exec --detach -- COMMAND"
    head = ("NAME", "PID", "MADE WITH", "REACHED", "ENDPOINTS")
    emit({"apps": running}, choice.json, table(head, rows) if rows else nothing)


def _listed_there(choice: Choice) -> list[Listed]:
    """The apps that have windows on another machine."""
    with choice.open() as app:
        windows, info = app.windows(), app.info()
    alone = {window.pid for window in windows} <= {0, info.pid}
    made = f"{info.framework} {info.version}".strip() if alone and info.pid else ""
    named = {(window.app_name or info.title or info.framework, window.pid or info.pid) for window in windows}
    return [Listed(name, pid, made, f"agent at {choice.host}") for name, pid in sorted(named)]


@click.command()
@click.argument("selector", required=False)
@click.option(
    "--depth", type=click.IntRange(min=0), metavar="N", help="How many levels; 0 shows only the top."
)
@click.option("--visible", is_flag=True, help="Only visible elements.")
@click.option("--internals", is_flag=True, help="Include the inner parts of controls.")
@click.option("--details", is_flag=True, help="Include native properties and fonts (with --json).")
@click.option(
    "--max",
    "max_nodes",
    type=click.IntRange(min=0),
    default=_MAX_NODES,
    show_default=True,
    metavar="N",
    help="How many elements to show at most; 0 shows all.",
)
@click.option("--selectors/--no-selectors", default=True, help="Show the selector of each element.")
@click.option("--since", type=int, metavar="REVISION", help="Only what changed since then (see --json).")
@on_app
def tree(
    app: Chosen,
    as_json: bool,
    selector: str | None,
    depth: int | None,
    visible: bool,
    internals: bool,
    details: bool,
    max_nodes: int,
    selectors: bool,
    since: int | None,
) -> None:
    """Show the tree: one line for each element, with the selector that finds it.

    \b
      deskhand tree
      deskhand tree --depth 2 'dialog[name="Preferences"]'
      deskhand tree --json > before.json
    """
    snapshot = app.run(
        ReadTree(
            selector,
            depth=depth,
            since=since,
            visible_only=visible,
            internals=internals,
            details=details,
            selectors=selectors,
            max_nodes=max_nodes or None,
        )
    )
    if snapshot.tree is None:
        assert snapshot.difference is not None
        emit(snapshot, as_json, difference_lines(snapshot.difference))
        return
    known = snapshot.selectors
    if as_json:
        nodes = [_described(node, known) for node in snapshot.tree]
        shown = {"revision": snapshot.revision, "windows": snapshot.tree.windows, "nodes": nodes}
        emit({**shown, "focused": snapshot.tree.focused, "cut": snapshot.tree.cut}, True, None)
        return
    for line in lines(snapshot.tree, known):
        click.echo(paint(line))
    if not len(snapshot.tree):
        click.echo(_NO_WINDOW)
    if snapshot.tree.cut:
        hint = " (see --max, --depth)" if snapshot.tree.cut.at else ""
        click.echo(styled(f"{cut_note(snapshot.tree)}{hint}", fg="yellow"))


@click.command()
@click.argument("selector")
@click.option(
    "--limit", type=click.IntRange(min=1), default=100, show_default=True, help="How many to list at most."
)
@click.option("--internals", is_flag=True, help="Include the inner parts of controls.")
@on_app
def find(app: Chosen, as_json: bool, selector: str, limit: int, internals: bool) -> None:
    """List the elements that match a selector. Ends with 3 if there is none.

    \b
      deskhand find button
      deskhand find 'list > list-item:selected'
    """
    nodes = app.run(Find(selector, limit=limit + 1, internals=internals))
    if not nodes:
        app.run(Get(selector))  # raises, and names what looks like it
    cut = len(nodes) > limit
    nodes = nodes[:limit]
    known = app.run(Selectors(tuple(node.uid for node in nodes)))
    if as_json:
        emit({"nodes": [_described(node, known) for node in nodes], "cut": cut}, True, None)
        return
    for node in nodes:
        click.echo(paint(describe(node, selector=known.get(node.uid, ""))))
    if cut:
        click.echo(styled(f"… more than {limit}; see --limit", fg="yellow"))


@click.command()
@click.argument("selector")
@click.argument("field", required=False)
@click.option("--properties", is_flag=True, help="Include all native properties, by the toolkit's own names.")
@on_app
def get(app: Chosen, as_json: bool, selector: str, field: str | None, properties: bool) -> None:
    """Show everything about one element, or only one FIELD or native property.

    \b
      deskhand get '#greeting'
      deskhand get '#greeting' text
      deskhand get checkbox checked
      deskhand get '#country' currentData
    """
    node = app.run(Get(selector, timeout=app.timeout))
    if field is None:
        known = app.run(Selectors((node.uid,)))
        emit(_described(node, known), as_json, _details(node, known.get(node.uid, ""), properties))
        return
    name = field.replace("-", "_")
    if name in Node.__dataclass_fields__:
        value = getattr(node, name)
    elif field in node.properties:
        value = node.properties[field]
    else:
        own = [name for name in Node.__dataclass_fields__ if name != "properties"]
        near = alike(field, [*own, *node.properties])
        raise InvalidParams(
            f"an element has no field '{field}'; there are {', '.join(own)}"
            + (f", and {len(node.properties)} native properties" if node.properties else ""),
            field="field",
            near=near,
            suggestions=did_you_mean(near),
        )
    emit({field: value}, as_json, _plain(value))


@click.command()
@click.argument("selector", required=False)
@click.argument("state", required=False)
@click.option("--text", help="Wait until it shows this text.")
@click.option("--contains", metavar="TEXT", help="Wait until its text contains this.")
@click.option("--matches", metavar="REGEX", help="Wait until its text matches a regular expression.")
@click.option("--value", help="Wait until it holds this value.")
@click.option("--name", help="Wait until it has this name.")
@click.option("--count", type=click.IntRange(min=0), metavar="N", help="Wait until this many elements match.")
@click.option("--not", "negate", is_flag=True, help="Wait until the condition does not hold.")
@click.option("--idle", is_flag=True, help="Wait until the app is idle.")
@on_app
def wait(
    app: Chosen,
    as_json: bool,
    selector: str | None,
    state: str | None,
    count: int | None,
    negate: bool,
    idle: bool,
    **texts: str | None,
) -> None:
    """Wait until an element is in a STATE, by default visible. Ends with 7 if the --timeout passes first.

    A STATE is exists, gone, visible, hidden, enabled, disabled, focused, checked, unchecked, selected,
    empty or editable.

    \b
      deskhand wait '#progress' gone --timeout 60
      deskhand wait '#greeting' --text 'Hello, Ada!'
      deskhand wait list-item --count 3
      deskhand wait --idle
    """
    if idle:
        if selector is not None:
            raise click.UsageError("--idle is about the whole app and takes no selector")
        waited = app.run(WaitIdle(timeout=app.timeout))
        emit(waited, as_json, f"idle after {waited.elapsed:.2f} s")
        return
    if selector is None:
        raise click.UsageError("give a selector, or --idle")
    given: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    given |= {} if count is None else {"count": count}
    named = [f"--{name}" for name in given] + ([state] if state is not None else [])
    if len(named) > 1:
        raise click.UsageError(f"one condition at a time, not {' and '.join(named)}")
    if state is not None and state not in _PLAIN_STATES:
        meant = "".join(f"; {hint}" for hint in did_you_mean(alike(state, _PLAIN_STATES)))
        raise click.UsageError(f"no state '{state}'; there are {', '.join(_PLAIN_STATES)}{meant}")
    condition, text = next(iter(given.items()), (state or "visible", None))
    match = {"contains": "contains", "matches": "regex"}.get(condition, "equals")
    waited = app.run(
        Wait(
            selector,
            state="text" if match != "equals" else condition,
            value=None if condition == "count" else text,
            count=count,
            match=match,
            negate=negate,
            timeout=app.timeout,
        )
    )
    if waited.node is not None:
        seen = str(describe(waited.node))
    elif condition in ("gone", "hidden") or negate:
        seen = f"{selector} is {'not ' if negate else ''}{condition}"
    else:
        seen = {0: "nothing matches", 1: "1 element matches"}.get(
            waited.count or 0, f"{waited.count} elements match"
        )
    emit(waited, as_json, f"{seen} after {waited.elapsed:.2f} s")


@click.command()
@on_app
def windows(app: Chosen, as_json: bool) -> None:
    """List the windows, the main one first.

    \b
      deskhand windows
    """
    # Rather than the list alone: this also says which programs did not answer.
    tree = app.run(ReadTree(depth=0)).tree
    assert tree is not None, "without a revision to compare with, a whole tree comes"
    found = tree.windows
    known = app.run(Selectors(tuple(window.uid for window in found)))
    rows = []
    for window in found:
        at = window.bounds
        flags = [name for name in ("focused", "modal", "minimized", "maximized") if getattr(window, name)]
        rows.append(
            (
                window.title or "-",
                window.kind,
                f"{at.width:g}x{at.height:g}+{at.x:g}+{at.y:g}" if at else "-",
                " ".join(flags if window.showing else [*flags, "hidden"]) or "-",
                known.get(window.uid, f"uid={window.uid}"),
            )
        )
    head = ("TITLE", "KIND", "PLACE", "STATE", "SELECTOR")
    emit({"windows": found, "cut": tree.cut}, as_json, table(head, rows) if rows else _NO_WINDOW)
    if tree.cut and not as_json:
        click.echo(styled(cut_note(tree), fg="yellow"))


@click.command()
@click.argument("words", nargs=-1, metavar="[SELECTOR] [FILE.png]")
@click.option("-o", "--out", "--output", "output", metavar="FILE", help="Where to write it; - is stdout.")
@click.option("--desktop", is_flag=True, help="The whole private desktop that the app is on, or the screen.")
@on_app
def screenshot(app: Chosen, as_json: bool, words: tuple[str, ...], output: str | None, desktop: bool) -> None:
    """Take a screenshot, as PNG: of the main window, of one element, or of the desktop.

    Without an app it is the whole screen. Without a file it is written to screenshot.png.

    \b
      deskhand screenshot
      deskhand screenshot --desktop all.png
      deskhand screenshot window.png
      deskhand screenshot '#chart' chart.png
    """
    files = [word for word in words if word.lower().endswith(".png") or word == "-"]
    selectors = [word for word in words if word not in files]
    if other := [word for word in selectors if word.lower().endswith(_OTHER_IMAGES)]:
        raise click.UsageError(f"a screenshot is a PNG file, whose name ends with .png, unlike '{other[0]}'")
    if len(files) + (output is not None) > 1 or len(selectors) > 1:
        raise click.UsageError("at most one selector and one file; a file's name ends with .png, or use -o")
    if desktop and selectors:
        raise click.UsageError("a screenshot is of an element or of the desktop; give one of them")
    selector = selectors[0] if selectors else None
    output = output or (files[0] if files else "screenshot.png")
    image = app.run(Screenshot(selector, timeout=app.timeout, desktop=desktop))
    if output == "-":
        sys.stdout.buffer.write(image.png)
        return
    path = Path(output)
    try:
        write_whole(path, image.png)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ActionFailed(f"cannot write '{path}': {reason}", suggestions=advice(error.errno)) from None
    answer = {"path": str(path), "width": image.width, "height": image.height, "scale": image.scale}
    emit(answer, as_json, f"{path} ({image.width}x{image.height})")


@click.command()
@on_app
def info(app: Chosen, as_json: bool) -> None:
    """Show which toolkit the app uses, and what state it is in.

    \b
      deskhand info --json
    """
    state = app.run(GetAppState())  # first, as it is the one that has a timeout
    made = app.run(GetAppInfo())
    emit({"info": made, "state": state}, as_json, _info_lines(made, state))


def difference_lines(difference: Any) -> list[str]:
    """What changed, in words."""
    if difference.empty:
        return ["nothing changed"]
    lines = [f"+ window {window.title or window.kind}" for window in difference.windows_opened]
    lines += [f"- window {uid}" for uid in difference.windows_closed]
    lines += [f"+ {describe(node)}" for node in difference.added]
    lines += [f"- {change.what}" for change in difference.removed]
    lines += [f"~ {change.what}" for change in difference.changed]
    if difference.left_out:
        lines.append(f"… {difference.left_out} more")
    if difference.exit is not None:
        lines.append(str(difference.exit))
    return lines


def _described(node: Node, known: Any) -> dict[str, Any]:
    return {**plain(node), "selector": known.get(node.uid)}


def _details(node: Node, selector: str, properties: bool) -> list[str]:
    lines = [paint(describe(node, selector=selector))]
    for name in Node.__dataclass_fields__:
        value = getattr(node, name)
        if value not in (None, (), "", False) and name not in ("properties", "options", "virtualization"):
            lines.append(f"  {name}: {_plain(value)}")
    for option in node.options:
        lines.append(f"  option {option.index}: {option.text}{' (selected)' if option.selected else ''}")
    if (view := node.virtualization) is not None:
        lines.append(f"  items: {view.items_count}")
        lines += [
            f"  row {row.index}: {' | '.join(text for _, text in row.cells)}" for row in view.visible_cells
        ]
    if properties:
        lines += [f"  @{name}: {_plain(value)}" for name, value in sorted(node.properties.items())]
    elif node.properties:
        lines.append(
            styled(f"  … and {len(node.properties)} native properties; see --properties", fg="yellow")
        )
    return lines


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Rect):
        return f"{value.width:g}x{value.height:g}+{value.x:g}+{value.y:g}"
    if isinstance(value, Font):
        return " ".join(
            _plain(part) for part in (value.family, value.size, value.weight, value.color) if part
        )
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value)


def _info_lines(made: Any, state: Any) -> list[str]:
    lines = [f"{made.framework} {made.version}, pid {made.pid}"]
    for name in ("title", "runtime", "main", "deskhand"):
        if (value := getattr(made, name)) is not None:
            lines.append(f"{name}: {value}")
    for name in ("active_view", "busy", "foreground", "modal_dialog"):
        if (value := getattr(state, name)) is not None:
            lines.append(f"{name.replace('_', ' ')}: {_plain(value)}")
    return lines + [f"{name}: {_plain(value)}" for name, value in state.extra.items()]


COMMANDS = [apps, tree, find, get, wait, windows, screenshot, info]
