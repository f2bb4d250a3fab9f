"""Who advises a person and who plays against one, by what is known of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.console.levels import FULL_VISITS
from tengen.console.players import read_player
from tengen.evaluators import choose_evaluator
from tengen.nets.shipped import find_shipped
from tengen.play.advice import SearchAdviser
from tengen.play.opponents import ArenaOpponent, SearchOpponent
from tengen.play.search_run import run_search, settings_for
from tengen.search import default_settings

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from tengen.games import Game
    from tengen.play.advice import Adviser
    from tengen.play.opponents import Opponent
    from tengen.play.search_run import SearchRunner

__all__ = ["make_champion"]


def make_champion(
    game: Game,
    rng: random.Random,
    seconds: float,
    *,
    evaluator: str | None = None,
    visits: int | None = None,
    tuning: Mapping[str, Any] | None = None,
    run: SearchRunner = run_search,
) -> tuple[Adviser, Opponent]:
    """The same search, unless nothing is told and the champion is another kind of player.

    A search takes `seconds` at most. Raises a ValueError for what can't be searched by.
    """
    judge, measured = choose_evaluator(evaluator, game)
    settings = settings_for(game, judge, visits or measured or FULL_VISITS, tuning)
    if settings.visits < 2:
        raise ValueError("the computer needs at least 2 visits: one for the position, one for a move")
    computer = SearchOpponent(game, settings, judge, rng, seconds, run)
    # However weakly the computer is told to play, flat Monte Carlo has nothing to gain from advising by the same.
    best = default_settings(judge)
    adviser = SearchOpponent(game, best, judge, rng, seconds, run) if computer.is_flat else computer
    is_told = any(option is not None for option in (evaluator, visits, tuning))
    shipped = None if is_told else find_shipped(game)
    if shipped is not None and not shipped.is_search:
        return SearchAdviser(adviser), ArenaOpponent(read_player(shipped.player, game), rng)
    return SearchAdviser(adviser), computer
