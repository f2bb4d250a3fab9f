"""Models of Matgo in leagues and matches: fallbacks that stop them or are counted, and logs to learn from."""

import codecs
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from cli_runner import runner
from matgo_log_maker import log_lines

import tengen
from tengen.arena import MatchResult
from tengen.labs.matgo.models import POLICY_RULES, FrequencyPolicy, policy_samples, value_samples
from tengen.labs.matgo.traces import parse_line
from tengen.runs import Run

INLINE = ("--workers", "inline")
POOL = """
focal = "{focal}"
games = 8
chunk_games = 4
model_only_when_possible = {strict}
[[opponents]]
player = "greedy"
[[opponents]]
player = "random"
"""


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


@pytest.fixture
def model(tmp_path):
    """A policy that has seen options alone: it has no answer when a card is to be played."""
    policy = FrequencyPolicy()
    games = [parse_line(line) for line in log_lines()]
    policy.learn(sample for sample in policy_samples(games, POLICY_RULES, Counter()) if sample.kind == "option")
    path = tmp_path / "options.json"
    path.write_bytes(policy.to_bytes())
    return f"frequency:{path.name}"


def write_pool(path, **given):
    path.write_text(POOL.format(**{"focal": "greedy", "strict": "true"} | given), encoding="utf-8")
    return path


def test_a_league_of_models_alone_stops_where_a_model_has_no_answer(run, model, tmp_path):
    pool = write_pool(tmp_path / "league.toml", focal=model)
    ran = run("league", "matgo", "--run", "strict", "--pool", pool, *INLINE)
    assert ran.code != 0
    assert (
        ran.err.strip().splitlines()[-1]
        == f"tengen: {model} has no answer: the model has seen no decision of type play"
    )


@pytest.mark.slow
def test_errors_of_models_name_the_player_and_nothing_internal(run, model):
    wanted = f"{model} has no answer: the model has seen no decision of type play"
    for workers in ("inline", "1"):
        words = ("--games", 2, "--workers", workers)
        ran = run("arena", "matgo", f"{model},model_only=true", "random", *words)
        assert ran.err == f"tengen: {wanted.replace(' has', ',model_only=true has', 1)}\n"
        file = model.partition(":")[2]
        options = ("--policy-model-my", file, "--policy-model-your", file, "--model-only")
        ran = run("matgo", "log", "--out", "log.jsonl", *words, *options)
        assert ran.code == 1
        assert ran.err == f"tengen: {wanted}\n"


@pytest.mark.slow
def test_a_league_counts_the_decisions_that_were_not_the_models(run, model, tmp_path):
    pool = write_pool(tmp_path / "league.toml", focal=model, strict="false")
    for workers in ("inline", "1"):
        ran = run("league", "matgo", "--run", f"free-{workers}", "--pool", pool, "--workers", workers, "--json")
        assert ran.code == 0, ran.err
        rows = json.loads(ran.out)["opponents"]
        steps = Run.open(f"free-{workers}").steps("chunk")
        for row, step in zip(rows, steps, strict=True):
            match = MatchResult.from_json(step.file("match.json").read_text(encoding="utf-8"))
            assert match.fallbacks == (row["failures"], 0)
            assert row["failures"] > 20
    ran = run("league", "matgo", "--run", "free-inline", "--pool", pool, *INLINE)
    assert "fallbacks" in ran.out
    assert str(rows[0]["failures"]) in ran.out


def test_matches_show_fallbacks(run, model):
    ran = run("evaluate", "matgo", model, "random", "--games", 4, "--json", *INLINE)
    counted = json.loads(ran.out)["fallbacks"]
    assert counted["first"] > 20
    assert counted["second"] == 0
    ran = run("evaluate", "matgo", model, "random", "--games", 4, *INLINE)
    assert f"{counted['first']} decisions of the first and 0 of the second were made by another policy" in ran.out
    ran = run("arena", "matgo", "random", model, "--games", 4, "--json", *INLINE)
    assert json.loads(ran.out)["matches"][0]["fallbacks"][1] > 20
    assert (
        "of the second were made by another policy" in run("arena", "matgo", "random", model, "--games", 4, *INLINE).out
    )
    assert "another policy" not in run("arena", "matgo", "random", "greedy", "--games", 4, *INLINE).out


