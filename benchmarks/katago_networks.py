"""What an evaluation by a network of KataGo's costs, and what int16 loses.

    python benchmarks/katago_networks.py NETWORK.bin.gz [--features FEATURES.json.gz] [--seconds 0.5] [--avx2]

Prints milliseconds per evaluation, of the processor's time (steady on a busy machine) and of wall time, on boards of
9x9 and 19x19, by one and by two threads, in batches of 1, 8 and 16; then how far int16 is from float32 on positions of
the network's own games, and on those of a feature file as `tengen net check` reads it.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator

import numpy as np
from hold_to_avx2 import hold_to_avx2

import tengen
from tengen import _core
from tengen.nets.katago import Inputs, KataGoNetwork, RawOutput, inputs_of, load
from tengen.nets.katago.comparison import read_cases

SIZES = (9, 19)
BATCHES = (1, 8, 16)
ROUNDS = 3
OWN_GAMES = 4
OWN_LENGTH = 0.7
"""Of games that a network plays with itself, in moves a point of the board."""


def own_positions(network: KataGoNetwork, game: tengen.Game, count: int = 96, seed: int = 0) -> Inputs:
    """Positions of games in which moves are drawn from the network's policy."""
    rng = np.random.default_rng(seed)
    _, height, width = game.shape
    playing = [game.start(number) for number in range(OWN_GAMES)]
    seen: list[tengen.State] = []
    for _ in range(int(height * width * OWN_LENGTH) + 1):
        playing = [state for state in playing if not state.is_over]
        if not playing:
            break
        seen += playing
        inputs = inputs_of(playing)
        raw = network.evaluate(inputs.planes, inputs.globals, inputs.legal, white_to_move=inputs.white_to_move)
        odds = np.maximum(raw.policy.astype(np.float64), 0)
        moves = [int(rng.choice(len(row), p=row / row.sum())) for row in odds]
        playing = [state.play(move) for state, move in zip(playing, moves, strict=True)]
    return inputs_of([seen[i] for i in rng.permutation(len(seen))[:count]])


def networks(path: str, threads: int) -> Iterator[tuple[str, KataGoNetwork]]:
    network = load(path, threads=threads)
    if network.backend == "native":
        best = _core.instruction_sets()[-1]
        yield f"core fp32, {best}", network
        yield f"core int16, {best}", load(path, threads=threads, int16=True)
    yield "ONNX Runtime fp32", load(path, threads=threads, backend="onnxruntime")
    yield "OpenVINO fp32", load(path, threads=threads, backend="openvino")


def cost(network: KataGoNetwork, inputs: Inputs, batch: int, seconds: float) -> tuple[float, float]:
    """Milliseconds of the processor and of wall time for one evaluation: the best of some rounds."""
    planes, told = (np.resize(part, (batch, *part.shape[1:])) for part in (inputs.planes, inputs.globals))
    network.answer(planes, told)
    best = (np.inf, np.inf)
    for _ in range(ROUNDS):
        count, cpu, wall = 0, time.process_time(), time.perf_counter()
        while time.process_time() - cpu < seconds:
            network.answer(planes, told)
            count += batch
        best = (
            min(best[0], (time.process_time() - cpu) / count * 1e3),
            min(best[1], (time.perf_counter() - wall) / count * 1e3),
        )
    return best


def print_costs(path: str, positions: dict[int, Inputs], seconds: float) -> None:
    print(f"\nms per evaluation, processor (wall); load {os.getloadavg()[0]:.1f}")
    columns = "".join(f"{'batch ' + str(batch):>18}" for batch in BATCHES)
    print(f"{'':<20}{'board':>7}{'threads':>9}{columns}")
    for threads in (1, 2):
        for name, network in networks(path, threads):
            for size in SIZES:
                costs = [cost(network, positions[size], batch, seconds) for batch in BATCHES]
                row = "".join(f"{cpu:>10.2f} {f'({wall:.2f})':>7}" for cpu, wall in costs)
                print(f"{name:<20}{f'{size}x{size}':>7}{threads:>9}{row}", flush=True)


def answer(network: KataGoNetwork, inputs: Inputs) -> RawOutput:
    return network.evaluate(inputs.planes, inputs.globals, inputs.legal, white_to_move=inputs.white_to_move)


def print_loss(where: str, truth: RawOutput, found: RawOutput, legal: np.ndarray) -> None:
    p, q = (np.maximum(raw.policy.astype(np.float64), 1e-30) for raw in (truth, found))
    kl = np.where(legal, p * np.log(p / q), 0).sum(axis=1).mean()
    win = np.abs(truth.white_win - found.white_win)
    lead = np.abs(truth.white_lead - found.white_lead).mean()
    owner = np.abs(truth.white_ownership - found.white_ownership).mean()
    same = (p.argmax(axis=1) == q.argmax(axis=1)).mean()
    figures = f"{win.mean():>10.5f}{win.max():>9.5f}{kl:>11.1e}{100 * same:>9.1f} %{lead:>8.3f}{owner:>11.5f}"
    print(f"{where:<22}{len(p):>10}{figures}")


def print_losses(path: str, features: str | None) -> None:
    plain = load(path)
    if plain.backend != "native":
        return
    small = load(path, int16=True)
    print("\nint16 against float32: mean and largest error of the win rate, mean divergence of the policy in nats, how")
    print("often the likeliest move is the same, mean error of the lead in points and of a point's ownership")
    print(f"{'':<22}{'positions':>10}{'win':>10}{'worst':>9}{'policy':>11}{'move':>11}{'lead':>8}{'ownership':>11}")
    for size in SIZES:
        own = own_positions(plain, tengen.game("go", size=size), count=256, seed=1)
        print_loss(f"own games, {size}x{size}", answer(plain, own), answer(small, own), own.legal)
    cases = [] if features is None else read_cases(features)
    for size in SIZES:
        states = [case.state for case in cases if case.state.game.shape[1:] == (size, size)]
        if states:
            given = inputs_of(states)
            print_loss(f"features, {size}x{size}", answer(plain, given), answer(small, given), given.legal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("--features")
    parser.add_argument("--seconds", type=float, default=0.5, help="of processor time for each figure")
    parser.add_argument("--avx2", action="store_true", help="use no more of the processor than AVX2")
    given = parser.parse_args()
    if given.avx2:
        hold_to_avx2()
    network = load(given.network)
    print(f"{network.info.name}: {network.info.parameters:,} parameters")
    positions = {size: own_positions(network, tengen.game("go", size=size)) for size in SIZES}
    print_costs(given.network, positions, given.seconds)
    print_losses(given.network, given.features)


if __name__ == "__main__":
    main()
