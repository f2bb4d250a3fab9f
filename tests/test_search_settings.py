"""Every knob of the search does what it says, and a knob without effect is an error."""

import dataclasses
import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from search_helpers import OneChoice, Paths, judge, random_state, visits_of
from toy_games import Duel, HighCard

import tengen
from tengen.search import Pool, SearchSettings, search


def connect_four():
    return tengen.game("connect_four").start()


def spread(result):
    """How evenly visits are spread over the moves: the entropy of their shares."""
    shares = np.array([move.visits for move in result.moves]) / sum(move.visits for move in result.moves)
    return float(-(shares * np.log(shares)).sum())


OUT_OF_RANGE = {
    "visits": [0, -1, 2**50 + 1, 2**70, 1.5, "10", None],
    "rule": ["", "PUCT", "alpha-beta", 1, None],
    "c_puct": [-0.1, 1001, math.nan, math.inf, "1", None],
    "c_puct_log": [-1, math.nan],
    "c_puct_base": [0, 0.5, math.inf],
    "root_c_puct": [-0.1, 1001, math.nan, "1"],
    "root_c_puct_base": [0, 0.5, math.inf],
    "c_ucb1": [-1, 1001, math.nan],
    "fpu_reduction": [-2.1, 2.1, math.nan],
    "root_fpu_reduction": [-2.1, 2.1, math.nan],
    "fpu_value": [-2.1, 2.1, math.inf, math.nan, "x"],
    "leaves_per_root": [0, -1, 2**20 + 1, 2**40, 1.0],
    "virtual_loss": [-1, math.nan],
    "noise_fraction": [-0.1, 1.1, math.nan],
    "noise_alpha": [0, -1, math.nan],
    "root_policy_temperature": [0, -1, 101, math.nan],
    "forced_playouts": [-1, math.nan],
    "fpu_own_power": [-1, 11, math.nan],
    "wide_root_noise": [-0.1, 6, math.nan],
    "gumbel_actions": [-1, 65536, 1.5],
    "gumbel_scale": [-1, math.nan],
    "gumbel_c_visit": [-1, math.nan],
    "gumbel_c_scale": [-1, math.nan],
    "fast_visits": [-1, 2**51],
    "full_probability": [-0.1, 1.1, math.nan],
    "widening_factor": [-1, math.nan],
    "widening_exponent": [-0.1, 1.1, math.nan],
    "joint_rule": ["", "nash", 3],
    "joint_exploration": [-0.1, 1.1, math.nan],
    "joint_min_share": [-0.1, 1.1, math.nan],
    "world_visits": [-1, 1_000_001, 2**31],
    "solve": ["yes", 2, None],
    "solve_plies": [0, 10, 1.5, "3"],
    "cache_entries": [-1, 10**10],
}


def test_the_fields_and_their_documentation_follow_from_the_table_in_the_core():
    """Else: python scripts/write_settings.py"""
    outdated = runpy.run_path(str(Path(__file__).parent.parent / "scripts" / "write_settings.py"))["outdated"]
    assert [path.name for path in outdated()] == []


