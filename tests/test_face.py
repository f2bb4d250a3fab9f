"""The face that programs use, on native games and on Python games."""

import copy
import inspect
import pickle
import pydoc
import random
import subprocess
import sys

import numpy as np
import pytest
from shipped_games import NAMES, small_game
from toy_games import Duel, FullTicTacToe, HighCard, TicTacToe

import tengen
from tengen import Game, GameError, IllegalAction, State, _core
from tengen.games import NativeGame, NotationError, SettingError
from tengen.games.stable_hash import stable_hash


def play_all(state, *actions):
    for action in actions:
        state = state.play(action)
    return state


def random_game(game, seed):
    rng = random.Random(seed)
    state = game.start(seed)
    while not state.is_over:
        if state.actor == "chance":
            state = state.play(state.outcome(rng.getrandbits(32)))
        elif state.actor == "all":
            state = state.play([rng.choice(state.legal(player)) for player in range(game.players)])
        else:
            state = state.play(rng.choice(state.legal()))
    return state


class TestPlay:
    def test_a_game_from_start_to_payoffs(self):
        game = tengen.game("connect_four")
        state = game.start(seed=7)
        assert state.actor == 0
        assert state.legal() == [0, 1, 2, 3, 4, 5, 6]
        state = play_all(state, 0, 1, 0, 1, 0, 1)
        assert not state.is_over
        state = state.play(0)
        assert state.actor is None
        assert state.is_over
        assert state.payoffs == (1.0, -1.0)
        assert state.legal() == []
        assert state.history == (0, 1, 0, 1, 0, 1, 0)

    def test_states_do_not_change(self):
        state = TicTacToe().start()
        state.play(4)
        assert state.history == ()
        assert state.legal() == list(range(9))
        with pytest.raises(AttributeError):
            state.actor = 1
        with pytest.raises(AttributeError):
            state.anything = 1
        assert isinstance(state, State)

    def test_actions_by_name(self):
        state = FullTicTacToe().start()
        assert play_all(state, "b2", "A1", " c3 ").history == (4, 6, 2)
        assert play_all(state, "b2", "a1").names == ("b2", "a1")
        assert state.game.parse("b2", state) == 4
        assert state.game.name(4) == "b2"

    def test_numpy_integers_are_actions(self):
        assert TicTacToe().start().play(np.int64(4)).history == (4,)
        with pytest.raises(TypeError):
            TicTacToe().start().play(1.5)

    def test_chance_and_everyone(self):
        state = Duel().start()
        assert state.actor == "all"
        assert state.legal(0) == [0, 1, 2]
        assert state.legal(1) == [0, 1]
        state = play_all(state, (2, 1), ["1", "0"])
        assert state.actor == "chance"
        assert state.legal() == [0, 1]
        assert state.outcome(seed=3) == state.outcome(seed=3)
        state = state.play("tails")
        assert state.payoffs == (3.0, 2.0)
        assert state.names == ("2 | 1", "1 | 0", "tails")
        assert state.history == ((2, 1), (1, 0), 1)

    def test_native_chance_and_everyone(self):
        pig = tengen.game("pig").start().play(1)
        assert pig.actor == "chance"
        assert pig.play(pig.legal()[1]).actor == 0
        with pytest.raises(IllegalAction):
            pig.play(6)
        rps = tengen.game("rock-paper-scissors").start()
        assert rps.actor == "all"
        assert rps.play([0, 2]).payoffs[0] > 0
        with pytest.raises(IllegalAction):
            rps.play([0, 3])

    def test_options_of_start(self):
        assert HighCard().start(seed=1, first=2).actor == 2
        with pytest.raises(SettingError, match=r"no setting 'deck'.*first: int = 0"):
            HighCard().start(deck=3)
        with pytest.raises(SettingError, match="does not fit"):
            HighCard().start(first="x")

    def test_seeds(self):
        game = HighCard()
        assert game.start(seed=5) == game.start(seed=5)
        assert len({game.start(seed=seed) for seed in range(20)}) > 10
        assert game.start() is not None


