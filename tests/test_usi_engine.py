"""The engine that thinks: its book, declarations, networks."""

import contextlib
import math
import random
from types import SimpleNamespace

import numpy as np
import pytest
from usi_talk import START, Talk

import tengen
from tengen.evaluators import Evaluation, Evaluator
from tengen.games import GameError
from tengen.protocols.usi import Decision, EngineSettings, Limits, Line, Score, ShogiEngine
from tengen.protocols.usi.book import Book, BookError, BookMove, SortedBook, format_book, parse_book
from tengen.protocols.usi.engine import _Searching
from tengen.protocols.usi.lines import centipawns, ranked, value_of

GAME = tengen.game("shogi")


def test_lines_are_ranked_by_their_scores():
    scores = [
        *(Score(mate=3), Score(mate=7), Score(is_won=True), Score(cp=50), Score(cp=-20)),
        *(Score(is_won=False), Score(mate=-8), Score(mate=-2), Score(mate=0)),
    ]
    lines = [Line(score, (f"{number}",)) for number, score in enumerate(scores)]
    assert list(ranked(reversed(lines))) == lines
    same = [Line(Score(cp=1), ("7g7f",)), Line(Score(cp=1), ("2g2f",))]
    assert list(ranked(same)) == same


def test_scores():
    assert centipawns(0.0, 600) == 0
    assert centipawns(0.5, 600) == round(600 * math.log(3))
    assert centipawns(1.0, 600) < 10_000
    assert value_of(centipawns(-0.3, 600), 600) == pytest.approx(-0.3, abs=0.01)
    texts = {Score(cp=-7): "cp -7", Score(mate=5): "mate 5", Score(mate=-4): "mate -4", Score(mate=0): "mate -0"}
    texts |= {Score(is_won=True): "mate +", Score(is_won=False): "mate -"}
    assert {score: str(score) for score in texts} == texts
    assert Score(mate=3).centipawns == 99_997
    assert Score(mate=-3).centipawns == -99_997


BOOK = f"""#YANEURAOU-DB2016 1.00
# NOE:2
sfen {START}
2g2f 8c8d 55 12 3
7g7f 3c3d 60 12 0
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2
3c3d 2g2f -60 12
8c8d none
"""


def test_books_are_read_and_written():
    positions = parse_book(BOOK)
    assert len(positions) == 2
    book = Book(positions)
    assert book.moves(START) == [BookMove("2g2f", "8c8d", 55, 12, 3), BookMove("7g7f", "3c3d", 60, 12, 0)]
    assert book.moves(START.replace(" b - 1", " b - 77"))
    assert book.moves("4k4/9/9/9/9/9/9/9/4K4 b - 1") == []
    assert parse_book(format_book(positions)) == positions
    with pytest.raises(BookError, match=r"line 2: '7g7f' is a move without a position"):
        parse_book("#x\n7g7f")
    with pytest.raises(BookError, match="line 2: 'good' is no number"):
        parse_book(f"sfen {START}\n7g7f 3c3d good")
    with pytest.raises(BookError, match="is no position"):
        parse_book("sfen 9/9")
    with pytest.raises(BookError, match="can't be read"):
        Book.load("nowhere.db")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("7g7f", BookMove("7g7f")),
        ("7g7f none none none", BookMove("7g7f")),
        ("7g7f None +60", BookMove("7g7f", None, 60)),
        ("7g7f 3c3d 60 12 # quiet", BookMove("7g7f", "3c3d", 60, 12)),
        ("7g7f 3c3d 60 12 // quiet", BookMove("7g7f", "3c3d", 60, 12)),
        ("7g7f //quiet", BookMove("7g7f")),
        ("7g7f\t3c3d 60 12 40 a remark\r", BookMove("7g7f", "3c3d", 60, 12, 40)),
    ],
)
def test_lines_of_books_may_leave_out_numbers_and_have_remarks(line, expected):
    assert Book(parse_book(f"#YANEURAOU-DB2016 1.00\nsfen {START}\n{line}\n")).moves(START) == [expected]


def test_book_moves_by_count_or_score():
    book, rng = Book(parse_book(BOOK)), random.Random(1)
    assert book.choose(START, {"2g2f", "7g7f"}, rng).move == "2g2f", "only that was counted"
    assert book.choose(START, {"7g7f"}, rng).move == "7g7f"
    assert book.choose(START, {"1g1f"}, rng) is None


