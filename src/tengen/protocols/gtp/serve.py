"""GTP on standard input and output."""

from __future__ import annotations

import logging
import signal
import sys
from typing import TYPE_CHECKING

from tengen.analysis.stdio import InputLines, OutputLines
from tengen.protocols.gtp.session import GtpSession

if TYPE_CHECKING:
    from types import FrameType

    from tengen.analysis.engine import Engine

__all__ = ["READY", "run_gtp"]

_log = logging.getLogger(__name__)

READY = "GTP ready, beginning main protocol loop"
"""The line on standard error that programs wait for."""


def run_gtp(engine: Engine) -> int:
    """Answers until `quit`, the end of the input, or a signal."""
    lines = InputLines(sys.stdin.buffer)
    out = OutputLines(sys.stdout.buffer)
    write = out.write
    session = GtpSession(engine, write)
    is_logged = session.settings.log_all_gtp_communication

    def end(_number: int, _frame: FrameType | None) -> None:
        lines.interrupt()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    if session.settings.startup_print_message_to_stderr:
        print(READY, file=sys.stderr, flush=True)
    for line in lines:
        if is_logged:
            _log.info("GTP: %s", line.decode("utf-8", "replace"))
        session.handle(line)
        if session.is_over or out.is_broken:
            break
    session.close()
    engine.close()
    return 0
