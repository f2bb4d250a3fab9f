"""Games in Python that break while a search is under way: an exception, and a pool that goes on."""

import math
import subprocess
import sys

import numpy as np
import pytest
from search_helpers import random_state
from toy_games import Duel, FullTicTacToe, HighCard

from tengen import Game
from tengen.search import Pool, SearchSettings

VISITS = 40


class Everything(FullTicTacToe):
    """Tic-tac-toe with every hook that a game without chance and hidden cards can have."""

    aux_count = 2

    def final_aux(self, board):
        return [float(board.count(player)) for player in (0, 1)]

    def key(self, board):
        return super().key(board)


class Bluff(Game):
    """Two hidden cards of six; four times, in turn, a player stays or doubles; the higher card wins the stake."""

    action_count = 2
    hidden = True
    payoff_scale = 16.0

    def initial(self, rng):
        return (tuple(rng.sample(range(6), 2)), ())

    def actor(self, position):
        return len(position[1]) % 2 if len(position[1]) < 4 else None

    def legal(self, position, player):
        return [0, 1]

    def apply(self, position, action):
        return (position[0], (*position[1], action))

    def payoff(self, position):
        stake = 2 ** sum(position[1]) * (1 if position[0][0] > position[0][1] else -1)
        return (stake, -stake)

    def view_key(self, position, viewer):
        return self.key((position[0][viewer], position[1]))

    def redeal(self, position, viewer, rng):
        own = position[0][viewer]
        other = rng.choice([card for card in range(6) if card != own])
        return ((own, other) if viewer == 0 else (other, own), position[1])


class Broken(Exception):  # noqa: N818 - what a game raises, not what Tengen does
    pass


def fragile(base, hook):
    """A game of this kind with a hook that goes wrong on demand: set `countdown` to the call that does, and `fault` to
    what it does."""

    class Fragile(base):
        countdown = 0
        fault = None

        def spoil(self, arguments):
            cls = type(self)
            if cls.countdown > 0:
                cls.countdown -= 1
                if cls.countdown == 0:
                    return cls.fault
            return lambda: getattr(super(Fragile, self), hook)(*arguments)

    def method(self, *arguments):
        return self.spoil(arguments)()

    setattr(Fragile, hook, method)
    return Fragile()


def evaluate_nothing(state, player):
    return [0.0] * state.game.players


# Which hook, in which game, with what evaluator and settings.
HOOKS = [
    ("actor", Everything, "rollout", {}),
    ("actor", Everything, evaluate_nothing, {"leaves_per_root": 4}),
    ("legal", Everything, "rollout", {}),
    ("legal", Everything, evaluate_nothing, {"leaves_per_root": 4}),
    ("apply", Everything, "rollout", {}),
    ("apply", Everything, evaluate_nothing, {"leaves_per_root": 4}),
    ("payoff", Everything, "rollout", {}),
    ("payoff", Everything, "uniform", {}),
    ("encode", Everything, evaluate_nothing, {"leaves_per_root": 4}),
    ("key", Everything, evaluate_nothing, {"cache_entries": 100, "leaves_per_root": 4}),
    ("heuristic", Everything, "heuristic", {}),
    ("final_aux", Everything, "rollout", {}),
    ("outcome", Duel, "rollout", {}),
    ("legal", Duel, "rollout", {}),
    ("apply", Duel, evaluate_nothing, {"leaves_per_root": 4}),
    ("redeal", Bluff, "rollout", {}),
    ("view_key", Bluff, evaluate_nothing, {"leaves_per_root": 4}),
    ("apply", Bluff, "rollout", {}),
    ("encode", HighCard, evaluate_nothing, {}),
]
SOLVED = [
    ("actor", Everything, evaluate_nothing, {"leaves_per_root": 4, "solve": True}),
    ("apply", Everything, evaluate_nothing, {"leaves_per_root": 4, "solve": True}),
    ("payoff", Everything, evaluate_nothing, {"leaves_per_root": 4, "solve": True}),
    ("payoff", Everything, "rollout", {"solve": True}),
]


NONSENSE = {
    "actor": [-1, 2, "nobody", "chance", "all", 1.5, [], 2**70],
    "legal": [None, 5, [], [99], [-1], ["a"], [1, 0], [0, 0], [0.5], [2**70], [None]],
    "payoff": [None, 5, (), (1,), (1, 2, 3), (math.nan, 0), (math.inf, 0), ("a", 0), (None, 0), "ab"],
    "encode": [None, 5, [], np.zeros((2, 3, 4), np.float32), np.zeros(18, np.float32), "planes"],
    "key": [None, "x", -1, 2**64, 1.5, []],
    "heuristic": [None, 5, (1,), (math.nan, 0), "ab"],
    "final_aux": [None, 5, (1,), (math.nan, 0)],
    "outcome": [None, "x", -1, 2**70, 1.5],
    "view_key": [None, "x", -1, 2**64, 1.5],
}


