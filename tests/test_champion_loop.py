"""The loop: its steps, the same champion every time, resuming after anything, and settings."""

import dataclasses
import json
import random
import shutil

import numpy as np
import pytest
from run_folders import Stop, spoil, stopping_before
from run_killer import kill_at_random, outcome
from search_helpers import judge
from shipped_games import NAMES, small_game
from soak.kill_resume import TINY, learn, start, tiny_settings
from toy_games import HighCard

import tengen
from tengen.arena import SearchPlayer
from tengen.champion import (
    LearnSettings,
    Loop,
    NetSettings,
    Silent,
    change_settings,
    format_settings,
    loop,
    open_run,
    read_settings,
    settings_for,
)
from tengen.cluster import open_workers
from tengen.learning import load_packed, samples_of
from tengen.runs import Run, RunError
from tengen.search import Pool
from tengen.selfplay import load_records

pytest.importorskip("torch")

from tengen.learning import TrainingStopped, training
from tengen.nets import load_checkpoint

PHASES = ["initial None", "self-play 1", "train 1", "arena 1", "self-play 2", "train 2", "arena 2", "rate 2"]


def names(run):
    return [f"{step.name} {step.iteration}" for step in run.steps()]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Two iterations in this process. Nobody writes to it."""
    return learn(tmp_path_factory.mktemp("undisturbed") / "run", 2)


@pytest.fixture
def copy(undisturbed, tmp_path):
    """One to write to."""
    shutil.copytree(undisturbed.path, tmp_path / "copy")
    return Run.open(tmp_path / "copy")


# Steps of a run.


def test_steps_come_in_order_and_say_what_they_were_made_from(undisturbed):
    steps = undisturbed.steps()
    assert names(undisturbed) == PHASES
    assert undisturbed.verify() == []
    initial, played, trained, arena = steps[:4]
    by_name = {f"{step.name} {step.iteration}": step for step in steps}
    assert [given.step for given in played.inputs] == [initial.id]
    assert [given.step for given in trained.inputs] == [initial.id, played.id]
    assert [given.step for given in arena.inputs] == [trained.id, initial.id]
    assert [given.step for given in by_name["train 2"].inputs] == [trained.id, played.id, by_name["self-play 2"].id]
    assert set(initial.files) == {"net.onnx", "net.safetensors"}
    assert set(trained.files) == {"net.onnx", "net.safetensors", "trainer.safetensors"}
    assert set(played.files) == {"games.jsonl.gz", "packed.npz"}
    assert set(arena.files) == {"match.json"}
    assert trained.settings["batch_size"] == 32
    assert {"policy", "value", "loss"} <= trained.metrics.keys()
    assert played.metrics["games"] == 4
    assert isinstance(arena.metrics["passed"], bool)


def test_the_champion_is_who_passed_last(undisturbed):
    wanted = undisturbed.find("initial")
    for iteration in (1, 2):
        if undisturbed.find("arena", iteration).metrics["passed"]:
            wanted = undisturbed.find("train", iteration)
    assert undisturbed.champion == wanted
    load_checkpoint(undisturbed.champion.file("net.safetensors")).check(tengen.game("pyrga"))


def test_stored_games_and_samples_belong_together(undisturbed):
    game = tengen.game("pyrga")
    for step in undisturbed.steps("self-play"):
        records = load_records(step.file("games.jsonl.gz").read_bytes())
        packed, made = load_packed(step.file("packed.npz")), samples_of(game, records)
        found = packed.take(np.arange(len(packed)))
        assert len(records) == 4
        assert len(found) == step.metrics["samples"]
        for name, array in made.arrays.items():
            assert np.array_equal(found.arrays[name], array, equal_nan=True), name


def test_the_lineage_leads_back_to_the_first_network(undisturbed):
    lineage = load_checkpoint(undisturbed.find("train", 2).file("net.safetensors")).lineage
    assert lineage["parent"] == undisturbed.find("train", 1).sha256
    lineage = load_checkpoint(undisturbed.find("train", 1).file("net.safetensors")).lineage
    assert lineage["parent"] == undisturbed.find("initial").sha256
    assert lineage["iteration"] == 1


def test_a_watcher_hears_every_phase(tmp_path):
    heard = []

    class Watcher(Silent):
        def begin(self, phase, iteration, total):
            heard.append(("begin", phase, iteration, total))

        def advance(self, done, figures):
            heard.append(("advance", done))

        def end(self, phase, iteration, text, figures):
            heard.append(("end", phase, iteration))
            assert text

    game = tengen.game("connect_four")
    run, settings = open_run(tmp_path / "run", game, tiny_settings())
    with run.lock(), open_workers("inline") as workers:
        Loop(run, game, settings, workers, Watcher()).run_until(1)
    assert [entry[1] for entry in heard if entry[0] == "begin"] == ["self-play", "train", "arena"]
    assert [entry[1] for entry in heard if entry[0] == "end"] == ["self-play", "train", "arena"]
    totals = {entry[1]: entry[3] for entry in heard if entry[0] == "begin"}
    assert totals["self-play"] == 4
    assert ("advance", 4) in heard


@pytest.mark.parametrize("name", NAMES)
def test_what_a_run_of_a_game_is_made_with_by_default_fits_it(name):
    game = small_game(name)
    settings = settings_for(game).selfplay.search
    assert Pool(game, settings, judge).settings == settings


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("pyrga", "connect_four")])
def test_every_game_has_a_run(name, tmp_path):
    run = learn(tmp_path / "run", 1, game=small_game(name))
    assert names(run) == PHASES[:4]
    assert run.champion is not None


def test_three_players_learn_with_a_value_a_seat(tmp_path):
    game = HighCard()
    run, settings = open_run(tmp_path / "run", game, tiny_settings(bootstrap_games=0))
    with run.lock(), open_workers("inline") as workers:
        loop = Loop(run, game, settings, workers)
        loop._train(1, loop._self_play(1))
    assert load_checkpoint(run.find("train", 1).file("net.safetensors")).network.architecture.value == "seats"


def test_games_of_a_step_that_was_stopped_are_not_played_again(tmp_path, monkeypatch):
    played = []
    whole = SearchPlayer.self_play

    def self_play(self, game, settings, seeds, *rest):
        played.extend(seeds)
        return whole(self, game, settings, seeds, *rest)

    def stop(_games):
        raise Stop

    monkeypatch.setattr(SearchPlayer, "self_play", self_play)
    with monkeypatch.context() as patched:
        patched.setattr("tengen.champion.loop.join_games", stop)
        with pytest.raises(Stop):
            learn(tmp_path / "run", 1)
    run = Run.open(tmp_path / "run")
    assert len(played) == 4
    assert run.find("self-play", 1) is None
    assert list(run.parts.iterdir())
    assert run.verify() == []
    assert outcome(learn(run.path, 1)) == outcome(learn(tmp_path / "other", 1))
    assert len(played) == 8  # the other run's
    assert not run.parts.exists()


# Reproducibility.


@pytest.mark.slow
def test_equal_seeds_end_equally_with_any_workers(undisturbed, tmp_path):
    again = learn(tmp_path / "run", 2, workers="2")
    assert outcome(again) == outcome(undisturbed)
    for one, other in zip(again.steps(), undisturbed.steps(), strict=True):
        for name in one.files:
            assert one.file(name).read_bytes() == other.file(name).read_bytes()


def test_another_seed_ends_otherwise(undisturbed, tmp_path):
    other = learn(tmp_path / "run", 1, settings=tiny_settings(seed=6))
    assert other.find("initial").sha256 != undisturbed.find("initial").sha256
    assert other.find("self-play", 1).sha256 != undisturbed.find("self-play", 1).sha256


@pytest.mark.slow
def test_a_run_in_two_parts_is_the_same_run(undisturbed, tmp_path):
    learn(tmp_path / "run", 1)
    assert outcome(learn(tmp_path / "run", 2)) == outcome(undisturbed)


def test_a_complete_run_does_nothing_more(copy):
    before = {str(path): path.read_bytes() for path in copy.path.rglob("*") if path.is_file()}
    learn(copy.path, 2)
    learn(copy.path, 1)
    assert {str(path): path.read_bytes() for path in copy.path.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_a_run_that_stops_at_any_step_goes_on_to_the_same_end(undisturbed, tmp_path, monkeypatch):
    """Each time the run is stopped just before another promotion, log line or step is written."""
    path, stops = tmp_path / "run", 0
    for number in range(100):
        try:
            with stopping_before(monkeypatch, number % 3 + 1):
                run = learn(path, 2)
        except Stop:
            stops += 1
            continue
        assert stops > 4
        assert outcome(run) == outcome(undisturbed)
        return
    pytest.fail("it never came to an end")


@pytest.mark.slow
def test_a_run_killed_at_any_moment_goes_on_to_the_same_end(undisturbed, tmp_path):
    """tests/soak/kill_resume.py does so many times more."""
    path, chance = tmp_path / "run", random.Random(11)
    for _ in range(2):
        kill_at_random(start(2, path, "inline"), path, chance, longest_s=0.2)
    run = learn(path, 2)
    assert outcome(run) == outcome(undisturbed)
    assert run.verify() == []


# Damage.


FILES = [
    ("initial", None, "net.safetensors"),
    ("initial", None, "net.onnx"),
    ("initial", None, "manifest.json"),
    ("self-play", 1, "packed.npz"),
    ("self-play", 2, "games.jsonl.gz"),
    ("self-play", 1, "manifest.json"),
    ("train", 1, "net.safetensors"),
    ("train", 2, "net.onnx"),
    ("train", 1, "manifest.json"),
    ("arena", 1, "match.json"),
    ("arena", 2, "manifest.json"),
    ("rate", 2, "match.json"),
]


@pytest.mark.slow
@pytest.mark.parametrize("is_gone", [False, True])
def test_damaged_steps_are_put_aside_and_made_again(undisturbed, copy, is_gone):
    """Each in its turn; what is made again is what was there."""
    wanted = outcome(undisturbed)
    for number, (name, iteration, file) in enumerate(FILES[is_gone::2], 1):
        step = copy.find(name, iteration)
        if is_gone:
            (step.path / file).unlink()
        else:
            spoil(step.path / file)
        content = {path.name: path.read_bytes() for path in step.path.iterdir()}
        run = learn(copy.path, 2)
        found = outcome(run)
        assert (found["champion"], found["steps"]) == (wanted["champion"], wanted["steps"]), (name, file)
        put_aside = [path for path in (copy.path / "quarantine").iterdir() if path.name.startswith(step.id)]
        assert any({path.name: path.read_bytes() for path in kept.iterdir()} == content for kept in put_aside)
        assert sum(event["event"] == "quarantined" for event in run.events()) == number
        assert [problem for problem in run.verify() if problem.kind != "input"] == []


@pytest.mark.parametrize("spoiled", [["champion"], ["champion", "champion.jsonl"], ["metrics.jsonl"]], ids=str)
def test_damaged_papers_of_the_run_do_not_stop_it(undisturbed, copy, spoiled):
    for name in spoiled:
        (copy.path / name).write_bytes(b"\0nothing of use")
    assert learn(copy.path, 2).champion.sha256 == undisturbed.champion.sha256


def test_damaged_settings_are_an_error_that_says_so(copy):
    spoil(copy.path / "run.toml")
    with pytest.raises(RunError, match=r"run\.toml|copy"):
        learn(copy.path, 2)


def test_samples_that_break_in_the_middle_of_a_run_are_left_out(copy, monkeypatch):
    """Samples that are damaged after the check are left out of the training window."""
    with copy.lock():
        copy.quarantine(copy.find("train", 2))
    spoiled = copy.find("self-play", 1)
    window = loop.read_window

    def late(run, settings, iteration):
        if iteration == 2 and run.find("self-play", 1) is not None:
            (run.find("self-play", 1).path / "packed.npz").write_bytes(b"PK nothing")
        return window(run, settings, iteration)

    monkeypatch.setattr(loop, "read_window", late)
    run = learn(copy.path, 2)
    assert run.find("self-play", 1) is None
    assert (copy.path / "quarantine" / spoiled.id).exists()
    assert spoiled.id not in [given.step for given in run.find("train", 2).inputs]


# Gates and breakers.


@pytest.mark.slow
def test_a_challenger_that_never_passes_never_reigns(tmp_path, monkeypatch):
    from tengen.arena import AcceptRate

    judge = AcceptRate.judge
    monkeypatch.setattr(
        AcceptRate, "judge", lambda self, result: dataclasses.replace(judge(self, result), passed=False)
    )
    run = learn(tmp_path / "run", 2)
    assert run.champion == run.find("initial")
    assert len(run.champions()) == 1
    # The next training still goes on from the last network.
    assert run.find("train", 1).id in [given.step for given in run.find("train", 2).inputs]
    assert run.find("initial").id in [given.step for given in run.find("self-play", 2).inputs]


@pytest.mark.slow
def test_a_challenger_that_always_passes_reigns_at_once_and_only_once(tmp_path):
    settings = tiny_settings(accept_rate=0.0)
    run = learn(tmp_path / "run", 2, settings=settings)
    reigns = [run.find("initial").id, run.find("train", 1).id, run.find("train", 2).id]
    assert [promotion.step for promotion in run.champions()] == reigns
    assert run.find("train", 1).id in [given.step for given in run.find("self-play", 2).inputs]
    # Resuming passes the same gates again, and crowns nobody anew.
    learn(tmp_path / "run", 2, settings=settings)
    assert [promotion.step for promotion in Run.open(tmp_path / "run").champions()] == reigns
    # Self-play that is made again is played by who reigned then.
    wanted = run.find("self-play", 2).sha256
    with run.lock():
        run.quarantine(run.find("self-play", 2))
    assert learn(tmp_path / "run", 2, settings=settings).find("self-play", 2).sha256 == wanted


def test_a_sequential_gate_promotes_on_evidence_alone(tmp_path):
    """Eight games of tiny networks decide nothing about 1 Elo and refute 2,000 Elo."""
    for elo, words in ((1.0, "continue"), (2000.0, "reject")):
        run = learn(tmp_path / f"run-{elo}", 1, settings=tiny_settings(gate="sprt", sprt_elo=elo))
        gate = run.find("arena", 1)
        assert gate.metrics["passed"] is False, words
        assert run.champion.name == "initial"


@pytest.mark.slow
def test_a_sequential_gate_stops_as_soon_as_it_may(tmp_path):
    """A claim of 2,000 Elo is refuted by the first round of a match that might last 400 games."""
    settings = tiny_settings(gate="sprt", sprt_elo=2000.0, eval_games=400)
    runs = [learn(tmp_path / workers, 1, workers, settings=settings) for workers in ("local:1", "local:2")]
    gate = runs[0].find("arena", 1)
    assert "at most" in gate.metrics["reason"]
    assert 0 < len(json.loads(gate.file("match.json").read_text())["games"]) <= 64
    assert [run.find("arena", 1).sha256 for run in runs] == [gate.sha256] * 2


@pytest.mark.slow
def test_a_training_that_goes_wrong_promotes_nobody_and_the_run_goes_on(tmp_path, monkeypatch):
    real = training.train
    calls = []

    def broken(game, network, *args, **options):
        calls.append(1)
        if len(calls) == 1:
            raise TrainingStopped("loss", 3, "something is no number")
        return real(game, network, *args, **options)

    monkeypatch.setattr(training, "train", broken)
    run = learn(tmp_path / "run", 2)
    assert names(run) == [*PHASES[:2], "train-stopped 1", *PHASES[4:]]
    stopped = run.find("train-stopped", 1)
    assert (stopped.metrics["kind"], stopped.metrics["step"]) == ("loss", 3)
    assert "something is no number" in stopped.metrics["reason"]
    assert stopped.files == {}
    assert all("train-stopped" not in promotion.step for promotion in run.champions())
    assert run.find("initial").id in [given.step for given in run.find("train", 2).inputs]
    # Resuming does not try the same again.
    learn(tmp_path / "run", 2)
    assert len(calls) == 2


@pytest.mark.slow
def test_a_real_explosion_inside_the_loop(tmp_path):
    run = learn(tmp_path / "run", 2, settings=tiny_settings(train={"breaker_norm": 1e-6}))
    assert [step.metrics["kind"] for step in run.steps("train-stopped")] == ["explosion", "explosion"]
    assert run.champion == run.find("initial")
    assert run.steps("arena") == []
    assert run.find("rate", 2) is not None


# Settings.


def test_settings_come_back_from_tables_and_json():
    for settings in (LearnSettings(), tiny_settings(), tiny_settings(selfplay={"search": {"fpu_value": -0.5}})):
        tables = format_settings(settings)
        assert read_settings(LearnSettings, tables) == settings
        assert read_settings(LearnSettings, json.loads(json.dumps(tables))) == settings


def test_a_run_remembers_its_settings(undisturbed):
    run, settings = open_run(undisturbed.path, tengen.game("pyrga"), None)
    assert settings == tiny_settings()
    assert run.settings["game"]["name"] == "pyrga"
    assert run.settings["learn"]["net"] == format_settings(NetSettings(channels=8, blocks=1))


def test_other_settings_or_another_game_are_refused(undisturbed, tmp_path):
    pyrga = tengen.game("pyrga")
    with pytest.raises(RunError, match="games_per_iter"):
        open_run(undisturbed.path, pyrga, tiny_settings(games_per_iter=5))
    for game in (tengen.game("pig"), tengen.game("pyrga", tie_break=True)):
        for settings in (None, tiny_settings()):
            with pytest.raises(RunError, match=r"pyrga|tie_break"):
                open_run(undisturbed.path, game, settings)
    other = Run.create(tmp_path / "other", {"game": {"name": "pyrga", "settings": dict(pyrga.settings)}})
    with pytest.raises(RunError):
        open_run(other.path, pyrga, None)


def test_tables_change_what_they_name_and_nothing_else():
    changed = change_settings(LearnSettings(), {"reuse": 3, "selfplay": {"search": {"visits": 7}}})
    assert changed.reuse == 3.0
    assert isinstance(changed.reuse, float)
    assert changed.selfplay.search.visits == 7
    assert changed.selfplay.search.fast_visits == LearnSettings().selfplay.search.fast_visits
    assert change_settings(changed, {}) == changed


@pytest.mark.parametrize(
    ("tables", "text"),
    [
        ({"gmaes": 1}, "gmaes"),
        ({"selfplay": {"search": {"vists": 3}}}, r"selfplay\.search\.vists"),
        ({"net": {"chanels": 3}, "seed": 1}, r"net\.chanels"),
        ({"net": 3}, "net is 3"),
        ({"seed": "one"}, "seed is 'one'"),
        ({"seed": True}, "seed is True"),
        ({"net": {"squeeze": 1}}, r"net\.squeeze is 1"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"eval_games": 3}, "eval_games"),
        ({"accept_rate": 1.5}, "accept_rate"),
        ({"gate": "coin"}, "gate"),
        ({"sprt_elo": -1.0}, "sprt_elo"),
        ({"accept_rate": float("nan")}, "accept_rate"),
        ({"train": {"lr": -1.0}}, "lr"),
        ({"selfplay": {"temperature": float("nan")}}, "temperature"),
        ({"selfplay": {"search": {"visits": 0}}}, "visits"),
    ],
)
def test_a_wrong_setting_is_named(tables, text):
    with pytest.raises(ValueError, match=text):
        read_settings(LearnSettings, tables)


def test_the_tiny_settings_are_tables_of_real_settings():
    assert read_settings(LearnSettings, TINY).games_per_iter == 4
