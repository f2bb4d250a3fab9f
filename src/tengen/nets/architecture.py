"""The shape of a network, as a value."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from tengen.nets.softness import DEFAULT_SOFTNESS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games import Game


_VALUES = ("wdl", "scalar", "payoff", "seats")
_HEADS = ("policy", "numbers", "cells", "distribution")
PAYOFF_BINS = 51
"""Number of bins of the distribution over payoffs."""


@dataclass(frozen=True)
class HeadSpec:
    """A further output of a network for one training target. Exports leave it out."""

    name: str
    """Key of the output in `Outputs.heads`."""
    kind: Literal["policy", "numbers", "cells", "distribution"]
    """policy: [batch, labels], log-odds of the game's policy labels; numbers: [batch, size]; cells: [batch, size,
    height, width], `size` numbers for each cell of the board; distribution: [batch, size], log-odds of bins."""
    size: int
    """Number of labels, which is that of the game's policy, of numbers, of numbers per cell, or of bins."""

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise ValueError(f"a head is called {self.name!r}; its name must be an identifier")
        if self.kind not in _HEADS:
            raise ValueError(
                f"the head {self.name} has the kind {self.kind!r} and must have one of {', '.join(_HEADS)}"
            )
        if isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 1:
            raise ValueError(f"the head {self.name} has the size {self.size!r} and must have a number from 1 on")


@dataclass(frozen=True)
class Architecture:
    """A policy-value network for a board of any size, or for planes that are none."""

    planes: int
    height: int
    width: int
    actions: int
    players: int = 2
    extras: int = 0
    """Further numbers that the game declares, predicted in the viewer's view."""

    hidden: int = 0
    """Numbers about what the viewer does not see, guessed in training: the belief head."""

    trunk: Literal["residual", "rows", "dense"] = "residual"
    """residual: convolutions over a board; rows: layers that all rows share, for cards whose families are the rows;
    dense: layers that see all planes together."""
    channels: int = 48
    """Numbers for each cell or row; the width of a dense trunk."""
    blocks: int = 5
    squeeze: bool = True
    """Squeeze-and-excitation in every block."""
    pooling: bool = True
    """Global pooling in every second block: what happens anywhere is known everywhere."""
    attention: bool = False
    """Self-attention over the board's cells after the last block."""
    value: Literal["wdl", "scalar", "payoff", "seats"] = "wdl"
    """Win, draw and loss; one number up to a full win; the expected payoff, however large, from a distribution over
    payoffs; or one number a seat, for games that are not two-player zero-sum."""
    policy: Literal["dense", "planes", "pooled"] = "dense"
    """A weight from everything to each label; where labels are planes of the board, as many as there are, one after the
    other, a convolution; or, of rows, a weight from everything and from the mean and maximum of all rows, for labels
    that mean something of whichever row it is about."""
    moves_left: bool = True
    """Predict how many plies are left: an auxiliary target."""
    oracle: bool = False
    """A critic that sees in training what the viewer does not, and teaches the value what luck it had."""
    softness: float = DEFAULT_SOFTNESS
    """Scale of policies that are made of payoffs: payoffs this far apart, as a share of a full win, make an action e
    times as likely as another."""
    heads: tuple[HeadSpec, ...] = ()
    """Further heads, which are used in training only."""

    def __post_init__(self) -> None:
        for name in ("planes", "height", "width", "actions", "players", "channels"):
            if getattr(self, name) < 1:
                raise ValueError(f"a network's {name} is {getattr(self, name)} and must be at least 1")
        if self.blocks < 0 or self.extras < 0 or self.hidden < 0:
            raise ValueError("a network's blocks, extras and hidden can't be negative")
        if not 0 < self.softness < math.inf:
            raise ValueError(f"a network's softness is {self.softness} and must be above 0")
        if self.value not in _VALUES:
            raise ValueError(f"a network's value is {self.value!r} and must be one of {', '.join(_VALUES)}")
        if self.trunk not in ("residual", "rows", "dense"):
            raise ValueError(f"a network's trunk is {self.trunk!r} and must be residual, rows or dense")
        if self.policy not in ("dense", "planes", "pooled"):
            raise ValueError(f"a network's policy is {self.policy!r} and must be dense, planes or pooled")
        if self.policy == "pooled" and self.trunk != "rows":
            raise ValueError(f"a network's policy is pooled, and a {self.trunk} trunk has no rows")
        if self.policy == "planes" and (self.trunk != "residual" or self.actions % (self.height * self.width)):
            raise ValueError(
                f"a network's policy is planes, and {self.actions} labels of a {self.trunk} trunk on a board of "
                f"{self.height}x{self.width} are none"
            )
        if self.trunk != "residual" and self.attention:
            raise ValueError(f"a network of {self.trunk} has no board for attention to look over")
        self._check_heads()
        if self.oracle and not (self.hidden and self.value == "payoff"):
            raise ValueError("an oracle needs a value of kind payoff, and a game that tells what is hidden")

    def _check_heads(self) -> None:
        names = [head.name for head in self.heads]
        if len(set(names)) < len(names):
            raise ValueError(f"a network's heads are called {', '.join(names)}, and their names must differ")
        for head in self.heads:
            if head.kind == "policy" and head.size != self.actions:
                raise ValueError(
                    f"the head {head.name} has the size {head.size}; a policy of this game has {self.actions} labels"
                )

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
                "actions": game.policy_count,
                "players": game.players,
                "extras": game.aux_count,
                "hidden": game.hidden_label_count,
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
        heads = tuple(each if isinstance(each, HeadSpec) else HeadSpec(**each) for each in values.get("heads", ()))
        return cls(**{**values, "heads": heads})

    @property
    def value_size(self) -> int:
        return {"wdl": 3, "scalar": 1, "payoff": PAYOFF_BINS, "seats": self.players}[self.value]
