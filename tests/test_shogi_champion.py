"""The champion of shogi that ships."""

import numpy as np
import pytest

import tengen
from tengen.evaluators import Onnx, choose_evaluator
from tengen.nets.shipped import find_shipped

GAME = tengen.game("shogi")


@pytest.fixture(scope="module")
def shipped():
    found = find_shipped(GAME)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def network(shipped):
    return Onnx(shipped.network)


def test_it_judges_where_nobody_asks_for_another(shipped):
    assert choose_evaluator(None, GAME) == (str(shipped.network), shipped.visits)


def test_it_serves_every_rule_of_declaration_and_limit(shipped, network):
    """The plane of the limit says nothing to it: no game had one when it learned."""
    short = tengen.game("shogi", declaration="TryRule", max_plies=100)
    assert find_shipped(short) == shipped
    moves = "7g7f 3c3d 2g2f 8c8d"
    plain, limited = (network.answer(game.start(moves=moves).encode(0)[None]) for game in (GAME, short))
    for name in ("policy", "value"):
        np.testing.assert_array_equal(plain[name], limited[name])


def test_its_card_says_how_it_was_grown_and_how_strong_it_is(shipped):
    card = shipped.card
    assert "--teacher policy:miniosl" in card["command"]
    assert "BSD" in card["teacher"]["licence"]
    for match in card["matches"]:
        assert match["games"] == match["won"] + match["drawn"] + match["lost"]
        assert match["score"] == pytest.approx((match["won"] + match["drawn"] / 2) / match["games"], abs=1e-3)
        assert match["low"] <= match["score"] <= match["high"]
    assert card["sha256"] == _sha256(shipped.network)
    assert shipped.network.stat().st_size < 3_000_000


def _sha256(path):
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_it_runs_in_the_core_and_needs_no_history(network):
    assert network.is_native
    played = GAME.start(moves="7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b")
    bare = GAME.start(sfen=GAME.sfen(played))
    answers = [network.answer(state.encode(state.actor)[None]) for state in (played, bare)]
    for name in ("policy", "value"):
        np.testing.assert_array_equal(answers[0][name], answers[1][name])


def test_it_takes_what_hangs_and_knows_who_is_ahead():
    """White gives a bishop for nothing."""
    state = GAME.start(moves="7g7f 3c3d 2g2f 2b6f")
    found = tengen.search(state, visits=200, seed=1)
    assert found.best.name in ("8h6f", "6g6f")
    assert tengen.search(state.play("6g6f"), visits=50, seed=1).values[0] > 0.5
