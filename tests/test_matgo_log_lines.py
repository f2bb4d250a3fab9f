"""Lines of Matgo's logs: read again, of older programs, damaged, replayed, and blind to what a seat does not see."""

import json
import random
from itertools import pairwise

import pytest
from test_matgo_views import hidden_cards

import tengen
from tengen.games import IllegalAction
from tengen.labs.matgo.series_play import ComebackExploration, play_series
from tengen.labs.matgo.traces import (
    FIELDS,
    LogSettings,
    TraceError,
    Tracer,
    TraceSettings,
    Watcher,
    context,
    context_key,
    deck_of,
    make_series,
    parse_choice,
    parse_line,
    read_log,
    replay,
    with_carries,
)

GAME = tengen.game("matgo")


class Mixed:
    """Greedy or random by the seed."""

    name = "mixed"

    def choose(self, states, seats, seeds):
        return [
            GAME.greedy(state) if seed % 2 else random.Random(seed).choice(state.legal(seat))
            for state, seat, seed in zip(states, seats, seeds, strict=True)
        ]


def logged(games=8, **settings):
    trace = TraceSettings(**settings)
    plan = LogSettings(games=games, seed=3, session_games=2, trace=trace)
    found = make_series(GAME, plan, range(games // 2))
    play_series(found, [Mixed(), Mixed()], ComebackExploration(0.1))
    return sorted((game for one_series in found for game in one_series.games), key=lambda game: game.game)


LINES = [game.line for game in logged(4)]


def test_lines_are_read_as_they_were_written():
    for line in LINES:
        values, game = json.loads(line), parse_line(line)
        assert game.values == values
        assert [record.ch for record in game.trace] == [record["ch"] for record in values["decision_trace"]]
        for record, written in zip(game.trace, values["decision_trace"], strict=True):
            assert (record.t, record.a, record.dt, record.cc) == tuple(written[name] for name in ("t", "a", "dt", "cc"))
            assert record.dc == written["dc"]
            assert list(record.cl) == written["cl"]
            assert (record.ck, record.ir, record.tm) == (written["ck"], written["ir"], written.get("tm", 0))
            assert record.o == ("first" if record.a == game.first else "second")
            assert f"|o={record.o}|" in record.ck
        assert game.gold_delta("mySide") == values["goldDeltaMy"] == -game.gold_delta("yourSide")


def test_lines_have_the_fields_of_the_schema():
    values = json.loads(LINES[0])
    assert values["ver"] == {"s": 2, "f": 14, "t": 2}
    assert list(values) == [
        *("ver", "run", "game", "seed", "steps", "firstAttackerActor", "policy", "winner", "score"),
        *("initialGoldMy", "initialGoldYour", "finalGoldMy", "finalGoldYour", "goldDeltaMy", "bankrupt"),
        "decision_trace",
    ]
    for line in LINES:
        for record in json.loads(line)["decision_trace"]:
            assert set(record) - {"tm"} == {"t", "a", "dt", "cc", "ch", "cl", "ir", "dc", "ck"}
            assert record["ch"] in record["cl"]
            assert not record["ch"].startswith("choose_")
            assert 0 < record.get("tm", 1) < 1024
    (delta, *_), *_ = (json.loads(game.line)["decision_trace"] for game in logged(2, mode="delta"))
    assert list(delta) == ["t", "a", "ch", "delta", "reasoning"]
    assert list(delta["delta"]) == [
        *("deck", "handSelf", "handOpp", "piSteal", "goldSteal", "capHand", "capFlip", "events")
    ]
    assert list(delta["reasoning"]) == ["policy", "candidatesCount", "evaluation"]


def test_decisions_without_a_choice_are_logged_for_training_only():
    counts = {
        mode: {
            record.cc for game in logged(12, mode=mode, important_only=False) for record in parse_line(game.line).trace
        }
        for mode in ("train", "delta")
    }
    assert min(counts["train"]) == 1
    assert min(counts["delta"]) == 2


def test_splits_are_read_by_the_same_reader():
    for game in logged(4):
        split = parse_line(game.split)
        whole = parse_line(game.line)
        assert [(r.a, r.o, r.dt, r.cc, r.ch, r.cl, r.ck) for r in split.trace] == [
            (r.a, r.o, r.dt, r.cc, r.ch, r.cl, r.ck) for r in whole.trace
        ]
        assert set(json.loads(game.split)["decision_trace"][0]) == {"a", "o", "dt", "cc", "ch", "cl", "ck"}


# Older logs.

OLD_CONTEXT = {"phase": "go-stop", "deckCount": 8, "handCountSelf": 4, "handCountOpp": 5}
OLD_CONTEXT |= {"currentScoreSelf": 9, "currentScoreOpp": 3, "oppJokboThreatProb": 40, "piBakRisk": True}


def old_line(**record):
    values = {"t": 5, "a": "mySide", "cc": 2, "dc": OLD_CONTEXT, **record}
    return json.dumps({"game": 1, "winner": "mySide", "decision_trace": [values]})


def test_older_fields_are_read():
    (record,) = parse_line(old_line(dt="option", at="choose_go", o="first", ck="key", tg=["goStopOption"])).trace
    assert (record.ch, record.dt, record.o, record.ck, record.triggers) == (
        *("go", "option", "first", "key"),
        ("goStopOption",),
    )
    assert tuple(record.dc) == FIELDS
    assert record.dc["scoreDiff"] == 6
    assert record.dc["handCountDiff"] == -1
    assert record.hand_count_opp == 5
    assert record.dc["phase"] == 3
    assert record.dc["oppJokboThreatProb"] == 0.4
    assert record.dc["piBakRisk"] == 1
    assert parse_line(old_line(c="A0")).trace[0].ch == "1g"
    assert parse_line(old_line(s="L3", dt="match")).trace[0].ch == "12d"
    raw = parse_line(old_line(c=47, tg=["specialEventPpuk", "bombCountShift", "riskShiftDown"])).trace[0]
    assert raw.triggers == ("specialEvent", "bombEvent", "riskShift")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("choose_go", "go"),
        ("choose_stop", "stop"),
        ("choose_shaking_yes", "shake"),
        ("choose_shaking_no", "no_shake"),
        ("choose_president_stop", "president_stop"),
        ("choose_president_hold", "president_hold"),
        ("choose_five", "five"),
        ("choose_junk", "junk"),
        ("declare_bomb", "bomb"),
        ("M1", "b3"),
        ("B3", "2pb"),
        ("b3", "b3"),
        ("8광", "8g"),
        (0, "1g"),
        ("bomb 3", "bomb 3"),
    ],
)
def test_choices_have_older_names(old, new):
    assert parse_choice(old) == new


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ver": {"s": 3, "f": 14, "t": 2}}, "ver.s is 3: this program reads up to 2"),
        ({"firstAttackerActor": "nobody"}, "firstAttackerActor is 'nobody'"),
        ({"decision_trace": None}, "decision_trace is 'None', no list"),
        ({"finalGoldMy": "much"}, "finalGoldMy is 'much', no number"),
        ({"goldDeltaMy": 5}, "goldDeltaMy is 5, not finalGoldMy - initialGoldMy"),
        ({"game": 1.5}, "game is 1.5, no whole number"),
    ],
)
def test_errors_name_the_line_and_the_fault(change, told):
    lines = [LINES[0], json.dumps(json.loads(LINES[1]) | change)]
    with pytest.raises(TraceError, match=r"games\.jsonl, line 2: .*is no game of a Matgo log") as caught:
        list(read_log(lines, "games.jsonl"))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": "theirSide"}, "a is 'theirSide'"),
        ({"ch": "13g"}, "'13g' is no choice of a log"),
        ({"cl": ["1g"]}, "but cl has 1: 1g"),
        ({"cc": -1, "cl": []}, "cc is -1, below 0"),
        ({"tm": 1024}, "tm is 1024: it has 10 bits"),
        ({"dc": {"phase": 0}}, "dc lacks deckCount"),
        ({"ir": "good"}, "ir is 'good', no number"),
        ({"dt": "think"}, "dt is 'think', not play, match, option"),
    ],
)
def test_errors_name_the_decision(change, told):
    values = json.loads(LINES[0])
    values["decision_trace"][3] |= change
    with pytest.raises(TraceError, match="decision 3: ") as caught:
        parse_line(json.dumps(values))
    assert told in str(caught.value)


