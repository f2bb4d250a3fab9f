"""Runs and matches as the page sees them: listed by ids, watched, and never believed."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("fastapi")

from browser import needs_browser
from learning_runs import learn_words
from live_browser import Browser, web_here
from run_folders import make, spoil

import tengen
from tengen.arena import merge, play_chunk, play_match
from tengen.arena.games_file import GamesFile
from tengen.runs import ProgressFile, Run
from tengen.web import messages
from tengen.web.catalog import Catalog
from tengen.web.library import Library
from tengen.web.runs import RunWatch, match_facts, progress_facts, replay_game, run_facts, saved_game

GAME = {"game": {"name": "pyrga", "settings": {}}}
MATCH = play_match("pyrga", "random", "random", 2, seed=1)


def make_run(folder, iterations=2, **more):
    """A run with gates and losses, without the learning."""
    run = Run.create(folder, {**GAME, "learn": {}, **more})
    with run.lock():
        first = make(run, "initial")
        run.set_champion(first, "the first")
        for iteration in range(1, iterations + 1):
            with run.step("train", iteration=iteration) as draft:
                draft.write_text("net.txt", str(iteration))
                draft.metrics.update(loss=1 / iteration, policy=0.5)
            trained = draft.step
            with run.step("arena", iteration=iteration) as draft:
                draft.write_text("match.json", MATCH.to_json())
                draft.metrics.update(first=trained.id, second=first.id, score=0.65, passed=True, reason="more won")
                draft.metrics.update(wins=6, draws=1, losses=3)
            run.set_champion(trained, "more won")
    return run


def make_match(folder, games=4):
    folder.mkdir(parents=True)
    result = play_match("pig", "random", "random", games, seed=1)
    (folder / "match-001.json").write_text(result.to_json(), encoding="utf-8")
    return result


def listed(library):
    return {entry.name: entry.kind for entry in library.entries()}


def entry_of(library, name):
    return next(entry for entry in library.entries() if entry.name == name)


def test_what_lies_below_the_roots_is_listed(tmp_path):
    root = tmp_path / "root"
    make_run(root / "pyrga" / "one")
    make_match(root / "matches" / "two")
    (root / "net.onnx").write_bytes(b"1")
    (root / "game.sgf").write_text("(;GM[1]SZ[9])")
    (root / "notes.txt").write_text("nothing")
    (root / ".hidden").mkdir()
    (root / ".hidden" / "game.sgf").write_text("(;GM[1])")
    library = Library([root])
    assert listed(library) == {
        "pyrga/one": "run",
        "matches/two": "match",
        "net.onnx": "network",
        "game.sgf": "record",
    }, "the files inside of a run are its own"
    assert [entry.name for entry in library.entries("PYRGA one")] == ["pyrga/one"]
    found = entry_of(library, "game.sgf")
    assert library.find(found.id, "record").path == root / "game.sgf"
    assert library.find(found.id, "run") is None
    assert library.find("../../etc/passwd", "record") is None
    assert str(tmp_path) not in json.dumps([entry.plain() for entry in library.entries()])
    assert Library([root]).find(found.id, "record") is not None, "ids stay"


def test_links_out_of_a_root_are_not_followed(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    make_run(outside / "run")
    (outside / "secret.sgf").write_text("(;GM[1])")
    root.mkdir()
    (root / "folder").symlink_to(outside)
    (root / "game.sgf").symlink_to(outside / "secret.sgf")
    (root / "loop").symlink_to(root)
    assert listed(Library([root])) == {}
    inner = root / "inner"
    inner.mkdir()
    (inner / "game.sgf").write_text("(;GM[1])")
    library = Library([root])
    found = entry_of(library, "inner/game.sgf")
    shutil.rmtree(inner)
    inner.symlink_to(outside)
    (outside / "game.sgf").write_text("(;GM[1])")
    assert library.find(found.id, "record") is None, "it became a link after it was listed"
    assert listed(Library([tmp_path / "nowhere"])) == {}


def test_facts_of_a_run(tmp_path):
    make_run(tmp_path / "run")
    entry = entry_of(Library([tmp_path]), "run")
    facts = run_facts(entry, Catalog())
    assert facts["game"] == "Pyrga"
    assert facts["iterations"] == 2
    assert facts["champion"] == "iteration 2"
    assert [chart["name"] for chart in facts["charts"]] == ["elo", "loss", "policy"]
    assert facts["charts"][1]["rows"][0][:2] == [1, 1.0]
    assert [gate["reason"] for gate in facts["gates"]] == ["more won", "more won"]
    assert facts["problems"] == []
    assert str(tmp_path) not in json.dumps(facts)


@pytest.mark.parametrize("damage", ["settings", "manifest", "champion", "steps", "metrics", "binary", "empty", "game"])
def test_a_damaged_run_is_survived(tmp_path, damage):
    name = "no.such.game" if damage == "game" else "pyrga"
    path = make_run(tmp_path / "run", game={"name": name, "settings": {}}).path
    step = max((path / "steps").iterdir())
    match damage:
        case "settings":
            (path / "run.toml").write_text("= [")
        case "manifest":
            spoil(step / "manifest.json")
        case "champion":
            (path / "champion").write_bytes(b"\0\xff")
        case "steps":
            shutil.rmtree(path / "steps")
            (path / "steps").write_text("a file")
        case "metrics":
            plain = json.loads((step / "manifest.json").read_text())
            plain["metrics"] = {"score": "many", "wins": None, "first": 3}
            (step / "manifest.json").write_text(json.dumps(plain))
        case "binary":
            (path / "progress.json").write_bytes(os.urandom(1000))
        case "empty":
            (path / "run.toml").write_text("")
    entry = entry_of(Library([tmp_path]), "run")
    facts = run_facts(entry, Catalog())
    assert facts["name"] == "run"
    assert json.dumps(facts)
    progress_facts(path)
    if damage in ("settings", "steps", "empty", "game"):
        with pytest.raises((ValueError, OSError)):
            replay_game(entry, Catalog(), 0)


def test_a_run_cannot_name_code_to_load(tmp_path):
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    make_run(tmp_path / "runs" / "run", game={"name": f"{trap}:Trap", "settings": {}})
    facts = run_facts(entry_of(Library([tmp_path / "runs"]), "run"), Catalog())
    assert not (tmp_path / "ran").exists()
    assert any("not known here" in problem for problem in facts["problems"])


def test_matches_and_their_games(tmp_path):
    result = make_match(tmp_path / "match")
    (tmp_path / "match" / "match-002.json").write_text("{")
    told = ProgressFile(tmp_path / "match")
    told.begin("match", 0, 10, "a against b")
    told.advance(4, {"wins": 3, "draws": 0, "losses": 1})
    told.end()
    entry = entry_of(Library([tmp_path]), "match")
    facts = match_facts(entry, Catalog())
    (match,) = facts["matches"]
    assert match["tally"] == [result.wins, result.draws, result.losses]
    assert match["game"] == "Pig"
    assert len(facts["problems"]) == 1
    found = progress_facts(entry.path)
    assert (found["done"], found["wins"], found["active"]) == (4, 3, False)
    value, low, high = found["score"]
    assert low < value == 0.75 < high
    album = replay_game(entry, Catalog(), 1)
    assert len(album["games"][0]["frames"]) == len(result.games[1].actions) + 1
    with pytest.raises(ValueError, match="no such game"):
        replay_game(entry, Catalog(), 4)


def play_part(folder, number, pairs, games=8):
    """As `tengen arena --out` does, as far as some pairs."""
    path = folder / f"match-{number:03}.json"
    players = ("random", "rollout:4")
    played = play_chunk("pig", *players, pairs, seed=number)
    GamesFile(path.with_suffix(".jsonl")).add(merge("pig", *players, number, [played]))
    return path, play_match("pig", *players, games, seed=number)


def test_games_of_a_match_under_way(tmp_path):
    """A number leads to the same game before and after the match is over, whatever order its parts come in."""
    folder = tmp_path / "match"
    whole = make_match(folder, games=4)
    play_part(folder, 2, [2, 3])
    path, result = play_part(folder, 2, [0])
    entry = entry_of(Library([tmp_path]), "match")
    facts = match_facts(entry, Catalog())
    assert [match["file"] for match in facts["matches"]] == ["match-001.json"]
    assert [(row["number"], row["place"]) for row in facts["games"]] == [(n + 3, n) for n in (8, 7, 6, 5, 2, 1)]
    first = facts["games"][-1]
    assert (first["seats"], first["plies"]) == (["random", "rollout:4"], len(result.games[0].actions))
    before = {row["number"]: replay_game(entry, Catalog(), row["number"]) for row in facts["games"]}
    moves = list(list(result.games[4].states(tengen.game("pig")))[-1].names)
    assert before[8]["games"][0]["moves"] == moves
    assert saved_game(entry, Catalog(), 8)["game"] == "pig"
    for number in (6, 7, 12):
        with pytest.raises(ValueError, match="no such game"):
            replay_game(entry, Catalog(), number)
    path.write_text(result.to_json(), encoding="utf-8")
    facts = match_facts(entry, Catalog())
    assert (len(facts["matches"]), facts["games"]) == (2, [])
    assert {number: replay_game(entry, Catalog(), number) for number in before} == before
    assert len(replay_game(entry, Catalog(), 3)["games"][0]["moves"]) == len(whole.games[3].actions)


def test_damaged_games_of_a_match_under_way_are_told(tmp_path):
    folder = tmp_path / "match"
    make_match(folder)
    (folder / "match-002.jsonl").write_text('{"pair": 0, "first_seat": 0}\n' * 2 + '{"pair": 0, "first_seat": 1}\n')
    facts = match_facts(entry_of(Library([tmp_path]), "match"), Catalog())
    assert (len(facts["matches"]), facts["games"], len(facts["problems"])) == (1, [], 1)


def test_records_are_replayed(tmp_path):
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[9];B[ee];W[ce])")
    state = tengen.game("pyrga").start().play("square b2")
    saved = tengen.games.SavedGame((state.initial, state))
    (tmp_path / "own.json").write_bytes(state.game.format_saved(saved))
    (tmp_path / "bad.sgf").write_bytes(b"(;GM[1]SZ[9];B[")
    library = Library([tmp_path])
    assert replay_game(entry_of(library, "game.sgf"), Catalog(), 0)["games"][0]["moves"] == ["E5", "C5"]
    assert replay_game(entry_of(library, "own.json"), Catalog(), 0)["games"][0]["moves"] == ["square b2"]
    with pytest.raises(ValueError, match=r"bad\.sgf"):
        replay_game(entry_of(library, "bad.sgf"), Catalog(), 0)


class Listener:
    def __init__(self, *, is_owner=True):
        self.is_owner, self.is_visible, self.heard = is_owner, True, []

    def send(self, message):
        self.heard.append(message)

    report = send


def test_a_page_is_told_what_is_new(tmp_path):
    run = make_run(tmp_path / "run", iterations=1)
    library = Library([tmp_path])
    entry = entry_of(library, "run")

    async def watch():
        runs = RunWatch(library, Catalog())
        page, hidden = Listener(), Listener()
        await runs.watch(page, messages.Watch(run=entry.id))
        await runs.watch(hidden, messages.Watch(run=entry.id))
        assert [len(listener.heard) for listener in (page, hidden)] == [1, 1]
        assert page.heard[0].facts["iterations"] == 1
        hidden.is_visible = False
        told = ProgressFile(run.path)
        told.begin("self-play", 2, 100)
        await until(lambda: len(page.heard) == 2)
        assert page.heard[1].facts["progress"]["step"] == "self-play"
        assert "charts" not in page.heard[1].facts, "only a step is worth all of it"
        told.end()
        with run.lock():
            make(run, "rate", iteration=2)
        await until(lambda: "charts" in page.heard[-1].facts)
        assert page.heard[-1].facts["iterations"] == 2
        assert len(hidden.heard) == 1, "hidden tabs get nothing"
        hidden.is_visible = True
        await until(lambda: len(hidden.heard) == 2)
        assert "charts" in hidden.heard[1].facts
        runs.leave(page)
        runs.leave(hidden)
        with pytest.raises(ValueError, match="no such match"):
            await runs.watch(page, messages.Watch(match=entry.id))
        with pytest.raises(ValueError, match="token"):
            await runs.watch(Listener(is_owner=False), messages.Watch(run=entry.id))
        await runs.watch(page, messages.Watch())

    asyncio.run(watch())


def test_a_page_is_told_of_games_as_they_come(tmp_path):
    folder = tmp_path / "match"
    folder.mkdir()
    told = ProgressFile(folder)
    told.begin("match", 0, 8, "random against rollout:4")
    library = Library([tmp_path])
    entry = entry_of(library, "match")

    async def watch():
        runs, page = RunWatch(library, Catalog()), Listener()
        await runs.watch(page, messages.Watch(match=entry.id))
        assert (page.heard[0].facts["matches"], page.heard[0].facts["games"]) == ([], [])
        play_part(folder, 1, [0, 1])
        await until(lambda: len(page.heard) == 2)
        assert [row["place"] for row in page.heard[1].facts["games"]] == [4, 3, 2, 1]
        runs.leave(page)

    asyncio.run(watch())
    told.end()


async def until(fits):
    end = time.monotonic() + 60
    while not fits():
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


# In a browser.


def learn(folder, iterations):
    few = ["games_per_iter=2", "bootstrap_games=2", "teacher=rollout:4", "eval_games=2", "eval_visits=4"]
    few += ["anchor=rollout:4", "anchor_games=2", "player=NETWORK@4"]
    more = [word for setting in few for word in ("--set", setting)]
    words = map(str, learn_words(folder, *more, "--no-final-match", iters=iterations))
    command = [sys.executable, "-m", "tengen", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


@pytest.mark.slow
@needs_browser
def test_games_of_a_match_are_replayed_while_it_is_played(tmp_path):
    folder = tmp_path / "runs" / "match"
    folder.mkdir(parents=True)
    told = ProgressFile(folder)
    told.begin("match", 0, 8, "random against rollout:4")
    play_part(folder, 1, [0])
    entry = entry_of(Library([tmp_path / "runs"]), "match")
    with web_here(tmp_path / "web", roots=(tmp_path / "runs",)) as address, Browser() as browser:
        browser.goto(f"{address}#/match/{entry.id}")
        browser.wait("document.querySelectorAll('#games a').length === 2 && document.querySelector('#now progress')")
        assert browser.text("#games a").startswith("Game 2 · rollout:4 · random")
        play_part(folder, 1, [1])
        browser.wait("document.querySelectorAll('#games a').length === 4")
        assert browser.text("#status") == "", "more games are no step"
        browser.click("#games li:last-child a")
        browser.wait("document.querySelector('img.replayed')?.naturalWidth")
        browser.click("#analyze")
        browser.wait("location.hash.startsWith('#/analyze/') && document.querySelector('.study .table')?.dataset.ply")
        assert browser.complaints == []
    told.end()


@pytest.mark.slow
@needs_browser
def test_a_run_is_watched_killed_and_resumed(tmp_path):
    pytest.importorskip("torch")
    root = tmp_path / "runs"
    make_run(root / "other")
    make_match(root / "match")
    (root / "broken").mkdir()
    (root / "broken" / "run.toml").write_text("= [")
    process = learn(root / "live", 1000)  # does not end by itself
    try:
        with web_here(tmp_path / "web", roots=(root,)) as address, Browser() as browser:
            browser.goto(f"{address}#/library")
            browser.wait("document.querySelectorAll('[data-kind=run] li').length >= 2")
            wait_for(root / "live" / "run.toml", process)
            # A listing lasts for a moment.
            while browser.evaluate("document.querySelectorAll('[data-kind=run] li').length") < 3:
                browser.goto("about:blank")
                browser.goto(f"{address}#/library")
                browser.wait("document.querySelectorAll('[data-kind=run] li').length >= 2")
            browser.evaluate("[...document.querySelectorAll('[data-kind=run] a')].find(a => a.text === 'live').click()")
            browser.wait("document.querySelector('#now progress')")
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process = learn(root / "live", 1)
            browser.wait("document.querySelectorAll('#gates tbody tr').length >= 1", patience_s=240)
            browser.wait("document.querySelector('#chart-loss svg') && document.querySelector('#games a')")
            assert process.wait(240) == 0
            browser.wait("document.querySelector('#now').textContent.includes('finished')")
            browser.click("#games a")
            browser.wait("document.querySelector('img.replayed')?.naturalWidth")
            browser.key("ArrowRight")
            browser.wait("document.querySelector('#main p').textContent.includes('1')")
            browser.evaluate("location.hash = '#/library'")
            browser.wait("document.querySelectorAll('[data-kind=run] input').length >= 3")
            for name in ("live", "other"):
                browser.click(f"[data-kind=run] input[aria-label$=' {name}']")
            browser.click("[data-kind=run] button")
            browser.wait("document.querySelectorAll('#compared svg').length >= 2")
            for name, shown in (("broken", "#problems li"), ("match", "#facts h2")):
                browser.evaluate("location.hash = '#/library'")
                browser.wait("document.querySelector('[data-kind=match] a')")
                browser.evaluate(f"[...document.querySelectorAll('#entries a')].find(a => a.text === '{name}').click()")
                browser.wait(f"document.querySelector('{shown}')")
            assert browser.complaints == []
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(path, process):
    while not path.exists():
        assert process.poll() is None, "it has ended"
        time.sleep(0.05)
