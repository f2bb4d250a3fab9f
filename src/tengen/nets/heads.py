"""The heads of networks, and how they read trunks of each layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

from tengen.nets.trunks import pool

if TYPE_CHECKING:
    from tengen.nets.architecture import Architecture, HeadSpec

__all__ = ["HIDDEN", "HeadInputs", "Oracle", "Reader", "Seen", "make_head", "make_reader"]

HIDDEN = 64
"""Width of the value's hidden layer."""
_NARROW = 16
"""Channels of the trunk's output that the heads with a weight for each cell read."""


class Seen(NamedTuple):
    """The output of a trunk as the heads read it."""

    trunk: Tensor
    """The output itself, in the layout of the trunk."""
    policy: Tensor
    """[batch, numbers] for the policy."""
    value: Tensor
    """[batch, numbers] for the value."""
    board: Tensor
    """[batch, numbers] that keep where things are."""


class HeadInputs(NamedTuple):
    """The tensors that further heads read."""

    trunk: Tensor
    policy: Tensor
    numbers: Tensor
    """[batch, numbers]: the value's hidden layer, then `Seen.board`."""


class Reader(nn.Module):
    """The layers between a trunk and the heads; forward() returns what these see."""

    policy: int
    """Length of `Seen.policy`."""
    value: int
    board: int


class BoardReader(Reader):
    def __init__(self, a: Architecture) -> None:
        super().__init__()
        cells = a.height * a.width
        self.policy_planes: nn.Module | None = None
        if a.policy == "planes":
            self.policy_planes = nn.Conv2d(a.channels, a.actions // cells, 1)
        else:
            self.policy_conv = nn.Conv2d(a.channels, _NARROW, 1, bias=False)
            self.policy_norm = nn.BatchNorm2d(_NARROW)
        self.value_conv = nn.Conv2d(a.channels, _NARROW, 1, bias=False)
        self.value_norm = nn.BatchNorm2d(_NARROW)
        self.policy = self.board = _NARROW * cells
        self.value = self.board + 2 * a.channels

    def forward(self, x: Tensor) -> Seen:
        if self.policy_planes is not None:
            policy = self.policy_planes(x).flatten(1)
        else:
            policy = torch.relu(self.policy_norm(self.policy_conv(x))).flatten(1)
        board = torch.relu(self.value_norm(self.value_conv(x))).flatten(1)
        return Seen(x, policy, torch.cat([board, pool(x)], dim=1), board)


class RowsReader(Reader):
    def __init__(self, a: Architecture) -> None:
        super().__init__()
        self.head = nn.Linear(a.channels, _NARROW)
        self.is_pooled = a.policy == "pooled"
        self.board = _NARROW * a.height
        self.value = self.board + 2 * a.channels
        self.policy = self.value if self.is_pooled else self.board

    def forward(self, x: Tensor) -> Seen:
        board = torch.relu(self.head(x)).flatten(1)
        value = torch.cat([board, x.mean(dim=1), x.amax(dim=1)], dim=1)
        return Seen(x, value if self.is_pooled else board, value, board)


class VectorReader(Reader):
    def __init__(self, a: Architecture) -> None:
        super().__init__()
        self.policy = self.value = self.board = a.channels

    def forward(self, x: Tensor) -> Seen:
        return Seen(x, x, x, x)


def make_reader(a: Architecture) -> Reader:
    return {"board": BoardReader, "rows": RowsReader, "vector": VectorReader}[a.layout](a)


class NumbersHead(nn.Module):
    """A head of numbers or of a distribution."""

    def __init__(self, head: HeadSpec, inputs: int) -> None:
        super().__init__()
        self.out = nn.Linear(inputs, head.size)

    def forward(self, inputs: HeadInputs) -> Tensor:
        out: Tensor = self.out(inputs.numbers)
        return out


class PolicyHead(nn.Module):
    """A further policy, which reads what the policy itself reads."""

    def __init__(self, a: Architecture, inputs: int) -> None:
        super().__init__()
        self.is_planes = a.policy == "planes"
        cells = a.height * a.width
        self.out = nn.Conv2d(a.channels, a.actions // cells, 1) if self.is_planes else nn.Linear(inputs, a.actions)

    def forward(self, inputs: HeadInputs) -> Tensor:
        out: Tensor = self.out(inputs.trunk if self.is_planes else inputs.policy)
        return out.flatten(1)


class CellsHead(nn.Module):
    """Numbers for each cell. A row gives those of its cells; a vector gives those of all cells."""

    def __init__(self, head: HeadSpec, a: Architecture) -> None:
        super().__init__()
        self.shape = (head.size, a.height, a.width)
        cells = {"board": 1, "rows": a.width, "vector": a.height * a.width}[a.layout]
        self.out: nn.Module
        if a.layout == "board":
            self.out = nn.Conv2d(a.channels, head.size, 1)
        else:
            self.out = nn.Linear(a.channels, head.size * cells)

    def forward(self, inputs: HeadInputs) -> Tensor:
        out: Tensor = self.out(inputs.trunk)
        size, height, width = self.shape
        if out.ndim == 3:
            return out.reshape(-1, height, size, width).transpose(1, 2)
        return out.reshape(-1, size, height, width)


def make_head(head: HeadSpec, a: Architecture, reader: Reader) -> nn.Module:
    if head.kind == "policy":
        return PolicyHead(a, reader.policy)
    return CellsHead(head, a) if head.kind == "cells" else NumbersHead(head, HIDDEN + reader.board)


class Oracle(nn.Module):
    """A critic that also sees what is hidden. It is trained with the network and is not used in play."""

    def __init__(self, a: Architecture) -> None:
        super().__init__()
        self.read = nn.Linear(a.planes * a.height * a.width + a.hidden, a.channels)
        self.middle = nn.Linear(a.channels, a.channels)
        self.out = nn.Linear(a.channels, a.value_size)

    def forward(self, features: Tensor, hidden: Tensor) -> Tensor:
        """Return the log-odds of payoff_bins()."""
        x = torch.relu(self.read(torch.cat([features.flatten(1), hidden], dim=1)))
        out: Tensor = self.out(torch.relu(self.middle(x)))
        return out
