"""Names that people know from Playwright: those that mean the same here work, others are explained."""

from __future__ import annotations

from typing import Any

from ..model.alike import alike, did_you_mean

_SAME = {
    "aria_snapshot": "tree_snapshot",
    "all_inner_texts": "all_text_contents",
    "get_by_title": "get_by_tooltip",
    "inner_text": "text_content",
    "press_sequentially": "type",
    "scroll_into_view_if_needed": "scroll_into_view",
    "to_be_attached": "to_exist",
    "to_have_accessible_name": "to_have_name",
    "to_match_aria_snapshot": "to_match_tree",
}
_INSTEAD = {
    "bounding_box": "bounds() has x, y, width and height",
    "get_attribute": "get() has every field, and native properties in its `properties`",
    "set_default_timeout": "set `app.timeout`, in seconds",
    "to_have_attribute": "look for it by selector: [name=value], or [@name=value] for a native property",
    "to_have_id": "look for it by selector: #id",
    "to_have_role": "look for it by get_by_role",
    "wait_for_selector": "locator(…).wait_for()",
    "wait_for_timeout": "wait for what is needed next: expect(…), locator(…).wait_for() or wait_idle()",
}


def known_as(owner: object, name: str) -> Any:
    """What is meant by a name that `owner` does not have itself; else an AttributeError that helps."""
    kind = type(owner)
    if name.startswith("not_to_") and hasattr(kind, "not_"):
        return getattr(getattr(owner, "not_"), name.removeprefix("not_"))  # noqa: B009 - not every owner has it
    if hasattr(kind, same := _SAME.get(name, "")):
        return getattr(owner, same)
    hint = _INSTEAD.get(name)
    if hint is None and not name.startswith("_"):
        near = alike(name, [word for word in dir(kind) if not word.startswith("_")])
        hint = next(iter(did_you_mean(near)), None)
    raise AttributeError(
        f"'{kind.__name__}' has no '{name}'" + (f"; {hint}" if hint else ""), name=name, obj=owner
    )
