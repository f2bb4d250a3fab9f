"""Networks on disk: safetensors with a readable header and a checksum. No pickle is ever read."""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from torch import Tensor

__all__ = [
    "CheckpointError",
    "checksum",
    "file_errors",
    "format_file",
    "load_weights",
    "parse_file",
    "read_file",
    "tensors_of",
    "upgrade_names",
]

Module = TypeVar("Module", bound=torch.nn.Module)

_NOT_OURS = (SafetensorError, ValueError, TypeError, LookupError, ArithmeticError, RuntimeError, AttributeError)
"""Exceptions that the parser may raise for other files."""


class CheckpointError(ValueError):
    """A file that is no checkpoint, or one for something else."""


def tensors_of(network: torch.nn.Module) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}


def checksum(said: object, tensors: Mapping[str, Tensor]) -> str:
    """Return a hash of the header and the tensors, in any order; safetensors does not detect changed weights."""
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(f"{name} {tensors[name].dtype} {list(tensors[name].shape)}\n".encode())
        digest.update(tensors[name].numpy().tobytes())
    return digest.hexdigest()


def format_file(header: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> bytes:
    # safetensors keeps its header in a hash map: one entry has one order.
    return save(dict(tensors), {"tengen": json.dumps(header, sort_keys=True)})


def read_file(source: bytes | str | Path) -> tuple[str, bytes]:
    """Return the name of a source for error messages, and its content."""
    if isinstance(source, bytes):
        return "the checkpoint", source
    try:
        return str(source), Path(source).read_bytes()
    except OSError as error:
        raise CheckpointError(f"{source} can't be read: {error.strerror or error}") from error


def parse_file(data: bytes) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Return the header and the tensors, unchecked."""
    size = int.from_bytes(data[:8], "little")
    return json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["tengen"]), load(data)


@contextmanager
def file_errors(where: str, is_not: str) -> Iterator[None]:
    """Turn exceptions of parsing a file into a CheckpointError that names it."""
    try:
        yield
    except CheckpointError:
        raise
    except _NOT_OURS as error:
        raise CheckpointError(f"{where} is {is_not}: {error}") from error


_MOVED = (
    ("rows.head.", "reader.head."),
    ("rows.", "trunk."),
    ("dense.", "trunk."),
    *((f"{name}.", f"trunk.{name}.") for name in ("stem", "stem_norm", "blocks", "attention")),
    *((f"{name}.", f"reader.{name}.") for name in ("policy_planes", "policy_conv", "policy_norm", "value_conv")),
    ("value_norm.", "reader.value_norm."),
)
"""Beginnings of tensors' names in files of earlier versions, and the names of today."""


def upgrade_names(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors of a network of any version by the names of this version."""
    renamed = {}
    for name, tensor in tensors.items():
        old, new = next(((old, new) for old, new in _MOVED if name.startswith(old)), ("", ""))
        renamed[new + name.removeprefix(old)] = tensor
    return renamed


def load_weights(make: Callable[[], Module], tensors: Mapping[str, Tensor]) -> Module:
    """Return the network of these tensors, which must be finite.

    The tensors are compared with those of the architecture before anything of that size is made.
    """
    tensors = upgrade_names(tensors)
    with torch.device("meta"):
        network = make()
    wanted = {name: (tensor.shape, tensor.dtype) for name, tensor in network.state_dict().items()}
    found = {name: (tensor.shape, tensor.dtype) for name, tensor in tensors.items()}
    differing = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    if differing:
        raise ValueError(f"its tensors are not those of its architecture: {', '.join(differing[:5])}")
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise ValueError(f"a weight in {name} is not finite")
    # Copies: the file's own bytes are not to be trained on.
    network.load_state_dict({name: tensor.clone() for name, tensor in tensors.items()}, assign=True)
    return network.requires_grad_(True).eval()
