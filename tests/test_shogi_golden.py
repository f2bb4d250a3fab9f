"""Shogi's rules against recorded answers: counts of moves, legality, repetition and declarations."""

import json
import warnings
from pathlib import Path

import pytest

import tengen

RULES = json.loads((Path(__file__).parent / "data" / "shogi" / "rules.json").read_text())
QUICK = 2_000_000

pytestmark = pytest.mark.filterwarnings("ignore::tengen.games.shogi.PieceCountWarning")


@pytest.fixture(scope="module")
def game():
    return tengen.game("shogi")


@pytest.mark.parametrize("row", RULES["perft"], ids=lambda row: row["name"])
def test_counts_of_moves(game, row):
    position = game.start(sfen=row["sfen"]).position
    counts = [count for count in row["counts"] if count <= QUICK]
    assert [game.core.perft(position, depth + 1) for depth in range(len(counts))] == counts


@pytest.mark.slow
@pytest.mark.parametrize("row", [r for r in RULES["perft"] if r["counts"][-1] > QUICK], ids=lambda row: row["name"])
def test_counts_of_many_moves(game, row):
    position = game.start(sfen=row["sfen"]).position
    assert game.core.perft(position, len(row["counts"])) == row["counts"][-1]


@pytest.mark.parametrize("row", RULES["legal_cases"], ids=lambda row: row["why"])
def test_legality(game, row):
    state = game.start(sfen=row["sfen"])
    assert (row["move"] in map(game.name, state.legal())) is row["expected"]


@pytest.mark.parametrize("row", RULES["repetition"], ids=lambda row: row["name"])
def test_repetition(game, row):
    state = game.start(sfen=row["sfen"])
    for move in row["moves"].split():
        state = state.play(move)
    assert game.replay(game.start(sfen=row["sfen"]), row["moves"]).key == state.key
    if row["expected"] == "none":
        assert not state.is_over
    else:
        assert state.payoffs == {"draw": (0, 0), "black_loses": (-1, 1)}[row["expected"]]
        assert game.end(state) == {"draw": "repetition", "black_loses": "perpetual check"}[row["expected"]]


@pytest.mark.parametrize("row", RULES["nyugyoku"], ids=lambda row: row["name"])
def test_declaration(game, row):
    state = game.start(sfen=row["sfen"])
    assert ("win" in map(game.name, state.legal())) is row["expected"]
    if row["expected"]:
        assert game.end(state.play("win")) == "declaration"
        assert state.play("win").payoffs[state.actor] == 1


@pytest.mark.parametrize("row", RULES["perft"], ids=lambda row: row["name"])
def test_positions_are_written_as_they_were_read(game, row):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = game.start(sfen=row["sfen"])
        written = game.sfen(state)
        assert game.start(sfen=written).view_key(0) == state.view_key(0)
    board, side, hands, number = row["sfen"].split()
    assert written.split()[:2] == [board, side]
    assert sorted(written.split()[2]) == sorted(hands)
    assert written.split()[3] == number
