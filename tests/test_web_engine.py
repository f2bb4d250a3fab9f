"""What the page shows is what the engine said: candidates, pins, regions and hints. Logs of battles are read."""

import base64
import json
import re
import time

import pytest

pytest.importorskip("fastapi")

from browser import needs_browser
from live_browser import Browser, web_here
from pokemon_logs import read_logs
from test_web_page import ROWS, open_table, post, press
from web_players import check_marks

from tengen.web.computers import Computers
from tengen.web.engines import Engines

pytestmark = [pytest.mark.slow, needs_browser]
SGF = b"(;GM[1]SZ[9]KM[7.5];B[ee];W[ce];B[eg];W[gc])"
SHOWN = f"{ROWS}.map((e) => [e.dataset.move, Number(e.dataset.visits), ...[...e.cells].map((c) => c.innerText)])"


class Heard:
    """Requests of the page's server with the answers to them, and hints, as engine and adviser gave them."""

    def __init__(self):
        self.asked = []
        self.hints = []

    def last_answer(self, fits):
        """To the newest request, once it is whole; which request that must be, `fits` says."""
        end = time.monotonic() + 60
        while True:
            request, answers = self.asked[-1] if self.asked else ({}, [])
            if request and fits(request) and answers and not answers[-1].is_during_search:
                return request, answers[-1]
            assert time.monotonic() < end, (request, len(answers))
            time.sleep(0.02)


class RecordedEngine:
    def __init__(self, engine, asked):
        self._engine, self._asked = engine, asked

    def ask(self, request):
        answers = []
        self._asked.append((request, answers))
        return RecordedAnalysis(self._engine.ask(request), answers)


class RecordedAnalysis:
    def __init__(self, analysis, answers):
        self._analysis, self._answers = analysis, answers
        self.warnings, self.cancel = analysis.warnings, analysis.cancel

    async def __aiter__(self):
        async for answer in self._analysis:
            self._answers.append(answer)
            yield answer


@pytest.fixture(scope="module")
def heard():
    found = Heard()
    opened, hinted = Engines.open, Computers.hint

    def hint(*arguments):
        found.hints.append(hinted(*arguments))
        return found.hints[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engines, "open", lambda *arguments: RecordedEngine(opened(*arguments), found.asked))
        patch.setattr(Computers, "hint", hint)
        yield found


@pytest.fixture(scope="module")
def browser(heard, tmp_path_factory):
    with web_here(tmp_path_factory.mktemp("web"), seconds=0.3) as address, Browser() as tab:
        tab.goto(address)
        tab.wait("document.querySelectorAll('.games li').length >= 9")
        yield tab
        assert tab.complaints == []


def open_study(browser, data, name):
    made = post(browser, "/api/studies", {"data": base64.b64encode(data).decode(), "name": name})
    browser.evaluate(f"location.hash = '#/analyze/{made['study']}'")
    browser.wait(f"location.hash.includes('{made['study']}') && document.querySelector('.study .table')?.dataset.ply")


def check_rows(browser, answer):
    """Each row says what the answer says of its move, in the answer's order."""
    visits = f"{answer.root_info.visits:,} visits"
    browser.wait(f"document.querySelector('.standing').textContent.includes('{visits}')")
    infos = {info.move: info for info in answer.move_infos}
    rows = browser.evaluate(SHOWN)
    assert rows
    for name, visits, _, worth, _, shown_visits, _ in rows:
        info = infos[name]
        win_rate, lead = (float(part.strip(" %+")) for part in worth.split(","))
        assert win_rate == pytest.approx(100 * info.winrate, abs=0.06)
        assert lead == pytest.approx(info.lead, abs=0.06)
        assert visits == info.visits == int(shown_visits.replace(",", ""))
    names = [name for name, *_ in rows]
    order = [info.move for info in answer.move_infos if info.move in names]
    assert sorted(names[:5], key=order.index) == names[:5]
    assert names[0] == answer.best.move
    check_marks(browser)
    return names


