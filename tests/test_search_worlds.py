"""Determinizations that serve several visits, and which choices of a mixed strategy are drawn."""

import pytest
from toy_games import HighCard, TicTacToe

import tengen
from tengen.search import Pool, SearchSettings, search


class CountingHighCard(HighCard):
    def __init__(self):
        super().__init__()
        self.redeals = 0

    def redeal(self, position, viewer, rng):
        self.redeals += 1
        return super().redeal(position, viewer, rng)


def count_redeals(**settings):
    game = CountingHighCard()
    result = search(game.start(1), evaluator="uniform", visits=1000, seed=3, **settings)
    assert result.visits >= 1000
    return game.redeals, result


def test_worlds_serve_as_many_visits_as_they_are_told():
    one, fresh = count_redeals()
    assert one >= 990
    assert count_redeals(world_visits=1)[1] == fresh
    several, reused = count_redeals(world_visits=20)
    # The moves are tried in the same worlds: 64 of them, drawn once, and again after 1,280 visits of a move.
    assert 64 <= several <= 130
    assert reused.moves[0].action == fresh.moves[0].action
    assert count_redeals(world_visits=20)[1] == reused
    with pytest.raises(ValueError, match=r"world_visits.*without hidden information"):
        search(TicTacToe().start(), evaluator="uniform", visits=10, world_visits=2)


def test_what_suits_a_game_where_all_act():
    """Decoupled UCB in Pokémon's wide trees, regret matching elsewhere."""
    for name, rule, other in (("pokemon", "ucb", "regret"), ("rock_paper_scissors", "regret", "ucb")):
        state = tengen.game(name).start(1)
        evaluator = "heuristic" if state.game.has_heuristic else "rollout"
        usual, told, not_it = (
            search(state, evaluator=evaluator, visits=200, seed=5, viewer=0, joint_rule=how)
            for how in ("auto", rule, other)
        )
        assert usual == told
        assert usual != not_it
        assert search(state, evaluator=evaluator, visits=200, seed=5, viewer=0) == usual


def test_small_shares_of_a_strategy_are_not_drawn():
    game = tengen.game("rock_paper_scissors")
    pool = Pool(game, SearchSettings(visits=300, joint_min_share=1.0), "rollout")
    free = Pool(game, SearchSettings(visits=300), "rollout")
    drawn, mixed = set(), set()
    for seed in range(40):
        for one, found in ((pool, drawn), (free, mixed)):
            root = one.add(game.start(), viewer=0, seed=7 * seed if one is free else 1)
            one.run()
            found.add(one.choose(root, player=0, temperature=1.0))
            one.remove(root)
    assert len(drawn) == 1
    assert len(mixed) == 3
    with pytest.raises(ValueError, match=r"joint_min_share.*without simultaneous choices"):
        search(TicTacToe().start(), evaluator="uniform", visits=10, joint_min_share=0.5)
