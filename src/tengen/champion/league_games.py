"""Games of a league: a focal player who explores, against one opponent, as records to learn from."""

from __future__ import annotations

import gzip
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.arena import RESIGN, FallbackPlayer, MatchDecider, MatchTable, play_elsewhere, play_pairs
from tengen.arena.laboratory import find_laboratory
from tengen.arena.openings import OpeningBook
from tengen.arena.seeds import derive
from tengen.champion.league_settings import LeagueError
from tengen.champion.packed_games import PackedGames, pack_games
from tengen.selfplay import Decision, GameRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tengen.arena import Choice, Openings, PlayedGame, Player
    from tengen.games import Game

__all__ = ["ExploringDecider", "LeagueGames", "find_log_writer", "play_packed_part", "play_part"]


@dataclass(frozen=True)
class LeagueGames:
    """Some games of a chunk, as a worker returns them."""

    played: list[PlayedGame]
    packed: PackedGames
    explored: int
    """Number of random moves of the focal player."""
    log: bytes
    """The games as the game's own log, compressed; empty unless it was requested."""


def find_log_writer(game: Game) -> Callable[..., Iterable[str]]:
    """Return the function of the game's laboratory that writes games as log lines.

    Raises a LeagueError if there is none.
    """
    writer: Callable[..., Iterable[str]] | None = getattr(find_laboratory(game), "match_log_lines", None)
    if writer is None:
        raise LeagueError(f"logs is true, and {game.id} has no logs of its own")
    return writer


class ExploringDecider(MatchDecider):
    """A player whose decisions are kept, and which sometimes acts at random instead."""

    def __init__(self, player: Player, rate: float) -> None:
        super().__init__(player)
        self.rate = rate

    def choose(self, asked: Sequence[tuple[MatchTable, int]], seeds: Sequence[int]) -> list[int]:
        states = [table.state for table, _ in asked]
        choices = self.player.consider(states, [seat for _, seat in asked], seeds)
        actions = []
        for choice, (table, seat), seed in zip(choices, asked, seeds, strict=True):
            action = choice.action
            # A resignation leaves no action to learn from.
            if action != RESIGN:
                state = table.state
                table.thoughts.append((len(state.history), choice))
                rng = random.Random(derive(seed, "explore"))
                if rng.random() < self.rate:
                    table.explored.append(len(state.history))
                    action = rng.choice(state.legal(seat))
            actions.append(action)
        return actions


def play_packed_part(
    game: Game,
    focal: Player,
    opponent: Player,
    pairs: Sequence[int],
    seed: int,
    openings: Openings,
    rate: float,
    model_only: bool,
    logs: bool,
) -> LeagueGames:
    """Play some pairs in a worker, as by play_part(), and pack the games there."""
    played, records = play_part(game, focal, opponent, pairs, seed, openings, rate, model_only)
    explored = [record.meta.get("explored", ()) for record in records]
    log = b""
    if logs:
        lines = find_log_writer(game)(game, played, explored, (focal.name, opponent.name), openings.start)
        log = gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)
    return LeagueGames(played, pack_games(game, records), sum(map(len, explored)), log)


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
    decisions that another policy made. Games at a player's own table are played without exploration, and their records
    have no decisions.
    """
    for player in (focal, opponent):
        player.model_only = player.model_only or model_only
    one, other = (focal, opponent) if model_only else (FallbackPlayer(focal), FallbackPlayer(opponent))
    try:
        hosted = play_elsewhere(game, (one, other), pairs)
        if hosted is not None:
            return hosted, [_record(game, played, [], [], opponent.name, openings) for played in hosted]
        deciders = ExploringDecider(one, rate), MatchDecider(other)
        tables = play_pairs(OpeningBook(game, openings, seed), deciders, pairs)
    finally:
        one.close()
        other.close()
    played = [table.record() for table in tables]
    records = [
        _record(game, each, table.thoughts, table.explored, opponent.name, openings)
        for each, table in zip(played, tables, strict=True)
    ]
    return played, records


def _record(
    game: Game,
    played: PlayedGame,
    thoughts: Sequence[tuple[int, Choice]],
    explored: Sequence[int],
    opponent: str,
    openings: Openings,
) -> GameRecord:
    seat = played.first_seat
    decisions = []
    for ply, choice in thoughts:
        # Six digits, as in self-play. A player without an estimate learns from the result.
        shares = {action: round(share, 6) for action, share in choice.policy.items()}
        policy = {action: share for action, share in shares.items() if share > 0}
        decisions.append(Decision(ply, seat, policy, choice.values or played.payoffs, choice.visits, is_full=True))
    meta: dict[str, Any] = {"focal": seat, "opponent": opponent, "pair": played.pair}
    if explored:
        meta["explored"] = list(explored)
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