def test_a_book_of_one_side_serves_the_other():
    """White to move in the start turned round, and after Black's answer to that."""
    book = Book(parse_book(BOOK))
    found = book.moves(START.replace(" b ", " w "))
    assert found == [BookMove("8c8d", "2g2f", 55, 12, 3), BookMove("3c3d", "7g7f", 60, 12, 0)]
    after = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 3"
    assert [move.move for move in book.moves(after)] == ["7g7f", "2g2f"]
    dropped = Book(parse_book("sfen 4k4/9/9/9/9/9/9/9/3+PK4 b P2b 1\nP*5e 5a4b\n6i6h none\n"))
    assert [move.move for move in dropped.moves("4k+p3/9/9/9/9/9/9/9/4K4 w 2Bp 9")] == ["P*5e", "4a4b"]


def test_a_large_book_is_searched_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.protocols.usi.book._LARGE_BYTES", 0)
    game = GAME
    rng = random.Random(3)
    positions: dict[str, list[BookMove]] = {}
    for number in range(300):
        state = game.start()
        for _ in range(number % 7):
            state = state.play(rng.choice(state.legal()))
        key = game.sfen(state).rpartition(" ")[0]
        positions[key] = [BookMove(game.name(rng.choice(state.legal())), None, number, 5, 2)]
    path = tmp_path / "large.db"
    for ending in ("\n", "\r\n"):
        path.write_bytes(format_book(positions).replace("\n", ending).encode())
        assert SortedBook.open(path) is not None
        book = Book.load(path)
        assert all(book.moves(f"{key} 9") == moves for key, moves in positions.items())
        assert book.moves("4k4/9/9/9/9/9/9/9/4K4 b - 1") == []
    # In another order it is read as a whole; a line that nobody has looked at yet is an error once it is needed.
    lines = format_book(positions).splitlines()
    blocks = [f"{sfen}\n{move}" for sfen, move in zip(lines[1::2], lines[2::2], strict=True)]
    path.write_text("\n".join([lines[0], *reversed(blocks)]))
    assert SortedBook.open(path) is None
    assert Book.load(path).moves(START) == positions[START.rpartition(" ")[0]]
    path.write_text(f"{lines[0]}\nsfen {START}\n7g7f none x\n")
    with pytest.raises(BookError, match="'x' is no number"):
        Book.load(path).moves(START)
    engine = ShogiEngine(EngineSettings(model="uniform", book_file=str(path)), seed=1)
    assert engine.think(engine.game.start(), Limits(nodes=8)).move


def test_the_engine_plays_from_the_book(tmp_path):
    path = tmp_path / "book.db"
    path.write_text(BOOK)
    talk = Talk(ponder=True)
    assert talk.send(f"setoption name BookFile value {path}", "isready") == ["readyok"]
    assert talk.ask("position startpos", "go btime 0 wtime 0 byoyomi 60000") == "bestmove 2g2f ponder 8c8d"
    assert talk.lines[-2] == "info depth 1 score cp 55 pv 2g2f 8c8d"
    assert talk.ask("position startpos moves 7g7f", "go nodes 50") == "bestmove 3c3d ponder 2g2f"
    # Analysis is about the position, not about the book.
    since = len(talk.lines)
    talk.send("position startpos", "go infinite", "stop")
    assert talk.infos(since)
    talk.send("setoption name BookMoves value 0")
    talk.ask("position startpos", "go nodes 50")
    assert "score cp 55 " not in talk.lines[-2]
    talk.send("setoption name BookMoves value 16", "setoption name BookIgnoreRate value 100")
    talk.ask("go nodes 50")
    assert "depth 1 score cp 55 " not in talk.lines[-2]
    talk.send("setoption name BookFile value nowhere.db")
    said = talk.send("isready")
    assert "nowhere.db can't be read" in said[0]
    talk.close()


def test_as_many_visits_as_are_asked_for():
    engine = ShogiEngine(EngineSettings(model="uniform", mate_root_nodes=0), seed=1)
    for nodes in (1, 20, 777):
        assert engine.think(engine.game.start(), Limits(nodes=nodes)).info.nodes == max(2, nodes)
        engine.start_game()


