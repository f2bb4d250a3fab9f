"""Small files that would fill the memory or keep a thread busy for good: all of them are refused."""

import asyncio
import base64
import gzip
import io
import time
import zlib

import numpy as np
import pytest
from cli_runner import runner

from tengen import _decompress
from tengen._decompress import BoundedGzip, DecompressError, check_archive, gunzip, gunzip_lines, inflate
from tengen._time_limit import TimeLimitError, check_time, time_limit
from tengen.analysis.go.records import SgfFormat, read_go
from tengen.analysis.pokemon.battle_record import read_battle
from tengen.analysis.review.played_game import ReviewError
from tengen.cluster import values
from tengen.cluster.values import ValuesError, decode, encode
from tengen.games.go.sgf import SgfError, load_sgf
from tengen.games.go.sgf import record as sgf_record
from tengen.games.shogi.records.files import detect_format
from tengen.labs.shogi.samples import Samples as ShogiSamples
from tengen.learning import SamplesError, load_packed, load_samples
from tengen.nets.golden import GoldenError, read_positions
from tengen.nets.katago.comparison import FeaturesError, read_cases
from tengen.nets.katago.tokens import KataGoFileError, Tokens
from tengen.selfplay.records import RecordError, load_records
from tengen.web import study_room
from tengen.web.catalog import Catalog
from tengen.web.record_reading import Moves, read_record
from tengen.web.request_errors import RequestError
from tengen.web.study_tree import StudyTree

CATALOG = Catalog()


@pytest.fixture
def low(monkeypatch):
    """Bounds that small data exceeds."""
    for name, bound in (("TEXT_ALWAYS", 1000), ("ARRAY_ALWAYS", 1000), ("TEXT_RATIO", 10), ("ARRAY_RATIO", 10)):
        monkeypatch.setattr(_decompress, name, bound)
    monkeypatch.setattr(values, "_ALWAYS", 1000)


# Decompression.


def test_what_fits_is_decompressed():
    text = b"one\ntwo\r\nthree"
    data = gzip.compress(text)
    assert gunzip(data) == text
    assert list(gunzip_lines(data)) == ["one", "two", "three"]
    assert list(gunzip_lines(gzip.compress(b"a\n") + gzip.compress(b"b\n"))) == ["a", "b"]
    assert inflate(zlib.compress(text), len(text)) == text


def test_what_is_too_large_is_not_decompressed(low):
    data = gzip.compress(bytes(100_000))
    for read in (gunzip, lambda data: list(gunzip_lines(data))):
        with pytest.raises(DecompressError, match="expands to more than"):
            read(data)
    with pytest.raises(DecompressError, match="expands to more than 99 bytes"):
        inflate(zlib.compress(bytes(100)), 99)
    with pytest.raises(DecompressError, match="incomplete"):
        inflate(zlib.compress(bytes(100))[:-1], 100)


def test_reading_ends_at_the_bound():
    """Data beyond the bound is never read."""

    class Endless(io.RawIOBase):
        asked = 0

        def read(self, size=-1):
            self.asked += 1
            return gzip.compress(bytes(100_000))

    raw = Endless()
    file = BoundedGzip(raw, 1_000_000)
    with pytest.raises(DecompressError):
        sum(len(file.read(50_000)) for _ in range(1000))
    assert raw.asked < 50


def test_nothing_of_a_file_that_is_too_large_is_handed_out(low):
    lines = gunzip_lines(gzip.compress(b"a line\n" * 20_000))
    with pytest.raises(DecompressError):
        next(lines)


@pytest.mark.parametrize("cut", [1, 5, -1, -9])
def test_damaged_data(cut):
    data = gzip.compress(b"x" * 1000)
    damaged = data[:cut] if cut > 0 else data[:cut] + b"?" * -cut
    with pytest.raises(DecompressError):
        gunzip(damaged)


BOMB = gzip.compress(bytes(100_000))


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (load_records, RecordError),
        (decode, ValuesError),
        (lambda data: Tokens(data, "x").word("a name"), KataGoFileError),
    ],
)
def test_files_of_games_values_and_networks(low, read, error):
    with pytest.raises(error, match="expands to more than"):
        read(BOMB)


@pytest.mark.parametrize(
    ("read", "error"), [(lambda path: read_positions(path, "x"), GoldenError), (read_cases, FeaturesError)]
)
def test_files_to_compare_with(low, tmp_path, read, error):
    path = tmp_path / "positions.json.gz"
    path.write_bytes(BOMB)
    with pytest.raises(error, match="expands to more than"):
        read(path)
    path.write_bytes(BOMB[:40] + b"????" + BOMB[44:])
    with pytest.raises(error):
        read(path)


def test_values_are_still_values():
    assert decode(encode([{"a": (1, 2.5)}, "b"])) == [{"a": (1, 2.5)}, "b"]
    # Workers return arrays that compress by a factor of a thousand.
    zeros = np.zeros(10_000_000, np.float32)
    assert np.array_equal(decode(encode(zeros)), zeros)


