"""What commands share, those of laboratories too: where text goes and what becomes of errors, options, files, bars."""

__all__ = ["files", "levels", "options", "output", "players", "progress"]
