"""AdamW that starts at once."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["AdamW"]


def _undecorated(method: Any) -> Any:
    return getattr(method, "__wrapped__", method)


class AdamW(torch.optim.AdamW):
    """Steps of torch.optim.AdamW, without the decorators that keep PyTorch's compiler away from them. To do so they
    load that compiler, which takes seconds of every process that trains; nothing here is compiled."""

    add_param_group = _undecorated(torch.optim.Optimizer.add_param_group)
    load_state_dict = _undecorated(torch.optim.Optimizer.load_state_dict)
    state_dict = _undecorated(torch.optim.Optimizer.state_dict)
    zero_grad = _undecorated(torch.optim.Optimizer.zero_grad)
    step = torch.no_grad()(_undecorated(torch.optim.AdamW.step))