def test_a_limit_of_visits_holds_whatever_is_remembered():
    """Evaluations of the game before would let a batch go on through thousands of visits."""
    engine = ShogiEngine(EngineSettings(model="champion", mate_root_nodes=0), seed=1)
    state = engine.game.start()
    for nodes in (300, 10, 1, 40):
        engine.start_game()
        assert engine.think(state, Limits(nodes=nodes)).info.nodes == max(2, nodes)
    assert engine.think(state, Limits(nodes=25)).info.nodes == 25, "those of the tree before are not counted"
    assert engine.think(state, Limits(nodes=9, search_moves=("9g9f", "1g1f"))).info.nodes == 9


def test_a_step_is_as_long_as_the_position_allows():
    """The duration of a few visits, or of an earlier search, does not predict the duration of many visits."""
    engine = ShogiEngine(EngineSettings(model="uniform"), seed=1)
    engine.prepare()
    tree = engine._tree
    tree.seat(engine.game.start())
    first = tree._chunk
    for _ in range(30):
        tree.step(1)
    assert tree._chunk <= first
    tree._chunk, tree.step_s = 4096, 2.0
    tree.seat(engine.game.start())
    assert (tree._chunk, tree.step_s) == (first, 0.0)


def test_moves_to_think_of_go_before_a_declaration():
    engine = ShogiEngine(EngineSettings(model="uniform"), seed=1)
    state = engine.game.start(sfen="+R+R2K2+B1/PPPP+P+P2+B/2+P6/9/9/9/9/9/4k4 b P 1")
    assert engine.think(state, Limits(nodes=8)).move == "win"
    assert engine.think(state, Limits(nodes=8, search_moves=("P*5e",))).move == "P*5e"


def declarable(rng):
    """A position of Black's, or turned of White's, in which it may declare under the rule of 27 points."""
    while True:
        board = [["" for _ in range(9)] for _ in range(9)]
        own = ["+R", "+R", "+B", "+B", "G", "S", "N", "+P", "+P", "+P", "L", "+P", "+P"]
        cells = rng.sample([(row, column) for row in range(3) for column in range(9)], len(own) + 1)
        for piece, (row, column) in zip(["K", *own], cells, strict=True):
            board[row][column] = piece
        board[8][rng.randrange(9)] = "k"
        rows = []
        for row in board:
            text = "".join(cell or "1" for cell in row)
            for count in range(9, 1, -1):
                text = text.replace("1" * count, str(count))
            rows.append(text)
        sfen = "/".join(rows) + " b 2P 1"
        if rng.random() < 0.5:
            turned = "/".join(rows)[::-1].swapcase()
            for piece in "rbp":
                turned = turned.replace(f"{piece}+", f"+{piece}")
            sfen = f"{turned} w 2p 1"
        with contextlib.suppress(GameError):  # the king that is not to move may stand in check
            if any(GAME.name(action) == "win" for action in GAME.start(sfen=sfen).legal()):
                return sfen


@pytest.mark.filterwarnings("ignore")
def test_who_may_declare_declares():
    talk, rng = Talk(), random.Random(3)
    talk.send("isready")
    for _ in range(20):
        sfen = declarable(rng)
        assert talk.ask(f"position sfen {sfen}", "go btime 0 wtime 0 byoyomi 10000") == "bestmove win", sfen
    assert not [line for line in talk.lines if " pv " in line and "win" in line]
    talk.send("setoption name EnteringKingRule value NoEnteringKing")
    assert talk.move(f"position sfen {sfen}", "go nodes 20") != "win"
    talk.close()


class Biased(Evaluator):
    """Knows one move."""

    def __init__(self, name):
        self.action = GAME.parse(name, GAME.start())
        self.rows = 0

    def evaluate(self, leaves):
        self.rows += len(leaves)
        logits = np.zeros((len(leaves), leaves.game.action_count), np.float32)
        logits[:, self.action] = 9
        return Evaluation(logits, np.zeros((len(leaves), 2), np.float32))


def test_networks_judge_in_batches():
    engine = ShogiEngine(EngineSettings(batch_size=4))
    judge = Biased("9g9f")
    engine._evaluator = ("", 1), judge
    engine.prepare()
    warm = judge.rows
    assert warm > 0
    decision = engine.think(engine.game.start(), Limits(nodes=40))
    assert decision.move == "9g9f"
    assert judge.rows > warm
    assert isinstance(decision, Decision)
    assert decision.info.nodes >= 40


