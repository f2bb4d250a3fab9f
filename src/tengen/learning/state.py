"""The state of a training between two parts of it: weights and optimizer, as safetensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from tengen.nets.tensor_files import file_errors, format_file, parse_file, upgrade_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor, nn

__all__ = ["format_state", "restore_state"]

_MODEL, _OPTIMIZER, _OTHER = "model", "optimizer", "other"


def format_state(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    header: Mapping[str, Any],
    tensors: Mapping[str, Tensor] | None = None,
) -> bytes:
    """Return the weights, the optimizer's state, a header of plain values, and further tensors as bytes."""
    kept = {f"{_MODEL}.{name}": tensor for name, tensor in model.state_dict().items()}
    kept |= {f"{_OTHER}.{name}": tensor for name, tensor in (tensors or {}).items()}
    plain: dict[str, dict[str, Any]] = {}
    found = optimizer.state_dict()
    for number, values in found["state"].items():
        for name, value in values.items():
            if isinstance(value, torch.Tensor):
                kept[f"{_OPTIMIZER}.{number}.{name}"] = value
            else:
                plain.setdefault(str(number), {})[name] = value
    about = {"header": dict(header), "groups": found["param_groups"], "plain": plain}
    return format_file(about, {name: tensor.detach().cpu().contiguous() for name, tensor in kept.items()})


def restore_state(
    data: bytes, model: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Load the weights and the optimizer's state, and return the header and the further tensors.

    Raises a CheckpointError for data that format_state() did not write for such a model.
    """
    with file_errors("the state of the training", "damaged or of another network"):
        about, tensors = parse_file(data)
        parts: dict[str, dict[str, Tensor]] = {_MODEL: {}, _OPTIMIZER: {}, _OTHER: {}}
        for name, tensor in tensors.items():
            kind, _, rest = name.partition(".")
            parts[kind][rest] = tensor
        values: dict[int, dict[str, Any]] = {int(number): dict(given) for number, given in about["plain"].items()}
        for name, tensor in parts[_OPTIMIZER].items():
            number, _, key = name.partition(".")
            values.setdefault(int(number), {})[key] = tensor
        model.load_state_dict(upgrade_names(parts[_MODEL]))
        optimizer.load_state_dict({"state": values, "param_groups": about["groups"]})
        return about["header"], parts[_OTHER]
