"""The default evaluator and the names of evaluators, in Python and in the command."""

import json

import pytest
from cli_runner import runner

import tengen
from tengen.evaluators import choose_evaluator, find_evaluator
from tengen.nets.shipped import find_shipped
from tengen.runs import Run
from tengen.search import Pool

PYRGA = tengen.game("pyrga")
SHIPPED = find_shipped(PYRGA)


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A run whose champion is the network that ships, with a worthless step after it."""
    path = tmp_path_factory.mktemp("runs") / "mine"
    with Run.create(path, {"game": "pyrga"}).lock() as run:
        for name, content in (("train", SHIPPED.network.read_bytes()), ("rate", b"")):
            with run.step(name) as draft:
                draft.write_bytes("net.onnx", content)
            if content:
                run.set_champion(draft.step, "the first")
    return run


def counts(result):
    return [(move.name, move.visits) for move in result.moves]


def test_the_champion_judges_at_the_visits_it_was_measured_at():
    state = PYRGA.start()
    result = tengen.search(state, seed=3)
    assert result.visits == SHIPPED.visits
    assert counts(result) == counts(tengen.search(state, evaluator=SHIPPED.network, visits=SHIPPED.visits, seed=3))
    assert tengen.search(state, visits=7, seed=3).visits == 7


def test_python_and_the_command_answer_alike(monkeypatch, capsys):
    run = runner(monkeypatch, capsys)
    for game, words, how in (
        ("pyrga", (), {}),
        ("pyrga", ("--evaluator", "champion"), {"evaluator": "champion"}),
        ("pyrga", ("--evaluator", "rollout", "--visits", 300), {"evaluator": "rollout", "visits": 300}),
        ("pig", ("--visits", 300), {"visits": 300}),
    ):
        answer = json.loads(run("search", game, *words, "--seed", 5, "--json").out)
        result = tengen.search(tengen.game(game).start(5), seed=5, **how)
        assert counts(result) == [(move["move"], move["visits"]) for move in answer["moves"]], words


@pytest.mark.parametrize("game", [tengen.game("pig"), tengen.game("pyrga", tie_break=True)], ids=str)
def test_where_no_champion_ships_rollouts_judge(game):
    state = game.start()
    assert counts(tengen.search(state, visits=200, seed=1)) == counts(
        tengen.search(state, evaluator="rollout", visits=200, seed=1)
    )
    for call in (lambda: tengen.search(state, evaluator="champion"), lambda: find_evaluator("champion", game)):
        with pytest.raises(ValueError, match=f"no champion of {game.id} with these settings"):
            call()


def test_a_run_is_an_evaluator_by_its_folder(grown):
    state = PYRGA.start()
    expected = counts(tengen.search(state, visits=50, seed=2))
    for folder in (grown.path, str(grown.path), grown.champion.path):
        assert counts(tengen.search(state, evaluator=folder, visits=50, seed=2)) == expected
        with tengen.Engine(PYRGA, net=folder) as engine:
            assert str(grown.champion.path) in engine.net_name
    with pytest.raises(ValueError, match="neither a run nor a step with a network"):
        tengen.search(state, evaluator=grown.path.parent)
    with pytest.raises(ValueError, match="has no champion yet"):
        tengen.search(state, evaluator=Run.create(grown.path.parent / "new", {"game": "pyrga"}).path)


def test_a_run_plays_in_python_as_in_the_arena(grown):
    from tengen.arena import find_player

    for spec in (f"{grown.path}@8", f"policy:{grown.path}", "champion@8"):
        assert find_player(spec, PYRGA).choose([PYRGA.start()], [0], [1])


def test_the_champion_that_ships_plays_in_the_arena(monkeypatch, capsys):
    ran = runner(monkeypatch, capsys)("arena", "pyrga", "champion@4", "random", "--games", 2, "--workers", "inline")
    assert ran.code == 0, ran.err
    assert "champion@4 against random" in ran.out


def test_what_is_given_stays_as_it_is():
    def judge(state, player):
        return 0.0

    for given in ("rollout:4", judge, find_evaluator("uniform", PYRGA)):
        assert choose_evaluator(given, PYRGA) == (given, None)


def test_settings_of_ones_own_keep_their_visits():
    settings = tengen.SearchSettings(visits=33)
    assert tengen.search(PYRGA.start(), settings=settings, seed=1).visits == 33


def test_a_pool_takes_the_same_names(grown):
    for name in ("champion", str(grown.path)):
        pool = Pool(PYRGA, tengen.SearchSettings(visits=4), name)
        root = pool.add(PYRGA.start(), seed=1)
        pool.run()
        assert pool.result(root).visits == 4
