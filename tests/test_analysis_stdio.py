"""The engine as programs start it: on its standard input and output."""

import json
import os
import select
import signal
import time
from pathlib import Path

import pytest
from analysis_process import READY, TIMEOUT_S, Process, finals, forever, is_final, query
from cli_runner import runner

pytestmark = pytest.mark.slow  # each starts a process


@pytest.fixture
def engine():
    with Process() as process:
        yield process


def test_the_end_of_the_input_finishes_the_queue(engine):
    assert engine.told[-1] == READY
    assert "connect_four" in engine.told[0]
    engine.send(*(query(str(i), 2000, analyzeTurns=[0]) for i in range(20)))
    answers, code = engine.end()
    assert code == 0
    assert finals(answers) == sorted((str(i), 0) for i in range(20))
    assert {answer["rootInfo"]["visits"] for answer in answers} == {2000}
    assert engine.err.rest() == []


def test_lines_as_programs_write_them(engine):
    """Blank lines, other line ends, a byte order mark, a line too long, and one without an end."""
    engine.write(b"\n\r\n   \n")
    engine.write(b"\xef\xbb\xbf" + json.dumps(query("bom")).encode() + b"\r\n")
    engine.write(b'{"id":"long","moves":["' + b"x" * (5 << 20) + b'"]}\n')
    engine.write(b"x" * (13 << 20) + b"\n")
    engine.write(b"\xff\xfe\n" + b"[" * 100_000 + b"\n" + b'{"id":"half \xe2\x82')
    engine.write(b"\n")
    engine.write(json.dumps(query("unterminated")).encode())
    answers, code = engine.end()
    assert code == 0
    assert finals(answers) == [("bom", 0), ("unterminated", 0)]
    errors = [answer["error"] for answer in answers if not is_final(answer)]
    assert len(errors) == 5
    assert ["too long" in error for error in errors] == [True, True, False, False, False]
    assert ["UTF-8" in error for error in errors] == [False, False, True, False, True]
    assert "nested deeper" in errors[3]


def test_a_long_line_without_an_end_is_one_error(engine):
    engine.send(query("a"))
    engine.write(b"y" * (13 << 20))
    answers, code = engine.end()
    assert code == 0
    assert ["error" in answer for answer in answers].count(True) == 1
    assert finals(answers) == [("a", 0)]


def test_orders_of_terminate(engine):
    """What waits is answered before the echo, what runs after it; every turn once."""
    engine.send(forever("runs", reportDuringSearchEvery=0.02))
    engine.until(lambda answer: answer.get("isDuringSearch"))
    engine.send(forever("waits", moves=["a", "b"], analyzeTurns=[0, 1, 2]), query("other"))
    engine.send({"id": "t1", "action": "terminate", "terminateId": "waits", "turnNumbers": [1]})
    first = engine.until(lambda answer: answer.get("action") == "terminate")
    assert [answer for answer in first if is_final(answer)] == [
        {"id": "waits", "isDuringSearch": False, "noResults": True, "turnNumber": 1}
    ]
    assert first[-1] == {"id": "t1", "action": "terminate", "terminateId": "waits", "turnNumbers": [1]}
    engine.send({"id": "t2", "action": "terminate", "terminateId": "runs"}, forever("runs"))
    second = engine.until(is_final)
    echo = next(i for i, answer in enumerate(second) if answer.get("id") == "t2")
    assert second[-1]["id"] == "runs"
    assert second[-1]["rootInfo"]["visits"] > 0
    assert echo < len(second) - 1
    engine.send({"id": "t3", "action": "terminate_all"}, {"id": "t4", "action": "terminate", "terminateId": "nothing"})
    third, code = engine.end()
    assert code == 0
    assert finals([*first, *second, *third]) == sorted(
        [("other", 0), ("runs", 0), ("runs", 0), ("waits", 0), ("waits", 1), ("waits", 2)]
    )
    assert [answer["id"] for answer in third if "action" in answer] == ["t3", "t4"]


