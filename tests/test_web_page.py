"""The page in a real browser, on a server of its own."""

import base64
import json
import os
import signal
import socket
from pathlib import Path

import pytest
from browser import needs_browser
from live_browser import Browser, web_here, web_server
from web_players import HOW, check_marks, play_to_the_end

pytestmark = [pytest.mark.slow, needs_browser]
TESTS = Path(__file__).parent
EVERY_WAY = bool(os.environ.get("TENGEN_EVERY_WAY"))
"""Every game is played in every way, and none is cut short."""
SMALL = {"go": {"size": "3"}, "shogi": {"max_plies": "6"}, "pokemon": {"max_turns": "2"}}
if EVERY_WAY:
    SMALL = {"go": {"size": "9"}}
PICTURES = os.environ.get("TENGEN_PICTURES")
"""A folder, docs/images as a rule: the first minute is filmed into it, as docs/web.md shows it."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    games = tuple(f"{TESTS}/web_games.py:Level{level}" for level in range(3))
    with web_here(tmp_path_factory.mktemp("web"), games=games, seconds=0.5) as address:
        yield address


@pytest.fixture(scope="module")
def tab():
    with Browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def plain_server(tmp_path_factory):
    """As it is installed."""
    with web_here(tmp_path_factory.mktemp("plain")) as address:
        yield address


@pytest.fixture
def plain_browser(tab, plain_server):
    yield from visit(tab, plain_server)


@pytest.fixture
def browser(tab, server):
    yield from visit(tab, server)


def visit(tab, server):
    """At home, and at the end without a complaint or a request to anybody else."""
    tab.resize((1280, 900))
    tab.asked.clear()
    tab.goto(server)
    tab.wait("document.querySelectorAll('.games li').length >= 9")
    tab.evaluate("localStorage.clear()")
    tab.complaints.clear()
    yield tab
    assert tab.complaints == []
    own = server.removeprefix("http")
    assert [
        address for address in tab.asked if own not in address and not address.startswith(("data:", "about:"))
    ] == []


def post(browser, path, body):
    made = json.dumps(json.dumps(body))
    ask = f"fetch('{path}', {{method: 'POST', headers: {{'Content-Type': 'application/json'}}, body: {made}}})"
    return browser.evaluate(f"{ask}.then((answer) => answer.json())")


def open_table(browser, game, seats=(None, "beginner"), **more):
    made = post(browser, "/api/tables", {"game": game, "seats": seats, "settings": SMALL.get(game, {}), **more})
    browser.evaluate(f"location.hash = '#/play/{made['table']}/{made['key']}'")
    browser.wait(f"location.hash.includes('{made['table']}') && document.querySelector('.table')?.dataset.ply")
    browser.wait("document.querySelectorAll('.seat').length")
    return made


def film(browser, name):
    if PICTURES:
        browser.screenshot(Path(PICTURES) / f"web-{name}.webp")


def test_the_first_minute(plain_browser):
    browser = plain_browser
    browser.wait("[...document.querySelectorAll('.games img')].filter((e) => e.complete && e.naturalWidth).length >= 6")
    film(browser, "home")
    browser.click("[data-game=pyrga]")
    browser.click(".spots [data-spot=b2]")
    browser.wait("document.querySelector('.menu').offsetWidth")
    film(browser, "menu")
    browser.click(".menu button")
    browser.wait("document.querySelectorAll('.log p').length >= 2")
    browser.wait("document.querySelector('#status').textContent.includes('Your move')")
    browser.click(".row button")
    browser.wait("document.querySelectorAll('.hints tbody tr').length === 3")
    assert browser.evaluate("document.querySelectorAll('.marks .disc-best').length") == 1
    check_marks(browser, 3)
    film(browser, "hint")


PLAYED = {
    "pyrga": "keys", "connect_four": "pointer", "go": "pointer", "kuhn_poker": "typed", "matgo": "pointer",
    "pig": "keys", "pokemon": "pointer", "rock_paper_scissors": "typed", "shogi": "keys", "level0": "pointer",
    "level1": "keys", "level2": "pointer",
}  # fmt: skip
WHOLE = [(game, how) for game, one in PLAYED.items() for how in (HOW if EVERY_WAY else [one])]


@pytest.mark.parametrize(("game", "how"), WHOLE)
def test_a_whole_game(browser, game, how):
    open_table(browser, game)
    assert play_to_the_end(browser, how) > 0
    check_marks(browser, 0)


def test_promotion_is_asked_only_where_it_is_a_choice(browser):
    open_table(browser, "level2", (None, None))
    for spot in ("a1", "a2"):
        browser.click(f".spots [data-spot={spot}]")
    browser.wait("document.querySelectorAll('.menu button:not(.close)').length === 2")
    names = browser.evaluate("[...document.querySelectorAll('.menu button:not(.close)')].map((e) => e.innerText)")
    assert sorted(names) == ["promote", "stay"]
    browser.key("Escape")
    browser.wait("!document.querySelector('.menu').offsetWidth")
    for spot in ("a1", "a3"):
        browser.click(f".spots [data-spot={spot}]")
    browser.wait("document.querySelector('.table').dataset.ply === '1'")


def test_small_points_are_confirmed_by_touch(browser):
    browser.resize((390, 800), touch=True)
    post_made = post(browser, "/api/tables", {"game": "go", "seats": [None, None], "settings": {"size": "19"}})
    browser.evaluate(f"location.hash = '#/play/{post_made['table']}/{post_made['key']}'")
    browser.wait("document.querySelectorAll('.spots rect').length === 361")
    browser.tap(".spots [data-spot=Q16]")
    browser.wait("document.querySelector('.confirm').innerText === 'Play Q16'")
    assert browser.evaluate("document.querySelector('.table').dataset.ply") == "0"
    check_marks(browser)
    film(browser, "phone")
    browser.tap(".confirm")
    browser.wait("document.querySelector('.table').dataset.ply === '1'")
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"


# Black is to take three stones.
SGF = "(;GM[1]SZ[5]KM[8.5]PB[Ann]PW[Ben]AB[bb][cb][db][bd][cd]AW[bc][cc];B[ac];W[dc];B[dd];W[ee])"
ROWS = "[...document.querySelectorAll('tr[data-move]')]"


def press(browser, name):
    find = f"[...document.querySelectorAll('.panel button')].find((e) => e.innerText === '{name}')"
    browser.evaluate(f"{find}.click()")


def test_a_record_opens_analyzed(browser):
    browser.evaluate("document.querySelector('#record').focus()")
    browser.type(SGF)
    browser.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    browser.click(".drop .main")
    browser.wait("document.querySelectorAll('.spots rect').length === 25")
    assert browser.evaluate("scrollY") == 0
    browser.evaluate("document.querySelector('#budget').value = '2000'")
    for _ in range(4):
        browser.key("]")
    browser.wait("document.querySelector('.table').dataset.ply === '4'")
    # At its end, so that rows stay where they are.
    browser.wait("document.querySelector('.standing').textContent.includes('after 2,000 visits')")
    browser.wait(f"{ROWS}.length > 2 && document.querySelector('.marks .disc-best')")
    move = browser.evaluate(f"{ROWS}.findLast((e) => e.dataset.move !== 'pass').dataset.move")
    browser.click(f"[data-pin='{move}']")
    browser.wait(f"{ROWS}.some((e) => e.dataset.move === '{move}' && Number(e.dataset.visits) >= 100)")
    browser.wait("document.querySelector('.marks .pinned')")
    browser.point_at(5, 5)
    browser.wait("!document.querySelector('.marks.dim')")
    check_marks(browser, 5)
    film(browser, "analyze")
    # Pointing at a move shows its line.
    browser.point_at(*browser.middle(f"tr[data-move='{move}']"))
    browser.wait("document.querySelectorAll('.marks .disc-line').length >= 2")
    check_marks(browser, 5)
    film(browser, "line")
    # Only in the lower left corner: A1 to B2.
    (left, top), (right, bottom) = browser.middle(".spots [data-spot=A2]"), browser.middle(".spots [data-spot=B1]")
    browser.click(f"[data-pin='{move}']")
    press(browser, "Only here")
    browser.drag((left - 8, top - 8), (right + 8, bottom + 8))
    browser.wait(f"{ROWS}.length && {ROWS}.every((e) => ['A1', 'A2', 'B1', 'B2'].includes(e.dataset.move))")
    browser.evaluate(
        "[...document.querySelectorAll('.panel button')].find((e) => e.innerText === 'Everywhere').click()"
    )
    browser.click(".spots [data-spot=A5]")
    browser.wait("document.querySelector('.table').dataset.ply === '5'")
    browser.wait("document.querySelector('.tree').innerText.includes('5. A5')")
    press(browser, "Review")
    browser.wait("document.querySelectorAll('.graph').length === 2")
    browser.key("[")
    browser.wait("document.querySelector('.table').dataset.ply === '4'")


def test_a_game_that_was_played_opens_analyzed(browser):
    open_table(browser, "level1", (None, None))
    browser.click(".spots:not(.waiting) .open")
    browser.wait("document.querySelector('.table').dataset.ply === '1'")
    browser.click(".row button:nth-child(6)")
    browser.wait("location.hash.startsWith('#/analyze/')")
    browser.wait(f"{ROWS}.length")


@pytest.mark.parametrize("lang", ["en", "ko", "ja"])
def test_languages(browser, lang):
    texts = json.loads((TESTS.parent / "src/tengen/web/static" / f"{lang}.json").read_text(encoding="utf-8"))
    browser.evaluate("location.hash = '#/settings'")
    browser.wait("document.querySelector('#set-lang')")
    browser.evaluate(f"document.querySelector('#set-lang').value = '{lang}'")
    browser.evaluate("document.querySelector('#set-lang').dispatchEvent(new Event('change'))")
    for page, heading in (("settings", "page_settings"), ("", "choose_game"), ("analyze", "page_analyze")):
        browser.evaluate(f"location.hash = '#/{page}'")
        browser.wait(f"document.querySelector('main h1')?.innerText === {json.dumps(texts[heading])}")
        assert browser.evaluate("document.documentElement.lang") == lang
        # Keys of several words are no words of any language.
        shown = set(browser.text("body").split()) & {key for key in texts if "_" in key}
        assert shown == set(), "a key instead of a text"
    browser.evaluate("location.hash = '#/new/go'")
    browser.wait("document.querySelector('#setting-komi')")
    assert browser.text("label[for=setting-komi]") == {"en": "komi", "ko": "덤", "ja": "コミ"}[lang]
    open_table(browser, "pokemon", (None, None))
    browser.wait("!document.querySelector('#typed').disabled")
    browser.evaluate("document.querySelector('#typed').focus()")
    browser.type("switch 1")
    browser.key("Enter")
    told = {"en": "is on the field already.", "ko": "이미 나와 있습니다.", "ja": "はもう場に出ています。"}
    browser.wait(f"document.getElementById('status').textContent.endsWith({json.dumps(told[lang])})")


def test_a_tab_that_is_hidden_when_it_connects_says_so(browser):
    browser.evaluate(
        "(() => { window.told = []; const send = WebSocket.prototype.send;"
        " WebSocket.prototype.send = function (text) { window.told.push(JSON.parse(text)); send.call(this, text); };"
        " Object.defineProperty(document, 'visibilityState', { value: 'hidden' }); })()"
    )
    open_table(browser, "pyrga")
    browser.wait("window.told.some(({ t, visible }) => t === 'look' && visible === false)")


def test_who_deletes_a_variation_is_where_it_began(browser):
    made = post(browser, "/api/studies", {"data": base64.b64encode(SGF.encode()).decode()})
    browser.evaluate(f"location.hash = '#/analyze/{made['study']}'")
    browser.wait("document.querySelectorAll('.tree button').length === 5")
    browser.key("]")
    browser.wait("document.querySelector('.table').dataset.ply === '1'")
    for ply, spot in ((2, "A1"), (3, "E5")):
        browser.click(f".spots [data-spot={spot}]")
        browser.wait(f"document.querySelector('.table').dataset.ply === '{ply}'")
    browser.key("[")
    browser.wait("document.querySelector('.table').dataset.ply === '2'")
    press(browser, "Delete")
    browser.wait("document.querySelectorAll('.tree button').length === 5")
    browser.wait("document.querySelector('.table').dataset.ply === '1'")
    browser.key("]")
    browser.wait("document.querySelector('.table').dataset.ply === '2'")
    browser.wait("document.querySelector('.tree [aria-current]').innerText.trim() === '2. D3'")


def test_a_move_that_a_lost_connection_took_along_can_be_made_again(browser):
    made = post(browser, "/api/studies", {"data": base64.b64encode(SGF.encode()).decode()})
    browser.evaluate(f"location.hash = '#/analyze/{made['study']}'")
    browser.wait("document.querySelectorAll('.tree button').length === 5")
    browser.evaluate(
        "(() => { const send = WebSocket.prototype.send; WebSocket.prototype.send = function (text) {"
        " const { t } = JSON.parse(text); window.isBack ||= window.cut && t === 'open';"
        " if (t !== 'play' || window.cut) send.call(this, text); else { window.cut = true; this.close(); } }; })()"
    )
    browser.click(".spots [data-spot=A1]")
    browser.wait("window.isBack && document.querySelector('.lost').hidden")
    browser.click(".spots:not(.waiting) [data-spot=A1]")
    browser.wait("document.querySelector('.tree [aria-current]').innerText.trim() === '1. A1'")


def test_after_a_round_the_next_one_is_offered_by_the_pages_own_words(browser):
    open_table(browser, "matgo")
    play_to_the_end(browser, "pointer")
    log = browser.text(".log")
    assert "`" not in log
    assert log.endswith("“Next round” deals the next one.")
    press(browser, "Next round")
    browser.wait("document.querySelector('.log').innerText.includes('Round 2.')")


def test_after_a_kill_a_review_is_there(tab, tmp_path):
    numbers = "[...document.querySelectorAll('.graphs td')].map((e) => e.textContent)"
    # There are five positions with a win rate and a lead, and four moves with a loss.
    is_whole = f"{numbers}.filter((text) => /^-?[\\d.]+$/.test(text)).length === 5 + 5 + 4"
    with web_server(tmp_path) as (address, process):
        tab.goto(address)
        tab.wait("document.querySelectorAll('.games li').length >= 6")
        made = post(tab, "/api/studies", {"data": base64.b64encode(SGF.encode()).decode()})
        tab.evaluate(f"location.hash = '#/analyze/{made['study']}'")
        tab.wait("document.querySelectorAll('.tree button').length === 5")
        press(tab, "Review")
        tab.wait(is_whole)
        found = tab.evaluate(numbers)
        process.send_signal(signal.SIGKILL)
        process.wait()
    with web_server(tmp_path) as (address, _):
        tab.goto(f"{address}#/analyze/{made['study']}")
        tab.wait(is_whole)
        assert tab.evaluate(numbers) == found
        assert tab.evaluate("document.querySelectorAll('.graph').length") == 2
    tab.goto("about:blank")
    tab.complaints.clear()
    tab.asked.clear()


def test_after_a_kill_the_board_comes_back_by_itself(tab, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with web_server(tmp_path, port=port) as (address, process):
        tab.goto(address)
        tab.wait("document.querySelectorAll('.games li').length >= 9")
        open_table(tab, "connect_four", (None, None))
        tab.evaluate("window.isSamePage = true")
        tab.click(".spots:not(.waiting) .open")
        tab.wait("document.querySelector('.table').dataset.ply === '1'")
        process.send_signal(signal.SIGKILL)
        process.wait()
        tab.wait("!document.querySelector('.lost').hidden")
    with web_server(tmp_path, port=port):
        tab.wait("document.querySelector('.lost').hidden")
        tab.wait("document.querySelector('.table').dataset.ply === '1'")
        assert tab.evaluate("window.isSamePage")
        assert "yellow to move" in tab.text(".picture").lower() or tab.text(".log")
    tab.goto("about:blank")
    tab.complaints.clear()
    tab.asked.clear()


def test_two_people_and_one_who_watches(browser, server):
    made = open_table(browser, "level1", (None, None))
    keys = browser.evaluate(f"fetch('/api/tables/{made['table']}/keys').then((answer) => answer.json())")
    with Browser() as other, Browser() as third:
        other.goto(f"{server}#/play/{made['table']}/{keys['seats'][1]}")
        third.goto(f"{server}#/play/{made['table']}/{keys['watch']}")
        for one in (other, third):
            one.wait("document.querySelector('.table')?.dataset.ply === '0'")
        browser.click(".spots:not(.waiting) .open")
        for one in (other, third):
            one.wait("document.querySelector('.table').dataset.ply === '1'")
        assert other.wait("document.querySelectorAll('.spots:not(.waiting) .open').length")
        assert not third.evaluate("document.querySelectorAll('.spots:not(.waiting) .open').length")
        browser.click(".row button:nth-child(2)")
        other.wait("document.querySelector('[role=alert] .main')")
        other.click("[role=alert].row .main")
        for one in (browser, other, third):
            one.wait("document.querySelector('.table').dataset.ply === '0'")
            assert one.complaints == []
