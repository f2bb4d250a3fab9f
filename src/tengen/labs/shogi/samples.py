"""Games and random positions, as what prophet and enforcer learn from and are tested on."""

from __future__ import annotations

import dataclasses
import io
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from tengen._decompress import check_archive
from tengen.games.shogi.notation import action_of_usi
from tengen.games.shogi.records import START_SFEN, SUFFIXES, legal_moves, load_records
from tengen.labs.shogi.planes import pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tengen.games.shogi import Shogi

__all__ = [
    "PHASES",
    "Phase",
    "PlayedMoves",
    "Samples",
    "find_records",
    "phase_of",
    "random_samples",
    "read_games",
    "samples_of",
    "split_games",
]

Phase: TypeAlias = Literal["opening", "middle", "end"]
PHASES: tuple[Phase, ...] = ("opening", "middle", "end")
"""Thirds of a game."""

_LONGEST_RANDOM = 200
"""Plies of a random game at most."""


@dataclass(frozen=True)
class PlayedMoves:
    """A game as far as there is something to learn from it."""

    start: str
    """SFEN."""
    moves: tuple[str, ...]
    """USI."""
    winner: int | None
    """The seat; None: a draw."""


@dataclass(frozen=True)
class Samples:
    """Positions before a move, with the move and what became of it. All arrays have one row a position."""

    before: NDArray[np.uint8]
    """[n, 96]: what the enforcer sees, packed."""
    after: NDArray[np.uint8]
    """[n, 96]: what the prophet sees once the move is played, packed."""
    actions: NDArray[np.int32]
    result: NDArray[np.float32]
    """1: the mover won, 0: lost, ½: a draw."""
    progress: NDArray[np.float32]
    """The ply over all plies of the game, above 0 and at most 1."""

    def __len__(self) -> int:
        return len(self.actions)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Samples:
        return Samples(**{field.name: getattr(self, field.name)[rows] for field in dataclasses.fields(self)})

    def of_winners(self) -> Samples:
        return self.take(self.result == 1)

    def at_most(self, count: int, seed: int) -> Samples:
        """All of them, or that many drawn at random, in their order."""
        if len(self) <= count:
            return self
        return self.take(np.sort(np.random.default_rng(seed).choice(len(self), count, replace=False)))

    def to_bytes(self) -> bytes:
        buffer = io.BytesIO()
        np.savez(buffer, **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)})
        return buffer.getvalue()

    @staticmethod
    def from_file(path: Path) -> Samples:
        check_archive(path)
        with np.load(path, allow_pickle=False) as arrays:
            return Samples(**{field.name: arrays[field.name] for field in dataclasses.fields(Samples)})

    @staticmethod
    def join(parts: Iterable[Samples]) -> Samples:
        every = list(parts)
        return Samples(
            **{
                field.name: np.concatenate([getattr(part, field.name) for part in every])
                for field in dataclasses.fields(Samples)
            }
        )


def phase_of(progress: NDArray[np.float32]) -> NDArray[np.int64]:
    """Numbers of PHASES."""
    return np.minimum((progress * len(PHASES)).astype(np.int64), len(PHASES) - 1)


def find_records(places: Iterable[Path]) -> list[Path]:
    """The files of records that are named, and those in folders that are."""
    found: dict[Path, None] = {}
    for place in places:
        inside = sorted(path for path in place.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
        if place.is_dir() and not inside:
            raise ValueError(f"{place} holds no records: expected files called *{', *'.join(SUFFIXES)}")
        if not place.exists():
            raise ValueError(f"there are no records at {place}")
        found |= dict.fromkeys(inside if place.is_dir() else [place])
    return list(found)


def read_games(paths: Iterable[Path]) -> list[PlayedMoves]:
    """The main lines of records in any format; those that do not say who won, or that nobody did, are left out."""
    games = []
    for path in paths:
        for record in load_records(path):
            moves = legal_moves(record)
            if moves and (record.winner is not None or record.is_draw):
                games.append(PlayedMoves(record.start, tuple(moves), record.winner))
    return games


def samples_of(game: Shogi, games: Iterable[PlayedMoves]) -> Samples:
    """Every move of the games; also those beyond a repetition, which a referee may have seen otherwise."""
    parts = [_samples_of_one(game, played) for played in games]
    return Samples.join(parts) if parts else _samples_of_one(game, PlayedMoves(START_SFEN, (), None))


def _samples_of_one(game: Shogi, played: PlayedMoves) -> Samples:
    core = game.shogi
    positions = [game.start(0, sfen=played.start).position]
    actions: list[int] = []
    result: list[float] = []
    for number, move in enumerate(played.moves, start=1):
        action = action_of_usi(move)
        try:
            if action is None:
                raise ValueError(f"{move} is no move of USI")  # noqa: TRY301 - told as an illegal one is
            after = core.replay(positions[-1], action)
        except ValueError as error:
            raise ValueError(f"move {number} ({move}) of a game from {played.start}: {error}") from error
        actions.append(action)
        result.append(0.5 if played.winner is None else float(played.winner == core.side(positions[-1])))
        positions.append(after)
    packed = pack(game, positions)
    plies = np.arange(1, len(actions) + 1, dtype=np.float32)
    return Samples(
        packed[:-1],
        packed[1:],
        np.array(actions, np.int32),
        np.array(result, np.float32),
        plies / np.float32(max(1, len(actions))),
    )


def random_samples(game: Shogi, count: int, seed: int) -> NDArray[np.uint8]:
    """[count, 96]: positions of random games with somebody to move, packed."""
    rng = random.Random(seed)
    core = game.shogi
    parts = [pack(game, [])]
    missing = count
    while missing > 0:
        positions: list[Any] = []
        position: Any = core.start(0)
        while game.actor(position) is not None and len(positions) < min(missing, _LONGEST_RANDOM):
            positions.append(position)
            position = core.apply(position, rng.choice(core.legal(position, core.side(position))))
        parts.append(pack(game, positions))
        missing -= len(positions)
    return np.concatenate(parts)


def split_games(
    games: Sequence[PlayedMoves], held_out: float, seed: int
) -> tuple[list[PlayedMoves], list[PlayedMoves]]:
    """Games to train on, and games kept from training; whole games, so that no position of one is in the other."""
    order = random.Random(seed).sample(range(len(games)), len(games))
    count = min(len(games) - 1, max(1, round(held_out * len(games)))) if held_out > 0 and len(games) > 1 else 0
    kept = set(order[:count])
    return [games[i] for i in range(len(games)) if i not in kept], [games[i] for i in sorted(kept)]
