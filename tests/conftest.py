"""For every test."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def empty_store(tmp_path_factory):
    """Networks that the person who runs the tests keeps are no default of theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TENGEN_DATA", str(tmp_path_factory.mktemp("data")))
        yield
