"""`tengen matgo train-policy`, `train-value` and `errata`."""

import json
import math
import random

import pytest
from cli_runner import runner
from matgo_log_maker import log_lines, write_log

from tengen.labs.matgo.models import load_model
from tengen.labs.matgo.traces import parse_line

pytestmark = pytest.mark.slow  # they play, write and train over and over

MODELS = {"train-policy": "policy_frequency_v1", "train-value": "value_linear_hash_v1"}


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    ran = runner(monkeypatch, capsys)
    return lambda *words: ran("matgo", *words)


@pytest.fixture
def log(tmp_path):
    return write_log(tmp_path / "games.jsonl")


def good(answer):
    assert answer.code == 0, answer.err
    return answer.out


@pytest.mark.parametrize("command", MODELS)
def test_training_writes_a_model_and_says_how_good_it_is(run, log, tmp_path, command):
    text = good(run(command, "--input", log, "--output", "model.json", "--valid-ratio", 0.3))
    assert "train " in text
    assert "valid " in text
    model = load_model(tmp_path / "model.json", "frequency" if command == "train-policy" else "linear")
    for part in ("train", "valid"):
        found = model.summary[part]
        assert found["samples"] > 50
        if command == "train-policy":
            assert 0 < found["loss"] < 3
            assert 0 < found["accuracy"] < 1
        else:
            assert found["rmse"] == pytest.approx(math.sqrt(found["mse"]))
            assert found["mae"] > 0
            assert -1 < found["pearson"] < 1
    assert model.summary["train"]["samples"] + model.summary["valid"]["samples"] == model.summary["samples"]
    again = good(run(command, "--input", log, "--output", "again.json", "--valid-ratio", 0.3, "--json"))
    assert json.loads(again)["valid"] == model.summary["valid"]


def test_equal_seeds_give_equal_models(run, log, tmp_path):
    for name in ("one", "two"):
        good(run("train-value", "--input", log, "--output", f"{name}.json", "--epochs", 2, "--dim", 512))
    good(run("train-value", "--input", log, "--output", "three.json", "--epochs", 2, "--dim", 512, "--seed", 5))
    one, two, three = (load_model(tmp_path / f"{name}.json") for name in ("one", "two", "three"))
    assert one.weights.tolist() == two.weights.tolist()
    assert one.weights.tolist() != three.weights.tolist()


def test_the_policy_can_leave_the_training_deals_unmeasured(run, log, tmp_path):
    text = good(run("train-policy", "--input", log, "--output", "model.json", "--skip-train-metrics"))
    assert "train  not measured" in text
    assert load_model(tmp_path / "model.json").summary["train"] is None


@pytest.mark.parametrize("backend", ["jsonl", "lmdb", "none"])
@pytest.mark.parametrize("command", MODELS)
def test_caches_change_nothing_but_the_time(run, log, command, backend):
    def train(name, *more):
        options = ("--sample-cache", "cache", "--cache-backend", backend, "--json", *more)
        return json.loads(good(run(command, "--input", log, "--output", name, *options)))

    first, second = train("one.json"), train("two.json")
    assert first["valid"] == second["valid"]
    assert first["train"] == second["train"]
    assert (first["cache"]["reused"], second["cache"]["reused"]) == (False, backend != "none")
    if backend == "none":
        return
    assert train("three.json", "--rebuild-cache")["cache"]["note"] == "made anew: it was asked for anew"
    shorter = train("four.json", "--max-samples", 20)
    assert shorter["cache"]["note"] == "made anew: max_samples is 20, was null"
    assert shorter["samples"] == 20
    with log.open("a") as file:
        file.write(log_lines()[0] + "\n")
    longer = train("five.json", "--max-samples", 20)
    assert "input games.jsonl has" in longer["cache"]["note"]


def test_the_cache_is_beside_the_model_unless_told(run, log, tmp_path):
    good(run("train-value", "--input", log, "--output", "models/value.json", "--epochs", 1))
    assert (tmp_path / "models" / "value.samples" / "cache.json").is_file()
    good(run("train-policy", "--input", log, "--output", "models/policy.json"))
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == [
        "policy.json",
        "value.json",
        "value.samples",
    ]


def test_filters_and_targets(run, log, tmp_path):
    (tmp_path / "rules.json").write_text('{"min_candidate_count": 6}')
    options = ("--input", log, "--json", "--filter-rules", "rules.json")
    few = json.loads(good(run("train-policy", *options, "--output", "few.json")))
    games = [parse_line(line) for line in log_lines()]
    assert few["samples"] == sum(record.cc >= 6 for game in games for record in game.trace)
    score = json.loads(
        good(run("train-value", *options, "--output", "score.json", "--target-mode", "score", "--gold-per-point", 1))
    )
    assert score["train"]["mae"] < 100
    assert load_model(tmp_path / "score.json").target_mode == "score"


