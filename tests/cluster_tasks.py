"""Tasks for workers, in a module that they can import."""

import ctypes
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path


def square(number):
    return number * number


def pause(seconds, value=None):
    time.sleep(seconds)
    return value


def tell(value, times):
    from tengen.cluster import report

    for i in range(times):
        report(value, i)
        time.sleep(0.25)
    return value


def fail(text):
    raise KeyError(text)


def leave(code):
    sys.exit(code)


def die(signal_number):
    os.kill(os.getpid(), signal_number)


def die_once(folder, name):
    """Ends its worker the first time it is called with a name."""
    mark = Path(folder) / name
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return name, os.getpid()


def segfault(_argument):
    ctypes.string_at(0)


def surroundings():
    return {
        "pid": os.getpid(),
        "threads": os.environ.get("OMP_NUM_THREADS"),
        "sigint": signal.getsignal(signal.SIGINT) == signal.SIG_IGN,
        "blocked": signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "start": multiprocessing.get_start_method(allow_none=True),
    }


def speak():
    print("from the worker")
    sys.stdout.flush()


def unpicklable():
    return lambda: 0


class Grenade:
    """Harmless until it is rebuilt."""

    def __reduce__(self):
        return fail, ("boom",)


def grenade():
    return Grenade()


def count_calls(folder, number):
    """Leaves a mark for every call."""
    (Path(folder) / f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    return number * number


def count_and_fail(folder):
    (Path(folder) / f"{os.getpid()}-{time.monotonic_ns()}").touch()
    raise ValueError("boom")


def read_text(path):
    return Path(path).read_text()


def work_slowly(folder, number, seconds):
    """Leaves a mark for every call, and another when it is done."""
    mark = f"{number}-{os.getpid()}-{time.monotonic_ns()}"
    (Path(folder) / f"begun-{mark}").touch()
    time.sleep(seconds)
    (Path(folder) / f"done-{mark}").touch()
    return number * number
