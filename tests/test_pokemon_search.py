"""Pokémon's heuristics, its policy for priors, the other side's choices by move, and the time of a choice."""

import random
from collections import Counter

import pytest

import tengen
from tengen.arena import find_player
from tengen.play import SearchAdviser, SearchOpponent
from tengen.play.search_run import settings_for
from tengen.search import search

GAME = tengen.game("pokemon")


def test_heuristics_by_name():
    assert GAME.heuristics == ("field", "playout", "matchup")
    state = GAME.start(3).play(("move 1", "move 1"))
    best, named, field, playout = (
        search(state, evaluator=name, visits=60, seed=2)
        for name in ("heuristic", "heuristic:matchup", "heuristic:field", "heuristic:playout")
    )
    assert best == named
    assert best.values not in (field.values, playout.values)
    assert playout == search(state, evaluator="heuristic:playout", visits=60, seed=2)
    with pytest.raises(ValueError, match="pokemon has no heuristic 'nose': there is field, playout, matchup"):
        search(state, evaluator="heuristic:nose", visits=5)
    with pytest.raises(ValueError, match="pyrga has no heuristic 'field'"):
        search(tengen.game("pyrga").start(), evaluator="heuristic:field", visits=5)
    assert find_player("heuristic:field@50", GAME).choose([state], [0], [1])[0] in state.legal(0)


def test_the_field_heuristic_is_half_by_who_is_there():
    state = GAME.start(3)
    while state.actor == "all":
        state = state.play(tuple(next(a for a in state.legal(player) if a >= 6) for player in (0, 1)))
    sides = [GAME.side(state.position, player) for player in (0, 1)]
    assert any(member["hp"] < member["stats"][0] for side in sides for member in side["team"])

    def worth(side):
        shares = [member["hp"] / (member["maxhp"] or member["stats"][0]) for member in side["team"]]
        return 0.5 * shares[side["active"]] + 0.3 * side["left"] / 6 + 0.2 * sum(shares) / 6

    by_field = search(state, evaluator="heuristic:field", visits=1, viewer=state.actor, seed=1)
    # The other team's HP are drawn behind their percents.
    assert by_field.values[0] == pytest.approx(worth(sides[0]) - worth(sides[1]), abs=0.02)


def test_priors_are_the_games_own_policy():
    state = GAME.start(3)
    with_policy = search(state, evaluator="heuristic", visits=400, seed=1, viewer=0)
    priors = {move.action: move.prior for move in with_policy.moves if move.player == 0}
    assert set(priors) == set(state.legal(0))
    assert sum(priors.values()) == pytest.approx(1, abs=1e-4)
    assert max(priors.values()) > 1.3 / len(priors)
    assert min(priors.values()) < 0.7 / len(priors)
    assert len({round(prior, 6) for prior in priors.values()}) > 5


def test_choices_of_the_other_side_are_named_by_move():
    result = search(GAME.start(3), evaluator="heuristic", visits=800, seed=1, viewer=0)
    theirs = {GAME.format_action(move.action): move.visits for move in result.moves if move.player == 1}
    plain = {name: visits for name, visits in theirs.items() if f"dynamax {name}" in theirs}
    assert len(plain) >= 4
    known = {move for one in GAME.seen(GAME.start(3).position, 0) for move in one.moves}
    strange = {name for name in plain if name.casefold().replace(" ", "").replace("-", "") not in known}
    # In one world of a hundred it is a Zoroark in disguise.
    assert sum(plain[name] for name in strange) < 0.1 * sum(plain.values())
    assert len(plain) - len(strange) >= 4
    with pytest.raises(ValueError, match="label"):
        GAME.core.label_name(3)


def test_a_choice_may_have_a_time_instead_of_visits():
    player = find_player("heuristic:100000000,seconds=0.05", GAME)
    state = GAME.start(3)
    (choice,) = player.consider([state], [0], [1])
    assert choice.action in state.legal(0)
    assert 2 <= choice.visits < 100_000_000
    for wrong in ("0", "never"):
        with pytest.raises(ValueError, match=r"seconds is .* and must be a number above 0"):
            find_player(f"heuristic:10,seconds={wrong}", GAME)


