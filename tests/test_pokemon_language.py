"""Pokémon in Korean and Japanese: nothing but the names of species, moves, abilities and items stays English."""

import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import cli_runner
import pytest
from said_texts import placeholders, said_in

import tengen
from tengen import _core
from tengen.games.conformance import check
from tengen.games.pokemon import drawing, refusals
from tengen.games.pokemon.facts import display_name
from tengen.games.pokemon.guide import GUIDES
from tengen.play import TABLES

ENGLISH = tengen.game("pokemon")
LANGUAGES = ("ko", "ja")
GAMES = {lang: ENGLISH.in_language(lang) for lang in LANGUAGES}
LETTERS = {"ko": re.compile("[가-힣]"), "ja": re.compile("[ぁ-んァ-ヶ一-龠]")}
SOURCES = Path(tengen.__file__).parent / "games" / "pokemon"
SVG = "{http://www.w3.org/2000/svg}"


def english_names():
    tables = _core.pokemon_tables()
    rows = [row["name"] for kind in ("moves", "species") for row in tables[kind]]
    rows += [name for kind in ("items", "abilities") for name in dict(tables[kind]).values()]
    return sorted({name for name in rows if name}, key=len, reverse=True)


NAMES = re.compile("|".join(map(re.escape, english_names())))


def english_in(text):
    """Words that are no names; names may be cut."""
    return [
        word for word in re.findall("[A-Za-z]{2,}(?!…)", NAMES.sub("", text)) if word not in ("PP", "HP")
    ]  # fmt: skip


def battle(game, seed):
    rng = random.Random(seed)
    state = game.start(seed)
    yield state
    while not state.is_over:
        joint = state.actor == "all"
        state = state.play([rng.choice(state.legal(p)) for p in (0, 1)] if joint else rng.choice(state.legal()))
        yield state


# Words.


@pytest.mark.parametrize("lang", LANGUAGES)
def test_translations_take_the_same_values(lang):
    for text, translation in ENGLISH.languages[lang].items():
        assert placeholders(translation) == placeholders(text), text
        assert LETTERS[lang].search(translation) or translation == " か ", text


def test_every_language_has_the_same_texts():
    korean, japanese = (set(ENGLISH.languages[lang]) for lang in LANGUAGES)
    # A game may say what is said of all games in its own way, in one language only.
    assert korean ^ japanese <= set(TABLES["ko"])
    assert TABLES["ko"].keys() == TABLES["ja"].keys()
    assert GUIDES.keys() == {"en", *ENGLISH.languages}


def test_all_that_is_said_is_translated():
    names = ("drawing", "battle_svg", "changes", "refusals", "action_names", "game")
    said = {text for name in names for text in said_in(SOURCES / f"{name}.py", {"words"})}
    tables = (drawing._BOOST_NAMES, drawing.STATUS_NAMES, drawing._FIELDS, drawing._VOLATILES, refusals._LOCKS)
    said |= {text for table in tables for text in table.values()}
    said |= {key.upper() for key in drawing.STATUS_NAMES} | set(_core.pokemon_tables()["types"]) - {"???"}
    assert len(said) > 80
    # Ids of the field, and what follows the kind of a choice.
    assert said - ENGLISH.languages["ko"].keys() == {"id", " {what}", ""}


def test_what_can_hold_on_the_field_is_translated():
    """By the ids of the core's tables."""
    source = Path(__file__).parent.parent / "core" / "games" / "pokemon" / "data.cpp"
    text = source.read_text(encoding="utf-8")
    found = re.findall(r"k(Volatile|SideCondition)Ids\{(.*?)\}", text, re.DOTALL)
    ids = [name for _, block in found for name in re.findall(r'"(\w+)"', block)]
    assert len(ids) > 50
    shown = [name for name in ids if name not in drawing._UNSHOWN]
    missing = [
        name for name in shown if (drawing._VOLATILES.get(name) or display_name(name)) not in ENGLISH.languages["ko"]
    ]
    assert missing == []


# Battles.


@pytest.mark.parametrize("lang", LANGUAGES)
def test_battles_are_in_one_language(lang):
    game = GAMES[lang]
    before = None
    for state in battle(game, 5):
        for viewer in (None, 0, 1):
            assert english_in(state.text(viewer)) == []
            assert english_in(" ".join(spot.label + " " + spot.id for spot in game.spots(state.position, viewer))) == []
        for svg in (game.draw_svg(state.position, 0), game.draw_public_svg(state.position)):
            texts = [node.text or "" for node in ET.fromstring(svg).iter() if node.tag in (f"{SVG}text", f"{SVG}title")]
            # Whose token it is stands there by a letter.
            assert [word for text in texts if len(text) > 1 for word in english_in(text)] == []
        if before is not None:
            told = [game.describe_change(before.position, state.position, viewer) for viewer in (0, 1)]
            told.append(game.describe_public_change(before.position, state.position))
            assert english_in(" ".join(told)) == []
        before = state


@pytest.mark.parametrize("lang", LANGUAGES)
def test_choices_are_read_as_they_are_shown(lang):
    game = GAMES[lang]
    for state in battle(game, 3):
        for side in (0, 1):
            if state.actor not in (side, "all"):
                continue
            legal = state.legal(side)
            for action in legal:
                assert game.parse(game.display_name(action), state, side) == action
                assert game.parse(game.name(action), state, side) == action
                shown = game.describe_action(state.position, side, action)
                assert game.describe_action(state.position, side, game.parse(shown, state, side)) == shown
                assert english_in(shown + " ".join(game.touches(action, state.position))) == []
            for action in set(range(game.action_count)) - set(legal):
                assert english_in(game.why_illegal(state.position, side, action)) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_hidden_is_told_in_another_language(lang):
    assert check(tengen.game("pokemon", max_turns=6).in_language(lang), games=2).games == 2


def test_names_that_programs_exchange_stay():
    for game in GAMES.values():
        assert game == ENGLISH
        assert [game.name(action) for action in range(14)] == [ENGLISH.name(action) for action in range(14)]


# The terminal.


@pytest.mark.parametrize(("lang", "prompt"), [("ko", "내 차례> "), ("ja", "あなたの番> ")])
def test_the_terminal_speaks(lang, prompt, monkeypatch, capsys):
    run = cli_runner.runner(monkeypatch, capsys)
    typed = "moves\nhint\nswitch 1\nmove 1\nreview\nundo\nresign\nquit\n"
    ran = run("play", "pokemon", "--seed", 3, "--visits", 200, "--lang", lang, typed=typed)
    assert (ran.code, ran.err) == (0, "")
    lines = [line for line in ran.out.splitlines() if not line.startswith((prompt, "new,"))]
    assert {word for line in lines for word in english_in(line)} <= {"moves", "help", "switch", "undo"}
