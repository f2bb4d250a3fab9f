"""What of a drawing can be touched, and how touches choose an action: in every game, and only that action."""

import random
from pathlib import Path

import pytest
from random_states import players_to_act, walk
from shipped_games import NAMES, small_game
from toy_games import TicTacToe

import tengen
from tengen.games import Game, GameError, Spot
from tengen.games.choosing import MENU_SIZE, Choosing, begin
from tengen.games.conformance import ConformanceError, check
from tengen.games.drawing import Canvas, fixed_colors
from tengen.games.grid import Grid

GRID = Grid(3, 3)


def choose(choosing, action, rng):
    """Touches the action's spots in any order, then takes from menus whatever leads to it."""
    spots = [part for part in choosing.touches[action] if part in choosing.spots]
    rng.shuffle(spots)
    for spot in spots:
        assert choosing.chosen is None
        choosing = choosing.touch(spot)
        assert action in choosing.left
    for _ in range(len(choosing.touches[action])):
        if choosing.chosen is not None:
            return choosing.chosen
        named = next((entry for entry in choosing.menu if entry.action == action), None)
        if named is not None:
            return named.action
        text = next(entry.text for entry in choosing.menu if entry.text in choosing.touches[action])
        choosing = choosing.touch(text)
    return choosing.chosen


@pytest.mark.parametrize("name", NAMES)
def test_every_legal_action_and_only_it_is_reached_by_touches(name):
    rng = random.Random(3)
    game = small_game(name)
    for lang in ("en", *game.languages):
        for state in walk(game.in_language(lang), seed=5, most=40):
            for player in players_to_act(state):
                choosing = begin(state, player if state.actor == "all" else None)
                assert choosing.chosen is None
                for action in choosing.touches:
                    assert choose(choosing, action, rng) == action


def test_a_board_of_19_by_19_is_reached_too():
    state = tengen.game("go").start().play("D4")
    choosing = begin(state)
    assert len(choosing.touches) == 361
    assert choosing.lit == set(choosing.spots) - {"D4"}
    assert [entry.text for entry in choosing.menu] == ["pass"]
    assert choosing.touch("Q16").chosen == state.game.parse("Q16", state)
    assert choosing.touch("D4").places == (), "a stone lies there"


def test_shogi_asks_for_a_promotion_only_where_there_is_a_choice():
    game = tengen.game("shogi")
    state = game.start(sfen="4k4/9/9/4P4/9/9/9/9/4K4 b R 1")
    choosing = begin(state).touch("5d")
    assert choosing.lit == {"5c"}
    asked = choosing.touch("5c")
    assert asked.chosen is None
    assert {entry.text for entry in asked.menu} == {"promote", "stay"}
    forced = begin(game.start(sfen="4k4/1P7/9/9/9/9/9/9/4K4 b - 1")).touch("8b").touch("8a")
    assert game.name(forced.chosen) == "8b8a+"
    japanese = begin(game.in_language("ja").start(sfen=game.sfen(state)))
    assert {entry.text for entry in japanese.touch("5d").touch("5c").menu} == {"成", "不成"}


def test_shogi_drops_from_the_hand_or_onto_a_square():
    state = tengen.game("shogi").start(sfen="4k4/9/9/9/9/9/9/9/4K4 b RP 1")
    hand = begin(state).touch("R*")
    assert "5e" in hand.lit
    assert hand.menu == []
    assert state.game.name(hand.touch("5e").chosen) == "R*5e"
    square = begin(state).touch("5e")
    assert square.lit == {"R*", "P*"}
    assert {entry.text for entry in square.menu} == {"R*", "P*"}, "a menu of what may be dropped"
    drop = square.menu[0].action
    assert begin(state).mark(drop) == ("5e",), "a mark lies on the board and not on the hand"
    move = state.game.parse("5i5h", state)
    assert begin(state).mark(move) == ("5i", "5h")


def test_pyrga_names_the_pieces_for_a_cell():
    state = tengen.game("pyrga").start()
    choosing = begin(state).touch("b2")
    assert [entry.text for entry in choosing.menu][:3] == ["square", "circle", "arrow up"]
    assert choosing.touch("b2").places == (), "a second touch lets go"
    assert choosing.touch([]).places == (), "so does the ground"
    assert choosing.touch("c3").places == (frozenset({"c3"}),), "what fits nothing starts anew"
    assert choosing.touch("nowhere").places == ()


def test_matgo_tells_a_card_from_shaking_with_it_and_what_a_stop_pays():
    seen = set()
    for seed in range(40):
        for state in walk(tengen.game("matgo"), seed=seed):
            if not isinstance(state.actor, int):
                continue
            choosing = begin(state)
            for action, parts in choosing.touches.items():
                seen.add(parts[-1].split(":")[0])
                if parts[-1].startswith("stop: "):
                    assert int(parts[-1].split()[1].replace(",", "")) == state.play(action).payoffs[state.actor]
                if parts[-1] == "shake":
                    assert {entry.text for entry in choosing.touch(parts[0]).menu} == {"play", "shake"}
    assert {"play", "shake", "take", "go", "stop"} <= seen


def test_pokemon_offers_dynamax_beside_a_move():
    state = tengen.game("pokemon").start(seed=0)
    choosing = begin(state, 0)
    assert {"move 1", "switch 2"} <= choosing.lit
    assert {entry.text for entry in choosing.touch("move 1").menu} == {"use", "Dynamax"}
    assert state.game.name(choosing.touch("switch 2").chosen) == "switch 2"
    assert {spot.id for spot in state.spots(0)} & {spot.id for spot in state.spots()} == {
        f"side 2 Pokémon {slot}" for slot in (1,)
    }


