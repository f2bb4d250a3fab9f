"""The network of Pokémon that ships, and what plays where nobody asks for it."""

import hashlib

import numpy as np
import pytest

import tengen
from tengen.arena import find_player
from tengen.console.levels import level_player
from tengen.console.players import read_player
from tengen.evaluators import Onnx, choose_evaluator
from tengen.evaluators.network import read_value
from tengen.nets.shipped import find_shipped

GAME = tengen.game("pokemon")


@pytest.fixture(scope="module")
def shipped():
    found = find_shipped(GAME)
    assert found is not None
    return found


def test_the_heuristic_plays_where_nobody_asks_for_another():
    """It is the stronger of the two at equal time, as the card has it."""
    assert choose_evaluator(None, GAME).evaluator == "heuristic"
    assert str(level_player("champion", GAME)) == "heuristic@50000,temperature=0"


def test_the_network_is_found_by_its_name(shipped):
    assert choose_evaluator("champion", GAME) == (str(shipped.network), shipped.visits)
    state = GAME.start(3)
    assert read_player("champion@8", GAME).choose([state], [1], [1])[0] in state.legal(1)
    assert find_shipped(tengen.game("pokemon", max_turns=50)) == shipped


def test_its_card_says_how_it_was_grown_and_how_strong_it_is(shipped):
    card = shipped.card
    assert "--teacher heuristic:200" in card["command"]
    for match in card["matches"]:
        assert match["games"] == match["won"] + match["drawn"] + match["lost"]
        assert match["score"] == pytest.approx((match["won"] + match["drawn"] / 2) / match["games"], abs=1e-3)
        assert match["low"] <= match["score"] <= match["high"]
    assert card["sha256"] == hashlib.sha256(shipped.network.read_bytes()).hexdigest()
    assert shipped.network.stat().st_size < 1_500_000


def test_it_knows_who_wins_and_sees_what_its_seat_sees(shipped):
    network, player = Onnx(shipped.network), find_player("heuristic:20", GAME)
    right = 0
    for seed in range(8):
        state, states = GAME.start(seed), []
        while not state.is_over:
            states.append(state)
            seats = (0, 1) if state.actor == "all" else (state.actor,)
            chosen = [player.choose([state], [seat], [len(states)])[0] for seat in seats]
            state = state.play(tuple(chosen) if len(chosen) == 2 else chosen[0])
        late = states[-3]
        planes = np.stack([late.encode(0), late.encode(1), late.redeal(0, 5).encode(0)])
        answer = network.answer(planes)
        first, second, again = read_value(GAME, answer["value"], np.array([0, 1, 0]))[:, 0]
        assert first == pytest.approx(again, abs=1e-5)
        right += (first + second > 0) == (state.payoffs[0] > 0)
    assert right >= 6
