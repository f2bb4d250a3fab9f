"""A million broken lines to a Showdown client: `python tests/soak/showdown_fuzz.py [LINES [SEED]]`."""

import asyncio
import logging
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from showdown_fuzz_lines import fuzz

PORTION = 10_000


class Faults(logging.Handler):
    def __init__(self):
        super().__init__(logging.ERROR)
        self.count = 0

    def emit(self, record):
        if record.exc_info:
            self.count += 1
            print(logging.Formatter().formatException(record.exc_info), flush=True)


def main(total=1_000_000, seed=0):
    faults = Faults()
    log = logging.getLogger("tengen")
    log.addHandler(faults)
    log.propagate = False
    began, choices = time.monotonic(), 0
    for portion in range(total // PORTION):
        spec = (None, "matchup", "pokemon-seed:3", "max-power")[portion % 4]
        _, sent = asyncio.run(fuzz(seed + portion, PORTION, spec))
        choices += sum("/choose" in text for text in sent)
        if faults.count:
            sys.exit(f"seed {seed + portion}: {faults.count} faults")
    print(f"{total} lines, {choices} choices, no fault, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
