"""Players: they choose legal actions by what their seat sees, one at a time or many together."""

import pickle
import random

import numpy as np
import pytest
from arena_helpers import judge, make_network
from search_helpers import all_games, decider, random_state
from toy_games import FullTicTacToe, HighCard, TicTacToe

import tengen
from tengen import SearchSettings
from tengen.arena import FlatPlayer, Player, PolicyPlayer, RandomPlayer, SearchPlayer, evaluate_positions, find_player
from tengen.evaluators import Function
from tengen.search import default_settings
from tengen.search.flat import FlatSettings

# Tests take names: pytest would hold games themselves until the interpreter ends, which nanobind reports as a leak.
GAMES = {game.id: game for game in all_games()}


def positions(game, count=6):
    states = [random_state(game, seed, seed % 5) for seed in range(count)]
    return states, [decider(state) for state in states], [100 + seed for seed in range(count)]


PLAYERS = {
    player.name: player
    for player in (
        RandomPlayer(),
        SearchPlayer("search", "rollout", SearchSettings(visits=20)),
        SearchPlayer("warm", "uniform", SearchSettings(visits=20), temperature=1.0),
        SearchPlayer("judged", judge, SearchSettings(visits=20)),
        FlatPlayer("pimc:3", FlatSettings(3)),
        PolicyPlayer("policy", judge),
        PolicyPlayer("warm policy", judge, temperature=2.0),
    )
}


@pytest.mark.parametrize("game_name", sorted(GAMES))
@pytest.mark.parametrize("name", sorted(PLAYERS))
def test_choices_are_legal_and_do_not_depend_on_company(name, game_name):
    player, game = PLAYERS[name], GAMES[game_name]
    states, seats, seeds = positions(game)
    player.check(game)
    chosen = player.choose(states, seats, seeds)
    assert all(action in state.legal(seat) for action, state, seat in zip(chosen, states, seats, strict=True))
    assert all(type(action) is int for action in chosen)
    alone = [player.choose([s], [p], [n])[0] for s, p, n in zip(states, seats, seeds, strict=True)]
    assert chosen == alone
    assert player.choose([], [], []) == []


@pytest.mark.parametrize("name", sorted(PLAYERS))
def test_choices_depend_on_what_the_seat_sees_only(name):
    """Other players' cards and the deal's order make no difference, for whatever seed."""
    player = PLAYERS[name]
    for game in (tengen.game("kuhn_poker"), HighCard()):
        for seed in range(10):
            state = random_state(game, seed, seed % 3)
            seat = decider(state)
            others = {other.key: other for other in (state.redeal(seat, n) for n in range(20))}.values()
            assert len(others) > 1
            chosen = {player.choose([other], [seat], [7])[0] for other in others}
            assert len(chosen) == 1


def test_a_search_player_plays_what_the_search_finds():
    states, seats, seeds = positions(tengen.game("connect_four"))
    chosen = SearchPlayer("a", "rollout", default_settings("rollout", visits=50), threads=2).choose(
        states, seats, seeds
    )
    found = [
        tengen.search(s, evaluator="rollout", visits=50, seed=n).best.action for s, n in zip(states, seeds, strict=True)
    ]
    assert chosen == found


def test_one_player_serves_several_games():
    player = SearchPlayer("a", "rollout", SearchSettings(visits=8))
    for game in [*GAMES.values()] * 2:
        states, seats, seeds = positions(game, 2)
        assert len(player.choose(states, seats, seeds)) == 2


def test_many_visits_are_searched_in_parts(monkeypatch):
    states, seats, seeds = positions(tengen.game("pyrga"))
    player = SearchPlayer("a", "rollout", SearchSettings(visits=10))
    whole = player.choose(states, seats, seeds)
    monkeypatch.setattr("tengen.arena.players._VISITS_AT_ONCE", 20)
    assert player.choose(states, seats, seeds) == whole


