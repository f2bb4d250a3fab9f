"""The Go Text Protocol, version 2, with what Leela Zero and KataGo added to it for analysis."""

from tengen.protocols.gtp.client import GtpProgram
from tengen.protocols.gtp.serve import run_gtp
from tengen.protocols.gtp.session import GAME, GtpSession
from tengen.protocols.gtp.settings import GtpSettings
from tengen.protocols.gtp.wire import GtpError

__all__ = ["GAME", "GtpError", "GtpProgram", "GtpSession", "GtpSettings", "run_gtp"]
