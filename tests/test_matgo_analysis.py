"""Matgo through the analysis engine: gold, win rates, guaranteed moves, and nothing that a seat cannot see."""

import copy
import json
import random

import pytest

import tengen
from tengen.analysis.config import load_config
from tengen.analysis.engine import Engine
from tengen.analysis.service import Service
from tengen.games.matgo import format_view
from tengen.games.matgo.cards import CODES, cards_in
from tengen.search.flat import FlatSettings, flat_search

GAME = tengen.game("matgo")
CONFIG = "forDeterministicTesting=true,logErrorsAndWarnings=false,maxVisits=60"


@pytest.fixture(scope="module")
def ask():
    """A function from requests to all lines that answer them."""
    with Engine("matgo", "rollout", config=load_config([], [CONFIG]), active=1) as engine:

        def ask(*requests):
            lines = []
            session = Service(engine).connect(lines.append)
            for request in requests:
                session.handle(request if isinstance(request, bytes) else json.dumps(request).encode())
            assert session.drain(60)
            return [json.loads(line) for line in lines]

        yield ask


def some_round(seed, plies):
    rng = random.Random(seed)
    deck = list(range(50))
    rng.shuffle(deck)
    state = GAME.start(deck=deck, starter=seed % 2)
    while not state.is_over and (len(state.history) < plies or GAME.view(state).phase in (1, 2)):
        state = state.play(rng.choice(state.legal()))
    return deck, state


def request_of(deck, state, **more):
    start = {"deck": [CODES[card] for card in deck], "starter": GAME.view(state).starter}
    return {"id": "m", "start": start, "moves": list(state.names), **more}


def test_answers_are_in_gold_with_win_rates(ask):
    deck, state = some_round(3, 4)
    worst = GAME.name(state.legal()[-1])
    include = [{"turnNumber": len(state.history), "player": state.actor, "moves": [worst]}]
    [answer] = ask(request_of(deck, state, includeMoves=include, includeMovesMinVisits=30))
    names = {info["move"] for info in answer["moveInfos"]}
    assert names <= {GAME.name(action) for action in state.legal()}
    [included] = [info for info in answer["moveInfos"] if info["move"] == worst]
    assert included["isIncluded"]
    assert included["visits"] >= 30
    for part in (answer["rootInfo"], *answer["moveInfos"]):
        assert 0 <= part["winrate"] <= 1
        assert sum(part["values"]) == pytest.approx(0, abs=1e-6)
        assert part["utility"] == pytest.approx(part["values"][state.actor], rel=1e-3, abs=1)
    assert max(abs(info["values"][0]) for info in answer["moveInfos"]) > 10
    assert all(info["utilityLcb"] < info["utility"] for info in answer["moveInfos"])


def hidden_places(deck, state):
    seat = state.actor
    view = GAME.view(state)
    hand = cards_in(view.hands[1 - seat] & ~view.shown[1 - seat])
    stock = GAME.deck(state)[-view.stock :] if view.stock else []
    return [deck.index(card) for card in (*hand, *stock)]


def replay(deck, state):
    again = GAME.start(deck=deck, starter=GAME.view(state).starter)
    for action in state.history:
        if again.is_over or action not in again.legal():
            return None
        again = again.play(action)
    return again


def test_hidden_cards_change_no_byte_of_an_answer(ask):
    """The stock and the opponent's hand are shuffled; whoever is to move gets the same answer."""
    compared = 0
    for seed in range(40):
        rng = random.Random(seed)
        deck, state = some_round(seed, rng.randrange(14))
        if state.is_over:
            continue
        places = hidden_places(deck, state)
        cards = [deck[place] for place in places]
        rng.shuffle(cards)
        changed = list(deck)
        for place, card in zip(places, cards, strict=True):
            changed[place] = card
        other = replay(changed, state)
        if other is None or other.view_key(state.actor) != state.view_key(state.actor):
            continue
        answers = [ask(request_of(cards, state, maxVisits=40)) for cards in (deck, changed)]
        assert answers[0][0]["moveInfos"]
        assert json.dumps(answers[0]) == json.dumps(answers[1])
        results = [tengen.search(s, visits=40, seed=seed) for s in (state, other)]
        assert results[0].table() == results[1].table()
        trials = [flat_search(s, state.actor, FlatSettings(40), seed) for s in (state, other)]
        assert trials[0] == trials[1]
        compared += 1
    assert compared > 15


