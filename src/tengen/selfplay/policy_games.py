"""Self-play of a player that evaluates each position once, many games in parallel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tengen.selfplay.records import Decision
from tengen.selfplay.tables import begin, consider_resigning, record_of

if TYPE_CHECKING:
    from tengen.games import Game, RecordedGame, State
    from tengen.selfplay.player_games import Considered, Considering
    from tengen.selfplay.records import GameRecord
    from tengen.selfplay.settings import SelfPlaySettings
    from tengen.selfplay.tables import Table

__all__ = ["play_policy_games"]

_LEAST_SHARE = 5e-4
"""Smallest share of a move that a record keeps; the others together matter little and take most of the space."""


def play_policy_games(
    game: Game,
    player: Considering,
    settings: SelfPlaySettings,
    seeds: Sequence[int],
    progress: Callable[[int, int], None] = lambda _games, _visits: None,
    lines: Sequence[RecordedGame] = (),
) -> list[GameRecord]:
    """Plays one game for each seed, `parallel` of them at a time; where there are `lines`, each begins somewhere in one
    of them. Moves are drawn from the player's policy at the settings' temperatures.

    For games in which one player decides at a time and nothing is dealt. Equal seeds and settings give equal games.
    """

    def judge(states: Sequence[State]) -> list[tuple[float, ...]]:
        seats = [state.actor for state in states if isinstance(state.actor, int)]
        return [choice.values or (0.0,) * game.players for choice in player.consider(states, seats, [0] * len(states))]

    waiting = list(reversed(seeds))
    tables: list[Table] = []
    done: dict[int, GameRecord | None] = {}
    positions = 0
    while waiting or tables:
        while waiting and len(tables) < settings.parallel:
            tables.append(begin(game, waiting.pop(), settings, lines, judge))
        going = [table for table in tables if not table.state.is_over]
        states = [table.state for table in going]
        seats = [state.actor for state in states if isinstance(state.actor, int)]
        choices = player.consider(states, seats, [table.rng.getrandbits(63) for table in going])
        positions += len(going)
        for table, seat, choice in zip(going, seats, choices, strict=True):
            _move(game, table, seat, choice, settings)
        for table in tables:
            if table.state.is_over or table.resigned is not None:
                done[table.seed] = record_of(game, table)
            elif len(table.state.history) >= settings.max_plies:
                done[table.seed] = None
        tables = [table for table in tables if table.seed not in done]
        progress(len(done), positions)
    return [record for seed in seeds if (record := done[seed]) is not None]


def _move(game: Game, table: Table, seat: int, choice: Considered, settings: SelfPlaySettings) -> None:
    ply = len(table.state.history)
    # Five digits are more than a policy means, and what a record holds is exactly what is learned from.
    policy = {action: float(f"{share:.5g}") for action, share in choice.policy.items() if share >= _LEAST_SHARE}
    values = choice.values or (0.0,) * game.players
    table.decisions.append(Decision(ply, seat, policy, tuple(round(value, 5) for value in values), 1, True))
    consider_resigning(game, table, seat, values[seat], settings)
    temperature = settings.temperature_at(ply)
    table.state = table.state.play(_draw(table, policy, temperature, settings.random_share))


def _draw(table: Table, policy: dict[int, float], temperature: float, random_share: float) -> int:
    if table.rng.random() < random_share:
        return table.rng.choice(table.state.legal())
    best = max(policy, key=lambda action: policy[action])
    if temperature == 0:
        return best
    weights = [(share / policy[best]) ** (1 / temperature) for share in policy.values()]
    return table.rng.choices(list(policy), weights)[0]
