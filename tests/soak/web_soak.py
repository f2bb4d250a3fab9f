"""Twenty people play and analyze for hours while one page is looked at; what memory server and page take is told.

python tests/soak/web_soak.py [--minutes 4]

The goal is for eight hours: `--minutes 480`. What libraries load and caches hold comes at the beginning, fifty tables
and studies that are kept open among it: growth is counted from the end of the first eighth.
"""

import argparse
import json
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser import BROWSER
from live_browser import Browser, web_server
from web_clients import Seat, Watcher, post
from websockets.sync.client import connect

GAMES = ("pyrga", "go", "shogi", "matgo", "pokemon", "connect_four")
STUDIED = ("pyrga", "go", "connect_four")
"""As many games as there may be engines."""
MOST_PLIES = 200
MOST_TRIED = 30
PAUSE_S = 0.1
"""A message: the server hears ten a second of a client."""
TOLD_TIMES = 20


class Soak:
    def __init__(self, address, level, end):
        self.address, self.level, self.end = address, level, end
        self.moves = self.games = self.reports = 0
        self.problems = []

    @property
    def is_time_left(self):
        return time.monotonic() < self.end

    def run(self, what, number):
        try:
            rng = random.Random(number)
            while self.is_time_left:
                what(rng)
        except Exception as error:  # noqa: BLE001 - told at the end
            if self.is_time_left:
                self.problems.append(error)

    def play(self, rng):
        """A game against a computer."""
        made = post(self.address, "/api/tables", {"game": rng.choice(GAMES), "seats": [None, self.level]})
        seat = Seat(self.address, made["table"], made["key"])
        seat.open()
        while not seat.is_over and self.is_time_left and seat.ply < MOST_PLIES:
            if seat.may_play:
                seat.play(rng)
                self.moves += 1
                time.sleep(PAUSE_S)
            seat.hear_board(timeout=120)
        seat.close()
        self.games += 1

    def analyze(self, rng):
        """A study: moves are tried, and the engine is asked about each."""
        made = post(self.address, "/api/studies", {"data": "", "game": rng.choice(STUDIED)})
        seat = Watcher(self.address, "", "")
        with seat.connection(connect) as socket:
            socket.send(json.dumps({"t": "open", "study": made["study"], "node": 0}))
            for _ in range(MOST_TRIED):
                while not seat.take(socket.recv(120)):
                    pass
                if seat.is_over or not self.is_time_left:
                    return
                node = seat.board["node"]
                socket.send(json.dumps({"t": "ask", "node": node, "visits": 300}))
                while (message := json.loads(socket.recv(120)))["t"] != "analysis" or not message["is_done"]:
                    self.reports += message["t"] == "analysis"
                time.sleep(2 * PAUSE_S)
                socket.send(json.dumps(seat.choose(rng) | {"ply": node}))


def look(browser, address, soak):
    """A page on which one game after another is played."""
    made = post(address, "/api/tables", {"game": "pyrga", "seats": [None, soak.level]})
    browser.goto(f"{address}#/play/{made['table']}/{made['key']}")
    browser.wait("document.querySelector('.table')?.dataset.ply && document.querySelector('.seat')")
    return made


def heap_mb(browser):
    """At home, so that what is shown is the same each time."""
    browser.evaluate("location.hash = '#/'")
    browser.wait("document.querySelectorAll('.games li').length && !document.querySelector('.table')")
    browser.command("HeapProfiler.collectGarbage")
    return browser.evaluate("performance.memory.usedJSHeapSize") / (1 << 20)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--minutes", type=float, default=4.0)
    options.add_argument("--clients", type=int, default=20)
    options.add_argument("--level", default="easy")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, web_server(folder, "--seconds", "1") as (address, process):
        began = time.monotonic()
        soak = Soak(address, given.level, began + 60 * given.minutes)
        for number in range(given.clients):
            # Every fifth analyzes.
            what = soak.analyze if number % 5 == 4 else soak.play
            threading.Thread(target=soak.run, args=(what, number), daemon=True).start()
        browser = Browser() if BROWSER else None
        growth = watch(soak, process, browser, began, given.minutes)
        if browser:
            browser.close()
    if soak.problems:
        raise SystemExit(f"a client failed: {soak.problems[0]!r}")
    print(f"{given.minutes:g} minutes, {given.clients} clients: no failure; {growth}")


def watch(soak, process, browser, began, minutes):
    """Tells now and then; answers the growth since the first eighth."""
    from web_players import play_to_the_end

    first, told = None, ""
    for number in range(1, TOLD_TIMES + 1):
        until = began + 60 * minutes * number / TOLD_TIMES
        while time.monotonic() < until and not soak.problems:
            if browser is None:
                time.sleep(max(0.0, until - time.monotonic()))
                continue
            look(browser, soak.address, soak)
            play_to_the_end(browser, "pointer", patience_s=120)
        figures = {"server": memory_mb(process.pid)} | ({"page": heap_mb(browser)} if browser else {})
        if first is None or number <= TOLD_TIMES / 8:
            first = figures
        told = ", ".join(f"{name} {mb:.1f} MB ({mb / first[name] - 1:+.1%})" for name, mb in figures.items())
        spent = (time.monotonic() - began) / 60
        so_far = f"{soak.games} games, {soak.moves} moves, {soak.reports} reports"
        print(f"{spent:.1f} min: {so_far}; {told}", flush=True)
        if soak.problems or process.poll() is not None:
            break
    return told


def memory_mb(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
