"""Shogi at its edges, against a slow referee that tries every move on a plain board, and against what rules say."""

import random

import pytest

import tengen
from tengen.games.shogi import HANDICAPS
from tengen.games.shogi.records import START_SFEN, Board
from tengen.games.shogi.records.pieces import format_square

GAME = tengen.game("shogi")
DROPS = "PLNSGBR"


def king_of(board, seat):
    return board.squares.index("Kk"[seat])


def is_attacked(board, seat):
    """Whether the king of a seat could be taken, were it the other's turn."""
    other = board.copy()
    other.side = 1 - seat
    king = king_of(board, seat)
    return any(other.owner_of(square) == 1 - seat and other._reaches(square, king) for square in range(81))


def tries(board):
    """Every text that could name a move."""
    for origin in range(81):
        if board.owner_of(origin) != board.side:
            continue
        for target in range(81):
            if board.owner_of(target) != board.side and board._reaches(origin, target):
                name = format_square(origin) + format_square(target)
                yield name
                if board.kind_on(origin) not in ("G", "K") and board.kind_on(origin)[0] != "+":
                    yield f"{name}+"
    for kind in DROPS:
        if board.hands[board.side].get(kind):
            yield from (f"{kind}*{format_square(square)}" for square in range(81) if not board.squares[square])


def legal_moves(board, *, with_drop_mate=True):
    for move in tries(board):
        if board.why_impossible(move):
            continue
        after = board.after(move)
        if is_attacked(after, board.side):
            continue
        # Nothing can be put between a pawn and a king beside it, so drops that mate do not matter in the answer.
        is_check = move.startswith("P*") and with_drop_mate and is_attacked(after, after.side)
        if is_check and next(legal_moves(after, with_drop_mate=False), None) is None:
            continue
        yield move


def put_near(board, rng, near, kinds, seat):
    """A piece some squares from another one, if it could stand there."""
    square = near + rng.choice([-20, -18, -11, -10, -9, -8, -2, -1, 1, 2, 8, 9, 10, 11, 18, 20])
    kind = rng.choice(kinds)
    rank = square % 9 if seat == 0 else 8 - square % 9
    if 0 <= square < 81 and not board.squares[square] and rank >= {"P": 1, "L": 1, "N": 2}.get(kind, 0):
        board.squares[square] = kind if seat == 0 else kind.lower()


def random_board(rng):
    """Few pieces around two kings; one of them at its edge between defenders, attackers and a pawn in hand."""
    board = Board([""] * 81, ({}, {}), rng.randrange(2), 1)
    attacker = board.side
    edge = rng.randrange(9) * 9 + (0 if attacker == 0 else 8)
    other = rng.choice([square for square in range(81) if square != edge])
    board.squares[edge], board.squares[other] = ("k", "K") if attacker == 0 else ("K", "k")
    for _ in range(rng.randrange(2, 6)):
        put_near(board, rng, edge, ["G", "S", "N", "L", "R", "B", "+P"], 1 - attacker)
    for _ in range(rng.randrange(3, 7)):
        put_near(board, rng, edge, ["G", "S", "N", "L", "B", "R", "+B", "+R", "+P"], attacker)
    for _ in range(rng.randrange(3)):
        put_near(board, rng, other, ["P", "L", "N", "S", "G", "B", "R", "+R"], rng.randrange(2))
    board.hands[attacker]["P"] = 1
    for hand in board.hands:
        for kind in rng.sample(DROPS[1:], rng.randrange(0, 2)):
            hand[kind] = 1
    return board


def agree(board):
    """Whether the game has exactly the referee's moves; and those."""
    expected = sorted(legal_moves(board))
    state = GAME.start(sfen=board.sfen())
    found = sorted(name for name in map(GAME.name, state.legal()) if name != "win")
    assert found == expected, board.sfen()
    assert (GAME.end(state) == "no moves") == (not expected), board.sfen()
    return expected


@pytest.mark.filterwarnings("ignore::tengen.games.shogi.PieceCountWarning")
def test_random_positions_with_pins_and_drops():
    rng = random.Random(20261117)
    seen = 0
    while seen < 25:
        board = random_board(rng)
        if not is_attacked(board, 1 - board.side):
            seen += 1
            agree(board)


def turned(sfen):
    """The same for the other side."""
    ranks, side, hands, number = sfen.split()
    pieces = [rank[::-1] for rank in ranks.split("/")[::-1]]
    board = "/".join(pieces).swapcase()
    # A plus now stands behind its piece.
    board = "".join(
        "+" + board[at - 1] if sign == "+" else sign for at, sign in enumerate(board) if board[at + 1 : at + 2] != "+"
    )
    return f"{board} {'w' if side == 'b' else 'b'} {hands.swapcase()} {number}"


