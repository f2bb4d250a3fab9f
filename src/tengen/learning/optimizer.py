"""The optimizers of training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import nn

    from tengen.learning.settings import TrainSettings

__all__ = ["AdamW", "make_optimizer"]


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


_OTHERS: Final[dict[str, Callable[..., torch.optim.Optimizer]]] = {
    "adam": torch.optim.Adam,
    "rmsprop": torch.optim.RMSprop,
    "adagrad": torch.optim.Adagrad,
    "sgd": torch.optim.SGD,
    "momentum": lambda parameters, **given: torch.optim.SGD(parameters, momentum=0.9, nesterov=True, **given),
}


def make_optimizer(model: nn.Module, settings: TrainSettings, device: torch.device) -> torch.optim.Optimizer:
    parameters, lr, weight_decay = model.parameters(), settings.lr, settings.weight_decay
    if settings.optimizer == "adamw":
        return AdamW(parameters, lr=lr, weight_decay=weight_decay, fused=device.type in ("cpu", "cuda"))
    return _OTHERS[settings.optimizer](parameters, lr=lr, weight_decay=weight_decay)
