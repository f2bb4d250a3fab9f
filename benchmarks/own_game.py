"""A game of one's own in Python, learned as a newcomer would: does it take as long as it says, and what is it worth?

    python benchmarks/own_game.py
    python benchmarks/own_game.py path/to/game.py:Class --games 400

Runs `tengen learn GAME --quick` on the 7×7 Gomoku of the tests, piped as in a script, then matches its champion at 200
visits against random play. Prints the time that was announced, the time it took, when the first word of progress came,
and the match with its interval. Exit code 1 if the run took more than twice the time announced, or scored below 95 %.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOMOKU = f"{Path(__file__).parent.parent / 'tests' / 'gomoku.py'}:Gomoku"
COMMAND = [sys.executable, "-c", "import tengen.cli; tengen.cli.main()"]
UNITS = {"h": 3600, "min": 60, "s": 1}


def read_time(text: str) -> float:
    return sum(float(number) * UNITS[unit] for number, unit in re.findall(r"([0-9.]+) (h|min|s)\b", text))


def learn(game: str, folder: Path) -> tuple[float, float, float]:
    """Seconds announced, taken, and until the first word of what is under way."""
    words = [*COMMAND, "learn", game, "--run", str(folder), "--quick"]
    began = time.monotonic()
    announced = first = 0.0
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(f"{time.monotonic() - began:7.1f} s  {line}", end="", flush=True)
            found = re.match(r"plan .*?, about (.*?):", line)
            announced = read_time(found[1]) if found else announced
            first = first or (time.monotonic() - began if " · " in line else 0.0)
    if process.returncode:
        raise SystemExit(f"tengen learn ended with {process.returncode}")
    return announced, time.monotonic() - began, first


def match(game: str, folder: Path, games: int) -> dict[str, float]:
    words = [*COMMAND, "arena", game, f"{folder}@200", "random", "--games", str(games), "--json"]
    played = subprocess.run(words, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(played.stdout)["matches"][0]
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default=GOMOKU)
    parser.add_argument("--games", type=int, default=200)
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        announced, taken, first = learn(options.game, Path(folder) / "run")
        result = match(options.game, Path(folder) / "run", options.games)
    score = 100 * result["score"]
    low, high = 100 * result["score_low"], 100 * result["score_high"]
    print(f"load {os.getloadavg()[0]:.1f}")
    print(
        f"announced {announced:.0f} s, taken {taken:.0f} s: {taken / announced:.2f} times; progress after {first:.1f} s"
    )
    print(f"against random: {score:.1f} % of {options.games} games (95 %: {low:.1f} … {high:.1f})")
    return int(taken > 2 * announced or score < 95)


if __name__ == "__main__":
    sys.exit(main())