DROPPED_PAWNS = {
    "the taker is pinned on a rank": ("R6sk/9/8G/9/9/9/9/9/K8 b P 1", False),
    "the taker is pinned on a diagonal": ("7nk/7g1/8G/5B3/9/9/9/9/K8 b P 1", False),
    "the taker is not pinned": ("7nk/7g1/8G/9/9/9/9/9/K8 b P 1", True),
    "something stands between the taker and the pinner": ("7nk/7g1/6p1G/5B3/9/9/9/9/K8 b P 1", True),
    "the taker is pinned on the pawn's own file": ("7nk/9/7G1/8r/9/9/9/9/K7L b P 1", True),
    "two takers, both pinned": ("R6sk/7g1/8G/5B3/9/9/9/9/K8 b P 1", False),
    "two takers, one of them free": ("R6sk/7g1/8G/9/9/9/9/9/K8 b P 1", True),
    "the king takes the pawn": ("7nk/9/9/9/9/9/9/9/K8 b P 1", True),
    "the king has a way out": ("8k/9/8G/9/9/9/9/9/K8 b P 1", True),
    "the way out is seen through the king": ("5R1nk/9/7SG/9/9/9/9/9/K8 b P 1", False),
}


@pytest.mark.parametrize("side", ["black", "white"])
@pytest.mark.parametrize("why", DROPPED_PAWNS)
def test_a_dropped_pawn_may_check_but_not_mate(why, side):
    sfen, is_legal = DROPPED_PAWNS[why]
    move = "P*1b"
    if side == "white":
        sfen, move = turned(sfen), "P*9h"
    assert (move in agree(Board.of_sfen(sfen))) == is_legal


# Repetition.

CHECKS = ["1e1d", "5d5e", "1d1e", "5e5d"]
"""A rook checks a king that goes to and fro: after these four the position is the same again."""
ALONE = "9/9/9/4k4/8R/9/9/9/4K4 b - 1"


def turned_move(move):
    squares = move[:2], move[2:4]
    return "".join(f"{10 - int(file)}{chr(ord('a') + ord('i') - ord(rank))}" for file, rank in squares)


def play(sfen, moves, **settings):
    state = tengen.game("shogi", **settings).start(sfen=sfen)
    for move in moves:
        assert state.actor is not None, move
        state = state.play(move)
    return state


@pytest.mark.parametrize("side", ["black", "white"])
def test_perpetual_check_loses_also_when_the_other_side_moved_last(side):
    sfen, moves = (ALONE, CHECKS) if side == "black" else (turned(ALONE), [turned_move(move) for move in CHECKS])
    assert play(sfen, (moves * 3)[:-1]).actor is not None
    state = play(sfen, moves * 3)
    assert state.game.end(state) == "perpetual check"
    assert state.payoffs == ((-1, 1) if side == "black" else (1, -1))


def test_one_move_without_check_makes_it_a_draw():
    """White steps out of the line, the rook follows a move later."""
    quiet = ["1e1f", "5d5c", "1f1e", "5c5d"]
    state = play(ALONE, [*CHECKS, *CHECKS, *quiet])
    assert (state.game.end(state), state.payoffs) == ("repetition", (0, 0))
    state = play(ALONE, [*quiet, *CHECKS, *CHECKS])
    assert state.game.end(state) == "repetition"


def test_checks_before_the_first_occurrence_do_not_matter_nor_do_quiet_ones():
    """Quiet moves first, then three whole rounds of checks: perpetual check, for only what lies between counts."""
    before = ["5i5h", "5d5c", "5h5i", "5c5b"]
    state = play(ALONE, before)
    assert state.actor == 0
    away = ["5b5c", "1b1c", "5c5b", "1c1b"]
    state = play(ALONE, [*before, "1e1b", *away * 3])
    assert state.game.end(state) == "perpetual check"


def test_hands_and_sides_tell_positions_apart():
    """The same board three times over, with another hand each time, is no repetition."""
    sfen = "4k4/9/9/9/9/9/9/4p4/4K3R b P 1"
    state = play(sfen, ["5i5h", "5a5b"])
    assert state.game.sfen(state).split()[2] == "2P"
    assert state.actor == 0


# Declarations.

ENTERED = "+R+R2K2+B1/PPPP+P+P2+B/2+P6/9/9/9/9/9/4k4 b {} 1"
"""Eleven pieces beside the king: 20 points and 7."""


def can_declare(sfen, rule):
    state = tengen.game("shogi", declaration=rule).start(sfen=sfen)
    return "win" in map(state.game.name, state.legal())


@pytest.mark.parametrize(
    ("rule", "black", "white"),
    [("CSARule27", 28, 27), ("CSARule24", 31, 31), ("CSARule27H", 28, 0), ("CSARule24H", 31, 0)],
)
def test_points_that_a_declaration_needs(rule, black, white):
    """27 points stand on the board, some are in hand. The rest is missing: White's, by the rules with H."""
    for points in range(27, 34):
        sfen = ENTERED.format({27: "-", 28: "P"}.get(points, f"{points - 27}P"))
        assert can_declare(sfen, rule) == (points >= black), points
        assert can_declare(turned(sfen), rule) == (points >= white), points


