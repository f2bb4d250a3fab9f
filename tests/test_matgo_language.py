"""Matgo in Korean and in English: tables, pictures, prompts, hints and help, without a word of the other language."""

import importlib
import random
import re
import string
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path

import cli_runner
import pytest
from rich.cells import cell_len
from said_texts import placeholders, said_in
from toy_games import TicTacToe

import tengen
from tengen.cli.terminal import COMMAND_WORDS
from tengen.games import GameError
from tengen.games.matgo import korean
from tengen.games.matgo.glyphs import GLYPHS
from tengen.play import korean as cli_korean

ENGLISH = tengen.game("matgo")
KOREAN = ENGLISH.in_language("ko")
SOURCES = Path(tengen.__file__).parent
HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
LATIN = re.compile("[A-Za-z]{2,}|[C-Zc-z]")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def run(monkeypatch, capsys):
    # Hints and reviews say the same of fewer deals.
    monkeypatch.setattr(importlib.import_module("tengen.search.pool"), "FLAT_VISITS", 10_000)
    return cli_runner.runner(monkeypatch, capsys)


def positions(game, count=15, seed=1):
    """Of rounds with bombs, shakes, ppuks and every question, for gold and without."""
    rng = random.Random(seed)
    for number in range(count):
        options = {"gold": 3000, "carry": 2} if number % 3 else {}
        state = game.start(seed=number, **options)
        while True:
            yield state
            if state.is_over:
                break
            actions = state.legal()
            state = state.play(rng.choices(actions, [9 if 50 <= a < 111 or a == 164 else 1 for a in actions])[0])


# Words.


@pytest.mark.parametrize("table", [korean.KOREAN, cli_korean.KOREAN], ids=["game", "terminal"])
def test_translations_take_the_same_values(table):
    for text, translation in table.items():
        assert {name for name, *_ in placeholders(translation)} <= {name for name, *_ in placeholders(text)}, text
        assert not HANGUL.search(text)
        assert HANGUL.search(translation) or not re.search("[a-z] [a-z]", translation), translation


def test_all_that_the_game_says_is_translated():
    names = ("drawing", "move_summary", "refusals", "table_svg", "card_svg", "verifiable_series", "__init__")
    files = [SOURCES / "games" / "matgo" / f"{name}.py" for name in names]
    said = {text for path in files for text in said_in(path, {"words", "_counted", "say"}) if " " in text}
    assert len(said) > 30
    assert {text for text in said if text not in korean.KOREAN and f"{text}s" not in korean.KOREAN} <= {
        " out of gold: {again}",
        ", or two with two",
    }


def test_all_that_the_terminal_says_of_a_hidden_game_is_translated():
    """What only other games bring up stays English."""
    files = [SOURCES / "cli" / f"{name}.py" for name in ("terminal", "hints", "mistakes", "search")]
    files += [SOURCES / "play" / f"{name}.py" for name in ("advice", "human_game", "session")]
    said = {text for path in files for text in said_in(path, {"translate", "_say"})}
    assert len(said) > 50
    assert {text for text in said if text not in cli_korean.KOREAN} <= {"your move"} | set("\n")


# Names.


def test_names_are_the_same_and_people_are_shown_their_own():
    assert KOREAN == ENGLISH
    assert (KOREAN.lang, ENGLISH.lang) == ("ko", "en")
    assert [KOREAN.name(a) for a in range(167)] == [ENGLISH.name(a) for a in range(167)]
    assert [KOREAN.display_name(a) for a in (28, 53, 162)] == ["8광", "폭탄 3월", "스톱"]
    assert [ENGLISH.display_name(a) for a in (28, 53, 162)] == ["8g", "bomb 3", "stop"]
    for game in (KOREAN, ENGLISH):
        for state in positions(game, 6):
            for action in state.legal():
                assert game.parse(game.display_name(action), state) == action
    with pytest.raises(GameError, match="matgo does not speak 'fr', only en, ko, ja"):
        ENGLISH.in_language("fr")
    with pytest.raises(GameError, match="tic_tac_toe does not speak 'ko', only en"):
        TicTacToe().in_language("ko")


# Tables and pictures.


def test_tables_are_in_one_language():
    for english, state in zip(positions(ENGLISH), positions(KOREAN), strict=True):
        for viewer in (None, 0, 1):
            assert not HANGUL.search(english.text(viewer))
            assert not LATIN.search(state.text(viewer)), state.text(viewer)
            assert len(english.text(viewer).splitlines()) == len(state.text(viewer).splitlines())


def test_columns_of_a_table_line_up():
    """Korean letters are two columns wide."""
    heads = set()
    for state in positions(KOREAN, 8):
        lines = state.text(0).splitlines()[: None if not state.is_over else -1]
        heads |= {head[0] for line in lines if (head := re.match("  (나|상대|바닥|낸 패) +(?! )", line))}
    assert len(heads) == 4
    assert {cell_len(head) for head in heads} == {10}


@pytest.fixture(scope="module")
def pictures():
    """Of positions in each language: what is written in a font, and all that is said."""
    return {game.lang: [read_picture(state) for state in positions(game, 8)] for game in (ENGLISH, KOREAN)}


def read_picture(state):
    nodes = [node for viewer in (None, 0) for node in ET.fromstring(state.svg(viewer)).iter()]
    written = [node.text for node in nodes if node.tag == f"{SVG}text"]
    return written, [*written, *filter(None, (node.get("aria-label") for node in nodes))]


def test_pictures_need_no_font(pictures):
    """Whatever is not in every font is drawn as outlines."""
    texts = [text for lang in ("en", "ko") for written, _ in pictures[lang] for text in written]
    assert set().union(*texts) <= set(string.printable) | {"·"}
    assert len(texts) > 100


