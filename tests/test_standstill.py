"""Runs that stand still: what counts as evidence, and what the terminal and the report show of it."""

import dataclasses
import random
from datetime import UTC, datetime, timedelta

import pytest

from tengen.champion.progress import Tracker
from tengen.champion.report_data import Reading
from tengen.champion.report_strength import minutes_by_step, strength_card
from tengen.champion.standstill import find_standstill
from tengen.champion.value_check import VALUE_CHECK, ValueFit
from tengen.runs import Run

SETTINGS = {"anchor": "rollout:100", "net": {"channels": 32, "blocks": 4}}


@dataclasses.dataclass
class Match:
    """As much of a step as ratings look at."""

    name: str
    iteration: int
    metrics: dict


def match(name, iteration, score, games=40, second="rollout:100"):
    wins = round(score * games)
    figures = {"wins": wins, "draws": 0, "losses": games - wins, "first": f"net {iteration}", "second": second}
    return Match(name, iteration, figures)


def ratings(*scores, games=40, second="rollout:100"):
    return [match("rate", 4 * i, score, games, second) for i, score in enumerate(scores, start=1)]


def gates(*scores, games=40):
    return [match("arena", i, score, games, f"net {i - 1}") for i, score in enumerate(scores, start=1)]


def test_a_run_that_gains_is_left_alone():
    assert find_standstill(ratings(0.3, 0.4, 0.6, 0.7), [], SETTINGS) is None
    assert find_standstill(gates(*[0.6] * 8), [], SETTINGS) is None
    assert find_standstill([*ratings(0.5, 0.5, 0.5, 0.5), *gates(*[0.6] * 8)], [], SETTINGS) is None, "gates show gains"
    assert find_standstill([*ratings(0.3, 0.4, 0.6, 0.7), *gates(*[0.5] * 8)], [], SETTINGS) is None, "ratings do"


def test_a_run_without_gains_stands_still():
    found = find_standstill([*ratings(0.2, 0.55, 0.5, 0.55, 0.5), *gates(*[0.5] * 9)], [], SETTINGS)
    assert "its last 4 ratings against rollout:100 are 55 %, 50 %, 55 %, 50 %, a gain of" in found.evidence
    assert "+0 % (95 %: −15 … +15)" in found.evidence
    assert "its last 8 challengers lead their champions by" in found.evidence
    assert str(found).startswith("the run stands still: its last")
    assert any("32 × 4" in text for text in found.advice)


def test_little_evidence_is_no_evidence():
    assert find_standstill([], [], {}) is None
    assert find_standstill(ratings(0.5, 0.5, 0.5), [], SETTINGS) is None
    assert find_standstill(gates(*[0.5] * 7), [], SETTINGS) is None
    mixed = [*ratings(0.5, 0.5), *ratings(0.5, 0.5, second="rollout:500")]
    assert find_standstill(mixed, [], SETTINGS) is None, "ratings against another player do not count"


def test_the_advice_fits_the_run():
    strong = find_standstill(ratings(0.95, 0.95, 0.95, 0.95), [], SETTINGS)
    assert any("stronger anchor" in text for text in strong.advice)
    weak = dataclasses.asdict(ValueFit("all", 900, 0.15, 0.9, 0.4, 0.7))
    event = {"event": VALUE_CHECK, "iteration": 4, "phases": [weak]}
    found = find_standstill(ratings(0.5, 0.5, 0.5, 0.5), [event], SETTINGS)
    assert any("correlation 0.15 with results" in text for text in found.advice)
    assert not any("stronger anchor" in text for text in found.advice)


@pytest.mark.parametrize(("gain", "low", "high"), [(0.0, 0.5, 1.0), (0.25, 0.0, 0.1)])
def test_how_often_a_run_is_said_to_stand_still(gain, low, high):
    """Most runs without a gain are found, and few that gain much."""
    rng = random.Random(1)
    found = 0
    for _ in range(100):
        truths = [0.4, 0.4 + gain / 3, 0.4 + 2 * gain / 3, 0.4 + gain]
        scores = [sum(rng.random() < truth for _ in range(32)) / 32 for truth in truths]
        leads = [sum(rng.random() < 0.5 + gain / 4 for _ in range(20)) / 20 for _ in range(8)]
        steps = [*ratings(*scores, games=32), *gates(*leads, games=20)]
        found += find_standstill(steps, [], SETTINGS) is not None
    assert low <= found / 100 <= high


def played(run, *matches):
    with run.lock():
        for one in matches:
            with run.step(one.name, iteration=one.iteration) as draft:
                score = one.metrics["wins"] / (one.metrics["wins"] + one.metrics["losses"])
                draft.metrics.update(one.metrics, score=score, score_low=score - 0.1, score_high=score + 0.1, games=40)


def test_the_terminal_and_the_report_show_it(tmp_path):
    run = Run.create(tmp_path / "run", {"game": {"name": "connect_four"}, "learn": SETTINGS})
    played(run, *ratings(0.5, 0.5, 0.5, 0.5))
    said = []
    tracker = Tracker(lambda now: said.append((now.event, str(now))))
    tracker.follow(run, 20, ())
    tracker.begin("rate", 16, 1)
    tracker.end("rate", 16, "", {})
    [warning] = [text for event, text in said if event == "warning"]
    assert warning.startswith("the run stands still: its last 4 ratings")
    card = strength_card(Reading.of(run))
    assert "The run stands still." in card
    assert "score against rollout:100" in card
    # Gates warn only if there are no ratings that would.
    said.clear()
    tracker.end("arena", 16, "", {})
    assert all(event != "warning" for event, _ in said)


def test_a_growing_run_shows_nothing_of_the_kind(tmp_path):
    run = Run.create(tmp_path / "run", {"game": {"name": "connect_four"}, "learn": SETTINGS})
    played(run, *ratings(0.2, 0.4, 0.6, 0.8))
    assert "stands still" not in strength_card(Reading.of(run))


@dataclasses.dataclass
class Timed:
    """As much of a step as times need."""

    id: str
    created: datetime
    duration_s: float


def test_minutes_of_work_leave_out_pauses_and_count_once():
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def step(name, end_min, minutes):
        return Timed(name, start + timedelta(minutes=end_min), 60 * minutes)

    steps = [step("a", 10, 10), step("b", 12, 2), step("after a pause", 105, 5), step("beside it", 106, 4)]
    assert minutes_by_step(steps) == {"a": 10, "b": 12, "after a pause": 17, "beside it": 18}
    assert minutes_by_step([]) == {}
