"""Guaranteed visits and avoided moves of a search, and that neither skews the value of the position."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from search_helpers import OneChoice, Paths, all_games, judge, play, random_state, visits_of
from toy_games import TicTacToe

import tengen
from tengen import Game, IllegalAction
from tengen.search import Pool, Restriction, SearchSettings, default_settings, search


class TwoBets(Game):
    """Matching pennies, of which player 1 is the matcher; then both choose again, and nothing comes of it."""

    action_count = 2
    simultaneous = True

    def initial(self, rng):
        return ()

    def actor(self, position):
        return "all" if len(position) < 2 else None

    def legal(self, position, player):
        return [0, 1]

    def apply(self, position, action):
        return (*position, action)

    def payoff(self, position):
        first, second = position[0]
        return (-1, 1) if first == second else (1, -1)


GAMES = all_games()
PUCT, UCB1, GUMBEL = {}, {"rule": "ucb1"}, {"gumbel_actions": 4}
thorough = settings(max_examples=80)
quick = settings(max_examples=50)


@st.composite
def questions(draw):
    """A position, who asks, and how to search: keyword arguments for search()."""
    game = draw(st.sampled_from(GAMES))
    state = random_state(game, draw(st.integers(0, 50)), draw(st.integers(0, 20)))
    how = {"evaluator": draw(st.sampled_from([judge, "uniform", "rollout"] + ["heuristic"] * game.has_heuristic))}
    how |= draw(st.sampled_from([PUCT, UCB1] if game.simultaneous else [PUCT, UCB1, GUMBEL]))
    if how["evaluator"] is judge:
        how["leaves_per_root"] = draw(st.sampled_from([1, 8]))
    if state.actor == "all":
        how["viewer"] = draw(st.integers(0, game.players - 1))
    how["visits"] = draw(st.integers(1, 60))
    how["seed"] = draw(st.integers(0, 99))
    return state, how.get("viewer", state.actor), how


def actions_of(game):
    """Lists of actions, legal or not, some of them twice."""
    return st.lists(st.integers(0, game.action_count - 1), max_size=6)


def calm(state, player):
    """Return the judge's policy with values near zero."""
    policy, values = judge(state, player)
    return policy, [value / 50 for value in values]


