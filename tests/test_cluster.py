"""Workers: results whatever happens to them, and no process left behind."""

import functools
import operator
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from cluster_tasks import die, die_once, fail, grenade, leave, pause, segfault, square, surroundings, tell, unpicklable

import tengen.cluster
from tengen.cluster import LocalWorkers, WorkerError, WorkerLost, open_workers, report


def kill_at_random(pids, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(random.uniform(0.05, 0.3))
        with suppress(ProcessLookupError, ValueError):  # it died of itself just now
            for pid in pids():
                if random.random() < 0.5:
                    os.kill(pid, signal.SIGKILL)


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def is_running(pid):
    """A zombie runs no more, but its parent has not cared for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def exists(pid):
    return Path(f"/proc/{pid}").exists()


# A cluster's, which tests/test_cluster_ray.py runs these tests on, has workers open already.
OTHERS = [spec for spec in [os.environ.get("TENGEN_TEST_WORKERS")] if spec]


@pytest.fixture(scope="module", params=OTHERS or ["inline", "local:2"])
def workers(request):
    with tengen.cluster.open_workers(request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def pair():
    """For tests that leave it as good as they found it: to start a process takes a while."""
    with LocalWorkers(2) as opened:
        yield opened


class TestBoth:
    """Properties of all kinds of workers."""

    def test_map_keeps_the_order(self, workers):
        assert workers.map(square, range(20)) == [number * number for number in range(20)]
        assert workers.map(square, []) == []

    def test_results_come_with_their_ids(self, workers):
        tasks = {workers.submit(operator.add, number, 1): number for number in range(10)}
        assert {task: value - 1 for task, value in workers.results()} == tasks
        assert list(workers.results()) == []

    def test_tasks_may_be_submitted_on_the_way(self, workers):
        workers.submit(square, 5)
        seen = []
        for _, value in workers.results():
            seen.append(value)
            if value < 1000:
                workers.submit(square, value)
        assert seen == [25, 625, 390625]

    def test_map_leaves_other_results_alone(self, workers):
        task = workers.submit(square, 7)
        assert workers.map(square, [1, 2]) == [1, 4]
        assert list(workers.results()) == [(task, 49)]

    def test_what_tasks_report_is_heard_while_they_run(self, workers):
        heard = []
        tasks = [workers.submit(tell, i, 2) for i in range(2)]
        assert dict(workers.results(lambda task, news: heard.append((task, news)))) == dict(
            zip(tasks, range(2), strict=True)
        )
        # Reports that come too soon are dropped, except for the first one.
        assert next(news for task, news in heard if task == tasks[0]) == (0, 0)
        assert all(news == (tasks.index(task), news[1]) for task, news in heard)
        report("nobody", "listens")

    def test_a_failure_comes_with_its_traceback(self, workers):
        first, second, third = workers.submit(square, 2), workers.submit(fail, "the key"), workers.submit(square, 3)
        values = {}
        with pytest.raises(WorkerError, match=r"task \d+: fail\('the key'\) failed") as error:
            values.update(workers.results())
        assert error.value.task == second
        assert "in fail\n    raise KeyError(text)" in error.value.traceback
        assert str(error.value).endswith("KeyError: 'the key'")
        values |= dict(workers.results())
        assert values.items() <= {first: 4, third: 9}.items()

    def test_a_failed_map_drops_the_rest(self, workers):
        with pytest.raises(WorkerError, match="text"):
            workers.map(fail, ["text"] * 5)
        assert list(workers.results()) == []
        assert workers.map(square, [3]) == [9]

    def test_polling_returns_what_has_finished(self, workers):
        tasks = {workers.submit(square, number): number * number for number in range(4)}
        found = {}
        while len(found) < 4:
            found |= dict(workers.poll(0.05))
        assert found == tasks
        assert workers.poll(3600) == []

    def test_polling_raises_a_failure_after_the_values_before_it(self, workers):
        first, second = workers.submit(square, 3), workers.submit(fail, "the key")
        found = {}

        def poll_until(count):
            while len(found) < count:
                found.update(workers.poll(0.05))

        with pytest.raises(WorkerError, match="the key") as error:
            poll_until(2)
        assert error.value.task == second
        poll_until(1)
        assert found == {first: 9}

    def test_large_arrays_travel(self, workers):
        array = np.arange(2_000_000)
        (result,) = workers.map(functools.partial(np.add, 1), [array])
        np.testing.assert_array_equal(result, array + 1)

    def test_closed_workers_take_nothing(self, workers):
        """The last of these tests, which share their workers."""
        workers.close()
        workers.close()
        with pytest.raises(RuntimeError, match="closed"):
            workers.submit(square, 1)


class TestInline:
    @pytest.mark.parametrize("open_inline", [lambda: LocalWorkers(0), lambda: LocalWorkers(1, inline=True)])
    def test_tasks_run_here_in_order(self, open_inline):
        with open_inline() as workers:
            assert workers.size == 1
            seen = []
            for number in range(5):
                workers.submit(seen.append, number)
            assert seen == []
            assert [task for task, _ in workers.results()] == seen == list(range(5))
            assert workers.map(lambda _: os.getpid(), [0]) == [os.getpid()]

    def test_the_error_itself_is_the_cause(self):
        with LocalWorkers(0) as workers, pytest.raises(WorkerError) as error:
            workers.map(fail, ["key"])
        assert isinstance(error.value.__cause__, KeyError)


class TestProcesses:
    def test_they_work_at_the_same_time_and_answer_as_they_finish(self, pair):
        # One of them may answer all of these before the other has started.
        wait_until(lambda: pair.map(square, range(4)) and [worker.is_ready for worker in pair._workers] == [True, True])
        slow, quick = pair.submit(pause, 0.5, "slow"), pair.submit(pause, 0, "quick")
        assert list(pair.results()) == [(quick, "quick"), (slow, "slow")]

    def test_their_surroundings(self, monkeypatch):
        monkeypatch.setenv("OMP_NUM_THREADS", "7")
        monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
        with LocalWorkers(1) as workers:
            workers.submit(surroundings)
            ((_, there),) = workers.results()
        assert there.pop("pid") != os.getpid()
        assert there == {"threads": "1", "sigint": True, "blocked": False, "start": "spawn"}
        assert os.environ["OMP_NUM_THREADS"] == "7"
        assert "MKL_NUM_THREADS" not in os.environ
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())

    def test_no_more_are_started_than_needed(self):
        with LocalWorkers(8) as workers:
            assert workers.map(square, [1]) == [1]
            assert len(workers._workers) == 1

    def test_stdout_is_left_to_the_parent(self):
        code = "from tengen.cluster import LocalWorkers\nfrom cluster_tasks import speak\nwith LocalWorkers(1) as w: "
        code += "w.submit(speak); list(w.results()); print('from the parent')"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parent
        )
        assert (done.stdout, done.stderr) == ("from the parent\n", "from the worker\n")

    @pytest.mark.parametrize("function", [lambda: 0, threading.Lock().acquire], ids=["lambda", "lock"])
    def test_what_cannot_be_sent_is_refused_at_once(self, pair, function):
        with pytest.raises(ValueError, match="cannot be sent to a worker"):
            pair.submit(function)
        with pytest.raises(ValueError, match="cannot be sent to a worker"):
            pair.submit(square, lambda: 0)

    def test_a_value_that_cannot_be_sent_is_a_failure(self, pair):
        pair.submit(unpicklable)
        with pytest.raises(WorkerError, match="pickle"):
            list(pair.results())

    def test_a_value_that_cannot_be_read_is_a_failure(self, pair):
        pair.submit(grenade)
        with pytest.raises(WorkerError, match=r"grenade\(\): its value cannot be read"):
            list(pair.results())
        assert pair.map(square, [2]) == [4]

    def test_a_task_that_leaves_is_a_failure(self, pair):
        with pytest.raises(WorkerError, match="SystemExit: 3"):
            pair.map(leave, [3])


class TestDeath:
    def test_a_lost_task_is_run_again(self, pair, tmp_path):
        names = [f"task {number}" for number in range(2)]
        for name in names:
            pair.submit(die_once, str(tmp_path), name)
        assert sorted(name for _, (name, _) in pair.results()) == names
        assert len(list(tmp_path.iterdir())) == 2

    @pytest.mark.parametrize(
        ("function", "argument", "end"),
        [(die, signal.SIGKILL, "SIGKILL"), (segfault, 0, "SIGSEGV"), (os._exit, 3, "exit code 3")],
        ids=["kill", "segfault", "exit"],
    )
    def test_a_task_that_always_ends_its_worker_is_given_up(self, function, argument, end):
        with LocalWorkers(1, retries=1) as workers:
            lost = workers.submit(function, argument)
            good = [workers.submit(square, number) for number in range(3)]
            values = {}
            with pytest.raises(
                WorkerLost, match=rf"task 0: .*\(.*\) lost its worker 2 times, the last one .*{end}"
            ) as error:
                values.update(workers.results())
            assert error.value.task == lost
            values |= dict(workers.results())
            assert set(values) <= set(good)
            assert workers.map(square, [3]) == [9]

    def test_long_arguments_are_shortened(self):
        with LocalWorkers(1, retries=0) as workers:
            workers.submit(operator.call, os._exit, 1)
            with pytest.raises(WorkerLost):
                list(workers.results())
            workers.submit(fail, b"x" * 10_000_000)
            with pytest.raises(WorkerError) as error:
                list(workers.results())
            assert len(str(error.value).partition("\n")[0]) < 200
            workers.submit(fail, list(range(10**6)))
            with pytest.raises(WorkerError) as error:
                list(workers.results())
            assert len(str(error.value).partition("\n")[0]) < 200

    def test_an_idle_worker_that_dies_is_replaced(self, pair):
        pair.map(square, range(4))
        victims = [worker.pid for worker in pair._workers]
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(map(is_running, victims)))
        assert pair.map(square, range(10)) == [number * number for number in range(10)]
        assert not any(map(exists, victims))

    @pytest.mark.slow
    def test_workers_killed_at_random_lose_nothing(self):
        random.seed(7)
        with LocalWorkers(2, retries=50) as workers:
            killer = threading.Thread(
                target=kill_at_random, args=(lambda: [w.pid for w in list(workers._workers) if w.is_ready], 1)
            )
            killer.start()
            number = 0
            while killer.is_alive():
                # More than a pipe holds, so that some die in the midst of their answer.
                items = [(number + index, bytes(300_000)) for index in range(20)]
                assert workers.map(functools.partial(pause, 0.05), items) == items
                number += 20
            killer.join()

    def test_workers_that_cannot_start_are_an_error(self, tmp_path):
        """A script without the guard: each worker would start workers of its own."""
        script = tmp_path / "script.py"
        script.write_text(
            "from tengen.cluster import LocalWorkers, WorkerError\n"
            "try:\n"
            "    with LocalWorkers(2) as workers: workers.map(abs, [1])\n"
            "except WorkerError as error: print('caught', error)\n"
        )
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=True)
        assert 'under `if __name__ == "__main__":`' in done.stdout


class TestEnd:
    def test_no_process_is_left(self):
        with LocalWorkers(2) as workers:
            workers.map(pause, [0.1, 0.1])
            pids = [worker.pid for worker in workers._workers]
            assert len(pids) == 2
        assert not any(map(exists, pids))

    def test_busy_and_starting_workers_are_not_waited_for(self):
        with LocalWorkers(2) as workers:
            workers.map(square, [1])
            workers.submit(pause, 36_000)
            workers.submit(pause, 36_000)
            wait_until(lambda: workers._running)
            pids = [worker.pid for worker in workers._workers]
            assert len(pids) == 2
        assert not any(map(exists, pids))

    def test_an_error_in_the_block_ends_them(self):
        workers = LocalWorkers(1)
        workers.submit(pause, 60)
        pids = [worker.pid for worker in workers._workers]
        with pytest.raises(ZeroDivisionError), workers:
            raise ZeroDivisionError
        assert pids
        assert not any(map(exists, pids))

    SCRIPT = """
import os, signal, sys, time
from tengen.cluster import LocalWorkers
from cluster_tasks import pause
if __name__ == "__main__":
    # A shell that starts the tests in the background has SIGINT ignored, and so has every child.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with LocalWorkers(2) as workers:
        workers.map(abs, range(4))
        if sys.argv[1] == "busy":
            for _ in range(2):
                workers.submit(pause, 100)
        try:
            print(*(worker.pid for worker in workers._workers), flush=True)
            list(workers.results())
            time.sleep(100)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    print("ended", flush=True)
"""

    @pytest.fixture(params=["busy", "idle"])
    def program(self, request, tmp_path):
        script = tmp_path / "script.py"
        script.write_text(self.SCRIPT)
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
        with subprocess.Popen(
            [sys.executable, script, request.param],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        ) as program:
            pids = [int(word) for word in program.stdout.readline().split()]
            assert pids
            assert all(map(is_running, pids))
            yield program, pids
            program.kill()

    def test_a_killed_parent_takes_them_along(self, program):
        parent, pids = program
        parent.kill()
        wait_until(lambda: not any(map(is_running, pids)))

    def test_ctrl_c_is_the_parents_affair(self, program):
        parent, pids = program
        os.killpg(parent.pid, signal.SIGINT)
        out, err = parent.communicate(timeout=120)
        assert (out, err) == ("interrupted\nended\n", "")
        assert parent.returncode == 0
        assert not any(map(exists, pids))


class TestOpen:
    @pytest.mark.parametrize(
        ("spec", "size", "inline"),
        [
            ("inline", 1, True),
            (0, 1, True),
            (3, 3, False),
            ("3", 3, False),
            ("local:2", 2, False),
            ("local:0", 1, True),
        ],
    )
    def test_specs(self, spec, size, inline):
        workers = open_workers(spec)
        assert (workers.size, workers._inline) == (size, inline)

    def test_local_is_one_for_each_core(self):
        assert open_workers("local").size == len(os.sched_getaffinity(0))

    @pytest.mark.parametrize("spec", ["auto", "", "remote:2", "local:", "local:x", -1, "2.5", "local:99999"])
    def test_others_are_an_error(self, spec):
        with pytest.raises(ValueError, match="names no workers; there are"):
            open_workers(spec)

    @pytest.mark.parametrize(
        "how", [{"processes": -1}, {"processes": 1, "retries": -1}, {"processes": 2, "inline": True}]
    )
    def test_impossible_numbers(self, how):
        with pytest.raises(ValueError):
            LocalWorkers(**how)
