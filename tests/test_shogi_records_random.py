"""Records of shogi against random trees, mutations, and what other libraries make of them."""

import gzip
import json
import random
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.games.shogi.records import (
    ENDS,
    HANDICAPS,
    Node,
    RecordError,
    format_csa,
    format_ki2,
    format_kif,
    format_records,
    format_usi,
    new_record,
    parse_csa,
    parse_kif,
    parse_records,
    parse_usi,
)

ANSWERS = json.loads(gzip.decompress((Path(__file__).parent / "data" / "shogi" / "tsshogi.json.gz").read_bytes()))
GAME = tengen.game("shogi")
# No line feeds, which end a line, and nothing that Shift_JIS has no sign for.
TEXTS = st.text(string.ascii_letters + string.digits + " *#&+-'：:変化手合割先後▲△歩｜、。", max_size=12)
COMMENTS = st.lists(TEXTS, min_size=1, max_size=3).map("\n".join)
KEYS = ("black", "white", "event", "site", "note", "記録係")


@st.composite
def records(draw):
    """Trees of legal moves with all that records hold."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    start = draw(st.sampled_from(list(HANDICAPS.values())))
    record = new_record(start=start)
    places = [(record.root, GAME.start(sfen=start))]
    for _ in range(draw(st.integers(0, 40))):
        node, state = rng.choice(places[-3:]) if rng.random() < 0.9 else rng.choice(places)
        names = [name for name in map(GAME.name, state.legal()) if name != "win"]
        if not names:
            continue
        move = rng.choice(names)
        child = node.add(move=move)
        places.append((child, state.play(move)))
    for node, _ in places:
        if rng.random() < 0.3:
            node.comment = draw(COMMENTS)
        if node is not record.root and rng.random() < 0.5:
            node.time_s = rng.randrange(4000)
        if not node.children and rng.random() < 0.5:
            node.children.append(Node(end=rng.choice(ENDS)))
    for key in KEYS:
        value = draw(TEXTS).strip()
        if value:
            record.header[key] = value
    return record


@settings(max_examples=25)
@given(records())
def test_round_trips(record):
    assert parse_kif(format_kif(record)) == record
    assert parse_records(format_records(record, ".kif")) == [record]
    main = record.main_only()
    csa = parse_csa(format_csa(record))[0]
    assert csa.moves == record.moves
    assert [node.comment for node in csa.root.main_line()] == [node.comment for node in main.root.main_line()]
    assert [node.time_s for node in csa.root.main_line()] == [node.time_s for node in main.root.main_line()]
    assert csa.header == record.header
    (usi,) = parse_usi(format_usi(record))
    assert (usi.start, usi.moves, usi.end) == (record.start, record.moves, record.end)
    for node, _ in record.walk():
        node.time_s = None
    ki2 = parse_kif(format_ki2(record))
    assert ki2.moves == record.moves
    assert ki2.header == record.header
    assert [node.move for node, _ in ki2.walk()] == [node.move for node, _ in record.walk()]
    assert [node.comment for node, _ in ki2.walk()] == [node.comment for node, _ in record.walk()]


@pytest.mark.parametrize("number", range(len(ANSWERS["games"])))
def test_tsshogi_and_tengen_read_each_other(number):
    """What tsshogi wrote is read, and what it read from Tengen's KIF is what was meant."""
    game = ANSWERS["games"][number]
    (record,) = parse_usi(game["usi"])
    ours = parse_kif(game["kif"])
    for kind, parse in (("kif", parse_kif), ("ki2", parse_kif), ("csa", lambda text: parse_csa(text)[0])):
        theirs = parse(game[f"tsshogi_{kind}"])
        assert (theirs.start, theirs.moves) == (record.start, record.moves)
        assert theirs.end == record.end or kind == "csa"
    assert [move for _, move, _, _ in game["nodes"] if move[0].isdigit() or move[1] == "*"] == [
        node.move for node, _ in ours.walk() if node.move
    ]
    again = parse_kif(game["tsshogi_kif"])
    assert [node.move for node, _ in again.walk()] == [node.move for node, _ in ours.walk()]


@pytest.mark.parametrize("number", range(0, len(ANSWERS["games"]), 4))
def test_words_of_ki2_are_those_of_tsshogi(number):
    def moves(text):
        return [part.split()[0] for part in text.replace("同　", "同").replace("△", "▲").split("▲")[1:] if part.split()]

    game = ANSWERS["games"][number]
    assert moves(format_ki2(parse_kif(game["kif"]))) == moves(game["tsshogi_ki2"])


def test_rsshogi_reads_what_is_written():
    rsshogi = pytest.importorskip("rsshogi.record", reason="rsshogi is not installed")
    readers = {
        format_kif: rsshogi.Record.from_kif_str,
        format_ki2: rsshogi.Record.from_ki2_str,
        format_csa: rsshogi.Record.from_csa_str,
    }
    unknown = {HANDICAPS[name] for name in ("左七枚落ち", "右七枚落ち")}
    for game in ANSWERS["games"]:
        record = parse_kif(game["kif"])
        if record.start in unknown:
            continue
        for write, read in readers.items():
            theirs = read(write(record))
            assert theirs.init_position_sfen == record.start
            assert [str(entry.move) for entry in theirs.moves] == record.moves


def mutate(text, rng):
    for _ in range(rng.randrange(1, 4)):
        lines = text.split("\n")
        at, i, j = rng.randrange(max(1, len(text))), rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:at] + text[at + rng.randrange(1, 4) :]
        elif kind == 1:
            text = text[:at] + rng.choice("129一同打成歩玉▲△+-%*'：,T.　xP/\x00") + text[at + rng.randrange(2) :]
        elif kind == 2:
            lines[i], lines[j] = lines[j], lines[i]
            text = "\n".join(lines)
        elif kind == 3:
            text = "\n".join(lines[: i + 1] + lines[i:])
        else:
            text = text[:at]
    return text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["kif", "ki2", "csa", "usi", "sfenx"])
def test_mutations_are_read_or_refused_with_their_line(kind):
    rng = random.Random(kind)
    refused = []
    for _ in range(40):
        record = parse_kif(rng.choice(ANSWERS["games"])["kif"])
        text = mutate(format_records(record, f".{kind}").decode("cp932" if kind in ("kif", "ki2") else "utf-8"), rng)
        try:
            parse_records(text.encode())
        except RecordError as error:
            refused.append(error)
    assert len(refused) > 12
    assert all(error.line is not None or "holds no game" in error.reason for error in refused)
