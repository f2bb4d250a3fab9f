"""Fits the weights of Pokémon's heuristic to how battles end that the search plays with itself.

    python scripts/pokemon_evaluation.py --battles 1000 --visits 200
    python scripts/pokemon_evaluation.py --records runs/pokemon/steps/*-teacher-games/games.jsonl.gz

The second line takes battles that a learning run has recorded. What a battle looks like is taken from a world drawn
anew for who decides, as in a search; the target is half the result, half what the search promised, whose noise is
smaller. Prints the weights in the order of core/games/pokemon/evaluation.hpp, for kWeights in evaluation.cpp, and how
well they and those in use foretell battles that were kept out of the fit. Weights are held to those in use: a thousand
battles say little of what is rare.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tengen
from tengen.search import default_settings
from tengen.selfplay import GameRecord, SelfPlaySettings, load_records, play_games

CORE = Path(__file__).parent.parent / "core" / "games" / "pokemon"
FOLDS = 4
Floats = NDArray[np.float64]


def read_names() -> list[str]:
    text = (CORE / "evaluation.hpp").read_text(encoding="utf-8")
    return re.findall(r"^  (k\w+),", text.split("enum Feature")[1].split("kFeatures")[0], re.MULTILINE)


def read_weights() -> Floats:
    text = (CORE / "evaluation.cpp").read_text(encoding="utf-8").split("kWeights = {")[1].split("};")[0]
    return np.array([float(number) for number in re.findall(r"(-?[0-9.]+)F,", text)])


def play(battles: int, visits: int, seed: int) -> list[GameRecord]:
    search = default_settings("heuristic", visits=visits)
    settings = SelfPlaySettings(search=search, late_temperature=1.0, random_share=0.03)
    return play_games(tengen.game("pokemon"), "heuristic", settings, range(seed, seed + battles))


def read(records: Sequence[GameRecord]) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    """What every decision looked like, whether the first side won, its chance by the search, and the battle."""
    game: Any = tengen.game("pokemon")
    rows: list[list[float]] = []
    won: list[float] = []
    promised: list[float] = []
    battle_of: list[int] = []
    for number, record in enumerate(records):
        states = list(record.replay(game))
        for decision in record.decisions:
            world = states[decision.ply].redeal(decision.player, 1000 * number + decision.ply)
            rows.append(game.core.features(world.position))
            won.append((record.payoffs[0] + 1) / 2)
            promised.append((decision.values[0] + 1) / 2)
            battle_of.append(number)
    return np.array(rows), np.array(won), np.array(promised), np.array(battle_of)


def fit(features: Floats, target: Floats, begin: Floats, pull: float) -> Floats:
    """Newton's method on the log-likelihood; values are tanh of the weighted sum."""
    scale = features.std(0) + 1e-9
    rows, change = features / scale, np.zeros(len(begin))
    for _ in range(8):
        chance = 1 / (1 + np.exp(-2 * rows @ (begin * scale + change)))
        slope = 2 * rows.T @ (chance - target) + pull * change
        curve = 4 * (rows * (chance * (1 - chance))[:, None]).T @ rows + pull * np.eye(len(begin))
        change -= np.linalg.solve(curve, slope)
    fitted: Floats = begin + change / scale
    return fitted


def loss(weights: Floats, features: Floats, won: Floats) -> float:
    chance = np.clip(1 / (1 + np.exp(-2 * features @ weights)), 1e-6, 1 - 1e-6)
    return float(-(won * np.log(chance) + (1 - won) * np.log(1 - chance)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--battles", type=int, default=1000)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--records", type=Path, nargs="+", help="files of recorded battles, instead of new ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pull", type=float, default=10_000, help="how strongly weights are held to those in use")
    parser.add_argument("--search-share", type=float, default=0.5, help="of the target: what the search promised")
    args = parser.parse_args()
    if args.records:
        records = [record for file in args.records for record in load_records(file.read_bytes())]
    else:
        records = play(args.battles, args.visits, args.seed)
    features, won, promised, battle_of = read(records)
    target = args.search_share * promised + (1 - args.search_share) * won
    begin = read_weights()
    print(f"{len(won)} decisions of {len(records)} battles; loss in nats of those kept out, in use and fitted:")
    for fold in range(FOLDS):
        out = battle_of % FOLDS == fold
        tried = fit(features[~out], target[~out], begin, args.pull)
        print(f"  {loss(begin, features[out], won[out]):.4f} {loss(tried, features[out], won[out]):.4f}")
    for name, weight in zip(read_names(), fit(features, target, begin, args.pull), strict=True):
        print(f"    {weight:.3f}F,  // {name}")


if __name__ == "__main__":
    main()
