"""The optimizer of training, held to PyTorch's."""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from tengen.learning.optimizer import AdamW  # noqa: E402 - only where PyTorch is


@pytest.mark.slow
def test_the_optimizer_steps_as_that_of_pytorch():
    """PyTorch's own loads its compiler."""

    def stepped(kind):
        torch.manual_seed(1)
        model = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.ReLU(), torch.nn.Linear(7, 1))
        optimizer = kind(model.parameters(), lr=0.1, weight_decay=0.01)
        for _ in range(10):
            optimizer.zero_grad(set_to_none=True)
            model(torch.ones(3, 5)).pow(2).sum().backward()
            optimizer.step()
        return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])

    assert torch.equal(stepped(AdamW), stepped(torch.optim.AdamW))


STEPS = """
import sys, torch
from tengen.learning.optimizer import AdamW
model = torch.nn.Linear(5, 1)
optimizer = AdamW(model.parameters(), lr=0.1)
optimizer.zero_grad(set_to_none=True)
model(torch.ones(3, 5)).sum().backward()
optimizer.step()
AdamW(model.parameters(), lr=0.1).load_state_dict(optimizer.state_dict())
print("torch._dynamo" in sys.modules)
"""


@pytest.mark.slow
def test_the_compiler_of_pytorch_is_not_loaded():
    """It takes seconds."""
    done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
