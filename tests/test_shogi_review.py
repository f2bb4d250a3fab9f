"""Reviews of games of shogi: verdicts, commented KIF, the page."""

import json
import re
from pathlib import Path

import pytest
from browser import FINISH, needs_browser, open_page
from cli_runner import runner
from review_helpers import HOSTILE, engine
from test_review_browser import hashed

import tengen
from tengen.analysis.review import ReviewError, review_game
from tengen.analysis.review.page import asset
from tengen.analysis.review.verdicts import VERDICTS
from tengen.analysis.shogi.records import KifFormat, read_shogi
from tengen.analysis.shogi.review_kif import MARKER, format_review, own_comment
from tengen.analysis.shogi.review_page import format_page
from tengen.analysis.shogi.texts import TABLES
from tengen.games.shogi.records import format_kif, load_records, new_record, parse_kif, parse_records, save_records

GAMES = Path(__file__).parent / "data" / "shogi" / "games.usi"
MATE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"


def review_of(record, visits=40, **options):
    with engine("shogi") as found:
        return review_game(record, found, visits, **options)


@pytest.fixture(scope="module")
def reviewed():
    record = load_records(GAMES)[4]
    record.header |= {"black": HOSTILE, "white": "馬場", "event": "順位戦"}
    record.root.main_line()[1].comment = HOSTILE
    record.root.main_line()[3].add(move="9i9h").comment = "what if"
    return record, review_of(record, turns=range(9))


def test_the_game_is_read():
    record = load_records(GAMES)[2]
    game = read_shogi(record)
    assert [move for _, move in game.moves] == record.moves
    assert game.about["result"] in ("black", "white")
    assert (len(game.sfens), len(game.nodes), len(game.texts)) == (*[len(game.moves) + 1] * 2, len(game.moves))
    assert game.turns == tuple(range(len(game.moves) + 1))


def test_a_mated_position_is_no_turn():
    game = read_shogi(new_record(["G*5b"], start=MATE, end="checkmate"))
    assert game.turns == (0,)
    with tengen.Engine("shogi", "uniform") as plain:
        review = review_game(new_record(["5c5b+"], start=MATE), plain, 200)
    assert review.turns[0].best.move == "G*5b"
    assert review.turns[0].loss.points is None
    assert review.turns[0].verdict == "blunder"
    assert "Black mates in 1 plies" in format_review(review).decode("cp932")
    assert review.players[0].accuracy < 1


def test_a_game_beyond_a_repetition_and_one_that_an_illegal_move_ended():
    around = ["2h1h", "8b9b", "1h2h", "9b8b"] * 4
    game = read_shogi(new_record([*around, "7g7f"]))
    assert set(range(18)) - set(game.turns) <= set(range(12, 17))
    assert 17 in game.turns
    kif = "\n".join(f"{i} {move}" for i, move in enumerate(["７六歩(77)", "３四歩(33)", "５六玉(59)", "反則勝ち"], 1))
    with pytest.raises(ValueError, match="line 3"):
        parse_kif(kif.replace("反則勝ち", "投了"))
    game = read_shogi(parse_kif(kif))
    assert [move for _, move in game.moves] == ["7g7f", "3c3d"]
    with pytest.raises(ReviewError, match="no komi"):
        KifFormat().load(GAMES, komi=6.5)


def test_the_commented_record_keeps_what_was_there(reviewed):
    record, review = reviewed
    before = format_kif(record)
    (again,) = parse_records(format_review(review))
    assert format_kif(record) == before
    assert again.moves == record.moves
    line = again.root.main_line()
    assert own_comment(line[1]) == HOSTILE
    assert next(child.comment for child in line[3].children if child.move == "9i9h").startswith("what if")
    assert MARKER in line[5].comment
    assert "Black wins" in line[5].comment
    assert any(len(node.children) > 1 for node in line[:10])
    # A later review replaces the comments of an earlier one.
    twice = parse_records(format_review(review_of(again, 20, turns=range(7))))[0]
    assert twice.root.main_line()[5].comment.count(MARKER) == 1