class TestIncluded:
    @pytest.mark.slow
    @thorough
    @given(questions(), st.data(), st.integers(1, 25))
    def test_each_gets_its_visits_on_top_of_the_others(self, question, data, least):
        state, player, how = question
        include = data.draw(actions_of(state.game))
        result = search(state, include=include, include_visits=least, **how)
        legal = set(state.legal(player if state.actor == "all" else None))
        promised = legal & set(include)
        visits = {move.action: move.visits for move in result.moves if move.player == player}
        assert all(visits[action] >= least for action in promised)
        guaranteed = sum(min(visits[action], least) for action in promised)
        assert result.guaranteed_visits == guaranteed == least * len(promised)
        assert result.visits == how["visits"] + guaranteed
        assert result.is_done
        assert {move.action for move in result.moves if move.included} == promised
        for each in range(state.game.players) if state.actor == "all" else [player]:
            assert sum(move.visits for move in result.moves if move.player == each) == result.visits - 1

    @thorough
    @given(questions(), st.data())
    def test_what_is_skipped_is_named(self, question, data):
        state, player, how = question
        include = data.draw(actions_of(state.game))
        result = search(state, include=include, **how)
        legal = state.legal(player if state.actor == "all" else None)
        skipped = [a for i, a in enumerate(include) if a not in legal or a in include[:i]]
        if skipped:
            (warning,) = result.warnings
            named = warning.split(": ")[-1].split(", ")
            assert named == [state.game.name(action) for action in skipped]
        else:
            assert result.warnings == ()

    @pytest.mark.slow
    @thorough
    @given(questions(), st.data(), st.booleans())
    def test_beats_what_is_left_out(self, question, data, is_allow):
        state, player, how = question
        include = data.draw(actions_of(state.game))
        listed = data.draw(actions_of(state.game))
        legal = set(state.legal(player if state.actor == "all" else None))
        promised = legal & set(include)
        allowed = legal & set(listed) if is_allow else legal - set(listed)
        assume(promised or allowed)
        rule = [Restriction(listed, player=player)]
        result = search(state, include=include, include_visits=3, **{"allow" if is_allow else "avoid": rule}, **how)
        visits = {move.action: move.visits for move in result.moves if move.player == player and move.visits}
        assert all(visits[action] >= 3 for action in promised)
        assert set(visits) <= promised | allowed
        assert result.visits == how["visits"] + result.guaranteed_visits
        assert result.guaranteed_visits == 3 * len(promised)

    @pytest.mark.parametrize(("visits", "count", "least", "total"), [(100, 3, 10, 130), (10, 4, 20, 90)])
    @pytest.mark.parametrize("leaves", [1, 8])
    def test_totals_of_the_specification(self, visits, count, least, total, leaves):
        state = tengen.game("connect_four").start()
        options = {"visits": visits, "include": range(count), "include_visits": least, "leaves_per_root": leaves}
        result = search(state, evaluator=judge, seed=1, **options)
        assert result.visits == total
        assert result.guaranteed_visits == count * least

    @pytest.mark.parametrize("rule", [PUCT, UCB1, GUMBEL])
    def test_none_is_needed(self, rule):
        state = tengen.game("connect_four").start()
        bare = search(state, evaluator=judge, visits=80, seed=1, **rule)
        assert search(state, evaluator=judge, visits=80, seed=1, include=[], include_visits=50, **rule) == bare
        assert bare.guaranteed_visits == 0
        assert bare.visits == 80

    def test_names_serve_as_well_as_numbers(self):
        state = play(tengen.game("connect_four"), 0, 0, 0, 0, 0, 0)
        result = search(state, visits=20, seed=1, include=["g", 5, "a", "6"], include_visits=4)
        assert result["g"].visits >= 4
        assert result["f"].visits >= 4
        assert result.guaranteed_visits == 8
        (warning,) = result.warnings
        assert warning.endswith(": a, f")
        assert warning in repr(result)
        assert "*" in next(line for line in repr(result).splitlines() if line.startswith("g "))

    def test_only_illegal_ones_do_not_block(self):
        state = play(tengen.game("connect_four"), 0, 0, 0, 0, 0, 0)
        result = search(state, visits=30, seed=1, include=[0, 0, 0], include_visits=10**9)
        assert result.visits == 30
        assert result.guaranteed_visits == 0
        assert result.is_done

    @pytest.mark.parametrize("wrong", ["z", "", "aa", 7, -1, 2**40])
    def test_what_is_no_action_is_an_error(self, wrong):
        state = tengen.game("connect_four").start()
        with pytest.raises((ValueError, IndexError)) as caught:
            search(state, visits=5, include=[wrong])
        assert not isinstance(caught.value, IllegalAction)
        assert str(wrong) in str(caught.value)

    @pytest.mark.parametrize("rule", [PUCT, UCB1, GUMBEL])
    def test_no_prior_is_too_low(self, rule):
        def stubborn(state, player):
            return ({3: 1.0}, 0.0) if 3 in state.legal() else 0.0

        state = tengen.game("connect_four").start()
        options = {"visits": 100, "seed": 1, "include": [0, 6], "include_visits": 10}
        result = search(state, evaluator=stubborn, **options, **rule)
        for action in (0, 6):
            assert result[action].visits >= 10
            assert result[action].prior == 0
            assert result[action].weight > 0
            assert result[action].included


