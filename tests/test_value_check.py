"""Values against results: the figures, what they are compared with, and where they are kept and shown."""

import dataclasses
import math

import numpy as np
import pytest
from learning_helpers import quick_games
from soak.kill_resume import learn

import tengen
from tengen.champion import value_check
from tengen.champion.report_value import value_card
from tengen.champion.value_check import VALUE_CHECK, ValueFit, check_value, read_value_check


@pytest.fixture(name="games", scope="module")
def _games():
    return tengen.game("connect_four"), quick_games("connect_four", 20, visits=20, evaluator="rollout")


def judged_by(monkeypatch, value_of):
    """Let the network's values be those of a function of states and seats."""

    def evaluate(game, _evaluator, states, seats, _seeds):
        values = np.zeros((len(states), game.players))
        for i, (state, seat) in enumerate(zip(states, seats, strict=True)):
            values[i, seat] = value_of(state, seat)
        return np.zeros(0), values

    monkeypatch.setattr(value_check, "evaluate_positions", evaluate)
    monkeypatch.setattr(value_check, "find_policy_evaluator", lambda *_: None)


def by_phase(fits):
    return {fit.phase: fit for fit in fits}


def test_a_network_that_knows_the_results_is_perfect(games, monkeypatch):
    game, records = games
    known = {state.key: record.payoffs for record in records for state in record.replay(game)}
    judged_by(monkeypatch, lambda state, seat: known[state.key][seat])
    found = by_phase(check_value(game, records, "unused", 1))
    late = found["1–4"]
    assert late.network_correlation == 1
    assert late.network_error == 0
    assert late.positions >= 30
    assert found["all"].positions == sum(fit.positions for name, fit in found.items() if name not in ("all", "proven"))
    assert 0 < late.search_correlation < 1
    judged_by(monkeypatch, lambda state, seat: -known[state.key][seat])
    assert by_phase(check_value(game, records, "unused", 1))["1–4"].network_correlation == -1


def test_solved_positions_have_the_value_of_perfect_play(games, monkeypatch):
    game, records = games
    exact = {}

    def solve(state, seat):
        pool = tengen.Pool(game, tengen.SearchSettings(visits=5000, solve=True), "uniform")
        root = pool.add(state, seed=1)
        pool.run()
        result = pool.result(root)
        exact[state.key] = result.proven
        return result.values[seat] if result.proven else 0.0

    judged_by(monkeypatch, solve)
    monkeypatch.setattr(value_check, "_POSITIONS", 60)
    proven = by_phase(check_value(game, records, "unused", 1))["proven"]
    assert proven.positions >= 3
    assert proven.network_error == pytest.approx(0, abs=1e-6)
    assert proven.search_error > 0


def test_equal_values_have_no_correlation(games, monkeypatch):
    game, records = games
    judged_by(monkeypatch, lambda *_: 0.25)
    fit = by_phase(check_value(game, records, "unused", 1))["all"]
    assert fit.network_correlation is None
    assert fit.network_error > 0.5


def test_games_that_were_resigned_are_left_out(games, monkeypatch):
    game, records = games
    judged_by(monkeypatch, lambda *_: 0.0)
    assert check_value(game, [dataclasses.replace(record, resigned=0) for record in records], "unused", 1) == []
    assert check_value(game, [], "unused", 1) == []


@pytest.mark.parametrize("name", ["matgo", "pokemon", "pig", "kuhn_poker"])
def test_games_that_cannot_be_solved_have_no_proofs(name, monkeypatch):
    game = tengen.game(name)
    records = quick_games(game, 2, visits=2, evaluator="rollout")
    judged_by(monkeypatch, lambda *_: 0.0)
    found = by_phase(check_value(game, records, "unused", 1))
    assert "all" in found
    assert "proven" not in found


FIT = ValueFit("all", 10, 0.5, 0.7, None, 0.9)


def test_logged_figures_come_back_and_damage_is_left_out():
    good = dataclasses.asdict(FIT)
    assert read_value_check({"phases": [good]}) == [FIT]
    damaged = [good | {"network_error": "x"}, good | {"search_error": math.nan}, good | {"more": 1}, {"phase": "all"}]
    damaged += [3, None, good | {"phase": 7}, good | {"positions": None}]
    assert read_value_check({"phases": [*damaged, good]}) == [FIT]
    assert read_value_check({"phases": 7}) == read_value_check({}) == []


def test_the_report_shows_the_newest_figures():
    events = [
        {"event": VALUE_CHECK, "iteration": i, "phases": [dataclasses.asdict(FIT) | {"network_correlation": 0.1 * i}]}
        for i in (1, 2, 3)
    ]
    card = value_card([*events, {"event": VALUE_CHECK, "iteration": "x"}, {"event": "train", "iteration": 9}])
    assert "games of iteration 3" in card
    assert "+0.30" in card
    assert "iteration 2: network +0.20" in card
    assert "No network has been compared" in value_card([])


@pytest.mark.slow
def test_the_loop_checks_each_network_before_it_is_trained(tmp_path):
    pytest.importorskip("torch")
    run = learn(tmp_path / "run", 2)
    checks = [event for event in run.events() if event["event"] == VALUE_CHECK]
    assert [check["iteration"] for check in checks] == [1, 2]
    assert [check["network"] for check in checks] == [run.find("initial").id, run.find("train", 1).id]
    assert all(by_phase(read_value_check(check))["all"].positions > 10 for check in checks)
    # A run that is resumed does not check again.
    learn(tmp_path / "run", 2)
    assert sum(event["event"] == VALUE_CHECK for event in run.events()) == 2
    found = tengen.Run(tmp_path / "run").value_checks
    assert found == {check["iteration"]: read_value_check(check) for check in checks}
