"""Measure the worth of each part of Matgo's champion, on paired deals and at equal processor time.

    python benchmarks/matgo_parts.py --results parts.jsonl
    python benchmarks/matgo_parts.py --results parts.jsonl --only lead --only caution --games 40000
    python benchmarks/matgo_parts.py --results parts.jsonl --show --card src/tengen/nets/shipped/matgo.json

Every part is a match between two players that differ in that part only. The numbers of worlds give both players the
same processor time for a decision; the script measures that time and prints it. Matches of single parts are played
with a quarter of the champion's worlds. Three matches have all of them: the champion against a player without learned
rollouts and halving ("both"), and each of the two against flat Monte Carlo with none of the parts.

Finished deals are appended to the results file in chunks of 64 games. The same command continues an interrupted run
and loses at most one chunk; `--show` prints the figures without playing.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matgo_strength import Timed

import tengen
from tengen.arena import MatchReport, PlayedGame, chunks, find_player, merge, play_chunk
from tengen.nets.shipped import find_shipped

SEED = 2026
FEWEST = 20_000
"""Fewest games of a match that may enter a card; the intervals of shorter matches are too wide."""


@dataclass(frozen=True)
class Part:
    """A match that shows what one part of the champion is worth."""

    name: str
    first: str
    second: str


LEARNED = "rollouts=learned"
HALVING = f"{LEARNED},halving=true"
LEAD = f"{HALVING},lead=NETWORK"
FULL = f"{HALVING},caution=12000,lead=NETWORK"
GREEDY = "halving=true,caution=12000,lead=NETWORK"
PLAIN = "caution=12000,lead=NETWORK"
PARTS = (
    Part("lead", f"pimc:108,{LEAD}", f"pimc:118,{HALVING}"),
    Part("caution", f"pimc:108,{FULL}", f"pimc:108,{LEAD}"),
    Part("learned", f"pimc:108,{FULL}", f"pimc:240,{GREEDY}"),
    Part("halving", f"pimc:108,{FULL}", f"pimc:108,{LEARNED},caution=12000,lead=NETWORK"),
    Part("both", f"pimc:380,{FULL}", f"pimc:850,{PLAIN}"),
    Part("without both", f"pimc:850,{PLAIN}", "pimc:1000"),
    Part("champion", f"pimc:380,{FULL}", "pimc:1000"),
)


def read_chunks(path: Path, part: Part) -> dict[int, dict[str, Any]]:
    """Return the chunks of a part that the results file holds, by their number.

    A last line that was cut short by a kill is ignored.
    """
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            chunk = json.loads(line)
        except ValueError:
            continue
        if (chunk["first"], chunk["second"], chunk["seed"]) == (part.first, part.second, SEED):
            found[chunk["chunk"]] = chunk
    return found


def play_part(game: tengen.Game, part: Part, network: str, games: int, path: Path) -> None:
    """Play the missing chunks of a part and append each to the results file."""
    done = read_chunks(path, part)
    players = [Timed(find_player(name.replace("NETWORK", network), game)) for name in (part.first, part.second)]
    for number, pairs in enumerate(chunks(games)):
        if number in done:
            continue
        for player in players:
            player.seconds, player.decisions = 0.0, 0
        records = play_chunk(game, players[0], players[1], list(pairs), SEED)
        chunk = {
            "part": part.name,
            "first": part.first,
            "second": part.second,
            "seed": SEED,
            "chunk": number,
            "seconds": [player.seconds for player in players],
            "decisions": [player.decisions for player in players],
            "games": [
                [game_.pair, game_.first_seat, list(game_.payoffs), [dict(own) for own in game_.counts]]
                for game_ in records
            ],
        }
        with path.open("a", encoding="utf-8") as file:
            # A line that was cut short must not swallow the next one.
            file.write("\n" + json.dumps(chunk, separators=(",", ":")) + "\n")


def figures(game: tengen.Game, part: Part, path: Path) -> dict[str, Any] | None:
    """Return what the finished chunks of a part show, or None if there are none."""
    found = list(read_chunks(path, part).values())
    if not found:
        return None
    records = [
        PlayedGame(pair, seat, 0, "", 0, (), (payoffs[0], payoffs[1]), tuple(counts))
        for chunk in found
        for pair, seat, payoffs, counts in chunk["games"]
    ]
    result = merge(game, part.first, part.second, SEED, [records])
    rates = MatchReport(game, result, {}).rates["go_fail_rate"]
    seconds, decisions = ([sum(chunk[name][i] for chunk in found) for i in (0, 1)] for name in ("seconds", "decisions"))
    return {
        "part": part.name,
        "first": part.first,
        "second": part.second,
        "games": len(records),
        "won": result.wins,
        "drawn": result.draws,
        "lost": result.losses,
        "score": [round(number, 4) for number in (result.score.value, result.score.low, result.score.high)],
        "gold": [round(number, 1) for number in (result.payoff.value, result.payoff.low, result.payoff.high)],
        "go_fail_rate": [round(rates.first.value, 4), round(rates.second.value, 4)],
        "ms": [round(1000 * spent / count, 3) for spent, count in zip(seconds, decisions, strict=True)],
    }


def show(row: dict[str, Any]) -> None:
    """Print the figures of a part in one paragraph."""
    score, gold, fails, spent = row["score"], row["gold"], row["go_fail_rate"], row["ms"]
    print(
        f"{row['part']}: {row['first']} against {row['second']}\n"
        f"  {row['games']:,} games, {100 * score[0]:.2f} % ({100 * score[1]:.2f} … {100 * score[2]:.2f}), "
        f"{gold[0]:+,.0f} gold a game (95 %: {gold[1]:+,.0f} … {gold[2]:+,.0f})\n"
        f"  go-fail {100 * fails[0]:.2f} % against {100 * fails[1]:.2f} %, "
        f"{spent[0]:.2f} ms a decision against {spent[1]:.2f}",
        flush=True,
    )


def main() -> None:
    """Play the chosen parts and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, help="file that finished chunks are appended to")
    parser.add_argument("--only", action="append", choices=[part.name for part in PARTS], help="play this part only")
    parser.add_argument("--games", type=int, default=20_000, help="games of each match (default %(default)s)")
    parser.add_argument("--show", action="store_true", help="print the figures of finished chunks and exit")
    parser.add_argument("--card", type=Path, help="write the figures of finished parts into this champion's card")
    choices = parser.parse_args()
    game = tengen.game("matgo")
    shipped = find_shipped(game)
    if shipped is None:
        parser.error("Matgo has no shipped champion")
    rows = []
    for part in PARTS:
        if choices.only and part.name not in choices.only:
            continue
        if not choices.show:
            play_part(game, part, str(shipped.network), choices.games, choices.results)
        row = figures(game, part, choices.results)
        if row is not None:
            rows.append(row)
            show(row)
    if choices.card:
        card = json.loads(choices.card.read_text(encoding="utf-8"))
        finished = [row for row in rows if row["games"] >= FEWEST]
        choices.card.write_text(json.dumps(card | {"parts": finished}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
