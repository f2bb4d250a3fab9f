"""Exactly one last word on every job, and on every (id, turn), whatever comes together."""

import json
import random
import threading
from collections import Counter

import pytest
from analysis_jobs import TaggedJob
from search_helpers import judge

import tengen
from tengen.analysis.engine import Engine
from tengen.analysis.job_queue import JobQueue
from tengen.analysis.scheduler import ClosedError, Scheduler
from tengen.analysis.service import Service
from tengen.evaluators import CoreEvaluator, Evaluator, Function
from tengen.search import SearchSettings

C4 = tengen.game("connect_four")
JUDGE = Function(judge)
UNIFORM = CoreEvaluator("uniform")


class Ends:
    """Counts how jobs end."""

    def __init__(self):
        self.ended = Counter()
        self.failed = Counter()
        self.lock = threading.Condition()

    def wait(self, is_it):
        with self.lock:
            assert self.lock.wait_for(is_it, 60)

    def job(self, tag, visits=3, evaluator=UNIFORM, **more):
        def end(job, _snapshot):
            with self.lock:
                self.ended[job.tag] += 1
                self.lock.notify_all()

        def fail(job, _error):
            with self.lock:
                self.failed[job.tag] += 1

        parts = {"on_report": lambda *_: None, "on_end": end, "on_error": fail, "open": lambda _: C4.start(), **more}
        return TaggedJob(tag, game=C4, evaluator=evaluator, settings=SearchSettings(visits=visits), **parts)


@pytest.fixture
def ends():
    return Ends()


@pytest.mark.parametrize("seed", range(6))
def test_jobs_end_once_under_every_order_of_calls(ends, seed):
    """Threads submit, withdraw, stop, hold, release and clear as they like, then it is closed in the middle."""
    scheduler = Scheduler(active=3)
    taken, refused, asked = Counter(), Counter(), Counter()
    lock = threading.Lock()

    def work(name):
        rng = random.Random((seed << 8) + name)
        for step in range(150):
            what = rng.random()
            if what < 0.6:
                jobs = [ends.job((name, step, i), rng.choice([1, 3, 50, 2**40]), client=name) for i in range(3)]
                try:
                    scheduler.submit(*jobs)
                    found = asked
                except ClosedError:
                    found = refused
                with lock:
                    found.update(job.tag for job in jobs)
            elif what < 0.75:
                low = rng.randrange(150)
                gone = scheduler.withdraw(lambda job, low=low: job.tag[1] >= low, rng.choice([None, name]))
                with lock:
                    taken.update(job.tag for job in gone)
            elif what < 0.9:
                scheduler.stop(lambda job: job.tag[0] == name)
            else:
                rng.choice([scheduler.hold, scheduler.release, scheduler.forget, scheduler.queued])(name)
                scheduler.clear_cache()

    threads = [threading.Thread(target=work, args=(name,)) for name in range(5)]
    for thread in threads:
        thread.start()
    threads[seed % 5].join()
    scheduler.close(finish=False)
    for thread in threads:
        thread.join()
    assert set(ends.ended + taken + refused) == set(asked + refused)
    assert (ends.ended + taken).total() == asked.total()
    assert ends.failed == Counter()
    assert set((ends.ended + taken).values()) == {1}


def test_functions_that_raise(ends):
    def fail(*_):
        raise ValueError("of the owner's making")

    scheduler = Scheduler(active=2)
    scheduler.submit(
        ends.job("end", on_end=fail),
        ends.job("error", on_error=fail, open=fail),
        ends.job("both", on_end=fail, on_error=fail),
        ends.job("report", visits=2**40, on_report=fail, first_report_s=0.001),
        ends.job("ready", ready=fail),
        ends.job("prune", prune_actions=fail),
        ends.job("sound"),
    )
    assert scheduler.drain(60)
    scheduler.submit(ends.job("later"))
    scheduler.close()
    assert ends.ended == Counter(["sound", "later"])
    assert ends.failed == Counter(["end", "report", "ready", "prune"])


def test_drained_means_told(ends):
    """drain() returns after the last callback has returned."""
    scheduler = Scheduler()
    slow = threading.Event()
    done = []

    def end(*_):
        slow.wait(0.05)
        done.append(True)

    for _ in range(5):
        done.clear()
        scheduler.submit(ends.job("a", on_end=end))
        assert scheduler.drain(60)
        assert done
    scheduler.close()


