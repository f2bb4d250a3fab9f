"""Where PyTorch can compute."""

from __future__ import annotations

import torch

__all__ = ["check_device"]


def check_device(name: str) -> None:
    """Raises a ValueError that says why nothing can be trained there."""
    try:
        torch.zeros(1, device=torch.device(name)).add(1).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ValueError(f"PyTorch can't compute on {name!r}: {reason}") from error
