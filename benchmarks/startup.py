"""What it costs to start the command, beyond what Python itself costs.

    python benchmarks/startup.py

Processor seconds, user and system, of `tengen --version`, `--help` and a few real commands, each the median of many
runs, less the median of `python -c pass` among them.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys

COMMANDS = [
    ["--version"],
    ["-V"],
    ["--help"],
    ["play", "--help"],
    ["games"],
    ["search", "pyrga", "--visits", "2"],
    ["search", "pyrga", "--visits", "2", "--evaluator", "rollout"],
]


def processor_seconds(words: list[str]) -> float:
    """Of one process that runs to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21)
    runs = parser.parse_args().runs
    commands = [["-c", "pass"], *(["-m", "tengen", *words] for words in COMMANDS)]
    seconds: list[list[float]] = [[] for _ in commands]
    # In turns, so that whatever else the machine does falls on all alike.
    for _ in range(runs):
        for words, found in zip(commands, seconds, strict=True):
            found.append(processor_seconds(words))
    bare, *others = map(statistics.median, seconds)
    print(f"{'python -c pass':<50} {bare:.3f} s")
    for words, found in zip(COMMANDS, others, strict=True):
        print(f"{'tengen ' + ' '.join(words):<50} {found - bare:+.3f} s")


if __name__ == "__main__":
    main()
