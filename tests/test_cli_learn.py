"""`tengen learn`, `series` and `config`: what they print, how runs go on, and what is refused."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import tomllib

import pytest
from cli_runner import runner
from learning_runs import TINY, TINY_WORDS, last_step, learn_words
from rich.console import Console

from tengen.champion import Loop
from tengen.champion.progress import Tracker
from tengen.champion.report import write_report
from tengen.cli import run_progress
from tengen.console import progress
from tengen.nets.shipped import ShippedChampion
from tengen.runs import Run

pytest.importorskip("torch")


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A finished run of one iteration; tests only read it. Made in another process, as a person would."""
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    words = [str(word) for word in learn_words(folder)]
    done = subprocess.run([sys.executable, "-c", "import tengen.cli; tengen.cli.main()", *words], check=False, **PLAIN)
    assert done.returncode == 0, done.stderr
    return folder, done


PLAIN = {"capture_output": True, "text": True, "env": os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "200"}}


# learn


def test_plain_lines_tell_of_every_step_and_of_the_matches(grown):
    folder, done = grown
    assert "\x1b" not in done.stdout + done.stderr
    # Progress is reported now and then if anything takes longer than a moment.
    assert all(" of " in line for line in done.stderr.splitlines())
    lines = done.stdout.splitlines()
    assert lines[0] == f"pyrga in {folder}: a network of 8 channels × 1 blocks, 1 worker"
    assert lines[1].startswith("speed     ")
    assert lines[2].startswith("plan      1 iteration, about ")
    for phase in ("self-play", "train", "arena", "rate"):
        assert sum(line.startswith(f"iteration 1  {phase}") for line in lines) == 1
    assert any("visits/s" in line for line in lines)
    assert any("policy" in line and "value" in line for line in lines)
    assert "champion@16 against rollout:16 in pyrga: 2 games, seats swapped in pairs" in lines
    assert lines[-2:] == [f"play it   tengen play pyrga --net {folder}", f"see it    tengen report {folder}"]


def test_the_same_command_again_tells_the_same_without_playing(run, grown, monkeypatch):
    folder, done = grown
    monkeypatch.setattr("tengen.champion.final_matches.play_match_with", lambda *_: pytest.fail("it plays again"))
    ran = run(*learn_words(folder))
    assert ran.code == 0, ran.err
    assert "1 of 1 iterations are complete; a larger --iters goes on" in ran.out
    assert ran.out.splitlines()[-3:] == done.stdout.splitlines()[-3:]


def test_an_existing_run_keeps_its_own_settings(run, grown):
    folder, _ = grown
    ran = run("learn", "pyrga", "--run", folder, "--workers", "inline", "--no-final-match")
    assert ran.code == 0, ran.err
    assert "8 channels" in ran.out


def test_other_settings_are_refused_by_name(run, grown):
    folder, _ = grown
    ran = run("learn", "pyrga", "--run", folder, "--lr", "0.5", "--set", "game.tie_break=true")
    assert (ran.code, ran.out) == (1, "")
    assert "learn.train.lr is 0.005 there and 0.5 here" in ran.err
    assert "game.settings.tie_break is false there and true here" in ran.err
    ran = run("learn", "connect_four", "--run", folder)
    assert ran.code == 1
    assert "is a run of pyrga, not of connect_four" in ran.err


def test_a_second_writer_waits_its_turn(run, grown):
    folder, _ = grown
    with Run.open(folder).lock():
        ran = run(*learn_words(folder))
    assert (ran.code, ran.out) == (1, "")
    assert "is being written by" in ran.err


@pytest.mark.slow
def test_ctrl_c_is_clean_and_the_same_command_goes_on(run, tmp_path, monkeypatch):
    train = Loop._train

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Loop, "_train", interrupt)
    ran = run(*learn_words(tmp_path / "run", "--no-final-match"))
    assert ran.code == 130
    assert "stopped; run the same command again to go on" in ran.err
    assert "Traceback" not in ran.err
    monkeypatch.setattr(Loop, "_train", train)
    ran = run(*learn_words(tmp_path / "run", "--no-final-match"))
    assert ran.code == 0, ran.err
    assert "0 of 1 iterations are complete; going on" in ran.out
    assert "self-play" not in ran.out
    assert "iteration 1  arena" in ran.out


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_champion(run, grown, tmp_path):
    folder, _ = grown
    words = [str(word) for word in learn_words(tmp_path / "run")]
    command = [sys.executable, "-c", "import tengen.cli; tengen.cli.main()", *words]
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=PLAIN["env"])
    deadline = time.monotonic() + 60
    while not list((tmp_path / "run").glob("steps/*-self-play")) and time.monotonic() < deadline:
        time.sleep(0.02)
    started.send_signal(signal.SIGKILL)
    started.wait()
    ran = run(*words)
    assert ran.code == 0, ran.err
    assert "0 of 1 iterations are complete; going on" in ran.out
    assert last_step(tmp_path / "run", "train").joinpath("net.onnx").read_bytes() == (
        last_step(folder, "train").joinpath("net.onnx").read_bytes()
    )


