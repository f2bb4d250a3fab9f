"""Samples per second of training and the memory of its samples, as before and with the settings of new runs.

    python benchmarks/training_speed.py connect_four shogi
    python benchmarks/training_speed.py connect_four --steps 40 --rounds 5

For each game, networks are trained on samples of random games. "before" is what `tengen learn` did at first: 48
channels × 5 blocks with squeeze-and-excitation, one thread, float32, batches of 256 from samples that are unpacked in
memory. "now" trains the same network with this machine's defaults from packed samples in a mapped file; "game" trains
the network that the game's runs have. Each variant runs in a process of its own, by turns, and the median over the
rounds is printed: samples per second of wall time and of processor time, and the resident memory that loading and
training add. On a machine with other work, compare processor time: wall time is divided by the number of threads.
"""

import argparse
import dataclasses
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import tengen
from tengen.champion import settings_for
from tengen.learning import TrainSettings, load_packed, load_samples, pack, samples_of, save_packed, save_samples
from tengen.nets import NetSettings
from tengen.search import SearchSettings
from tengen.selfplay import SelfPlaySettings, play_games

VARIANTS = ("before", "now", "game")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=["connect_four"])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=2000, help="samples to make; smaller numbers start sooner")
    parser.add_argument("--window", type=int, default=4, help="copies of the samples; 'before' unpacks them all")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measure(given.games[0], given.child[0], Path(given.child[1]), given.steps, given.window)))
        return
    for name in given.games:
        with tempfile.TemporaryDirectory() as folder:
            count = write_samples(name, Path(folder), given.samples)
            print(f"{name}: {count * given.window:,} samples, {given.steps} steps, {given.rounds} rounds")
            found: dict[str, list[dict[str, float]]] = {variant: [] for variant in VARIANTS}
            for _ in range(given.rounds):
                for variant in VARIANTS:
                    command = [
                        sys.executable,
                        __file__,
                        name,
                        "--steps",
                        str(given.steps),
                        "--window",
                        str(given.window),
                    ]
                    ran = subprocess.run([*command, "--child", variant, folder], stdout=subprocess.PIPE, check=True)
                    found[variant].append(json.loads(ran.stdout))
            print_table(found)


def print_table(found: dict[str, list[dict[str, float]]]) -> None:
    print(f"{'':8s}{'samples/s':>12s}{'per core':>12s}{'resident MB':>13s}{'of samples':>12s}")
    base = statistics.median(each["wall"] for each in found["before"])
    for variant, rounds in found.items():
        wall, core, resident, samples = (
            statistics.median(each[key] for each in rounds) for key in ("wall", "core", "resident_mb", "samples_mb")
        )
        ratio = f"{wall / base:6.2f} times"
        print(f"{variant:8s}{wall:12,.0f}{core:12,.0f}{resident:13,.0f}{samples:12,.0f}  {ratio}")


def write_samples(name: str, folder: Path, count: int) -> int:
    """Write samples of games by a search with few visits, packed and not."""
    game = tengen.game(name)
    records, decisions, seed = [], 0, 0
    play = SelfPlaySettings(search=SearchSettings(visits=2), parallel=16)
    while decisions < count:
        records += play_games(game, "uniform", play, range(seed, seed + 16))
        decisions, seed = sum(len(record.decisions) for record in records), seed + 16
    (folder / "packed.npz").write_bytes(save_packed(pack(game, records)))
    (folder / "samples.npz").write_bytes(save_samples(samples_of(game, records)))
    return decisions


def measure(name: str, variant: str, folder: Path, steps: int, window: int) -> dict[str, float]:
    """Return samples per second and megabytes of one training in this process."""
    from tengen.learning import PackedSamples, Samples, train
    from tengen.nets import Architecture, build

    game = tengen.game(name)
    now = settings_for(game)
    net = now.net if variant == "game" else NetSettings()
    network = build(Architecture.of(game, **(dataclasses.asdict(net) | seats_of(game))), 1)
    settings = dataclasses.replace(now.train, steps=steps, policy_loss="cross_entropy")
    if variant == "before":
        settings = TrainSettings(steps=steps, average=0.995, search_value_share=0.25, threads=1, batch_size=256)
    before = resident_mb()
    if variant == "before":
        samples = Samples.join([load_samples(folder / "samples.npz") for _ in range(window)])
    else:
        samples = PackedSamples.join([load_packed(folder / "packed.npz") for _ in range(window)])
    loaded = resident_mb()
    times: list[tuple[float, float]] = []
    train(game, network, samples, settings, lambda *_: times.append((time.perf_counter(), time.process_time())))
    wall, core = (statistics.median(np.diff([each[i] for each in times])) for i in (0, 1))
    size = settings.batch_size
    figures = {"wall": size / wall, "core": size / core, "resident_mb": resident_mb() - before}
    return figures | {"samples_mb": loaded - before}


def seats_of(game: tengen.Game) -> dict[str, str]:
    return {} if game.zero_sum and game.players == 2 else {"value": "seats"}


def resident_mb() -> float:
    """Return the resident memory of this process, mapped files included."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    main()