def test_several_inputs_and_patterns(run, tmp_path):
    write_log(tmp_path / "a1.jsonl", games=4)
    write_log(tmp_path / "a2.jsonl", games=6)
    both = json.loads(good(run("train-policy", "--input", "a*.jsonl", "--output", "m.json", "--json")))
    assert both["inputs"] == ["a1.jsonl", "a2.jsonl"]
    assert both["tally"]["games"] == 10
    twice = run("train-policy", "--input", "a2.jsonl", "--input", "a*.jsonl", "--output", "n.json", "--json")
    assert json.loads(good(twice))["inputs"] == ["a2.jsonl", "a1.jsonl"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train-policy", "--input", "none.jsonl"], "--input: there is no file none.jsonl"),
        (["train-policy", "--input", "games.jsonl", "--alpha", "0"], "alpha is 0.0 and must be above 0"),
        (["train-policy", "--input", "bad.jsonl"], "bad.jsonl, line 2: "),
        (["train-policy", "--input", "games.jsonl", "--filter-rules", "bad.jsonl"], "bad.jsonl: no rules of a filter"),
        (["train-value", "--input", "games.jsonl", "--lr", "-1"], "lr is -1.0 and must be above 0"),
        (["train-value", "--input", "games.jsonl", "--dim", "0"], "dim is 0 and must be at least 1"),
        (["train-value", "--input", "games.jsonl", "--gold-per-point", "0"], "--gold-per-point is 0.0"),
        (["train-value", "--input", "games.jsonl", "--lmdb-map-size-gb", "0"], "--lmdb-map-size-gb is 0.0"),
        (["train-value", "--input", "games.jsonl", "--sample-cache", "."], "holds other files than a cache's"),
        (["train-value", "--input", "games.jsonl", "--sample-cache", "bad.jsonl"], "bad.jsonl is a file, and a cache"),
        (["train-value", "--input", "bad.jsonl"], "bad.jsonl, line 2: "),
        (["train-value", "--input", "bad.jsonl", "--cache-backend", "none"], "bad.jsonl, line 2: "),
    ],
)
def test_what_does_not_fit_is_said(run, log, tmp_path, words, message):
    (tmp_path / "bad.jsonl").write_text(log_lines()[0] + "\n{oops\n")
    answer = run(*words, "--output", "model.json")
    assert answer.code == 2
    assert message in answer.err
    assert not (tmp_path / "model.json").exists()
    assert log.read_text().count("\n") == 40


def test_nothing_is_written_over_unasked(run, log, tmp_path):
    (tmp_path / "model.json").write_text("mine")
    for command in MODELS:
        answer = run(command, "--input", log, "--output", "model.json")
        assert (answer.code, (tmp_path / "model.json").read_text()) == (2, "mine")
        assert "--force writes over it" in answer.err
    good(run("train-policy", "--input", log, "--output", "model.json", "--force"))


def test_no_samples_and_no_gpu(run, log, tmp_path):
    import torch

    (tmp_path / "rules.json").write_text('{"min_candidate_count": 60, "keep_bombs": false, "keep_triggers": []}')
    for command in MODELS:
        answer = run(command, "--input", log, "--output", "model.json", "--filter-rules", "rules.json")
        assert answer.code == 1
        assert "decisions of 40 games" in answer.err
    answer = run("train-value", "--input", log, "--output", "model.json", "--lr", 50, "--epochs", 3)
    assert answer.code == 1
    assert "take a smaller lr than 50" in answer.err
    if not torch.cuda.is_available():
        answer = run("train-value", "--input", log, "--output", "model.json", "--device", "cuda")
        assert answer.code == 2
        assert "PyTorch can't compute on 'cuda'" in answer.err
    assert not (tmp_path / "model.json").exists()


# Errata.


@pytest.fixture
def models(run, log):
    good(run("train-policy", "--input", log, "--output", "policy.json"))
    good(run("train-value", "--input", log, "--output", "value.json", "--epochs", 1))
    return ("--input", log, "--policy-model", "policy.json", "--value-model", "value.json", "--output", "hard")


