"""Games that hang together, many such series at once: every player is asked about all positions that wait for it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.games import State
    from tengen.selfplay.exploring import Exploration

__all__ = ["Decider", "Sitting", "play_sittings"]


class Decider(Protocol):
    """A player, as the arena has them."""

    @property
    def name(self) -> str: ...

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]: ...


class Sitting(Protocol):
    """A series of games between the same players, one after the other. It knows what comes next and keeps what is to
    be kept."""

    @property
    def is_over(self) -> bool:
        """No game is left."""

    @property
    def state(self) -> State: ...

    @property
    def seat(self) -> int:
        """Who is to act."""

    @property
    def player(self) -> int:
        """Which of the players sits there."""

    @property
    def seed(self) -> int:
        """Of this decision; equal whoever plays it, and wherever."""

    @property
    def progress(self) -> float:
        """How far into the run this is, from 0 to 1."""

    @property
    def is_comeback(self) -> bool:
        """Whoever is to act is far behind."""

    def play(self, action: int, *, explored: bool, fell_back: bool) -> None: ...


def play_sittings(
    sittings: Sequence[Sitting],
    players: Sequence[Decider],
    exploration: Exploration,
    fallback: Callable[[State, int, int], int] | None = None,
) -> None:
    """Plays all to their end. The same sittings and players give the same games.

    A player that fails, or chooses what is illegal, is an error at once; with `fallback` its decision is that
    function's of (state, seat, seed) instead, and the sitting is told so.
    """
    while live := [sitting for sitting in sittings if not sitting.is_over]:
        for index, player in enumerate(players):
            asked = [sitting for sitting in live if not sitting.is_over and sitting.player == index]
            rest = [sitting for sitting in asked if not _explore(sitting, exploration)]
            if rest:
                _decide(player, rest, fallback)


def _explore(sitting: Sitting, exploration: Exploration) -> bool:
    """Plays at random if the dice say so."""
    rate = exploration.at(sitting.progress, is_comeback=sitting.is_comeback)
    if rate <= 0:
        return False
    rng = random.Random(f"{sitting.seed} explore")
    if rng.random() >= rate:
        return False
    sitting.play(rng.choice(sitting.state.legal(sitting.seat)), explored=True, fell_back=False)
    return True


def _decide(player: Decider, asked: Sequence[Sitting], fallback: Callable[[State, int, int], int] | None) -> None:
    try:
        chosen = _ask(player, asked)
    except (ValueError, ArithmeticError, LookupError, RuntimeError):
        if fallback is None:
            raise
        for sitting in asked:
            _decide_one(player, sitting, fallback)
        return
    for sitting, action in zip(asked, chosen, strict=True):
        sitting.play(action, explored=False, fell_back=False)


def _decide_one(player: Decider, sitting: Sitting, fallback: Callable[[State, int, int], int]) -> None:
    fell_back = False
    try:
        (action,) = _ask(player, [sitting])
    except (ValueError, ArithmeticError, LookupError, RuntimeError):
        fell_back = True
        action = fallback(sitting.state, sitting.seat, sitting.seed)
    sitting.play(action, explored=False, fell_back=fell_back)


def _ask(player: Decider, asked: Sequence[Sitting]) -> list[int]:
    chosen = player.choose(
        [sitting.state for sitting in asked], [sitting.seat for sitting in asked], [sitting.seed for sitting in asked]
    )
    if len(chosen) != len(asked):
        raise ValueError(f"{player.name} was asked for {len(asked)} actions and answered {len(chosen)}")
    for sitting, action in zip(asked, chosen, strict=True):
        if action not in sitting.state.legal(sitting.seat):
            raise ValueError(f"{player.name} chose action {action}, illegal for player {sitting.seat} here")
    return chosen