def test_the_review_as_json(reviewed):
    _, review = reviewed
    found = json.loads(json.dumps(review.to_json()))
    assert found["game"] == "shogi"
    assert found["about"]["white"] == "馬場"
    assert found["turns"][3]["analysis"]["rootInfo"]["scoreCp"] is not None
    assert found["turns"][3]["pointsLost"] is None


def test_every_format_is_reviewed_alike(tmp_path):
    record = new_record(["7g7f", "3c3d", "2g2f"], end="interrupt")
    for suffix in (".kif", ".kifu", ".ki2", ".csa", ".usi", ".sfenx"):
        save_records(record, tmp_path / f"game{suffix}")
        game = KifFormat().load(tmp_path / f"game{suffix}")
        assert [name for _, name in game.moves] == record.moves


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    save_records(new_record(["7g7f", "3c3d", "8h2b+"], black="Aki", white="Ben"), "game.ki2")
    run = runner(monkeypatch, capsys)
    ran = run("review", "game.ki2", "--visits", "40", "--record", "--json")
    assert ran.code == 0
    assert "win rate lost a move" in " ".join(ran.out.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "game.ki2",
        "game.review.html",
        "game.review.json",
        "game.review.kif",
    ]
    (tmp_path / "game.kif").write_text("手合割：平手\n   1 ７六歩(78)\n", encoding="utf-8")
    ran = run("review", "game.kif", "--net", "rollout")
    assert ran.code == 2
    assert "line 2: ７六歩(78): no 歩 stands on 7h" in ran.err


def test_the_page_holds_hostile_texts_as_texts(reviewed):
    _, review = reviewed
    page = format_page(review)
    assert HOSTILE not in page
    assert "worst moves" in page
    assert "points lost" not in page


# Languages.


def visible(page):
    """The text of a page without its scripts, styles and tags."""
    return re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.DOTALL))


@pytest.fixture(scope="module")
def plain():
    record = load_records(GAMES)[2]
    return review_of(record, 60, turns=range(9))


@pytest.mark.parametrize(("lang", "side"), [("ja", "先手"), ("ko", "선수")])
def test_the_page_is_in_the_readers_language(plain, lang, side):
    page = format_page(plain, lang)
    assert f'<html lang="{lang}">' in page
    assert side in visible(page)
    # The only words in Latin letters are names of keys, of programs and of the network.
    words = set(re.findall("[A-Za-z]{3,}", visible(page))) - {"Home", "End", "JavaScript"}
    assert words <= set(re.findall("[A-Za-z]{3,}", plain.net))
    data = json.loads(re.search(r'id="review">(.*?)</script>', page)[1])
    assert data["ranks"] == ("一二三四五六七八九" if lang == "ja" else "")
    assert data["texts"]["Black"] == side


@pytest.mark.parametrize("lang", ["ja", "ko"])
def test_scripts_say_nothing_that_a_language_lacks(lang):
    """Every text that the page's scripts show is in the tables."""
    found = set()
    for package, name in (
        *(("tengen.analysis.review", name) for name in ("page.js", "page_parts.js")),
        *(("tengen.analysis.shogi", name) for name in ("page.js", "board.js")),
    ):
        text = asset(package, name).replace("${game.toMove}", "to move")
        found |= {match[2] for match in re.finditer(r"\bsay\(([\"`])(.+?)\1", text)}
    assert len(found) > 15
    assert found | {"Black", "White"} | set(VERDICTS) <= TABLES[lang].keys()


def test_a_move_to_the_square_of_the_last_move_is_written_so():
    game = read_shogi(new_record(["7g7f", "3c3d", "8h2b+"]))
    assert game.write_line(3, ["3a2b", "B*5e"]) == ["△同銀", "▲５五角"]
    assert game.write_line(2, ["8h2b+", "3a2b"]) == ["▲２二角成", "△同銀"]
    with engine("shogi") as found:
        review = review_game(new_record(["5c5b+", "5a5b"], start=MATE), found, 40)
    data = json.loads(re.search(r'id="review">(.*?)</script>', format_page(review, "ja"))[1])
    assert any("△同玉" in texts for *_, texts in data["turns"][1][3])


def test_languages_have_the_same_texts():
    assert TABLES["ja"].keys() == TABLES["ko"].keys()
    for table in TABLES.values():
        for text, translation in table.items():
            assert set(re.findall(r"\{\w+", translation)) <= set(re.findall(r"\{\w+", text)), text


