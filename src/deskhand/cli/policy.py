"""`deskhand policy`: see what a policy would decide, before a server is started with it."""

from __future__ import annotations

from pathlib import Path

import click

from ..engine.policy_guard import Guard
from ..model.operations import Click, Find, Focus, Press, SetValue, TypeText
from ..serving import oversight
from .choice import Chosen, on_app
from .output import emit, table

_ACTIONS = {"click": Click, "press": Press, "type": TypeText, "set": SetValue, "focus": Focus}


@click.group()
def policy() -> None:
    """See what a policy would decide.

    \b
      deskhand policy check policy.toml button --app keepassxc
    """


@policy.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
@click.option(
    "--operation",
    type=click.Choice(tuple(_ACTIONS)),
    default="click",
    show_default=True,
    metavar="NAME",
    help="What a client would do.",
)
@on_app
def check(app: Chosen, as_json: bool, file: Path, selectors: tuple[str, ...], operation: str) -> None:
    """Read a policy, and show what it decides on elements of a running app. Nothing is done to the app.

    Without a selector the file alone is checked.

    \b
      deskhand policy check policy.toml
      deskhand policy check policy.toml button 'menu-item' --app keepassxc
    """
    read = oversight.load_policy(file)
    if not selectors:
        emit({"rules": len(read.rules)}, as_json, f"{file}: {len(read.rules)} rules, no mistake")
        return
    guarded = Guard(read, names=oversight.names).around(app, "check")
    rows = []
    for selector in selectors:
        for node in app.run(Find(selector)):
            action = _ACTIONS[operation](target=f"uid={node.uid}", timeout=app.timeout)
            what, verdict = guarded.verdict(action)
            rows.append((what, verdict.decide, str(verdict)))
    found = [{"target": what, "decide": decide, "rule": rule} for what, decide, rule in rows]
    nothing = "nothing there matches"
    emit({"decisions": found}, as_json, table(("ELEMENT", "DECISION", "BY"), rows) if rows else nothing)


COMMANDS = [policy]
