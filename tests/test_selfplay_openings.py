"""Games of self-play that start with random moves."""

import pytest
from learning_helpers import quick_games


@pytest.mark.parametrize("name", ["connect_four", "pig", "rock_paper_scissors", "matgo"])
def test_games_may_start_with_random_moves(name):
    """No decision is recorded for a random move, and the number of them differs from game to game."""
    changes = {"visits": 4, "opening_share": 1.0, "opening_plies": 6}
    found = quick_games(name, 12, **changes)
    assert found == quick_games(name, 12, **changes)
    # The deal may end a game of Matgo.
    starts = {record.decisions[0].ply for record in found if record.decisions}
    assert max(starts) <= 7  # chance may act before the first decision
    for record in found:
        assert list(record.replay())[-1].payoffs == record.payoffs
    if name != "rock_paper_scissors":
        assert len(starts) > 2
    plain = quick_games(name, 12, visits=4)
    half = quick_games(name, 12, visits=4, opening_share=0.5, opening_plies=6)
    assert sum(one.actions == other.actions for one, other in zip(plain, half, strict=True)) < 12


def test_a_random_opening_ends_before_the_game_does():
    for record in quick_games("connect_four", 20, visits=2, opening_share=1.0, opening_plies=200):
        assert record.decisions
