"""The report of a run: what is on the page, and that nothing makes it fail."""

import json
import math
import re
import shutil
from html.parser import HTMLParser

import pytest
from browser import FINISH, needs_browser, open_page
from cli_runner import TOYS
from learning_helpers import quick_games
from toy_games import FullTicTacToe

import tengen
from tengen.champion import LearnSettings, Loop, NetSettings, open_run
from tengen.champion import report as report_module
from tengen.champion.report import write_report
from tengen.champion.report_charts import Chart, Point, Series, bars, draw, ticks
from tengen.champion.report_data import Reading, calibrate, number
from tengen.champion.report_games import MAX_BYTES, Album, fill_album
from tengen.cluster import LocalWorkers
from tengen.learning import TrainSettings
from tengen.runs import Run
from tengen.search import SearchSettings
from tengen.selfplay import Decision, GameRecord, SelfPlaySettings, save_records

pytest.importorskip("torch")

VOID = {"meta", "img", "input", "br", "link"}


class Page(HTMLParser):
    """Checks that tags nest, and keeps what a test wants to know."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.links, self.words, self.script = [], [], [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.links += [value for name, value in attributes if name in ("src", "href", "action", "data")]
        assert not any(name.startswith("on") for name, _ in attributes)
        if tag not in VOID:
            self.open.append((tag, dict(attributes)))

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        where, attributes = self.open[-1] if self.open else ("", {})
        if where == "script":
            self.script[attributes.get("id", "code")] = data
        elif where != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    @property
    def album(self):
        return json.loads(self.script["album"])


def report(run, tmp_path):
    path = write_report(run, tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < 3_000_000
    assert not re.search(r"""(src|href)\s*=\s*["']?\s*(https?:)?//""", text)
    assert "@import" not in text
    assert not re.search(r"url\(", text)
    page = Page(text)
    assert [link for link in page.links if not link.startswith("#")] == []
    return page


def learn(path, game, iterations=2, **changes):
    settings = LearnSettings(
        games_per_iter=4,
        bootstrap_games=6,
        teacher="rollout:8",
        eval_games=2,
        eval_visits=4,
        player="NETWORK@8",
        anchor="rollout:8",
        anchor_games=2,
        anchor_every=1,
        net=NetSettings(channels=4, blocks=1),
        selfplay=SelfPlaySettings(search=SearchSettings(visits=6), parallel=8, **changes),
        train=TrainSettings(batch_size=64, threads=1),
    )
    run, settings = open_run(path, game, settings)
    with run.lock(), LocalWorkers(0) as workers:
        Loop(run, game, settings, workers).run_until(iterations)
    return run


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "small"
    learn(path, tengen.game("pyrga"), resign_value=0.9, no_resign_share=0.5)
    return path


@pytest.fixture
def run(source, tmp_path):
    """A copy that a test may damage."""
    return Run.open(shutil.copytree(source, tmp_path / "small"))


def test_everything_is_on_the_page(run, tmp_path):
    page = report(run, tmp_path)
    titles = ["Elo", "Gates", "Balance of self-play", "Value: promise and result", "Giving up", "Time", "Games"]
    for title in (*titles, "Value: network and search by phase of the game", "score against rollout:8"):
        assert title in page.text
    assert "in games of iteration 2" in page.text
    for part in ("self-play", "training", "gates", "ratings"):
        assert re.search(rf"● {part} [0-9.]+ s [0-9.]+ %", page.text), part
    assert "minutes of work" in page.text
    assert "Pyrga: a learning run" in page.text
    assert "the first network = 0" in page.text
    assert 'teacher = "rollout:8"' in page.text
    assert "Damaged or missing" not in page.text
    assert sum(tag == "svg" for tag, _ in page.tags) >= 9


