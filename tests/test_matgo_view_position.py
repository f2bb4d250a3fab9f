"""Positions of Matgo by what one seat sees: they read back, they are searched, and what can't be is told."""

import json
import random
import re
from pathlib import Path

import cli_runner
import pytest

import tengen
from tengen.games import GameError, NotationError
from tengen.games.matgo import format_view
from tengen.games.matgo.cards import CODES
from tengen.games.matgo.view_text import FIELDS

GAME = tengen.game("matgo")
CHOOSING = (1, 2)  # phases in the middle of a turn
VIEW = """
# The round is three turns old.
starter: 0
hand: 1광 3홍 4피a 6열 8피a 9국 11쌍
floor: 2홍 5피a 7피b 9피a 10청 11광 12열 12띠
captured: 1홍 1피a 3피a 3피b 4열 4초
their captured: 8광 8열 6청 6피a 10열 10피a
their cards: 7
"""


def rounds(preset, count, seed):
    game = tengen.game("matgo", preset=preset)
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        state = game.start(rng.getrandbits(32))
        while not state.is_over:
            if game.view(state).phase not in CHOOSING:
                yield game, state
            state = state.play(rng.choice(state.legal()))


def facts(game, state, seat):
    view = game.view(state, seat)
    names = [name for name in dir(view) if not name.startswith("_")]
    # Dummies are counted when their turn comes; gold counts from a stated position on.
    return {n: getattr(view, n) for n in names if n not in ("viewed_by", "dummies", "funds", "gold", "multipliers")}


@pytest.mark.parametrize("preset", ["tengen", "kflower", "hangame"])
def test_views_of_played_positions_read_back(preset):
    count = 0
    for game, state in rounds(preset, 12, preset):
        for seat in (0, 1):
            text = format_view(state, seat)
            stated = game.start(view=text)
            assert facts(game, stated, seat) == facts(game, state, seat)
            assert format_view(stated, seat) == text
            if state.actor == seat:
                assert stated.legal() == state.legal()
                count += 1
    assert count > 100


def test_a_stated_position_is_played_and_redealt():
    rng = random.Random(4)
    for game, state in rounds("tengen", 6, "play"):
        seat = state.actor
        stated = game.start(view=format_view(state, seat)).redeal(seat, rng.getrandbits(32))
        assert format_view(stated, seat) == format_view(state, seat)
        while not stated.is_over:
            stated = stated.play(rng.choice(stated.legal()))
        assert sum(stated.payoffs) == 0


def test_a_view_by_hand():
    state = GAME.start(view=VIEW)
    view = GAME.view(state, 0)
    assert (view.stock, view.cards, view.turns, state.actor) == (16, [7, 7], [3, 3], 0)
    assert [GAME.name(action) for action in state.legal()] == ["1광", "3홍", "4피a", "6열", "8피a", "9국", "11쌍"]
    assert state.text(0).count("?") == 7
    assert GAME.known_to(state.position) == 0
    assert GAME.known_to(GAME.start(1).position) is None


def as_mapping(text):
    lines = (line.partition(":") for line in text.splitlines() if ":" in line)
    found = {name.strip().replace(" ", "_"): value.split() for name, _, value in lines}
    return {name: int(value[0]) if FIELDS[name].kind == "number" else value for name, value in found.items()}


def test_a_mapping_says_the_same():
    assert GAME.start(view=as_mapping(VIEW)) == GAME.start(view=VIEW)
    one_line = "; ".join(line for line in VIEW.splitlines() if ":" in line)
    assert GAME.start(view=one_line) == GAME.start(view=VIEW)


def test_what_comes_next_can_be_told():
    """Cards that are turned and that the opponent plays: so a round is followed move by move."""
    state = GAME.start(view=VIEW + "turned: 5초 2열 보2 9청\ntheir plays: 2피a 7열\n")
    state = state.play("6열")
    assert "5r" in state.text(0)
    state = state.play("2피a")
    assert state.actor == 0
    assert "[2y 2r 2pa]" in state.text(0)  # a ppuk


