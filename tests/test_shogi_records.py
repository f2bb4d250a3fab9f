"""Records of shogi in and out: what programs write, and what nobody should have written."""

from pathlib import Path

import pytest

from tengen.games.shogi.records import (
    ENDS,
    HANDICAPS,
    START_SFEN,
    Board,
    RecordError,
    detect_format,
    format_bod,
    format_csa,
    format_ki2,
    format_kif,
    format_records,
    format_sfenx,
    japanese_move,
    load_record,
    load_records,
    new_record,
    parse_bod,
    parse_csa,
    parse_kif,
    parse_records,
    parse_sfenx,
    parse_usi,
    save_records,
)

GAMES = Path(__file__).parent / "data" / "shogi" / "games.usi"

KIF = """# ---- a tournament's file
開始日時：2026/11/17 09:00:00
棋戦：順位戦
手合割：平手　　\x20
先手：青木
後手：馬場
*before the first move
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:16/00:00:16)
*two lines
*
*of comment
   2 ３四歩(33)   ( 0:5/)+
&bookmark
   3 ２二角成(88) ( 1:02/00:01:18)
   4 同　銀(31)   ( 0:03/00:00:08)
   5 ４五角打(00) ( 0:00/00:01:18)
   6 投了         ( 0:10/00:00:18)
まで5手で先手の勝ち

変化：2手
   2 84歩(83)
   3 ２六歩(27)
*in a variation

変化：3手
   3 ６八銀(79)
   4 中断
"""
CSA = """'CSA encoding=UTF-8
V3.0
N+青木
N-馬場
$EVENT:floodgate
$START_TIME:2026/11/17 09:00:00
$TIME:300+0+10
$JISHOGI:27
' for programs only
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA *
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  *
P5 *  *  *  *  *  *  *  *  *
P6 *  *  *  *  *  *  *  *  *
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI *
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
+
+7776FU,T12.5
'** 30 +7776FU -3334FU
-3334FU
T3
'*hm
%TORYO
T1.25
"""


def test_kif_is_read():
    record = parse_kif(KIF)
    assert record.moves == ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]
    assert (record.start, record.end, record.winner) == (START_SFEN, "resign", 0)
    assert record.header == {
        "started": "2026/11/17 09:00:00",
        "event": "順位戦",
        "black": "青木",
        "white": "馬場",
    }
    line = record.root.main_line()
    assert record.root.comment == "before the first move"
    assert line[0].comment == "two lines\n\nof comment"
    assert [node.time_s for node in line] == [16, 5, 62, 3, 0, 10]
    assert line[1].bookmark == "bookmark"
    variation = line[0].children[1]
    assert (variation.move, [node.move for node in variation.main_line()]) == ("8c8d", ["2g2f"])
    assert [child.move for child in variation.children] == ["2g2f", "7i6h"]
    assert variation.children[1].children[0].end == "interrupt"


def test_a_variation_belongs_to_the_line_before_it():
    text = KIF.replace(
        "変化：3手\n   3 ６八銀(79)\n   4 中断\n", "変化：1手\n   1 ２六歩(27)\n\n変化：2手\n   2 ８四歩(83)\n"
    )
    record = parse_kif(text)
    assert [child.move for child in record.root.children] == ["7g7f", "2g2f"]
    assert record.root.children[1].children[0].move == "8c8d"


@pytest.mark.parametrize("suffix", [".kif", ".kifu"])
def test_kif_holds_everything(tmp_path, suffix):
    record = parse_kif(KIF)
    save_records(record, tmp_path / f"game{suffix}")
    data = (tmp_path / f"game{suffix}").read_bytes()
    assert data.decode("utf-8" if suffix == ".kifu" else "cp932")
    assert (b"\r\n" in data) == (suffix == ".kif")
    assert load_record(tmp_path / f"game{suffix}") == record


