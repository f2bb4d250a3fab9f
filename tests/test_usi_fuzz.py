"""Input that nobody should send."""

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usi_fuzz_lines import COMMANDS, UNFIT, WORDS, Tally, random_line
from usi_talk import Talk

LINES = st.one_of(
    st.binary(max_size=60).map(lambda data: data.replace(b"\n", b"")),
    st.builds(
        lambda name, words: " ".join([name, *words]).encode("utf-8", "surrogatepass"),
        st.sampled_from(COMMANDS),
        st.lists(st.sampled_from(WORDS), max_size=8),
    ),
)


@settings(max_examples=25)
@given(st.lists(LINES, max_size=12))
def test_no_lines_end_a_session(lines):
    talk, tally = Talk(), Tally()
    for line in lines:
        if not any(word in line for word in UNFIT):
            tally.feed(talk, line)
    tally.check(talk)
    talk.close()
    assert tally.problems == []


def test_many_lines():
    """A small version of tests/soak/usi_fuzz.py."""
    talk, tally, rng = Talk(pv_interval=1000), Tally(), random.Random(5)
    for number in range(600):
        tally.feed(talk, random_line(rng))
        if number % 100 == 99:
            tally.check(talk)
    talk.close()
    assert tally.problems == []


@pytest.mark.slow
def test_no_input_ends_the_program():
    rng = random.Random(7)
    lines = [random_line(rng) for _ in range(300)]
    sent = b"\xef\xbb\xbfusi\r\n" + b"\n".join(lines) + b"\n" + b"x" * (3 << 20) + b"\nstop\nisready\nquit\n"
    ran = subprocess.run(
        [sys.executable, "-m", "tengen", "usi", "--net", "rollout"],
        input=sent,
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert ran.stdout.isascii()
    assert b"\r" not in ran.stdout
    said = ran.stdout.decode().splitlines()
    assert said[-1] == "readyok"
    assert "usiok" in said
    assert all(
        line.split()[0] in ("id", "option", "usiok", "readyok", "info", "bestmove", "checkmate") for line in said
    )
    assert b"Traceback" not in ran.stderr