def test_hidden_cards_of_a_stated_position_change_no_answer():
    """What is told of the cards to come is not known yet."""
    plain = GAME.start(view=VIEW)
    told = GAME.start(view=VIEW + "turned: 5초 2열 보2 9청\ntheir plays: 2피a 7열\n")
    results = [tengen.search(state, visits=200, seed=5) for state in (plain, told)]
    assert results[0].table() == results[1].table()


def test_only_its_seat_can_search_it():
    state = GAME.start(view=VIEW + "turned: 5초\n").play("6열")
    assert state.actor == 1
    with pytest.raises(GameError, match="stated as player 0 sees it"):
        tengen.search(state, visits=10)
    with pytest.raises(GameError, match="nobody knows its deck"):
        GAME.deck(state)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("starter: 0", ""), "does not tell starter"),
        (("starter: 0", "starter: 2"), "starter is '2': expected a number from 0 to 1"),
        (("starter: 0", "starter: 1"), "their_cards is 7, but"),
        (("starter", "stater"), "a view has no 'stater'"),
        (("floor:", "hand:"), "tells 'hand' twice"),
        (("floor:", "floor"), "is no line of a view"),
        (("1광 3홍", "3홍"), "their_cards is 7, but"),
        (("2홍 5피a", "5피a"), "is a card missing"),
        (("1광 3홍", "1광 8광"), "8광 is told both in hand and in their_captured"),
        (("1광 3홍", "1광 1광"), "hand holds 1광 twice"),
        (("1광 3홍", "1광 3괭"), "'3괭' is no card"),
        (("1광 3홍", "1광 보2b"), "a deck of 50 does not have"),
        (("their cards: 7", "their cards: 6"), "their_cards is 6, but"),
        (("their cards: 7", "stock: 17"), "stock is 17, but"),
        (("their cards: 7", "dummies: 1"), "leaves no 1 dummies"),
        (("captured: 1홍 1피a", "captured: 1홍 1피a 1피b"), "is a card missing, or told too often"),
        (("their cards: 7", "piles: 2"), "of which no three cards are on the floor"),
        (("their cards: 7", "shown: 2홍"), "shown holds 2홍, which is not in hand"),
        (("their cards: 7", "played: 1광"), "played holds 1광"),
        (("their cards: 7", "gos: 11"), "expected a number from 0 to 10"),
        (("their cards: 7", "gukjin: maybe"), "expected undecided, yeol, pi"),
        (("their cards: 7", "held: 3"), "expected yes or no"),
        (("their cards: 7", "asked: go\ntheir captured: 1피b"), "twice"),
        (("their cards: 7", "asked: gukjin\nmover: 1\nstarter: 1"), "twice"),
        (("their cards: 7", "gold: 500"), "gold of one player only"),
        (("their cards: 7", "turned: 1광"), "told both in hand and in turned"),
        (("their cards: 7", "their plays: " + " ".join(CODES[40:48])), "told both"),
        (("their cards: 7", "carry: 0"), "from 1 to 65536"),
    ],
)
def test_faults_are_told(change, text):
    with pytest.raises(GameError, match=text.replace("(", r"\(")):
        GAME.start(view=VIEW.replace(*change))


def test_questions_at_the_end_of_a_turn():
    """After two turns of mine and one of theirs, with seven points."""
    view = """
    starter: 0
    asked: go
    hand: 4피a 6열 8피a 9국 11쌍 12광 12열 보2
    floor: 2홍 5피a 7피b 9피a
    captured: 1광 1홍 3광 3홍 8광 8열 2열 4열
    their captured: 6청 6피a
    """
    state = GAME.start(view=view)
    assert [GAME.name(action) for action in state.legal()] == ["고", "스톱"]
    assert GAME.view(state).bases[0] == 8
    assert state.play("스톱").payoffs[0] > 0
    with pytest.raises(GameError, match="go or stop is not asked with 3 points"):
        GAME.start(view=view.replace("2열 4열", "2피a 4초"))


def test_a_view_stands_alone():
    with pytest.raises(GameError, match="nothing else beside it"):
        GAME.start(view=VIEW, carry=2)
    for view in (3, [1], None, {"hand": 3.5}, {3: 4}, {"starter": 0, "hand": [None], "floor": []}):
        if view is not None:
            with pytest.raises((NotationError, GameError)):
                GAME.start(view=view)