def test_ki2_holds_everything_but_times(tmp_path):
    record = parse_kif(KIF)
    save_records(record, tmp_path / "game.ki2")
    again = load_record(tmp_path / "game.ki2")
    for node, _ in record.walk():
        node.time_s = None
    assert again == record


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings_are_found(codec, newline):
    assert parse_records(KIF.replace("\n", newline).encode(codec)) == [parse_kif(KIF)]


def test_what_shift_jis_lacks_is_written_as_near_as_can_be():
    record = new_record(["7g7f"], event="第1〜3局 ♟")
    assert parse_records(format_records(record, ".kif"))[0].header["event"] == "第1～3局 〓"
    assert parse_records(format_records(record, ".kifu")) == [record]


def test_csa_is_read():
    (record,) = parse_csa(CSA)
    assert (record.moves, record.end, record.winner) == (["7g7f", "3c3d"], "resign", 1 - 1 + 1)
    line = record.root.main_line()
    assert [node.time_s for node in line] == [12.5, 3, 1.25]
    assert [node.comment for node in line] == ["* 30 +7776FU -3334FU", "hm", ""]
    assert record.header["clock"] == "300+0+10"
    assert record.start == START_SFEN


def test_csa_is_written(tmp_path):
    record = parse_csa(CSA)[0]
    text = format_csa(record)
    assert text.startswith("'CSA encoding=UTF-8\nV3.0\nN+青木\nN-馬場\n")
    assert parse_csa(text) == [record]
    assert "T12\n" in format_csa(record, version="2.2")
    plain = new_record(["7g7f"], end="interrupt")
    assert format_csa(plain) == "V2.2\nPI\n+\n+7776FU\n%CHUDAN\n"
    save_records([plain, record], tmp_path / "two.csa")
    assert load_records(tmp_path / "two.csa") == [plain, record]


def test_positions_of_csa():
    mate = "P+23TO22KI\nP-11OU\nP-00AL\n+\n%TSUMI\n"
    (record,) = parse_csa(f"V2.2\n{mate}")
    assert record.start == "8k/7G1/7+P1/9/9/9/9/9/9 b 2r2b3g4s4n4l17p 1"
    assert parse_csa(format_csa(record))[0].start == record.start
    (record,) = parse_csa("V2.2\nPI82HI22KA\n-\n")
    assert record.start == HANDICAPS["二枚落ち"]


@pytest.mark.parametrize("name", HANDICAPS)
def test_handicaps(name):
    start = HANDICAPS[name]
    first = "7g7f" if name == "平手" else "5a6b"
    record = new_record([first], start=start, end="resign", black="A", white="B")
    kif = format_kif(record)
    assert f"手合割：{name}\n" in kif
    assert ("上手：B" in kif) == (name != "平手")
    for text in (kif, format_ki2(record)):
        assert parse_kif(text) == record
    assert parse_csa(format_csa(record)) == [record]
    assert parse_bod(format_bod(start)) == start


@pytest.mark.parametrize("end", ENDS)
def test_ends(end):
    record = new_record(["7g7f", "3c3d", "2g2f"], end=end)
    assert parse_kif(format_kif(record)) == record
    assert parse_usi(format_records(record, ".usi").decode()) == [record]
    ki2 = parse_kif(format_ki2(record))
    assert (ki2.moves, ki2.winner, ki2.is_draw) == (record.moves, record.winner, record.is_draw)
    csa = parse_csa(format_csa(record))[0]
    has_word = end not in ("default_win", "default_loss", "try")
    assert csa.end == (end if has_word else "interrupt")


def test_who_wins():
    for end, winner in {"resign": 0, "illegal_loss": 0, "illegal_win": 1, "declaration": 1, "repetition": None}.items():
        assert new_record(["7g7f"], end=end).winner == winner
        assert parse_kif(format_ki2(new_record(["7g7f"], end=end))).winner == winner
    assert parse_csa("PI\n+\n+7776FU\n%-ILLEGAL_ACTION\n")[0].winner == 0
    assert parse_csa("PI\n+\n+7776FU\n%+ILLEGAL_ACTION\n")[0].winner == 1


