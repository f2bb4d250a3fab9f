"""Networks of any game, with the game and where they come from, on disk."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.nets.architecture import Architecture
from tengen.nets.network import Network
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

    from torch import Tensor

    from tengen.games import Game

FORMAT = "tengen-network-1"
_PARTS = {"format", "game", "settings", "architecture", "lineage"}


@dataclass(frozen=True)
class Checkpoint:
    """A network and where it comes from."""

    network: Network
    game: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the game."""
    lineage: Mapping[str, Any] = field(default_factory=dict)
    """A small readable description of the networks and data that it was trained from, in any form."""

    def check(self, game: Game) -> None:
        """Raise a CheckpointError if the network is not for this game."""
        a = self.network.architecture
        mine = (self.game, (a.planes, a.height, a.width), a.actions, a.extras)
        wanted = (game.id, tuple(game.shape), game.policy_count, game.aux_count)
        if mine != wanted:
            raise CheckpointError(f"the network is for {mine}, not for {wanted}")


def save_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Return the bytes of a checkpoint, which are the same for equal checkpoints."""
    header = {
        "format": FORMAT,
        "game": checkpoint.game,
        "settings": json.dumps(dict(checkpoint.settings), sort_keys=True),
        "architecture": json.dumps(dataclasses.asdict(checkpoint.network.architecture), sort_keys=True),
        "lineage": json.dumps(dict(checkpoint.lineage), sort_keys=True),
    }
    tensors = tensors_of(checkpoint.network)
    header["sha256"] = _checksum(header, tensors)
    return format_file(header, tensors)


def _checksum(header: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    return checksum([[name, header[name]] for name in sorted(_PARTS)], tensors)


def _check_header(where: str, header: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    if header["format"] != FORMAT:
        raise CheckpointError(f"{where} has format {header['format']!r}; this version reads {FORMAT!r}")
    unknown = sorted(set(header) - _PARTS - {"sha256"})
    if unknown:
        raise CheckpointError(f"{where} says {', '.join(unknown)}, which no header of this format does")
    if "sha256" in header and header["sha256"] != _checksum(header, tensors):
        raise CheckpointError(f"{where} is damaged: its checksum does not fit")


def load_checkpoint(source: bytes | str | Path) -> Checkpoint:
    """Load a checkpoint; a CheckpointError names the file and the defect."""
    where, data = read_file(source)
    with file_errors(where, "no network of Tengen's"):
        header, tensors = parse_file(data)
        _check_header(where, header, tensors)
        architecture = Architecture.read(json.loads(header["architecture"]))
        if architecture.blocks > len(tensors):
            raise ValueError(f"{architecture.blocks} blocks do not fit into {len(tensors)} tensors")
        network = load_weights(lambda: Network(architecture), tensors)
        settings, lineage = json.loads(header["settings"]), json.loads(header["lineage"])
        game = str(header["game"])
    return Checkpoint(network, game, settings, lineage)
