"""Patches of drawings: exact, small, and only between drawings of shapes."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped_games import NAMES, small_game
from test_spots import walk
from toy_games import TicTacToe

import tengen
from tengen.games.drawing import Canvas
from tengen.games.patches import apply, diff, split_shapes


def check_patch(before, after):
    patch = diff(before, after)
    if patch is None:
        return 0
    assert apply(before, patch) == after
    assert [start for start, _, _ in patch] == sorted(start for start, _, _ in patch)
    return 1


@pytest.mark.parametrize("name", NAMES)
def test_patches_rebuild_drawings(name):
    patched = total = 0
    for seed in range(3):
        for viewer in (None, 0):
            drawings = [state.game.draw_svg(state.position, viewer) for state in walk(small_game(name), seed)]
            for before, after in itertools.pairwise(drawings):
                total += 1
                patched += check_patch(before, after)
            rng = random.Random(seed)
            for _ in range(20):
                check_patch(rng.choice(drawings), rng.choice(drawings))
    assert patched >= total / 2


def test_a_move_on_a_large_board_is_a_small_patch():
    sizes = []
    drawings = [state.game.draw_svg(state.position) for state in walk(tengen.game("go"), seed=1, most=120)]
    for before, after in itertools.pairwise(drawings):
        patch = diff(before, after)
        assert apply(before, patch) == after
        sizes.append(sum(len(line) for _, _, lines in patch for line in lines))
    assert sorted(sizes)[len(sizes) // 2] < 1500 < len(drawings[-1]) / 20


@settings(max_examples=60)
@given(st.data())
def test_any_lines(data):
    shapes = st.lists(st.integers(0, 12), max_size=25)

    def drawing(numbers):
        canvas = Canvas(10, 10, "A drawing")
        for number in numbers:
            canvas.circle(number, 1, 2)
        return canvas.svg()

    before, after = drawing(data.draw(shapes)), drawing(data.draw(shapes))
    check_patch(before, after)
    patch = diff(before, before)
    assert patch == []


def test_other_drawings_are_sent_whole():
    state = TicTacToe().start()
    text = state.game.draw_svg(state.position)
    assert split_shapes(text) is None
    assert diff(text, text) is None
    canvas = Canvas(10, 10, "A drawing")
    for number in range(20):
        canvas.circle(number, 1, 2)
    whole = canvas.svg()
    assert diff(whole, text) is None
    assert diff(whole, whole.replace('width="10"', 'width="20"', 1)) is None, "another head is another drawing"
    assert diff(whole, whole.rstrip("\n")) is None
    for line in ("<g>", "</g>", "text", "<circle/><circle/>", '<text a="<">', "<g><path/></g>", "<!-- -->"):
        lines = whole.split("\n")
        assert diff(whole, "\n".join([*lines[:5], line, *lines[5:]])) is None, line
    other = Canvas(10, 10, "A drawing")
    for number in range(20):
        other.circle(number, 2, 2)
    assert diff(whole, other.svg()) is None, "little of it is the same"
