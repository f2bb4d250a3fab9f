"""How a search draws its choice, how the root explores, and where all act at once."""

import numpy as np
import pytest
from scipy.stats import chisquare
from search_helpers import OneChoice, judge
from toy_games import Duel, TicTacToe

import tengen
from tengen.search import Pool, SearchSettings, search


def connect_four():
    return tengen.game("connect_four").start()


class TestRootExploration:
    """Where nothing lies below the root, a setting of the root's own is as if all had it."""

    def visits(self, **how):
        state = OneChoice((0.3, -0.2, 0.5, 0.0)).start()
        result = search(state, evaluator=lambda state, player: (np.full(4, 0.25), 0.1), visits=120, seed=1, **how)
        return {move.name: move.visits for move in result.moves}

    def test_c_puct(self):
        assert self.visits(root_c_puct=5.0) == self.visits(c_puct=5.0) != self.visits()

    def test_c_puct_base(self):
        grown = {"c_puct_log": 2.0, "c_puct_base": 10_000.0}
        alike = self.visits(c_puct_log=2.0, c_puct_base=3.0)
        assert self.visits(**grown, root_c_puct_base=3.0) == alike != self.visits(**grown)


class TestChoose:
    @pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
    def test_draws_from_the_sharpened_policy(self, temperature):
        state = connect_four()
        pool = Pool(state.game, SearchSettings(visits=60), judge)
        root = pool.add(state, seed=1)
        pool.run()
        policy = pool.result(root).policy
        wanted = policy ** (1 / temperature)
        wanted = wanted / wanted.sum() * 3000
        drawn = np.bincount([pool.choose(root, temperature=temperature) for _ in range(3000)], minlength=7)
        assert not drawn[wanted == 0].any()
        often = wanted > 5
        assert often.sum() > 2
        rare = [drawn[~often].sum(), wanted[~often].sum()]
        counts, means = ([*x[often], y] for x, y in ((drawn, rare[0]), (wanted, rare[1])))
        if rare[1] < 5:
            counts, means = counts[:-1], np.array(means[:-1]) * sum(counts[:-1]) / sum(means[:-1])
        assert chisquare(counts, means).pvalue > 1e-4

    def test_at_zero_is_the_best(self):
        state = connect_four()
        pool = Pool(state.game, SearchSettings(visits=60), judge)
        root = pool.add(state, seed=1)
        pool.run()
        assert {pool.choose(root) for _ in range(20)} == {pool.result(root).best.action}

    def test_where_all_act_each_draws_for_itself(self):
        game = tengen.game("rock_paper_scissors")
        pool = Pool(game, SearchSettings(visits=20_000))
        root = pool.add(game.start(), seed=1)
        pool.run()
        with pytest.raises(ValueError, match="player"):
            pool.choose(root, temperature=1.0)
        for player in (0, 1):
            strategy = pool.result(root).strategy(player)
            drawn = [pool.choose(root, player=player, temperature=1.0) for _ in range(2000)]
            counts = np.bincount(drawn, minlength=3)
            assert chisquare(counts, [2000 * strategy[a] for a in range(3)]).pvalue > 1e-4

    def test_before_any_visit_there_is_nothing_to_choose(self):
        pool = Pool(TicTacToe(), SearchSettings(visits=5))
        root = pool.add(TicTacToe().start())
        with pytest.raises(ValueError, match="no move was visited"):
            _ = pool.result(root).best
        assert pool.result(root).moves == ()
        with pytest.raises(RuntimeError, match="searched"):
            pool.choose(root)


class TestDecoupled:
    def test_decoupled_ucb_shares_the_visits(self):
        state = tengen.game("rock_paper_scissors").start()
        result = search(state, visits=5000, seed=1, joint_rule="ucb")
        for player in (0, 1):
            strategy = result.strategy(player)
            assert sum(strategy.values()) == pytest.approx(1)
            visits = {move.action: move.visits for move in result.moves if move.player == player}
            assert {action: count / 4999 for action, count in visits.items()} == pytest.approx(strategy)

    def test_blind_choices_keep_every_action_in_sight(self):
        """In a game where one action is always better, only blind choices go on trying the other."""
        state = Duel(rounds=1).start()
        worst = [
            min(move.visits for move in search(state, visits=4000, seed=1, joint_exploration=share).moves)
            for share in (0.0, 1.0)
        ]
        assert worst[0] < worst[1]