def test_a_player_may_leave_out_what_it_does():
    state = GAME.start(3)
    plain, held = (find_player(f"heuristic:200{more}", GAME) for more in ("", ",avoid=dynamax*"))
    for choices, has_them in ((plain.consider([state], [1], [1]), True), (held.consider([state], [1], [1]), False)):
        assert any(action >= 10 for action in choices[0].policy) == has_them
    # A player without any other choice makes it nevertheless.
    only = find_player("heuristic:50,avoid=*", GAME)
    assert only.choose([state], [0], [1])[0] in state.legal(0)
    with pytest.raises(ValueError, match="no action of pokemon is called 'castle'"):
        find_player("heuristic:50,avoid=castle", GAME)


def test_a_player_may_believe_that_all_sets_are_alike():
    believing = GAME.believe({"sets": "uniform"})
    assert believing == GAME
    assert believing.core.has_uniform_sets
    assert not GAME.core.has_uniform_sets
    state = GAME.start(3)
    plain, other = (find_player(f"heuristic:300{more}", GAME) for more in ("", ",sets=uniform"))
    assert plain.consider([state], [0], [1]) != other.consider([state], [0], [1])
    assert plain.consider([state], [0], [1]) == find_player("heuristic:300,sets=generator", GAME).consider(
        [state], [0], [1]
    )
    with pytest.raises(ValueError, match="sets is 'mine' and must be generator or uniform"):
        find_player("heuristic:50,sets=mine", GAME)
    with pytest.raises(ValueError, match="no belief 'luck': there are sets"):
        GAME.believe({"luck": "good"})


def test_sets_that_are_believed_to_be_alike_are():
    """The rarest set of a species comes up as often as the others."""

    def moves_in(game, count=300):
        found = Counter()
        for seed in range(count):
            world = game.start(5).redeal(0, seed)
            team = game.position(world.position)["sides"][1]["team"]
            lead = team[game.position(world.position)["sides"][1]["active"]]
            found[lead["species"], tuple(sorted(move[0] for move in lead["moves"])), lead["item"]] += 1
        return found

    true, alike = moves_in(GAME), moves_in(GAME.believe({"sets": "uniform"}))
    assert len(alike) > 4
    assert len(alike) >= len(true)
    assert max(alike.values()) < max(true.values())


@pytest.mark.slow
def test_it_beats_the_field_heuristic():
    """At the same visits: 16 battles of a match that it wins by four to one."""
    players = [find_player(spec, GAME) for spec in ("heuristic:150", "heuristic:field@150")]
    score = 0.0
    for number in range(16):
        seat, state, step = number % 2, GAME.start(100 + number // 2), 0
        while not state.is_over:
            step += 1
            seats = (0, 1) if state.actor == "all" else (state.actor,)
            chosen = [players[(who - seat) % 2].choose([state], [who], [1000 * number + step])[0] for who in seats]
            state = state.play(tuple(chosen) if len(chosen) == 2 else chosen[0])
        score += (state.payoffs[seat] + 1) / 2
    assert score >= 9


def test_guaranteed_visits_have_no_share_in_the_mixture():
    state = GAME.start(3)
    legal = state.legal(0)
    visits = 100 * len(legal)
    result = tengen.search(state, visits=2 * visits, seed=1, viewer=0, include=legal, include_visits=100)
    own = [move for move in result.moves if move.player == 0]
    assert all(move.visits >= 100 for move in own)
    assert sum(move.policy for move in own) == pytest.approx(1)
    # With them the last choices would have 100 visits of 2,600, 3.8 %, and more.
    assert sorted(move.policy for move in own)[len(own) // 2] < 0.02
    alone = tengen.search(state, visits=visits // 2, seed=1, viewer=0, include=legal, include_visits=100)
    assert sum(move.policy for move in alone.moves if move.player == 0) == pytest.approx(1)


def test_shares_of_hints_are_those_of_free_visits():
    computer = SearchOpponent(GAME, settings_for(GAME, "heuristic", 400), "heuristic", random.Random(1))
    advice = SearchAdviser(computer).hint(GAME.start(3), 0)
    assert sum(move.share for move in advice) == pytest.approx(1)
    # Every choice is guaranteed a 26th of the visits.
    assert sum(move.share < 0.01 for move in advice) >= len(advice) // 2
    assert all(move.visits >= 4000 // 26 for move in advice)
