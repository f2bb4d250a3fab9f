"""A person at `tengen play`, and what it is made of."""

import builtins
import random
import re
import sys
import types

import numpy as np
import pytest
from cli_runner import TOYS, runner

import tengen
from tengen.arena import find_player
from tengen.cli.move_tables import group_moves
from tengen.cli.prompt import Prompt
from tengen.games import names
from tengen.play.advice import SearchAdviser
from tengen.play.game_text import describe_standing, lead, outcome_text, score_text, win_rate
from tengen.play.human_game import HumanGame
from tengen.play.opponents import ArenaOpponent, SearchOpponent
from tengen.play.search_run import settings_for
from tengen.search import Pool


@pytest.fixture
def play(monkeypatch, capsys):
    run = runner(monkeypatch, capsys)

    def play(game, *words, typed="", visits=60):
        ran = run("play", game, "--visits", visits, "--seed", 5, *words, typed=typed)
        assert ran.err == ""
        return ran

    return play


# All lines of these end the game, whatever the computer does: what is not possible is only answered by a message.
WHOLE_GAMES = {
    "connect_four": ["a", "b", "c", "d", "e", "f", "g", ""][:-1] * 7,
    "go": ["pass"] * 60,  # who moves alone on the smallest board runs out of new positions
    "kuhn_poker": ["pass", "bet"],
    "matgo": [tengen.game("matgo").name(action) for action in range(167)] * 6,
    "pig": ["roll", "roll", "hold"] * 60,
    "pokemon": [f"{word} {slot}" for slot in (1, 2, 3, 4) for word in ("move", "switch")] * 4,
    "pyrga": [tengen.game("pyrga").name(action) for action in range(96)] * 12,
    "rock_paper_scissors": ["paper"],
    "shogi": [name for rank in "hgfedcb" for name in (f"9{rank}9{chr(ord(rank) - 1)}", f"1{rank}1{chr(ord(rank) + 1)}")]
    * 3,
    f"{TOYS}:FullTicTacToe": ["b2", "a1", "a2", "a3", "b1", "b3", "c1", "c2", "c3"] * 2,
    f"{TOYS}:HighCard": ["double"],
    f"{TOYS}:Duel": ["1", "1"],
}


SET = {"go": ("--set", "size=2"), "pokemon": ("--set", "max_turns=2"), "shogi": ("--set", "max_plies=2")}


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", WHOLE_GAMES)
def test_a_whole_game(play, game, seat):
    ran = play(game, "--seat", seat, *SET.get(game, ()), typed="\n".join(WHOLE_GAMES[game]))
    assert ran.code == 0
    assert "quit>" in ran.out or ran.out.rstrip().endswith(".")
    assert any(text in ran.out for text in ("You win", "The computer wins", "A draw.", "You get"))
    assert "Traceback" not in ran.out


def test_every_shipped_game_is_played_here():
    assert set(names()) <= set(WHOLE_GAMES)


def test_greeting_and_end_of_input(play):
    ran = play("kuhn_poker", "--start", "cards=QK")
    assert ran.code == 0
    assert ran.out.startswith("Kuhn poker\nEach player has one card")
    assert "start(" not in ran.out
    assert "You are the first player." in ran.out
    assert "[Q]" in ran.out


def test_the_computers_move_is_shown_with_win_rate_and_time(play):
    ran = play("connect_four", typed="d\n")
    assert "your move> d\n" in ran.out
    [told] = [line for line in ran.out.splitlines() if line.startswith("The computer plays")]
    assert re.search(r"\(it wins \d+%, 60 visits, ", told)
    assert told.endswith(" s)")


def test_help_teaches_and_lists_commands_and_moves_lists_moves(play):
    for word in ("help", "?", "HELP"):
        out = play("pyrga", "--moves", "square b2", "--seat", 1, typed=f"{word}\nmoves\nquit\n").out
        assert "Who has more towers wins." in out
        assert "  arrow   b1 a2 c2 b3 · up right down left" in out
        for command in ("moves", "hint", "review", "undo", "board", "resign", "new", "save FILE", "load FILE", "quit"):
            assert f"  {command} " in out


