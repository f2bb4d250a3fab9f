"""Recorded talks with KataGo v1.17.2 that depend on time, and some that go through the real process."""

import json
import os
import subprocess
import sys
import threading

import pytest
from katago_cases import GOLDEN_CONFIG, lines_of, load_cases
from katago_golden import CONVOLUTIONAL, network_file

from tengen.analysis.config import load_config
from tengen.analysis.engine import Engine
from tengen.analysis.service import Service
from tengen.nets.katago import KataGo

CASES = load_cases()
TIMED = sorted(name for name, case in CASES.items() if case["timingDependent"])
TIMEOUT_S = 120


class Counted(KataGo):
    """Says how many batches it has answered."""

    def __init__(self, network):
        super().__init__(network, symmetry=0, threads=2)
        self.batches = 0
        self.changed = threading.Condition()

    def evaluate_raw(self, leaves, states):
        answer = super().evaluate_raw(leaves, states)
        with self.changed:
            self.batches += 1
            self.changed.notify_all()
        return answer

    def wait(self, batches):
        """Until so many more are answered."""
        with self.changed:
            wanted = self.batches + batches
            assert self.changed.wait_for(lambda: self.batches >= wanted, TIMEOUT_S)


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "CONFIG"
    path.write_text(GOLDEN_CONFIG)
    return path


def kind(answer):
    """What an answer is, whatever its numbers."""
    if "action" in answer:
        return "echo", answer["id"]
    if answer["isDuringSearch"]:
        return "report", answer["id"], answer["turnNumber"]
    return "none" if answer.get("noResults") else "last", answer["id"], answer["turnNumber"]


def talk(answers):
    """The kinds in order, reports that follow each other once."""
    kinds = [kind(answer) for answer in answers]
    return [one for i, one in enumerate(kinds) if one[0] != "report" or i == 0 or kinds[i - 1] != one]


@pytest.mark.parametrize("name", TIMED)
def test_answers_come_in_the_recorded_order(config, name, monkeypatch):
    """What waits is answered before the echo, what runs after it, and every turn once."""
    monkeypatch.setattr("tengen.analysis.search_runner.TIMED_S", float("inf"))  # no warning where the machine is busy
    evaluator = Counted(network_file(CONVOLUTIONAL))
    answers = []
    reported = threading.Event()

    def hear(line):
        answers.append(json.loads(line))
        if kind(answers[-1])[0] == "report":
            reported.set()

    with Engine("go", evaluator, config=load_config([config])) as engine:
        session = Service(engine).connect(hear)
        for request in CASES[name]["requests"]:
            if "sleep" in request:
                evaluator.wait(20)  # something runs
                if any("reportDuringSearchEvery" in sent for sent in CASES[name]["requests"]):
                    assert reported.wait(TIMEOUT_S)
                continue
            session.handle(json.dumps(request))
        assert session.drain(TIMEOUT_S)
    wanted = CASES[name]["responses"]
    assert talk(answers) == talk(wanted)
    for ours in answers:
        theirs = next(one for one in wanted if kind(one) == kind(ours))
        assert ours.keys() == theirs.keys()
    finals = [kind(answer)[1:] for answer in answers if answer.get("isDuringSearch") is False]
    assert len(finals) == len(set(finals))


PROCESS = (
    "raw_g9_t20_hist",
    "act_unknown",
    "err_board_29_ogatak_probe",
    "err_empty_line_then_version",
    "err_unicode_id",
    "err_override_range",
    "err_unknown_field",
)


def flat(part, path=""):
    """(path, value) of everything in an answer; git_hash is each program's own."""
    if isinstance(part, dict | list):
        for key, below in part.items() if isinstance(part, dict) else enumerate(part):
            if key != "git_hash":
                yield from flat(below, f"{path}.{key}")
    else:
        yield path, part


@pytest.mark.slow
def test_the_process_says_the_same(config):
    """Started as programs start KataGo, its options with one dash."""
    words = ["analysis", "-config", config, "-model", network_file(CONVOLUTIONAL), "-analysis-threads", "1"]
    command = [sys.executable, "-c", "import tengen.cli; tengen.cli.main()", *map(str, words)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, **pipes) as process:
        for name in PROCESS:
            process.stdin.write(b"".join(lines_of(CASES[name])))
            process.stdin.flush()
            wanted = CASES[name]["responses"]
            found = [json.loads(process.stdout.readline()) for _ in wanted]
            expected = {
                path: pytest.approx(value, abs=1e-4, rel=1e-4) if isinstance(value, float) else value
                for path, value in flat(wanted)
            }
            assert dict(flat(found)) == expected
        process.stdin.close()
        assert process.wait(TIMEOUT_S) == 0
        assert process.stdout.read() == b""
        assert b"Started, ready to begin handling requests\n" in process.stderr.read()
