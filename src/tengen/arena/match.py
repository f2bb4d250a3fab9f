"""Matches of two players: every opening from both seats, many games in parallel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

from tengen.arena.make_players import find_player
from tengen.arena.match_games import MatchDecider, play_pairs
from tengen.arena.openings import OpeningBook, Openings, default_openings
from tengen.arena.player_spec import PlayerSpec
from tengen.arena.players import Player
from tengen.arena.records import PlayedGame
from tengen.arena.result import MatchResult
from tengen.games import Game
from tengen.games import game as find_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["AnyGame", "AnyPlayer", "chunks", "merge", "play_chunk", "play_elsewhere", "play_match"]

AnyGame: TypeAlias = Game | str
AnyPlayer: TypeAlias = Player | PlayerSpec | str

PAIRS_AT_ONCE = 32


def play_match(
    game: AnyGame,
    first: AnyPlayer,
    second: AnyPlayer,
    games: int,
    seed: int = 0,
    openings: Openings | None = None,
    progress: Callable[[int, int], None] | None = None,
    stop: Callable[[MatchResult], bool] | None = None,
    *,
    pairs_at_once: int = PAIRS_AT_ONCE,
) -> MatchResult:
    """Play `games` games, each opening twice with seats swapped. The same arguments give the same games.

    `progress(played, games)` is called as games finish. `stop(result)` is called after every chunk and ends the match
    if it returns true; it is not called within a chunk, because the games that finish first there are the short ones.
    """
    rules = _find_game(game)
    one, other = find_player(first, rules), find_player(second, rules)
    book = _book(rules, openings, seed)
    records: list[PlayedGame] = []
    try:
        for pairs in chunks(games, pairs_at_once):
            done = len(records)
            tell = None if progress is None else lambda count, _, done=done: progress(done + count, games)
            records += _play(book, (one, other), pairs, tell)
            if stop is not None and stop(merge(rules, one, other, seed, [records], openings)):
                break
    finally:
        one.close()
        other.close()
    return merge(rules, one, other, seed, [records], openings)


def chunks(games: int, pairs_at_once: int = PAIRS_AT_ONCE) -> list[range]:
    """The pairs of a match in the portions in which play_match() plays them.

    Played by the same portions elsewhere, a match is the same to the last bit. By other portions it is the same for
    players that judge each position by itself, but a network may round differently in batches of another size.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games is {games} and must be even: each opening is played from both seats")
    if pairs_at_once < 1:
        raise ValueError(f"pairs_at_once is {pairs_at_once} and must be at least 1")
    pairs = games // 2
    return [range(begin, min(begin + pairs_at_once, pairs)) for begin in range(0, pairs, pairs_at_once)]


def play_chunk(
    game: AnyGame,
    first: AnyPlayer,
    second: AnyPlayer,
    pairs: Sequence[int],
    seed: int = 0,
    openings: Openings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[PlayedGame]:
    """The games of some pairs of a match, for a worker in another process."""
    rules = _find_game(game)
    players = find_player(first, rules), find_player(second, rules)
    try:
        return _play(_book(rules, openings, seed), players, pairs, progress)
    finally:
        for player in players:
            player.close()


def merge(
    game: AnyGame,
    first: AnyPlayer,
    second: AnyPlayer,
    seed: int,
    parts: Iterable[Iterable[PlayedGame]],
    openings: Openings | None = None,
) -> MatchResult:
    """The match that chunks with the same arguments make up, in whatever order they came."""
    rules = _find_game(game)
    records = sorted((record for part in parts for record in part), key=lambda record: (record.pair, record.first_seat))
    # As JSON gives them back: a result that was saved and read again is equal.
    settings = json.loads(json.dumps(dict(rules.settings), default=str))
    return MatchResult(
        game=rules.id,
        settings=settings,
        first=_name(first),
        second=_name(second),
        seed=seed,
        openings=openings or default_openings(rules),
        games=tuple(records),
        max_payoff=float(rules.max_payoff),
    )


def _book(game: Game, openings: Openings | None, seed: int) -> OpeningBook:
    if game.players != 2:
        raise ValueError(f"{game.id} has {game.players} players: a match is between two")
    return OpeningBook(game, openings or default_openings(game), seed)


def _play(
    book: OpeningBook,
    players: tuple[Player, Player],
    pairs: Sequence[int],
    progress: Callable[[int, int], None] | None,
) -> list[PlayedGame]:
    hosted = play_elsewhere(book.game, players, pairs, progress)
    if hosted is not None:
        return hosted
    deciders = MatchDecider(players[0]), MatchDecider(players[1])
    return [table.record() for table in play_pairs(book, deciders, pairs, progress)]


def play_elsewhere(
    game: Game,
    players: tuple[Player, Player],
    pairs: Sequence[int],
    progress: Callable[[int, int], None] | None = None,
) -> list[PlayedGame] | None:
    """Play at a table of one player's own, such as a server, and return the games; None if neither player has one.

    Such games have no deal and no opening, and only their ends are known.
    """

    def tell(count: int) -> None:
        if progress is not None:
            progress(count, 0)

    for index, player in enumerate(players):
        payoffs = player.host_games(game, players[1 - index], 2 * len(pairs), tell)
        if payoffs is not None:
            break
    else:
        return None
    games = []
    for number, payoff in enumerate(payoffs):
        pair, first_seat = pairs[number // 2], number % 2
        own, other = (payoff, -payoff) if first_seat == index else (-payoff, payoff)
        games.append(PlayedGame(pair, first_seat, 0, f"elsewhere {pair} {first_seat}", 0, (), (own, other)))
    return games


def _find_game(game: AnyGame) -> Game:
    return find_game(game) if isinstance(game, str) else game


def _name(player: AnyPlayer) -> str:
    return player.name if isinstance(player, Player) else str(player)
