"""A dialog of another process, which opens while an editor is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.traces import until

from .conversation import conversation

SCRIPT = """
(
    until [ -e "$0/go" ]; do sleep 0.1; done
    zenity --question --title Backup --text "Delete the copies of last year?"
    echo $? > "$0/answer"
) &
exec mousepad
"""


@pytest.mark.programs
def test_a_popup_of_another_process_is_noticed_and_answered(tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    with conversation("popup of another process", tmp_path, calls=5, tokens=5000) as model:
        model.use("app_launch", command=["sh", "-c", SCRIPT, str(tmp_path)])
        model.use("ui_get_snapshot")
        (tmp_path / "go").touch()
        opened = model.use("ui_wait", until="opened", timeoutMs=60_000)
        assert "zenity" in opened
        window = model.use("ui_get_snapshot")
        assert "Delete the copies of last year?" in window
        model.perform({"type": "click", "target": {"text": "No"}})
        until(lambda: answer.exists() and answer.read_text() == "1\n")
