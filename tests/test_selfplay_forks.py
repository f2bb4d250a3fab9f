"""Forks of earlier games, and temperatures and random moves that fade."""

import pytest
from arena_helpers import judge
from learning_helpers import quick_games, quick_play
from learning_runs import TINY
from shipped_games import small_game
from toy_games import Duel, HighCard

import tengen
from tengen.arena import PolicyPlayer, find_player
from tengen.champion import LearnSettings, Loop, change_settings, open_run
from tengen.champion.learner import check_fit
from tengen.cli.run_settings import read_pairs
from tengen.cluster import open_workers
from tengen.games import RecordedGame
from tengen.selfplay import SelfPlaySettings, load_records, play_games, play_policy_games

FOUR = tengen.game("connect_four")


def lines_of(records):
    return [RecordedGame(each.actions, each.payoffs, each.start, each.seed) for each in records]


def forks_of(game, lines, count=16, evaluator="uniform", **changes):
    settings = quick_play(**{"visits": 4, "fork_share": 1.0} | changes)
    return play_games(game, evaluator, settings, range(500, 500 + count), lines=lines)


def ply_of_the_fork(record, lines):
    """The ply at which a game leaves the line that it follows longest."""

    def common(line):
        pairs = zip(record.actions, line.actions, strict=False)
        return next((ply for ply, (own, other) in enumerate(pairs) if own != other), len(line.actions))

    return max(common(line) for line in lines)


# The temperature.


def test_the_temperature_falls_by_its_half_life():
    settings = SelfPlaySettings(temperature=1.0, late_temperature=0.2, temp_moves=4, temperature_halflife=6)
    assert [settings.temperature_at(ply) for ply in (0, 3)] == [1.0, 1.0]
    assert settings.temperature_at(4) == pytest.approx(1.0)
    assert settings.temperature_at(10) == pytest.approx(0.6)
    assert settings.temperature_at(16) == pytest.approx(0.4)
    assert settings.temperature_at(10_000) == pytest.approx(0.2)
    assert SelfPlaySettings(temperature_halflife=1e-3).temperature_at(10_000) == 0.0


def test_without_a_half_life_the_temperature_falls_in_one_step():
    settings = SelfPlaySettings(temperature=0.9, late_temperature=0.3, temp_moves=5)
    assert [settings.temperature_at(ply) for ply in (0, 4, 5, 99)] == [0.9, 0.9, 0.3, 0.3]


