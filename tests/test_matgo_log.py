"""`tengen matgo log`: sessions, pairs, exploration, shards and the report."""

import json
import math
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runner import runner

import tengen
from tengen.arena.statistics import paired_mean, paired_ratio, wilson
from tengen.games.matgo import GoldSeriesSettings
from tengen.labs.matgo.commands.log_players import SideOptions
from tengen.labs.matgo.commands.log_report import Report
from tengen.labs.matgo.series_play import ComebackExploration, play_series
from tengen.labs.matgo.traces import (
    LogSettings,
    TraceSettings,
    deck_of,
    make_series,
    parse_line,
    replay,
    with_carries,
)

pytestmark = pytest.mark.slow  # they play, write and train over and over

GAME = tengen.game("matgo")
GAMES = 100
FAST = ("--games", 24, "--shard-games", 8, "--session-games", 2)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def read(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


class Greedy:
    name = "greedy"

    def choose(self, states, seats, seeds):
        return [GAME.greedy(state) for state in states]


class Random:
    name = "random"

    def choose(self, states, seats, seeds):
        return [random.Random(d).choice(state.legal()) for state, d in zip(states, seeds, strict=True)]


def play(plan, players, exploration=ComebackExploration(), fallback=None, pairs=None):  # noqa: B008 - a value
    found = make_series(GAME, plan, pairs or range(plan.pairs))
    play_series(found, players, exploration, fallback)
    return sorted((game for one_series in found for game in one_series.games), key=lambda game: game.game)


# Pairs and sessions.


def test_every_deal_is_played_from_both_seats():
    games = [parse_line(game.line) for game in play(LogSettings(40, session_games=5), [Greedy(), Random()])]
    assert [game.game for game in games] == list(range(40))
    for one, other in zip(games[0::2], games[1::2], strict=True):
        assert one.seed == other.seed
        assert {one.first, other.first} == {"mySide", "yourSide"}
    assert len({game.seed for game in games}) == 20
    for mirrored in (0, 1):
        firsts = [game.first for game in games[mirrored::2]]
        assert all(a != b for a, b in zip(firsts[0::2], firsts[1::2], strict=True))


def test_equal_players_are_equal_in_every_pair():
    """The first mover has the advantage, and both begin with the same cards: pairs cancel out exactly."""
    games = [json.loads(game.line) for game in play(LogSettings(80, session_games=1), [Greedy(), Greedy()])]
    for one, other in zip(games[0::2], games[1::2], strict=True):
        assert one["goldDeltaMy"] == -other["goldDeltaMy"]


def test_gold_and_carry_go_on_in_a_session():
    settings = GoldSeriesSettings(start_gold=4000)
    games = play(LogSettings(120, session_games=20, session=settings), [Greedy(), Random()], ComebackExploration(0.05))
    lines = [json.loads(game.line) for game in games]
    resets = 0
    for mirrored in (0, 1):
        gold = None
        for number, line in enumerate(lines[mirrored::2]):
            if number % 20 == 0 or 0 in gold:
                resets += number % 20 != 0
                gold = (4000, 4000)
            assert (line["initialGoldMy"], line["initialGoldYour"]) == gold
            gold = (line["finalGoldMy"], line["finalGoldYour"])
            assert sum(gold) == 8000
            assert line["goldDeltaMy"] == gold[0] - line["initialGoldMy"]
            assert line["bankrupt"] == {"mySide": gold[0] == 0, "yourSide": gold[1] == 0}
    report = Report([game.figures for game in games]).values()["bankrupt"]
    assert report["resets"] == sum(0 in (line["finalGoldMy"], line["finalGoldYour"]) for line in lines)
    assert report["inflicted"] + report["suffered"] == report["resets"] >= resets > 12
    assert report["inflicted"] > report["suffered"]
    assert report["diff"] == report["inflicted"] - report["suffered"]


def test_a_nagari_is_carried_over():
    """Rules under which it comes often."""
    game = tengen.game("matgo", floor_four="nagari", go_min=12, exhaustion_min=12)
    plan = LogSettings(120, session_games=30, trace=TraceSettings(important_only=False))
    found = make_series(game, plan, range(60))

    class Own(Greedy):
        def choose(self, states, seats, seeds):
            return [game.greedy(state) for state in states]

    play_series(found, [Own(), Own()], ComebackExploration())
    games = sorted((one for one_series in found for one in one_series.games), key=lambda one: one.game)
    doubled = 0
    for log, carry in with_carries([parse_line(one.line) for one in games], 30):
        figures = games[log.game].figures
        assert figures["carry"] == carry
        doubled += carry > 1
        assert bool(figures.get("nagari")) == (log.winner == "draw")
        if log.trace:
            list(replay(game, log, carry))  # raises if the gold of its go and stop were others
    assert doubled > 5


def test_sessions_are_whole():
    with pytest.raises(ValueError, match="not whole sessions of 4"):
        make_series(GAME, LogSettings(40, session_games=4), range(2, 6))
    with pytest.raises(ValueError, match="must be even"):
        LogSettings(7)


def test_what_is_played_does_not_depend_on_the_portions():
    plan = LogSettings(48, session_games=4, labels=("greedy", "random"))
    whole = play(plan, [Greedy(), Random()], ComebackExploration(0.05, 0.1, 2.0))
    parts = [
        play(plan, [Greedy(), Random()], ComebackExploration(0.05, 0.1, 2.0), pairs=range(i, i + 8))
        for i in range(0, 24, 8)
    ]
    assert whole == [game for part in parts for game in part]


# Exploration and fallbacks.


def test_exploration_falls_as_written():
    rates = ComebackExploration(0.006, 0.012, 3.0, 0.001, 0.002)
    assert rates.at(0) == 0.006
    assert rates.at(0, is_comeback=True) == 0.012
    assert rates.at(1) == pytest.approx(0.001 + 0.005 * math.exp(-3))
    assert rates.at(0.5, is_comeback=True) == pytest.approx(0.002 + 0.010 * math.exp(-1.5))
    assert ComebackExploration(0.5).at(1) == 0.5
    with pytest.raises(ValueError, match="rate is 2 and must be from 0 to 1"):
        ComebackExploration(2)


@pytest.mark.slow
def test_exploration_happens_as_often_as_asked():
    games = play(LogSettings(200), [Greedy(), Greedy()], ComebackExploration(0.25, 1.0))
    decisions = sum(game.figures.get("decisions", 0) for game in games)
    explored = sum(game.figures.get("explored", 0) for game in games)
    assert 0.25 < explored / decisions < 0.40
    late = play(LogSettings(200), [Greedy(), Greedy()], ComebackExploration(0.25, 0.25, 5.0))
    shares = [
        sum(game.figures.get("explored", 0) for game in part) / sum(game.figures.get("decisions", 0) for game in part)
        for part in (late[:50], late[150:])
    ]
    assert shares[0] > 0.12 > 0.03 > shares[1] > 0


class Broken:
    """Fails in the play phase of every third state."""

    name = "broken"

    def choose(self, states, seats, seeds):
        if any(seed % 3 == 0 for seed in seeds):
            raise ValueError("no answer for this context")
        return [GAME.greedy(state) for state in states]


def test_a_failing_model_is_an_error_or_a_counted_fallback():
    plan = LogSettings(20, session_games=5)
    with pytest.raises(ValueError, match="no answer for this context"):
        play(plan, [Broken(), Greedy()])
    games = play(plan, [Broken(), Greedy()], fallback=GAME.builtin_player("greedy"))
    fell_back = sum(game.figures.get("fallbacks", 0) for game in games)
    assert 0.1 < fell_back / sum(game.figures.get("decisions", 0) for game in games) < 0.25
    assert [g.line for g in games] == [g.line for g in play(plan, [Greedy(), Greedy()])]


class Cheat(Greedy):
    def choose(self, states, seats, seeds):
        return [166 for _ in states]


def test_an_illegal_choice_is_never_played():
    with pytest.raises(ValueError, match="illegal for player"):
        play(LogSettings(2), [Cheat(), Greedy()])


# The report.


def test_ratios_have_honest_intervals():
    rng = random.Random(1)
    inside = 0
    for _ in range(300):
        chances = [rng.randrange(4) for _ in range(400)]
        counts = [sum(rng.random() < 0.3 for _ in range(tried)) for tried in chances]
        found = paired_ratio(counts, chances)
        inside += found.low <= 0.3 <= found.high
    assert 0.91 <= inside / 300 <= 0.985
    assert paired_ratio([0, 0], [0, 0]) is None
    # Pairs that say the same twice say less.
    doubled = paired_ratio([1, 1, 0, 0] * 50, [1] * 200)
    plain = wilson(0.5, 200)
    assert doubled.high - doubled.low > 1.3 * (plain.high - plain.low)


def test_a_report_counts_what_the_log_says():
    games = play(LogSettings(GAMES, session_games=50), [Greedy(), Random()], ComebackExploration(0.02))
    lines = [json.loads(game.line) for game in games]
    values = Report([game.figures for game in games]).values()
    deltas = [line["goldDeltaMy"] for line in lines]
    mean = paired_mean(deltas)
    assert values["economy"]["averageGoldDeltaMySide"] == {"value": mean.value, "low": mean.low, "high": mean.high}
    assert values["economy"]["averageGoldDeltaMySide"]["value"] == pytest.approx(sum(deltas) / GAMES)
    assert values["economy"]["cumulativeGoldDeltaOver1000"]["value"] == pytest.approx(1000 * sum(deltas) / GAMES)
    assert values["economy"]["cumulativeGoldDeltaMySideFirst1000"]["value"] == pytest.approx(sum(deltas))
    for side, name in (("mySide", "mySide"), ("yourSide", "yourSide"), ("draw", "draw")):
        assert values["winners"][side] == sum(line["winner"] == name for line in lines)
    assert values["sideStats"]["mySideWinRate"]["value"] == values["winners"]["mySide"] / GAMES
    assert values["games"] == GAMES
    for rate in (values["sideStats"]["mySideWinRate"], values["goStop"]["total"]["goFailRate"]):
        assert rate["low"] < rate["value"] < rate["high"]
    go = values["goStop"]["total"]
    assert go["goSuccessRate"]["value"] == pytest.approx(1 - go["goFailRate"]["value"])


def test_baks_are_those_that_the_winner_inflicts():
    plan = LogSettings(100, session_games=50, trace=TraceSettings(important_only=False))
    games = play(plan, [Greedy(), Random()])
    expected = dict.fromkeys(("piBak", "gwangBak", "mongBak", "goBak"), 0)
    wins = 0
    for one in games:
        log = parse_line(one.line)
        state = GAME.start(deck=deck_of(GAME, log.seed), starter=0, gold=tuple(int(v[0]) for v in log.gold.values()))
        if log.trace:
            *_, last = replay(GAME, log)
            state = last.state.play(last.asked.action(last.record.ch))
        view = GAME.view(state)
        my_seat = 0 if log.first == "mySide" else 1
        if view.winner == my_seat and view.ending in (1, 5):
            own = view.multipliers[view.winner]
            wins += 1
            for name, there in zip(expected, (own.pi_bak, own.gwang_bak, own.mong_bak, own.go_bak), strict=True):
                expected[name] += there
    shares = Report([game.figures for game in games]).values()["bakShares"]["mySide"]
    assert {name: share["value"] for name, share in shares.items()} == {
        name: pytest.approx(count / wins) for name, count in expected.items()
    }
    assert expected["piBak"] > 10


# The command.


def test_the_same_seed_gives_the_same_bytes_whoever_works(run):
    for name, workers in (("one", "inline"), ("two", 2)):
        ran = run("matgo", "log", "--out", f"{name}.jsonl", *FAST, "--workers", workers, "--emit-train-splits")
        assert ran.code == 0, ran.err
    for end in (".jsonl", "-report.json", ".train_policy.jsonl"):
        assert Path(f"one{end}").read_bytes() == Path(f"two{end}").read_bytes()
    assert [line["game"] for line in read("one.jsonl")] == list(range(24))
    assert not Path("one.shards").exists()
    assert run("matgo", "log", "--out", "other.jsonl", *FAST, "--seed", 1, "--workers", "inline").code == 0
    assert Path("other.jsonl").read_bytes() != Path("one.jsonl").read_bytes()
    assert "gold a game, mySide" in ran.out


def test_shards_are_left_and_gone_on_with(run):
    command = ("matgo", "log", "--out", "log.jsonl", *FAST, "--workers", "inline")
    assert run(*command, "--shard-only", "--emit-train-splits").code == 0
    assert not Path("log.jsonl").exists()
    folder = Path("log.shards")
    parts = {path.name: path.read_bytes() for path in folder.rglob("part-*")}
    assert {name for name in parts if "00001" in name} == {
        *(f"part-00001.{end}" for end in ("jsonl", "figures", "train_policy.jsonl", "done"))
    }
    # One part was never finished, another is damaged: both are made again, the rest stays.
    (folder / "part-00001.done").unlink()
    (folder / "part-00002.jsonl").write_bytes(b"{}\n")
    kept = (folder / "part-00000.jsonl").stat().st_mtime_ns
    assert run(*command, "--shard-only", "--emit-train-splits").code == 0
    assert {path.name: path.read_bytes() for path in folder.rglob("part-*")} == parts
    assert (folder / "part-00000.jsonl").stat().st_mtime_ns == kept
    refused = run(*command, "--seed", 5)
    assert refused.code == 2
    assert "was begun with other settings (" in refused.err
    assert "run.seed is 0 there and 5 here" in refused.err
    assert {path.name: path.read_bytes() for path in folder.rglob("part-*")} == parts
    assert run(*command, "--emit-train-splits", "--keep-shards").code == 0
    assert Path("log.jsonl").read_bytes() == b"".join(parts[f"part-0000{i}.jsonl"] for i in range(3))
    assert folder.exists()


@pytest.mark.slow
def test_a_killed_run_goes_on(tmp_path):
    program = Path(sys.executable).with_name("tengen")
    command = [program, "matgo", "log", "--games", "40", "--shard-games", "4", "--session-games", "2"]
    whole = subprocess.run([*command, "--out", "a.jsonl", "--workers", "inline"], cwd=tmp_path, check=False)
    assert whole.returncode == 0
    victim = subprocess.Popen([*command, "--out", "b.jsonl", "--workers", "1"], cwd=tmp_path)
    while victim.poll() is None and len(list(tmp_path.glob("b.shards/*.done"))) < 3:
        time.sleep(0.02)
    victim.kill()
    victim.wait()
    again = subprocess.run([*command, "--out", "b.jsonl"], cwd=tmp_path, check=False)
    assert again.returncode == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_json_and_delta(run):
    ran = run("matgo", "log", "--out", "d.jsonl", *FAST, "--log-mode", "delta", "--json", "--workers", "inline")
    assert ran.code == 0
    report = json.loads(ran.out)
    assert report == json.loads(Path("d-report.json").read_text(encoding="utf-8"))
    assert report["logMode"] == "delta"
    assert report["players"] == {"mySide": "greedy", "yourSide": "greedy"}
    record = read("d.jsonl")[0]["decision_trace"][0]
    assert record["reasoning"]["policy"] == "greedy"
    assert parse_line(json.dumps(read("d.jsonl")[0])).trace[0].delta == record["delta"]


def test_trace_flags(run):
    sizes = {}
    for name, *flags in (
        ("plain",),
        ("all", "--trace-all-candidate-turns"),
        ("mine", "--trace-my-turn-only"),
        ("wide", "--trace-context-radius", 2),
        ("plus", "--trace-go-stop-plus2"),
    ):
        assert run("matgo", "log", "--out", f"{name}.jsonl", *FAST, "--workers", "inline", *flags).code == 0
        traces = [line["decision_trace"] for line in read(f"{name}.jsonl")]
        sizes[name] = sum(map(len, traces))
        if name == "mine":
            assert {record["a"] for trace in traces for record in trace} == {"mySide"}
    assert sizes["mine"] < sizes["plain"] <= sizes["plus"] <= sizes["all"]
    assert sizes["plain"] < sizes["wide"] <= sizes["all"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--games", 7], "games is 7 and must be even"),
        (["--log-mode", "full"], "'full', not train or delta"),
        (["--my", "nobody"], "no player is called 'nobody'"),
        (["--model-only"], "--model-only: 'greedy' asks no model"),
        (["--my", "greedy", "--policy-model-my", "p.json"], "--my and --policy-model-my both say who plays"),
        (["--policy-model-attack-my", "p.json"], "make a mixture: give both"),
        (["--shard-games", 30], "must be a multiple of 100"),
        (["--set", "preset=other"], "preset"),
        (["--workers", "many"], "--workers: 'many' names no workers"),
    ],
)
def test_what_does_not_fit_is_told(run, words, told):
    ran = run("matgo", "log", "--out", "log.jsonl", *words)
    assert ran.code == 2
    assert told in ran.err
    assert not Path("log.jsonl").exists()