def test_a_policy_player_plays_the_likeliest_legal_action():
    game = tengen.game("pyrga")
    states, seats, seeds = positions(game)
    chosen = PolicyPlayer("a", judge).choose(states, seats, seeds)
    for state, seat, action in zip(states, seats, chosen, strict=True):
        policy, _ = judge(state, seat)
        assert policy[action] == max(policy[legal] for legal in state.legal())


def test_a_warm_policy_player_draws_from_the_policy():
    game = tengen.game("connect_four")
    player = PolicyPlayer("a", lambda state, _: ({0: 1, 3: 3}, 0.0), temperature=1.0)
    chosen = player.choose([game.start()] * 1000, [0] * 1000, range(1000))
    assert set(chosen) == {0, 3}
    assert 700 < chosen.count(3) < 800
    cold = PolicyPlayer("b", lambda state, _: ({0: 1, 3: 3}, 0.0), temperature=0.01)
    assert set(cold.choose([game.start()] * 50, [0] * 50, range(50))) == {3}


def test_where_all_act_the_mixed_strategy_is_drawn_from():
    """Rock-paper-scissors: a foreseeable choice would lose."""
    game = tengen.game("rock_paper_scissors")
    player = find_player("rollout:300", game)
    for seat in (0, 1):
        assert set(player.choose([game.start()] * 60, [seat] * 60, range(60))) == {0, 1, 2}


def test_evaluations_of_positions_are_the_evaluators_words():
    game = FullTicTacToe()
    # More than fit into one batch.
    states = [random_state(game, seed, seed % 6) for seed in range(300)]
    seats = [decider(state) for state in states]
    policies, values = evaluate_positions(game, Function(judge), states, seats, range(300))
    for state, seat, policy, value in zip(states, seats, policies, values, strict=True):
        weights, worth = judge(state, seat)
        legal = state.legal()
        expected = np.zeros(9)
        expected[legal] = np.array(weights)[legal] / sum(weights[action] for action in legal)
        np.testing.assert_allclose(policy, expected, atol=1e-6)
        np.testing.assert_allclose(value, worth, atol=1e-6)


def test_players_come_from_texts():
    game = tengen.game("connect_four")
    assert find_player("random", game).name == "random"
    for text, evaluator, visits in (
        ("rollout:1000", "rollout", 1000),
        ("uniform:400", "uniform", 400),
        ("rollout", "rollout", SearchSettings().visits),
        ("rollout:4@100", "rollout:4", 100),
    ):
        player = find_player(text, game, threads=2)
        assert isinstance(player, SearchPlayer)
        assert (player.name, player.evaluator, player.settings.visits, player.threads) == (text, evaluator, visits, 2)
        assert player.settings == default_settings(evaluator, visits=visits)
    tuned = find_player("rollout:100,c_puct=2,solve=true,rule=puct,temperature=0.5", game)
    assert tuned.settings == SearchSettings(visits=100, c_puct=2.0, solve=True)
    assert tuned.temperature == 0.5
    assert find_player(tuned, game) is tuned
    assert find_player("rollout:100,rule=ucb1", game).settings == SearchSettings(visits=100, rule="ucb1")
    assert SearchPlayer("a").settings == default_settings("rollout")
    heuristic = find_player("heuristic:50", FullTicTacToe())
    assert heuristic.choose([FullTicTacToe().start()], [0], [0])[0] in range(9)


