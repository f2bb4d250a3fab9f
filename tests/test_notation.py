"""Names of actions: what is written can be read again, and nothing that is read breaks anything."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped_games import NAMES, small_game

import tengen
from tengen.games import GameError, IllegalAction, NotationError, State
from tengen.games.pyrga import notation as pyrga

if TYPE_CHECKING:
    from collections.abc import Callable

GAMES = {name: small_game(name) for name in NAMES}

# Near misses are likelier to find a hole than arbitrary text.
PIECES = ["square", "circle", "arrow", "s", "C", "A", "a1", "b2", "D4", "e5", "a0", "b22", "up", "LEFT", "^", "v", ">"]
WORDS = ["rock", "Paper", "roll", "HOLD", "pass", "bet", "call", "fold", "check", "7", "0", "g", "h", "ſ", "²", "\n"]
near_misses = st.lists(st.sampled_from([*PIECES, *WORDS, " ", "  ", ""]), max_size=4).map("".join)
spaced = st.lists(st.sampled_from([*PIECES, *WORDS]), max_size=4).map(" ".join)
texts = st.one_of(st.text(max_size=20), near_misses, spaced)


def step(state: State, rng: random.Random) -> State:
    if state.actor == "all":
        return state.play([rng.choice(state.legal(player)) for player in range(state.game.players)])
    return state.play(rng.choice(state.legal()))


@st.composite
def states(draw: st.DrawFn, names: tuple[str, ...] = NAMES) -> State:
    state = GAMES[draw(st.sampled_from(names))].start(seed=draw(st.integers(0, 99)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 30))):
        if state.is_over:
            break
        state = step(state, rng)
    return state


def choices(state: State) -> list[int]:
    if state.actor == "chance":
        return []
    return state.legal(0) if state.actor == "all" else state.legal()


@given(states(), st.sampled_from([str, str.upper, str.title, "  {}\t".format]))
def test_legal_actions_round_trip(state, disguise):
    game = state.game
    for action in choices(state):
        assert game.parse(disguise(game.name(action)), state) == action


@given(states(("pig",)))
def test_outcomes_round_trip(state):
    if state.actor == "chance":
        for outcome in state.legal():
            face = state.game.format_outcome(outcome)
            assert face == str(outcome + 1)
            assert state.play(face) == state.play(outcome)


def read(parse: Callable[..., int], text: str, *where: object) -> int | GameError:
    """What a text was read as, or the documented error; any other error fails the test."""
    try:
        return parse(text, *where)
    except (NotationError, IllegalAction) as error:
        return error


@given(states(), texts)
def test_any_text_is_a_legal_action_or_an_error_that_says_why(state, text):
    answer = read(state.game.parse, text, state)
    if isinstance(answer, IllegalAction):
        assert state.text(state.actor if isinstance(state.actor, int) else None) in str(answer)
    elif isinstance(answer, NotationError):
        # Go's words are KataGo's, which quotes nothing.
        assert (f": {text}: " if state.game.id == "go" else repr(text)) in str(answer)
    else:
        assert answer in choices(state)


@given(states(("pig",)), texts)
def test_any_text_is_a_face_or_an_error_that_names_it(state, text):
    answer = read(state.game.parse_outcome, text, state.position)
    assert repr(text) in str(answer) if isinstance(answer, NotationError) else answer in range(6)


@given(texts)
def test_any_text_is_a_name_in_pyrga_or_an_error_that_names_it(text):
    answer = read(pyrga.parse_action, text)
    assert repr(text) in str(answer) if isinstance(answer, NotationError) else answer in range(96)


def test_pyrga_names():
    actions = range(96)
    for write in (pyrga.format_action, pyrga.format_short):
        assert len({write(action) for action in actions}) == 96
        assert all(pyrga.parse_action(write(action)) == action for action in actions)
        assert all(pyrga.parse_action(write(action).upper()) == action for action in actions)
    assert [pyrga.format_action(a) for a in (0, 5, 16 + 7, 32 + 4 * 5, 95)] == [
        "square a1",
        "square b2",
        "circle d2",
        "arrow b2 up",
        "arrow d4 left",
    ]
    assert [pyrga.format_short(a) for a in (5, 21, 52, 53, 54, 55)] == ["Sb2", "Cb2", "Ab2^", "Ab2>", "Ab2v", "Ab2<"]
    assert pyrga.parse_action("arrow b2 >") == pyrga.parse_action(" aB2Right ") == 53


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("triangle b2", "square b2"),
        ("square", "square b2"),
        ("square e2", "a1 (top left) to d4"),
        ("square a12", "a1 (top left) to d4"),
        ("square b2 up", "only arrows"),
        ("arrow b2", "up, right, down or left"),
        ("arrow b2 north", "arrow b2 up"),
        ("", "square b2"),
    ],
)
def test_pyrga_errors_say_what_would_be_right(text, right):
    with pytest.raises(NotationError) as caught:
        pyrga.parse_action(text)
    assert repr(text) in str(caught.value)
    assert right in str(caught.value)


def test_pyrga_illegal_action_shows_the_position():
    game = tengen.game("pyrga")
    state = game.start().play("circle b2")
    with pytest.raises(IllegalAction) as caught:
        game.parse("Sa1", state)
    assert "square a1" in str(caught.value)
    assert str(state) in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_unknown_ids_have_no_name(name):
    game = tengen.game(name)
    for action in (-1, game.action_count):
        with pytest.raises(GameError, match=str(action)):
            game.name(action)


def test_connect_four_reads_letters_and_numbers():
    game = tengen.game("connect_four")
    state = game.start()
    assert [game.parse(text, state) for text in "aG17"] == [0, 6, 0, 6]
    assert [game.name(action) for action in range(7)] == list("abcdefg")
    for _ in range(6):
        state = state.play("d")
    with pytest.raises(IllegalAction):
        game.parse("4", state)


def test_kuhn_poker_reads_the_words_of_the_table():
    game = tengen.game("kuhn_poker")
    state = game.start(cards="KJ")
    assert game.parse("check", state) == game.parse("pass", state) == 0
    for text in ("fold", "call"):
        with pytest.raises(NotationError, match="check or bet"):
            game.parse(text, state)
    faced = state.play("bet")
    assert game.parse("fold", faced) == 0
    assert game.parse("Call", faced) == game.parse("bet", faced) == 1
    with pytest.raises(NotationError, match="fold or call"):
        game.parse("check", faced)
    assert faced.play("call").payoffs == (2.0, -2.0)


@pytest.mark.parametrize("cards", ["", "K", "KK", "KA", "KQJ", "K J"])
def test_kuhn_poker_refuses_impossible_deals(cards):
    with pytest.raises(GameError, match="such as 'KJ'"):
        tengen.game("kuhn_poker").start(cards=cards)


@pytest.mark.parametrize("target", [0, -1, 10_001, 2**70])
def test_pig_refuses_impossible_targets(target):
    with pytest.raises(GameError, match="1 to 10000"):
        tengen.game("pig", target=target)
