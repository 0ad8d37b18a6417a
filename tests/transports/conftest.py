"""One of each HTTP server, shared by the tests of a module."""

from __future__ import annotations

import pytest

from tests.transports.servers import KINDS, serving
from tests.wire.form import make_session


@pytest.fixture(scope="module")
def session():
    session = make_session()
    yield session
    session.close()


@pytest.fixture(scope="module", params=KINDS)
def everything(request, session, tmp_path_factory):
    with serving(request.param, session, tmp_path_factory.mktemp("wire")) as served:
        yield served
