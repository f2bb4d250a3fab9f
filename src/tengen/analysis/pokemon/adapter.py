"""What Pokémon adds to analysis: whose eyes, and battles as a server tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.analysis.adapters import GameAdapter, GamePosition
from tengen.analysis.pokemon.answers import PokemonAnswerBuilder
from tengen.analysis.pokemon.battle_position import BattlePosition, track
from tengen.analysis.pokemon.battle_view import MAX_LINES
from tengen.analysis.pokemon.records import BattleFormat
from tengen.analysis.query import Problem, Query, Refused
from tengen.games.pokemon import Pokemon
from tengen.games.pokemon.requests import offered
from tengen.games.pokemon.tracked_state import state_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tengen.analysis.fields import Fields
    from tengen.games import State

__all__ = ["PokemonAdapter"]

_LOG_TEXT = (
    "Must be what one side was sent, as lines or as a text, each request after the lines that led to it, with a "
    "request at its end that asks for a choice"
)


class PokemonAdapter(GameAdapter):
    title = "Pokémon"
    fields = GameAdapter.fields | {"log", "viewer"}
    answers = PokemonAnswerBuilder
    records = BattleFormat()

    def read_position(self, fields: Fields) -> BattlePosition:
        viewer = 0
        if "viewer" in fields:
            try:
                viewer = self.read_player(fields["viewer"])
            except ValueError as error:
                fields.refuse("viewer", str(error))
        if "log" not in fields:
            position = super().read_position(fields)
            assert isinstance(position, GamePosition)
            return BattlePosition(position.start, position.moves, viewer)
        if fields.data.get("start") or fields.data.get("moves"):
            fields.refuse("log", "Must not be given together with start or moves")
        text = fields["log"]
        lines = text.splitlines() if isinstance(text, str) else text
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            fields.refuse("log", _LOG_TEXT)
        if len(lines) > MAX_LINES:
            fields.refuse("log", f"Must be at most {MAX_LINES} lines, {len(lines)} are given")
        tracker = track(lines)
        if tracker.side is None or not offered(tracker):
            fields.refuse("log", _LOG_TEXT)
        return BattlePosition({}, (), tracker.side, tuple(lines))

    def format_position(self, position: Any) -> dict[str, Any]:
        if position.log:
            return {"log": list(position.log)}
        return super().format_position(position) | {"viewer": position.viewer}

    def start(self, query: Query) -> State:
        position = query.position
        assert isinstance(position, BattlePosition)
        if not position.log:
            return super().start(query)
        assert isinstance(self.game, Pokemon)
        try:
            return state_of(self.game, track(position.log), 0)
        except ValueError as error:
            raise Refused(Problem(f"No battle can be made of it: {error}", query.id, "log")) from error

    def viewer(self, query: Query) -> int:
        assert isinstance(query.position, BattlePosition)
        return query.position.viewer

    def start_key(self, position: Any) -> Hashable:
        return super().start_key(position), position.log

    def evaluation_key(self, query: Query, player: int) -> Hashable:  # noqa: ARG002
        """A tree holds what one side sees."""
        return player
