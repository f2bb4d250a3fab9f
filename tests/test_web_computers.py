"""The computers at the tables."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from cli_runner import TOYS

import tengen
from tengen.arena import find_player
from tengen.web import computers as module
from tengen.web.computers import Computers


def test_tables_share_a_computer_that_thinks_for_one_at_a_time(monkeypatch):
    """Its search can be at work for one thread only."""
    game = tengen.game("pyrga")
    player = find_player("random", game)
    choose, busy = player.choose, threading.Lock()

    def choose_alone(*asked):
        assert busy.acquire(blocking=False), "two tables at once"
        time.sleep(0.01)
        busy.release()
        return choose(*asked)

    player.choose = choose_alone
    monkeypatch.setattr(module, "find_player", lambda *_: player)
    computers = Computers()
    state = game.start()

    def think(table):
        for _ in range(5):
            assert computers.choose(f"table {table}", game, "easy", state, 0).action in state.legal()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(think, range(4)))


def test_hints_are_about_the_position_of_their_table():
    """All tables of a game share an adviser, which gets nothing but positions."""
    computers = Computers()
    state = tengen.game(f"{TOYS}:FullTicTacToe").start()
    games = [state, state.play("b2").play("a1"), state.play("c3").play("b1"), state]
    for each in (*games, games[1].play("a3").play("c1")):
        advice, _ = computers.hint(each, 0)
        assert {found.action for found in advice} == set(each.legal())
