"""Fits the weights of Pokémon's heuristic policy to what a search chose.

    python scripts/pokemon_policy.py --records runs/pokemon/steps/*-teacher-games/games.jsonl.gz

Takes battles that a learning run has recorded, with the search's strategy at every choice; what a choice looks like is
taken from a world drawn anew, as in a search. Prints the weights in the order of core/games/pokemon/policy.hpp, for
kPolicyWeights in policy.cpp, and how well they and those in use foretell choices of battles that were kept out of the
fit.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tengen
from tengen.selfplay import load_records

CORE = Path(__file__).parent.parent / "core" / "games" / "pokemon"
Floats = NDArray[np.float64]


def read_names() -> list[str]:
    text = (CORE / "policy.hpp").read_text(encoding="utf-8")
    return re.findall(r"^  (k\w+),", text.split("enum PolicyFeature")[1].split("kPolicyFeatures")[0], re.MULTILINE)


def read_weights() -> Floats:
    text = (CORE / "policy.cpp").read_text(encoding="utf-8").split("kPolicyWeights = {")[1].split("};")[0]
    return np.array([float(number) for number in re.findall(r"(-?[0-9.]+)F,", text)])


def read(files: list[Path], most: int) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.int64]]:
    """[choices, actions, features], the search's shares, which actions there are, and the battle of each choice."""
    game: Any = tengen.game("pokemon")
    records = [record for file in files for record in load_records(file.read_bytes())][:most]
    found: list[tuple[list[list[float]], list[float], int]] = []
    for number, record in enumerate(records):
        states = list(record.replay(game))
        for decision in record.decisions:
            state, player = states[decision.ply], decision.player
            legal = state.legal(player)
            if len(legal) < 2:
                continue
            world = state.redeal(player, number)
            rows = game.core.policy_features(world.position, player)
            if len(rows) == len(legal):
                found.append((rows, [decision.policy.get(action, 0.0) for action in legal], number))
    shape = len(found), game.action_count
    features, shares, there = np.zeros((*shape, len(read_names()))), np.zeros(shape), np.zeros(shape, bool)
    for i, (rows, policy, _) in enumerate(found):
        features[i, : len(rows)], shares[i, : len(rows)], there[i, : len(rows)] = rows, policy, True
    return features, shares / shares.sum(1, keepdims=True), there, np.array([number for *_, number in found])


def policy_of(weights: Floats, features: Floats, there: NDArray[np.bool_]) -> Floats:
    sums = np.where(there, features @ weights, -np.inf)
    odds = np.exp(sums - sums.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True))


def fit(features: Floats, shares: Floats, there: NDArray[np.bool_], begin: Floats, pull: float) -> Floats:
    """Newton's method on the cross entropy."""
    weights = begin.copy()
    for _ in range(8):
        policy = policy_of(weights, features, there)
        mean = np.einsum("na,naf->nf", policy, features)
        slope = np.einsum("na,naf->f", policy - shares, features) + pull * (weights - begin)
        curve = np.einsum("na,naf,nag->fg", policy, features, features, optimize=True) - mean.T @ mean
        weights -= np.linalg.solve(curve + pull * np.eye(len(begin)), slope)
    return weights


def loss(weights: Floats, features: Floats, shares: Floats, there: NDArray[np.bool_]) -> tuple[float, float]:
    """The divergence from the search's shares, and how often the likeliest choice is the search's."""
    policy = policy_of(weights, features, there)
    logs = np.log(np.clip(policy, 1e-9, 1)) - np.log(np.clip(shares, 1e-9, 1))
    return float(-(shares * logs).sum(1).mean()), float((policy.argmax(1) == shares.argmax(1)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--records", type=Path, nargs="+", required=True)
    parser.add_argument("--battles", type=int, default=1000, help="at most so many")
    parser.add_argument("--pull", type=float, default=20, help="how strongly weights are held to those in use")
    args = parser.parse_args()
    features, shares, there, battle_of = read(args.records, args.battles)
    begin, kept_out = read_weights(), battle_of % 4 == 0
    tried = fit(features[~kept_out], shares[~kept_out], there[~kept_out], begin, args.pull)
    print(f"{len(shares)} choices; kept out, divergence in nats and share of likeliest choices that are the search's:")
    for name, weights in (("in use", begin), ("fitted", tried)):
        nats, same = loss(weights, features[kept_out], shares[kept_out], there[kept_out])
        print(f"{name}: {nats:.4f}, {same:.3f}")
    for name, weight in zip(read_names(), fit(features, shares, there, begin, args.pull), strict=True):
        print(f"    {weight:.3f}F,  // {name}")


if __name__ == "__main__":
    main()
