"""Forms in which logs of Matgo come: without keys, with a byte order mark, compressed, in shards."""

import codecs
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from cli_runner import runner
from matgo_log_maker import log_lines

import tengen
from tengen.labs.matgo.models import POLICY_RULES, policy_samples
from tengen.labs.matgo.traces import TraceError, Tracer, TraceSettings, Watcher, log_files, parse_line, read_log

FAST = ("--games", 8, "--shard-games", 4, "--session-games", 2, "--workers", "inline")


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def without(line, *names):
    game = json.loads(line)
    game["decision_trace"] = [
        {name: value for name, value in record.items() if name not in names} for record in game["decision_trace"]
    ]
    return json.dumps(game)


def count_samples(lines):
    tally = Counter()
    return list(policy_samples([parse_line(line) for line in lines], POLICY_RULES, tally)), tally


# Logs that lack something.


def test_context_keys_are_rebuilt():
    written = [record.ck for line in log_lines() for record in parse_line(line).trace]
    rebuilt = [record.ck for line in log_lines() for record in parse_line(without(line, "ck")).trace]
    assert rebuilt == written
    assert sum("ss=1" in key or "so=1" in key for key in written) > 5
    assert parse_line(without(log_lines()[0], "ck", "dc")).trace[0].ck is None


def test_logs_of_the_first_schema_teach_the_policy():
    """They have neither keys nor candidates: what was chosen is counted, options are measured, too."""
    whole, _ = count_samples(log_lines())
    samples, tally = count_samples(without(line, "ck", "cl") for line in log_lines())
    assert [(one.key, one.chosen) for one in samples] == [(one.key, one.chosen) for one in whole]
    known = [one for one in samples if one.is_complete]
    assert {one.kind for one in known} == {"option"}
    assert [one.candidates for one in known] == [one.candidates for one in whole if one.kind == "option"]
    assert tally["without candidates: counted, not measured"] == len(samples) - len(known) > 0


@pytest.mark.slow
def test_a_policy_is_trained_on_such_a_log(run):
    lines = [without(line, "ck", "cl") for line in log_lines()]
    Path("old.jsonl").write_text("\n".join(lines), encoding="utf-8")
    ran = run(
        "matgo", "train-policy", "--input", "old.jsonl", "--output", "policy.json", "--valid-ratio", 0.5, "--json"
    )
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["samples"] > found["train"]["samples"] + found["valid"]["samples"] > 0


def test_the_context_of_the_end_is_kept_of_a_single_record():
    """Four of a month end the round with the first decision."""
    game = tengen.game("matgo")
    hands = "1g 1r 1pa 1pb 2y 3g 4y 5y 6y 7y 2r 2pa 3r 4r 5r 6r 7r 8g 9y 10y 3pa 4pa 5pa 6pa 7pa 8y 9r 10r"
    rest = "2pb 3pb 4pb 5pb 6pb 7pb 8pa 8pb 9pa 9pb 10pa 10pb 11g 11d 11pa 11pb 12g 12y 12r 12d b2 b3"
    state = game.start(deck=f"{hands} {rest}", starter=0)
    tracer, watcher = Tracer(TraceSettings(), ("mySide", "yourSide"), ("greedy", "greedy")), Watcher(game, state)
    then = state.play("president stop")
    tracer.add(watcher.watch(state, then.history[-1], then))
    assert then.is_over
    (record,) = tracer.records()
    assert parse_line(json.dumps({"decision_trace": [record]})).trace[0].triggers[-1] == "terminalContext"


# Files.


def test_a_byte_order_mark_is_read(tmp_path):
    lines = [line.encode() for line in log_lines()[:3]]
    marked = [codecs.BOM_UTF8 + lines[0], lines[1], codecs.BOM_UTF8 + lines[2], codecs.BOM_UTF8 + b"\n"]
    assert list(read_log(marked)) == list(read_log(lines))
    assert list(read_log([codecs.BOM_UTF8.decode() + lines[0].decode()])) == list(read_log(lines[:1]))


