"""Pyrga: squares, circles and arrows on a 4x4 board, stacked into towers."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.games.native import NativeGame
from tengen.games.pyrga.drawing import Board, draw_svg, draw_text, find_spots
from tengen.games.pyrga.guides import guide
from tengen.games.pyrga.notation import display_name, format_action, format_short, parse_action, touches
from tengen.games.pyrga.refusals import why_illegal
from tengen.games.pyrga.setting_names import SETTING_NAMES
from tengen.games.pyrga.texts import LANGUAGES
from tengen.games.registry import register

if TYPE_CHECKING:
    from tengen.games.spots import Spot

__all__ = ["Pyrga"]


@register
class Pyrga(NativeGame):
    """Each piece says where the next one may go; three pieces in a cell are a tower of whoever has more in it."""

    # tengen arena pyrga level:beginner level:easy level:medium level:hard level:champion --games 100
    measured_elo = types.MappingProxyType(
        {
            "pyrga.onnx@200": (553, 471, 635),
            "pyrga.onnx@25": (360, 289, 431),
            "policy:pyrga.onnx,temperature=1.2": (-181, -235, -127),
            "policy:pyrga.onnx,temperature=2": (-310, -367, -254),
            "policy:pyrga.onnx,temperature=4": (-422, -482, -362),
        }
    )

    languages = LANGUAGES
    setting_names = SETTING_NAMES

    def __init__(
        self, *, arrows_stay_on_board: bool = False, second_square_ban: bool = False, tie_break: bool = False
    ) -> None:
        super().__init__(
            _core.Pyrga(
                arrows_stay_on_board=arrows_stay_on_board, second_square_ban=second_square_ban, tie_break=tie_break
            )
        )

    @property
    def guide(self) -> str:
        return guide(self.lang, self.settings)

    def why_illegal(self, position: Any, player: int, action: int) -> str:
        return why_illegal(self.words, self.encode(position, player), self.settings, action)

    def format_action(self, action: int) -> str:
        return format_action(action)

    def format_short(self, action: int) -> str:
        """`Sb2`, `Cb2`, `Ab2^`; parse() reads it too."""
        return format_short(action)

    def display_name(self, action: int) -> str:
        return display_name(self.words, action)

    def parse_action(self, text: str, position: Any) -> int:
        action = parse_action(text, self.words)
        if action not in self._choices(position):
            raise self.illegal(position, self.actor(position), action)
        return action

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:  # noqa: ARG002 - everyone sees everything
        return draw_text(self._board(position), self.words, color)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:  # noqa: ARG002
        return draw_svg(self._board(position), self.words)

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:  # noqa: ARG002
        return find_spots(self._board(position), self.words)

    def touches(self, action: int, position: Any) -> tuple[str, ...]:  # noqa: ARG002 - the same in any position
        return touches(self.words, action)

    def _board(self, position: Any) -> Board:
        actor = self.actor(position)
        assert actor is None or isinstance(actor, int)
        payoffs = self.payoff(position) if actor is None else None
        return Board.read(self.encode(position, 0), actor, self._choices(position), payoffs)
