"""Plays with names of their own, in the line about a move and in the help."""

import random
from collections import Counter

import pytest
from cli_runner import runner

import tengen
from tengen.labs.matgo.traces import Watcher

KOREAN = {"ppuk": "뻑", "jjok": "쪽", "ddadak": "따닥", "pansseul": "판쓸"}
VARIANTS = [{}, {"preset": "kflower"}, {"preset": "hangame"}, {"bonus_cards": 3, "ask_same_kind": True}]


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def parts(line):
    """Return the parts of a line after the mover's name."""
    return line.partition(": ")[2].split(", ")


@pytest.mark.parametrize("settings", VARIANTS, ids=str)
def test_lines_name_what_the_logs_name(settings):
    """The watcher of logs knows the deck and is compared with a second writing of the rules elsewhere."""
    game = tengen.game("matgo", **settings).in_language("ko")
    rng = random.Random(3)
    seen = Counter()
    for seed in range(150):
        state = game.start(seed)
        watcher = Watcher(game, state)
        while not state.is_over:
            action = game.greedy(state) if rng.random() < 0.5 else rng.choice(state.legal())
            then = state.play(action)
            events = watcher.watch(state, action, then).events
            for viewer in (0, 1):
                told = parts(game.describe_change(state.position, then.position, viewer))
                named = {event for event, word in KOREAN.items() if word in told}
                assert named == set(events) & set(KOREAN), (seed, events, told)
            assert set(parts(game.describe_public_change(state.position, then.position))) >= {
                KOREAN[event] for event in set(events) & set(KOREAN)
            }
            seen.update(events)
            state = then
    assert all(seen[event] > 1 for event in KOREAN), seen


def test_lines_name_four_of_a_month_and_new_baks():
    game = tengen.game("matgo").in_language("ko")
    rng = random.Random(5)
    seen = Counter()
    for seed in range(400):
        state = game.start(seed)
        while not state.is_over:
            then = state.play(game.greedy(state) if rng.random() < 0.7 else rng.choice(state.legal()))
            told = parts(game.describe_change(state.position, then.position, 0))
            assert ("총통" in told) == (game.view(state).phase == 4)
            before, after = (game.view(one).multipliers[state.actor] for one in (state, then))
            for name, flag in (("멍박", "mong_bak"), ("피박", "pi_bak"), ("광박", "gwang_bak")):
                is_new = getattr(after, flag) and not getattr(before, flag)
                assert (f"{name} 걸림" in told) == is_new
                seen[name] += is_new
            seen["총통"] += "총통" in told
            state = then
    assert all(seen[name] for name in ("멍박", "피박", "광박", "총통")), seen


@pytest.mark.parametrize(
    ("lang", "names"),
    [
        ("ko", ("쪽", "따닥", "판쓸", "총통", "멍박", "뻑", "피박")),
        ("en", ("jjok", "ddadak", "pansseul", "president", "mong-bak", "ppuk", "pi-bak")),
        ("ja", ("チョク", "タダク", "パンスル", "総統", "モンバク", "ポク", "ピバク")),
    ],
)
def test_the_help_explains_the_names(run, lang, names):
    out = run("play", "matgo", "--lang", lang, "--seed", 1, typed="help\n").out
    assert [name for name in names if name not in out] == []


def test_resigning_is_offered_only_where_it_works(run):
    matgo = run("play", "matgo", "--lang", "en", "--seed", 1, typed="help\nresign\n").out
    assert "give the game up" not in matgo
    assert "You can't resign here: what a loss costs in gold shows only at the end: play on." in matgo
    assert "give the game up" in run("play", "connect_four", "--seat", 0, "--seed", 1, typed="help\n").out