@pytest.mark.parametrize(("lang", "side"), [("ja", "先手の勝率"), ("ko", "선수 승률")])
def test_the_commented_record_is_in_the_readers_language(plain, lang, side):
    records = KifFormat()
    data = records.format_record(plain, lang)
    (again,) = parse_records(data)
    assert again.moves == plain.played.record.moves
    comments = [node.comment for node, _ in again.walk() if MARKER in node.comment]
    assert len(comments) > 9
    assert "〓" not in "".join(comments)
    for comment in comments:
        assert not re.search("[A-Za-z]{3,}", comment.replace(MARKER, "")), comment
    assert side in comments[0]
    assert records.suffix_in(lang) == {"ja": ".kif", "ko": ".kifu"}[lang]


def test_a_mate_is_told_in_japanese():
    with tengen.Engine("shogi", "uniform") as plain_engine:
        review = review_game(new_record(["5c5b+"], start=MATE), plain_engine, 200)
    assert "先手が1手で詰み" in format_review(review, "ja").decode("cp932")
    assert "指定局面" in format_page(review, "ja")


@pytest.mark.parametrize(("words", "locale", "lang"), [(["--lang", "ja"], "C", "ja"), ([], "ja_JP.UTF-8", "ja")])
def test_the_command_in_japanese(tmp_path, monkeypatch, capsys, words, locale, lang):
    monkeypatch.chdir(tmp_path)
    save_records(new_record(["7g7f", "3c3d"]), "game.kif")
    run = runner(monkeypatch, capsys)
    monkeypatch.setenv("LC_ALL", locale)
    ran = run("review", "game.kif", "--visits", "20", "--record", "--out", "page.html", *words)
    assert ran.code == 0
    assert f'<html lang="{lang}">' in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "先手の勝率" in (tmp_path / "page.kif").read_bytes().decode("cp932")


@pytest.mark.parametrize(("lang", "side", "words"), [("ja", "先手", "正確さ"), ("ko", "선수", "정확도")])
def test_the_command_sums_up_in_the_readers_language(tmp_path, monkeypatch, capsys, lang, side, words):
    monkeypatch.chdir(tmp_path)
    save_records(new_record(["5c5b+", "5a5b"], start=MATE, white="馬場"), "game.kif")
    run = runner(monkeypatch, capsys)
    ran = run("review", "game.kif", "--net", "uniform", "--visits", "200", "--lang", lang)
    assert ran.code == 0
    black, white, _ = ran.out.splitlines()
    assert black.startswith(f"{side}: {words}")
    assert white.startswith(f"馬場: {words}")
    # A move of Korean reviews has its name in USI after it.
    played, better = ("▲５二歩成", "▲５二金") if lang == "ja" else ("▲５二歩成 (5c5b+)", "▲５二金 (G*5b)")
    assert re.search(rf"1\w+ {re.escape(played)}.+ {re.escape(better)}$", black)
    assert not re.search("[A-Za-z]{3,}", re.sub(r"\([^)]*\)", "", black + white))
    assert f"<h1>{side} – 馬場</h1>" in (tmp_path / "game.review.html").read_text(encoding="utf-8")
    save_records(new_record(["7g7f", "3c3d"]), "game.kif")
    ran = run(
        "review", "game.kif", "--net", "uniform", "--visits", "6", "--include-visits", "1", "--lang", lang, "--force"
    )
    assert ran.code == 0
    assert "--visits" in ran.err
    assert not re.search("[A-Za-z]{3,}", ran.err.replace("tengen", "").replace("--visits", "")), ran.err


@pytest.mark.parametrize(
    "record",
    [
        new_record(["7g7f", "3c3d", "7f7d"], end="illegal_loss"),
        new_record(["2h3h", "8b7b", "3h2h", "7b8b"] * 3 + ["2h3h"], end="repetition"),
        new_record(["7g7f", "3c3d"], end="declaration"),
        new_record(["3c3d"], start="lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1", end="max_moves"),
    ],
    ids=lambda record: record.end,
)
def test_no_record_leads_to_english_on_a_japanese_page(record):
    review = review_of(record, 20)
    assert review.warnings == ()
    words = set(re.findall("[A-Za-z]{3,}", visible(format_page(review, "ja")))) - {"Home", "End", "JavaScript"}
    assert words <= set(re.findall("[A-Za-z]{3,}", review.net))


