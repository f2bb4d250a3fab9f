"""Leagues: weighted opponents, fading exploration, records to learn from, and files that do not fit."""

import math
import random
import shutil
from collections import Counter

import numpy as np
import pytest
from learning_helpers import damaged
from run_killer import outcome
from soak.kill_promotion import POOL, run_league
from toy_games import TicTacToe

import tengen
from tengen.arena import (
    FallbackPlayer,
    MatchResult,
    Player,
    RandomPlayer,
    default_openings,
    find_player,
    parse_player,
)
from tengen.champion import (
    Contestant,
    League,
    LeagueError,
    LeagueSettings,
    open_league,
    pool_of,
    read_pool,
)
from tengen.champion.league_games import play_part
from tengen.cluster import open_workers
from tengen.learning import load_packed, samples_of
from tengen.runs import Run, RunError
from tengen.selfplay import Exploration, format_record, load_records, parse_record

HEAD = 'focal = "greedy"\n'
TAIL = '[[opponents]]\nplayer = "random"\n'


def go(path, text, game="matgo", workers="inline"):
    game = tengen.game(game) if isinstance(game, str) else game
    pool = read_pool(text)
    players = [Contestant.of(name) for name in (pool.focal, *(each.player for each in pool.opponents))]
    run = open_league(path, game, pool, players)
    with run.lock(), open_workers(workers) as hands:
        table = League(run, game, hands).play(players)
    return run, table


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Nobody writes to it."""
    return run_league(tmp_path_factory.mktemp("league") / "run")


@pytest.fixture
def copy(undisturbed, tmp_path):
    shutil.copytree(undisturbed.path, tmp_path / "copy")
    return Run.open(tmp_path / "copy")


# The file.


def test_a_league_file():
    pool = read_pool(POOL)
    assert pool.focal == parse_player("greedy")
    assert [(str(each.player), each.weight) for each in pool.opponents] == [("random", 2), ("pimc:5", 1), ("greedy", 1)]
    assert pool.settings == LeagueSettings(
        seed=3, games=48, chunk_games=8, exploration=Exploration(rate=0.3, min=0.1, decay_k=2.0)
    )
    assert read_pool(TAIL).focal is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "needs opponents"),
        ("opponents = []", "needs opponents"),
        ("opponents = 3", "needs opponents"),
        ("opponents = [3]", "opponent 1 is 3"),
        ("opponents = [{ weight = 1 }]", "opponent 1"),
        ('opponents = [{ player = "random", wieght = 1 }]', "wieght"),
        ("opponents = [{ player = 3 }]", "player is a text"),
        ('opponents = [{ player = "random", weight = "2" }]', "weight a number"),
        ('opponents = [{ player = "random", weight = true }]', "weight a number"),
        ('opponents = [{ player = "random", weight = 0 }]', "above 0"),
        ('opponents = [{ player = "random", weight = -1 }]', "above 0"),
        ('opponents = [{ player = "random", weight = nan }]', "above 0"),
        ('opponents = [{ player = "" }]', "needs a player"),
        ('opponents = [{ player = "a" }, { player = "a" }]', "a is in the pool twice"),
        ("focal = 3\n" + TAIL, "focal is 3"),
        ('focal = ""\n' + TAIL, "focal"),
        ("gmaes = 3\n" + TAIL, "gmaes"),
        ("games = 3\n" + TAIL, "even"),
        ("games = true\n" + TAIL, "games is True"),
        ('games = "many"\n' + TAIL, "games is 'many'"),
        ("chunk_games = 0\n" + TAIL, "even"),
        ("exploration = 3\n" + TAIL, "exploration is 3"),
        ("exploration = { rate = 2 }\n" + TAIL, "from 0 to 1"),
        ("exploration = { rate = 0.1, min = 0.2 }\n" + TAIL, "min the smaller"),
        ("exploration = { decay_k = -1 }\n" + TAIL, "decay_k"),
        ("exploration = { decay = 1 }\n" + TAIL, r"exploration\.decay"),
        ("start = 5\n" + TAIL, "start is 5"),
        ("model_only_when_possible = 1\n" + TAIL, "model_only_when_possible"),
        ("[[opponents", "no league"),
    ],
)
def test_a_file_that_does_not_fit_says_why(text, says):
    with pytest.raises(LeagueError, match=says):
        read_pool(text)


def test_a_thousand_mutations_of_the_file_are_read_or_refused():
    texts = []
    for mutation in damaged(POOL.encode(), 1000):
        try:
            pool = read_pool(mutation.decode(errors="surrogateescape"))
        except LeagueError as error:
            texts.append(str(error))
        else:
            assert len(pool.schedule()) == pool.settings.chunks
    assert len(texts) > 400
    assert all(text.startswith("this is no league: ") and len(text) > 25 for text in texts)


# The schedule and exploration.


def test_everybody_has_its_share_at_any_time():
    for seed in range(20):
        rng = random.Random(seed)
        weights = [rng.choice([0.5, 1, 2, 3, 7.25]) for _ in range(rng.randint(1, 6))]
        listed = ", ".join(f'{{ player = "p{i}", weight = {w} }}' for i, w in enumerate(weights))
        schedule = read_pool(f"games = 400\nchunk_games = 4\nopponents = [{listed}]").schedule()
        assert len(schedule) == 100
        for chunk in range(1, 101):
            counts = Counter(schedule[:chunk])
            for i, weight in enumerate(weights):
                assert abs(counts[i] - chunk * weight / sum(weights)) < 1


def test_exploration_fades():
    exploration = Exploration(rate=0.1, min=0.02, decay_k=3.0)
    assert exploration.at(0) == pytest.approx(0.1)
    assert exploration.at(0.5) == pytest.approx(0.02 + 0.08 * math.exp(-1.5))
    assert exploration.at(1) == pytest.approx(0.02 + 0.08 * math.exp(-3))
    settings = LeagueSettings(games=100, chunk_games=20, exploration=exploration)
    rates = [settings.rate(chunk) for chunk in range(settings.chunks)]
    assert rates == [pytest.approx(exploration.at(chunk / 4)) for chunk in range(5)]
    assert LeagueSettings(games=4, chunk_games=8).rate(0) == 0.006
    assert Exploration(rate=0.3).at(1) == pytest.approx(0.3)


def test_moves_are_explored_as_often_as_said_and_targets_are_not():
    game = tengen.game("matgo")
    openings = default_openings(game)
    focal = find_player("greedy", game)
    played, records = play_part(game, focal, RandomPlayer(), range(60), 5, openings, 0.25, model_only=True)
    assert not any(any(each.fallbacks) for each in played)
    decisions = sum(len(record.decisions) for record in records)
    explored = sum(len(record.meta.get("explored", ())) for record in records)
    assert 0.2 < explored / decisions < 0.3
    unlike = 0
    for record, game_played in zip(records, played, strict=True):
        assert record.payoffs == game_played.payoffs
        assert record.meta["focal"] == game_played.first_seat
        states = list(record.replay(game))
        assert {d.player for d in record.decisions} <= {record.meta["focal"]}
        assert len(record.decisions) == sum(state.actor == record.meta["focal"] for state in states)
        for decision in record.decisions:
            (target,) = decision.policy
            assert target in states[decision.ply].legal()
            is_explored = decision.ply in record.meta.get("explored", ())
            unlike += target != record.actions[decision.ply]
            assert is_explored or target == record.actions[decision.ply]
    assert 0 < unlike <= explored


# Steps.


def test_chunks_are_steps_with_records_that_replay_and_samples(undisturbed):
    game = tengen.game("matgo")
    steps = undisturbed.steps("chunk")
    assert [step.iteration for step in steps] == [1, 2, 3, 4, 5, 6]
    opponents = [step.metrics["opponent"] for step in steps]
    assert opponents == ["random", "pimc:5", "greedy", "random", "random", "pimc:5"]
    rates = [step.metrics["exploration"] for step in steps]
    assert rates[0] == pytest.approx(0.3)
    assert rates == sorted(rates, reverse=True)
    seeds = []
    for step in steps:
        assert set(step.files) == {"match.json", "games.jsonl.gz", "packed.npz"}
        records = load_records(step.file("games.jsonl.gz").read_bytes())
        assert [record.meta["focal"] for record in records] == [0, 1] * 4
        assert all(one.seed == other.seed for one, other in zip(records[0::2], records[1::2], strict=True))
        seeds += [record.seed for record in records[0::2]]
        packed, made = load_packed(step.file("packed.npz")), samples_of(game, records)
        found = packed.take(np.arange(len(packed)))
        for name in ("features", "policy", "result", "search_value", "moves_left", "aux"):
            assert np.array_equal(getattr(made, name), getattr(found, name), equal_nan=True)
        assert (found.policy.sum(axis=1) > 0.99).all()
    assert len(set(seeds)) == len(seeds) == 24
    assert undisturbed.verify() == []


def test_the_table_has_a_row_for_each_opponent(undisturbed):
    table = undisturbed.find("table").read_json("table.json")
    assert [row["opponent"] for row in table] == ["random", "pimc:5", "greedy"]
    assert [row["share"] for row in table] == [0.5, 0.25, 0.25]
    for row in table:
        matches = [
            MatchResult.from_json(step.file("match.json").read_text())
            for step in undisturbed.steps("chunk")
            if step.metrics["opponent"] == row["opponent"]
        ]
        assert row["games"] == sum(len(match.games) for match in matches)
        assert row["wins"] == sum(match.wins for match in matches)
        payoffs = [game.payoff for match in matches for game in match.games]
        assert row["payoff"] == pytest.approx(sum(payoffs) / len(payoffs))
        assert row["worst_loss"] == min(payoffs)
        assert set(row["rates"]) == {"go_fail_rate"}
        assert row["failures"] == 0


@pytest.mark.parametrize("name", ["pyrga", "kuhn_poker", "pig", "rock_paper_scissors"])
def test_every_game_has_leagues(name, tmp_path):
    text = 'focal = "rollout:8"\ngames = 8\nchunk_games = 4\n' + TAIL
    run, table = go(tmp_path / "run", text, name)
    game = tengen.game(name)
    assert table.read_json("table.json")[0]["games"] == 8
    for step in run.steps("chunk"):
        records = load_records(step.file("games.jsonl.gz").read_bytes())
        assert len(samples_of(game, records)) == sum(len(record.decisions) for record in records) > 0
        assert all(decision.visits == 8 for record in records for decision in record.decisions)


def test_a_game_without_planes_has_records_only(tmp_path):
    run, _ = go(
        tmp_path / "run",
        'focal = "random"\ngames = 4\nchunk_games = 4\n' + TAIL.replace('"random"', '"rollout:4"'),
        TicTacToe(),
    )
    assert set(run.find("chunk", 1).files) == {"match.json", "games.jsonl.gz"}


def test_limited_gold_is_in_the_records(tmp_path):
    run, _ = go(tmp_path / "run", HEAD + "games = 8\nchunk_games = 8\nstart = { gold = 500 }\n" + TAIL)
    records = load_records(run.find("chunk", 1).file("games.jsonl.gz").read_bytes())
    assert all(record.start == {"gold": 500} for record in records)
    assert all(abs(record.payoffs[0]) <= 500 for record in records)
    assert parse_record(format_record(records[0])) == records[0]
    *_, last = records[0].replay()
    assert last.payoffs == records[0].payoffs


def test_workers_change_nothing(undisturbed, tmp_path):
    assert outcome(run_league(tmp_path / "run", "2")) == outcome(undisturbed)


# Players that fail.


class Fickle(Player):
    """Fails now and then, and now and then chooses what is illegal."""

    def choose(self, states, seats, seeds):
        if any(seed % 3 == 0 for seed in seeds):
            raise RuntimeError("no answer")
        return [
            10_000 if seed % 3 == 1 else state.legal(seat)[0]
            for state, seat, seed in zip(states, seats, seeds, strict=True)
        ]


def test_failures_stop_the_league_or_are_counted():
    game = tengen.game("pyrga")
    openings = default_openings(game)
    args = (game, Fickle("fickle"), RandomPlayer(), range(4), 1, openings, 0.0)
    with pytest.raises(RuntimeError, match="no answer"):
        play_part(*args, model_only=True)
    played, records = play_part(*args, model_only=False)
    decisions = sum(len(record.decisions) for record in records)
    assert 0.4 < sum(each.fallbacks[each.first_seat] for each in played) / decisions < 0.9
    assert not any(each.fallbacks[1 - each.first_seat] for each in played)
    assert play_part(*args, model_only=False) == (played, records)
    steady = FallbackPlayer(RandomPlayer())
    play_part(game, steady, RandomPlayer(), range(2), 1, openings, 0.0, model_only=True)
    assert steady.failed == []


# Damage.


def test_damage_is_put_aside_and_made_again(undisturbed, copy):
    wanted = outcome(undisturbed)
    for name, iteration, file in [
        ("chunk", 2, "games.jsonl.gz"),
        ("chunk", 3, "manifest.json"),
        ("chunk", 6, "match.json"),
        ("table", None, "table.json"),
        ("initial", None, "focal/player.json"),
    ]:
        path = copy.find(name, iteration).path / file
        path.write_bytes(path.read_bytes()[:-9])
        again = run_league(copy.path)
        assert sorted(outcome(again)["steps"])[:1] == sorted(wanted["steps"])[:1]
        assert {step for step in outcome(again)["steps"] if step[0] != "table 0"} == {
            step for step in wanted["steps"] if step[0] != "table 0"
        }
        assert again.find("table").sha256 == undisturbed.find("table").sha256


def test_lost_players_are_asked_for(copy):
    path = copy.find("initial").path / "opponent-1" / "player.json"
    path.unlink()
    with copy.lock(), open_workers("inline") as hands, pytest.raises(RunError, match="lost its players"):
        League(copy, tengen.game("matgo"), hands).play()


def test_another_league_is_another_run(undisturbed):
    game = tengen.game("matgo")
    pool = read_pool(POOL.replace("weight = 2", "weight = 3"))
    players = [Contestant.of(name) for name in (pool.focal, *(each.player for each in pool.opponents))]
    with pytest.raises(RunError, match="other settings"):
        open_league(undisturbed.path, game, pool, players)
    other = Run.create(undisturbed.path.parent / "other", {"x": 1})
    with pytest.raises(RunError, match="no league"):
        pool_of(other)
