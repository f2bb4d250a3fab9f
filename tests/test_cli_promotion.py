"""`tengen evaluate`, `tengen cycle` and `tengen league`."""

import json

import pytest
from cli_runner import TOYS, runner
from matgo_log_maker import write_log

import tengen
from tengen.learning import load_packed, samples_of, save_samples
from tengen.runs import Run
from tengen.selfplay import load_records

INLINE = ("--workers", "inline")
LEAGUE = """
focal = "greedy"
games = 16
chunk_games = 8
[[opponents]]
player = "random"
[[opponents]]
player = "pimc:3"
"""


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


# evaluate


def test_an_evaluation_as_text(run):
    ran = run("evaluate", "matgo", "greedy", "random", "--games", 200, *INLINE, "--limit", "go_fail_rate=0.9")
    assert (ran.code, ran.err) == (0, "")
    for word in ("gold ", "score", "worst loss", "CVaR", "go_fail_rate", "baks_inflicted", "yes  go_fail_rate_safe"):
        assert word in ran.out
    assert ran.out.endswith("promotion recommended\n")
    ran = run("evaluate", "matgo", "random", "greedy", "--games", 100, *INLINE)
    assert ran.code == 0
    assert "no   gold_significant_positive" in ran.out
    assert ran.out.endswith("promotion not recommended\n")


def test_an_evaluation_as_json_and_as_a_file(run, tmp_path):
    words = ("evaluate", "matgo", "greedy", "random", "--games", 40, "--start", "gold=3000", *INLINE)
    out = tmp_path / "deep" / "report.json"
    ran = run(*words, "--json", "--out", out)
    report = json.loads(ran.out)
    assert report == json.loads(out.read_text())
    assert report["start"] == {"gold": 3000}
    assert report["unit"] == "gold"
    assert report["worst_loss"] >= -3000
    assert report["counts"]["second"]["bankrupt"] > 0
    assert set(report["gates"]) == {"gold_significant_positive", "go_fail_rate_safe", "value_not_worse"}
    assert report["promotion_recommended"] == all(report["gates"].values())
    assert {"total", "first", "second", "limit"} <= report["rates"]["go_fail_rate"].keys()
    again = run(*words, "--out", out)
    assert again.code == 2
    assert "--force" in again.err
    assert run(*words, "--out", out, "--force").code == 0


def test_other_games_are_evaluated_too(run):
    report = json.loads(run("evaluate", "pyrga", "rollout:50", "random", "--games", 20, "--json", *INLINE).out)
    assert report["unit"] == "payoff"
    assert report["rates"] == {}
    assert report["gates"]["payoff_significant_positive"] is True


def test_the_value_models_metrics_count(run, tmp_path):
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    new.write_text('{"valid": {"rmse": 11.0, "mae": 1.0}}')
    old.write_text('{"valid": {"rmse": 10.0, "mae": 2.0}}')
    words = ("evaluate", "matgo", "greedy", "random", "--games", 40, *INLINE, "--value-metrics", new)
    ran = run(*words, "--value-baseline", old)
    assert "valid.rmse 11 against 10" in ran.out
    assert "no   value_not_worse" in ran.out
    assert "yes  value_not_worse" in run(*words, "--value-baseline", old, "--value-key", "valid.mae").out
    for damage in ("", "[]", "{}", "\udcff", '{"valid": 3}', "[" * 100_000):
        old.write_bytes(damage.encode(errors="surrogateescape"))
        ran = run(*words, "--value-baseline", old)
        assert ran.code == 2
        assert str(old) in ran.err
    assert run(*words).code == 2
    assert run("evaluate", "matgo", "greedy", "random", "--value-key", "x").code == 2


