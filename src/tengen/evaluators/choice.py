"""Which evaluator is meant: the same rule for Python and for the command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tengen.evaluators.native import FLAT_VISITS
from tengen.nets.shipped import find_shipped
from tengen.nets.store import newest_network

if TYPE_CHECKING:
    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game

__all__ = ["CHAMPION", "Choice", "choose_evaluator", "find_named"]

CHAMPION = "champion"
_NETWORK_VISITS = 500


class Choice(NamedTuple):
    evaluator: AnyEvaluator
    visits: int | None
    """The visits that the champion which ships with the game was measured at, those of flat Monte Carlo, or some that
    suit a network which nobody asked for; None for other evaluators."""


def choose_evaluator(what: AnyEvaluator | None, game: Game) -> Choice:
    """What was asked for; else the game's own default, else the champion that ships with it, else the newest network in
    the store that can judge it, else rollouts."""
    shipped = find_shipped(game)
    if what is None:
        what = game.default_evaluator or (None if shipped is None else CHAMPION)
    if what is None:
        stored = newest_network(game)
        return Choice("rollout", None) if stored is None else Choice(f"katago:{stored.name}", _NETWORK_VISITS)
    if what == "flat":
        return Choice(what, FLAT_VISITS)
    return Choice(find_named(what, game), shipped.visits if shipped and what == CHAMPION else None)


def find_named(what: AnyEvaluator, game: Game) -> AnyEvaluator:
    """For `champion` the network that ships with the game, for a run's folder that of its champion, for a step's folder
    its own; everything else as it stands."""
    if what == CHAMPION:
        shipped = find_shipped(game)
        if shipped is None:
            raise ValueError(f"no champion of {game.id} with these settings comes with Tengen")
        return str(shipped.network)
    if isinstance(what, str | Path) and Path(what).is_dir():
        from tengen.nets.run_network import network_in

        return str(network_in(what))
    return what
