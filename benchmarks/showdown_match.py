"""Strength on a real Showdown server: matches of our players against poke-env's and pokemon-seed, as a table.

    python benchmarks/showdown_match.py --players matchup pokemon-seed --battles 100 --records out/showdown

Each match is `tengen showdown --opponent …`, so an interrupted table goes on. Needs node, the npm package and
the extra showdown: see docs/showdown.md.
"""

import argparse
import json
import subprocess
import sys
from typing import Any

OPPONENTS = ["showdown:SimpleHeuristics", "showdown:MaxBasePower", "showdown:Random", "pokemon-seed"]


def play(player: str, opponent: str, options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, "-m", "tengen", "showdown", "--opponent", opponent, "--player", player, "--json"]
    command += ["--battles", str(options.battles), "--at-once", str(options.at_once), "--records", options.records]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", nargs="+", default=["matchup"])
    parser.add_argument("--opponents", nargs="+", default=OPPONENTS)
    parser.add_argument("--battles", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--records", default="showdown-battles")
    options = parser.parse_args()
    print("| player | opponent | battles | score (95 %) | turns | ms a choice | invalid, late, abandoned |")
    print("|---|---|---|---|---|---|---|")
    for player in options.players:
        for opponent in options.opponents:
            if player == opponent:
                continue
            match = play(player, opponent, options)
            score = f"{100 * match['score']:.1f} % ({100 * match['low']:.1f} … {100 * match['high']:.1f})"
            wrong = f"{match['invalid']:.0f}, {match['late']:.0f}, {match['abandoned']:.0f}"
            turns, choice = f"{match['turns']:.1f}", f"{1000 * match['seconds_a_choice']:.0f}"
            print(
                f"| {player} | {opponent} | {match['battles']} | {score} | {turns} | {choice} | {wrong} |", flush=True
            )


if __name__ == "__main__":
    main()
