"""Recorded battles: at every decision the truth is among what can be drawn, and the offers are those of the request.

python tests/soak/pokemon_tracker.py [FILE]      logs as in ../shared/golden/pokemon/logs.jsonl.gz
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from pokemon_logs import ALL, read_logs, true_numbers, view_of

from tengen import _core
from tengen.games.pokemon import requests
from tengen.games.pokemon.position import position
from tengen.games.pokemon.tracker import Tracker


def judge(tracker: Tracker, truth: dict[str, tuple[str, int]], legal: list[int], seed: int) -> Counter[str]:
    """What holds at a decision, and what does not."""
    found = Counter(decisions=1)
    for name, pokemon in tracker.other.team.items():
        forme, number = truth[name]
        evidence = pokemon.evidence
        found["pokemon"] += 1
        found["of another forme"] += evidence.sets.forme != forme
        found["true set excluded"] += not evidence.sure >> number & 1
        found["true set doubted (Illusion)"] += not evidence.mask >> number & 1
        found["contradictions"] += evidence.contradictions
        found["one set left"] += (evidence.mask & evidence.sets.all).bit_count() == 1
    written, known = position(tracker, seed)
    members, _, is_forced = known.draw_team(seed)
    found["draws forced"] += is_forced
    found["drawn teams impossible"] += not is_forced and likelihood(members) <= 0
    if not tracker.request.get("wait"):
        _, dealt = _core.pokemon_redeal(written, known, tracker.side, seed)
        offered = requests.offered(tracker)
        found["offers"] += 1
        found["offers that are not the request's"] += offered != dealt
        if requests.may_be_trapped(tracker.request):
            found["legal actions not offered"] += not set(legal) <= set(offered)
        else:
            found["offers that are not the legal actions"] += offered != legal
    return found


def likelihood(members: list[tuple[str, int, int, int]]) -> float:
    return _core.pokemon_team_likelihood([(forme, number) for forme, _, number, _ in members])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=ALL, type=Path)
    args = parser.parse_args()
    began, total = time.monotonic(), Counter()
    for log in read_logs(args.file):
        for side in (0, 1):
            truth = true_numbers(log, 1 - side)
            total["teams"] += 1
            total["true teams impossible"] += (
                likelihood([(forme, 0, number, 0) for forme, number in truth.values()]) <= 0
            )
            tracker, done = Tracker(), 0
            for decision in log["decisions"]:
                tracker.feed_all(view_of(log, side)[done : decision["at"][side]])
                done = decision["at"][side]
                total += judge(tracker, truth, decision["legal"][side], done)
            total["lines"] += done
    for what, count in total.items():
        print(f"{count:>9,} {what}")
    wrong = ("excluded", "another forme", "contradictions", "impossible", "not the")
    bad = sum(count for what, count in total.items() if any(word in what for word in wrong))
    print(f"{bad} wrong, {time.monotonic() - began:.0f} s")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
