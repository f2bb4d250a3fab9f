"""Wrong use of the search raises a clear exception and leaves the pool usable."""

import math
import subprocess
import sys

import numpy as np
import pytest
from search_helpers import finishes, judge, play
from toy_games import TicTacToe

import tengen
from tengen.evaluators import Evaluation
from tengen.search import Pool, SearchSettings, search

C4 = tengen.game("connect_four")
PYRGA = tengen.game("pyrga")
VISITS = 40


class Waiting:
    """A pool with an unanswered batch, beside an undisturbed search."""

    def __init__(self, game=C4, leaves=3):
        self.game = game
        self.how = SearchSettings(visits=VISITS, leaves_per_root=leaves)
        self.pool = Pool(game, self.how, judge)
        self.root = self.pool.add(game.start(1), seed=1)
        for _ in range(3):
            self.pool.step()
        self.leaves = self.pool.collect()
        assert len(self.leaves)

    def answers(self):
        rows = len(self.leaves)
        return [np.zeros((rows, self.game.action_count), np.float32), np.zeros((rows, self.game.players), np.float32)]

    def goes_on(self):
        """Finish the search, including an unanswered batch, and check that it ends like an undisturbed one."""
        if self.leaves.viewers:
            self.pool.supply(self.pool.evaluator.evaluate(self.leaves))
        finishes(self.pool, self.root, self.how)


class TestSupply:
    @pytest.mark.parametrize(
        "spoil",
        [
            lambda logits, values: (logits[:-1], values),
            lambda logits, values: (logits, values[:-1]),
            lambda logits, values: (np.vstack([logits, logits]), np.vstack([values, values])),
            lambda logits, values: (logits[:, :-1].copy(), values),
            lambda logits, values: (logits, values[:, :1].copy()),
            lambda logits, values: (values, logits),
            lambda logits, values: (logits[:0], values[:0]),
        ],
    )
    def test_wrong_shapes_say_what_they_must_be(self, spoil):
        waiting = Waiting()
        with pytest.raises(ValueError, match=r"must be \[3, [72]\]"):
            waiting.pool.supply(Evaluation(*spoil(*waiting.answers())))
        waiting.goes_on()

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda array: array.astype(np.float64),
            lambda array: array.astype(np.float16),
            lambda array: array.astype(np.int32),
            lambda array: array.astype(np.bool_),
            lambda array: array.astype(np.complex64),
            lambda array: array.astype(">f4"),
            lambda array: array.astype(object),
            np.asfortranarray,
            lambda array: np.repeat(array, 2, axis=1)[:, ::2],
            lambda array: array[:, ::-1],
            lambda array: array[0],
            lambda array: array[None],
            lambda array: array.tolist(),
            lambda array: array.tobytes(),
            lambda array: "0",
            lambda array: None,
        ],
    )
    @pytest.mark.parametrize("part", [0, 1])
    def test_arrays_of_another_kind_are_type_errors(self, spoil, part):
        waiting = Waiting()
        answers = waiting.answers()
        answers[part] = spoil(answers[part])
        with pytest.raises(TypeError):
            waiting.pool.supply(Evaluation(*answers))
        waiting.goes_on()

    @pytest.mark.parametrize(
        ("number", "part", "word"),
        [
            (math.nan, 0, "policy of action 2 in row 1 is nan"),
            (math.inf, 0, "policy of action 2 in row 1 is inf"),
            (math.nan, 1, "value of player 0 in row 1 is -?nan"),
            (math.inf, 1, "value of player 0 in row 1 is inf"),
            (-math.inf, 1, "value of player 0 in row 1 is -inf"),
        ],
    )
    def test_what_is_no_number_is_named(self, number, part, word):
        waiting = Waiting()
        answers = waiting.answers()
        answers[part][1, 2 if part == 0 else 0] = number
        with pytest.raises(ValueError, match=word):
            waiting.pool.supply(Evaluation(*answers))
        waiting.goes_on()

    def test_a_policy_without_any_chance_is_an_error(self):
        waiting = Waiting()
        answers = waiting.answers()
        answers[0][2] = -math.inf
        with pytest.raises(ValueError, match="row 2"):
            waiting.pool.supply(Evaluation(*answers))
        waiting.goes_on()

    def test_one_chance_is_enough_and_illegal_actions_do_not_count(self):
        state = play(C4, 0, 0, 0, 0, 0, 0)
        pool = Pool(C4, SearchSettings(visits=20), judge)
        root = pool.add(state, seed=1)
        assert len(pool.collect()) == 1
        logits = np.full((1, 7), -math.inf, np.float32)
        logits[0, 0] = math.nan  # the column is full
        logits[0, 5] = 1e30
        pool.supply(Evaluation(logits, np.zeros((1, 2), np.float32)))
        pool.run()
        result = pool.result(root)
        assert result["f"].prior == 1
        assert result.best.name == "f"

    @pytest.mark.parametrize(
        ("aux", "error"),
        [
            (lambda rows: np.zeros((rows, PYRGA.aux_count + 1), np.float32), ValueError),
            (lambda rows: np.zeros((rows + 1, PYRGA.aux_count), np.float32), ValueError),
            (lambda rows: np.full((rows, PYRGA.aux_count), math.nan, np.float32), ValueError),
            (lambda rows: np.zeros((rows, PYRGA.aux_count)), TypeError),
            (lambda rows: np.zeros(rows, np.float32), TypeError),
        ],
    )
    def test_wrong_aux(self, aux, error):
        waiting = Waiting(PYRGA)
        with pytest.raises(error):
            waiting.pool.supply(Evaluation(*waiting.answers(), aux(len(waiting.leaves))))
        waiting.goes_on()

    def test_read_only_arrays_will_do(self):
        waiting = Waiting()
        answers = waiting.answers()
        for array in answers:
            array.flags.writeable = False
        waiting.pool.supply(Evaluation(*answers))
        assert waiting.pool.run()

    def test_a_batch_that_is_held_does_not_change(self):
        waiting = Waiting()
        held = waiting.leaves.features
        copy = held.copy()
        with pytest.raises(ValueError, match="read-only"):
            held[0] = 1
        waiting.goes_on()
        assert (held == copy).all()
        legal = waiting.leaves.legal
        assert legal.dtype == np.bool_