def archive(**arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def test_arrays(low, tmp_path):
    data = archive(s=np.zeros((10, 2, 40, 40), np.float32), p=np.zeros((10, 3)), z=np.zeros(10))
    with pytest.raises(DecompressError, match="expands to"):
        check_archive(data)
    for read in (load_samples, load_packed):
        with pytest.raises(SamplesError, match="expands to"):
            read(data)
    assert len(load_samples(data, is_own=True).features) == 10
    path = tmp_path / "samples.npz"
    path.write_bytes(data)
    with pytest.raises(DecompressError, match="expands to"):
        ShogiSamples.from_file(path)
    with pytest.raises(DecompressError):
        check_archive(b"PK not an archive")


def test_arrays_that_boards_fill_sparsely_are_read():
    """Planes with a few stones are two hundred times as large as their file."""
    planes = np.zeros((2000, 20, 19, 19), np.float32)
    planes[:, 3, ::7, ::5] = 1
    samples = load_samples(archive(s=planes, p=np.ones((2000, 2), np.float32), z=np.zeros(2000, np.float32)))
    assert len(samples.features) == 2000


def test_packed_samples_with_impossible_shapes():
    one, nothing = np.zeros(1, np.float32), np.zeros(0, np.uint8)
    dense = ("result", "search_value", "moves_left")
    old = {
        "shape": np.array([2**20, 2**20, 2**20]),
        "labels": np.array([5]),
        "planes": nothing,
        "planes_ends": np.zeros(1, np.int64),
        "moves": np.zeros(0, np.uint16),
        "shares": np.zeros(0, np.float32),
        "moves_ends": np.zeros(1, np.int64),
        "aux": one[:, None],
        "hidden_labels": one[:, None],
    } | dict.fromkeys(dense, one)
    new = {"shape": old["shape"], "labels": old["labels"]}
    for arrays in (old, new):
        with pytest.raises(SamplesError, match="shapes are impossible"):
            load_packed(archive(**arrays))


@pytest.mark.slow
def test_learning_from_such_records_is_refused(low, tmp_path, monkeypatch, capsys):
    path = tmp_path / "games.jsonl.gz"
    path.write_bytes(BOMB)
    ran = runner(monkeypatch, capsys)("learn", "connect_four", "--records", path, "--run", tmp_path / "run")
    assert ran.code != 0
    assert "expands to more than" in ran.err


# Records of games.


def sgf(*nodes):
    return f"(;SZ[9]{''.join(nodes)})".encode()


LETTERS = "abcdefghi"
SETUPS = [f";AB[{x}{y}]" for x in LETTERS for y in LETTERS]


def test_setups_are_read_in_one_pass(monkeypatch):
    """Time was quadratic in their number."""
    steps = 0
    set_up = sgf_record._LineReader._set_up

    def counted(*args):
        nonlocal steps
        steps += 1
        return set_up(*args)

    monkeypatch.setattr(sgf_record._LineReader, "_set_up", counted)
    nodes = [node for pair in zip(SETUPS, [";W[]", ";B[]"] * 40, strict=False) for node in pair]
    game = read_go(load_sgf(sgf(*nodes)))
    assert len(game.segments) == 80
    assert steps <= 5 * (len(nodes) + 1)


def test_what_a_setup_begins_is_as_before():
    record = load_sgf(b"(;SZ[5]AB[aa];W[bb];PL[B];B[cc];AW[dd]PL[W];W[ee];AE[aa];B[ab])")
    lines = record.lines(record.root.main_line()[-1])
    assert [line.moves for line in lines] == [
        [("white", "B4"), ("black", "C3")],
        [("white", "E1")],
        [("black", "A4")],
    ]
    assert lines[-1] == record.main
    assert sorted(lines[1].stones) == [("black", "A5"), ("black", "C3"), ("white", "B4"), ("white", "D2")]
    assert len(read_go(record).segments) == 3


def test_too_many_setups_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(sgf_record, "MAX_SETUPS", 20)
    monkeypatch.setattr("tengen.analysis.go.records.MAX_SETUPS", 20)
    with pytest.raises(SgfError, match="more than 20 times"):
        load_sgf(sgf(*[";B[]" + node for node in SETUPS[:40]]))
    path = tmp_path / "a.sgf"
    path.write_bytes(sgf(*[";B[]"] * 40))
    with pytest.raises(ReviewError, match="one color moves twice"):
        SgfFormat().load(path)


def test_positions_share_their_moves():
    record = read_record(sgf(*[";B[];W[]"] * 200), "a.sgf", "", CATALOG)
    assert [len(step.moves) for step in record.steps] == list(range(401))
    assert all(
        after.moves._parent is before.moves for before, after in zip(record.steps, record.steps[1:], strict=False)
    )
    chain = Moves().then("a").then("b")
    assert (list(chain), len(chain), bool(Moves())) == (["a", "b"], 2, False)


def test_records_with_too_many_nodes_are_refused(monkeypatch):
    monkeypatch.setattr("tengen.web.record_reading.MAX_MARKS", 100)
    with pytest.raises(ValueError, match="at most 100 nodes"):
        read_record(sgf(*[";B[]"] * 101), "a.sgf", "", CATALOG)


def test_brackets_without_nodes_are_refused(monkeypatch):
    monkeypatch.setattr("tengen.web.record_reading.MAX_MARKS", 100)
    with pytest.raises(ValueError, match="at most 100 nodes, this one 102"):
        read_record(sgf("(" * 101), "a.sgf", "", CATALOG)


def test_the_same_variation_again_and_again():
    data = sgf(*(f"(;B[{point}])" for point in ("aa", "bb", "cc") * 300))
    assert StudyTree("x", read_record(data, "a.sgf", "", CATALOG)).count == 4


# Time.


def test_time_limits():
    check_time()
    with pytest.raises(TimeLimitError), time_limit(-1):
        check_time()
    with time_limit(1e6), pytest.raises(TimeLimitError), time_limit(-1):
        check_time()
    check_time()


BATTLE = (
    "|player|p1|A\n|player|p2|B\n|gen|8\n|tier|[Gen 8] Random Battle\n|start\n"
    "|switch|p1a: Pikachu|Pikachu, L80|100/100\n|switch|p2a: Mew|Mew, L80|100/100\n|turn|1\n"
    "|move|p1a: Pikachu|Surf|p2a: Mew\n|-damage|p2a: Mew|50/100\n|turn|2\n"
)


# Each has parts that a reader could repeat for minutes without a check of the time.
@pytest.mark.parametrize(
    ("name", "text", "most"),
    [
        ("a.csa", "V2.2\n" + "PI\n+\n/\n" * 9, 5),
        ("a.csa", "V2.2\nPI\n+\n+7776FU\n" + "T1\n" * 9, 7),
        ("a.kif", "手合割：平手\n" + "*a\n" * 9, 3),
        ("a.usi", "startpos\n" * 9, 3),
        ("a.log", BATTLE, 12),
    ],
)
def test_readers_check_the_time_at_every_line(name, text, most, monkeypatch):
    left = iter(range(most))

    class Time:
        @staticmethod
        def monotonic():
            return 0.0 if next(left, None) is not None else 1e9

    monkeypatch.setattr("tengen._time_limit.time", Time)
    with pytest.raises(TimeLimitError), time_limit(1):
        read_record(text.encode(), name, "", CATALOG)
    assert next(left, None) is None


@pytest.mark.parametrize("opening", ['<script type="text/plain" class="battle-log-data">', "<script ", "<script>"])
def test_pages_of_replays_are_searched_in_one_pass(opening):
    """The time was quadratic in the number of opened scripts: minutes for 4 MB."""
    began = time.process_time()
    with pytest.raises(ValueError, match=r"no Pokémon|no turn|log"):
        read_battle(opening * (1_000_000 // len(opening)))
    assert time.process_time() - began < 5


@pytest.mark.parametrize("part", ["/", "a/", "a/,"])
def test_the_format_of_a_long_line_is_found_in_one_pass(part):
    began = time.process_time()
    assert detect_format(part * 100_000) == "kif"
    assert time.process_time() - began < 5


def test_the_log_of_a_page_is_found():
    page = f"<html><script>x</script><SCRIPT id=1 class='battle-log-data'>{BATTLE.replace('/', chr(92) + '/')}</SCRIPT>"
    assert read_battle(page).lines == read_battle(BATTLE).lines


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.sgf", sgf(*SETUPS)),
        ("a.sgf", sgf(*[";B[];W[]"] * 9)),
        ("a.sgf", sgf(*[f"(;B[{x}a])" for x in LETTERS])),
        ("a.csa", b"V2.2\nPI\n+\n+7776FU\n-3334FU\n"),
        ("", b"position startpos moves 7g7f 3c3d"),
    ],
)
def test_reading_ends_when_its_time_is_over(name, data):
    assert read_record(data, name, "", CATALOG).steps
    with pytest.raises(TimeLimitError), time_limit(-1):
        StudyTree("x", read_record(data, name, "", CATALOG))


@pytest.mark.slow
def test_readers_are_free_again_after_the_time_limit(tmp_path, monkeypatch):
    room = study_room.StudyRoom(tmp_path, CATALOG, None)
    bomb = "(;SZ[19]" + "".join(SETUPS * 1400) + ")"

    def read(data):
        return asyncio.run(room._read("x", {"data": base64.b64encode(data).decode(), "name": "a.sgf", "game": ""}))

    monkeypatch.setattr(study_room, "READ_S", 0.05)
    for _ in range(3):
        with pytest.raises(RequestError, match="within 0 seconds"):
            read(bomb.encode())
    monkeypatch.setattr(study_room, "READ_S", 300.0)
    assert read(sgf(";B[ee]")).count == 2
