"""Evaluators that fail, functions as evaluators, and threads that share a pool."""

import math
import threading

import numpy as np
import pytest
from search_helpers import finishes, judge, visits_of
from toy_games import FullTicTacToe, HighCard, TicTacToe

import tengen
from tengen.evaluators import CoreEvaluator, Evaluation, Evaluator, find_evaluator
from tengen.search import Pool, SearchSettings, search

C4 = tengen.game("connect_four")
VISITS = 40


class TestEvaluators:
    @pytest.mark.parametrize("error", [ValueError, KeyError, StopIteration, MemoryError, KeyboardInterrupt, SystemExit])
    def test_one_that_raises(self, error):
        class Moody(Evaluator):
            calls = 0

            def evaluate(self, leaves):
                self.calls += 1
                if self.calls % 4 == 0:
                    raise error("no mood")
                return find_evaluator(judge, leaves.game).evaluate(leaves)

        pool = Pool(C4, SearchSettings(visits=VISITS), Moody())
        root = pool.add(C4.start(), seed=1)
        raised = 0
        while not pool.is_done:
            try:
                pool.run()
            except error:
                raised += 1
        assert raised > 5
        finishes(pool, root, pool.settings)

    @pytest.mark.parametrize("answer", [None, 0.5, (1, 2), {}, np.zeros((1, 7), np.float32), Evaluation])
    def test_one_that_answers_something_else(self, answer):
        class Odd(Evaluator):
            def evaluate(self, leaves):
                return answer

        pool = Pool(C4, SearchSettings(visits=VISITS), Odd())
        root = pool.add(C4.start(), seed=1)
        with pytest.raises(TypeError, match="Evaluation"):
            pool.run()
        pool.evaluator = find_evaluator(judge, C4)
        finishes(pool, root, pool.settings)

    @pytest.mark.parametrize(
        "answer",
        [
            None,
            "good",
            math.nan,
            math.inf,
            [0.1],
            [0.1, 0.2, 0.3],
            ({7: 1.0}, 0.0),
            ({-1: 1.0}, 0.0),
            ({"d": 1.0}, 0.0),
            ({3: -1.0}, 0.0),
            ({3: math.nan}, 0.0),
            ({3: math.inf}, 0.0),
            (np.float32(0.5), np.float32(0.5), np.float32(0.5)),
            ({}, 0.0),
            ([0.0] * 7, 0.0),
            ([1.0] * 6, 0.0),
            ([1.0] * 7, None),
            ([1.0] * 7, [1.0, 2.0, 3.0]),
        ],
        ids=str,
    )
    def test_a_function_that_answers_nonsense(self, answer):
        broken = [False]

        def odd(state, player):
            return answer if broken[0] else judge(state, player)

        pool = Pool(C4, SearchSettings(visits=VISITS), odd)
        root = pool.add(C4.start(), seed=1)
        pool.step()
        broken[0] = True
        with pytest.raises((ValueError, TypeError)):
            pool.run()
        broken[0] = False
        finishes(pool, root, pool.settings)

    @pytest.mark.parametrize(
        "answer",
        [
            (0.5, -0.5),
            [0.5, -0.5],
            np.array([0.5, -0.5]),
            (np.float32(0.5), np.float32(-0.5)),
            (np.float64(0.5), np.float64(-0.5)),
            (None, 0.5),
            ([1] * 7, (0.5, -0.5)),
            (dict.fromkeys(range(7), 2.0), 0.5),
            (np.ones(7, np.float32), np.float32(0.5)),
        ],
        ids=repr,
    )
    def test_a_function_may_answer_in_many_ways(self, answer):
        result = search(C4.start(), evaluator=lambda state, player: answer, visits=2, seed=1)
        assert result.raw_values == (0.5, -0.5)

    @pytest.mark.parametrize(
        "what", ["", "rolout", "rollout:", "rollout:0", "rollout:x", "uniform:2", "none.onnx", 3, None]
    )
    def test_evaluators_that_are_not_there(self, what):
        with pytest.raises((ValueError, TypeError)):
            Pool(C4, SearchSettings(), what)

    @pytest.mark.parametrize("value", [5.0, -1.1, 1.01])
    def test_values_that_no_game_ends_with(self, value):
        how = SearchSettings(visits=VISITS, leaves_per_root=4)
        calls = []

        def boast(state, player):
            calls.append(player)
            return value if len(calls) == 12 else judge(state, player)

        pool = Pool(C4, how, boast)
        root = pool.add(C4.start(), seed=1)
        with pytest.raises(
            ValueError, match=rf"value -?{abs(value):g} for player \d in row \d; .* from -1 to 1"
        ) as caught:
            pool.run()
        assert "a b c d e f g" in str(caught.value)  # the board
        finishes(pool, root, how)

    def test_values_may_miss_the_largest_by_a_rounding(self):
        assert search(C4.start(), evaluator=lambda _s, _p: 1.0005, visits=20).visits == 20

    def test_values_are_bounded_by_what_the_game_pays(self):
        """Two chips in Kuhn poker; in a game for gold there may be any amount."""
        kuhn, matgo = tengen.game("kuhn_poker").start(1), tengen.game("matgo").start(1)
        assert search(kuhn, evaluator=lambda _s, _p: 2.0, visits=20).visits == 20
        with pytest.raises(ValueError, match=r"value -?2\.1 .* from -2 to 2"):
            search(kuhn, evaluator=lambda _s, _p: 2.1, visits=20)
        assert search(matgo, evaluator=lambda _s, _p: 1e6, visits=20).visits == 20

    def test_values_that_are_supplied_by_hand(self):
        pool = Pool(C4, SearchSettings(visits=VISITS))
        pool.add(C4.start())
        rows = len(pool.collect())
        answer = Evaluation(np.zeros((rows, 7), np.float32), np.full((rows, 2), 3, np.float32))
        with pytest.raises(ValueError, match="from -1 to 1"):
            pool.supply(answer)

    @pytest.mark.parametrize("game", ["connect_four", "kuhn_poker", "go"])
    def test_batches_are_read_only(self, game):
        game = tengen.game(game)

        class Scribbler(Evaluator):
            def evaluate(self, leaves):
                for array in (leaves.features, leaves.legal):
                    with pytest.raises(ValueError, match="read-only"):
                        array[...] = 0
                return find_evaluator(judge, leaves.game).evaluate(leaves)

        assert search(game.start(1), evaluator=Scribbler(), visits=20).visits == 20

    def test_a_heuristic_that_is_not_there(self):
        with pytest.raises(ValueError, match="kuhn_poker has no heuristic"):
            search(tengen.game("kuhn_poker").start(), evaluator="heuristic", visits=5)
        with pytest.raises(ValueError, match="rollouts"):
            CoreEvaluator("rollout", 0)

    def test_one_number_will_not_do_for_three_players(self):
        with pytest.raises(ValueError, match="each player"):
            search(HighCard().start(), evaluator=lambda state, player: 0.5, visits=5)

    def test_one_that_uses_its_pool(self):
        """It may look; it may not walk."""

        class Nosy(Evaluator):
            refused = 0

            def evaluate(self, leaves):
                assert pool.result(root).visits >= 0
                try:
                    pool.run()
                except RuntimeError:
                    self.refused += 1
                return find_evaluator(judge, leaves.game).evaluate(leaves)

        nosy = Nosy()
        pool = Pool(C4, SearchSettings(visits=VISITS), nosy)
        root = pool.add(C4.start(), seed=1)
        finishes(pool, root, pool.settings)
        assert nosy.refused > 30


