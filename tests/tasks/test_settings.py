"""Settings on two pages of a dialog, and whether they are there after a restart."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

from tests.traces import until

from .conversation import Model, click, conversation, ref

BACKUP = '"Backup database file before saving"'
CLEAR = '"Clipboard clear seconds"'


def settings(model: Model, home: Path) -> str:
    """Start KeePassXC and open its settings; what the first page shows."""
    model.use("app_launch", command=["keepassxc"], home=str(home))
    model.perform(click(ref(model.use("ui_get_snapshot"), "checkbox", '"Settings"')))
    return model.use("ui_get_snapshot")


def stored(home: Path) -> tuple[str | None, str | None]:
    """What the program itself wrote down."""
    file = configparser.RawConfigParser(strict=False)
    file.read(home / ".config" / "keepassxc" / "keepassxc.ini")
    backup = file.get("General", "BackupBeforeSave", fallback=None)
    return backup, file.get("Security", "ClearClipboardTimeout", fallback=None)


@pytest.mark.programs
def test_two_settings_of_keepassxc_survive_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with conversation("KeePassXC: two settings", tmp_path, calls=15, tokens=12_000) as model:
        general = settings(model, home)
        model.perform(
            {"type": "setChecked", "target": {"ref": ref(general, BACKUP)}, "checked": True},
            click(ref(general, '"Security"')),
        )
        security = model.use("ui_get_snapshot")
        model.perform(
            {"type": "setText", "target": {"ref": ref(security, CLEAR)}, "text": "25"},
            click(ref(security, '"OK"')),
        )
        until(lambda: stored(home) == ("true", "25"))
        model.use("app_close")

        general = settings(model, home)
        (checked,) = [line for line in general.splitlines() if line.startswith("checked: ")]
        assert ref(general, BACKUP) in checked.split()
        model.perform(click(ref(general, '"Security"')))
        security = model.use("ui_get_snapshot")
        assert f'{ref(security, CLEAR)} = "25"' in security.splitlines()
        model.use("app_close")
    assert stored(home) == ("true", "25")
