"""Progress of long commands whose output is redirected."""

import pytest
from cli_runner import runner
from matgo_log_maker import write_log

from tengen.console import progress
from tengen.console.progress import Bar


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


class Clock:
    """A clock that the test advances."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)


def told_at(clock, capsys, seconds, **options):
    """The seconds after which a bar that advances every second has printed a line."""
    found = []
    with Bar(**options) as bar:
        bar.begin("reading", 60)
        for second in range(1, seconds + 1):
            clock.now += 1.0
            bar.advance(second, "fast")
            err = capsys.readouterr().err
            if err:
                assert err == f"reading: {second} of 60, fast\n"
                found.append(second)
    return found


def test_plain_lines_come_now_and_then(monkeypatch, capsys):
    clock = Clock(monkeypatch)
    assert told_at(clock, capsys, 35) == [10, 20, 30]
    assert told_at(clock, capsys, 35, has_lines=True) == [1, 11, 21, 31]
    assert told_at(clock, capsys, 9) == []


def test_long_commands_report_progress(run, monkeypatch, tmp_path):
    """Every command with a bar prints lines, if it takes long enough; here nothing is too short."""
    monkeypatch.setattr(progress, "_FIRST_LINE_S", 0.0)
    monkeypatch.setattr(progress, "_GLANCE_S", 0.0)
    write_log(tmp_path / "games.jsonl", games=8)
    inline = ("--workers", "inline")
    for words, line in (
        (("arena", "matgo", "greedy", "random", "--games", 4, *inline), "greedy against random: "),
        (("evaluate", "matgo", "greedy", "random", "--games", 4, *inline), "greedy against random: "),
        (("matgo", "log", "--out", "log.jsonl", "--games", 4, *inline), "self-play of matgo: 0 of 4"),
        (("matgo", "train-policy", "--input", "games.jsonl", "--output", "p.json"), "reading logs (bytes): "),
        (("matgo", "train-value", "--input", "games.jsonl", "--output", "v.json"), "reading logs (bytes): "),
        (("selfplay", "pyrga", "--games", 2, "--mcts-sims", 2, "--out", "games.npz", *inline), " of 2"),
    ):
        ran = run(*words)
        assert ran.code == 0, ran.err
        assert line in ran.err, words
