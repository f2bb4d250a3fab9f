"""Connect Four on 7 columns and 6 rows."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.games.action_names import look_up, name_of
from tengen.games.connect_four.drawing import COLUMNS, Board, draw_svg, draw_text, find_spots
from tengen.games.connect_four.texts import GUIDES, LANGUAGES
from tengen.games.native import NativeGame
from tengen.games.registry import register

if TYPE_CHECKING:
    from tengen.games.spots import Spot

__all__ = ["ConnectFour"]

_WORDS = {letter: i for i, letter in enumerate(COLUMNS)} | {str(i + 1): i for i in range(len(COLUMNS))}


@register
class ConnectFour(NativeGame):
    """Drop stones into columns; four in a row win. Columns are a to g from the left; 1 to 7 are read too."""

    # tengen arena connect_four level:beginner level:easy level:medium level:hard level:champion --games 60
    measured_elo = types.MappingProxyType(
        {
            "connect_four.onnx@200,solve=true,solve_plies=4": (384, 318, 451),
            "connect_four.onnx@25": (267, 209, 326),
            "policy:connect_four.onnx,temperature=1.2": (-34, -85, 16),
            "policy:connect_four.onnx,temperature=2": (-174, -228, -120),
            "policy:connect_four.onnx,temperature=4": (-443, -518, -368),
        }
    )

    languages = LANGUAGES

    # python benchmarks/time_to_strength.py measures these settings; docs/learning.md has the figures.
    learning = types.MappingProxyType(
        {
            "games_per_iter": 1024,
            "bootstrap_games": 512,
            # Proofs and forced results within four plies take no time that could be measured, and find what weak values
            # hide. Games to learn from are played without them: more games teach more than games that end exactly.
            "player": "NETWORK@200,solve=true,solve_plies=4",
            "eval_games": 16,
            "eval_visits": 200,
            "net": {"channels": 32, "blocks": 4},
            "selfplay": {
                "late_temperature": 0.4,
                "opening_share": 0.5,
                "opening_plies": 24,
                "overrides": ("solve", "solve_plies"),
                # Gumbel's halving improves the policy with few visits, so that every position is a target.
                "search": {
                    "visits": 48,
                    "fast_visits": 0,
                    "full_probability": 1.0,
                    "noise_fraction": 0.0,
                    "forced_playouts": 0.0,
                    "gumbel_actions": 7,
                },
            },
            "train": {"lr": 1e-2, "search_value_share": 0.6},
            "quick": {"games_per_iter": 1024, "selfplay": {"search": {"visits": 48, "fast_visits": 0}}},
        }
    )

    def __init__(self) -> None:
        super().__init__(_core.ConnectFour())

    @property
    def guide(self) -> str:
        return GUIDES[self.lang]

    def why_illegal(self, position: Any, player: int, action: int) -> str:  # noqa: ARG002 - the same for both
        return self.words("column {column} is full", column=self.format_action(action))

    def format_action(self, action: int) -> str:
        return name_of(COLUMNS, action)

    def parse_action(self, text: str, position: Any) -> int:
        told = "{text!r} is not a column of Connect Four: a to g, or 1 to 7, from the left"
        action = look_up(_WORDS, text, self.words(told, text=text))
        if action not in self._choices(position):
            raise self.illegal(position, self.actor(position), action)
        return action

    def draw_text(
        self,
        position: Any,
        viewer: int | None = None,  # noqa: ARG002 - everyone sees everything
        color: bool = False,
        *,
        last: int | None = None,
    ) -> str:
        """`last` is the column of the last stone, which a position does not remember."""
        return draw_text(self._board(position, last), self.words, color)

    def draw_svg(
        self,
        position: Any,
        viewer: int | None = None,  # noqa: ARG002
        *,
        last: int | None = None,
    ) -> str:
        return draw_svg(self._board(position, last), self.words)

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:  # noqa: ARG002
        return find_spots(self._board(position, None), self.words)

    def _board(self, position: Any, last: int | None) -> Board:
        actor = self.actor(position)
        assert actor is None or isinstance(actor, int)
        return Board.read(self.encode(position, 0), actor, self.payoff(position) if actor is None else None, last)
