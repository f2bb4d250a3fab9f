"""What the server says to people, in the page's languages: refusals, and the names of games' settings."""

import ast
import http.client
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from live_browser import web_here
from said_texts import placeholders
from test_web_tables import CATALOG, make_table
from toy_games import TicTacToe
from websockets.sync.client import connect

import tengen
from tengen.games import GameError
from tengen.play import TABLES
from tengen.web import japanese, korean
from tengen.web.clocks import ClockSettings
from tengen.web.lobby import Lobby
from tengen.web.record_reading import read_record
from tengen.web.refusals import LANGUAGES, Refusal, complaint, move_refused, read_language, words_in
from tengen.web.studies import Study
from tengen.web.tables import Place

OTHERS = {"ko": korean.KOREAN, "ja": japanese.JAPANESE}
LETTERS = {"ko": re.compile("[가-힣]"), "ja": re.compile("[ぁ-んァ-ヶ一-龠]")}
SOURCES = sorted((Path(tengen.__file__).parent / "web").glob("*.py"))
REFUSALS = {"Text", "Refusal", "TableError", "StudyError", "RequestError"}
BROKEN_CLIENT = {
    "play needs an action or a text",
    "settings and a clock must be objects",
    "seats must be a list: {levels} for a computer, null for a person",
    "the request must be a JSON object, which this is not",
    "{name} must be a text",
    "data must be base64",
    "there is no such file",
    "a study is edited by promote, delete or comment",
    "the study has no node {number}",
}
"""What the page never brings about."""
FRAMES = {"{reason}", "{name}: {reason}"}


# Tables.


