"""Records of shogi as programs and people write them, beside what formats say."""

import pytest

from tengen.games.shogi.records import (
    HANDICAPS,
    START_SFEN,
    RecordError,
    detect_format,
    format_csa,
    format_ki2,
    format_kif,
    new_record,
    parse_csa,
    parse_kif,
    parse_records,
    parse_usi,
)

EMPTY_ROW = "| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n"


def drawn(black: str, white: str = "なし", *, more: str = "") -> str:
    """Two kings, a pawn of White's on 5d, a silver of Black's on 5f, and hands."""
    rows = [EMPTY_ROW] * 9
    rows[0] = "| ・ ・ ・ ・v玉 ・ ・ ・ ・|\n"
    rows[3] = "| ・ ・ ・ ・v歩 ・ ・ ・ ・|\n"
    rows[4] = "| ・ ・ ・ ・ 銀 ・ ・ ・ ・|\n"
    rows[8] = "| ・ ・ ・ ・ 玉 ・ ・ ・ ・|\n"
    return f"後手の持駒：{white}\n{''.join(rows)}先手の持駒：{black}\n{more}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("二枚落", "二枚落ち"),
        ("2枚落ち", "二枚落ち"),
        ("１０枚落ち", "十枚落ち"),
        ("左７枚落ち", "左七枚落ち"),
        ("飛落ち", "飛車落ち"),
        ("香落ち（左）", "香落ち"),
    ],
)
def test_names_of_handicaps_are_read_as_they_are_written(text, name):
    assert parse_kif(f"手合割：{text}\n").start == HANDICAPS[name]


def test_a_drawn_board_needs_no_name_of_a_handicap():
    expected = parse_kif(drawn("歩")).start
    for name in ("詰将棋", "その他", "実戦"):
        assert parse_kif(f"手合割：{name}\n{drawn('歩')}").start == expected
    with pytest.raises(RecordError, match="line 1: '実戦' is no handicap"):
        parse_kif("手合割：実戦\n   1 ７六歩(77)\n")


@pytest.mark.parametrize(
    ("text", "hand"),
    [
        ("飛二角金四歩十八", "2RB4G18P"),
        ("飛二　角　歩18　", "2RB18P"),
        ("歩２ 香", "L2P"),
        ("無し", "-"),
        ("", "-"),
        ("歩十九", "19P"),
    ],
)
def test_hands_with_and_without_blanks(text, hand):
    assert parse_kif(drawn(text)).start.split()[2] == hand


@pytest.mark.parametrize("text", ["飛零", "玉", "歩九十九", "歩 0", "と"])
def test_hands_that_nobody_has(text):
    with pytest.raises(RecordError, match=r"line 11: .*in hand"):
        parse_kif(drawn(text))


@pytest.mark.parametrize("last", ["△５四歩", "５四歩(53)", "５四歩打"])
def test_a_drawing_says_where_the_last_move_went(last):
    text = drawn("歩", more=f"手数＝24  {last}  まで\n")
    for move in ("   1 同　銀(55)\n", "  25 同銀(55)\n", "▲同　銀\n"):
        record = parse_kif(text + move)
        assert (record.moves, record.start.split()[3]) == (["5e5d"], "25")
    with pytest.raises(RecordError, match="同 before any move"):
        parse_kif(drawn("歩") + "   1 同　銀(55)\n")


@pytest.mark.parametrize(
    "line", ["1 ▲７六歩(77)", "   1 ☗７六歩(77)   ( 0:01/00:00:01)", "1 ７六歩直(77)", "１　7六歩（77）"]
)
def test_moves_with_signs_that_say_nothing_new(line):
    assert parse_kif(f"{line}\n").moves == ["7g7f"]


def test_a_number_with_a_colon_is_no_header():
    with pytest.raises(RecordError, match="line 1"):
        parse_kif("1:７六歩(77)\n")


def test_lines_that_end_with_a_carriage_return_alone():
    assert parse_kif("手合割：平手\r   1 ７六歩(77)\r   2 ３四歩(33)\r").moves == ["7g7f", "3c3d"]
    assert parse_csa("V2.2\rPI\r+\r+7776FU\r")[0].moves == ["7g7f"]
    assert [record.moves for record in parse_usi("startpos moves 7g7f\rstartpos moves 2g2f")] == [["7g7f"], ["2g2f"]]
    with pytest.raises(RecordError, match="line 3"):
        parse_records("手合割：平手\r   1 ７六歩(77)\r   2 ３四歩(34)\r".encode("cp932"))


def test_line_ends_of_all_kinds_in_comments_are_written_as_lines():
    record = new_record(["7g7f"], event="a\rb\nc")
    record.root.children[0].comment = "one\rtwo\r\nthree"
    for again in (parse_kif(format_kif(record)), parse_kif(format_ki2(record)), *parse_csa(format_csa(record))):
        assert again.header == {"event": "a b c"}
        assert again.root.children[0].comment == "one\ntwo\nthree"


def test_a_variation_among_the_headers_means_nothing():
    assert parse_kif("変化：5手\n   1 ７六歩(77)\n").moves == ["7g7f"]


