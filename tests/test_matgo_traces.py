"""Traces of Matgo against a second, plain writing of them."""

import itertools
import random

import plain_traces as plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen.labs.matgo.traces import (
    FIELDS,
    OPTIONS,
    TRIGGERS,
    WINDOWS,
    Tracer,
    TraceSettings,
    Watcher,
    answers,
    ask,
    context,
    context_key,
    kept,
    mask_of,
    question,
)

VARIANTS = [
    {},
    {"preset": "kflower"},
    {"preset": "hangame"},
    {"bonus_cards": 3, "bonus_steal": 2, "ask_same_kind": True},
    {"go_min": 3, "gukjin_mode": "free_toggle", "pi_bak_zero_exempt": False},
]
MODES = [
    {},
    {"mode": "delta"},
    {"important_only": False},
    {"my_turn_only": True, "context_radius": 1, "go_stop_plus2": True},
    {"mode": "delta", "go_stop_plus2": True, "my_turn_only": True},
]


def play(game, seed, deal, greedy=0.5):
    """A finished round, half greedy and half at random, which meets more than either."""
    rng = random.Random(f"{seed} {greedy}")
    state = game.start(**deal)
    states = [state]
    while not state.is_over:
        action = game.greedy(state) if rng.random() < greedy else rng.choice(state.legal())
        state = state.play(action)
        states.append(state)
    return states


def deal_of(game, seed):
    deck = list(range(game.deck_size))
    random.Random(seed).shuffle(deck)
    return {"deck": deck, "starter": seed % 2, "carry": 1 + seed % 3, "gold": (20_000 + seed, 30_000)}


def traced(game, states, settings, my_seat):
    sides = ("mySide", "yourSide") if my_seat == 0 else ("yourSide", "mySide")
    tracer = Tracer(settings, sides, ("greedy", "greedy"))
    watcher = Watcher(game, states[0])
    for state, then in itertools.pairwise(states):
        tracer.add(watcher.watch(state, then.history[-1], then))
    return tracer


def assert_close(found, expected):
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for name, value in expected.items():
            assert_close(found[name], value)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=2e-6)
    else:
        assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_traces_are_those_of_the_plain_writing(rules):
    """Every field of every record, and which records are kept, in both modes and with every flag."""
    game = tengen.game("matgo", **rules)
    for seed in range(30):
        deal, my_seat = deal_of(game, seed), seed // 2 % 2
        states = play(game, seed, deal, greedy=(0.2, 0.5, 0.9)[seed % 3])
        trace = MODES[seed % len(MODES)]
        settings = TraceSettings(**trace)
        noted = plain.Noted(game.settings, **deal)
        written = plain.watch(noted, states[-1].history, plus2=settings.go_stop_plus2)
        expected = plain.trace(
            written,
            settings.mode,
            my_seat,
            deal["carry"],
            my_turn_only=settings.my_turn_only,
            important=settings.important_only,
            radius=settings.context_radius,
        )
        records = traced(game, states, settings, my_seat).records()
        assert len(records) == len(expected)
        for found, wanted in zip(records, expected, strict=True):
            assert_close(found, wanted)


def test_every_trigger_and_cause_occurs():
    """All ten bits, and in particular those of events, bombs and risks."""
    seen = set()
    for seed in range(200):
        # Short rounds have gos, long ones empty the stock.
        game = tengen.game("matgo", go_min=(3, 30)[seed // 2 % 2])
        states = play(game, seed, deal_of(game, seed), greedy=(0.3, 0.7)[seed % 2])
        seen.update(*traced(game, states, TraceSettings(), 0).causes())
    seen |= {"goStopPlus2"} if "goStopOption" in seen else set()
    assert seen == set(WINDOWS)
    assert mask_of(seen) == (1 << len(TRIGGERS)) - 1


def test_causes_have_the_bits_of_their_triggers():
    assert len(TRIGGERS) == 10
    assert [mask_of([trigger]) for trigger in TRIGGERS] == [1 << bit for bit in range(10)]
    assert mask_of(["specialEventPpuk", "specialEventCore"]) == mask_of(["specialEvent"]) == 32
    assert mask_of(["bombDeclare", "bombCountShift"]) == mask_of(["bombEvent"]) == 64
    assert mask_of(["riskShiftUp", "riskShiftDown", "riskShiftMixed"]) == mask_of(["riskShift"]) == 128
    assert {name: window[1:] for name, window in WINDOWS.items()} == {
        "earlyTurnForced": (0, 0),
        "goStopOption": (1, 1),
        "goStopPlus2": (1, 2),
        "shakingYesOption": (0, 1),
        "optionTurnOther": (0, 1),
        "deckEmpty": (1, 0),
        "specialEventPpuk": (1, 1),
        "specialEventCore": (1, 0),
        "bombDeclare": (1, 1),
        "bombCountShift": (0, 1),
        "riskShiftUp": (1, 0),
        "riskShiftDown": (0, 1),
        "riskShiftMixed": (0, 0),
        "comboThreatEnter": (0, 0),
        "terminalContext": (0, 0),
    }


@given(
    st.lists(st.tuples(st.integers(1, 20), st.sets(st.sampled_from(sorted(WINDOWS)), max_size=2)), max_size=25),
    st.integers(0, 3),
)
def test_windows_are_united(records, radius):
    turns, causes = [turn for turn, _ in records], [own for _, own in records]
    expected = [
        any(
            other - WINDOWS[cause].back - radius <= turn <= other + WINDOWS[cause].forward + radius
            for other, own in records
            for cause in own
        )
        for turn in turns
    ]
    assert kept(turns, causes, radius) == (expected if any(causes) else [True] * len(turns))


def test_a_context_has_seventeen_fields_and_belongs_to_its_viewer():
    game = tengen.game("matgo")
    other_way = 0
    for seed in range(60):
        for state in play(game, seed, deal_of(game, seed))[:-1]:
            for viewer in (0, 1):
                fields = context(game, state, viewer)
                assert tuple(fields) == FIELDS
                assert len(fields) == 17
                # The risk is the viewer's: what multiplies if the opponent stops.
                own, stops = game.view(state).multipliers[viewer], game.view(state).multipliers[1 - viewer]
                assert fields["piBakRisk"] == stops.pi_bak
                assert fields["gwangBakRisk"] == stops.gwang_bak
                assert fields["mongBakRisk"] == stops.mong_bak
                other_way += own.pi_bak != stops.pi_bak
                assert all(0 <= fields[name] <= 1 for name in FIELDS if name.endswith("Prob"))
    assert other_way > 50


def test_questions_name_their_choices():
    game = tengen.game("matgo")
    named = set()
    for seed in range(250):
        states = play(game, seed, deal_of(game, seed), greedy=0.3)
        for state, then in itertools.pairwise(states):
            asked, action = ask(game, state), then.history[-1]
            given_answers = answers(asked, action)
            assert next(q.choices for q, _ in given_answers) == asked.choices
            last, choice = given_answers[-1]
            assert last.action(choice) == action
            assert all(one in q.choices for q, one in given_answers)
            named |= {one for q, one in given_answers if q.dt == "option"}
            actions = {*asked.actions, *(follow.actions[0] for c in asked.choices if (follow := asked.follow(c)))}
            assert actions == set(state.legal())
            key = context_key(game, state)
            assert key.startswith(f"dt={asked.dt}|ph={asked.phase}|o=")
            assert key.endswith(f"|cc={len(asked.choices)}")
    assert named == set(OPTIONS)
    assert question(0, [50]).choices == ("dummy",)
