"""USI on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.analysis.stdio import standard_streams
from tengen.protocols.usi.output import format_introduction
from tengen.protocols.usi.wire import ascii_line, words_of_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.protocols.usi.engine import ShogiEngine
    from tengen.protocols.usi.options import EngineSettings
    from tengen.protocols.usi.session import UsiSession

__all__ = ["run_usi"]


def run_usi(open_engine: Callable[[], ShogiEngine], settings: EngineSettings, *, name: str = "Tengen") -> int:
    """Serve until `quit`, the end of the input, or a signal. Return the exit code.

    `usi` is answered from the settings. The engine is opened for the first line that needs it: on a busy machine its
    imports take many seconds, and boards wait ten for `usiok`.
    """
    with standard_streams() as (lines, out):
        session: UsiSession | None = None
        # A debug log gets every line, and the session writes it.
        is_waiting = not settings.debug_log
        try:
            for line in lines:
                words = words_of_line(line)
                if is_waiting and words == ["usi"]:
                    for text in format_introduction(name, settings):
                        out.write(ascii_line(text))
                    continue
                if is_waiting and words[:1] in ([], ["quit"]):
                    if words:
                        break
                    continue
                is_waiting = False
                session = session or _open_session(open_engine(), out.write, name)
                session.handle(line)
                if session.is_over:
                    break
            else:
                # Report a fault of the engine even if no line needed the engine.
                session = session or _open_session(open_engine(), out.write, name)
        finally:
            if session is not None:
                session.close()
    return out.report()


def _open_session(engine: ShogiEngine, write: Callable[[str], None], name: str) -> UsiSession:
    from tengen.protocols.usi.session import UsiSession

    return UsiSession(engine, write, name=name)
