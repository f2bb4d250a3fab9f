"""Players of the arena in battles, and poke-env's players in the arena."""

import importlib.util
import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pokemon_logs import read_logs
from showdown_peers import SHORT, FakeShowdown
from test_showdown_deciders import situations

import tengen
from tengen.arena import RandomPlayer, find_player, play_match
from tengen.games.pokemon.tracked_state import state_of
from tengen.protocols.showdown import player as showdown_player
from tengen.protocols.showdown.deciding import find_decider

LOGS = read_logs()
needs_poke_env = pytest.mark.skipif(importlib.util.find_spec("poke_env") is None, reason="poke-env is not installed")


@pytest.mark.parametrize("side", ["p1", "p2"])
def test_states_offer_what_the_server_offers(side):
    game = tengen.game("pokemon")
    for log in LOGS[:4]:
        for situation in situations(log, side):
            state = state_of(game, situation.tracker, situation.seed)
            assert tuple(state.legal(situation.tracker.side)) == situation.actions


def test_a_search_decides():
    decider = find_decider("heuristic:50")
    assert decider.name == "heuristic:50"
    for situation in situations(LOGS[SHORT]):
        decision = decider.decide(situation)
        assert decision.action in situation.actions
        assert 0 <= decision.win_rate <= 1
        assert sum(one.share for one in decision.considered) == pytest.approx(1)
        assert {one.action for one in decision.considered} <= set(situation.actions)
        assert all(0 <= one.win_rate <= 1 for one in decision.considered if one.visits)
        assert any(one.visits for one in decision.considered)


def test_a_search_ends_in_time_and_serves_several_threads():
    """A billion visits would take hours."""
    decider = find_decider("heuristic:1000000000")
    # Each from an iteration of its own: its tracker stays where the situation is.
    views = [itertools.islice(situations(LOGS[SHORT]), number, None) for number in range(6)]
    asked = [replace(next(view), seconds=0.05) for view in views]
    with ThreadPoolExecutor(3) as pool:
        for situation, decision in zip(asked, pool.map(decider.decide, asked), strict=True):
            assert decision.action in situation.actions
    decider.close()


@needs_poke_env
def test_poke_envs_players_are_found_by_their_names(monkeypatch):
    game = tengen.game("pokemon")
    assert find_player("showdown:Random", game).name == "showdown:Random"
    with pytest.raises(ValueError, match="poke-env has no player 'Champion'"):
        find_player("showdown:Champion", game)
    with pytest.raises(ValueError, match="can't play pyrga: it plays pokemon"):
        find_player("showdown:Random", tengen.game("pyrga"))
    with pytest.raises(ValueError, match="on a Showdown server only"):
        find_player("showdown:Random", game).choose([game.start(1)], [0], [0])
    with pytest.raises(ValueError, match="one player of a match must be ours"):
        play_match(game, "showdown:Random", "showdown:MaxBasePower", games=2)


@needs_poke_env
@pytest.mark.slow
def test_a_match_of_the_arena_is_played_on_a_server(monkeypatch):
    """The recorded battle ends as it does, whatever is chosen."""
    with FakeShowdown() as server:
        monkeypatch.setattr(showdown_player, "_server", lambda: server)
        result = play_match("pokemon", "showdown:Random", RandomPlayer(), games=2)
        ours = "win" if "|win|A" in LOGS[SHORT]["p1"] else "loss"
    assert (result.wins, result.losses) == ((0, 2) if ours == "win" else (2, 0))
