"""What Matgo's cards and moves are called in the reader's language."""

from __future__ import annotations

from tengen.games.matgo.cards import CODES, FIRST_BONUS, PLAIN_CODES, cards_in, kind_of, month_of, pi_value
from tengen.games.matgo.japanese import JAPANESE
from tengen.games.matgo.korean import KOREAN
from tengen.games.matgo.notation import format_action, format_japanese, format_plain
from tengen.games.translation import ENGLISH, Translation

__all__ = ["LANGUAGES", "MatgoTranslation"]

LANGUAGES = {"ko": KOREAN, "ja": JAPANESE}
_NAMES = {"ko": format_action, "ja": format_japanese}


class MatgoTranslation(Translation):
    """In Korean cards and moves are as in Korea, `8광` and `폭탄 3월`; else cards are in plain letters, `8g`."""

    def __init__(self, lang: str = ENGLISH) -> None:
        super().__init__(lang, LANGUAGES.get(lang))

    def card(self, card: int) -> str:
        return (CODES if self.lang == "ko" else PLAIN_CODES)[card]

    def cards(self, cards: int) -> str:
        """Of a set as the core has it."""
        return " ".join(map(self.card, cards_in(cards)))

    def describe_card(self, card: int) -> str:
        """For who listens."""
        kind = self("pi {count}", count=pi_value(card)) if pi_value(card) > 1 else self(kind_of(card))
        first = self("bonus") if card >= FIRST_BONUS else self("month {month}", month=month_of(card))
        return f"{first} {kind}"

    def action(self, action: int) -> str:
        return _NAMES.get(self.lang, format_plain)(action)
