"""What commands share: where text goes and what becomes of errors, options, players by name, files, bars."""

__all__ = ["files", "levels", "options", "output", "players", "progress"]
