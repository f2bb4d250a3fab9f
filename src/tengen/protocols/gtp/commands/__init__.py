"""The commands of a session, by name."""

from tengen.protocols.gtp.commands import board, scoring, search, settings
from tengen.protocols.gtp.commands.table import COMMANDS

__all__ = ["COMMANDS", "board", "scoring", "search", "settings"]
