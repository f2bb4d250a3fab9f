"""Shogi: full rules, SFEN and USI, Japanese move texts."""

from __future__ import annotations

import types
import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tengen import _core
from tengen.games.errors import GameError, IllegalAction, NotationError, SettingError
from tengen.games.native import NativeGame
from tengen.games.registry import register
from tengen.games.shogi.board_svg import draw_svg, find_spots
from tengen.games.shogi.drawing import Drawing, draw_text
from tengen.games.shogi.korean import KOREAN
from tengen.games.shogi.notation import (
    WIN,
    action_of_usi,
    format_usi,
    move_of,
    square_text,
    touches,
)
from tengen.games.shogi.pieces import square_name
from tengen.games.shogi.records.board import Board
from tengen.games.shogi.records.handicaps import HANDICAPS as JAPANESE_HANDICAPS
from tengen.games.shogi.records.handicaps import find_handicap
from tengen.games.shogi.records.japanese_moves import MoveTextError, japanese_move, parse_japanese
from tengen.games.shogi.sfen import HANDICAPS, Layout, PieceCountWarning, format_sfen, parse_sfen
from tengen.games.shogi.texts import JAPANESE, REASONS, guide

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tengen.games.recorded import RecordedGame
    from tengen.games.saved import SavedGame
    from tengen.games.shogi.problems import MateProblems
    from tengen.games.spots import Spot
    from tengen.games.state import State

__all__ = [
    "DECLARATIONS",
    "ENDS",
    "HANDICAPS",
    "WIN",
    "Layout",
    "PieceCountWarning",
    "Shogi",
    "format_sfen",
    "parse_sfen",
    "start_from_usi",
]

DECLARATIONS: Final = ("NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule")
"""Rules of declaration, in the order of the core."""
ENDS: Final = ("", "no moves", "repetition", "perpetual check", "declaration", "try", "max plies")
"""How a game ended, in the order of the core; first: it has not."""


