"""Photographs twelve positions on the page, each in light, dark and on a phone; told of an older folder, says what has
changed since.

python tests/soak/web_pictures.py FOLDER [--compare OLDER]
"""

import argparse
import base64
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "images"))

from live_browser import Browser, web_here
from make import PICTURES
from web_clients import get, post
from web_players import check_marks

import tengen

LOOKS = {"light": ((1280, 900), False), "dark": ((1280, 900), True), "phone": ((390, 844), False)}
LEFT_OUT = ("pyrga-circle", "pyrga-arrow")
MOST_CHANGED = 0.005
# The share of pixels that differ visibly.
COMPARE = """Promise.all(PICTURES.map(async (data) => {
  const image = new Image();
  image.src = data;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), brush = canvas.getContext("2d");
  brush.drawImage(image, 0, 0);
  return brush.getImageData(0, 0, image.width, image.height);
})).then(([a, b]) => {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let changed = 0;
  for (let i = 0; i < a.data.length; i += 4)
    if ([0, 1, 2].some((part) => Math.abs(a.data[i + part] - b.data[i + part]) > 16)) changed += 1;
  return changed / (a.width * a.height);
})"""


def positions():
    """Of the documentation's pictures, and a large board; by name, with the game's record."""
    for name, picture in PICTURES.items():
        if name not in LEFT_OUT:
            yield name, picture
    yield "go-19", PICTURES["go"]._replace(settings={"size": 19}, moves="Q16, D4, Q4, D16, F17, C14, K10")


def record_of(picture):
    game = tengen.game(picture.game, **picture.settings)
    states = [game.start(seed=0, **picture.options)]
    for move in filter(None, picture.moves.split(", ")):
        states.append(states[-1].play(move.split("+") if states[-1].actor == "all" else move))
    saved = tengen.games.SavedGame(tuple(states), seed=0, options=picture.options)
    return base64.b64encode(game.format_saved(saved)).decode()


def sit_down(address, picture):
    asked = {"game": picture.game, "seats": [None, None], "record": record_of(picture)}
    made = post(address, "/api/tables", asked)
    return made["table"], get(address, f"/api/tables/{made['table']}/keys")["seats"][picture.viewer or 0]


def photograph(address, folder):
    with Browser() as browser:
        for name, picture in positions():
            table, key = sit_down(address, picture)
            browser.goto(address)
            browser.wait("document.querySelector('.games')")
            browser.evaluate(f"localStorage.setItem('tengen.lang', '{picture.lang}')")
            for look, (size, dark) in LOOKS.items():
                browser.resize(size, touch=look == "phone")
                browser.darken(dark)
                browser.goto("about:blank")
                browser.goto(f"{address}#/play/{table}/{key}")
                browser.wait("document.querySelector('.table')?.dataset.ply && document.querySelector('.seat')")
                check_marks(browser, 0)
                browser.screenshot(folder / f"{name}-{look}.png")
                if browser.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    raise SystemExit(f"{name}-{look}: something sticks out to the right")
        if browser.complaints:
            raise SystemExit(f"the browser complains: {browser.complaints}")


def compare(older, newer):
    def data(path):
        return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()

    changed = 0
    with Browser() as browser:
        for path in sorted(newer.glob("*.png")):
            before = older / path.name
            share = 1.0
            if before.exists():
                share = browser.evaluate(COMPARE.replace("PICTURES", json.dumps([data(before), data(path)]), 1))
            if share > MOST_CHANGED:
                changed += 1
                print(f"{path.name}: {share:.1%} of it has changed")
    print(f"{changed} pictures have changed by more than {MOST_CHANGED:.1%}")
    return changed


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--compare", type=Path, metavar="OLDER")
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, web_here(Path(folder)) as address:
        photograph(address, given.folder)
    print(f"{len(list(given.folder.glob('*.png')))} pictures in {given.folder}; every mark lies on its spot")
    if given.compare and compare(given.compare, given.folder):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