class TestThreads:
    def test_a_pool_at_work_refuses_another_thread(self):
        entered, leave = threading.Event(), threading.Event()

        class Slow(FullTicTacToe):
            def payoff(self, board):
                entered.set()
                leave.wait(60)
                return super().payoff(board)

        game = Slow()
        pool = Pool(game, SearchSettings(visits=VISITS), "rollout")
        root = pool.add(game.start(), seed=1)
        worker = threading.Thread(target=pool.run)
        worker.start()
        assert entered.wait(60)
        calls = [
            pool.step,
            pool.collect,
            pool.abandon,
            lambda: pool.is_done,
            lambda: pool.cache_hits,
            lambda: pool.add(game.start()),
            lambda: pool.restart(root),
            lambda: pool.advance(root, 0),
            lambda: pool.remove(root),
            lambda: pool.result(root),
            lambda: pool.choose(root),
            pool._core.features,
            pool._core.legal,
            pool._core.viewers,
            pool._core.roots,
            pool._core.states,
        ]
        try:
            for call in calls:
                with pytest.raises(RuntimeError, match="another thread"):
                    call()
        finally:
            leave.set()
            worker.join(60)
        assert pool.is_done
        assert pool.result(root).visits == VISITS

    def test_native_games_too(self):
        game = tengen.game("rock_paper_scissors")
        pool = Pool(game, SearchSettings(visits=3_000_000))
        root = pool.add(game.start(), seed=1)
        worker = threading.Thread(target=pool._core.run, args=("rollout", 1, 3_000_000))
        refused = set()
        worker.start()
        while worker.is_alive():
            try:
                pool.result(root)
            except RuntimeError as error:
                refused.add(str(error))
        assert refused == {"this pool is at work for another thread"}
        assert pool.run()
        assert pool.result(root).visits == 3_000_000

    def test_pools_do_not_disturb_each_other(self):
        alone = visits_of(search(C4.start(), evaluator=judge, visits=200, seed=1))
        found = []
        workers = [
            threading.Thread(
                target=lambda: found.append(visits_of(search(C4.start(), evaluator=judge, visits=200, seed=1)))
            )
            for _ in range(6)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert found == [alone] * 6


class TestBatchFunctions:
    """Functions evaluate(features, legal) as evaluators."""

    @staticmethod
    def favors_center(features, legal):
        logits = np.zeros(legal.shape, np.float32)
        logits[:, 3] = np.log(4)
        return logits, np.zeros(len(features))

    def test_a_batch_function_gives_policy_and_value(self):
        result = search(C4.start(), evaluator=self.favors_center, visits=50, seed=1)
        assert result["d"].prior == pytest.approx(0.4)
        assert result["a"].prior == pytest.approx(0.1)

    def test_values_are_those_of_the_player_to_act(self):
        seen = []

        def loses(features, legal):
            seen.append((features.shape[1:], legal.shape[1:], legal.dtype))
            return {"policy": np.zeros(legal.shape), "value": np.full((len(features), 1), -0.5)}

        result = search(C4.start(), evaluator=loses, visits=1)
        assert result.value == pytest.approx(-0.5)
        assert seen == [(C4.shape, (7,), np.dtype(bool))]

    def test_a_batch_function_may_return_an_evaluation(self):
        def known(features, legal):
            return Evaluation(np.zeros(legal.shape, np.float32), np.tile(np.float32([0.25, -0.25]), (len(features), 1)))

        assert search(C4.start(), evaluator=known, visits=1).value == pytest.approx(0.25)

    @pytest.mark.parametrize(
        ("answer", "told"),
        [
            (0.5, "it answers float and must answer a policy and a value"),
            ((np.zeros(7), np.zeros(1)), r"a policy of shape \(7,\) for 1 rows"),
            ((np.zeros((1, 7)), np.zeros((1, 9))), "value has shape"),
        ],
    )
    def test_what_does_not_fit_is_named(self, answer, told):
        with pytest.raises((TypeError, ValueError), match=told):
            search(C4.start(), evaluator=lambda features, legal: answer, visits=5)

    def test_a_game_without_encoding_has_no_features(self):
        with pytest.raises(ValueError, match=r"no encoding.*evaluate\(state, player\)"):
            search(TicTacToe().start(), evaluator=self.favors_center, visits=5)

    def test_the_error_of_another_function_names_what_there_is(self):
        with pytest.raises(TypeError, match="no len") as raised:
            search(C4.start(), evaluator=lambda batch, _: len(batch), visits=5)
        (note,) = raised.value.__notes__
        assert "evaluate(state, player)" in note
        assert "evaluate(features, legal)" in note
        assert "tengen.evaluators.Evaluator" in note


@pytest.mark.parametrize("settings", [{"visits": 30, "c_puct": 2.0}, SearchSettings(visits=30, c_puct=2.0)])
def test_settings_may_be_a_dictionary(settings):
    assert search(C4.start(), evaluator="uniform", settings=settings).visits == 30
    assert search(C4.start(), evaluator="uniform", settings=settings, visits=40).visits == 40
    assert Pool(C4, settings, "uniform").settings.c_puct == 2.0


def test_a_dictionary_keeps_what_suits_the_evaluator():
    assert Pool(C4, {"visits": 30}, "rollout").settings.c_puct == 3.0


@pytest.mark.parametrize("make", [lambda s: search(C4.start(), settings=s), lambda s: Pool(C4, s)])
def test_what_is_no_settings_is_refused_at_once(make):
    with pytest.raises(TypeError, match=r"400 are no search settings: pass SearchSettings"):
        make(400)
    with pytest.raises(ValueError, match="no search setting is called visit;"):
        make({"visit": 400})
