"""What judges a game whose networks come from elsewhere, where nobody names one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.cli.console import warn
from tengen.nets.store import list_networks, newest_network, takes_networks

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = ["network_note", "note_network"]

_NONE = (
    "there is no network yet, so positions are judged by random games, which play weakly. KataGo's networks are "
    "published at katagotraining.org, as files such as kata1-*.bin.gz; `tengen net add FILE` keeps one, and it is used "
    "from then on"
)


def network_note(game: Game) -> str:
    """Which network of the store it is, or where to get one; empty for games without such."""
    if not takes_networks(game):
        return ""
    stored = newest_network(game)
    if stored is None:
        return _NONE
    others = len(list_networks()) - 1
    return f"the network is {stored.name}" + (f", the newest of {others + 1} in `tengen net list`" if others else "")


def note_network(game: Game, asked: str | None) -> None:
    """Says it on stderr, unless an evaluator was `asked` for."""
    note = "" if asked is not None else network_note(game)
    if note:
        warn(note)
