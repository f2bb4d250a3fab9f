"""The Go Text Protocol, version 2, with what Leela Zero and KataGo added to it for analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

if TYPE_CHECKING:
    from tengen.protocols.gtp.client import GtpProgram
    from tengen.protocols.gtp.serve import run_gtp
    from tengen.protocols.gtp.session import GAME, GtpSession
    from tengen.protocols.gtp.settings import GtpSettings
    from tengen.protocols.gtp.wire import GtpError
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "client": ["GtpProgram"],
            "serve": ["run_gtp"],
            "session": ["GAME", "GtpSession"],
            "settings": ["GtpSettings"],
            "wire": ["GtpError"],
        },
    )

__all__ = ["GAME", "GtpError", "GtpProgram", "GtpSession", "GtpSettings", "run_gtp"]
