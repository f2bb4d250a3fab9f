"""How to install what is optional."""

from __future__ import annotations

__all__ = ["how_to_install"]


def how_to_install(extra: str) -> str:
    """The command that brings an extra, also for those who work in a checkout."""
    return f"pip install 'tengen-games[{extra}]' (in a checkout: pip install '.[{extra}]')"
