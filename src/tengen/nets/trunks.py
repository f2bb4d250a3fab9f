"""Trunks of networks: from a position's planes to the board, rows or vector that the heads read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tengen.nets.architecture import Architecture

__all__ = ["Block", "DenseTrunk", "ResidualTrunk", "RowsTrunk", "TransformerTrunk", "Trunk", "make_trunk", "pool"]


def pool(x: Tensor) -> Tensor:
    """[batch, 2 · channels]: mean and maximum over the board."""
    if x.dtype != torch.float32:  # Processors have no instructions for a maximum of 16 bits.
        x = x.float()
    return torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)


class Trunk(nn.Module):
    """Layers that every head reads.

    forward() takes [batch, planes, height, width]. Its result has the layout of the trunk's kind: a board [batch,
    channels, height, width], rows [batch, height, channels], or a vector [batch, channels].
    """

    def forget_planes(self, planes: Tensor) -> None:
        """Set the weights of the first layer to zero for these planes, a mask, if each of them belongs to one plane."""


class Block(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, channels: int, squeeze: bool, pooling: bool) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.pooled = nn.Linear(2 * channels, channels) if pooling else None
        inner = max(4, channels // 4)
        self.squeeze = (
            nn.Sequential(nn.Linear(channels, inner), nn.ReLU(), nn.Linear(inner, channels), nn.Sigmoid())
            if squeeze
            else None
        )

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.norm1(self.conv1(x)))
        if self.pooled is not None:
            y = y + self.pooled(pool(y))[:, :, None, None]
        y = self.norm2(self.conv2(y))
        if self.squeeze is not None:
            y = y * self.squeeze(y.mean(dim=(2, 3)))[:, :, None, None]
        return torch.relu(x + y)


class NestedBlock(nn.Module):
    """A nested bottleneck: residual blocks of half the channels between two 1×1 convolutions, as in KataGo's networks
    of the kind nbt."""

    def __init__(self, channels: int, blocks: Sequence[Block]) -> None:
        super().__init__()
        inner = nested_channels(channels)
        self.conv1 = nn.Conv2d(channels, inner, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(inner)
        self.blocks = nn.Sequential(*blocks)
        self.conv2 = nn.Conv2d(inner, channels, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        y = self.blocks(torch.relu(self.norm1(self.conv1(x))))
        return torch.relu(x + self.norm2(self.conv2(y)))


def nested_channels(channels: int) -> int:
    """Return the number of channels inside a nested bottleneck."""
    return max(1, channels // 2)


class Attention(nn.Module):
    """Self-attention between tokens [batch, tokens, channels]."""

    def __init__(self, channels: int, places: int = 0) -> None:
        """With `places`, the number of tokens, each token's place has learned numbers."""
        super().__init__()
        self.heads = 4 if channels % 4 == 0 else 1
        self.place = nn.Parameter(torch.zeros(1, places, channels)) if places else None
        self.norm = nn.LayerNorm(channels)
        self.read = nn.Linear(channels, 3 * channels)
        self.write = nn.Linear(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, channels = x.shape
        placed = x if self.place is None else x + self.place
        query, key, value = (
            part.reshape(batch, tokens, self.heads, channels // self.heads).transpose(1, 2)
            for part in self.read(self.norm(placed)).chunk(3, dim=2)
        )
        weights = torch.softmax(query @ key.transpose(2, 3) * (channels // self.heads) ** -0.5, dim=3)
        seen = (weights @ value).transpose(1, 2).reshape(batch, tokens, channels)
        written: Tensor = self.write(seen)
        return x + written


class ResidualTrunk(Trunk):
    """Convolutions over a board."""

    def __init__(
        self, planes: int, channels: int, blocks: Iterable[nn.Module], attention: Attention | None = None
    ) -> None:
        super().__init__()
        self.stem = nn.Conv2d(planes, channels, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(channels)
        self.blocks = nn.Sequential(*blocks)
        self.attention = attention

    def forward(self, features: Tensor) -> Tensor:
        x: Tensor = self.blocks(torch.relu(self.stem_norm(self.stem(features))))
        if self.attention is not None:
            x = self.attention(x.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(x.shape)
        return x

    def forget_planes(self, planes: Tensor) -> None:
        with torch.no_grad():
            self.stem.weight[:, planes] = 0


class TransformerBlock(nn.Module):
    """Attention between the cells, then two layers that all cells share."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.attention = Attention(channels)
        self.norm = nn.LayerNorm(channels)
        self.linear1 = nn.Linear(channels, 2 * channels)
        self.linear2 = nn.Linear(2 * channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        x = self.attention(x)
        y: Tensor = self.linear2(torch.relu(self.linear1(self.norm(x))))
        return x + y


class TransformerTrunk(Trunk):
    """A transformer whose tokens are the cells of the board. A cell's token is made of its planes and of learned
    numbers for its place."""

    def __init__(self, planes: int, height: int, width: int, channels: int, blocks: int) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.randn(1, height * width, channels) * 0.1)
        self.stem = nn.Linear(planes, channels)
        self.blocks = nn.Sequential(*(TransformerBlock(channels) for _ in range(blocks)))
        self.norm = nn.LayerNorm(channels)

    def forward(self, features: Tensor) -> Tensor:
        batch, _planes, height, width = features.shape
        x = self.norm(self.blocks(self.stem(features.flatten(2).transpose(1, 2)) + self.place))
        return torch.relu(x).transpose(1, 2).reshape(batch, -1, height, width)

    def forget_planes(self, planes: Tensor) -> None:
        with torch.no_grad():
            self.stem.weight[:, planes] = 0


class DenseBlock(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(width, width, bias=False)
        self.norm1 = nn.BatchNorm1d(width)
        self.linear2 = nn.Linear(width, width, bias=False)
        self.norm2 = nn.BatchNorm1d(width)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.norm1(self.linear1(x)))
        return torch.relu(x + self.norm2(self.linear2(y)))


class DenseTrunk(Trunk):
    """Layers that see all planes together."""

    def __init__(self, inputs: int, channels: int, blocks: int) -> None:
        super().__init__()
        self.stem = nn.Linear(inputs, channels, bias=False)
        self.stem_norm = nn.BatchNorm1d(channels)
        self.blocks = nn.Sequential(*(DenseBlock(channels) for _ in range(blocks)))

    def forward(self, features: Tensor) -> Tensor:
        x: Tensor = self.blocks(torch.relu(self.stem_norm(self.stem(features.flatten(1)))))
        return x


class RowsBlock(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(channels, channels)
        self.pooled = nn.Linear(2 * channels, channels, bias=False)
        self.linear2 = nn.Linear(channels, channels)
        nn.init.zeros_(self.linear2.weight)

    def forward(self, x: Tensor) -> Tensor:
        both = torch.cat([x.mean(dim=1), x.amax(dim=1)], dim=1)
        y = torch.relu(self.linear1(x) + self.pooled(both)[:, None, :])
        return torch.relu(x + self.linear2(y))


class RowsTrunk(Trunk):
    """Layers that all rows share. What does not belong to one row reaches all of them through a first layer that sees
    everything, and through the mean and maximum of all rows in every block."""

    def __init__(self, planes: int, height: int, width: int, channels: int, blocks: int) -> None:
        super().__init__()
        self.row = nn.Linear(planes * width, channels, bias=False)
        self.whole = nn.Linear(planes * height * width, channels, bias=False)
        self.place = nn.Parameter(torch.zeros(1, height, channels))
        self.blocks = nn.Sequential(*(RowsBlock(channels) for _ in range(blocks)))

    def forward(self, features: Tensor) -> Tensor:
        rows = features.transpose(1, 2).flatten(2)
        found: Tensor = self.blocks(
            torch.relu(self.row(rows) + self.whole(features.flatten(1))[:, None, :] + self.place)
        )
        return found


def _residual(a: Architecture) -> Trunk:
    blocks = [Block(a.channels, a.squeeze, a.pooling and i % 2 == 1) for i in range(a.blocks)]
    return ResidualTrunk(a.planes, a.channels, blocks, _attention(a))


def _nested(a: Architecture) -> Trunk:
    inner = nested_channels(a.channels)
    blocks = [
        NestedBlock(a.channels, [Block(inner, a.squeeze, a.pooling), Block(inner, a.squeeze, pooling=False)])
        for _ in range(a.blocks)
    ]
    return ResidualTrunk(a.planes, a.channels, blocks, _attention(a))


def _attention(a: Architecture) -> Attention | None:
    return Attention(a.channels, a.height * a.width) if a.attention else None


_MAKERS: dict[str, Callable[[Architecture], Trunk]] = {
    "residual": _residual,
    "nested": _nested,
    "transformer": lambda a: TransformerTrunk(a.planes, a.height, a.width, a.channels, a.blocks),
    "rows": lambda a: RowsTrunk(a.planes, a.height, a.width, a.channels, a.blocks),
    "dense": lambda a: DenseTrunk(a.planes * a.height * a.width, a.channels, a.blocks),
}
"""Functions that make the trunks of architecture.TRUNKS, by name."""


def make_trunk(architecture: Architecture) -> Trunk:
    return _MAKERS[architecture.trunk](architecture)