@pytest.mark.parametrize(
    ("sfen", "moves"),
    [
        # Golds below and beside, promoted pawns all around, silvers behind, dragons in one file and beside each other.
        ("9/9/9/9/9/3GGG3/9/9/9 b - 1", {"6f5e": "５五金左", "5f5e": "５五金直", "4f5e": "５五金右"}),
        (
            "9/9/9/3+P1+P3/3+P1+P3/3+P+P+P3/9/9/9 b - 1",
            {"6f5e": "左上", "5f5e": "直", "4f5e": "右上", "6e5e": "左寄", "4e5e": "右寄"},
        ),
        ("9/9/9/3S1S3/9/3S1S3/9/9/9 b - 1", {"6d5e": "左引", "4d5e": "右引", "6f5e": "左上", "4f5e": "右上"}),
        ("9/9/9/9/9/9/9/9/4+R+R3 b - 1", {"5i4h": "４八龍左", "4i4h": "４八龍右"}),
        ("9/9/9/1+R7/9/9/9/1+R7/9 b - 1", {"8d8f": "引", "8h8f": "上"}),
        ("3n1n3/9/9/9/9/9/9/9/9 w - 1", {"6a5c": "桂右", "4a5c": "桂左"}),
        ("9/9/9/9/9/9/9/9/4G4 b G 1", {"G*5h": "５八金打", "G*6e": "６五金", "5i5h": "５八金"}),
    ],
)
def test_words_that_tell_pieces_apart(sfen, moves):
    board = Board.of_sfen(sfen)
    for move, text in moves.items():
        written = japanese_move(board, move)
        assert written.endswith(text), move
        assert parse_kif(format_ki2(new_record([move], start=sfen))).moves == [move]


def test_words_are_those_of_the_position_before_each_move():
    moves = ["4i5h", "3c3d", "5h6h", "8c8d", "6i5h", "8d8e", "5h4h"]
    record = new_record(moves)
    text = format_ki2(record)
    assert "▲５八金右" in text
    assert "▲６八金寄" in text
    assert "▲５八金上" in text
    assert text.rstrip().endswith("▲４八金")
    assert parse_kif(text).moves == moves


def test_a_word_may_be_left_out_where_only_one_may_move():
    # The gold on 5h is pinned by the rook on 5a, so that 4h alone may go to 4g … but many programs do not look at that.
    sfen = "4r4/9/9/9/9/9/9/4GG3/4K4 b - 1"
    assert japanese_move(Board.of_sfen(sfen), "4h4g") == "４七金直"
    assert parse_kif(format_bod(sfen) + "▲４七金直\n").moves == ["4h4g"]


def test_sfenx():
    record = new_record(["7g7f", "3c3d"], end="resign")
    text = format_sfenx([record, record])
    assert text.splitlines()[0] == f"{START_SFEN},2,7g7f,w"
    assert parse_sfenx(text) == [record, record]


def test_usi_lines():
    games = load_records(GAMES)
    assert len(games) == 13
    assert format_records(games, ".usi").decode().splitlines()[2] == GAMES.read_text().splitlines()[3]
    record = parse_usi("position sfen 4k4/9/9/9/9/9/9/9/4K4 w 2r2b4g4s4n4l18p moves 5a5b # a remark")[0]
    assert (record.start.split()[1:], record.moves, record.end) == (["w", "2r2b4g4s4n4l18p", "1"], ["5a5b"], None)


@pytest.mark.parametrize("suffix", [".kif", ".kifu", ".ki2", ".ki2u", ".csa", ".usi", ".sfen", ".sfenx"])
def test_whole_games_in_every_format(suffix):
    for record in load_records(GAMES):
        (again,) = parse_records(format_records(record, suffix))
        assert again.moves == record.moves
        assert again.winner == record.winner
        if suffix != ".sfenx":
            assert again == record


