"""Many lines that nobody should send, to a USI session: no crash, no silence, one answer for every go.

python tests/soak/usi_fuzz.py --lines 1000000
"""

import argparse
import logging
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from usi_fuzz_lines import Tally, random_line
from usi_talk import Talk

_CHECK = 200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    logging.disable()
    rng = random.Random(args.seed)
    talk, tally = Talk(pv_interval=1000), Tally()
    began = time.monotonic()
    goes = 0
    for number in range(1, args.lines + 1):
        tally.feed(talk, random_line(rng))
        if number % _CHECK == 0 or number == args.lines:
            goes += tally.goes
            tally.check(talk)
            # Whatever was set: the next ones are to be as quick.
            for line in (b"setoption name MultiPV value 1", b"setoption name MaxMovesToDraw value 0"):
                talk.session.handle(line)
        if tally.problems:
            break
        if number % 50_000 == 0:
            print(f"{number:,} lines, {goes:,} searches, {time.monotonic() - began:.0f} s", flush=True)
    talk.close()
    print(f"{number:,} lines, {goes:,} searches, {time.monotonic() - began:.0f} s, {len(tally.problems)} problems")
    for problem in tally.problems:
        print(problem)
    return bool(tally.problems)


if __name__ == "__main__":
    sys.exit(main())
