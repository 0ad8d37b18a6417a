"""Ways to name an element, the same on an app and on a locator."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...model.selector import by_id, by_label, by_placeholder, by_role, by_text, by_tooltip
from ..known import known_as

if TYPE_CHECKING:
    from .locator import Locator

Text = str | re.Pattern[str]


class Finder:
    """Gives locators; looks at nothing itself.

    A name or text is looked for as a part, in any case; `exact=True` wants all of it, as written. It may be a
    compiled regular expression too.
    """

    if not TYPE_CHECKING:  # type checkers report names that do not exist

        def __getattr__(self, name: str) -> Any:
            return known_as(self, name)

    def locator(self, selector: str) -> Locator:
        """What matches a selector, such as `button[name="Save"]` or `#greeting`."""
        raise NotImplementedError

    def get_by_role(
        self,
        role: str,
        *,
        name: Text | None = None,
        exact: bool = False,
        checked: bool | None = None,
        disabled: bool | None = None,
        expanded: bool | None = None,
        selected: bool | None = None,
    ) -> Locator:
        """What is of a kind, such as `button`, is called `name`, and is in these states."""
        return self.locator(
            by_role(
                role,
                name,
                exact,
                checked=checked,
                disabled=disabled,
                expanded=expanded,
                selected=selected,
            )
        )

    def get_by_text(self, text: Text, *, exact: bool = False) -> Locator:
        """What shows a text."""
        return self.locator(by_text(text, exact=exact))

    def get_by_label(self, label: Text, *, exact: bool = False) -> Locator:
        """The field that a label belongs to."""
        return self.locator(by_label(label, exact=exact))

    def get_by_placeholder(self, text: Text, *, exact: bool = False) -> Locator:
        """The field that shows a hint while it is empty."""
        return self.locator(by_placeholder(text, exact=exact))

    def get_by_tooltip(self, text: Text, *, exact: bool = False) -> Locator:
        """What shows a hint when the mouse rests on it."""
        return self.locator(by_tooltip(text, exact=exact))

    def get_by_id(self, automation_id: str) -> Locator:
        """What has this automation id: Qt's objectName, or what `deskhand.set_id` gave it."""
        return self.locator(by_id(automation_id))

    def get_by_test_id(self, test_id: str) -> Locator:
        """The same as `get_by_id`, under the name that testers know."""
        return self.locator(by_id(test_id))
