"""Whose turn it is, when a job reports, and how it ends."""

import threading

import pytest
from analysis_jobs import TaggedJob
from search_helpers import judge

import tengen
from tengen.analysis import search_runner
from tengen.analysis.confidence import confidence
from tengen.analysis.query import StopRule
from tengen.analysis.scheduler import Scheduler
from tengen.evaluators import CoreEvaluator, Evaluation, Evaluator, Function
from tengen.search import Restriction, SearchSettings

C4 = tengen.game("connect_four")
JUDGE = Function(judge)


class Log:
    """What jobs were told, in order."""

    def __init__(self):
        self.events = []
        self.changed = threading.Condition()

    def _add(self, *event):
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    def job(self, tag=None, *, visits=20, game=C4, evaluator=JUDGE, moves="", **more):
        state = game.start(seed=1)
        for move in moves.split():
            state = state.play(move)
        return TaggedJob(
            tag,
            game=game,
            evaluator=evaluator,
            settings=more.pop("settings", SearchSettings(visits=visits)),
            seed=1,
            open=lambda _: state,
            on_report=lambda job, snapshot: self._add("report", job.tag, snapshot),
            on_end=lambda job, snapshot: self._add("end", job.tag, snapshot),
            on_error=lambda job, error: self._add("error", job.tag, error),
            **more,
        )

    def of(self, kind):
        return [event for event in self.events if event[0] == kind]

    def wait(self, what):
        """Events come from another thread, and not everything that is waited for is an event."""
        for _ in range(6000):
            with self.changed:
                if what(self) or self.changed.wait_for(lambda: what(self), 0.01):
                    return
        raise AssertionError("it never came")

    def wait_started(self, scheduler, client=None):
        self.wait(lambda _: scheduler.queued(client) == 0)


@pytest.fixture
def log():
    return Log()


@pytest.fixture
def scheduler():
    made = Scheduler(active=1)
    yield made
    made.close(finish=False)


class Gate(Evaluator):
    """Lets batches through one by one, so that a test decides when a search goes on."""

    def __init__(self):
        self.tickets = threading.Semaphore(0)
        self.rows = []

    def evaluate(self, leaves) -> Evaluation:
        assert self.tickets.acquire(timeout=60)
        self.rows.append(list(leaves.roots))
        return JUDGE.evaluate(leaves)


def test_a_job_ends_with_its_visits(scheduler, log):
    scheduler.submit(log.job("a", visits=30))
    assert scheduler.drain(60)
    [(_, tag, snapshot)] = log.events
    assert (tag, snapshot.result.visits, snapshot.is_last) == ("a", 30, True)
    alone = tengen.search(C4.start(), evaluator=judge, visits=30, seed=1)
    assert [(m.name, m.visits) for m in snapshot.result.moves] == [(m.name, m.visits) for m in alone.moves]


def test_priority_then_arrival(scheduler, log):
    gate = Gate()
    scheduler.submit(log.job("first", visits=2, evaluator=gate))
    log.wait_started(scheduler)
    scheduler.submit(log.job("low"), log.job("late", priority=1), log.job("high", priority=5), log.job("low too"))
    gate.tickets.release(2)
    assert scheduler.drain(60)
    assert [event[1] for event in log.events] == ["first", "high", "late", "low", "low too"]


def test_clients_take_turns(log):
    scheduler = Scheduler(active=1)
    gate = Gate()
    scheduler.submit(log.job("wait", visits=2, evaluator=gate, client="z"))
    log.wait_started(scheduler, "z")
    scheduler.submit(*(log.job(("a", i), client="a", priority=99) for i in range(4)))
    scheduler.submit(*(log.job(("b", i), client="b") for i in range(2)))
    gate.tickets.release(2)
    assert scheduler.drain(60)
    scheduler.close()
    order = [event[1] for event in log.events[1:]]
    assert min(order.index(("b", i)) for i in range(2)) <= 2
    assert [tag for tag in order if tag[0] == "a"] == [("a", i) for i in range(4)]


