"""Matgo's actions in words, Korean, plain or Japanese: `8광` or `8g`, `폭탄 3월`, `bomb 3` or `爆弾 3月`; or by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.action_names import name_of
from tengen.games.errors import NotationError
from tengen.games.matgo.cards import CODES, PLAIN_CODES, plain_text
from tengen.games.translation import Translation

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "DUMMY",
    "STOPS",
    "THIRD_BONUS",
    "card_of",
    "format_action",
    "format_japanese",
    "format_plain",
    "parse_action",
    "short_for",
    "touched_card",
]

DUMMY = 50
BOMB = 51
SHAKE = 63
TAKE = 111
STOPS = (162, 163)
"""What ends a round: stop, and stop with four of a month."""
THIRD_BONUS = 167
"""Playing the third bonus card, in games that have three."""

_OPTIONS = ("고", "스톱", "총통 스톱", "들고치기", "국진 열끗", "국진 쌍피")
_JAPANESE_OPTIONS = ("ゴー", "ストップ", "総統 ストップ", "総統 続行", "菊 タネ", "菊 カス")
_PLAIN_OPTIONS = ("go", "stop", "president stop", "president hold", "gukjin yeol", "gukjin pi")
_MONTHS = range(1, 13)

_NAMES = (
    *CODES[:50],
    "폭탄패",
    *(f"폭탄 {month}월" for month in _MONTHS),
    *(f"흔들고 {code}" for code in CODES[:48]),
    *(f"먹기 {code}" for code in CODES[:50]),
    *_OPTIONS,
    CODES[50],
)
_PLAIN_NAMES = (
    *PLAIN_CODES[:50],
    "dummy",
    *(f"bomb {month}" for month in _MONTHS),
    *(f"shake {code}" for code in PLAIN_CODES[:48]),
    *(f"take {code}" for code in PLAIN_CODES[:50]),
    *_PLAIN_OPTIONS,
    PLAIN_CODES[50],
)
_JAPANESE_NAMES = (
    *PLAIN_CODES[:50],
    "爆弾札",
    *(f"爆弾 {month}月" for month in _MONTHS),
    *(f"振る {code}" for code in PLAIN_CODES[:48]),
    *(f"取る {code}" for code in PLAIN_CODES[:50]),
    *_JAPANESE_OPTIONS,
    PLAIN_CODES[50],
)
# What else players and logs call the answers to questions.
_ALSO = {"총통": 163, "five": 165, "junk": 166, "열끗": 165, "쌍피": 166, "못먹어도고": 161}
_BY_NAME = {
    plain_text(name): action for names in (_NAMES, _PLAIN_NAMES, _JAPANESE_NAMES) for action, name in enumerate(names)
} | _ALSO

# Less than a name, for where only one of these is possible: a card for taking it, `stop` for four of a month, a word
# without its card or month.
_SHORT: dict[str, Sequence[int]] = {
    **{plain_text(code): (TAKE + card,) for codes in (CODES, PLAIN_CODES) for card, code in enumerate(codes[:50])},
    **dict.fromkeys(("스톱", "stop", "ストップ"), (163,)),
    "hold": (164,),
    "yeol": (165,),
    **dict.fromkeys(("pi", "doublepi"), (166,)),
    **dict.fromkeys(("폭탄", "bomb", "爆弾"), (*range(BOMB, SHAKE), DUMMY)),
    **dict.fromkeys(("흔들기", "흔들고", "shake", "振る"), range(SHAKE, TAKE)),
    **dict.fromkeys(("먹기", "take", "取る"), range(TAKE, TAKE + 50)),
}

_UNKNOWN = (
    "{text!r} is no action of Matgo: expected a card to play such as 8g, bomb 3, shake 3r, take 3r, dummy, an answer "
    "such as go, or an action's id 0 to {most}"
)


def format_action(action: int, count: int = len(_NAMES)) -> str:
    return name_of(_NAMES[:count], action)


def format_plain(action: int, count: int = len(_NAMES)) -> str:
    return name_of(_PLAIN_NAMES[:count], action)


def format_japanese(action: int, count: int = len(_NAMES)) -> str:
    return name_of(_JAPANESE_NAMES[:count], action)


def parse_action(text: str, count: int = len(_NAMES), say: Translation | None = None) -> int:
    """An action of a game that has `count` of them, by its whole name. Whether it is legal is another question."""
    plain = plain_text(text)
    action = _BY_NAME.get(plain)
    if action is None and plain.isascii() and plain.isdigit() and len(plain) <= 3:
        action = int(plain)
    if action is None or action >= count:
        raise NotationError((say or Translation())(_UNKNOWN, text=text, most=count - 1))
    return action


def short_for(text: str) -> Sequence[int]:
    """The actions that people mean by less than a whole name; none: it is no such word."""
    return _SHORT.get(plain_text(text), ())


def card_of(action: int) -> int | None:
    """The card that an action plays, shakes with or takes."""
    if action == THIRD_BONUS:
        return 50
    if action < DUMMY:
        return action
    if SHAKE <= action < TAKE:
        return action - SHAKE
    return action - TAKE if TAKE <= action < TAKE + 50 else None


def touched_card(action: int) -> tuple[str, str] | None:
    """The card that is touched for an action, and which of what can be done with a card it is."""
    card = card_of(action)
    if card is None:
        return None
    kind = "shake" if SHAKE <= action < TAKE else "take" if TAKE <= action < TAKE + 50 else "play"
    return CODES[card], kind
