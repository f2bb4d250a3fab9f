"""Kills a process that works on a run directory, at a random moment of it."""

from __future__ import annotations

import signal
import time


def entries(path) -> list[str]:
    return [entry.name for entry in (path / "steps").glob("*")]


def complete(path) -> int:
    return sum(not name.startswith(".tmp-") for name in entries(path))


def kill_at_random(child, path, chance, longest_s) -> bool:
    """Whether the run was killed; otherwise it was complete before."""
    with child:
        child.stdout.readline()
        # Up to three steps further, then somewhere in the next one. Where none is further: while it begins.
        goal = complete(path) + chance.randrange(4)
        while complete(path) < goal and child.poll() is None:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, longest_s))
        child.kill()
        code = child.wait()
    if code not in (0, -signal.SIGKILL):
        raise RuntimeError(f"a resumed run ended with {code}")
    return code != 0