def test_the_gate_reads_what_training_writes(run, tmp_path):
    """Both files are models as `tengen matgo train-value` writes them."""
    log = write_log(tmp_path / "games.jsonl", games=40)
    errors = {}
    for name, epochs in (("good", 3), ("bad", 1)):
        words = ("--epochs", epochs, "--lr", 0.05 if name == "good" else 1e-7, "--valid-ratio", 0.5, "--json")
        ran = run("matgo", "train-value", "--input", log, "--output", tmp_path / f"{name}.json", *words)
        assert ran.code == 0, ran.err
        errors[name] = json.loads(ran.out)["valid"]["rmse"]
    better, worse = sorted(errors, key=errors.__getitem__)
    assert errors[better] < errors[worse]
    for new, old, holds in ((better, worse, "yes"), (worse, better, "no ")):
        files = ("--value-metrics", tmp_path / f"{new}.json", "--value-baseline", tmp_path / f"{old}.json")
        ran = run("evaluate", "matgo", "greedy", "random", "--games", 2, *INLINE, *files)
        assert ran.code == 0, ran.err
        assert f"valid.rmse {errors[new]:.6g} against {errors[old]:.6g}" in ran.out
        assert f"{holds}  value_not_worse" in ran.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("matgo", "greedy", "random", "--games", 3), "even"),
        (("matgo", "greedy", "nobody"), "nobody"),
        (("nogame", "greedy", "random"), "nogame"),
        (("matgo", "greedy", "random", "--limit", "go=1"), "go_fail_rate"),
        (("matgo", "greedy", "random", "--limit", "go_fail_rate=2"), "from 0 to 1"),
        (("matgo", "greedy", "random", "--limit", "go_fail_rate"), "RATE=X"),
        (("matgo", "greedy", "random", "--start", "silver=1"), "silver"),
        (("matgo", "greedy", "random", "--start", "gold=-5"), "gold"),
        (("matgo", "greedy", "random", "--value-metrics", "x.json"), "go together"),
        ((f"{TOYS}:HighCard", "random", "random"), "3 players"),
    ],
)
def test_wrong_words_are_named(run, words, says):
    ran = run("evaluate", *words, *INLINE)
    assert ran.code == 2
    assert says in ran.err
    assert ran.err.count("\n") == 1


# cycle


def test_a_cycle_from_the_command_line(run, tmp_path):
    folder = tmp_path / "run"
    words = ("cycle", "matgo", "--run", folder, *INLINE)
    ran = run(*words, "--champion", "random", "--challenger", "greedy", "--games", 100, "--chunk-games", 50)
    assert ran.code == 0, ran.err
    assert "challenge 1: accept: mean gold" in ran.out
    assert "champion  greedy" in ran.out
    ran = run(*words, "--challenger", "random", "--json")
    answer = json.loads(ran.out)
    assert answer["champion"] == "greedy"
    assert [decision["passed"] for decision in answer["decisions"]] == [True, False]
    assert answer["decisions"][1]["findings"]
    assert run("series", "verify", folder).code == 0
    assert run("series", "resume", folder, *INLINE).code == 0
    listed = json.loads(run("series", "list", folder, "--json").out)["runs"][0]
    assert listed["champion"].endswith("-challenger")
    settings = Run.open(folder).settings["cycle"]
    assert (settings["games"], settings["gate"]["z"]) == (100, 1.96)


def test_series_show_names_the_players(run, tmp_path):
    folder = tmp_path / "cycle"
    words = ("cycle", "matgo", "--run", folder, "--games", 20, *INLINE)
    assert run(*words, "--champion", "random", "--challenger", "greedy", "--challenger", "pimc:2").code == 0
    out = run("series", "show", folder).out
    assert "champion greedy\n" in out
    for text in ("initial", "greedy against random: ", "pimc:2 against greedy: "):
        assert text in out
    ratings = out[out.index("player  ") :]
    assert [line.split()[0] for line in ratings.splitlines()[1:]] == ["greedy", "pimc:2", "random"]
    assert run(*words, "--challenger", "random").code == 0
    out = run("series", "show", folder).out
    initial, *_, challenger = [step.id for step in Run.open(folder).steps() if step.name in ("initial", "challenger")]
    for step in (initial, challenger):
        assert f"random ({step})" in out
    pool = tmp_path / "league.toml"
    pool.write_text(LEAGUE)
    assert run("league", "matgo", "--run", tmp_path / "league", "--pool", pool, *INLINE).code == 0
    out = run("series", "show", tmp_path / "league").out
    assert "greedy against random: games 8" in out
    assert "greedy against pimc:3: games 8" in out


def test_the_gates_options_reach_the_run(run, tmp_path):
    words = ("--z", "1", "--epsilon", "100", "--edge", "0.1", "--least-score", "0.6", "--tolerance", "0.2")
    more = ("--least-count", "7", "--guard-z", "2", "--start", "gold=5000", "--seed", "9")
    ran = run(
        *("cycle", "matgo", "--run", tmp_path / "run", "--champion", "random", "--challenger", "greedy"),
        *("--games", "20", *words, *more, *INLINE),
    )
    assert ran.code == 0, ran.err
    cycle = Run.open(tmp_path / "run").settings["cycle"]
    assert cycle["gate"] == {
        "z": 1.0,
        "epsilon": 0.02,
        "edge": 0.1,
        "least_score": 0.6,
        "tolerance": 0.2,
        "least_count": 7,
        "guard_z": 2.0,
    }
    assert (cycle["start"], cycle["seed"]) == ({"gold": 5000}, 9)


