"""What can be wrong with an SGF file."""

from tengen.games.errors import GameError

__all__ = ["SgfError"]


class SgfError(GameError):
    """A file that holds no record of Go that could be understood. The text names the file and what is wrong."""
