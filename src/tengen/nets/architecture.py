"""What a network looks like, as a value."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games import Game


@dataclass(frozen=True)
class Architecture:
    """A residual policy-value network for a board of any size."""

    planes: int
    height: int
    width: int
    actions: int
    players: int = 2
    extras: int = 0
    """Further numbers that the game declares, predicted in the viewer's view."""

    channels: int = 48
    blocks: int = 5
    squeeze: bool = True
    """Squeeze-and-excitation in every block."""
    pooling: bool = True
    """Global pooling in every second block: what happens anywhere is known everywhere."""
    attention: bool = False
    """Self-attention over the board's cells after the last block."""
    value: Literal["wdl", "scalar", "seats"] = "wdl"
    """Win, draw and loss; one number; or one number a seat, for games that are not two-player zero-sum."""
    moves_left: bool = True
    """Predict how many plies are left: an auxiliary target."""

    def __post_init__(self) -> None:
        for name in ("planes", "height", "width", "actions", "players", "channels"):
            if getattr(self, name) < 1:
                raise ValueError(f"a network's {name} is {getattr(self, name)} and must be at least 1")
        if self.blocks < 0 or self.extras < 0:
            raise ValueError("a network's blocks and extras can't be negative")
        if self.value not in ("wdl", "scalar", "seats"):
            raise ValueError(f"a network's value is {self.value!r} and must be wdl, scalar or seats")

    @classmethod
    def of(cls, game: Game, **choices: Any) -> Self:
        """For a game, with what is chosen about it."""
        planes, height, width = game.shape
        if planes * height * width == 0:
            raise ValueError(f"{game.id} has no encoding, so no network can read it")
        if not (game.zero_sum and game.players == 2):
            choices.setdefault("value", "seats")
        return cls.read(
            {
                "planes": planes,
                "height": height,
                "width": width,
                "actions": game.action_count,
                "players": game.players,
                "extras": game.extra_count,
                **choices,
            }
        )

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            names = ", ".join(sorted(known))
            raise ValueError(f"no part of a network is called {', '.join(unknown)}; there are {names}")
        return cls(**values)

    @property
    def value_size(self) -> int:
        return {"wdl": 3, "scalar": 1, "seats": self.players}[self.value]