def refusals_in(path):
    """Texts that are refused with, also by way of a name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "told":
            parts = [node.value]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSALS:
            parts = [*node.args[:2]]
            # A text that is put together can't be looked up.
            assert not any(isinstance(part, ast.JoinedStr | ast.BinOp) for part in parts), (path, node.lineno)
        else:
            continue
        for part in parts:
            branches = [part.body, part.orelse] if isinstance(part, ast.IfExp) else [part]
            yield from (one.value for one in branches if isinstance(one, ast.Constant) and isinstance(one.value, str))


def test_every_refusal_has_all_languages():
    said = {text for path in SOURCES for text in refusals_in(path)} - FRAMES
    assert len(said) > 60
    assert said >= BROKEN_CLIENT
    for lang, table in OTHERS.items():
        known = table.keys() | TABLES[lang].keys()
        assert sorted(said - BROKEN_CLIENT - known) == [], lang


def test_languages_have_the_same_texts():
    assert korean.KOREAN.keys() == japanese.JAPANESE.keys()
    assert set(LANGUAGES) == {"en", *OTHERS}


@pytest.mark.parametrize("lang", OTHERS)
def test_translations_take_the_same_values(lang):
    assert not OTHERS[lang].keys() & TABLES[lang].keys(), "said in one place"
    for text, translation in OTHERS[lang].items():
        assert placeholders(translation) == placeholders(text), text
        assert LETTERS[lang].search(translation), text


@pytest.mark.parametrize("lang", OTHERS)
@pytest.mark.parametrize("name", CATALOG.names())
def test_settings_have_names(name, lang):
    known = CATALOG.kind(name).setting_names.get(lang, {})
    listed = set()
    for setting, plain in zip(*(CATALOG.describe(name, one)["settings"] for one in (lang, "en")), strict=True):
        assert plain["title"] == setting["name"].replace("_", " ")
        shown = {setting["name"]: setting["title"]} | {
            value: text for value, text in setting["choices"] if not value.isdecimal()
        }
        assert shown == {one: known.get(one) for one in shown}
        assert all(LETTERS[lang].search(text) or one in ("tengen", "kflower") for one, text in shown.items())
        assert [value for value, _ in setting["choices"]] == [value for value, _ in plain["choices"]]
        listed |= shown.keys()
    assert known.keys() == listed, "names of what there is not"


def test_settings_without_names_are_shown_by_their_own(monkeypatch):
    monkeypatch.setattr(tengen.game("go").__class__, "setting_names", {})
    assert [setting["title"] for setting in CATALOG.describe("go", "ko")["settings"]] == [
        "size",
        "height",
        "rules",
        "komi",
    ]


# What is refused.


def refused(lang, call, *values, **named):
    with pytest.raises(ValueError) as error:
        call(*values, **named)
    assert isinstance(error.value, Refusal), error.value
    return complaint(error.value, lang)


@pytest.mark.parametrize(
    ("game", "text", "told"),
    [
        ("shogi", "7g7e", {"en": "cannot go to 7e", "ja": "'7g7e' は指せません: ７七の駒は７五へ動けない。"}),
        ("shogi", "zz", {"en": "is no move", "ja": "指し手ではない", "ko": "그런 수는 없습니다. 7g7f"}),
        ("pokemon", "switch 1", {"en": "on the field already", "ja": "もう場に出ています", "ko": "이미 나와 있습니다"}),
        ("pokemon", "fly", {"en": "is no choice here", "ja": "選択肢はありません", "ko": "그런 선택은 없습니다"}),
        (
            "pyrga",
            "fly b2",
            {
                "en": "is no action of Pyrga",
                "ja": "という手はありません。「四角 b2」",
                "ko": "그런 수는 없습니다. '네모",
            },
        ),
        ("go", "Z9", {"en": "expected a point from A1 to E5", "ja": "Z9 は盤の外です。", "ko": "Z9: 판 밖입니다."}),
        (
            "pig",
            "hold",
            {"en": "a turn begins with a roll.", "ja": "まだためる点がありません。", "ko": "굴리기로 시작"},
        ),
        ("kuhn_poker", "call", {"en": "no bet to answer", "ja": "チェックかベット", "ko": "체크나 베팅"}),
        ("rock_paper_scissors", "x", {"en": "is not a choice", "ja": "チョキ、パー", "ko": "가위, 바위, 보"}),
        (
            "matgo",
            "zz",
            {"en": "is no action of Matgo", "ja": "という手はありません。8g", "ko": "그런 수는 없습니다. 8광"},
        ),
    ],
)
def test_typed_moves_are_refused_in_the_readers_language(game, text, told, tmp_path):
    table = make_table(tmp_path, game)
    for lang, part in told.items():
        assert part in refused(lang, table.play, 0, 0, None, text, lang)
    table.close()


@pytest.mark.parametrize(
    ("game", "move", "told"),
    [
        (
            "go",
            "D4",
            {
                "ko": "'D4': 지금은 안 됩니다. D4에 흑돌이 있습니다.",
                "ja": "'D4' には打てません: D4には黒石があります。",
            },
        ),
        ("shogi", "7g7f", {"ko": "7g에 말이 없습니다.", "ja": "'7g7f' は指せません: "}),
    ],
)
def test_a_game_refuses_in_words_of_its_own(game, move, told, tmp_path):
    table = make_table(tmp_path, game)
    table.play(0, 0, None, move)
    table.play(1, 1, table.session.state.legal()[0])
    for lang, part in told.items():
        assert part in refused(lang, table.play, 0, 2, None, move, lang)
    table.close()


def test_who_speaks_no_other_language_is_refused_in_english_with_a_frame():
    game = TicTacToe()
    with pytest.raises(GameError) as caught:
        game.parse("fly", game.start())
    told = move_refused(game, "fly", caught.value, is_spoken=False)
    assert told.in_language("ko").startswith("'fly': 그런 수는 없습니다 ('fly' names no action of tic_tac_toe")
    assert told.in_language("ja").startswith("'fly' という手はありません（'fly' names no action")


def test_what_a_table_refuses(tmp_path):
    table = make_table(tmp_path, "connect_four")
    assert refused("ko", table.undo, 0) == "무를 수가 없습니다."
    assert refused("ja", table.undo, 0) == "戻す手がありません。"
    for ply in range(6):
        table.play(ply % 2, ply, 3)
    assert refused("en", table.play, 0, 6, 3, None, "en") == "'d' is not possible now: column d is full."
    assert refused("ko", table.play, 0, 6, 3, None, "ko") == "'d': 지금은 안 됩니다. d줄이 가득 찼습니다."
    assert refused("ja", table.play, 0, 6, 3, None, "ja") == "'d' は選べません: dの列は一杯です。"
    table.close()


def test_hidden_cards_are_not_saved(tmp_path):
    hidden = make_table(tmp_path, "kuhn_poker")
    assert refused("ja", hidden.save, 0) == japanese.JAPANESE["what is hidden stays so until the end: save then"]
    hidden.close()


def test_a_full_house_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.web.lobby.MAX_TABLES", 0)
    lobby = Lobby(tmp_path, CATALOG, None)
    assert refused("ko", lobby.make_table, "pig", {}, [None, None]).startswith("대국은 0개까지")


def test_settings_and_clocks_are_refused_by_their_names():
    assert refused("ko", CATALOG.read_settings, "go", {"size": "wide"}) == "판 크기: 'wide'은(는) 쓸 수 없는 값입니다"
    assert refused("ja", CATALOG.read_settings, "go", {"komi": "many"}) == "コミ: 'many' は使えない値です"
    assert refused("en", CATALOG.read_settings, "matgo", {"go_min": "x"}) == "'x' does not fit the setting go min"
    assert "시계" in refused("ko", ClockSettings.of_plain, {"main_s": -1})
    assert "時計" in refused("ja", ClockSettings.of_plain, {"main_s": 0})


def test_records_and_studies_are_refused():
    assert refused("ko", read_record, b"nonsense", "", "", CATALOG).startswith(
        "이 기보를 읽을 수 있는 게임이 없습니다."
    )
    study = Study("s", read_record(b"(;GM[1]SZ[9];B[ee])", "", "", CATALOG))
    assert refused("ja", study.edit, 0, "delete", "") == "開始局面は動かすことも消すこともできません"
    assert refused("ko", study.play, 1, None, "E5", (), "ko").startswith("'E5': 지금은 안 됩니다.")


@pytest.mark.parametrize(
    ("header", "lang"),
    [
        ("ko", "ko"),
        ("ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("de, KO-kr;q=0.5", "ko"),
        ("fr", "en"),
        ("", "en"),
        (",;", "en"),
    ],
)
def test_browsers_say_what_they_read(header, lang):
    assert read_language(header) == lang


# Over the wire.


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with web_here(tmp_path_factory.mktemp("web")) as address:
        yield urlsplit(address).netloc


def post(server, path, body, lang):
    connection = http.client.HTTPConnection(server, timeout=60)
    headers = {"Content-Type": "application/json", "Origin": f"http://{server}", "Accept-Language": lang}
    try:
        connection.request("POST", path, json.dumps(body), headers)
        return json.loads(connection.getresponse().read())["problem"]
    finally:
        connection.close()


@pytest.mark.parametrize("lang", OTHERS)
def test_requests_are_refused_in_the_readers_language(server, lang):
    words = words_in(lang)
    table = {"game": "go", "seats": [None, None]}
    assert post(server, "/api/tables", table | {"game": "chess"}, lang) == words(
        "there is no game {name!r}", name="chess"
    )
    head = words("these settings do not fit: {reason}", reason="")
    assert post(server, "/api/tables", table | {"settings": {"size": "25"}}, lang).startswith(head)
    head = words("the saved game can't be read: {reason}", reason="")
    assert post(server, "/api/tables", table | {"record": "AAAA"}, lang).startswith(head)
    assert post(server, "/api/studies", {"data": "", "game": ""}, lang) == words("the record is empty")


@pytest.mark.parametrize("lang", OTHERS)
def test_problems_are_told_in_the_readers_language(server, lang):
    words = words_in(lang)
    where = {"origin": f"http://{server}", "subprotocols": ["tengen"]}
    with connect(f"ws://{server}/socket", additional_headers={"Accept-Language": lang}, **where) as socket:
        socket.send(json.dumps({"t": "undo", "ply": 0}))
        assert json.loads(socket.recv(60))["text"] == words("no table is open here")
    with connect(f"ws://{server}/socket", **where) as socket:
        socket.send(json.dumps({"t": "open", "table": "none", "key": "none", "lang": lang}))
        told = words("there is no such table, or the key to it does not fit any more")
        assert json.loads(socket.recv(60))["text"] == told
        socket.send(json.dumps({"t": "watch", "run": "none"}))
        assert json.loads(socket.recv(60))["text"] == words("there is no such run here")


@pytest.mark.parametrize(
    ("game", "shown"),
    [
        ("go", {"en": ("black to move", "pass"), "ko": ("흑 차례", "패스"), "ja": ("黒番", "パス")}),
        ("pyrga", {"en": ("to move", "arrow up"), "ko": ("둘 차례", "화살표 위"), "ja": ("手番", "矢印 上")}),
        ("pig", {"en": ("to roll", "roll"), "ko": ("굴릴 차례", "굴리기"), "ja": ("振る番", "振る")}),
        ("kuhn_poker", {"en": ("to act", "bet"), "ko": ("첫째 · 차례", "베팅"), "ja": ("先手 · 番", "ベット")}),
        ("rock_paper_scissors", {"en": ("both choose", "rock"), "ko": ("낼 차례", "바위"), "ja": ("出す番", "グー")}),
    ],
)
def test_boards_and_moves_are_in_the_readers_language(game, shown, tmp_path):
    table = make_table(tmp_path, game)
    for lang, (status, touch) in shown.items():
        board = json.loads(table.board(Place(0, lang), None)[0])
        assert status in board["svg"]
        assert any(touch in touches for _, _, touches in board["actions"])
    table.close()


def test_pokemon_is_shown_in_the_readers_language(tmp_path):
    table = make_table(tmp_path, "pokemon")
    boards = {lang: json.loads(table.board(Place(0, lang), None)[0]) for lang in LANGUAGES}
    for lang, menu in (("en", "Dynamax"), ("ko", "다이맥스"), ("ja", "ダイマックス")):
        assert any(menu in touches for _, _, touches in boards[lang]["actions"])
    assert "1턴" in boards["ko"]["svg"]
    assert "1ターン目" in boards["ja"]["svg"]
    assert {spot[0] for spot in boards["ko"]["spots"]} >= {"교체 1", "기술 1"}
    table.close()