class TestErrors:
    def test_an_illegal_action_names_the_action_and_the_position(self):
        state = FullTicTacToe().start().play("b2")
        with pytest.raises(IllegalAction, match=r"action 4 \(b2\) is illegal for player 1") as caught:
            state.play(4)
        assert "· X ·" in str(caught.value)
        with pytest.raises(IllegalAction, match=r"\(b2\)"):
            state.play("b2")

    @pytest.mark.parametrize("action", [-1, 96, 2**31, 2**80, -(2**80)])
    @pytest.mark.parametrize("name", ["connect_four", "pyrga", "kuhn_poker"])
    def test_ids_out_of_range(self, name, action):
        with pytest.raises(IllegalAction, match=rf"action {action} \(no action\)"):
            tengen.game(name).start(seed=1).play(action)

    def test_a_name_that_is_none(self):
        with pytest.raises(NotationError, match=r"'z9' names no action of full_tic_tac_toe.*a3, b3"):
            FullTicTacToe().start().play("z9")
        with pytest.raises(NotationError):
            Duel(rounds=0).start().play("edge")

    def test_after_the_end(self):
        state = play_all(TicTacToe().start(), 0, 3, 1, 4, 2)
        with pytest.raises(IllegalAction, match="over"):
            state.play(5)

    def test_a_game_that_changes_its_mind_about_the_end(self):
        class Fickle(TicTacToe):
            answers = iter([0, None])

            def actor(self, board):
                return next(self.answers)

        state = Fickle().start()
        with pytest.raises(GameError, match="fickle is over in this position"):
            state.play(0)

    def test_who_acts(self):
        state = TicTacToe().start()
        with pytest.raises(GameError, match="player 1 is not to act, player 0 is"):
            state.legal(1)
        with pytest.raises(GameError, match="players 0 … 1, not 2"):
            state.legal(2)
        with pytest.raises(GameError, match="chance is not to act"):
            state.outcome()
        with pytest.raises(IllegalAction, match="only player 0 acts"):
            state.play((0, 1))
        everyone = Duel().start()
        with pytest.raises(GameError, match="ask legal"):
            everyone.legal()
        for wrong in (0, "0", (0,), (0, 0, 0)):
            with pytest.raises(IllegalAction, match="all 2 players act at once"):
                everyone.play(wrong)
        with pytest.raises(IllegalAction, match="player 1"):
            everyone.play((0, 2))

    def test_only_when_over(self):
        state = tengen.game("pyrga").start()
        with pytest.raises(GameError, match="not over"):
            _ = state.payoffs
        with pytest.raises(GameError, match="not over"):
            _ = state.final_aux

    def test_what_a_game_lacks_is_said(self):
        state = TicTacToe().start()
        with pytest.raises(GameError, match="encode"):
            state.encode(0)
        with pytest.raises(GameError, match="symmetries 0 … 0"):
            state.transform(1)

        class Unfinished(TicTacToe):
            hidden = True
            aux_count = 2
            shape = (1, 3, 3)

            def encode(self, board, viewer):
                return np.zeros((9,))

        state = Unfinished().start()
        for call in (lambda: state.redeal(0), lambda: state.view_key(0)):
            with pytest.raises(GameError, match="declared hidden"):
                call()
        with pytest.raises(GameError, match="declares planes of shape"):
            state.encode(0)
        with pytest.raises(GameError, match="write final_aux"):
            _ = random_game(Unfinished(), 0).final_aux
        assert "as player 1 sees it" in state.text(1)

    def test_a_game_without_its_hooks(self):
        class Empty(Game):
            pass

        with pytest.raises(TypeError, match="abstract"):
            Empty()


class TestViews:
    def test_redeal_keeps_what_the_viewer_sees(self):
        state = tengen.game("kuhn_poker").start(seed=4)
        dealt = [state.redeal(0, seed) for seed in range(20)]
        assert {d.view_key(0) for d in dealt} == {state.view_key(0)}
        assert len({d.key for d in dealt}) == 2
        assert all((d.encode(0) == state.encode(0)).all() for d in dealt)

    def test_encode(self):
        planes = tengen.game("connect_four").start().play(3).encode(1)
        assert planes.dtype == np.float32
        assert planes.shape == (3, 6, 7)
        with pytest.raises(GameError, match="players 0 … 1, not 2"):
            tengen.game("connect_four").start().encode(2)

    def test_symmetries(self):
        game = tengen.game("connect_four")
        state = game.start().play(0)
        assert state.transform(1) == game.start().play(6)
        assert game.transform_action(0, 1) == 6
        assert game.transform_feature(0, 1) == 6

    def test_heuristic(self):
        assert TicTacToe().start().heuristic is None
        assert FullTicTacToe().start().heuristic == (0.0, 0.0)
        assert len(tengen.game("pyrga").start().heuristic) == 2
        assert tengen.game("pig").start().heuristic is None

    def test_drawing(self):
        state = FullTicTacToe().start().play("b2")
        assert str(state) == "· · ·\n· X ·\n· · ·"
        assert state.svg() == state._repr_svg_() == state._repr_html_()
        assert "<svg" in state.svg(viewer=1)
        assert repr(state) == "<State of full_tic_tac_toe: player 1 to act, 1 played>"
        with pytest.raises(GameError):
            state.text(viewer=5)

    def test_a_native_game_draws_without_code(self):
        class Plain(NativeGame):
            def __init__(self):
                super().__init__(_core.ConnectFour())

        assert str(Plain().start()).startswith("Plain ")
        assert Plain().start().text(viewer=0) == str(Plain().start())


