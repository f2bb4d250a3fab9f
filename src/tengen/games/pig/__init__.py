"""Pig: roll for more or hold what you have."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.games.action_names import look_up, name_of
from tengen.games.errors import NotationError, SettingError
from tengen.games.native import NativeGame
from tengen.games.pig.drawing import Scores, draw_svg, draw_text, find_spots
from tengen.games.pig.texts import GUIDES, LANGUAGES
from tengen.games.registry import register

if TYPE_CHECKING:
    from tengen.games.spots import Spot

__all__ = ["Pig"]

_NAMES = ("hold", "roll")
_WORDS = {"hold": 0, "h": 0, "roll": 1, "r": 1}
_LARGEST_TARGET = 10_000
_FACES = {str(face): face - 1 for face in range(1, 7)}


@register
class Pig(NativeGame):
    """Roll a die as often as you dare; a one loses the turn's total, holding banks it; who banks the target wins."""

    languages = LANGUAGES
    setting_names = types.MappingProxyType({"ko": {"target": "목표 점수"}, "ja": {"target": "目標の点"}})

    def __init__(self, *, target: int = 20) -> None:
        if not 1 <= target <= _LARGEST_TARGET:
            raise SettingError(f"pig: target must be 1 to {_LARGEST_TARGET}, not {target}")
        super().__init__(_core.Pig(target=target))
        self._target = target

    @property
    def guide(self) -> str:
        return GUIDES[self.lang].format(target=self._target)

    def why_illegal(self, position: Any, player: int, action: int) -> str:  # noqa: ARG002 - only a hold is ever refused
        return self.words("there is nothing to hold yet, since a turn begins with a roll")

    def format_action(self, action: int) -> str:
        return name_of(_NAMES, action)

    def display_name(self, action: int) -> str:
        return self.words(self.format_action(action))

    def parse_action(self, text: str, position: Any) -> int:
        known = _WORDS | {self.words(name): action for action, name in enumerate(_NAMES)}
        action = look_up(known, text, self.words("{text!r} is not an action of Pig: hold or roll", text=text))
        if self.actor(position) == "chance":
            told = "{text!r} is no face of the die, which is rolling now: 1 to 6"
            raise NotationError(self.words(told, text=text))
        if action not in self._choices(position):
            raise self.illegal(position, self.actor(position), action)
        return action

    def format_outcome(self, outcome: int) -> str:
        """The face of the die."""
        return str(outcome + 1)

    def parse_outcome(self, text: str, position: Any) -> int:  # noqa: ARG002 - any face may come
        return look_up(_FACES, text, self.words("{text!r} is not a face of the die: 1 to 6", text=text))

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:  # noqa: ARG002 - everyone sees everything
        return draw_text(self._scores(position), self.words, color)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:  # noqa: ARG002
        return draw_svg(self._scores(position), self.words)

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:  # noqa: ARG002
        return find_spots(self._scores(position), self.words)

    def touches(self, action: int, position: Any) -> tuple[str, ...]:  # noqa: ARG002 - the same in any position
        return (self.display_name(action),)

    def _scores(self, position: Any) -> Scores:
        payoffs = self.payoff(position) if self.actor(position) is None else None
        return Scores.read(self.encode(position, 0), self._target, payoffs)
