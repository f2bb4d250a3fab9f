"""The game of Go in Python: how it starts, replays, names, draws and answers."""

import json
import pickle
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from go_positions import legal_names, play, setup
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen import _core
from tengen.games import GameError, IllegalAction, NotationError, SettingError
from tengen.games.go import Mark, Rules, format_result
from tengen.games.go.rules import PRESETS

ANSI = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture(scope="module")
def game():
    return tengen.game("go", size=9)


# Settings and starts.


def test_settings():
    assert tengen.game("go").shape == (41, 19, 19)
    oblong = tengen.game("go", size=7, height=11)
    assert (oblong.shape, oblong.action_count, oblong.aux_count) == ((41, 11, 7), 78, 82)
    assert (oblong.symmetry_count, tengen.game("go", size=7).symmetry_count) == (4, 8)
    rules = tengen.game("go", rules="japanese", komi=6.5).start()
    assert rules.game.rules_of(rules) == (PRESETS["japanese"][0], 6.5)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"size": 1}, "no board of 1x1: both sides are 2 to 19"),
        ({"size": 20}, "no board of 20x20"),
        ({"size": 9, "height": 25}, "no board of 9x25"),
        ({"rules": "nonsense"}, "Could not parse rules: nonsense"),
        ({"komi": 6.25}, "expected a whole or half number"),
        ({"komi": 500}, "expected a whole or half number"),
        ({"komi": float("nan")}, "expected a whole or half number"),
    ],
)
def test_settings_that_do_not_fit(wrong, complaint):
    with pytest.raises(SettingError, match=complaint):
        tengen.game("go", **wrong)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_comes_back_from_the_state(game, name):
    rules, komi = PRESETS[name]
    state = game.start(rules=name)
    assert game.rules_of(state) == (rules, komi)
    assert game.rules_of(game.start(rules=rules, komi=3)) == (rules, 3)
    assert game.rules_of(game.start(rules=name, komi=-12.5)) == (rules, -12.5)


def test_one_pool_holds_many_rules(game):
    pool = tengen.Pool(game, tengen.SearchSettings(visits=20))
    states = [game.start(rules=name) for name in ("tromp-taylor", "japanese", "aga-button")]
    roots = [pool.add(state, seed=1) for state in states]
    pool.run()
    assert [pool.result(root).visits for root in roots] == [20, 20, 20]
    assert len({state.key for state in states}) == 3


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "black"),
        ({"to_play": "W"}, "white"),
        ({"stones": [("b", "D4")]}, "black"),
        ({"stones": [("b", "D4"), ("b", "F6")]}, "white"),
        ({"stones": [("b", "D4"), ("b", "D4")]}, "black"),
        ({"stones": [("b", "D4"), ("w", "F6")]}, "black"),
        ({"moves": [("w", "D4")]}, "black"),
        ({"moves": [("b", "D4")], "to_play": "w"}, "white"),
    ],
)
def test_who_begins(game, options, expected):
    assert game.to_play(game.start(**options)) == expected


def test_stones_may_be_listed_twice_and_are_taken_without_liberties(game):
    stones = [("b", "A1"), ("w", "A2"), ("w", "B1"), ("w", "B1")]
    state = game.start(stones=stones)
    # As if they were put down one after the other.
    assert game.board(state).endswith("O......../.O.......")
    assert state.encode(0).shape == (41, 9, 9)
    # A later stone replaces an earlier one.
    assert game.board(game.start(stones=[("b", "A9"), ("w", "A9")])).startswith("O")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"stones": [("b", "pass")]}, "'pass' is no point"),
        ({"stones": [("b", "K1")]}, "Could not parse board location: K1"),
        ({"stones": [("x", "A1")]}, "Could not parse player: x"),
        ({"to_play": "red"}, "Could not parse player: red"),
        ({"rules": "tromp-taylor", "phase": 1}, "only territory scoring"),
        ({"rules": "japanese", "phase": 3}, "phase 3"),
        ({"komi": 0.3}, "expected a whole or half number"),
        ({"nothing": 1}, "has no setting 'nothing'"),
    ],
)
def test_starts_that_do_not_fit(game, options, complaint):
    with pytest.raises(GameError, match=complaint):
        game.start(**options)


# Replays.


@pytest.mark.parametrize(
    ("moves", "number", "move"),
    [
        ([("b", "D4"), ("w", "D4")], 1, "white D4"),
        ([("b", "A2"), ("w", "J9"), ("b", "B1"), ("w", "A1")], 3, "white A1"),
    ],
)
def test_what_cannot_be_replayed_is_named(game, moves, number, move):
    with pytest.raises(IllegalAction, match=rf"move {number} \({move}\) is illegal"):
        game.start(moves=moves)


