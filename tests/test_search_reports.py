"""Settings of single roots, and figures of reports beyond visits and values."""

import dataclasses
from typing import get_type_hints

import numpy as np
import pytest
from search_helpers import judge

import tengen
from tengen.search import Move, Pool, SearchResult, SearchSettings


def test_spread_is_the_deviation_of_the_evaluations_below_a_move():
    state = tengen.game("pyrga").start()
    pool = Pool(state.game, SearchSettings(visits=60), judge)
    root = pool.add(state, seed=3)
    pool.run()
    result = pool.result(root, spread=True)
    for move in result.moves:
        assert move.spread is not None
        assert move.spread >= 0
        if move.visits == 1:
            assert move.spread == pytest.approx(0, abs=1e-6)
    assert any(move.spread > 0 for move in result.moves if move.visits > 3)
    assert tengen.search(state, evaluator=judge, visits=5).moves[0].spread is None


def test_each_root_may_have_settings_of_its_own():
    game = tengen.game("connect_four")
    plain = SearchSettings(visits=200)
    flat = dataclasses.replace(plain, root_policy_temperature=10.0, visits=50)
    pool = Pool(game, plain, judge)
    first = pool.add(game.start(), seed=1)
    second = pool.add(game.start(), seed=1, settings=flat)
    pool.run()
    assert pool.result(first).visits == 200
    assert pool.result(second).visits == 50
    alone = tengen.search(game.start(), evaluator=judge, settings=flat, seed=1)
    assert [(m.action, m.visits) for m in pool.result(second).moves] == [(m.action, m.visits) for m in alone.moves]


@pytest.mark.parametrize("visits", [40, 64, 100])
def test_gumbel_halves_the_visits_that_remain_after_reuse(visits):
    """A search of a kept tree shares its new visits out as a fresh search with as many visits does."""
    game = tengen.game("connect_four")

    def made(pool, root, before):
        return sorted(move.visits - before.get(move.action, 0) for move in pool.report(root).moves)

    kept = Pool(game, SearchSettings(visits=visits, gumbel_actions=4), "rollout")
    root = kept.add(game.start(), seed=3)
    kept.run()
    action = kept.choose(root, temperature=0)
    kept.advance(root, action)
    before = {move.action: move.visits for move in kept.report(root).moves}
    assert sum(before.values()) > visits / 4
    kept.run()
    remaining = visits - sum(before.values())
    fresh = Pool(game, SearchSettings(visits=remaining, gumbel_actions=4), "rollout")
    other = fresh.add(game.start().play(action), seed=5)
    fresh.run()
    assert made(kept, root, before) == made(fresh, other, {})


def test_settings_of_a_root_are_checked():
    pool = Pool(tengen.game("connect_four"), SearchSettings(visits=10), "uniform")
    state = pool.game.start()
    with pytest.raises(ValueError, match="joint_exploration has no effect"):
        pool.add(state, settings=SearchSettings(joint_exploration=0.5))
    with pytest.raises(ValueError, match="leaves_per_root has no effect"):
        pool.add(state, settings=SearchSettings(leaves_per_root=4))
    with pytest.raises(ValueError, match="aux must be at least 0"):
        pool.add(state, aux=-1)


def test_a_root_keeps_as_many_aux_as_it_is_told():
    game = tengen.game("pyrga")
    pool = Pool(game, SearchSettings(visits=20_000), "rollout")
    everything = pool.add(game.start(), seed=5)
    some = pool.add(game.start(), seed=5, aux=3)
    none = pool.add(game.start(), seed=5, aux=0)
    pool.run()
    full, part, empty = (pool.result(root, aux=True, deviations=True) for root in (everything, some, none))
    assert len(full.aux) == game.aux_count
    np.testing.assert_array_equal(part.aux, full.aux[:3])
    np.testing.assert_array_equal(part.deviations, full.deviations[:3])
    np.testing.assert_array_equal(part.raw_aux, full.raw_aux[:3])
    assert empty.aux is None
    assert empty.bytes < full.bytes
    for move in full.moves:
        assert np.abs(move.aux).max() <= 1
        assert move.deviations.min() >= 0
        assert (move.aux**2 + move.deviations**2 <= 1 + 1e-5).all()


