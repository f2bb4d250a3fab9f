"""The terminal in the reader's language, which is the game's: by --lang, else by the locale."""

from __future__ import annotations

import locale
import os
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tengen.console.output import UsageError
from tengen.games import GameError
from tengen.games.translation import ENGLISH

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = ["LangOption", "in_language"]

LangOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="LANG",
        help="The language of the game: en, or another that it speaks, such as ko or ja.",
        show_default="the locale's, else en",
    ),
]


def in_language(game: Game, lang: str | None) -> Game:
    """The game in the language asked for, else in the locale's, if it speaks that."""
    if lang is None:
        locales = _locale_language()
        lang = locales if locales in game.languages else ENGLISH
    try:
        return game.in_language(lang)
    except GameError as error:
        raise UsageError(f"--lang: {error}") from error


def _locale_language() -> str:
    """Its first two letters, such as ko of ko_KR.UTF-8, in the order in which systems look for it."""
    told = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), None)
    return (told or locale.getlocale()[0] or "")[:2].casefold()
