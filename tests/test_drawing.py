"""Drawings: well-formed, aligned, and without what the viewer must not see."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from shipped_games import NAMES, small_game

import tengen

if TYPE_CHECKING:
    from tengen.games import State

ANSI = re.compile(r"\x1b\[[\d;]*m")


def playthrough(name: str, seed: int) -> list[State]:
    rng = random.Random(seed)
    states = [small_game(name).start(seed=seed)]
    while not states[-1].is_over:
        state = states[-1]
        if state.actor == "all":
            states.append(state.play([rng.choice(state.legal(player)) for player in range(2)]))
        else:
            states.append(state.play(rng.choice(state.legal())))
    return states


@pytest.mark.parametrize("name", NAMES)
def test_svg_is_self_contained(name):
    for state in playthrough(name, seed=4):
        for viewer in (None, 0, 1):
            svg = state.svg(viewer)
            root = ET.fromstring(svg)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert "href" not in svg
            assert "url(" not in svg
            _, _, width, height = map(float, root.attrib["viewBox"].split())
            for element in root.iter():
                if "transform" not in element.attrib:
                    assert 0 <= float(element.get("cx", element.get("x", 0))) <= width
                    assert 0 <= float(element.get("cy", element.get("y", 0))) <= height


@pytest.mark.parametrize("name", NAMES)
def test_colors_only_add_to_the_plain_text(name):
    colored = False
    for state in playthrough(name, seed=5):
        text = state.text()
        assert not ANSI.search(text)
        assert ANSI.sub("", state.text(color=True)) == text
        colored = colored or ANSI.search(state.text(color=True)) is not None
        assert all(line == line.rstrip() for line in text.splitlines())
    assert colored


def test_kuhn_poker_hides_the_other_card_until_it_is_shown():
    game = tengen.game("kuhn_poker")
    for line in ([], ["bet"], ["check", "bet"], ["bet", "fold"]):
        seen = set()
        for cards in ("KQ", "KJ"):
            state = game.start(cards=cards)
            for action in line:
                state = state.play(action)
            seen.add((state.text(0), state.svg(0)))
        assert len(seen) == 1
    state = game.start(cards="KJ")
    assert "[K]" in state.text(0)
    assert "[?]" in state.text(0)
    assert "[J]" in state.text()
    assert "[J]" in state.play("check").play("check").text(0)


def test_pyrga_text():
    state = tengen.game("pyrga").start()
    for action in ("circle a1", "arrow a1 right", "circle b1", "square b1", "square a1", "Ab1<"):
        state = state.play(action)
    assert str(state).splitlines() == [
        "     a     b     c     d",
        "  ┌─────┬─────┬─────┬─────┐",
        "1 │[■●▷]│[□●◁]│ ··· │ ··· │",
        "  ├─────┼─────┼─────┼─────┤",
        "2 │ ··· │ ··· │ ··· │ ··· │",
        "  ├─────┼─────┼─────┼─────┤",
        "3 │ ··· │ ··· │ ··· │ ··· │",
        "  ├─────┼─────┼─────┼─────┤",
        "4 │ ··· │ ··· │ ··· │ ··· │",
        "  └─────┴─────┴─────┴─────┘",
        "  first   ■ 4  ● 3  ▲ 5   towers 1  to move",
        "  second  □ 4  ○ 5  △ 3   towers 1",
    ]


def test_connect_four_marks_the_winning_line():
    state = tengen.game("connect_four").start()
    for column in "aabbccd":
        state = state.play(column)
    lines = str(state).splitlines()
    assert lines[6] == "│[● ● ● ●]· · · │"
    assert lines[-1] == "  ● first wins"


def test_connect_four_marks_the_last_stone_when_told():
    game = tengen.game("connect_four")
    state = game.start().play("g").play("g")
    assert "[○]" in game.draw_text(state.position, last=6)
    assert game.draw_svg(state.position, last=6) != state.svg()


def test_pig_text():
    state = tengen.game("pig").start()
    for played in ("roll", "6", "hold", "roll", "4"):
        state = state.play(played)
    assert str(state).splitlines() == [
        "  Pig to 20",
        "  first   ██████··············  6",
        "  second  ▒▒▒▒················  0 + 4    to hold or roll",
    ]