class TestErrors:
    @pytest.mark.parametrize(("field", "wrong"), OUT_OF_RANGE.items(), ids=OUT_OF_RANGE)
    def test_what_is_out_of_range_is_named(self, field, wrong):
        for value in wrong:
            with pytest.raises(ValueError, match=rf"\b{field}\b"):
                SearchSettings(**{"rule": "ucb1"} if field == "c_ucb1" else {}, **{field: value})

    def test_every_field_is_tried(self):
        assert OUT_OF_RANGE.keys() == {field.name for field in dataclasses.fields(SearchSettings)}

    @pytest.mark.parametrize(
        ("field", "together"),
        [
            ("c_puct", {"rule": "ucb1", "c_puct": 2.0}),
            ("c_puct_log", {"rule": "ucb1", "c_puct_log": 1.0}),
            ("fpu_reduction", {"rule": "ucb1", "fpu_reduction": 0.0}),
            ("root_fpu_reduction", {"rule": "ucb1", "root_fpu_reduction": 0.0}),
            ("fpu_value", {"rule": "ucb1", "fpu_value": 0.0}),
            ("noise_fraction", {"rule": "ucb1", "noise_fraction": 0.1}),
            ("root_policy_temperature", {"rule": "ucb1", "root_policy_temperature": 2.0}),
            ("forced_playouts", {"rule": "ucb1", "forced_playouts": 2.0}),
            ("fpu_own_power", {"rule": "ucb1", "fpu_own_power": 2.0}),
            ("fpu_own_power", {"fpu_value": 0.0, "fpu_own_power": 2.0}),
            ("wide_root_noise", {"rule": "ucb1", "wide_root_noise": 0.1}),
            ("gumbel_actions", {"rule": "ucb1", "gumbel_actions": 4}),
            ("c_ucb1", {"c_ucb1": 1.0}),
            ("c_puct_base", {"c_puct_base": 100.0}),
            ("root_c_puct", {"rule": "ucb1", "root_c_puct": 2.0}),
            ("root_c_puct", {"gumbel_actions": 4, "root_c_puct": 2.0}),
            ("root_c_puct_base", {"root_c_puct_base": 100.0}),
            ("noise_fraction", {"gumbel_actions": 4, "noise_fraction": 0.1}),
            ("forced_playouts", {"gumbel_actions": 4, "forced_playouts": 2.0}),
            ("wide_root_noise", {"gumbel_actions": 4, "wide_root_noise": 0.1}),
            ("gumbel_scale", {"gumbel_scale": 0.0}),
            ("gumbel_c_visit", {"gumbel_c_visit": 10.0}),
            ("gumbel_c_scale", {"gumbel_c_scale": 0.5}),
            ("noise_alpha", {"noise_alpha": 1.0}),
            ("full_probability", {"full_probability": 0.5}),
            ("fast_visits", {"fast_visits": 10}),
            ("widening_exponent", {"widening_exponent": 0.3}),
            ("fpu_reduction", {"fpu_value": 0.0, "fpu_reduction": 0.5}),
            ("root_fpu_reduction", {"fpu_value": 0.0, "root_fpu_reduction": 0.5}),
            ("root_fpu_reduction", {"gumbel_actions": 4, "root_fpu_reduction": 0.5}),
            ("virtual_loss", {"virtual_loss": 3.0}),
        ],
    )
    def test_what_others_leave_without_effect_is_named(self, field, together):
        with pytest.raises(ValueError, match=rf"\b{field}\b"):
            SearchSettings(**together)

    @pytest.mark.parametrize(
        ("game", "field", "together"),
        [
            ("rock_paper_scissors", "noise_fraction", {"noise_fraction": 0.1}),
            ("rock_paper_scissors", "forced_playouts", {"forced_playouts": 1.0}),
            ("rock_paper_scissors", "wide_root_noise", {"wide_root_noise": 0.1}),
            ("rock_paper_scissors", "gumbel_actions", {"gumbel_actions": 2}),
            ("rock_paper_scissors", "widening_factor", {"widening_factor": 1.0}),
            ("rock_paper_scissors", "solve", {"solve": True}),
            ("rock_paper_scissors", "root_policy_temperature", {"root_policy_temperature": 2.0}),
            ("connect_four", "joint_rule", {"joint_rule": "ucb"}),
            ("connect_four", "joint_exploration", {"joint_exploration": 0.5}),
            ("kuhn_poker", "solve", {"solve": True}),
            ("pig", "solve", {"solve": True}),
            ("duel", "solve", {"solve": True}),
            ("high_card", "solve", {"solve": True}),
            ("connect_four", "cache_entries", {"cache_entries": 10}),
            ("connect_four", "leaves_per_root", {"leaves_per_root": 2}),
        ],
    )
    def test_what_a_game_or_an_evaluator_cannot_use_is_named(self, game, field, together):
        game = {"duel": Duel, "high_card": HighCard}.get(game, lambda: tengen.game(game))()
        with pytest.raises(ValueError, match=rf"\b{field}\b"):
            Pool(game, SearchSettings(**together), "rollout")

    def test_unknown_settings_are_named(self):
        with pytest.raises(ValueError, match="cpuct"):
            search(connect_four(), visits=5, cpuct=2)
        with pytest.raises(ValueError, match="simulations"):
            SearchSettings().replace(simulations=3)

    def test_settings_are_values(self):
        settings = SearchSettings(visits=10)
        assert settings.replace(visits=20) == SearchSettings(visits=20)
        assert settings.visits == 10
        with pytest.raises(dataclasses.FrozenInstanceError):
            settings.visits = 3