def test_pictures_are_in_one_language(pictures):
    for (_, english), (_, in_korean) in zip(pictures["en"], pictures["ko"], strict=True):
        assert not any(HANGUL.search(text) for text in english)
        assert not any(LATIN.search(text) for text in in_korean)
        assert any(HANGUL.search(text) for text in in_korean)


def test_there_is_an_outline_for_every_letter_of_a_picture():
    texts = "".join(text.format_map(Blank()) for text in korean.DRAWN.values())
    assert {*texts, *"光홍청단쌍0123456789+-,"} <= GLYPHS.keys()
    for letter, (width, outline) in GLYPHS.items():
        assert 0 < width <= 1000
        assert bool(outline) == (letter != " ")
        assert re.fullmatch(r"([mlq]-?\d[-\d ]*|z)*", outline), letter
    license_text = (SOURCES / "games" / "matgo" / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE" in license_text


class Blank(dict):
    def __missing__(self, key):
        return self

    def __format__(self, spec):
        return ""


def test_outlines_stand_where_the_text_would():
    """One path a text, its letters side by side, with its middle where it belongs."""
    state = KOREAN.start(seed=1)
    paths = [node for node in ET.fromstring(state.svg()).iter(f"{SVG}path") if node.get("aria-label")]
    assert paths
    for node in paths:
        moves = [int(number) for number in re.findall(r"M(\d+) 0", node.get("d"))]
        text = node.get("aria-label")
        assert len(moves) == len(text)
        assert moves == [sum(GLYPHS[letter][0] for letter in text[:i]) for i in range(len(text))]


# The terminal.


def transcript(run, *words, typed, **env):
    ran = run("play", "matgo", "--seed", 5, *words, typed=typed)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


ALL = """\
help
moves
hint
foo
bomb 3
take 1g
undo
review
board
1
new
save
load
resign
new some words
quit
"""


def test_the_terminal_speaks_english(run):
    out = transcript(run, "--lang", "en", typed=ALL)
    assert "your move" in out
    assert not HANGUL.search(out)


def test_the_terminal_speaks_korean(run):
    out = transcript(run, "--lang", "ko", typed=ALL)
    assert "내 차례" in out
    assert "예상 골드" in out
    commands = {*"".join(f"{word} " for word in COMMAND_WORDS).split(), "FILE", "Ctrl-D", "save!"}
    for line in out.splitlines():
        told = line.partition("> ")[2] if line.startswith("내 차례> ") else line
        if line.startswith(("내 차례> ", "  tengen matgo", "new,")) or "해시" in line or "시드" in line:
            continue
        words = {word for word in re.findall(r"[A-Za-z][A-Za-z!-]+", told) if not re.fullmatch(r"\d*[a-z]{1,2}", word)}
        assert words <= commands | {"foo", "bomb", "take", "words", "some"}, line


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"LC_ALL": "ko_KR.UTF-8"}, "내 차례"),
        ({"LC_ALL": "", "LC_MESSAGES": "ko_KR", "LANG": "en_US.UTF-8"}, "내 차례"),
        ({"LC_ALL": "", "LC_MESSAGES": "", "LANG": "ko_KR.UTF-8"}, "내 차례"),
        ({"LC_ALL": "C", "LANG": "ko_KR.UTF-8"}, "your move"),
        ({"LC_ALL": "de_DE.UTF-8"}, "your move"),
    ],
)
def test_the_locale_chooses_the_language(run, monkeypatch, variables, said):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, variables.get(name, ""))
    assert said in transcript(run, typed="board\n")
    assert "your move" in transcript(run, "--lang", "en", typed="board\n")
    assert "your move" in run("play", f"{cli_runner.TOYS}:TicTacToe", "--visits", 50, typed="board\n").out


def test_a_language_that_is_not_spoken_is_refused(run):
    for game, name, lang in (("matgo", "matgo", "fr"), (f"{cli_runner.TOYS}:TicTacToe", "tic_tac_toe", "ko")):
        ran = run("play", game, "--lang", lang)
        assert ran.code == 2
        assert f"--lang: {name} does not speak {lang!r}" in ran.err


def test_search_speaks_korean_to_people_and_the_same_to_programs(run):
    words = ("search", "matgo", "--seed", 3, "--visits", 200)
    out = run(*words, "--lang", "ko").out
    assert "승률" in out
    assert "수마다 같은 패" in out
    assert not LATIN.search(re.sub(r"\d+피[ab]", "", out))
    assert (
        run(*words, "--lang", "ko", "--json").out.partition("elapsed")[0]
        == run(*words, "--json").out.partition("elapsed")[0]
    )


def test_a_tree_search_shows_its_lines_in_the_same_letters(run):
    words = ("search", "matgo", "--seed", 3, "--visits", 300, "--evaluator", "rollout")
    assert not HANGUL.search(run(*words).out)
    assert not LATIN.search(run(*words, "--lang", "ko").out)


def test_commands_have_korean_names(run):
    out = transcript(run, "--lang", "ko", typed="도움말\n힌트\n복기\n새판\n나가기\n")
    assert "고도리" in out
    assert "예상 골드" in out
    assert "하던 판은 무효입니다." in out
    assert out.rstrip().endswith("나가기")


def test_help_fits_a_screen_in_korean(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("play", "matgo", "--lang", "ko", "--seed", 1, typed="help\n")
    screen = ran.out.partition("> help\n")[2].rsplit("\n", 2)[0].splitlines()
    assert len(screen) + 1 <= 24
    assert max(map(cell_len, screen)) <= 80


def test_all_letters_are_composed():
    """Decomposed Hangul would have no outlines."""
    for table in (korean.KOREAN, cli_korean.KOREAN):
        assert all(unicodedata.is_normalized("NFC", text) for text in table.values())
