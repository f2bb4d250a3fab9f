"""Networks on disk: safetensors with a readable header. No pickle is ever read."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from tengen.nets.architecture import Architecture
from tengen.nets.network import Network

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games import Game

FORMAT = "tengen-network-1"
_PARTS = {"format", "game", "settings", "architecture", "lineage"}
_NOT_OURS = (SafetensorError, ValueError, TypeError, LookupError, ArithmeticError, RuntimeError, AttributeError)
"""What parsing a file that is something else may raise."""


class CheckpointError(ValueError):
    """A file that is no checkpoint, or one for something else."""


@dataclass(frozen=True)
class Checkpoint:
    """A network and where it comes from."""

    network: Network
    game: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the game."""
    lineage: Mapping[str, Any] = field(default_factory=dict)
    """What it was trained from and on: free, small and readable."""

    def check(self, game: Game) -> None:
        """Raises a CheckpointError if the network is not for this game."""
        a = self.network.architecture
        mine = (self.game, (a.planes, a.height, a.width), a.actions, a.extras)
        wanted = (game.id, tuple(game.shape), game.policy_count, game.aux_count)
        if mine != wanted:
            raise CheckpointError(f"the network is for {mine}, not for {wanted}")


def save_checkpoint(checkpoint: Checkpoint) -> bytes:
    """The same checkpoint gives the same bytes."""
    header = {
        "format": FORMAT,
        "game": checkpoint.game,
        "settings": json.dumps(dict(checkpoint.settings), sort_keys=True),
        "architecture": json.dumps(dataclasses.asdict(checkpoint.network.architecture), sort_keys=True),
        "lineage": json.dumps(dict(checkpoint.lineage), sort_keys=True),
    }
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in checkpoint.network.state_dict().items()}
    header["sha256"] = _checksum(header, tensors)
    # safetensors keeps its header in a hash map: one entry has one order.
    return save(tensors, {"tengen": json.dumps(header, sort_keys=True)})


def _checksum(header: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """Of all that is said, however the container orders it: safetensors itself notices no changed weight."""
    digest = hashlib.sha256(json.dumps([[name, header[name]] for name in sorted(_PARTS)]).encode())
    for name in sorted(tensors):
        digest.update(f"{name} {tensors[name].dtype} {list(tensors[name].shape)}\n".encode())
        digest.update(tensors[name].numpy().tobytes())
    return digest.hexdigest()


def _check_header(where: str, header: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    if header["format"] != FORMAT:
        raise CheckpointError(f"{where} has format {header['format']!r}; this version reads {FORMAT!r}")
    unknown = sorted(set(header) - _PARTS - {"sha256"})
    if unknown:
        raise CheckpointError(f"{where} says {', '.join(unknown)}, which no header of this format does")
    if "sha256" in header and header["sha256"] != _checksum(header, tensors):
        raise CheckpointError(f"{where} is damaged: its checksum does not fit")


def _assemble(architecture: Architecture, tensors: Mapping[str, Tensor]) -> Network:
    """The network of these tensors. What its header promises is compared before anything of that size is made."""
    if architecture.blocks > len(tensors):
        raise ValueError(f"{architecture.blocks} blocks do not fit into {len(tensors)} tensors")
    with torch.device("meta"):
        network = Network(architecture)
    wanted = {name: (tensor.shape, tensor.dtype) for name, tensor in network.state_dict().items()}
    found = {name: (tensor.shape, tensor.dtype) for name, tensor in tensors.items()}
    differing = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    if differing:
        raise ValueError(f"its tensors are not those of its architecture: {', '.join(differing[:5])}")
    # Copies: the file's own bytes are not to be trained on.
    network.load_state_dict({name: tensor.clone() for name, tensor in tensors.items()}, assign=True)
    return network.requires_grad_(True)


def load_checkpoint(source: bytes | str | Path) -> Checkpoint:
    """Raises a CheckpointError that names the file and what is wrong with it."""
    where = "the checkpoint" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        raise CheckpointError(f"{where} can't be read: {error}") from error
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["tengen"])
        tensors = load(data)
        _check_header(where, header, tensors)
        network = _assemble(Architecture.read(json.loads(header["architecture"])), tensors)
        settings, lineage = json.loads(header["settings"]), json.loads(header["lineage"])
        game = str(header["game"])
    except CheckpointError:
        raise
    except (
        SafetensorError,
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        RuntimeError,
        AttributeError,
    ) as error:
        raise CheckpointError(f"{where} is no network of Tengen's: {error}") from error
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise CheckpointError(f"{where} has a weight that is no number, in {name}")
    network.eval()
    return Checkpoint(network, game, settings, lineage)
