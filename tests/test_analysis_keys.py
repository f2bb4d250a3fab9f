"""That the keys of a configuration do what they say, where an engine with a network shows it."""

import json

import numpy as np
import pytest
from katago_cases import load_cases
from katago_golden import CONVOLUTIONAL, TRANSFORMERS, network_file

import tengen
from tengen.analysis.config import Config
from tengen.analysis.engine import Engine
from tengen.analysis.service import Service

FIXED = {"nnRandomize": "false", "forDeterministicTesting": "true", "wideRootNoise": "0"}
GO = {"id": "x", "rules": "tromp-taylor", "komi": 7, "boardXSize": 9, "boardYSize": 9, "moves": []}
MOVES = [["B", "E5"], ["W", "C4"], ["B", "G4"], ["W", "E3"]]


@pytest.fixture(scope="module")
def engine():
    with Engine("go", network_file(CONVOLUTIONAL), config=Config(FIXED), threads=2) as engine:
        yield engine


def one(engine, base=GO, settings=None, **fields):
    lines = []
    session = Service(engine).connect(lines.append)
    session.handle(json.dumps(base | fields | {"overrideSettings": settings or {}}))
    assert session.drain(120)
    [answer] = map(json.loads, lines)
    assert "rootInfo" in answer, answer
    return answer


def test_the_root_is_seen_in_several_ways(engine):
    cases = load_cases()
    seen = [cases[f"rawsym_g19_t60_sym{symmetry}"] for symmetry in range(8)]
    request = {**seen[0]["requests"][0], "includePolicy": True}
    wanted = [case["responses"][0] for case in seen]
    answer = one(engine, request, {**request["overrideSettings"], "rootNumSymmetriesToSample": 8})
    for key in ("rawWinrate", "rawLead", "rawScoreSelfplay"):
        mean = np.mean([one["rootInfo"][key] for one in wanted])
        assert answer["rootInfo"][key] == pytest.approx(mean, abs=2e-4)
    assert answer["policy"] == pytest.approx(np.mean([one["policy"] for one in wanted], axis=0), abs=1e-4)
    some = one(engine, request, {**request["overrideSettings"], "rootNumSymmetriesToSample": 3})["rootInfo"]
    extremes = [one["rootInfo"]["rawWinrate"] for one in wanted]
    assert min(extremes) < some["rawWinrate"] < max(extremes)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_the_temperature_of_every_policy(engine, temperature):
    plain = np.array(one(engine, moves=MOVES, maxVisits=1, includePolicy=True)["policy"])
    fields = {"moves": MOVES, "maxVisits": 1, "includePolicy": True}
    found = np.array(one(engine, settings={"nnPolicyTemperature": temperature}, **fields)["policy"])
    legal = plain >= 0
    wanted = plain[legal].astype(np.float64) ** (1 / temperature)
    assert found[legal] == pytest.approx(wanted / wanted.sum(), abs=1e-4)
    assert (found[~legal] == -1).all()


@pytest.mark.slow
def test_optimism_at_the_root_and_below():
    with Engine("go", network_file(TRANSFORMERS[0]), config=Config(FIXED), threads=2) as engine:
        fields = {"moves": MOVES, "maxVisits": 1, "includePolicy": True}
        policies = {}
        for root in (0.0, 0.5, 1.0):
            settings = {"policyOptimism": 1.0, "rootPolicyOptimism": root}
            policies[root] = np.array(one(engine, settings=settings, **fields)["policy"])
        assert np.abs(policies[0.0] - policies[1.0]).max() > 0.001
        mixed = np.sqrt(np.maximum(policies[0.0], 0) * np.maximum(policies[1.0], 0))
        legal = policies[0.0] >= 0
        assert policies[0.5][legal] == pytest.approx((mixed / mixed.sum())[legal], abs=1e-4)
        # Of the root nothing changes, of what lies below it much does.
        lines = [
            [info["pv"] for info in one(engine, settings=settings, moves=MOVES, maxVisits=120)["moveInfos"]]
            for settings in (
                {"policyOptimism": 1.0, "rootPolicyOptimism": 0},
                {"policyOptimism": 0, "rootPolicyOptimism": 0},
            )
        ]
        assert lines[0] != lines[1]


def test_a_network_without_an_optimistic_policy(engine):
    settings = {"policyOptimism": 1.0, "rootPolicyOptimism": 1.0}
    assert one(engine, settings=settings, moves=MOVES, maxVisits=5) == one(engine, moves=MOVES, maxVisits=5)


def test_what_winning_is_worth(engine):
    score = {"staticScoreUtilityFactor": 0, "dynamicScoreUtilityFactor": 0}
    for factor in (1.0, 0.25, 0.0):
        root = one(engine, settings={"winLossUtilityFactor": factor, **score}, moves=MOVES, maxVisits=1)["rootInfo"]
        assert root["utility"] == pytest.approx(factor * (2 * root["rawWinrate"] - 1), abs=1e-4)


