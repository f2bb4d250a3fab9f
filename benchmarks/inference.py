"""How fast each back end runs a network, and what int8 costs in accuracy.

    python benchmarks/inference.py                  # trains a network on rollout games first: a few minutes
    python benchmarks/inference.py --run RUN        # takes a learning run's latest network that has held-out games

Prints evaluations per second on one thread at batches of 1, 8 and 64, of the processor's time (steady on a busy
machine) and of wall time, and how far every back end's answers are from PyTorch's on positions that the network was not
trained on. int8 is calibrated on self-play positions that it was trained on.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

import tengen
from tengen.arena.seeds import derive
from tengen.evaluators import NetworkEvaluator, Onnx, OpenVino, Torch
from tengen.evaluators.fastest import MAX_POLICY_KL, MAX_VALUE_ERROR, Positions, deviation
from tengen.games import Game
from tengen.learning import Samples, TrainSettings, samples_of, train
from tengen.nets import Architecture, Checkpoint, build, count_parameters, export_onnx, quantize, save_checkpoint
from tengen.runs import Run
from tengen.search import default_settings
from tengen.selfplay import GameRecord, SelfPlaySettings, load_records, play_games

BATCHES = (1, 8, 64)
MAX_POSITIONS = 4096


def from_scratch(game: Game, channels: int, blocks: int, games: int, steps: int, folder: Path) -> list[GameRecord]:
    """Trains a plain residual network on rollout games; answers other games of the same kind."""
    play = SelfPlaySettings(search=default_settings("rollout", visits=200))
    records = play_games(game, "rollout", play, [derive(1, "inference", i) for i in range(games + games // 4)])
    samples = samples_of(game, records[:games])
    architecture = Architecture.of(game, channels=channels, blocks=blocks, squeeze=False, pooling=False)
    network = build(architecture, 1)
    print(f"{channels} channels x {blocks} blocks, {count_parameters(network):,} parameters; ", end="", flush=True)
    print(f"trained for {steps} steps on {len(samples):,} positions of {games} rollout games")
    settings = TrainSettings(steps=steps, average=0.99, threads=1)
    write_files(folder, train(game, network, samples, settings).network, game, samples)
    return records[games:]


def from_run(run: Run, folder: Path) -> list[GameRecord]:
    """The latest network that games were played after; answers those games."""
    played = {step.iteration or 0: step for step in run.steps("self-play")}
    last = max(played)
    step = max((s for s in run.steps("train") if (s.iteration or 0) < last), key=lambda s: s.iteration or 0)
    own = step.iteration or 0
    samples = tengen.Run(run.path).samples(own)
    print(f"{run.path.name}: the network of iteration {own}, held out are iterations {own + 1} to {last}")
    (folder / "net.safetensors").write_bytes(step.file("net.safetensors").read_bytes())
    (folder / "net.onnx").write_bytes(step.file("net.onnx").read_bytes())
    write_int8(folder, samples)
    return [
        record
        for i in range(own + 1, last + 1)
        for record in load_records(played[i].file("games.jsonl.gz").read_bytes())
    ]


def write_files(folder: Path, network: torch.nn.Module, game: Game, samples: Samples) -> None:
    (folder / "net.safetensors").write_bytes(save_checkpoint(Checkpoint(network, game.id, dict(game.settings))))
    (folder / "net.onnx").write_bytes(export_onnx(network))
    write_int8(folder, samples)


def write_int8(folder: Path, samples: Samples, count: int = 1024) -> None:
    rows = np.random.default_rng(0).permutation(len(samples))[:count]
    (folder / "net.int8.onnx").write_bytes(quantize((folder / "net.onnx").read_bytes(), samples.features[rows]))


def back_ends(folder: Path) -> dict[str, NetworkEvaluator]:
    return {
        "PyTorch fp32": Torch(folder / "net.safetensors", "cpu"),
        "ONNX Runtime fp32": Onnx(folder / "net.onnx"),
        "ONNX Runtime int8": Onnx(folder / "net.int8.onnx"),
        "OpenVINO fp32": OpenVino(folder / "net.onnx"),
        "OpenVINO int8": OpenVino(folder / "net.int8.onnx"),
    }


def speed(evaluator: NetworkEvaluator, batch: np.ndarray, seconds: float) -> tuple[float, float]:
    """Evaluations per second of processor time and of wall time, the best of three."""
    evaluator.answer(batch)
    best = (0.0, 0.0)
    for _ in range(3):
        count, wall, cpu = 0, time.perf_counter(), time.process_time()
        while time.process_time() - cpu < seconds:
            evaluator.answer(batch)
            count += len(batch)
        rates = count / (time.process_time() - cpu), count / (time.perf_counter() - wall)
        best = max(best[0], rates[0]), max(best[1], rates[1])
    return best


def held_out(game: Game, records: list[GameRecord]) -> Positions:
    states = [states[d.ply] for record in records for states in [list(record.replay(game))] for d in record.decisions]
    chosen = np.random.default_rng(1).permutation(len(states))[:MAX_POSITIONS]
    return Positions.of([states[i] for i in chosen])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--game", default="pyrga")
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=0.5, help="of processor time for each figure")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if given.run is not None:
            run = Run.open(given.run)
            game = tengen.game(run.settings["game"]["name"], **run.settings["game"]["settings"])
            records = from_run(run, folder)
        else:
            game = tengen.game(given.game)
            records = from_scratch(game, given.channels, given.blocks, given.games, given.steps, folder)
        torch.set_num_threads(1)
        positions = held_out(game, records)
        found = back_ends(folder)
        print(f"\nEvaluations per second, one thread, processor time (wall time); load {os.getloadavg()[0]:.1f}")
        print(f"{'back end':<18}" + "".join(f"{'batch ' + str(batch):>20}" for batch in BATCHES))
        for name, evaluator in found.items():
            rates = [speed(evaluator, positions.features[:batch], given.seconds) for batch in BATCHES]
            print(f"{name:<18}" + "".join(f"{cpu:>11,.0f} {f'({wall:,.0f})':>8}" for cpu, wall in rates), flush=True)
        truth = found["PyTorch fp32"]
        print(f"\nAgainst PyTorch on {len(positions):,} held-out positions")
        print(f"{'back end':<18}{'policy KL':>12}{'same best move':>16}{'value error':>13}{'worst':>9}{'accurate':>10}")
        for name, evaluator in found.items():
            d = deviation(game, truth, evaluator, positions)
            said = "yes" if d.is_accurate else "no"
            print(
                f"{name:<18}{d.policy_kl:>12.2e}{100 * d.agreement:>14.2f} %{d.value_error:>13.2e}"
                f"{d.worst_value_error:>9.1e}{said:>10}"
            )
        print(f"Accurate is a policy KL of at most {MAX_POLICY_KL} and a value error of at most {MAX_VALUE_ERROR}.")


if __name__ == "__main__":
    main()