def test_a_thread_that_dies_leaves_nobody_waiting(ends):
    class Quits(Evaluator):
        def evaluate(self, leaves):
            raise SystemExit(3)

    scheduler = Scheduler(active=1)
    hook, threading.excepthook = threading.excepthook, lambda _: None
    try:
        scheduler.submit(ends.job("a", evaluator=Quits()), ends.job("b"))
        assert scheduler.drain(60)
        scheduler.close()
    finally:
        threading.excepthook = hook
    assert ends.failed == Counter("ab")
    with pytest.raises(ClosedError):
        scheduler.submit(ends.job("c"))


def test_nobody_keeps_others_out(ends):
    """Jobs without an end hold all places, and another client's job still runs."""
    scheduler = Scheduler(active=2)
    scheduler.submit(*(ends.job(i, 2**50, client="hog") for i in range(5)))
    scheduler.submit(ends.job("small", client="other"), ends.job("small too", client="other"))
    ends.wait(lambda: ends.ended.total() == 2)
    assert ends.ended == Counter(["small", "small too"])
    assert scheduler.queued("hog") == 3
    scheduler.close(finish=False)
    assert ends.ended.total() == 7


def test_who_asks_for_one_thing_at_a_time_does_not_keep_others_out(ends):
    """Two clients that always have one job waiting, and one with many: turns are taken."""
    waiting = JobQueue()
    for i in range(10):
        waiting.add(ends.job(("many", i), client="many"))
    order = []
    for i in range(20):
        for name in ("x", "y"):
            if not waiting.count(name):
                waiting.add(ends.job((name, i), client=name))
        order.append(waiting.take({}, (), is_full=False).tag[0])
    assert order.count("many") >= 6
    assert min(order.count(name) for name in ("x", "y")) >= 6


def test_held_clients_wait(ends):
    scheduler = Scheduler(active=2)
    scheduler.hold("held")
    scheduler.submit(ends.job("held", client="held"), ends.job("free", client="free"))
    ends.wait(lambda: ends.ended["free"])
    assert scheduler.queued("held") == 1
    assert not scheduler.drain(0.05)
    scheduler.release("held")
    assert scheduler.drain(60)
    scheduler.hold("held")
    scheduler.submit(ends.job("again", client="held"))
    scheduler.close(finish=False)
    assert ends.ended == Counter(["held", "free", "again"])


def test_trees_have_a_bound(ends):
    """The largest search ends with what it has; the others go on."""
    scheduler = Scheduler(active=2, tree_bytes=4 << 20)
    found = {}

    def end(job, snapshot):
        found[job.tag] = snapshot.result

    scheduler.submit(ends.job("large", 2**50, on_end=end), ends.job("small", 500, on_end=end))
    assert scheduler.drain(60)
    scheduler.close()
    assert found["small"].visits == 500
    assert 4 << 20 < found["large"].bytes < 16 << 20
    assert found["large"].is_out_of_memory
    assert "all trees together may take 4 MiB" in found["large"].warnings[-1]
    assert not found["small"].is_out_of_memory
    assert not found["small"].warnings


def test_kept_trees_count_and_go_first(ends):
    scheduler = Scheduler(active=1, tree_bytes=4 << 20)
    for name in range(3):
        scheduler.submit(ends.job(name, 20_000, tree_key=name))
    assert scheduler.drain(60)
    found = []
    scheduler.submit(ends.job("last", 30_000, on_end=lambda _, snapshot: found.append(snapshot.result.visits)))
    assert scheduler.drain(60)
    scheduler.forget(None)
    scheduler.close()
    assert found == [30_000]


def answers_of(lines):
    """Count the final responses of each (id, turn) and the refused requests."""
    finals, refused = Counter(), Counter()
    for line in lines:
        answer = json.loads(line)
        if answer.get("isDuringSearch") is False:
            finals[answer["id"], answer["turnNumber"]] += 1
        elif "error" in answer:
            refused[answer["id"]] += 1
    return finals, refused


