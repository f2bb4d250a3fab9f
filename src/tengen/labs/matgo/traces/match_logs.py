"""Games of a match, written as a log of self-play would have them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tengen.labs.matgo.traces.records import SIDES, Tracer, TraceSettings, format_line, game_line
from tengen.labs.matgo.traces.steps import Watcher

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from tengen.arena import PlayedGame
    from tengen.games.matgo import Matgo

__all__ = ["match_log_lines"]


def match_log_lines(
    game: Matgo,
    played: Iterable[PlayedGame],
    explored: Iterable[Collection[int]],
    names: tuple[str, str],
    start: Mapping[str, Any],
) -> Iterator[str]:
    """Yield a line for each game, with all decisions of both sides; mySide is the match's first player.

    `explored` has the plies of each game that were played at random, and `start` the options of the match's openings.
    Games that were resigned are left out.
    """
    for one, plies in zip(played, explored, strict=True):
        if one.resigned is not None:
            continue
        sides, labels = (SIDES, names) if one.first_seat == 0 else (SIDES[::-1], names[::-1])
        states = list(one.states(game, start))
        tracer, watcher = Tracer(TraceSettings(important_only=False), sides, labels), Watcher(game, states[0])
        for ply, (before, after) in enumerate(pairwise(states)):
            action = after.history[-1]
            assert isinstance(action, int)
            tracer.add(watcher.watch(before, action, after), explored=ply in plies)
        number = 2 * one.pair + one.first_seat
        yield format_line(game_line(game, states[-1], one.first_seat, names, number, one.seed, tracer.records()))
