"""Devices that PyTorch computes on: their names, checks, and transfers to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from torch import Tensor

__all__ = ["CPU", "check_device", "device_names", "empty_pinned", "half_precision", "is_cpu", "pin", "upload"]

CPU = "cpu"
_PINNING = frozenset({"cuda"})
"""Types of devices that read page-locked memory while the processor does something else."""


def device_names(text: str) -> list[str]:
    """Return the names in a setting such as "cuda" or "cuda:0,cuda:1". Raises a ValueError for any other text."""
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise ValueError(
            f"device is {text!r} and must be a device of PyTorch, such as cpu, cuda or cuda:1, or several different "
            "ones with commas between them"
        )
    return names


def is_cpu(text: str) -> bool:
    """Return whether a setting of a device names nothing but the processor."""
    return device_names(text) == [CPU]


def check_device(text: str) -> None:
    """Raise a ValueError with the reason if PyTorch cannot compute on one of the devices."""
    import torch

    for name in device_names(text):
        try:
            torch.zeros(1, device=torch.device(name)).add(1).item()
        except (RuntimeError, AssertionError, NotImplementedError) as error:
            reason = str(error).strip().splitlines()[0]
            raise ValueError(f"PyTorch can't compute on {name!r}: {reason}") from error


def empty_pinned(shape: Sequence[int], device: torch.device) -> Tensor:
    """Return an uninitialized float32 tensor of the processor, in page-locked memory if the device can read that."""
    import torch

    return torch.empty(tuple(shape), dtype=torch.float32, pin_memory=device.type in _PINNING)


def pin(tensor: Tensor, device: torch.device) -> Tensor:
    """Return a tensor of the processor in page-locked memory if the device can read that."""
    return tensor.pin_memory() if device.type in _PINNING and tensor.device.type == CPU else tensor


def upload(tensor: Tensor, device: torch.device) -> Tensor:
    """Return the tensor on the device. The transfer of a pinned tensor continues after the return; what the device
    computes next waits for it."""
    return tensor.to(device, non_blocking=device.type in _PINNING)


def half_precision(device: torch.device, *, enabled: bool = True) -> torch.autocast:
    """Return a context in which networks compute with 16 bits where that is accurate enough: bfloat16 on a processor,
    float16 elsewhere."""
    import torch

    return torch.autocast(device.type, torch.bfloat16 if device.type == CPU else torch.float16, enabled=enabled)
