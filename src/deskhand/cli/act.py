"""Commands that act: click, type, key, set, select and the rest. Each waits until its element is ready."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import click as clicks

from ..model.errors import InvalidParams, SelectorError
from ..model.operations import (
    BUTTONS,
    MODIFIERS,
    Action,
    Click,
    Done,
    Drag,
    Expand,
    Focus,
    Get,
    Hover,
    Key,
    Press,
    Scroll,
    Select,
    SetChecked,
    SetValue,
    ShowMenu,
    TypeText,
)
from ..model.selector import parse
from .choice import Chosen, on_app
from .look import difference_lines
from .output import emit
from .sizes import point

_ON = frozenset(("on", "true", "yes", "1", "checked"))
_OFF = frozenset(("off", "false", "no", "0", "unchecked"))


_receipt = clicks.option("--receipt", is_flag=True, help="Say what changed in the user interface.")
_modifiers = clicks.option(
    "--modifier",
    "modifiers",
    multiple=True,
    type=clicks.Choice(MODIFIERS),
    help="A key to hold down meanwhile; may be repeated.",
)
_at = clicks.option("--at", type=point, metavar="X,Y", help="Where in the element, from its top left corner.")


def perform(app: Chosen, as_json: bool, said: str, kind: Callable[..., Action], **fields: Any) -> Done:
    """Run an action and print its result."""
    done = app.run(kind(timeout=app.timeout, **fields))
    lines = [said]
    if done.selected is not None:
        lines = [f"{said}: {done.selected.get('text') or done.selected.get('value')}"]
    if done.detail is not None:
        lines = [f"{lines[0]} ({done.detail})"]
    if done.receipt is not None:
        lines += [f"  {line}" for line in difference_lines(done.receipt)]
    emit(done, as_json, lines)
    return done


@clicks.command()
@clicks.argument("selector", required=False)
@clicks.option(
    "--button", type=clicks.Choice(BUTTONS), default="left", show_default=True, help="Which button."
)
@clicks.option(
    "--count", type=clicks.IntRange(1, 3), default=1, show_default=True, help="2 is a double click."
)
@_modifiers
@_at
@_receipt
@on_app
def click(
    app: Chosen,
    as_json: bool,
    selector: str | None,
    button: str,
    count: int,
    modifiers: tuple[str, ...],
    at: tuple[float, float] | None,
    receipt: bool,
) -> None:
    """Click on an element, or at a point of the screen if there is only --at.

    \b
      deskhand click 'button[name="Save"]'
      deskhand click --button right '#list'
      deskhand click --count 2 --modifier ctrl 'tree-item[name="src"]'
    """
    if selector is None and at is None:
        raise clicks.UsageError("give a SELECTOR, or a point of the screen: --at X,Y")
    x, y = at or (None, None)
    perform(
        app,
        as_json,
        f"clicked {selector}" if selector is not None else f"clicked at {x:g},{y:g}",
        Click,
        target=selector,
        button=button,
        count=count,
        modifiers=modifiers,
        x=x,
        y=y,
        receipt=receipt,
    )


@clicks.command(name="type")
@clicks.argument("words", nargs=-1, required=True, metavar="[SELECTOR] TEXT")
@clicks.option("--clear", is_flag=True, help="Remove the existing text first.")
@clicks.option("--submit", is_flag=True, help="Press Enter afterwards.")
@_receipt
@on_app
def type_text(
    app: Chosen, as_json: bool, words: tuple[str, ...], clear: bool, submit: bool, receipt: bool
) -> None:
    """Type text into an element; without a SELECTOR, wherever the focus is.

    \b
      deskhand type 'textfield[name="Name"]' Ada
      deskhand type --clear --submit '#search' 'grace hopper'
      deskhand type 'at the focus'
    """
    selector, text = _target_and(words, "TEXT")
    where = selector or "the focus"
    perform(
        app,
        as_json,
        f"typed into {where}",
        TypeText,
        target=selector,
        text=text,
        clear=clear,
        submit=submit,
        receipt=receipt,
    )


@clicks.command()
@clicks.argument("words", nargs=-1, required=True, metavar="[SELECTOR] KEYS")
@_receipt
@on_app
def key(app: Chosen, as_json: bool, words: tuple[str, ...], receipt: bool) -> None:
    """Press a key or a chord on an element; without a SELECTOR, wherever the focus is.

    \b
      deskhand key ctrl+s
      deskhand key '#search' enter
    """
    selector, keys = _target_and(words, "KEYS")
    perform(app, as_json, f"pressed {keys}", Key, target=selector, keys=keys, receipt=receipt)


@clicks.command(name="set")
@clicks.argument("selector")
@clicks.argument("value")
@_receipt
@on_app
def set_value(app: Chosen, as_json: bool, selector: str, value: str, receipt: bool) -> None:
    """Set the text or value of an element at once: a field, slider, spin box, date.

    A box to tick is set `on` or `off`.

    \b
      deskhand set '#volume' 70
      deskhand set 'checkbox[name="Agree"]' on
    """
    node = app.run(Get(selector, timeout=app.timeout))
    said = f"set {selector} to {value}"
    if node.checked is None:
        perform(app, as_json, said, SetValue, target=selector, value=value, receipt=receipt)
        return
    if (word := value.lower()) not in _ON | _OFF:
        raise InvalidParams(f"{node} can be set on or off, not '{value}'", field="value", target=selector)
    perform(app, as_json, said, SetChecked, target=selector, checked=word in _ON, receipt=receipt)


@clicks.command()
@clicks.argument("selector")
@clicks.argument("text", required=False)
@clicks.option("--index", type=int, metavar="N", help="The option's index, from 0.")
@clicks.option("--value", help="The option's value, where it differs from its text.")
@clicks.option("--column", type=int, metavar="N", help="One cell of a table's row, from 0.")
@clicks.option("--extend", is_flag=True, help="Keep the current selection and add to it.")
@_receipt
@on_app
def select(
    app: Chosen,
    as_json: bool,
    selector: str,
    text: str | None,
    index: int | None,
    value: str | None,
    column: int | None,
    extend: bool,
    receipt: bool,
) -> None:
    """Choose an option of a combo box, list, table, tree or tab bar: by TEXT, --index or --value.

    \b
      deskhand select '#country' Norway
      deskhand select tab-list --index 2
      deskhand select table 'Ada' --column 1
    """
    perform(
        app,
        as_json,
        f"selected in {selector}",
        Select,
        target=selector,
        text=text,
        index=index,
        value=value,
        column=column,
        extend=extend,
        receipt=receipt,
    )


@clicks.command()
@clicks.argument("selector", required=False)
@clicks.option("--down", type=float, default=0, metavar="N", help="Notches of the wheel.")
@clicks.option("--up", type=float, default=0, metavar="N")
@clicks.option("--right", type=float, default=0, metavar="N")
@clicks.option("--left", type=float, default=0, metavar="N")
@clicks.option("--row", type=int, metavar="N", help="Scroll this row into view, from 0.")
@clicks.option("--text", help="Scroll the row with this text into view.")
@_receipt
@on_app
def scroll(
    app: Chosen,
    as_json: bool,
    selector: str | None,
    down: float,
    up: float,
    right: float,
    left: float,
    row: int | None,
    text: str | None,
    receipt: bool,
) -> None:
    """Scroll an element with the wheel or to one of its rows; without an option, scroll it into view.

    \b
      deskhand scroll '#log' --down 5
      deskhand scroll table --text 'Zoe'
      deskhand scroll 'button[name="Send"]'
    """
    dx, dy = right - left, down - up
    still = not (dx or dy) and row is None and text is None
    if still and selector is None:
        raise clicks.UsageError("give a selector, or how far to scroll")
    said = f"scrolled {selector or 'at the mouse'}" + (" into view" if still else "")
    perform(
        app,
        as_json,
        said,
        Scroll,
        target=selector,
        dx=dx,
        dy=dy,
        into_view=still,
        row=row,
        text=text,
        receipt=receipt,
    )


@clicks.command()
@clicks.argument("source")
@clicks.argument("destination")
@clicks.option("--steps", type=clicks.IntRange(1, 1000), default=10, show_default=True)
@_modifiers
@_receipt
@on_app
def drag(
    app: Chosen,
    as_json: bool,
    source: str,
    destination: str,
    steps: int,
    modifiers: tuple[str, ...],
    receipt: bool,
) -> None:
    """Drag an element onto another; both are selectors.

    \b
      deskhand drag 'list-item[name="Task"]' '#done'
    """
    perform(
        app,
        as_json,
        f"dragged {source} to {destination}",
        Drag,
        target=source,
        to=destination,
        steps=steps,
        modifiers=modifiers,
        receipt=receipt,
    )


@clicks.command()
@clicks.argument("selector")
@_at
@_receipt
@on_app
def hover(app: Chosen, as_json: bool, selector: str, at: tuple[float, float] | None, receipt: bool) -> None:
    """Move the mouse over an element.

    \b
      deskhand hover 'button[name="Help"]'
    """
    x, y = at or (None, None)
    perform(app, as_json, f"hovering over {selector}", Hover, target=selector, x=x, y=y, receipt=receipt)


def _simple(
    name: str, summary: str, example: str, said: str, kind: Callable[..., Action], **fields: Any
) -> clicks.Command:
    """A command that takes a selector and nothing else."""

    def command(app: Chosen, as_json: bool, selector: str, receipt: bool) -> None:
        perform(app, as_json, f"{said} {selector}", kind, target=selector, receipt=receipt, **fields)

    command.__doc__ = f"{summary}\n\n\b\n  {example}\n"
    return clicks.command(name=name)(clicks.argument("selector")(_receipt(on_app(command))))


focus = _simple("focus", "Give an element the keyboard focus.", "deskhand focus '#search'", "focused", Focus)
press = _simple(
    "press",
    "Do what an element is for, without the mouse: push the button, toggle the box, follow the link.",
    "deskhand press 'button[name=\"Save\"]'",
    "pressed",
    Press,
)
menu = _simple(
    "menu", "Open the context menu of an element.", "deskhand menu '#list'", "opened the menu of", ShowMenu
)
check = _simple(
    "check",
    "Tick a box; nothing happens if it is ticked.",
    "deskhand check 'checkbox[name=\"Agree\"]'",
    "checked",
    SetChecked,
    checked=True,
)
uncheck = _simple(
    "uncheck",
    "Untick a box; nothing happens if it is not ticked.",
    "deskhand uncheck 'checkbox[name=\"Agree\"]'",
    "unchecked",
    SetChecked,
    checked=False,
)
expand = _simple(
    "expand",
    "Open a tree item, combo box or menu.",
    "deskhand expand 'tree-item[name=\"src\"]'",
    "expanded",
    Expand,
    expanded=True,
)
collapse = _simple(
    "collapse",
    "Close a tree item, combo box or menu.",
    "deskhand collapse 'tree-item[name=\"src\"]'",
    "collapsed",
    Expand,
    expanded=False,
)


@clicks.command(name="choose-file")
@clicks.argument("path")
@clicks.option("--overwrite", is_flag=True, help="Agree if the dialog asks whether to replace a file.")
@on_app
def choose_file(app: Chosen, as_json: bool, path: str, overwrite: bool) -> None:
    """Answer the file dialog that is open, or wait until one is: give it PATH, and accept.

    \b
      deskhand choose-file /tmp/out.txt --overwrite
    """
    done = app.opened().choose_file(path, overwrite=overwrite, timeout=app.timeout)
    emit(done, as_json, f"chose {path}")


def _target_and(words: tuple[str, ...], what: str) -> tuple[str | None, str]:
    if len(words) > 2:
        raise clicks.UsageError(
            f"expected at most a SELECTOR and one {what}; quote arguments that contain spaces"
        )
    if len(words) == 1:
        return None, words[0]
    if not _is_selector(words[0]) and _is_selector(words[1]):
        raise clicks.UsageError(f"the SELECTOR comes first, then the {what}: {shlex.join(reversed(words))}")
    return words[0], words[1]


def _is_selector(text: str) -> bool:
    try:
        parse(text)
    except SelectorError:
        return False
    return True


COMMANDS = [
    click, type_text, key, set_value, select, scroll, drag, hover, focus, press, menu, check, uncheck, expand,
    collapse, choose_file,
]  # fmt: skip
