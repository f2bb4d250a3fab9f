"""GTP on standard input and output."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from tengen.analysis.stdio import standard_streams
from tengen.protocols.gtp.session import GtpSession

if TYPE_CHECKING:
    from tengen.analysis.engine import Engine

__all__ = ["READY", "run_gtp"]

_log = logging.getLogger(__name__)

READY = "GTP ready, beginning main protocol loop"
"""The line on standard error that programs wait for."""


def run_gtp(engine: Engine, **about: str) -> int:
    """Answers until `quit`, the end of the input, or a signal. Returns the exit code.

    `about` are the session's name and version, where they are to be others.
    """
    with standard_streams() as (lines, out):
        session = GtpSession(engine, out.write, **about)
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