def test_wrong_input_is_explained_and_asked_again(play):
    out = play("connect_four", "--moves", "d d d d d d", typed="z\nd\n\nhint\n").out
    assert "'z' is not a column of Connect Four" in out
    assert "'d' is not possible now: column d is full." in out
    assert out.count("your move> ") == 4
    assert "policy" not in out
    assert "share" in out


def test_board_is_drawn_on_demand(play):
    assert play("connect_four", typed="board\n").out.count("first to move") == 2


def test_undo_goes_back_to_the_last_decision(play):
    out = play("connect_four", "--seat", 1, typed="undo\na\nb\nundo\nundo\nundo\n").out
    assert out.count("There is nothing to take back.") == 2
    boards = [part.split("your move> ")[0] for part in out.split("  a b c d e f g\n")[1:]]
    assert len(boards) == 5
    assert boards[3] == boards[1].split("The computer")[0]
    assert boards[4] == boards[0]


def test_undo_after_the_end_takes_the_result_back(play):
    out = play("rock_paper_scissors", typed="rock\nundo\nrock\nnew\nrock\n").out
    assert "After 2 games:" in out
    assert "After 3 games:" not in out


def test_after_the_end(play):
    out = play("rock_paper_scissors", typed="rock\nrock\nhint\nmoves\n\nnew\nq\n").out
    assert "can't be played: new, review, undo, save or quit?" in out
    assert out.count("there are no moves") == 2
    assert out.endswith("your move> q\n")


def test_random_seats_change(play):
    out = play("rock_paper_scissors", "--seat", "random", typed="new\n" * 10).out
    assert "You are the first player." in out
    assert "You are the second player." in out


def test_enter_plays_the_only_move(play):
    out = play("pig", typed="\n").out
    assert "your move [roll]> " in out
    assert "Chance: " in out


def test_dice_are_shown(play):
    out = play("pig", typed="roll\n").out
    assert any(f"Chance: {face}\n" in out for face in range(1, 7))


def test_several_opponents(play):
    out = play(f"{TOYS}:HighCard", "--seat", 2, "--start", "first=0").out
    assert "Player 0 plays" in out
    assert "You get" in out
    assert "You are player 2." in out


def test_same_seed_same_game(play):
    def moves(out):
        return [line.split("  (")[0] for line in out.splitlines() if "computer" in line or "Chance" in line]

    for game in ("pig", "connect_four", "rock_paper_scissors"):
        typed = "\n".join(WHOLE_GAMES[game])
        assert moves(play(game, typed=typed).out) == moves(play(game, typed=typed).out)


# Hidden and simultaneous games: nobody knows more than the rules allow.


def test_the_person_sees_only_their_own_view(play):
    before_the_end = play("kuhn_poker", "--start", "cards=QK", "--seat", 0, typed="hint\npass\n").out
    assert "[K]" not in before_the_end
    assert "value" not in before_the_end.split("The computer plays")[1]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_computer_does_not_know_the_persons_card(play, seat):
    told = []
    for card in "JK":
        cards = card + "Q" if seat == 0 else "Q" + card
        out = play("kuhn_poker", "--start", f"cards={cards}", "--seat", seat, typed="hint\nbet\n", visits=500).out
        told.append([line.split("  (")[0] for line in out.splitlines() if line.startswith("The computer plays")])
    assert told[0] == told[1]
    assert told[0]


def test_simultaneous_choices_are_drawn_from_a_mixture(play):
    out = play("rock_paper_scissors", typed="rock\nnew\n" * 40, visits=2000).out
    chosen = [line.split()[3] for line in out.splitlines() if line.startswith("The computer chooses")]
    assert len(chosen) == 40
    assert {"paper", "scissors"} <= set(chosen)


