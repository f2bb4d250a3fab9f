"""The benchmarks of learning: their positions, their clock, their tables and charts, and a run of a few games."""

import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import pytest
from toy_games import FullTicTacToe

from tengen.games.conformance import check

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
BURN = "import time\nwhile time.process_time() < 0.2: pass"
PARENT = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BURN!r}])\nprint('done')"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch, cache):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def rows(*points, **figures):
    return [
        {"processor_s": 60 * x, "wall_s": 30 * x, "iteration": i, "games": 10 * i, "search": y, **figures}
        for i, (x, y) in enumerate(points, 1)
    ]


def test_othello_keeps_the_contract():
    from othello import Othello

    check(Othello(size=6), games=2)
    positions = [Othello(size=8).start()]
    found = []
    for _ in range(4):
        positions = [position.play(action) for position in positions for action in position.legal()]
        found.append(len(positions))
    assert found == [4, 12, 56, 244]


def test_endings_are_solved():
    from strength_positions import _solve_ending, find_positions

    game = FullTicTacToe()
    # X has a1 and b2 of a row and may complete it at c3; other moves lose to c1 or draw.
    state = game.start()
    for action in (0, 2, 4, 5):
        state = state.play(action)
    values = _solve_ending(state)
    assert values[8] == 1
    assert values[1] == values[3] == -1
    found = find_positions(game, 5, (4, 6))
    assert sum(position.has_mistakes for position in found) == 5
    again = find_positions(game, 5, (4, 6))
    assert [position.values for position in again] == [position.values for position in found]


@pytest.mark.slow
def test_positions_of_connect_four_are_solved():
    from strength_positions import find_positions

    import tengen

    for position in find_positions(tengen.game("connect_four"), 3, (34, 36)):
        for action, value in position.values.items():
            after = position.state.play(action)
            if after.is_over:
                assert after.payoffs[position.state.actor] == value


def test_processor_time_counts_children_and_earlier_starts(tmp_path):
    from strength_process import TimedProgram, read_spent

    before = 0.0
    for _ in range(2):
        program = TimedProgram([sys.executable, "-c", PARENT], tmp_path)
        with program.paused():
            pass
        while program.is_running:
            program.spent()
            time.sleep(0.01)
        program.close()
        assert program.exit_code == 0
        spent = read_spent(tmp_path).processor_s
        assert spent - before > 0.1
        before = spent
    assert (tmp_path / "learn.log").read_text() == "done\ndone\n"


class FakeSteps:
    """Steps of training that appear one after the other, and a measurement that counts."""

    def __init__(self, curve):
        self.steps = []
        curve._trained = lambda: self.steps
        curve._games = lambda step: 10 * step.iteration

    def add(self):
        self.steps.append(SimpleNamespace(id=f"step-{len(self.steps)}", iteration=len(self.steps) + 1))


def test_the_first_networks_the_last_and_some_between_are_measured(tmp_path):
    from strength_process import Spent
    from time_to_strength import Curve

    measured = []

    def measure(step):
        measured.append(step.iteration)
        return {"search": 0.5}

    def resumed():
        return Curve(tmp_path, SimpleNamespace(of=measure), every_s=30.0)

    curve = resumed()
    steps = FakeSteps(curve)
    for iteration in range(1, 9):
        steps.add()
        assert curve.note(Spent(processor_s=10.0 * iteration))
        curve.measure()
    assert not curve.note(Spent(processor_s=90.0))
    assert measured == [1, 2, 5, 8]
    for _ in range(2):
        curve = resumed()
        curve._trained, curve._games = lambda: steps.steps, lambda step: 10 * step.iteration
        curve.measure(is_over=True)
        assert measured == [1, 2, 5, 8]
    steps.add()
    curve.note(Spent(processor_s=90.0))
    curve.measure(is_over=True)
    curve.measure(is_over=True)
    assert measured == [1, 2, 5, 8, 9]
    rows = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert [(row["processor_s"], row["games"]) for row in rows[-2:]] == [(80, 80), (90, 90)]


def test_tables_and_charts_show_every_run():
    from strength_charts import draw_chart, format_table, mean_line, read_groups

    first = rows((1, 0.8), (3, 0.9), score=0.5, score_low=0.4, score_high=0.6)
    table = format_table(first)
    assert [len(line) for line in table.splitlines()] == [len(table.splitlines()[0])] * 3
    assert "80.0 %" in table
    assert "50.0 % (40 … 60)" in table
    line = mean_line([[(1, 0.8), (3, 0.9)], [(2, 0.6), (4, 0.8)]])
    assert line[0] == pytest.approx((2, 0.725))
    assert line[-1] == pytest.approx((3, 0.8))
    picture = draw_chart({"now": [first, rows((2, 0.7), (4, 0.9))], "before": [rows((1, 0.5), (4, 0.6))]}, "search")
    names = [element.tag.rpartition("}")[2] for element in ET.fromstring(picture).iter()]
    assert names.count("polyline") == 4
    assert "before" in picture
    assert read_groups(["a=x", "a=y", "z"]) == {"a": ["x", "y"], "": ["z"]}
    with pytest.raises(ValueError, match="policy"):
        draw_chart({"": [first]}, "policy")


@pytest.mark.slow
def test_openspiels_script_shows_its_help():
    command = [sys.executable, str(BENCHMARKS / "openspiel_alphazero.py"), "--help"]
    assert "--compiled" in subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_a_run_is_measured(tmp_path):
    small = ("games_per_iter=4", "bootstrap_games=4", "teacher=rollout:8", "eval_games=2", "selfplay.search.visits=8")
    small += ("net.channels=8", "net.blocks=1", "train.batch_size=32")
    command = [sys.executable, str(BENCHMARKS / "time_to_strength.py"), "connect_four", "--out", str(tmp_path)]
    command += ["--positions", "3", "--workers", "inline", "--visits", "8"]
    command += [word for change in small for word in ("--set", change)]
    printed = subprocess.run([*command, "--", "--iters", "1"], check=True, capture_output=True, text=True).stdout
    [row] = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert (row["iteration"], row["games"]) == (1, 4)
    assert 0 <= row["policy"] <= 1
    assert row["processor_s"] > 0
    shown = [*command[:2], "--show", f"a={tmp_path}", "--chart", str(tmp_path / "curve.svg")]
    assert printed.strip() in subprocess.run(shown, check=True, capture_output=True, text=True).stdout
    assert (tmp_path / "curve.svg").read_text().startswith("<svg xmlns")


@pytest.mark.slow
def test_speeds_are_compared():
    command = [
        sys.executable,
        str(BENCHMARKS / "learning_speed.py"),
        "--games",
        "2",
        "--turns",
        "1",
        "--positions",
        "3",
    ]
    command += ["--teacher-games", "4", "--passes", "0.1"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = [line.partition("  ")[0] for line in printed.splitlines() if "  " in line]
    assert names[:4] == ["self-play", "15e98c5, ONNX Runtime", "15e98c5, core", "today, core"]
    assert names[4].startswith("today, ")
    assert names[5:] == ["training", "15e98c5", "today"]
