"""A spreadsheet: a table with a sum and a bold header, saved in two formats."""

from __future__ import annotations

import re
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.traces import until

from .conversation import Model, click, conversation, ref

LINES = ("Item\tPrice\n", "Tea\t3\n", "Cake\t4\n", "Sum\t=SUM(B2:B3)\n")


@pytest.mark.programs
def test_a_table_with_a_sum_and_a_bold_header_is_saved_as_ods_and_csv(tmp_path: Path) -> None:
    sheet, values = tmp_path / "prices.ods", tmp_path / "prices.csv"
    with conversation("Calc: sum, bold header, .ods, .csv", tmp_path, calls=21, tokens=8_000) as model:
        model.use("app_launch", command=["soffice", "--norestore", "--calc"], timeoutMs=120_000)
        model.use("ui_wait", selector={"text": "Tip of the Day"}, timeoutMs=60_000)
        tip = model.use("ui_query", selector={"text": "OK", "match": "equals"}, scope={"stage": "all"})
        _do(model, click(ref(tip, "button", '"OK"')))
        window = model.use("ui_get_snapshot")
        first = click(ref(window, "cell", '"A1"'))
        _do(model, first, *({"type": "typeText", "text": line} for line in LINES))
        dialog = _do(
            model,
            first,
            {"type": "click", "target": {"role": "cell", "name": "B1"}, "modifiers": ["SHIFT"]},
            click(ref(window, "toggle-button", '"Bold"')),
            {"type": "pressKey", "key": "S", "modifiers": ["CTRL"]},
        )
        _do(model, *_save(dialog, sheet))
        until(sheet.exists)
        save_as = {"type": "pressKey", "key": "S", "modifiers": ["CTRL", "SHIFT"]}
        dialog = _do(model, save_as)
        formats = model.use("ui_get_snapshot", root=ref(dialog, "combo-box", "ODF"))
        assert " | Text CSV (.csv) | " in formats
        question = _do(model, *_save(dialog, values, "Text CSV (.csv)"))
        options = _do(model, click(ref(question, "button", '"Use Text CSV Format"')))
        _do(model, click(ref(options, "button", '"OK"')))
        until(values.exists)
    assert values.read_text() == "Item,Price\nTea,3\nCake,4\nSum,7\n"
    content = ZipFile(sheet).read("content.xml").decode()
    assert 'table:formula="of:=SUM([.B2:.B3])"' in content
    assert _styles(content, "Item") & _bold(content)
    assert not _styles(content, "Tea") & _bold(content)


def _do(model: Model, *actions: dict[str, object]) -> str:
    """Perform actions, and wait where the answer says that the program is not done yet."""
    answer = model.perform(*actions, timeoutMs=60_000)
    if "not idle yet" in answer:
        model.use("ui_wait", until="idle", timeoutMs=60_000)
    return answer


def _save(dialog: str, path: Path, kind: str = "") -> list[dict[str, object]]:
    """The actions that answer the dialog for saving."""
    name = {"type": "setText", "target": {"ref": ref(dialog, "textfield", '"Name:"')}, "text": str(path)}
    choice = {"type": "select", "target": {"ref": ref(dialog, "combo-box", "ODF")}, "text": kind}
    return [name, *([choice] if kind else []), click(ref(dialog, "button", '"Save"'))]


def _styles(content: str, text: str) -> set[str]:
    """The style of the cell with a text, in the file's own XML."""
    found = re.search(rf"<table:table-cell([^>]*)><text:p>{text}</text:p>", content)
    assert found is not None, content
    return set(re.findall(r'table:style-name="([^"]+)"', found[1]))


def _bold(content: str) -> set[str]:
    styles = re.findall(r'<style:style style:name="([^"]+)".*?</style:style>', content)
    return {name for name in styles if re.search(rf'style:name="{name}".*?font-weight="bold"', content)}
