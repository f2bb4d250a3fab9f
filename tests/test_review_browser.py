"""The review's page in a real browser: its script runs without a complaint and does what a person expects."""

import base64
import hashlib
import re

import pytest
from browser import FINISH, needs_browser, open_page
from review_helpers import HOSTILE, random_record, review_of

from tengen.analysis.go.review_page import format_page
from tengen.analysis.review.page import asset
from tengen.analysis.review.verdicts import MIN_VISITS
from tengen.games.go.sgf import load_sgf

CSS = asset("tengen.analysis.review", "page.css") + asset("tengen.analysis.go", "board.css")

# What the driving scripts share: `told` is what the test gets, as JSON.
PRELUDE = """
const told = {};
const at = id => document.getElementById(id);
const click = id => at(id).click();
const key = name => document.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));
const set = (id, value) => { at(id).value = value; at(id).dispatchEvent(new Event("input")); };
const toggle = id => { at(id).click(); };
const mouse = (element, kind, more = {}) =>
  element.dispatchEvent(new PointerEvent(kind, {pointerType: "mouse", bubbles: kind === "pointermove", ...more}));
const boardOf = () => {
  const {width, height} = JSON.parse(at("review").textContent);
  const cells = Array(width * height).fill(".");
  for (const stone of document.querySelectorAll(".stones circle[fill]")) {
    const x = Math.round((stone.cx.baseVal.value - 38) / 32), y = Math.round((stone.cy.baseVal.value - 38) / 32);
    cells[y * width + x] = stone.getAttribute("fill") === "url(#ball1)" ? "X" : "O";
  }
  return cells.join("");
};
"""


