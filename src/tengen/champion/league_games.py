"""Games of a league: a focal player who explores, against one opponent, as records to learn from."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tengen.arena import RESIGN, FallbackPlayer, Player, play_chunk
from tengen.arena.match import decision_seed
from tengen.arena.seeds import derive
from tengen.selfplay import Decision, GameRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.arena import Choice, Openings, PlayedGame
    from tengen.games import Game, State

__all__ = ["ExploringPlayer", "play_part"]


class ExploringPlayer(Player):
    """Plays as another does, but now and then at random, and remembers by seed what the other thought."""

    def __init__(self, player: Player, rate: float) -> None:
        super().__init__(player.name)
        self.player = player
        self.rate = rate
        self.thoughts: dict[int, tuple[int, Choice]] = {}
        self.explored: set[int] = set()
        self.games_at_once = player.games_at_once

    @property
    def fallbacks(self) -> Sequence[int]:
        return self.player.fallbacks

    def close(self) -> None:
        self.player.close()

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        actions = []
        choices = self.player.consider(states, seats, seeds)
        for choice, state, seat, seed in zip(choices, states, seats, seeds, strict=True):
            if choice.action == RESIGN:
                # Whatever was thought, nothing was played that could be learned from.
                actions.append(RESIGN)
                continue
            self.thoughts[seed] = (len(state.history), choice)
            rng = random.Random(derive(seed, "explore"))
            if rng.random() < self.rate:
                self.explored.add(seed)
                actions.append(rng.choice(state.legal(seat)))
            else:
                actions.append(choice.action)
        return actions


def play_part(
    game: Game,
    focal: Player,
    opponent: Player,
    pairs: Sequence[int],
    seed: int,
    openings: Openings,
    rate: float,
    model_only: bool,
) -> tuple[list[PlayedGame], list[GameRecord]]:
    """Play some pairs. Return the games, and their records with the focal player's decisions.

    With `model_only`, a model without an answer and a player that fails raise an error; otherwise the games count the
    decisions that another policy made.
    """
    for player in (focal, opponent):
        player.model_only = player.model_only or model_only
    steady = [focal, opponent] if model_only else [FallbackPlayer(focal), FallbackPlayer(opponent)]
    explorer = ExploringPlayer(steady[0], rate)
    played = play_chunk(game, explorer, steady[1], pairs, seed, openings)
    return played, [_record(game, explorer, opponent.name, each, openings) for each in played]


def _record(game: Game, explorer: ExploringPlayer, opponent: str, played: PlayedGame, openings: Openings) -> GameRecord:
    decisions, explored = [], []
    seat = played.first_seat
    for plies in range(played.opening, len(played.actions)):
        key = decision_seed(played.seed, seat, plies, seat)
        if key not in explorer.thoughts:
            continue
        ply, choice = explorer.thoughts[key]
        # Six digits, as in self-play. A player without an estimate learns from the result.
        shares = {action: round(share, 6) for action, share in choice.policy.items()}
        policy = {action: share for action, share in shares.items() if share > 0}
        decisions.append(Decision(ply, seat, policy, choice.values or played.payoffs, choice.visits, is_full=True))
        if key in explorer.explored:
            explored.append(ply)
    meta: dict[str, Any] = {"focal": seat, "opponent": opponent, "pair": played.pair}
    if explored:
        meta["explored"] = explored
    return GameRecord(
        game=game.id,
        settings=dict(game.settings),
        seed=played.seed,
        actions=played.actions,
        decisions=tuple(decisions),
        payoffs=played.payoffs,
        resigned=played.resigned,
        meta=meta,
        start=dict(openings.start),
    )