@register
class Shogi(NativeGame):
    """Mate the king; what you take you may drop. Seat 0 is Black (sente). Moves are USI's: 7g7f, 8h2b+, P*5e, win.

    start() takes a position as `sfen`, or a `handicap` by name, and `moves` from there (USI, a text or a list).
    """

    languages: ClassVar[Mapping[str, Mapping[str, str]]] = {"ko": KOREAN, "ja": JAPANESE}
    setting_names: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "ko": {"declaration": "입옥 선언 규칙", "max_plies": "최대 수"},
        "ja": {"declaration": "入玉宣言のルール", "max_plies": "最大手数"},
    }

    def __init__(self, *, declaration: str = "CSARule27", max_plies: int = 0) -> None:
        if declaration not in DECLARATIONS:
            raise SettingError(f"shogi(declaration={declaration!r}): expected one of {', '.join(DECLARATIONS)}")
        if max_plies < 0 or max_plies >= 2**31:
            raise SettingError(f"shogi(max_plies={max_plies}): expected 0, which is no limit, or more")
        self.shogi = _core.Shogi(declaration=DECLARATIONS.index(declaration), max_plies=max_plies)
        self.declaration = declaration
        self.max_plies = max_plies
        super().__init__(self.shogi)

    def initial(
        self,
        rng: random.Random,  # noqa: ARG002 - nothing is dealt
        *,
        sfen: str | None = None,
        moves: str | Iterable[str] = (),
        handicap: str | None = None,
    ) -> Any:
        """Moves are replayed as they were played, also beyond a repetition: a referee may see that otherwise."""
        if sfen is not None and handicap is not None:
            raise GameError("shogi starts from a sfen or a handicap, not from both")
        if handicap is not None:
            sfen = HANDICAPS.get(handicap) or JAPANESE_HANDICAPS.get(find_handicap(handicap) or "")
            if sfen is None:
                raise GameError(f"shogi has no handicap {handicap!r}: expected one of {', '.join(HANDICAPS)}")
        position = self.shogi.start(0) if sfen is None else self.position_of(parse_sfen(sfen), sfen)
        return self._replay(position, moves.split() if isinstance(moves, str) else moves)

    def with_draw_value(self, state: State, value: float) -> State:
        """The state in a game where a draw is worth so much to Black, from -1 to 1: for searches."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        made.core = made.shogi = self.shogi.with_draw_value(value)
        return state.with_position(state.position, made)

    def position_of(self, layout: Layout, text: str = "") -> Any:
        """The core's position of a board with hands; `text` is what errors call it."""
        try:
            return self.shogi.start_from(bytes(layout.board), layout.hands, layout.side, layout.ply)
        except ValueError as error:
            raise GameError(f"no position of shogi: {error}, in {text or format_sfen(layout)!r}") from error

    # Facts about a position for programs.

    def layout(self, state: State) -> Layout:
        return self._layout(state.position)

    def sfen(self, state: State) -> str:
        return format_sfen(self._layout(state.position))

    def side(self, state: State) -> int:
        """Return the player whose turn it is or, in a finished game, would be."""
        return self.shogi.side(state.position)

    def ply(self, state: State) -> int:
        """The move number of SFEN less one."""
        return self.shogi.ply(state.position)

    def is_check(self, state: State) -> bool:
        return self.shogi.is_check(state.position)

    def end(self, state: State) -> str:
        """How the game ended, of ENDS; empty: it has not."""
        return ENDS[self.shogi.end(state.position)]

    def replay(self, state: State, moves: str | Iterable[str]) -> State:
        """Plays USI moves, also beyond a repetition or the limit of plies."""
        position = self._replay(state.position, moves.split() if isinstance(moves, str) else moves)
        return state.with_position(position)

    def move_text(self, state: State, action: int) -> str:
        """A legal action in Japanese, as records write it: ７六歩, 同銀不成, ５五角打."""
        return "入玉勝ち" if action == WIN else self._japanese(state.position, action)

    def describe_action(self, position: Any, player: int, action: int) -> str:  # noqa: ARG002 - one is to move
        """In Japanese for readers of it; names of actions are USI's in every language."""
        return format_usi(action) if self.lang != "ja" or action == WIN else self._japanese(position, action)

    def _japanese(self, position: Any, action: int) -> str:
        board, last = self._record_board(position)
        return japanese_move(board, format_usi(action), last).replace("　", "")

    def view_key(self, position: Any, viewer: int) -> int:  # noqa: ARG002 - everyone sees everything
        """Return a key of the whole game so far, because a drawing marks the last move."""
        return self.shogi.rules_key(position)

    def is_counted(self, action: int) -> bool:
        return action != WIN

    # Names.

    def format_action(self, action: int) -> str:
        return format_usi(action)

    def parse_action(self, text: str, position: Any) -> int:
        """USI or Japanese."""
        plain = text.strip()
        for name in (plain, plain.lower(), plain[:1].upper() + plain[1:].lower()):
            action = action_of_usi(name)
            if action is not None:
                return self._checked(position, action)
        return self._checked(position, self._parse_japanese(text, position))

    def _parse_japanese(self, text: str, position: Any) -> int:
        board, last = self._record_board(position)
        try:
            name = parse_japanese(text, board, last, lambda usi: self._is_legal_name(position, usi))
        except MoveTextError as error:
            raise NotationError(f"{text!r}: {self.words(error.text, **error.values)}") from None
        action = action_of_usi(name)
        if action is None:
            raise NotationError(f"{text!r}: no piece moves like {name}")
        return action

    def _checked(self, position: Any, action: int) -> int:
        if self.actor(position) is None or not self._is_legal(position, action):
            raise self.illegal(position, self.actor(position), action)
        return action

    def _is_legal_name(self, position: Any, usi: str) -> bool:
        action = action_of_usi(usi)
        return action is not None and self.actor(position) is not None and self._is_legal(position, action)

    def _is_legal(self, position: Any, action: int) -> bool:
        if action == WIN:
            return self.shogi.can_declare(position)
        return self.shogi.refusal(position, action) == 0

    # Words and drawings.

    @property
    def guide(self) -> str:
        return guide(self.lang, self.declaration)

    def why_illegal(self, position: Any, player: int, action: int) -> str:
        if action == WIN:
            points, pieces = self.shogi.camp_count(position, player)
            text = "a win cannot be declared here: {points} points and {pieces} pieces in the camp"
            return self.words(text, points=points, pieces=pieces)
        move = move_of(action)
        show = square_text if self.lang == "ja" else square_name
        origin = "" if move.origin is None else show(move.origin)
        return self.words(REASONS[self.shogi.refusal(position, action)], origin=origin, to=show(move.to))

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:  # noqa: ARG002 - everyone sees everything
        return draw_text(self._board(position), self.words, color)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:  # noqa: ARG002
        return draw_svg(self._board(position), self.words)

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:  # noqa: ARG002
        return find_spots(self._board(position), self.words)

    def touches(self, action: int, position: Any) -> tuple[str, ...]:
        return tuple(map(self.words, touches(action, self.shogi.side(position))))

    def _board(self, position: Any) -> Drawing:
        return Drawing(self._layout(position), self._status(position), self._last_target(position))

    def _status(self, position: Any) -> str:
        side, end = self.shogi.side(position), self.shogi.end(position)
        is_check = self.shogi.is_check(position)
        winner = side
        if end and ENDS[end] not in ("repetition", "max plies"):
            winner = int(self.core.payoff(position)[0] < 0)
        text = {
            "": "{side} to move, in check" if is_check else "{side} to move",
            "no moves": "{side} wins: mate" if is_check else "{side} wins: {loser} has no legal move",
            "repetition": "draw: the position came for the fourth time",
            "perpetual check": "{side} wins: {loser} gave perpetual check",
            "declaration": "{side} wins by declaration",
            "try": "{side} wins: its king has reached its goal",
            "max plies": "draw: the limit of plies is reached",
        }[ENDS[end]]
        names = ("Black", "White")
        return self.words(text, side=self.words(names[winner]), loser=self.words(names[1 - winner]))

    def open_problems(self, which: str) -> MateProblems:
        """Mate problems: `mate` in the box, or a file of positions."""
        from tengen.games.shogi.problems import open_problems

        return open_problems(self, which)

    # A person's game in a file.

    saved_suffix = ".kif"

    @classmethod
    def saved_settings(cls, data: bytes) -> dict[str, Any]:
        from tengen.games.shogi.saved import saved_settings

        return saved_settings(data)

    def parse_saved(self, data: bytes) -> SavedGame:
        from tengen.games.shogi.saved import parse_saved

        return parse_saved(self, data)

    def format_saved(self, saved: SavedGame) -> bytes:
        from tengen.games.shogi.saved import format_saved

        return format_saved(self, saved)

    # Games of others, to learn from.

    learning = types.MappingProxyType(
        {
            # Labels are planes of the board, so a policy takes a convolution instead of millions of weights.
            "net": {"policy": "planes", "squeeze": False, "pooling": True, "moves_left": False},
            "chunk_games": 64,
            "selfplay": {
                "parallel": 32,
                "temp_moves": 30,
                "late_temperature": 0.5,
                "resign_value": 0.97,
                "no_resign_share": 0.2,
                "max_plies": 512,
            },
            "train": {"batch_size": 512, "lr": 2e-3},
        }
    )

    def read_records(self, path: Path) -> list[RecordedGame]:
        """KIF, KI2, CSA, USI lines, .sfenx: their main lines."""
        from tengen.games.shogi.saved import recorded_games

        return recorded_games(path)

    # Inside.

    def _layout(self, position: Any) -> Layout:
        core = self.shogi
        return Layout(bytearray(core.board(position)), core.hands(position), core.side(position), core.ply(position))

    def _last_target(self, position: Any) -> int | None:
        recent = self.shogi.recent(position)
        return move_of(recent[0][0]).to if recent else None

    def _record_board(self, position: Any) -> tuple[Board, str | None]:
        """As records see the position, and where the last move went."""
        last = self._last_target(position)
        return Board.of_layout(self._layout(position)), None if last is None else square_name(last)

    def _replay(self, position: Any, moves: Iterable[str]) -> Any:
        for number, name in enumerate(moves):
            action = action_of_usi(name)
            if action is None or action == WIN:
                raise NotationError(f"move {number + 1} ({name!r}) is no move of USI")
            try:
                position = self.shogi.replay(position, action)
            except ValueError as error:
                why = self.why_illegal(position, self.shogi.side(position), action)
                raise IllegalAction(
                    f"move {number + 1} ({name}) is illegal{', because ' if why else ''}{why}, in "
                    f"{format_sfen(self._layout(position))}",
                    why,
                ) from error
        return position


def start_from_usi(game: Shogi, position: str) -> State:
    """From what USI writes: `startpos` or an SFEN, then `moves …`; without a warning of too many pieces."""
    sfen, _, moves = position.partition("moves")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PieceCountWarning)
        return game.start(sfen=sfen, moves=moves)
