"""Situations of Matgo and what must come of them, under presets tengen and hangame, and of the faults of kflower.

Each row is a deal and some moves. Unless it says otherwise, the second player begins with 4피a, takes 4피b from the
floor and turns 10피a, so that there are two pi to steal; then the first player has the first turn. Cards that a row
does not name come from other months.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest

import tengen
from tengen.games.matgo.cards import CODES, cards_in, month_of, parse_card

PHASES = ("play", "match hand", "match flip", "go or stop", "president", "gukjin", "over")
OTHER = "hangame"


@dataclass
class Row:
    name: str
    hand: str = ""  # the first player's
    floor: str = ""
    stock: str = ""
    moves: str = ""
    takes: str = ""  # what the first player has captured, stolen cards aside
    stolen: int = 0  # of the second player's cards
    lies: str = ""  # on the floor, among others
    gold: int = 0  # won by the first player
    ask: str = "play"
    second: str = ""  # in the second player's hand
    rules: dict[str, Any] = field(default_factory=dict)
    start: dict[str, Any] = field(default_factory=dict)
    prelude: bool = True
    hangame: dict[str, Any] = field(default_factory=dict)  # what is different there
    also: str = ""  # a further check, on `view`, `state` and `legal`


MATCHING = [
    Row("both cards find nothing and lie", "3홍", "", "5열", "3홍", lies="3홍 5열"),
    Row("one match is taken", "3홍", "3피a", "5열", "3홍", takes="3홍 3피a", lies="5열"),
    Row("two of different kinds are a question", "3홍", "3광 3피a", "5열", "3홍", ask="match hand",
        also="legal == {'먹기 3광', '먹기 3피a'}"),
    Row("one of the two is taken", "3홍", "3광 3피a", "5열", "3홍, 먹기 3광", takes="3홍 3광", lies="3피a 5열"),
    Row("of two plain pi the first", "3홍", "3피a 3피b", "5열", "3홍", takes="3홍 3피a", lies="3피b"),
    Row("of a double and a plain pi the double", "11피b", "11쌍 11피a", "5열", "11피b", takes="11피b 11쌍",
        lies="11피a"),
    Row("two plain pi are a question if so set", "3홍", "3피a 3피b", "5열", "3홍", ask="match hand",
        rules={"ask_same_kind": True}),
    Row("the turned card takes its match", "3홍", "5초", "5열", "3홍", takes="5열 5초", lies="3홍"),
    Row("the turned card asks", "3홍", "5초 5피a", "5열", "3홍", ask="match flip", lies="3홍"),
    Row("the turned card takes the chosen one", "3홍", "5초 5피a", "5열", "3홍, 먹기 5초", takes="5열 5초",
        lies="5피a"),
    Row("both take", "3홍", "3피a 5초", "5열", "3홍", takes="3홍 3피a 5열 5초"),
]  # fmt: skip

EVENTS = [
    Row("jjok: the turned card takes the one just played", "3홍", "", "3피a", "3홍", takes="3홍 3피a", stolen=1),
    Row("ddadak: the turned card takes the one left", "3홍", "3광 3피a", "3피b", "3홍, 먹기 3광",
        takes="3홍 3광 3피a 3피b", stolen=1, hangame={"gold": 700}),
    Row("two pairs of different months are no ddadak", "3홍", "3광 5초", "5열", "3홍", takes="3홍 3광 5열 5초"),
    Row("a ddadak on the second turn pays no gold", "9청 3홍", "3광 3피a", "5열 12띠 3피b", "9청, 7열, 3홍, 먹기 3광",
        second="7열", takes="3홍 3광 3피a 3피b", stolen=1),
    Row("ppuk: three stay, seven points at once", "3홍", "3피a", "3피b", "3홍", lies="3홍 3피a 3피b", gold=700),
    Row("a ppuk on the second turn alone pays nothing", "9청 3홍", "3피a", "5열 12띠 3피b", "9청, 7열, 3홍",
        second="7열", lies="3홍 3피a 3피b"),
    Row("two ppuks in a row", "3홍 5열", "3피a 5초", "3피b 12띠 5피a", "3홍, 7열, 5열", second="7열",
        lies="3홍 3피a 3피b 5열 5초 5피a", gold=700 + 1400),
    Row("two ppuks in a row, whatever the opponent takes between", "3홍 5열", "3피a 5초 7피a", "3피b 12띠 5피a",
        "3홍, 7열, 5열", second="7열", gold=700 + 1400, also="{'7열', '7피a'} <= captured(1)"),
    Row("three ppuks win", "3홍 5열 8광", "3피a 5초 8열", "3피b 12띠 5피a 2홍 8피a", "3홍, 7열, 5열, 6청, 8광",
        second="7열 6청", gold=700 + 1400 + 2100 + 700, ask="over", also="view.winner == 0"),
    Row("three ppuks later on win seven points", "9청 3홍 5열 8광", "3피a 5초 8열 7피a 6피a 12광 2열",
        "1홍 12띠 3피b 2홍 5피a 11광 8피a", "9청, 7열, 3홍, 6청, 5열, 1광, 8광", second="7열 6청 1광", gold=700,
        ask="over", also="view.winner == 0 and view.ppuks[0] == 3"),
    Row("three ppuks are multiplied by the carry", "9청 3홍 5열 8광", "3피a 5초 8열 7피a 6피a 12광 2열",
        "1홍 12띠 3피b 2홍 5피a 11광 8피a", "9청, 7열, 3홍, 6청, 5열, 1광, 8광", second="7열 6청 1광", gold=1400,
        ask="over", start={"carry": 2}),
    Row("a ppuk is paid as far as there is gold", "3홍", "3피a", "3피b", "3홍", gold=300, start={"gold": (1000, 300)}),
    Row("the opponent eats the ppuk", "3홍", "3피a", "3피b 5열", "3홍, 3광", second="3광", gold=700,
        also="{'3광', '3홍', '3피a', '3피b'} <= captured(1)"),
    Row("one's own ppuk", "3홍 3광", "3피a", "3피b 12띠 5열", "3홍, 7열, 3광", second="7열",
        takes="3홍 3피a 3피b 3광", stolen=1, gold=700, hangame={"stolen": 2}),
    Row("a pile of the deal, by hand", "3홍", "3광 3피a 3피b", "5열", "3홍", takes="3홍 3광 3피a 3피b", stolen=1),
    Row("a pile of the deal, by a turned card", "5열", "3광 3피a 3피b", "3홍", "5열", takes="3홍 3광 3피a 3피b",
        stolen=1, lies="5열"),
    Row("a pile, and then a choice", "3홍", "3광 3피a 3피b 5초 5피a", "5열", "3홍, 먹기 5초",
        takes="3홍 3광 3피a 3피b 5열 5초", stolen=1),
    Row("a pile worth two pi", "3홍", "3광 3피a 3피b", "5열", "3홍", takes="3홍 3광 3피a 3피b", stolen=2,
        rules={"eat_pile": 2}),
    Row("pansseul: the floor is empty", "3홍 7초", "1광 2열 3광 4열 5열 6열 7열 8광", "2홍 4초 6피a 8피a",
        "1홍, 3홍, 5피a, 7초", second="1홍 5피a", takes="3홍 3광 4초 4열 7초 7열 8피a 8광", stolen=1, prelude=False),
    Row("nothing to steal", "3홍", "", "12띠 3피a", "7열, 3홍", second="7열", takes="3홍 3피a", prelude=False),
]  # fmt: skip

BONUS = [
    Row("a bonus card is turned", "3홍", "", "보3 5열", "3홍", takes="보3", stolen=1, lies="3홍 5열"),
    Row("two bonus cards are turned", "3홍", "3피a", "보2 보3 5열", "3홍", takes="보2 보3 3홍 3피a", stolen=2,
        lies="5열"),
    Row("a bonus card and a jjok", "3홍", "", "보2 3피a", "3홍", takes="보2 3홍 3피a", stolen=2),
    Row("a bonus card waits for a choice", "3홍", "5초 5피a", "보2 5열", "3홍", ask="match flip",
        also="cards(view.table) == {'보2', '5열'}"),
    Row("a bonus card without pi", "3홍", "", "보3 5열", "3홍", takes="보3", rules={"bonus_steal": 0}),
    Row("a bonus card lies with the ppuk", "3홍", "3피a", "보2 3피b", "3홍", lies="3홍 3피a 3피b 보2", gold=700),
    Row("and is taken with it", "3홍 3광", "3피a 6피b", "보2 3피b 12띠 5열", "3홍, 6피a, 3광", second="6피a",
        takes="3홍 3피a 3피b 3광 보2", stolen=2, gold=700, hangame={"stolen": 3}),
    Row("a bonus card from the hand: a new card, the same turn", "보2 3홍", "", "7초 5열", "보2", takes="보2", stolen=1,
        also="state.actor == 0 and {'7초', '3홍'} <= set(legal) and view.turns[0] == 0"),
    Row("both bonus cards from the hand", "보2 보3 3홍", "", "7초 5열 9청", "보2, 보3", takes="보2 보3", stolen=2,
        also="{'7초', '5열', '3홍'} <= set(legal)"),
    Row("bonus cards of the floor are the starter's", "3홍", "보2 보3", "1홍 2홍", also="captured(1) == {'보2', '보3'}",
        lies="1홍 2홍", prelude=False),
    Row("a bonus card that replaces one is taken too", "3홍", "보2", "보3 2홍", also="captured(1) == {'보2', '보3'}",
        lies="2홍", prelude=False),
    Row("three bonus cards", "보2b 3홍", "", "7초 5열", "보2b", takes="보2b", stolen=1, rules={"bonus_cards": 3}),
]  # fmt: skip

BOMBS = [
    Row("a bomb", "3광 3피a 3피b", "3홍", "5열", "폭탄 3월", takes="3광 3피a 3피b 3홍", stolen=1, lies="5열",
        also="view.bombs[0] == 1"),
    Row("the bomb is a choice", "3광 3피a 3피b", "3홍", "5열", "3광", takes="3광 3홍", also="view.bombs[0] == 0"),
    Row("no bomb without a card on the floor, no shake with one", "3광 3피a 3피b 5열 5초 5피a", "3홍",
        also="'폭탄 3월' in legal and '흔들고 3광' not in legal and '폭탄 5월' not in legal and '흔들고 5열' in legal"),
    Row("two dummies after a bomb", "3광 3피a 3피b", "3홍", "5열 12띠", "폭탄 3월, 7열", second="7열",
        takes="3광 3피a 3피b 3홍", stolen=1, also="view.dummies[0] == 2 and '폭탄패' in legal"),
    Row("a dummy only turns a card", "3광 3피a 3피b", "3홍 9국", "5열 12띠 9청", "폭탄 3월, 7열, 폭탄패", second="7열",
        takes="3광 3피a 3피b 3홍 9국 9청", stolen=1, also="view.dummies[0] == 1"),
    Row("a shake shows three cards and plays one", "3광 3피a 3피b", "", "5열", "흔들고 3피a", lies="3피a 5열",
        also="view.shaken[0] == 1 << 2 and cards(view.shown[0]) == {'3광', '3피b'}"),
    Row("a shake that ends in a jjok", "3광 3피a 3피b", "", "3홍", "흔들고 3피a", takes="3피a 3홍", stolen=1),
    Row("three cards need not be shaken", "3광 3피a 3피b", "", "5열", "3피a", lies="3피a", also="view.shaken[0] == 0"),
    Row("two and two are no bomb", "3광 3피a", "3홍 3피b", also="'폭탄 3월' not in legal",
        hangame={"also": "'폭탄 3월' in legal"}),
    Row("a bomb of two where it is played", "3광 3피a", "3홍 3피b", "5열 12띠", "폭탄 3월, 7열", second="7열",
        takes="3광 3피a 3홍 3피b", stolen=1, rules={"two_card_bomb": True},
        also="view.bombs[0] == 0 and view.dummies[0] == 1"),
]  # fmt: skip

FOURS = [
    Row("four in hand at the first turn", "3광 3홍 3피a 3피b", ask="president",
        also="cards(view.shown[0]) == {'3광', '3홍', '3피a', '3피b'}",
        hangame={"moves": "", "ask": "over", "gold": 1000, "prelude": False, "also": "view.winner == 0"}),
    Row("president stops", "3광 3홍 3피a 3피b", moves="총통 스톱", gold=1000, ask="over", also="view.winner == 0",
        hangame={"moves": "", "prelude": False}),
    Row("president with carry", "3광 3홍 3피a 3피b", moves="총통 스톱", gold=4000, ask="over", start={"carry": 4},
        hangame={"moves": "", "prelude": False}),
    Row("president holds", "3광 3홍 3피a 3피b", moves="들고치기", also="view.held[0] == 1 and '흔들고 3광' in legal",
        rules={"president_choice": True}),
    Row("four after a bonus card", "보2 3광 3홍 3피a", "", "3피b", "보2", takes="보2", stolen=1, ask="president"),
    Row("four on both hands: who begins", "3광 3홍 3피a 3피b", second="5열 5초 5피a 5피b", ask="president",
        prelude=False, also="state.actor == 1",
        hangame={"ask": "over", "gold": -1000, "also": "view.winner == 1"}),
    Row("four on the floor: who begins wins", "", "3광 3홍 3피a 3피b", gold=-1000, ask="over", prelude=False,
        also="view.winner == 1"),
    Row("four on the floor, multiplied by the carry", "", "3광 3홍 3피a 3피b", gold=-2000, ask="over", prelude=False,
        start={"carry": 2}),
    Row("four on the floor as nagari", "", "3광 3홍 3피a 3피b", ask="over", prelude=False,
        rules={"floor_four": "nagari"}, also="view.winner == 2"),
    Row("three on the floor are nothing", "1홍", "3광 3홍 3피a", prelude=False, also="state.actor == 1"),
]  # fmt: skip

# The second player begins with 11쌍 and takes 11광; the triple bonus pi is on the floor and hers.
STEALING = [
    Row("a double pi goes before a triple", "3홍", "11광 보3", "12띠 2홍 3피a", "11쌍, 3홍", second="11쌍",
        takes="3홍 3피a", stolen=1, prelude=False, also="'11쌍' in captured(0)"),
    Row("a triple pi goes last", "3홍", "11광 보3", "12띠 2홍 보2 3피a", "11쌍, 3홍", second="11쌍",
        takes="보2 3홍 3피a", stolen=2, prelude=False, also="captured(1) == {'11광'}"),
    Row("a plain pi goes first", "3홍", "11광 11피a 보3", "12띠 2홍 3피a", "11피b, 먹기 11광, 3홍", second="11피b",
        takes="3홍 3피a", stolen=1, prelude=False, also="captured(1) == {'11광', '보3'}"),
]  # fmt: skip

# There anybody's next capture eats a ppuk, and that ends the row of ppuks.
KFLOWER = [
    Row("two ppuks in a row, nothing taken between", "3홍 5열", "3피a 5초", "3피b 12띠 5피a", "3홍, 7열, 5열",
        second="7열", gold=700 + 1400),
    Row("the opponent takes a pair between two ppuks", "3홍 5열", "3피a 5초 7피a", "3피b 12띠 5피a", "3홍, 7열, 5열",
        second="7열", gold=700),
    Row("the opponent takes the first ppuk", "3홍 5열", "3피a 5초", "3피b 12띠 5피a", "3홍, 3광, 5열", second="3광",
        gold=700),
    Row("a third ppuk in a row after one was eaten", "3홍 5열 8광", "3피a 5초 8열 7피a", "3피b 12띠 5피a 2홍 8피a",
        "3홍, 7열, 5열, 6청, 8광", second="7열 6청", gold=700 + 700, ask="over", also="view.winner == 0"),
    Row("the third turn after an eaten second", "3홍 5열 8광", "3피a 5초 8열 6피a", "3피b 12띠 5피a 2홍 8피a",
        "3홍, 7열, 5열, 6청, 8광", second="7열 6청", gold=700 + 1400 + 700, ask="over", also="view.winner == 0"),
]  # fmt: skip

ROWS = [*MATCHING, *EVENTS, *BONUS, *BOMBS, *FOURS, *STEALING]


def read(codes):
    return [parse_card(code) for code in codes.split()]


def make_deck(row, size):
    """The named cards in their places; the others fill up, months that the row does not name first."""
    second, floor, stock = row.second, row.floor, row.stock
    if row.prelude:
        second, floor, stock = f"4피a {second}", f"4피b {floor}", f"10피a {stock}"
    hands = [read(row.hand), read(second)]
    places = [*hands, read(floor), read(stock)]
    named = {card for part in places for card in part}
    months = {month_of(card) for card in named}
    rest = sorted(set(range(size)) - named, key=lambda c: (c >= 48, month_of(c) in months, c % 4, c))
    for part, count in ((places[2], 8), (hands[0], 10), (hands[1], 10)):
        while len(part) < count:
            part.append(rest.pop(0))
    # What remains of bonus cards lies at the bottom.
    return [*hands[0], *hands[1], *places[2], *places[3], *rest]


def play(row, preset):
    game = tengen.game("matgo", preset=preset, **row.rules)
    state = game.start(deck=make_deck(row, game.deck_size), starter=1, **row.start)
    moves = [move.strip() for move in row.moves.split(",") if move.strip()]
    for move in ["4피a", *moves] if row.prelude else moves:
        state = state.play(move)
    return game, state


CASES = [*((row, preset) for row in ROWS for preset in ("tengen", OTHER)), *((row, "kflower") for row in KFLOWER)]


@pytest.mark.parametrize(("row", "preset"), CASES, ids=[f"{row.name}-{preset}" for row, preset in CASES])
def test_situation(row, preset):
    if preset == OTHER:
        row = Row(**{**vars(row), **row.hangame})
    game, state = play(row, preset)
    view = game.view(state)

    def cards(mask):
        return {CODES[card] for card in cards_in(mask)}

    def captured(seat):
        return cards(view.captured[seat])

    takes = set(row.takes.split())
    assert PHASES[view.phase] == row.ask
    assert takes <= captured(0)
    if row.ask != "over":
        assert len(captured(0) - takes) == row.stolen
    assert set(row.lies.split()) <= cards(view.floor)
    assert (state.payoffs[0] if state.is_over else view.gold[0] - row.start.get("gold", (0,))[0]) == row.gold
    if row.also:
        legal = {game.name(action) for action in state.legal()}
        names = {"view": view, "state": state, "legal": legal, "cards": cards, "captured": captured}
        assert eval(row.also, names), row.also


def test_the_table_is_long_enough():
    rows = [*ROWS, *KFLOWER]
    assert len(rows) >= 50
    assert len({row.name for row in rows}) == len(rows)
