"""How fast this machine plays and trains: measured in seconds, before a run is planned."""

from __future__ import annotations

import dataclasses
import itertools
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tengen.arena import FlatPlayer, SearchPlayer, find_player
from tengen.champion.settings import RECORDS_TEACHER, anchor_of
from tengen.cluster import File
from tengen.search import Pool, SearchSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.arena import Player, PlayerSpec
    from tengen.champion.settings import LearnSettings
    from tengen.cluster import Workers
    from tengen.evaluators import AnyEvaluator, DeviceServers
    from tengen.games import Game, State
    from tengen.nets import Network

__all__ = ["Speed", "measure_speed"]

_GAMES = 6
_MAX_PLIES = 2000
_SHORTEST_S, _LONGEST_S = 0.2, 1.0
_ROLLOUT_ROOTS = 4
_VISITS_A_STEP = 8
_WORLDS = 8
_BATCHES = 4
_SEED = 1
_READ_S = 3e-4
"""Seconds for a position that is read from a record."""


@dataclass(frozen=True)
class Speed:
    """Seconds that things take in one worker while all of them are busy."""

    workers: int
    plies: float
    """Plies of a random game."""
    teacher_visit_s: float
    """A visit of the player of the first games; of flat Monte Carlo, a world of every action."""
    player_visit_s: float
    """A visit of the player that learns, likewise."""
    anchor_decision_s: float
    batch_s: float
    """A batch of training, which takes place in one process."""
    anchor_visits: int
    """Visits of a decision of the fixed player that was measured."""


def measure_speed(game: Game, settings: LearnSettings, workers: Workers, servers: DeviceServers | None = None) -> Speed:
    """Measure for a few seconds. All workers measure at the same time, so that they slow each other down as in a run.

    With evaluation `servers`, the network is evaluated there."""
    from tengen.nets import Architecture, Checkpoint, build, export_onnx, save_checkpoint

    anchor = anchor_of(settings)
    network = build(Architecture.of(game, **settings.net_choices(game)), _SEED)
    with tempfile.TemporaryDirectory() as folder:
        evaluator: str | Path
        if servers is None:
            path = Path(folder) / "net.onnx"
            path.write_bytes(export_onnx(network))
            evaluator = File(path)
        else:
            path = Path(folder) / "net.safetensors"
            path.write_bytes(save_checkpoint(Checkpoint(network, game.id, dict(game.settings))))
            evaluator = servers.name(path)
        for i in range(workers.size):
            workers.submit(_measure_play, game, settings, anchor, evaluator, _SEED + i)
        found = np.array([part for _, part in workers.results()])
    plies, teacher_s, player_s, anchor_s = (float(number) for number in found.mean(axis=0))
    batch_s = _measure_training(game, settings, network)
    return Speed(workers.size, plies, teacher_s, player_s, anchor_s, batch_s, anchor.visits or 1)


def _measure_play(
    game: Game, settings: LearnSettings, anchor: PlayerSpec, network: str | Path, seed: int
) -> tuple[float, ...]:
    """In a worker: plies of a game, then seconds as in Speed."""
    plies, states = _random_states(game, seed)
    return (
        plies,
        _teacher_visit(game, settings, states, seed),
        _visit(game, _self_player(game, settings, network), states, settings.selfplay.parallel, seed),
        _anchor_decision(game, find_player(anchor, game), states, seed),
    )


def _anchor_decision(game: Game, player: Player, states: Sequence[State], seed: int) -> float:
    """Return the seconds of a decision. A long search is not made: its visits are measured and multiplied."""
    if isinstance(player, SearchPlayer):
        return player.settings.visits * _visit(game, player, states, 1, seed)
    if isinstance(player, FlatPlayer):
        worlds = player.settings.worlds
        return worlds * _visit(game, player, states, 1, seed)
    return _decision(player, states, seed)


def _teacher_visit(game: Game, settings: LearnSettings, states: Sequence[State], seed: int) -> float:
    if settings.teacher == RECORDS_TEACHER:
        return _READ_S
    return _visit(game, find_player(settings.teacher, game), states, _ROLLOUT_ROOTS, seed)


