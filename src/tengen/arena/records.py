"""The games of a match, kept so that each can be replayed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.games import Game, Played, State

__all__ = ["PlayedGame", "resigned_payoffs"]


_OPTIONAL = {"counts", "resigned", "fallbacks"}


@dataclass(frozen=True)
class PlayedGame:
    """One finished game of two players."""

    pair: int
    """The two games of a pair share seed and opening; the players swap seats."""
    first_seat: int
    """Seat of the match's first player."""
    seed: int
    """Seed of the deal: game.start(seed), with the options of the match's openings."""
    start: str
    """The key of the dealt position, in hexadecimal."""
    opening: int
    """How many of the actions, outcomes included, were played before the players took over."""
    actions: tuple[Played, ...]
    """Everything that was played: actions, chance outcomes, and tuples where all acted."""
    payoffs: tuple[float, float]
    """By seat, in the game's unit."""
    counts: tuple[Mapping[str, float], ...] = field(default=(), hash=False)
    """By seat, what the game counts; empty if it counts nothing."""
    resigned: int | None = None
    """The seat that gave up."""
    fallbacks: tuple[int, int] = (0, 0)
    """By seat, how many decisions another policy made because the player had no answer."""

    @property
    def payoff(self) -> float:
        """Payoff of the match's first player."""
        return self.payoffs[self.first_seat]

    @property
    def score(self) -> float:
        """Score of the match's first player: 1 for a larger payoff than the other's, ½ for an equal one."""
        own, other = self.payoffs[self.first_seat], self.payoffs[1 - self.first_seat]
        return 0.5 if own == other else float(own > other)

    def counts_of(self, *, first: bool) -> Mapping[str, float]:
        """Return the game's counts of the match's first player, or of its second."""
        return self.counts[self.first_seat if first else 1 - self.first_seat] if self.counts else {}

    def states(self, game: Game, start: Mapping[str, Any] | None = None) -> Iterator[State]:
        """Every position of the game from the deal on; `start` are the options of the match's openings."""
        state = game.start(self.seed, **(start or {}))
        if f"{state.key:016x}" != self.start:
            raise ValueError(f"pair {self.pair}: {game!r} deals another position for seed {self.seed}")
        yield state
        for action in self.actions:
            state = state.play(action)
            yield state

    def replay(self, game: Game, start: Mapping[str, Any] | None = None) -> State:
        """The final position. A ValueError if the game goes otherwise than recorded."""
        *_, last = self.states(game, start)
        if self.resigned is not None and not last.is_over and self.payoffs == resigned_payoffs(game, self.resigned):
            return last
        if not last.is_over or last.payoffs != self.payoffs:
            found = last.payoffs if last.is_over else "no result yet"
            raise ValueError(f"pair {self.pair}: the record says {self.payoffs}, the replay says {found}")
        return last

    def to_plain(self) -> dict[str, Any]:
        """For JSON."""
        plain: dict[str, Any] = {
            "pair": self.pair,
            "first_seat": self.first_seat,
            "seed": self.seed,
            "start": self.start,
            "opening": self.opening,
            "actions": [list(action) if isinstance(action, tuple) else action for action in self.actions],
            "payoffs": list(self.payoffs),
        }
        if self.counts:
            plain["counts"] = [dict(own) for own in self.counts]
        if self.resigned is not None:
            plain["resigned"] = self.resigned
        if any(self.fallbacks):
            plain["fallbacks"] = list(self.fallbacks)
        return plain

    @classmethod
    def from_plain(cls, plain: object) -> PlayedGame:
        """Read the result of to_plain(). Raises a ValueError that names the field that does not fit."""
        if not isinstance(plain, Mapping) or set(plain) | _OPTIONAL != set(cls.__dataclass_fields__):
            raise ValueError(f"a game must be an object with {', '.join(cls.__dataclass_fields__)}")
        counts, resigned, fallbacks = plain.get("counts", []), plain.get("resigned"), plain.get("fallbacks", [0, 0])
        actions, payoffs = plain["actions"], plain["payoffs"]
        _expect(_is_count(plain["pair"]), plain, "pair")
        _expect(_is_count(plain["first_seat"]) and plain["first_seat"] < 2, plain, "first_seat")
        _expect(_is_count(plain["seed"]), plain, "seed")
        _expect(isinstance(plain["start"], str), plain, "start")
        _expect(isinstance(actions, list) and all(map(_is_played, actions)), plain, "actions")
        _expect(_is_count(plain["opening"]) and plain["opening"] <= len(actions), plain, "opening")
        _expect(isinstance(payoffs, list) and len(payoffs) == 2 and all(map(_is_number, payoffs)), plain, "payoffs")
        _expect(isinstance(counts, list) and len(counts) in (0, 2) and _are_counts(counts), plain, "counts")
        _expect(resigned in (None, 0, 1) and not isinstance(resigned, bool), plain, "resigned")
        _expect(
            isinstance(fallbacks, list) and len(fallbacks) == 2 and all(map(_is_count, fallbacks)), plain, "fallbacks"
        )
        return cls(
            pair=plain["pair"],
            first_seat=plain["first_seat"],
            seed=plain["seed"],
            start=plain["start"],
            opening=plain["opening"],
            actions=tuple(tuple(action) if isinstance(action, list) else action for action in actions),
            payoffs=(float(payoffs[0]), float(payoffs[1])),
            counts=tuple({name: float(count) for name, count in own.items()} for own in counts),
            resigned=resigned,
            fallbacks=(fallbacks[0], fallbacks[1]),
        )


def resigned_payoffs(game: Game, seat: int) -> tuple[float, float]:
    """Return the payoffs by seat if a seat resigned: it loses in full."""
    worth = float(game.payoff_scale)
    return (-worth, worth) if seat == 0 else (worth, -worth)


def _expect(fits: bool, plain: Mapping[str, Any], field: str) -> None:
    if not fits:
        raise ValueError(f"a game's {field} is {str(plain[field])[:100]}, which does not fit")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _are_counts(counts: list[object]) -> bool:
    """Return whether both seats have counts with equal names."""
    if not all(isinstance(own, dict) and all(map(_is_number, own.values())) for own in counts):
        return False
    return len({frozenset(own) for own in counts if isinstance(own, dict)}) <= 1


def _is_played(value: object) -> bool:
    return _is_count(value) or (isinstance(value, list) and bool(value) and all(map(_is_count, value)))