def test_errata_are_logs_that_can_be_trained_on(run, models, tmp_path):
    summary = json.loads(good(run("errata", *models, "--json", "--value-error-min", 500)))
    assert summary == json.loads((tmp_path / "hard.summary.json").read_text())
    for kind, repeat in (("policy", 3), ("value", 2)):
        lines = (tmp_path / f"hard.{kind}.jsonl").read_text().splitlines()
        games = [parse_line(line) for line in lines]
        assert len(games) == summary[kind]["lines"] > 0
        assert sum(len(game.trace) for game in games) == summary[kind]["samples"]
        oversampled = (tmp_path / f"hard.{kind}-oversampled.jsonl").read_text().splitlines()
        assert oversampled == [line for line in lines for _ in range(repeat)]
    share = summary["policy"]["samples"] / summary["policy"]["judged"]
    assert 0.03 < share < 0.09
    policy = load_model(tmp_path / "policy.json")
    for game in games:
        assert set(game.values) == {"errata", *json.loads(log_lines()[0])}
    assert policy.summary["samples"] == summary["policy"]["judged"]
    text = good(
        run("train-policy", "--input", "games.jsonl", "--input", "hard.policy-oversampled.jsonl", "--output", "p2.json")
    )
    assert "p2.json" in text


def test_errata_repeats_are_never_measured(run, models, log, tmp_path):
    """Oversampled errata together with their log change the training, not the measurement."""
    good(run("errata", *models, "--value-error-min", 500))
    for command, kind in (("train-value", "value"), ("train-policy", "policy")):
        alone, repeated = (
            json.loads(good(run(command, *inputs, "--output", name, "--valid-ratio", 0.3, "--json")))
            for name, inputs in (
                (f"{kind}-alone.json", ("--input", log)),
                (f"{kind}-more.json", ("--input", log, "--input", f"hard.{kind}-oversampled.jsonl")),
            )
        )
        assert repeated["valid"]["samples"] == alone["valid"]["samples"] > 50
        assert repeated["train"]["samples"] > alone["train"]["samples"]
        held_out = repeated["samples"] - repeated["train"]["samples"] - repeated["valid"]["samples"]
        assert held_out > 0


def test_errata_hold_the_worst_decisions(run, models, tmp_path):
    from tengen.labs.matgo.models import policy_sample, value_sample

    summary = json.loads(good(run("errata", *models, "--json", "--value-error-quantile", 0.9, "--value-error-min", 0)))
    policy, value = load_model(tmp_path / "policy.json"), load_model(tmp_path / "value.json")
    kept = [parse_line(line) for line in (tmp_path / "hard.policy.jsonl").read_text().splitlines()]
    losses = [policy.loss(policy_sample(game, record)) for game in kept for record in game.trace]
    assert min(losses) >= summary["policy"]["threshold"]
    kept = [parse_line(line) for line in (tmp_path / "hard.value.jsonl").read_text().splitlines()]
    for game in kept:
        for record in game.trace:
            row = value_sample(game, record, value.dim, "gold", 100.0)
            assert abs(value.sum(row.indices, row.values) - row.target) >= summary["value"]["threshold"]
    assert 0.08 < summary["value"]["samples"] / summary["value"]["judged"] < 0.12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--policy-loss-quantile", "2"], "policy_loss_quantile is 2.0 and must be from 0 to 1"),
        (["--policy-repeat", "0"], "policy_repeat is 0 and must be at least 1"),
        (["--policy-model", "value.json"], "value.json: a model of type 'value_linear_hash_v1'"),
        (["--value-model", "none.json"], "no model can be read from none.json"),
        (["--input", "none.jsonl"], "there is no file none.jsonl"),
        (["--policy-filter-rules", "games.jsonl"], "games.jsonl: no rules of a filter"),
    ],
)
def test_errata_that_do_not_fit(run, models, tmp_path, change, message):
    answer = run("errata", *models, *change)
    assert answer.code == 2
    assert message in answer.err
    assert not list(tmp_path.glob("hard*"))


def test_errata_write_over_nothing_unasked(run, models, tmp_path):
    (tmp_path / "hard.value.jsonl").write_text("mine")
    answer = run("errata", *models)
    assert answer.code == 2
    assert (tmp_path / "hard.value.jsonl").read_text() == "mine"
    good(run("errata", *models, "--force"))


def test_bad_logs_lose_nothing(run, log, tmp_path):
    """Mutated logs train a model or are refused with the line; the log stays as it is."""
    rng = random.Random(4)
    data = log.read_bytes()
    for number in range(40):
        mutant = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            mutant[rng.randrange(len(mutant))] = rng.randrange(256)
        (tmp_path / "mutant.jsonl").write_bytes(mutant)
        answer = run("train-policy", "--input", "mutant.jsonl", "--output", "model.json", "--force")
        assert answer.code == 0 or (answer.code == 2 and "mutant.jsonl, line " in answer.err), answer
        assert (tmp_path / "mutant.jsonl").read_bytes() == bytes(mutant), number
