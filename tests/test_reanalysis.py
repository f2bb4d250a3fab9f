"""Reanalysis: positions of earlier games that are searched again."""

import dataclasses
import math

import numpy as np
import pytest
from arena_helpers import judge
from learning_helpers import quick_games, quick_play
from learning_runs import TINY
from shipped_games import small_game
from toy_games import Duel, HighCard

import tengen
from tengen.arena import SearchPlayer, find_player
from tengen.champion import LearnSettings, Loop, change_settings, open_run
from tengen.champion.plan import Plan
from tengen.champion.reanalysis import reanalyze_games
from tengen.champion.speed import Speed
from tengen.cli.run_settings import read_pairs
from tengen.cluster import open_workers
from tengen.learning import load_packed, samples_of
from tengen.search import SearchSettings
from tengen.selfplay import load_records, play_games

FOUR = tengen.game("connect_four")
SEARCH = SearchSettings(visits=20, solve=False)


def again(game, records, share=1.0, evaluator="uniform", search=SEARCH, seed=7):
    player = SearchPlayer("again", evaluator, search)
    return reanalyze_games(game, player, search, records, range(seed, seed + len(records)), share)


@pytest.mark.parametrize("name", ["connect_four", "matgo", "pig", "high_card", "duel"])
def test_games_stay_and_searches_are_new(name):
    """Perfect and hidden information, chance, simultaneous actions; native and in Python."""
    toys = {"high_card": HighCard, "duel": Duel}
    game = toys[name]() if name in toys else small_game(name)
    records = play_games(game, judge if name in toys else "uniform", quick_play(visits=4), range(3))
    found = again(game, records, evaluator=judge if name in toys else "uniform")
    assert found == again(game, records, evaluator=judge if name in toys else "uniform")
    assert found.positions == sum(len(record.decisions) for record in records)
    for old, new in zip(records, found.records, strict=True):
        assert dataclasses.replace(new, decisions=old.decisions) == old
        states = list(new.replay(game))
        for before, after in zip(old.decisions, new.decisions, strict=True):
            assert (after.ply, after.player) == (before.ply, before.player)
            assert set(after.policy) <= set(states[after.ply].legal(after.player))
            assert after.is_full
            assert after.visits >= min(SEARCH.visits, before.visits + 1)
    if name != "duel":
        samples_of(game, found.records)


def test_a_share_of_the_positions_is_searched_again():
    records = quick_games(FOUR, 10, visits=4, solve=False)
    found = again(FOUR, records, share=0.3)
    pairs = [
        pair
        for old, new in zip(records, found.records, strict=True)
        for pair in zip(old.decisions, new.decisions, strict=True)
    ]
    renewed = [new for old, new in pairs if new != old]
    assert found.positions == len(renewed)
    assert 0.15 < len(renewed) / len(pairs) < 0.45
    assert all(decision.visits >= 20 for decision in renewed)
    assert again(FOUR, records, share=0.0).records == records


def test_new_searches_have_surprises():
    """Surprises of samples that were drawn by older networks are replaced, and missing ones are supplied."""
    records = [
        dataclasses.replace(
            record, decisions=tuple(dataclasses.replace(each, surprise=None) for each in record.decisions)
        )
        for record in quick_games(FOUR, 3, visits=4)
    ]
    found = again(FOUR, records).records
    for record in found:
        for state, decision in zip(record.replay(FOUR), record.decisions, strict=False):
            terms = (share * math.log(share * len(state.legal())) for share in decision.policy.values())
            assert decision.surprise == pytest.approx(max(0.0, math.fsum(terms)), abs=1e-3)
    surprises = samples_of(FOUR, found).further["surprise"]
    assert np.isfinite(surprises).all()
    assert surprises.max() > 0.1
    assert np.isnan(samples_of(FOUR, records).further["surprise"]).all()


def test_searches_do_not_depend_on_the_games_beside_them():
    records = quick_games(FOUR, 4, visits=4)
    whole = again(FOUR, records, share=0.5).records
    assert again(FOUR, records[:2], share=0.5).records == whole[:2]


def test_players_that_search_no_tree_decide_again():
    game = small_game("matgo")
    records = quick_games(game, 1, visits=2)
    found = reanalyze_games(game, find_player("pimc:4", game), SEARCH, records, [1], 1.0)
    worlds = [decision.visits / len(decision.policy) for decision in found.records[0].decisions]
    assert found.positions == len(worlds)
    assert set(worlds) == {4}


