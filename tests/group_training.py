"""A short training by TrainingLoop, in this process or in one of a group. Some weights are unused, some are used
outside of the network's forward()."""

import os

import numpy as np
import torch
from torch import nn

from tengen.learning.breaker import Breaker
from tengen.learning.loop import TrainingLoop
from tengen.learning.processes import current_group


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.critic = nn.Linear(4, 3)
        self.unused = nn.Linear(4, 3)

    def forward(self, x):
        return self.first(x)


def losses(model, batch):
    error = (model(batch["x"]) - batch["y"]).pow(2).mean()
    critic = (model.critic(batch["x"]) - batch["y"]).abs().mean()
    return {"error": error, "critic": critic, "loss": error + critic}


def trained(progress=None):
    """Return the weights after a training, its figures, and the weights that have no gradient."""
    group = current_group()
    torch.manual_seed(3)
    model, rng = Network(), np.random.default_rng(4)
    loop = TrainingLoop(
        model,
        torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9),
        group,
        Breaker(1e4),
        steps=6,
        lr=0.1,
        rate=lambda _: 1.0,
        draw=lambda: {
            "x": torch.from_numpy(rng.random((12, 4), np.float32)),
            "y": torch.from_numpy(rng.random((12, 3), np.float32)),
        },
        losses=losses,
        clip=1.0,
    )
    loop.run(3)
    loop.run()
    without = [name for name, each in model.named_parameters() if each.grad is None]
    weights = {name: each.tolist() for name, each in model.state_dict().items()}
    return {"weights": weights, "figures": loop.means(), "without": without, "size": group.size}


def dying(progress=None):
    """A process that ends without a result."""
    os._exit(3)
