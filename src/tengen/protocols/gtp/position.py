"""The game that a GTP session is about: board, rules, komi and moves, with a way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.analysis.go.positions import board_stones, make_position
from tengen.games import GameError
from tengen.games.go import Go
from tengen.games.go.notation import format_vertex, parse_color, parse_vertex
from tengen.games.go.rules import is_komi, supported_rules
from tengen.games.go.sgf import new_record
from tengen.protocols.gtp.wire import GtpError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.analysis.go import GoPosition
    from tengen.games import State
    from tengen.games.go.notation import Color
    from tengen.games.go.rules import Rules
    from tengen.games.go.sgf import Record

__all__ = ["LARGEST", "SMALLEST", "Position"]

SMALLEST: Final = 2
LARGEST: Final = 19
_OTHER: Final[dict[Color, Color]] = {"black": "white", "white": "black"}


class Position:
    """Changes are made whole or not at all."""

    def __init__(self, width: int, height: int, rules: Rules, komi: float) -> None:
        self.rules, self.komi = rules, komi
        self.resize(width, height)

    def resize(self, width: int, height: int) -> None:
        """An empty board of this size."""
        if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
            raise GtpError(f"unacceptable size: expected {SMALLEST} to {LARGEST}")
        self.game = Go(size=width, height=height)
        self.clear()

    def clear(self) -> None:
        self._begin((), None)

    @property
    def width(self) -> int:
        return self.game.width

    @property
    def height(self) -> int:
        return self.game.height

    @property
    def area(self) -> int:
        return self.width * self.height

    @property
    def state(self) -> State:
        return self._states[-1]

    @property
    def to_play(self) -> Color:
        return self.game.to_play(self.state)

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def passes(self) -> int:
        """In a row, at the end."""
        count = 0
        while count < len(self.moves) and self.moves[-1 - count][1] == "pass":
            count += 1
        return count

    def _begin(self, stones: Sequence[tuple[Color, str]], to_play: Color | None) -> None:
        start = self._start(stones, to_play)
        self.stones = list(stones)
        self.first = self.game.to_play(start)
        self.moves: list[tuple[Color, str]] = []
        self._states = [start]

    def _start(self, stones: Sequence[tuple[Color, str]], to_play: Color | None) -> State:
        return self.game.start(rules=self.rules, komi=self.komi, stones=stones, to_play=to_play, prevent_cleanup=True)

    def play(self, color: str, vertex: str) -> None:
        """Whatever the ko, by either color, as programs replay games."""
        player = _color(color)
        name = self.vertex(vertex)
        try:
            state = self.game.replay(self.state, [(player, name)])
        except GameError as error:
            raise GtpError("illegal move") from error
        self.moves.append((player, name))
        self._states.append(state)

    def undo(self) -> None:
        if not self.moves:
            raise GtpError("cannot undo")
        self.moves.pop()
        self._states.pop()

    def set_rules(self, rules: Rules, komi: float) -> None:
        """Change the rules; moves that were played stay."""
        if not is_komi(komi):
            raise GtpError(f"komi {komi:g}: expected a whole or half number from -400 to 400")
        before = self.rules, self.komi
        self.rules, self.komi = rules, komi
        try:
            states = [self._start(self.stones, self.first)]
            for move in self.moves:
                states.append(self.game.replay(states[-1], [move]))
        except GameError as error:
            self.rules, self.komi = before
            raise GtpError(f"the game so far breaks these rules: {error}") from error
        self._states = states

    def set_up(self, stones: Sequence[tuple[str, str]], to_play: Color | None = None) -> None:
        """A board without a past."""
        placed = [(_color(color), self.vertex(vertex)) for color, vertex in stones]
        names = [vertex for _, vertex in placed]
        if "pass" in names or len(set(names)) < len(names):
            raise GtpError("expected every point once, and no pass")
        start = self._start(placed, to_play)
        if not all(self._has_liberty(start, vertex) for vertex in names):
            raise GtpError("a chain would have no liberties")
        self._begin(placed, to_play)

    def _has_liberty(self, state: State, vertex: str) -> bool:
        stones = self.game.go.board(state.position)
        for cell in self.game.go.chain(state.position, parse_vertex(vertex, self.width, self.height)):
            y, x = divmod(cell, self.width)
            for row, column in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                is_inside = 0 <= row < self.height and 0 <= column < self.width
                if is_inside and not stones[row * self.width + column]:
                    return True
        return False

    def check_empty(self) -> None:
        if self.moves or self.stones:
            raise GtpError("board not empty")

    def place_handicap(self, vertices: Sequence[str]) -> None:
        self.check_empty()
        self.set_up([("black", vertex) for vertex in vertices], "white")

    def empty_copy(self) -> Position:
        """Return an empty board of the same size, with the same rules and komi."""
        return Position(self.width, self.height, self.rules, self.komi)

    def loaded(self, record: Record, moves: int | None = None) -> Position:
        """The main line of a record, or its first moves; under the present rules and komi where it names none."""
        line = record.main
        komi = self.komi if record.komi is None else record.komi
        # Networks know no others: KataGo takes the nearest, too.
        rules = self.rules if record.rules is None else supported_rules(record.rules)
        found = Position(record.width, record.height, rules, komi)
        found._begin(line.stones, line.to_play)
        for number, (color, vertex) in enumerate(line.moves[:moves], 1):
            try:
                found.play(color, vertex)
            except GtpError as error:
                raise GtpError(f"move {number} ({color} {vertex}) is illegal") from error
        return found

    def record(self, **info: str) -> Record:
        return new_record(
            self.width,
            self.height,
            rules=self.rules,
            komi=self.komi,
            stones=self.stones,
            to_play=self.first if self.stones else None,
            moves=self.moves,
            **({"handicap": str(len(self.stones))} if self.is_handicap else {}),
            **info,
        )

    @property
    def is_handicap(self) -> bool:
        return len(self.stones) > 1 and self.first == "white" and all(color == "black" for color, _ in self.stones)

    def vertex(self, text: str) -> str:
        """The name of a point as it is always spelled."""
        return self.game.name(self.cell(text))

    def cell(self, text: str) -> int:
        """The point, or the area for a pass."""
        try:
            return parse_vertex(text, self.width, self.height)
        except GameError as error:
            raise GtpError(f"invalid vertex {text!r}: expected a point of the board, such as D4, or pass") from error

    def analyzed(self, player: Color) -> GoPosition:
        """As an analysis query has it, with `player` to move after its last move.

        A player who is not on turn has no past that would explain the position: the board is all there is.
        """
        if player == self.to_play:
            return make_position(self.game, self.stones, self.moves, self.first, self.rules, self.komi)
        komi = self._komi_of_board()
        return make_position(self.game, board_stones(self.game, self.state), (), player, self.rules, komi)

    def state_for(self, player: Color) -> State:
        """Return the state with `player` to move; without a past if that player is not on turn."""
        if player == self.to_play:
            return self.state
        stones = [(color, name) for color, name in board_stones(self.game, self.state)]
        komi = self._komi_of_board()
        return self.game.start(rules=self.rules, komi=komi, stones=stones, to_play=player, prevent_cleanup=True)

    def _komi_of_board(self) -> float:
        """Return the komi of the board as it stands, prisoners included if they count."""
        if self.rules.scoring != "territory":
            return self.komi
        from_black, from_white = self.game.go.captured(self.state.position)
        return self.komi + from_black - from_white

    def draw(self) -> str:
        """The board in ASCII, with what else a player sees."""
        letters = " ".join(format_vertex(x, self.width, 1)[:-1] for x in range(self.width))
        lines = [f"   {letters}"]
        last = self.moves[-1][1] if self.moves else None
        for y, row in enumerate(self.game.board(self.state).split("/")):
            text = ""
            for x, stone in enumerate(row):
                is_last = last == format_vertex(y * self.width + x, self.width, self.height)
                text += f"{stone}{'<' if is_last else ' '}"
            lines.append(f"{self.height - y:2} {text.rstrip()} {self.height - y}")
        lines.append(f"   {letters}")
        from_black, from_white = self.game.go.captured(self.state.position)
        lines.append(f"{self.to_play.capitalize()} to play, move {self.ply + 1}, komi {self.komi:g}")
        lines.append(f"Black (X) has taken {from_white}, White (O) has taken {from_black}")
        return "\n".join(lines)


def _color(text: str) -> Color:
    try:
        return parse_color(text)
    except GameError as error:
        raise GtpError(f"invalid color {text!r}: expected black or white") from error
