"""One player through the loop: who teaches, what is gated, rated and shipped, and what manifests say of it."""

import dataclasses

import pytest
from soak.kill_resume import TINY, learn, tiny_settings

import tengen
from tengen.champion import LearnSettings, Loop, change_settings, format_settings, open_run
from tengen.cluster import open_workers
from tengen.runs import Run, RunError
from tengen.selfplay import load_records

pytest.importorskip("torch")


@pytest.mark.slow
def test_games_of_flat_monte_carlo_teach_what_actions_pay(tmp_path):
    """Only in the iteration that has no other games."""
    game = tengen.game("kuhn_poker")
    settings = tiny_settings(bootstrap="pimc", bootstrap_visits=8)
    run, settings = open_run(tmp_path / "run", game, settings)
    with run.lock(), open_workers("inline") as workers:
        Loop(run, game, settings, workers).run_until(2)
    losses = [step.settings["policy_loss"] for step in run.steps("train")]
    assert losses == ["regret", "cross_entropy"]
    records = load_records(run.find("self-play", 1).file("games.jsonl.gz").read_bytes())
    policies = [decision.policy for record in records for decision in record.decisions]
    assert all(sum(policy.values()) == pytest.approx(1, abs=1e-3) for policy in policies)
    assert all(len(policy) == 2 and min(policy.values()) > 0 for policy in policies)  # also the bad action is told of


def test_one_player_through_the_loop(tmp_path):
    """Gate and rating play what ships, self-play the same with its own visits; manifests say what they really were."""
    game = tengen.game("kuhn_poker")
    spec = "pimc:9,halving=true,lead=NETWORK"
    settings = tiny_settings(teacher="pimc:8", player=spec, eval_visits=0, anchor_every=1)
    run, settings = open_run(tmp_path / "run", game, settings)
    with run.lock(), open_workers("inline") as workers:
        Loop(run, game, settings, workers).run_until(2)
    played = [step.settings for step in run.steps("self-play")]
    visits = settings.selfplay.search.visits
    assert [about["player"] for about in played] == ["pimc:8", f"pimc:{visits},halving=true,lead=NETWORK"]
    assert [about["policy_targets"] for about in played] == ["payoffs", "payoffs"]
    assert {step.settings["player"] for name in ("arena", "rate") for step in run.steps(name)} == {spec}
    assert [step.settings["policy_loss"] for step in run.steps("train")] == ["regret", "regret"]
    # As many worlds of two actions as it was to have.
    records = load_records(run.find("self-play", 2).file("games.jsonl.gz").read_bytes())
    assert {decision.visits for record in records for decision in record.decisions} == {2 * visits}


def test_a_gate_may_be_given_fewer_visits_and_says_so(tmp_path):
    run = learn(tmp_path / "run", 2, game="kuhn_poker")
    assert {step.settings["player"] for step in run.steps("arena")} == {f"NETWORK@{TINY['eval_visits']}"}
    assert {step.settings["player"] for step in run.steps("rate")} == {TINY["player"]}
    assert run.find("self-play", 1).settings["play"]["search"]["visits"] == TINY["bootstrap_visits"]


def test_what_is_asked_for_is_not_replaced(tmp_path):
    game = tengen.game("kuhn_poker")
    settings = tiny_settings(teacher="pimc:8", train={"policy_loss": "cross_entropy"})
    run, settings = open_run(tmp_path / "run", game, settings)
    with run.lock(), open_workers("inline") as workers:
        Loop(run, game, settings, workers).run_until(1)
    assert run.find("train", 1).settings["policy_loss"] == "cross_entropy"


@pytest.mark.parametrize(
    ("tables", "teacher"),
    [
        ({"bootstrap_visits": 40}, "rollout:40"),
        ({"bootstrap": "pimc"}, "pimc:600,rollouts=best,payoff_cap=6"),
        ({"bootstrap": "pimc", "bootstrap_visits": 64}, "pimc:64,rollouts=best,payoff_cap=6"),
        ({"teacher": "uniform:9", "bootstrap_visits": 5}, "uniform:5"),
    ],
)
def test_teachers_may_be_written_as_they_were(tables, teacher):
    assert change_settings(LearnSettings(), tables).teacher == teacher
    for wrong in ({"bootstrap": "chess"}, {"bootstrap_visits": "many"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            change_settings(LearnSettings(), wrong)


def test_a_run_of_before_goes_on_as_it_began(tmp_path):
    """Its settings say `bootstrap`, have no `player`, and wrote a policy loss that was not what it learned by."""
    game = tengen.game("kuhn_poker")
    tables = format_settings(tiny_settings())
    del tables["teacher"], tables["player"]
    old = tables | {"bootstrap": "pimc", "bootstrap_visits": 8, "eval_visits": 4}
    old["train"] = tables["train"] | {"policy_loss": "cross_entropy"}
    about = {"name": game.id, "settings": dict(game.settings)}
    Run.create(tmp_path / "run", {"game": about, "learn": old})
    _, settings = open_run(tmp_path / "run", game, None)
    assert (settings.teacher, settings.player) == ("pimc:8,rollouts=best,payoff_cap=6", "NETWORK@200")
    assert settings.gate_player == "NETWORK@4"
    again, _ = open_run(tmp_path / "run", game, settings)
    with again.lock(), open_workers("inline") as workers:
        Loop(again, game, settings, workers).run_until(2)
    assert [step.settings["policy_loss"] for step in again.steps("train")] == ["regret", "cross_entropy"]
    with pytest.raises(RunError, match="games_per_iter"):
        open_run(tmp_path / "run", game, dataclasses.replace(settings, games_per_iter=99))
