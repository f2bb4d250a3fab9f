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
_POLICIES = ("dense", "planes", "pooled")
PAYOFF_BINS = 51
"""Number of bins of the distribution over payoffs."""


@dataclass(frozen=True)
class TrunkKind:
    """The facts about a kind of trunk that are needed without PyTorch."""

    layout: Literal["board", "rows", "vector"]
    """Shape of its output: [batch, channels, height, width], [batch, height, channels] or [batch, channels]."""
    is_native: bool
    """True if the compiled core runs it; ONNX Runtime runs the others."""


TRUNKS = {
    "residual": TrunkKind("board", is_native=True),
    "nested": TrunkKind("board", is_native=True),
    "transformer": TrunkKind("board", is_native=False),
    "rows": TrunkKind("rows", is_native=False),
    "dense": TrunkKind("vector", is_native=False),
}
"""The kinds of trunks by name; trunks.py makes them."""


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
class NetSettings:
    """The choices about a network that do not depend on the game."""

    trunk: Literal["residual", "nested", "transformer", "rows", "dense"] = "residual"
    """residual: convolutions over a board; nested: residual blocks of half the channels between 1×1 convolutions;
    transformer: attention between the cells of a board; rows: layers that all rows share, for cards in families;
    dense: layers that see all cells together."""
    channels: int = 48
    """Numbers for each cell or row; the width of a dense trunk."""
    blocks: int = 5
    squeeze: bool = True
    """Squeeze-and-excitation in every block of convolutions."""
    pooling: bool = True
    """Global pooling in every second block of convolutions, so that each cell sees the whole board."""
    attention: bool = False
    """Self-attention between the cells of the board after the last block of convolutions."""
    value: Literal["wdl", "scalar", "payoff", "seats"] = "wdl"
    """wdl: win, draw and loss; scalar: one number up to a full win; payoff: the expected payoff, however large, from a
    distribution over payoffs; seats: one number for each seat, for games that are not two-player zero-sum."""
    policy: Literal["dense", "planes", "pooled"] = "dense"
    """dense: a weight from everything to every label; planes: a convolution, where labels are planes of the board;
    pooled: of rows, also from their mean and maximum, where the meaning of a label depends on other rows."""
    moves_left: bool = True
    """Predict the number of plies that are left, as an auxiliary target."""
    oracle: bool = False
    """A critic in training that sees what is hidden, and keeps luck out of the value's target; needs a value of kind
    payoff."""

    def __post_init__(self) -> None:
        if self.channels < 1:
            raise ValueError(f"a network's channels is {self.channels} and must be at least 1")
        if self.blocks < 0:
            raise ValueError(f"a network's blocks is {self.blocks} and can't be negative")
        for name, known in (("trunk", tuple(TRUNKS)), ("value", _VALUES), ("policy", _POLICIES)):
            value = getattr(self, name)
            if value not in known:
                *others, last = known
                raise ValueError(f"a network's {name} is {value!r} and must be {', '.join(others)} or {last}")
        if self.policy == "pooled" and self.layout != "rows":
            raise ValueError(f"a network's policy is pooled, and a {self.trunk} trunk has no rows")
        if self.policy == "planes" and self.layout != "board":
            raise ValueError(f"a network's policy is planes, and a {self.trunk} trunk has no board")
        if self.attention and self.trunk not in ("residual", "nested"):
            raise ValueError(f"attention follows convolutions, and a {self.trunk} trunk has none")
        if self.oracle and self.value != "payoff":
            raise ValueError(f"an oracle needs a value of kind payoff, and the network's value is {self.value}")

    @property
    def layout(self) -> Literal["board", "rows", "vector"]:
        """The shape of the trunk's output."""
        return TRUNKS[self.trunk].layout

    @property
    def is_native(self) -> bool:
        """True if the compiled core runs exports of such networks; ONNX Runtime runs the others."""
        return TRUNKS[self.trunk].is_native and not self.attention


@dataclass(frozen=True, kw_only=True)
class Architecture(NetSettings):
    """A policy-value network for a game: its choices, and the sizes that the game needs."""

    planes: int
    height: int
    width: int
    actions: int
    """Number of the policy's labels."""
    players: int = 2
    extras: int = 0
    """Number of further numbers that the game declares, from the viewer's side."""
    hidden: int = 0
    """Number of facts that the viewer does not see, which the belief head predicts in training."""
    softness: float = DEFAULT_SOFTNESS
    """Scale of policies that are made of payoffs: payoffs this far apart, as a share of a full win, make an action e
    times as likely as another."""
    heads: tuple[HeadSpec, ...] = ()
    """Further heads, which are used in training only."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("planes", "height", "width", "actions", "players"):
            if getattr(self, name) < 1:
                raise ValueError(f"a network's {name} is {getattr(self, name)} and must be at least 1")
        if self.extras < 0 or self.hidden < 0:
            raise ValueError("a network's extras and hidden can't be negative")
        if not 0 < self.softness < math.inf:
            raise ValueError(f"a network's softness is {self.softness} and must be above 0")
        if self.policy == "planes" and self.actions % (self.height * self.width):
            raise ValueError(
                f"a network's policy is planes, and {self.actions} labels are no planes of a board of "
                f"{self.height}x{self.width}"
            )
        self._check_heads()
        if self.oracle and not self.hidden:
            raise ValueError("an oracle needs a game that declares what is hidden")

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
        """Return the architecture for a game, with some choices."""
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