@pytest.fixture(scope="module")
def text_page(tmp_path_factory):
    """The page of a game whose boards are text."""
    folder = tmp_path_factory.mktemp("text")
    run = learn(folder / "run", tengen.game(f"{TOYS}:FullTicTacToe"))
    return write_report(run, folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("width", [500, 1280])
def test_charts_and_boards_fit_the_screen(text_page, tmp_path, width):
    script = f"""
    const board = document.getElementById("board"), told = {{}};
    document.getElementById("next").click();
    // The page writes the ply into its address a moment later.
    setTimeout(() => {{
      const shown = [...document.querySelectorAll("svg.chart")].map(svg => svg.getBoundingClientRect());
      told.charts = shown.filter(box => box.width).map(box => Math.ceil(box.right));
      told.across = document.documentElement.scrollWidth;
      told.board = [board.getBoundingClientRect().width, board.naturalWidth];
      {FINISH}
    }}, 1000);"""
    told = open_page(text_page.replace("</body>", f"<script>{script}</script></body>"), tmp_path, size=(width, 900))
    assert len(told["charts"]) >= 9
    assert max(told["charts"]) <= width
    assert told["across"] <= width
    # A drawing made of text has the size of text, not of the page.
    shown, natural = told["board"]
    assert shown == pytest.approx(natural, abs=1)
    assert natural < 200


def test_a_second_report_replaces_the_first(run, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    assert write_report(run, path) == path
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".tmp")] == []


def test_gates_are_listed_with_score_and_verdict(run):
    reading = Reading.of(run)
    steps = reading.named("arena")
    assert [step.iteration for step in steps] == [1, 2]
    text = Page(report_module._gates(reading)).text
    for step in steps:
        assert f"{100 * step.metrics['score']:.1f} %" in text
        assert ("accepted" if step.metrics["passed"] else "refused") in text


def test_ratings_begin_at_the_first_network(run):
    reading = Reading.of(run)
    assert reading.zero == "the first network"
    assert [rating.name for rating in reading.fixed_players] == ["rollout:8"]
    players = reading.players
    assert players[0].elo == 0
    assert [p.iteration for p in players] == [0, 1, 2]
    assert all(p.low <= p.elo <= p.high for p in players)
    assert players[0].was_champion
    arena = {step.metrics["first"]: step.metrics["passed"] for step in reading.named("arena")}
    assert {p.step: p.was_champion for p in players[1:]} == arena


def test_games_can_be_replayed_from_the_page(run, tmp_path):
    album = report(run, tmp_path).album
    game = tengen.game("pyrga")
    assert len(album["games"]) >= 4
    for view in album["games"]:
        state = game.start(0)
        for (name, who), frame in zip(view["moves"], view["frames"], strict=False):
            assert "".join(album["pieces"][i] for i in frame) == re.sub(r">\s+<", "><", state.svg().strip())
            assert who == str(state.actor)
            state = state.play(name)
        assert len(view["frames"]) == len(view["moves"]) + 1
        assert "".join(album["pieces"][i] for i in view["frames"][-1]) == re.sub(r">\s+<", "><", state.svg().strip())
    played = [view for view in album["games"] if view["title"].startswith("Self-play")]
    assert all(len(view["curves"]) == 1 and view["curves"][0]["points"] for view in played)
    matched = [view for view in album["games"] if view["players"]]
    assert any("rollout:8" in " ".join(view["players"]) for view in matched)


def test_an_empty_run_has_a_page(tmp_path):
    run = Run.create(tmp_path / "run", {"game": {"name": "pyrga", "settings": {}}, "learn": {}})
    page = report(run, tmp_path)
    for words in ("none yet", "No match has been played yet", "Nothing is trained yet", "no games to show"):
        assert words in page.text
    assert page.album == {"pieces": [], "games": []}


def test_a_run_of_anything_else_has_a_page(tmp_path):
    for i, settings in enumerate([{}, {"game": "pyrga"}, {"game": {"name": 3}}, {"game": {"name": "no_such_game"}}]):
        run = Run.create(tmp_path / str(i), settings)
        with run.lock():
            with run.step("self-play", iteration=1) as draft:
                draft.write_text("games.jsonl.gz", "nothing of the kind")
                draft.metrics.update(games="many", plies=None, draws=[1], samples=math.inf)
            with run.step("arena", iteration=1) as draft:
                draft.metrics.update(first=1, second=None, wins=-1, draws="x", losses=2, score="high", passed="yes")
            with run.step("train", iteration=1) as draft:
                draft.metrics.update(loss="small")
        assert "Damaged or missing" in report(run, tmp_path).text


