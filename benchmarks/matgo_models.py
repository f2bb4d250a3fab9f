"""Matgo's two small models on deals that they never saw, their caches, and how they play.

    python benchmarks/matgo_models.py [--games 6000] [--matches 400] [--folder DIR]

Logs games of greedy with some exploration, trains both models, prints their figures on the deals kept from training,
shows caches used again and made anew, and plays the models against random and greedy on paired deals.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FEW = 20_000
TENGEN = Path(sys.executable).with_name("tengen")


def tengen(folder: Path, *words: object) -> tuple[dict[str, Any], float]:
    """What the command answers in JSON, and the seconds it took."""
    began = time.monotonic()
    command = [str(TENGEN), *map(str, words), "--json"]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if answer.returncode:
        sys.exit(f"{' '.join(command)}:\n{answer.stderr}")
    return json.loads(answer.stdout), time.monotonic() - began


def log(folder: Path, games: int) -> Path:
    path = folder / "games.jsonl"
    if not path.exists():
        options = ("--trace-all-candidate-turns", "--train-explore-rate", 0.05, "--seed", 11)
        _, seconds = tengen(folder, "matgo", "log", "--out", path, "--games", games, *options)
        print(f"logged {games:,} games of greedy, 5 % of the decisions at random, in {seconds:.0f} s")
    print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB")
    return path


def policy(folder: Path, path: Path) -> bool:
    answer, seconds = tengen(folder, "matgo", "train-policy", "--input", path, "--output", "policy.json", "--force")
    print(f"\npolicy_frequency_v1: {answer['samples']:,} samples, {seconds:.0f} s")
    for part in ("train", "valid"):
        found = answer[part]
        print(
            f"  {part}: {found['samples']:,} samples, loss {found['loss']:.4f} (uniform {found['uniform_loss']:.4f}), "
            f"accuracy {found['accuracy']:.2%} (uniform {found['uniform_accuracy']:.2%}), contexts known "
            f"{found['known_contexts']:.1%}"
        )
    return bool(answer["valid"]["loss"] < answer["valid"]["uniform_loss"])


def value(folder: Path, path: Path, mode: str) -> bool:
    name = f"value-{mode}.json"
    words = ("matgo", "train-value", "--input", path, "--output", name, "--target-mode", mode, "--force")
    answer, seconds = tengen(folder, *words)
    print(f"\nvalue_linear_hash_v1, target {mode}: {answer['samples']:,} samples, {seconds:.0f} s")
    for part in ("train", "valid"):
        found = answer[part]
        print(
            f"  {part}: {found['samples']:,} samples, MSE {found['mse']:,.0f}, RMSE {found['rmse']:,.1f} (spread "
            f"{found['spread']:,.1f}), MAE {found['mae']:,.1f}, Pearson {found['pearson']:.4f}"
        )
    return bool(answer["valid"]["rmse"] < answer["valid"]["spread"] and answer["valid"]["pearson"] > 0)


def caches(folder: Path, path: Path) -> bool:
    print(f"\ncaches of {FEW:,} samples of the value, one epoch each:")
    right = True
    base = (
        "matgo",
        "train-value",
        "--input",
        path,
        "--output",
        "cached.json",
        "--epochs",
        1,
        "--max-samples",
        FEW,
        "--force",
    )
    for backend in ("none", "jsonl", "lmdb"):
        cache = ("--cache-backend", backend, "--sample-cache", folder / f"cache-{backend}")
        found = []
        for label, more in (
            ("first", ()),
            ("again", ()),
            ("other dim", ("--dim", 8192)),
            ("and again", ("--dim", 8192)),
        ):
            answer, seconds = tengen(folder, *base, *cache, *more)
            found.append((answer["cache"]["reused"], answer["valid"]))
            print(f"  {backend:<5} {label:<9} {seconds:6.1f} s  {answer['cache']['note'].replace(str(folder), '…')}")
        wanted = [False, False, False, False] if backend == "none" else [False, True, False, True]
        right &= [reused for reused, _ in found] == wanted
        right &= found[0][1] == found[1][1] and found[2][1] == found[3][1]
    damaged = next((folder / "cache-jsonl").glob("samples-*"))
    data = bytearray(damaged.read_bytes())
    data[len(data) // 2] ^= 1
    damaged.write_bytes(data)
    answer, _ = tengen(folder, *base, "--sample-cache", folder / "cache-jsonl", "--dim", 8192)
    print(f"  jsonl one bit flipped: {answer['cache']['note'].replace(str(folder), '…')}")
    return right and not answer["cache"]["reused"]


def matches(folder: Path, games: int) -> None:
    print(f"\n{games} games each on paired deals:")
    players = ("frequency:policy.json", "linear:value-gold.json", "mix:attack=policy.json,defense=value-gold.json")
    for player in players:
        for opponent in ("random", "greedy"):
            words = [str(TENGEN), "arena", "matgo", player, opponent, "--games", str(games)]
            answer = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
            lines = {line.split()[0]: " ".join(line.split()[1:]) for line in answer.splitlines()[1:] if line.split()}
            print(f"  {player} against {opponent}: {lines['score']}; gold {lines['payoff']}")


def errata(folder: Path, path: Path) -> None:
    models = ("--policy-model", "policy.json", "--value-model", "value-gold.json")
    answer, _ = tengen(folder, "matgo", "errata", "--input", path, *models, "--output", "hard", "--force")
    print("\nerrata:")
    for kind in ("policy", "value"):
        part = answer[kind]
        print(f"  {kind}: {part['samples']:,} of {part['judged']:,} decisions from {part['threshold']:,.3f} on")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=6000, help="logged")
    parser.add_argument("--matches", type=int, default=400, help="games of each match; 0 plays none")
    parser.add_argument("--folder", type=Path, help="where files are kept; a log that is there is used again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        path = log(folder, options.games)
        right = [policy(folder, path), value(folder, path, "gold"), value(folder, path, "score"), caches(folder, path)]
        errata(folder, path)
        if options.matches:
            matches(folder, options.matches)
    print("\nboth models beat the guess without them, and caches did as they should:", "yes" if all(right) else "NO")
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
