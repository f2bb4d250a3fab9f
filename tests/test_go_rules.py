"""Go's rules on positions made by hand: ko, suicide, life, the ways to count, and what ends a game."""

import pytest
from go_positions import is_no_result, legal_names, phase, play, setup, white_komi

import tengen

KO = "D6 E6 C5 F5 D4 E4 A1 D5 E5"  # Black has just taken on D5


def with_ko(ko, **rules):
    return {"ko": ko.upper(), "suicide": False} | rules


# Ko.


@pytest.mark.parametrize("ko", ["simple", "positional", "situational", "spight"])
def test_a_ko_may_not_be_taken_back_at_once(ko):
    state = play(tengen.game("go", size=9).start(rules=with_ko(ko)), KO)
    game = state.game
    assert game.name(game.go.ko(state.position)) == "D5"
    assert "D5" not in legal_names(state)
    with pytest.raises(tengen.games.IllegalAction, match=r"\(D5\) is illegal for player 1"):
        state.play("D5")
    assert "D5" in legal_names(play(state, "J9 J1"))


@pytest.mark.parametrize(
    ("ko", "is_lifted"), [("simple", True), ("spight", True), ("positional", False), ("situational", False)]
)
def test_two_passes_lift_a_ko_only_without_superko(ko, is_lifted):
    game = tengen.game("go", size=9)
    moves = [*zip("bw" * 5, KO.split(), strict=False), ("w", "pass"), ("b", "pass")]
    state = game.with_options(game.start(rules=with_ko(ko), moves=moves), root_ply=len(moves))
    assert ("D5" in legal_names(state)) == is_lifted


def test_who_is_to_move_makes_the_difference_between_superkos():
    """White's A2 would bring back the position after B3, but with Black to move where White was."""
    moves = "B2 A2 B1 B3 C1 A1 A3"
    game = tengen.game("go", size=3)
    assert legal_names(play(game.start(rules=with_ko("positional")), moves)) == {"C3", "C2", "A1", "pass"}
    assert legal_names(play(game.start(rules=with_ko("situational")), moves)) == {"C3", "A2", "C2", "A1", "pass"}
    assert legal_names(play(game.start(rules=with_ko("simple")), moves)) == {"C3", "A2", "C2", "A1", "pass"}


def test_the_third_time_of_a_position_is_no_result():
    """On two by two points under simple ko."""
    state = play(tengen.game("go", size=2).start(rules=with_ko("simple")), "A2 B1 B2 A1 A2 B2 A2 A1 B2 B1 A2 B2")
    assert not state.is_over
    state = state.play("A2")
    assert state.is_over
    assert is_no_result(state)
    assert state.payoffs == (0, 0)
    assert state.final_aux.tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert "no result" in str(state)


def test_under_spights_rule_a_repeated_pass_ends_the_game():
    state = tengen.game("go", size=5).start(rules=with_ko("spight"))
    state = play(state, "C3 pass pass")
    assert not state.is_over
    assert state.play("pass").is_over


# Suicide.


def test_suicide():
    rows = """
    .O...
    .O...
    OO...
    .....
    ....."""
    for suicide in (False, True):
        state = setup(rows, rules={"suicide": suicide})
        two = state.play("A5").play("E1")
        assert ("A4" in legal_names(two)) == suicide
    after = two.play("A4")
    assert after.game.board(after) == ".O.../.O.../OO.../...../....O"
    assert after.game.go.captured(after.position) == (2, 0)
    # A single stone never takes itself.
    alone = setup(".O. OO. ...", rules={"suicide": True})
    assert "A3" not in legal_names(alone)


# Counting.

GROUPS = """
.XO.OX.
XXOOOXX
.XO.OX.
XXOOOXX"""  # two living groups of Black's, one of White's, two eyes each


