"""SGF files in and out: what the world writes, and what nobody should have written."""

import random

import pytest

from tengen.games.go import Rules
from tengen.games.go.rules import PRESETS
from tengen.games.go.sgf import SgfError, load_collection, load_sgf, new_record, save_collection

GAME = b"""(;FF[4]GM[1]SZ[19]CA[UTF-8]PB[Shusaku]PW[Gennan]BR[4d]WR[8d]RE[B+2]DT[1846-09-11]KM[0]RU[Japanese]
XX[kept \\] as it is][twice]GN[The ear-reddening game]
;B[qd];W[dc]C[a comment with \\] and \\\\ and
a line](;B[pq];W[oc])(;B[cp]LB[dd:A][pp:B](;W[aa])(;W[tt])(;W[])))"""


def shape(node):
    """A tree as nested tuples, to be compared."""
    built = {}
    for item in reversed(list(node.walk())):
        properties = tuple(sorted((name, tuple(values)) for name, values in item.raw.items()))
        built[id(item)] = (properties, tuple(built[id(child)] for child in item.children))
    return built[id(node)]


def test_a_game_is_read():
    record = load_sgf(GAME)
    assert (record.width, record.height, record.komi) == (19, 19, 0)
    assert record.rules == PRESETS["japanese"][0]
    assert record.moves == [("black", "R16"), ("white", "D17"), ("black", "Q3"), ("white", "P17")]
    assert (record.stones, record.to_play) == ([], "black")
    assert (record.info.black, record.info.white_rank, record.info.result) == ("Shusaku", "8d", "B+2")
    assert (record.info.date, record.info.name) == ("1846-09-11", "The ear-reddening game")
    line = record.main
    assert [record.move(node) for node in line.nodes] == line.moves
    assert line.start is record.root
    assert line.nodes[1].comment == "a comment with ] and \\ and\na line"


def test_what_is_read_is_written_again(tmp_path):
    record = load_sgf(GAME)
    record.save(tmp_path / "again.sgf")
    again = load_sgf(tmp_path / "again.sgf")
    assert shape(again.root) == shape(load_sgf(GAME).root)
    assert again.root.texts("XX") == ["kept ] as it is", "twice"]
    assert again.to_bytes() == record.to_bytes()


def test_variations_have_lines_of_their_own():
    record = load_sgf(GAME)
    second = record.main.nodes[1].children[1]
    lines = [record.line(child).moves[2:] for child in second.children]
    assert lines == [[("black", "C4"), ("white", vertex)] for vertex in ("A19", "pass", "pass")]


@pytest.mark.parametrize(
    ("size", "expected"),
    [(b"", (19, 19)), (b"SZ[9]", (9, 9)), (b"SZ[7:11]", (7, 11)), (b"SZ[19:19]", (19, 19)), (b"SZ[13x13]", (13, 13))],
)
def test_sizes(size, expected):
    record = load_sgf(b"(;GM[1]" + size + b")")
    assert (record.width, record.height) == expected


def test_points_of_a_rectangle():
    record = load_sgf(b"(;SZ[7:11];B[aa];W[gk];B[gg];W[])")
    assert [vertex for _, vertex in record.moves] == ["A11", "G1", "G5", "pass"]
    assert [record.point(vertex) for _, vertex in record.moves] == ["aa", "gk", "gg", ""]


RULES = {
    "Japanese": "japanese",
    "japanese rules": "japanese",
    "jp": "japanese",
    "日本": "japanese",
    "日本ルール": "japanese",
    "Chinese": "chinese",
    "cn": "chinese",
    "中国规则": "chinese",
    "中國": "chinese",
    "Chinese OGS": "chinese-ogs",
    "OGS Chinese": "chinese-ogs",
    "chinese-kgs": "chinese-ogs",
    "AGA": "aga",
    "AGA rules": "aga",
    "Korean": "korean",
    "한국": "korean",
    "GOE": "goe",
    "Ing": "ing",
    "NZ": "nz",
    "New Zealand": "nz",
    "Tromp-Taylor": "tromp-taylor",
    "tromp taylor": "tromp-taylor",
    "British": "bga",
    "French": "french",
    "Stone Scoring": "stone-scoring",
    "koPOSITIONALscoreAREAtaxNONEsui1": "tromp-taylor",
}


@pytest.mark.parametrize("text", RULES)
def test_rules_in_the_spellings_of_the_world(text):
    assert load_sgf(f"(;RU[{text}])".encode()).rules == PRESETS[RULES[text]][0]


