"""Shogi in Japanese beyond single moves: lines of hints, solutions of problems, and the edges of the board."""

import random
import re

import pytest
from cli_runner import runner

import tengen
from tengen.play import SearchAdviser, SearchOpponent
from tengen.play.advice import describe_line
from tengen.play.problem_game import _won
from tengen.search import SearchSettings

ENGLISH = tengen.game("shogi")
JAPANESE = ENGLISH.in_language("ja")
MOVES = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]
LINE = ("７六歩", "３四歩", "２二角成", "同銀", "４五角")
"""How a reader of Japanese writes them, each in the position before it."""
KANJI = re.compile("[一-龠]")


def actions():
    state, found = ENGLISH.start(), []
    for name in MOVES:
        found.append(ENGLISH.parse(name, state))
        state = state.play(found[-1])
    return found


def test_a_line_is_told_move_by_move():
    assert describe_line(JAPANESE.start(), actions()) == LINE
    assert describe_line(ENGLISH.start(), actions()) == tuple(MOVES)
    assert describe_line(ENGLISH.in_language("ko").start(), actions()) == tuple(MOVES)


def test_moves_that_do_not_fit_have_their_plain_names():
    first, second, *_ = actions()
    assert describe_line(JAPANESE.start(), [first, first, second]) == (LINE[0], MOVES[0], MOVES[1])


@pytest.mark.parametrize("game", [JAPANESE, ENGLISH], ids=["ja", "en"])
def test_lines_of_hints_are_in_the_readers_language(game):
    opponent = SearchOpponent(game, SearchSettings(visits=60), "rollout", random.Random(1))
    adviser = SearchAdviser(opponent)
    advice = adviser.hint(game.start(), 0)
    assert all(move.line[0] == move.name for move in advice if move.line)
    texts = [text for move in advice for text in move.line]
    assert len(texts) > len(advice)
    assert {bool(KANJI.search(text)) for text in texts} == {game.lang == "ja"}


def test_a_solution_is_in_the_readers_language():
    mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
    state = JAPANESE.start(sfen=mate)
    advice = _won(state, [JAPANESE.parse("G*5b", state)])
    assert (advice.name, advice.line) == ("５二金", ("５二金",))


def test_the_search_command_shows_lines_in_japanese(monkeypatch, capsys):
    ran = runner(monkeypatch, capsys)("search", "shogi", "--lang", "ja", "--evaluator", "rollout", "--visits", "40")
    assert ran.code == 0
    assert not re.search(r"\b[1-9][a-i][1-9][a-i]\b", ran.out)
    assert KANJI.search(ran.out)


def test_ranks_are_kanji_alone_for_readers_of_japanese():
    letters = re.compile(r"<text[^>]*>([a-i])</text>")
    assert letters.findall(ENGLISH.draw_svg(ENGLISH.start().position)) == list("abcdefghi")
    assert not letters.findall(JAPANESE.draw_svg(JAPANESE.start().position))
