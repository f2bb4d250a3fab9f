"""The planes of prophet and enforcer, compared with a plain reading of their description."""

import random
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.games.shogi import PieceCountWarning
from tengen.labs.shogi.planes import (
    ENTRIES,
    PLANES,
    SLOT_KINDS,
    SLOTS,
    actions_of,
    encode,
    entries_of,
    legal_entries,
    legal_targets,
    mirrored,
    mirrored_actions,
    pack,
)
from tengen.labs.shogi.samples import random_samples, read_games, samples_of

GAME = tengen.game("shogi")
RECORDS = Path(__file__).parents[2] / "shared" / "records" / "shogi" / "engine_2000nodes.usi"


def state_of(sfen, moves=""):
    return GAME.start(sfen=sfen, moves=moves)


def packed(*states):
    return pack(GAME, [state.position for state in states])


def first_slot(kind):
    return sum(list(SLOT_KINDS.values())[: list(SLOT_KINDS).index(kind)])


def random_states(count, seed=1):
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        state = GAME.start(0)
        while not state.is_over and len(found) < count and len(state.history) < 200:
            found.append(state)
            state = state.play(rng.choice(state.legal()))
    return found


def plain_slots(layout, viewer):
    """(color, file, rank | None) and kind of every piece, by slot, as the description says."""
    numbers, slots = {}, {}
    for color in (viewer, 1 - viewer):
        places = []
        for row in range(9):
            for column in range(9):
                file, rank = (8 - column, row) if viewer == 0 else (column, 8 - row)
                piece = layout.board[9 * file + rank]
                if piece and piece >> 4 == color:
                    places.append((KINDS[(piece & 15) - 1], (row, column)))
        for kind, count in zip("PLNSBRG", layout.hands[7 * color : 7 * color + 7], strict=True):
            places += [(kind, None)] * count
        for kind, place in places:
            base = kind.removeprefix("+")
            slots[first_slot(kind) + numbers.get(base, 0)] = (color, place)
            numbers[base] = numbers.get(base, 0) + 1
    return slots


KINDS = ["P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R"]


def cell(name, viewer):
    file, rank = int(name[0]), ord(name[1]) - ord("a")
    return (rank, 9 - file) if viewer == 0 else (8 - rank, file - 1)


def passed(state):
    """The same position with the other side to move."""
    board, side, hands, ply = GAME.sfen(state).split()
    return f"{board} {'w' if side == 'b' else 'b'} {hands} {ply}"


@pytest.mark.parametrize("viewer_to_move", [True, False])
def test_planes_are_as_described(viewer_to_move):
    for state in random_states(60, seed=3):
        viewer = GAME.side(state) if viewer_to_move else 1 - GAME.side(state)
        planes = encode(packed(state), viewer_to_move=viewer_to_move)[0]
        slots = plain_slots(GAME.layout(state), viewer)
        wanted = np.zeros((PLANES, 9, 9), np.float32)
        for slot, (color, place) in slots.items():
            if place is not None:
                wanted[2 * slot][place] = 1 if color == viewer else -1
        turns = [state]
        if not GAME.is_check(state):  # otherwise the other side could take the king
            turns.append(state_of(passed(state)))
        for turn in turns:
            mover = GAME.side(turn)
            for name in map(GAME.name, turn.legal()):
                if name == "win":
                    continue
                source = name[0] if name[1] == "*" else cell(name[:2], viewer)
                for slot, (color, place) in slots.items():
                    is_dropped = place is None and source == kind_of(slot)
                    if color == mover and (is_dropped or (place is not None and place == source)):
                        wanted[2 * slot + 1][cell(name[2:4], viewer)] = 1 if mover == viewer else -1
        if GAME.is_check(state):
            own = [2 * slot + 1 for slot, (color, _) in slots.items() if color == GAME.side(state)]
            assert np.array_equal(planes[::2], wanted[::2])
            assert np.array_equal(planes[own], wanted[own])
        else:
            assert np.array_equal(planes, wanted)


def kind_of(slot):
    return next(kind for kind, count in SLOT_KINDS.items() if first_slot(kind) <= slot < first_slot(kind) + count)


def test_slots_are_those_of_forty_pieces_and_their_promotions():
    assert (SLOTS, PLANES, ENTRIES) == (74, 148, 74 * 81)


@pytest.mark.slow
def test_every_legal_move_of_thousands_of_positions_survives():
    positions = random_samples(GAME, 3000, seed=7)
    legal = legal_entries(positions)
    assert len(legal.rows) > 120_000
    assert np.array_equal(actions_of(positions[legal.rows], legal.entries), legal.actions)
    moves = np.unique(np.stack([legal.rows, legal.actions], axis=1), axis=0).astype(np.int32)
    rows, actions = positions[moves[:, 0]], np.ascontiguousarray(moves[:, 1])
    entries = entries_of(rows, actions)
    assert np.array_equal(actions_of(rows, entries), actions)
    # No two moves of a position share an entry.
    assert len(np.unique(moves[:, 0].astype(np.int64) * ENTRIES + entries)) == len(moves)


