"""How fast Connect Four is learned: self-play and training by today's defaults and by those of commit 15e98c5.

    python benchmarks/learning_speed.py
    python benchmarks/learning_speed.py --run runs/connect-four-1/run --run runs/go9/run

Both networks, the 48x5 with squeeze of that commit and today's default, learn from the same games of rollout:200 for
the same number of passes. Then they play self-play in turns, each by its own settings. The older settings are measured
twice: with ONNX Runtime, which evaluated such networks then, and in the core, which does today.

Searches of self-play differ in quality. It is measured in solved positions in which a mistake is possible, as the share
of moves that keep the best result, noise included: of the moves as played, some of which are chosen by a fast search;
of those that the searches with full visits choose; and of the first moves of the policies that are learned. The last
row has today's settings with as many visits, doubled and doubled again, as make the choices of full searches as good as
those of the older settings.

Training samples per second are those of the training of these networks: one thread and batches of 256 as then, and
today's settings. With --run, the share of a run's time that its gates took is read from the durations in its manifests.
Rates are for a second of processor time, because the machine may be busy; training is given for wall time as well.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strength_measures import COURSES
from strength_positions import Solved, find_positions

import tengen
from tengen.arena import find_player
from tengen.champion import settings_for
from tengen.evaluators import find_evaluator
from tengen.evaluators.network import NetworkEvaluator, only_input
from tengen.learning import TrainSettings, samples_of, train
from tengen.nets import Architecture, NetSettings, build, export_onnx
from tengen.nets.runtimes import OnnxRuntime
from tengen.runs import Run
from tengen.search import Pool, SearchSettings
from tengen.selfplay import SelfPlaySettings, play_games

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tengen.games import Game
    from tengen.learning import Samples

TEACHER = "rollout:200"
MOST_DOUBLINGS = 5


@dataclass(frozen=True)
class Settings:
    """The settings of a version that decide how fast it learns."""

    name: str
    net: NetSettings
    play: SelfPlaySettings
    train: TrainSettings


EARLIER = Settings(
    "15e98c5",
    NetSettings(channels=48, blocks=5, squeeze=True),
    SelfPlaySettings(
        search=SearchSettings(
            visits=200,
            fast_visits=40,
            full_probability=0.3,
            noise_fraction=0.25,
            forced_playouts=2.0,
            cache_entries=1 << 15,
        ),
        temperature=1.0,
        temp_moves=8,
        late_temperature=0.0,
        parallel=64,
    ),
    TrainSettings(batch_size=256, average=0.995, search_value_share=0.25, threads=1),
)


class RuntimeOnly(NetworkEvaluator):
    """A network in ONNX Runtime, also if the core could compute it."""

    def __init__(self, path: Path) -> None:
        self._runtime = OnnxRuntime(path, str(path), threads=1)
        self._input, port = only_input(path, self._runtime.inputs)
        super().__init__(path, port.shape, {name: output.shape for name, output in self._runtime.outputs.items()})

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        return self._runtime.run({self._input: features}, list(self._outputs))


def todays() -> Settings:
    settings = settings_for(tengen.game("connect_four"))
    return Settings("today", settings.net, settings.selfplay, settings.train)


def teach(game: Game, settings: Settings, samples: Samples, passes: float, file: Path) -> tuple[float, float]:
    """Train a new network into a file and return the samples of a second of processor time and of wall time."""
    choices = dataclasses.asdict(settings.net)
    network = build(Architecture.of(game, **choices), 1)
    steps = max(1, math.ceil(passes * len(samples) / settings.train.batch_size))
    wall, processor = time.perf_counter(), time.process_time()
    trained = train(game, network, samples, dataclasses.replace(settings.train, steps=steps, seed=1), is_fresh=True)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    file.write_bytes(export_onnx(trained.network))
    seen = steps * settings.train.batch_size
    return seen / processor, seen / wall


def play(game: Game, evaluator: Any, settings: Settings, seeds: range) -> tuple[float, float]:
    """Return the games of self-play, and the samples of these games, in a second of processor time."""
    begun = time.process_time()
    records = play_games(game, evaluator, settings.play, list(seeds))
    spent = time.process_time() - begun
    return len(records) / spent, len(samples_of(game, records)) / spent


@dataclass(frozen=True)
class Quality:
    """Shares of moves that keep the best result."""

    played: float
    full: float
    learned: float


def quality(game: Game, evaluator: Any, search: SearchSettings, positions: list[Solved]) -> Quality:
    full = dataclasses.replace(search, fast_visits=0, full_probability=1.0)
    chosen, learned = _search(game, evaluator, full, positions)
    played = _search(game, evaluator, search, positions)[0] if search.fast_visits else chosen
    return Quality(played, chosen, learned)


def _search(game: Game, evaluator: Any, search: SearchSettings, positions: list[Solved]) -> tuple[float, float]:
    """Return how often the choice and the first move of the policy keep the best result."""
    pool = Pool(game, search, evaluator)
    roots = [pool.add(position.state, seed=1 + i) for i, position in enumerate(positions)]
    pool.run()
    chosen = [pool.choose(root, temperature=0) for root in roots]
    learned = [max(pool.report(root).moves, key=lambda move: move.policy).action for root in roots]
    kept = [
        sum(position.keeps(action) for position, action in zip(positions, actions, strict=True))
        for actions in (chosen, learned)
    ]
    return kept[0] / len(positions), kept[1] / len(positions)


def with_visits(settings: Settings, visits: int) -> Settings:
    search = dataclasses.replace(settings.play.search, visits=visits)
    return dataclasses.replace(settings, play=dataclasses.replace(settings.play, search=search))


def equal_visits(game: Game, evaluator: Any, settings: Settings, positions: list[Solved], full: float) -> Settings:
    """Return the settings with the visits that make full searches keep the best result as often as `full`."""
    for _ in range(MOST_DOUBLINGS):
        if quality(game, evaluator, settings.play.search, positions).full >= full:
            break
        settings = with_visits(settings, 2 * settings.play.search.visits)
    return settings


def compare(options: argparse.Namespace, folder: Path) -> None:
    """Print the table of self-play and training."""
    game = tengen.game("connect_four")
    course = COURSES["connect_four"]
    assert course.plies is not None
    positions = [each for each in find_positions(game, options.positions, course.plies) if each.has_mistakes]
    teacher = find_player(TEACHER, game)
    plain = SelfPlaySettings(parallel=64)
    samples = samples_of(
        game, teacher.self_play(game, plain, list(range(options.teacher_games)), lambda _games, _visits: None)
    )
    rows: dict[str, tuple[Settings, Any]] = {}
    qualities: dict[str, Quality] = {}
    trained: dict[str, tuple[float, float]] = {}
    for settings in (EARLIER, todays()):
        file = folder / f"{settings.name}.onnx"
        trained[settings.name] = teach(game, settings, samples, options.passes, file)
        evaluator: Any = find_evaluator(str(file), game)
        found = quality(game, evaluator, settings.play.search, positions)
        if settings is EARLIER:
            rows[f"{settings.name}, ONNX Runtime"] = (settings, RuntimeOnly(file))
            qualities[f"{settings.name}, ONNX Runtime"] = found
        rows[f"{settings.name}, core"] = (settings, evaluator)
        qualities[f"{settings.name}, core"] = found
    equal = equal_visits(game, evaluator, settings, positions, qualities[f"{EARLIER.name}, core"].full)
    name = f"{settings.name}, {equal.play.search.visits} visits"
    rows[name] = (equal, evaluator)
    qualities[name] = quality(game, evaluator, equal.play.search, positions)
    speeds: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
    for turn in range(options.turns):
        for name, (settings, evaluator) in rows.items():
            first = turn * options.games
            speeds[name].append(play(game, evaluator, settings, range(first, first + options.games)))
    show_self_play(speeds, qualities)
    print(f"\n{'training':24}{'samples/s':>10}{'ratio':>8}{'of wall time':>14}{'ratio':>8}")
    processor_base, wall_base = trained[EARLIER.name]
    for name, (processor, wall) in trained.items():
        print(f"{name:24}{processor:10.0f}{processor / processor_base:8.2f}{wall:14.0f}{wall / wall_base:8.2f}")


def show_self_play(speeds: dict[str, list[tuple[float, float]]], qualities: dict[str, Quality]) -> None:
    heads = "".join(
        f"{head:>14}" for head in ("games/s", "ratio", "samples/s", "moves played", "full searches", "learned")
    )
    print(f"{'self-play':24}{heads}")
    base = 0.0
    for name, figures in speeds.items():
        games, samples = (statistics.median(each) for each in zip(*figures, strict=True))
        base = base or games
        found = qualities[name]
        kept = "".join(f"{100 * share:12.1f} %" for share in (found.played, found.full, found.learned))
        print(f"{name:24}{games:14.1f}{games / base:14.2f}{samples:14.0f}{kept}", flush=True)


def show_gates(folder: Path) -> None:
    """Print the share of a run's time that each kind of step took."""
    times: dict[str, float] = {}
    for step in Run.open(folder).steps():
        times[step.name] = times.get(step.name, 0.0) + step.duration_s
    shares = ", ".join(f"{name} {100 * spent / sum(times.values()):.1f} %" for name, spent in times.items())
    print(f"\n{folder}: {sum(times.values()) / 60:.1f} min: {shares}; the gate is arena")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=192, help="of self-play a turn (default %(default)s)")
    parser.add_argument("--turns", type=int, default=3, help="of which the median counts (default %(default)s)")
    parser.add_argument("--teacher-games", type=int, default=512, help="to learn from (default %(default)s)")
    parser.add_argument("--passes", type=float, default=6.0, help="over their samples (default %(default)s)")
    parser.add_argument("--positions", type=int, default=1000, help="solved positions (default %(default)s)")
    parser.add_argument("--run", type=Path, action="append", default=[], metavar="DIR", help="a run; may be repeated")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        compare(options, Path(folder))
    for run in options.run:
        show_gates(run)


if __name__ == "__main__":
    main()
