"""A client of CSA servers such as floodgate: protocol 1.2.1."""

from tengen.protocols.csa.client import CsaClient
from tengen.protocols.csa.conversation import StopRequest
from tengen.protocols.csa.errors import CsaFailure, LoginRefused, NameTaken, ServerLost, SummaryError
from tengen.protocols.csa.game import GameResult
from tengen.protocols.csa.settings import CsaSettings
from tengen.protocols.csa.summary import GameSummary, TimeControl, parse_game_summary

__all__ = [
    "CsaClient",
    "CsaFailure",
    "CsaSettings",
    "GameResult",
    "GameSummary",
    "LoginRefused",
    "NameTaken",
    "ServerLost",
    "StopRequest",
    "SummaryError",
    "TimeControl",
    "parse_game_summary",
]
