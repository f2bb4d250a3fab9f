"""Prophets and enforcers on disk: safetensors with a readable header. No pickle is ever read."""

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

from tengen.labs.shogi.networks import Kind, PairNetwork
from tengen.labs.shogi.size import Size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

__all__ = ["Checkpoint", "CheckpointError", "load_checkpoint", "save_checkpoint"]

FORMAT = "tengen-prophet-enforcer-1"


class CheckpointError(ValueError):
    """A file that is no prophet or enforcer, or the other of the two."""


@dataclass(frozen=True)
class Checkpoint:
    network: PairNetwork
    lineage: Mapping[str, Any] = field(default_factory=dict)
    """What it was trained from and on: free, small and readable."""


def save_checkpoint(checkpoint: Checkpoint) -> bytes:
    """The same checkpoint gives the same bytes."""
    network = checkpoint.network
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    header = {
        "format": FORMAT,
        "kind": network.kind,
        "size": dataclasses.asdict(network.size),
        "lineage": dict(checkpoint.lineage),
    }
    header["sha256"] = _checksum(header, tensors)
    # safetensors keeps its header in a hash map: one entry has one order.
    return save(tensors, {"tengen": json.dumps(header, sort_keys=True)})


def load_checkpoint(source: bytes | str | Path, kind: Kind | None = None) -> Checkpoint:
    """In evaluation mode. With a kind, no other; a CheckpointError names the file and what is wrong with it."""
    where = "the checkpoint" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        raise CheckpointError(f"{where} can't be read: {error.strerror or error}") from error
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["tengen"])
        tensors = load(data)
        network = _assemble(header, tensors)
    except (SafetensorError, ValueError, TypeError, LookupError, ArithmeticError, RuntimeError) as error:
        raise CheckpointError(f"{where} is no prophet and no enforcer: {error}") from error
    if kind is not None and network.kind != kind:
        raise CheckpointError(f"{where} is a network of kind {network.kind}; {kind} is needed here")
    return Checkpoint(network.eval(), header["lineage"])


def _assemble(header: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> PairNetwork:
    if header["format"] != FORMAT:
        raise ValueError(f"its format is {header['format']!r}; this version reads {FORMAT!r}")
    if header["sha256"] != _checksum(header, tensors):
        raise ValueError("it is damaged: its checksum does not fit")
    with torch.device("meta"):
        network = PairNetwork(header["kind"], Size(**header["size"]))
    # Copies: the file's own bytes are not to be trained on.
    network.load_state_dict({name: tensor.clone() for name, tensor in tensors.items()}, assign=True)
    return network.requires_grad_(True)


def _checksum(header: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    """Of all that is said, however the container orders it: safetensors itself notices no changed weight."""
    said = {name: value for name, value in header.items() if name != "sha256"}
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(f"{name} {tensors[name].dtype} {list(tensors[name].shape)}\n".encode())
        digest.update(tensors[name].numpy().tobytes())
    return digest.hexdigest()
