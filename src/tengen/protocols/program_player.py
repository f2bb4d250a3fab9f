"""Programs of others as players of the arena."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, overload

from tengen.arena import RESIGN, Choice, Player
from tengen.protocols.program import Program, ProgramFailure

if TYPE_CHECKING:
    from tengen.games import Game, Played, State

__all__ = ["GREETING_S", "OPTION", "ProgramPlayer", "ProgramSpec", "parse_program_spec", "read_number"]

GREETING_S: Final = 15.0
"""What a program of the kind takes at most to say so."""
OPTION: Final = "option."
"""What the name of a program's own option begins with."""
_QUOTED: Final = r'"(?:[^"\\]|\\.)*"|' + r"'[^']*'"
_HEAD: Final = re.compile(rf"(\w+):({_QUOTED}|[^\"',][^,]*)", re.DOTALL)
_SETTING: Final = re.compile(rf",((?:\w|\.|{_QUOTED})+)=({_QUOTED}|[^,]*)", re.DOTALL)
_MAX_PROGRAMS: Final = 4
"""That one player keeps running."""
P = TypeVar("P", bound=Program)


@dataclass(frozen=True)
class ProgramSpec:
    """KIND:"COMMAND",NAME=VALUE,option."A NAME"=VALUE: taken to pieces."""

    kind: str
    command: str
    settings: dict[str, str]
    options: dict[str, str]


def parse_program_spec(text: str) -> ProgramSpec:
    """Commands, values and names of options may stand in quotes, and must where they hold a comma or a blank."""
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f'{text!r} names no program: expected KIND:"COMMAND", then NAME=VALUE after commas')
    settings: dict[str, str] = {}
    options: dict[str, str] = {}
    at = head.end()
    while at < len(text):
        found = _SETTING.match(text, at)
        if found is None:
            raise ValueError(
                f"{text!r}: {text[at:]!r} is no setting: expected ,NAME=VALUE; a command, a name or a value with a "
                'comma or a quote in it stands in quotes: usi:"engine --fast",movetime=100,option."Skill Level"=10'
            )
        name, value = found[1], _unquoted(found[2])
        is_option = name.startswith(OPTION) and len(name) > len(OPTION)
        target, key = (options, _unquoted(name[len(OPTION) :])) if is_option else (settings, name)
        if key in target:
            raise ValueError(f"{text!r}: {name} is set twice")
        target[key] = value
        at = found.end()
    command = _unquoted(head[2]).strip()
    if not command:
        raise ValueError(f"{text!r}: the command is empty")
    return ProgramSpec(head[1], command, settings, options)


@overload
def read_number(text: str, settings: dict[str, str], name: str, default: float) -> float: ...
@overload
def read_number(text: str, settings: dict[str, str], name: str, default: None) -> float | None: ...
def read_number(text: str, settings: dict[str, str], name: str, default: float | None) -> float | None:
    """Takes a setting out, which must be a number above 0."""
    if name not in settings:
        return default
    value = settings.pop(name)
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 < number < 1e12:
        raise ValueError(f"{text!r}: {name} is {value!r} and must be a number above 0")
    return number


def _unquoted(text: str) -> str:
    if text[:1] == text[-1:] == '"' and len(text) > 1:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text[1:-1] if text[:1] == text[-1:] == "'" and len(text) > 1 else text


class _Seated(Generic[P]):
    """A program that sits at a game."""

    def __init__(self, program: P) -> None:
        self.program = program
        self.history: tuple[Played, ...] | None = None
        """Of the position that it was asked about last; None: it has seen no game yet."""
        self.answer: int | None = None

    def fits(self, history: tuple[Played, ...]) -> int:
        """How well a position goes on from the last one: 0 if it is of another game."""
        if self.history is None:
            return 0
        more = len(history) - len(self.history)
        # Somebody else has moved since, and the program itself: an odd distance is the other seat's.
        if more < 2 or more % 2 or history[: len(self.history)] != self.history:
            return 0
        return 2 if history[len(self.history)] == self.answer else 1


class ProgramPlayer(Player, Generic[P]):
    """Asks a program. Every game that goes on at the same time has a process of its own, so that none knows another's;
    they are asked one after the other, and none thinks while it is not asked.

    What a program answers is its own affair: equal seeds do not make equal games.
    """

    games_at_once = 2

    def __init__(self, name: str, command: str, *, timeout_s: float) -> None:
        super().__init__(name)
        self.command = command
        self.timeout_s = timeout_s
        self._seated: list[_Seated[P]] = []

    @abstractmethod
    def start_program(self, game: Game) -> P:
        """A program that has said that it is there."""

    @abstractmethod
    def start_game(self, program: P, state: State) -> None:
        """Tells it that a game begins, of which this is the first position that it is asked about."""

    @abstractmethod
    def ask_move(self, program: P, state: State) -> str:
        """Its move, or `resign`."""

    def check(self, game: Game) -> None:
        self.check_game(game)
        if not self._seated:
            try:
                self._seated.append(_Seated(self.start_program(game)))
            except ProgramFailure as error:
                raise ValueError(str(error)) from error

    def check_game(self, game: Game) -> None:
        """Raises a ValueError if programs of this kind can't play the game."""

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:  # noqa: ARG002
        return [self._ask(state) for state in states]

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[Choice]:
        chosen = self.choose(states, seats, seeds)
        return [Choice(action, {} if action == RESIGN else {action: 1.0}) for action in chosen]

    def close(self) -> None:
        for seated in self._seated:
            seated.program.close()
        self._seated.clear()

    def _ask(self, state: State) -> int:
        seated = self._seat_for(state)
        try:
            if not seated.fits(state.history):
                self.start_game(seated.program, state)
            text = self.ask_move(seated.program, state)
            action = self._read(text, state)
        except BaseException:
            # Whatever it would say now belongs to another question.
            self._seated.remove(seated)
            seated.program.kill()
            raise
        seated.history, seated.answer = state.history, action
        return action

    def _seat_for(self, state: State) -> _Seated[P]:
        history = state.history
        best = max(self._seated, key=lambda seated: seated.fits(history), default=None)
        if best is None or not best.fits(history):
            best = next((seated for seated in self._seated if seated.history is None), None)
        if best is None:
            best = _Seated(self.start_program(state.game))
            self._seated.append(best)
            if len(self._seated) > _MAX_PROGRAMS:
                self._seated.pop(0).program.close()
        # The one that was asked longest ago comes first.
        self._seated.remove(best)
        self._seated.append(best)
        return best

    def _read(self, text: str, state: State) -> int:
        if text.casefold() == "resign":
            return RESIGN
        try:
            action = state.game.parse(text, state)
        except ValueError as error:
            raise ProgramFailure(f"{self.command}: its move {text!r} is illegal after {_moves(state)}") from error
        if action not in state.legal():
            raise ProgramFailure(f"{self.command}: its move {text!r} is illegal after {_moves(state)}")
        return action

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_seated": []}


def _moves(state: State) -> str:
    return " ".join(state.names) or "no move"
