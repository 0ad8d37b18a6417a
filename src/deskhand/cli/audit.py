"""`deskhand audit`: accessibility faults of an app, each with its selector."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .. import __version__
from ..audit import Audit, Finding
from ..client.files import write_whole
from ..model.errors import ActionFailed
from .choice import Chosen, on_app
from .exits import FAILED
from .output import emit, styled

_RULES = (
    "name", "label", "role", "label-in-name", "id", "window-title", "keyboard", "focus-order", "focus",
    "state", "contrast", "target-size",
)  # fmt: skip


@click.command()
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Leave out the findings of this file, which --json wrote.",
)
@click.option(
    "--skip", multiple=True, type=click.Choice(_RULES), metavar="RULE", help="Leave out a rule; repeatable."
)
@click.option(
    "--tab/--no-tab",
    default=True,
    help="Whether to press Tab in the active window, to see what the keyboard reaches.  [default: tab]",
)
@click.option(
    "--sarif",
    "sarif_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the findings as SARIF 2.1.0.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder for the screenshots of the findings.",
)
@on_app
def audit(
    app: Chosen,
    as_json: bool,
    baseline: Path | None,
    skip: tuple[str, ...],
    tab: bool,
    sarif_file: Path | None,
    output: Path | None,
) -> None:
    """Find accessibility faults in what an app shows now. Ends with 1 if there are any.

    Checks names, labels, roles, ids, the keyboard, the contrast of text, states and sizes. With --json it
    prints a list of findings, which is what --baseline takes. Rules: name, label, role, label-in-name, id,
    window-title, keyboard, focus-order, focus, state, contrast, target-size.

    \b
      deskhand audit
      deskhand audit --json > known.json
      deskhand audit --baseline known.json --sarif audit.sarif -o findings
    """
    from ..audit import audited, perform
    from ..audit.sarif import sarif

    found = perform(app, audited(tab=tab, skip=skip, baseline=baseline, folder=output))
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    if sarif_file is not None:
        _write(sarif_file, json.dumps(sarif(found, __version__), ensure_ascii=False, indent=2) + "\n")
    emit([finding.to_json() for finding in found], as_json, _lines(found))
    if found:
        raise click.exceptions.Exit(FAILED)


def _lines(found: Audit) -> list[str]:
    lines = []
    for finding in found:
        lines += _shown(finding)
    known = f", and {found.known} that the baseline has" if found.known else ""
    count = {0: "no findings", 1: "1 finding"}.get(len(found), f"{len(found)} findings")
    return [*lines, f"{count} in {found.nodes} elements{known}"]


def _shown(finding: Finding) -> list[str]:
    shot = [f"  screenshot: {finding.screenshot}"] if finding.screenshot else []
    return [
        f"{styled(finding.rule, fg='red', bold=True)}: {finding.message}",
        f"  {styled(finding.selector, fg='cyan')}",
        *shot,
        f"  {finding.remedy} (WCAG {finding.criterion})",
    ]


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise ActionFailed(f"cannot write '{path}': {error.strerror}", target=str(path)) from error


COMMANDS = [audit]
