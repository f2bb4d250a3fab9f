"""Flat Monte Carlo: every action in the same worlds."""

import random
import statistics

import pytest
from shipped_games import NAMES, small_game
from toy_games import HighCard, TicTacToe

import tengen
from tengen.arena import FlatPlayer, find_player, play_match
from tengen.search.flat import FlatSettings, flat_search


def flat(state, viewer, worlds, seed=0, prior_bonus=(), **settings):
    return flat_search(state, viewer, FlatSettings(worlds, **settings), seed, prior_bonus)


def decide(state, rng):
    while state.actor == "chance":
        state = state.play(state.outcome(rng.getrandbits(32)))
    return state


@pytest.mark.parametrize("name", NAMES)
def test_every_legal_action_is_played_out_and_equal_seeds_agree(name):
    game = small_game(name)
    state = decide(game.start(5), random.Random(1))
    viewer = state.actor if isinstance(state.actor, int) else 1
    moves = flat(state, viewer, 20, seed=3)
    assert [move.action for move in moves] == state.legal(viewer)
    assert moves == flat(state, viewer, 20, seed=3)
    assert all(move.error >= 0 for move in moves)
    if game.id in ("matgo", "pyrga"):
        assert moves != flat(state, viewer, 20, seed=4)


@pytest.mark.parametrize("game", [TicTacToe(), HighCard()], ids=lambda game: game.id)
def test_games_in_python_are_tried_too(game):
    state = decide(game.start(2), random.Random(1))
    viewer = state.actor if isinstance(state.actor, int) else 0
    moves = flat(state, viewer, 30, seed=1)
    assert [move.action for move in moves] == state.legal(viewer)
    assert moves == flat(state, viewer, 30, seed=1)


def test_a_winning_move_is_seen():
    state = tengen.game("connect_four").start()
    for column in (3, 0, 3, 0, 3, 1):
        state = state.play(column)
    best = max(flat(state, 0, 50), key=lambda move: move.mean)
    assert (best.action, best.mean) == (3, 1.0)


def test_the_same_luck_makes_differences_sure():
    """Errors of differences are smaller than what independent worlds would leave."""
    game = tengen.game("matgo")
    shares = []
    for seed in range(30):
        state = game.start(seed)
        moves = flat(state, state.actor, 400, seed)
        best = max(moves, key=lambda move: move.mean)
        shares += [move.error / (best.error * 2**0.5) for move in moves if move is not best and best.error > 0]
    assert statistics.mean(shares) < 0.9


def test_trying_does_not_see_hidden_cards():
    game = tengen.game("matgo")
    state = game.start(8)
    for _ in range(4):
        state = state.play(game.greedy(state))
    other = state.redeal(state.actor, seed=9)
    assert other.key != state.key
    assert flat(state, state.actor, 100, seed=1) == flat(other, state.actor, 100, seed=1)


@pytest.mark.parametrize("worlds", [0, -1, 2**32])
def test_bad_counts_are_refused(worlds):
    game = tengen.game("matgo")
    state = game.start(1)
    with pytest.raises(ValueError, match="worlds"):
        flat(state, state.actor, worlds)


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
        builtin_player = game.builtin_player("greedy")
        assert builtin_player(state, state.actor, 1) == builtin_player(state.redeal(state.actor, seed), state.actor, 1)


# Rollouts by choices that were learned.


@pytest.mark.slow
def test_learned_choices_earn_more_than_greedy_ones():
    game = tengen.game("matgo")
    assert play_match(game, "fast", "greedy", 4000, seed=1).payoff.low > 0


def test_learned_choices_are_legal_and_by_what_the_seat_sees():
    for preset in ("tengen", "kflower", "hangame"):
        game = tengen.game("matgo", preset=preset)
        builtin_player = game.builtin_player("fast")
        for seed in range(40):
            state = game.start(seed)
            while not state.is_over:
                action = builtin_player(state, state.actor, seed)
                assert action in state.legal()
                assert action == builtin_player(state.redeal(state.actor, seed), state.actor, seed)
                state = state.play(action)


