"""How each toolkit is read: what it offers, and what it gets wrong. One table, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .vocabulary import ROLE_NUMBERS


class Facet:
    """What can be read of an object, each a bit."""

    NAME, DESCRIPTION, ROLE, STATES, FACES, KIDS, EXTENTS, TEXT, VALUE, ATTRIBUTES, ACTIONS, ID, LABEL = (
        1 << number for number in range(13)
    )
    BASIC = NAME | DESCRIPTION | ROLE | STATES | FACES | KIDS
    """What is asked for at once, knowing nothing."""
    MORE = EXTENTS | TEXT | VALUE | ATTRIBUTES | ACTIONS | ID | LABEL
    """What is asked for where role, states and interfaces say that it is worth it."""
    ALL = BASIC | MORE


@dataclass(frozen=True)
class Strategy:
    """How the objects of one toolkit are read."""

    items: bool = False
    """`Cache.GetItems` has all objects with role, name, states and interfaces, in one answer."""
    get_all: bool = False
    """`Properties.GetAll` works: name, description, child count in one answer. It ends Qt 5 programs."""
    direct: bool = False
    """It can be talked to without the bus in between, which saves a third."""
    attributes: bool = False
    """The object attributes have ids, placeholders or classes that are nowhere else."""
    accessible_id: bool = False
    """The property AccessibleId is there and means something."""
    needs_end: bool = False
    """`GetText(0, -1)` is empty; an end must be named, which may be beyond that of the text."""
    clamps: bool = False
    """`GetText` ends where the text ends, whatever end is asked for."""
    on_screen: bool = True
    """Extents are on the screen; if not, they are relative to the window, and X11 knows where that is."""
    showing: bool = True
    """The state SHOWING is set; if not, VISIBLE has to do."""
    action_names: bool = True
    """GetActions has usable names; if not, each is asked for."""
    by_role: bool = False
    """Objects of one role have the same interfaces, so that these are asked for a few times only."""
    only_menus: bool = False
    """That is so of the entries of menus and not of others."""
    clips: bool = False
    """What is outside its parent is not seen, although the toolkit says that it shows."""
    parents: bool = True
    """The list says what is in what as `GetChildren` does."""
    silent: bool = False
    """It reports next to nothing of what changes."""
    views: bool = True
    """Long lists and tables scroll, and know what of them is on screen. Those of a page do not."""
    renews: frozenset[int] = frozenset()
    """Roles of which each `GetChildren` makes new objects for the same items, so that the known are kept.

    Others are asked for if there are more or fewer, if a known one ended, or if their order changed.
    """
    tells_bounds: bool = False
    """A widget that gets another place or size in its window says so (`BoundsChanged`). What moves together
    with a window of the toolkit, when something is scrolled or slides, does not."""
    plain_entries: bool = False
    """Entries of menus never have a description."""
    renews_cells: bool = False
    """Objects of cells end after some seconds, and each question makes new ones: a cell is its position."""
    renews_inside: frozenset[int] = frozenset()
    """Roles of what has other objects for the same things from time to time, at every level inside it: such a
    thing is identified by its position. A tree of Swing makes them at each `GetChildren`, the slides of
    LibreOffice are made anew when a key was pressed, whether or not that did anything."""
    vcl: bool = False
    """The menu bar is GTK's: a second one, without a size, does nothing; all below is reported too high."""
    ids: bool = False
    """Objects have ids, which the list lacks."""
    leaves: frozenset[int] = frozenset()
    """Roles of what is read without its children."""
    tells_entries: bool = False
    """Entries of closed menus tell whether they are enabled, though not when that changes."""
    unseen_entries: bool = False
    """Entries of an open menu do not say that they show. Their actions run once the call has returned."""
    late: bool = False
    """What the entries of a menu are called, and whether they are enabled, is right only once it is open."""
    currents: bool = False
    """The current item of every view and the current tab are FOCUSED, wherever the keyboard is."""
    held: bool = False
    """A button that accessibility presses stays down for a moment, and runs the handler after that."""
    hoards: bool = False
    """The list keeps the objects of windows that were closed, and becomes longer with each."""
    nests: bool = False
    """An action runs the program's handler inside the call. One that runs a dialog there blocks the
    connection until the dialog is closed, and the next action on it can hang the program for good."""
    links: bool = False
    """A push button with the interface Hyperlink is a link (GtkLinkButton). Pages have it on any button."""


_TREES, _LISTS, _SLIDES = (frozenset([ROLE_NUMBERS[name]]) for name in ("tree", "list", "document frame"))
_PAGES = frozenset([ROLE_NUMBERS["document web"]])
_GTK3 = Strategy(items=True, get_all=True, direct=True, nests=True, tells_bounds=True, links=True)
_VCL = Strategy(
    items=True, get_all=True, direct=True, by_role=True, only_menus=True, ids=True, vcl=True,
    renews_cells=True, renews_inside=_SLIDES, nests=True, late=True,
)  # fmt: skip

#    toolkit     version  program    how
_STRATEGIES: tuple[tuple[str, str, str, Strategy], ...] = (
    # LibreOffice calls itself by the toolkit that draws its windows.
    ("gtk",      "3",     "soffice", _VCL),
    ("gtk",      "3",     "",        _GTK3),
    # GTK 2 by the name of its library for accessibility.
    ("gail",     "2",     "",        Strategy(unseen_entries=True)),
    ("gtk",      "4",     "",        Strategy(items=True, get_all=True, needs_end=True, on_screen=False,
                                              showing=False, parents=False, held=True, hoards=True)),
    ("qt",       "5",     "",        Strategy(by_role=True, clips=True, tells_entries=True,
                                              renews=_TREES, currents=True, plain_entries=True)),
    ("qt",       "6",     "",        Strategy(by_role=True, clips=True, tells_entries=True,
                                              accessible_id=True, renews=_TREES, currents=True,
                                              plain_entries=True)),
    ("chromium", "",      "",        Strategy(items=True, get_all=True, direct=True, attributes=True,
                                              clamps=True, by_role=True, action_names=False, views=False)),
    ("vcl",      "",      "",        _VCL),
    ("j2se-access-bridge", "", "",   Strategy(silent=True, renews=_LISTS, renews_inside=_TREES)),
)  # fmt: skip


def without_pages(how: Strategy) -> Strategy:
    """The same for a browser whose pages another adapter reads. The list would have all that is in them."""
    return replace(how, items=False, leaves=_PAGES)


CAREFUL = Strategy()
"""For a toolkit that is not in the table: one property at a time, over the bus."""


def strategy(toolkit: str, version: str, program: str = "") -> Strategy:
    """How to read programs of a toolkit, by the names and version that they give themselves."""
    name = toolkit.lower()
    for known, major, who, how in _STRATEGIES:
        if name == known and version.startswith(major) and who in ("", program):
            return how
    return CAREFUL