def test_however_short_the_time_a_move_is_found(play, monkeypatch):
    step = Pool.step
    monkeypatch.setattr(Pool, "step", lambda self, visits=None: step(self, 1))
    out = play("connect_four", "--seconds", 1e-9, typed="d\n").out
    assert ", 2 visits, " in out


# Parts.


def computer_for(game, visits=200, seed=1):
    return SearchOpponent(game, settings_for(game, "rollout", visits), "rollout", random.Random(seed))


def test_trees_are_kept_along_the_game(monkeypatch):
    added = []
    add = Pool.add
    monkeypatch.setattr(Pool, "add", lambda self, *args, **kwargs: added.append(1) or add(self, *args, **kwargs))
    game = tengen.game("connect_four")
    session = HumanGame(game.start, computer_for(game), 0, 1)
    for column in "dd":
        session.play(game.parse(column, session.state))
        session.let_computer_play()
    session.hint()
    assert len(added) == 1
    assert session.undo()
    session.hint()
    assert len(added) == 2


def test_hints_follow_the_game_whoever_the_opponent_is(monkeypatch):
    """A search that only advises is not informed of moves."""
    added = []
    add = Pool.add
    monkeypatch.setattr(Pool, "add", lambda self, *args, **kwargs: added.append(1) or add(self, *args, **kwargs))
    game = tengen.game(f"{TOYS}:FullTicTacToe")
    opponent = ArenaOpponent(find_player("random", game), random.Random(1))
    session = HumanGame(game.start, opponent, 0, 1, adviser=SearchAdviser(computer_for(game)))

    def count_hints():
        hinted = {advice.action for advice in session.hint()}
        assert hinted == set(session.state.legal())
        return len(hinted)

    assert count_hints() == 9
    session.play(session.state.legal()[4])
    session.let_computer_play()
    assert count_hints() == 7
    assert len(added) == 1, "the tree is kept"
    assert session.undo()
    assert count_hints() == 9
    session.new()
    session.play(session.state.legal()[0])
    session.let_computer_play()
    assert count_hints() == 7


def test_a_proven_tree_still_gives_a_move(play):
    # The person does not see the open line: the tree that the computer kept has nothing left to search.
    out = play("connect_four", "--moves", "d c d c d", "--seat", 1, typed="a\n", visits=20000).out
    assert "The computer plays d  (certain of a win" in out
    assert "The computer wins." in out


def test_moves_are_grouped():
    assert group_moves(["a", "b"]) == [("", "a b")]
    assert group_moves(["square a1", "square b1", "arrow a1 up", "arrow a1 left", "arrow b1 up", "arrow b1 left"]) == [
        ("square", "a1 b1"),
        ("arrow", "a1 b1 · up left"),
    ]
    assert group_moves(["arrow a1 up", "arrow b1 left"]) == [("arrow", "a1 · up"), ("arrow", "b1 · left")]


def test_results_are_told_in_the_games_unit():
    four, poker = tengen.game("connect_four"), tengen.game("kuhn_poker")
    duel = tengen.game(f"{TOYS}:Duel")
    assert outcome_text(four, (1, -1), 0) == "You win."
    assert outcome_text(four, (1, -1), 1) == "The computer wins."
    assert outcome_text(four, (0, 0), 1) == "A draw."
    assert outcome_text(poker, (2, -2), 0) == "You win 2."
    assert outcome_text(poker, (2, -2), 1) == "The computer wins 2."
    assert outcome_text(duel, (3, 5), 1) == "You get 5; the first player 3."
    assert score_text(four, [1, -1, 0, 1]) == "After 4 games: 2 won, 1 drawn, 1 lost."
    assert score_text(poker, [2, -1]) == "After 2 games: +1 for you."


