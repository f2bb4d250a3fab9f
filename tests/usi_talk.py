"""A USI session inside the test's own process."""

from __future__ import annotations

import threading

from tengen.protocols.usi import EngineSettings, ShogiEngine, UsiSession

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
MATED = "4k4/4G4/4P4/9/9/9/9/9/4K4 w 2r2b3g4s4n4l17p 1"
"""White is mated."""
MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1"
ONE_MOVE = "4k4/9/9/9/9/9/9/1r7/K7l b - 1"


class Talk:
    """Sends lines and hands out what was written."""

    def __init__(self, engine=None, **settings):
        """With an engine, or with the search engine under these settings."""
        given = EngineSettings(**{"model": "heuristic", "pv_interval": 10, **settings})
        self.engine = engine or ShogiEngine(given, seed=1)
        self.lines = []
        self._changed = threading.Condition()
        self.session = UsiSession(self.engine, self._write)

    def _write(self, line):
        assert line.isascii()
        assert "\n" not in line
        assert "\r" not in line
        with self._changed:
            self.lines.append(line)
            self._changed.notify_all()

    def send(self, *lines):
        """Send lines. Return the lines written until they are handled; a search may write more later."""
        since = len(self.lines)
        for line in lines:
            self.session.handle(line if isinstance(line, bytes) else line.encode())
        return self.lines[since:]

    def wait_for(self, word, since=0, seconds=60):
        """The first line that begins with the word."""
        with self._changed:
            found = self._changed.wait_for(
                lambda: next((line for line in self.lines[since:] if line.startswith(word)), None), seconds
            )
        assert found, (word, self.lines[since:])
        return found

    def ask(self, *lines):
        """The answer to the last line, a go."""
        since = len(self.lines)
        self.send(*lines)
        return self.wait_for(("bestmove", "checkmate"), since)

    def move(self, *lines):
        """The move of the answer."""
        return self.ask(*lines).split()[1]

    def answers(self):
        return [line for line in self.lines if line.startswith(("bestmove", "checkmate"))]

    def infos(self, since=0):
        return [line for line in self.lines[since:] if line.startswith("info depth")]

    def close(self):
        self.session.close()


def pv_of(line):
    return line.partition(" pv ")[2].split()


def fields_of(line):
    """{"depth": "3", "score": "cp 20", …}."""
    words = line.partition(" pv ")[0].split()[1:]
    found = {}
    while words:
        name = words.pop(0)
        value = words.pop(0)
        found[name] = f"{value} {words.pop(0)}" if name == "score" else value
    return found