def test_active_jobs_share_batches(log):
    scheduler = Scheduler(active=3, batch=8)
    gate = Gate()
    scheduler.submit(*(log.job(i, visits=6, evaluator=gate, moves=moves) for i, moves in enumerate(["", "a", "b"])))
    gate.tickets.release(100)
    assert scheduler.drain(60)
    scheduler.close()
    assert max(len(set(rows)) for rows in gate.rows) == 3
    assert len(log.of("end")) == 3


def test_withdrawn_jobs_are_never_told_anything(scheduler, log):
    gate = Gate()
    scheduler.submit(log.job("runs", visits=2, evaluator=gate))
    log.wait_started(scheduler)
    scheduler.submit(log.job("a"), log.job("b"))
    assert scheduler.queued(None) == 2
    assert [job.tag for job in scheduler.withdraw(lambda job: job.tag == "a")] == ["a"]
    gate.tickets.release(2)
    assert scheduler.drain(60)
    assert [event[1] for event in log.events] == ["runs", "b"]


def test_a_stopped_job_ends_with_what_it_has(scheduler, log):
    gate = Gate()
    scheduler.submit(log.job("a", visits=10**9, evaluator=gate))
    gate.tickets.release(5)
    log.wait(lambda _: len(gate.rows) == 5)
    scheduler.stop(lambda job: job.tag == "a")
    gate.tickets.release(1)
    assert scheduler.drain(60)
    [(kind, _, snapshot)] = log.events
    assert kind == "end"
    assert 4 <= snapshot.result.visits <= 6


def test_reports_come_while_it_runs(scheduler, log):
    job = log.job("a", visits=10**9, first_report_s=0.001, report_every_s=0.01)
    scheduler.submit(job)
    log.wait(lambda _: len(log.of("report")) >= 3)
    scheduler.stop(lambda _: True)
    assert scheduler.drain(60)
    assert [event[0] for event in log.events] == ["report"] * (len(log.events) - 1) + ["end"]
    visits = [event[2].result.visits for event in log.events]
    assert visits == sorted(visits)
    assert not log.events[0][2].is_last


def test_time_ends_a_job(scheduler, log):
    scheduler.submit(
        log.job("a", visits=10**9, seconds=0.05),
        log.job("native", visits=10**9, seconds=0.05, evaluator=CoreEvaluator("uniform")),
    )
    assert scheduler.drain(60)
    assert [event[:2] for event in log.events] == [("end", "a"), ("end", "native")]
    assert all(0 < event[2].result.visits < 10**9 for event in log.events)


def test_constraints_reach_the_search(scheduler, log):
    scheduler.submit(
        log.job("a", include=[6], include_visits=15, avoid=[Restriction([3])], visits=20),
        log.job("b", prune_actions=lambda _job, _state: [0, 1], visits=40),
    )
    assert scheduler.drain(60)
    first, second = (event[2].result for event in log.events)
    assert first[6].visits >= 15
    assert first[6].included
    assert 3 not in {move.action for move in first.moves}
    assert not {0, 1} & {move.action for move in second.moves}


def test_an_error_ends_its_own_job_only(scheduler, log):
    def fail():
        raise ValueError("no such position")

    broken = log.job("broken")
    broken.open = fail
    scheduler.submit(broken, log.job("fine"))
    assert scheduler.drain(60)
    assert [event[:2] for event in log.events] == [("error", "broken"), ("end", "fine")]
    assert "no such position" in str(log.events[0][2])


def test_a_failing_evaluator_fails_its_jobs_and_no_others(log):
    class Broken(Evaluator):
        def evaluate(self, leaves):
            raise RuntimeError("out of memory")

    scheduler = Scheduler(active=2)
    scheduler.submit(log.job("bad", evaluator=Broken()), log.job("good"))
    assert scheduler.drain(60)
    scheduler.submit(log.job("later"))
    assert scheduler.drain(60)
    scheduler.close()
    assert {event[:2] for event in log.events} == {("error", "bad"), ("end", "good"), ("end", "later")}


