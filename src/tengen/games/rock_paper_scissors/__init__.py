"""Biased rock-paper-scissors: one simultaneous round with uneven stakes."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.games.action_names import look_up, name_of
from tengen.games.native import NativeGame
from tengen.games.registry import register
from tengen.games.rock_paper_scissors.drawing import CHOICES, Round, draw_svg, draw_text, find_spots
from tengen.games.rock_paper_scissors.texts import GUIDES, LANGUAGES

if TYPE_CHECKING:
    from tengen.games.spots import Spot

__all__ = ["RockPaperScissors"]

_WORDS = {word: i for i, name in enumerate(CHOICES) for word in (name, name[0])}


@register
class RockPaperScissors(NativeGame):
    """Both choose at once. Rock against scissors wins 50, paper against rock 25, scissors against paper 5."""

    title = "Rock, paper, scissors"
    languages = LANGUAGES
    # These are for roots where one chooses.
    learning = types.MappingProxyType({"selfplay": {"search": {"noise_fraction": 0.0, "forced_playouts": 0.0}}})

    def __init__(self) -> None:
        super().__init__(_core.RockPaperScissors())

    @property
    def guide(self) -> str:
        return GUIDES[self.lang]

    def format_action(self, action: int) -> str:
        return name_of(CHOICES, action)

    def display_name(self, action: int) -> str:
        return self.words(self.format_action(action))

    def parse_action(self, text: str, position: Any) -> int:
        known = _WORDS | {self.words(name): action for action, name in enumerate(CHOICES)}
        action = look_up(known, text, self.words("{text!r} is not a choice: rock, paper or scissors", text=text))
        if action not in self._choices(position):
            raise self.illegal(position, self.actor(position), action)
        return action

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:  # noqa: ARG002 - everyone sees everything
        return draw_text(self._round(position), self.words, color)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:  # noqa: ARG002
        return draw_svg(self._round(position), self.words)

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:  # noqa: ARG002 - the same at any time
        return find_spots(viewer, self.words)

    def touches(self, action: int, position: Any) -> tuple[str, ...]:  # noqa: ARG002 - the same at any time
        return (self.display_name(action),)

    def _round(self, position: Any) -> Round:
        planes = self.encode(position, 0).reshape(-1)
        if planes[0]:
            return None
        return int(planes[1:4].argmax()), int(planes[4:7].argmax())
