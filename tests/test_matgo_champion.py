"""The champion of Matgo that ships."""

import dataclasses
import random

import pytest

import tengen
from tengen.arena import find_player, play_match, shipped_champion
from tengen.nets.shipped import find_shipped

GAME = tengen.game("matgo")


@pytest.fixture(scope="module")
def shipped():
    found = find_shipped(GAME)
    assert found is not None
    return found


def test_it_is_for_the_rules_that_it_was_grown_by(shipped):
    assert not shipped.is_search
    assert shipped.card["game"]["settings"] == dict(GAME.settings)
    assert find_shipped(tengen.game("matgo", preset="kflower")) is None


def test_its_card_holds_the_ladder(shipped):
    """Each step earns gold from the one below, and the champion does so without thinking longer or daring too much."""
    ladder = shipped.card["ladder"]
    assert [row["second"] for row in ladder] == ["random", "greedy", "pimc:100", "pimc:1000"]
    assert [row["first"] for row in ladder] == ["greedy", "pimc:100", "pimc:1000", shipped.card["player"]]
    assert all(row["gold_low"] > 0 for row in ladder)
    assert ladder[-1]["ms_first"] <= ladder[-1]["ms_second"]
    assert ladder[-1]["go_fail_rate"] <= GAME.rates["go_fail_rate"].safe


def test_its_card_holds_the_worth_of_measured_parts(shipped):
    """The network and the whole champion earn gold in no more time; caution lowers failed gos at no measurable cost."""
    parts = {row["part"]: row for row in shipped.card["parts"]}
    for row in parts.values():
        assert row["games"] >= 20_000
        assert row["won"] + row["drawn"] + row["lost"] == row["games"]
        assert row["ms"][0] <= 1.05 * row["ms"][1]
    for name in ("lead", "champion"):
        assert parts[name]["gold"][1] > 0
    own, other = parts["caution"]["go_fail_rate"]
    assert own <= GAME.rates["go_fail_rate"].safe < other
    assert parts["caution"]["gold"][2] > 0
    player = shipped.card["player"]
    assert all(f",{option}" in player for option in ("caution=12000", "lead=NETWORK"))


@pytest.mark.slow
def test_it_earns_more_than_greedy_play(shipped):
    assert play_match(GAME, "champion", "greedy", 120, seed=3).payoff.low > 0


def test_it_plays_by_what_its_seat_sees(shipped):
    player = find_player("champion", GAME)
    rng = random.Random(5)
    compared = 0
    for seed in range(12):
        state = GAME.start(seed)
        for _ in range(rng.randrange(12)):
            if not state.is_over:
                state = state.play(GAME.greedy(state))
        if state.is_over:
            continue
        other = state.redeal(state.actor, seed)
        assert player.choose([state], [state.actor], [1]) == player.choose([other], [state.actor], [1])
        compared += 1
    assert compared > 6


@pytest.mark.slow
def test_its_network_leads(shipped):
    """With few worlds the network decides some states."""
    card = shipped_champion(shipped).resolved
    alone = find_player(card.changed(flat=dataclasses.replace(card.flat, lead=None)), GAME)
    led = find_player(card, GAME)
    for player in (alone, led):
        player.worlds = 10
    states = [GAME.start(seed) for seed in range(60)]
    seats = [state.actor for state in states]
    assert alone.choose(states, seats, range(60)) != led.choose(states, seats, range(60))