def test_games_stray_less_and_less():
    """The share of moves that are not the best falls from the first plies over the middle to the end."""
    changes = {"visits": 30, "temp_moves": 0, "temperature": 3.0, "temperature_halflife": 8, "evaluator": "rollout"}
    strays = [0, 0, 0]
    for record in quick_games("pyrga", 24, **changes):
        for decision in record.decisions:
            best = max(decision.policy.values())
            strays[min(2, decision.ply // 12)] += decision.policy.get(record.actions[decision.ply], 0) < best
    assert strays[0] > strays[1] > strays[2]
    step = quick_games("pyrga", 2, **changes | {"temperature_halflife": 0.0})
    assert all(d.policy[r.actions[d.ply]] == max(d.policy.values()) for r in step for d in r.decisions)


def test_random_moves_become_rarer_with_the_iterations():
    settings = SelfPlaySettings(random_share=0.2, random_halflife=3)
    assert [settings.at_iteration(i).random_share for i in (1, 4, 7)] == pytest.approx([0.2, 0.1, 0.05])
    assert SelfPlaySettings(random_share=0.2).at_iteration(50).random_share == 0.2


@pytest.mark.parametrize(
    "changes",
    [
        {"temperature_halflife": -1.0},
        {"temperature_halflife": float("inf")},
        {"random_halflife": float("nan")},
        {"fork_share": 1.5},
        {"fork_early_share": -0.1},
        {"fork_moves": 0},
    ],
    ids=str,
)
def test_wrong_settings_are_named(changes):
    with pytest.raises(ValueError, match=f"self-play: {next(iter(changes))} is"):
        SelfPlaySettings(**changes)


# Forks.


@pytest.mark.parametrize("name", ["connect_four", "pig", "matgo"])
def test_forks_leave_an_earlier_game(name):
    """They replay from the deal of the game that they left. The moves of that game are no decisions of theirs."""
    game = small_game(name)
    lines = lines_of(quick_games(game, 6, visits=4))
    found = forks_of(game, lines)
    assert found == forks_of(game, lines)
    for record in found:
        assert list(record.replay(game))[-1].payoffs == record.payoffs
        assert record.seed in {line.seed for line in lines}
        if name == "connect_four":
            before = record.actions[: record.decisions[0].ply - 1]
            assert before in {line.actions[: len(before)] for line in lines}
    assert len({record.decisions[0].ply for record in found if record.decisions}) > 3


def test_every_fork_leaves_its_line():
    lines = lines_of(quick_games(FOUR, 1, visits=4))
    found = forks_of(FOUR, lines, 30)
    assert all(ply_of_the_fork(record, lines) == record.decisions[0].ply - 1 for record in found)


def test_early_forks_leave_early():
    lines = lines_of(quick_games(FOUR, 4, visits=4))

    def mean_ply(share):
        found = forks_of(FOUR, lines, 60, visits=2, fork_early_share=share)
        return sum(record.decisions[0].ply for record in found) / len(found)

    assert mean_ply(1.0) < 6 < mean_ply(0.0)


def test_forks_have_their_share_and_the_others_start_anew():
    lines = lines_of(quick_games(FOUR, 4, visits=4))
    found = forks_of(FOUR, lines, 60, fork_share=0.5, visits=2)
    anew = [record for record in found if record.decisions[0].ply == 0]
    assert 15 <= len(anew) <= 45
    assert all(record.seed >= 500 for record in anew)
    assert forks_of(FOUR, [], 4) == forks_of(FOUR, [], 4, fork_share=0.0)


@pytest.mark.parametrize("kind", ["search", "policy"])
def test_forks_play_the_best_of_their_moves(kind):
    """The evaluator prefers the rightmost column at every place where the line can be left."""
    line = RecordedGame((0, 1, 2, 3, 0, 1, 2, 3), None)
    worth = {}
    state = FOUR.start(0)
    for played in line.actions:
        worth |= {state.play(action).key: (state.actor, action / 6) for action in state.legal()}
        state = state.play(played)

    def right(state, _player):
        mover, value = worth.get(state.key, (0, 0.0))
        return [1.0] * FOUR.action_count, [value, -value] if mover == 0 else [-value, value]

    settings = quick_play(visits=2, fork_share=1.0, fork_early_share=0.0, fork_moves=7, temp_moves=99)
    if kind == "search":
        found = play_games(FOUR, right, settings, range(20), lines=[line])
    else:
        found = play_policy_games(FOUR, PolicyPlayer("right", right), settings, range(20), lines=[line])
    assert {record.actions[record.decisions[0].ply - 1] for record in found} == {6}


def test_forks_do_not_depend_on_the_games_beside_them():
    lines = lines_of(quick_games(FOUR, 4, visits=4))
    alone = forks_of(FOUR, lines, 6, parallel=1, evaluator="rollout")
    assert forks_of(FOUR, lines, 6, parallel=4, evaluator="rollout") == alone


def test_forks_work_where_chance_acts_and_in_python():
    game = HighCard()
    lines = lines_of(play_games(game, judge, quick_play(), range(4)))
    assert forks_of(game, lines, 6, evaluator=judge)


def test_forks_of_simultaneous_games_are_refused():
    game = Duel()
    lines = [RecordedGame((0, 1), None)]
    with pytest.raises(ValueError, match="fork_share is for games in which one player decides at a time, not for duel"):
        forks_of(game, lines)


def test_players_that_play_one_game_after_the_other_have_no_forks():
    game = small_game("matgo")
    lines = lines_of(quick_games(game, 1, visits=2))
    with pytest.raises(ValueError, match="fork_share is for searches and policies"):
        find_player("pimc:2", game).self_play(game, quick_play(fork_share=0.1), [1], lambda *_: None, lines)


# In a run.


@pytest.mark.parametrize(
    ("game", "player", "says"),
    [
        ("rock_paper_scissors", "NETWORK@20", "rock_paper_scissors, in which players decide at the same time"),
        ("matgo", "pimc:4,lead=NETWORK", "does not evaluate many positions together: use a search or a policy"),
        ("pokemon", "NETWORK@20,avoid=dynamax*", "pokemon, in which players decide at the same time"),
        ("pyrga", "NETWORK@20,avoid=square*", "use a search or a policy"),
        ("pig", "policy:NETWORK", "use a search or a policy"),
    ],
)
def test_runs_that_can_have_no_forks_are_refused_before_they_start(game, player, says, tmp_path):
    options = {"out": tmp_path / "run", "workers": "inline", "iterations": 1, "final_games": 0}
    with pytest.raises(ValueError, match=r"selfplay\.fork_share is 0\.25 and must be 0 for .*" + says):
        tengen.learn(game, settings={"player": player, "selfplay": {"fork_share": 0.25}}, **options)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("game", "player"), [("matgo", "NETWORK@20"), ("pyrga", "policy:NETWORK")])
def test_searches_and_policies_may_fork(game, player):
    settings = change_settings(LearnSettings(), {"player": player, "selfplay": {"fork_share": 0.25}})
    check_fit(tengen.game(game), settings)


def small_run(folder, **changes):
    tables = read_pairs([f"{key}={value}" for key, value in (TINY | changes).items()])
    settings = change_settings(LearnSettings(), tables)
    run, settings = open_run(folder, FOUR, settings)
    return run, settings


def learn(folder, workers="inline", iterations=2, **changes):
    run, settings = small_run(folder, **changes)
    with run.lock(), open_workers(workers) as open_ones:
        Loop(run, FOUR, settings, open_ones).run_until(iterations)
    return run


@pytest.mark.slow
def test_a_run_forks_the_games_of_the_iteration_before(tmp_path):
    changes = {"selfplay.fork_share": 1.0, "anchor": "", "selfplay.random_share": 0.5, "selfplay.random_halflife": 1}
    run = learn(tmp_path / "one", **changes)
    first, second = (run.find("self-play", i) for i in (1, 2))
    sources, forks = (load_records(step.file("games.jsonl.gz").read_bytes()) for step in (first, second))
    assert all(record.decisions[0].ply == 0 for record in sources)
    assert {record.seed for record in forks} <= {record.seed for record in sources}
    for record in forks:
        before = record.actions[: record.decisions[0].ply - 1]
        assert before in {source.actions[: len(before)] for source in sources}
    assert first.id in str(second.inputs)
    assert second.settings["play"]["random_share"] == 0.25
    again = learn(tmp_path / "two", "2", **changes)
    for name in ("games.jsonl.gz", "packed.npz"):
        assert again.find("self-play", 2).file(name).read_bytes() == second.file(name).read_bytes()