def test_a_tree_that_moves_on_keeps_its_aux():
    game = tengen.game("pyrga")
    pool = Pool(game, SearchSettings(visits=200), "rollout")
    root = pool.add(game.start(), seed=5, aux=2)
    pool.run()
    best = pool.result(root, aux=True).best
    pool.advance(root, best.action)
    moved = pool.result(root, aux=True)
    np.testing.assert_allclose(moved.aux, best.aux, atol=1e-6)
    assert len(moved.aux) == 2


def test_wide_root_noise_tries_more_moves():
    state = tengen.game("pyrga").start()
    narrow = tengen.search(state, evaluator=judge, visits=150, seed=2)
    wide = tengen.search(state, evaluator=judge, visits=150, seed=2, wide_root_noise=0.5)
    again = tengen.search(state, evaluator=judge, visits=150, seed=2, wide_root_noise=0.5)
    assert len(wide.moves) > len(narrow.moves)
    assert [(m.action, m.visits) for m in wide.moves] == [(m.action, m.visits) for m in again.moves]
    assert wide.moves[0].prior == pytest.approx(narrow[wide.moves[0].action].prior)


def test_rows_tell_their_depth():
    game = tengen.game("connect_four")
    pool = Pool(game, SearchSettings(visits=30), judge)
    pool.add(game.start(), seed=1)
    pool.add(game.start(), seed=2)
    first = pool.collect()
    assert first.depths == [0, 0]
    pool.supply(pool.evaluator.evaluate(first))
    second = pool.collect()
    assert second.depths == [1, 1]
    pool.abandon()


def test_a_root_tells_its_progress_and_priors():
    game = tengen.game("connect_four")
    pool = Pool(game, SearchSettings(visits=30), judge)
    root = pool.add(game.start(), seed=1)
    assert pool.progress(root) == (0, False)
    pool.step()
    assert pool.progress(root) == (1, False)
    pool.run()
    assert pool.progress(root) == (30, True)
    result = pool.result(root, spread=True)
    assert sorted(result.priors) == list(game.start().legal())
    assert sum(result.priors.values()) == pytest.approx(1)
    with pytest.raises(IndexError):
        pool.progress(7)


def test_a_root_state_may_be_replaced_where_the_rules_key_is_equal():
    game = tengen.game("connect_four")
    pool = Pool(game, SearchSettings(visits=30), judge)
    root = pool.add(game.start().play("a").play("b"), seed=1)
    pool.run()
    visits = pool.result(root).visits
    pool.replace_root_state(root, game.start().play("a").play("b"))
    assert pool.result(root).visits == visits
    with pytest.raises(ValueError, match="goes on in another way"):
        pool.replace_root_state(root, game.start().play("b").play("a"))


def test_the_best_move_is_a_move_to_type_checkers_too():
    assert get_type_hints(SearchResult.best.fget)["return"] is Move


def test_where_there_is_no_best_move_the_error_says_why():
    together = tengen.search(tengen.game("rock_paper_scissors").start(), visits=30, seed=1)
    with pytest.raises(ValueError, match=r"all players act here: look at strategy\(\)"):
        _ = together.best
    game = tengen.game("connect_four")
    pool = Pool(game, SearchSettings(visits=5), "rollout")
    with pytest.raises(ValueError, match="no move was visited"):
        _ = pool.result(pool.add(game.start())).best


def test_replies_are_the_visits_of_a_choice_by_the_others():
    """Biased rock-paper-scissors: what a choice got against each of the other's."""
    state = tengen.game("rock_paper_scissors").start()
    result = tengen.search(state, evaluator="rollout", visits=900, seed=1)
    for move in result.moves:
        assert {reply.action for reply in move.replies} <= set(state.legal(1 - move.player))
        assert sum(reply.visits for reply in move.replies) == move.visits
        assert [reply.visits for reply in move.replies] == sorted((r.visits for r in move.replies), reverse=True)
        for reply in move.replies:
            joint = (move.action, reply.action) if move.player == 0 else (reply.action, move.action)
            assert reply.value == pytest.approx(state.play(joint).payoffs[move.player])
    alone = tengen.search(tengen.game("connect_four").start(), visits=20, seed=1)
    assert all(move.replies == () for move in alone.moves)
