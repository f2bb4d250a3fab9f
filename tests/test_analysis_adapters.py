"""What a game adds to analysis is one adapter: found by the game's id, with a default that serves every game."""

import ast
import json
import random
import re
import sys
import types
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from analysis_requests import GO, query
from search_helpers import judge
from toy_games import TicTacToe

import tengen.analysis
from tengen.analysis import Answer, Context, Engine, GameAdapter, Service, adapters, find_adapter, parse_request
from tengen.analysis.answer_builder import AnswerBuilder
from tengen.analysis.go import Adapter as GoAdapter
from tengen.analysis.review import ReviewError, review_game
from tengen.evaluators import Function
from tengen.games import names

ROOM = Path(tengen.analysis.__file__).parent


def read(adapter, **fields):
    return parse_request(json.dumps({"id": "x", **fields}), Context(adapter)).body


def test_every_game_has_an_adapter():
    for name in names():
        adapter = find_adapter(name)
        assert adapter.game.id == name
        assert (type(adapter) is GameAdapter) == (name not in adapters._ADAPTERS)
    assert type(find_adapter()) is GoAdapter


def test_a_game_that_nobody_knows_has_the_default_one():
    with Engine(TicTacToe(), Function(judge)) as engine:
        assert type(engine.adapter) is GameAdapter
        [answer] = engine.analyze(["4"], visits=20, include={1: ["0"]})
    assert answer["0"].is_included


# A game with an adapter of its own: one module and one line of registration.


@dataclass(frozen=True, kw_only=True)
class CornerAnswer(Answer):
    free_corners: int = 0


class CornerBuilder(AnswerBuilder):
    answer_type = CornerAnswer

    def _answer_more(self, snapshot):
        board = snapshot.result.state.position
        return {"free_corners": sum(board[cell] is None for cell in (0, 2, 6, 8))} if self.query.outputs else {}


class CornerAdapter(GameAdapter):
    title = "Tic-tac-toe"
    fields = GameAdapter.fields | {"includeCorners"}
    own_flags = ("includeCorners",)
    answers = CornerBuilder

    def read_outputs(self, flags):
        return flags["includeCorners"]


@pytest.fixture
def corners(monkeypatch):
    module = types.ModuleType("corner_adapter")
    module.Adapter = CornerAdapter
    monkeypatch.setitem(sys.modules, "corner_adapter", module)
    game = TicTacToe()
    monkeypatch.setitem(adapters._ADAPTERS, game.id, "corner_adapter")
    adapters._adapter_type.cache_clear()
    adapters.own_fields.cache_clear()
    yield game
    adapters._adapter_type.cache_clear()
    adapters.own_fields.cache_clear()


def test_an_adapter_adds_fields_to_requests_and_answers(corners):
    told = []
    with Engine(corners, Function(judge)) as engine:
        session = Service(engine).connect(told.append)
        for corner in (True, False):
            session.handle(json.dumps({"id": "x", "moves": ["0"], "maxVisits": 5, "includeCorners": corner}))
        session.handle(json.dumps({"id": "y", "moves": [], "includeCorners": 1}))
        assert session.drain(60)
    answers = {json.dumps(answer.get("freeCorners", answer.get("error"))): answer for answer in map(json.loads, told)}
    assert answers.keys() == {"3", "0", '"Must be a boolean"'}


def test_fields_of_one_game_are_refused_elsewhere(corners):
    refused = read(find_adapter("pyrga"), moves=[], includeCorners=True)
    assert refused.text == "Only Tic-tac-toe has this field, pyrga does not"
    assert read(find_adapter(corners), moves=[], komi=7).text == f"Only Go has this field, {corners.id} does not"


# Positions.


