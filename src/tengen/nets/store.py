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
from typing import TYPE_CHECKING, Any, NamedTuple

from tengen._files import data_folder
from tengen.nets.importers import find_importer, importers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games import Game
    from tengen.nets.importers import Importer

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
    return data_folder() / "nets"


def add_network(file: str | Path, name: str | None = None) -> Stored:
    """Copies a network into the store, whole or not at all; by default under its own file's name.

    `file` may be the name of a network that an installed package brings. A name that another network has is refused;
    the same network again changes nothing.
    """
    source = find_source(file)
    importer = find_importer(source)
    if importer is None:
        raise StoreError(f"{source} is no network of another program: {_why_none(source)}")
    if name is None and source != Path(file):
        name = str(file)
    suffix = next(each for each in importer.suffixes if source.name.endswith(each))
    name = source.name.removesuffix(suffix) if name is None else name
    if not _NAME.fullmatch(name):
        raise StoreError(f"a network can't be called {name!r}: letters, digits, '.', '_', '+' and '-', at most 100")
    importer.validate(source)
    home = folder()
    home.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=home, prefix=".adding-")
    os.close(handle)
    copy = Path(temporary)
    try:
        importer.copy(source, copy)
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
        for side in importer.side_suffixes:
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{source}{side}", f"{stored.path}{side}")
        _write(home / f"{name}.json", json.dumps(asdict(stored), indent=1))
    finally:
        copy.unlink(missing_ok=True)
    return stored


def find_source(file: str | Path) -> Path:
    """A file, or that of a network which an installed package brings under this name."""
    path = Path(file)
    installed = () if path.is_file() else (importer.find_installed(str(file)) for importer in importers())
    return next((found for found in installed if found is not None), path)


def _why_none(source: Path) -> str:
    suffixes = list(dict.fromkeys(suffix for each in importers() for suffix in each.suffixes))
    if not source.name.endswith(tuple(suffixes)):
        named = [importer.source for importer in importers() if str(source) in importer.prefixes]
        return "; ".join([f"its name must end with {', '.join(suffixes)}", *named])
    programs = " or ".join(importer.program for importer in importers() if source.name.endswith(importer.suffixes))
    if not source.is_file():
        return "there is no such file"
    return f"what is in it is not of {programs}; a network of Tengen's own is an evaluator by its file"


def list_networks(game: Game | None = None) -> list[Stored]:
    """By name: all, or those that can judge the game. What is in the folder but was not added, or is no longer there,
    is left out."""
    found = []
    for path in sorted(folder().glob("*.json")):
        # Not ours, or written by another version.
        with suppress(ValueError, TypeError, OSError):
            stored = Stored(**json.loads(path.read_text(encoding="utf-8")))
            if stored.path.is_file():
                found.append(stored)
    if found and game is not None:
        serving = importers(game)
        found = [stored for stored in found if find_importer(stored.path, game) in serving]
    return found


def newest_network(game: Game) -> Stored | None:
    """Return the default network of a game: the one that was added last. None if the store has none for it."""
    return max(list_networks(game), key=lambda each: (each.added, each.name), default=None)


class ImportedNetwork(NamedTuple):
    """A network of another program's that can be opened."""

    importer: Importer
    path: Path
    options: Mapping[str, Any]

    def open(self, **options: Any) -> Any:
        """Return an evaluator; Importer.open() lists the options."""
        return self.importer.open(self.path, **self.options, **options)


def find_imported(what: str | Path, game: Game | None = None) -> ImportedNetwork | None:
    """Find a network by PREFIX:NETWORK, by a file that an importer recognizes, by a stored network's name, or by the
    name of an installed package that brings one. Return None for other names. Raise StoreError if there is no such
    network."""
    text = str(what)
    prefix, _, name = text.partition(":")
    for importer in importers() if name else ():
        if prefix in importer.prefixes:
            path = importer.find_installed(name) or find_network(name)
            return ImportedNetwork(importer, path, importer.prefixes[prefix])
    found = find_importer(Path(text), game)
    if found is None and text in {each.name for each in list_networks()}:
        found = find_importer(find_network(text), game)
    if found is not None:
        return ImportedNetwork(found, find_network(text), {})
    installed = ((importer, importer.find_installed(text)) for importer in importers())
    return next((ImportedNetwork(importer, path, {}) for importer, path in installed if path is not None), None)


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