class TestExploration:
    @pytest.mark.parametrize("how", [{"c_puct": 5.0}, {"c_puct_log": 5.0}, {"c_puct_log": 1.0, "c_puct_base": 1.0}])
    def test_more_of_it_spreads_visits(self, how):
        state = random_state(tengen.game("connect_four"), 1, 8)
        plain = search(state, evaluator=judge, visits=800, seed=1)
        assert spread(search(state, evaluator=judge, visits=800, seed=1, **how)) > spread(plain) + 0.05

    def test_more_of_ucb1_too(self):
        state = random_state(tengen.game("connect_four"), 1, 8)
        spreads = [spread(search(state, rule="ucb1", visits=800, seed=1, c_ucb1=c)) for c in (0.3, 1.4, 5.0)]
        assert spreads == sorted(spreads)
        assert spreads[2] > spreads[0] + 0.2

    def test_the_formula_of_puct(self):
        """By hand: with known results and priors every visit goes where value + c·p·√N / (1 + n) is highest."""
        payoffs = (0.3, -0.2, 0.5, 0.0)
        priors = np.array([0.4, 0.3, 0.1, 0.2])
        state = OneChoice(payoffs).start()
        for c, reduction in ((1.1, 0.1), (2.0, 0.5), (0.5, 0.0)):
            how = {"c_puct": c, "root_fpu_reduction": reduction, "visits": 120, "seed": 1}
            result = search(state, evaluator=lambda state, player: (priors, 0.1), **how)
            counts = np.zeros(4)
            sums = np.zeros(4)
            for done in range(119):
                root = (0.1 + sums.sum()) / (1 + done)
                fpu = root - reduction * math.sqrt(priors[counts > 0].sum())
                values = np.where(counts > 0, sums / np.maximum(counts, 1), fpu)
                picked = int(np.argmax(values + c * priors * math.sqrt(max(1, done)) / (1 + counts)))
                counts[picked] += 1
                sums[picked] += payoffs[picked]
            found = [visits_of(result).get((0, action), 0) for action in range(4)]
            assert found == pytest.approx(counts, abs=1)  # float32 priors may break a tie otherwise

    def test_first_play_urgency(self):
        state = tengen.game("pyrga").start()
        tried = [len(search(state, evaluator="uniform", visits=90, seed=1, fpu_value=v).moves) for v in (-1.0, 1.0)]
        assert tried[0] < tried[1] == 89
        eager = search(state, evaluator="uniform", visits=90, seed=1, root_fpu_reduction=-2.0)
        wary = search(state, evaluator="uniform", visits=90, seed=1, root_fpu_reduction=2.0)
        assert len(eager.moves) > len(wary.moves)

    def test_below_the_root_too(self):
        def tried(**how):
            ways = set()

            def note(state, player):
                ways.add(state.position)
                return 0.0

            search(Paths().start(), evaluator=note, visits=60, seed=1, **how)
            return len({way for way in ways if len(way) == 2})

        assert tried(fpu_reduction=2.0) < tried(fpu_reduction=-2.0)

    def test_widening_limits_what_is_tried(self):
        state = tengen.game("pyrga").start()
        for visits in (10, 100, 1000):
            for factor, exponent in ((1.0, 0.5), (2.0, 0.3), (0.5, 0.0)):
                how = {"widening_factor": factor, "widening_exponent": exponent, "visits": visits}
                for rule in ("puct", "ucb1"):
                    pool = Pool(state.game, SearchSettings(rule=rule, **how), "uniform")
                    root = pool.add(state, seed=1)
                    pool.run()
                    result = pool.result(root)
                    assert 1 <= len(result.moves) <= math.ceil(factor * visits**exponent)
                    pool.advance(root, result.best.action)
                    replies = pool.result(root)
                    tried = [move for move in replies.moves if move.visits]
                    assert len(tried) <= math.ceil(factor * max(1, replies.visits) ** exponent)
        assert len(search(state, evaluator="uniform", visits=1000, seed=1).moves) > 40

    def test_widening_lets_the_likeliest_in_first(self):
        state = connect_four()
        result = search(state, evaluator=judge, visits=30, seed=1, widening_factor=0.5)
        priors = sorted(
            (move.prior for move in search(state, evaluator=judge, visits=2000, seed=1).moves), reverse=True
        )
        assert sorted((move.prior for move in result.moves), reverse=True) == priors[: len(result.moves)]
        assert len(result.moves) == 3

    @settings(max_examples=60)
    @given(
        st.integers(1, 200),
        st.sampled_from([0.0, 0.5, 1.0, 3.0, 100.0]),
        st.sampled_from([2, 3, 7, 64, 300]),
        st.sampled_from([1, 10, 256]),
        st.sampled_from(["puct", "ucb1"]),
    )
    def test_visits_under_way_keep_totals_exact(self, visits, loss, leaves, batch, rule):
        state = connect_four()
        largest = 0

        def look(state, player):
            return 0.0

        how = SearchSettings(visits=visits, leaves_per_root=leaves, virtual_loss=loss, rule=rule)
        pool = Pool(state.game, how, look, batch=batch)
        root = pool.add(state, seed=1, include=[0, 6], include_visits=5)
        while not pool.is_done:
            rows = pool.collect()
            largest = max(largest, len(rows))
            if len(rows):
                pool.supply(pool.evaluator.evaluate(rows))
        result = pool.result(root)
        assert result.visits == visits + 10
        assert sum(move.visits for move in result.moves) == result.visits - 1
        assert largest <= min(leaves, batch)
        if leaves > 1 and batch > 1 and visits > 60:
            assert largest > 1

    def test_virtual_loss_parts_visits_under_way(self):
        def widest(loss):
            pool = Pool(connect_four().game, SearchSettings(visits=200, leaves_per_root=16, virtual_loss=loss), judge)
            pool.add(connect_four(), seed=1)
            sizes = []
            while not pool.is_done:
                rows = pool.collect()
                sizes.append(len(rows))
                if len(rows):
                    pool.supply(pool.evaluator.evaluate(rows))
            return max(sizes)

        assert widest(0.0) < widest(3.0)


