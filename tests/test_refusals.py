"""Why an action is refused: from the rules, for every game that ships, and at the prompt."""

import random

import pytest
from cli_runner import TOYS, runner
from rich.cells import cell_len
from toy_games import FullTicTacToe, HighCard

import tengen
from tengen.games import IllegalAction, names
from tengen.games.conformance import ConformanceError, check

SETTINGS = {
    "go": [{"size": 4}, {"size": 4, "rules": "japanese"}, {"size": 3, "rules": "aga"}],
    "pyrga": [{}, {"arrows_stay_on_board": True, "second_square_ban": True, "tie_break": True}],
    "shogi": [{"max_plies": 4}],
    "pokemon": [{"max_turns": 40}],
    "matgo": [{}, {"preset": "hangame"}, {"bonus_cards": 3, "two_card_bomb": True}],
}
GAMES = [(name, settings) for name in names() for settings in SETTINGS.get(name, [{}])]


def refusals(game, seed):
    """Every action that is not legal, at every decision of a random game."""
    rng = random.Random(seed)
    state = game.start(seed)
    while not state.is_over:
        if isinstance(state.actor, int):
            legal = set(state.legal())
            yield from ((state, action) for action in range(game.action_count) if action not in legal)
        if state.actor == "all":
            state = state.play([rng.choice(state.legal(player)) for player in range(game.players)])
        else:
            state = state.play(rng.choice(state.legal()))


@pytest.mark.parametrize(("name", "settings"), GAMES, ids=str)
def test_every_refusal_has_a_reason(name, settings):
    game = tengen.game(name, **settings)
    for seed in range(6):
        for state, action in refusals(game, seed):
            reason = game.why_illegal(state.position, state.actor, action)
            assert reason == reason.strip(" .\n") != "", (action, state)
            assert "\n" not in reason


def reason_of(state, move):
    with pytest.raises(IllegalAction) as caught:
        state.play(move)
    assert f", because {caught.value.reason}:\n" in str(caught.value)
    return caught.value.reason


def test_connect_four_tells_a_full_column():
    state = tengen.game("connect_four").start()
    for _ in range(6):
        state = state.play("d")
    assert reason_of(state, "d") == "column d is full"


def test_pig_tells_that_nothing_is_to_be_held():
    assert "there is nothing to hold" in reason_of(tengen.game("pig").start(), "hold")


@pytest.mark.parametrize(
    ("moves", "move", "reason"),
    [
        (["arrow b2 right"], "square a1", "the arrow at b2 points right, so the next piece goes to c2 or d2"),
        (["arrow d2 right"], "circle d2", "the arrow at d2 points right off the board, so you go to an empty cell, "),
        (["square b2"], "circle b2", "the last piece is a square at b2, so the next piece goes to b1, a2, c2 or b3"),
        (["circle b2"], "square b1", "the last piece is a circle at b2, so the next piece goes to b2"),
        (["circle b2"], "circle b2", "b2 holds a circle already, and a cell takes one piece of each kind"),
        (
            ["square b1", "square b2", "arrow b1 down", "arrow b2 up", "circle b1"],
            "square b1",
            "the last piece is a circle at b1, and no piece of yours fits there, so you go to an empty cell, which b1 ",
        ),
    ],
)
def test_pyrga_tells_what_the_last_piece_points_to(moves, move, reason):
    state = tengen.game("pyrga").start()
    for each in moves:
        state = state.play(each)
    assert reason_of(state, move).startswith(reason)


def test_pyrga_tells_its_house_rules():
    game = tengen.game("pyrga", arrows_stay_on_board=True, second_square_ban=True)
    assert "may not point off the board" in reason_of(game.start(), "arrow a1 up")
    state = game.start().play("square b2").play("circle b1")
    assert reason_of(state, "square b1") == "who opened with a square may not place a square on the next move"


def test_pyrga_tells_when_a_kind_is_used_up():
    game = tengen.game("pyrga")
    found = {game.why_illegal(state.position, state.actor, a) for s in range(10) for state, a in refusals(game, s)}
    assert {"you have no squares left", "you have no circles left", "you have no arrows left"} <= found


def go(rules, *moves):
    game = tengen.game("go", size=5, rules=rules)
    return game.start(moves=list(zip("bw" * len(moves), moves, strict=False)))


