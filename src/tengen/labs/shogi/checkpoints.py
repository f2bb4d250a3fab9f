"""Prophets and enforcers on disk."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.labs.shogi.networks import Kind, PairNetwork
from tengen.labs.shogi.size import Size
from tengen.nets.tensor_files import (
    CheckpointError,
    checksum,
    file_errors,
    format_file,
    load_weights,
    parse_file,
    read_file,
    tensors_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Checkpoint", "CheckpointError", "load_checkpoint", "save_checkpoint"]

FORMAT = "tengen-prophet-enforcer-1"


@dataclass(frozen=True)
class Checkpoint:
    network: PairNetwork
    lineage: Mapping[str, Any] = field(default_factory=dict)
    """What it was trained from and on: free, small and readable."""


def save_checkpoint(checkpoint: Checkpoint) -> bytes:
    """The same checkpoint gives the same bytes."""
    network = checkpoint.network
    tensors = tensors_of(network)
    header = {
        "format": FORMAT,
        "kind": network.kind,
        "size": dataclasses.asdict(network.size),
        "lineage": dict(checkpoint.lineage),
    }
    return format_file(header | {"sha256": checksum(header, tensors)}, tensors)


def load_checkpoint(source: bytes | str | Path, kind: Kind | None = None) -> Checkpoint:
    """In evaluation mode. With a kind, no other; a CheckpointError names the file and what is wrong with it."""
    where, data = read_file(source)
    with file_errors(where, "no prophet and no enforcer"):
        header, tensors = parse_file(data)
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r}; this version reads {FORMAT!r}")
        if header.pop("sha256") != checksum(header, tensors):
            raise ValueError("it is damaged: its checksum does not fit")
        network = load_weights(lambda: PairNetwork(header["kind"], Size(**header["size"])), tensors)
    if kind is not None and network.kind != kind:
        raise CheckpointError(f"{where} is a network of kind {network.kind}; {kind} is needed here")
    return Checkpoint(network, header["lineage"])
