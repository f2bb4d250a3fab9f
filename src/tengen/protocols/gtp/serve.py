"""GTP on standard input and output."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from tengen.analysis.stdio import standard_streams
from tengen.protocols.gtp.session import GtpSession

if TYPE_CHECKING:
    from tengen.analysis.engine import Engine
    from tengen.arena import Player

__all__ = ["READY", "run_gtp"]

_log = logging.getLogger(__name__)

READY = "GTP ready, beginning main protocol loop"
"""The line on standard error that programs wait for."""


def run_gtp(engine: Engine, player: Player | None = None, **about: str) -> int:
    """Serve until `quit`, the end of the input, or a signal. Return the exit code.

    With a `player` the moves are the player's. `about` replaces the session's name and version.
    """
    with standard_streams() as (lines, out):
        session = GtpSession(engine, out.write, player=player, **about)
        if session.settings.startup_print_message_to_stderr:
            print(READY, file=sys.stderr, flush=True)
        for line in lines:
            if session.settings.log_all_gtp_communication:
                _log.info("GTP: %s", line.decode("utf-8", "replace"))
            session.handle(line)
            if session.is_over:
                break
        session.close()
        engine.close()
    return out.report()
