"""A form on a stage, for tests of what is done to it. A test file says which: PROGRAM = "widgets_form"."""

from collections.abc import Iterator

import pytest

from tests.adapters.qt.stage.direct import STAGES, Director, stage


@pytest.fixture(scope="module", params=STAGES, ids="-".join)
def theatre(request: pytest.FixtureRequest) -> Iterator[Director]:
    """The program of the test file, once for each binding and platform."""
    with stage(request.module.PROGRAM, *request.param) as director:
        yield director


@pytest.fixture
def form(theatre: Director) -> Director:
    """The same as it was at the start, with nothing in its journal."""
    theatre.reset()
    theatre.journal  # noqa: B018 - asking for it empties it
    return theatre
