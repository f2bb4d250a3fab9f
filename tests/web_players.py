"""People at the page who know no game: they touch what is open, press keys, or type what the page names."""

import json
import random
import time

# What can be done now: spots that may be touched, entries of the menu, actions without a spot.
OPTIONS = """(() => {
  const names = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length);
  return {
    ply: document.querySelector(".table")?.dataset.ply ?? null,
    turn: !document.querySelector("#typed")?.disabled,
    over: document.querySelector(".table")?.dataset.over === "true",
    spots: names(".spots:not(.waiting) .open").map((e) => e.dataset.spot),
    touched: names(".spots .touched").map((e) => e.dataset.spot),
    said: document.querySelector("#status").textContent,
    menu: names(".menu button:not(.close)").length,
    loose: names(".loose button").length,
    lost: names(".lost").length,
  };
})()"""


def play_to_the_end(browser, how, *, seed=1, most=2000, patience_s=60.0):
    """A whole game by `pointer`, `keys` or `typed` moves; answers how many decisions it took."""
    rng = random.Random(seed)
    decisions, end = 0, time.monotonic() + patience_s
    while decisions < most:
        found = browser.evaluate(OPTIONS)
        if found["over"]:
            return decisions
        if not found["turn"] or not (found["spots"] or found["menu"] or found["loose"]):
            assert time.monotonic() < end, (found, browser.text("body")[:1500], browser.complaints)
            time.sleep(0.02)
            continue
        HOW[how](browser, found, rng)
        decisions += 1
        _wait_for_change(browser, found)
        end = time.monotonic() + patience_s
    raise AssertionError(f"no end after {most} decisions")


def touch(browser, found, rng):
    if found["menu"]:
        browser.click(f".menu button:nth-child({1 + rng.randrange(found['menu'])})")
    elif found["spots"] and (not found["loose"] or rng.random() < 0.6):
        browser.click(_spot(rng.choice(found["spots"])))
    else:
        buttons = browser.evaluate("[...document.querySelectorAll('.loose button')].map(e => e.dataset.action)")
        if buttons:
            browser.click(f".loose button[data-action='{rng.choice(buttons)}']")


def press(browser, found, rng):
    """Only keys: arrows to a spot, Enter; buttons by Tab's focus and Enter."""
    if found["menu"]:
        number = rng.randrange(found["menu"])
        browser.evaluate(f"document.querySelectorAll('.menu button')[{number}].focus()")
    elif found["spots"] and (not found["loose"] or rng.random() < 0.6):
        _walk_to(browser, rng.choice(found["spots"]))
    else:
        browser.evaluate(f"document.querySelectorAll('.loose button')[{rng.randrange(found['loose'])}]?.focus()")
    browser.key("Enter")


def _walk_to(browser, spot):
    """By arrow keys; where they do not lead there, by focus."""
    browser.evaluate("document.querySelector('.spots [tabindex=\"0\"]').focus()")
    where = """(() => {
      const m = (e) => { const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; };
      return [m(document.activeElement), m(document.querySelector(%s)), document.activeElement.dataset.spot]; })()"""
    for _ in range(40):
        (x, y), (to_x, to_y), at = browser.evaluate(where % json.dumps(_spot(spot)))
        if at == spot:
            return
        across, down = to_x - x, to_y - y
        before = at
        browser.key(
            ("ArrowRight" if across > 0 else "ArrowLeft")
            if abs(across) > abs(down)
            else "ArrowDown"
            if down > 0
            else "ArrowUp"
        )
        if browser.evaluate("document.activeElement.dataset.spot") == before:
            break
    browser.evaluate(f"document.querySelector({json.dumps(_spot(spot))}).focus()")


def type_move(browser, found, rng):
    names = browser.evaluate("[...document.querySelectorAll('#moves option')].map(e => e.value)")
    if not names:
        return
    browser.evaluate("document.querySelector('#typed').focus()")
    browser.type(rng.choice(names))
    browser.key("Enter")


def _wait_for_change(browser, before):
    """What was done is answered, by the page or by the server."""
    end = time.monotonic() + 30
    while browser.evaluate(OPTIONS) == before:
        assert time.monotonic() < end, (before, browser.text("body")[:1500], browser.complaints)
        time.sleep(0.01)


# Marks that do not lie where their spots do, to a pixel: in the middle, or as a badge inside the upper right corner.
MISPLACED = """(() => {
  const box = (e) => e.getBoundingClientRect();
  const spots = new Map([...document.querySelectorAll(".spots [data-spot]")].map((e) => [e.dataset.spot, box(e)]));
  const near = (a, b) => Math.abs(a - b) <= 1;
  return [...document.querySelectorAll(".marks [data-on]:not(path)")].filter((mark) => {
    const [a, b] = [box(mark), spots.get(mark.dataset.on)];
    const isMiddle = near(a.x + a.width / 2, b.x + b.width / 2) && near(a.y + a.height / 2, b.y + b.height / 2);
    const room = mark.matches("text, .pinned") ? 4 : 1;
    const isInside = a.x >= b.x - room && a.y >= b.y - room && a.right <= b.right + room && a.bottom <= b.bottom + room;
    return !isMiddle && !isInside;
  }).map((mark) => `${mark.getAttribute("class")} on ${mark.dataset.on}`);
})()"""


def check_marks(browser, least=1):
    """They lie on their spots."""
    assert browser.evaluate("document.querySelectorAll('.marks [data-on]').length") >= least
    assert browser.evaluate(MISPLACED) == []


def _spot(name):
    return f".spots [data-spot={json.dumps(name, ensure_ascii=False)}]"


HOW = {"pointer": touch, "keys": press, "typed": type_move}
