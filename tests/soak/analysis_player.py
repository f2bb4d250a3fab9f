"""KataGo's JSON protocol as a player of Go: a process of `tengen analyze go`, asked as GTP programs are."""

from __future__ import annotations

import itertools
import json
import queue
import subprocess
import sys
import threading

from tengen.games.go import format_result
from tengen.games.go.notation import format_vertex
from tengen.protocols.gtp import GtpError
from tengen.protocols.program import ProgramFailure

COMMAND = [sys.executable, "-c", "from tengen.cli import main; main()", "analyze", "go", "--threads", "1"]
SETTINGS = {"reportAnalysisWinratesAs": "BLACK"}


class AnalysisPlayer:
    """Plays the first move of each answer, passes included. Every query holds the whole game; in every other game it
    may go on with the tree of the one before."""

    def __init__(self, *, net="rollout", visits=60, timeout_s=120.0):
        self.visits, self.timeout_s = visits, timeout_s
        self.legal_moves = set()
        """Of the last genmove, by the answer's policy."""
        self._ids = itertools.count()
        self._position = {"boardXSize": 19, "boardYSize": 19, "rules": "tromp-taylor", "komi": 7.5}
        self._moves = []
        self._games = 0
        self._process = subprocess.Popen(
            [*COMMAND, "--net", net],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._lines = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, command, *words):
        """The answer's text. Raises GtpError where the engine has an error or a warning for the query."""
        commands = {
            "boardsize": self._set_size,
            "clear_board": self._clear,
            "kata-set-rules": lambda rules: self._position.update(rules=rules),
            "komi": lambda komi: self._position.update(komi=komi),
            "play": lambda color, move: self._moves.append([color[0], move]),
            "genmove": self._genmove,
            "final_score": self._final_score,
            "final_status_list": lambda _status: None,
        }
        return commands[command](*words) or ""

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stdout.close()

    def _set_size(self, size):
        self._position.update(boardXSize=size, boardYSize=size)

    def _clear(self):
        self._moves.clear()
        self._games += 1

    def _genmove(self, color):
        answer = self._analyze(self._moves, self.visits, reuseTree=self._games % 2 == 0)
        size = self._position["boardXSize"]
        odds = answer["policy"]
        self.legal_moves = {format_vertex(i, size, size).lower() for i, odd in enumerate(odds) if odd >= 0}
        best = min(answer["moveInfos"], key=lambda info: info["order"])
        move = best["move"].lower()
        self._moves.append([color[0], move])
        return move

    def _final_score(self):
        """After passes: what the last of them is worth where it ends the game."""
        *before, (color, last) = self._moves
        assert last == "pass"
        only = [{"player": color, "moves": ["pass"], "untilDepth": 1}]
        settings = SETTINGS | {"conservativePass": False}
        answer = self._analyze(before, 2, allowMoves=only, overrideSettings=settings)
        (ended,) = answer["moveInfos"]
        return format_result(round(2 * ended["scoreLead"]) / 2)

    def _analyze(self, moves, visits, **more):
        query = {
            "id": str(next(self._ids)),
            **self._position,
            "moves": moves,
            "initialPlayer": "b",
            "maxVisits": visits,
            "includePolicy": True,
            "overrideSettings": SETTINGS,
            **more,
        }
        try:
            self._process.stdin.write(json.dumps(query) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=self.timeout_s)
        except (OSError, queue.Empty) as error:
            raise ProgramFailure(f"analyze: no answer to {query}") from error
        if line is None:
            raise ProgramFailure(f"analyze: has ended at {query}")
        answer = json.loads(line)
        if "error" in answer or "warning" in answer or answer["id"] != query["id"] or answer["isDuringSearch"]:
            raise GtpError(f"analyze: {query} is answered by {line.strip()}")
        return answer

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)
