"""The adviser and the opponent of a person, chosen by what is known of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.arena import PlayerSpec, find_champion, find_player
from tengen.console.levels import FULL_VISITS
from tengen.evaluators import choose_evaluator
from tengen.evaluators.choice import CHAMPION
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
    """Return who gives hints and who plays. Both are the same search, unless the champion is another kind of player.

    If the `evaluator` names a champion or a run, the player that passed the gate plays. A search takes `seconds` at
    most. ValueError is raised for an evaluator that cannot search the game.
    """
    spec = None if evaluator is None else PlayerSpec.of(evaluator)
    champion = None if spec is None else find_champion(spec, game)
    search = None if champion is None else champion.search
    if spec is not None and champion is not None and search is None:
        if tuning is not None:
            raise ValueError(f"{evaluator} plays {champion.player}, no plain tree search: it takes no search settings")
        if visits is not None:
            spec = spec.changed(visits=visits)
        return make_champion(game, rng, seconds, run=run)[0], ArenaOpponent(find_player(spec, game), rng)
    judge, measured = choose_evaluator(evaluator, game) if search is None else search
    shipped = find_champion(CHAMPION, game) if evaluator is None and find_shipped(game) is not None else None
    if shipped is not None and shipped.search is not None and shipped.search.evaluator == judge:
        champion = shipped
    own = {} if champion is None else dict(champion.player.settings)
    settings = settings_for(game, judge, visits or measured or FULL_VISITS, own | dict(tuning or {}))
    if settings.visits < 2:
        raise ValueError("the computer needs at least 2 visits: one for the position, one for a move")
    computer = SearchOpponent(game, settings, judge, rng, seconds, run)
    # Hints by flat Monte Carlo are as good as possible, however weak the opponent is.
    best = default_settings(judge)
    adviser = SearchOpponent(game, best, judge, rng, seconds, run) if computer.is_flat else computer
    is_told = any(option is not None for option in (visits, tuning))
    if shipped is not None and shipped.search is None and not is_told:
        return SearchAdviser(adviser), ArenaOpponent(find_player(shipped.resolved, game), rng)
    return SearchAdviser(adviser), computer
