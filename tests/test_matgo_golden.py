"""1,200 recorded games of the engine that preset kflower reproduces: the same states, the same choices, the same gold.

A line of the data is a game: the deck as start() takes it, the actions, the legal actions before each of them, and the
state before each and after the last. A state lists what changed since the one before; of a set of cards, those that
came or went. A name that ends in 0 or 1 belongs to that seat. Of a state in which a floor card is chosen only the phase
was recorded.
"""

import json
import lzma
from pathlib import Path

import pytest

import tengen
from tengen.games.matgo.cards import GUKJIN, pi_value

DATA = Path(__file__).parent / "data" / "matgo" / "kflower_games.jsonl.xz"
CHOOSING = (1, 2)
OVER = 6
AS_PI = 2


@pytest.fixture(scope="module")
def recorded():
    return [json.loads(line) for line in lzma.decompress(DATA.read_bytes()).splitlines()]


def cards(ids):
    return sum(1 << card for card in ids)


def pi_cards(view, seat):
    """The values of captured pi, gukjin among them once it is one."""
    captured = [card for card in range(51) if view.captured[seat] >> card & 1]
    return [2 if card == GUKJIN else pi_value(card) for card in captured if counts_as_pi(view, card)]


def counts_as_pi(view, card):
    return view.gukjin == AS_PI if card == GUKJIN else pi_value(card) > 0


def describe(view):
    if view.phase in CHOOSING:
        return {"phase": view.phase}
    told = {
        "phase": view.phase,
        "mover": -1 if view.phase == OVER else view.mover,
        "floor": view.floor,
        "stock": view.stock,
    }
    for seat in (0, 1):
        pi = pi_cards(view, seat)
        other = [card for card in range(51) if view.captured[seat] >> card & 1 and not counts_as_pi(view, card)]
        told |= {
            f"hand{seat}": view.hands[seat],
            f"dummies{seat}": view.dummies[seat],
            f"captured{seat}": cards(other),
            **{f"pi{value}{seat}": pi.count(value) for value in (1, 2, 3)},
            f"go{seat}": view.gos[seat],
            f"base{seat}": view.bases[seat],
            f"gold{seat}": view.gold[seat],
            f"ppuk{seat}": view.ppuks[seat],
        }
    if view.phase == OVER:
        told |= {"winner": view.winner, "nagari": int(view.winner == 2)}
    return told


def replay(game, record):
    """What differs, as text."""
    state = game.start(deck=record["deck"], starter=record["starter"])
    expected = {}
    for number, change in enumerate(record["states"]):
        told = describe(game.view(state))
        for name, value in change.items():
            expected[name] = expected.get(name, 0) ^ cards(value) if isinstance(value, list) else value
        if told != {name: expected[name] for name in told}:
            yield f"state {number}: {told} instead of {expected}"
        if number < len(record["actions"]):
            if state.legal() != sorted(record["legal"][number]):
                yield f"legal {number}: {state.legal()} instead of {record['legal'][number]}"
            state = state.play(record["actions"][number])
    if not state.is_over or state.payoffs[0] != expected["gold0"]:
        yield f"the end: {state!r}"


@pytest.mark.slow
def test_every_recorded_game_is_played_alike(recorded):
    game = tengen.game("matgo", preset="kflower")
    assert len(recorded) == 1200
    assert [(i, text) for i, record in enumerate(recorded) for text in replay(game, record)] == []


def test_the_records_are_rich(recorded):
    """What would make the replay prove little is a record without the rare cases."""
    actions = [action for record in recorded for action in record["actions"]]
    assert sum(50 < action < 63 for action in actions) > 100, "bombs"
    assert sum(63 <= action < 111 for action in actions) > 400, "shakes"
    assert {161, 162, 163, 164, 165, 166, 50} <= set(actions)
    assert any(not record["actions"] for record in recorded), "four of a month on the floor"
    assert any(3 in (state.get("ppuk0"), state.get("ppuk1")) for record in recorded for state in record["states"])


@pytest.mark.slow
def test_the_repaired_rules_play_otherwise(recorded):
    """The default is not the recorded engine: some games part ways."""
    game = tengen.game("matgo")
    differing = 0
    for record in recorded[::4]:
        try:
            differing += any(True for _ in replay(game, record))
        except tengen.games.IllegalAction:
            differing += 1
    assert 0 < differing < 100