@pytest.mark.slow
@pytest.mark.parametrize("how", ["end", "drop", "close"])
@pytest.mark.parametrize("seed", range(3))
def test_sessions_answer_once_while_they_end(how, seed):
    rng = random.Random(seed)
    with Engine("connect_four", "uniform", active=3) as engine:
        service = Service(engine, max_open=200)
        lines = [[] for _ in range(4)]
        sessions = [service.connect(out.append) for out in lines]
        sent = [Counter() for _ in sessions]

        def ask(index):
            for number in range(200):
                name = str(number)
                sent[index][name] += 1
                request = {"id": name, "moves": ["a", "b"], "analyzeTurns": [0, 2], "maxVisits": 2 ** (number % 20)}
                sessions[index].handle(json.dumps(request))
                if number % 50 == 49:
                    sessions[index].handle(json.dumps({"id": "t", "action": "terminate_all"}))

        threads = [threading.Thread(target=ask, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        threading.Event().wait(rng.uniform(0, 0.05))
        if how == "close":
            engine.close()
        else:
            for session in sessions:
                getattr(session, how)()
        for thread in threads:
            thread.join()
        assert all(session.drain(60) for session in sessions)
        assert all(session._open == session._open_bytes == 0 for session in sessions)
    for out, asked in zip(lines, sent, strict=True):
        finals, refused = answers_of(out)
        assert set(finals.values()) <= {1}
        if how != "drop":
            assert {name for name, _ in finals} | set(refused) == set(asked)
            assert not {name for name, _ in finals} & set(refused)
            assert finals.total() == 2 * (len(asked) - len(refused))


def test_a_full_session_refuses_and_recovers():
    told = []
    with Engine("connect_four", "uniform") as engine:
        session = Service(engine, max_open=3, max_open_bytes=10_000).connect(told.append)
        forever = {"moves": [], "maxVisits": 2**50, "overrideSettings": {"maxTime": 60}}
        session.handle(json.dumps({"id": "a", **forever, "moves": ["a", "b", "c"], "analyzeTurns": [0, 1, 2, 3]}))
        assert session.is_full
        assert not session.wait_for_room(0.01)
        session.handle(json.dumps({"id": "b", **forever}))
        assert "Too much is open" in told[-1]
        session.handle(json.dumps({"id": "t", "action": "terminate_all"}))
        assert session.wait_for_room(60)
        assert session.drain(60)
        session.handle(json.dumps({"id": "x" * 12_000, **forever}))
        assert session.is_full
        session.end()
        assert session.drain(60)
    finals, refused = answers_of(told)
    assert sorted(name[:1] for name, _ in finals) == ["a", "a", "a", "a", "x"]
    assert refused == Counter("b")


def test_a_long_id_and_many_turns_are_too_much_together():
    told = []
    with Engine("pig", "uniform") as engine:
        session = Service(engine, max_open_bytes=1000).connect(told.append)
        moves = ["roll", "1"] * 200
        request = {"id": "x" * 60_000, "moves": moves, "maxVisits": 1}
        session.handle(json.dumps(request | {"analyzeTurns": list(range(0, 400, 2))}))
        assert "make it shorter" in told[-1]
        assert session.is_done
        session.handle(json.dumps(request | {"analyzeTurns": [0, 2]}))
        assert session.drain(60)
    assert answers_of(told)[0].total() == 2


def test_a_writer_that_fails_stops_nobody():
    def write(_line):
        raise OSError("gone")

    told = []
    with Engine("connect_four", "uniform", active=2) as engine:
        service = Service(engine)
        bad, good = service.connect(write), service.connect(told.append)
        for session in (bad, good):
            session.handle('{"id":"a","moves":[],"maxVisits":5}')
            session.handle("nonsense")
            session.handle('{"id":"b","action":"query_version"}')
        assert bad.drain(60)
        assert good.drain(60)
    assert len(told) == 3


def test_reports_are_left_out_where_there_is_no_room():
    told = []
    with Engine("connect_four", "uniform") as engine:
        session = Service(engine).connect(told.append, lambda: False)
        session.handle('{"id":"a","moves":[],"maxVisits":100000,"reportDuringSearchEvery":0.001}')
        assert session.drain(60)
    assert [json.loads(line)["isDuringSearch"] for line in told] == [False]


def test_a_number_that_cannot_be_written_is_an_error_answer(monkeypatch):
    """An internal fault in one response is reported in its place."""
    from tengen.analysis.answer_builder import AnswerBuilder

    monkeypatch.setattr(AnswerBuilder, "_policy", lambda *_: (object(),))
    told = []
    with Engine("connect_four", "uniform") as engine:
        session = Service(engine).connect(told.append)
        session.handle('{"id":"bad","moves":[],"maxVisits":5,"includePolicy":true}')
        session.handle('{"id":"good","moves":[],"maxVisits":5}')
        assert session.drain(60)
    answers = {json.loads(line)["id"]: json.loads(line) for line in told}
    assert "TypeError" in answers["bad"]["error"]
    assert answers["bad"]["noResults"]
    assert answers["good"]["rootInfo"]["visits"] == 5
