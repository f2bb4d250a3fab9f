"""GTP between programs: matches with GNU Go, a network, and input that nobody should send."""

import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from gtp_fuzz_lines import ANSWER, feed, harmless, random_line
from gtp_talk import talks
from katago_golden import CONVOLUTIONAL, ROOT, SHARED
from soak.analysis_player import AnalysisPlayer
from soak.gtp_games import distinct_rules, soak

from tengen.games.go.sgf import load_sgf
from tengen.protocols.gtp import GtpError, GtpProgram
from tengen.protocols.program import ProgramFailure

TENGEN = shlex.join([sys.executable, "-c", "from tengen.cli import main; main()"])
MATCH = ROOT / "benchmarks" / "go_match.py"


@pytest.fixture(name="open_talk")
def _open_talk(request):
    return talks(request)


def gnugo():
    """Debian keeps games where root's PATH does not look."""
    found = shutil.which("gnugo", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    if found is None and not os.environ.get("CI"):
        pytest.skip("GNU Go is not installed: apt-get install gnugo")
    assert found
    return found


def network():
    file = SHARED / "nets" / f"{CONVOLUTIONAL}.bin.gz"
    if not file.is_file():
        pytest.skip(f"no network {file}")
    return file


def run_match(folder, *words):
    command = [sys.executable, str(MATCH), "--quiet", "--out", str(folder), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_a_match_with_gnu_go_goes_on_where_it_was(tmp_path):
    players = ["--size", 5, "--komi", 3.5, "--black", f"{TENGEN} gtp --net rollout --visits 20 --threads 1"]
    players += ["--white", f"{gnugo()} --mode gtp --level 1 --chinese-rules"]
    ran = run_match(tmp_path, "--games", 1, *players)
    assert ran.returncode == 0, ran.stderr
    with (tmp_path / "games.jsonl").open("a") as file:
        file.write('{"game": 1, "torn')
    ran = run_match(tmp_path, "--games", 2, *players)
    assert ran.returncode == 0, ran.stderr
    assert "game 1:" not in ran.stdout
    assert "first: 2 games" in ran.stdout
    assert "95 %" in ran.stdout
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert [line["black"] for line in lines] == ["first", "second"]
    for line in lines:
        record = load_sgf(tmp_path / line["sgf"])
        assert len(record.moves) == line["moves"]
        assert record.info.result == line["result"]
    other = run_match(tmp_path, "--games", 2, *players, "--rules", "aga")
    assert other.returncode != 0
    assert "holds another match" in other.stderr


class Sitting:
    """A session in this process, asked as programs are."""

    def __init__(self, talk):
        self._talk = talk

    def ask(self, *words):
        answer = self._talk.send(" ".join(map(str, words)))
        if not answer.startswith("="):
            raise GtpError(answer)
        return answer[1:].strip()

    def close(self): ...


@pytest.mark.slow
@pytest.mark.parametrize("rules", distinct_rules())
def test_whole_games_under_every_rule_set(open_talk, rules):
    """A small version of tests/soak/gtp_games.py."""

    def open_programs(_rules):
        how = {"maxVisits": 60, "allowResignation": "false", "forDeterministicTesting": "true"}
        return [Sitting(open_talk(**how)) for _ in range(2)], (True, True)

    tally = soak(open_programs, rules, games=3, size=4, seed=3)
    assert tally.problems == []
    assert tally.games == 3
    assert tally.moves[1] > 2


class Forgetful(AnalysisPlayer):
    """A program that treats every move of the opponent as a pass."""

    def ask(self, command, *words):
        return super().ask(command, *([words[0], "pass"] if command == "play" else words))


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["japanese", "new-zealand"])
def test_games_against_the_json_protocol(open_talk, rules):
    """Both call the same moves legal at every turn, and agree on what a finished board counts."""

    def open_programs(_rules, player=AnalysisPlayer):
        how = {"maxVisits": 20, "allowResignation": "false", "forDeterministicTesting": "true"}
        return [Sitting(open_talk(**how)), player(visits=20)], (True, True)

    tally = soak(open_programs, rules, games=2, size=4, seed=3)
    assert tally.problems == []
    assert tally.games == 2
    tally = soak(lambda rules: open_programs(rules, Forgetful), rules, games=2, size=4, seed=3)
    assert re.search("the protocol differs about|which is illegal", tally.problems[0])


@pytest.mark.slow
def test_a_network_over_gtp():
    with GtpProgram(f"{TENGEN} gtp -model {network()} --visits 20 --threads 1", quiet=True) as program:
        program.ask("boardsize", 9)
        assert program.ask("genmove", "b") in ("E5", "E4", "E6", "D5", "F5")
        raw = program.ask("kata-raw-nn", 0).split()
        assert raw[:2] == ["symmetry", "0"]
        white, black = (float(raw[raw.index(name) + 1]) for name in ("whiteWin", "whiteLoss"))
        assert white + black == pytest.approx(1, abs=1e-3)
        policy = raw[raw.index("policy") + 1 : raw.index("policyPass")]
        assert len(policy) == 81
        assert policy.count("NAN") == 1
        assert len(raw[raw.index("whiteOwnership") + 1 :]) == 81
        assert program.ask("kata-raw-nn", "all").count("symmetry") == 8
        assert json.loads(program.ask("kata-get-models"))[0]["version"] == 8
        # Five rows are Black's; the White stone in them is dead.
        program.ask("clear_board")
        program.ask("kata-set-rules", "chinese")
        for x in "ABCDEFGHJ":
            program.ask("play", "b", f"{x}5")
            program.ask("play", "w", f"{x}7")
        program.ask("play", "w", "C2")
        assert program.ask("final_status_list", "dead") == "C2"
        assert program.ask("final_score").startswith("B+")


def test_programs_that_fail():
    with pytest.raises(ProgramFailure, match="can't be started"):
        GtpProgram("no-such-program --mode gtp")
    with GtpProgram([sys.executable, "-c", "input()"]) as program, pytest.raises(ProgramFailure, match="has ended"):
        program.ask("name")
    slow = [sys.executable, "-c", "import time; time.sleep(20)"]
    program = GtpProgram(slow, timeout_s=0.1)
    with pytest.raises(ProgramFailure, match=r"no answer within 0\.1 s"):
        program.ask("name")
    program.kill()
    program.close()
    says_no = [sys.executable, "-c", "input(); print('noise'); print('?12 no'); print(); input()"]
    with GtpProgram(says_no) as program, pytest.raises(GtpError, match="'undo' failed: no"):
        program.ask("undo")


def test_no_line_ends_a_session(open_talk):
    talk = open_talk(maxVisits=3, maxTime=1)
    talk.ask("boardsize 5")
    rng = random.Random(11)
    answered = 0
    for _ in range(1500):
        line = random_line(rng)
        if not harmless(line):
            continue
        text, problem = feed(talk, line)
        assert problem is None
        answered += text.startswith("=")
        if answered % 20 == 0:
            talk.ask("boardsize 5")
    assert answered > 300
    assert talk.ask("name") == "Tengen"


@pytest.mark.slow
def test_no_input_ends_the_program():
    rng = random.Random(13)
    lines = [line for line in (random_line(rng) for _ in range(300)) if harmless(line)]
    sent = b"boardsize 5\n" + b"\n".join(lines) + b"\n" + b"x" * (3 << 20) + b"\n12345 name\nquit\n"
    words = ["gtp", "--net", "rollout", "--visits", "2", "--time", "1", "--threads", "1"]
    ran = subprocess.run(
        [sys.executable, "-c", "from tengen.cli import main; main()", *words],
        input=sent,
        capture_output=True,
        timeout=300,
        check=True,
    )
    out = ran.stdout.decode()
    at = 0
    while at < len(out):
        found = ANSWER.match(out, at)
        assert found, out[at : at + 200]
        at = found.end()
    assert out.endswith("=12345 Tengen\n\n=\n\n")
    assert b"Traceback" not in ran.stderr
