"""Games and random positions, as what prophet and enforcer learn from and are tested on."""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tengen.labs.shogi.planes import pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tengen.games import Game, State

__all__ = ["PHASES", "Phase", "PlayedMoves", "Samples", "phase_of", "random_samples", "samples_of", "split_games"]

Phase: TypeAlias = Literal["opening", "middle", "end"]
PHASES: tuple[Phase, ...] = ("opening", "middle", "end")
"""Thirds of a game."""

DECLARATION = "win"

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


def samples_of(game: Game, games: Iterable[PlayedMoves]) -> Samples:
    """Every move of the games, declarations left out: no network plays them."""
    parts = [_samples_of_one(game, played) for played in games]
    return Samples.join(parts) if parts else _samples_of_one(game, PlayedMoves(game.start(0).sfen, (), None))


def _samples_of_one(game: Game, played: PlayedMoves) -> Samples:
    states = [game.start(0, sfen=played.start)]
    actions: list[int] = []
    result: list[float] = []
    for move in played.moves:
        if move == DECLARATION:
            break
        action = game.parse(move, states[-1])
        actions.append(action)
        result.append(0.5 if played.winner is None else float(played.winner == states[-1].actor))
        states.append(states[-1].play(action))
    packed = pack(states)
    plies = np.arange(1, len(actions) + 1, dtype=np.float32)
    return Samples(
        packed[:-1],
        packed[1:],
        np.array(actions, np.int32),
        np.array(result, np.float32),
        plies / max(1, len(played.moves)),
    )


def random_samples(game: Game, count: int, seed: int) -> NDArray[np.uint8]:
    """[count, 96]: positions of random games with somebody to move, the first `count` of them, packed."""
    rng = random.Random(seed)
    parts: list[NDArray[np.uint8]] = []
    missing = count
    while missing > 0:
        states: list[State] = []
        state = game.start(rng.getrandbits(32))
        while not state.is_over and len(states) < min(missing, _LONGEST_RANDOM):
            states.append(state)
            state = state.play(rng.choice(state.legal()))
        parts.append(pack(states))
        missing -= len(states)
    return np.concatenate(parts) if parts else pack([])


def split_games(games: Sequence[PlayedMoves], held_out: float, seed: int) -> tuple[list[PlayedMoves], list[PlayedMoves]]:
    """Games to train on, and games kept from training; whole games, so that no position of one is in the other."""
    order = random.Random(seed).sample(range(len(games)), len(games))
    count = min(len(games) - 1, max(1, round(held_out * len(games)))) if held_out > 0 and len(games) > 1 else 0
    kept = set(order[:count])
    return [games[i] for i in range(len(games)) if i not in kept], [games[i] for i in sorted(kept)]
