"""The gates of learning runs: which there are, how much time they take by default, and what they promote."""

import json

import pytest
from shipped_games import NAMES
from soak.kill_resume import learn, tiny_settings

import tengen
from tengen.champion import LearnSettings, change_settings, format_settings, read_settings, settings_for
from tengen.champion.gates import GATES, make_gate
from tengen.champion.plan import Plan, fit_plan
from tengen.champion.planning import count_done
from tengen.champion.speed import Speed
from tengen.runs import Run

# Measured on two idle cores; training is slower where networks are large.
SPEEDS = {
    "small network": Speed(2, 40, 2.5e-6, 9e-5, 5e-4, 0.04, 200),
    "large network": Speed(2, 80, 1e-5, 1e-3, 5e-3, 0.5, 200),
}


def gate_share(plan, speed):
    parts = plan.parts(speed)
    return parts["arena"] / sum(parts.values())


@pytest.mark.parametrize("speed", SPEEDS.values(), ids=SPEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_the_gate_takes_a_tenth_of_a_run_at_most(name, speed):
    plan = Plan(settings_for(tengen.game(name)), 20, 64)
    assert 0 < gate_share(plan, speed) <= 0.1


def test_a_plan_with_little_time_for_gates_shortens_them():
    speed = SPEEDS["small network"]
    large = change_settings(LearnSettings(), {"eval_games": 200, "eval_visits": 0, "minutes": 60})
    asked = Plan(large, 20, 64)
    assert gate_share(asked, speed) > 0.3
    plan = fit_plan(asked, speed)
    assert 0.02 < gate_share(plan, speed) <= 0.1
    assert plan.settings.eval_games < 200
    assert plan.settings.selfplay == large.selfplay
    kept = fit_plan(asked, speed, {"eval_games", "eval_visits"})
    assert (kept.settings.eval_games, kept.settings.eval_visits) == (200, 0)


def test_without_a_gate_no_match_is_planned():
    plan = Plan(change_settings(LearnSettings(), {"gate": "none"}), 3, 0)
    assert {phase.name for phase in plan.phases(SPEEDS["small network"])} == {"self-play", "train"}


def test_every_gate_has_a_name():
    game = tengen.game("matgo")
    kinds = {}
    for name in GATES:
        settings = change_settings(LearnSettings(), {"gate": name, "criteria": {"z": 1.5, "least_count": 7}})
        assert read_settings(LearnSettings, json.loads(json.dumps(format_settings(settings)))) == settings
        if settings.has_gate:
            kinds[name] = make_gate(settings, game)
    assert {name: type(gate).__name__ for name, gate in kinds.items()} == {
        "rate": "AcceptRate",
        "payoff": "AcceptPayoff",
        "sprt": "Sprt",
        "criteria": "Ladder",
    }
    assert kinds["criteria"].guards[0].least == 7
    with pytest.raises(ValueError, match="gate is 'luck' and must be rate, payoff, sprt, criteria or none"):
        LearnSettings(gate="luck")
    with pytest.raises(TypeError, match="criteria is 3 and must be GateSettings"):
        LearnSettings(criteria=3)


def test_settings_of_earlier_versions_have_the_default_criteria():
    tables = format_settings(LearnSettings())
    del tables["criteria"]
    assert read_settings(LearnSettings, tables).criteria == LearnSettings().criteria


@pytest.mark.slow
def test_without_a_gate_every_network_is_champion(tmp_path):
    pytest.importorskip("torch")
    settings = tiny_settings(gate="none", anchor="")
    run = learn(tmp_path / "run", 2, settings=settings)
    assert [f"{step.name} {step.iteration}" for step in run.steps()] == [
        "initial None",
        "self-play 1",
        "train 1",
        "self-play 2",
        "train 2",
    ]
    reigns = [run.find("initial").id, run.find("train", 1).id, run.find("train", 2).id]
    assert [promotion.step for promotion in run.champions()] == reigns
    assert run.find("train", 1).id in [given.step for given in run.find("self-play", 2).inputs]
    assert count_done(run) == 2
    # A resumed run promotes nobody again, and self-play that is made again has the champion of that time.
    wanted = run.find("self-play", 2).sha256
    with run.lock():
        run.quarantine(run.find("self-play", 2))
    again = learn(tmp_path / "run", 2, settings=settings)
    assert again.find("self-play", 2).sha256 == wanted
    assert [promotion.step for promotion in Run.open(tmp_path / "run").champions()] == reigns


@pytest.mark.slow
def test_several_figures_decide(tmp_path):
    pytest.importorskip("torch")
    criteria = {"epsilon": 10.0, "edge": 0.0, "least_score": 0.0}
    run = learn(tmp_path / "run", 1, settings=tiny_settings(gate="criteria", criteria=criteria))
    metrics = run.find("arena", 1).metrics
    assert metrics["passed"] == (run.champion.name == "train")
    assert any(word in metrics["reason"] for word in ("wins minus losses", "score", "worst loss")), metrics["reason"]