def test_players_are_read_as_answers_name_them(ask):
    deck, state = some_round(4, 6)
    move = GAME.name(state.legal()[-1])
    found = []
    for player in (state.actor, str(state.actor)):
        include = [{"turnNumber": len(state.history), "player": player, "moves": [move]}]
        [answer] = ask(request_of(deck, state, includeMoves=include, includeMovesMinVisits=20))
        assert answer["rootInfo"]["currentPlayer"] == str(state.actor)
        found.append(next(info["visits"] for info in answer["moveInfos"] if info["move"] == move))
    assert found[0] == found[1] >= 20
    include = [{"turnNumber": 0, "player": "2", "moves": [move]}]
    [refused] = ask(request_of(deck, state, includeMoves=include))
    assert refused["error"] == "Must be a player from 0 to 1"


def test_a_view_is_analyzed(ask):
    _, state = some_round(5, 6)
    text = format_view(state, state.actor)
    request = {"id": "v", "start": {"view": text}, "moves": []}
    [answer] = ask(request)
    assert {info["move"] for info in answer["moveInfos"]} <= {GAME.name(action) for action in state.legal()}
    assert answer["rootInfo"]["currentPlayer"] == str(state.actor)


def test_the_other_seat_gets_no_answer(ask):
    _, state = some_round(5, 6)
    [answer] = ask({"id": "v", "start": {"view": format_view(state, 1 - state.actor)}, "moves": []})
    assert answer["field"] == "analyzeTurns"
    assert f"stated as player {1 - state.actor} sees it, but player {state.actor} is to move" in answer["error"]


def test_faulty_views_are_refused(ask):
    for view in ("hand: 3x", 3, ["hand"], {"hand": []}, {"nonsense": 1}, None):
        [answer] = ask({"id": "v", "start": {"view": view, "seed": 1}, "moves": ["9999"]})
        assert "error" in answer
        assert answer["id"] == "v"


def mutate(request, rng):
    changed = json.loads(json.dumps(request))
    junk = [None, True, -1, 2**70, 0.5, "", "1광", "고", [], {}, [[]], {"view": "hand: 1광"}, ["8g"], "deck"]
    for _ in range(rng.randrange(1, 4)):
        part = rng.choice([changed, changed.get("start")])
        if not isinstance(part, dict) or not part:
            continue
        name = rng.choice([*part, "view", "deck", "gold", "carry", "starter", "maxVisits", "includeMoves", "nonsense"])
        value = part.get(name)
        if isinstance(value, list) and value and rng.random() < 0.7:
            value[rng.randrange(len(value))] = copy.deepcopy(rng.choice(junk))
        elif isinstance(value, str) and value and rng.random() < 0.7:
            at = rng.randrange(len(value))
            part[name] = value[:at] + rng.choice(["", "?", ":", "광", "\n"]) + value[at + 1 :]
        else:
            part[name] = copy.deepcopy(rng.choice(junk))
    return changed


def test_mutated_requests_are_answered_or_refused_in_words(ask):
    rng = random.Random(11)
    bases = []
    for seed in range(12):
        deck, state = some_round(seed, 5)
        if not state.is_over:
            bases.append(request_of(deck, state, maxVisits=3))
            bases.append({"id": "m", "start": {"view": format_view(state, state.actor)}, "moves": [], "maxVisits": 3})
    answered = refused = 0
    for _ in range(1000):
        found = ask(mutate(rng.choice(bases), rng) | {"id": "x", "analyzeTurns": [rng.choice([0, 0, 5])]})
        assert found
        last = found[-1]
        if "error" in last:
            refused += 1
            assert "Internal" not in last["error"]
            assert 10 < len(last["error"]) < 700
        else:
            answered += 1
    assert refused > 400
    assert answered > 50
