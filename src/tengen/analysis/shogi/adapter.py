"""What shogi adds to analysis: positions as SFEN, colors, games that went on beyond a repetition, records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tengen.analysis.adapters import GameAdapter, GamePosition
from tengen.analysis.query import Query, Refused, illegal_move
from tengen.analysis.shogi.answers import ShogiAnswerBuilder
from tengen.analysis.shogi.records import KifFormat
from tengen.games import GameError
from tengen.games.shogi import Shogi

if TYPE_CHECKING:
    from tengen.analysis.fields import Fields
    from tengen.games import State

__all__ = ["ShogiAdapter"]

_PLAYERS = {"b": 0, "black": 0, "w": 1, "white": 1}
_COLORS = ("Black", "White")


class ShogiAdapter(GameAdapter):
    title = "Shogi"
    fields = GameAdapter.fields | {"initialPosition"}
    answers = ShogiAnswerBuilder
    records = KifFormat()

    def read_position(self, fields: Fields) -> GamePosition:
        """`initialPosition` is short for a start with that SFEN."""
        position = super().read_position(fields)
        assert isinstance(position, GamePosition)
        if "initialPosition" not in fields:
            return position
        text = fields["initialPosition"]
        if not isinstance(text, str):
            fields.refuse("initialPosition", 'Must be SFEN, such as "lnsgkgsnl/1r5b1/… b - 1", or "startpos"')
        if position.start:
            fields.refuse("initialPosition", "Must not be given together with start")
        try:
            self.game.start(sfen=text)
        except GameError as error:
            fields.refuse("initialPosition", str(error))
        return replace(position, start={"sfen": text})

    def read_player(self, value: Any) -> int:
        if isinstance(value, str) and value.lower() in _PLAYERS:
            return _PLAYERS[value.lower()]
        try:
            return super().read_player(value)
        except ValueError:
            raise ValueError('Must be "b" or "w"') from None

    def player_name(self, player: int) -> str:
        return _COLORS[player]

    def play(self, query: Query, state: State, number: int) -> State:
        """As records go: also beyond a fourth repetition or the most plies, which nobody may have noticed."""
        if state.actor is not None:
            return super().play(query, state, number)
        move = query.position.moves[number]
        game = state.game
        assert isinstance(game, Shogi)
        try:
            position = game.replay(state, [str(move.action)]).position
        except GameError as error:
            raise Refused(illegal_move(query.id, number, move.name)) from error
        # What came before is no past that a tree could follow: it ended.
        return game.start().with_position(position)
