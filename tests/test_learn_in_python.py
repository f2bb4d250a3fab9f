"""Learning from Python: `tengen.learn()`, the run that it returns, its progress, and packages that need no import."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from learning_runs import TINY, nested

import tengen
from tengen._lazy import lazy_names
from tengen.champion import change_settings
from tengen.champion.learner import LearningUnavailable
from tengen.champion.progress import LearnProgress
from tengen.champion.speed import Speed
from tengen.champion.value_check import ValueFit
from tengen.runs import Run, RunBusy, RunError

pytest.importorskip("torch")


SETTINGS = nested(TINY)
SPEED = Speed(1, 20, 1e-5, 1e-5, 1e-4, 1e-3, 16)


@pytest.fixture(autouse=True)
def _measured(monkeypatch):
    """Machines of a known speed, which is measured in no time."""
    monkeypatch.setattr("tengen.champion.planning.measure_speed", lambda *_: SPEED)


def grow(path, iterations=1, on_progress=None, **more):
    """A run that ends after seconds."""
    choices = {"settings": SETTINGS, "workers": "inline", "final_games": 2} | more
    return tengen.learn("pyrga", out=path, iterations=iterations, on_progress=on_progress, **choices)


@pytest.fixture(name="grown", scope="module")
def _grown(tmp_path_factory):
    """A run of one iteration, with the progress of its making; tests only read it."""
    events = []
    run = grow(tmp_path_factory.mktemp("runs") / "tiny", on_progress=events.append)
    return run, events


def steps(run):
    return [step.name for step in Run.open(run.path).steps()]


# Progress.


def test_progress_comes_in_order(grown):
    run, events = grown
    assert all(isinstance(event, LearnProgress) for event in events)
    phases = [event.phase for event in events if event.event == "begin"]
    assert phases == ["speed", "self-play", "train", "arena", "rate", "match-initial", "match-anchor"] or (
        phases == ["speed", "self-play", "train", "arena", "rate", "match-anchor"] and run.networks[0].is_champion
    )
    assert phases == [event.phase for event in events if event.event == "end"]
    notes = [str(event) for event in events if event.event == "note"]
    assert notes[0].startswith("pyrga in ")
    assert any(note.startswith("plan      1 iteration, about ") for note in notes)
    played = next(event for event in events if event.event == "end" and event.phase == "self-play")
    assert (played.iteration, played.iterations, played.total) == (1, 1, 6)
    assert str(played).startswith("iteration 1/1 · self-play: 6 games")
    assert played.elapsed_s >= played.phase_s >= 0
    running = [event for event in events if event.event == "advance" and event.phase == "self-play"]
    assert all(0 <= event.done <= 6 for event in running)


@pytest.mark.slow
def test_without_a_function_nothing_is_printed(tmp_path, capfd):
    grow(tmp_path / "run", final_games=0)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_an_exception_ends_the_call_and_the_next_call_continues(tmp_path, error):
    def stop(now):
        if (now.event, now.phase) == ("begin", "train"):
            raise error

    with pytest.raises(error):
        grow(tmp_path / "run", on_progress=stop, final_games=0)
    assert steps(tengen.Run(tmp_path / "run")) == ["initial", "self-play"]
    events = []
    run = grow(tmp_path / "run", on_progress=events.append, final_games=0)
    assert [event.phase for event in events if event.event == "begin"] == ["speed", "train", "arena", "rate"]
    assert any("0 of 1 iterations are complete; going on" in str(event) for event in events)
    assert run.iterations == 1


# The run.


def test_the_champion_plays_and_evaluates(grown):
    run, _ = grown
    match = tengen.arena.play_match(run.game, run.champion, "random", games=2, seed=1)
    assert len(match.games) == 2
    result = tengen.search(run.game.start(), evaluator=run.network, visits=8)
    assert result.visits == 8
    assert tengen.search(run.game.start(), evaluator=run.champion.evaluator, visits=8).moves


def test_networks_ratings_and_matches(grown):
    run, _ = grown
    assert [network.iteration for network in run.networks] == [0, 1]
    assert sum(network.is_champion for network in run.networks) == 1
    assert all(network.onnx.is_file() and network.checkpoint.is_file() for network in run.networks)
    assert [network.rating.name for network in run.networks] == [network.onnx.parent.name for network in run.networks]
    assert run.networks[0].rating.elo == 0
    assert {rating.name for rating in run.ratings.players} >= {"rollout:16"}
    kinds = [match["kind"] for match in run.matches]
    assert kinds[:2] == ["arena", "rate"]
    assert all({"wins", "losses", "iteration"} <= set(match) for match in run.matches)
    assert [entry["iteration"] for entry in run.losses] == [1]
    assert run.losses[0]["loss"] > 0
    assert run.player(0).name != run.player(1).name


def test_games_samples_and_values(grown):
    run, _ = grown
    games = run.games(1)
    assert len(games) == 6
    assert [state.is_over for state in games[0].replay(run.game)][-1]
    samples = run.samples()
    assert len(samples) == len(run.samples(1)) > 0
    assert samples.features.shape[1:] == run.game.shape
    assert set(run.value_checks) == {1}
    assert all(isinstance(fit, ValueFit) for fit in run.value_checks[1])
    assert run.used_s > 0


def test_export_and_report(grown, tmp_path):
    run, _ = grown
    path = run.export(tmp_path / "champion.onnx")
    assert path.read_bytes() == run.network.read_bytes()
    assert run.export(tmp_path / "first.onnx", 0).read_bytes() == run.networks[0].onnx.read_bytes()
    page = run.report(tmp_path / "page.html")
    assert "Pyrga: a learning run" in page.read_text(encoding="utf-8")


def test_a_run_is_found_by_its_folder(grown, tmp_path):
    run, _ = grown
    again = tengen.Run(run.path)
    assert isinstance(run, tengen.Run)
    assert repr(again) == f"<LearningRun {run.path}: pyrga, 1 iterations>"
    assert again.settings == run.settings
    assert again.settings.net.channels == 8
    assert again.game.id == "pyrga"
    with pytest.raises(RunError, match="has no network of iteration 7; there are 0 to 1"):
        run.player(7)
    with pytest.raises(RunError, match="has no games of iteration 7"):
        run.games(7)
    with pytest.raises(RunError, match="has no samples of iteration 7"):
        run.samples(7)
    other = Run.create(tmp_path / "other", {"game": {"name": "pyrga"}})
    with pytest.raises(RunError, match="is no learning run"):
        tengen.Run(other.path)


def test_a_run_that_has_only_begun_has_no_champion(tmp_path):
    def stop(now):
        if now.event == "end" and now.phase == "speed":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grow(tmp_path / "run", on_progress=stop)
    assert not (tmp_path / "run").exists(), "nothing is written before the plan is made"
    tables = {"game": {"name": "pyrga"}, "learn": {}}
    run = tengen.Run(Run.create(tmp_path / "empty", tables).path)
    assert (run.iterations, run.networks, run.ratings, run.matches, run.losses) == (0, [], None, [], [])
    with pytest.raises(RunError, match="has no champion yet"):
        _ = run.network


# Calls that continue, and calls that are refused.


@pytest.mark.slow
def test_a_call_with_more_iterations_continues(grown, tmp_path):
    source, _ = grown
    path = Path(shutil.copytree(source.path, tmp_path / "run"))
    before = steps(tengen.Run(path))
    assert grow(path).iterations == 1
    assert steps(tengen.Run(path)) == before, "nothing is left to do"
    run = grow(path, 2, settings={}, final_games=0)
    assert run.iterations == 2
    assert steps(run)[: len(before)] == before
    with pytest.raises(RunError, match=r"learn\.games_per_iter is 6 there and 7 here"):
        grow(path, settings=SETTINGS | {"games_per_iter": 7})
    with Run.open(path).lock(), pytest.raises(RunBusy):
        grow(path, 3)


@pytest.mark.slow
def test_settings_may_be_an_object(tmp_path):
    settings = change_settings(tengen.LearnSettings(), SETTINGS)
    run = grow(tmp_path / "run", settings=settings, final_games=0)
    assert run.settings == settings


@pytest.mark.parametrize(
    ("more", "error", "text"),
    [
        ({"final_games": 3}, ValueError, "final_games is 3 and must be an even number"),
        ({"iterations": 0}, ValueError, "iterations is 0 and must be at least 1"),
        ({"minutes": -1}, ValueError, "minutes is -1.0 and must be a number from 0 on"),
        ({"settings": {"nets": {}}}, ValueError, "no setting is called nets"),
        ({"settings": {"net": 3}}, ValueError, "net is 3 and must be a table of settings"),
        ({"workers": "many"}, ValueError, "many"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, more, error, text):
    with pytest.raises(error, match=text):
        grow(tmp_path / "run", **more)
    assert not (tmp_path / "run").exists()


def test_a_game_must_exist_and_fit_its_run(grown, tmp_path):
    run, _ = grown
    with pytest.raises(tengen.GameError, match="no_such_game"):
        tengen.learn("no_such_game", out=tmp_path / "run", workers="inline")
    with pytest.raises(RunError, match="is a run of pyrga, not of connect_four"):
        tengen.learn("connect_four", out=run.path, workers="inline")
    other = tengen.game("pyrga", tie_break=True)
    with pytest.raises(ValueError, match="differs in tie_break from the settings of the run"):
        tengen.learn(other, out=run.path, workers="inline")


def test_without_pytorch_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "torch" else object())
    with pytest.raises(LearningUnavailable, match=r"torch, which is not installed: pip install '.*\[train\]'"):
        grow(tmp_path / "run")


def test_minutes_are_planned(tmp_path):
    events = []

    def stop(now):
        events.append(str(now))
        if now.phase == "self-play":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tengen.learn("pyrga", out=tmp_path / "run", minutes=5, workers="inline", on_progress=stop)
    assert any(text.startswith("plan      ") and "about 4 min" in text for text in events)
    assert tengen.Run(tmp_path / "run").settings.minutes == 5


@pytest.mark.slow
def test_the_folder_has_the_name_of_the_game(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert grow(None, final_games=0).path == Path("runs/pyrga")


# Names.


def test_packages_are_found_without_an_import():
    code = (
        "import sys, tengen\n"
        "assert 'torch' not in sys.modules and 'tengen.learning' not in sys.modules\n"
        "tengen.arena.play_match, tengen.selfplay.play_games, tengen.learning.TrainSettings, tengen.nets.Architecture\n"
        "tengen.evaluators.find_evaluator, tengen.learn, tengen.Run, tengen.LearnSettings\n"
        "assert {'learn', 'Run', 'search'} <= set(dir(tengen))\n"
        "assert callable(tengen.search)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_lazy_names():
    find, names = lazy_names("tengen", {"champion": ["LearningRun as Run", "learn"], "arena": []})
    assert find("Run") is tengen.Run
    assert find("learn") is tengen.learn
    assert find("arena") is sys.modules["tengen.arena"]
    assert names() == sorted(tengen.__all__)
    with pytest.raises(AttributeError, match="module 'tengen' has no attribute 'LearningRun'"):
        find("LearningRun")
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        _ = tengen.no_such_name
