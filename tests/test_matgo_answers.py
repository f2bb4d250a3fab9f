"""What each card is worth: `search`, `analyze` and `hint` answer alike, in gold, for every card."""

import json
import random
import re

import cli_runner
import pytest

import tengen
from tengen.analysis.config import load_config
from tengen.games.matgo.cards import parse_card

TABLE = (
    "starter: 0; hand: 1g 3r 4pa 6y 8pa 9y 11d; floor: 2r 5pa 7pb 9pa 10r 11g 12y 12r; "
    "captured: 1r 1pa 3pa 3pb 4y 4r; their captured: 8g 8y 6r 6pa 10y 10pa"
)
CARDS = {"1광", "3홍", "4피a", "6열", "8피a", "9국", "11쌍"}
START = ("--start", f"view={TABLE}")
GAME = tengen.game("matgo")
# With 200,000 rollouts the best is 11쌍 at about -1,090 gold.
BEST, WORTH = "11쌍", -1090


@pytest.fixture
def run(monkeypatch, capsys):
    return cli_runner.runner(monkeypatch, capsys)


def searched(run, *words):
    ran = run("search", "matgo", *START, "--json", *words)
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def values_of(answer):
    return {move["move"]: (move["value"], move["error"]) for move in answer["moves"]}


def analyzed(*, seed=None, **fields):
    changes = ["logErrorsAndWarnings=false"] + (["forDeterministicTesting=true"] if seed == 0 else [])
    with tengen.Engine("matgo", config=load_config([], changes)) as engine:
        [answer] = engine.analyze([], start={"view": TABLE}, **fields)
    return answer


def hinted(run, *words):
    ran = run("play", "matgo", *START, "--seed", 5, *words, typed="hint\n")
    assert ran.code == 0, ran.err
    rows = re.findall(r"^ (\S+) +([+-][\d,]+) +([\d,]+) +(\d+)%", ran.out, re.MULTILINE)
    return {korean(name): (number(value), number(error)) for name, value, error, _ in rows}


def korean(name):
    """A card by its name in answers; people are shown plain letters in English."""
    return GAME.name(parse_card(name))


def number(text):
    return float(text.replace(",", ""))


def assert_agree(first, second):
    assert first.keys() == second.keys() == CARDS
    for card in CARDS:
        (value, error), (other, other_error) = first[card], second[card]
        assert 0 < error < 200
        assert abs(value - other) < 4 * (error**2 + other_error**2) ** 0.5 + 1


@pytest.mark.slow
def test_search_analyze_and_hint_agree_by_default(run):
    """On the README's table, with nothing told: one engine, one budget, the same deals."""
    answer = searched(run)
    best = answer["moves"][0]
    assert best["move"] == BEST
    assert answer["value"] == best["value"]
    assert abs(answer["value"] - WORTH) < 5 * best["error"]
    own = values_of(answer)
    analysis = analyzed()
    theirs = {info.move: (info.utility, info.utility_error) for info in analysis.move_infos}
    hints = hinted(run)
    assert_agree(own, theirs)
    assert_agree(own, hints)
    assert own == theirs
    assert hints == {card: (round(value), round(error)) for card, (value, error) in own.items()}
    assert analysis.root_info.utility == answer["value"]
    assert analysis.root_info.winrate == pytest.approx(answer["win_rate"])


def test_they_agree_within_their_errors_on_other_deals(run):
    """Seeds of their own, and smaller budgets: what is left between the answers is chance."""
    first = values_of(searched(run, "--visits", 40_000, "--seed", 1))
    second = values_of(searched(run, "--visits", 80_000, "--seed", 2))
    analysis = analyzed(seed=0, visits=60_000)
    third = {info.move: (info.utility, info.utility_error) for info in analysis.move_infos}
    assert_agree(first, second)
    assert_agree(first, third)
    assert_agree(second, third)
    python = tengen.search(GAME.start(view=TABLE), visits=50_000, seed=3)
    assert_agree(first, {move.name: (move.value, move.error) for move in python.moves})
    assert len({values[BEST] for values in (first, second, third)}) == 3


