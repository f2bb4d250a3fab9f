"""Runs that keep to their time: judged by a clock of the test, on machines that become slower or faster meanwhile."""

import dataclasses
import json

import pytest

import tengen
from tengen.champion import change_settings, settings_for
from tengen.champion.plan import FEWEST_FINAL_GAMES, Plan, fit_plan, total_seconds
from tengen.champion.planning import PlanRequest, plan_again, remember
from tengen.champion.progress import Tracker
from tengen.champion.schedule import Planned, Schedule
from tengen.champion.speed import Speed
from tengen.runs import Run
from tengen.runs.used_time import USED_TIME, UsedTime, read_used_s

SPEED = Speed(2, 30, 2.5e-6, 9e-5, 5e-4, 0.04, 200)
MINUTES = 10
LIMIT_S = 60 * MINUTES


class Clock:
    """A clock that the test moves forward."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def new_run(path):
    return Run.create(path, {"game": {"name": "connect_four"}, "learn": {"minutes": float(MINUTES)}})


def plan_for(minutes=MINUTES, **changes):
    settings = change_settings(settings_for(tengen.game("connect_four")), {"minutes": minutes, **changes})
    return fit_plan(Plan(settings, 20, 64), SPEED)


class Machine:
    """Carries out a run as the loop does, in steps without content that take their planned time × `slowness`."""

    def __init__(self, path, plan, slowness, clock=None):
        self.run = Run.open(path) if (path / "run.toml").exists() else new_run(path)
        self.plan, self.slowness = plan, slowness
        self.clock = clock or Clock()
        self.began = self.clock()
        self.notes = []
        self.tracker = Tracker(lambda now: self.notes.append(str(now)), clock=self.clock)
        self.final_games = None
        self.places = []

    def go(self, stop_after=None, **planned):
        with self.run.lock():
            self.tracker.follow(self.run, self.plan.iterations, ())
            defaults = {"limit_s": LIMIT_S, "is_open": True}
            schedule = Schedule(self.run, Planned(self.plan, SPEED, **(defaults | planned)), self.tracker)
            done = 0
            while done < schedule.most and schedule.fits(done + 1):
                done += 1
                for phase in self.plan.phases_of(done, SPEED):
                    if self.run.find(phase.name, done) is None:
                        if phase.name == "train":
                            self.places.append(schedule.find_place(done, self.places[-1] if self.places else None))
                        self.make(phase)
                if done == stop_after:
                    return done
            self.final_games = schedule.final_games(done)
            last = dataclasses.replace(self.plan, iterations=done, final_games=self.final_games)
            for phase in last.final_phases(SPEED):
                self.make(phase)
        return done

    def make(self, phase):
        self.tracker.begin(phase.name, phase.iteration, 1)
        with self.run.step(phase.name, iteration=phase.iteration) as draft:
            used_s = self.clock() - self.began
            self.clock.now += phase.seconds * (
                self.slowness(used_s, phase) if callable(self.slowness) else self.slowness
            )
            draft.metrics["games"] = 1
        self.tracker.end(phase.name, phase.iteration, "", {})

    @property
    def used_s(self):
        return self.clock() - self.began


def longest(plan, factor=1.0):
    """Seconds of the longest iteration after the first."""
    return factor * max(total_seconds(plan.phases_of(i, SPEED)) for i in range(2, 2 + plan.settings.anchor_every))


@pytest.mark.slow
@pytest.mark.parametrize("slowness", [0.5, 1, 1.5, 3])
def test_a_run_ends_in_its_time_at_any_constant_speed(tmp_path, slowness):
    plan = plan_for()
    machine = Machine(tmp_path / "run", plan, slowness)
    iterations = machine.go()
    assert machine.used_s <= LIMIT_S
    assert machine.used_s > LIMIT_S - 2 * longest(plan, slowness), "another iteration would have fitted"
    # A plan is made for a little less time than there is.
    assert (iterations >= plan.iterations) == (slowness <= 1)
    assert machine.final_games == 64


@pytest.mark.slow
@pytest.mark.parametrize("slowness", [0.5, 1, 3])
def test_the_learning_rate_falls_by_the_time_that_is_used(tmp_path, slowness):
    machine = Machine(tmp_path / "run", plan_for(), slowness)
    machine.go()
    ends = [place.end for place in machine.places]
    assert ends == sorted(ends)
    assert [place.begin for place in machine.places] == [0.0, *ends[:-1]]
    assert ends[-1] > 0.9
    assert sum(end == 1.0 for end in ends) <= 2
    if slowness == 1:
        free = Machine(tmp_path / "free", plan_for(), slowness)
        last = free.go(limit_s=None, is_open=False)
        assert free.places == [((i - 1) / last, i / last) for i in range(1, last + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("other", [2.0, 4.0])
def test_a_machine_that_becomes_busy_ends_in_time(tmp_path, other):
    plan = plan_for()
    machine = Machine(tmp_path / "run", plan, lambda used_s, _: 1.0 if used_s < LIMIT_S / 2 else other)
    iterations = machine.go()
    assert iterations < plan.iterations
    # Nobody can foresee how much longer the iteration takes in which the machine becomes busy, or the next one.
    assert machine.used_s <= LIMIT_S + longest(plan, other) - longest(plan)
    assert any("one more iteration does not fit: the run ends after" in note for note in machine.notes)


@pytest.mark.slow
def test_short_time_shortens_the_final_matches(tmp_path):
    """The last iteration turns out to be much longer than all before it."""
    plan = plan_for()
    fair = Machine(tmp_path / "fair", plan, 1.0)
    last = fair.go()
    late = longest(plan)

    def slowness(_, phase):
        return 1.0 + late / phase.seconds / 2 if (phase.name, phase.iteration) == ("arena", last) else 1.0

    machine = Machine(tmp_path / "run", plan, slowness)
    assert machine.go() == last
    assert FEWEST_FINAL_GAMES <= machine.final_games < 64
    assert machine.final_games % 2 == 0
    assert any(f"final matches have {machine.final_games} games instead of 64" in note for note in machine.notes)
    kept = Machine(tmp_path / "kept", plan, slowness)
    kept.go(keeps_final_games=True)
    assert kept.final_games == 64


@pytest.mark.slow
def test_a_resumed_run_counts_the_time_that_was_used(tmp_path):
    plan = plan_for()
    whole = Machine(tmp_path / "whole", plan, 1.0).go()
    clock = Clock()
    assert Machine(tmp_path / "run", plan, 1.0, clock).go(stop_after=3) == 3
    first_s = clock() - 1000
    clock.now += 50_000  # the run lies still for a while
    again = Machine(tmp_path / "run", plan, 1.0, clock)
    assert again.go() == whole
    assert first_s + again.used_s <= LIMIT_S
    assert again.used_s < LIMIT_S - first_s + 1
    assert read_used_s(again.run) == pytest.approx(first_s + again.used_s, abs=0.01)


def test_iterations_that_were_asked_for_are_the_most(tmp_path):
    plan = dataclasses.replace(plan_for(), iterations=4)
    machine = Machine(tmp_path / "run", plan, 1.0)
    assert machine.go(is_open=False) == 4
    assert machine.used_s < LIMIT_S - longest(plan)
    # Without a limit they are made however long they take.
    slow = Machine(tmp_path / "slow", plan, 1000.0)
    assert slow.go(limit_s=None, is_open=False) == 4
    assert slow.used_s > LIMIT_S


def test_the_first_iteration_is_always_made(tmp_path):
    machine = Machine(tmp_path / "run", plan_for(), 100.0)
    assert machine.go() == 1
    assert machine.final_games == FEWEST_FINAL_GAMES


def test_a_stopped_training_is_not_planned_again(tmp_path):
    plan = plan_for()
    run = new_run(tmp_path / "run")
    tracker = Tracker(clock=Clock())
    with run.lock():
        for name in ("self-play", "train-stopped"):
            with run.step(name, iteration=1):
                pass
        tracker.follow(run, plan.iterations, ())
        schedule = Schedule(run, Planned(plan, SPEED, 1.0), tracker)
        assert schedule.fits(1), "nothing of it is left to do"
        assert not schedule.fits(2)


def test_the_time_is_kept_in_the_folder(tmp_path):
    run, clock = new_run(tmp_path / "run"), Clock()
    assert read_used_s(run) == 0
    used = UsedTime(run, clock)
    clock.now += 5
    used.save(now=False)
    assert not (run.path / USED_TIME).exists(), "not more often than every ten seconds"
    clock.now += 10
    used.save(now=False)
    assert json.loads((run.path / USED_TIME).read_text()) == {"used_s": 15.0}
    assert UsedTime(run, Clock()).seconds == 15


@pytest.mark.parametrize("content", [b"", b"{}", b'{"used_s": "x"}', b'{"used_s": NaN}', b"[1]", b"\xff"])
def test_a_damaged_time_is_that_of_the_steps(tmp_path, content):
    run = new_run(tmp_path / "run")
    with run.lock(), run.step("self-play", iteration=1):
        pass
    (run.path / USED_TIME).write_bytes(content)
    assert read_used_s(run) == run.steps()[0].duration_s


class TestAgain:
    """Plans of runs that are continued."""

    @pytest.fixture
    def run(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tengen.champion.planning.measure_speed", lambda *_: SPEED)
        run = new_run(tmp_path / "run")
        with run.lock():
            for name in ("self-play", "train", "arena"):
                with run.step(name, iteration=1):
                    pass
        return run

    def again(self, run, used_s=100.0, iterations=None, **planned):
        (run.path / USED_TIME).write_text(json.dumps({"used_s": used_s}))
        plan = dataclasses.replace(plan_for(), iterations=9)
        self.notes = []
        with run.lock():
            if planned:
                remember(run, Planned(plan, SPEED, **planned), "inline")
        request = PlanRequest(iterations)
        tracker = Tracker(lambda now: self.notes.append(str(now)))
        return plan_again(run, tengen.game("connect_four"), plan.settings, request, None, tracker)

    def test_the_time_goes_on(self, run):
        found = self.again(run, limit_s=LIMIT_S, is_open=True)
        assert (found.limit_s, found.is_open, found.speed) == (LIMIT_S, True, SPEED)
        assert any("1 iterations are complete in 1 min 40 s of 10 min" in note for note in self.notes), self.notes

    def test_time_that_is_used_up_ends_a_run(self, run):
        found = self.again(run, LIMIT_S + 1.0, limit_s=LIMIT_S, is_open=True)
        assert (found.speed, found.plan.iterations) == (None, 1)
        assert any("the time is used up, and --iters N goes on" in note for note in self.notes)

    def test_more_iterations_lift_the_limit(self, run):
        assert self.again(run, LIMIT_S + 1.0, 12, limit_s=LIMIT_S, is_open=True).limit_s is None
        assert self.again(run, 100.0, 12, limit_s=LIMIT_S, is_open=False).limit_s is None
        # An equal command keeps it.
        found = self.again(run, 100.0, 9, limit_s=LIMIT_S, is_open=False)
        assert (found.limit_s, found.is_open, found.plan.iterations) == (LIMIT_S, False, 9)

    def test_a_run_of_an_earlier_version_has_no_limit(self, run):
        with run.lock():
            run.log({"event": "learn", "iterations": 3, "final_games": 8, "workers": "inline"})
        found = self.again(run)
        assert (found.limit_s, found.is_open, found.plan.iterations, found.plan.final_games) == (None, False, 3, 8)