JUNK = [
    "",
    " ",
    ":",
    "hand",
    "1광",
    "?",
    "-1",
    "999999999999999999999",
    "\x00",
    "보2b",
    "yes",
    "they",
    "월",
    "[",
    "{}",
    "🂡",
]


def mutate_text(text, rng):
    lines = text.splitlines()
    for _ in range(rng.randrange(1, 4)):
        i = rng.randrange(len(lines))
        name, colon, value = lines[i].partition(":")
        parts = value.split()
        kind = rng.randrange(7)
        if kind == 0:
            del lines[i]
        elif kind == 1:
            lines.insert(i, rng.choice(lines))
        elif kind == 2:
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(JUNK + list(CODES)))
        elif kind == 3 and parts:
            parts.pop(rng.randrange(len(parts)))
        elif kind == 4 and parts:
            parts[rng.randrange(len(parts))] = rng.choice(JUNK + list(CODES))
        elif kind == 5:
            name = rng.choice([*FIELDS, *JUNK])
        else:
            at = rng.randrange(len(lines[i]) + 1)
            lines[i] = lines[i][:at] + rng.choice(JUNK) + lines[i][at:]
            continue
        if kind not in (0, 1):
            lines[i] = f"{name}{colon} {' '.join(parts)}"
        if not lines:
            lines = [""]
    return "\n".join(lines)


def mutate_mapping(view, rng):
    changed = dict(view)
    values = [None, True, -1, 3, 2**70, 1.5, "", "1광", [], ["1광", 3], [None], {}, [[1]], "\ud800", float("nan")]
    for _ in range(rng.randrange(1, 3)):
        name = rng.choice([*FIELDS, "nonsense"])
        if rng.random() < 0.2 and changed:
            del changed[rng.choice(list(changed))]
        else:
            changed[name] = rng.choice(values)
    return changed


def start(view):
    try:
        return GAME.start(view=view), ""
    except GameError as error:
        return None, str(error)


def test_mutated_views_are_read_or_refused_in_words():
    rng = random.Random(7)
    texts = [VIEW, *(format_view(state, state.actor) for _, state in rounds("tengen", 2, "mutate"))]
    read = refused = 0
    for number in range(1000):
        text = rng.choice(texts)
        view = mutate_text(text, rng) if number % 3 else mutate_mapping(as_mapping(VIEW), rng)
        state, fault = start(view)
        if state is None:
            refused += 1
            assert 10 < len(fault) < 700
        else:
            read += 1
            seat = GAME.known_to(state.position)
            assert format_view(GAME.start(view=format_view(state, seat)), seat) == format_view(state, seat)
            state.redeal(seat, number)
    assert refused > 500
    assert read > 50


# Commands.


@pytest.fixture
def run(monkeypatch, capsys):
    return cli_runner.runner(monkeypatch, capsys)


def test_search_takes_a_view_from_a_file(run, tmp_path):
    file = tmp_path / "position.txt"
    file.write_text(VIEW, encoding="utf-8")
    ran = run("search", "matgo", "--start", f"view=@{file}", "--visits", 300, "--seed", 1, "--evaluator", "rollout")
    assert ran.code == 0, ran.err
    assert "gold for player 0" in ran.out
    assert "wins" in ran.out
    found = run("search", "matgo", "--start", f"view=@{file}", "--visits", 300, "--evaluator", "rollout", "--json")
    answer = json.loads(found.out)
    assert answer["unit"] == "gold"
    assert all(0 <= move["win_rate"] <= 1 for move in answer["moves"])
    assert {move["move"] for move in answer["moves"]} == {"1광", "3홍", "4피a", "6열", "8피a", "9국", "11쌍"}


def test_files_that_do_not_read(run, tmp_path):
    assert run("search", "matgo", "--start", f"view=@{tmp_path / 'absent'}").code == 2
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    ran = run("search", "matgo", "--start", f"view=@{tmp_path / 'binary'}")
    assert ran.code == 2
    assert "UTF-8" in ran.err
    ran = run("search", "matgo", "--start", "view=hand: 3x")
    assert ran.code == 2
    assert ran.err.count("\n") == 1


def test_the_page_tells_every_field():
    page = Path(__file__).parent.parent / "docs" / "games" / "matgo.md"
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    told = {name for line in rows for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert set(FIELDS) <= told
