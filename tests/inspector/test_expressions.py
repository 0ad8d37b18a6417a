"""A line of Python is understood where it finds something, and nothing of it is ever run."""

from __future__ import annotations

import pytest

from deskhand.inspector.expressions import selector
from deskhand.model.errors import SelectorError
from deskhand.model.selector import parse


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("button", "button"),
        ('app.locator("#name")', "#name"),
        ('app.get_by_role("button", name="Save", exact=True)', 'button[name="Save"]'),
        ('await page.get_by_test_id("ok")', "#ok"),
        ('app.locator("dialog").get_by_role("button").nth(1)', "dialog >> button >> nth=1"),
        ('app.locator("button").last', "button >> nth=-1"),
        ('app.get_by_text(re.compile("^Hel", re.I))', ":text(/^Hel/i)"),
        ('app.locator("row").filter(has=app.locator("#x"), visible=True)', "row >> :scope:has(#x):visible"),
        ('app.locator("list").or_(app.locator("tree"))', ":is(list, tree)"),
        ('app.locator("button").nth(-2)', "button >> nth=-2"),
    ],
)
def test_a_line_means_the_selector_that_a_locator_would_have(line: str, meant: str) -> None:
    assert str(selector(line)) == str(parse(meant))


@pytest.mark.parametrize(
    "line",
    [
        'app.get_by_role("button").click()',
        'app.__class__.__init__("x")',
        'app.locator(open("/etc/passwd").read())',
        'app.locator("a", **{"b": 1})',
        "app.locator(*[1])",
        "app.locator(f'{1}')",
        "app.locator('a').filter(lambda: 1)",
        "app.first",
        "app.locator('a')[0]",
        "app.locator('a') + 1",
        "app.get_by_role()",
        "app.get_by_role('button', nme='x')",
        "app.get_by_text(re.compile('('))",
        "app.locator(1)",
        "app.locator('list').nth('b')",
        "app.",
        "app.locator('a'); import os",
        "app.locator('a')" + ".first" * 400,
    ],
)
def test_anything_else_is_refused_with_the_reason(line: str) -> None:
    with pytest.raises(SelectorError) as caught:
        selector(line)
    assert caught.value.message


def test_a_method_that_is_misspelt_is_suggested() -> None:
    with pytest.raises(SelectorError) as caught:
        selector('app.get_by_rol("button")')
    assert any("get_by_role" in hint for hint in caught.value.suggestions)