class TestRootPolicy:
    def test_noise_changes_visits_and_not_priors(self):
        state = connect_four()
        plain = search(state, evaluator=judge, visits=300, seed=1)
        priors = {move.action: move.prior for move in plain.moves}
        counts = set()
        for seed in range(6):
            noisy = search(state, evaluator=judge, visits=300, seed=seed, noise_fraction=0.5)
            assert {move.action: move.prior for move in noisy.moves} == priors
            assert noisy.visits == 300
            counts.add(tuple(sorted(visits_of(noisy).items())))
        assert len(counts) == 6
        assert tuple(sorted(visits_of(plain).items())) not in counts

    def test_priors_stay_when_a_root_is_searched_again(self):
        state = connect_four()
        priors = {move.action: move.prior for move in search(state, evaluator=judge, visits=300, seed=1).moves}
        for how in ({"noise_fraction": 0.5}, {"root_policy_temperature": 2.0}):
            pool = Pool(state.game, SearchSettings(visits=300, **how), judge)
            root = pool.add(state, seed=1)
            for visits in (300, 400, 500):
                pool.restart(root, visits=visits)
                pool.run()
                found = {move.action: move.prior for move in pool.result(root).moves}
                assert found == pytest.approx(priors, rel=1e-5)

    def test_a_proven_win_has_the_whole_policy(self):
        """The search stands for no move that it knows to lose."""
        state = OneChoice((-1.0, -1.0, 1.0)).start()
        for seed in range(10):
            pool = Pool(state.game, SearchSettings(visits=50, solve=True), "uniform")
            root = pool.add(state, seed=seed)
            pool.run()
            result = pool.result(root)
            assert result.proven
            assert result.policy.tolist() == [0, 0, 1]
            assert {pool.choose(root, temperature=1.0) for _ in range(20)} == {2}

    def test_noise_reaches_every_move(self):
        state = connect_four()

        def narrow(state, player):
            return ({min(state.legal()): 1.0}, 0.0)

        assert len(search(state, evaluator=narrow, visits=100, seed=1, fpu_value=0.0).moves) < 7
        tried = [
            {move.action for move in search(state, evaluator=narrow, visits=100, seed=seed, noise_fraction=0.5).moves}
            for seed in range(10)
        ]
        assert set.union(*tried) == set(range(7))

    def test_temperature_flattens_the_root_and_shows_the_priors(self):
        state = connect_four()
        spreads = []
        for temperature in (0.3, 1.0, 5.0):
            result = search(state, evaluator=judge, visits=40, seed=1, root_policy_temperature=temperature)
            spreads.append(spread(result))
            for move in result.moves:
                assert move.prior == pytest.approx(judge(state, 0)[0][move.action] / sum(judge(state, 0)[0]), rel=1e-5)
        assert spreads == sorted(spreads)
        assert spreads[0] < spreads[2]

    def test_forced_playouts_are_made_and_pruned(self):
        payoffs = (0.5, -0.9, -0.9, -0.9)
        state = OneChoice(payoffs).start()
        plain = search(state, evaluator="uniform", visits=400, seed=1)
        forced = search(state, evaluator="uniform", visits=400, seed=1, forced_playouts=2.0)
        for action in (1, 2, 3):
            least = math.floor(math.sqrt(2.0 * 0.25 * 399))
            assert forced[action].visits >= least > plain[action].visits
            assert forced[action].weight < forced[action].visits
            assert forced[action].policy < 0.03
        assert forced.best.action == 0
        assert forced.policy.sum() == pytest.approx(1)
        assert plain[1].weight == plain[1].visits

    @pytest.mark.parametrize("evaluator", ["uniform", judge])
    def test_gumbel_considers_few_actions(self, evaluator):
        state = connect_four()
        for considered in (1, 2, 3, 4, 7):
            for visits in (1, 2, 4, 8, 16, 50, 200):
                for seed in range(3):
                    how = {"evaluator": evaluator, "visits": visits, "seed": seed, "gumbel_actions": considered}
                    result = search(state, **how)
                    visited = [move for move in result.moves if move.visits]
                    assert len(visited) <= considered
                    assert result.visits == visits
                    if visits > considered:
                        assert len(visited) == considered
                    if visits > 1:
                        assert result.policy.sum() == pytest.approx(1)
                        assert result.policy.min() >= 0
                        assert result.best.visits == max(move.visits for move in visited)

    def test_gumbel_halves_and_draws(self):
        state = connect_four()
        drawn = {
            search(state, evaluator="uniform", visits=2, seed=seed, gumbel_actions=1).best.action for seed in range(60)
        }
        assert drawn == set(range(7))
        fixed = {
            search(state, evaluator=judge, visits=20, seed=seed, gumbel_actions=4, gumbel_scale=0.0).best.action
            for seed in range(10)
        }
        assert len(fixed) == 1
        counts = sorted(
            move.visits for move in search(state, evaluator=judge, visits=65, seed=1, gumbel_actions=4).moves
        )
        assert counts[-4:] == [8, 8, 24, 24]

    def test_gumbel_improves_the_policy(self):
        """The better half of the results must hold more of the policy than of the priors."""
        state = OneChoice((1.0, -1.0, 0.5, -0.5)).start()
        for seed in range(5):
            policy = search(state, evaluator="uniform", visits=16, seed=seed, gumbel_actions=4).policy
            assert policy[0] > 0.9


