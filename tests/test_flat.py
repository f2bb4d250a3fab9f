"""Flat Monte Carlo as an evaluator of any game: the same worlds for each move, visits as playouts, no tree."""

import itertools
import math
from fractions import Fraction

import pytest
from toy_games import HighCard

import tengen
from tengen.evaluators import FLAT_VISITS
from tengen.games import names
from tengen.search import Pool, Restriction, SearchSettings

MATGO = tengen.game("matgo")
KUHN = tengen.game("kuhn_poker")


def first_choice(name, seed=3):
    state = tengen.game(name).start(seed=seed)
    while state.actor == "chance":
        state = state.play(state.outcome(seed))
    return state


@pytest.mark.parametrize("name", names())
def test_every_legal_move_is_listed_best_first(name):
    state = first_choice(name)
    viewer = 0 if state.actor == "all" else None
    result = tengen.search(state, evaluator="flat", visits=300, seed=1, viewer=viewer)
    assert result.is_flat
    assert sorted(move.action for move in result.moves) == state.legal(viewer)
    values = [move.value for move in result.moves]
    assert values == sorted(values, reverse=True)
    assert result.best is result.moves[0]
    assert result.value == result.best.value
    assert {move.visits for move in result.moves} == {max(1, 300 // len(values))}
    assert result.visits == sum(move.visits for move in result.moves)
    assert result.is_done


def kuhn_truth(card, move):
    """The exact mean payoff of player 0's first move where everybody plays at random from there on."""
    total = Fraction(0)
    others = [other for other in "JQK" if other != card]
    for other in others:
        states = [(Fraction(1, len(others)), KUHN.start(cards=card + other).play(move))]
        while states:
            share, state = states.pop()
            if state.is_over:
                total += share * Fraction(state.payoffs[0])
                continue
            legal = state.legal()
            states += [(share / len(legal), state.play(action)) for action in legal]
    return float(total)


@pytest.mark.parametrize("card", "JQK")
def test_values_are_the_true_means_within_their_errors(card):
    state = KUHN.start(cards=card + ("Q" if card == "J" else "J"))
    result = tengen.search(state, evaluator="flat", visits=40_000, seed=5)
    for move in result.moves:
        assert move.error < 0.02
        assert abs(move.value - kuhn_truth(card, move.name)) < 4 * move.error + 1e-9


@pytest.mark.parametrize("card", [1, 4, 5])
def test_games_in_python_are_judged_alike(card):
    """Of six cards, three players hold one each: the highest wins two stakes."""
    game = HighCard()
    state = next(state for seed in range(100) if (state := game.start(seed)).position[1][0] == card)
    result = tengen.search(state, evaluator="flat", visits=2000, seed=1)
    highest = card * (card - 1) / 20
    for move in result.moves:
        assert abs(move.value - (1 + move.action) * (3 * highest - 1)) < 4 * move.error + 1e-9
        assert sum(move.values) == pytest.approx(0, abs=1e-9)


def test_errors_are_the_standard_errors_of_repeated_searches():
    state = MATGO.start(seed=11)
    runs = [tengen.search(state, visits=2000, seed=seed) for seed in range(60)]
    for action in state.legal():
        values = [run[action].value for run in runs]
        mean = sum(values) / len(values)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
        claimed = sum(run[action].error for run in runs) / len(runs)
        assert 0.6 < deviation / claimed < 1.5


def test_the_slices_of_the_work_change_nothing():
    state = MATGO.start(seed=4)
    whole = Pool(MATGO, SearchSettings(visits=3000), "flat")
    sliced = Pool(MATGO, SearchSettings(visits=3000), "flat")
    roots = [pool.add(state, seed=9, include=[state.legal()[0]], include_visits=700) for pool in (whole, sliced)]
    whole.run()
    for step in itertools.cycle((1, 17, 400)):
        if sliced.step(step):
            break
    results = [pool.result(root, aux=True) for pool, root in zip((whole, sliced), roots, strict=True)]
    for ours, theirs in zip(*(result.moves for result in results), strict=True):
        assert (ours.action, ours.visits) == (theirs.action, theirs.visits)
        assert ours.value == pytest.approx(theirs.value, rel=1e-9)
        assert ours.aux == pytest.approx(theirs.aux, rel=1e-5)


def test_a_larger_budget_goes_on_with_the_same_worlds():
    """What a few worlds show is the beginning of what many do."""
    state = MATGO.start(seed=4)
    pool = Pool(MATGO, SearchSettings(visits=4000), "flat")
    root = pool.add(state, seed=3)
    few = tengen.search(state, visits=400, seed=3)
    while pool.progress(root)[0] < few.visits:
        pool.step(len(state.legal()))
    assert [(move.action, move.value) for move in pool.result(root).moves] == [
        (move.action, pytest.approx(move.value)) for move in few.moves
    ]


def test_the_same_question_gets_the_same_answer():
    """Also from other hidden cards; a seed asks for other worlds."""
    state = MATGO.start(seed=8)
    asked = [tengen.search(s, visits=700) for s in (state, state, state.redeal(state.actor, 3))]
    assert asked[0].table() == asked[1].table() == asked[2].table()
    assert tengen.search(state, visits=700, seed=1).table() != asked[0].table()


def test_included_moves_get_their_visits_on_top():
    state = MATGO.start(seed=8)
    worst = tengen.search(state, visits=2000).moves[-1].action
    result = tengen.search(state, visits=1000, include=[worst], include_visits=900)
    share = 1000 // len(state.legal())
    assert {move.visits for move in result.moves if move.action != worst} == {share}
    assert result[worst].visits == 900
    assert result[worst].included
    assert result.guaranteed_visits == 900 - share
    assert tengen.search(state, visits=10_000, include=[worst], include_visits=5)[worst].visits > 900


def test_moves_are_allowed_and_avoided():
    state = MATGO.start(seed=8)
    first, second, *others = state.legal()
    chosen = {move.action for move in tengen.search(state, visits=100, allow=[first, second]).moves}
    assert chosen == {first, second}
    assert {move.action for move in tengen.search(state, visits=100, avoid=[first]).moves} == {second, *others}
    for misuse in ({"allow": []}, {"avoid": state.legal()}):
        with pytest.raises(ValueError, match="allow"):
            tengen.search(state, visits=100, **misuse)
    with pytest.raises(ValueError, match="until_depth is 3"):
        tengen.search(state, visits=100, avoid=[Restriction([first], until_depth=3)])


@pytest.mark.parametrize("setting", [{"c_puct": 2.0}, {"rule": "ucb1"}, {"noise_fraction": 0.2}])
def test_what_belongs_to_a_tree_is_refused_by_name(setting):
    [name] = setting
    with pytest.raises(ValueError, match=f"{name}.*flat Monte Carlo"):
        tengen.search(MATGO.start(seed=1), visits=100, **setting)


def test_time_ends_it_and_the_default_budget_is_known():
    state = MATGO.start(seed=1)
    hurried = tengen.search(state, visits=10**9, seconds=0.05)
    assert not hurried.is_done
    assert {move.action for move in hurried.moves} == set(state.legal())
    assert FLAT_VISITS - len(state.legal()) < tengen.search(state).visits <= FLAT_VISITS


def test_a_root_that_moves_on_begins_anew():
    state = MATGO.start(seed=6)
    pool = Pool(MATGO, SearchSettings(visits=500), "flat")
    root = pool.add(state, seed=1)
    pool.run()
    chosen = pool.choose(root)
    assert chosen == pool.result(root).best.action
    mover = state.actor
    while (state := pool.advance(root, chosen)).actor == mover:
        chosen = state.legal()[0]
    with pytest.raises(ValueError, match="is to act"):
        pool.step()


def test_where_all_choose_at_once_somebody_must_ask():
    state = tengen.game("rock_paper_scissors").start()
    with pytest.raises(ValueError, match="viewer"):
        tengen.search(state, evaluator="flat")
