"""The page chooses by touches as tengen.games.choosing says."""

import json
import random
from pathlib import Path

import pytest
from browser import FINISH, needs_browser, open_page
from shipped_games import NAMES, small_game
from test_spots import players_to_act, walk

from tengen.games.choosing import Choosing, begin

SCRIPT = Path(__file__).parent.parent / "src" / "tengen" / "web" / "static" / "choosing.js"
COMPARE = """
const told = [];
for (const { touches, spots, steps } of CASES) {
  const table = new Map(touches);
  let choosing = new Choosing(table, new Map(spots));
  const marks = touches.map(([, parts]) => markedSpots(parts, new Map(spots)));
  const seen = [choosing.loose, marks];
  for (const place of steps) {
    choosing = choosing.touch(place);
    seen.push([choosing.places.length, choosing.left, [...choosing.lit].sort(), choosing.chosen,
      choosing.menu.map(({ text, action }) => [text, action ?? null])]);
  }
  told.push(seen);
}
"""


def cases():
    rng = random.Random(8)
    for name in NAMES:
        for state in walk(small_game(name), seed=2, most=12):
            for player in players_to_act(state):
                yield from sequences(begin(state, player if state.actor == "all" else None), rng)
    many = {10 * i + j: ("cell", f"kind {i}", f"size {j}") for i in range(5) for j in range(4)}
    yield from sequences(Choosing(many, {"cell": False}), rng)
    roles = {0: ("from a", "to b"), 1: ("from b", "to a"), 2: ("from a", "to c", "slowly"), 3: ("hand", "to a")}
    spots = {f"{role} {cell}": False for role in ("from", "to") for cell in "abc"} | {"hand": True}
    for _ in range(10):
        yield from sequences(Choosing(roles, spots), rng, [["from a", "to a"], ["from b", "to b"], ["to c"], ["hand"]])


def sequences(choosing, rng, places=()):
    parts = sorted({part for touches in choosing.touches.values() for part in touches})
    known = [*places, *([part] for part in (*parts, *choosing.spots)), [], ["nothing"]]
    aimed = [[part] for part in rng.choice(list(choosing.touches.values()))]
    for steps in (aimed, [rng.choice(known) for _ in range(5)]):
        yield choosing, steps


def as_python(choosing, steps):
    seen = [
        [entry.action for entry in choosing.menu],
        [list(choosing.mark(action)) for action in choosing.touches],
    ]
    for place in steps:
        choosing = choosing.touch(place)
        menu = [[entry.text, entry.action] for entry in choosing.menu] if choosing.places else []
        seen.append([len(choosing.places), choosing.left, sorted(choosing.lit), choosing.chosen, menu])
    return seen


@pytest.mark.slow
@needs_browser
def test_the_page_keeps_the_same_rules(tmp_path):
    tried = list(cases())
    given = [
        {"touches": list(choosing.touches.items()), "spots": list(choosing.spots.items()), "steps": steps}
        for choosing, steps in tried
    ]
    code = SCRIPT.read_text(encoding="utf-8").replace("export ", "")
    data = json.dumps(given).replace("<", "\\u003c")
    page = f"<meta charset=utf-8><body><script>{code}\nconst CASES = {data};\n{COMPARE}{FINISH}</script>"
    told = open_page(page, tmp_path)
    assert len(told) == len(tried) > 100
    for (choosing, steps), found in zip(tried, told, strict=True):
        # Letters beyond the basic plane would sort otherwise in JavaScript; there are none.
        assert found == as_python(choosing, steps), (choosing, steps)
