"""Go's rules and points in words."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.games.errors import NotationError
from tengen.games.go.notation import OffBoard, VertexError, format_vertex, parse_color, parse_vertex
from tengen.games.go.rules import (
    PRESETS,
    Rules,
    RulesError,
    format_rules,
    parse_handicap_bonus,
    parse_rules,
    rules_object,
    supported_rules,
)

some_rules = st.builds(
    Rules,
    ko=st.sampled_from(["simple", "positional", "situational", "spight"]),
    scoring=st.sampled_from(["area", "territory"]),
    tax=st.sampled_from(["none", "seki", "all"]),
    suicide=st.booleans(),
    has_button=st.booleans(),
    white_handicap_bonus=st.sampled_from(["0", "n", "n-1"]),
    friendly_pass_ok=st.booleans(),
)
some_komi = st.integers(-800, 800).map(lambda twice: twice / 2)


@given(some_rules, some_komi)
def test_rules_round_trip(rules, komi):
    assert parse_rules(format_rules(rules, komi)) == (rules, komi)
    assert parse_rules(rules_object(rules, komi)) == (rules, komi)
    assert parse_rules(json.dumps(rules_object(rules, komi))) == (rules, komi)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_all_their_spellings(name):
    spellings = [name, name.upper(), f"\t{name.title()} ", name.replace("-", "_"), name.replace("-", "")]
    assert {parse_rules(text) for text in spellings} == {PRESETS[name]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("japanese", "koSIMPLEscoreTERRITORYtaxSEKIsui0komi6.5"),
        ("Korean", "koSIMPLEscoreTERRITORYtaxSEKIsui0komi6.5"),
        ("chinese", "koSIMPLEscoreAREAtaxNONEsui0whbNfpok1komi7.5"),
        ("chinese-kgs", "koPOSITIONALscoreAREAtaxNONEsui0whbNfpok1komi7.5"),
        ("stone scoring", "koSIMPLEscoreAREAtaxALLsui0fpok1komi7.5"),
        ("ancient territory", "koSIMPLEscoreTERRITORYtaxALLsui0komi6.5"),
        ("aga_button", "koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1komi7"),
        ("BGA", "koSITUATIONALscoreAREAtaxNONEsui0whbN-1fpok1komi7.5"),
        ("New Zealand", "koSITUATIONALscoreAREAtaxNONEsui1fpok1komi7.5"),
        ("tromptaylor", "koPOSITIONALscoreAREAtaxNONEsui1komi7.5"),
        ("ing", "koPOSITIONALscoreAREAtaxNONEsui1fpok1komi7.5"),
        ('{"score":"TERRITORY","scoring":"AREA"}', "koPOSITIONALscoreAREAtaxNONEsui1komi7.5"),
        ('{"scoring":"TERRITORY"}', "koPOSITIONALscoreTERRITORYtaxSEKIsui1komi6.5"),
        ('{"hasButton":true,"komi":6}', "koPOSITIONALscoreAREAtaxNONEsui1button1komi6"),
        ("{}", "koPOSITIONALscoreAREAtaxNONEsui1komi7.5"),
        (" scoringTERRITORY ko SIMPLE komi -3.5sui0 ", "koSIMPLEscoreTERRITORYtaxSEKIsui0komi-3.5"),
        ("button1", "koPOSITIONALscoreAREAtaxNONEsui1button1komi7"),
    ],
)
def test_rules_by_name(name, text):
    assert format_rules(*parse_rules(name)) == text


@pytest.mark.parametrize(
    "given_rules",
    [
        *("", " ", "klingon", "chinese ogs", "koNOPE", "kosimple", "koSIMPLEX", "sui2", "whbN-2", "komi", "komix"),
        *("komi7.3", "komi401", "{", "{}x", '{"ko":"simple"}', '{"ko":1}', '{"suicide":"true"}', '{"suicide":1}'),
        *('{"komi":7.3}', '{"komi":"7"}', '{"komi":NaN}', '{"komi":1e999}', '{"foo":1}', '{"komi":null}'),
        *({"ko": "NOPE"}, {"foo": 1}, {"ko": None}, {"ko": []}, {"suicide": 0}, {"komi": 10**400}, {"komi": "5"}),
        "{" * 100_000,
        '{"komi":' + "9" * 5000 + "}",
    ],
)
def test_rules_that_do_not_read(given_rules):
    with pytest.raises(RulesError):
        parse_rules(given_rules)


@given(st.text(max_size=30))
def test_no_text_breaks_the_reading(text):
    for parse, kind in (
        (parse_rules, tuple),
        (parse_handicap_bonus, str),
        (parse_color, str),
        (lambda given: parse_vertex(given, 9, 9), int),
    ):
        with contextlib.suppress(RulesError, NotationError):
            assert isinstance(parse(text), kind)


def test_networks_know_no_spight_and_no_button_in_territory():
    assert supported_rules(Rules(ko="spight")) == Rules(ko="situational")
    assert supported_rules(Rules(scoring="territory", has_button=True)) == Rules(scoring="territory")
    assert supported_rules(Rules(has_button=True)) == Rules(has_button=True)


@pytest.mark.parametrize(("width", "height"), [(2, 2), (9, 9), (7, 11), (19, 19), (26, 3), (60, 1)])
def test_points_round_trip(width, height):
    names = [format_vertex(cell, width, height) for cell in range(width * height + 1)]
    assert len(set(names)) == len(names)
    assert names[-1] == "pass"
    for cell, name in enumerate(names):
        assert parse_vertex(name, width, height) == parse_vertex(name.lower(), width, height) == cell
    for cell in range(width * height):
        assert parse_vertex(f"({cell % width},{cell // width})", width, height) == cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("A9", 0),
        ("j1", 80),
        ("Pass", 81),
        ("pss", 81),
        (" d4\n", 48),
        ("(0,8)", 72),
        ("( 1 , 0 )", 1),
        ("(8,8,)", 80),
        ("A 1", 72),
        ("A+3", 54),
        ("A03", 54),
    ],
)
def test_points_by_name(text, cell):
    assert parse_vertex(text, 9, 9) == cell


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "I5",
        "Z99",
        "K1",
        "A0",
        "A10",
        "A-1",
        "AA1",
        "5",
        "D",
        "D4x",
        "(1)",
        "(1,2,3)",
        "(,)",
        "(a,b)",
        "(",
        "()",
        "(1,2",
        "A4294967297",
        "(4294967296,0)",
        "(-1,-1)",
        "A٣",
        "A1e0",
        "passs",
    ],
)
def test_points_that_do_not_read(text):
    with pytest.raises(VertexError) as caught:
        parse_vertex(text, 9, 9)
    assert not isinstance(caught.value, OffBoard)
    assert text.strip() in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name"),
    # KataGo would play the last two: at A8, and as a pass.
    [
        ("(-1,0)", "(-1,0)"),
        ("(50,50)", "(0,55)"),
        ("(9,9)", "(-1,10)"),
        ("(-5,-5)", "(-5,-5)"),
        ("(10,0)", "(10,0)"),
        ("(0,-1)", "(0,-1)"),
    ],
)
def test_pairs_off_the_board(text, name):
    with pytest.raises(OffBoard) as caught:
        parse_vertex(text, 9, 9)
    assert caught.value.name == name


def test_cells_that_a_board_has_not():
    for cell in (-1, 82):
        with pytest.raises(VertexError):
            format_vertex(cell, 9, 9)


def test_colors():
    assert [parse_color(text) for text in ("b", "B", "Black", "w", "WHITE")] == ["black"] * 3 + ["white"] * 2
    for text in ("", "x", " b", "blac"):
        with pytest.raises(NotationError):
            parse_color(text)