def test_more_than_a_menu_holds_is_asked_in_parts():
    touches = {10 * i + j: ("cell", f"kind {i}", f"size {j}") for i in range(5) for j in range(4)}
    choosing = Choosing(touches, {"cell": False}).touch("cell")
    assert len(choosing.left) == 20 > MENU_SIZE
    assert [entry.action for entry in choosing.menu] == [None] * 9
    assert [entry.text for entry in choosing.touch("kind 2").menu] == [f"size {j}" for j in range(4)]
    assert choosing.touch("kind 2").touch("size 3").chosen == 23


def test_places_with_several_roles():
    """Where from and to are spots of their own, one place is both."""
    cells = ("a", "b")
    touches = {0: ("from a", "to b"), 1: ("from b", "to a")}
    choosing = Choosing(touches, {f"{role} {cell}": False for role in ("from", "to") for cell in cells})
    both = choosing.touch({"from a", "to a"}).touch({"from b", "to b"})
    assert both.chosen is None
    assert [entry.action for entry in both.menu] == [0, 1]
    only = Choosing({0: touches[0]}, choosing.spots)
    assert only.touch({"from a", "to a"}).touch({"from b", "to b"}).chosen == 0


class Clickable(TicTacToe):
    def format_action(self, cell):
        return GRID.cells[cell]

    def draw_svg(self, board, viewer=None):
        return GRID.svg({cell: "XO"[seat] for cell, seat in zip(GRID.cells, board, strict=True) if seat is not None})

    def spots(self, board, viewer=None):
        return GRID.spots()


class Outside(Clickable):
    def spots(self, board, viewer=None):
        return [Spot("a1", 2, 40, 20, 20)]


class Twice(Clickable):
    def spots(self, board, viewer=None):
        return [*GRID.spots(), GRID.spots()[0]]


class Nameless(Clickable):
    def spots(self, board, viewer=None):
        return [Spot(" ", 40, 40, 20, 20)]


class Boxless(Clickable):
    def draw_svg(self, board, viewer=None):
        return "<svg></svg>"


class Same(Clickable):
    def touches(self, action, board):
        return ("here",)


class Part(Clickable):
    def touches(self, action, board):
        return ("here", str(action)) if action else ("here",)


class Untouchable(Clickable):
    def touches(self, action, board):
        return ()


class Scripted(TicTacToe):
    inside = "<script>1</script>"

    def draw_svg(self, board, viewer=None):
        return f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{self.inside}</svg>'


class Handled(Scripted):
    inside = '<rect onload="alert(1)"/>'


class Styled(Scripted):
    inside = '<rect style="fill:red"/>'


class Foreign(Scripted):
    inside = "<foreignObject/>"


class Linked(Scripted):
    inside = '<image xlink:href="http://example.org/a.png"/>'


class Filled(Scripted):
    inside = '<rect fill="url(http://example.org/a.svg#b)"/>'


class Declared(Scripted):
    def draw_svg(self, board, viewer=None):
        return "<!DOCTYPE svg>" + super().draw_svg(board)


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        (Outside, "does not lie inside"),
        (Twice, "two spots are called 'a1'"),
        (Nameless, "has the id ' '"),
        (Boxless, "no viewBox"),
        (Same, "have all that"),
        (Part, "have all that"),
        (Untouchable, "expected different texts"),
        (Scripted, "<script>"),
        (Handled, "'onload'"),
        (Styled, "'style'"),
        (Foreign, "<foreignObject>"),
        (Linked, "outside of it"),
        (Filled, "outside of it"),
        (Declared, "declaration"),
    ],
)
def test_what_a_page_cannot_show_or_touch_is_found(game, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check(game(), games=1)


def test_a_grid_of_squares():
    assert check(Clickable(), games=3).games == 3
    assert Grid(2, 2, from_bottom=True).cells == ("a2", "b2", "a1", "b1")
    spot = Grid(4, 4).spots({"b2": "a stone"})[5]
    assert (spot.id, spot.label) == ("b2", "a stone")
    state = Clickable().start().play("b2")
    assert begin(state).touch("a1").chosen == 0
    with pytest.raises(GameError, match="no cell 'z9'"):
        GRID.svg({"z9": "X"})
    with pytest.raises(GameError, match="no board"):
        Grid(30, 2)


def test_a_game_without_hooks_has_a_button_for_each_action():
    choosing = begin(TicTacToe().start())
    assert choosing.lit == set()
    assert [entry.action for entry in choosing.menu] == list(range(9))
    assert Game.spots(TicTacToe(), None) == ()


def test_colors_of_pages_have_the_drawings_own_behind_them():
    canvas = Canvas(10, 10, "a\nb")
    assert "var(--tengen-paper,#f6f3ec)" in canvas.svg()
    assert "&#10;" in canvas.svg()
    assert "var(" not in fixed_colors(canvas.svg())
    for name in NAMES:
        state = small_game(name).start(seed=1)
        assert "var(--tengen-paper," in state.game.draw_svg(state.position)
        assert "var(" not in state.svg()
        assert fixed_colors(state.game.draw_svg(state.position)) == state.svg()
    images = Path(__file__).parent.parent / "docs" / "images"
    assert not any("var(" in path.read_text(encoding="utf-8") for path in images.glob("*.svg"))
