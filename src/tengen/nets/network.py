"""Policy-value networks."""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from tengen.nets.architecture import PAYOFF_BINS, Architecture, HeadSpec
from tengen.nets.heads import HIDDEN, HeadInputs, Oracle, Seen, make_head, make_reader
from tengen.nets.trunks import make_trunk


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


class Network(nn.Module):
    """A trunk, and the heads that read it."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        a = self.architecture = architecture
        self.trunk = make_trunk(a)
        reader = self.reader = make_reader(a)
        self.policy_out = nn.Identity() if a.policy == "planes" else nn.Linear(reader.policy, a.actions)
        self.value_hidden = nn.Linear(reader.value, HIDDEN)
        self.value_out = nn.Linear(HIDDEN, a.value_size)
        self.extras_out = nn.Linear(HIDDEN + reader.board, a.extras) if a.extras else None
        self.moves_left_out = nn.Linear(HIDDEN, 1) if a.moves_left else None
        self.belief_out = nn.Linear(reader.board, a.hidden) if a.hidden else None
        self.oracle = Oracle(a) if a.oracle else None
        # Created last, so that the random weights of everything else do not depend on them.
        self.heads = nn.ModuleDict({f"{head.name}_head": make_head(head, a, reader) for head in a.heads})

    def forward(self, features: Tensor) -> Outputs:
        seen: Seen = self.reader(self.trunk(features))
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
