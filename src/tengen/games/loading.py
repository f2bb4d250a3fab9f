"""Games of other people's files and packages, and what is wrong with them where they break."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from importlib.machinery import SourceFileLoader
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
    "loaded_digest",
    "split_source",
]

_GROUP = "tengen.games"
_loaded: set[str] = set()
"""The modules that games were loaded from."""
_digests: dict[Path, str] = {}
"""The files that games were loaded from, with the SHA-256 of what was loaded."""


def is_source(name: str) -> bool:
    """Return whether a name is the place of a game's class: file.py, file.py:Class or module:Class."""
    return ":" in name or name.endswith(".py")


def split_source(source: str) -> tuple[str, str]:
    """Return the file or module, and the name of the class, which may be empty for a file."""
    where, _, name = (source, "", "") if source.endswith(".py") else source.rpartition(":")
    return where, name


def loaded_digest(path: Path) -> str | None:
    """Return the SHA-256 of a file as it was loaded in this process; None if it was not."""
    return _digests.get(path)


def load_source(source: str, data: bytes | None = None) -> type[Game]:
    """Return the class; of a file that names none, the only one in it. `data` is the file's content if it was read."""
    where, name = split_source(source)
    module = _load_file(Path(where).resolve(), data) if where.endswith(".py") else _load_module(where, source)
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
    """Return the place of an error in a loaded game, in one line; None if it was raised elsewhere."""
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


def _load_file(path: Path, data: bytes | None = None) -> ModuleType:
    name = f"tengen_user_{path.stem}_{hashlib.blake2b(str(path).encode(), digest_size=4).hexdigest()}"
    if name in sys.modules:
        return sys.modules[name]
    loader = SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None or not path.is_file():
        raise UnknownGame(f"no file {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # Compile the bytes that were read and checked, not a cached .pyc or a file that has changed in between.
        data = path.read_bytes() if data is None else data
        exec(loader.source_to_code(data, path), vars(module))  # noqa: S102 - the user's own game
        _digests[path] = hashlib.sha256(data).hexdigest()
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
