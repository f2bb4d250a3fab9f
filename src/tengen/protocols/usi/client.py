"""The other side of USI: a program that is started and asked for moves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tengen.protocols.program import Program, ProgramFailure

__all__ = ["BestMove", "UsiProgram"]

_OPTION: Final = re.compile(r"option name (.+?) type (\w+)(?: (.*))?")
_ALWAYS: Final = ("USI_Hash", "USI_Ponder")
"""What may be set whether it is declared or not."""


@dataclass(frozen=True)
class BestMove:
    """The end of a search."""

    move: str
    """A move, `win` or `resign`."""
    ponder: str | None
    infos: tuple[str, ...]
    """What it said before."""


class UsiProgram(Program):
    """A program that speaks USI.

    with UsiProgram("fairy-stockfish") as program:
        program.start()
        program.start_game()
        program.go("startpos", "movetime 100").move
    """

    def __init__(self, command: str, *, timeout_s: float = 60.0, quiet: bool = False) -> None:
        super().__init__(command, timeout_s=timeout_s, quiet=quiet)
        self.options: dict[str, str] = {}
        """Names and kinds of those that it declares."""

    def start(self) -> None:
        """The handshake."""
        self.send("usi")
        for line in self._until("usiok"):
            found = _OPTION.fullmatch(line)
            if found is not None:
                self.options[found[1]] = found[2]

    def set_option(self, name: str, value: str) -> None:
        """By its name; an underscore may stand for a blank, and small letters for large ones."""
        own = self._find(name)
        told = "" if self.options.get(own) == "button" else f" value {value}"
        self.send(f"setoption name {own}{told}")

    def _find(self, name: str) -> str:
        if name in self.options or name in _ALWAYS:
            return name
        plain = _plain(name)
        found = [own for own in self.options if _plain(own) == plain]
        if len(found) != 1:
            known = ", ".join(self.options) or "none"
            raise ProgramFailure(f"{self.command}: has no option {name!r}; it has {known}")
        return found[0]

    def ready(self) -> None:
        self.send("isready")
        self._until("readyok")

    def start_game(self) -> None:
        self.ready()
        self.send("usinewgame")

    def go(self, position: str, limits: str, *, given_s: float = 0.0) -> BestMove:
        """What it plays in a position (startpos or sfen …, moves …) within limits, as `go` takes them. `given_s` is
        how long it is to think; timeout_s more are waited."""
        self.send(f"position {position}")
        self.send(f"go {limits}")
        *infos, line = self._until("bestmove", given_s)
        words = line.split()
        if len(words) < 2:
            raise ProgramFailure(f"{self.command}: answered {line!r} to {f'go {limits}'!r}")
        ponder = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None
        return BestMove(words[1], ponder, tuple(infos))

    def _until(self, word: str, given_s: float = 0.0) -> list[str]:
        """All lines up to one that begins with the word."""
        deadline = self.deadline(given_s)
        lines = [self.line(deadline)]
        while lines[-1].split()[:1] != [word]:
            lines.append(self.line(deadline))
        return lines


def _plain(name: str) -> str:
    return name.replace("_", " ").casefold()