def test_a_cycle_refuses_what_does_not_fit(run, tmp_path):
    words = ("cycle", "matgo", "--run", tmp_path / "run", *INLINE)
    assert "--champion" in run(*words, "--challenger", "greedy").err
    for more, says in [
        (("--champion", "nobody"), "nobody"),
        (("--champion", "random", "--challenger", "nobody"), "nobody"),
        (("--champion", "random", "--games", "5"), "even"),
        (("--champion", "random", "--z", "-1"), "z is -1"),
        (("--champion", "random", "--start", "silver=2"), "silver"),
    ]:
        ran = run(*words, *more)
        assert ran.code == 2
        assert says in ran.err
    assert not (tmp_path / "run").exists()
    assert run(*words, "--champion", "random", "--games", "4").code == 0
    ran = run(*words, "--champion", "greedy")
    assert ran.code == 1
    assert "champion" in ran.err
    ran = run(*words, "--games", "8")
    assert ran.code == 1
    assert "games is 4 there and 8 here" in ran.err
    ran = run("cycle", "pyrga", "--run", tmp_path / "run", *INLINE)
    assert "no champion cycle" in ran.err
    ran = run("config", "show", "--run", tmp_path / "run")
    assert (ran.code, "no learning run" in ran.err) == (1, True)


# league


def test_a_league_from_the_command_line(run, tmp_path):
    pool = tmp_path / "league.toml"
    pool.write_text(LEAGUE)
    words = ("league", "matgo", "--run", tmp_path / "run", "--pool", pool, *INLINE)
    ran = run(*words)
    assert ran.code == 0, ran.err
    assert "chunk 1 " in ran.out
    assert "pimc:3" in ran.out
    assert "go_fail_rate" in ran.out
    answer = json.loads(run(*words, "--json").out)
    assert [row["opponent"] for row in answer["opponents"]] == ["random", "pimc:3"]
    assert len(answer["samples"]) == 2
    assert run("series", "resume", tmp_path / "run", *INLINE).code == 0
    assert run("series", "verify", tmp_path / "run").code == 0
    ran = run(*words, "--games", "24")
    assert ran.code == 1
    assert "games is 16 there and 24 here" in ran.err


def test_a_network_learns_from_a_league(run, tmp_path):
    pytest.importorskip("torch")
    pool = tmp_path / "league.toml"
    pool.write_text(LEAGUE.replace('"greedy"', '"rollout:10"').replace("pimc:3", "rollout:4"))
    assert run("league", "pyrga", "--run", tmp_path / "run", "--pool", pool, *INLINE).code == 0
    out = tmp_path / "net.safetensors"
    words = ("train", "pyrga", "--data", tmp_path / "run", "--epochs", 1, "--channels", 8, "--blocks", 1, "--out", out)
    ran = run(*words)
    assert ran.code == 0, ran.err
    assert out.is_file()
    # A chunk as earlier versions stored it.
    league = Run.open(tmp_path / "run")
    counts = [len(load_packed(step.file("packed.npz"))) for step in league.steps("chunk")]
    records = load_records(league.steps("chunk")[0].file("games.jsonl.gz"))
    with league.lock(), league.step("chunk", iteration=9) as draft:
        draft.write_bytes("samples.npz", save_samples(samples_of(tengen.game("pyrga"), records)))
    ran = run(*words, "--force")
    assert ran.code == 0, ran.err
    assert f"{sum(counts) + counts[0]:,} samples" in ran.out
    cycle = ("cycle", "pyrga", "--run", tmp_path / "cycle", "--champion", "random", "--games", "4", *INLINE)
    assert run(*cycle, "--challenger", f"{tmp_path / 'net.onnx'}@4").code == 0
    empty = run("train", "pyrga", "--data", tmp_path / "cycle", "--out", tmp_path / "b.safetensors")
    assert (empty.code, "without samples" in empty.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (LEAGUE.replace("random", "nobody"), "nobody"),
        (LEAGUE.replace('focal = "greedy"', ""), "focal"),
        (LEAGUE.replace("games = 16", "games = 15"), "even"),
        ("start = { silver = 1 }\n" + LEAGUE, "silver"),
        ("start = { gold = 2020-01-01 }\n" + LEAGUE, "gold"),
        ("[[", "no league"),
        ("\udcff", "decode"),
    ],
)
def test_a_league_refuses_what_does_not_fit(run, tmp_path, text, says):
    pool = tmp_path / "league.toml"
    pool.write_bytes(text.encode(errors="surrogateescape"))
    ran = run("league", "matgo", "--run", tmp_path / "run", "--pool", pool, *INLINE)
    assert ran.code == 2
    assert says in ran.err
    assert str(pool) in ran.err
    assert not (tmp_path / "run").exists()


def test_every_command_gives_examples(run):
    for command in ("evaluate", "cycle", "league"):
        assert f"tengen {command}" in run(command, "-h").out.split("Examples:")[1]
    assert run("league", "matgo", "--run", "x", "--pool", "nowhere.toml").code == 2
