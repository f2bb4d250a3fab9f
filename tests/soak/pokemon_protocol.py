"""Many spoiled lines of the protocol, to trackers: no crash, and teams and positions at any moment.

python tests/soak/pokemon_protocol.py --lines 1000000
"""

import argparse
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from pokemon_fuzz import Fuzz
from test_pokemon_fuzz import check

from tengen.games.pokemon.tracker import Tracker

_BATTLE = 400
_CHECK = 100


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    fuzz, began, done, problems = Fuzz(args.seed), time.monotonic(), 0, 0
    while done < args.lines and problems < 5:
        tracker = Tracker(done // _BATTLE % 3 - 1 if done // _BATTLE % 3 else None)
        lines = []
        try:
            for number, line in enumerate(fuzz.battle(_BATTLE)):
                lines.append(line)
                tracker.feed(line)
                if number % _CHECK == _CHECK - 1:
                    check(tracker, number)
        except Exception:  # noqa: BLE001  (whatever it is, it is what this looks for)
            traceback.print_exc()
            print("after", *lines[-3:], sep="\n  ")
            problems += 1
        done += len(lines)
        if done % 100_000 < _BATTLE:
            print(f"{done:,} lines, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{done:,} lines, {time.monotonic() - began:.0f} s, {problems} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