@pytest.mark.parametrize(("rule", "needed"), [("CSARule27", 27), ("CSARule27H", 17), ("CSARule24H", 21)])
def test_the_points_of_a_handicap_are_given_to_who_plays_without_the_pieces(rule, needed):
    """White has neither rook nor bishop: 44 points in all. Ten pieces are in the camp."""
    for points in range(15, 22):
        pawns = min(9, points - 10)
        golds = points - 10 - pawns
        others = f"RB{4 - golds}G3S4N4L" + {0: "", 1: "P"}.get(9 - pawns, f"{9 - pawns}P")
        own = {0: "", 1: "g"}.get(golds, f"{golds}g") + f"{pawns}p"
        sfen = f"4K4/9/9/9/9/9/s8/ppppppppp/4k4 w {others}{own} 1"
        assert can_declare(sfen, rule) == (points >= needed), sfen


def test_what_else_a_declaration_needs():
    ok = ENTERED.format("P")
    assert can_declare(ok, "CSARule27")
    assert not can_declare(ok, "NoEnteringKing")
    assert not can_declare(ok, "TryRule")
    nine = "+R+R2K2+B1/PPPP4+B/2+P6/9/9/9/9/9/4k4 b 10P 1"  # eight besides the king, points enough
    assert not can_declare(nine, "CSARule27")
    ten = "+R+R2K2+B1/PPPP1+P2+B/2+P6/9/9/9/9/9/4k4 b 10P 1"
    assert can_declare(ten, "CSARule27")
    outside = "+R+R2K2+B1/PPPP4+B/9/2+P2+P3/9/9/9/9/4k4 b 10P 1"  # ten, but two of them below the camp
    assert not can_declare(outside, "CSARule27")
    last_rank = "+R+R5+B1/PPPP1+P2+B/2+P1K4/9/9/9/9/9/4k4 b 10P 1"
    assert can_declare(last_rank, "CSARule27")
    below = "+R+R5+B1/PPPP1+P2+B/2+P6/4K4/9/9/9/9/4k4 b 10P 1"
    assert not can_declare(below, "CSARule27")


def test_a_declaration_wins_and_is_no_move():
    state = tengen.game("shogi").start(sfen=ENTERED.format("P")).play("win")
    assert (state.game.end(state), state.payoffs) == ("declaration", (1, -1))
    state = tengen.game("shogi").start(sfen=turned(ENTERED.format("-"))).play("win")
    assert state.payoffs == (-1, 1)


def test_the_try_is_made_by_the_king_alone_and_only_where_it_is_safe():
    sfen = "9/3K5/9/9/9/9/9/9/k8 b G 1"
    assert play(sfen, ["G*5a"], declaration="TryRule").actor is not None
    assert play(sfen, ["6b6a"], declaration="TryRule").actor is not None
    state = play(sfen, ["6b5a"], declaration="TryRule")
    assert (state.game.end(state), state.payoffs) == ("try", (1, -1))
    assert play(sfen, ["6b5a"]).actor is not None
    state = play(turned(sfen), ["4h5i"], declaration="TryRule")
    assert state.payoffs == (-1, 1)
    guarded = tengen.game("shogi", declaration="TryRule").start(sfen="3r5/3K5/9/9/9/9/9/9/k8 b G 1")
    assert "6b5a" not in map(guarded.game.name, guarded.legal())


# Handicaps, the limit of plies.


@pytest.mark.parametrize("name", [name for name in HANDICAPS if name != "even"])
def test_who_gives_a_handicap_moves_first(name):
    state = GAME.start(handicap=name)
    assert state.actor == 1
    assert state.play(state.legal()[0]).actor == 0
    board = Board.of_sfen(GAME.sfen(state))
    missing = 40 - sum(bool(piece) for piece in board.squares)
    assert missing > 0
    assert sum(piece.isupper() for piece in board.squares) == 20


def test_the_limit_of_plies():
    moves = ["7g7f", "3c3d", "2g2f", "8c8d"]
    assert play(START_SFEN, moves[:3], max_plies=4).actor == 1
    state = play(START_SFEN, moves, max_plies=4)
    assert (state.game.end(state), state.payoffs) == ("max plies", (0, 0))
    # Plies are those of the whole game, which SFEN counts from 1.
    late = START_SFEN.replace(" 1", " 300")
    assert play(late, moves[:1], max_plies=301).actor == 1
    state = play(late, moves[:2], max_plies=301)
    assert state.game.end(state) == "max plies"


def test_who_mates_with_the_last_ply_has_won():
    sfen = "8k/9/7SG/9/9/9/9/9/K8 b - 10"
    state = play(sfen, ["1c1b"], max_plies=10)
    assert (state.game.end(state), state.payoffs) == ("no moves", (1, -1))
    state = play(sfen, ["9i9h"], max_plies=10)
    assert state.game.end(state) == "max plies"
