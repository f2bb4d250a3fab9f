"""Values of all seats in games that are not two-player zero-sum."""

import numpy as np
import pytest
from learning_helpers import quick_games, tiny
from toy_games import HighCard

import tengen
from tengen.learning import PackedSamples, TrainSettings, samples_of
from tengen.selfplay import Decision, GameRecord

torch = pytest.importorskip("torch")

from tengen.learning import train  # noqa: E402 - only where PyTorch is


class Divide(tengen.games.Game):
    """Player 0 takes one of three shares of a cake, and player 1 gets half of the rest: a general-sum game."""

    action_count = 3
    zero_sum = False
    shape = (3, 1, 1)

    def initial(self, rng):
        return (rng.randrange(3), None)

    def actor(self, position):
        return 0 if position[1] is None else None

    def legal(self, position, player):
        return [0, 1, 2]

    def apply(self, position, action):
        return (position[0], action)

    def payoff(self, position):
        size, taken = position
        own = (1 + size) * taken / 6
        return [own, ((1 + size) / 3 - own) / 2]

    def encode(self, position, viewer):
        planes = np.zeros((3, 1, 1), np.float32)
        planes[position[0]] = 1
        return planes


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_the_values_of_all_seats_are_learned_in_general_sum_games(packed):
    game = Divide()
    # Random play: player 0 gets half of the cake on average, player 1 a quarter.
    records = quick_games(game, 200, visits=2, parallel=64, random_share=1.0)
    found = samples_of(game, records)
    assert found.seat_results.shape == found.seat_values.shape == (len(found), 2)
    assert np.array_equal(found.seat_results[:, 0], found.result)
    settings = TrainSettings(steps=100, batch_size=64, lr=2e-2, threads=1, search_value_share=0.0)
    given = PackedSamples.of(found) if packed else found
    network = train(game, tiny(game), given, settings).network
    for size in range(3):
        with torch.inference_mode():
            value = network(torch.from_numpy(game.encode((size, None), 0))[None]).value[0].tolist()
        assert value == pytest.approx([(1 + size) / 6, (1 + size) / 12], abs=0.1)


def test_seats_are_counted_from_the_viewer():
    game = HighCard()
    records = [record for first in range(3) for record in [_high_card(game, first)]]
    found = samples_of(game, records)
    for row, record in enumerate(records):
        viewer = record.decisions[0].player
        wanted = [record.payoffs[(viewer + i) % 3] / game.payoff_scale for i in range(3)]
        assert found.seat_results[row].tolist() == pytest.approx(wanted)


def _high_card(game, first):
    state = game.start(first, first=first)
    decision = Decision(0, first, {0: 1.0}, (0.0, 0.0, 0.0), 1, True)
    end = state.play(0)
    return GameRecord(
        game.id, dict(game.settings), first, end.history, (decision,), end.payoffs, start={"first": first}
    )