class TestVerdict:
    """Guaranteed visits do not change the value of the position."""

    # The second player has three in column d, and the first player loses without blocking it.
    THREAT = (0, 3, 0, 3, 1, 3)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "rule",
        [
            PUCT,
            UCB1,
            {"leaves_per_root": 8},
            {"solve": True},
            GUMBEL,
            {"forced_playouts": 2.0},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("moves", [THREAT, (6, 0, 6, 0, 5, 0)], ids=str)
    def test_a_losing_move_does_not_drag_the_root_down(self, rule, moves):
        state = play(tengen.game("connect_four"), *moves)
        free = search(state, evaluator=judge, visits=1000, seed=1, **rule)
        for action in set(range(7)) - {free.best.action}:
            result = search(state, evaluator=judge, visits=1000, seed=1, include=[action], include_visits=500, **rule)
            assert result.visits == 1500
            assert result[action].value < -0.7  # the guaranteed visits have seen it lose
            assert abs(result.value - free.value) < 0.02  # 0.01 as a win rate
            assert result.best.action == free.best.action
            assert result[action].weight <= free.visits / 2

    @pytest.mark.slow
    @thorough
    @given(questions(), st.data())
    def test_the_free_search_goes_as_if_there_were_none(self, question, data):
        """Unless one of them looks better than all else, which the evaluator does not say of any."""
        state, _, how = question
        assume(state.actor != "all")
        how |= {"evaluator": calm}
        action = data.draw(st.sampled_from(state.legal()))
        bare = search(state, **how)
        result = search(state, include=[action], include_visits=20, **how)
        seen = [abs(move.value) for move in (*bare.moves, result[action])]
        assume(max(seen) < 0.01 * state.game.payoff_scale)  # not the end of a game
        # A root's own evaluation is kept as a float32.
        assert result.values == pytest.approx(bare.values, rel=1e-6)
        free = {move.action: move.weight for move in bare.moves if move.weight >= 1}
        assert {move.action: move.weight for move in result.moves if move.weight >= 1} == free

    def test_nor_with_rollouts(self):
        state = play(tengen.game("connect_four"), *self.THREAT)
        how = {"evaluator": "rollout", "visits": 20_000}
        free = [search(state, seed=seed, **how).value for seed in range(8)]
        forced = [search(state, seed=seed, include=[0], include_visits=500, **how).value for seed in range(8)]
        noise = max(free) - min(free)
        assert abs(sum(forced) - sum(free)) / 8 < max(noise, 0.02)

    def test_nor_when_it_is_searched_again(self):
        state = play(tengen.game("connect_four"), *self.THREAT)
        pool = Pool(state.game, SearchSettings(visits=1000), judge)
        root = pool.add(state, seed=1, include=[0], include_visits=500)
        pool.run()
        first = pool.result(root)
        pool.restart(root, include=[0], include_visits=500, visits=1010)
        pool.run()
        again = pool.result(root)
        assert again.visits == 1510
        assert abs(again.value - first.value) < 0.02
        assert again[0].weight <= 1010 / 2
        pool.restart(root, visits=1600)
        pool.run()
        assert abs(pool.result(root).value - first.value) < 0.02

    def test_nor_does_a_guaranteed_choice_teach_the_other_player(self):
        state = tengen.game("rock_paper_scissors").start()
        for viewer in (0, 1):
            how = {"visits": 40_000, "seed": 1, "viewer": viewer}
            result = search(state, include=["rock"], include_visits=20_000, **how)
            assert result.visits == 60_000
            for player in (0, 1):
                for action, share in enumerate((1 / 16, 10 / 16, 5 / 16)):
                    assert result.strategy(player)[action] == pytest.approx(share, abs=0.05)
            assert abs(result.value) < 1.0

    def test_nor_where_all_act_once_more_below(self):
        how = {"visits": 3000, "seed": 1, "viewer": 0, "evaluator": "rollout"}
        result = search(TwoBets().start(), include=[1], include_visits=3000, **how)
        assert result.visits == 6000
        # Against 1 alone the other player would answer 1; against both it is all the same.
        assert result.strategy(1)[1] == pytest.approx(search(TwoBets().start(), **how).strategy(1)[1], abs=0.1)

    @pytest.mark.parametrize("rule", [PUCT, UCB1])
    def test_a_bad_move_is_never_best_for_its_visits(self, rule):
        state = OneChoice((0.0, -1.0, 0.1)).start()
        for visits in (20, 50, 200):
            result = search(state, evaluator="uniform", visits=visits, seed=1, include=[1], include_visits=500, **rule)
            assert result[1].visits >= 500
            assert result.best.action == 2
            assert result[1].weight < result[2].weight

    @pytest.mark.parametrize("rule", [PUCT, UCB1])
    def test_a_good_move_is_not_shunned_for_its_visits(self, rule):
        state = OneChoice((0.0, -1.0, 0.1)).start()
        for visits in (2, 10, 20):
            result = search(state, evaluator="uniform", visits=visits, seed=1, include=[2], include_visits=500, **rule)
            assert result.best.action == 2

    def test_a_forced_move_may_become_best_on_its_value(self):
        state = OneChoice((0.0, 0.9, 0.1, -0.5)).start()
        shy = {"evaluator": lambda state, player: ({0: 0.5, 1: 1e-6, 2: 0.5}, 0.0), "visits": 30, "seed": 1}
        assert 1 not in {move.action for move in search(state, **shy).moves}
        result = search(state, include=[1], include_visits=1, **shy)
        assert result.best.action == 1
        assert result[1].weight > result[0].weight
        assert result.value > 0.5

    @quick
    @given(questions())
    def test_moves_are_ordered_by_weight(self, question):
        state, player, how = question
        result = search(state, **how)
        ranked = [move.weight for move in result.moves if move.player == player]
        # Gumbel plays the survivor of its halving, which comes first whatever its weight.
        ranked = ranked[1:] if how.get("gumbel_actions") else ranked
        if state.actor != "all":
            assert ranked == sorted(ranked, reverse=True)

    def test_included_ones_too(self):
        for visits in (2, 5, 10):
            how = {"evaluator": "uniform", "rule": "ucb1", "visits": visits, "seed": 0}
            result = search(tengen.game("connect_four").start(), include=[0], include_visits=50, **how)
            weights = [move.weight for move in result.moves]
            assert weights == sorted(weights, reverse=True)
            assert result[0].weight <= visits

    def test_a_proven_win_ends_the_search_when_the_promised_visits_are_made(self):
        state = play(tengen.game("connect_four"), 3, 0, 3, 0, 3, 0)
        result = search(state, visits=5000, seed=1, include=[6], include_visits=40, solve=True)
        assert result.proven
        assert result.best.action == 3
        assert result[6].visits >= 40
        assert result.visits < 5000


class TestLeftOut:
    @thorough
    @given(questions(), st.data())
    def test_avoided_moves_have_no_visits(self, question, data):
        state, player, how = question
        avoid = data.draw(actions_of(state.game))
        assume(set(state.legal(player)) - set(avoid))
        result = search(state, avoid=[Restriction(avoid, player=player)], **how)
        assert not {move.action for move in result.moves if move.visits and move.player == player} & set(avoid)
        assert result.visits == how["visits"]
        assert result.is_done

    @quick
    @given(questions())
    def test_nothing_allowed_gives_no_moves_and_all_visits(self, question):
        state, player, how = question
        everything = list(range(state.game.action_count))
        viewer, seed, evaluator = how.pop("viewer", None), how.pop("seed"), how.pop("evaluator")
        for rule in ({"avoid": [Restriction(everything, player=player)]}, {"allow": [Restriction([], player=player)]}):
            asked = {"viewer": viewer, "seed": seed, **rule}
            pool = Pool(state.game, default_settings(evaluator, **how), evaluator)
            with pytest.raises(ValueError, match=r"allow (or avoid leaves|names no action)"):
                pool.add(state, **asked)
            root = pool.add(state, must_choose=False, **asked)
            pool.run()
            result = pool.result(root)
            if not how.get("gumbel_actions"):
                assert [move for move in result.moves if move.player == player] == []
            assert result.visits == how["visits"]
            assert result.is_done
            assert result.values == pytest.approx(result.raw_values)

    @pytest.mark.parametrize("rule", [PUCT, UCB1, GUMBEL])
    def test_an_empty_list_says_what_it_says(self, rule):
        state = tengen.game("connect_four").start()
        assert search(state, visits=50, seed=1, avoid=[], **rule) == search(state, visits=50, seed=1, **rule)
        with pytest.raises(ValueError, match="allow names no action for player 0"):
            search(state, visits=50, seed=1, allow=[], **rule)
        with pytest.raises(ValueError, match="allow names no action for player 1"):
            search(state, visits=50, seed=1, allow=[Restriction([], player=1, until_depth=2)], **rule)

    def test_a_win_that_is_left_out_is_not_seen(self):
        """Column d wins immediately, but both players avoid it."""
        state = play(tengen.game("connect_four"), 3, 0, 3, 0, 3, 1)
        avoid = [Restriction([3], player=player, until_depth=99) for player in (0, 1)]
        result = search(state, evaluator="uniform", visits=300, seed=1, solve=True, avoid=avoid)
        assert result.value < 0.5

    def test_a_move_illegal_now_may_be_named(self):
        state = play(tengen.game("connect_four"), 0, 0, 0, 0, 0, 0)
        for name in (0, "a"):
            assert search(state, visits=20, avoid=[name]).visits == 20
            result = search(state, visits=20, allow=[name, "b"])
            assert [move.name for move in result.moves] == ["b"]
            with pytest.raises(ValueError, match="leaves player 0 none of the legal actions: b, c, d, e, f, g"):
                search(state, visits=20, allow=[name])

    def test_priors_are_shown_as_they_were(self):
        state = tengen.game("connect_four").start()
        free = {move.action: move.prior for move in search(state, evaluator=judge, visits=200, seed=1).moves}
        result = search(state, evaluator=judge, visits=200, seed=1, avoid=[0, 1, 2])
        assert {move.action: move.prior for move in result.moves} == {a: free[a] for a in (3, 4, 5, 6)}

    @quick
    @given(
        st.sampled_from([PUCT, UCB1, GUMBEL]),
        st.integers(0, 1),
        st.lists(st.integers(0, 2), unique=True, min_size=1, max_size=2),
        st.integers(1, 8),
        st.booleans(),
    )
    def test_until_a_depth(self, rule, player, listed, depth, is_allow):
        ways = set()

        def note(state, viewer):
            ways.add(state.position)
            return 0.0

        restriction = [Restriction(listed, player=player, until_depth=depth)]
        search(
            Paths().start(),
            evaluator=note,
            visits=600,
            seed=1,
            leaves_per_root=4,
            **{"allow" if is_allow else "avoid": restriction},
            **rule,
        )
        out = {0, 1, 2} - set(listed) if is_allow else set(listed)
        steps = {(ply, action) for way in ways for ply, action in enumerate(way)}
        assert not {(ply, a) for ply, a in steps if ply % 2 == player and ply < depth and a in out}
        free = {(ply, a) for ply in range(2) for a in range(3) if ply % 2 != player or ply >= depth or a not in out}
        assert free <= steps

    def test_until_a_depth_in_principal_variations(self):
        state = tengen.game("connect_four").start()
        for depth in (1, 3, 5):
            avoid = [Restriction([3, 2, 4], player=0, until_depth=depth)]
            lines = [
                move.pv_actions for move in search(state, evaluator="rollout", visits=30_000, seed=1, avoid=avoid).moves
            ]
            assert max(map(len, lines)) > depth
            assert not {a for line in lines for a in line[:depth:2]} & {2, 3, 4}
            assert {a for line in lines for a in line[1::2]} & {2, 3, 4}

    def test_at_the_root_the_other_player_is_not_bound(self):
        state = tengen.game("connect_four").start()
        free = search(state, visits=300, seed=1)
        bound = search(state, visits=300, seed=1, avoid=[Restriction([0, 1, 2, 3], player=1, until_depth=1)])
        assert visits_of(bound) == visits_of(free)

    def test_one_list_for_each_player(self):
        state = tengen.game("connect_four").start()
        both = [Restriction([3], player=0, until_depth=9), Restriction([2], player=1, until_depth=9)]
        (move,) = search(state, visits=300, seed=1, allow=both).moves
        assert move.pv_actions[:4] == (3, 2, 3, 2)
        avoid = [Restriction([0, 1]), Restriction([2, 3])]
        result = search(state, visits=300, seed=1, avoid=avoid)
        assert {move.action for move in result.moves} == {4, 5, 6}

    @pytest.mark.parametrize(
        "wrong",
        [
            {"allow": [1], "avoid": [2]},
            {"allow": [Restriction([1]), Restriction([2])]},
            {"avoid": [Restriction([1], until_depth=0)]},
            {"avoid": [Restriction([1], until_depth=-1)]},
            {"avoid": [Restriction([1], player=2)]},
            {"avoid": [Restriction([1], player=-1)]},
            {"avoid": [7]},
            {"avoid": [-1]},
            {"avoid": ["z"]},
            {"include": [1], "include_visits": 0},
            {"include": [1], "include_visits": -5},
        ],
    )
    def test_what_makes_no_sense_is_an_error(self, wrong):
        with pytest.raises((ValueError, IndexError)):
            search(tengen.game("connect_four").start(), visits=5, **wrong)

    def test_where_all_act_the_player_is_named(self):
        state = tengen.game("rock_paper_scissors").start()
        with pytest.raises(ValueError, match="player"):
            search(state, visits=5, avoid=[0])
        with pytest.raises(ValueError, match="viewer"):
            search(state, visits=5, include=[0])
        result = search(state, visits=200, seed=1, avoid=[Restriction([0], player=1)])
        assert set(visits_of(result)) == {(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)}

    def test_a_python_game_is_bound_alike(self):
        state = TicTacToe().start()
        result = search(state, visits=60, seed=1, include=[8], include_visits=9, allow=[0, 1])
        assert {move.action for move in result.moves} == {0, 1, 8}
        assert result.visits == 69