def mutate(line, rng):
    """One thing changed: bytes, or something within the JSON."""
    data = bytearray(line.encode())
    kind = rng.randrange(6)
    place = rng.randrange(len(data))
    if kind == 0:
        data[place] = rng.randrange(256)
    elif kind == 1:
        del data[place : place + rng.randrange(1, 30)]
    elif kind == 2:
        data[place:place] = rng.choice([b"{", b"]", b'"', b"9", b"NaN", b"\xff", b"\\", b",", b"-"])
    elif kind == 3:
        del data[place:]
    else:
        values = json.loads(line)
        target = rng.choice([values, *values["decision_trace"], *(r["dc"] for r in values["decision_trace"])])
        name = rng.choice(sorted(target))
        if kind == 4:
            del target[name]
        else:
            target[name] = rng.choice([None, -1, 1e300, "x", [], {}, True, 10**400, [[]], 0.5])
        data = bytearray(json.dumps(values).encode())
    return bytes(data).replace(b"\n", b" ")


@pytest.mark.slow
def test_a_thousand_damaged_lines_are_told_and_lose_nothing_else():
    rng = random.Random(8)
    untouched = [parse_line(line) for line in LINES]
    told = 0
    for _ in range(1000):
        place = rng.randrange(len(LINES))
        lines = [line.encode() for line in LINES]
        lines[place] = mutate(LINES[place], rng)
        errors = []
        found = list(read_log(lines, "games.jsonl", errors.append))
        assert len(found) + len(errors) == len(LINES) or not lines[place].strip()
        rest = [game for i, game in enumerate(untouched) if i != place]
        assert [game for game in found if game in rest] == rest
        for error in errors:
            told += 1
            assert str(error).startswith(f"games.jsonl, line {place + 1}: ")
            assert len(str(error)) > 40
    assert told > 600


