"""Which label names a field of wx: by the same rule and distances as in every other toolkit."""

from __future__ import annotations

import pytest

from deskhand.adapters.wx.labels import Names
from deskhand.model.node import Rect


def row(uid: str, x: float, y: float, **more: object) -> dict[str, object]:
    return {"uid": uid, "bounds": Rect(x, y, 60, 20), **more}


@pytest.mark.parametrize(
    ("label", "name"),
    [
        (row("label", 0, 100, name="Name:"), "Name"),
        (row("label", 0, 100, name="Name:", visible=False, visible_self=True), "Name"),
        (row("label", 0, 100, name="Name:", visible=False), None),
        (row("label", 200, 70, name="Name:"), "Name"),
        (row("label", 200, 45, name="Name:"), None),
        (row("label", -150, 100, name="Name:"), None),
    ],
    ids=["to the left", "on a hidden page", "hidden itself", "above", "too far above", "too far to the left"],
)
def test_a_label_near_a_field_names_it(label: dict[str, object], name: str | None) -> None:
    names, field = Names(), row("field", 200, 100)
    names.label(label)
    names.field(field)
    names.apply()
    assert field.get("name") == field.get("labelled_by") == name


def test_a_label_behind_another_control_does_not_name_the_field() -> None:
    names, field = Names(), row("field", 200, 100, tooltip="Size in mm")
    names.label(row("label", 0, 100, name="Unit"))
    names.other(row("button", 100, 100, name="Choose"))
    names.field(field)
    names.apply()
    assert (field["name"], "labelled_by" in field) == ("Size in mm", False)