def test_candidates_pins_and_regions_are_the_engines_own(browser, heard):
    open_study(browser, SGF, "game.sgf")
    browser.evaluate("document.querySelector('#budget').value = '400'")
    browser.evaluate("document.querySelector('.steps button:nth-child(4)').click()")
    at_end = lambda request: len(request["moves"]) == 4  # noqa: E731
    request, answer = heard.last_answer(at_end)
    assert request["maxVisits"] == 400
    names = check_rows(browser, answer)
    best = browser.evaluate("document.querySelector('.marks .disc-best')?.dataset.on ?? 'pass'")
    assert best == answer.best.move, "a pass has no spot"
    owners = answer.ownership
    for kind, side in (("first", 1), ("second", -1)):
        spots = json.loads(browser.evaluate(f"document.querySelector('.heat-{kind}').dataset.on"))
        squares = browser.evaluate(f"document.querySelector('.heat-{kind}').getAttribute('d')").count("M")
        assert len(spots) == squares
        for spot in spots:
            column, row = "ABCDEFGHJ".index(spot[0]), 9 - int(spot[1:])
            assert owners[9 * row + column] * side > 0, "black is to move, and first"

    # A pinned move has its visits.
    pinned = [name for name in names if name != "pass"][-1]
    browser.click(f"[data-pin='{pinned}']")
    request, answer = heard.last_answer(lambda request: at_end(request) and "includeMoves" in request)
    assert request["includeMoves"][0]["moves"] == [pinned]
    assert answer[pinned].is_included
    assert answer[pinned].visits >= request["includeMovesMinVisits"] == 100
    assert pinned in check_rows(browser, answer)
    assert browser.evaluate("document.querySelector('.marks .pinned').dataset.on") == pinned
    browser.click(f"[data-pin='{pinned}']")

    # Regions.
    corner = {f"{column}{row}" for column in "ABC" for row in (1, 2, 3)}
    for button, field in (("Only here", "allowMoves"), ("Not here", "avoidMoves")):
        press(browser, button)
        (left, top), (right, bottom) = browser.middle(".spots [data-spot=A3]"), browser.middle(".spots [data-spot=C1]")
        browser.drag((left - 6, top - 6), (right + 6, bottom + 6))
        request, answer = heard.last_answer(lambda request, field=field: at_end(request) and field in request)
        assert set(request[field][0]["moves"]) == corner
        shown = set(check_rows(browser, answer))
        assert shown <= corner if field == "allowMoves" else not shown & corner
    press(browser, "Everywhere")
    heard.last_answer(lambda request: at_end(request) and "avoidMoves" not in request)


def test_hints_are_the_advisers_own(browser, heard):
    open_table(browser, "pyrga")
    browser.wait("document.querySelector('.spots:not(.waiting) .open')")
    browser.key("h")
    browser.wait("document.querySelectorAll('.hints tbody tr').length === 3")
    advice = heard.hints[-1][0][:3]
    rows = browser.evaluate("[...document.querySelectorAll('.hints tbody tr')].map((e) => e.innerText)")
    for number, (row, move) in enumerate(zip(rows, advice, strict=True), 1):
        name, worth = re.fullmatch(r"(\d\. .*?)\s+(\d+) %.*", row, re.DOTALL).groups()
        assert name == f"{number}. {move.name}"
        assert float(worth) == pytest.approx(100 * move.win_rate, abs=0.51)
    check_marks(browser)


def test_a_larger_board_of_go_by_pointer(browser):
    made = post(browser, "/api/tables", {"game": "go", "seats": [None, "beginner"], "settings": {"size": "9"}})
    browser.evaluate(f"location.hash = '#/play/{made['table']}/{made['key']}'")
    browser.wait("document.querySelectorAll('.spots rect').length === 81")
    for number, spot in enumerate(("E5", "C3", "G7", "C7", "G3")):
        # The computer may have been there before.
        browser.wait("document.querySelector('.spots:not(.waiting) .open')")
        is_open = browser.evaluate(f"document.querySelector('.spots [data-spot={spot}]').classList.contains('open')")
        browser.click(f".spots [data-spot={spot}]" if is_open else ".spots:not(.waiting) .open")
        browser.wait(f"Number(document.querySelector('.table').dataset.ply) >= {2 * number + 2}")
    stones = browser.evaluate("document.querySelectorAll('.spots [aria-label*=stone]').length")
    assert stones >= 8
    check_marks(browser)


def test_a_log_of_a_battle_opens_as_a_study(browser):
    log = read_logs()[0]
    for data in ("\n".join(log["p1"]), "\n".join(line for line in log["p2"] if not line.startswith("|request|"))):
        open_study(browser, data.encode(), "battle.log")
        browser.wait("document.querySelector('.study .table').dataset.ply === '0'")
        browser.wait("document.querySelectorAll('.tree button').length > 5")
        browser.evaluate("document.querySelector('.steps button:nth-child(4)').click()")
        browser.wait("Number(document.querySelector('.study .table').dataset.ply) > 4")
        assert "Turn" in browser.evaluate("document.querySelector('.picture').textContent")
    refused = post(browser, "/api/studies", {"data": base64.b64encode(b"|nothing|").decode(), "name": "battle.log"})
    assert refused["problem"]
    # Which the browser tells of.
    assert all("/api/studies" in complaint for complaint in browser.complaints)
    browser.complaints.clear()
