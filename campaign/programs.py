"""The programs that are explored: how each is started on a private desktop, and what it gets wrong itself.

Each gets a home of its own, with documents to work on and the settings that keep questions of the first start
away.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from . import documents

Prepare = Callable[[Path], None]


@dataclass(frozen=True)
class Excepted:
    """Something that a toolkit or program reports wrongly, so that a check cannot hold."""

    name: str
    kind: str
    """Which kind of failure it is not: `difference`, `hit`, `success` or `window`."""
    pattern: str
    """A regular expression of what the failure would say."""
    evidence: str
    """What shows it: the answers of the bus itself."""

    def applies(self, kind: str, what: str) -> bool:
        return kind == self.kind and re.search(self.pattern, what) is not None


@dataclass(frozen=True)
class Program:
    """One row of the campaign."""

    name: str
    toolkit: str
    command: tuple[str, ...]
    """Arguments may have {home}, the folder that everything is in."""
    package: str = ""
    """The Debian package; the name if empty."""
    env: Mapping[str, str] = field(default_factory=dict)
    prepare: Prepare = documents.plain
    avoid: str = ""
    """A regular expression of what is not to be touched, in addition to what no program's is."""
    exceptions: tuple[Excepted, ...] = ()

    def argv(self, home: Path) -> list[str]:
        return [argument.format(home=home) for argument in self.command]


TOOLKITS: tuple[tuple[str, str, str], ...] = (
    (
        "GTK 4 stack pages",
        "differences",
        (
            "a GtkStack answers `GetChildren` with what is on its pages, `GetChildAtIndex` with objects "
            "that hold it, named GtkStackPage (gnome-text-editor) or by their title (baobab): the pages are "
            "passed over"
        ),
    ),
    (
        "objects made anew",
        "differences",
        (
            "each `GetChildren` of a tree of Qt or of a list of Swing gives other paths for the same items ("
            "jedit, qpdfview), and a cell of LibreOffice Calc is gone once it is let go of: such "
            "objects are paired by what they are"
        ),
    ),
    (
        "objects listed twice",
        "differences",
        (
            "`GetChildren` of two objects has the same child, which the tree has once: the status bubble of "
            "Chromium is in the program and in the window that is its `Parent`; the menu of an open combo "
            "box of GTK 3 is in the combo box, its `Parent`, and in a window that has no other child and is "
            "left out (zenity); an entry of an open menu of Swing is in the menu and in the popup menu"
        ),
    ),
    (
        "menus and tooltips without a parent",
        "differences",
        "GTK 3 announces them by an event and lists them nowhere (gnumeric): a cold read cannot find them",
    ),
    (
        "hit test of GTK 3 and Qt",
        "wrong points",
        (
            "a window answers `GetAccessibleAtPoint` with the first child that is there, also below an open "
            "popover (gedit, eog): what is asked is the child of the window that the node is in. It does so "
            "for other children of one parent, the first of which is at the bottom (the buttons over the "
            "image of eog), and so does Qt (the editor of focuswriter): there, the child that has the node "
            "is asked if it is drawn later"
        ),
    ),
    (
        "headers of a Qt view",
        "wrong points",
        (
            "a view of Qt names one of its cells for a point on its header, and never a header: 'Desktop' "
            "for 561,234, which is in (434, 221, 255, 27), the column header 'Name' (keepassxc)"
        ),
    ),
    (
        "parts of a GTK 3 cell",
        "wrong points",
        (
            "what is drawn in one cell of a tree view is several objects with one position: `GetExtents` of "
            "those in a row of thunar are (322, 270, 332, 25), (322, 270, 0, 25), (322, 270, 12, 25): a "
            "point on one of them may be on any"
        ),
    ),
    (
        "GTK 4 popovers and tooltips",
        "missing windows",
        (
            "`GetExtents` places them as if they were in the window: (496, 6, 251, 434) for a menu that the "
            "display has at 251x434+683+164 (gnome-text-editor): they are recognised by their size"
        ),
    ),
)
"""What toolkits get wrong that the checks allow for: its name, the check, the evidence."""


def _qbittorrent(home: Path) -> None:
    documents.plain(home)
    _write(
        home / ".config/qBittorrent/qBittorrent.conf",
        "[LegalNotice]\nAccepted=true\n[Preferences]\nGeneral\\UseRandomPort=false\n"
        "[BitTorrent]\nSession\\DHTEnabled=false\nSession\\LSDEnabled=false\nSession\\PeXEnabled=false\n",
    )


