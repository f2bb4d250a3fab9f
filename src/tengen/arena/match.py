"""Matches of two players: every opening from both seats, many games in parallel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

from tengen.arena.make_players import find_player
from tengen.arena.openings import OpeningBook, Openings, Standing, default_openings, settle
from tengen.arena.player_spec import PlayerSpec
from tengen.arena.players import RESIGN, Player
from tengen.arena.records import PlayedGame, resigned_payoffs
from tengen.arena.result import MatchResult
from tengen.arena.seeds import derive
from tengen.games import Game, IllegalAction
from tengen.games import game as find_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tengen.games import Played

__all__ = ["AnyGame", "AnyPlayer", "chunks", "decision_seed", "merge", "play_chunk", "play_match"]

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


class _Table:
    """A game of the match that is being played."""

    def __init__(self, book: OpeningBook, pair: int, first_seat: int) -> None:
        self.pair = pair
        self.first_seat = first_seat
        self.seed = book.seed_of(pair)
        self.start = f"{book.deal(pair).key:016x}"
        self.standing = standing = book[pair]
        self.opening = self.plies = len(standing.state.history)
        self.resigned: int | None = None
        self.fallbacks = [0, 0]

    def seats(self) -> list[int]:
        """Return the seats that are to act."""
        if self.resigned is not None:
            return []
        actor = self.standing.state.actor
        if isinstance(actor, int):
            return [actor]
        return [0, 1] if actor == "all" else []

    def play(self, played: Played) -> None:
        self.standing = settle(Standing(self.standing.state.play(played), self.standing.drawn), self.seed)
        self.plies += 1

    def record(self) -> PlayedGame:
        state = self.standing.state
        if self.resigned is None:
            one, other = state.payoffs
            counts = state.game_stats if any(state.game_stats) else ()
        else:
            one, other = resigned_payoffs(state.game, self.resigned)
            counts = ()
        return PlayedGame(
            self.pair,
            self.first_seat,
            self.seed,
            self.start,
            self.opening,
            state.history,
            (one, other),
            counts,
            self.resigned,
            (self.fallbacks[0], self.fallbacks[1]),
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
    hosted = _play_elsewhere(book.game, players, pairs, progress)
    if hosted is not None:
        return hosted
    tables = [_Table(book, pair, seat) for pair in pairs for seat in (0, 1)]
    at_once = min([player.games_at_once for player in players if player.games_at_once], default=len(tables))
    for begin in range(0, len(tables), at_once):
        live = tables[begin : begin + at_once]
        while live:
            live = [table for table in live if table.seats()]
            if progress is not None:
                waiting = max(0, len(tables) - begin - at_once)
                progress(len(tables) - waiting - len(live), sum(table.plies for table in tables))
            _round(players, live)
    return [table.record() for table in tables]


def _play_elsewhere(
    game: Game,
    players: tuple[Player, Player],
    pairs: Sequence[int],
    progress: Callable[[int, int], None] | None,
) -> list[PlayedGame] | None:
    """Games at a table of one player's own: nobody deals there, seats and openings are whatever they are, and what is
    known of a game is how it ended."""

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


def _round(players: tuple[Player, Player], tables: list[_Table]) -> None:
    """One decision in every game. Each player is asked once about all positions that wait for it."""
    decided: dict[tuple[int, int], int] = {}
    for index, player in enumerate(players):
        asked = [
            (place, seat)
            for place, table in enumerate(tables)
            for seat in table.seats()
            if (seat == table.first_seat) == (index == 0)
        ]
        if not asked:
            continue
        seeds = [_seed_of(tables[place], seat) for place, seat in asked]
        chosen = player.choose([tables[place].standing.state for place, _ in asked], [seat for _, seat in asked], seeds)
        if len(chosen) != len(asked):
            raise ValueError(f"{player.name} was asked for {len(asked)} actions and answered {len(chosen)}")
        fallbacks = set(player.fallbacks)
        for (place, seat), seed, action in zip(asked, seeds, chosen, strict=True):
            tables[place].fallbacks[seat] += seed in fallbacks
            state = tables[place].standing.state
            if action == RESIGN and state.actor == seat:
                tables[place].resigned = seat
            elif action not in state.legal(seat):
                raise IllegalAction(f"{player.name} chose action {action}, illegal for player {seat} here:\n{state}")
            decided[place, seat] = action
    for place, table in enumerate(tables):
        if table.resigned is not None:
            continue
        own = tuple(decided[place, seat] for seat in table.seats())
        table.play(own if table.standing.state.actor == "all" else own[0])


def _seed_of(table: _Table, seat: int) -> int:
    return decision_seed(table.seed, table.first_seat, table.plies, seat)


def decision_seed(seed: int, first_seat: int, plies: int, seat: int) -> int:
    """Return the seed of a decision, from the game's seed, the first player's seat, the ply and the seat that acts.

    No two decisions of a match have the same seed.
    """
    return derive(seed, "decision", first_seat, plies, seat)


def _find_game(game: AnyGame) -> Game:
    return find_game(game) if isinstance(game, str) else game


def _name(player: AnyPlayer) -> str:
    return player.name if isinstance(player, Player) else str(player)
