"""Questions at decisions, and the names of their choices in logs.

The game asks one thing at a time, except that a card and a shake with it are one action. Logs, and the models that
learn from them, take that apart: first the card, then `shake` or `no_shake`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from tengen.games.errors import NotationError
from tengen.games.matgo.cards import CODES, PLAIN_CODES, plain_text
from tengen.games.matgo.notation import BOMB, DUMMY, SHAKE, TAKE, THIRD_BONUS, card_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "OPTIONS",
    "PAIRS",
    "PHASES",
    "DecisionType",
    "Phase",
    "Question",
    "answers",
    "parse_choice",
    "question",
]

DecisionType: TypeAlias = Literal["play", "match", "option"]
Phase: TypeAlias = Literal["play", "match_hand", "match_flip", "go_stop", "president", "gukjin", "shake"]

PHASES: tuple[Phase, ...] = ("play", "match_hand", "match_flip", "go_stop", "president", "gukjin", "shake")
"""A phase's number in a context is its place here. The core knows all but the last."""
OPTIONS = ("go", "stop", "president_stop", "president_hold", "five", "junk", "shake", "no_shake")
"""Names of choices that are not cards; five and junk: gukjin as a yeol or as two pi."""

PAIRS = (("go", "stop"), ("president_stop", "president_hold"), ("five", "junk"), ("shake", "no_shake"))
"""Choices of the questions with two candidates, in the order of logs."""

_FIRST_OPTION = 161
_SHAKES = ("shake", "no_shake")
_TYPES: dict[Phase, DecisionType] = {"play": "play", "match_hand": "match", "match_flip": "match"}
# Names of choices in older logs.
_OLD_OPTIONS = {
    "choose_go": "go",
    "choose_stop": "stop",
    "choose_shaking_yes": "shake",
    "choose_shaking_no": "no_shake",
    "shaking_yes": "shake",
    "shaking_no": "no_shake",
    "choose_president_stop": "president_stop",
    "choose_president_hold": "president_hold",
    "choose_five": "five",
    "choose_junk": "junk",
}
# In capitals only: B2 is a card of the second month, b2 a bonus card.
_OLD_CARDS = {f"{'ABCDEFGHIJKLM'[card // 4]}{card % 4}": code for card, code in enumerate(PLAIN_CODES)}
_BOMBS = tuple(f"bomb {month}" for month in range(1, 13))
_PLAYS = (*PLAIN_CODES, "dummy", *_BOMBS)
_BY_TEXT = (
    {plain_text(code): code for code in (*OPTIONS, *_PLAYS)}
    | {plain_text(old): new for old, new in _OLD_OPTIONS.items()}
    | {plain_text(korean): code for korean, code in zip(CODES, PLAIN_CODES, strict=True)}
    | {"declarebomb": "bomb", "bomb": "bomb", "pass": "dummy"}
)

_NAMES = frozenset((*OPTIONS, *_PLAYS))


@dataclass(frozen=True)
class Question:
    phase: Phase
    choices: tuple[str, ...]
    """As logs name them, ascending by action: cards such as `8g`, `dummy`, `bomb 3`; or one of OPTIONS."""
    actions: tuple[int, ...]
    """Action of each choice."""
    shakes: Mapping[str, int] = field(default_factory=dict)
    """Action of each choice with a shake."""

    @property
    def dt(self) -> DecisionType:
        return _TYPES.get(self.phase, "option")

    @property
    def number(self) -> int:
        """Number of the phase in contexts."""
        return PHASES.index(self.phase)

    def action(self, choice: str) -> int:
        """Without a shake."""
        return self.actions[self.choices.index(choice)]

    def follow(self, choice: str) -> Question | None:
        """Return the question about a shake that follows a choice before anything is played, or None."""
        if choice not in self.shakes:
            return None
        return Question("shake", _SHAKES, (self.shakes[choice], self.action(choice)))


def question(phase: int, legal: Sequence[int]) -> Question:
    """From the core's phase (as in a view of the table) and the legal actions."""
    plain = [action for action in legal if not SHAKE <= action < TAKE]
    shakes = {PLAIN_CODES[action - SHAKE]: action for action in legal if SHAKE <= action < TAKE}
    return Question(PHASES[phase], tuple(map(_choice, plain)), tuple(plain), shakes)


def answers(asked: Question, action: int) -> list[tuple[Question, str]]:
    """Return the questions that an action settles, in order, each with its choice."""
    is_shake = SHAKE <= action < TAKE
    choice = PLAIN_CODES[action - SHAKE] if is_shake else asked.choices[asked.actions.index(action)]
    then = asked.follow(choice)
    given = [(asked, choice)]
    return given if then is None else [*given, (then, _SHAKES[0] if is_shake else _SHAKES[1])]


def parse_choice(text: object) -> str:
    """A choice from its name, from what older logs call it, or from a card's id."""
    if isinstance(text, str) and text in _NAMES:
        return text
    if isinstance(text, int) and not isinstance(text, bool) and 0 <= text < len(PLAIN_CODES):
        return PLAIN_CODES[text]
    found = (_OLD_CARDS.get(text) or _BY_TEXT.get(plain_text(text))) if isinstance(text, str) else None
    if found is None:
        raise NotationError(
            f"{text!r} is no choice of a log: expected a card such as 8g, dummy, bomb 3, or one of {', '.join(OPTIONS)}"
        )
    return found


def _choice(action: int) -> str:
    if _FIRST_OPTION <= action < THIRD_BONUS:
        return OPTIONS[action - _FIRST_OPTION]
    if action == DUMMY:
        return "dummy"
    if BOMB <= action < SHAKE:
        return _BOMBS[action - BOMB]
    card = card_of(action)
    assert card is not None
    return PLAIN_CODES[card]