@pytest.mark.parametrize("text", ["", " ", "unknown", "Pente", "swimming", "日"])
def test_rules_that_nobody_knows(text):
    record = load_sgf(f"(;RU[{text}])".encode())
    assert record.rules is None
    assert record.info.rules == text.strip()
    assert record.played_under("chinese") == PRESETS["chinese"]


@pytest.mark.parametrize("name", PRESETS)
def test_rules_are_written_as_they_are_read(name):
    rules = PRESETS[name][0]
    assert load_sgf(new_record(9, 9, rules=rules, komi=6.5).to_bytes()).rules == rules


def test_odd_rules_are_written_as_they_are_read():
    rules = Rules(ko="spight", tax="all", has_button=True, white_handicap_bonus="n-1")
    assert load_sgf(new_record(9, 9, rules=rules).to_bytes()).rules == rules


@pytest.mark.parametrize(
    ("text", "rules", "komi"),
    [
        ("6.5", "Japanese", 6.5),
        ("6,5", "Japanese", 6.5),
        ("7.50", "Chinese", 7.5),
        ("-3", "Chinese", -3),
        ("375", "Chinese", 7.5),
        ("3.75", "Chinese", 7.5),
        ("325", "Chinese", 6.5),
        ("650", "Korean", 6.5),
        ("750", "Chinese", 7.5),
        ("0", "Chinese", 0),
        ("", "Chinese", None),
        ("6.5 points", "Japanese", 6.5),
    ],
)
def test_komi(text, rules, komi):
    assert load_sgf(f"(;KM[{text}]RU[{rules}])".encode()).komi == komi


@pytest.mark.parametrize("text", ["many", "6.3", "3000", "1e5", "nan", "٦"])
def test_a_komi_that_is_none(text):
    with pytest.raises(SgfError, match="the SGF text: KM is"):
        load_sgf(f"(;KM[{text}]RU[Japanese])".encode())


def test_komi_where_the_file_is_silent():
    assert load_sgf(b"(;SZ[9])").played_under() == PRESETS["japanese"]
    assert load_sgf(b"(;SZ[9]RU[chinese])").played_under() == PRESETS["chinese"]
    assert load_sgf(b"(;SZ[9]RU[chinese])").played_under(Rules()) == PRESETS["chinese"]
    assert load_sgf(b"(;SZ[9]HA[2]AB[gc][cg];W[ee])").played_under()[1] == 0.5
    assert load_sgf(b"(;SZ[9]HA[2]KM[5.5]AB[gc][cg];W[ee])").played_under()[1] == 5.5


def test_handicap_stones_and_rectangles_of_stones():
    record = load_sgf(b"(;SZ[9]HA[4]AB[aa:bb]AW[cc]AE[ab])")
    assert sorted(record.stones) == [("black", "A9"), ("black", "B8"), ("black", "B9"), ("white", "C7")]
    assert record.to_play == "black"
    assert load_sgf(b"(;SZ[9]HA[4]AB[aa:bb])").to_play == "white"
    assert load_sgf(b"(;SZ[9]HA[4]AB[aa:bb]PL[B])").to_play == "black"
    assert load_sgf(b"(;SZ[9]HA[4]AB[aa:bb];B[cc])").to_play == "black"
    assert record.info.handicap == "4"


def test_stones_set_up_before_the_first_move_lose_nothing():
    record = load_sgf(b"(;SZ[9];AB[aa];AW[bb]PL[W];W[cc];B[dd])")
    assert record.stones == [("black", "A9"), ("white", "B8")]
    assert record.to_play == "white"
    assert len(record.moves) == 2
    assert record.main.start is record.root.children[0].children[0]


def test_a_set_up_in_the_middle_begins_anew():
    # White takes the corner stone, then a stone is put beside it.
    record = load_sgf(b"(;SZ[9];B[aa];W[ab];B[ee];W[ba];B[dd];AB[ff]AE[ee];W[gg])")
    assert sorted(record.stones) == [("black", "D6"), ("black", "F4"), ("white", "A8"), ("white", "B9")]
    assert record.moves == [("white", "G3")]
    assert record.to_play == "white"
    state = record.start()[1]
    assert str(state).count("●") >= 2