@pytest.mark.parametrize(
    "fields",
    [
        {"moves": [["B", "D4"], ["White", "(0,0)"], ["w", "pss"]], "rules": "japanese", "komi": 5.5},
        {"initialStones": [["b", "A1"], ["w", "C3"]], "initialPlayer": "w", "whiteHandicapBonus": "N-1"},
        {"boardXSize": 5, "boardYSize": 13, "rules": {"ko": "SIMPLE", "hasButton": True}},
    ],
    ids=str,
)
def test_positions_of_go_are_written_as_they_are_read(fields):
    position = query(**fields).position
    written = GO.adapter.format_position(position)
    again = read(GO.adapter, **written).position
    assert again == replace(position, initial_player=position.first_player)
    assert GO.adapter.format_position(again) == written


def test_positions_of_other_games_are_written_as_they_are_read():
    adapter = find_adapter("kuhn_poker")
    position = read(adapter, moves=["pass", [1, "bet"]], start={"cards": "QJ"}).position
    written = adapter.format_position(position)
    assert written == {"moves": ["pass", [1, "bet"]], "start": {"cards": "QJ"}}
    assert read(adapter, **written).position == position


@pytest.mark.parametrize("game", ["go", "pyrga"])
def test_moves_are_replayed_once_and_few_again(game, monkeypatch):
    adapter = find_adapter(game)
    state = adapter.game.start(seed=0)
    moves = []
    while len(moves) < 60 and not state.is_over:
        action = state.legal()[0]
        moves.append(adapter.game.name(action))
        state = state.play(action)
    last = len(moves) - state.is_over
    fields = adapter.request_fields(moves, {})
    played = []
    kind = type(adapter)
    play = kind.play
    monkeypatch.setattr(kind, "play", lambda self, *about: played.append(about[2]) or play(self, *about))

    def states(turns):
        asked = read(adapter, **fields, analyzeTurns=turns)
        planned, _ = adapter.plan(asked)
        assert len(played) == len(moves)
        return [adapter.open(asked, turn).key for turn in planned]

    few = states([3, 5, last])
    assert len(played) == len(moves), "what is planned is not replayed"
    played.clear()
    every = states(list(range(last + 1)))
    assert [every[3], every[5], every[last]] == few
    assert len(played) < 2 * len(moves), "what is opened in order is replayed once"


def test_turns_are_reached_in_any_order():
    asked = query(moves=[["b", "pass"], ["w", "pass"]] * 20, analyzeTurns=[*range(41)])
    adapter = find_adapter()
    turns, _ = adapter.plan(asked)
    random.Random(1).shuffle(turns)
    for turn in turns:
        assert len(adapter.open(asked, turn).history) == turn.number


def test_turns_share_states():
    asked = query(moves=[["b", "pass"], ["w", "pass"]] * 20, analyzeTurns=[*range(41)])
    turns, _ = find_adapter().plan(asked)
    assert len({id(turn.anchor) for turn in turns}) == 3
    assert [turn.anchor.number for turn in turns] == [turn.number // 16 * 16 for turn in turns]


# Reviews.


def test_a_game_without_a_format_for_records_says_so():
    with Engine("pyrga", "uniform") as engine, pytest.raises(ReviewError, match="pyrga has no format for records"):
        review_game(object(), engine)


# Nothing else in the room knows a game.


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(ROOM.rglob("*.py")) if path.parent.name not in adapters._ADAPTERS],
    ids=lambda path: str(path.relative_to(ROOM)),
)
def test_the_room_knows_no_game(path):
    folders = {folder.name for folder in (ROOM.parent / "games").iterdir() if (folder / "__init__.py").is_file()}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    named = {module.split(".")[2] for module in modules if module.count(".") >= 2 and ".games." in module}
    assert not named & folders
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert path.name == "adapters.py" or not texts & set(names())


def test_the_documentation_names_what_an_adapter_overrides():
    page = (Path(__file__).parent.parent / "docs" / "analysis.md").read_text(encoding="utf-8")
    section = page.partition("### An adapter for a game")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(named) > 20
    assert [name for name in named if not hasattr(GameAdapter, name)] == []
