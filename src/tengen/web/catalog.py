"""The games that the page offers, and what it needs to know of each."""

from __future__ import annotations

import inspect
import random
import threading
from typing import TYPE_CHECKING, Any

from tengen.console.levels import LEVELS, level_elo
from tengen.games import game as make_game
from tengen.games import names
from tengen.games.registry import FIRST_GAME, find
from tengen.games.settings import parse_setting, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tengen.games import Game

__all__ = ["Catalog"]

_PICTURED_MOVES = 8


class Catalog:
    """By name: those that are installed, and those of files that the command line named. Nothing else is loaded."""

    def __init__(self, sources: Sequence[str] = ()) -> None:
        self._sources = {find(source).id: source for source in sources}
        # Once: to ask every installed package for its games takes longer than most requests.
        found = [*self._sources, *(name for name in names() if name not in self._sources)]
        self._names = sorted(found, key=lambda name: (name not in self._sources, name != FIRST_GAME))
        self._lock = threading.Lock()
        self._made: dict[tuple[str, tuple[Any, ...]], Game] = {}

    def names(self) -> list[str]:
        """The first is where a newcomer begins."""
        return list(self._names)

    def name_of(self, source: str) -> str | None:
        """By which name a game is known here that is called so elsewhere, by its name or its file."""
        if source in self.names():
            return source
        return next((name for name, own in self._sources.items() if own == source), None)

    def make(self, name: str, settings: Mapping[str, Any] | None = None) -> Game:
        """Raises a GameError for what there is not, and for settings that do not fit."""
        if name not in self.names():
            raise ValueError(f"there is no game {name!r:.60} here")
        given = dict(settings or {})
        key = (name, tuple(sorted((key, str(value)) for key, value in given.items())))
        with self._lock:
            if key not in self._made:
                self._made[key] = make_game(self._sources.get(name, name), **given)
            return self._made[key]

    def kind(self, name: str) -> type[Game]:
        return find(self._sources.get(name, name))

    def read_settings(self, name: str, texts: Mapping[str, Any]) -> dict[str, Any]:
        """As a form has them: texts; empty ones are left as they are."""
        known = settings_of(self.kind(name).__init__)
        found = {}
        for key, text in texts.items():
            if key not in known:
                raise ValueError(f"{name} has no setting {key!r:.40}")
            if str(text).strip():
                found[key] = parse_setting(known[key], str(text).strip())
        return found

    def describe(self, name: str, lang: str = "en") -> dict[str, Any]:
        game = self.make(name)
        game = game.in_language(lang) if lang in game.languages else game
        about = inspect.cleandoc(type(game).__doc__ or "").partition("\n\n")[0]
        return {
            "id": name,
            "title": game.words(game.title),
            "about": game.words(" ".join(about.split())),
            "guide": game.guide,
            "players": game.players,
            "hidden": game.hidden,
            "unit": game.words(game.payoff_unit) if game.payoff_unit else "",
            "suffix": game.saved_suffix,
            "elo": {level: elo for level in LEVELS if (elo := level_elo(level, game)) is not None},
            "settings": [
                {
                    "name": setting.name,
                    "choices": [str(choice) for choice in setting.choices],
                    "is_flag": setting.type is bool,
                    "default": "" if setting.is_required or setting.default is None else str(setting.default),
                }
                for setting in settings_of(type(game).__init__).values()
            ],
        }

    def picture(self, name: str) -> str:
        """Of a game under way."""
        game = self.make(name)
        rng = random.Random(1)
        state = game.start(1)
        for _ in range(_PICTURED_MOVES):
            if state.is_over:
                break
            if state.actor == "chance":
                further = state.play(state.outcome(rng.getrandbits(63)))
            elif state.actor == "all":
                further = state.play([rng.choice(state.legal(seat)) for seat in range(game.players)])
            else:
                further = state.play(rng.choice(state.legal()))
            if further.is_over:
                break
            state = further
        return state.svg(0 if game.hidden else None)