def test_a_league_writes_logs_that_models_learn_from(run, tmp_path):
    pool = write_pool(tmp_path / "league.toml")
    pool.write_bytes(codecs.BOM_UTF8 + pool.read_bytes())
    ran = run("league", "matgo", "--run", "logged", "--pool", pool, "--logs", *INLINE)
    assert ran.code == 0, ran.err
    assert "tengen matgo train-policy --input logged" in ran.out
    steps = Run.open("logged").steps("chunk")
    logs = []
    for step in steps:
        match = MatchResult.from_json(step.file("match.json").read_text(encoding="utf-8"))
        lines = gzip.decompress(step.file("log.jsonl.gz").read_bytes()).decode().splitlines()
        for line, played in zip(lines, match.games, strict=True):
            game = parse_line(line)
            assert game.gold_delta("mySide") == played.payoff
            assert game.values["run"] == {"mySide": match.first, "yourSide": match.second}
            assert game.seed == played.seed
            plays = [record for record in game.trace if record.ch not in ("shake", "no_shake")]
            assert len(plays) == len(played.actions) - played.opening
            logs.append(game)
    tally = Counter()
    assert len(list(policy_samples(logs, POLICY_RULES, tally))) > 50
    assert len(list(value_samples(logs, POLICY_RULES, 64, "gold", 100.0, tally))) > 50
    for command in ("train-policy", "train-value"):
        ran = run("matgo", command, "--input", "logged", "--output", f"{command}.json", "--json")
        assert ran.code == 0, ran.err
        assert json.loads(ran.out)["tally"]["games"] == 8
    again = run("league", "matgo", "--run", "logged", "--pool", pool, "--logs", "--json", *INLINE)
    assert len(json.loads(again.out)["logs"]) == 2


def test_logs_of_a_league_hold_the_contexts_that_players_see(run, tmp_path):
    """The decisions of a game that is played again from its line's seed have the same keys."""
    pool = write_pool(tmp_path / "league.toml")
    assert run("league", "matgo", "--run", "logged", "--pool", pool, "--logs", *INLINE).code == 0
    game = tengen.game("matgo")
    step = Run.open("logged").steps("chunk")[0]
    match = MatchResult.from_json(step.file("match.json").read_text(encoding="utf-8"))
    from tengen.labs.matgo.traces import context_key

    lines = gzip.decompress(step.file("log.jsonl.gz").read_bytes()).decode().splitlines()
    for line, played in zip(lines, match.games, strict=True):
        keys = [record.ck for record in parse_line(line).trace if record.ch not in ("shake", "no_shake")]
        states = [state for state in played.states(game) if not state.is_over]
        assert keys == [context_key(game, state) for state in states]


def test_only_games_with_logs_write_them(run, tmp_path):
    pool = tmp_path / "pyrga.toml"
    pool.write_text('focal = "random"\ngames = 2\nlogs = true\n[[opponents]]\nplayer = "random"\n', encoding="utf-8")
    ran = run("league", "pyrga", "--run", "none", "--pool", pool, *INLINE)
    assert ran.code == 2
    assert "logs is true, and pyrga has no logs of its own" in ran.err
    (tmp_path / "empty").mkdir()
    ran = run("matgo", "train-policy", "--input", "empty", "--output", "p.json")
    assert ran.code == 2
    assert "empty holds no logs; a league writes them with --logs" in ran.err


def test_a_cycle_shows_fallbacks(run, model):
    words = ("cycle", "matgo", "--run", "cycle", "--games", 4)
    ran = run(*words, "--champion", "random", "--challenger", model, *INLINE)
    [step] = Run.open("cycle").steps("decision")
    match = MatchResult.from_json(step.file("match.json").read_text(encoding="utf-8"))
    assert step.metrics["fallbacks"] == list(match.fallbacks)
    assert match.fallbacks[0] > 20
    wanted = f"{match.fallbacks[0]} decisions of the challenger and 0 of the champion were made by another policy"
    assert ran.out.count(wanted) + ran.err.count(wanted) == 2  # at the challenge's end and in the summary
    assert json.loads(run(*words, "--json", *INLINE).out)["decisions"][0]["fallbacks"] == list(match.fallbacks)
    assert f"{match.fallbacks[0]} decisions of the challenger" in " ".join(run("series", "show", "cycle").out.split())
    own = run("cycle", "matgo", "--run", "own", "--games", 4, "--champion", "random", "--challenger", "greedy", *INLINE)
    assert "another policy" not in own.out + own.err


def test_the_printed_figures_of_a_log_show_fallbacks(run, model):
    words = ("matgo", "log", "--games", 4, "--session-games", 2, *INLINE)
    ran = run(*words, "--out", "log.jsonl", "--my", model)
    assert ran.code == 0, ran.err
    made = json.loads(Path("log-report.json").read_text(encoding="utf-8"))["decisions"]
    assert made["fallbacks"] > 20
    assert f"greedy made {made['fallbacks']} of {made['decisions']} decisions for a model" in ran.out
    assert "fallbacks" not in run(*words, "--out", "own.jsonl").out
