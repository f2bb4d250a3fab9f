"""Players of the arena over GTP: `tengen gtp --player`."""

import re
import threading

import pytest
from cli_runner import runner
from gtp_talk import Talk

from tengen.arena import Player, Thought, Variation, find_player
from tengen.console.players import read_player
from tengen.games.go import Go

GO = Go()


class Scripted(Player):
    """Plays the points it is given, with a value for each; RESIGN and unknown points as they are."""

    def __init__(self, *moves, value=None):
        super().__init__("scripted")
        self.moves, self.value = list(moves), value
        self.seen = []

    def choose(self, states, seats, seeds):
        raise NotImplementedError

    def deliberate(self, state, seat, seed):
        self.seen.append((state, seat))
        move = self.moves.pop(0)
        action = move if isinstance(move, int) else state.game.parse(move, state)
        yield Thought((Variation((action,), self.value),), 1, 7)


@pytest.fixture(name="open_talk")
def _open_talk():
    opened = []

    def open_talk(player, **config):
        opened.append(Talk("rollout", player=player, **config))
        return opened[-1]

    yield open_talk
    for talk in opened:
        talk.close()


def test_moves_are_those_of_the_player(open_talk):
    player = Scripted("C3", "D4", "B2")
    talk = open_talk(player)
    talk.ask("boardsize 5")
    assert talk.ask("genmove b") == "C3"
    assert talk.ask("genmove w") == "D4"
    assert talk.ask("reg_genmove b") == "B2"
    boards = [state.game.board(state) for state, _ in player.seen]
    assert [board.count("X") + board.count("O") for board in boards] == [0, 1, 2]
    assert [seat for _, seat in player.seen] == [0, 1, 0]
    assert talk.session.position.ply == 2


def test_a_color_that_is_not_on_turn_plays_on_the_board_as_it_is(open_talk):
    player = Scripted("C3", "D4", "pass", "pass", "A1")
    talk = open_talk(player)
    talk.ask("boardsize 5")
    talk.ask("genmove b")
    assert talk.ask("genmove b") == "D4"
    assert player.seen[1][0].game.board(player.seen[1][0]).count("X") == 1
    talk.ask("genmove w")
    talk.ask("genmove b")
    assert talk.ask("genmove w") == "A1", "a game that two passes have ended goes on"


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("lz-genmove_analyze b", r"info move C3 visits 7 winrate 7500 prior 0 lcb 7500 order 0 pv C3"),
        ("kata-genmove_analyze b", r"info move C3 visits 7 winrate 0.75 order 0 pv C3"),
        ("genmove_analyze b", r"info move C3 visits 7 winrate 0.750000 order 0 pv C3"),
    ],
)
def test_a_player_reports_its_value_and_line(open_talk, command, line):
    talk = open_talk(Scripted("C3", value=0.5))
    talk.ask("boardsize 5")
    assert talk.ask(command).splitlines() == [line, "play C3"]


def test_a_player_that_is_far_behind_resigns(open_talk):
    talk = open_talk(Scripted("C3", "D4", "B2", "A1", value=-0.95), resignConsecTurns=2)
    assert talk.ask("genmove b") == "C3"
    assert talk.ask("genmove w") == "D4"
    assert talk.ask("genmove b") == "resign"


def test_a_player_may_resign_itself(open_talk):
    assert open_talk(Scripted(-1)).ask("genmove b") == "resign"


class Stuck(Player):
    def __init__(self):
        super().__init__("stuck")
        self.released = threading.Event()

    def choose(self, states, seats, seeds):
        assert self.released.wait(60)
        return [state.legal()[-1] for state in states]


def test_a_move_comes_in_time_though_the_player_has_none(open_talk):
    player = Stuck()
    talk = open_talk(player)
    talk.ask("boardsize 5")
    talk.ask("time_settings 0 1 1")
    talk.ask("time_left b 1 1")
    assert re.fullmatch(r"[A-E][1-5]|pass", talk.ask("genmove b"))
    player.released.set()


def test_the_time_of_the_configuration_ends_a_search(open_talk):
    talk = open_talk(find_player("rollout:100000000", GO), maxTime=0.05)
    talk.ask("boardsize 5")
    assert re.fullmatch(r"[A-E][1-5]|pass", talk.ask("genmove b"))


@pytest.mark.parametrize("spec", ["random", "rollout:50", "pimc:1", "level:easy", "uniform:20"])
def test_every_kind_of_player_plays(open_talk, spec):
    talk = open_talk(read_player(spec, GO))
    talk.ask("boardsize 5")
    for color in "bwbw":
        assert re.fullmatch(r"[A-E][1-5]|pass", talk.ask(f"genmove {color}"))
    assert re.fullmatch(r"[BW]\+[\d.]+|0", talk.ask("final_score")), "scores are those of the engine"


def test_searches_that_can_be_cancelled_are_no_commands_of_players(open_talk):
    assert "with --player moves come from genmove" in open_talk(Scripted("C3")).fail("kata-search_cancellable b")


def test_a_board_that_the_player_can_not_play_is_refused(open_talk):
    class Picky(Scripted):
        def check(self, game):
            if game.width != 9:
                raise ValueError("boards of 9 lines only")

    talk = open_talk(Picky("C3"))
    assert "boards of 9 lines only" in talk.fail("genmove b")
    talk.ask("boardsize 9")
    assert talk.ask("genmove b") == "C3"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--player", "nobody"), "no player is called"),
        (("--player", "random", "--visits", "10"), "--visits has no effect with --player"),
        (("--player", 'gtp:"gnugo --mode gtp"'), "start that program instead"),
    ],
)
def test_what_does_not_fit_is_refused(monkeypatch, capsys, more, says):
    ran = runner(monkeypatch, capsys)("gtp", *more)
    assert ran.code == 2
    assert says in ran.err
