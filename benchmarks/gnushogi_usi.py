"""GNU Shogi as a program that speaks USI, as far as a match needs it: it speaks a protocol of its own.

    python benchmarks/shogi_match.py --out matches/gnushogi --games 40 --movetime 1000 \\
        --first "tengen usi" --second "python benchmarks/gnushogi_usi.py"

GNU Shogi knows a time for 60 moves in whole minutes, so `go movetime` is rounded up to whole seconds, and single moves
take more or less. One process plays a game, so that it keeps what it has thought; where the moves do not go on from the
last ones, another one begins.
"""

from __future__ import annotations

import math
import queue
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

_MOVE = re.compile(r"\d+\. \.\.\. (\S+)")
_END = re.compile(r"resign|mate|draw|no moves|illegal", re.IGNORECASE)
_LATE_S = 20.0


class GnuShogi:
    """One game."""

    def __init__(self, program: str, seconds: int) -> None:
        self.seconds = seconds
        self.moves: list[str] = []
        # Without thinking on the other's time.
        self._process = subprocess.Popen(
            [program, "-a"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._send(f"level 60 {seconds}")
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._is_playing = False

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.strip())
        self._lines.put("resign")

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")

    def play(self, moves: list[str]) -> str:
        """Its move after these; `resign` where it has none."""
        new = moves[len(self.moves) :]
        if self._is_playing and len(new) == 1:
            self._send(new[0])
        else:
            for line in ("force", *new, "go"):
                self._send(line)
        self._is_playing = True
        self.moves = moves
        while True:
            try:
                line = self._lines.get(timeout=self.seconds + _LATE_S)
            except queue.Empty:
                return "resign"
            found = _MOVE.match(line)
            if found:
                self.moves = [*moves, found[1]]
                return found[1]
            if _END.search(line):
                print(f"info string {line}", flush=True)
                return "resign"

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def main() -> None:
    program = shutil.which("gnushogi") or "/usr/games/gnushogi"
    if not Path(program).exists():
        raise SystemExit("gnushogi is not installed")
    game: GnuShogi | None = None
    moves: list[str] = []
    for line in sys.stdin:
        words = line.split()
        match words:
            case ["usi"]:
                print("id name GNU Shogi\nusiok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position", "startpos", *rest]:
                moves = rest[1:]
            case ["go", *limits]:
                given = dict(zip(limits[::2], limits[1::2], strict=False))
                seconds = math.ceil(int(given.get("movetime", given.get("byoyomi", 1000))) / 1000)
                if game is None or moves[: len(game.moves)] != game.moves or game.seconds != seconds:
                    if game is not None:
                        game.close()
                    game = GnuShogi(program, seconds)
                print(f"bestmove {game.play(moves)}", flush=True)
            case ["quit"]:
                break
    if game is not None:
        game.close()


if __name__ == "__main__":
    main()