class TestValues:
    def test_equality_is_of_positions_not_of_ways(self):
        game = TicTacToe()
        one, two = play_all(game.start(), 0, 1, 2), play_all(game.start(), 2, 1, 0)
        assert one == two
        assert hash(one) == hash(two)
        assert one != play_all(game.start(), 0, 1, 3)
        assert one != "state"
        assert FullTicTacToe().start() != game.start()

    def test_games_are_values(self):
        assert Duel() == Duel(rounds=2)
        assert Duel(3) == Duel(rounds=3) != Duel()
        assert hash(Duel()) == hash(Duel(rounds=2))
        assert repr(Duel(rounds=3)) == "Duel(rounds=3, prize=1.0)"
        assert dict(Duel(rounds=3).settings) == {"rounds": 3, "prize": 1.0}

    @pytest.mark.parametrize("name", NAMES)
    def test_pickle_and_copy(self, name):
        state = random_game(small_game(name), seed=2)
        for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
            assert twin == state
            assert twin.history == state.history
            assert twin.payoffs == state.payoffs

    def test_long_histories_pickle(self):
        state = tengen.game("pig", target=10000).start()
        for _ in range(3000):
            state = state.play(1).play(0)
        assert pickle.loads(pickle.dumps(state)).history == state.history

    def test_keys_are_the_same_in_every_process(self):
        code = "import toy_games; print(toy_games.TicTacToe().start().play(4).key)"
        runs = [
            subprocess.run(
                [sys.executable, "-c", code],
                check=True,
                capture_output=True,
                env={"PYTHONPATH": "tests", "PYTHONHASHSEED": seed},
            )
            for seed in ("1", "2")
        ]
        assert runs[0].stdout == runs[1].stdout
        assert int(runs[0].stdout) == TicTacToe().start().play(4).key

    def test_stable_hash_of_plain_values(self):
        import dataclasses
        import enum

        class Color(enum.Enum):
            RED = 1

        @dataclasses.dataclass(frozen=True)
        class Card:
            color: Color
            value: int

        values = [
            (1, 2),
            ((1,), 2),
            "ab",
            ("a", "b"),
            b"ab",
            None,
            1.5,
            frozenset("abc"),
            {"a": 1, "b": 2},
            Card(Color.RED, 3),
            Card(Color.RED, 4),
            np.arange(5),
            np.arange(6),
            (np.int64(7), 1),
        ]
        assert len({stable_hash(value) for value in values}) == len(values)
        assert stable_hash({"b": 2, "a": 1}) == stable_hash({"a": 1, "b": 2})
        assert stable_hash((np.int64(7), 1)) == stable_hash((7, 1))
        with pytest.raises(GameError, match="write key"):
            stable_hash(object())


class TestHelp:
    """The output of help(tengen.Game) for people who write a game."""

    HOOKS = tuple(name for name, _ in inspect.getmembers(Game, inspect.isfunction) if not name.startswith("_"))

    @pytest.mark.parametrize("name", HOOKS)
    def test_hooks_have_a_docstring_and_types(self, name):
        hook = getattr(Game, name)
        assert inspect.getdoc(hook)
        signature = inspect.signature(hook)
        assert signature.return_annotation is not inspect.Signature.empty
        untyped = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name != "self"]
        assert untyped == []

    @pytest.mark.parametrize("name", ["transform", "transform_action", "transform_feature"])
    def test_symmetry_hooks_are_explained(self, name):
        text = pydoc.render_doc(getattr(Game, name), renderer=pydoc.plaintext)
        assert "symmetry: 'int'" in text
        assert "Return " in text