@pytest.mark.parametrize(
    ("words", "end", "winner"),
    [
        ("後手の勝ち", "resign", 1),
        ("後手勝ち！", "resign", 1),
        ("田中の勝ち", "resign", 1),
        ("誰かの勝ち", "resign", 1),
        ("山田の勝ち", "illegal_win", 0),
        ("先手の詰み", "checkmate", 1),
        ("時間切れにより後手の勝ち", "time_up", 1),
        ("先手の切れ負け", "time_up", 1),
        ("先手の不戦敗", "default_loss", 1),
        ("先手の入玉勝ち", "declaration", 0),
        ("後手の入玉勝ち", "resign", 1),
        ("最大手数により引き分け", "max_moves", None),
        ("先手の反則負け", "illegal_loss", 1),
        ("連続王手の千日手により先手の勝ち", "illegal_win", 0),
        ("連続王手の千日手により後手の勝ち", "illegal_loss", 1),
        ("千日手", "repetition", None),
        ("勝負なし", None, None),
    ],
)
def test_the_line_that_tells_who_won(words, end, winner):
    record = parse_kif(f"先手：山田\n後手：田中\n▲７六歩 △３四歩\nまで2手で{words}\n")
    assert (record.end, record.winner) == (end, winner)


@pytest.mark.parametrize(
    ("word", "end"),
    [
        ("封じ手", "interrupt"),
        ("時間切れ負け", "time_up"),
        ("接続切れ", "time_up"),
        ("入玉宣言勝ち", "declaration"),
        ("詰", "checkmate"),
    ],
)
def test_other_words_for_ends(word, end):
    assert parse_kif(f"   1 ７六歩(77)\n   2 {word}   ( 0:01/00:00:01)\n").end == end


def test_an_end_among_the_moves_goes_before_such_a_line():
    record = parse_kif("   1 ７六歩(77)\n   2 切れ負け\nまで1手で先手の勝ち\n")
    assert record.end == "time_up"


def test_kif_says_who_won():
    record = new_record(["7g7f", "3c3d"], end="illegal_win", black="A")
    record.root.add(move="2g2f").add(end="interrupt")
    text = format_kif(record)
    assert "   3 反則勝ち\nまで2手で先手の反則勝ち\n\n変化：1手\n" in text
    assert text.count("まで") == 1
    assert parse_kif(text) == record
    assert "まで" not in format_kif(new_record(["7g7f"]))
    given = new_record(["3c3d"], start=HANDICAPS["角落ち"], end="resign")
    assert "まで1手で上手の勝ち\n" in format_kif(given)
    assert "まで1手で上手の勝ち\n" in format_ki2(given)


def test_sfen_is_read_in_records_as_the_game_reads_it():
    board = "4k4/9/9/9/9/9/9/9/4K4"
    for text in (f"sfen {board} b - 0 moves 5i5h", f"sfen {board} b moves 5i5h", f"{board} b - moves 5i5h"):
        assert detect_format(text) == "usi"
        assert parse_usi(text)[0].start == f"{board} b - 1"
    assert parse_usi(f"{board} b")[0].moves == []
    assert detect_format(f"{board} b") == "usi"
    assert new_record(start=f"{board} w P19p 7").start == f"{board} w P19p 7"
    with pytest.raises(RecordError, match="more than there are"):
        new_record(start=f"{board} b 82P 1")


def test_rows_of_csa_with_narrow_squares():
    rows = ["P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "P2 * -HI * * * * * -KA *", "P3-FU-FU-FU-FU-FU-FU-FU-FU-FU"]
    rows += [f"P{rank} * * * * * * * * *" for rank in (4, 5)] + ["P6"]
    rows += ["P7+FU+FU+FU+FU+FU+FU+FU+FU+FU", "P8   +KA               +HI", "P9+KY+KE+GI+KI+OU+KI+GI+KE+KY", "+"]
    assert parse_csa("\n".join(rows))[0].start == START_SFEN


def test_comments_behind_moves_of_csa():
    (record,) = parse_csa("PI\n+\n+7776FU,T5,'*well, well\n-3334FU,'** 30 +2726FU\n'*more\n")
    assert [(node.move, node.time_s, node.comment) for node in record.root.main_line()] == [
        ("7g7f", 5, "well, well"),
        ("3c3d", None, "* 30 +2726FU\nmore"),
    ]


@pytest.mark.parametrize(
    ("move", "end", "winner"),
    [
        # A pawn that went two squares, or another end after a legal move: who is to move did something else.
        ("+7775FU", "%ILLEGAL_MOVE", 1),
        ("+7775FU", "%+ILLEGAL_ACTION", 1),
        ("+7775FU", "%-ILLEGAL_ACTION", 0),
        ("+7776FU", "%ILLEGAL_MOVE", 0),
    ],
)
def test_who_made_an_illegal_move_has_lost(move, end, winner):
    (record,) = parse_csa(f"PI\n+\n{move}\n{end}\n")
    assert record.winner == winner
    assert parse_csa(format_csa(new_record(record.moves, end="illegal_win")))[0].winner == 1


def test_an_illegal_move_loses_in_kif_whatever_the_word():
    for word in ("反則負け", "反則勝ち"):
        assert parse_kif(f"   1 ７五歩(77)\n   2 {word}\n").winner == 1
    assert parse_kif("   1 ７六歩(77)\n   2 反則負け\n").winner == 0


@pytest.mark.parametrize(
    ("word", "end"),
    [
        ("resign", "resign"),
        ("win", "declaration"),
        ("sennichite", "repetition"),
        ("rep_draw", "repetition"),
        ("jishogi", "impasse"),
        ("mate", "checkmate"),
        ("nomate", "no_mate"),
        ("time_up", "time_up"),
        ("interrupt", "interrupt"),
        ("max_moves", "max_moves"),
    ],
)
def test_ends_among_the_moves_of_usi(word, end):
    record = parse_usi(f"position startpos moves 7g7f 3c3d {word}")[0]
    assert (record.moves, record.end) == (["7g7f", "3c3d"], end)
    assert parse_usi(f"startpos moves {word}")[0].end == end
    with pytest.raises(RecordError, match="line 1: move 2, "):
        parse_usi(f"startpos moves 7g7f {word} 3c3d")
