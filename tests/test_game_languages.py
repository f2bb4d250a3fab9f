"""Every game in Korean and in Japanese: nothing is left in English, names that programs exchange stay, and tables hold
what is said and nothing else."""

import ast
import functools
import inspect
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import cli_runner
import pytest
from random_states import players_to_act, walk
from rich.cells import cell_len
from said_texts import placeholders
from shipped_games import NAMES, small_game

import tengen
from tengen.cli.terminal import COMMAND_WORDS
from tengen.games.conformance import check
from tengen.games.drawing import SEAT_NAMES
from tengen.games.translation import Translation
from tengen.nets.importers import importers
from tengen.play import TABLES

LETTERS = {"ko": re.compile("[가-힣]"), "ja": re.compile("[ぁ-んァ-ヶ一-龠]")}
LANGUAGES = tuple(LETTERS)
GAMES = Path(tengen.__file__).parent / "games"
SVG = "{http://www.w3.org/2000/svg}"
ENGLISH_WORD = re.compile("[A-Za-z]{3,}")
NAMED_IN_ENGLISH = ("pokemon",)
"""Species, moves, abilities and items: a test of its own looks at it."""
SETTINGS = {
    "go": [{"size": 5}, {"size": 4, "rules": "japanese"}, {"size": 2}, {"size": 3, "rules": "aga"}],
    "pyrga": [{}, {"arrows_stay_on_board": True, "second_square_ban": True, "tie_break": True}],
    "matgo": [{}, {"preset": "hangame"}],
}
TABLE_FILES = ("texts.py", "korean.py", "japanese.py")
PUT_TOGETHER = re.compile(r"a bomb takes three cards|\w+ (is|are) out of gold|\{count\} \w+s$")
"""Texts that no source has as a whole."""
BOTH = [(name, lang) for name in NAMES for lang in LANGUAGES]


def games_in(name, lang):
    if name not in SETTINGS:
        return [small_game(name).in_language(lang)]
    return [tengen.game(name, **settings).in_language(lang) for settings in SETTINGS[name]]


def drawn(state):
    """The texts of drawings and what is said of them, to everybody."""
    game, position = state.game, state.position
    for viewer in (None, 0):
        yield game.draw_text(position, viewer)
        yield from (text for spot in game.spots(position, viewer) for text in (spot.id, spot.label))
        for node in ET.fromstring(game.draw_svg(position, viewer)).iter():
            if node.tag in (f"{SVG}text", f"{SVG}title"):
                yield node.text or ""
    yield from (spot.label for spot in game.public_spots(position))
    yield from (node.text or "" for node in ET.fromstring(game.draw_public_svg(position)).iter(f"{SVG}title"))


def offered(state):
    """Names and touches of what may be done, and why the rest may not."""
    game, position = state.game, state.position
    for player in players_to_act(state):
        legal = set(state.legal(player))
        for action in legal:
            yield game.describe_action(position, player, action)
            yield game.display_name(action)
            yield from game.touches(action, position)
        refused = sorted(set(range(game.action_count)) - legal)
        yield from (game.why_illegal(position, player, action) for action in refused[:120])


def about(game):
    return " ".join(inspect.cleandoc(type(game).__doc__).partition("\n\n")[0].split())


# Tables.


def test_every_game_speaks_the_languages_of_the_page():
    assert {name: tuple(tengen.game(name).languages) for name in NAMES} == dict.fromkeys(NAMES, LANGUAGES)


@pytest.mark.parametrize("name", NAMES)
def test_languages_have_the_same_texts(name):
    korean, japanese = (tengen.game(name).languages[lang].keys() for lang in LANGUAGES)
    # A game may say what is said of all games in its own way, in one language only.
    assert korean ^ japanese <= TABLES["ko"].keys()


@pytest.mark.parametrize(("name", "lang"), BOTH)
def test_translations_take_values_that_there_are(name, lang):
    for text, translation in tengen.game(name).languages[lang].items():
        assert {name for name, *_ in placeholders(translation)} <= {name for name, *_ in placeholders(text)}, text
        is_only_punctuation = not re.search("[A-Za-z]", re.sub(r"\{.*?\}", "", text)) or text == " or "
        is_only_values = not re.search("[A-Za-z]", re.sub(r"\{.*?\}", "", translation)) and "{" in translation
        assert LETTERS[lang].search(translation) or is_only_punctuation or is_only_values, text


@pytest.mark.parametrize(("name", "lang"), BOTH)
def test_titles_and_descriptions_are_translated(name, lang):
    game = tengen.game(name).in_language(lang)
    for text in (game.title, about(game), *([game.payoff_unit] if game.payoff_unit else [])):
        assert LETTERS[lang].search(game.words(text)), text


