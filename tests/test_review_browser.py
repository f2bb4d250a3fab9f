"""The review's page in a real browser: its script runs without a complaint and does what a person expects."""

import base64
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from review_helpers import HOSTILE, random_record, review_of

import tengen.analysis.review
from tengen.analysis.review.page import format_page
from tengen.games.go.sgf import load_sgf

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CSS = Path(tengen.analysis.review.__file__).with_name("page.css").read_text(encoding="utf-8")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium is installed")

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
FINISH = """
document.body.replaceChildren(Object.assign(document.createElement("pre"), {textContent: JSON.stringify(told)}));
"""


def hashed(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def drive(page, script, folder, *, size=(1400, 1000), fragment=""):
    """What the script told after it ran on the page; any complaint of the browser fails the test."""
    added = f"{{{PRELUDE}\n{script}\n{FINISH}}}"
    page = page.replace("script-src ", f"script-src {hashed(added)} ", 1)
    page = page.replace("</body>", f"<script>{added}</script></body>")
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run"]
    words += [f"--user-data-dir={folder / 'profile'}", f"--window-size={size[0]},{size[1]}", "--enable-logging=stderr"]
    words += ["--virtual-time-budget=3000", "--dump-dom", f"file://{path}{fragment}"]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=120, check=True, env=os.environ | {"HOME": str(folder)}
    )
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert complaints == []
    found = re.search(r"<pre>(.*)</pre>", done.stdout, re.DOTALL)
    assert found, done.stdout[-2000:]
    return json.loads(html.unescape(found[1]))


def boards(record):
    """The position at every turn by Tengen's own rules."""
    game, state = record.start(record.root)
    found = []
    for node in record.root.main_line():
        if record.move(node) is not None or node is record.root:
            _, state = record.start(node)
            found.append(game.board(state).replace("/", ""))
    return found


WALK = """
told.boards = [boardOf()];
while (!at("next").disabled) { click("next"); told.boards.push(boardOf()); }
"""


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
        review = review_of(random_record(30, size=(9, 9)), 30)
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
    def test_nothing_is_wider_than_the_window(self, size, tmp_path):
        names = {"black": "A very long name of a player" * 3, "white": "Unbreakable" * 12}
        review = review_of(random_record(30, size=(19, 19), **names), 10)
        script = """
        set("slider", 9);
        told.wide = document.documentElement.scrollWidth;
        told.window = innerWidth;
        const board = document.querySelector(".goban").getBoundingClientRect();
        told.board = board.width;
        told.lines = document.querySelector(".mark").querySelectorAll("text").length;
        """
        told = drive(format_page(review), script, tmp_path, size=size)
        assert told["wide"] <= told["window"]
        assert told["board"] > 0.35 * told["window"]
        assert told["lines"] == (3 if told["board"] > 550 else 1)

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
    for verdict in ("good", "inaccuracy", "mistake"):
        assert contrast(light[verdict], "#000000") >= 4.5