def hashed(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def drive(page, script, folder, *, size=(1400, 1000), fragment=""):
    """What the script told after it ran on the page; any complaint of the browser fails the test."""
    added = f"{{{PRELUDE}\n{script}\n{FINISH}}}"
    page = page.replace("script-src ", f"script-src {hashed(added)} ", 1)
    page = page.replace("</body>", f"<script>{added}</script></body>")
    return open_page(page, folder, size=size, fragment=fragment)


def boards(record):
    """The position at every turn by Tengen's own rules."""
    game, state = record.start(record.root)
    found = []
    for node in record.root.main_line():
        if record.move(node) is not None or node is record.root:
            _, state = record.start(node)
            found.append(game.board(state).replace("/", ""))
    return found


@pytest.fixture(scope="module")
def wide_page():
    names = {"black": "A very long name of a player" * 3, "white": "Unbreakable" * 12}
    return format_page(review_of(random_record(30, size=(19, 19), **names), 10))


WALK = """
told.boards = [boardOf()];
while (!at("next").disabled) { click("next"); told.boards.push(boardOf()); }
"""


@pytest.mark.slow
@needs_browser
class TestBrowser:
    def test_complaints_are_heard(self, tmp_path):
        page = format_page(review_of(random_record(2), 4))
        for script in ("console.error('planted');", "setTimeout(() => { throw new Error('planted'); }, 1);"):
            with pytest.raises(AssertionError, match="planted"):
                drive(page, script, tmp_path)
        with pytest.raises(AssertionError, match="violates the following Content"):
            drive(page.replace("</body>", "<script>1</script></body>"), "", tmp_path)

    @pytest.mark.parametrize(
        "record",
        [
            random_record(60, size=(5, 5), seed=4),
            random_record(40, size=(2, 7), seed=5),
            load_sgf(b"(;SZ[9]HA[3]AB[cc][gg][cg];W[ee];B[];W[dd])"),
            load_sgf(b"(;SZ[5])"),
        ],
        ids=["captures", "2x7", "handicap", "no moves"],
    )
    def test_boards_are_those_of_the_rules(self, record, tmp_path):
        told = drive(format_page(review_of(record, 4)), WALK, tmp_path)
        assert told["boards"] == boards(record)

    def test_stones_set_up_on_the_way(self, tmp_path):
        review = review_of("(;SZ[5];B[aa];W[bb];AB[cc]AE[aa]PL[W];W[dd];B[ee])", 8)
        told = drive(format_page(review), WALK, tmp_path)
        assert told["boards"][2] == review.played.boards[1].replace("/", "")
        assert told["boards"][4][24] == "X"

    def test_ways_through_the_game(self, tmp_path):
        review = review_of(random_record(30, size=(5, 5), seed=2), 250)
        script = """
        const where = () => Number(at("slider").value);
        told.start = where();
        told.steps = [];
        const names = "ArrowRight ArrowRight ArrowLeft End ArrowRight Home ArrowLeft PageDown";
        for (const name of names.split(" ")) {
          key(name);
          told.steps.push(where());
        }
        set("slider", 7);
        told.slider = at("where").textContent;
        const graph = at("win-graph").firstChild, box = graph.getBoundingClientRect();
        const across = share => ({clientX: box.left + 52 + share * (box.width - 60), clientY: box.top + 40});
        mouse(graph, "pointermove", across(0.5));
        told.hover = graph.querySelector(".said").textContent;
        mouse(graph, "pointerdown", {...across(1), button: 0});
        told.graph = where();
        const jump = document.querySelector("[data-turn]");
        jump.click();
        told.jump = [Number(jump.dataset.turn), where(), jump.getAttribute("aria-current")];
        told.next = at("next-move").textContent;
        told.better = at("better").textContent;
        click("first");
        click("bad-next");
        told.bad = [where(), at("next-move").querySelector(".badge").textContent];
        """
        told = drive(format_page(review), script, tmp_path, fragment="#12")
        assert told["start"] == 12
        assert told["steps"] == [13, 14, 13, 30, 30, 0, 0, 10]
        assert told["slider"] == "After 7 of 30 moves, White to play"
        middle = review.turns[15].answer.root_info.winrate
        assert told["hover"].startswith("15. Black ")
        assert told["hover"].endswith(f"Black {100 * middle:.1f} %")
        assert told["graph"] == 30
        worst = review.players[0].worst[0]
        assert told["jump"] == [worst.turn, worst.turn, "true"]
        assert f"{worst.turn + 1}. Black {worst.move} {worst.verdict}" in told["next"]
        assert told["better"] == f"Better: Black {worst.best.move}"
        assert told["bad"][0] == next(t.turn for t in review.turns if t.turn and t.verdict in ("mistake", "blunder"))

    def test_candidates_and_their_variations(self, tmp_path):
        review = review_of(random_record(20, size=(9, 9)), 60)
        script = """
        set("slider", 8);
        const rows = at("candidates").tBodies[0].rows;
        told.rows = [...rows].map(row => row.cells[0].firstChild.nextSibling.textContent);
        told.marks = document.querySelectorAll(".mark .disc").length;
        told.labels = [...document.querySelectorAll(".mark")].map(mark =>
          [...mark.querySelectorAll("text")].map(text => text.textContent));
        told.played = document.querySelectorAll(".mark .played").length;
        const before = boardOf();
        const mark = document.querySelector(".mark");
        mouse(mark, "pointerenter");
        told.numbers = [...document.querySelectorAll(".number")].map(text => text.textContent);
        told.said = at("said").textContent;
        told.hidden = getComputedStyle(document.querySelector(".marks")).display;
        mouse(mark, "pointerleave");
        told.back = boardOf() === before && document.querySelectorAll(".number").length === 0;
        rows[1].querySelector("button").focus();
        told.focused = at("said").textContent;
        rows[1].querySelector("button").blur();
        toggle("candidates-on");
        told.off = document.querySelectorAll(".mark .disc").length;
        toggle("owners-on");
        told.owners = document.querySelectorAll(".owners rect").length;
        toggle("candidates-on");
        at("labels").value = "visits";
        at("labels").dispatchEvent(new Event("change"));
        told.visits = document.querySelector(".mark text").textContent;
        """
        told = drive(format_page(review), script, tmp_path)
        turn = review.turns[8]
        listed = [info for info in turn.answer.move_infos if info.is_symmetry_of is None][:10]
        names = [info.move for info in listed]
        assert told["rows"] == (names if turn.move in names else [*names, turn.move])
        assert told["marks"] == len([name for name in told["rows"] if name != "pass"])
        assert told["played"] == 1
        best = listed[0]
        wins = 100 * (best.winrate if turn.player == 0 else 1 - best.winrate)
        assert told["labels"][0][0] == f"{wins:.1f}"
        assert told["labels"][0][2] == str(best.visits) == told["visits"]
        assert told["numbers"][0] == "1"
        assert told["said"].startswith(f"Variation: 1 {best.pv[0]}  2 {best.pv[1]}")
        assert told["hidden"] == "none"
        assert told["back"]
        assert told["focused"].startswith(f"Variation: 1 {listed[1].move}")
        assert told["off"] == 0
        assert told["owners"] > 0

    def test_candidates_with_few_visits_are_not_judged(self, tmp_path):
        review = review_of(random_record(9, size=(9, 9)), 300)
        script = """
        set("slider", 7);
        const body = at("candidates").tBodies[0];
        told.rows = [...body.rows].map(row => [row.querySelector(".dot").className, row.cells[3].textContent]);
        told.legend = document.querySelector(".legend").textContent;
        """
        told = drive(format_page(review), script, tmp_path)
        listed = [info for info in review.turns[7].answer.move_infos if info.is_symmetry_of is None][:10]
        few = [info.visits < MIN_VISITS for info in listed]
        assert any(few)
        assert not all(few)
        for is_few, (kind, lost) in zip(few, told["rows"], strict=False):
            assert (kind == "dot unjudged") == is_few == (lost == "–")
        assert "too few visits to judge" in told["legend"]

    def test_hostile_texts_are_shown_as_they_are(self, tmp_path):
        record = random_record(4, black=HOSTILE, white=HOSTILE)
        record.root.comment = HOSTILE
        script = """
        told.title = document.querySelector("h1").textContent;
        told.comment = at("comment-text").textContent;
        told.images = document.images.length;
        """
        told = drive(format_page(review_of(record, 4)), script, tmp_path)
        assert told == {"title": f"{HOSTILE} – {HOSTILE}", "comment": HOSTILE, "images": 0}

    @pytest.mark.parametrize("size", [(500, 900), (820, 1100), (1600, 1000)], ids=str)
    def test_nothing_is_wider_than_the_window(self, wide_page, size, tmp_path):
        script = """
        set("slider", 9);
        told.wide = document.documentElement.scrollWidth;
        told.window = innerWidth;
        const board = document.querySelector(".goban").getBoundingClientRect();
        told.board = board.width;
        """
        told = drive(wide_page, script, tmp_path, size=size)
        assert told["wide"] <= told["window"]
        assert told["board"] > 0.35 * told["window"]

    @pytest.mark.parametrize(("width", "side", "lines", "least"), [(500, 19, 1, 6), (1280, 19, 1, 9), (1280, 9, 3, 9)])
    def test_numbers_on_the_board_stay_in_their_discs_and_can_be_read(self, width, side, lines, least, tmp_path):
        review = review_of(random_record(9, size=(side, side), komi=350.5), 60, include_visits=1)
        script = """
        set("slider", 7);
        const scale = board => board.getBoundingClientRect().width / board.viewBox.baseVal.width;
        told.scale = scale(document.querySelector(".goban"));
        told.drawn = {};
        for (const choice of ["auto", "all", "win", "points"]) {
          at("labels").value = choice;
          at("labels").dispatchEvent(new Event("change"));
          told.drawn[choice] = [...document.querySelectorAll(".mark")].map(mark => {
            const texts = [...mark.querySelectorAll("text")], boxes = texts.map(text => text.getBBox());
            return {lines: texts.length, wide: Math.max(...boxes.map(box => box.width)),
              letters: Math.min(...texts.map(text => parseFloat(text.getAttribute("font-size"))))};
          });
        }
        """
        told = drive(format_page(review), script, tmp_path, size=(width, 1000))
        for choice, marks in told["drawn"].items():
            assert len(marks) >= 5, choice
            assert max(mark["wide"] for mark in marks) <= 0.92 * 32, choice
        shown = told["drawn"]["auto"]
        assert {mark["lines"] for mark in shown} == {lines}
        assert min(mark["letters"] for mark in shown) * told["scale"] >= least

    def test_only_some_turns_were_analyzed(self, tmp_path):
        review = review_of(random_record(12), 8, turns=[5, 6])
        script = """
        told.nothing = at("value").textContent;
        set("slider", 5);
        told.some = at("value").textContent;
        set("slider", 12);
        told.end = at("value").textContent;
        """
        told = drive(format_page(review), script, tmp_path)
        assert told["nothing"] == told["end"] == "This position was not analyzed."
        assert told["some"].startswith("Black wins ")


# Colors.


def colors(block):
    return dict(re.findall(r"--(\w+):(#[0-9a-f]{6})", block))


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_texts_stand_out():
    """WCAG's AA: 4.5 to 1, in light and dark."""
    head, dark = CSS.split("@media(prefers-color-scheme:dark)")[:2]
    light = colors(head)
    for scheme in (light, light | colors(dark.split("}")[0])):
        for ink in ("ink", "faint"):
            for ground in ("paper", "card"):
                assert contrast(scheme[ink], scheme[ground]) >= 4.5, (ink, ground)
        assert contrast(scheme["rule"], scheme["wood"]) >= 4.5
    for verdict in ("excellent", "blunder"):
        assert contrast(light[verdict], "#ffffff") >= 4.5
    for verdict in ("good", "inaccuracy", "mistake", "unjudged"):
        assert contrast(light[verdict], "#000000") >= 4.5