def test_progress_counts_games_and_visits(monkeypatch):
    monkeypatch.setattr("tengen.champion.reanalysis._AT_ONCE", 16)
    heard = []
    records = quick_games(FOUR, 3, visits=2)
    player = SearchPlayer("again", "uniform", SEARCH)
    found = reanalyze_games(FOUR, player, SEARCH, records, range(3), 1.0, lambda *counts: heard.append(counts))
    assert heard == sorted(heard)
    assert heard[-1] == (3, found.visits)
    assert heard[0][0] < 3


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"reanalysis_share": 1.5}, "reanalysis_share is 1.5 and must be from 0 to 1"),
        ({"reanalysis_age": 0}, "reanalysis_age is 0 and must be at least 1"),
        ({"reanalysis_share": 0.5, "window": 4}, "reanalysis_age is 4 and must be below window, 4"),
    ],
)
def test_wrong_settings_are_named(changes, text):
    with pytest.raises(ValueError, match=text):
        LearnSettings(**changes)


def test_plans_contain_the_step():
    speed = Speed(2, 30, 2.5e-6, 9e-5, 5e-4, 0.04, 200)
    plain = Plan(LearnSettings(anchor=""), 4, 0)
    plan = Plan(LearnSettings(anchor="", reanalysis_share=0.5, reanalysis_age=2), 4, 0)
    before, phases = ({(p.name, p.iteration): p for p in each.phases(speed)} for each in (plain, plan))
    assert set(phases) - set(before) == {("reanalyze", 3), ("reanalyze", 4)}
    again = phases["reanalyze", 4]
    assert again.work == 0.5 * 256 * 30 * 200
    assert again.seconds > again.work * speed.player_visit_s / speed.workers
    assert plan.parts(speed)["self-play"] > plain.parts(speed)["self-play"]
    chunked = Plan(LearnSettings(anchor="", reanalysis_share=0.5, reanalysis_age=2, chunk_games=64), 3, 0)
    assert "reanalyze" not in {phase.name for phase in chunked.phases(speed)}


# In a run.


def learn(folder, workers="inline", iterations=3, **changes):
    tables = read_pairs([f"{key}={value}" for key, value in (TINY | {"anchor": ""} | changes).items()])
    run, settings = open_run(folder, FOUR, change_settings(LearnSettings(), tables))
    with run.lock(), open_workers(workers) as open_ones:
        Loop(run, FOUR, settings, open_ones).run_until(iterations)
    return run


def games_of(run, name, iteration):
    return load_records(run.find(name, iteration).file("games.jsonl.gz").read_bytes())


@pytest.mark.slow
def test_a_run_learns_from_the_new_searches(tmp_path):
    changes = {"reanalysis_share": 1.0, "reanalysis_age": 2}
    run = learn(tmp_path / "one", **changes)
    assert [step.iteration for step in run.steps("reanalyze")] == [3]
    step = run.find("reanalyze", 3)
    old, new = games_of(run, "self-play", 1), games_of(run, "reanalyze", 3)
    assert [record.actions for record in new] == [record.actions for record in old]
    assert all(record.meta == {"reanalyzed": 3} for record in new)
    assert step.metrics["positions"] == sum(len(record.decisions) for record in new)
    assert step.metrics["policy_change"] > 0
    trained = {each.step for each in run.find("train", 3).inputs}
    assert {step.id, run.find("self-play", 2).id, run.find("self-play", 3).id} <= trained
    assert run.find("self-play", 1).id not in trained
    samples = load_packed(step.file("packed.npz"))
    np.testing.assert_array_equal(samples.take(np.arange(len(samples))).policy, samples_of(FOUR, new).policy)
    # Other workers, and a repetition after the step was lost, give the same bytes.
    again = learn(tmp_path / "two", "2", **changes)
    content = step.file("games.jsonl.gz").read_bytes()
    assert again.find("reanalyze", 3).file("games.jsonl.gz").read_bytes() == content
    network = run.find("train", 3).file("net.safetensors").read_bytes()
    assert again.find("train", 3).file("net.safetensors").read_bytes() == network
    step.path.joinpath("packed.npz").write_bytes(b"damaged")
    assert learn(tmp_path / "one", **changes).find("reanalyze", 3).file("games.jsonl.gz").read_bytes() == content


@pytest.mark.slow
def test_a_run_without_a_share_searches_nothing_again(tmp_path):
    run = learn(tmp_path / "run", iterations=2, reanalysis_age=1)
    assert run.steps("reanalyze") == []
