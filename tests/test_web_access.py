"""The page for everybody: axe-core finds nothing to complain about, on any page, in light and dark, large and small."""

import importlib.util
import json
import os
from pathlib import Path

import pytest
from browser import needs_browser
from live_browser import Browser, web_here
from test_web_runs import make_match, make_run

import tengen

AXE = importlib.util.find_spec("axe_core_python")
pytestmark = [
    pytest.mark.slow,
    needs_browser,
    pytest.mark.skipif(AXE is None, reason="axe-core-python is not installed"),
]
# Whole pages by the guidelines' levels A and AA, and what is good practice.
RUN = "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.map((v) => "
RUN += "[v.id, v.help, v.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))"
GAMES = ("pyrga", "matgo", "pokemon")
PICTURES = os.environ.get("TENGEN_PICTURES")
"""A folder, docs/images as a rule: what docs/web.md shows is photographed into it."""
SHOWN = ("pokemon", "run")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    make_run(root / "one")
    make_run(root / "two")
    make_match(root / "match")
    (root / "game.sgf").write_text("(;GM[1]SZ[9];B[ee];W[ce])")
    with web_here(tmp_path_factory.mktemp("web"), roots=(root,), seconds=0.2) as address:
        yield address


def pages(browser):
    """Opens one after another, and answers what each is called."""
    yield "home"
    browser.evaluate("location.hash = '#/new/go'")
    browser.wait("document.querySelector('.form input')")
    yield "options"
    for game in GAMES:
        body = json.dumps({"game": game, "seats": [None, "beginner"]})
        made = browser.evaluate(
            "fetch('/api/tables', {method: 'POST', headers: {'Content-Type': 'application/json'}, "
            f"body: {json.dumps(body)}}}).then((answer) => answer.json())"
        )
        browser.evaluate(f"location.hash = '#/play/{made['table']}/{made['key']}'")
        title = json.dumps(tengen.game(game).title)
        # Some deals begin with a question.
        choice = "document.querySelector('.spots:not(.waiting) .open, .loose button')"
        browser.wait(f"document.querySelector('h1').textContent === {title} && {choice}")
        yield game
        if game == "pyrga":
            browser.click(".spots:not(.waiting) .open")
            browser.wait("document.querySelector('.menu button')")
            yield "menu"
    browser.evaluate("location.hash = '#/settings'")
    browser.wait("document.querySelector('select')")
    yield "settings"
    browser.evaluate("location.hash = '#/library'")
    browser.wait("document.querySelector('[data-kind=run] a')")
    yield "library"
    browser.evaluate("document.querySelector('[data-kind=run] a').click()")
    browser.wait("document.querySelector('#chart-elo svg')")
    browser.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))")
    yield "run"
    browser.evaluate("document.querySelector('#games a').click()")
    browser.wait("document.querySelector('img.replayed')?.naturalWidth")
    yield "replay"
    browser.click("#analyze")
    browser.wait("location.hash.startsWith('#/analyze/') && document.querySelector('.spots rect')")
    yield "analyze"


@pytest.mark.parametrize(("size", "dark"), [((1280, 900), False), ((390, 844), True)], ids=["light", "dark phone"])
def test_axe_finds_nothing(server, size, dark):
    found = {}
    with Browser(size, dark=dark) as browser:
        browser.goto(server)
        browser.wait("document.querySelectorAll('.games li').length >= 9")
        browser.wait("[...document.querySelectorAll('.games img')].every((e) => e.complete && e.naturalWidth)")
        script = Path(AXE.submodule_search_locations[0]) / "axe.min.js"
        browser.evaluate(script.read_text(encoding="utf-8") + "\n;0")
        for name in pages(browser):
            if PICTURES and name in SHOWN and not dark:
                browser.screenshot(Path(PICTURES) / f"web-{name}.webp")
            violations = browser.evaluate(RUN)
            if violations:
                found[name] = violations
        assert browser.complaints == []
    assert found == {}