def test_ids_that_are_given_twice_are_answered_twice(engine):
    engine.send(query("same"), query("same"), query("", 3))
    answers, code = engine.end()
    assert code == 0
    assert finals(answers) == [("", 0), ("same", 0), ("same", 0)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_every_open_query(engine, number):
    engine.send(forever("runs", reportDuringSearchEvery=0.02), forever("waits", moves=["a"], analyzeTurns=[0, 1]))
    engine.send(*(query(f"later {i}", 10) for i in range(50)))
    engine.until(lambda answer: answer.get("isDuringSearch"))
    answers, code = engine.end(number)
    assert code == 0
    assert finals(answers) == sorted([("runs", 0), ("waits", 0), ("waits", 1), *((f"later {i}", 0) for i in range(50))])
    assert next(answer for answer in answers if answer["id"] == "runs" and is_final(answer))["rootInfo"]["visits"] > 0


def test_a_signal_is_heard_after_the_input_has_ended(engine):
    engine.send(forever("runs", reportDuringSearchEvery=0.02), forever("waits"))
    engine.until(lambda answer: answer.get("isDuringSearch"))
    engine.process.stdin.close()
    for _ in range(3):
        engine.next()
    answers, code = engine.end(signal.SIGTERM)
    assert code == 0
    assert finals(answers) == [("runs", 0), ("waits", 0)]


def test_a_signal_in_the_middle_of_many_lines(engine):
    """Whatever was begun is answered, the rest is not read."""
    engine.send(*(query(str(i), 3) for i in range(3000)))
    engine.next()
    answers, code = engine.end(signal.SIGTERM)
    assert code == 0
    names = [name for name, _ in finals(answers)]
    assert len(names) == len(set(names)) >= 1


def test_quitting_without_waiting():
    with Process("-quit-without-waiting", "-override-config", "numAnalysisThreads=1") as engine:
        engine.send(forever("runs", reportDuringSearchEvery=0.02), forever("waits"))
        engine.until(lambda answer: answer.get("isDuringSearch"))
        answers, code = engine.end()
    assert code == 0
    assert finals(answers) == [("runs", 0), ("waits", 0)]
    assert [answer for answer in answers if answer.get("noResults")] == [
        {"id": "waits", "isDuringSearch": False, "noResults": True, "turnNumber": 0}
    ]


@pytest.mark.parametrize("is_idle", [True, False])
def test_a_reader_that_goes_away_ends_it_quietly(is_idle):
    """Also one whose answers are far away."""
    ours, theirs = os.pipe()
    with Process(stdout=theirs) as engine:
        os.close(theirs)
        engine.send(forever("a", **({} if is_idle else {"reportDuringSearchEvery": 0.02})), forever("b"))
        if not is_idle:
            assert os.read(ours, 1)
        os.close(ours)
        assert engine.process.wait(TIMEOUT_S) == 0
        assert engine.err.rest() == []


def test_nobody_reads_the_log():
    """A program that never reads the errors does not stop the engine."""
    ours, theirs = os.pipe()
    with Process(wait=None, stderr=theirs) as engine:
        os.close(theirs)
        engine.write(b"".join(b"not json %d\n" % i for i in range(5000)))
        answers, code = engine.end()
    os.close(ours)
    assert code == 0
    assert len(answers) == 5000


def test_a_program_that_writes_everything_before_it_reads():
    """Neither errors nor answers that are not read keep the engine from reading on."""
    ours, theirs = os.pipe()
    with Process(stdout=theirs) as engine, os.fdopen(ours) as answers:
        os.close(theirs)
        engine.send(*(query(str(i), 1, nonsense=1) for i in range(2000)))
        engine.process.stdin.close()
        found = [json.loads(line) for line in answers]
        assert engine.process.wait(TIMEOUT_S) == 0
    assert len(finals(found)) == 2000
    assert sum("warning" in answer for answer in found) == 2000


def test_both_spellings_of_options(tmp_path):
    config = tmp_path / "a.cfg"
    config.write_text("maxVisits = 7\nnumAnalysisThreads = 2\nnonsense = 1\n")
    for dash in ("-", "--"):
        words = [f"{dash}config", config, f"{dash}override-config", "analysisPVLen=3,maxVisits=9"]
        with Process(*words, f"{dash}analysis-threads", "3", f"{dash}model", "rollout", net=None) as engine:
            assert any("Unused key 'nonsense'" in line for line in engine.told)
            engine.send({"id": "a", "moves": []}, {"id": "v", "action": "query_models"})
            answers, code = engine.end()
            assert code == 0
            by_id = {answer["id"]: answer for answer in answers}
            assert by_id["a"]["rootInfo"]["visits"] == 9
            assert by_id["v"]["models"][0]["name"] == "rollout"


def test_starts_that_are_refused(tmp_path, monkeypatch, capsys):
    run = runner(monkeypatch, capsys)
    (tmp_path / "bad.cfg").write_text("maxVisits = many\n")
    refused = {
        ("analyze", "connect_four", "--config", str(tmp_path / "none.cfg")): "none.cfg",
        ("analyze", "connect_four", "--config", str(tmp_path / "bad.cfg")): "maxVisits",
        ("analyze", "connect_four", "--override-config", "maxVisits=0"): "maxVisits",
        ("analyze", "connect_four", "--net", "nothing.onnx"): "nothing.onnx",
        ("analyze", "no_such_game"): "no_such_game",
        ("analyze", "connect_four", "--listen", "nowhere"): "HOST:PORT",
        ("analyze", "connect_four", "--listen", "0.0.0.0:0", "--token", " "): "token",
        ("analyze", "connect_four", "--origin", "http://a"): "--listen",
    }
    for words, named in refused.items():
        done = run(*words)
        assert (done.code, done.out) == (2, ""), (words, done)
        assert named in done.err
        assert len(done.err.splitlines()) == 1, done.err


def test_answers_that_cannot_be_written_are_an_error():
    with Path("/dev/full").open("wb") as full, Process(stdout=full) as engine:
        engine.send(query("a"))
        assert engine.process.wait(TIMEOUT_S) == 1
        assert any(b"could not be written" in line for line in engine.err.rest())


def test_a_reader_that_never_reads_does_not_keep_it_from_ending():
    """It waits for the reader, but not for ever once it is asked to end."""
    ours, theirs = os.pipe()
    quick = "import tengen.analysis.stdio as stdio; stdio.GRACE_S = 0.5; stdio.MAX_WAITING_BYTES = 100_000; "
    with Process(stdout=theirs, before=quick) as engine:
        engine.send(*(query(str(i), 100) for i in range(500)))
        engine.process.stdin.close()
        until = time.monotonic() + TIMEOUT_S
        while select.select([], [theirs], [], 0)[1]:  # the pipe has room yet
            assert time.monotonic() < until
            time.sleep(0.02)
        assert engine.process.poll() is None
        engine.process.send_signal(signal.SIGTERM)
        assert engine.process.wait(TIMEOUT_S) == 1
        assert any(b"nobody read" in line for line in engine.err.rest())
    os.close(theirs)
    os.close(ours)


def test_a_log_of_everything():
    with Process("--override-config", "logAllRequests=true,logAllResponses=true,logErrorsAndWarnings=true") as engine:
        engine.send(query("a"), query("b", 0))
        answers, code = engine.end()
        log = b"".join(engine.err.rest()).decode()
    assert code == 0
    assert len(answers) == 2
    assert [log.count(word) for word in ("Request:", "Response:", "Error:")] == [2, 2, 1]


def test_it_is_not_busy_while_nothing_is_asked(engine):
    engine.send(query("a"))
    engine.next()

    def ticks():
        fields = Path(f"/proc/{engine.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    before = ticks()
    time.sleep(1)
    assert ticks() - before < 20
