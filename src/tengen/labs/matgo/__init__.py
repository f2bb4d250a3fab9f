"""Matgo's own way of learning: traces of its decisions, small models made of them, and the players that ask these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tengen.arena import PlayedGame
    from tengen.games import BuiltinPlayer
    from tengen.games.matgo import Matgo

__all__ = ["find_builtin_player", "match_log_lines"]


def find_builtin_player(name: str, game: Matgo) -> BuiltinPlayer | None:
    """Players that ask a model: `frequency:FILE`, `linear:FILE`, `both:…`, `mix:…`; None: no such name."""
    from tengen.labs.matgo.models import model_player

    return model_player(game, name)


def match_log_lines(
    game: Matgo,
    played: Iterable[PlayedGame],
    explored: Iterable[Sequence[int]],
    names: tuple[str, str],
    start: Mapping[str, Any],
) -> Iterator[str]:
    """Yield the lines of a log of a match's games; mySide is the first player. See traces.match_logs."""
    from tengen.labs.matgo.traces.match_logs import match_log_lines as lines

    return lines(game, played, explored, names, start)
