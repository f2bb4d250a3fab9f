"""Fits the weights of Pokémon's heuristic to how battles end that the search plays with itself.

    python scripts/pokemon_evaluation.py --battles 1000 --visits 200

Prints the weights in the order of core/games/pokemon/evaluation.hpp, for kWeights in evaluation.cpp, and how well they
and those in use foretell battles that were kept out of the fit. Weights are held to those in use: a thousand battles
say little of what is rare.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tengen
from tengen.arena import find_player

CORE = Path(__file__).parent.parent / "core" / "games" / "pokemon"
Floats = NDArray[np.float64]


def read_names() -> list[str]:
    text = (CORE / "evaluation.hpp").read_text(encoding="utf-8")
    return re.findall(r"^  (k\w+),", text.split("enum Feature")[1].split("kFeatures")[0], re.MULTILINE)


def read_weights() -> Floats:
    text = (CORE / "evaluation.cpp").read_text(encoding="utf-8").split("kWeights = {")[1].split("};")[0]
    return np.array([float(number) for number in re.findall(r"(-?[0-9.]+)F,", text)])


def play(battles: int, visits: int, seed: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """What every decision looked like, whether the first side won, and the battle it is of."""
    game = tengen.game("pokemon")
    player = find_player(f"heuristic:{visits}", game)
    states = [game.start(seed + number) for number in range(battles)]
    seen: list[list[list[float]]] = [[] for _ in states]
    step = 0
    while True:
        going = [number for number, state in enumerate(states) if not state.is_over]
        if not going:
            break
        asked = [
            (number, seat)
            for number in going
            for seat in ((0, 1) if states[number].actor == "all" else (states[number].actor,))
        ]
        for number in going:
            seen[number].append(game.core.features(states[number].position))
        step += 1
        seeds = [hash((seed, step, number, seat)) % 2**62 for number, seat in asked]
        chosen = player.choose([states[number] for number, _ in asked], [seat for _, seat in asked], seeds)
        actions: dict[int, list[int]] = {}
        for (number, _), action in zip(asked, chosen, strict=True):
            actions.setdefault(number, []).append(action)
        for number, joint in actions.items():
            states[number] = states[number].play(tuple(joint) if len(joint) == 2 else joint[0])
    rows = [row for battle in seen for row in battle]
    won = [(states[number].payoffs[0] + 1) / 2 for number, battle in enumerate(seen) for _ in battle]
    battle_of = [number for number, battle in enumerate(seen) for _ in battle]
    return np.array(rows), np.array(won), np.array(battle_of)


def fit(features: Floats, won: Floats, begin: Floats, pull: float) -> Floats:
    """Newton's method on the log-likelihood; values are tanh of the weighted sum."""
    scale = features.std(0) + 1e-9
    rows, change = features / scale, np.zeros(len(begin))
    for _ in range(8):
        chance = 1 / (1 + np.exp(-2 * rows @ (begin * scale + change)))
        slope = 2 * rows.T @ (chance - won) + pull * change
        curve = 4 * (rows * (chance * (1 - chance))[:, None]).T @ rows + pull * np.eye(len(begin))
        change -= np.linalg.solve(curve, slope)
    return begin + change / scale


def loss(weights: Floats, features: Floats, won: Floats) -> float:
    chance = np.clip(1 / (1 + np.exp(-2 * features @ weights)), 1e-6, 1 - 1e-6)
    return float(-(won * np.log(chance) + (1 - won) * np.log(1 - chance)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--battles", type=int, default=1000)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pull", type=float, default=10_000, help="how strongly weights are held to those in use")
    args = parser.parse_args()
    features, won, battle_of = play(args.battles, args.visits, args.seed)
    begin, kept_out = read_weights(), battle_of % 4 == 0
    tried = fit(features[~kept_out], won[~kept_out], begin, args.pull)
    print(
        f"{len(won)} decisions; kept out: {loss(begin, features[kept_out], won[kept_out]):.4f} with the weights in use,"
    )
    print(f"{loss(tried, features[kept_out], won[kept_out]):.4f} fitted to the others")
    for name, weight in zip(read_names(), fit(features, won, begin, args.pull), strict=True):
        print(f"    {weight:.3f}F,  // {name}")


if __name__ == "__main__":
    main()
