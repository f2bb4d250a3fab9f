"""Determinizations that serve several visits, and which choices of a mixed strategy are drawn."""

import pytest
from toy_games import HighCard, TicTacToe

import tengen
from tengen.search import Pool, SearchSettings, search


def test_worlds_serve_as_many_visits_as_they_are_told():
    state = tengen.game("kuhn_poker").start(3)
    fresh = search(state, evaluator="rollout", visits=2000, seed=3)
    assert search(state, evaluator="rollout", visits=2000, seed=3, world_visits=1) == fresh
    reused = search(state, evaluator="rollout", visits=2000, seed=3, world_visits=20)
    assert reused != fresh
    assert reused == search(state, evaluator="rollout", visits=2000, seed=3, world_visits=20)
    assert reused.values[0] == pytest.approx(fresh.values[0], abs=0.2 * state.game.payoff_scale)
    with pytest.raises(ValueError, match=r"world_visits.*without hidden information"):
        search(tengen.game("pyrga").start(), evaluator="uniform", visits=10, world_visits=2)
    with pytest.raises(ValueError, match="world_visits is for games in the core"):
        search(HighCard().start(1), evaluator="uniform", visits=10, world_visits=2)


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