@pytest.mark.skipif(not RECORDS.exists(), reason="needs ../shared/records, which is not part of the repository")
def test_moves_of_an_engine_survive(tmp_path):
    (tmp_path / "some.usi").write_text("".join(RECORDS.read_text().splitlines(keepends=True)[:20]))
    samples = samples_of(GAME, read_games([tmp_path / "some.usi"]))
    assert np.array_equal(actions_of(samples.before, entries_of(samples.before, samples.actions)), samples.actions)


def test_legal_targets_are_the_legal_moves():
    states = random_states(40, seed=5)
    targets = legal_targets(packed(*states))
    for state, row in zip(states, targets, strict=True):
        entries = np.flatnonzero(row).astype(np.int32)
        actions = actions_of(np.repeat(packed(state), len(entries), axis=0), entries)
        assert sorted(set(actions.tolist())) == [action for action in state.legal() if GAME.name(action) != "win"]
        others = np.setdiff1d(np.arange(ENTRIES, dtype=np.int32), entries)
        assert (actions_of(np.repeat(packed(state), len(others), axis=0), others) == -1).all()


def test_a_rook_that_promotes_beside_a_dragon_has_a_slot_of_its_own():
    state = state_of("4k4/9/9/9/9/9/1+R7/7R1/4K4 b - 1")
    named = {name: entries_of(packed(state), np.array([GAME.parse(name, state)], np.int32))[0] // 81
             for name in ("8g8c", "2h2c+", "2h2d")}  # fmt: skip
    assert named == {"8g8c": first_slot("+R"), "2h2c+": first_slot("+R") + 1, "2h2d": first_slot("R") + 1}


def test_each_of_several_pawns_in_hand_may_be_dropped():
    state = state_of("4k4/9/9/9/9/9/9/9/4K4 b 3P2p 1")
    planes = encode(packed(state), viewer_to_move=True)[0]
    pawn = first_slot("P")
    assert not planes[2 * pawn : 2 * (pawn + 5) : 2].any()
    for slot in range(pawn, pawn + 3):
        assert planes[2 * slot + 1].sum() == 71
    for slot in (pawn + 3, pawn + 4):
        assert planes[2 * slot + 1].sum() == -71
    for slot in range(3):
        entry = np.array([(pawn + slot) * 81 + 40], np.int32)
        assert GAME.name(int(actions_of(packed(state), entry)[0])) == "P*5e"


def test_a_king_in_check_is_a_target():
    """The prophet's viewer has just given check."""
    state = state_of("4k4/9/4G4/9/9/9/9/9/4K4 b R 1", "R*5b")
    planes = encode(packed(state), viewer_to_move=False)[0]
    assert planes[2 * first_slot("R") + 1, 0, 4] == 1


def test_white_sees_the_board_turned():
    start = GAME.start(0)
    white = state_of(passed(start))
    assert np.array_equal(*(encode(packed(state), viewer_to_move=True) for state in (start, white)))


def test_more_pieces_than_slots_are_refused():
    with pytest.warns(PieceCountWarning):
        state = state_of("4k4/ppppppppp/9/9/9/9/PPPPPPPPP/9/4K4 b P 1")
    with pytest.raises(ValueError, match="more than the 18 pieces"):
        packed(state)


def test_what_is_no_position_is_refused():
    good = packed(GAME.start(0))
    for place, value, text in (
        (0, 15, "no piece 15"),
        (0, 40, "no piece 40"),
        (95, 2, "side to move"),
        (36, 8, "kings"),
    ):
        bad = good.copy()
        bad[0, place] = value  # 36 is 5a, where White's king stands
        with pytest.raises(ValueError, match=text):
            encode(bad, viewer_to_move=True)
    with pytest.raises(IndexError, match="5994"):
        actions_of(good, np.array([ENTRIES], np.int32))
    with pytest.raises(ValueError, match="2 actions for 1 positions"):
        entries_of(good, np.array([1, 2], np.int32))
    with pytest.raises(ValueError, match="illegal in position 0"):
        entries_of(good, np.array([0], np.int32))
    with pytest.raises(TypeError):
        encode(good.astype(np.int64), viewer_to_move=True)


def test_left_and_right_may_be_exchanged():
    positions = random_samples(GAME, 200, seed=9)
    there = mirrored(positions)
    assert np.array_equal(mirrored(there), positions)
    legal, other = legal_entries(positions), legal_entries(there)
    moves, turned = (
        {(int(row), int(action)) for row, action in zip(each.rows, actions, strict=True)}
        for each, actions in ((legal, mirrored_actions()[legal.actions]), (other, other.actions))
    )
    assert moves == turned
    assert GAME.name(int(mirrored_actions()[GAME.parse("7g7f", GAME.start(0))])) == "3g3f"
