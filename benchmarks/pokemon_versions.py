"""Two versions of Tengen play Pokémon against each other, each in a process of its own.

    python benchmarks/pokemon_versions.py --first new --second old --player heuristic:500 --out matches/versions

The folders hold the package `tengen`, compiled. Both must have the same rules: a battle is told by its seed and its
choices. Every deal is played from both seats. The match lies in --out: the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from match_folder import add_game, open_match

import tengen
from tengen.arena import find_player
from tengen.arena.statistics import paired_score

SERVE = "serve"
Asked = tuple[int, int, Any]
"""A battle, and of it a side and a seed."""


def serve(spec: str) -> None:
    """A line in tells new battles, what was played and who is asked; a line out tells what is chosen."""
    game = tengen.game("pokemon")
    player = find_player(spec, game)
    states: dict[int, Any] = {}
    for line in sys.stdin:
        told = json.loads(line)
        states = {int(number): game.start(seed) for number, seed in told["begin"].items()} or states
        for number, played in told["played"].items():
            states[int(number)] = states[int(number)].play(tuple(played) if isinstance(played, list) else played)
        asked = told["asked"]
        chosen = player.choose([states[n] for n, _, _ in asked], [s for _, s, _ in asked], [d for _, _, d in asked])
        print(json.dumps(chosen), flush=True)


class Version:
    """One of the two."""

    def __init__(self, folder: Path, spec: str) -> None:
        environment = os.environ | {"PYTHONPATH": str(folder.resolve())}
        command = [sys.executable, __file__, SERVE, spec]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def ask(self, begin: dict[int, int], played: dict[int, Any], asked: list[Asked]) -> list[int]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"begin": begin, "played": played, "asked": asked}) + "\n")
        self.process.stdin.flush()
        answer: list[int] = json.loads(self.process.stdout.readline())
        return answer


def play(versions: tuple[Version, Version], pairs: range, seed: int) -> dict[int, float]:
    """The first version's scores: battle 2n has it in the first seat, battle 2n + 1 in the second."""
    game = tengen.game("pokemon")
    begin = {number: seed * 1_000_000 + number // 2 for pair in pairs for number in (2 * pair, 2 * pair + 1)}
    states: dict[int, Any] = {number: game.start(deal) for number, deal in begin.items()}
    played: dict[int, Any] = {}
    step = 0
    while any(not state.is_over for state in states.values()):
        step += 1
        asked: tuple[list[Asked], list[Asked]] = ([], [])
        for number, state in states.items():
            for seat in () if state.is_over else (0, 1) if state.actor == "all" else (state.actor,):
                which = (seat + number) % 2
                asked[which].append((number, seat, (begin[number] * 10_000 + step) * 2 + seat))
        chosen: dict[int, dict[int, int]] = {}
        for version, questions in zip(versions, asked, strict=True):
            answers = version.ask(begin if step == 1 else {}, played, questions)
            for (number, seat, _), action in zip(questions, answers, strict=True):
                chosen.setdefault(number, {})[seat] = action
        played = {n: [both[0], both[1]] if len(both) == 2 else next(iter(both.values())) for n, both in chosen.items()}
        for number, action in played.items():
            states[number] = states[number].play(tuple(action) if isinstance(action, list) else action)
    return {number: (state.payoffs[number % 2] + 1) / 2 for number, state in states.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=Path, required=True)
    parser.add_argument("--second", type=Path, required=True)
    parser.add_argument("--player", default="heuristic:500")
    parser.add_argument("--second-player", help="if it is another")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--at-once", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    specs = args.player, args.second_player or args.player
    about = {"first": [str(args.first), specs[0]], "second": [str(args.second), specs[1]], "seed": args.seed}
    scores = [line["score"] for line in open_match(args.out, about)]
    versions = Version(args.first, specs[0]), Version(args.second, specs[1])
    while len(scores) < args.games:
        began = time.perf_counter()
        pairs = range(len(scores) // 2, min(args.games, len(scores) + args.at_once) // 2)
        found = play(versions, pairs, args.seed)
        for number in sorted(found):
            add_game(args.out, {"battle": number, "score": found[number]})
            scores.append(found[number])
        score, took = paired_score(scores), (time.perf_counter() - began) / len(found)
        shown = f"{100 * score.value:.1f} % ({100 * score.low:.1f} to {100 * score.high:.1f})"
        print(f"{len(scores)} battles, the first scores {shown}; {took:.2f} s a battle", flush=True)
    for version in versions:
        version.process.terminate()


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1:2] == [SERVE] else main()