def _keepassxc(home: Path) -> None:
    documents.plain(home)
    _write(
        home / ".config/keepassxc/keepassxc.ini",
        "[General]\nUpdateCheckMessageShown=true\n[GUI]\nCheckForUpdates=false\n",
    )


def _audacity(home: Path) -> None:
    documents.plain(home)
    _write(
        home / ".config/audacity/audacity.cfg",
        "PrefsVersion=1.1.1r1\n[GUI]\nShowSplashScreen=0\n[Update]\nDefaultUpdatesChecking=0\n"
        "UpdateNoticeShown=1\n",
    )


def _filezilla(home: Path) -> None:
    documents.plain(home)
    _write(
        home / ".config/filezilla/filezilla.xml",
        '<?xml version="1.0"?>\n<FileZilla3><Settings>\n<Setting name="Greeting version">9.9.9</Setting>\n'
        '<Setting name="Disable update check">1</Setting>\n<Setting name="Update Check">0</Setting>\n'
        "</Settings></FileZilla3>\n",
    )


def _settle_office(home: Path) -> None:
    documents.plain(home)
    item = '<item oor:path="{}"><prop oor:name="{}" oor:op="fuse"><value>{}</value></prop></item>\n'
    settings = (
        ("/org.openoffice.Office.Common/Misc", "ShowTipOfTheDay", "false"),
        ("/org.openoffice.Office.Common/Misc", "FirstRun", "false"),
        ("/org.openoffice.Setup/Product", "ooSetupLastVersion", "7.4"),
        ("/org.openoffice.Office.Impress/Misc/Start", "EnableStartDialog", "false"),
        ("/org.openoffice.Office.Impress/Misc", "StartWithTemplate", "false"),
        ("/org.openoffice.Office.Recovery/AutoSave", "Enabled", "false"),
    )
    _write(
        home / "office/user/registrymodifications.xcu",
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema">\n'
        + "".join(item.format(*setting) for setting in settings)
        + "</oor:items>\n",
    )


def _archive(home: Path) -> None:
    documents.plain(home)
    with zipfile.ZipFile(home / "archive.zip", "w") as archive:
        for name in ("text.txt", "other.txt", "table.csv"):
            archive.write(home / name, name)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


_OFFICE = (
    "soffice",
    "--norestore",
    "--nologo",
    "--nolockcheck",
    "-env:UserInstallation=file://{home}/office",
)


_SECOND_MENU_BAR = Excepted(
    "second menu bar",
    "difference",
    r"^group .* children: deskhand \[\], independent reader \[\"menu bar '' [^\"]*\"\]$",
    "LibreOffice has two menu bars: `GetExtents` is (0, 19, 1256, 25) for the one of GTK, which is in the "
    "tree, and (0, 19, 1280, 0) for the one in the root pane, which has no height and is left out",
)


_CAPTION_BUTTONS = Excepted(
    "buttons in the title bar",
    "hit",
    r'^button "(Minimize|Maximize|Restore|Close)" .* is on frame .*, panel \'\' [^ ]*$',
    "`GetAccessibleAtPoint` answers with a panel that is the button's sibling and fills the window, for a "
    "point in the middle of the button; a click there maximizes the window",
)


_GTK_2_POPUPS = Excepted(
    "lists, context menus and tooltips of GTK 2",
    "window",
    r", (POPUP_MENU|COMBO|TOOLTIP), without a frame, ",
    "`GetState` of the entries of an open menu is enabled, sensitive, visible and not showing, the same as "
    "closed, and `GetExtents` of a closed menu is where it was open. Of menus in a menu bar the display "
    "shows which is open; of others not even that is known. A tooltip is not on the bus",
)


_SNAPPING_PANE = Excepted(
    "panes of gnumeric",
    "success",
    r"^fill splitter .*: its value is ",
    "gnumeric moves the handle of a sheet to the end of a row by a timer: set to 275, `CurrentValue` "
    "is 275 for 0.18 s, also when the answer comes, and 271 from then on (file-roller opens a table in it)",
)


def _office(part: str, document: str) -> Program:
    command = (*_OFFICE, f"--{part}", f"{{home}}/{document}")
    return Program(
        part, "LibreOffice", command, f"libreoffice-{part}", prepare=_settle_office,
        exceptions=(_SECOND_MENU_BAR,),
    )  # fmt: skip