def test_rollouts_may_be_learned():
    game = tengen.game("matgo")
    state = game.start(4)
    greedy, learned = (flat(state, state.actor, 50, seed=1, rollout_policy=way) for way in (None, "learned"))
    assert greedy == flat(state, state.actor, 50, seed=1, rollout_policy="greedy")
    assert learned == flat(state, state.actor, 50, seed=1, rollout_policy="best")
    assert [move.action for move in greedy] == [move.action for move in learned]
    assert greedy != learned
    player = find_player("pimc:50,rollouts=learned", game)
    assert player.choose([state], [state.actor], [1])[0] in state.legal()


@pytest.mark.parametrize("name", ["pyrga", "kuhn_poker"])
def test_games_without_learned_choices_say_so(name):
    game = tengen.game(name)
    state = decide(game.start(5), random.Random(1))
    with pytest.raises(ValueError, match="no rollout policy"):
        flat(state, state.actor, 5, rollout_policy="learned")
    with pytest.raises(ValueError, match="no rollout policy"):
        find_player("pimc:50,rollouts=learned", game)
    with pytest.raises(ValueError, match="no rollout policy"):
        flat(TicTacToe().start(), 0, 5, rollout_policy="learned")


def test_weights_that_do_not_fit_are_refused():
    core = tengen.game("matgo").core
    with pytest.raises(ValueError, match="3 weights, where 747 are due"):
        core.match_weights([1.0, 2.0, 3.0], core.weights, 1, 10, 1e9)
    with pytest.raises(ValueError, match="deals"):
        core.match_weights(core.weights, core.weights, 1, 0, 1e9)
    payoff, risks, gos = core.match_weights(core.weights, core.weights, 1, 500, 1e9)
    assert payoff == 0
    assert risks[0] == risks[1]
    assert 0 < gos[0] == gos[1]


# Narrowing down, daring, and who speaks first.


@pytest.mark.parametrize("game", [tengen.game("matgo"), tengen.game("pyrga"), HighCard()], ids=lambda game: game.id)
def test_halving_tells_of_every_action_and_is_reproducible(game):
    state = decide(game.start(5), random.Random(1))
    viewer = state.actor
    moves = flat(state, viewer, 40, 3, halving=True)
    assert [move.action for move in moves] == state.legal(viewer)
    assert moves == flat(state, viewer, 40, 3, halving=True)
    if len(moves) > 2:
        assert moves != flat(state, viewer, 40, 3)


def test_halving_knows_the_best_better_for_as_many_tries():
    game = tengen.game("matgo")
    even, halved = [], []
    for seed in range(25):
        state = game.start(seed)
        for errors, way in ((even, False), (halved, True)):
            moves = flat(state, state.actor, 200, seed, halving=way)
            errors.append(max(moves, key=lambda move: move.mean).error)
    assert statistics.mean(halved) < 0.8 * statistics.mean(even)


def test_what_was_dropped_is_as_far_from_the_best_as_it_was():
    """In worlds that all are alike, halving changes nothing."""
    state = tengen.game("connect_four").start()
    for column in (3, 0, 3, 0, 3, 1):
        state = state.play(column)
    moves = flat(state, state.actor, 64, halving=True)
    assert max(moves, key=lambda move: move.mean).action == 3
    assert all(move.mean <= 1.0 for move in moves)


def test_a_lead_decides_who_goes_on():
    game = tengen.game("matgo")
    state = game.start(4)
    legal = state.legal()
    worst = min(flat(state, state.actor, 2000, 1), key=lambda move: move.mean).action
    lead = [1e9 if action == worst else 0.0 for action in legal]
    led, plain = (
        {move.action: move for move in flat(state, state.actor, 200, 1, halving=True, prior_bonus=way)}
        for way in (lead, [])
    )
    assert led[worst].error < plain[worst].error  # it was tried in more worlds
    for asked in (game, HighCard()):
        state = decide(asked.start(4), random.Random(1))
        with pytest.raises(ValueError, match="has 1 numbers for"):
            flat(state, state.actor, 10, prior_bonus=[1.0])