def test_all_answers_are_sorted_by_their_own_values(run):
    for seed in range(6):
        rng = random.Random(seed)
        state = GAME.start(seed)
        for _ in range(rng.randrange(16)):
            if not state.is_over:
                state = state.play(rng.choice(state.legal()))
        if state.is_over:
            continue
        result = tengen.search(state, visits=700)
        assert {move.action for move in result.moves} == set(state.legal())
        assert [move.value for move in result.moves] == sorted((move.value for move in result.moves), reverse=True)
        assert result.value == result.best.value
        with tengen.Engine("matgo") as engine:
            start = {"deck": GAME.deck(GAME.start(seed)), "starter": GAME.view(state).starter}
            [answer] = engine.analyze(list(state.names), start=start, visits=700)
        utilities = [info.utility for info in answer.move_infos]
        assert utilities == sorted(utilities, reverse=True)
        assert answer.root_info.utility == utilities[0]
        assert {info.move for info in answer.move_infos} == {GAME.name(action) for action in state.legal()}


def test_the_table_shows_gold_and_its_error(run):
    out = run("search", "matgo", *START, "--visits", 7000).out
    assert re.search(r"^ move +visits +gold +± +wins *$", out, re.MULTILINE)
    rows = re.findall(r"^ (\S+) +1,000 +[+-][\d,]+ +\d+ +\d+% *$", out, re.MULTILINE)
    assert {korean(name) for name in rows} == CARDS
    assert "7,000 visits, the same 1,000 deals for each move" in out


def test_options_of_search_hold(run):
    allowed = searched(run, "--visits", 200, "--allow", "9국,1광")
    assert {move["move"] for move in allowed["moves"]} == {"9국", "1광"}
    avoided = searched(run, "--visits", 200, "--avoid", "11쌍")
    assert {move["move"] for move in avoided["moves"]} == CARDS - {"11쌍"}
    included = searched(run, "--visits", 200, "--include", "1광", "--include-visits", 300)
    assert {move["move"]: move["visits"] for move in included["moves"]}["1광"] == 300
    hurried = searched(run, "--seconds", "0.01")
    assert {move["move"] for move in hurried["moves"]} == CARDS
    assert run("search", "matgo", *START, "--visits", 200, "--top", 2).out.count("%") == 2


@pytest.mark.parametrize(
    ("words", "text"),
    [(("--tune", "c_puct=2"), "c_puct"), (("--avoid", "1광", "--until-depth", "2"), "until_depth is 2")],
)
def test_options_that_need_a_tree_are_refused(run, words, text):
    ran = run("search", "matgo", *START, *words)
    assert ran.code == 2
    assert text in ran.err
    assert "flat Monte Carlo" in ran.err


def test_a_tree_search_is_had_by_naming_an_evaluator(run):
    ran = run("search", "matgo", *START, "--evaluator", "rollout", "--visits", 100, "--tune", "c_puct=2", "--json")
    assert ran.code == 0
    assert "matgo is judged better by flat, its default, than by a tree search with rollout" in ran.err
    assert json.loads(ran.out)["nodes"] > 0


def test_requests_that_need_a_tree_are_refused():
    for fields, field in (
        ({"override_settings": {"cpuctExploration": 3.0}}, "c_puct"),
        ({"avoid_moves": [{"player": "0", "moves": ["1광"], "untilDepth": 4}]}, "one move ahead"),
    ):
        with pytest.raises(ValueError, match=field):
            analyzed(visits=50, **fields)


def test_the_budget_of_an_analysis_is_the_one_asked_for():
    """Also where it is what other games' queries get by default."""
    assert analyzed(visits=500).root_info.visits == 497
    assert analyzed(override_settings={"maxVisits": 70}).root_info.visits == 70


def test_analysis_keeps_its_promises():
    answer = analyzed(visits=70, include={0: ["1광"]}, include_visits=40)
    assert answer["1광"].visits == 40
    assert answer["1광"].is_included
    only = analyzed(visits=70, allow_moves=[{"player": "0", "moves": ["1광", "9국"], "untilDepth": 1}])
    assert {info.move for info in only.move_infos} == {"1광", "9국"}


def test_other_house_rules_are_answered_by_the_same_engine(run):
    ran = run("search", "matgo", *START, "--set", "preset=hangame", "--visits", 700, "--json")
    assert {move["move"] for move in json.loads(ran.out)["moves"]} == CARDS
    ran = run("play", "matgo", "--set", "preset=kflower", "--seed", 3, "--visits", 200, "--seat", 1, typed="hint\n")
    assert (ran.code, ran.err) == (0, "")
    assert "deals that you could be facing" in ran.out
