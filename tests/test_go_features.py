"""The planes and globals that networks see equal KataGo's in every position of its golden files."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import tengen

CASES = json.loads(gzip.decompress((Path(__file__).parent / "data" / "go_features.json.gz").read_bytes()))


def root_state(case):
    """The position as KataGo is asked about it."""
    game = tengen.game("go", size=case["width"], height=case["height"])
    state = game.start(
        rules=case["rules"],
        komi=case["komi"],
        stones=case["stones"],
        moves=case["moves"],
        prevent_cleanup=not case["cleanup"],
    )
    shown = case["input"]
    return game.with_options(
        state,
        root_ply=game.ply(state),
        conservative_pass=shown["conservativePassAndIsRoot"],
        passing_hacks=shown["enablePassingHacks"],
        ignore_history=shown["maxHistory"] == 0,
        playout_doubling_advantage=case["advantage"],
        advantage_player="BW".index(case["player"]),
    )


def planes_of(case):
    rows = [np.array(list(plane), dtype=np.float32) for plane in case["planes"]]
    return np.stack(rows).reshape(22, case["height"], case["width"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_planes_and_globals_equal(case):
    state = root_state(case)
    game = state.game
    assert game.board(state) == case["board"]
    assert game.to_play(state)[0].upper() == case["player"]
    encoded = state.encode(state.actor)
    assert encoded.shape == (41, case["height"], case["width"])
    expected = planes_of(case)
    wrong = [plane for plane in range(22) if not np.array_equal(encoded[plane], expected[plane])]
    assert wrong == []
    assert (encoded[22:] == encoded[22:, :1, :1]).all()
    assert encoded[22:, 0, 0].tolist() == [np.float32(number) for number in case["globals"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_legal_moves_equal(case):
    assert root_state(case).legal() == [action for action, mark in enumerate(case["policy_legal"]) if mark == "1"]


def test_every_plane_is_covered():
    """Plane 8 is unused; the passes of three and four moves ago are in no case."""
    planes = {plane for case in CASES for plane in range(22) if "1" in case["planes"][plane]}
    assert set(range(22)) - planes == {8}
    numbers = {index for case in CASES for index in range(19) if case["globals"][index] != 0}
    assert set(range(19)) - numbers == {2, 3}


def test_passes_further_back():
    game = tengen.game("go", size=9)
    moves = [("b", "D4"), ("w", "pass"), ("b", "E5"), ("w", "F6"), ("b", "G7")]
    encoded = game.start(moves=moves).encode(1)[22:, 0, 0]
    assert encoded[:5].tolist() == [0, 0, 0, 1, 0]
    encoded = game.start(moves=moves[:-1]).encode(0)[22:, 0, 0]
    assert encoded[:5].tolist() == [0, 0, 1, 0, 0]


def test_who_is_not_to_move_sees_no_moves():
    game = tengen.game("go", size=9)
    state = game.start(moves=[("b", "D4"), ("w", "F6")])
    own, other = state.encode(0), state.encode(1)
    assert own[9:14].sum() == 2
    assert other[9:14].sum() == 0
    assert np.array_equal(own[1], other[2])
    assert np.array_equal(own[2], other[1])
    assert own[22 + 5, 0, 0] == -other[22 + 5, 0, 0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_key_tells_options_apart(case):
    state = root_state(case)
    game = state.game
    ply = game.ply(state)
    plain = game.with_options(state, root_ply=ply)
    asked = [
        {"playout_doubling_advantage": 1.0},
        {"playout_doubling_advantage": 1.0, "advantage_player": 1},
        {"white_draw_equivalent": 0.7},
        {"static_factor": 0.1},
        {"dynamic_factor": 0.1},
        {"center": 3.0},
    ]
    keys = {game.with_options(state, root_ply=ply, **options).key for options in asked}
    assert len(keys | {plain.key}) == len(asked) + 1
    assert game.with_options(state, root_ply=ply).key == plain.key
