"""Logs games of Matgo and checks the log: rates of the ten triggers, equal bytes for equal seeds, no train/serve skew.

    python benchmarks/matgo_logs.py [--games 10000] [--replayed 2000] [--my greedy] [--your greedy]

Logs twice with different numbers of workers, and a third time with all decisions, whose states are then encoded again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import tengen
from tengen.games.matgo import Matgo
from tengen.labs.matgo.traces import TRIGGERS, context, context_key, read_log, replay, with_carries

SESSION = 50
# Records a game between players who take what they can. The stock lasts for all turns: it is empty only before the last
# questions of a round that nobody stops.
PLAUSIBLE = {
    "earlyTurnForced": (2.0, 4.0),
    "goStopOption": (0.8, 3.0),
    "shakingYesOption": (0.05, 1.0),
    "optionTurnOther": (0.1, 1.5),
    "deckEmpty": (0.0001, 0.1),
    "specialEvent": (0.5, 3.0),
    "bombEvent": (0.05, 0.6),
    "riskShift": (0.5, 3.0),
    "comboThreatEnter": (1.0, 5.0),
    "terminalContext": (0.95, 1.0),
}


def log(folder: Path, name: str, options: list[str]) -> Path:
    path = folder / f"{name}.jsonl"
    program = Path(sys.executable).with_name("tengen")
    subprocess.run(
        [program, "matgo", "log", "--out", path, "--session-games", str(SESSION), *options],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return path


def check_triggers(path: Path) -> bool:
    records: Counter[str] = Counter()
    with_it: Counter[str] = Counter()
    games = kept = 0
    with path.open(encoding="utf-8") as lines:
        for game in read_log(lines, path.name):
            games += 1
            kept += len(game.trace)
            found = [name for record in game.trace for name in record.triggers]
            records.update(found)
            with_it.update(set(found))
    print(f"{games:,} games, {kept:,} records kept, {path.stat().st_size / games:,.0f} bytes a game")
    good = True
    for name in TRIGGERS:
        rate, (low, high) = records[name] / games, PLAUSIBLE[name]
        is_good = low <= rate <= high
        good &= is_good
        share = with_it[name] / games
        mark = "" if is_good else f"  not within {low} … {high}"
        print(f"  {name:<18} {rate:8.4f} records a game, in {share:7.2%} of games{mark}")
    return good


def check_bytes(first: Path, second: Path) -> bool:
    sums = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second)]
    print(f"one worker {sums[0][:16]}, two workers {sums[1][:16]}: {'equal' if sums[0] == sums[1] else 'DIFFERENT'}")
    return sums[0] == sums[1]


def check_skew(path: Path) -> bool:
    game = tengen.game("matgo")
    assert isinstance(game, Matgo)
    compared = different = 0
    with path.open(encoding="utf-8") as lines:
        for logged, carry in with_carries(read_log(lines, path.name), SESSION):
            for state, asked, record in replay(game, logged, carry):
                now = json.dumps(context(game, state, asked=asked)), context_key(game, state, asked=asked)
                different += now != (json.dumps(record.dc), record.ck) or asked.choices != record.cl
                compared += 1
    print(f"{compared:,} logged decisions encoded again from their states: {different} differ")
    return compared > 0 and different == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--replayed", type=int, default=2_000, help="games whose states are encoded again")
    parser.add_argument("--my", default="greedy")
    parser.add_argument("--your", default="greedy")
    given = parser.parse_args()
    players = ["--my", given.my, "--your", given.your, "--train-explore-rate", "0.05"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = ["--games", str(given.games), *players]
        first = log(folder, "first", [*games, "--workers", "inline"])
        second = log(folder, "second", [*games, "--workers", "2"])
        whole = log(folder, "whole", ["--games", str(given.replayed), *players, "--trace-all-candidate-turns"])
        good = [check_triggers(first), check_bytes(first, second), check_skew(whole)]
    if not all(good):
        sys.exit("the log is not as it should be")


if __name__ == "__main__":
    main()