class TestFullAndFast:
    def test_the_share_of_full_searches(self):
        game = tengen.game("connect_four")
        how = {"visits": 40, "fast_visits": 10, "full_probability": 0.25, "noise_fraction": 0.5}
        pool = Pool(game, SearchSettings(**how), judge)
        roots = [pool.add(game.start(), seed=seed) for seed in range(400)]
        pool.run()
        results = [pool.result(root) for root in roots]
        full = [result for result in results if result.is_full]
        assert binomtest(len(full), 400, 0.25).pvalue > 1e-3
        assert {result.visits for result in full} == {40}
        fast = [result for result in results if not result.is_full]
        assert {result.visits for result in fast} == {10}
        # Noise is for full searches only: the others are all alike.
        assert len({str(visits_of(result)) for result in fast}) == 1
        assert len({str(visits_of(result)) for result in full}) > 10

    def test_each_search_of_a_game_draws_anew(self):
        game = tengen.game("connect_four")
        pool = Pool(game, SearchSettings(visits=40, fast_visits=10, full_probability=0.5), "rollout")
        kinds = []
        for seed in range(30):
            root = pool.add(game.start(), seed=seed)
            for _ in range(5):
                pool.run()
                kinds.append(pool.result(root).is_full)
                pool.advance(root, pool.choose(root))
            pool.remove(root)
        assert binomtest(sum(kinds), len(kinds), 0.5).pvalue > 1e-3

    def test_all_searches_are_full_by_default(self):
        assert search(connect_four(), visits=3).is_full
