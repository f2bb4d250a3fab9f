"""Self-play of one player, many games in parallel."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tengen.selfplay.deciders import PlayerDecider, PolicyDecider, SearchDecider
from tengen.selfplay.games import play_tables
from tengen.selfplay.tables import Table, begin, begin_state, record_of

if TYPE_CHECKING:
    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game, RecordedGame
    from tengen.selfplay.deciders import Considering
    from tengen.selfplay.records import GameRecord
    from tengen.selfplay.settings import SelfPlaySettings

__all__ = ["play_games", "play_player_games", "play_policy_games"]

Progress: TypeAlias = "Callable[[int, int], None]"


def _ignore(_games: int, _visits: int) -> None:
    pass


def play_games(
    game: Game,
    evaluator: AnyEvaluator,
    settings: SelfPlaySettings,
    seeds: Sequence[int],
    progress: Progress = _ignore,
    lines: Sequence[RecordedGame] = (),
) -> list[GameRecord]:
    """Play one game for each seed, `parallel` of them at a time, and return them in the order of the seeds.

    If there are `lines`, each game starts somewhere in one of them or, with `settings.fork_share`, that share of the
    games leaves one of them. `progress` is called with the numbers of finished games and of visits. Equal seeds and
    settings give equal games.
    """
    search = SearchDecider(game, evaluator, settings)

    def begin_all() -> Iterable[Table]:
        for seed in seeds:
            table = begin(game, seed, settings, lines, search.judge)
            table.follow_tree = search.follow
            yield table

    return _play(game, begin_all(), search, settings.parallel, seeds, progress)


def play_policy_games(
    game: Game,
    player: Considering,
    settings: SelfPlaySettings,
    seeds: Sequence[int],
    progress: Progress = _ignore,
    lines: Sequence[RecordedGame] = (),
) -> list[GameRecord]:
    """Play like play_games(), with moves drawn from the player's policy at the settings' temperatures.

    This is for games in which one player decides at a time and nothing is dealt.
    """
    policy = PolicyDecider(game, player, settings)
    tables = (begin(game, seed, settings, lines, policy.judge) for seed in seeds)
    return _play(game, tables, policy, settings.parallel, seeds, progress)


def play_player_games(
    game: Game,
    player: Considering,
    seeds: Sequence[int],
    progress: Progress = _ignore,
    lines: Sequence[RecordedGame] = (),
) -> list[GameRecord]:
    """Play like play_games(), one game after the other, with actions drawn from the player's policy as it is."""

    def begin_all() -> Iterable[Table]:
        for seed in seeds:
            rng = random.Random(seed)
            state, deal, start = begin_state(game, seed, rng, lines)
            yield Table(state, seed, rng, may_resign=True, start=start, deal_seed=deal, in_turn=True)

    return _play(game, begin_all(), PlayerDecider(game, player), 1, seeds, progress)


def _play(
    game: Game,
    tables: Iterable[Table],
    decider: SearchDecider | PlayerDecider,
    parallel: int,
    seeds: Sequence[int],
    progress: Progress,
) -> list[GameRecord]:
    done: dict[int, GameRecord | None] = {}

    def tell(_live: Sequence[Table] = ()) -> None:
        progress(len(done), decider.work)

    if isinstance(decider, SearchDecider):
        decider.after_step = tell
    for table in play_tables(tables, [decider.decide], parallel, tell):
        if isinstance(decider, SearchDecider):
            decider.forget(table)
        # A game that is too long has no record.
        done[table.seed] = record_of(game, table) if table.has_result else None
    return [record for seed in seeds if (record := done[seed]) is not None]
