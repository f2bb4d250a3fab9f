"""`tengen analyze` as a process of its own, and what a program that starts it does."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import subprocess
import sys
import threading

READY = "Started, ready to begin handling requests"
TIMEOUT_S = 120
COMMAND = [sys.executable, "-c", "import tengen.cli; tengen.cli.main()"]
PLAIN = os.environ | {"COLUMNS": "200", "OMP_NUM_THREADS": "1"}
PLAIN.pop("TENGEN_TOKEN", None)


class Stream:
    """Lines of a pipe, read by a thread as they come."""

    def __init__(self, pipe):
        self._lines = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, args=(pipe,), daemon=True)
        self._thread.start()

    def _run(self, pipe):
        with pipe:
            for line in pipe:
                self._lines.put(line)
        self._lines.put(None)

    def next(self):
        """The next line; None at the end."""
        line = self._lines.get(timeout=TIMEOUT_S)
        if line is None:
            self._lines.put(None)
        return line

    def rest(self):
        return list(iter(self.next, None))


class Process:
    """Started with these words, without a `game` as KataGo is; `with` ends it. `before` is Python to run first.

    It waits for a line of the log that matches `wait`, unless that is None.
    """

    def __init__(self, *words, game="connect_four", net="rollout", wait=READY, before="", **options):
        verb = ["analyze", game, *(["--net", net] if net else [])] if game else ["analysis"]
        command = [*COMMAND[:-1], before + COMMAND[-1], *verb, *map(str, words)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        self.process = subprocess.Popen(command, env=PLAIN, **pipes)
        self.out = None if self.process.stdout is None else Stream(self.process.stdout)
        self.err = None if self.process.stderr is None else Stream(self.process.stderr)
        self.told = []
        while wait and not (self.told and re.search(wait, self.told[-1])):
            line = self.err.next()
            assert line is not None, self.told
            self.told.append(line.decode().rstrip("\n"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.stdin is not None and not self.process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        self.process.kill()
        self.process.wait()

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *requests):
        self.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))

    def next(self):
        line = self.out.next()
        assert line is not None, self.err.rest()
        return json.loads(line)

    def until(self, is_it):
        """The answers up to the one that is meant."""
        found = [self.next()]
        while not is_it(found[-1]):
            found.append(self.next())
        return found

    def log(self):
        """All that it has told, once it has ended."""
        return [*self.told, *(line.decode().rstrip("\n") for line in self.err.rest())]

    def end(self, signal=None):
        """The answers that are left and the exit code: after the input's end, or after a signal."""
        if signal is None:
            self.process.stdin.close()
        else:
            self.process.send_signal(signal)
        answers = [json.loads(line) for line in self.out.rest()]
        return answers, self.process.wait(TIMEOUT_S)


def query(name, visits=5, **more):
    return {"id": name, "moves": [], "maxVisits": visits, **more}


def forever(name, **more):
    """A query that does not end by itself, as far as a test is concerned."""
    return query(name, 2**50, overrideSettings={"maxTime": TIMEOUT_S}, **more)


def is_final(answer):
    return answer.get("isDuringSearch") is False


def finals(answers):
    """(id, turn) of every last answer, sorted: each must be there once."""
    return sorted((answer["id"], answer["turnNumber"]) for answer in answers if is_final(answer))