@pytest.mark.parametrize(
    ("rules", "lead"),
    [
        ("tromp-taylor", 4),  # 16 points of 28
        ('{"tax": "SEKI"}', 4),
        ("stone-scoring", 2),  # two points of tax for each group
        ("japanese", 2),  # four eyes against two
        ('{"scoring": "TERRITORY", "tax": "NONE"}', 2),
        ("ancient-territory", 0),
    ],
)
def test_ways_to_count(rules, lead):
    state = setup(GROUPS, rules=rules)
    assert state.game.score(state) == lead
    assert state.game.score(setup(GROUPS, rules=rules, komi=6.5)) == lead - 6.5
    if "TERRITORY" not in rules and rules not in ("japanese", "ancient-territory"):
        ended = state.play("pass").play("pass")
        assert ended.payoffs == ((1, -1) if lead else (0, 0))
        assert ended.final_aux[2] * 28 == pytest.approx(lead)


SEKI = """
..XO.XO.
XXXOOXOO
..XOXXO.
XXXO.XOO"""  # between two living groups one of each color with two dame in common


@pytest.mark.parametrize(
    ("rules", "lead"),
    [("tromp-taylor", 4), ('{"tax": "SEKI"}', 4), ("stone-scoring", 4), ("japanese", 2)],
)
def test_seki(rules, lead):
    state = setup(SEKI, rules=rules)
    assert state.game.score(state) == lead
    status = state.game.final_status(state)
    assert set(status["seki"]) == {"D4", "D3", "D2", "D1", "E3", "E2", "F4", "F3", "F2", "F1"}
    assert {"C4", "G1"} < set(status["alive"])
    assert status["dame"] == ["E4", "E1"]
    assert status["black_territory"] == ["A4", "B4", "A2", "B2"]
    assert status["white_territory"] == ["H4", "H2"]


def test_eyes_in_a_seki_count_only_without_tax():
    """Black's group in the middle touches dame: under a tax its eye at the bottom is nobody's."""
    rows = """
    .XXO.XO.
    XXXOOXOO
    .XXO.XO.
    XXXOOXOO
    ....X.XO"""
    owners = []
    for rules in ("tromp-taylor", '{"tax": "SEKI"}', "stone-scoring"):
        state = setup(rows, rules=rules)
        owners.append(state.game.owners(state)[4 * 8 + 5])
    assert owners == [1, 0, 0]


BENT_FOUR = """
.......
.......
.......
XXX....
OOXXX..
XOOOX..
XX.OX.."""  # White in the corner cannot take, Black can make it a ko at any time


def test_bent_four_in_the_corner():
    """Dead by agreement: every White stone is a prisoner and a point."""
    state = setup(BENT_FOUR, rules="japanese")
    game = state.game
    assert game.score(state, dead=["B3"]) == (49 - 11) + 6
    assert game.score(setup(BENT_FOUR, rules="chinese"), dead=["A3"]) == 49
    assert game.score(setup(BENT_FOUR), dead=[]) == 42 - 6
    assert set(game.final_status(state, dead=["B3"])["dead"]) == {"A3", "B3", "B2", "C2", "D2", "D1"}


def test_stones_that_cannot_live_need_not_be_taken_where_players_agree():
    """The white stone at the top left stands where Black has two eyes besides."""
    rows = """
    {}.XO.
    XXXO.
    .XXOO
    XXXO.
    .XXOO"""
    leads = []
    for rules in ("tromp-taylor", "chinese"):
        for mark in ".O":
            state = setup(rows.format(mark), rules=rules)
            leads.append(state.game.score(state))
    assert leads == [5, 2, 5, 5]
    assert state.game.final_status(state)["dead"] == ["A5"]


# Bonuses.


def test_the_button():
    state = tengen.game("go", size=5).start(rules="aga-button", komi=7)
    taken = state.play("pass")
    assert white_komi(taken) == 6.5
    assert not taken.play("pass").is_over
    ended = taken.play("pass").play("pass")
    assert ended.is_over
    assert ended.game.score(ended) == -6.5
    later = play(state, "C3 pass pass pass")
    assert later.is_over
    assert white_komi(later) == 7.5
    # While nobody has it, it is the next player's.
    assert state.game.score(state.play("C3")) == 25 - 7 - 0.5


