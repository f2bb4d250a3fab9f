"""No command contacts another machine on its own or writes outside its own folders."""

from __future__ import annotations

import ast
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from katago_samples import sample, write_file
from learning_runs import TINY_WORDS
from prophet_helpers import write_records
from traced_command import list_files, missing_tools, run_traced

import tengen
from tengen.cli.commands import COMMANDS, Group
from tengen.games.matgo import commitment

SOURCE = Path(tengen.__file__).parent
RECORDS = Path(__file__).parent.parent / "docs" / "examples"
SEED = "ab" * 32
TINY = shlex.join(TINY_WORDS)
_PAIR_SETTINGS = """
    prophet_epochs=1 random_num=8 enforcer_epochs=1 rounds=1 rounds_without_prophet=1 match_num=3 prefetch_depth=1
    prefetch_width=1 max_plies=8 held_out=0.3 test_positions=20 arena_games=2 opponents=random size.channels=4
    size.blocks=1 train.batch_size=32
"""
TINY_PAIRS = " ".join(f"--set {setting}" for setting in _PAIR_SETTINGS.split())
SMALL_NET = "--channels 4 --blocks 1 --epochs 1"
MATCH = (
    "--match-num 2 --prefetch-depth 1 --prefetch-width 1 --prophet prophet.onnx --enforcer enforcer.onnx "
    "--matching-logdir matches"
)
INLINE = "--workers inline"
GO_GAME = RECORDS / "engines.sgf"

# Folders of Tengen in a home folder, as the documentation names them.
OWN_FOLDERS = (".local/share/tengen/", ".local/state/tengen/", ".config/tengen/", ".cache/tengen/")

PYRGA_QUERY = '{"id": "q", "moves": [], "maxVisits": 20}\n'
GO_QUERY = '{"id": "q", "moves": [], "maxVisits": 4, "rules": "chinese", "komi": 7, "boardXSize": 5, "boardYSize": 5}\n'
LEAGUE = "games = 4\nfocal = 'random'\n[[opponents]]\nplayer = 'random'\nweight = 1.0\n"


class Line(NamedTuple):
    """A command line of a chapter."""

    words: str
    typed: str = ""
    until: str = ""
    """The command is interrupted when it prints this text; empty if it ends by itself."""
    code: int = 0


