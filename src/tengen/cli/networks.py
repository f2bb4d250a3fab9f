"""What judges a game whose networks come from elsewhere, where nobody names one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.console.output import warn
from tengen.nets.importers import importers
from tengen.nets.shipped import find_shipped
from tengen.nets.store import list_networks, newest_network
from tengen.play.translation import translate

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = ["network_note", "note_network"]


def network_note(game: Game) -> str:
    """Which network of the store it is, or where to get one; empty for games without such, and where a champion that
    ships does as well."""
    sources = [importer.source for importer in importers(game)]
    if not sources:
        return ""
    stored = newest_network(game)
    if stored is None and find_shipped(game) is not None:
        return ""
    if stored is None:
        told = (
            "there is no network yet, so positions are judged by random games, which play weakly. "
            "{sources}; `tengen net add FILE` keeps one, and it is used from then on"
        )
        return translate(game, told, sources=". ".join(translate(game, source) for source in sources))
    count = len(list_networks(game))
    told = "the network is {name}, the newest of {count} in `tengen net list`" if count > 1 else "the network is {name}"
    return translate(game, told, name=stored.name, count=count)


def note_network(game: Game, asked: str | None) -> None:
    """Says it on stderr, unless an evaluator was `asked` for."""
    note = "" if asked is not None else network_note(game)
    if note:
        warn(note)
