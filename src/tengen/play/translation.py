"""What is said beside the games' own texts, in the language of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.translation import Translation
from tengen.play.japanese import JAPANESE
from tengen.play.korean import KOREAN

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = ["TABLES", "translate", "words_in"]

TABLES = {"ko": KOREAN, "ja": JAPANESE}


def translate(game: Game, text: str, /, **values: object) -> str:
    """As the game itself would say it, where it has a way of its own."""
    own = game.languages.get(game.lang, {})
    return (Translation(game.lang, own) if text in own else words_in(game.lang))(text, **values)


def words_in(lang: str) -> Translation:
    """Whatever languages the game speaks."""
    return Translation(lang, TABLES.get(lang))