def ids(value):
    if isinstance(value, tuple | dict):
        return "-".join(value) or "none"
    return value if isinstance(value, str) else getattr(value, "__name__", "")


def ends(pool):
    """run(), but for pools that wait forever."""
    return any(pool.step() for _ in range(1000))


class TestHooks:
    def check_recovery(self, hook, base, evaluator, changes, fault, error, calls=(1, 2, 3, 7, 20)):
        game = fragile(base, hook)
        caught = []
        for countdown in calls:
            pool = Pool(game, SearchSettings(visits=VISITS, **changes), evaluator)
            # Near the end of tic-tac-toe, so that it is reached in few visits.
            state = random_state(game, 1, 4 if base is Everything else 0)
            root = pool.add(state, seed=1, viewer=0)
            type(game).fault, type(game).countdown = fault, countdown
            try:
                pool.run()
            except error as problem:
                caught.append(problem)
            type(game).countdown = 0
            assert ends(pool)
            result = pool.result(root)
            if not result.proven:
                assert result.visits == VISITS
            for player in {move.player for move in result.moves}:
                assert sum(move.visits for move in result.moves if move.player == player) == result.visits - 1
        assert caught
        # Other people's mistakes are named by the hook that made them.
        assert [problem for problem in caught if hook not in str(problem)] == []

    @pytest.mark.parametrize(
        ("hook", "base", "evaluator", "changes"),
        [*HOOKS, *SOLVED],
        ids=ids,
    )
    def test_one_that_raises(self, hook, base, evaluator, changes):
        def fault():
            raise Broken(hook)

        self.check_recovery(hook, base, evaluator, changes, fault, Broken)

    @pytest.mark.parametrize(
        ("hook", "answer"),
        [(hook, answer) for hook, answers in NONSENSE.items() for answer in answers],
        ids=repr,
    )
    def test_one_that_answers_nonsense(self, hook, answer):
        place = next(entry for entry in HOOKS if entry[0] == hook)
        self.check_recovery(*place, lambda: answer, (ValueError, TypeError, IndexError, RuntimeError))

    @pytest.mark.parametrize("hook", ["actor", "apply", "payoff"])
    def test_one_that_raises_while_answers_are_taken_in(self, hook):
        """Looking ahead for wins calls hooks in supply()."""
        game = fragile(Everything, hook)
        armed = [0]

        def fault():
            raise Broken

        def arm(state, player):
            type(game).fault, type(game).countdown = fault, armed[0]
            return 0.0

        for countdown in (1, 2, 5, 9):
            pool = Pool(game, SearchSettings(visits=200, leaves_per_root=8, solve=True), arm)
            root = pool.add(random_state(game, 3, 2), seed=1)
            raised = 0
            for _ in range(300):
                armed[0] = countdown if raised < 3 and pool.result(root).visits > 10 else 0
                try:
                    if pool.step():
                        break
                except Broken:
                    raised += 1
                type(game).countdown = 0
            result = pool.result(root)
            assert result.is_done
            assert sum(move.visits for move in result.moves) == result.visits - 1

    def test_positions_of_another_kind(self):
        """What the hooks make of them is their own error."""
        for hook, base in (("apply", Everything), ("apply", Duel), ("redeal", Bluff)):
            place = next(entry for entry in HOOKS if entry[:2] == (hook, base))
            for answer in (5, "x", (), object()):
                game = fragile(base, hook)
                pool = Pool(game, SearchSettings(visits=VISITS, **place[3]), place[2])
                root = pool.add(game.start(1), seed=1, viewer=0)
                type(game).fault, type(game).countdown = (lambda answer=answer: answer), 3
                with pytest.raises((ValueError, TypeError, IndexError, AttributeError, KeyError)):
                    pool.run()
                assert ends(pool)
                assert pool.result(root).visits == VISITS

    @pytest.mark.parametrize(
        "hook",
        [
            "actor",
            "view_key",
            "legal",
            "apply",
        ],
    )
    def test_a_move_that_fails_is_not_made(self, hook):
        def fault():
            raise Broken

        game = fragile(Bluff, hook)
        for countdown in range(1, 9):
            pool = Pool(game, SearchSettings(visits=VISITS), "rollout")
            state = game.start(1)
            root = pool.add(state, seed=1)
            pool.run()
            type(game).fault, type(game).countdown = fault, countdown
            try:
                pool.advance(root, 1)
            except Broken:
                type(game).countdown = 0
                assert pool.state(root) == state
                assert pool._core.state(root) == state.position
                assert pool.result(root).visits == VISITS
                pool.advance(root, 1)
            type(game).countdown = 0
            pool.advance(root, 1)
            assert pool._core.state(root) == state.play(1).play(1).position
            assert ends(pool)
            assert pool.result(root).visits == VISITS

    @pytest.mark.parametrize("hook", ["actor", "legal"])
    def test_a_root_that_fails_is_not_added(self, hook):
        def fault():
            raise Broken

        game = fragile(Everything, hook)
        pool = Pool(game, SearchSettings(visits=VISITS), "rollout")
        root = pool.add(game.start(), seed=1)
        state = game.start()
        type(game).fault, type(game).countdown = fault, 1
        with pytest.raises(Broken):
            pool.add(state, include=[1])
        type(game).countdown = 0
        assert ends(pool)
        assert pool.result(root).visits == VISITS
        assert pool.add(game.start()) == root + 1

    @pytest.mark.parametrize(
        ("fact", "wrong"),
        [
            ("players", [0, 9, -1, 2.5, "2", None]),
            ("action_count", [0, -1, 65536, 2**40, None, "9"]),
            ("shape", [(1, 1), (1, 1, -1), None, 5, ("a", 1, 1)]),
            ("shape", [(2**16, 2**16, 1)]),
            ("payoff_scale", [0.0, -1.0, math.nan]),
            ("payoff_scale", ["1"]),
            ("payoff_scale", [math.inf]),
            ("aux_count", [-1, 2**40, None]),
        ],
    )
    def test_facts_that_make_no_sense(self, fact, wrong):
        for value in wrong:
            game = type("Odd", (Everything,), {fact: value})()
            with pytest.raises((ValueError, TypeError, IndexError, OverflowError)):
                Pool(game, SearchSettings(visits=VISITS))

    TURNCOAT = """
from tengen import Game
from tengen.search import Pool, SearchSettings

class Turncoat(Game):
    action_count = 6
    chance = True
    calls = 0

    def initial(self, rng):
        return ()

    def actor(self, path):
        Turncoat.calls += not path
        return ("chance" if Turncoat.calls > 1 else 0) if not path else 0 if len(path) < 4 else None

    def legal(self, path, player):
        return list(range(6))

    def apply(self, path, action):
        return (*path, action)

    def payoff(self, path):
        return (1, -1)

pool = Pool(Turncoat(), SearchSettings(visits=200), "uniform")
state = Turncoat().start()
Turncoat.calls = -5
root = pool.add(state, seed=1)
for _ in range(50):
    Turncoat.calls = 0
    try:
        pool.step()
    except RuntimeError:
        break
"""

    def test_a_root_that_turns_into_chance(self):
        """A player is to act whenever the pool asks what there is to do, and chance in every visit."""
        ran = subprocess.run([sys.executable, "-c", self.TURNCOAT], check=False, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr[-500:]

    UNSTEADY = """
import random, sys
from tengen import Game
from tengen.search import search

rng = random.Random(1)

class Unsteady(Game):
    action_count = 12

    def __init__(self, simultaneous: bool = False, hidden: bool = False, chance: bool = False):
        self.simultaneous, self.hidden, self.chance = simultaneous, hidden, chance
        self.actors = [0, 1] + ["all"] * simultaneous + ["chance"] * chance

    def initial(self, _):
        return (0, 0)

    def actor(self, position):
        return rng.choice(self.actors) if position[0] < 6 else None

    def legal(self, position, player):
        return sorted(rng.sample(range(12), rng.randint(1, 12)))

    def apply(self, position, action):
        return (position[0] + 1, rng.randint(0, 5))

    def payoff(self, position):
        return (1, -1) if position[1] % 2 else (-1, 1)

    def redeal(self, position, viewer, rng):
        return position

    def view_key(self, position, viewer):
        return rng.randint(0, 3)

nature = {name: True for name in sys.argv[1:]}
for seed in range(12):
    for evaluator in ("rollout", "uniform", lambda state, player: 0.0):
        try:
            search(Unsteady(**nature).start(), evaluator=evaluator, visits=1500, seed=seed, viewer=0)
        except (ValueError, RuntimeError, IndexError):
            pass
"""

    @pytest.mark.parametrize(
        "nature",
        [
            (),
            ("hidden",),
            ("simultaneous",),
            ("chance",),
            ("hidden", "simultaneous", "chance"),
        ],
        ids=ids,
    )
    def test_rules_that_contradict_themselves_end_in_an_exception(self, nature):
        """A process of its own, because what this guards against is the end of the process."""
        command = [sys.executable, "-c", self.UNSTEADY, *nature]
        ran = subprocess.run(command, check=False, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr[-500:]