def test_what_no_result_is_worth(engine):
    fields = {"rules": "japanese", "moves": MOVES, "maxVisits": 1}
    plain = one(engine, **fields)["rootInfo"]
    assert plain["rawNoResultProb"] > 0
    shifted = one(engine, settings={"noResultUtilityForWhite": 1.0}, **fields)["rootInfo"]
    assert shifted["utility"] - plain["utility"] == pytest.approx(-plain["rawNoResultProb"], abs=1e-6)


def test_history():
    game = tengen.game("go", size=9)
    state = game.start(moves=[tuple(move) for move in MOVES])

    def moves_shown(**options):
        return [int(plane.sum()) for plane in game.with_options(state, **options).encode(0)[9:14]]

    ply = game.ply(state)
    assert moves_shown() == [1, 1, 1, 1, 0]
    assert moves_shown(root_ply=ply - 1, ignore_history=True) == [1, 0, 0, 0, 0]
    assert moves_shown(root_ply=ply - 1, ignore_all_history=True) == [0, 0, 0, 0, 0]


def test_less_is_searched_after_passes(engine):
    settings = {"searchFactorAfterOnePass": 0.5, "searchFactorAfterTwoPass": 0.25}
    for moves, visits in (
        ([["B", "E5"]], 20),
        ([["B", "E5"], ["W", "pass"]], 10),
        ([["B", "pass"], ["W", "E5"], ["B", "pass"]], 5),
        ([["B", "pass"], ["W", "pass"], ["B", "E5"]], 20),
    ):
        assert one(engine, settings=settings, moves=moves, maxVisits=20)["rootInfo"]["visits"] == visits


def test_the_temperature_of_the_root_fades(engine):
    """By half in as many moves as 19x19 has lines, fewer on smaller boards."""
    early = {"rootPolicyTemperature": 1.0, "rootPolicyTemperatureEarly": 3.0, "chosenMoveTemperatureHalflife": 19}
    turns = {0: 3.0, 9: 2.0, 18: 1.5}
    moves = [["BW"[i % 2], "pass"] for i in range(18)]
    for turn, temperature in turns.items():
        asked = {"moves": moves, "analyzeTurns": [turn], "maxVisits": 60}
        faded = one(engine, settings=early, **asked)
        fixed = one(engine, settings={"rootPolicyTemperature": temperature}, **asked)
        assert [(info["move"], info["visits"]) for info in faded["moveInfos"]] == [
            (info["move"], info["visits"]) for info in fixed["moveInfos"]
        ]


def test_useless_moves_at_the_end(engine):
    """Black lives with two eyes and White has passed four times: no stone in Black's area is looked at."""
    black = [
        f"{column}{row}" for column in "ABCDEFGHJ" for row in (1, 2, 3) if (column, row) not in (("A", 1), ("C", 1))
    ]
    asked = {"initialStones": [["B", point] for point in black], "initialPlayer": "B", "maxVisits": 120}
    passes = [["B", "C8"], ["W", "pass"], ["B", "G8"], ["W", "pass"], ["B", "E7"], ["W", "pass"], ["B", "C6"]]
    eyes = {"A1", "C1"}

    def searched(moves, **settings):
        answer = one(engine, settings={"rootPolicyTemperature": 100, **settings}, moves=moves, **asked)
        return {info["move"] for info in answer["moveInfos"]}

    assert not searched([*passes, ["W", "pass"]]) & eyes
    assert searched([*passes, ["W", "pass"]], rootPruneUselessMoves=False) & eyes
    assert searched([*passes, ["W", "G5"]]) - eyes


def test_symmetries_are_drawn_by_their_seed():
    network = network_file(CONVOLUTIONAL)
    roots = {}
    for seed in ("a", "b", "a"):
        config = Config({"nnRandSeed": seed, "forDeterministicTesting": "true"})
        with Engine("go", network, config=config) as engine:
            roots.setdefault(seed, []).append(
                [one(engine, moves=MOVES[:turn], maxVisits=1)["rootInfo"]["rawWinrate"] for turn in range(5)]
            )
    assert roots["a"][0] == roots["a"][1]
    assert roots["a"][0] != roots["b"][0]


def test_threads_of_the_network():
    network = network_file(CONVOLUTIONAL)
    for threads, config, wanted in ((None, {}, 1), (None, {"numEigenThreadsPerModel": "3"}, 3), (2, {}, 2)):
        with Engine("go", network, config=Config(config), threads=threads) as engine:
            assert engine.evaluator.network.threads == wanted


def test_the_model_is_told(engine):
    lines = []
    Service(engine).connect(lines.append).handle('{"id":"m","action":"query_models"}')
    [model] = json.loads(lines[0])["models"]
    assert model["name"] == str(network_file(CONVOLUTIONAL))
    assert (model["internalName"], model["version"]) == (CONVOLUTIONAL, 8)