@pytest.mark.parametrize(
    ("stones", "moves", "n"),
    [
        (["D4", "Q16"], [], 2),
        (["D4", "Q16", "D16", "Q4"], [], 4),
        (["D4"], [], 0),
        ([], ["b D4", "w Q16"], 0),
        ([], ["b D4", "b Q16", "b D16", "w Q4"], 3),
        ([], ["b D4", "w pass", "b Q16", "w Q4"], 2),
        (["D4", "Q16"], ["b D16", "w Q4", "b C3"], 3),
        (["D4", "Q16"], ["w Q4", "b C3"], 2),
    ],
)
def test_white_handicap_bonus(stones, moves, n):
    game = tengen.game("go")
    for rules, bonus in (("tromp-taylor", 0), ("chinese", n), ("aga", max(n - 1, 0))):
        state = game.start(
            rules=rules, komi=0.5, stones=[("b", stone) for stone in stones], moves=[move.split() for move in moves]
        )
        assert white_komi(state) == 0.5 + bonus


def test_no_handicap_where_white_has_stones():
    state = tengen.game("go").start(rules="chinese", komi=0.5, stones=[("b", "D4"), ("b", "Q16"), ("w", "K10")])
    assert white_komi(state) == 0.5


# The clean-up of territory scoring.


def test_passes_lead_through_two_clean_ups():
    state = setup(GROUPS, rules="japanese")
    assert [phase(play(state, "pass " * n)) for n in range(6)] == [0, 0, 1, 1, 2, 2]
    ended = play(state, "pass " * 6)
    assert ended.is_over
    assert ended.game.score(ended) == 2
    assert ended.payoffs == (1, -1)


def test_dead_stones_are_taken_for_free_in_the_second_clean_up():
    rows = """
    .X.OX.
    XXXXXX
    OOOOOO
    .O..O."""
    state = setup(rows, rules="japanese")
    # One white stone is dead: a point for where it stands and one for the prisoner.
    before = state.game.score(state, dead=["D4"])
    assert before == (4 + 1) - 4
    cleaned = play(state, "pass pass pass pass C4 pass pass")
    assert cleaned.is_over
    assert cleaned.game.score(cleaned) == before
    # In the main phase taking it costs the move that it takes.
    early = play(state, "C4 pass pass pass pass pass pass")
    assert early.game.score(early) == before - 1


def test_a_ko_in_the_clean_up_waits_until_its_block_is_lifted():
    moves = [*zip("bw" * 4, KO.split(), strict=False), ("b", "pass"), ("w", "pass"), ("b", "E5")]
    state = tengen.game("go", size=9).start(rules="japanese", moves=moves)
    game = state.game
    assert phase(state) == 1
    # Pointing at the ko, from either side, only lifts the block; the board stays.
    for point in ("D5", "E5"):
        lifted = state.play(point)
        assert game.board(lifted) == game.board(state)
        taken = lifted.play("J1").play("D5")
        assert game.board(taken) != game.board(lifted)
    # Nobody takes the same ko twice in the same position.
    again = play(state, "D5 pass D5 E5 pass")
    assert "E5" not in legal_names(again)
    assert [game.name(cell) for cell in game.go.banned(again.position)] == ["E5"]


def test_replayed_passes_can_be_kept_from_the_clean_up():
    game = tengen.game("go", size=9)
    moves = [("b", "E5"), ("w", "pass"), ("b", "pass"), ("w", "pass")]
    state = game.start(rules="japanese", moves=moves, prevent_cleanup=True)
    assert phase(state) == 0
    assert game.go.ended(state.position) == 1
    assert not state.is_over
    assert phase(game.start(rules="japanese", moves=moves[:3])) == 1
    # A search goes on into it.
    assert phase(state.play("pass")) == 1
