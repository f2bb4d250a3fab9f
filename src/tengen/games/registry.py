"""Games by name."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import TYPE_CHECKING, Any, TypeVar

from tengen.games.base import Game
from tengen.games.errors import GameError, UnknownGame
from tengen.games.loading import (
    check_complete,
    check_facts,
    entry_points,
    is_source,
    load_entry_point,
    load_source,
)
from tengen.games.settings import Setting, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen._files import File

__all__ = ["FIRST_GAME", "find", "game", "game_settings", "names", "rebuild", "register"]

G = TypeVar("G", bound=type[Game])

FIRST_GAME = "pyrga"
"""What is shown where nobody names a game."""

_registered: dict[str, type[Game]] = {}


def register(cls: G) -> G:
    """Makes a game known to tengen.game() by its id. Usable as a decorator."""
    name = _plain(cls.id)
    known = _registered.get(name)
    # A notebook cell that is run again defines the same class anew.
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise GameError(f"{cls.id!r} is already the name of {known.__module__}.{known.__qualname__}")
    _registered[name] = cls
    return cls


def game(name: str, /, **settings: Any) -> Game:
    """A game by its name, by "module:Class" or by "path/to/file.py:Class", with its settings. Of a file with a single
    game "path/to/file.py" is enough."""
    cls = find(name)
    check_complete(cls)
    made = cls(**settings)
    check_facts(made)
    return made


def find(name: str) -> type[Game]:
    if is_source(name):
        return load_source(name)
    plain = _plain(name)
    if plain not in _registered and plain in _shipped():
        importlib.import_module(f"tengen.games.{plain}")
    if plain not in _registered:
        entry = entry_points().get(plain)
        if entry is not None:
            register(load_entry_point(entry))
    if plain not in _registered:
        close = difflib.get_close_matches(plain, names(), n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownGame(
            f"no game is called {name!r}.{hint} There are: {', '.join(names())}; a game of your own is named "
            "path/to/file.py, path/to/file.py:Class or module:Class"
        )
    return _registered[plain]


def names() -> list[str]:
    """The games that ship with Tengen, those of other installed packages and those registered since."""
    return sorted({*_shipped(), *_registered, *entry_points()})


def game_settings(name: str) -> dict[str, Setting]:
    """The settings that game(name, …) takes."""
    return settings_of(find(name).__init__)


def rebuild(source: tuple[File, str] | type[Game], settings: Mapping[str, Any]) -> Game:
    """What a pickled game is made from."""
    cls = source if isinstance(source, type) else load_source(f"{source[0]}:{source[1]}")
    return cls(**settings)


def _plain(name: str) -> str:
    return "_".join(name.strip().casefold().replace("-", " ").replace("_", " ").split())


def _shipped() -> set[str]:
    """Each package in this one is a game, named as the package."""
    import tengen.games

    return {module.name for module in pkgutil.iter_modules(tengen.games.__path__) if module.ispkg}
