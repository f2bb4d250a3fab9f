"""Self-play of a player that is no tree search, such as flat Monte Carlo: one position after the other."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from tengen.selfplay.records import Decision, GameRecord
from tengen.selfplay.tables import begin_state

if TYPE_CHECKING:
    from tengen.games import Game, RecordedGame, State

__all__ = ["Considered", "Considering", "play_player_games"]


class Considered(Protocol):
    """A choice of a player's, with what it thought."""

    @property
    def policy(self) -> dict[int, float]:
        """Empty where the player gives up."""

    @property
    def values(self) -> tuple[float, ...] | None: ...
    @property
    def visits(self) -> int: ...


class Considering(Protocol):
    """A player, as the arena has them."""

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> Sequence[Considered]: ...


def play_player_games(
    game: Game,
    player: Considering,
    seeds: Sequence[int],
    progress: Callable[[int, int], None] = lambda _games, _visits: None,
    lines: Sequence[RecordedGame] = (),
) -> list[GameRecord]:
    """Plays one game for each seed; where there are `lines`, it begins somewhere in one of them. What is played is
    drawn from the player's policy, so that games go different ways.

    `progress` hears how many games have ended and how many visits were made. Equal seeds give equal games.
    """
    records: list[GameRecord] = []
    visits = 0
    for seed in seeds:
        records.append(_play(game, player, seed, lines))
        visits += sum(decision.visits for decision in records[-1].decisions)
        progress(len(records), visits)
    return records


def _play(game: Game, player: Considering, seed: int, lines: Sequence[RecordedGame]) -> GameRecord:
    rng = random.Random(seed)
    state, start = begin_state(game, seed, rng, lines)
    decisions: list[Decision] = []
    resigned: int | None = None
    while not state.is_over and resigned is None:
        if state.actor == "chance":
            state = state.play(state.outcome(rng.getrandbits(63)))
            continue
        seats = [state.actor] if isinstance(state.actor, int) else list(range(game.players))
        chosen = []
        for seat in seats:
            [choice] = player.consider([state], [seat], [rng.getrandbits(63)])
            if not choice.policy:
                resigned = seat
                break
            # Who promises nothing promises a draw.
            values = choice.values or (0.0,) * game.players
            # Five digits are more than a policy means, and what a record holds is exactly what is learned from.
            policy = {action: float(f"{share:.5g}") for action, share in choice.policy.items()}
            decisions.append(Decision(len(state.history), seat, policy, values, choice.visits, True))
            chosen.append(rng.choices(list(policy), weights=list(policy.values()))[0])
        if resigned is None:
            state = state.play(chosen[0] if isinstance(state.actor, int) else tuple(chosen))
    payoffs = state.payoffs if resigned is None else _lost_by(game, resigned)
    return GameRecord(
        game.id, dict(game.settings), seed, state.history, tuple(decisions), payoffs, resigned, start=start
    )


def _lost_by(game: Game, seat: int) -> tuple[float, ...]:
    return tuple(-game.payoff_scale if player == seat else game.payoff_scale for player in range(game.players))
