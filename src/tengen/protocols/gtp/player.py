"""GTP programs as players of Go: `gtp:"gnugo --mode gtp"`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.games.go import COLORS, Go
from tengen.games.go.rules import format_rules
from tengen.protocols.gtp.client import GtpProgram
from tengen.protocols.gtp.wire import GtpError
from tengen.protocols.program import ProgramFailure
from tengen.protocols.program_player import GREETING_S, ProgramPlayer, parse_program_spec, read_number

if TYPE_CHECKING:
    from tengen.games import Game, State

__all__ = ["GtpPlayer", "read_gtp_player"]

KIND: Final = "gtp"
_TIMEOUT_S: Final = 600.0


class GtpPlayer(ProgramPlayer[GtpProgram]):
    """A GTP program. Its command line, or `movetime`, sets its strength."""

    def __init__(
        self, name: str, command: str, *, movetime_s: int | None = None, timeout_s: float = _TIMEOUT_S
    ) -> None:
        super().__init__(name, command, timeout_s=timeout_s)
        self.movetime_s = movetime_s
        self._played: dict[int, list[str]] = {}
        """Moves on the board of each program, by the number of its process."""

    def check_game(self, game: Game) -> None:
        if not isinstance(game, Go):
            raise ValueError("GTP is for Go")
        if game.width != game.height:
            raise ValueError("GTP has no boards but square ones")

    def start_program(self, game: Game) -> GtpProgram:  # noqa: ARG002
        program = GtpProgram(self.command, timeout_s=min(self.timeout_s, GREETING_S), quiet=True)
        try:
            program.ask("protocol_version")
        except (ProgramFailure, GtpError) as error:
            program.kill()
            raise ProgramFailure(f"{error}. Does it speak GTP?") from error
        program.timeout_s = self.timeout_s
        return program

    def start_game(self, program: GtpProgram, state: State) -> None:
        game = state.game
        assert isinstance(game, Go)
        if set(game.board(state.initial)) - set("./"):
            raise ProgramFailure(f"{self.command}: GTP programs play from an empty board, and this game did not")
        rules, komi = game.rules_of(state)
        self._tell(program, "boardsize", game.width)
        self._tell(program, "clear_board")
        if program.knows("kata-set-rules"):
            self._tell(program, "kata-set-rules", format_rules(rules))
        self._tell(program, "komi", f"{komi:g}")
        if self.movetime_s is not None:
            self._tell(program, "time_settings", 0, self.movetime_s, 1)
        self._played[program.pid] = []

    def ask_move(self, program: GtpProgram, state: State) -> str:
        names = list(state.names)
        played = self._played[program.pid]
        if names[: len(played)] != played:
            # Something else was played than it chose.
            self._tell(program, "clear_board")
            played = []
        for place in range(len(played), len(names)):
            self._tell(program, "play", COLORS[place % 2], names[place])
        if self.movetime_s is not None:
            self._tell(program, "time_left", self._color(state), self.movetime_s, 1)
        move = self._tell(program, "genmove", self._color(state))
        if move.casefold() != "resign":
            names.append("pass" if move.casefold() == "pass" else move.upper())
        self._played[program.pid] = names
        return move

    def _color(self, state: State) -> str:
        assert isinstance(state.game, Go)
        return state.game.to_play(state)

    def _tell(self, program: GtpProgram, *words: object) -> str:
        try:
            return program.ask(*words)
        except GtpError as error:
            raise ProgramFailure(str(error)) from error


def read_gtp_player(text: str) -> GtpPlayer:
    """gtp:"COMMAND", then movetime=MILLISECONDS (whole seconds) and timeout=SECONDS."""
    spec = parse_program_spec(text)
    if spec.options:
        raise ValueError(f"{text!r}: GTP knows no options of programs: {min(spec.options)!r} goes on the command line")
    settings = dict(spec.settings)
    timeout_s = read_number(text, settings, "timeout", _TIMEOUT_S)
    movetime = read_number(text, settings, "movetime", None)
    if settings:
        raise ValueError(f"{text!r}: no setting is called {min(settings)!r}; there are movetime and timeout")
    if movetime is not None and movetime % 1000:
        raise ValueError(f"{text!r}: movetime is in milliseconds, and GTP has whole seconds only: 1000, 2000, …")
    return GtpPlayer(
        text, spec.command, movetime_s=None if movetime is None else int(movetime) // 1000, timeout_s=timeout_s
    )
