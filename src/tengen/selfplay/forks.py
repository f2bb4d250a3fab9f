"""Forks: games of self-play that follow an earlier game and leave it by an unusual move."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tengen.search import Pool, SearchSettings

if TYPE_CHECKING:
    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game, RecordedGame, State
    from tengen.selfplay.settings import SelfPlaySettings

__all__ = ["Beginning", "Judge", "begin_fork", "evaluate_states"]

Judge: TypeAlias = "Callable[[Sequence[State]], Sequence[Sequence[float]]]"
"""A function that returns the value of each position for every player."""

_EARLY = 0.1
"""Mean place of an early fork, as a share of the game."""


class Beginning(NamedTuple):
    """The position in which a game of self-play begins."""

    state: State
    seed: int
    """The seed of its deal, which may be that of another game."""
    start: dict[str, Any]
    """Options of the game's start beyond the seed."""


def begin_fork(
    game: Game,
    lines: Sequence[RecordedGame],
    seed: int,
    rng: random.Random,
    settings: SelfPlaySettings,
    judge: Judge,
) -> Beginning:
    """Follow one of the lines and leave it by the best of a few random moves.

    Moves that end the game are not considered. If nothing else is left, the fork starts before the move. `seed` is the
    seed of the deal if the line has none.
    """
    if game.simultaneous:
        raise ValueError(f"self-play: fork_share is for games in which one player decides at a time, not for {game.id}")
    line = rng.choice(lines)
    deal = seed if line.seed is None else line.seed
    state = game.start(deal, **line.start)
    places: list[tuple[State, int]] = []
    for action in line.actions:
        if state.is_over:
            break
        if isinstance(state.actor, int) and len(state.legal()) > 1:
            places.append((state, action))
        state = state.play(action)
    if not places:
        return Beginning(game.start(deal, **line.start), deal, line.start)
    state, played = places[_draw_place(len(places), rng, settings)]
    return Beginning(_leave(state, played, rng, settings, judge), deal, line.start)


def _draw_place(count: int, rng: random.Random, settings: SelfPlaySettings) -> int:
    if rng.random() < settings.fork_early_share:
        return min(int(rng.expovariate(1 / (_EARLY * count))), count - 1)
    return rng.randrange(count)


def _leave(state: State, played: int, rng: random.Random, settings: SelfPlaySettings, judge: Judge) -> State:
    """Return the state after a move other than the one that was played."""
    player = state.actor
    assert isinstance(player, int)
    others = [action for action in state.legal() if action != played]
    tried = [_settle(state.play(action), rng) for action in rng.sample(others, min(settings.fork_moves, len(others)))]
    found = [after for after in tried if not after.is_over]
    if len(found) < 2:
        return found[0] if found else state
    values = [value[player] for value in judge(found)]
    return found[values.index(max(values))]


def _settle(state: State, rng: random.Random) -> State:
    """Let chance act until a player decides."""
    while state.actor == "chance":
        state = state.play(state.outcome(rng.getrandbits(63)))
    return state


def evaluate_states(game: Game, evaluator: AnyEvaluator, states: Sequence[State]) -> list[tuple[float, ...]]:
    """Return the value of each position for every player, as the evaluator estimates it from the actor's view."""
    pool = Pool(game, SearchSettings(visits=1), evaluator)
    roots = [pool.add(state, seed=number) for number, state in enumerate(states)]
    pool.run()
    return [tuple(pool.report(root).values) for root in roots]
