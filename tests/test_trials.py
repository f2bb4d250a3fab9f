"""Flat Monte Carlo: every action in the same worlds."""

import random
import statistics

import pytest
from toy_games import HighCard, TicTacToe

import tengen
from tengen.arena import find_player, play_match
from tengen.games import game as find_game

NAMES = ["connect_four", "kuhn_poker", "matgo", "pig", "pyrga", "rock_paper_scissors"]


def decide(state, rng):
    while state.actor == "chance":
        state = state.play(state.outcome(rng.getrandbits(32)))
    return state


@pytest.mark.parametrize("name", NAMES)
def test_every_legal_action_is_tried_and_equal_seeds_agree(name):
    game = find_game(name)
    state = decide(game.start(5), random.Random(1))
    viewer = state.actor if isinstance(state.actor, int) else 1
    trials = game.try_actions(state, viewer, 20, seed=3)
    assert [trial.action for trial in trials] == state.legal(viewer)
    assert trials == game.try_actions(state, viewer, 20, seed=3)
    assert all(trial.error >= 0 for trial in trials)
    if game.id in ("matgo", "pyrga"):
        assert trials != game.try_actions(state, viewer, 20, seed=4)


@pytest.mark.parametrize("game", [TicTacToe(), HighCard()], ids=lambda game: game.id)
def test_games_in_python_are_tried_too(game):
    state = decide(game.start(2), random.Random(1))
    viewer = state.actor if isinstance(state.actor, int) else 0
    trials = game.try_actions(state, viewer, 30, seed=1)
    assert [trial.action for trial in trials] == state.legal(viewer)
    assert trials == game.try_actions(state, viewer, 30, seed=1)


def test_a_winning_move_is_seen():
    state = tengen.game("connect_four").start()
    for column in (3, 0, 3, 0, 3, 1):
        state = state.play(column)
    best = max(state.game.try_actions(state, 0, 50), key=lambda trial: trial.mean)
    assert (best.action, best.mean) == (3, 1.0)


def test_the_same_luck_makes_differences_sure():
    """Errors of differences are smaller than what independent worlds would leave."""
    game = tengen.game("matgo")
    shares = []
    for seed in range(30):
        state = game.start(seed)
        trials = game.try_actions(state, state.actor, 400, seed)
        best = max(trials, key=lambda trial: trial.mean)
        shares += [trial.error / (best.error * 2**0.5) for trial in trials if trial is not best and best.error > 0]
    assert statistics.mean(shares) < 0.9


def test_trying_does_not_see_hidden_cards():
    game = tengen.game("matgo")
    state = game.start(8)
    for _ in range(4):
        state = state.play(game.greedy(state))
    other = state.redeal(state.actor, seed=9)
    assert other.key != state.key
    assert game.try_actions(state, state.actor, 100, seed=1) == game.try_actions(other, state.actor, 100, seed=1)


@pytest.mark.parametrize("worlds", [0, -1, 2**32])
def test_bad_counts_are_refused(worlds):
    game = tengen.game("matgo")
    state = game.start(1)
    with pytest.raises(ValueError, match="worlds"):
        game.try_actions(state, state.actor, worlds)


def test_players_by_name():
    game = tengen.game("matgo")
    assert play_match(game, "greedy", "random", 200, seed=1).score.low > 0.6
    assert play_match(game, "pimc:60", "random", 60, seed=1).score.value > 0.6
    with pytest.raises(ValueError, match="no player is called 'greedy'"):
        find_player("greedy", tengen.game("pyrga"))
    with pytest.raises(ValueError, match="pimc:WORLDS"):
        find_player("pimc:x", game)


def test_greedy_plays_by_what_its_seat_sees():
    game = tengen.game("matgo")
    rng = random.Random(3)
    for seed in range(40):
        state = game.start(seed)
        for _ in range(rng.randrange(12)):
            if not state.is_over:
                state = state.play(rng.choice(state.legal()))
        if state.is_over:
            continue
        chooser = game.chooser("greedy")
        assert chooser(state, state.actor, 1) == chooser(state.redeal(state.actor, seed), state.actor, 1)


# Rollouts by choices that were learned.


def test_learned_choices_earn_more_than_greedy_ones():
    game = tengen.game("matgo")
    assert play_match(game, "fast", "greedy", 4000, seed=1).payoff.low > 0


def test_learned_choices_are_legal_and_by_what_the_seat_sees():
    for preset in ("tengen", "kflower", "hangame"):
        game = tengen.game("matgo", preset=preset)
        chooser = game.chooser("fast")
        for seed in range(40):
            state = game.start(seed)
            while not state.is_over:
                action = chooser(state, state.actor, seed)
                assert action in state.legal()
                assert action == chooser(state.redeal(state.actor, seed), state.actor, seed)
                state = state.play(action)


def test_rollouts_may_be_learned():
    game = tengen.game("matgo")
    state = game.start(4)
    greedy, learned = (game.try_actions(state, state.actor, 50, seed=1, learned=way) for way in (False, True))
    assert [trial.action for trial in greedy] == [trial.action for trial in learned]
    assert greedy != learned
    player = find_player("pimc:50,rollouts=learned", game)
    assert player.choose([state], [state.actor], [1])[0] in state.legal()


@pytest.mark.parametrize("name", ["pyrga", "kuhn_poker"])
def test_games_without_learned_choices_say_so(name):
    game = tengen.game(name)
    state = decide(game.start(5), random.Random(1))
    with pytest.raises(ValueError, match="no learned choice"):
        game.try_actions(state, state.actor, 5, learned=True)
    with pytest.raises(ValueError, match="no learned choices"):
        find_player("pimc:50,rollouts=learned", game)
    with pytest.raises(ValueError, match="no learned choices"):
        TicTacToe().try_actions(TicTacToe().start(), 0, 5, learned=True)


def test_weights_that_do_not_fit_are_refused():
    core = tengen.game("matgo").core
    with pytest.raises(ValueError, match="3 weights, where 487 are due"):
        core.match_weights([1.0, 2.0, 3.0], core.weights, 1, 10, 1e9)
    with pytest.raises(ValueError, match="deals"):
        core.match_weights(core.weights, core.weights, 1, 0, 1e9)
    assert core.match_weights(core.weights, core.weights, 1, 500, 1e9) == 0