def test_a_byte_order_mark_is_written_on_request(run):
    assert run("matgo", "log", "--out", "plain.jsonl", *FAST, "--emit-train-splits").code == 0
    assert (
        run("matgo", "log", "--out", "marked.jsonl", *FAST, "--emit-train-splits", "--bom", "--keep-shards").code == 0
    )
    for end in (".jsonl", ".train_policy.jsonl", "-report.json"):
        plain, marked = Path(f"plain{end}").read_bytes(), Path(f"marked{end}").read_bytes()
        assert marked == codecs.BOM_UTF8 + plain
    for number in (0, 1):
        assert Path(f"marked.shards/part-0000{number}.jsonl").read_bytes().startswith(codecs.BOM_UTF8)
    rules = Path("rules.json")
    rules.write_bytes(codecs.BOM_UTF8 + b'{"min_candidate_count": 3}')
    for name in ("plain", "marked"):
        ran = run(
            *("matgo", "train-policy", "--input", f"{name}.jsonl", "--output", f"{name}.json", "--json"),
            *("--filter-rules", rules),
        )
        assert ran.code == 0, ran.err
    assert (
        json.loads(Path("plain.json").read_bytes())["counts"] == json.loads(Path("marked.json").read_bytes())["counts"]
    )


def test_compressed_logs_are_written_and_read(run):
    assert run("matgo", "log", "--out", "plain.jsonl", *FAST, "--emit-train-splits").code == 0
    assert run("matgo", "log", "--out", "packed.jsonl.gz", *FAST, "--emit-train-splits").code == 0
    for end in (".jsonl", ".train_policy.jsonl"):
        assert gzip.decompress(Path(f"packed{end}.gz").read_bytes()) == Path(f"plain{end}").read_bytes()
    assert Path("packed-report.json").read_bytes() == Path("plain-report.json").read_bytes()
    for name in ("plain.jsonl", "packed.jsonl.gz", "packed.train_policy.jsonl.gz"):
        ran = run("matgo", "train-policy", "--input", name, "--output", f"{name}.json", "--json")
        assert ran.code == 0, ran.err
    counts = [json.loads(Path(f"{name}.json").read_bytes())["counts"] for name in ("plain.jsonl", "packed.jsonl.gz")]
    assert counts[0] == counts[1]


def test_a_compressed_log_cannot_fill_the_memory(run, monkeypatch, tmp_path):
    Path("bomb.jsonl.gz").write_bytes(gzip.compress(b"\n" + b" " * 100_000))
    with monkeypatch.context() as patch:
        patch.setattr(log_files, "MAX_LINE_BYTES", 1000)
        ran = run("matgo", "train-policy", "--input", "bomb.jsonl.gz", "--output", "p.json")
    assert ran.code == 2
    assert "bomb.jsonl.gz, line 2: longer than 1,000 bytes" in ran.err
    data = gzip.compress("\n".join(log_lines()[:4]).encode())
    for damaged in (data[:-20], data[:100] + b"????" + data[104:]):
        (tmp_path / "cut.gz").write_bytes(damaged)
        with pytest.raises(TraceError, match=r"cut\.gz, after line \d+: the compressed data is damaged"):
            list(log_files.read_lines(tmp_path / "cut.gz"))


# Shards.


def test_shards_come_with_a_report(run):
    assert run("matgo", "log", "--out", "whole.jsonl", *FAST).code == 0
    ran = run("matgo", "log", "--out", "parts.jsonl", *FAST, "--shard-only")
    assert ran.code == 0, ran.err
    assert not Path("parts.jsonl").exists()
    assert Path("parts-report.json").read_bytes() == Path("whole-report.json").read_bytes()
    assert "parts-report.json" in ran.out
    assert run("matgo", "log", "--out", "parts.jsonl", *FAST).code == 0
    assert Path("parts.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_patterns_of_shards_find_logs_only(run):
    assert run("matgo", "log", "--out", "parts.jsonl", *FAST, "--shard-only", "--emit-train-splits").code == 0
    for pattern in ("parts.shards/*.jsonl", "parts.shards/part-*.jsonl"):
        assert sorted(path.name for path in Path().glob(pattern)) == ["part-00000.jsonl", "part-00001.jsonl"]
    for pattern in ("parts.shards/*.jsonl", "parts.shards/splits/*.train_policy.jsonl"):
        ran = run("matgo", "train-policy", "--input", pattern, "--output", "p.json", "--json", "--force")
        assert ran.code == 0, ran.err
        assert json.loads(ran.out)["tally"]["games"] == 8


def test_the_size_of_shards_follows_the_sessions(run):
    ran = run("matgo", "log", "--out", "log.jsonl", "--games", 4, "--session-games", 3, "--workers", "inline")
    assert ran.code == 0, ran.err
    refused = run("matgo", "log", "--out", "other.jsonl", "--games", 4, "--session-games", 3, "--shard-games", 8)
    assert refused.code == 2
    assert "--shard-games is 8 and must be a multiple of 6" in refused.err
    assert "a multiple of twice" in run("matgo", "log", "--help").out