def test_payoffs_beyond_the_most_count_as_that():
    game = tengen.game("matgo")
    state = game.start(4)
    moves = flat(state, state.actor, 200, 1, payoff_cap=100 / game.payoff_scale)
    assert all(abs(move.mean) <= 100 for move in moves)
    assert moves != flat(state, state.actor, 200, 1)
    assert [t.win_rate for t in moves] == [t.win_rate for t in flat(state, state.actor, 200, 1)]
    for bad in ({"payoff_cap": 0.0}, {"payoff_cap": float("nan")}, {"penalty_weight": -1.0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            flat(state, state.actor, 10, **bad)


def go_decisions(game, count):
    names = {game.name(action): action for action in range(game.action_count)}
    found, seed = [], 0
    while len(found) < count:
        state, seed = game.start(seed), seed + 1
        while not state.is_over:
            if names["고"] in state.legal():
                found.append(state)
            state = state.play(game.greedy(state))
    return found, names["고"], names["스톱"]


def test_only_what_was_dared_is_a_risk():
    game = tengen.game("matgo")
    first = game.start(4)
    assert all(move.penalty == 0 for move in flat(first, first.actor, 50))
    states, go, stop = go_decisions(game, 10)
    for state in states:
        risks = {move.action: move.penalty for move in flat(state, state.actor, 100)}
        gos = game.view(state).gos[state.actor]
        assert risks[stop] == pytest.approx(-0.08 * gos)  # whoever stops wins
        assert -0.08 * (gos + 1) - 1e-9 <= risks[go] <= 0.92 * (gos + 1) + 1e-9
        fails = risks[go] / (gos + 1) + 0.08
        assert fails == pytest.approx(round(fails * 100) / 100)


def test_the_careful_stop():
    game = tengen.game("matgo")
    states, go, _ = go_decisions(game, 40)
    seats = [state.actor for state in states]
    chosen = {}
    for caution in (0, 3000, 1_000_000):
        player = find_player(f"pimc:100,rollouts=learned,caution={caution}", game)
        chosen[caution] = player.choose(states, seats, range(len(states)))
    goes = [actions.count(go) for actions in chosen.values()]
    assert goes[0] >= goes[1] >= goes[2]
    assert goes[0] > goes[2]


def test_a_network_may_speak_first():
    """A policy is read as payoffs: who is sure enough outweighs what was tried, and who is not does not."""
    game = tengen.game("matgo")
    state = game.start(4)
    legal = state.legal()
    worst = min(flat(state, state.actor, 2000, 1), key=lambda move: move.mean).action
    sure = FlatPlayer("sure", FlatSettings(50), prior=lambda *_: ({worst: 1.0}, 0.0))
    unsure = FlatPlayer("unsure", FlatSettings(50), prior=lambda *_: (dict.fromkeys(legal, 1.0), 0.0))
    plain = FlatPlayer("plain", FlatSettings(50))
    assert sure.choose([state], [state.actor], [1]) == [worst]
    assert unsure.choose([state], [state.actor], [1]) == plain.choose([state], [state.actor], [1]) != [worst]
    with pytest.raises(ValueError, match="no policy of its own"):
        find_player("pimc:9,lead=rollout", game)


@pytest.mark.parametrize(
    "text",
    ["pimc:9,rollouts=none", "pimc:9,halving=3", "pimc:9,caution=x", "pimc:9,caution=-1", "pimc:9,depth=2", "pimc:0"],
)
def test_flat_players_that_make_no_sense_are_refused(text):
    with pytest.raises(ValueError, match="pimc"):
        find_player(text, tengen.game("matgo"))