def test_standings_in_words():
    four, poker, go = tengen.game("connect_four"), tengen.game("kuhn_poker"), tengen.game("go", size=5)
    assert describe_standing(four, 0, 0.256) == "it wins 63%"
    assert describe_standing(four, 0, -1.0, proven=True) == "certain of a loss"
    assert describe_standing(four, 0, 0.0, proven=True) == "certain of a draw"
    assert describe_standing(poker, 1, 2.0, proven=True) == "certain of +2"
    assert describe_standing(poker, 1, 0.256) == "value +0.26"
    # Black wins six of ten games, by 5 of 25 points; the value differs.
    aux = np.zeros(go.aux_count, np.float32)
    aux[[go.win_aux, go.score_aux]] = 0.2, 0.2
    assert describe_standing(go, 0, 0.9, aux) == "it wins 60%, leads by 5.0 points"
    assert describe_standing(go, 1, -0.9, aux) == "it wins 40%, is behind by 5.0 points"


def test_go_is_told_by_win_rate_and_points(play):
    out = play("go", "--set", "size=5", "--set", "komi=0.5", typed="C3\nhint\nA1\nreview\nquit\n", visits=400).out
    [told, _] = [line for line in out.splitlines() if line.startswith("The computer plays")]
    assert re.search(r"\(it wins \d+%, (leads|is behind) by \d+\.\d points, ", told)
    assert "value" not in out
    hints = out.partition("> hint\n")[2].partition("your move>")[0]
    assert re.search(r"move +share +wins +points +visits", hints)
    assert re.search(r"\d+% +[+-]\d+\.\d ", hints)
    assert re.search(r"A1 +\d+%, [+-]\d+\.\d .* -\d+%, -\d+\.\d points", out.partition("> review\n")[2])


def test_the_lead_is_that_of_the_board():
    """Black, who passes, has everything on 5x5."""
    game = tengen.game("go", size=5, komi=0.5)
    state = game.start(moves=[("b", "C3"), ("w", "pass")])
    result = tengen.search(state, evaluator="rollout", visits=200, seed=1, aux=True, allow=["pass"])
    assert lead(game, 0, result["pass"].aux) == pytest.approx(24.5)
    assert lead(game, 1, result["pass"].aux) == pytest.approx(-24.5)
    assert win_rate(game, 0, result["pass"].aux) == 1.0


def test_proven_moves_are_told_so(play):
    moves = ("--moves", "d c d c d", "--seat", 1, "--net", "rollout")
    out = play("connect_four", *moves, typed="hint\n", visits=5000).out
    rows = [line.split() for line in out.partition("> hint\n")[2].splitlines() if re.match(r" [a-g] ", line)]
    assert "lost" in {row[2] for row in rows}


# A terminal.


class FakeTerminal:
    def isatty(self):
        return True


@pytest.mark.parametrize(("name", "binding"), [("GNU", "tab: complete"), ("libedit", "bind ^I rl_complete")])
def test_tab_completes_moves_and_commands(monkeypatch, name, binding):
    seen = {}
    readline = types.ModuleType("readline", doc=f"Bindings to {name} readline")
    for function in ("set_completer", "set_completer_delims", "parse_and_bind"):
        setattr(readline, function, lambda value, function=function: seen.update({function: value}))
    monkeypatch.setitem(sys.modules, "readline", readline)
    monkeypatch.setattr(sys, "stdin", FakeTerminal())
    monkeypatch.setattr(builtins, "input", lambda text: f" {text}typed ")
    prompt = Prompt(lambda: ["square a1", "square b1", "quit"])
    assert prompt.ask("? ") == "? typed"
    complete = seen["set_completer"]
    assert [complete("SQ", 0), complete("SQ", 1), complete("SQ", 2)] == ["square a1", "square b1", None]
    assert seen["parse_and_bind"] == binding


def test_without_readline(monkeypatch):
    monkeypatch.setitem(sys.modules, "readline", None)
    monkeypatch.setattr(sys, "stdin", FakeTerminal())
    monkeypatch.setattr(builtins, "input", lambda text: "d")
    assert Prompt(list).ask("") == "d"


def test_interrupting_leaves_with_130(play, monkeypatch):
    monkeypatch.setattr(Prompt, "ask", lambda self, text: (_ for _ in ()).throw(KeyboardInterrupt))
    ran = play("pig")
    assert ran.code == 130
    assert ran.out.endswith("\n\n")
