"""What people can't have, told in their language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games import IllegalAction
from tengen.games.translation import ENGLISH, Translation
from tengen.play import TABLES
from tengen.web import japanese, korean

if TYPE_CHECKING:
    from tengen.games import Game, GameError

__all__ = ["LANGUAGES", "Refusal", "Text", "complaint", "move_refused", "read_language", "words_in"]

_TABLES = {"ko": TABLES["ko"] | korean.KOREAN, "ja": TABLES["ja"] | japanese.JAPANESE}
LANGUAGES = (ENGLISH, *_TABLES)
_LONGEST = 500
_SHOWN_MOVE = 60


def words_in(lang: str) -> Translation:
    """Says the page's own texts, whatever languages its games speak."""
    return Translation(lang, _TABLES.get(lang))


class Text:
    """English, a key of the other languages' tables, with values for its braces."""

    def __init__(self, text: str, /, **values: object) -> None:
        self.text = text
        self._values = values

    def in_language(self, lang: str) -> str:
        values = {name: _tell(value, lang) for name, value in self._values.items()}
        return words_in(lang)(self.text, **values)


class _GameText(Text):
    """As the game itself would say it, where it has a way of its own."""

    def __init__(self, game: Game, text: str, /, **values: object) -> None:
        super().__init__(text, **values)
        self._own = game.languages

    def in_language(self, lang: str) -> str:
        own = self._own.get(lang, {})
        return Translation(lang, own)(self.text, **self._values) if self.text in own else super().in_language(lang)


class Refusal(ValueError):  # noqa: N818 - nothing has failed
    """What somebody asks for and can't have."""

    def __init__(self, text: str, /, **values: object) -> None:
        self.told = Text(text, **values)
        super().__init__(self.told.in_language(ENGLISH))


def _tell(what: object, lang: str) -> object:
    """In a language, where it is known; an error on one line; anything else as it is."""
    if isinstance(what, Refusal):
        return what.told.in_language(lang)
    if isinstance(what, Text):
        return what.in_language(lang)
    return _one_line(what) if isinstance(what, Exception) else what


def complaint(error: Exception, lang: str) -> str:
    """What a person is told of an error."""
    return str(_tell(error, lang))[:_LONGEST]


def _one_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(" :")


def move_refused(game: Game, text: str, error: GameError, *, is_spoken: bool) -> Text:
    """Why a move that was typed or touched can't be played; `is_spoken`: the error is in the reader's language."""
    shown = text[:_SHOWN_MOVE]
    if isinstance(error, IllegalAction):
        if not error.reason:
            return _GameText(game, "{text!r} is not possible now.", text=shown)
        return _GameText(game, "{text!r} is not possible now: {reason}.", text=shown, reason=error.reason)
    if is_spoken:
        return Text("{reason}", reason=error)
    return Text("{text!r} is no move here ({reason}).", text=shown, reason=error)


def read_language(header: str) -> str:
    """The first that is spoken here of those that a browser asks for, such as `ko-KR,ko;q=0.9,en;q=0.8`."""
    asked = (tag.strip()[:2].lower() for tag in header.split(","))
    return next((lang for lang in asked if lang in LANGUAGES), ENGLISH)
