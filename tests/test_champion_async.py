"""Runs whose self-play, training and gates overlap: their steps, what survives a stop, stale games, and the clock."""

import shutil
import time

import numpy as np
import pytest
from run_folders import Stop, spoil, stopping_before
from soak.kill_async import async_settings, check, chunks_of, kill_later, learn_async, start
from soak.kill_resume import tiny_settings

import tengen
from tengen.arena import MatchResult, find_player
from tengen.champion import LearningRun, LearnSettings, Silent, change_settings, open_run
from tengen.champion.async_chunks import CHUNKS, ChunkFacts, ChunkStore, thinned
from tengen.champion.async_loop import AsyncLoop, Clock
from tengen.champion.async_matches import Match
from tengen.champion.jobs import play_match_with
from tengen.champion.packed_games import PackedGames, pack_games
from tengen.champion.report import write_report
from tengen.cluster import LocalWorkers, open_workers
from tengen.learning import load_packed
from tengen.runs import Run, RunError
from tengen.selfplay import load_records

pytest.importorskip("torch")

from learning_helpers import quick_games

FIGURES = {
    "games": 2.0,
    "plies": 3.0,
    "first_player": 0.0,
    "draws": 0.0,
    "resigned": 0.0,
    "samples": 6.0,
    "visits": 9.0,
}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Two iterations in this process. Nobody writes to it."""
    return learn_async(tmp_path_factory.mktemp("async") / "run", 2)


@pytest.fixture
def copy(undisturbed, tmp_path):
    """A run to write to."""
    shutil.copytree(undisturbed.path, tmp_path / "copy")
    return Run.open(tmp_path / "copy")


@pytest.fixture
def run(tmp_path):
    """A new run without steps, with its lock."""
    run, _ = open_run(tmp_path / "new", tengen.game("pyrga"), async_settings())
    with run.lock():
        yield run


def facts_of(number, **changes):
    about = {"number": number, "network": 1, "lag": 0, "player": "x", "targets": "visits", "figures": {}}
    return ChunkFacts(**about | changes)


# Steps.


def test_a_run_has_the_steps_of_every_iteration_once(undisturbed):
    assert undisturbed.verify() == []
    by_name = {}
    for step in undisturbed.steps():
        by_name.setdefault(step.name, []).append(step.iteration)
    assert by_name["initial"] == [None]
    assert sorted(by_name["self-play"]) == sorted(by_name["train"]) == [1, 2]
    assert by_name["arena"][-1] == 2
    assert by_name["rate"] == [2]
    trained = undisturbed.find("train", 2)
    assert [each.step for each in trained.inputs] == [
        undisturbed.find("train", 1).id,
        undisturbed.find("self-play", 1).id,
        undisturbed.find("self-play", 2).id,
    ]


def test_steps_of_self_play_hold_the_games_of_their_chunks(undisturbed):
    first, second = (undisturbed.find("self-play", k) for k in (1, 2))
    assert len(first.settings[CHUNKS]) == len(second.settings[CHUNKS]) == 2
    assert first.settings["player"] == "rollout:8"
    for step in (first, second):
        assert len(load_records(step.file("games.jsonl.gz"))) == step.metrics["games"] == 4
    assert (undisturbed.path / CHUNKS).exists()
    assert chunks_of(undisturbed).keys() >= {*first.settings[CHUNKS], *second.settings[CHUNKS]}


def test_the_steps_optimizer_takes_follow_from_the_new_samples(undisturbed):
    for iteration in (1, 2):
        played, trained = undisturbed.find("self-play", iteration), undisturbed.find("train", iteration)
        assert trained.metrics["steps"] == -(-2 * played.metrics["samples"] // 32)


def test_the_run_is_a_learning_run_a_player_and_a_report(undisturbed, tmp_path):
    found = LearningRun(undisturbed.path)
    assert found.iterations == 2
    assert [network.iteration for network in found.networks] == [0, 1, 2]
    assert found.value_checks.keys() == {1, 2}
    assert len(found.games(2)) == 4
    game = tengen.game("pyrga")
    assert find_player(str(undisturbed.path), game).choose([game.start(1)], [0], [1])[0] in game.start(1).legal(0)
    page = write_report(undisturbed, tmp_path / "report.html", lambda _name, _settings: game)
    assert "self-play" in page.read_text(encoding="utf-8")


def test_without_a_gate_the_newest_network_is_champion(tmp_path):
    settings = async_settings(actors={"chunk_games": 4}, gate="none", anchor="", bootstrap_games=0)
    run = learn_async(tmp_path / "run", 2, game=tengen.game("connect_four"), settings=settings)
    assert run.champion == run.find("train", 2)
    assert not run.steps("arena")


def test_other_seeds_of_chunks_give_other_games(undisturbed):
    records = [each for k in (1, 2) for each in load_records(undisturbed.find("self-play", k).file("games.jsonl.gz"))]
    assert len({record.seed for record in records}) == len(records)


# Stopping and going on.


def test_a_run_that_stops_anywhere_goes_on_and_loses_no_game(tmp_path, monkeypatch):
    reported, add = {}, ChunkStore.add

    def note(store, facts, games):
        add(store, facts, games)
        reported[facts.number] = games.figures["games"]

    monkeypatch.setattr(ChunkStore, "add", note)
    settings = async_settings(anchor="")
    for number in range(40):
        try:
            with stopping_before(monkeypatch, number % 4 + 1):
                run = learn_async(tmp_path / "run", 2, game=tengen.game("connect_four"), settings=settings)
        except Stop:
            assert check(tmp_path / "run", reported) == []
            continue
        break
    assert number > 3, "it was never stopped"
    assert check(run.path, reported) == []
    assert len(run.steps("train")) == 2
    assert run.champion is not None


def test_a_chunk_whose_step_exists_is_removed_when_the_run_goes_on(copy):
    step = copy.find("self-play", 2)
    number = step.settings[CHUNKS][0]
    with copy.lock():
        store = ChunkStore(copy)
        store.add(facts_of(number), PackedGames(b"", b"", FIGURES))
        assert [chunk.facts.number for chunk in ChunkStore(copy).waiting] == []
        assert ChunkStore(copy).next_number > max(step.settings[CHUNKS])


def test_a_damaged_chunk_is_set_aside_and_the_others_stay(run):
    store = ChunkStore(run)
    for number in (1, 2):
        assert store.take_number() == number
        store.add(facts_of(number), PackedGames(b"games" * 5000, b"samples" * 50, FIGURES))
    spoil(run.path / CHUNKS / "00000001.zip")
    again = ChunkStore(run)
    assert [chunk.facts.number for chunk in again.waiting] == [2]
    assert again.next_number == 3
    assert len(list((run.path / "quarantine").iterdir())) == 1
    assert any(event.get("chunk") == "00000001.zip" for event in run.events())


def test_damaged_games_are_replaced_by_others(copy):
    spoil(copy.find("self-play", 2).path / "packed.npz")
    for name in ("train", "arena", "rate"):
        shutil.rmtree(copy.find(name, 2).path)
    run = learn_async(copy.path, 2)
    assert run.verify() == []
    assert {step.iteration for step in run.steps("self-play")} == {1, 2}
    assert run.find("train", 2) is not None


def test_a_further_iteration_goes_on_from_the_last_one(copy):
    before = {step.id for step in copy.steps()}
    run = learn_async(copy.path, 3)
    assert before < {step.id for step in run.steps()}
    assert run.find("train", 3).inputs[0].step == run.find("train", 2).id


@pytest.mark.slow
def test_two_kills_lose_no_finished_game(tmp_path):
    import random

    chance, reported = random.Random(3), {}
    for _ in range(2):
        kill_later(start(tmp_path / "run", 3, "inline"), reported, chance, 0.3)
        assert check(tmp_path / "run", reported) == []


# Modes.


def test_a_run_stays_in_its_mode(undisturbed, tmp_path):
    game = tengen.game("pyrga")
    with pytest.raises(RunError, match=r"learn.asynchronous is true there and false here"):
        open_run(undisturbed.path, game, tiny_settings(actors=async_settings().actors.__dict__))
    with Run.open(undisturbed.path).lock(), pytest.raises(RunError, match="which AsyncLoop continues"):
        learn_with_other_loop(undisturbed.path)
    with pytest.raises(RunError, match="was begun with --async and cannot be continued without it"):
        tengen.learn("pyrga", out=undisturbed.path, asynchronous=False, workers="inline")


def learn_with_other_loop(path):
    from tengen.champion import Loop

    run, settings = open_run(path, tengen.game("pyrga"), None)
    Loop(run, tengen.game("pyrga"), settings, LocalWorkers(0)).run_until(2)


def test_wrong_settings_of_actors_are_named():
    for name, value in (("chunk_games", -1), ("gate_share", 1.5), ("stale_weight", -0.1), ("backlog", 0)):
        with pytest.raises(ValueError, match=f"actors.{name} is {value}"):
            change_settings(LearnSettings(), {"actors": {name: value}})


# Stale games.


def test_stale_games_count_by_their_weight(run):
    game = tengen.game("pyrga")
    settings = async_settings(actors={"stale_after": 1, "stale_weight": 0.25}, games_per_iter=4)
    loop = AsyncLoop(run, game, settings, LocalWorkers(0))
    loop._goal = 5
    loop._open()
    games = pack_games(game, quick_games("pyrga", 4, visits=4))
    for number, lag in enumerate((0, 1, 2), 1):
        loop._store.add(facts_of(number, lag=lag), games)
    assert loop._games() == 4 + 4 + 1
    stored = loop._store.waiting[2].read()
    assert stored == games

    def some(seed):
        return thinned(stored, 0.25, np.random.default_rng(seed))

    count = round(0.25 * games.figures["samples"])
    assert len(load_packed(some(7).samples)) == some(7).figures["samples"] == count
    assert some(7) == some(7)
    assert some(7).samples != some(8).samples
    assert (some(7).records, some(7).figures["games"]) == (games.records, 4)
    assert thinned(stored, 0.0, np.random.default_rng(7)).samples == b""
    assert thinned(stored, 1.0, np.random.default_rng(7)) == stored


# Matches.


@pytest.mark.parametrize("stop", [None, lambda result: len(result.games) >= 16])
def test_a_match_in_parts_is_the_match_of_the_loop(tmp_path, undisturbed, stop):
    game = tengen.game("connect_four")
    players = (find_player("rollout:4", game), find_player("random", game))
    with open_workers("inline") as workers:
        wanted = play_match_with(workers, game, players, 24, 5, lambda *_: None, stop=stop)
        match = Match(1, (undisturbed.find("initial"), None), game, players, 24, 5, stop)
        while match.result is None:
            while match.submit(workers, tmp_path / "journal") is not None:
                pass
            for task, value in workers.poll(1.0):
                assert match.receive(task, value) is not None
                assert match.receive(task, value) is None
    assert match.result.to_json() == wanted.to_json()
    assert isinstance(match.result, MatchResult)


# The clock and progress.


def test_a_run_by_the_clock_ends_when_no_training_fits_any_more(tmp_path):
    game = tengen.game("connect_four")
    run, settings = open_run(tmp_path / "run", game, async_settings(anchor="", minutes=1.0))
    clock = Clock(1e6)

    class Watcher(Silent):
        def end(self, phase, iteration, _text, _figures):
            if (phase, iteration) == ("train", 2):
                clock._end = time.monotonic()

    with run.lock(), open_workers("inline") as workers:
        AsyncLoop(run, game, settings, workers, Watcher(), clock).run_until(1000)
    assert len(run.steps("train")) == 2
    assert run.find("arena", 2) is not None


def test_a_run_ends_before_an_iteration_that_does_not_fit(tmp_path):
    game, asked = tengen.game("connect_four"), []

    def fits(iteration):
        asked.append(iteration)
        return iteration < 3

    run, settings = open_run(tmp_path / "run", game, async_settings(anchor="", gate="none"))
    with run.lock(), open_workers("inline") as workers:
        AsyncLoop(run, game, settings, workers).run_until(1000, fits)
    assert asked == [1, 2, 3]
    assert len(run.steps("train")) == len(run.steps("self-play")) == 2


def test_the_minutes_of_a_run_end_it_before_its_final_matches(tmp_path, monkeypatch):
    made = []

    class Loop(AsyncLoop):
        def run_until(self, iterations, fits=None):
            made.append((iterations, self._clock.is_limited, self._clock.left_s))
            return super().run_until(2, fits)

    monkeypatch.setattr("tengen.champion.async_run.AsyncLoop", Loop)
    settings = change_settings(tiny_settings(anchor=""), {"asynchronous": True})
    options = {"out": tmp_path / "run", "workers": "inline", "final_games": 2}
    heard = []
    grown = tengen.learn("pyrga", settings=settings, minutes=5.0, on_progress=heard.append, **options)
    assert grown.iterations == 2
    assert {"match-initial", "match-anchor"} >= {each["kind"] for each in grown.matches} - {"arena"} != set()
    most, is_limited, left_s = made[0]
    assert (most > 100, is_limited, left_s < 300) == (True, True, True)
    assert any(now.position == "iteration 1" for now in heard)
    tengen.learn("pyrga", settings=settings, iterations=2, minutes=5.0, **options)
    assert made[1] == (2, False, float("inf"))


def test_progress_names_every_phase(tmp_path):
    heard = []
    settings = {"asynchronous": True, "actors": {"chunk_games": 2}}
    grown = tengen.learn(
        "pyrga",
        out=tmp_path / "run",
        iterations=1,
        settings=change_settings(tiny_settings(anchor=""), settings),
        workers="inline",
        final_games=0,
        on_progress=heard.append,
    )
    ended = [(now.phase, now.iteration) for now in heard if now.event == "end" and now.phase != "speed"]
    assert ended == [("self-play", 1), ("train", 1), ("arena", 1)]
    assert all(now.left_s is not None for now in heard if now.phase == "self-play")
    assert grown.iterations == 1


def test_workers_return_what_is_finished_in_time():
    with open_workers(1) as workers:
        tasks = {workers.submit(pow, 2, number) for number in range(3)}
        assert workers.poll(0.0) == [] or tasks
        found = {}
        while len(found) < 3:
            found |= dict(workers.poll(0.05))
        assert workers.poll(10.0) == []
    assert sorted(found.values()) == [1, 2, 4]
