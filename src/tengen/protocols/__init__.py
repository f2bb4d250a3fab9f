"""Other people's protocols, so that their programs can be played with: GTP for Go."""

from tengen.protocols.gtp import GtpProgram, GtpSession, run_gtp

__all__ = ["GtpProgram", "GtpSession", "run_gtp"]