def test_networks_play(tmp_path):
    game = tengen.game("connect_four")
    path = tmp_path / "net,1@2.onnx"
    weights = make_network(path, game)
    states, seats, seeds = positions(game)
    chosen = find_player(f"policy:{path}", game).choose(states, seats, seeds)
    for state, seat, action in zip(states, seats, chosen, strict=True):
        logits = state.encode(seat).ravel() @ weights["policy_weights"]
        assert logits[action] == max(logits[legal] for legal in state.legal())
    player = find_player(f"{path}@20", game)
    assert (player.evaluator, player.settings.visits) == (str(path), 20)
    together = player.choose(states, seats, seeds)
    copy = pickle.loads(pickle.dumps(player))
    assert copy.choose(states, seats, seeds) == together
    policy_copy = pickle.loads(pickle.dumps(find_player(f"policy:{path}", game)))
    assert policy_copy.choose(states, seats, seeds) == chosen
    assert find_player(f"{path}@20,c_puct=2", game).settings.c_puct == 2.0
    plain = tmp_path / "net.onnx"
    path.rename(plain)
    assert find_player(str(plain), game).settings.visits == SearchSettings().visits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "rollout:VISITS"),
        ("randon", "rollout:VISITS"),
        ("random,c_puct=2", "rollout:VISITS"),
        ("policy:", "rollout:VISITS"),
        ("rollout:", "no number of visits"),
        ("rollout:many", "no number of visits"),
        ("rollout:-5", "no number of visits"),
        ("rollout:1", "at least 2 visits"),
        ("rollout:0", "visits is 0"),
        ("rollout:10,c_puck=1", "c_puck"),
        ("rollout:10,c_puct=big", "c_puct"),
        ("rollout:10,temperature=-1", "temperature is -1"),
        ("rollout:10,temperature=hot", "temperature is hot"),
        ("missing.onnx@10", "no network file"),
        ("policy:missing.onnx", "no network file"),
        ("policy:rollout", "no policy of its own"),
        ("guess@10", "no evaluator is called 'guess'"),
    ],
)
def test_unknown_players_are_told_what_there_is(text, message):
    with pytest.raises(ValueError, match=message):
        find_player(text, tengen.game("connect_four"))


def test_a_heuristic_is_the_games_to_have():
    with pytest.raises(ValueError, match="can't play tic_tac_toe: tic_tac_toe has no heuristic"):
        find_player("heuristic:10", TicTacToe())


def test_a_network_for_another_game_is_refused(tmp_path):
    make_network(tmp_path / "net.onnx", tengen.game("connect_four"))
    with pytest.raises(ValueError, match="can't play pyrga"):
        find_player(f"{tmp_path}/net.onnx@10", tengen.game("pyrga"))


def test_a_player_needs_a_name():
    with pytest.raises(ValueError, match="name"):
        SearchPlayer("")
    with pytest.raises(ValueError, match="temperature"):
        PolicyPlayer("a", judge, temperature=float("nan"))
    assert repr(RandomPlayer()) == "<RandomPlayer random>"
    assert issubclass(RandomPlayer, Player)


def test_random_players_try_everything():
    game = tengen.game("connect_four")
    chosen = RandomPlayer().choose(
        [game.start()] * 700, [0] * 700, [random.Random(i).getrandbits(48) for i in range(700)]
    )
    assert all(60 < chosen.count(column) < 140 for column in range(7))


def test_a_games_own_player_keeps_its_text_under_another_name():
    game = tengen.game("matgo")
    player = find_player("greedy", game)
    player.name = "the champion"
    copy = pickle.loads(pickle.dumps(player))
    state = game.start(3)
    assert copy.choose([state], [state.actor], [1]) == [game.greedy(state, 1)]
    assert copy.name == "the champion"


def test_what_players_thought_goes_with_what_they_chose():
    game = tengen.game("connect_four")
    states = [game.start(), game.start().play("d")]
    asked = (states, [0, 1], [5, 6])
    for text in ("random", "rollout:30", "rollout:30,temperature=1", "pimc:5"):
        player = find_player(text, game)
        choices = player.consider(*asked)
        assert [choice.action for choice in choices] == player.choose(*asked)
        for choice in choices:
            assert sum(choice.policy.values()) == pytest.approx(1)
            assert choice.policy[choice.action] > 0
        if text.startswith("rollout"):
            assert all(choice.visits == 30 and len(choice.values) == 2 for choice in choices)
    policy = PolicyPlayer("judge", judge)
    assert [choice.action for choice in policy.consider(*asked)] == policy.choose(*asked)
    assert all(len(choice.values) == 2 for choice in policy.consider(*asked))
