"""Games by name."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tengen.games.base import Game
from tengen.games.errors import GameError, UnknownGame
from tengen.games.settings import Setting, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["find", "game", "game_settings", "names", "rebuild", "register"]

G = TypeVar("G", bound=type[Game])

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
    """A game by its name, by "module:Class" or by "path/to/file.py:Class", with its settings."""
    return find(name)(**settings)


def find(name: str) -> type[Game]:
    if ":" in name:
        return _load(name)
    plain = _plain(name)
    if plain not in _registered and plain in _shipped():
        importlib.import_module(f"tengen.games.{plain}")
    if plain not in _registered:
        close = difflib.get_close_matches(plain, names(), n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownGame(
            f"no game is called {name!r}.{hint} There are: {', '.join(names())}; a game of your own is named "
            "module:Class or path/to/file.py:Class"
        )
    return _registered[plain]


def names() -> list[str]:
    """The games that ship with Tengen and those registered since."""
    return sorted({*_shipped(), *_registered})


def game_settings(name: str) -> dict[str, Setting]:
    """The settings that game(name, …) takes."""
    return settings_of(find(name).__init__)


def rebuild(source: str | type[Game], settings: Mapping[str, Any]) -> Game:
    """What a pickled game is made from."""
    cls = _load(source) if isinstance(source, str) else source
    return cls(**settings)


def _plain(name: str) -> str:
    return "_".join(name.strip().casefold().replace("-", " ").replace("_", " ").split())


def _shipped() -> set[str]:
    """Each package in this one is a game, named as the package."""
    import tengen.games

    return {module.name for module in pkgutil.iter_modules(tengen.games.__path__) if module.ispkg}


def _load(source: str) -> type[Game]:
    where, _, name = source.rpartition(":")
    if where.endswith(".py"):
        module = _load_file(Path(where).resolve())
    else:
        try:
            module = importlib.import_module(where)
        except ModuleNotFoundError as error:
            raise UnknownGame(f"{source!r}: {error}") from error
    cls = getattr(module, name, None)
    if not (isinstance(cls, type) and issubclass(cls, Game)):
        found = [
            n
            for n, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, Game) and not inspect.isabstract(value)
        ]
        raise UnknownGame(f"{source!r}: no game {name!r} there; it has: {', '.join(found) or 'none'}")
    return cls


def _load_file(path: Path) -> Any:
    name = f"tengen_user_{path.stem}_{hashlib.blake2b(str(path).encode(), digest_size=4).hexdigest()}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UnknownGame(f"no file {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Game) and value.__module__ == name:
            # Another process, which cannot import the module by its name, finds the class by this.
            value.source = f"{path}:{value.__qualname__}"  # type: ignore[attr-defined]
    return module