def test_options_of_the_seed_reach_the_settings(run, tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.cli.learn.grow", lambda path, game, settings, *_: print(repr(settings)))
    words = (
        "--games-per-iter 5 --mcts-sims-sp 50 --eval-games 6 --gate none --accept-rate 0.6 --temperature 0.5 "
        "--temp-moves 3 --seed 9 --no-dirichlet --lr 0.01 --batch-size 32 --weight-decay 0.5 --grad-clip 2 --no-amp "
        "--device cpu"
    )
    ran = run("learn", "pyrga", "--run", tmp_path / "run", *words.split())
    assert ran.code == 0, ran.err
    for text in (
        "games_per_iter=5",
        "visits=50",
        "eval_games=6",
        "gate='none'",
        "accept_rate=0.6",
        "temperature=0.5",
        "temp_moves=3",
        "LearnSettings(seed=9",
        "noise_fraction=0.0",
        "lr=0.01",
        "batch_size=32",
        "weight_decay=0.5",
        "grad_clip=2.0",
        "amp=False",
        "device='cpu'",
    ):
        assert text in ran.out


@pytest.mark.slow
def test_connect_four_learns_too(run, tmp_path):
    # Its own settings have no fast searches, which these words would shorten.
    more = ("--set", "selfplay.search.full_probability=0.5")
    ran = run(*learn_words(tmp_path / "run", *more, game="connect_four"))
    assert ran.code == 0, ran.err
    assert "against rollout:16 in connect_four" in ran.out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--set", "net.chanels=3"], "no setting is called net.chanels; there are attention, blocks, channels"),
        (["--set", "net=3"], "net is 3 and must be a table"),
        (["--set", "net.channels=many"], "net.channels is 'many'"),
        (["--set", "net.channels"], "'net.channels' is not of the form KEY=VALUE"),
        (["--set", "game.tie_break=maybe"], "'maybe' does not fit tie_break"),
        (["--set", "game.ties=1"], "has no setting 'ties'"),
        (["--set", "game=1"], "game is 1 and must be a table"),
        (["--set", "anchor=nobody"], "no player is called 'nobody'"),
        (["--set", "selfplay.search.visits=-1"], "visits"),
        (["--final-games", "3"], "--final-games is 3 and must be even"),
        (["--workers", "none"], "'none' names no workers"),
        (["--device", "abacus"], "PyTorch can't compute on 'abacus'"),
    ],
)
def test_what_does_not_fit_is_refused_before_a_run_begins(run, tmp_path, words, text):
    ran = run("learn", "pyrga", "--run", tmp_path / "run", *words)
    assert (ran.code, ran.out) == (2, "")
    assert text in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "run" / "steps").exists()


def test_without_pytorch_the_extra_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    ran = run("learn", "pyrga", "--run", tmp_path / "run")
    assert ran.code == 1
    assert "pip install 'tengen-games[train]' (in a checkout: pip install '.[train]')" in ran.err


def test_a_terminal_sees_phase_speed_losses_and_elo(grown, monkeypatch):
    console = Console(force_terminal=True, width=160, file=io.StringIO())
    monkeypatch.setattr(progress, "error_console", lambda: console)
    monkeypatch.setattr(progress, "_GLANCE_S", 0.0)
    with progress.Bar() as bar:
        tracker = Tracker(run_progress.View(bar))
        tracker.follow(Run.open(grown[0]), 3, ())
        tracker.begin("train", 2, 10)
        tracker.advance(5, {"policy": 1.25, "value": 0.5})
        bar._progress.refresh()
    for text in ("iteration 2/3", "Elo", "train", "5/10", "batches/s", "policy 1.250"):
        assert text in console.file.getvalue()


# config


def test_config_shows_every_setting_and_reads_it_back(run, tmp_path):
    words = [*TINY_WORDS, "--set", "game.tie_break=true"]
    shown = run("config", "show", "pyrga", *words)
    assert (shown.code, shown.err) == (0, "")
    assert "# How often each new sample is trained on, on average.\nreuse = 4.0\n" in shown.out
    read = tomllib.loads(shown.out)
    assert read["game"]["tie_break"] is True
    for key, value in TINY.items():
        place = read
        for part in key.split("."):
            place = place[part]
        assert place == value
    path = tmp_path / "mine.toml"
    path.write_text(shown.out)
    assert run("config", "show", "pyrga", "--config", path).out == shown.out
    assert "visits = 7\n" in run("config", "show", "pyrga", "--config", path, "--set", "selfplay.search.visits=7").out


def test_config_of_a_run(run, grown):
    folder, _ = grown
    shown = run("config", "show", "--run", folder)
    assert tomllib.loads(shown.out)["net"]["channels"] == 8
    assert run("config", "show", "connect_four", "--run", folder).code == 1