def _random_states(game: Game, seed: int) -> tuple[float, list[State]]:
    """How long games last, and positions of all their parts in which somebody decides."""
    rng = random.Random(seed)
    found: list[State] = []
    began = time.monotonic()
    games = 0
    while games < _GAMES and (not found or time.monotonic() - began < _LONGEST_S):
        state = game.start(rng.getrandbits(32))
        games += 1
        for _ in range(_MAX_PLIES):
            if state.is_over:
                break
            if state.actor == "chance":
                state = state.play(state.outcome(rng.getrandbits(32)))
                continue
            found.append(state)
            players = range(game.players) if state.actor == "all" else [state.actor]
            actions = tuple(rng.choice(state.legal(player)) for player in players)
            state = state.play(actions if state.actor == "all" else actions[0])
    rng.shuffle(found)
    return len(found) / games, found


def _self_player(game: Game, settings: LearnSettings, network: str | Path) -> Player:
    """As it plays itself."""
    player = find_player(settings.self_play_player, game, network=network)
    if isinstance(player, SearchPlayer):
        player.settings = settings.selfplay.laid_over(player.settings).search
    return player


def _visit(game: Game, player: Player, states: Sequence[State], roots: int, seed: int) -> float:
    """Return the seconds of a visit, or a world, of the player's decisions; `roots` positions are searched together."""
    if isinstance(player, SearchPlayer):
        return _search_visit(game, player.evaluator, player.settings, states, roots)
    if isinstance(player, FlatPlayer):
        player.settings = dataclasses.replace(player.settings, worlds=_WORLDS)
        return _decision(player, states, seed) / _WORLDS
    return _decision(player, states, seed)


def _search_visit(
    game: Game, evaluator: AnyEvaluator, search: SearchSettings, states: Sequence[State], roots: int
) -> float:
    """Return the seconds of a visit when `roots` positions are searched together, measured until the time is up."""
    plain = SearchSettings()
    full = search.replace(fast_visits=plain.fast_visits, full_probability=plain.full_probability)
    pool = Pool(game, full, evaluator, batch=max(64, roots))
    visits, next_state = 0, itertools.cycle(states)
    began = time.monotonic()
    while time.monotonic() - began < _SHORTEST_S:
        made = []
        for number in range(roots):
            state = next(next_state)
            viewer = state.actor if isinstance(state.actor, int) else 0 if game.hidden else None
            made.append(pool.add(state, viewer=viewer, seed=number))
        # One visit first: in a slow game a few of them take longer than the whole measurement should.
        step = 1
        while not pool.step(step) and time.monotonic() - began < _LONGEST_S:
            step = min(2 * step, _VISITS_A_STEP)
        visits += sum(pool.progress(root)[0] for root in made)
        for root in made:
            pool.remove(root)
    return (time.monotonic() - began) / max(1, visits)


def _decision(player: Player, states: Sequence[State], seed: int) -> float:
    return _time_each(lambda state: player.choose([state], [_seat(state)], [seed]), states)


def _seat(state: State) -> int:
    return state.actor if isinstance(state.actor, int) else 0


def _time_each(act: Callable[[State], object], states: Sequence[State]) -> float:
    began, count = time.monotonic(), 0
    for state in states:
        act(state)
        count += 1
        if time.monotonic() - began > _SHORTEST_S:
            break
    return (time.monotonic() - began) / count


def _measure_training(game: Game, settings: LearnSettings, network: Network) -> float:
    from tengen.learning import Samples, train

    size = settings.train.batch_size
    samples = Samples(
        np.zeros((size, *game.shape), np.float32),
        np.full((size, game.policy_count), 1 / game.policy_count, np.float32),
        result=np.zeros(size, np.float32),
        search_value=np.zeros(size, np.float32),
        moves_left=np.zeros(size, np.float32),
        aux=np.zeros((size, game.aux_count), np.float32),
        hidden_labels=np.zeros((size, game.hidden_label_count), np.float32),
    )
    times: list[float] = []
    few = dataclasses.replace(settings.train, steps=_BATCHES)
    train(game, network, samples, few, lambda *_: times.append(time.monotonic()))
    # The first one is slower than all others.
    return (times[-1] - times[0]) / (len(times) - 1)