def test_closing_at_once_ends_everything_once(log):
    scheduler = Scheduler(active=1)
    gate = Gate()
    scheduler.submit(log.job("runs", visits=10**9, evaluator=gate), log.job("waits"))
    gate.tickets.release(3)
    log.wait(lambda _: len(gate.rows) == 3)
    gate.tickets.release(1000)
    scheduler.close(finish=False)
    assert sorted(event[:2] for event in log.events) == [("end", "runs"), ("end", "waits")]
    assert {event[1]: event[2] is None for event in log.events} == {"runs": False, "waits": True}
    with pytest.raises(RuntimeError, match="closed"):
        scheduler.submit(log.job("late"))


def test_a_kept_tree_goes_on_with_the_game(scheduler, log):
    scheduler.submit(log.job("a", visits=200, tree_key="game"))
    assert scheduler.drain(60)
    best = log.events[0][2].result.best
    scheduler.submit(log.job("b", visits=30, tree_key="game", moves=best.name))
    assert scheduler.drain(60)
    again = log.events[1][2].result
    # More than it was allowed: they were there already.
    assert again.visits == best.visits > 30
    scheduler.submit(log.job("c", visits=20, tree_key="other game"))
    assert scheduler.drain(60)
    assert log.events[2][2].result.visits == 20


def test_kept_trees_are_few_and_can_be_forgotten(scheduler, log):
    for number in range(12):
        scheduler.submit(log.job(number, visits=60, tree_key=number))
    assert scheduler.drain(60)
    scheduler.submit(log.job("old", visits=20, tree_key=0), log.job("new", visits=20, tree_key=11))
    assert scheduler.drain(60)
    assert [event[2].result.visits for event in log.events[-2:]] == [20, 60]
    scheduler.clear_cache()
    scheduler.submit(log.job("new", visits=20, tree_key=11))
    assert scheduler.drain(60)
    assert log.events[-1][2].result.visits == 20


def test_a_settled_search_ends_early(scheduler, log):
    # One move wins at once.
    winning = "a b a b a b"
    scheduler.submit(
        log.job(
            "sure", visits=100_000, moves=winning, evaluator=CoreEvaluator("uniform"), stop_when=StopRule(0.95, 50)
        ),
        log.job("open", visits=300, stop_when=StopRule(0.9999)),
    )
    assert scheduler.drain(60)
    assert 50 <= log.events[0][2].result.visits < 100_000
    assert log.events[0][2].result.best.name == "a"


def test_confidence_grows_with_visits_and_gap():
    state = C4.start().play("a").play("b").play("a").play("b").play("a").play("b")
    from tengen.search import Pool

    levels = []
    for visits in (3, 30, 300):
        pool = Pool(C4, SearchSettings(visits=visits), "rollout")
        root = pool.add(state, seed=1)
        pool.run()
        levels.append(confidence(pool.result(root, spread=True)))
    assert levels[0] < 0.9 < levels[2] <= 1
    assert levels[0] >= 0


# How long a search is to take.


@pytest.fixture
def hurried(monkeypatch):
    """The speed of a search is taken with its first visits."""
    monkeypatch.setattr(search_runner, "TIMED_S", 0.0)


def expected_time(**job):
    """The seconds that a job is told, if any, until it ends or is told."""
    log, told = Log(), []
    scheduler = Scheduler()
    try:
        scheduler.submit(log.job(on_slow=lambda _job, seconds: told.append(seconds), **job))
        log.wait(lambda log: told or log.of("end"))
    finally:
        scheduler.close(finish=False)
    return told


def test_a_search_of_more_than_an_hour_is_told(hurried):
    [seconds] = expected_time(visits=2**50)
    assert seconds > 3600
    # What bounds the search bounds the time.
    assert expected_time(visits=2**50, seconds=7200.0) == [7200.0]


def test_shorter_searches_are_not(hurried):
    assert expected_time(visits=50) == []
    assert expected_time(visits=2**50, seconds=0.05) == []


def test_the_speed_is_taken_after_some_time(monkeypatch):
    monkeypatch.setattr(search_runner, "TIMED_S", 0.2)
    assert expected_time(visits=50) == []
    [seconds] = expected_time(visits=2**50, evaluator=CoreEvaluator("uniform"))
    assert seconds > 3600
