"""Prophet and enforcer as PyTorch networks, and as ONNX graphs for play."""

from __future__ import annotations

import io
import warnings
from typing import Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from tengen.labs.shogi.planes import PLANES, SLOTS
from tengen.labs.shogi.size import Size
from tengen.nets.trunks import Block, ResidualTrunk, pool

__all__ = ["ExportError", "Kind", "PairNetwork", "build", "export_onnx"]

Kind: TypeAlias = Literal["prophet", "enforcer"]

_NOWHERE, _THERE = -3.0, 6.0
"""Log-odds of every entry in a fresh enforcer, and the additional log-odds of entries that the planes show as reachable
by the slot's piece: hardly any of the 5,994 entries is a move, and most moves are in the planes."""
_DROPOUT = 0.3
"""All positions of a game have one result: a prophet that knows games by heart foretells no other."""
_TOLERANCE = 1e-4


class PairNetwork(nn.Module):
    """A prophet or an enforcer: planes [batch, 148, 9, 9] to log-odds.

    A prophet returns [batch, 2], the viewer's win and loss; an enforcer [batch, 74, 9, 9], above 0 for candidates.
    """

    def __init__(self, kind: Kind, size: Size) -> None:
        super().__init__()
        self.kind: Kind = kind
        self.size = size
        # A 9 by 9 board is wider than a few convolutions see: pooling connects all squares in every block.
        blocks = (Block(size.channels, squeeze=False, pooling=True) for _ in range(size.blocks))
        self.trunk = ResidualTrunk(PLANES, size.channels, blocks)
        if kind == "prophet":
            self.head_conv = nn.Conv2d(size.channels, 8, 1)
            self.hidden = nn.Linear(8 * 81 + 2 * size.channels, 32)
            self.dropout = nn.Dropout(_DROPOUT)
            self.out = nn.Linear(32, 2)
            self.material = nn.Linear(3 * SLOTS, 2, bias=False)
            nn.init.zeros_(self.material.weight)
        else:
            self.entries = nn.Conv2d(size.channels, SLOTS, 1)
            # The planes already show which piece may move where; the rest of the network finds the good moves.
            self.seen = nn.Conv2d(PLANES, SLOTS, 1, bias=False)
            with torch.no_grad():
                self.entries.weight.mul_(0.1)
                self.entries.bias.fill_(_NOWHERE)  # type: ignore[union-attr]
                self.seen.weight.zero_()
                for slot in range(SLOTS):
                    self.seen.weight[slot, 2 * slot + 1] = _THERE

    def forward(self, planes: Tensor) -> Tensor:
        x = self.trunk(planes)
        if self.kind == "enforcer":
            entries: Tensor = self.entries(x) + self.seen(planes)
            return entries
        board = torch.relu(self.head_conv(x)).flatten(1)
        judged = torch.cat([board, pool(x)], dim=1)
        answer: Tensor = self.out(self.dropout(torch.relu(self.hidden(self.dropout(judged)))))
        material: Tensor = self.material(_owners(planes))
        return answer + material


def _owners(planes: Tensor) -> Tensor:
    """[batch, 3 · 74]: of each slot whose piece is on the board, whose is in hand, and how far it reaches.

    Who has which pieces is most of what there is to know about who wins, and hard to count by convolutions."""
    stands = planes[:, 0::2].sum(dim=(2, 3))
    reaches = planes[:, 1::2].sum(dim=(2, 3))
    in_hand = reaches.clamp(-1, 1) * (1 - stands.abs())
    return torch.cat([stands, in_hand, (reaches / 10).clamp(-1, 1)], dim=1)


def build(kind: Kind, size: Size, seed: int) -> PairNetwork:
    """A fresh network; equal seeds give equal weights, and the caller's random numbers stay as they were."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return PairNetwork(kind, size)


class ExportError(RuntimeError):
    """An exported network does not answer as the original does."""


def export_onnx(network: PairNetwork) -> bytes:
    """An ONNX graph from `planes` to an output called as the network is, held to its original on random inputs."""
    was_training = network.training
    network.eval()
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # The exporter that needs no further packages announces that another one is the default.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            (torch.zeros((2, PLANES, 9, 9)),),
            buffer,
            input_names=["planes"],
            output_names=[network.kind],
            dynamic_axes={name: {0: "batch"} for name in ("planes", network.kind)},
            opset_version=17,
            dynamo=False,
        )
    data = buffer.getvalue()
    worst = _difference(network, data)
    network.train(was_training)
    if not worst <= _TOLERANCE:
        raise ExportError(f"the ONNX export differs from PyTorch by {worst:.2e}; at most {_TOLERANCE:.0e} is allowed")
    return data


def _difference(network: PairNetwork, onnx: bytes) -> float:
    from tengen.nets.runtimes import OnnxRuntime

    planes = np.random.default_rng(0).integers(-1, 2, (8, PLANES, 9, 9)).astype(np.float32)
    theirs = OnnxRuntime(onnx, "the export").run({"planes": planes}, [network.kind])[network.kind]
    with torch.inference_mode():
        ours = network(torch.from_numpy(planes)).numpy()
    # Random planes are unlike positions and answered by large numbers.
    return float((np.abs(ours - theirs) / np.maximum(1.0, np.abs(ours))).max())
