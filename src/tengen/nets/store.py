"""Networks kept under names, in the user's data folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tengen.games import Game

SUFFIXES = (".bin.gz", ".txt.gz", ".bin", ".txt")
"""Of network files of KataGo's."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")


class StoreError(ValueError):
    """A network that is not there, or that can't be kept."""


@dataclass(frozen=True)
class Stored:
    """A network in the store."""

    name: str
    file: str
    """In the store's folder."""
    sha256: str
    size: int
    """Bytes."""
    source: str
    """The name of the file that was added."""
    added: str
    """When: ISO 8601, UTC."""

    @property
    def path(self) -> Path:
        return folder() / self.file


def folder() -> Path:
    """TENGEN_DATA/nets, or tengen/nets in XDG_DATA_HOME, by default ~/.local/share."""
    if os.environ.get("TENGEN_DATA"):
        return Path(os.environ["TENGEN_DATA"]) / "nets"
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "tengen" / "nets"


def add_network(file: str | Path, name: str | None = None) -> Stored:
    """Copies a network into the store, whole or not at all; by default under its own file's name.

    A name that another network has is refused; the same network again changes nothing.
    """
    from tengen.nets.katago.reader import read_network

    source = Path(file)
    suffix = next((each for each in SUFFIXES if source.name.endswith(each)), None)
    if suffix is None:
        raise StoreError(f"{source} is no network file: its name must end with {', '.join(SUFFIXES)}")
    name = source.name.removesuffix(suffix) if name is None else name
    if not _NAME.fullmatch(name):
        raise StoreError(f"a network can't be called {name!r}: letters, digits, '.', '_', '+' and '-', at most 100")
    read_network(source)
    home = folder()
    home.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=home, prefix=".adding-")
    os.close(handle)
    copy = Path(temporary)
    try:
        shutil.copyfile(source, copy)
        digest = _sha256(copy)
        there = next((stored for stored in list_networks() if stored.name == name), None)
        if there is not None and there.path.is_file():
            if there.sha256 == digest:
                return there
            raise StoreError(f"another network is called {name!r} already: choose another name")
        stored = Stored(
            name,
            name + suffix,
            digest,
            copy.stat().st_size,
            source.name,
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        copy.replace(stored.path)
        _write(home / f"{name}.json", json.dumps(asdict(stored), indent=1))
    finally:
        copy.unlink(missing_ok=True)
    return stored


def list_networks() -> list[Stored]:
    """By name. What is in the folder but was not added, or is no longer there, is left out."""
    found = []
    for path in sorted(folder().glob("*.json")):
        # Not ours, or written by another version.
        with suppress(ValueError, TypeError, OSError):
            stored = Stored(**json.loads(path.read_text(encoding="utf-8")))
            if stored.path.is_file():
                found.append(stored)
    return found


def newest_network(game: Game) -> Stored | None:
    """What judges the game unless something else is asked for: the network that was added last. None: the store has
    none that can."""
    stored = list_networks()
    if not stored or not takes_networks(game):
        return None
    return max(stored, key=lambda each: (each.added, each.name))


def takes_networks(game: Game) -> bool:
    """Whether networks such as the store keeps can judge the game."""
    from tengen.nets.katago.positions import check_game

    try:
        check_game(game)
    except ValueError:
        return False
    return True


def find_network(what: str | Path) -> Path:
    """The file of a network: a path, or the name of a stored one."""
    path = Path(what)
    if path.is_file():
        return path
    stored = {each.name: each for each in list_networks()}
    if str(what) in stored:
        return stored[str(what)].path
    known = ", ".join(stored) or "none"
    raise StoreError(f"{what} is no network file, and no stored network is called so; there are: {known}")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
