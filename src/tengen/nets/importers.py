"""Other programs' networks: what an importer of their files must do, and which importers there are."""

from __future__ import annotations

import math
import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games import Game

__all__ = ["Comparison", "Difference", "Importer", "find_importer", "importers", "register_importer"]


class Importer(ABC):
    """Reads the networks of one other program.

    Importers are made to list what there is, whatever is asked for: their modules import what they need when they read
    a file.
    """

    program: ClassVar[str]
    """Whose networks they are, for people."""
    prefixes: ClassVar[Mapping[str, Mapping[str, Any]]]
    """What its evaluators are called, as PREFIX:NETWORK, and the options that each stands for. The first is the usual
    one."""
    suffixes: ClassVar[tuple[str, ...]]
    """How its files are named; where two fit, the longer one comes first."""
    side_suffixes: ClassVar[tuple[str, ...]] = ()
    """What is appended to a network's name in the names of files that may lie beside it and belong to it."""
    looks_inside: ClassVar[bool] = False
    """Other networks have such names too: recognizes() reads the file."""
    source: ClassVar[str]
    """Where people get such networks, as a sentence without a stop."""

    @property
    def prefix(self) -> str:
        return next(iter(self.prefixes))

    def recognizes(self, path: Path) -> bool:
        """Whether it may be one of its files: by the name, or where others use that name too, by looking into it."""
        return path.name.endswith(self.suffixes)

    @abstractmethod
    def serves(self, game: Game) -> bool:
        """Whether its networks can judge the game."""

    def find_installed(self, name: str) -> Path | None:
        """The file of a network that comes with an installed package."""

    def copy(self, source: Path, target: Path) -> None:
        """Of a network into the store: one file that needs no others but those of `side_suffixes`."""
        shutil.copyfile(source, target)

    def notes(self, path: Path) -> list[str]:  # noqa: ARG002
        """What someone who adds the network should read: its licence, warnings."""
        return []

    def search_settings(self, path: Path) -> Mapping[str, Any]:  # noqa: ARG002
        """What the network was tuned for, by the names of search settings."""
        return {}

    @abstractmethod
    def validate(self, path: Path) -> None:
        """Raises a ValueError that says what is wrong with the file."""

    @abstractmethod
    def info(self, path: Path) -> dict[str, Any]:
        """What the network is made of, as JSON takes it."""

    def format_info(self, info: Mapping[str, Any]) -> dict[str, str]:
        """The same for people, line by line."""
        return {name: str(value) for name, value in info.items()}

    @abstractmethod
    def open(self, path: Path, **options: Any) -> Any:
        """An evaluator. Options are those of a prefix, and these where they are given: `threads`, `cache_entries`
        (answers to remember), `symmetry` (one of the board, for all positions) and `seed` (of what is drawn). What its
        networks have no use for is left aside."""

    def compare(self, path: Path | None, reference: Path) -> Comparison:  # noqa: ARG002
        """Inputs and answers held against those of the program itself, as a file has them. Without a network, inputs
        alone, if the format has but one form of them."""
        raise ValueError(f"there is no file of answers of {self.program}'s that Tengen reads")


@dataclass(frozen=True)
class Difference:
    """The largest one in a quantity; an array counts by its worst element."""

    name: str
    worst: float = 0.0
    where: str = ""
    """The position's id."""

    def seen(self, error: float, where: str) -> Difference:
        # What is no number counts as the largest.
        return self if error <= self.worst or math.isnan(self.worst) else Difference(self.name, error, where)


@dataclass(frozen=True)
class Comparison:
    """How a network's inputs and answers differ from those of the program that it is from."""

    positions: int
    answers: int
    inputs: tuple[Difference, ...]
    """Of what the network sees, and of legal moves, which must be equal."""
    outputs: tuple[Difference, ...]
    """Relative to the program's number where that is beyond ±1: a float32 has about seven digits, whatever its size."""

    def is_close(self, tolerance: float) -> bool:
        return all(d.worst == 0 for d in self.inputs) and all(d.worst <= tolerance for d in self.outputs)


_registered: dict[str, Importer] = {}


def register_importer(cls: type[Importer]) -> type[Importer]:
    """Makes an importer known to the store, to evaluators and to the commands. Usable as a decorator."""
    importer = cls()
    for other in _registered.values():
        both = importer.prefixes.keys() & other.prefixes.keys()
        if both and type(other).__qualname__ != cls.__qualname__:
            raise ValueError(f"{min(both)!r} is already a prefix of {other.program}'s networks")
    _registered[importer.prefix] = importer
    return cls


def importers(game: Game | None = None) -> list[Importer]:
    """All, or those whose networks can judge the game."""
    for module in _shipped():
        import_module(module)
    return [importer for importer in _registered.values() if game is None or importer.serves(game)]


@cache
def _shipped() -> list[str]:
    """Modules that register an importer when they are imported: each package beside this module may have one."""
    found = sorted(Path(__file__).parent.glob("*/importer.py"))
    return [f"{__package__}.{path.parent.name}.importer" for path in found]


def find_importer(path: Path, game: Game | None = None) -> Importer | None:
    """Whose network the file is. Of several that recognize it, the one whose networks judge the game."""
    found = [
        importer
        for importer in importers()
        # To look into a file for a game that its networks can't judge would cost time and help nobody.
        if (game is None or not importer.looks_inside or importer.serves(game)) and importer.recognizes(path)
    ]
    if game is not None:
        found.sort(key=lambda importer: not importer.serves(game))
    return found[0] if found else None