# What a log says can be had again from the states.


def test_logged_states_encode_to_the_same_bytes():
    """No skew between what is logged and what a player sees."""
    games = [parse_line(game.line) for game in logged(40, important_only=False)]
    compared = 0
    for game, carry in with_carries(games, 2):
        for state, asked, record in replay(GAME, game, carry):
            assert json.dumps(context(GAME, state, asked=asked)) == json.dumps(record.dc)
            assert context_key(GAME, state, asked=asked) == record.ck
            assert asked.choices == record.cl
            compared += 1
    assert compared > 700


def test_a_log_without_all_decisions_does_not_replay():
    game = parse_line(LINES[0])
    with pytest.raises(TraceError, match=r"does not replay|goes on after"):
        list(replay(GAME, game))


# What a seat does not see.


def records_of(states, viewer, **settings):
    sides = ("mySide", "yourSide") if viewer == 0 else ("yourSide", "mySide")
    tracer = Tracer(TraceSettings(**settings), sides, ("one", "two"))
    watcher = Watcher(GAME, states[0])
    for state, then in pairwise(states):
        tracer.add(watcher.watch(state, then.history[-1], then))
    return json.dumps([record for record in tracer.records() if record["a"] == "mySide"])


def states_of(deck, actions):
    states = [GAME.start(deck=deck, starter=0)]
    try:
        for action in actions:
            states.append(states[-1].play(action))
    except IllegalAction:
        return None
    return states


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["train", "delta"])
def test_hidden_cards_change_no_byte_of_a_seats_records(mode):
    """Two cards that a seat has not seen, at any time of a round, change places in the deck."""
    rng = random.Random(mode)
    compared = 0
    for seed in range(90):
        deck = deck_of(GAME, seed)
        states = [GAME.start(deck=deck, starter=0)]
        while not states[-1].is_over and len(states) < 4 + seed % 30:
            state = states[-1]
            states.append(state.play(GAME.greedy(state) if rng.random() < 0.6 else rng.choice(state.legal())))
        for viewer in (0, 1):
            hand, stock = hidden_cards(GAME, states[-1], viewer)
            if len(hand) + len(stock) < 2:
                continue
            one, other = rng.sample([deck.index(card) for card in (*hand, *stock)], 2)
            changed = list(deck)
            changed[one], changed[other] = changed[other], changed[one]
            again = states_of(changed, states[-1].history)
            # Not so if the opponent would have been asked about four of a month, or was and would not have been.
            if again is None or GAME.view(again[-1]).shown != GAME.view(states[-1]).shown:
                continue
            for settings in ({"important_only": False}, {"my_turn_only": True}):
                first = records_of(states, viewer, mode=mode, **settings)
                assert records_of(again, viewer, mode=mode, **settings) == first
                compared += len(first)
    assert compared > 150_000
