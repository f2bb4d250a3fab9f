"""Random Pokémon battles whose every state is looked at: HP, PP, one active a side, durations, requests.

    python tests/soak/pokemon_battles.py --battles 100000

Run it on a build with sanitizers (cmake -DTENGEN_SANITIZE=ON) to find what invariants do not show. Prints figures;
exits with 1 at the first fault.
"""

from __future__ import annotations

import argparse
import sys
import time

from tengen import _core

PIECE = 500


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--battles", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began, done, turns, ties, first = time.monotonic(), 0, 0, 0, 0
    while done < given.battles:
        piece = min(PIECE, given.battles - done)
        sums = _core.audit_pokemon(given.seed * 1_000_003 + done, piece)
        if sums["faults"]:
            print(f"{sums['faults']} faults; the first: {sums['fault']}")
            return 1
        done, turns = done + piece, turns + sums["turns"]
        ties, first = ties + sums["ties"], first + sums["first_wins"]
        if done % 10_000 == 0 and done < given.battles:
            print(f"{done} battles, {turns} turns: sound so far", flush=True)
    took = time.monotonic() - began
    print(f"{done} battles, {turns} turns, {ties} ties, the first side won {first}: sound; {turns / took:.0f} turns/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
