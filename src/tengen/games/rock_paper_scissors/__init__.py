"""Biased rock-paper-scissors: one simultaneous round with uneven stakes."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.games.action_names import look_up, name_of
from tengen.games.native import NativeGame
from tengen.games.registry import register
from tengen.games.rock_paper_scissors.drawing import CHOICES, Round, draw_svg, draw_text, find_spots

if TYPE_CHECKING:
    from tengen.games.spots import Spot

__all__ = ["RockPaperScissors"]

_WORDS = {word: i for i, name in enumerate(CHOICES) for word in (name, name[0])}

_GUIDE = """\
Both players choose at once, without seeing the other's choice; one round is the
whole game. Rock beats scissors, scissors beat paper, paper beats rock; the same
choice twice is a draw. The stakes are uneven: rock against scissors wins 50,
paper against rock 25, scissors against paper 5.

To move, type rock, paper or scissors, or r, p or s."""


@register
class RockPaperScissors(NativeGame):
    """Both choose at once. Rock against scissors wins 50, paper against rock 25, scissors against paper 5."""

    title = "Rock, paper, scissors"
    # These are for roots where one chooses.
    learning = types.MappingProxyType({"selfplay": {"search": {"noise_fraction": 0.0, "forced_playouts": 0.0}}})

    def __init__(self) -> None:
        super().__init__(_core.RockPaperScissors())

    @property
    def guide(self) -> str:
        return _GUIDE

    def format_action(self, action: int) -> str:
        return name_of(CHOICES, action)

    def parse_action(self, text: str, position: Any) -> int:
        action = look_up(_WORDS, text, "a choice: rock, paper or scissors")
        if action not in self._choices(position):
            raise self.illegal(position, self.actor(position), action)
        return action

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:  # noqa: ARG002 - everyone sees everything
        return draw_text(self._round(position), color)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:  # noqa: ARG002
        return draw_svg(self._round(position))

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:  # noqa: ARG002 - the same at any time
        return find_spots(viewer)

    def _round(self, position: Any) -> Round:
        planes = self.encode(position, 0).reshape(-1)
        if planes[0]:
            return None
        return int(planes[1:4].argmax()), int(planes[4:7].argmax())
