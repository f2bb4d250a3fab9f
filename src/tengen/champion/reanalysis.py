"""Reanalysis: positions of earlier games, searched again with the newest network."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tengen.arena import SearchPlayer
from tengen.arena.seeds import derive
from tengen.champion.jobs import collect
from tengen.champion.packed_games import PackedGames, join_games, pack_games
from tengen.champion.repair import intact
from tengen.cluster import report
from tengen.search import Pool
from tengen.selfplay import Decision, GameRecord, decision_of, parse_record

if TYPE_CHECKING:
    from tengen.arena import Player
    from tengen.champion.jobs import Progress
    from tengen.champion.settings import LearnSettings
    from tengen.cluster import Workers
    from tengen.games import Game, State
    from tengen.runs import Run, Step
    from tengen.search import SearchSettings

__all__ = ["STEP", "Reanalyzed", "find_games", "find_source", "reanalyze", "reanalyze_games"]

STEP = "reanalyze"
_AT_ONCE = 512
"""Number of positions that are searched at the same time; it bounds the memory of their trees."""


def find_source(run: Run, settings: LearnSettings, iteration: int, records: str) -> Step | None:
    """Return the step whose games are searched again in an iteration.

    A step without a file `records`, such as one that stands for chunks of a teacher's games, is never searched again.
    """
    made = iteration - settings.reanalysis_age
    found = run.find("self-play", made) if settings.reanalysis_share else None
    return intact(run, "self-play", made, records) if found is not None and records in found.files else None


def find_games(run: Run, settings: LearnSettings, made: int, iteration: int, *files: str) -> Step | None:
    """Return the step with the games of iteration `made` from which iteration `iteration` learns."""
    again = made + settings.reanalysis_age
    renewed = intact(run, STEP, again, *files) if settings.reanalysis_share and again <= iteration else None
    return renewed or run.find("self-play", made)


def reanalyze(
    workers: Workers,
    game: Game,
    player: Player,
    settings: LearnSettings,
    lines: Sequence[str],
    iteration: int,
    progress: Progress,
) -> tuple[PackedGames, dict[str, float]]:
    """Search a share of the positions of games again, on workers, and return the new games with figures.

    `lines` are those of read_record_lines(), which workers parse. The number of workers changes nothing.
    """
    play = settings.selfplay.laid_over(player.settings) if isinstance(player, SearchPlayer) else settings.selfplay
    search = play.search.replace(fast_visits=0, full_probability=1.0)
    size = settings.selfplay.parallel
    tasks = [
        workers.submit(
            _reanalyze_part,
            game,
            player,
            search,
            lines[i : i + size],
            [derive(settings.seed, STEP, iteration, number) for number in range(i, min(i + size, len(lines)))],
            settings.reanalysis_share,
            iteration,
        )
        for i in range(0, len(lines), size)
    ]
    parts: list[_Part] = collect(workers, tasks, lambda part: (int(part[0].figures["games"]), part[1].visits), progress)
    games = join_games([games for games, _ in parts])
    found = [changes for _, changes in parts]
    positions = sum(each.positions for each in found)
    count = max(1, positions)
    return games, {
        "games": games.figures["games"],
        "samples": games.figures["samples"],
        "positions": float(positions),
        "visits": float(sum(each.visits for each in found)),
        "policy_change": sum(each.policy for each in found) / count,
        "value_change": sum(each.value for each in found) / count,
    }


class _Changes(NamedTuple):
    """Changes that a reanalysis made."""

    positions: int
    visits: int
    policy: float
    """Sum of the total variation distances between old and new policies."""
    value: float
    """Sum of the differences between old and new values of the player who decides, as shares of a full win."""


_Part: TypeAlias = tuple[PackedGames, _Changes]


def _reanalyze_part(
    game: Game,
    player: Player,
    search: SearchSettings,
    lines: Sequence[str],
    seeds: Sequence[int],
    share: float,
    iteration: int,
) -> _Part:
    """Reanalyze games in a worker and pack their samples."""
    records = [parse_record(line) for line in lines]
    found = reanalyze_games(game, player, search, records, seeds, share, report)
    policy = value = 0.0
    for before, after in zip(records, found.records, strict=True):
        for old, new in zip(before.decisions, after.decisions, strict=True):
            actions = sorted(old.policy.keys() | new.policy.keys())
            policy += sum(abs(old.policy.get(a, 0.0) - new.policy.get(a, 0.0)) for a in actions) / 2
            value += abs(old.values[old.player] - new.values[new.player]) / game.payoff_scale
    renewed = [dataclasses.replace(each, meta=each.meta | {"reanalyzed": iteration}) for each in found.records]
    return pack_games(game, renewed), _Changes(found.positions, found.visits, policy, value)


class Reanalyzed(NamedTuple):
    """Games after a reanalysis."""

    records: list[GameRecord]
    positions: int
    """Number of decisions that were made again."""
    visits: int


class _Place(NamedTuple):
    """A decision that is made again."""

    record: int
    decision: int
    state: State
    player: int
    seed: int


def reanalyze_games(
    game: Game,
    player: Player,
    search: SearchSettings,
    records: Sequence[GameRecord],
    seeds: Sequence[int],
    share: float,
    progress: Callable[[int, int], None] = lambda _games, _visits: None,
) -> Reanalyzed:
    """Return the records with new policies and values for a share of their decisions.

    The moves that were played and the results stay. A player that searches a tree does so with the settings `search`.
    """
    places: list[_Place] = []
    for number, (record, seed) in enumerate(zip(records, seeds, strict=True)):
        rng = random.Random(seed)
        states = list(record.replay(game))
        for index, decision in enumerate(record.decisions):
            if rng.random() < share:
                state = states[decision.ply]
                places.append(_Place(number, index, state, decision.player, rng.getrandbits(63)))
    decisions = [list(record.decisions) for record in records]
    visits = 0
    for first in range(0, len(places), _AT_ONCE):
        part = places[first : first + _AT_ONCE]
        for place, made in zip(part, _decide(game, player, search, part), strict=True):
            decisions[place.record][place.decision] = made
            visits += made.visits
        # Games before that of the next place are finished.
        following = places[first + _AT_ONCE : first + _AT_ONCE + 1]
        progress(following[0].record if following else len(records), visits)
    renewed = [
        dataclasses.replace(record, decisions=tuple(own)) for record, own in zip(records, decisions, strict=True)
    ]
    return Reanalyzed(renewed, len(places), visits)


def _decide(game: Game, player: Player, search: SearchSettings, places: Sequence[_Place]) -> list[Decision]:
    if not isinstance(player, SearchPlayer) or player.avoid or player.beliefs:
        choices = player.consider(*zip(*((each.state, each.player, each.seed) for each in places), strict=True))
        made = []
        for each, found in zip(places, choices, strict=True):
            policy = {action: float(f"{share:.5g}") for action, share in found.policy.items()}
            values = found.values or (0.0,) * game.players
            made.append(Decision(len(each.state.history), each.player, policy, values, found.visits, True))
        return made
    pool = Pool(game, search, player.evaluator)
    roots = []
    for each in places:
        viewer = None if each.state.actor == "all" and not game.hidden else each.player
        roots.append(pool.add(each.state, viewer=viewer, seed=each.seed))
    pool.run()
    return [
        decision_of(len(each.state.history), each.player, pool.report(root))
        for root, each in zip(roots, places, strict=True)
    ]
