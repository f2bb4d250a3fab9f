"""What is needed most is seen without scrolling: the board, its buttons, the steps of a study, the engine."""

import base64
import json

import pytest
from browser import needs_browser
from live_browser import Browser, web_here
from test_web_page import post
from test_web_studies import saved

import tengen
from tengen.games import SavedGame

pytestmark = [pytest.mark.slow, needs_browser]
SIZES = [(1280, 900), (1366, 768), (390, 844)]
GAMES = ("go", "shogi", "pokemon", "matgo")
# Below the window's edge or under the line at its bottom; or beyond its sides.
HIDDEN = """((names) => {
  const bottom = document.querySelector("#status").getBoundingClientRect().top;
  const isHidden = (box) => box.bottom > bottom || box.top < 0 || box.left < 0 || box.right > innerWidth;
  const boxes = (name) => [...document.querySelectorAll(name)].flatMap((e) => [...e.getClientRects()]);
  return names.filter((name) => !boxes(name).length || boxes(name).some(isHidden));
})(%s)"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with web_here(tmp_path_factory.mktemp("web"), seconds=0.2) as address:
        yield address


@pytest.fixture(scope="module")
def browser(server):
    with Browser() as opened:
        opened.goto(server)
        opened.wait("document.querySelectorAll('.games li').length >= 6")
        yield opened
        assert opened.complaints == []


def open_page(browser, address, *parts):
    """Waits until the page before is gone, and all of these are there."""
    browser.evaluate("document.querySelector('#main > div').className = 'before'")
    browser.evaluate(f"location.hash = '{address}'")
    browser.wait("!document.querySelector('.before')")
    for part in parts:
        browser.wait(f"document.querySelector('{part}')")


def hidden(browser, *names):
    browser.evaluate("scrollTo(0, 0)")
    return browser.evaluate(HIDDEN % json.dumps(names))


def record(name):
    """Go by its usual size."""
    if name != "go":
        return saved(name)[0]
    game = tengen.game("go")
    states = [game.start()]
    for action in range(0, 60, 7):
        states.append(states[-1].play(action))
    return game.format_saved(SavedGame(tuple(states)))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("game", GAMES)
def test_a_table(browser, game, size):
    browser.resize(size, touch=size[0] < 500)
    made = post(browser, "/api/tables", {"game": game, "seats": [None, "beginner"]})
    open_page(browser, f"#/play/{made['table']}/{made['key']}", ".spots:not(.waiting) .open", ".seat")
    needed = [".board", ".seat", ".turn", "section[aria-label=Actions] > .row:first-child button"]
    assert hidden(browser, *needed, *([".loose button"] if game == "go" else [])) == []
    assert fills(browser)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("game", GAMES)
def test_a_study(browser, game, size):
    is_phone = size[0] < 500
    browser.resize(size, touch=is_phone)
    made = post(browser, "/api/studies", {"data": base64.b64encode(record(game)).decode(), "game": game})
    open_page(browser, f"#/analyze/{made['study']}", ".spots rect", ".tree button")
    needed = [".board", ".steps:not([hidden]) button", "section[aria-label=Engine] > .row:first-child > *"]
    if not is_phone:
        needed += [".scroll", "#typed", "#depth"]
    assert hidden(browser, *needed, *([".loose button"] if game == "go" else [])) == []
    assert fills(browser)
    browser.wait("document.querySelector('tr[data-move]')")
    assert browser.evaluate("((e) => e.scrollWidth <= e.clientWidth)(document.querySelector('.scroll'))"), "to the pins"


def fills(browser):
    """The board is as large as it may be: its column's width, or else most of the window's height."""
    board, column = browser.evaluate(
        "['.board', '.table'].map((name) => document.querySelector(name).getBoundingClientRect().toJSON())"
    )
    height = browser.evaluate("innerHeight")
    return board["width"] > 0.95 * column["width"] or board["height"] > 0.6 * height
