"""How long a redeal of a Pokémon battle takes: teams drawn from what is known at the decisions of recorded battles.

python benchmarks/pokemon_redeal.py
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from pokemon_logs import read_logs, view_of

from tengen.games.pokemon.knowledge import knowledge
from tengen.games.pokemon.tracker import Tracker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200, help="at each decision")
    args = parser.parse_args()
    by_seen: dict[int, list[float]] = {}
    lines, reading, forced = 0, 0.0, 0
    for log in read_logs():
        for side in (0, 1):
            tracker, done = Tracker(), 0
            for number, decision in enumerate(log["decisions"]):
                began = time.thread_time()
                tracker.feed_all(view_of(log, side)[done : decision["at"][side]])
                reading += time.thread_time() - began
                lines += decision["at"][side] - done
                done = decision["at"][side]
                known = knowledge(tracker)
                began = time.thread_time()  # of the processor: others may be busy
                forced += known.draw_many(number, args.draws)
                by_seen.setdefault(len(tracker.other.team), []).append((time.thread_time() - began) / args.draws)
    for seen, times in sorted(by_seen.items()):
        print(f"{seen} seen: {sum(times) / len(times) * 1e6:.1f} us a draw ({len(times)} decisions)")
    print(f"{forced} draws forced; {reading / lines * 1e6:.0f} us a line of the protocol")


if __name__ == "__main__":
    main()
