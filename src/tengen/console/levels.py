"""How strong a player is, by name: for any game, from what judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from tengen.arena import FlatOptions, PlayerSpec, find_champion, parse_player, shipped_champion
from tengen.evaluators.choice import NETWORK_VISITS, choose_evaluator
from tengen.nets.shipped import find_shipped

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = ["FULL_VISITS", "LEVELS", "Level", "level_elo", "level_player", "read_level"]

Level: TypeAlias = Literal["beginner", "easy", "medium", "hard", "champion"]

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
FULL_VISITS: Final = 50_000
"""Visits of a search by random games or guesses."""
_CORE: Final = ("rollout", "uniform", "heuristic")
_WORLDS: Final[dict[Level, int]] = {"beginner": 1, "easy": 4, "medium": 16, "hard": 100, "champion": 1000}
"""Worlds of flat Monte Carlo by level."""
_SEARCHES: Final[dict[Level, tuple[int, float]]] = {
    "beginner": (20, 1.0),
    "easy": (100, 0.5),
    "medium": (400, 0.0),
    "hard": (3000, 0.0),
    "champion": (FULL_VISITS, 0.0),
}
"""Visits and temperature where random games or guesses judge: below 20 visits hardly better than chance."""
_POLICIES: Final[dict[Level, float]] = {"beginner": 4.0, "easy": 2.0, "medium": 1.2}
"""Temperatures of a network's policy without a search, which is too strong for most people with one."""
_HARD_SHARE: Final = 8
_LEAST_VISITS: Final = 8


def level_elo(level: Level, game: Game) -> tuple[int, int, int] | None:
    """Elo, and its interval's ends, relative to the mean of the game's levels; None: the player that the level is here
    was not measured."""
    if not game.measured_elo or dict(game.settings) != dict(type(game)().settings):
        return None
    player, shipped = level_player(level, game), find_shipped(game)
    if shipped is not None and player.name == str(shipped.network):
        player = player.changed(name=shipped.network.name)  # the folder of the network does not matter
    measured = {parse_player(text): elo for text, elo in game.measured_elo.items()}
    return measured.get(player)


def read_level(text: str) -> Level:
    for level in LEVELS:
        if text.strip().casefold() == level:
            return level
    raise ValueError(f"{text!r} is no level: there are {', '.join(LEVELS)}")


def level_player(level: Level, game: Game, evaluator: str | None = None) -> PlayerSpec:
    """Return the player of a level, with the given evaluator or with the game's default."""
    champion = find_champion(evaluator, game) if level == "champion" and evaluator is not None else None
    if champion is not None:
        return champion.resolved
    judge, measured = choose_evaluator(evaluator, game)
    shipped = find_shipped(game) if evaluator is None else None
    # A network that the user has added judges instead of the one that ships. A game's own default is known to judge it
    # better than a network.
    if level == "champion" and shipped is not None and (str(judge) == str(shipped.network) or not shipped.is_search):
        return shipped_champion(shipped).resolved
    if judge == "flat":
        return PlayerSpec("flat", visits=_WORLDS[level], flat=FlatOptions())
    if str(judge).partition(":")[0] in _CORE:
        visits, temperature = _SEARCHES[level]
        return PlayerSpec("search", str(judge), visits, temperature=temperature)
    if level in _POLICIES:
        return PlayerSpec("policy", str(judge), temperature=_POLICIES[level])
    visits = measured or NETWORK_VISITS
    return PlayerSpec(
        "search", str(judge), visits if level == "champion" else max(_LEAST_VISITS, visits // _HARD_SHARE)
    )
