"""Measure what starting the command costs, beyond what Python itself costs.

    python benchmarks/startup.py

Processor seconds, user and system, of `tengen --version`, `--help` and a few real commands, each the median of many
runs, less the median of `python -c pass` among them. Then the wall-clock seconds from the start of an engine to its
first response, in the same way: `usi` to `usiok`, and GTP's `name`. Both depend on what else the machine does, so the
load average is printed, too.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

COMMANDS = [
    ["--version"],
    ["-V"],
    ["--help"],
    ["play", "--help"],
    ["games"],
    ["search", "pyrga", "--visits", "2"],
    ["search", "pyrga", "--visits", "2", "--evaluator", "rollout"],
]

ENGINES = [(["usi"], "usi", "usiok"), (["gtp", "--net", "rollout"], "name", "=")]
"""Command, its first line, and how the last line of the response starts."""


def processor_seconds(words: list[str]) -> float:
    """Return the processor time of one process that runs to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds_to_response(words: list[str], line: str, last: str) -> float:
    """Wall-clock time from the start of a process until the response to its first line is complete."""
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        if not any(answer.startswith(last) for answer in process.stdout):
            raise RuntimeError(f"{' '.join(words)} ended without a response to {line!r}")
        taken = time.monotonic() - began
        process.communicate("quit\n")
    return taken


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
    responses: list[list[float]] = [[] for _ in range(1 + len(ENGINES))]
    for _ in range(runs):
        responses[0].append(seconds_to_response(["-c", "print(input())"], "usi", "usi"))
        for (words, line, last), taken in zip(ENGINES, responses[1:], strict=True):
            taken.append(seconds_to_response(["-m", "tengen", *words], line, last))
    bare, *others = map(statistics.median, responses)
    print(f"\nwall-clock time to the first response, load average {os.getloadavg()[0]:.1f}")
    print(f"{'python':<50} {bare:.3f} s")
    for (words, line, _), seconds_taken in zip(ENGINES, others, strict=True):
        print(f"{'tengen ' + ' '.join(words) + ': ' + line:<50} {seconds_taken - bare:+.3f} s")


if __name__ == "__main__":
    main()