def test_who_plays_may_change_in_the_middle():
    usual = load_sgf(b"(;SZ[9];B[aa];PL[W];W[bb])")
    assert len(usual.moves) == 2
    changed = load_sgf(b"(;SZ[9];B[aa];PL[B])")
    assert (changed.stones, changed.moves, changed.to_play) == ([("black", "A9")], [], "black")


def test_the_position_at_a_node():
    record = load_sgf(GAME)
    game, state = record.start(record.main.nodes[1])
    assert game.ply(state) == 2
    assert game.rules_of(state) == (PRESETS["japanese"][0], 0.0)
    with pytest.raises(SgfError, match=r"move 1 .white A9. is illegal"):
        load_sgf(b"(;SZ[9];B[aa];W[aa])").start()


def test_comments_marks_and_moves_are_written():
    record = load_sgf(GAME)
    node = record.main.nodes[2]
    node.add_comment("first")
    node.add_comment("second ] \\")
    record.set_labels(node, {"D4": "1]", "Q16": "2:3"})
    record.set_points(node, "TR", ["D4", "Q3"])
    new = record.add_move(node, "w", "K10")
    assert record.add_move(node, "white", "k10") is new
    assert record.add_move(node, "w", "P17") is record.main.nodes[3]
    record.set_info(black="Honinbo", result="")
    again = load_sgf(record.to_bytes())
    found = again.main.nodes[2]
    assert found.comment == "first\n\nsecond ] \\"
    assert found.texts("LB") == ["dp:1]", "pd:2:3"]
    assert found.texts("TR") == ["dp", "pq"]
    assert [again.move(child) for child in found.children] == [("white", "P17"), ("white", "K10")]
    assert (again.info.black, again.info.result) == ("Honinbo", "")
    record.set_labels(node, {})
    record.set_points(node, "TR", [])
    node.comment = ""
    assert set(node.raw) == {"B"}


def test_a_new_record(tmp_path):
    record = new_record(
        7,
        11,
        rules=PRESETS["chinese"][0],
        komi=7.5,
        stones=[("b", "A1"), ("w", "G11")],
        to_play="w",
        moves=[("w", "C3"), ("b", "pass")],
        black="名人",
        result="W+R",
    )
    record.save(tmp_path / "new.sgf")
    again = load_sgf(tmp_path / "new.sgf")
    assert (again.width, again.height, again.komi) == (7, 11, 7.5)
    assert again.stones == [("black", "A1"), ("white", "G11")]
    assert again.moves == [("white", "C3"), ("black", "pass")]
    assert (again.info.black, again.info.result) == ("名人", "W+R")
    with pytest.raises(SgfError, match="'winner' is nothing"):
        record.set_info(winner="me")


NAMES = {
    "utf-8": "申眞諝 박정환 名人戦 Müller",
    "big5": "張栩功許蓋",  # 功, 許 and 蓋 end in a backslash
    "gb2312": "柯洁与古力的对局",
    "gb18030": "柯洁与古力的对局",
    "shift_jis": "本因坊秀策 ソ表能予申",  # of which several end in a backslash
    "euc_kr": "이창호 조훈현 대국",
    "euc_jp": "本因坊秀策のひらめき",
    "iso8859-1": "Müller",
    "cp1252": "“Jiří”".replace("ř", "r"),
}


@pytest.mark.parametrize("codec", NAMES)
def test_encodings_that_are_named(codec):
    data = f"(;CA[{codec}]PB[{NAMES[codec]}]C[{NAMES[codec]}];B[aa])".encode(codec)
    record = load_sgf(data)
    assert record.info.black == record.root.comment == NAMES[codec]
    again = load_sgf(record.to_bytes())
    assert again.info.black == NAMES[codec]
    assert again.root.text("CA") == "UTF-8"


@pytest.mark.parametrize("codec", sorted(set(NAMES) - {"cp1252"}))
def test_encodings_that_are_not_named(codec):
    assert load_sgf(f"(;PB[{NAMES[codec]}];B[aa])".encode(codec)).info.black == NAMES[codec]


def test_encodings_that_are_named_wrongly():
    name = NAMES["utf-8"]
    for wrong in ("ISO-8859-1", "ascii", "nonsense", "rot13", "utf-16", "cp037", "zlib"):
        assert load_sgf(f"(;CA[{wrong}]PB[{name}];B[aa])".encode()).info.black == name
    assert load_sgf(f"(;CA[UTF-8]PB[{NAMES['gb2312']}];B[aa])".encode("gb2312")).info.black == NAMES["gb2312"]
    damaged = f"(;CA[UTF-8]PB[{name}]".encode() + b"PW[\xff?];B[aa])"
    assert load_sgf(damaged).info.black == name


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_byte_order_marks(codec):
    assert load_sgf(f"(;PB[{NAMES['utf-8']}];B[aa])".encode(codec)).info.black == NAMES["utf-8"]


