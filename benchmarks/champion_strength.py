"""How strong a champion is.

    python benchmarks/champion_strength.py pyrga --run runs/pyrga --card src/tengen/nets/shipped/pyrga.json
    python benchmarks/champion_strength.py pyrga --run runs/pyrga --net polished.onnx
    python benchmarks/champion_strength.py pyrga

Plays the champion of a run (or the one that is shipped) at 200 visits, seats swapped, against the uniform-prior rollout
search at 1,000 visits, random play, and its own policy without search; with a run, rates some of its checkpoints by a
round robin too. With --card it writes what it found beside the network, ready to be shipped.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import tengen
from tengen.arena import MatchResult, Pairing, chunks, elo, merge, play_chunk
from tengen.cluster import Workers, open_workers
from tengen.nets.shipped import find_shipped
from tengen.runs import Run


def play(workers: Workers, game: tengen.Game, first: str, second: str, games: int, seed: int) -> MatchResult:
    tasks = [workers.submit(play_chunk, game, first, second, list(part), seed) for part in chunks(games, 16)]
    done = dict(workers.results())
    return merge(game, first, second, seed, [done[task] for task in tasks])


def show(result: MatchResult, name: str) -> dict[str, Any]:
    score = result.score
    row = {
        "opponent": name,
        "games": len(result.games),
        "won": result.wins,
        "drawn": result.draws,
        "lost": result.losses,
        "score": round(score.value, 4),
        "low": round(score.low, 4),
        "high": round(score.high, 4),
    }
    print(
        f"{name:>24}: {row['games']} games, +{row['won']} ={row['drawn']} -{row['lost']}, "
        f"{100 * score.value:.1f} % (95 %: {100 * score.low:.1f} … {100 * score.high:.1f})",
        flush=True,
    )
    return row


def rate_checkpoints(
    workers: Workers, game: tengen.Game, run: Run, games: int, visits: int, most: int, extra: dict[str, str]
) -> list[dict[str, Any]]:
    steps = [run.steps("initial")[0], *run.steps("train")]
    picked = [steps[round(i * (len(steps) - 1) / (most - 1))] for i in range(most)] if len(steps) > most else steps
    names = {f"{step.file('net.onnx')}@{visits}": f"iteration {step.iteration or 0}" for step in picked} | extra
    players = [*names, "rollout:1000"]
    results: list[Pairing] = []
    for i, first in enumerate(players):
        for second in players[i + 1 : i + 4]:
            result = play(workers, game, first, second, games, 1000 + i)
            results.append(
                (names.get(first, first), names.get(second, second), result.wins, result.draws, result.losses)
            )
    ratings = elo(results, {"rollout:1000": 0.0})
    print(ratings.table())
    return [
        {"player": r.name, "elo": round(r.elo), "low": round(r.low), "high": round(r.high), "games": r.games}
        for r in ratings.players
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--run", type=Path, help="a run directory; without it the shipped champion plays")
    parser.add_argument("--net", type=Path, help="a network instead of the run's champion, such as a polished one")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--workers", default="local")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checkpoints", type=int, default=8, help="of the run, to be rated")
    parser.add_argument("--card", type=Path, help="write the figures there, and the network beside it")
    parser.add_argument("--command", default="", help="what the run was made with, for the card")
    arguments = parser.parse_args()
    game = tengen.game(arguments.game)
    run = Run.open(arguments.run) if arguments.run else None
    if run is not None:
        champion = run.champion
        assert champion is not None, "the run has no champion yet"
        network = arguments.net or champion.file("net.onnx")
    else:
        shipped = find_shipped(game)
        assert shipped is not None, f"no champion is shipped for {game.id}"
        network = shipped.network
    with open_workers(arguments.workers) as workers:
        me = f"{network}@{arguments.visits}"
        rows = [
            show(play(workers, game, me, opponent, arguments.games, arguments.seed), name)
            for name, opponent in (
                ("rollout:1000", "rollout:1000"),
                ("random", "random"),
                ("its policy, no search", f"policy:{network}"),
            )
        ]
        table = []
        if run is not None:
            extra = {me: "shipped"} if arguments.net else {}
            table = rate_checkpoints(workers, game, run, 40, arguments.visits, arguments.checkpoints, extra)
    if arguments.card and run is not None:
        card = {
            "game": {"name": game.id, "settings": dict(game.settings)},
            "visits": arguments.visits,
            "command": arguments.command,
            "matches": rows,
            "checkpoints": table,
        }
        arguments.card.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
        shutil.copyfile(network, arguments.card.with_suffix(".onnx"))


if __name__ == "__main__":
    main()
