"""Symmetry consistency: zero for who does not care how the board lies, and the right number for who does."""

import math
import random

import numpy as np
import pytest
from arena_helpers import judge, make_network
from search_helpers import random_state
from toy_games import Duel, FullTicTacToe, TicTacToe

import tengen
from tengen.arena import symmetry_consistency


def states_of(game, count=12):
    return [random_state(game, seed, seed % 6) for seed in range(count)]


def fair(state, player):
    """The same word for every orientation: by how the position with the action played looks, in its smallest form."""
    game = state.game

    def worth(some):
        return random.Random(min(some.transform(s).key for s in range(game.symmetry_count))).random()

    policy = {action: 0.1 + worth(state.play(action)) for action in state.legal()}
    value = worth(state)
    return policy, value


@pytest.mark.parametrize("name", ["pyrga", "connect_four", "toy"])
def test_an_evaluator_that_does_not_care_is_consistent(name):
    game = FullTicTacToe() if name == "toy" else tengen.game(name)
    found = symmetry_consistency(game, fair, states_of(game, 6))
    assert found.symmetries == game.symmetry_count
    assert found.policy_kl == pytest.approx(0, abs=1e-6)
    assert found.policy_variation == pytest.approx(0, abs=1e-5)
    assert found.value_std == pytest.approx(0, abs=1e-6)
    assert found.value_spread == pytest.approx(0, abs=1e-6)
    assert found.agreement > 0.9


def test_an_evaluator_that_cares_is_measured():
    """Always the first legal action, and what that action's number is: by hand for one mirror."""
    game = tengen.game("connect_four")
    found = symmetry_consistency(game, lambda state, player: ({0: 1.0}, 0.5 if player == 0 else -0.5), [game.start()])
    assert found.positions == 1
    assert found.symmetries == 2
    assert found.policy_kl == pytest.approx(math.log(2), abs=1e-6)
    assert found.policy_variation == pytest.approx(0.5, abs=1e-6)
    assert found.agreement == 0.5
    assert found.value_std == 0
    assert found.value_spread == 0

    def lopsided(state, player):
        return 0.2 if 0 in state.legal() and state.play(0).key == start.play(0).key else -0.2

    start = game.start().play(1)
    found = symmetry_consistency(game, lopsided, [start])
    assert found.policy_kl == pytest.approx(0, abs=1e-9)
    assert found.value_std == pytest.approx(0.2, abs=1e-6)
    assert found.value_spread == pytest.approx(0.4, abs=1e-6)


def test_arbitrary_opinions_are_within_bounds():
    game = tengen.game("pyrga")
    found = symmetry_consistency(game, judge, states_of(game))
    assert 0 < found.policy_kl < math.log(8)
    assert 0 < found.policy_variation < 1
    assert 0 < found.value_std <= found.value_spread <= 0.6
    assert found.figures()["positions"] == 12


def test_networks_are_measured(tmp_path):
    game = tengen.game("connect_four")
    weights = make_network(tmp_path / "net.onnx", game)
    state = random_state(game, 1, 4)
    found = symmetry_consistency(game, tmp_path / "net.onnx", [state])
    policies = []
    for symmetry in range(2):
        transformed = state.transform(symmetry)
        logits = transformed.encode(transformed.actor).ravel() @ weights["policy_weights"]
        policy = np.zeros(7)
        policy[transformed.legal()] = np.exp(logits[transformed.legal()])
        policies.append((policy / policy.sum())[game.action_maps[symmetry]])
    distance = np.abs(policies[0] - np.mean(policies, axis=0)).sum() / 2
    assert found.policy_variation == pytest.approx(distance, abs=1e-5)


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(ValueError, match="no symmetries"):
        symmetry_consistency(TicTacToe(), judge, [TicTacToe().start()])
    with pytest.raises(ValueError, match="none of these positions"):
        symmetry_consistency(FullTicTacToe(), judge, [])
    with pytest.raises(ValueError, match="no policy of its own"):
        symmetry_consistency(FullTicTacToe(), "rollout", [FullTicTacToe().start()])


def test_where_all_act_every_player_is_asked():
    class TurnedDuel(Duel):
        """Its symmetry changes nothing."""

        symmetry_count = 2

    game = TurnedDuel()
    found = symmetry_consistency(game, judge, [game.start(), game.start().play((0, 0))])
    assert found.positions == 4
    assert found.policy_kl == pytest.approx(0, abs=1e-9)
