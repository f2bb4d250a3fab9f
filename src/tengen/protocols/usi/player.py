"""USI programs as players of shogi: `usi:"fairy-stockfish",movetime=100`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tengen.protocols.program import ProgramFailure
from tengen.protocols.program_player import GREETING_S, ProgramPlayer, parse_program_spec, read_number
from tengen.protocols.usi.client import UsiProgram
from tengen.protocols.usi.wire import format_position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games import Game, State

__all__ = ["UsiLimits", "UsiPlayer", "read_usi_player"]

KIND: Final = "usi"
_TIMEOUT_S: Final = 30.0
_LOADING_S: Final = 120.0
"""Until it is ready: it may read a network, or a book."""
_UNTIMED_S: Final = 600.0
"""Time for a move if only visits or the depth are limited."""
_LIMITS: Final = ("movetime", "byoyomi", "nodes", "depth")


@dataclass(frozen=True)
class UsiLimits:
    """Limits of every move; times are in milliseconds."""

    movetime: int | None = None
    byoyomi: int | None = None
    """Like movetime, sent as byoyomi on a clock that has run out, for programs without movetime."""
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        if self.movetime is self.byoyomi is self.nodes is self.depth is None:
            raise ValueError("a program needs a limit: movetime=MILLISECONDS, byoyomi=MILLISECONDS, nodes=N or depth=N")

    def __str__(self) -> str:
        """As `go` takes them."""
        words = [f"btime 0 wtime 0 byoyomi {self.byoyomi}"] if self.byoyomi is not None else []
        named = {"movetime": self.movetime, "nodes": self.nodes, "depth": self.depth}
        return " ".join([*words, *(f"{name} {value}" for name, value in named.items() if value is not None)])

    @property
    def given_s(self) -> float:
        times = [time for time in (self.movetime, self.byoyomi) if time is not None]
        return min(times) / 1000 if times else _UNTIMED_S


class UsiPlayer(ProgramPlayer[UsiProgram]):
    """A USI program."""

    def __init__(
        self,
        name: str,
        command: str,
        limits: UsiLimits,
        options: Mapping[str, str] | None = None,
        *,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        """`timeout_s` is how much longer than its limit a program may take; then it is taken for dead."""
        super().__init__(name, command, timeout_s=timeout_s)
        self.limits = limits
        self.options = dict(options or {})

    def check_game(self, game: Game) -> None:
        if game.id != "shogi":
            raise ValueError("USI is for shogi")

    def start_program(self, game: Game) -> UsiProgram:
        program = UsiProgram(self.command, timeout_s=min(self.timeout_s, GREETING_S), quiet=True)
        try:
            program.start()
            program.timeout_s = max(self.timeout_s, _LOADING_S)
            program.set_option("USI_Ponder", "false")
            for name, value in {**self._rules(game, program), **self.options}.items():
                program.set_option(name, value)
            program.ready()
        except ProgramFailure as error:
            program.kill()
            raise ProgramFailure(f"{error}. Does it speak USI?" if not program.options else str(error)) from error
        program.timeout_s = self.timeout_s
        return program

    def _rules(self, game: Game, program: UsiProgram) -> dict[str, str]:
        """Return the rules of the game as options, as far as the program has them."""
        told = {
            "EnteringKingRule": str(game.settings.get("declaration", "")),
            "MaxMovesToDraw": str(game.settings.get("max_plies", 0)),
        }
        return {name: value for name, value in told.items() if name in program.options and value}

    def start_game(self, program: UsiProgram, state: State) -> None:  # noqa: ARG002
        program.start_game()

    def ask_move(self, program: UsiProgram, state: State) -> str:
        return program.go(format_position(state), str(self.limits), given_s=self.limits.given_s).move


def read_usi_player(text: str) -> UsiPlayer:
    """usi:"COMMAND", then limits, timeout=SECONDS and options of the program's own as option.NAME=VALUE."""
    spec = parse_program_spec(text)
    settings = dict(spec.settings)
    timeout_s = read_number(text, settings, "timeout", _TIMEOUT_S)
    try:
        limits = UsiLimits(**{name: _whole(name, settings.pop(name)) for name in _LIMITS if name in settings})
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from error
    if settings:
        raise ValueError(
            f"{text!r}: no setting is called {min(settings)!r}; there are {', '.join(_LIMITS)}, timeout, and "
            "option.NAME for options of the program's own"
        )
    return UsiPlayer(text, spec.command, limits, spec.options, timeout_s=timeout_s)


def _whole(name: str, value: str) -> int:
    if not (value.isascii() and value.isdecimal() and 0 < int(value) < 10**12):
        raise ValueError(f"{name} is {value!r} and must be a whole number above 0")
    return int(value)