# Lines of a chapter run in one folder: later ones use files of earlier ones.
CHAPTERS = {
    "learning": [
        Line(f"learn pyrga --run run {INLINE} --iters 1 --final-games 2 {TINY}"),
        Line(f"series resume run {INLINE} --no-final-match"),
        Line("series list ."),
        Line("series show run"),
        Line("series verify run"),
        Line("series tensorboard run board"),
        Line("report run"),
        Line("config show --run run"),
        Line(f"arena pyrga run@4 random --games 2 {INLINE}"),
    ],
    "pipeline": [
        Line(f"selfplay pyrga --games 2 --mcts-sims 8 --out games.npz --net champion {INLINE}"),
        Line("train pyrga --data games.npz --out net.safetensors --channels 8 --blocks 1 --epochs 1"),
        Line("search pyrga --evaluator openvino:net.onnx --visits 8"),
        Line(f"evaluate matgo greedy random --games 4 {INLINE}"),
        Line(f"cycle matgo --run cycle --champion random --challenger greedy --games 4 --chunk-games 4 {INLINE}"),
        Line(f"league pyrga --run league --pool league.toml {INLINE}"),
    ],
    "games": [
        Line("games"),
        Line("new game mine"),
        Line("check mine.py --games 2"),
        Line("search pyrga --visits 20"),
        Line("play pyrga --visits 4", "square b2\nquit\n"),
        Line("perft pyrga --depth 2"),
        Line("bench pyrga --seconds 0.01"),
        Line(f"review {GO_GAME} --net rollout --visits 2 --to 2 --out ."),
        Line("web --port 0 --no-open", until="http://", code=130),
    ],
    "protocols": [
        Line("net add net.bin.gz"),
        Line("net list"),
        Line("net info net"),
        Line("net check missing.json --net net", code=2),
        Line("analyze pyrga --net champion", PYRGA_QUERY),
        Line("analysis --net net", GO_QUERY),
        Line("gtp --net net --visits 4", "boardsize 5\ngenmove b\nquit\n"),
        Line("usi", "usi\nisready\nposition startpos\ngo nodes 8\nquit\n"),
        Line("csa --host 127.0.0.1 --port 9 --name tengen --password none --game any --games 1", until="127.0.0.1"),
        Line("showdown --server ws://127.0.0.1:9/showdown/websocket --accept --battles 1", code=1),
    ],
    "matgo": [
        Line("matgo log --out games.jsonl --games 20 --my greedy --your random"),
        Line("matgo train-policy --input games.jsonl --output policy.json"),
        Line("matgo train-value --input games.jsonl --output value.json --epochs 1"),
        Line("matgo errata --input games.jsonl --policy-model policy.json --value-model value.json --output hard"),
        Line(f"matgo verify-deal {commitment(SEED)} {SEED}"),
    ],
    "shogi": [
        Line(f"shogi workflow --run pairs --records games.usi {INLINE} {TINY_PAIRS}"),
        Line(f"shogi train-prophet-with-records --records games.usi --out prophet.ckpt {SMALL_NET}"),
        Line(f"shogi train-enforcer-with-random --num 16 --out enforcer.ckpt {SMALL_NET}"),
        Line("shogi train-enforcer-with-records --records games.usi --in enforcer.ckpt --out second.ckpt"),
        Line("shogi test-model prophet.onnx --records games.usi"),
        Line(f"shogi auto-match {MATCH}"),
        Line(f"shogi self-match {MATCH} --force"),
        Line("shogi train-prophet-with-match-result --records matches --in prophet.ckpt --out third.ckpt"),
        Line("shogi train-enforcer-with-match-result --records matches --in enforcer.ckpt --out fourth.ckpt"),
    ],
    "cluster": [
        Line("cluster token token"),
        Line("cluster status 127.0.0.1:9 --token token", code=2),
    ],
}
# Ray's own processes run in namespaces of tests/test_cluster_ray.py.
ELSEWHERE = {"cluster head", "cluster join", "cluster stop"}


def test_every_command_is_traced():
    names = set()
    for name, command in COMMANDS.items():
        names |= {f"{name} {verb}" for verb in command.commands} if isinstance(command, Group) else {name}
    traced = {
        next(name for name in names if f"{line} ".startswith(f"{name} "))
        for lines in CHAPTERS.values()
        for line, *_ in lines
    }
    assert traced | ELSEWHERE == names


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_commands_stay_on_this_machine_and_in_their_folders(chapter, tmp_path):
    if reason := missing_tools():
        pytest.skip(reason)
    work = tmp_path / "work"
    work.mkdir()
    (work / "league.toml").write_text(LEAGUE)
    write_file(work / "net.bin.gz", sample())
    if chapter == "shogi":
        write_records(work, count=4, plies=12)
    for line, typed, until, code in CHAPTERS[chapter]:
        trace = run_traced(shlex.split(line), tmp_path, typed=typed, until=until)
        assert "Traceback" not in trace.output, (line, trace.output)
        assert until or trace.code == code, (line, trace.output)
        assert not trace.contacted, line
        assert not trace.written, line
        strangers = {name for name in list_files(tmp_path / "home") if not name.startswith(OWN_FOLDERS)}
        assert not strangers, line
        assert not list_files(tmp_path / "tmp"), line


@pytest.mark.slow
def test_a_library_that_was_imported_earlier_reports_nothing_more(tmp_path):
    program = (
        "import onnxruntime, tengen; tengen.search(tengen.game('pyrga').start(), visits=4); import os; "
        "assert os.environ['ORT_DISABLE_TELEMETRY'] == '1'"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={"HOME": str(tmp_path)}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_inference_libraries_are_imported_in_one_place_only():
    importers = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            if any(name.split(".")[0] in {"onnxruntime", "openvino"} for name in names):
                importers.add(str(path.relative_to(SOURCE)))
    # The quantizer needs names of a submodule, after the library itself was imported without telemetry.
    assert importers <= {"nets/int8.py"}
