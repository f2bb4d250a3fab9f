"""Whatever a server sends, a client goes on; tests/soak/showdown_fuzz.py does it a million times."""

import asyncio
import logging

import pytest
from showdown_fuzz_lines import fuzz


@pytest.mark.parametrize("spec", [None, "matchup", "pokemon-seed:5"])
def test_broken_lines(spec, caplog):
    caplog.set_level(logging.ERROR)
    client, sent = asyncio.run(fuzz(1, 6_000, spec))
    assert sum("/choose" in text for text in sent) > 50
    assert not [record.exc_text or record.message for record in caplog.records if record.exc_info]
    assert client._failure is None
