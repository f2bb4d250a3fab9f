"""Whatever a server says, in whatever pieces: no crash, and a game ends with its verdict."""

import queue
import random

import pytest
from csa_peers import StubEngine, summary_lines
from hypothesis import given
from hypothesis import strategies as st

from tengen.protocols.csa import CsaSettings, GameSummary, StopRequest, SummaryError, parse_game_summary
from tengen.protocols.csa.conversation import LineReceived, SearchEnded
from tengen.protocols.csa.game import CsaGame
from tengen.protocols.csa.position import GamePosition
from tengen.protocols.csa.recording import Recording
from tengen.protocols.csa.wire import MAX_LINE_BYTES, LineSplitter


@given(st.binary(max_size=300), st.lists(st.integers(1, 20), max_size=60))
def test_lines_do_not_depend_on_the_pieces_they_come_in(data, sizes):
    data = data.replace(b"\r", b"") + b"\n"
    whole, pieces = LineSplitter(), LineSplitter()
    lines, at = [], 0
    for size in [*sizes, len(data)]:
        lines += pieces.feed(data[at : at + size])
        at += size
    assert lines == whole.feed(data)
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert pieces.rest == ""


def test_a_line_without_an_end_does_not_fill_the_memory():
    splitter = LineSplitter()
    for _ in range(100):
        assert splitter.feed(b"x" * 10_000) == []
    assert splitter.feed(b"\nnext\n") == ["x" * MAX_LINE_BYTES, "next"]


VALUES = st.one_of(
    st.text(st.characters(codec="ascii"), max_size=12), st.sampled_from(["+", "-", "0", "-1", "1min", "NO"])
)
LINES = st.one_of(
    st.sampled_from(summary_lines()),
    st.builds("{}:{}".format, st.sampled_from([line.partition(":")[0] for line in summary_lines()]), VALUES),
    st.sampled_from(
        ["PI82HI22KA", "P+00FU", "P-00AL", "P+00AL", "P-11OU", "T5", "+7776FU", "-3334FU,T1", "%TORYO", "/", "'"]
    ),
    st.text(max_size=20),
)


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from("rid"), LINES), max_size=6), st.sampled_from("+-"))
def test_a_mutated_summary_is_read_or_refused(changes, color):
    lines = summary_lines(color)
    for place, how, line in changes:
        at = place % max(1, len(lines))
        lines[at : at + (how != "i")] = [] if how == "d" else [line]
    try:
        summary = parse_game_summary(lines)
    except SummaryError:
        return
    assert isinstance(summary, GameSummary)
    assert summary.color in ("+", "-")


class Talk:
    """A conversation without a connection: lines that a list holds, between them what the searches say."""

    def __init__(self, lines):
        self.settings = CsaSettings("127.0.0.1", "ours", verdict_s=0.01)
        self.stop = StopRequest()
        self.inbox = queue.SimpleQueue()
        self.lines = list(lines)
        self.sent = []

    def send(self, line, shown=None):
        self.sent.append(line)

    def next_event(self, until=None):
        try:
            event = self.inbox.get(timeout=0.002)
        except queue.Empty:
            event = LineReceived(self.lines.pop(0))
        assert isinstance(event, LineReceived | SearchEnded)
        return event


def any_line(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return "".join(chr(rng.randrange(32, 127)) for _ in range(rng.randrange(1, 12)))
    if kind == 1:
        return rng.choice(summary_lines())
    if kind == 2:
        return rng.choice(
            ["START:x", "REJECT:x by y", "LOGIN:incorrect", "LOGOUT:completed", "##[x] y", "%CHUDAN", "%KACHI,T0"]
        )
    squares = "".join(rng.choice("0123456789") for _ in range(4))
    piece = rng.choice(["FU", "KY", "KI", "OU", "TO", "RY", "XX"])
    return f"{rng.choice('+-')}{squares}{piece}{rng.choice([',T1', '', ',T', ',T99999999999', ',T1.5', ',x'])}"


@pytest.mark.parametrize("seed", range(8))
def test_random_lines_within_a_game_do_not_end_it(seed):
    rng = random.Random(seed)
    color = rng.choice("+-")
    lines = [any_line(rng) for _ in range(60)]
    opening = ["+7776FU,T1", "-3334FU,T1", "+2726FU,T2", "-8384FU,T3", "+2625FU,T0"]
    for line in opening:
        lines.insert(rng.randrange(len(lines)), line)
    talk = Talk([*lines, "#RESIGN", "#WIN"])
    summary = parse_game_summary(summary_lines(color))
    engine = StubEngine()
    game = CsaGame(talk, summary, GamePosition(summary, engine), engine, Recording(None, summary))
    result = game.play()
    assert (result.reason, result.outcome) == ("#RESIGN", "win")
    assert all(line.startswith((color, "%TORYO")) for line in talk.sent)
