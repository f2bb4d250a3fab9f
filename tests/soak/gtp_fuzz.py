"""Many lines that nobody should send, to a GTP session: no crash, no hang, an answer in GTP's form to every command.

python tests/soak/gtp_fuzz.py --lines 1000000
"""

import argparse
import faulthandler
import logging
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from gtp_fuzz_lines import feed, harmless, random_line
from gtp_talk import Talk

_RESET = 50
_HANG_S = 300.0
"""Time after which a line counts as a hang: the threads' tracebacks are printed and the program ends."""


class Faults(logging.Handler):
    """Counts errors that were logged with a traceback, and prints the first ones."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.count += 1
            if self.count <= 5:
                print(logging.Formatter().formatException(record.exc_info), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    faults = Faults()
    log = logging.getLogger("tengen")
    log.addHandler(faults)
    log.propagate = False
    rng = random.Random(given.seed)
    talk = Talk(maxVisits=3, maxTime=1)
    began, answers, problems, sent = time.monotonic(), 0, [], 0
    while sent < given.lines:
        line = random_line(rng)
        if not harmless(line):
            continue
        sent += 1
        faulthandler.dump_traceback_later(_HANG_S, exit=True)
        text, problem = feed(talk, line)
        answers += bool(text)
        if problem is not None:
            problems.append(problem)
        if sent % _RESET == 0:
            # A small board, so that searches are quick whatever was set.
            feed(talk, b"boardsize 5")
            talk.session.overrides.clear()
            talk.written = ""
        if sent % 50_000 == 0:
            print(f"{sent:,} lines, {time.monotonic() - began:.0f} s", flush=True)
    faulthandler.cancel_dump_traceback_later()
    talk.close()
    for problem in problems[:20]:
        print(problem[:500])
    found = f"{len(problems)} problems, {faults.count} tracebacks, 0 hangs"
    print(f"{sent:,} lines, {answers:,} answers, {time.monotonic() - began:.0f} s: {found}")
    return bool(problems or faults.count)


if __name__ == "__main__":
    sys.exit(main())