def test_several_games_in_a_file(tmp_path):
    games = load_collection(GAME + b"\n\nsome mail\n" + b"(;SZ[9];B[ee])")
    assert [game.width for game in games] == [19, 9]
    save_collection(tmp_path / "all.sgf", games)
    again = load_collection(tmp_path / "all.sgf")
    assert [shape(game.root) for game in again] == [shape(game.root) for game in games]


def test_old_spellings_of_properties():
    record = load_sgf(b"(;GaMe[1]SiZe[9]AddBlack[aa];Black[bb];White[cc]lower[x])")
    assert (record.width, record.stones, len(record.moves)) == (9, [("black", "A9")], 2)
    assert load_sgf(record.to_bytes()).moves == record.moves


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no SGF data found: expected a game such as"),
        (b"hello", "no SGF data found"),
        (b"(;B[aa];W[bb]", r"unexpected end of SGF data \(line 1: a '\)' is missing\)"),
        (b"(;B[aa]\n;W[bb)", r"unexpected end of SGF data \(line 1: '\\n;W\[bb\)' can't be read\)|line 2"),
        (b"(;B[aa]\n!;W[bb])", "line 1.*can't be read|line 2"),
        (b"(;SZ[9])(;B", "error parsing game 1"),
        (b"(;GM[2])", "GM is '2': expected 1, which is Go"),
        (b"(;SZ[1])", "SZ is '1': expected 2 to 19"),
        (b"(;SZ[19:21])", "SZ is '19:21'"),
        (b"(;SZ[big])", "SZ is 'big'"),
        (b"(;SZ[9];B[jj])", "'jj' is no point of the board: expected aa to ii"),
        (b"(;SZ[9];B[a])", "'a' is no point"),
        (b"(;SZ[9]AB[aa][tt])", "AB has 'tt'"),
        (b"(;SZ[9]AB[aa:])", None),
        (b"(;SZ[9]PL[X])", "PL is 'x': expected B or W"),
        (b"(;SZ[9];B[aa];W[aa];AB[bb])", "move 1 .white A9. is illegal"),
    ],
)
def test_errors_name_what_is_wrong(data, message):
    if message is None:
        assert load_sgf(data).stones
        return
    with pytest.raises(SgfError, match=message) as error:
        load_sgf(data)
    assert str(error.value).startswith("the SGF text: ")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(SgfError, match=r"none\.sgf: No such file"):
        load_sgf(tmp_path / "none.sgf")
    with pytest.raises(SgfError, match="null"):
        load_sgf("a\0b")


def test_deep_and_long_trees():
    deep = load_sgf(b"(;SZ[9]" + b"(;B[aa]" * 5000 + b")" * 5001)
    assert len(deep.moves) == 5000
    assert load_sgf(deep.to_bytes()).moves == deep.moves


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            data[at:at] = rng.choice(
                [b"(", b")", b";", b"[", b"]", b"\\", b"B[", b"AB[aa:zz]", b"SZ[3]", b"CA[big5]", b"PL[w]"]
            )
        elif kind == 1:
            del data[at : at + rng.randint(1, 10)]
        elif kind == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 5)))
        elif kind == 3 and at < len(data):
            data[at] = rng.randrange(256)
        else:
            data[at:at] = data[: rng.randrange(len(data) + 1)][-30:]
    return bytes(data)


def test_a_thousand_mutations():
    """Whatever comes in is a record that can be written and read again, or an SgfError."""
    rng = random.Random(5)
    setup = b"(;SZ[9]HA[2]AB[cc][gg]KM[0.5]RU[Chinese]CA[GB2312]PB[\xbf\xc2\xbd\xe0]"
    setup += b";W[ee];B[aa];AE[ee]AW[ab:ba]PL[B];B[dd])"
    read = 0
    for number in range(1000):
        data = mutate(GAME if number % 2 else setup, rng)
        try:
            records = load_collection(data)
            for record in records:
                record.played_under()
                record.start()
        except SgfError:
            continue
        again = load_collection(b"".join(record.to_bytes() for record in records))
        assert [shape(record.root) for record in again] == [shape(record.root) for record in records], data
        read += 1
    assert read > 200
