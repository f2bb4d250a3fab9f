"""Self-play of a search: many games in parallel, their positions in one pool."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tengen.search import Pool
from tengen.selfplay.forks import evaluate_states
from tengen.selfplay.records import Decision
from tengen.selfplay.tables import Table, begin, consider_resigning, record_of

if TYPE_CHECKING:
    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game, RecordedGame
    from tengen.selfplay.records import GameRecord
    from tengen.selfplay.settings import SelfPlaySettings


_LEAST_PRIOR = 1e-6
"""Smallest prior that a surprise is computed with."""


def play_games(
    game: Game,
    evaluator: AnyEvaluator,
    settings: SelfPlaySettings,
    seeds: Sequence[int],
    progress: Callable[[int, int], None] = lambda _games, _visits: None,
    lines: Sequence[RecordedGame] = (),
) -> list[GameRecord]:
    """Play one game for each seed, `parallel` of them at a time, and return them in the order of the seeds.

    If there are `lines`, each game starts somewhere in one of them or, with `settings.fork_share`, that share of the
    games leaves one of them. `progress` is called with the numbers of finished games and of visits. Equal seeds and
    settings give equal games.
    """
    pool = Pool(game, settings.search, evaluator, batch=max(64, settings.parallel))
    judge = functools.partial(evaluate_states, game, pool.evaluator)
    waiting = list(reversed(seeds))
    tables: list[Table] = []
    done: dict[int, GameRecord | None] = {}
    visits = 0
    while waiting or tables:
        while waiting and len(tables) < settings.parallel:
            tables.append(begin(game, waiting.pop(), settings, lines, judge))
        for table in tables:
            _seat(pool, table)
        while not pool.step():
            progress(len(done), visits + _visits(pool, tables))
        visits += _visits(pool, tables)
        for table in tables:
            _move(pool, table, settings)
        for table in tables:
            if table.state.is_over or table.resigned is not None or table.proven is not None:
                done[table.seed] = record_of(game, table)
            elif len(table.state.history) >= settings.max_plies:
                done[table.seed] = None
        ended = [table for table in tables if table.seed in done]
        for table in ended:
            for root in set(table.roots.values()):
                pool.remove(root)
        tables = [table for table in tables if table.seed not in done]
        progress(len(done), visits)
    return [record for seed in seeds if (record := done[seed]) is not None]


def _visits(pool: Pool, tables: Sequence[Table]) -> int:
    return sum(pool.progress(root)[0] for table in tables for root in set(table.roots.values()))


def _play_chance(table: Table, pool: Pool | None) -> None:
    """Lets chance act until a player is to decide."""
    while table.state.actor == "chance":
        outcome = table.state.outcome(table.rng.getrandbits(63))
        if pool is not None:
            for root in set(table.roots.values()):
                pool.advance(root, outcome)
        table.state = table.state.play(outcome)


def _seat(pool: Pool, table: Table) -> None:
    """Gives each player who is to decide a root; where nothing is hidden, one tree stays for the whole game."""
    _play_chance(table, None)
    actor = table.state.actor
    if table.roots or actor is None:
        return
    if actor == "all" and not pool.game.hidden:
        root = pool.add(table.state, seed=table.rng.getrandbits(63))
        table.roots = dict.fromkeys(range(pool.game.players), root)
        return
    deciding = [actor] if isinstance(actor, int) else range(pool.game.players)
    table.roots = {p: pool.add(table.state, viewer=p, seed=table.rng.getrandbits(63)) for p in deciding}


def _move(pool: Pool, table: Table, settings: SelfPlaySettings) -> None:
    if not table.roots:
        return
    ply = len(table.state.history)
    temperature = settings.temperature_at(ply)
    actor = table.state.actor
    deciding = [actor] if isinstance(actor, int) else list(range(pool.game.players))
    chosen: list[int] = []
    for player in deciding:
        root = table.roots.get(player, next(iter(table.roots.values())))
        report = pool.report(root)
        # Six digits are more than a search means, and what a record holds is exactly what is learned from.
        moves = [move for move in report.moves if move.player == player]
        shares = {move.action: round(move.policy, 6) for move in moves}
        policy = {action: share for action, share in shares.items() if share > 0}
        surprise = _divergence(policy, {move.action: move.prior for move in moves})
        values = tuple(report.values)
        table.decisions.append(Decision(ply, player, policy, values, report.visits, report.is_full, surprise))
        consider_resigning(pool.game, table, player, report.values[player], settings)
        if settings.end_proven and report.proven:
            table.proven = tuple(report.values)
            chosen.append(pool.choose(root, temperature=0.0, player=player))
            continue
        is_random = settings.random_share > 0 and table.rng.random() < settings.random_share
        chosen.append(
            table.rng.choice(table.state.legal(player))
            if is_random
            else pool.choose(root, temperature=temperature, player=player)
        )
    action: Any = chosen[0] if isinstance(actor, int) else tuple(chosen)
    if pool.game.hidden:
        # Another seat sees something else: its search begins anew.
        for root in table.roots.values():
            pool.remove(root)
        table.roots = {}
        table.state = table.state.play(action)
        return
    root = next(iter(table.roots.values()))
    table.state = pool.advance(root, action)
    _play_chance(table, pool)


def _divergence(policy: Mapping[int, float], priors: Mapping[int, float]) -> float:
    """Return the Kullback-Leibler divergence of a policy from the evaluator's, in nats."""
    terms = (share * math.log(share / max(priors[action], _LEAST_PRIOR)) for action, share in policy.items())
    return max(0.0, round(math.fsum(terms), 4))