def test_replays_tolerate_kos(game):
    ko = ["D6", "E6", "C5", "F5", "D4", "E4", "A1", "D5", "E5", "D5"]
    state = game.start(rules="japanese", moves=list(zip("bw" * 5, ko, strict=True)))
    assert game.board(state).split("/")[4] == "..XO.O..."


def test_replays_go_on_after_the_end(game):
    moves = [("b", "pass"), ("w", "pass"), ("b", "E5")]
    assert game.start(moves=moves[:2]).is_over
    state = game.start(moves=moves)
    assert not state.is_over
    assert game.to_play(state) == "white"
    assert game.replay(state, [("w", "C3")]).encode(0)[9:11].sum() == 2


def test_moving_twice_starts_anew(game):
    once = game.start(moves=[("b", "D4"), ("w", "F6")])
    twice = game.replay(once, [("w", "C3")])
    assert game.to_play(twice) == "black"
    assert game.ply(twice) == 3
    assert twice.encode(0)[9:14].sum() == 1
    assert [game.name(action) for action in game.go.recent(twice.position)] == ["C3"]
    fresh = game.start(stones=[("b", "D4"), ("w", "F6")], moves=[("w", "C3")])
    assert fresh.key == twice.key


@given(st.integers(0, 2**32), st.sampled_from(sorted(PRESETS)), st.integers(3, 7), st.integers(3, 7))
@settings(max_examples=60)
def test_a_replayed_game_is_the_played_game(seed, rules, width, height):
    rng = np.random.default_rng(seed)
    game = tengen.game("go", size=width, height=height)
    state = game.start(rules=rules)
    moves = []
    while not state.is_over and len(moves) < 60:
        action = int(rng.choice(state.legal()))
        moves.append((game.to_play(state), game.name(action)))
        state = state.play(action)
    again = game.start(rules=rules, moves=moves)
    assert again == state
    assert np.array_equal(again.encode(0), state.encode(0))
    assert game.score(again) == game.score(state)
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state
    for symmetry in range(game.symmetry_count):
        assert game.score(state.transform(symmetry)) == game.score(state)


@given(st.lists(st.tuples(st.sampled_from("bw"), st.integers(0, 25)), max_size=40))
@settings(max_examples=60)
def test_any_replay_is_refused_or_answered(moves):
    game = tengen.game("go", size=5)
    try:
        state = game.start(moves=[(color, game.name(action)) for color, action in moves])
    except IllegalAction as error:
        number = int(str(error).split()[1])
        assert game.start(moves=[(color, game.name(action)) for color, action in moves[:number]])
        return
    assert state.is_over or state.legal()[-1] == 25
    assert sum(map(len, game.final_status(state).values())) == 25


# Names.


def test_names(game):
    state = game.start()
    for text in ("D4", "d4", " D4 ", "(3,5)"):
        assert game.name(game.parse(text, state)) == "D4"
    assert game.parse("PASS", state) == 81
    assert game.name(0) == "A9"
    with pytest.raises(NotationError, match="Could not parse board location: I5"):
        game.parse("I5", state)
    with pytest.raises(NotationError, match="off the board"):
        game.parse("(9,9)", state)
    with pytest.raises(IllegalAction, match=r"\(D4\) is illegal"):
        game.parse("D4", state.play("D4"))


# Questions.


def test_results_in_words():
    assert [format_result(lead) for lead in (3.5, -0.5, 0, 12, -361)] == ["B+3.5", "W+0.5", "0", "B+12", "W+361"]


def test_dead_stones_are_named_by_any_of_their_chain(game):
    state = game.start(komi=0, moves=[("b", "A1"), ("w", "E5"), ("b", "A2")])
    assert game.score(state) == 1
    assert game.score(state, dead=["A2"]) == -81
    assert game.score(state, dead=["E5"]) == 81
    with pytest.raises(GameError, match="no stone at 'C3'"):
        game.score(state, dead=["C3"])


def test_chains_and_liberties(game):
    state = game.start(moves=[("b", "A1"), ("w", "E5"), ("b", "A2"), ("w", "A3")])
    cells = {game.name(cell): cell for cell in range(81)}
    assert {game.name(cell) for cell in game.go.chain(state.position, cells["A1"])} == {"A1", "A2"}
    assert [game.go.liberties(state.position, cells[name]) for name in ("A1", "E5", "A3", "C3")] == [2, 4, 2, 0]
    assert game.go.chain(state.position, cells["C3"]) == []


def test_pass_alive():
    state = setup(".X.O. XXXO. .X.OO XXXO. .X.OO")
    owners = state.game.go.pass_alive(state.position)
    assert owners[:5] == bytes([1, 1, 0, 2, 2])