def test_config_errors(run, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("[net\n")
    ran = run("config", "show", "pyrga", "--config", path)
    assert ran.code == 2
    assert str(path) in ran.err


# series


def test_runs_list_and_show(run, grown):
    folder, _ = grown
    facts = json.loads(run("series", "list", folder.parent, "--json").out)["runs"]
    assert [(fact["game"], fact["iterations"]) for fact in facts] == [("pyrga", 1)]
    assert str(folder) in run("series", "list", folder).out
    shown = run("series", "show", folder).out
    assert "self-play" in shown
    assert "rollout:16" in shown
    manifest = json.loads(run("series", "show", folder, "arena").out)
    assert manifest["name"] == "arena"
    assert json.loads(run("series", "show", folder, "champion").out)["path"] == str(Run.open(folder).champion.path)
    assert run("series", "show", folder, "nothing").code == 2
    assert run("series", "list", folder / "steps").code == 2
    assert run("series", "show", folder / "steps").code == 1


def test_runs_verify(run, grown):
    folder, _ = grown
    ran = run("series", "verify", folder)
    assert ran.code == 0
    assert "all as written" in ran.out
    file = last_step(folder, "rate") / "match.json"
    data = file.read_bytes()
    try:
        file.write_bytes(data[:-1])
        ran = run("series", "verify", folder)
    finally:
        file.write_bytes(data)
    assert ran.code == 1
    assert "damaged" in ran.out


def test_runs_resume_goes_by_the_last_goal(run, grown):
    folder, _ = grown
    ran = run("series", "resume", folder, "--workers", "inline", "--no-final-match")
    assert ran.code == 0, ran.err
    assert "1 of 1 iterations are complete" in ran.out


def test_tensorboard_is_named_when_it_is_not_there(run, grown, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    ran = run("series", "tensorboard", grown[0], tmp_path / "board")
    assert ran.code == 1
    assert "'tengen-games[train]'" in ran.err


def test_tensorboard_gets_every_number(run, grown, tmp_path):
    pytest.importorskip("tensorboard")
    ran = run("series", "tensorboard", grown[0], tmp_path / "board")
    assert ran.code == 0, ran.err
    assert list((tmp_path / "board").iterdir())


def test_the_champion_of_a_run_is_searched_and_matched(run, grown):
    folder, _ = grown
    assert run("search", "pyrga", "--evaluator", folder, "--visits", "20", "--json").code == 0
    ran = run("arena", "pyrga", f"{folder}@4", f"policy:{folder}", "--games", "2", "--workers", "inline")
    assert ran.code == 0, ran.err
    assert f"{folder}@4 against policy:{folder}" in ran.out
    assert run("search", "pyrga", "--evaluator", folder.parent).code == 2


def test_the_champion_of_a_run_is_played(run, grown):
    ran = run("play", "pyrga", "--evaluator", grown[0], "--visits", "4", typed="square b2\nquit\n")
    assert ran.code == 0, ran.err


def test_the_champion_that_ships_is_asked_by_default(run, grown, monkeypatch):
    network = Run.open(grown[0]).champion.file("net.onnx")
    monkeypatch.setattr("tengen.evaluators.choice.find_shipped", lambda _: ShippedChampion(network, 30, {}))
    assert json.loads(run("search", "pyrga", "--json").out)["visits"] == 30
    assert json.loads(run("search", "pyrga", "--visits", "7", "--json").out)["visits"] == 7
    assert json.loads(run("search", "pyrga", "--evaluator", "rollout", "--json").out)["visits"] == 10_000
    assert run("play", "pyrga", typed="square b2\nquit\n").code == 0


def test_a_report_is_written_beside_the_run(run, grown, tmp_path):
    page = tmp_path / "page.html"
    ran = run("report", grown[0], "--out", page)
    assert ran.code == 0, ran.err
    assert ran.out.strip() == str(page)
    assert page.read_text(encoding="utf-8").startswith("<!")


@pytest.mark.slow
def test_the_report_says_what_the_terminal_said(run, tmp_path):
    ran = run(*learn_words(tmp_path / "run", "--set", "anchor_every=9", "--accept-rate", "0"))
    assert ran.code == 0, ran.err
    page = write_report(Run.open(tmp_path / "run"), tmp_path / "report.html").read_text(encoding="utf-8")
    assert "No match against a fixed player" not in page
    said = ran.out.splitlines()
    elo = next(line for line in said if line.startswith("Elo ")).removeprefix("Elo ").strip()
    assert elo.endswith(", the first network being 0")
    rating, _, interval = elo.partition(", ")[0].replace("-", "−").partition(" ")
    assert f"<b>{rating}</b><span>its Elo {interval}; the first network is 0</span>" in page
    for title in ("champion@16 against first network@16", "champion@16 against rollout:16"):
        at = next(i for i, line in enumerate(said) if line.startswith(title))
        assert f"{title}, after iteration 1" in page
        for line in said[at + 1 : at + 7]:
            name, _, text = line.strip().partition(" ")
            assert f"<th>{name}</th><td>{text.strip()}</td>" in page
