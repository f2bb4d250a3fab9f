"""Other people's protocols, so that their programs can be played with: GTP for Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

if TYPE_CHECKING:
    from tengen.protocols.gtp import GtpProgram, GtpSession, run_gtp
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "gtp": ["GtpProgram", "GtpSession", "run_gtp"],
        },
    )

__all__ = ["GtpProgram", "GtpSession", "run_gtp"]