def test_the_search_stops_when_the_second_move_can_not_catch_up():
    engine = ShogiEngine(EngineSettings(batch_size=1))
    engine._evaluator = ("", 1), Biased("9g9f")
    engine.prepare()
    assert engine.think(engine.game.start(), Limits(btime=160_000, wtime=160_000)).move == "9g9f"

    def is_decided(ahead, spent=2_000.0, **budget):
        """With a visit a millisecond and four seconds for the move."""
        fields = {"is_exact": False, "least": 0.0, "target": 4_000.0, **budget}
        thinking = SimpleNamespace(
            settings=None, clock_ms=lambda: spent, elapsed_ms=spent, budget=SimpleNamespace(**fields)
        )
        report = SimpleNamespace(moves=[SimpleNamespace(weight=10.0 + ahead), SimpleNamespace(weight=10.0)])
        searching = _Searching(thinking, SimpleNamespace(visits=spent), None, print)
        return searching._is_decided(report)

    assert is_decided(2_001)
    assert not is_decided(1_999)
    assert not is_decided(2_001, is_exact=True)
    assert not is_decided(2_001, least=3_000.0)
    assert not is_decided(2_001, target=math.inf)
    exact = engine.think(engine.game.start(), Limits(movetime=300))
    assert exact.info.elapsed_ms > 60
    # A time that was named, and byoyomi, are used: what is left of them is lost.
    for limits in (Limits(movetime=300), Limits(byoyomi=300), Limits(btime=0, wtime=0, byoyomi=300)):
        assert engine.begin(engine.game.start(), limits).budget.is_exact
    assert not engine.begin(engine.game.start(), Limits(btime=1_000, byoyomi=300)).budget.is_exact


def test_stop_from_another_thread_is_never_lost():
    engine = ShogiEngine(EngineSettings(model="rollout"))
    thinking = engine.begin(engine.game.start(), Limits(is_infinite=True))
    engine.stop()
    assert engine.run(thinking).move
    hit = engine.begin(engine.game.start(), Limits(is_ponder=True))
    engine.ponderhit(Limits(byoyomi=100))
    assert engine.run(hit).move


@pytest.mark.parametrize(("moves", "worth"), [("", 300), ("7g7f", -200)])
def test_what_a_draw_is_worth(moves, worth):
    """Whatever is played now, the limit of moves ends the game."""
    settings = EngineSettings(
        model="uniform", draw_value_black=300, draw_value_white=-200, max_moves=len(moves.split()) + 1
    )
    engine = ShogiEngine(settings)
    decision = engine.think(engine.game.start(moves=moves), Limits(nodes=50))
    assert decision.score.cp == pytest.approx(worth, abs=2)


MATE_IN_THREE = "8k/9/7R1/9/9/9/9/9/K8 b 2G 1"


@pytest.mark.parametrize("plies", [0, 1, 3, 5])
def test_the_tree_alone_tells_the_whole_mate(plies):
    engine = ShogiEngine(EngineSettings(model="uniform", mate_root_nodes=0, mate_leaf_plies=plies))
    state = engine.game.start(sfen=MATE_IN_THREE)
    decision = engine.think(state, Limits(movetime=20_000))
    assert decision.score.mate in (1, 3, 5)
    assert decision.score.mate == len(decision.pv)
    assert engine.game.start(sfen=MATE_IN_THREE, moves=decision.pv).is_over


def test_who_is_mated_is_told_how():
    engine = ShogiEngine(EngineSettings(model="uniform", mate_root_nodes=0))
    state = engine.game.start(sfen=MATE_IN_THREE)
    first = engine.think(state, Limits(movetime=20_000)).pv[0]
    after = state.play(first)
    if after.is_over or len(after.legal()) == 1:
        return
    decision = engine.think(after, Limits(movetime=20_000))
    assert decision.score.mate is not None
    assert decision.score.mate < 0
    assert engine.game.start(sfen=MATE_IN_THREE, moves=[first, *decision.pv]).is_over


def test_memory_bounds_a_search():
    engine = ShogiEngine(EngineSettings(hash_mb=1))
    engine._evaluator = ("", 1), Biased("9g9f")
    # Ten hours: only the memory ends the search.
    decision = engine.think(engine.game.start(), Limits(movetime=36_000_000))
    assert decision.info.hashfull == 1000
