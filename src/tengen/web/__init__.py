"""The page: a server for a browser on which people play, analyze and watch."""

__all__ = ["messages"]
