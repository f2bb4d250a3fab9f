"""What a review is written as: a page, commented SGF, and the files that `tengen review` makes of them."""

import base64
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cli_runner import runner
from review_helpers import HOSTILE, OVERRIDE, engine, random_record, review_of

import tengen
from tengen.analysis.go.review_page import format_page
from tengen.analysis.go.review_sgf import MARKER, format_sgf
from tengen.analysis.review import VERDICTS, ReviewError, played_of, review_game
from tengen.analysis.review.verdicts import POINT_LIMITS, WINRATE_LIMITS
from tengen.games.go.sgf import load_sgf, save_collection

VOID = {"meta", "link", "input", "img", "br"}


class Page(HTMLParser):
    """Checks that tags nest, and keeps what a test wants to know."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.words, self.scripts, self.style = [], [], [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        assert not any(name.startswith("on") or name in ("style", "src") for name, _ in attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        where = self.open[-1] if self.open else ""
        if where == "script":
            self.scripts.append(data)
        elif where == "style":
            self.style += data
        else:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    @property
    def data(self):
        return json.loads(self.scripts[0])


def hostile_record():
    names = ("black", "white", "black_rank", "white_rank", "result", "date", "event", "round", "place", "handicap")
    record = random_record(9, **dict.fromkeys(names, HOSTILE))
    for node in record.root.walk():
        node.comment = HOSTILE
    return record


class TestPage:
    def test_everything_is_on_it(self):
        review = review_of(random_record(20, black="Aki", white="Ben", result="B+2", date="2026-11-16"), 800)
        page = Page(format_page(review))
        for text in (
            "Aki – Ben",
            "result B+2",
            "2026-11-16",
            "5×5",
            "komi 0.5",
            "20 moves",
            "Aki's worst moves (Black)",
        ):
            assert text in page.text
        assert "Network rollout, 800 visits a position, at least 200 for the move that was played" in page.text
        jumps = [int(attributes["data-turn"]) for _, attributes in page.tags if "data-turn" in attributes]
        assert jumps == [turn.turn for summary in review.players for turn in summary.worst]
        for summary in review.players:
            assert f"{100 * summary.accuracy:.1f} %" in page.text
        assert len(page.data["turns"]) == 21
        assert all(len(turn[5]) == 25 for turn in page.data["turns"])

    def test_the_played_move_is_among_the_candidates(self):
        review = review_of(random_record(20, size=(9, 9)), 40)
        data = Page(format_page(review)).data
        for move, turn in zip(data["moves"], data["turns"], strict=False):
            assert (move[1:] or "tt") in [candidate[0][:2] for candidate in turn[3]]
            assert len(turn[3]) <= 11

    def test_whatever_the_record_says_stays_text(self):
        text = format_page(review_of(hostile_record()))
        page = Page(text)
        assert [tag for tag, _ in page.tags].count("script") == 2
        assert "img" not in [tag for tag, _ in page.tags]
        assert HOSTILE in page.text
        assert page.data["comments"]["3"] == HOSTILE
        assert text.count("</script>") == 2

    def test_it_fetches_nothing_and_runs_only_its_own(self):
        text = format_page(review_of(random_record(4)))
        page = Page(text)
        policy = next(attributes["content"] for tag, attributes in page.tags if "http-equiv" in attributes)
        assert policy.startswith("default-src 'none'")
        for part in (page.scripts[1], page.style):
            digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy
        assert "unsafe" not in policy
        links = [attributes["href"] for _, attributes in page.tags if "href" in attributes]
        assert links == ["data:,"]
        assert not re.search(
            r"@import|url\((?!#)|fetch\(|XMLHttpRequest|innerHTML|eval\(", page.style + page.scripts[1]
        )
        urls = set(re.findall(r"https?://[^\"' ]+", text))
        assert urls == {"http://www.w3.org/2000/svg"}

    def test_every_label_has_its_control(self):
        page = Page(format_page(review_of(random_record(4))))
        ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        wanted = set(re.findall(r'\bat\("([\w-]+)"\)', page.scripts[1])) | {"review"}
        assert wanted - set(ids) == set()
        for tag, attributes in page.tags:
            if tag == "button" and "data-turn" not in attributes:
                assert attributes["aria-label"]

    @pytest.mark.slow
    def test_long_games_stay_small(self):
        review = review_of(random_record(400, size=(19, 19)), 2, include_visits=1)
        assert len(review.turns) == 401
        assert len(format_page(review).encode()) < 1_500_000

    def test_no_moves_at_all(self):
        page = Page(format_page(review_of("(;GM[1]SZ[7:3])")))
        assert "A game of Go" in page.text
        assert "No move of this player was judged." in page.text

    def test_only_turns_that_were_analyzed(self):
        data = Page(format_page(review_of(random_record(9), 8, turns=[4, 5]))).data
        assert [i for i, turn in enumerate(data["turns"]) if turn is not None] == [4, 5]

    def test_warnings_are_shown(self):
        text = "(;SZ[5]RU[Chinese];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[cb])"
        assert "Turn 8 skips C4 (illegal)" in Page(format_page(review_of(text, 4))).text

    def test_other_games_have_none(self):
        with engine("connect_four") as found:
            review = review_game(played_of(tengen.game("connect_four").start().play("d")), found, 4)
        for write in (format_page, format_sgf):
            with pytest.raises(ReviewError, match="only games of Go"):
                write(review)


class TestSgf:
    TEXT = (
        "(;GM[1]SZ[5]KM[0.5]XX[kept\\]]C[first words];B[cc]LB[aa:A]TR[dd]C[said];W[bb]"
        "(;B[dd]N[main];W[bd])(;B[aa]C[a variation];W[ab]))"
    )

    def test_all_that_was_there_stays(self):
        record = load_sgf(self.TEXT.encode())
        before = record.to_bytes()
        after = load_sgf(format_sgf(review_of(record, 20)))
        assert record.to_bytes() == before
        assert after.moves == record.moves
        old, new = record.root.main_line(), after.root.main_line()
        assert after.root.texts("XX") == ["kept]"]
        for was, now in zip(old, new, strict=True):
            assert now.comment.startswith(was.comment)
            for name in was.raw:
                if name != "C":
                    assert set(was.texts(name)) <= set(now.texts(name))
        kept = next(child for child in new[2].children if after.move(child) == ("black", "A5"))
        assert kept.comment.startswith("a variation")
        assert after.move(kept.children[0]) == ("white", "A4")

    def test_what_is_added(self):
        review = review_of(self.TEXT, 800)
        record = load_sgf(format_sgf(review))
        nodes = record.root.main_line()
        for turn, node in zip(review.turns, nodes, strict=True):
            assert MARKER in node.comment
            assert f"Black wins {100 * turn.answer.root_info.winrate:.1f} %" in node.comment
            assert f"Best for {('Black', 'White')[turn.player]}: {turn.best.move}" in node.comment
        for turn, node in zip(review.turns[:-1], nodes[1:], strict=True):
            assert (
                f"Move {turn.turn + 1}, {('Black', 'White')[turn.player]} {turn.move}: {turn.verdict}" in node.comment
            )
            moves = [record.move(child) for child in nodes[turn.turn].children]
            color = ("black", "white")[turn.player]
            assert moves[0] == (color, turn.move)
            assert (color, turn.best.move) in moves
        assert nodes[-1].children == []
        # Letters and triangles, beside those that were there.
        assert nodes[1].texts("LB")[0] == "aa:A"
        assert "A" not in [text.partition(":")[2] for text in nodes[1].texts("LB")[1:]]
        assert nodes[1].texts("TR") == ["dd", "bb"]

    def test_a_second_review_replaces_the_first(self):
        once = format_sgf(review_of(self.TEXT, 20))
        twice = load_sgf(format_sgf(review_of(once.decode(), 20)))
        for node in twice.root.walk():
            assert node.comment.count(MARKER) <= 1
        assert twice.root.comment == load_sgf(once).root.comment

    def test_hostile_texts_and_passes(self):
        record = hostile_record()
        after = load_sgf(format_sgf(review_of(record)))
        assert after.info == record.info
        assert all(node.comment.startswith(HOSTILE) for node in after.root.main_line())
        passes = review_of("(;SZ[5];B[];W[tt];B[cc];W[])", 8)
        assert [turn.move for turn in passes.turns[:-1]] == ["pass", "pass", "C3", "pass"]
        assert load_sgf(format_sgf(passes)).moves[1] == ("white", "pass")

    def test_long_games(self):
        review = review_of(random_record(400, size=(9, 9)), 2, turns=[0, 1])
        assert len(load_sgf(format_sgf(review)).moves) == len(review.played.moves)


def test_the_documentation_s_verdicts():
    text = (Path(__file__).parent.parent / "docs" / "review.md").read_text(encoding="utf-8")
    for verdict, points, winrate in zip(VERDICTS[1:], POINT_LIMITS, WINRATE_LIMITS, strict=True):
        assert f"| {verdict} | from {points:g} | from {100 * winrate:g} % |" in text


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "game.sgf"
    random_record(10, black="Aki", white="Ben \x1b[31mred").save(path)
    return path


WORDS = ("--net", "rollout", "--visits", "12", "--override-config", OVERRIDE)


class TestCommand:
    def test_a_game_without_a_format_for_records_says_so(self, run, game, tmp_path):
        ran = run("review", "game.sgf", "--game", "pyrga")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("tengen: pyrga has no format for records of games that a review could read")
        assert list(tmp_path.iterdir()) == [game]

    def test_the_page_lies_beside_the_game(self, run, game, tmp_path):
        ran = run("review", "game.sgf", *WORDS)
        assert ran.code == 0, ran.err
        assert ran.out.splitlines()[-1] == "game.review.html"
        assert ran.out.startswith("Aki: accuracy ")
        assert "\x1b" not in ran.out
        assert sorted(path.name for path in tmp_path.iterdir()) == ["game.review.html", "game.sgf"]
        assert "Aki" in Page((tmp_path / "game.review.html").read_text(encoding="utf-8")).text

    def test_all_files_into_a_folder(self, run, game, tmp_path):
        ran = run("review", game, *WORDS, "--out", "new/reviews", "--sgf", "--json", "--keep")
        assert ran.code == 0, ran.err
        names = sorted(path.name for path in (tmp_path / "new" / "reviews").iterdir())
        assert names == [f"game.review.{kind}" for kind in ("html", "json", "jsonl", "sgf")]
        data = json.loads((tmp_path / "new" / "reviews" / "game.review.json").read_text(encoding="utf-8"))
        assert len(data["turns"]) == 11
        load_sgf(tmp_path / "new" / "reviews" / "game.review.sgf")

    def test_nothing_is_written_over_unasked(self, run, game, tmp_path):
        target = tmp_path / "game.review.html"
        target.write_text("mine")
        ran = run("review", "game.sgf", *WORDS)
        assert ran.code == 2
        assert "game.review.html is there already; --force writes over it" in ran.err
        assert target.read_text() == "mine"
        assert run("review", "game.sgf", *WORDS, "--force").code == 0
        assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")

    def test_the_game_itself_is_never_written_over(self, run, game):
        before = game.read_bytes()
        ran = run("review", "game.sgf", *WORDS, "--out", "game.html", "--sgf", "--force")
        assert ran.code == 2
        assert "game.sgf is the game itself" in ran.err
        assert game.read_bytes() == before

    def test_moves_from_and_to(self, run, game):
        ran = run("review", "game.sgf", *WORDS, "--from", "3", "--to", "5", "--json")
        assert ran.code == 0, ran.err
        data = json.loads(Path("game.review.json").read_text(encoding="utf-8"))
        assert [turn["turn"] for turn in data["turns"]] == [2, 3, 4, 5]
        ran = run("review", "game.sgf", *WORDS, "--from", "30", "--force")
        assert ran.code == 2
        assert "no move of the game's 10 is between them" in ran.err

    def test_turns_of_before_are_used_or_not_and_it_says_so(self, run, game):
        assert run("review", "game.sgf", *WORDS, "--keep").code == 0
        ran = run("review", "game.sgf", *WORDS, "--keep", "--force")
        assert "11 of 11 positions are analyzed already" in ran.err
        ran = run("review", "game.sgf", *WORDS, "--visits", "13", "--keep", "--force")
        assert "game.review.jsonl is not used, it was made with other settings (visits); starting anew" in ran.err
        ran = run("review", "game.sgf", *WORDS, "--visits", "13", "--komi", "3", "--force")
        assert "it is of another game" in ran.err
        assert not Path("game.review.jsonl").exists()

    def test_one_of_several_games(self, run, tmp_path):
        save_collection(tmp_path / "two.sgf", [random_record(4, black="Aki"), random_record(5, black="Cho")])
        ran = run("review", "two.sgf", *WORDS, "--number", "2")
        assert ran.out.startswith("Cho: ")
        ran = run("review", "two.sgf", *WORDS, "--number", "3", "--force")
        assert ran.code == 2
        assert "two.sgf has 2 games, none is number 3" in ran.err

    @pytest.mark.parametrize(
        ("words", "text"),
        [
            (("none.sgf", *WORDS), "none.sgf: No such file or directory"),
            (("game.sgf", *WORDS, "--rules", "martian"), "Could not parse rules: martian"),
            (("game.sgf", *WORDS, "--komi", "1.3"), "komi"),
            (("game.sgf", "--net", "none.bin.gz"), "none.bin.gz"),
            (("bad.sgf", *WORDS), "bad.sgf"),
            (("taken.sgf", *WORDS), "move 1 (white A5) is illegal"),
        ],
    )
    def test_what_does_not_fit_is_said_in_a_line(self, run, game, words, text):
        Path("bad.sgf").write_text("no record")
        Path("taken.sgf").write_text("(;SZ[5];B[aa];W[aa])")
        ran = run("review", *words)
        assert ran.code == 2
        assert text in ran.err
        assert "Traceback" not in ran.err
        assert len(ran.err.strip().splitlines()) == 1

    def test_rules_and_komi_of_one_s_own(self, run, game):
        assert run("review", "game.sgf", *WORDS, "--rules", "chinese", "--komi", "7", "--json").code == 0
        about = json.loads(Path("game.review.json").read_text(encoding="utf-8"))["about"]
        assert (about["rules"], about["komi"]) == ("Chinese", 7)


@pytest.mark.slow
def test_killed_at_random_it_comes_to_the_same(tmp_path):
    """kill -9, again and again; what was analyzed is used, and in the end nothing tells the difference."""
    program = Path(sys.executable).with_name("tengen")
    record = random_record(24, size=(9, 9))
    folders = [tmp_path / name for name in ("whole", "torn")]
    for folder in folders:
        folder.mkdir()
        record.save(folder / "game.sgf")
    words = [program, "review", "game.sgf", "--net", "rollout", "--visits", "400", "--threads", "1", "--sgf", "--json"]
    words += ["--override-config", OVERRIDE, "--analysis-threads", "2"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run(words, cwd=folders[0], check=True, capture_output=True, env=environment)
    rng = random.Random(5)
    kills, longest = 0, 0
    turns = folders[1] / "game.review.jsonl"
    while True:
        with subprocess.Popen(
            words, cwd=folders[1], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        ) as work:
            wanted = longest + rng.randrange(1, 60_000)
            while work.poll() is None and kills < 3:
                if turns.exists() and turns.stat().st_size >= wanted:
                    work.send_signal(signal.SIGKILL)
                    break
                time.sleep(0.002)
            code = work.wait()
        if code == 0:
            break
        assert code == -signal.SIGKILL
        kills += 1
        size = turns.stat().st_size
        assert size >= longest
        longest = size
    assert kills >= 2
    whole, torn = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders)
    assert sorted(torn) == ["game.review.html", "game.review.json", "game.review.sgf", "game.sgf"]
    assert whole == torn
