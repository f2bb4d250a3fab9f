"""Networks that answer in labels: what the search, samples and matches make of them, on shogi."""

import numpy as np
import pytest
import torch

import tengen
from tengen.arena.evaluate_positions import evaluate_positions
from tengen.evaluators.base import Evaluation, Evaluator
from tengen.evaluators.fastest import Positions
from tengen.games.shogi import WIN
from tengen.learning import samples_of
from tengen.nets import Architecture, Checkpoint, Network
from tengen.selfplay import Decision, GameRecord

CAMP = "+R+R2K2+B1/PPPP+P+P2+B/2+P6/9/9/9/9/9/4k4 b 9P 1"


class Labels(Evaluator):
    """Likes labels by their numbers."""

    def check(self, game):
        pass

    def evaluate(self, leaves):
        logits = np.tile(np.linspace(-3, 3, leaves.game.policy_count, dtype=np.float32), (len(leaves), 1))
        return Evaluation(logits, np.zeros((len(leaves), 2), np.float32))


def wanted_priors(state):
    game = state.game
    scale = np.linspace(-3, 3, game.policy_count, dtype=np.float32)
    labels = {action: game.policy_index(state.position, action) for action in state.legal()}
    known = [scale[label] for label in labels.values() if label >= 0]
    weights = {action: np.exp(scale[label] if label >= 0 else max(known)) for action, label in labels.items()}
    return {action: weight / sum(weights.values()) for action, weight in weights.items()}


@pytest.mark.parametrize("sfen", ["startpos", CAMP, "4k4/9/9/9/9/9/9/9/4K4 w RBGrb2g 1"])
def test_priors_are_read_at_labels(sfen):
    state = tengen.game("shogi").start(sfen=sfen)
    result = tengen.search(state, evaluator=Labels(), visits=40, seed=1)
    wanted = wanted_priors(state)
    priors = {move.action: move.prior for move in result.moves}
    assert priors == pytest.approx({action: wanted[action] for action in priors}, rel=1e-4)
    assert priors
    policies, _ = evaluate_positions(state.game, Labels(), [state], [state.actor], [1])
    assert {int(a): policies[0, a] for a in np.flatnonzero(policies[0])} == pytest.approx(wanted, rel=1e-4)


def test_an_action_without_a_label_is_searched_and_wins():
    state = tengen.game("shogi").start(sfen=CAMP)
    assert tengen.search(state, evaluator=Labels(), visits=200, seed=1).best.action == WIN


def test_targets_are_labels():
    game = tengen.game("shogi")
    state = game.start()
    action = game.parse("7g7f", state)
    policy = {action: 0.25, game.parse("2g2f", state): 0.75}
    record = GameRecord(
        "shogi",
        dict(game.settings),
        0,
        (action,),
        decisions=(Decision(0, 0, policy, (0.0, 0.0), 8, True),),
        payoffs=(0.0, 0.0),
    )
    samples = samples_of(game, [record])
    samples.check(game)
    assert samples.policy.shape == (1, 2187)
    assert samples.policy[0, game.policy_index(state.position, action)] == np.float32(0.25)
    assert samples.policy.sum() == pytest.approx(1)


def test_networks_and_comparisons_have_labels():
    game = tengen.game("shogi")
    network = Network(Architecture.of(game, channels=8, blocks=1))
    Checkpoint(network, "shogi").check(game)
    with torch.inference_mode():
        assert network(torch.zeros(1, *game.shape)).policy.shape == (1, 2187)
    positions = Positions.of([game.start(), game.start(sfen=CAMP)])
    assert positions.legal.shape == (2, 2187)
    assert positions.legal.sum(axis=1).tolist() == [30, len(game.start(sfen=CAMP).legal()) - 1]
