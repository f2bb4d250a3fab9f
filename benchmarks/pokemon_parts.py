"""What each part of Pokémon's player brings: it plays itself with one part off or another in its place.

    python benchmarks/pokemon_parts.py --out matches/parts
    python benchmarks/pokemon_parts.py --out matches/parts --games 400 --visits 500 --rows dynamax sets
    python benchmarks/pokemon_parts.py --out matches/parts-time --seconds 0.02

Both have the same visits a choice, or with --seconds the same time. Every deal is played from both seats. The score is
that of the player as it is. Matches lie in --out, one file each: the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import tengen
from tengen.arena import chunks, play_chunk
from tengen.arena.statistics import Estimate, paired_score
from tengen.console.players import resolve_player

PAIRS_AT_ONCE = 5
MANY_VISITS = 1_000_000
"""Where the time decides."""
ROWS = {
    "dynamax": ("it may not Dynamax", "heuristic", ",avoid=dynamax*"),
    "sets": ("all sets of a species alike, instead of the generator's odds", "heuristic", ",sets=uniform"),
    "rule": ("regret matching instead of decoupled UCB", "heuristic", ",joint_rule=regret"),
    "priors": ("UCB1, which asks for no priors", "heuristic", ",rule=ucb1"),
    "worlds": ("a world for each visit, instead of one for 32", "heuristic", ",world_visits=1"),
    "value": ("the field alone for the value", "heuristic:field", ""),
    "playouts": ("a battle played out by the policy for the value", "heuristic:playout", ""),
    "random": ("a battle played out at random for the value, no priors", "rollout", ""),
    "network": ("the champion's network for value and priors", "champion", ",joint_rule=ucb"),
}


def player(evaluator: str, more: str, visits: int, seconds: float | None) -> str:
    if seconds is None:
        return f"{evaluator}@{visits}{more}"
    return f"{evaluator}@{MANY_VISITS}{more},seconds={seconds:g}"


def play(file: Path, first: str, second: str, games: int, seed: int) -> tuple[Estimate, int, float]:
    """The score, how many games it is of, and the seconds a game took."""
    game = tengen.game("pokemon")
    about = {"first": first, "second": second, "seed": seed}
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else [about]
    if lines[0] != about:
        raise SystemExit(f"{file} holds another match: {lines[0]}")
    for part in chunks(games, PAIRS_AT_ONCE)[len(lines) - 1 :]:
        began = time.perf_counter()
        found = play_chunk(game, resolve_player(first, game), resolve_player(second, game), list(part), seed)
        found.sort(key=lambda one: (one.pair, one.first_seat))
        scores = [(one.payoffs[one.first_seat] + 1) / 2 for one in found]
        lines.append({"scores": scores, "seconds": round(time.perf_counter() - began, 1)})
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores = [score for line in lines[1:] for score in line["scores"]][:games]
    return paired_score(scores), len(scores), sum(line["seconds"] for line in lines[1:]) / len(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--visits", type=int, default=500, help="of a choice")
    parser.add_argument("--seconds", type=float, help="of a choice, instead of visits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), default=list(ROWS))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    first = player("heuristic", "", args.visits, args.seconds)
    print(f"{first} against itself with\n\n| one part off | command | games | it scores |\n|---|---|---|---|")
    for name in args.rows:
        about, evaluator, more = ROWS[name]
        second = player(evaluator, more, args.visits, args.seconds)
        score, games, seconds = play(args.out / f"{name}.jsonl", first, second, args.games, args.seed)
        shown = f"{100 * score.value:.1f} % ({100 * score.low:.1f} to {100 * score.high:.1f})"
        print(f"| {about} | `{second}` | {games} | {shown} |  {seconds:.2f} s a game", flush=True)


if __name__ == "__main__":
    main()
