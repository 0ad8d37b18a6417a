"""The ways in which a WebDriver client names an element, as selectors of ours."""

from __future__ import annotations

import re

from ...model.record import dataclass
from ...model.selector import by_uid, parse, quote
from ...model.syntax import role_name
from .errors import WebDriverError

STRATEGIES = (
    "css selector", "xpath", "accessibility id", "id", "name", "class name", "tag name", "link text",
    "partial link text", "description",
)  # fmt: skip
"""What `using` may be."""

_KDE = re.compile(r"\.?\[\s*([\w -]+?)\s*\|\s*(.*?)\s*\]", re.DOTALL)
"""A role and a name as KDE's driver writes them: `[push button | OK]`."""

_ROLES = {
    "text": ("textfield", "editable-text"),
    "entry": ("textfield",),
    "password text": ("textfield",),
    "label": ("text", "label-text"),
    "frame": ("window",),
    "page tab": ("tab",),
    "page tab list": ("tab-list",),
    "check menu item": ("menu-item-checkbox",),
    "radio menu item": ("menu-item-radio",),
    "table cell": ("cell", "grid-cell"),
    "list item": ("list-item", "list-box-option"),
    "list": ("list", "list-box"),
    "tree table": ("tree-grid", "tree"),
    "scroll pane": ("scroll-area",),
    "split pane": ("splitter",),
    "tool bar": ("toolbar",),
    "tool tip": ("tooltip",),
    "status bar": ("status",),
    "panel": ("group",),
    "filler": ("group",),
    "icon": ("image",),
    "popup menu": ("menu",),
    "push button": ("button", "toggle-button"),
}
"""Roles of AT-SPI that have another name here."""


@dataclass(frozen=True)
class Sought:
    """What to find: the selectors to try one after the other, or an XPath expression."""

    selectors: tuple[str, ...] = ()
    xpath: str | None = None


def sought(using: object, value: object) -> Sought:
    """What a client asks for; `invalid argument` or SelectorError if it is nothing that can be found."""
    if not isinstance(using, str) or not isinstance(value, str):
        raise WebDriverError("invalid argument", "'using' and 'value' must be texts")
    if using == "xpath":
        return Sought(xpath=value)
    if using not in STRATEGIES:
        raise WebDriverError(
            "invalid argument", f"no strategy '{using[:60]}'; there are {', '.join(STRATEGIES)}"
        )
    if not value:
        raise WebDriverError("invalid selector", f"an empty {using} finds nothing")
    found = _selectors(using, value)
    for selector in found:
        parse(selector)
    return Sought(found)


def below(root: str | None, selector: str) -> str:
    """The same selector, for what is below the node with that uid."""
    return selector if root is None else f"{by_uid(root)} >> {selector}"


def _selectors(using: str, value: str) -> tuple[str, ...]:
    text = quote(value)
    kde = _KDE.fullmatch(value.strip())
    match using:
        case "css selector" if kde is None or not value.startswith("."):
            return (value,)
        case "css selector" | "class name" if kde is not None:
            return (_by_role_and_name(kde[1], kde[2]),)
        case "class name":
            return (f"[class={text}]",)
        case "tag name":
            return ("*" if value == "*" else _by_role(value),)
        case "id":
            return (f"[id={text}]",)
        case "name":
            return (f"[name={text}]",)
        case "description":
            return (f"[description={text}]",)
        case "link text":
            return (f"link[name={text}]",)
        case "partial link text":
            return (f"link[name*={text}]",)
    # The end of an id, for those that Qt makes of the names of all parents.
    return (f"[id={text}]", f"[name={text}]", f"[id$={quote('.' + value)}]")


def _by_role_and_name(role: str, name: str) -> str:
    return f"{_by_role(role)}[name={quote(name)}]"


def _by_role(word: str) -> str:
    plain = word.strip().lower().replace("_", " ")
    if plain in _ROLES:
        return f":is({', '.join(_ROLES[plain])})"
    known = role_name(plain.replace(" ", ""))
    # A role that does not exist is not wrong here: nothing has it.
    return f"[role={quote(word)}]" if known is None else known
