"""How soon the page shows the first board, and a stone after a click, on a board of 19x19 in a real browser.

At a table, and in a study whose engine sends ten reports a second about the position that is shown.

python benchmarks/web_page.py [--clicks 60]
"""

import argparse
import base64
import itertools
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from live_browser import Browser, web_server
from web_clients import Seat, get, post

PLIES = 150
"""Stones that lie on the board before the first click."""
# From the moment of the click until the frame after the one in which the board has changed.
LISTEN = """(() => {
  const table = document.querySelector(".table"), ply = table.dataset.ply;
  window.painted = new Promise((resolve) => {
    let began = 0;
    addEventListener("pointerdown", (event) => (began = event.timeStamp), { capture: true, once: true });
    const frame = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
    new MutationObserver((_, watch) => { if (table.dataset.ply !== ply) { watch.disconnect(); frame(); } })
      .observe(table, { attributes: true });
  });
})()"""
# When reports are shown; what they say is empty while a position is new, and null marks it here.
NOTE_REPORTS = """(() => {
  window.reports = [];
  const standing = document.querySelector(".standing");
  const note = () => reports.push(standing.textContent ? performance.now() : null);
  new MutationObserver(note).observe(standing, { childList: true });
})()"""
OPEN_SPOTS = "[...document.querySelectorAll('.spots:not(.waiting) .open')].map((e) => e.dataset.spot)"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--clicks", type=int, default=60, help="of each of the two measurements")
    given = options.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f}")
    rng = random.Random(1)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, web_server(folder) as (address, _), Browser() as browser:
        get(address, "/api/home")
        print(f"the server answers {time.monotonic() - began:.2f} s after the command, browser included")
        record = base64.b64encode(long_game(rng)).decode()
        at_a_table(browser, address, record, given.clicks, rng)
        in_a_study(browser, address, record, given.clicks, rng)
        if browser.complaints:
            raise SystemExit(f"the browser complains: {browser.complaints}")


def long_game(rng: random.Random) -> bytes:
    import tengen

    game = tengen.game("go")
    states = [game.start(seed=1)]
    while len(states) <= PLIES:
        states.append(states[-1].play(rng.choice([action for action in states[-1].legal() if action < 361])))
    return game.format_saved(tengen.games.SavedGame(tuple(states)))


def at_a_table(browser: Browser, address: str, record: str, clicks: int, rng: random.Random) -> None:
    made = post(address, "/api/tables", {"game": "go", "seats": [None, None], "record": record})
    keys = get(address, f"/api/tables/{made['table']}/keys")["seats"]
    other = Seat(address, made["table"], keys[1])
    other.open()
    began = time.monotonic()
    browser.goto(f"{address}#/play/{made['table']}/{keys[0]}")
    browser.wait(
        "document.querySelector('.table')?.dataset.ply && document.querySelector('.spots:not(.waiting) .open')"
    )
    print(f"first board after {time.monotonic() - began:.2f} s")
    waits = []
    while len(waits) < clicks and not other.is_over:
        browser.wait("document.querySelector('.spots:not(.waiting) .open')")
        waits.append(click(browser, rng))
        while not other.may_play and not other.is_over:
            other.hear_board()
        ply = other.ply
        other.play(rng)
        while other.ply == ply:
            other.hear_board()
        browser.wait(f"document.querySelector('.table').dataset.ply === '{other.ply}'")
    other.close()
    tell("at a table", waits)


def in_a_study(browser: Browser, address: str, record: str, clicks: int, rng: random.Random) -> None:
    """Every move is a variation, about which the engine is asked at once."""
    made = post(address, "/api/studies", {"data": record, "game": "go", "name": "game.sgf"})
    browser.goto(f"{address}#/analyze/{made['study']}")
    browser.wait("document.querySelector('.study .table')?.dataset.ply === '0'")
    browser.wait("document.querySelectorAll('.tree button').length > 100")
    browser.evaluate("document.querySelector('.steps button:nth-child(4)').click()")
    browser.wait(f"document.querySelector('.table').dataset.ply === '{PLIES}'")
    browser.evaluate("document.querySelector('#budget').value = '50000'")
    browser.wait("document.querySelector('.standing').textContent")
    browser.evaluate(NOTE_REPORTS)
    waits = []
    for _ in range(clicks):
        # Reports come meanwhile, and a click meets them at any moment between two.
        time.sleep(rng.uniform(0.5, 1.0))
        browser.wait("document.querySelector('.spots:not(.waiting) .open')")
        waits.append(click(browser, rng))
    shown = browser.evaluate("reports")
    between = [later - sooner for sooner, later in itertools.pairwise(shown) if None not in (sooner, later)]
    tell(f"in a study, a report every {statistics.median(between):.0f} ms ({len(between)}),", waits)


def click(browser: Browser, rng: random.Random) -> float:
    spot = rng.choice(browser.evaluate(OPEN_SPOTS))
    browser.evaluate(LISTEN)
    browser.click(f".spots [data-spot='{spot}']")
    return float(browser.evaluate("painted"))


def tell(where: str, waits: list[float]) -> None:
    waits.sort()
    print(
        f"click to painted {where} {len(waits)} clicks: median {statistics.median(waits):.0f} ms, "
        f"p95 {waits[int(0.95 * len(waits))]:.0f} ms, longest {waits[-1]:.0f} ms",
        flush=True,
    )


if __name__ == "__main__":
    main()