KO = ("B1", "C1", "A2", "D2", "B3", "C3", "C2", "B2")


@pytest.mark.parametrize(
    ("state", "move", "reason"),
    [
        (go("tromp-taylor", "C3"), "C3", "there is a black stone at C3"),
        (go("tromp-taylor", *KO), "C2", "that is a ko"),
        (go("chinese", *KO), "C2", "that is a ko"),
        (go("tromp-taylor", "A2", "E5", "B1"), "A1", "a stone at A1 would be without liberties and capture nothing"),
        (go("chinese", "A3", "A2", "B3", "E5", "B2", "D5", "B1"), "A1", "a stone at A1 would be without liberties"),
    ],
)
def test_go_tells_taken_points_kos_and_suicide(state, move, reason):
    assert reason_of(state, move).startswith(reason)


def test_go_tells_superko():
    game = tengen.game("go", size=2)
    found = {game.why_illegal(state.position, state.actor, a) for s in range(20) for state, a in refusals(game, s)}
    assert "it would bring back a position that was on the board before (superko)" in found


def test_matgo_tells_by_what_is_asked():
    game = tengen.game("matgo")
    state = game.start(seed=3)
    view = game.view(state, state.actor)
    mine, lying = ({card for card in range(48) if cards >> card & 1} for cards in (view.hands[state.actor], view.floor))
    on_floor = game.display_name(min(lying))
    elsewhere = game.display_name(min(set(range(48)) - mine - lying))
    assert reason_of(state, on_floor) == f"{on_floor} is not in your hand but lies on the floor"
    assert reason_of(state, elsewhere) == f"{elsewhere} is not in your hand"
    assert reason_of(state, "bomb 1").startswith("a bomb takes three cards of a month")
    assert reason_of(state, "dummy").startswith("you have no dummy left")
    assert reason_of(state, "go").startswith("you are not asked to go or to stop")
    found = {game.why_illegal(each.position, each.actor, a) for s in range(12) for each, a in refusals(game, s)}
    assert "you are asked to go or to stop" in found


def test_a_game_without_reasons_names_none():
    state = FullTicTacToe().start().play("b2")
    with pytest.raises(IllegalAction, match=r"action 4 \(b2\) is illegal for player 1 in this position") as caught:
        state.play("B2")
    assert caught.value.reason == ""


class Mute(FullTicTacToe):
    def why_illegal(self, board, player, cell):
        return "" if cell == 4 else "it is taken"


class Loud(FullTicTacToe):
    def why_illegal(self, board, player, cell):
        return "It is taken."


class Telling(HighCard):
    action_count = 3
    names = ("stay", "double", "fold")

    def why_illegal(self, position, player, action):
        return f"of {position}"


@pytest.mark.parametrize(
    ("game", "fault"),
    [(Mute(), "why_illegal of action 4 is ''"), (Loud(), "without its stop"), (Telling(), "can't see")],
)
def test_conformance_finds_bad_reasons(game, fault):
    with pytest.raises(ConformanceError, match=fault):
        check(game)


# At the prompt.


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def test_the_prompt_tells_the_reason(run):
    out = run("play", "pyrga", "--visits", 60, "--moves", "arrow b2 right", "--seat", 1, typed="square a1\nq\n").out
    assert "'square a1' is not possible now: the arrow at b2 points right, so the next piece goes to c2 or d2." in out


@pytest.mark.parametrize(("name", "settings"), GAMES, ids=str)
def test_help_teaches_the_rules_on_a_screen(run, monkeypatch, name, settings):
    monkeypatch.setenv("COLUMNS", "80")
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    out = run("play", name, "--visits", 60, "--seat", 0, "--seed", 1, *words, typed="help\nq\n").out
    screen = out.partition("> help\n")[2].rsplit("\n", 2)[0].splitlines()
    guide = tengen.game(name, **settings).guide.splitlines()
    assert screen[: len(guide)] == guide
    assert len(guide) >= 5
    # With the prompt below it.
    assert len(screen) + 1 <= 24
    assert max(map(cell_len, screen)) <= 80


def test_help_of_a_game_of_ones_own_is_what_it_says_of_itself(run):
    out = run("play", f"{TOYS}:HighCard", "--visits", 60, typed="help\nq\n").out
    assert "Each of three players holds a card" in out.partition("> help\n")[2]
