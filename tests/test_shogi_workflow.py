"""The workflow of prophet and enforcer in a run directory, and its commands."""

import copy
import json
import sys
from pathlib import Path

import pytest
from cli_runner import runner
from prophet_helpers import GAME, write_pair, write_records
from run_killer import outcome

sys.path.insert(0, str(Path(__file__).parent / "soak"))
from kill_pairs import go, tiny_settings

from tengen.games.shogi.records import load_records
from tengen.labs.shogi.matches import pairings
from tengen.labs.shogi.settings import WorkflowSettings
from tengen.labs.shogi.workflow import open_workflow
from tengen.runs import Run, RunError

STEPS = {
    "records",
    "initial",
    "train-prophet-with-records",
    "train-enforcer-with-random",
    "train-enforcer-with-records",
    "auto-match",
    "train-prophet-with-match-result",
    "train-enforcer-with-match-result",
    "auto-match-without-prophet",
    "train-enforcer-without-prophet",
    "arena",
    "table",
}


@pytest.fixture
def tengen_command(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def test_every_pair_meets_every_other_from_both_sides():
    assert pairings("abc") == [("a", "b"), ("b", "c"), ("c", "a")]
    assert pairings("a") == [("a", "a")]
    assert WorkflowSettings(match_num=5000).games_of_a_match * 3 == 5004


def test_the_defaults_are_those_of_the_plan():
    s = WorkflowSettings()
    assert (s.prophet_epochs, s.enforcer_epochs, s.random_num, s.rounds) == (5, 5, 100_000, 11)
    assert (s.match_num, s.prefetch_depth, s.prefetch_width) == (5000, 3, 3)


@pytest.mark.slow
def test_a_run_has_every_step_and_goes_on_after_damage(tmp_path):
    records = write_records(tmp_path)
    settings = tiny_settings(rounds=1)
    run = go(tmp_path / "run", records, settings=settings)
    wanted = outcome(run)
    assert {step.name for step in run.steps()} == STEPS
    table = run.find("table").read_json("table.json")
    assert {row["pair"] for row in table["models"]} == {"a", "b", "c"}
    assert {"pair a", "pair b", "pair c", "random", "rollout:4"} <= {row["player"] for row in table["ratings"]}
    match = run.find("auto-match", 1)
    assert len([name for name in match.files if name.endswith(".sfenx")]) == 6
    played = load_records(match.file("records/0000000.sfenx"))
    assert len(played) == 1
    # A step that is lost is made again from what it was made from, though later ones are there.
    run_again = go(tmp_path / "run", records, settings=settings)
    assert outcome(run_again) == wanted
    (match.path / "a.npz").write_bytes(b"damaged")
    trained = run.find("train-enforcer-with-records", 1)
    (trained.path / "b" / "enforcer.ckpt").write_bytes(b"damaged")
    assert outcome(go(tmp_path / "run", records, settings=settings)) == wanted


def test_runs_without_records_or_of_another_kind_are_refused(tmp_path):
    with pytest.raises(ValueError, match="needs records"):
        open_workflow(tmp_path / "new", tiny_settings(), [])
    with pytest.raises(ValueError, match="no records at"):
        open_workflow(tmp_path / "new", tiny_settings(), [tmp_path / "nowhere.usi"])
    records = write_records(tmp_path, count=4, plies=4)
    open_workflow(tmp_path / "run", tiny_settings(), [records])
    with pytest.raises(RunError, match=r"seed is 1 there and 2 here"):
        open_workflow(tmp_path / "run", tiny_settings(seed=2), [records])
    # An existing run has records, so that its settings alone decide.
    assert open_workflow(tmp_path / "run", tiny_settings(), []).path == tmp_path / "run"
    with pytest.raises(RunError, match=r"seed is 1 there and 2 here"):
        open_workflow(tmp_path / "run", tiny_settings(seed=2), [])
    records.write_text(records.read_text() + "startpos moves 7g7f # result black resign\n")
    with pytest.raises(RunError, match="not what they were"):
        go_on(tmp_path / "run")


def test_a_run_of_an_earlier_version_continues_with_its_whole_command(tmp_path):
    records = write_records(tmp_path, count=4, plies=4)
    tables = copy.deepcopy(dict(open_workflow(tmp_path / "new", tiny_settings(), [records]).settings))
    for name in ("device", "processes"):
        del tables["prophet_enforcer"]["train"][name]
    run = Run.create(tmp_path / "run", tables)
    assert open_workflow(run.path, tiny_settings(), [records]).path == run.path
    with pytest.raises(RunError, match=r"seed is 1 there and 2 here"):
        open_workflow(run.path, tiny_settings(seed=2), [records])


def go_on(path):
    from tengen.champion import Silent
    from tengen.cluster import open_workers
    from tengen.labs.shogi.workflow import Workflow

    run = open_workflow(path, None, [])
    with run.lock(), open_workers("inline") as workers:
        Workflow(run, workers, Silent()).go()


def test_a_run_goes_on_by_its_folder(tmp_path, tengen_command, monkeypatch):
    gone = []
    monkeypatch.setattr(
        "tengen.labs.shogi.commands.workflow.continue_workflow", lambda run, workers: gone.append((run.path, workers))
    )
    open_workflow(tmp_path / "run", tiny_settings(), [write_records(tmp_path, count=4, plies=4)])
    ran = tengen_command("series", "resume", tmp_path / "run", "--workers", "inline")
    assert ran.code == 0, ran.err
    assert gone == [(tmp_path / "run", "inline")]


@pytest.mark.slow
def test_each_step_is_a_command_too(tmp_path, tengen_command):
    records = write_records(tmp_path, count=6, plies=12)
    small = ("--channels", 4, "--blocks", 1, "--batch-size", 16)
    prophet, enforcer = tmp_path / "prophet.ckpt", tmp_path / "enforcer.ckpt"
    with_records = ("--records", records, "--optimizer", "momentum", "--held-out", 0.3)
    ran = tengen_command("shogi", "train-prophet-with-records", "--out", prophet, *with_records, *small)
    assert ran.code == 0, ran.err
    assert "held-out games" in ran.out
    ran = tengen_command("shogi", "train-enforcer-with-random", "--num", 30, "--out", enforcer, *small)
    assert ran.code == 0, ran.err
    assert "recall" in ran.out
    ran = tengen_command("shogi", "train-enforcer-with-records", "--in", enforcer, "--out", enforcer, *with_records)
    assert ran.code == 0, ran.err
    models = ("--prophet", prophet.with_suffix(".onnx"), "--enforcer", enforcer.with_suffix(".onnx"))
    matches = tmp_path / "latest_matches"
    depth = ("--prefetch-depth", 2, "--prefetch-width", 2, "--max-plies", 20, "--workers", "inline", "--json")
    ran = tengen_command("shogi", "self-match", "--match-num", 3, *depth, "--matching-logdir", matches, *models)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["games"] == 4
    assert len(list(matches.glob("*.sfenx"))) == 4
    again = tengen_command("shogi", "auto-match", "--match-num", 2, "--matching-logdir", matches, *models)
    assert again.code == 2
    assert "--force" in again.err
    ran = tengen_command(
        "shogi", "train-prophet-with-match-result", "--in", prophet, "--out", prophet, "--records", matches, "--json"
    )
    assert ran.code == 0, ran.err
    ran = tengen_command("shogi", "test-model", prophet, "--records", records, "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["kind"] == "prophet"


def test_commands_say_what_is_wrong(tmp_path, tengen_command):
    pair = write_pair(tmp_path / "pair")
    records = write_records(tmp_path, count=2, plies=4)
    for words, says in (
        (["train-prophet-with-records", "--out", tmp_path / "x.onnx", "--records", records], "names the checkpoint"),
        (["train-prophet-with-records", "--out", tmp_path / "x.ckpt", "--records", tmp_path / "no"], "no records at"),
        (["train-enforcer-with-random", "--out", tmp_path / "x.ckpt", "--in", records], "no prophet and no enforcer"),
        (["test-model", tmp_path / "nowhere.onnx", "--records", records], "can be read"),
        (["auto-match", "--enforcer", pair / "prophet.onnx", "--matching-logdir", tmp_path / "m"], "is no enforcer"),
        (["workflow", "--run", tmp_path / "run", "--records", records, "--set", "rounds=-1"], "can't be negative"),
        (["workflow", "--run", tmp_path / "run", "--records", records, "--set", "size.depth=1"], "size.depth"),
    ):
        ran = tengen_command("shogi", *words)
        assert ran.code == 2, (words, ran)
        assert says in ran.err, (words, ran.err)


def test_games_are_written_a_line_a_ply():
    from tengen.labs.shogi.matches import format_game
    from tengen.labs.shogi.samples import PlayedMoves

    text = format_game(PlayedMoves(GAME.sfen(GAME.start(0)), ("7g7f", "3c3d"), 1))
    first, second = text.splitlines()
    assert first == f"{GAME.sfen(GAME.start(0))},2,7g7f,w"
    assert second.endswith(",2,3c3d,w")
