"""The commands of a session, by name."""

from tengen.protocols.gtp.commands import asking, board, searching, settings
from tengen.protocols.gtp.commands.table import COMMANDS

__all__ = ["COMMANDS", "asking", "board", "searching", "settings"]
