"""Records as shogi-server writes them: the server's verdict is in comments."""

import pytest

from tengen.games.shogi.records import RecordError, format_csa, load_records, parse_csa, parse_records

HEAD = """V2
N+alice
N-bob
$EVENT:wdoor+floodgate-300-10F+alice+bob+20261117100000
$START_TIME:2026/11/17 10:00:00
PI
+
'rating:alice+0123:bob+4567
+7776FU
T1
-3334FU
T2
"""
BOARD = "'P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\n'P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n'+\n"
BLACK_LOSES = "alice lose:bob win"
BLACK_WINS = "alice win:bob lose"
DRAW = "alice draw:bob draw"


def record(more, word="", results=DRAW):
    """The record of a game that ends with these lines after two moves, Black to move, and with a summary."""
    summary = f"'summary:{word}:{results}\n" if word else ""
    text = f"{HEAD}{more}{BOARD}{summary}'$END_TIME:2026/11/17 10:05:00\n"
    (found,) = parse_records(text.encode())
    return found


@pytest.mark.parametrize(
    ("word", "more", "results", "end", "winner"),
    [
        ("toryo", "%TORYO\n", BLACK_LOSES, "resign", 1),
        ("toryo", "%TORYO\nT3\n%TORYO\n", BLACK_LOSES, "resign", 1),
        ("abnormal", "%TORYO\n", BLACK_LOSES, "resign", 1),
        ("abnormal", "%TORYO\n", BLACK_WINS, "illegal_win", 0),
        ("time up", "", BLACK_LOSES, "time_up", 1),
        ("kachi", "%KACHI\n", BLACK_WINS, "declaration", 0),
        ("kachi", "%KACHI\nT0\n%KACHI\n", BLACK_WINS, "declaration", 0),
        ("illegal kachi", "%KACHI\nT0\n%KACHI\n", BLACK_LOSES, "illegal_loss", 1),
        ("illegal move", "%CHUDAN\nT0\n'ILLEGAL_MOVE(%CHUDAN)\n", BLACK_LOSES, "illegal_loss", 1),
        ("sennichite", "", DRAW, "repetition", None),
        ("max_moves", "", DRAW, "max_moves", None),
        ("jishogi", "", DRAW, "impasse", None),
        ("jishogi", "%KACHI\n", BLACK_WINS, "declaration", 0),
        ("oute_sennichite", "", BLACK_LOSES, "illegal_loss", 1),
        ("oute_sennichite", "", BLACK_WINS, "illegal_win", 0),
        ("uchifuzume", "'ILLEGAL_MOVE(+0034FU)\n", BLACK_LOSES, "illegal_loss", 1),
        ("oute_kaihimore", "'ILLEGAL_MOVE(+2726FU)\n", BLACK_LOSES, "illegal_loss", 1),
        ("outori", "", BLACK_WINS, "illegal_win", 0),
        ("something new", "", BLACK_LOSES, "resign", 1),
        ("something new", "", DRAW, "draw", None),
    ],
)
def test_the_summary_decides_the_result(word, more, results, end, winner):
    found = record(more, word, results)
    assert (found.end, found.winner, found.is_draw) == (end, winner, results == DRAW)
    assert found.moves == ["7g7f", "3c3d"]
    assert [node.time_s for node in found.root.main_line()][:2] == [1, 2]
    assert parse_csa(format_csa(found))[0].winner == winner


@pytest.mark.parametrize("is_logged", [False, True])
@pytest.mark.parametrize("move", ["+7674FU", "+5555FU", "+2829KE", "-8384FU", "+0055KI", "+1116XX", "%TEST"])
@pytest.mark.parametrize("word", ["illegal move", ""])
def test_an_illegal_move_loses_whether_or_not_it_can_be_carried_out(move, is_logged, word):
    found = record(f"{move}\nT4\n" * is_logged + f"'ILLEGAL_MOVE({move})\n", word, BLACK_LOSES)
    assert found.winner == 1
    assert found.moves[:2] == ["7g7f", "3c3d"]
    # A move that cannot be carried out has no place in a record.
    assert found.moves[2:] == (["7f7d"] if is_logged and move == "+7674FU" else [])
    assert found.root.main_line()[1].time_s == 2


def test_csa_names_an_impossible_move_illegal():
    (found,) = parse_csa(f"{HEAD}+5555FU\nT1\n%ILLEGAL_MOVE\n")
    assert (found.end, found.winner, len(found.moves)) == ("illegal_loss", 1, 2)


@pytest.mark.parametrize("more", ["", "%TORYO\n", "T3\n+2726FU\n", "'summary:\n", "'ILLEGAL_MOVE\n"])
def test_an_impossible_move_without_such_a_verdict_is_a_fault(more):
    with pytest.raises(RecordError, match=r"line 13: \+5555FU: ") as caught:
        parse_csa(f"{HEAD}+5555FU\n{more}")
    assert caught.value.line == 13


def test_an_end_is_repeated_only_by_the_same_word():
    with pytest.raises(RecordError, match="line 15: the game ended before"):
        parse_csa(f"{HEAD}%KACHI\nT0\n%TORYO\n")


def test_comments_of_other_programs_mean_nothing():
    found = record("'summary: a fine game\n'illegal_move(+7776FU)\n")
    assert (found.end, found.moves) == (None, ["7g7f", "3c3d"])


def test_the_end_time_is_kept():
    assert record("%TORYO\n", "toryo", BLACK_LOSES).header["ended"] == "2026/11/17 10:05:00"


def test_names_may_contain_colons_and_blanks(tmp_path):
    path = tmp_path / "game.csa"
    path.write_text(f"{HEAD}'summary:time up:team: a lose:b win win\n", encoding="utf-8")
    (found,) = load_records(path)
    assert (found.end, found.winner) == ("time_up", 1)