def test_formats_are_told_by_their_content():
    record = load_records(GAMES)[0]
    for suffix, name in ((".kif", "kif"), (".ki2", "kif"), (".csa", "csa"), (".usi", "usi"), (".sfenx", "sfenx")):
        assert detect_format(format_records(record, suffix).decode("cp932")) == name


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (("７六歩(77)", "７六歩(78)"), 9, "no 歩 stands on 7h"),
        (("７六歩(77)", "７五歩(77)"), 9, "illegal"),
        (("   2 ３四", "   7 ３四"), 13, "move 7 where 2 is expected"),
        (("同　銀(31)", "同　銀(77)"), 16, "no 銀 stands on 7g"),
        (("４五角打(00)", "４五金打"), 17, "no G in hand"),
        (("投了", "投降"), 18, "neither a move nor the end"),
        (("( 0:16/00:00:16)", "( 0:16/00:00:16"), 9, "not understood"),
        (("変化：2手", "変化：9手"), 21, "a variation of move 9 after a line of 5 moves"),
        (("手合割：平手", "手合割：百枚落ち"), 4, "no handicap"),
        (("まで5手で", "???"), 19, "neither a move nor a comment"),
    ],
)
def test_faults_of_kif_name_their_line(change, line, reason):
    with pytest.raises(RecordError, match=reason) as caught:
        parse_kif(KIF.replace(*change, 1), "game.kif")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"game.kif: line {line}: ")


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (("+7776FU", "+7775FU"), 20, "illegal"),
        (("+7776FU", "-3334FU"), 20, "White is not to move"),
        (("+7776FU", "+7776KI"), 20, "does not become KI"),
        (("%TORYO", "%TORYE"), 25, "no end of a game"),
        (("T3", "T3x"), 23, "no time"),
        (("P4 * ", "P4 +XX"), 13, "no piece"),
        (("P9+KY", "P8+KY"), 18, "P8 is there twice"),
        (("N+青木", "X+青木"), 3, "nothing that CSA knows"),
    ],
)
def test_faults_of_csa_name_their_line(change, line, reason):
    with pytest.raises(RecordError, match=reason) as caught:
        parse_csa(CSA.replace(*change, 1))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("startpos moves 7g7f 3c3d 7g7e", 1, "move 3, 7g7e"),
        ("startpos moves 7g7f\nstartpos moves 7g9z", 2, "no USI move"),
        ("startpos moves 2h2f", 1, "does not move so"),
        ("sfen 9/9/9 b - 1 moves 7g7f", 1, "3 rows"),
        ("sfen 9/9/9/9/9/9/9/9/9 x - 1 moves", 1, "expected startpos or sfen"),
    ],
)
def test_faults_of_usi_lines_name_their_line(text, line, reason):
    with pytest.raises(RecordError, match=reason) as caught:
        parse_usi(text)
    assert caught.value.line == line


def test_an_illegal_move_may_end_a_game():
    moves = ["９六歩(97)", "９四歩(93)", "９五歩(96)", "同　歩(94)", "同　香(99)", "８四歩打"]
    nifu = "".join(f"{number:4d} {move}\n" for number, move in enumerate(moves, start=1))
    with pytest.raises(RecordError, match=r"line 6: .*８四歩打.* is illegal: .*nifu"):
        parse_kif(nifu)
    with pytest.raises(RecordError, match="line 6"):
        parse_kif(nifu + "   7 投了\n")
    record = parse_kif(nifu + "   7 反則勝ち\n")
    assert (record.end, record.winner, record.moves[-1]) == ("illegal_win", 0, "P*8d")


def test_files_that_hold_nothing(tmp_path):
    for data in (b"", b"\n\n", b"# nothing\n"):
        with pytest.raises(RecordError, match="no game"):
            parse_records(data)
    with pytest.raises(RecordError, match="neither UTF-8 nor cp932"):
        parse_records(KIF.encode("cp932").replace("青".encode("cp932"), b"\x81\xff"))
    with pytest.raises(RecordError, match=r"expected \.kif"):
        save_records(new_record(), tmp_path / "game.doc")
    with pytest.raises(RecordError, match="holds one game"):
        save_records([new_record(), new_record()], tmp_path / "game.kif")
