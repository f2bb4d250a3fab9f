"""The losses of the policy."""

import pytest

torch = pytest.importorskip("torch")

from tengen.learning import targets as training_targets  # noqa: E402 - only where PyTorch is


def test_regret_counts_what_actions_pay_and_not_how_often_they_are_best():
    """The first action is a little better in nine of ten targets and far worse in the tenth."""
    targets = torch.tensor([[0.6, 0.4, 0.0]] * 9 + [[1e-8, 1 - 1e-8, 0.0]])
    ends = {}
    for name in ("cross_entropy", "regret"):
        logits = torch.zeros(3, requires_grad=True)
        optimizer = torch.optim.SGD([logits], lr=0.05)
        for _ in range(300):
            optimizer.zero_grad()
            training_targets._POLICY_LOSSES[name](logits.expand(10, 3), targets).backward()
            optimizer.step()
        ends[name] = logits.detach()
    assert ends["cross_entropy"][0] > ends["cross_entropy"][1]
    assert ends["regret"][0] < ends["regret"][1]
    assert ends["regret"][2] < -1  # the target does not know it


def test_regret_without_any_target_is_nothing():
    loss = training_targets._POLICY_LOSSES["regret"](torch.randn(4, 5), torch.zeros(4, 5))
    assert loss == 0
