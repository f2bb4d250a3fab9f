"""Code that the user has named: files of games, and programs that play.

A run, a record or another file that names such code does not make Tengen run it. It is run only if the user named it
before on this account; a file of a game must also have the same content as then.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tengen._files import data_folder
from tengen.games.errors import GameError, UnknownGame
from tengen.games.loading import is_source, load_source, loaded_digest, split_source
from tengen.games.registry import find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.games.base import Game

__all__ = ["UntrustedGame", "find_stored", "is_trusted_program", "trust_file", "trust_game", "trust_program"]

_FILE = "trusted.jsonl"


class UntrustedGame(GameError):  # noqa: N818 - as the others
    """A file names a game whose code the user has not named."""

    def __init__(self, problem: str, source: str, path: Path | None) -> None:
        super().__init__(f"{problem}. If you trust it, load it first: tengen.game({source!r})")
        self.problem = problem
        """The problem, without advice."""
        self.source = source
        """The name of the game in that file."""
        self.path = path
        """The file with the code; None for a module."""


def find_stored(name: str) -> type[Game]:
    """Return a game's class as find() does, for a name that was read from a file. UntrustedGame is raised if finding it
    would run code that the user has not named."""
    if not is_source(name):
        return find(name)
    where, _ = split_source(name)
    if not where.endswith(".py"):
        raise UntrustedGame(
            f"the game {name!r} is in a module, which is not imported because a file names it", name, None
        )
    path = Path(where).resolve()
    if loaded_digest(path) is not None:
        return load_source(name)  # its code has run in this process already
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnknownGame(f"no file {path}") from error
    known = {entry["sha256"] for entry in _entries() if entry.get("path") == str(path) and "sha256" in entry}
    if hashlib.sha256(data).hexdigest() not in known:
        why = "has changed since it was last named" if known else "was never named before"
        problem = f"the rules of this game are code in {path}, which {why} by this user: it is not loaded"
        raise UntrustedGame(problem, name, path)
    return load_source(name, data)


def trust_game(cls: type[Game]) -> None:
    """Remember the file of a game that the user has named, with the content that was loaded."""
    source = vars(cls).get("source")
    if source is not None:
        path = Path(split_source(str(source))[0])
        _add({"path": str(path), "sha256": loaded_digest(path)})


def trust_file(path: Path) -> None:
    """Remember a file of a game that the user has allowed to be loaded, with its present content."""
    _add({"path": str(path), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()})


def trust_program(text: str) -> None:
    """Remember a player that is a program, which the user has named."""
    _add({"program": text})


def is_trusted_program(text: str) -> bool:
    return any(entry.get("program") == text for entry in _entries())


def _entries() -> Iterator[dict[str, object]]:
    """Read what was remembered; lines that are damaged trust nothing."""
    with suppress(OSError):
        for line in (data_folder() / _FILE).read_bytes().splitlines():
            with suppress(ValueError, RecursionError):
                entry = json.loads(line)
                if isinstance(entry, dict):
                    yield entry


def _add(entry: dict[str, object]) -> None:
    """Append an entry. If the folder cannot be written, nothing is remembered, and the user is asked again."""
    if entry in _entries():
        return
    with suppress(OSError):
        folder = data_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(folder / _FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "ab") as file:
            # The newline in front ends a line that a full disk may have cut short.
            file.write(b"\n" + json.dumps(entry).encode() + b"\n")