def constants_of(path):
    """Texts of a source, without those that only a table of translations has."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tables = [node for node in ast.walk(tree) if isinstance(node, ast.Dict) and path.name in TABLE_FILES]
    keys = {id(key) for table in tables for key in table.keys}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in keys:
            yield node.value


@functools.cache
def told(name, lang):
    """All that is said in some games, and what something was asked to say, with whether its table has it."""
    texts, asked = set(), {}
    say = Translation.__call__

    def listen(self, text, /, **values):
        if self.lang != "en":
            asked[text] = text in self._table
        return say(self, text, **values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Translation, "__call__", listen)
        for game in games_in(name, lang):
            for seed in range(3):
                for state in walk(game, seed):
                    texts.update(drawn(state), offered(state))
    return texts, asked


@functools.cache
def constants_of_game(name):
    return {text for path in (GAMES / name).rglob("*.py") for text in constants_of(path)}


@pytest.mark.parametrize(("name", "lang"), BOTH)
def test_tables_lack_nothing_and_hold_nothing_else(name, lang):
    _, asked = told(name, lang)
    assert len(asked) >= 4
    assert [text for text, is_known in asked.items() if not is_known and ENGLISH_WORD.search(text)] == []
    if name in NAMED_IN_ENGLISH:
        return
    game = tengen.game(name)
    said = asked.keys() | {game.title, about(game), game.payoff_unit} | TABLES[lang].keys() | constants_of_game(name)
    said |= {importer.source for importer in importers(game)} | set(SEAT_NAMES)
    assert [text for text in game.languages[lang] if text not in said and not PUT_TOGETHER.match(text)] == []


# Boards and moves.


@pytest.mark.parametrize(("name", "lang"), [pair for pair in BOTH if pair[0] not in NAMED_IN_ENGLISH])
def test_nothing_is_left_in_english(name, lang):
    texts, _ = told(name, lang)
    assert [text for text in texts if ENGLISH_WORD.search(text)] == []


@pytest.mark.parametrize(("name", "lang"), BOTH)
def test_moves_are_read_as_they_are_shown_and_keep_their_names(name, lang):
    english = small_game(name)
    game = english.in_language(lang)
    assert game == english
    assert [game.name(action) for action in range(game.action_count)] == [
        english.name(action) for action in range(game.action_count)
    ]
    for state in walk(game, seed=6, most=30):
        for player in players_to_act(state):
            for action in state.legal(player):
                shown = game.describe_action(state.position, player, action)
                read = game.parse(shown, state, player)
                assert game.describe_action(state.position, player, read) == shown
                assert game.parse(game.display_name(action), state, player) == action
                assert game.parse(game.name(action), state, player) == action


@pytest.mark.parametrize(("name", "lang"), [pair for pair in BOTH if pair[0] not in NAMED_IN_ENGLISH])
def test_a_game_conforms_in_its_languages(name, lang):
    assert check(small_game(name).in_language(lang), games=1).games == 1


# The terminal.


@pytest.mark.parametrize(("name", "lang"), BOTH)
def test_guides_fit_a_screen(name, lang):
    for game in games_in(name, lang):
        lines = game.guide.splitlines()
        assert 5 <= len(lines) <= 17
        assert max(map(cell_len, lines)) <= 80, max(lines, key=cell_len)
        assert LETTERS[lang].search(game.guide)


@pytest.mark.parametrize(("lang", "prompt"), [("ko", "내 차례"), ("ja", "あなたの手")])
@pytest.mark.parametrize(
    "name", ["go", "pyrga", "connect_four", "pig", "kuhn_poker", "rock_paper_scissors", "shogi", "matgo"]
)
def test_the_terminal_speaks(name, lang, prompt, monkeypatch, capsys):
    # A review says the same after fewer visits than make it right.
    monkeypatch.setattr("tengen.play.advice._LEAST_VISITS", 200)
    run = cli_runner.runner(monkeypatch, capsys)
    game = small_game(name)
    first = game.name(game.start(seed=3).legal(0)[0])
    words = ["--set", "size=5"] if name == "go" else []
    typed = f"moves\nhint\n{first}\nno move\nreview\nundo\nresign\nnew\nresign\nquit\n"
    ran = run("play", name, "--seed", 3, "--visits", 60, "--seat", 0, "--lang", lang, *words, typed=typed)
    assert (ran.code, ran.err) == (0, "")
    assert prompt in ran.out
    told = [line.partition("> ")[2] if "> " in line else line for line in ran.out.splitlines()]
    commands = {word for text in COMMAND_WORDS for word in text.split()}
    known = commands | {"USI", "KataGo", "katagotraining", "org", "kata", "bin", "tengen", "net", "add", "win", "TEXT"}
    known |= {first, *first.split(), "move"}
    for line in told:
        if not re.search("해시|ハッシュ|시드|シード|verify|new, ", line):
            assert set(ENGLISH_WORD.findall(line)) <= known, line
