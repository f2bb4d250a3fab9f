"""Games of other people's files and packages, and what is wrong with them where they break."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.games.base import Game
from tengen.games.errors import BrokenGame, UnknownGame

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint
    from types import ModuleType

__all__ = [
    "check_complete",
    "check_facts",
    "describe_fault",
    "entry_points",
    "is_source",
    "load_entry_point",
    "load_source",
]

_GROUP = "tengen.games"
_loaded: set[str] = set()
"""The modules that games were loaded from."""


def is_source(name: str) -> bool:
    """Whether a name says where a game's class is: file.py, file.py:Class or module:Class."""
    return ":" in name or name.endswith(".py")


def load_source(source: str) -> type[Game]:
    """The class; of a file that names none, the only one in it."""
    where, name = (source, "") if source.endswith(".py") else source.rsplit(":", 1)
    module = _load_file(Path(where).resolve()) if where.endswith(".py") else _load_module(where, source)
    _loaded.add(module.__name__)
    found = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Game) and (name or value.__module__ == module.__name__)
    }
    there = ", ".join(key for key, value in found.items() if value.__module__ == module.__name__) or "none"
    if name in found:
        return found[name]
    if name:
        raise UnknownGame(f"{source!r}: no game {name!r} there; it has: {there}")
    if len(found) != 1:
        wanted = f"name one, as in {source}:{next(iter(found))}" if found else "write a class that inherits tengen.Game"
        raise UnknownGame(f"{source!r} has {len(found) or 'no'} games ({there}): {wanted}")
    return next(iter(found.values()))


def check_complete(cls: type[Game]) -> None:
    """Names the hooks that a class has not written."""
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        raise BrokenGame(f"{_place(cls)}: class {cls.__name__} lacks {', '.join(missing)}: every game writes them")


def check_facts(game: Game) -> None:
    if not isinstance(getattr(game, "action_count", None), int):
        cls = type(game)
        raise BrokenGame(f"{_place(cls)}: class {cls.__name__} lacks action_count, the number of its actions")


def describe_fault(error: BaseException) -> str | None:
    """Where an error came up in a game that was loaded, in one line; None: in none of them."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_globals.get("__name__") in _loaded:
            code = frame.f_code
            return f"{_short(code.co_filename)}:{line}: {_first_line(error)}, in {code.co_name}()"
    return None


def entry_points() -> dict[str, EntryPoint]:
    """Games that other installed packages bring, by name."""
    from importlib.metadata import entry_points as installed

    return {entry.name: entry for entry in installed(group=_GROUP)}


def load_entry_point(entry: EntryPoint) -> type[Game]:
    package = entry.dist.name if entry.dist is not None else entry.module
    try:
        cls: Any = entry.load()
    except Exception as error:
        raise BrokenGame(
            f"the game {entry.name!r} of package {package!r} does not load: {_first_line(error)}"
        ) from error
    if not (isinstance(cls, type) and issubclass(cls, Game)):
        raise BrokenGame(f"the game {entry.name!r} of package {package!r}: {entry.value} is no subclass of tengen.Game")
    if cls.id != entry.name:
        raise BrokenGame(
            f"the game {entry.name!r} of package {package!r}: its class has the id {cls.id!r}; the entry point must be "
            "called the same"
        )
    _loaded.add(cls.__module__)
    return cls


def _load_module(name: str, source: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise UnknownGame(f"{source!r}: {error}") from error


def _load_file(path: Path) -> ModuleType:
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
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, Exception):
            raise BrokenGame(_load_fault(path, error)) from error
        raise
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Game) and value.__module__ == name:
            # Another process, which cannot import the module by its name, finds the class by this.
            value.source = f"{path}:{value.__qualname__}"  # type: ignore[attr-defined]
    return module


def _load_fault(path: Path, error: Exception) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename)}:{error.lineno}: {type(error).__name__}: {error.msg}"
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    return f"{_short(path)}:{lines[-1] if lines else 1}: {_first_line(error)}"


def _first_line(error: BaseException) -> str:
    lines: Iterable[str] = str(error).strip().splitlines()
    return ": ".join([type(error).__name__, *list(lines)[:1]])


def _place(cls: type[Game]) -> str:
    """file:line of a class."""
    try:
        return f"{_short(inspect.getsourcefile(cls) or '?')}:{inspect.getsourcelines(cls)[1]}"
    except (OSError, TypeError):
        return cls.__module__


def _short(path: str | Path) -> str:
    """Below the current folder, as people write it."""
    path = Path(path)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
