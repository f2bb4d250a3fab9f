"""The games that the page offers, and what it needs to know of each."""

from __future__ import annotations

import inspect
import random
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from tengen.console.levels import LEVELS, level_elo
from tengen.games import SettingError, names
from tengen.games import game as make_game
from tengen.games.registry import FIRST_GAME, find
from tengen.games.settings import parse_setting, settings_of
from tengen.web.refusals import Refusal, Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tengen.games import Game
    from tengen.games.settings import Setting

__all__ = ["Catalog", "setting_name"]

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
            raise Refusal("there is no game {name!r}", name=name[:60])
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
        kind = self.kind(name)
        known = settings_of(kind.__init__)
        found = {}
        for key, text in texts.items():
            if key not in known:
                raise ValueError(f"{name} has no setting {key!r:.40}")
            if str(text).strip():
                found[key] = _read_setting(kind, known[key], str(text).strip())
        return found

    def describe(self, name: str, lang: str = "en") -> dict[str, Any]:
        game = _spoken(self.make(name), lang)
        named = partial(setting_name, type(game), lang=lang)
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
                    "title": named(setting.name),
                    "choices": [(str(choice), named(str(choice))) for choice in setting.choices],
                    "is_flag": setting.is_flag,
                    "default": "" if setting.is_required or setting.default is None else str(setting.default),
                }
                for setting in settings_of(type(game).__init__).values()
            ],
        }

    def picture(self, name: str, lang: str = "en") -> str:
        """Of a game under way."""
        game = _spoken(self.make(name), lang)
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


def setting_name(kind: type[Game], name: str, lang: str) -> str:
    """What people are shown as the name of a setting, or of one of its choices."""
    return kind.setting_names.get(lang, {}).get(name, name.replace("_", " "))


class _SettingName(Text):
    def __init__(self, kind: type[Game], name: str) -> None:
        super().__init__(name)
        self._kind = kind

    def in_language(self, lang: str) -> str:
        return setting_name(self._kind, self.text, lang)


def _spoken(game: Game, lang: str) -> Game:
    """In a language, if it speaks it."""
    return game.in_language(lang) if lang in game.languages else game


def _read_setting(kind: type[Game], setting: Setting, text: str) -> Any:
    try:
        return parse_setting(setting, text)
    except SettingError as error:
        name = _SettingName(kind, setting.name)
        raise Refusal("{value!r} does not fit the setting {name}", value=text[:60], name=name) from error