def test_no_file_is_written_over_unasked(run):
    Path("log-report.json").write_text("mine", encoding="utf-8")
    ran = run("matgo", "log", "--out", "log.jsonl", *FAST)
    assert ran.code == 2
    assert "log-report.json is there already" in ran.err
    assert Path("log-report.json").read_text(encoding="utf-8") == "mine"
    assert run("matgo", "log", "--out", "log.jsonl", *FAST, "--force", "--workers", "inline").code == 0


def test_models_are_named_by_the_options_of_a_side():
    def text(**given):
        names = ("player", "policy_model", "value_model", "policy_model_attack", "policy_model_defense")
        return SideOptions("my", **{name: given.get(name) for name in names}).text()

    assert text() == "greedy"
    assert text(player="pimc:10") == "pimc:10"
    assert text(policy_model=Path("p.json")) == "frequency:p.json"
    assert text(value_model=Path("v.json")) == "linear:v.json"
    assert text(policy_model=Path("p.json"), value_model=Path("v.json")) == "both:policy=p.json,value=v.json"
    mixture = text(policy_model_attack=Path("a.json"), policy_model_defense=Path("d.json"))
    assert mixture == "mix:attack=a.json,defense=d.json"
    roles = {"policy_model_attack": Path("a.json"), "policy_model_defense": Path("d.json")}
    assert text(**roles, value_model=Path("v.json")) == "mix:attack=a.json,defense=d.json,value=v.json"