class TestOrder:
    def test_supply_needs_a_batch(self):
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        root = pool.add(C4.start(), seed=1)
        nothing = Evaluation(np.zeros((0, 7), np.float32), np.zeros((0, 2), np.float32))
        one = Evaluation(np.zeros((1, 7), np.float32), np.zeros((1, 2), np.float32))
        for answer in (nothing, one):
            with pytest.raises(RuntimeError, match="collect"):
                pool.supply(answer)
        finishes(pool, root, pool.settings)
        with pytest.raises(RuntimeError, match="collect"):
            pool.supply(one)

    @pytest.mark.parametrize(
        "call",
        [
            lambda pool, root: pool.collect(),
            lambda pool, root: pool.step(),
            lambda pool, root: pool.run(),
            lambda pool, root: pool.advance(root, 3),
            lambda pool, root: pool.restart(root),
            lambda pool, root: pool.remove(root),
            lambda pool, root: pool._core.run("uniform", 1, 10),
            lambda pool, root: pool._core.run("rollout", 1, 10),
        ],
    )
    def test_a_batch_must_be_answered_first(self, call):
        waiting = Waiting()
        with pytest.raises(RuntimeError, match="waits"):
            call(waiting.pool, waiting.root)
        assert waiting.pool.state(waiting.root) == C4.start()
        waiting.goes_on()

    def test_or_taken_back(self):
        waiting = Waiting(leaves=1)
        waiting.pool.abandon()
        waiting.pool.abandon()
        waiting.goes_on()

    def test_roots_may_be_added_and_looked_at_meanwhile(self):
        waiting = Waiting()
        other = waiting.pool.add(C4.start().play(3), seed=2)
        assert waiting.pool.result(waiting.root).visits > 0
        assert not waiting.pool.is_done
        waiting.goes_on()
        assert waiting.pool.result(other).visits == VISITS

    @pytest.mark.parametrize("wrong", [-1, 1, 10**6, 2**40])
    def test_roots_that_are_not_there(self, wrong):
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        root = pool.add(C4.start(), seed=1)
        calls = (pool.result, pool.choose, pool.restart, pool.state, pool.remove, lambda r: pool.advance(r, 3))
        for call in calls:
            with pytest.raises((IndexError, KeyError, TypeError)):
                call(wrong)
        finishes(pool, root, pool.settings)

    def test_removed_roots(self):
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        gone = pool.add(C4.start(), seed=3)
        kept = pool.add(C4.start(), seed=1)
        pool.step()
        pool.remove(gone)
        for call in (pool.result, pool.choose, pool.restart, pool.state, pool.remove, lambda r: pool.advance(r, 3)):
            with pytest.raises(IndexError, match=f"no root {gone}"):
                call(gone)
        finishes(pool, kept, pool.settings)
        assert pool.add(C4.start()) == gone

    def test_an_empty_pool_is_done(self):
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        assert pool.is_done
        assert pool.run()
        assert len(pool.collect()) == 0

    def test_actions_that_are_not_there(self):
        state = play(C4, 0, 0, 0, 0, 0, 0)
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        root = pool.add(state, seed=1)
        for wrong in (0, "a", 7, -1, 2**40, "z", [1], [1, 2], 1.5, None):
            with pytest.raises((ValueError, TypeError, IndexError)):
                pool.advance(root, wrong)
        assert pool.state(root) == state
        finishes(pool, root, pool.settings)

    def test_a_finished_game_is_not_searched(self):
        over = play(C4, 0, 1, 0, 1, 0, 1, 0)
        with pytest.raises(ValueError, match="over"):
            search(over, visits=10)
        before = play(C4, 0, 1, 0, 1, 0, 1)
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        root = pool.add(before, seed=1)
        pool.run()
        pool.advance(root, 0)
        assert pool.is_done
        assert pool.run()
        assert pool.result(root).moves == ()
        for call in (lambda: pool.advance(root, 1), lambda: pool.restart(root), lambda: pool.choose(root)):
            with pytest.raises((ValueError, RuntimeError)):
                call()
        other = pool.add(before, seed=1)
        finishes(pool, other, pool.settings)

    @pytest.mark.parametrize("evaluator", ["rollout", judge])
    def test_an_opponents_decision_is_not_searched_where_cards_are_hidden(self, evaluator):
        game = tengen.game("kuhn_poker")
        pool = Pool(game, SearchSettings(visits=VISITS), evaluator)
        root = pool.add(game.start(1), seed=1)
        pool.run()
        pool.advance(root, "pass")
        other = pool.add(game.start(2), seed=1)
        for call in (lambda: pool.add(pool.state(root), viewer=0), lambda: pool.restart(root), pool.run, pool.step):
            with pytest.raises(ValueError, match="player 1 is to act, not the viewer, player 0"):
                call()
        pool.advance(root, "bet")
        assert pool.run()
        assert pool.progress(root)[0] >= VISITS
        finishes(pool, other, pool.settings, evaluator=evaluator)

    def test_chance_is_not_searched(self):
        rolling = tengen.game("pig").start().play("roll")
        with pytest.raises(ValueError, match="chance"):
            search(rolling, visits=10)

    @pytest.mark.parametrize(
        "wrong",
        [
            tengen.game("pyrga").start(),
            tengen.game("pyrga", tie_break=True).start(),
            TicTacToe().start(),
            "start",
            None,
            C4,
            C4.start().position,
        ],
    )
    def test_states_that_do_not_belong(self, wrong):
        game = C4 if not isinstance(wrong, tengen.State) or wrong.game.id != "pyrga" else tengen.game("pyrga")
        if wrong == game.start():
            game = tengen.game("pyrga", second_square_ban=True)
        pool = Pool(game, SearchSettings(visits=VISITS), judge)
        root = pool.add(game.start(), seed=1)
        with pytest.raises((ValueError, TypeError)):
            pool.add(wrong)
        with pytest.raises((ValueError, TypeError)):
            pool.advance(root, game.start().legal()[0], wrong if wrong is not None else "none")
        finishes(pool, root, pool.settings)

    def test_a_state_that_does_not_follow(self):
        """A caller may know more than a root did, and nothing else."""
        full = play(C4, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3)
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        root = pool.add(C4.start(), seed=1)
        pool.run()
        with pytest.raises(ValueError, match="state"):
            pool.advance(root, 3, full)
        assert pool.state(root) == C4.start()
        kuhn = tengen.game("kuhn_poker")
        pool = Pool(kuhn, SearchSettings(visits=VISITS))
        root = pool.add(kuhn.start(cards="QJ"), seed=1)
        pool.run()
        # In hidden games, a move may reveal information that the root lacks.
        pool.advance(root, "bet", kuhn.start(cards="QK").play("bet"))

    def test_the_core_knows_its_own_states(self):
        pool = Pool(tengen.game("pig", target=20), SearchSettings(visits=VISITS))
        with pytest.raises(ValueError, match="other settings"):
            pool._core.add(tengen.game("pig", target=30).start().position, -1, 1, [], 1, [], 0, None, 0, None)
        with pytest.raises(TypeError):
            pool._core.add(C4.start().position, -1, 1, [], 1, [], 0, None, 0, None)
        other = tengen.game("pig", target=30).core
        with pytest.raises(ValueError, match="a root's rules must be those of its pool"):
            pool._core.add(pool.game.start().position, -1, 1, [], 1, [], 0, None, 0, other)
        assert pool.is_done


