"""The language of the terminal and of reviews: by --lang, otherwise by the locale."""

from __future__ import annotations

import locale
import os
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tengen.console.output import UsageError
from tengen.games import GameError
from tengen.games.translation import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Collection

    from tengen.games import Game

__all__ = ["LangOption", "choose_language", "in_language"]

LangOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="LANG",
        help="The language of the game: en, or another that it speaks, such as ko or ja.",
        show_default="the locale's, else en",
    ),
]


def in_language(game: Game, lang: str | None) -> Game:
    """Return the game in the requested language, or in the locale's if the game has it."""
    lang = choose_language(game.languages, None) if lang is None else lang
    try:
        return game.in_language(lang)
    except GameError as error:
        raise UsageError(f"--lang: {error}") from error


def choose_language(languages: Collection[str], lang: str | None) -> str:
    """Return the language asked for, or the locale's if it is one of these, or English."""
    if lang is None:
        locales = _locale_language()
        return locales if locales in languages else ENGLISH
    if lang not in languages:
        raise UsageError(f"--lang: no language is called {lang!r} here; there are {', '.join(sorted(languages))}")
    return lang


def _locale_language() -> str:
    """Return the first two letters of the locale, such as ko of ko_KR.UTF-8; variables are read in the usual order."""
    told = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), None)
    return (told or locale.getlocale()[0] or "")[:2].casefold()
