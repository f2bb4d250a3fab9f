"""Policy-value networks."""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from tengen.nets.architecture import PAYOFF_BINS, Architecture, HeadSpec


class Outputs(NamedTuple):
    """The outputs of a network for a batch, each row from its viewer's side."""

    policy: Tensor
    """[batch, actions] log-odds."""
    value: Tensor
    """[batch, 3] log-odds of win, draw, loss; [batch, 1] or [batch, players] shares of a full win."""
    payoff: Tensor
    """[batch, bins] log-odds of payoff_bins(), where the value is of that kind."""
    extras: Tensor
    """[batch, extras] in -1 … 1."""
    moves_left: Tensor
    """[batch, 1], in units of 10 plies."""
    belief: Tensor
    """[batch, hidden] log-odds of what the viewer does not see."""
    heads: dict[str, Tensor]
    """The raw output of each of the architecture's heads, by name; HeadSpec describes their shapes."""


class Seen(NamedTuple):
    """The output of a trunk as the heads read it."""

    trunk: Tensor
    """Output of the trunk: [batch, channels, height, width], rows [batch, height, channels], or [batch, channels]."""
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


def pool(x: Tensor) -> Tensor:
    """[batch, 2 · channels]: mean and maximum over the board."""
    return torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)


class Block(nn.Module):
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