class TestNumbers:
    @pytest.mark.parametrize("threads", [0, -1, 1025, 2**40, 1.5, "2", None])
    def test_threads(self, threads):
        with pytest.raises((ValueError, TypeError)):
            Pool(C4, SearchSettings(), threads=threads)

    def test_threads_that_the_system_refuses(self):
        """The pool is made in a process whose memory limit leaves no room for the threads."""
        program = """
import resource, tengen
from tengen.search import Pool, SearchSettings
game = tengen.game("connect_four")
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
try:
    Pool(game, SearchSettings(visits=5), threads=1024)
except (RuntimeError, MemoryError):
    print("refused")
"""
        ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
        assert ran.stdout == b"refused\n"

    def test_a_python_game_has_one(self):
        with pytest.raises(ValueError, match="threads"):
            Pool(TicTacToe(), SearchSettings(), threads=2)

    @pytest.mark.parametrize("batch", [0, -1, 2**24 + 1, 2**70, 1.5, "8"])
    def test_batches(self, batch):
        def use():
            pool = Pool(C4, SearchSettings(visits=5), judge, batch=batch)
            pool.add(C4.start())
            pool.run()

        with pytest.raises((ValueError, TypeError)):
            use()

    @pytest.mark.parametrize("most", [-1, 2**24 + 1, 2**70, 1.5, "8"])
    def test_rows(self, most):
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        root = pool.add(C4.start(), seed=1)
        with pytest.raises((ValueError, TypeError)):
            pool.collect(most)
        finishes(pool, root, pool.settings)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"include": [3], "include_visits": 0},
            {"include": [3], "include_visits": -(2**40)},
            {"include": [3], "include_visits": 2**70},
            {"include": [3], "include_visits": 1.5},
            {"include": [2**40]},
            {"include": [1.5]},
            {"include": 3},
            {"viewer": 2},
            {"viewer": -1},
            {"viewer": 2**40},
            {"viewer": "x"},
            {"seed": "x"},
            {"seed": 1.5},
            {"visits": 0},
            {"visits": -1},
            {"visits": 2**51},
            {"visits": "many"},
            {"avoid": 3},
            {"avoid": [None]},
            {"avoid": "d"},
        ],
    )
    def test_roots_that_make_no_sense(self, wrong):
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        root = pool.add(C4.start(), seed=1)
        with pytest.raises((ValueError, TypeError, IndexError)):
            pool.add(C4.start(), **wrong)
        finishes(pool, root, pool.settings)

    def test_huge_numbers_that_make_sense(self):
        state = C4.start()
        pool = Pool(C4, SearchSettings(visits=2**50), "rollout")
        root = pool.add(state, seed=1, include=[3], include_visits=2**50)
        assert not pool._core.run("rollout", 1, 500)
        result = pool.result(root)
        assert result.visits == 500
        assert result.guaranteed_visits == 249  # they take turns with the free ones
        assert not result.is_done
        pool.restart(root, visits=501)
        pool.run()
        assert pool.result(root).visits == 501 + 249

    def test_a_search_without_end_may_be_one_of_few_actions(self):
        result = search(C4.start(), visits=2**50, gumbel_actions=4, seconds=0.01)
        assert result.visits > 1

    @pytest.mark.parametrize("seconds", [0, -1, math.nan, "1"])
    def test_times(self, seconds):
        with pytest.raises((ValueError, TypeError)):
            search(C4.start(), visits=5, seconds=seconds)

    def test_the_time_may_be_up_before_the_search_is_done(self):
        result = search(C4.start(), visits=2**40, seconds=0.01)
        assert not result.is_done
        assert result.visits > 1
        assert result.best is not None
        assert result.elapsed_s > 0

    @pytest.mark.parametrize("temperature", [-1, math.nan, 1e7, "1", None])
    def test_temperatures(self, temperature):
        pool = Pool(C4, SearchSettings(visits=VISITS), judge)
        root = pool.add(C4.start(), seed=1)
        pool.run()
        with pytest.raises((ValueError, TypeError)):
            pool.choose(root, temperature=temperature)
        for player in (1, 2, -1, 2**40):
            with pytest.raises((RuntimeError, IndexError, TypeError)):
                pool.choose(root, player=player)
        assert pool.choose(root) == pool.result(root).best.action
