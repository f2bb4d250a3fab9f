"""The engine that thinks: its clock, its book, declarations, networks."""

import contextlib
import math
import random

import numpy as np
import pytest
from usi_talk import START, Talk

import tengen
from tengen.evaluators import Evaluation, Evaluator
from tengen.games import GameError
from tengen.protocols.usi import Decision, EngineSettings, Limits, Score, ShogiEngine
from tengen.protocols.usi.book import Book, BookError, BookMove, SortedBook, format_book, parse_book
from tengen.protocols.usi.clock import budget_of
from tengen.protocols.usi.lines import centipawns, value_of

GAME = tengen.game("shogi")
PLAIN = EngineSettings()


def target(side=0, settings=PLAIN, **limits):
    return budget_of(Limits(**limits), side, settings).target


def test_byoyomi_is_used_up_but_for_the_delay():
    assert target(byoyomi=10_000) == 9_880
    assert target(byoyomi=1_000, settings=EngineSettings(network_delay=300)) == 700
    assert target(byoyomi=200, settings=EngineSettings(network_delay=300)) == 100
    assert target(btime=0, wtime=0, byoyomi=1_000) == 880


def test_increments():
    assert target(btime=300_000, wtime=1, binc=10_000, winc=10_000) == 300_000 / 40 + 9_000
    assert target(side=1, btime=1, wtime=300_000, binc=10_000, winc=10_000) == 300_000 / 40 + 9_000
    assert target(btime=8_000, wtime=0, binc=10_000, winc=10_000) == 2_000, "a quarter of what is left"
    assert target(btime=300_000, wtime=0, binc=0, winc=0) == 7_500
    assert target(btime=300_000, wtime=0, settings=EngineSettings(slow_mover=200)) == 15_000


LEFT = [0, 5, 50, 500, 1_000, 1_200, 2_000, 5_000, 60_000, 3_600_000]
CONTROLS = [(0, 100), (0, 1_000), (0, 10_000), (500, 0), (1_000, 0), (30_000, 0), (0, 0)]


@pytest.mark.parametrize("slow", [10, 100, 1000])
@pytest.mark.parametrize(("byoyomi", "increment"), CONTROLS)
def test_the_flag_never_falls(byoyomi, increment, slow):
    settings = EngineSettings(slow_mover=slow, minimum_thinking_time=3_000, round_up=True)
    for left in LEFT if byoyomi or increment else LEFT[1:]:
        spent = target(btime=left, wtime=0, binc=increment, byoyomi=byoyomi, settings=settings)
        there = left + byoyomi if left or byoyomi else increment
        assert 0 < spent <= max(there, 10), left
        if left > 2_000 and not byoyomi:
            assert left - spent >= PLAIN.network_delay2 - 1e-9, left


def test_whole_seconds():
    settings = EngineSettings(round_up=True)
    assert target(btime=300_000, settings=settings) == 8_000 - 120
    assert target(byoyomi=10_000, settings=settings) == 9_880


def test_least_times_and_no_clock():
    assert target(btime=60_000, settings=EngineSettings(minimum_thinking_time=5_000)) == 5_000
    assert target() == target(is_infinite=True, byoyomi=1) == math.inf
    assert target(movetime=1_000) == 900
    assert budget_of(Limits(movetime=10_000), 0, PLAIN).target == 9_880


def test_who_was_late_begins_earlier_for_a_while():
    """As on a machine that has too much to do."""
    engine = ShogiEngine(EngineSettings(model="rollout", network_delay=100))
    state, byoyomi = GAME.start(), Limits(byoyomi=1_200)
    thinking = engine.begin(state, byoyomi)
    assert thinking.budget.target == 1_100
    thinking._clock_began -= 2.4
    engine.run(thinking)
    after = engine.begin(state, byoyomi).budget.target
    assert after == 600, "half of it is thought in any case"
    assert engine.begin(state, Limits(btime=60_000, byoyomi=5_000)).budget.target <= 5_000 - 100 - 300 + 1_500
    assert engine.begin(state, Limits(movetime=1_000)).budget.target == 900
    for _ in range(25):
        thinking = engine.begin(state, Limits(byoyomi=60_000))
        thinking.stop()
        engine.run(thinking)
    assert 1_000 < engine.begin(state, byoyomi).budget.target < 1_100


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
    """Few visits, as under a limit of them, tell nothing of how long many take; nor does the search before."""
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
    decision = engine.think(engine.game.start(), Limits(byoyomi=4_000))
    assert decision.move == "9g9f"
    assert decision.info.elapsed_ms < 3_800
    exact = engine.think(engine.game.start(), Limits(movetime=300))
    assert exact.info.elapsed_ms > 60


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
    decision = engine.think(engine.game.start(), Limits(movetime=60_000))
    assert decision.info.hashfull == 1000
    assert decision.info.elapsed_ms < 30_000