def test_options(game):
    state = game.start(moves=[("b", "pass"), ("w", "pass")])
    asked = game.with_options(state, root_ply=2, center=1.5, conservative_pass=True)
    assert state.is_over
    assert not asked.is_over
    kept = pickle.loads(pickle.dumps(asked.play("D4")))
    core, position = kept.game.go, kept.position
    assert (core.root_ply(position), core.conservative_pass(position)) == (2, True)
    [[*_, center, scale, _, _]] = _core.katago_contexts_of_roots([core.context])
    assert (center, scale) == (1.5, 0.75)
    assert kept == asked.play("D4") != game.with_options(state, root_ply=2).play("D4")
    assert kept.game == game
    for wrong in ({"center": float("nan")}, {"scale": 0.0}, {"white_draw_equivalent": 2.0}, {"advantage_player": 2}):
        with pytest.raises(GameError, match="no options of go"):
            game.with_options(state, **wrong)
    with pytest.raises(GameError, match="no options of go"):
        game.with_options(state, unknown=1)


def test_a_draw_is_worth_what_is_asked():
    state = play(setup("X.O XXO X.O"), "pass pass")
    assert state.payoffs == (1, -1)
    drawn = setup(".X.O. XX.OO .X.O. XX.OO", komi=0)
    game = drawn.game
    assert play(drawn, "pass pass").payoffs == (0, 0)
    ended = play(game.with_options(drawn, white_draw_equivalent=0.75), "pass pass")
    assert ended.payoffs == (-0.5, 0.5)


def test_a_friendly_pass_ends_no_searched_game(game):
    state = game.start(rules="chinese", moves=[("b", "E5"), ("w", "pass")])
    assert state.play("pass").is_over
    asked = game.with_options(state, root_ply=1)
    held = asked.play("pass")
    assert not held.is_over
    assert held.play("pass").is_over
    assert asked.encode(0)[22 + 14, 0, 0] == 0


def test_search_finds_the_capture():
    state = setup("XXXX. OOOO. XXXX. ..... OOOOO", komi=3.5)
    assert tengen.search(state, visits=3000, seed=2, rule="ucb1").best.name == "E4"


# Drawings.


def test_text(game):
    state = play(game.start(), "C7 G3 pass")
    assert str(state).splitlines() == [
        "    A B C D E F G H J",
        "  9 · · · · · · · · · 9",
        "  8 · · · · · · · · · 8",
        "  7 · · ● · · · + · · 7",
        "  6 · · · · · · · · · 6",
        "  5 · · · · + · · · · 5",
        "  4 · · · · · · · · · 4",
        "  3 · · + · · · ○ · · 3",
        "  2 · · · · · · · · · 2",
        "  1 · · · · · · · · · 1",
        "    A B C D E F G H J",
        "   ○ white to move, black passed",
        "   captured: black 0, white 0; komi 7.5",
    ]
    assert " 3 · · + · · ·(○)· · 3" in str(play(game.start(), "C7 G3"))
    assert "white wins by 7.5" in str(play(game.start(), "pass pass"))
    assert "draw" in str(play(game.start(komi=0), "pass pass"))
    assert "clean-up 1" in str(play(game.start(rules="japanese"), "pass pass"))
    colored = state.text(color=True)
    assert ANSI.search(colored)
    assert ANSI.sub("", colored) == str(state)


def test_svg(game):
    state = play(game.start(), "C7 G3 E5")
    marks = {
        "D4": Mark("97\n1.2k"),
        "C7": Mark(shape="ring"),
        "A1": Mark("x & y", "#ff0000", "square"),
        "B2": Mark("a", shape="none"),
    }
    for svg in (state.svg(), game.draw_svg(state.position, marks=marks)):
        root = ET.fromstring(svg)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        assert "url(" not in svg
        assert "href" not in svg
        for element in root.iter():
            assert 0 <= float(element.get("cx", element.get("x", 0))) <= width
            assert 0 <= float(element.get("cy", element.get("y", 0))) <= height
    texts = [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("text")]
    assert {"97", "1.2k", "x & y", "a", "white to move"} <= set(texts)
    for size, height in ((2, 2), (19, 5), (19, 19)):
        ET.fromstring(tengen.game("go", size=size, height=height).start().svg())


def test_rules_as_json_text():
    text = json.dumps({"ko": "SITUATIONAL", "suicide": False})
    game = tengen.game("go", size=5, rules=text)
    assert game.rules_of(game.start())[0] == Rules(ko="situational", suicide=False)
    assert "C3" in legal_names(game.start())
