"""Input of the readers of shogi records: encodings, types, and files without a game."""

from pathlib import Path

import pytest

from tengen.games.shogi.records import RecordError, load_records, parse_csa, parse_kif, parse_records, save_records
from tengen.games.shogi.records.tree import new_record

NAMES = [
    ("羽生善治", "藤井聡太"),
    ("渡辺明", "豊島将之"),
    ("きふわらべ", "技巧"),
    ("激指", "ＡＩ将棋"),
    ("やねうら王", "水匠"),
    ("ボナンザ", "習甦"),
]
BODY = "\nPI\n+\n+7776FU\nT3\n'*定跡\n-3334FU\n%TORYO\n"


def names(record):
    return record.header["black"], record.header["white"]


@pytest.mark.parametrize("codec", ["utf-8", "cp932", "euc_jp", "iso2022_jp", "utf-8-sig"])
@pytest.mark.parametrize("pair", NAMES, ids="-".join)
def test_csa_and_kif_are_read_in_every_japanese_encoding(pair, codec):
    black, white = pair
    (csa,) = parse_records(f"V2.2\nN+{black}\nN-{white}{BODY}".encode(codec))
    assert names(csa) == pair
    assert csa.root.main_line()[0].comment == "定跡"
    (kif,) = parse_records(f"手合割：平手\n先手：{black}\n後手：{white}\n   1 ７六歩(77)\n   2 投了\n".encode(codec))
    assert (names(kif), kif.moves) == (pair, ["7g7f"])


@pytest.mark.parametrize("pair", NAMES, ids="-".join)
def test_names_alone_tell_euc_jp(pair):
    """Nothing else in such a file is Japanese, and most of these names are valid CP932."""
    text = "V2.2\nN+{}\nN-{}\nPI\n+\n+7776FU\n".format(*pair)
    assert [names(parse_records(text.encode(codec))[0]) for codec in ("euc_jp", "cp932")] == [pair, pair]


@pytest.mark.parametrize("name", ["ﾔﾏﾀﾞ", "ﾊﾌﾞﾖｼﾊﾙ", "ｽｽﾞｷ", "ﾎﾞﾅﾝｻﾞ", "ﾀﾅｶ"])
def test_half_width_katakana_are_no_euc_jp(name):
    (record,) = parse_records(f"V2.2\nN+{name}\nN-ﾏﾂﾓﾄ\nPI\n+\n+7776FU\n".encode("cp932"))
    assert record.header["black"] == name


@pytest.mark.parametrize("word", ["EUC-JP", "euc_jp"])
def test_a_declared_encoding_holds(word):
    text = f"'CSA encoding={word}\nV3.0\nN+①番\nPI\n+\n+7776FU\n"
    (record,) = parse_records(text.replace("①", "一").encode("euc_jp"))
    assert record.header["black"] == "一番"
    (circled,) = parse_records(text.replace(f"'CSA encoding={word}\n", "").encode("euc_jis_2004"))
    assert circled.header["black"] == "①番"


def test_bytes_of_no_encoding_are_a_fault_of_their_line():
    with pytest.raises(RecordError, match="line 2: its bytes are neither UTF-8 nor cp932 nor EUC-JP"):
        parse_records(b"V2.2\nN+\x81\xff\xff\nPI\n+\n")


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1}',
        b'{"header":{"a":"b"},\n"moves":[{}]}',
        b"Subject: a letter\nDate: today\n",
        b"*a comment\n*and another\n",
        b"&bookmark",
        "後手番\n".encode(),
        b"V2.2\n",
        b"V2.2\n'comment\n",
        b"'CSA encoding=UTF-8\n",
        b"V2.2\n/\nV2.2\n/\n",
        b"+\n",
        b"-",
        b"%TORYO\n",
        b"$PATH:nowhere\n",
        b"# startpos\n",
        b"",
        b"\xef\xbb\xbf",
    ],
)
def test_a_file_without_a_game_is_refused(data, tmp_path):
    with pytest.raises(RecordError, match="holds no game: expected KIF, KI2, CSA, USI lines"):
        parse_records(data)
    path = tmp_path / "game.kif"
    path.write_bytes(data)
    with pytest.raises(RecordError, match="holds no game") as caught:
        load_records(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("suffix", [".kif", ".ki2", ".csa", ".usi"])
def test_a_game_without_moves_is_a_game(suffix, tmp_path):
    path = tmp_path / f"game{suffix}"
    save_records(new_record(), path)
    assert load_records(path) == [new_record()]


def test_empty_parts_between_games_are_no_games():
    records = parse_csa("/\nPI\n+\n+7776FU\n/\n/\n'note\n/\nPI\n+\n+2726FU\n/\n")
    assert [record.moves for record in records] == [["7g7f"], ["2g2f"]]


def test_text_is_read_as_well_as_bytes():
    text = "手合割：平手\n先手：青木\n   1 ７六歩(77)\n"
    expected = parse_records(text.encode())
    for data in (text, bytearray(text.encode()), memoryview(text.encode())):
        assert parse_records(data) == expected
    assert parse_records("\ufeffstartpos moves 7g7f")[0].moves == ["7g7f"]


def test_other_types_are_named():
    with pytest.raises(TypeError, match="got PosixPath: load_records reads a path"):
        parse_records(Path("/tmp/game.kif"))
    with pytest.raises(TypeError, match="got NoneType"):
        parse_records(None)
    for parse in (parse_kif, parse_csa):
        with pytest.raises(TypeError, match="got bytes: parse_records reads bytes"):
            parse(b"PI")
