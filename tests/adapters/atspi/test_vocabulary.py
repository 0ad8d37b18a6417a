"""Our tables of AT-SPI's roles and states against those of its own library."""

from __future__ import annotations

import pytest

from deskhand.adapters.atspi.vocabulary import ROLE_NAMES, STATE_BITS, UNIFIED
from deskhand.model.roles import ROLES

pytestmark = [
    pytest.mark.programs,
    pytest.mark.filterwarnings("ignore::ImportWarning", "ignore::DeprecationWarning"),
]


def test_numbers_of_roles_and_states_are_those_of_libatspi() -> None:
    import gi

    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi

    for number in range(int(Atspi.Role.LAST_DEFINED)):
        assert Atspi.role_get_name(Atspi.Role(number)) == ROLE_NAMES[number]
    for name, bit in STATE_BITS.items():
        assert 1 << int(getattr(Atspi.StateType, name.upper().replace("-", "_"))) == bit


def test_every_unified_role_is_one_of_the_model() -> None:
    assert set(UNIFIED.values()) <= ROLES