def test_a_language_that_a_game_has_no_reviews_in(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    save_records(new_record(["7g7f"]), "game.kif")
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[5];B[cc])", encoding="utf-8")
    run = runner(monkeypatch, capsys)
    ran = run("review", "game.kif", "--lang", "xx")
    assert (ran.code, "no language is called 'xx' here; there are en, ja, ko" in ran.err) == (2, True)
    ran = run("review", "game.sgf", "--lang", "ja")
    assert (ran.code, "no language is called 'ja' here; there are en" in ran.err) == (2, True)


SCRIPT = """
const told = {};
const at = id => document.getElementById(id);
const pieces = () => document.querySelectorAll(".pieces .piece").length;
told.start = pieces();
told.marks = document.querySelectorAll(".mark").length;
told.rows = at("candidates").tBodies[0].rows.length;
at("next").click();
told.where = at("where").textContent;
told.last = at("last-move").textContent;
at("end").click();
told.end = pieces();
at("first").click();
const row = at("candidates").tBodies[0].rows[0];
row.dispatchEvent(new PointerEvent("pointerenter", {pointerType: "mouse"}));
told.line = at("said").textContent;
told.preview = document.querySelectorAll(".line .number").length;
row.dispatchEvent(new PointerEvent("pointerleave", {pointerType: "mouse"}));
document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
told.count = at("count").textContent;
"""


@pytest.mark.slow
@needs_browser
def test_the_page_in_a_browser(tmp_path, reviewed):
    record, review = reviewed
    added = f"{{{SCRIPT}\n{FINISH}}}"
    page = format_page(review).replace("script-src ", f"script-src {hashed(added)} ", 1)
    told = open_page(page.replace("</body>", f"<script>{added}</script></body>"), tmp_path)
    assert told["start"] == 40
    assert told["marks"] > 0
    assert told["rows"] > 0
    assert told["where"] == f"After 1 of {len(record.moves)} moves, White to move"
    assert "Last: 1. ▲" in told["last"]
    state = tengen.game("shogi").start(moves=record.moves)
    game = state.game
    kinds = sum(1 for held in game.layout(state).hands if held) + sum(1 for piece in game.layout(state).board if piece)
    assert told["end"] == kinds
    assert told["line"].startswith("Variation: ▲")
    assert told["preview"] > 0
    assert told["count"] == f"1 / {len(record.moves)}"


@pytest.mark.slow
@needs_browser
def test_the_page_in_a_browser_in_japanese(tmp_path, plain):
    script = f"""{SCRIPT}
const box = element => element.getBoundingClientRect();
const [, stand] = [...document.querySelectorAll(".shogiban > rect")].slice(-2).map(box).sort((a, b) => a.x - b.x);
const wood = box(document.querySelector(".shogiban > rect"));
told.isClear = [...document.querySelectorAll(".edge")].filter(edge => /[一-九]/u.test(edge.textContent)).every(edge =>
  box(edge).left > wood.right && box(edge).right < stand.left);
told.ranks = [...document.querySelectorAll(".edge")].map(edge => edge.textContent).join("");
told.text = document.querySelector("main").innerText;
"""
    added = f"{{{script}\n{FINISH}}}"
    page = format_page(plain, "ja").replace("script-src ", f"script-src {hashed(added)} ", 1)
    told = open_page(page.replace("</body>", f"<script>{added}</script></body>"), tmp_path)
    count = len(plain.played.moves)
    assert told["where"] == f"{count}手中1手目まで、後手の番"
    assert told["last"].startswith("直前の手: 1. ▲７六歩 ")
    assert told["line"].startswith("変化: ▲")
    assert told["ranks"] == "".join(f"{number}{rank}" for number, rank in enumerate("一二三四五六七八九", 1))
    assert told["isClear"], "the ranks stand between the board and the stand"
    words = set(re.findall("[A-Za-z]{3,}", told["text"])) - {"Home", "End"}
    assert words <= set(re.findall("[A-Za-z]{3,}", " ".join([plain.net, *plain.played.sfens[:2]])))