PROGRAMS: tuple[Program, ...] = (
    Program("mousepad", "GTK 3", ("mousepad", "{home}/text.txt")),
    Program("galculator", "GTK 3", ("galculator",)),
    Program("gedit", "GTK 3", ("gedit", "--standalone", "{home}/text.txt")),
    Program(
        "gnumeric",
        "GTK 3",
        ("gnumeric", "--no-splash", "{home}/table.csv"),
        exceptions=(_SNAPPING_PANE,),
    ),
    Program(
        "gimp",
        "GTK 2",
        ("gimp", "--no-splash", "--new-instance", "{home}/image.png"),
        exceptions=(_GTK_2_POPUPS,),
    ),
    Program("d-feet", "GTK 3", ("d-feet",)),
    Program("thunar", "GTK 3", ("thunar", "{home}")),
    Program("evince", "GTK 3", ("evince", "{home}/page.pdf")),
    Program("eog", "GTK 3", ("eog", "--new-instance", "{home}/image.png")),
    Program("meld", "GTK 3", ("meld", "{home}/text.txt", "{home}/other.txt")),
    Program(
        "zenity",
        "GTK 3",
        ("zenity", "--forms", "--add-entry=Name", "--add-password=Secret", "--add-combo=Colour",
         "--combo-values=red|green|blue", "--add-calendar=Day"),
    ),
    Program("geany", "GTK 3", ("geany", "--new-instance", "--no-terminal", "{home}/text.txt")),
    Program(
        "file-roller",
        "GTK 3",
        ("file-roller", "{home}/archive.zip"),
        prepare=_archive,
        exceptions=(_SNAPPING_PANE,),
    ),
    Program("abiword", "GTK 3", ("abiword", "{home}/text.txt")),
    Program("gnome-calculator", "GTK 4", ("gnome-calculator",)),
    Program("gnome-text-editor", "GTK 4", ("gnome-text-editor", "--standalone", "{home}/text.txt")),
    Program("gnome-characters", "GTK 4", ("gnome-characters",)),
    Program("gnome-font-viewer", "GTK 4", ("gnome-font-viewer",)),
    Program("baobab", "GTK 4", ("baobab", "{home}")),
    Program("nautilus", "GTK 4", ("nautilus", "--new-window", "{home}")),
    Program("ghex", "GTK 4", ("ghex", "{home}/text.txt")),
    Program("kcalc", "Qt 5", ("kcalc",)),
    Program("keepassxc", "Qt 5", ("keepassxc",), prepare=_keepassxc),
    Program("qbittorrent", "Qt 5", ("qbittorrent",), prepare=_qbittorrent),
    Program("featherpad", "Qt 5", ("featherpad", "--standalone", "{home}/text.txt")),
    Program("speedcrunch", "Qt 5", ("speedcrunch",)),
    Program("focuswriter", "Qt 5", ("focuswriter", "{home}/text.txt")),
    Program("qpdfview", "Qt 5", ("qpdfview", "{home}/page.pdf")),
    Program("qt6ct", "Qt 6", ("qt6ct",), env={"QT_QPA_PLATFORMTHEME": "qt6ct"}),
    Program("designer", "Qt 6", ("/usr/lib/qt6/bin/designer", "{home}/form.ui"), package="designer-qt6"),
    Program("assistant", "Qt 6", ("/usr/lib/qt6/bin/assistant",), package="assistant-qt6"),
    Program("linguist", "Qt 6", ("/usr/lib/qt6/bin/linguist", "{home}/words.ts"), package="linguist-qt6"),
    Program("filezilla", "wx", ("filezilla",), prepare=_filezilla),
    Program("audacity", "wx", ("audacity",), prepare=_audacity),
    Program("wxhexeditor", "wx", ("wxHexEditor", "{home}/text.txt")),
    Program("poedit", "wx", ("poedit", "{home}/words.po")),
    Program(
        "jedit",
        "Swing",
        ("jedit", "-nosettings", "-noserver", "-noplugins", "-nosplash", "{home}/text.txt"),
    ),
    _office("calc", "table.fods"),
    _office("writer", "text.fodt"),
    _office("impress", "slides.fodp"),
    Program(
        "chromium",
        "Chromium",
        ("chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-default-browser-check",
         "--force-renderer-accessibility", "--password-store=basic", "--user-data-dir={home}/profile",
         "file://{home}/page.html"),
        exceptions=(_CAPTION_BUTTONS,),
    ),
)  # fmt: skip
BY_NAME = {program.name: program for program in PROGRAMS}