class Attention(nn.Module):
    """Self-attention between all cells of the board."""

    def __init__(self, channels: int, cells: int) -> None:
        super().__init__()
        self.heads = 4 if channels % 4 == 0 else 1
        self.place = nn.Parameter(torch.zeros(1, cells, channels))
        self.norm = nn.LayerNorm(channels)
        self.read = nn.Linear(channels, 3 * channels)
        self.write = nn.Linear(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        batch, channels, height, width = x.shape
        cells = x.flatten(2).transpose(1, 2) + self.place
        query, key, value = (
            part.reshape(batch, height * width, self.heads, channels // self.heads).transpose(1, 2)
            for part in self.read(self.norm(cells)).chunk(3, dim=2)
        )
        weights = torch.softmax(query @ key.transpose(2, 3) * (channels // self.heads) ** -0.5, dim=3)
        seen = (weights @ value).transpose(1, 2).reshape(batch, height * width, channels)
        written: Tensor = self.write(seen)
        return x + written.transpose(1, 2).reshape(batch, channels, height, width)


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


class DenseTrunk(nn.Module):
    """Layers that see all planes together."""

    def __init__(self, a: Architecture) -> None:
        super().__init__()
        self.stem = nn.Linear(a.planes * a.height * a.width, a.channels, bias=False)
        self.stem_norm = nn.BatchNorm1d(a.channels)
        self.blocks = nn.Sequential(*(DenseBlock(a.channels) for _ in range(a.blocks)))

    def forward(self, features: Tensor) -> Seen:
        x = torch.relu(self.stem_norm(self.stem(features.flatten(1))))
        x = self.blocks(x)
        return Seen(x, x, x, x)


class RowsTrunk(nn.Module):
    """Layers that every row shares. What is not of one row reaches all of them through a look at everything first, and
    through the mean and maximum of all rows in every block."""

    def __init__(self, a: Architecture) -> None:
        super().__init__()
        size, head = a.planes * a.height * a.width, 16
        self.row = nn.Linear(a.planes * a.width, a.channels, bias=False)
        self.whole = nn.Linear(size, a.channels, bias=False)
        self.place = nn.Parameter(torch.zeros(1, a.height, a.channels))
        self.blocks = nn.ModuleList(RowsBlock(a.channels) for _ in range(a.blocks))
        self.head = nn.Linear(a.channels, head)
        self.is_pooled = a.policy == "pooled"

    def forward(self, features: Tensor) -> Seen:
        rows = features.transpose(1, 2).flatten(2)
        x = torch.relu(self.row(rows) + self.whole(features.flatten(1))[:, None, :] + self.place)
        for block in self.blocks:
            x = block(x)
        board = torch.relu(self.head(x)).flatten(1)
        judged = torch.cat([board, x.mean(dim=1), x.amax(dim=1)], dim=1)
        return Seen(x, judged if self.is_pooled else board, judged, board)


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


class Oracle(nn.Module):
    """A critic that also sees what is hidden. It is trained beside the network and is not used in play."""

    def __init__(self, a: Architecture) -> None:
        super().__init__()
        self.read = nn.Linear(a.planes * a.height * a.width + a.hidden, a.channels)
        self.middle = nn.Linear(a.channels, a.channels)
        self.out = nn.Linear(a.channels, a.value_size)

    def forward(self, features: Tensor, hidden: Tensor) -> Tensor:
        """Log-odds of payoff_bins()."""
        x = torch.relu(self.read(torch.cat([features.flatten(1), hidden], dim=1)))
        out: Tensor = self.out(torch.relu(self.middle(x)))
        return out


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
    """Numbers for each cell. A row gives those of its cells; a trunk of one vector gives those of all cells."""

    def __init__(self, head: HeadSpec, a: Architecture) -> None:
        super().__init__()
        self.shape = (head.size, a.height, a.width)
        self.out: nn.Module
        if a.trunk == "residual":
            self.out = nn.Conv2d(a.channels, head.size, 1)
        else:
            self.out = nn.Linear(a.channels, head.size * a.width * (1 if a.trunk == "rows" else a.height))

    def forward(self, inputs: HeadInputs) -> Tensor:
        out: Tensor = self.out(inputs.trunk)
        size, height, width = self.shape
        if out.ndim == 3:
            return out.reshape(-1, height, size, width).transpose(1, 2)
        return out.reshape(-1, size, height, width)


def _head(head: HeadSpec, a: Architecture, policy: int, numbers: int) -> nn.Module:
    """Return the module of a head. `policy` and `numbers` are the sizes of its inputs."""
    if head.kind == "policy":
        return PolicyHead(a, policy)
    return CellsHead(head, a) if head.kind == "cells" else NumbersHead(head, numbers)


class Network(nn.Module):
    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        a = self.architecture = architecture
        seen = self._make_trunk(a)
        self.policy_out = nn.Identity() if a.policy == "planes" else nn.Linear(seen["policy"], a.actions)
        self.value_hidden = nn.Linear(seen["value"], 64)
        self.value_out = nn.Linear(64, a.value_size)
        self.extras_out = nn.Linear(64 + seen["board"], a.extras) if a.extras else None
        self.moves_left_out = nn.Linear(64, 1) if a.moves_left else None
        self.belief_out = nn.Linear(seen["board"], a.hidden) if a.hidden else None
        self.oracle = Oracle(a) if a.oracle else None
        # Created last, so that the random weights of everything else do not depend on them.
        made = {f"{head.name}_head": _head(head, a, seen["policy"], 64 + seen["board"]) for head in a.heads}
        self.heads = nn.ModuleDict(made)

    def _make_trunk(self, a: Architecture) -> dict[str, int]:
        """Create the trunk and return how many numbers each head reads."""
        if a.trunk == "dense":
            self.dense = DenseTrunk(a)
            return dict.fromkeys(("policy", "value", "board"), a.channels)
        if a.trunk == "rows":
            self.rows = RowsTrunk(a)
            board = 16 * a.height
            judged = board + 2 * a.channels
            return {"policy": judged if a.policy == "pooled" else board, "value": judged, "board": board}
        cells = a.height * a.width
        head = 16
        self.stem = nn.Conv2d(a.planes, a.channels, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(a.channels)
        self.blocks = nn.Sequential(*(Block(a.channels, a.squeeze, a.pooling and i % 2 == 1) for i in range(a.blocks)))
        self.attention = Attention(a.channels, cells) if a.attention else None
        self.policy_planes: nn.Module | None = None
        if a.policy == "planes":
            self.policy_planes = nn.Conv2d(a.channels, a.actions // cells, 1)
        else:
            self.policy_conv = nn.Conv2d(a.channels, head, 1, bias=False)
            self.policy_norm = nn.BatchNorm2d(head)
        self.value_conv = nn.Conv2d(a.channels, head, 1, bias=False)
        self.value_norm = nn.BatchNorm2d(head)
        return {"policy": head * cells, "value": head * cells + 2 * a.channels, "board": head * cells}

    def _look(self, features: Tensor) -> Seen:
        if self.architecture.trunk != "residual":
            trunk = self.dense if self.architecture.trunk == "dense" else self.rows
            seen: Seen = trunk(features)
            return seen
        x = torch.relu(self.stem_norm(self.stem(features)))
        x = self.blocks(x)
        if self.attention is not None:
            x = self.attention(x)
        if self.policy_planes is not None:
            policy = self.policy_planes(x).flatten(1)
        else:
            policy = torch.relu(self.policy_norm(self.policy_conv(x))).flatten(1)
        board = torch.relu(self.value_norm(self.value_conv(x))).flatten(1)
        return Seen(x, policy, torch.cat([board, pool(x)], dim=1), board)

    def forward(self, features: Tensor) -> Outputs:
        seen = self._look(features)
        policy = self.policy_out(seen.policy)
        hidden = torch.relu(self.value_hidden(seen.value))
        value = self.value_out(hidden)
        numbers = torch.cat([hidden, seen.board], dim=1)
        nothing = features.new_zeros((features.shape[0], 0))
        payoff = nothing
        if self.architecture.value == "payoff":
            payoff = value
            value = torch.softmax(payoff, dim=1) @ payoff_bins().to(payoff.device)[:, None]
        elif self.architecture.value != "wdl":
            value = torch.tanh(value)
        extras = torch.tanh(self.extras_out(numbers)) if self.extras_out else nothing
        moves_left = nn.functional.softplus(self.moves_left_out(hidden)) if self.moves_left_out else nothing
        belief = self.belief_out(seen.board) if self.belief_out else nothing
        inputs = HeadInputs(seen.trunk, seen.policy, numbers)
        heads = {head.name: self.heads[f"{head.name}_head"](inputs) for head in self.architecture.heads}
        return Outputs(policy, value, payoff, extras, moves_left, belief, heads)


def payoff_bins() -> Tensor:
    """The payoffs that a value of kind payoff is a distribution over, as shares of a full win: fine around nothing,
    coarse where they are rare, up to forty full wins."""
    largest, fine = 40.0, 0.1
    steps = (2 * i / (PAYOFF_BINS - 1) - 1 for i in range(PAYOFF_BINS))
    return torch.tensor([fine * math.sinh(step * math.asinh(largest / fine)) for step in steps], device="cpu")


def build(architecture: Architecture, seed: int) -> Network:
    """A fresh network; equal seeds give equal weights, and the caller's random numbers stay as they were."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Network(architecture)


def count_parameters(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


def with_heads(network: Network, heads: tuple[HeadSpec, ...], seed: int) -> Network:
    """Return a network with these heads and otherwise the same weights: heads that are equal in both keep their
    weights, new ones start with random weights."""
    known = network.architecture.heads
    made = build(dataclasses.replace(network.architecture, heads=heads), seed)
    dropped = tuple(f"heads.{head.name}_head." for head in known if head not in heads)
    kept = {name: tensor for name, tensor in network.state_dict().items() if not name.startswith(dropped)}
    made.load_state_dict(made.state_dict() | kept)
    return made.train(network.training)