def test_damaged_files_are_named_and_the_rest_is_shown(run, tmp_path):
    steps = Run.open(run.path).steps()
    games = next(step for step in reversed(steps) if step.name == "self-play").path / "games.jsonl.gz"
    games.write_bytes(games.read_bytes()[:100])
    match = next(step for step in steps if step.name == "rate").path / "match.json"
    match.unlink()
    manifest = next(step for step in steps if step.name == "train").path / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:-40])
    (run.path / "champion").write_text("steps/nobody\n{}")
    page = report(Run.open(run.path), tmp_path)
    for name in ("games.jsonl.gz", "match.json", "manifest.json", "champion is damaged"):
        assert name in page.text
    assert page.album["games"]


@pytest.mark.parametrize("part", ["steps", "champion", "champion.jsonl", "metrics.jsonl"])
def test_what_is_gone_stops_nothing(run, tmp_path, part):
    path = run.path / part
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert "a learning run" in report(Run.open(run.path), tmp_path).text


@pytest.mark.slow
def test_every_single_file_may_be_damaged(run, tmp_path):
    files = [path for path in sorted(run.path.rglob("*")) if path.is_file() and path.name != "run.toml"]
    for path in files[::6]:
        kept = path.read_bytes()
        path.write_bytes(kept[: len(kept) // 2] + b"\xff\x00<script>" + kept[len(kept) // 2 :])
        assert "a learning run" in report(Run.open(run.path), tmp_path).text
        path.write_bytes(kept)


def test_texts_are_escaped(tmp_path):
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>&\"'"
    run = Run.create(tmp_path / "run", {"game": {"name": evil, "settings": {}}, "learn": {"note": evil}})
    with run.lock():
        with run.step("arena", iteration=1) as draft:
            draft.metrics.update(first="a", second=evil, wins=1, draws=0, losses=1, score=0.5, reason=evil, passed=True)
        with run.step("rate", iteration=1) as draft:
            draft.metrics.update(first="a", second=evil, wins=1, draws=0, losses=1, score=0.5)
        with run.step("train", iteration=1) as draft:
            draft.metrics.update({evil: 1.0})
        with run.step("train-stopped", iteration=2) as draft:
            draft.metrics.update(reason=evil)
    page = report(run, tmp_path)
    assert "img" not in [tag for tag, _ in page.tags]
    assert sum(tag == "script" for tag, _ in page.tags) == 2
    assert page.text.count("<script>alert(1)</script>") >= 4


class Evil(FullTicTacToe):
    """A game whose names and drawings try to be part of the page."""

    def format_action(self, action):
        return f"</script><b onclick=alert({action})>"

    def draw_svg(self, position, viewer=None):
        return f"<svg><script>alert(1)</script><text>{position}</text></svg>"


def test_drawings_and_names_stay_data(tmp_path):
    run = Run.create(tmp_path / "run", {"game": {"name": "test_report:Evil", "settings": {}}})
    with run.lock(), run.step("self-play", iteration=1) as draft:
        draft.write_bytes("games.jsonl.gz", save_records(quick_games(Evil(), count=2)))
    path = write_report(run, tmp_path / "report.html", lambda *_: Evil())
    page = Page(path.read_text(encoding="utf-8"))
    assert sum(tag == "script" for tag, _ in page.tags) == 2
    view = page.album["games"][0]
    assert view["moves"][0][0].startswith("</script>")
    # Shown as a picture, in which no script runs; for that it must say what it is.
    assert page.album["pieces"][view["frames"][0][0]].startswith('<svg xmlns="http://www.w3.org/2000/svg">')
    assert [tag for tag, attributes in page.tags if attributes.get("id") == "board"] == ["img"]
    policy = next(attributes["content"] for tag, attributes in page.tags if "http-equiv" in attributes)
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("name", ["kuhn_poker", "pig", "rock_paper_scissors", "connect_four"])
def test_games_of_every_nature_are_shown(name, tmp_path):
    game = tengen.game(name)
    run = Run.create(tmp_path / "run", {"game": {"name": name, "settings": dict(game.settings)}})
    with run.lock(), run.step("self-play", iteration=1) as draft:
        draft.write_bytes("games.jsonl.gz", save_records(quick_games(game, count=3, evaluator="rollout")))
    page = report(run, tmp_path)
    assert page.album["games"]
    assert all(view["result"] and view["curves"] for view in page.album["games"])
    assert "Damaged" not in page.text


def test_a_record_that_does_not_replay_is_named(tmp_path):
    record = quick_games("pyrga", count=1)[0]
    bad = GameRecord(record.game, record.settings, record.seed, (*record.actions, 0, 0), (), record.payoffs)
    run = Run.create(tmp_path / "run", {"game": {"name": "pyrga", "settings": {}}})
    with run.lock(), run.step("self-play", iteration=1) as draft:
        draft.write_bytes("games.jsonl.gz", save_records([bad]))
    page = report(run, tmp_path)
    assert "can't be shown" in page.text
    assert page.album["games"] == []


def test_the_album_ends_before_the_page_is_too_large():
    class Big:
        def __init__(self, number):
            self.number = number

        def svg(self):
            return "<svg>" + "".join(f"<g id='{self.number}-{i}'>{'x' * 200}</g>" for i in range(300)) + "</svg>"

    album = Album()
    added = [album.add({"title": str(i)}, [Big(10 * i + j) for j in range(5)]) for i in range(12)]
    assert added[0]
    assert not added[-1]
    assert added.index(False) == len(album.games)
    assert len(json.dumps(album.plain())) < 1.2 * MAX_BYTES


def test_an_album_without_its_game_is_empty(run):
    reading = Reading.of(run)
    reading.game = None
    assert fill_album(reading).games == []


class TestCalibration:
    def record(self, promised, result, resigned=None, player=0):
        values = (promised, -promised) if player == 0 else (-promised, promised)
        payoffs = (result, -result) if player == 0 else (-result, result)
        return GameRecord("pyrga", {}, 1, (0,), (Decision(0, player, {0: 1.0}, values, 8, True),), payoffs, resigned)

    def test_bins_by_hand(self):
        records = [self.record(0.5, 1), self.record(0.55, 0), self.record(-0.9, -1, player=1), self.record(1.0, 1)]
        low, middle, high = calibrate(records, 1.0)
        assert (low.low, low.high, low.count) == pytest.approx((-1.0, -0.8, 1))
        assert (low.promised, low.result) == (-0.9, -1)
        assert (middle.count, middle.promised, middle.result) == (2, pytest.approx(0.525), 0.5)
        assert middle.error == pytest.approx(1.96 * 0.5 / math.sqrt(2), rel=1e-3)
        assert middle.interval(1.0) == (pytest.approx(0.5 - middle.error), 1.0)
        assert (high.low, high.count) == (pytest.approx(0.8), 1)

    def test_what_was_given_up_is_left_out(self):
        assert calibrate([self.record(-0.95, -1, resigned=0)], 1.0) == []

    def test_the_unit_is_a_full_win(self):
        (found,) = calibrate([self.record(50, 100)], 100.0)
        assert (found.promised, found.result) == (0.5, 1.0)


class TestCharts:
    @pytest.mark.parametrize(
        ("low", "high"), [(0, 1), (-1500, 420), (29.92, 29.99), (1, 1.0000001), (0, 1e9), (-3, -2.5), (1, 12)]
    )
    def test_ticks_are_few_and_inside(self, low, high):
        found = ticks(low, high, 5)
        assert 1 <= len(found) <= 6
        assert all(low - 1e-6 * abs(low) <= tick <= high + 1e-6 * abs(high) for tick in found)

    def test_whole_ticks(self):
        assert ticks(0, 3, 10, whole=True) == [0, 1, 2, 3]

    @pytest.mark.parametrize("points", [[], [Point(1, 5)], [Point(1, 5), Point(1, 5)], [Point(0, 0), Point(3, 1e-9)]])
    def test_any_points_give_a_picture(self, points):
        drawn = draw(Chart([Series(points)], "a <title>"))
        Page(drawn)
        assert "nan" not in drawn
        assert "inf" not in drawn
        assert ("svg" in drawn) == bool(points)

    def test_bars(self):
        assert "Nothing" in bars([(0, 1, 0)], "t", "x")
        assert sum(tag == "rect" for tag, _ in Page(bars([(0, 1, 2), (1, 2, 5)], "t", "x")).tags) == 2

    @pytest.mark.parametrize("value", [None, "3", True, math.nan, math.inf, [1]])
    def test_what_is_no_number(self, value):
        assert number(value) is None
