"""Matgo's settings, names, drawings and records, in Python."""

import json
import pickle
import random
import unicodedata
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen.games import GameError, IllegalAction, NotationError, SettingError
from tengen.games.matgo import PRESETS, Matgo, format_record, parse_record
from tengen.games.matgo.cards import (
    CODES,
    GUKJIN,
    PLAIN_CODES,
    cards_in,
    kind_of,
    month_of,
    parse_card,
    pi_value,
)
from tengen.games.matgo.notation import card_of, format_action, format_plain, parse_action
from tengen.search import Pool, SearchSettings

GAME = tengen.game("matgo")


def play_out(state, seed):
    rng = random.Random(seed)
    while not state.is_over:
        state = state.play(rng.choice(state.legal()))
    return state


# Cards.


def test_cards_are_those_of_hwatu():
    kinds = [kind_of(card) for card in range(48)]
    assert [kinds.count(kind) for kind in ("gwang", "yeol", "ribbon", "pi")] == [5, 9, 10, 24]
    assert sum(map(pi_value, range(50))) == 31
    assert [pi_value(card) for card in (41, 47, 48, 49, 50, GUKJIN)] == [2, 2, 2, 3, 2, 0]
    assert [month_of(card) for card in (0, 47, 48, 50)] == [1, 12, 0, 0]


def test_card_codes_round_trip():
    for codes in (CODES, PLAIN_CODES):
        assert len(set(codes)) == 51
        assert [parse_card(code) for code in codes] == list(range(51))
    assert [parse_card(str(card)) for card in range(51)] == list(range(51))
    assert [CODES[card] for card in (0, 4, 32, 1, 13, 21, 46, 41, 2, 3, 48, 49)] == [
        *("1광", "2열", "9국", "1홍", "4초", "6청", "12띠", "11쌍", "1피a", "1피b", "보2", "보3"),
    ]
    assert parse_card(" 12 G ") == 44
    assert parse_card(unicodedata.normalize("NFD", "9국")) == GUKJIN


@pytest.mark.parametrize("text", ["", "13광", "1", "51", "8yy", "²", "1피c"])
def test_no_card(text):
    if text == "1":
        assert parse_card(text) == 1  # an id
        return
    with pytest.raises(NotationError) as caught:
        parse_card(text)
    assert repr(text) in str(caught.value)


# Actions.


def test_every_action_has_two_names():
    for write in (format_action, format_plain):
        names = [write(action) for action in range(168)]
        assert len(set(names)) == 168
        assert [parse_action(name) for name in names] == list(range(168))
        assert [parse_action(name.upper().replace(" ", "  ")) for name in names] == list(range(168))
    assert [parse_action(str(action)) for action in range(168)] == list(range(168))


def test_names_of_actions():
    actions = (28, 50, 53, 63 + 9, 111 + 9, 161, 162, 163, 164, 165, 166)
    assert [GAME.name(action) for action in actions] == [
        *("8광", "폭탄패", "폭탄 3월", "흔들고 3홍", "먹기 3홍", "고", "스톱", "총통 스톱", "들고치기"),
        *("국진 열끗", "국진 쌍피"),
    ]
    assert [GAME.format_plain(action) for action in actions] == [
        *("8g", "dummy", "bomb 3", "shake 3r", "take 3r", "go", "stop", "president stop", "president hold"),
        *("gukjin yeol", "gukjin pi"),
    ]
    assert [parse_action(text) for text in ("president_stop", "president_hold", "five", "junk")] == [163, 164, 165, 166]
    assert [card_of(action) for action in (0, 49, 50, 51, 63, 110, 111, 158, 161, 167)] == [
        *(0, 49, None, None, 0, 47, 0, 47, None, 50),
    ]


def test_the_third_bonus_card_is_an_action_where_it_is_in_the_deck():
    assert GAME.action_count == 167
    three = tengen.game("matgo", bonus_cards=3)
    assert three.action_count == 168
    assert three.name(167) == "보2b"
    with pytest.raises(GameError):
        GAME.name(167)
    with pytest.raises(NotationError, match="0 to 166"):
        GAME.parse("167", GAME.start(seed=1))


@given(st.text(max_size=12))
def test_any_text_is_an_action_or_an_error_that_names_it(text):
    try:
        answer = parse_action(text)
    except NotationError as error:
        answer = error
    assert repr(text) in str(answer) if isinstance(answer, NotationError) else answer in range(168)


ASKING = "starter: 0; hand: 3홍 1광 1피a 1피b 5열 5초 5피a 9국 2홍 10청; floor: 3광 3피a 1홍 6피a 7피a 8피a 11피a 12띠"


def asked_to_take():
    """3홍 finds two cards of its month, of different kinds."""
    return GAME.start(view=ASKING).play("3홍")


@pytest.mark.parametrize(
    ("text", "action"),
    [("3광", 119), ("3g", 119), ("3피a", 121), (" 3 PA ", 121), ("먹기 3광", 119), ("take 3pa", 121)],
)
def test_a_bare_card_is_taken_where_one_is_asked_for(text, action):
    state = asked_to_take()
    assert GAME.parse(text, state) == action
    assert state.play(text) == state.play(action)


def test_a_bare_card_that_cannot_be_taken_is_refused():
    for text in ("3홍", "9국", "1홍"):
        with pytest.raises(IllegalAction):
            GAME.parse(text, asked_to_take())


def test_less_than_a_name_is_enough_where_it_names_one_choice():
    state = GAME.start(view=ASKING)
    assert GAME.parse("bomb", state) == GAME.parse("폭탄", state) == GAME.parse("bomb 1", state)
    assert [GAME.parse(card, state) for card in ("3홍", "9국", "1광")] == [9, 32, 0]
    with pytest.raises(NotationError, match="'shake' may be shake 5y or shake 5r or shake 5pa here"):
        GAME.parse("shake", state)
    with pytest.raises(NotationError, match="'take' may be take 3g or take 3pa here"):
        GAME.parse("take", asked_to_take())
    four = GAME.start(view=ASKING.replace("9국", "5피b") + "; asked: president")
    assert [GAME.parse(text, four) for text in ("stop", "스톱", "hold", "총통")] == [163, 163, 164, 163]
    for text in ("bomb", "hold", "yeol"):
        with pytest.raises(NotationError, match=f"'{text}' is no action"):
            GAME.parse(text, asked_to_take())


# Settings.


def test_presets_are_resolved():
    assert PRESETS["tengen"]["eat_trigger"] == "three_pile"
    game = tengen.game("matgo", preset="kflower", go_min=5)
    assert game.settings["eat_trigger"] == "next_capture"
    assert game.settings["go_min"] == 5
    assert repr(game) == "Matgo(preset='kflower', go_min=5)"
    assert repr(GAME) == "Matgo(preset='tengen')"
    assert None not in game.settings.values()
    assert game == Matgo(**game.settings) == pickle.loads(pickle.dumps(game))
    assert game != GAME
    json.dumps(dict(game.settings))


def test_the_core_knows_the_same_defaults():
    assert tengen._core.Matgo().settings == GAME.core.settings


def test_presets_name_the_same_settings():
    names = set(GAME.settings) - {"preset"}
    assert all(set(preset) == names for preset in PRESETS.values())
    assert len({json.dumps(dict(preset)) for preset in PRESETS.values()}) == 3


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"preset": "seoul"}, "preset"),
        ({"bonus_cards": 1}, "bonus_cards"),
        ({"go_min": 0}, "go_min is 0, not 1 to 50"),
        ({"gold_per_point": 0}, "gold_per_point"),
        ({"gold_per_point": 2**70}, "gold_per_point|out of range"),
        ({"president_hold_mult": 99}, "president_hold_mult is 99, not 1 to 16"),
        ({"eat_trigger": "always"}, "eat_trigger"),
        ({"house_rules": True}, "house_rules"),
    ],
)
def test_settings_that_do_not_fit(settings, complaint):
    with pytest.raises(SettingError, match=complaint):
        tengen.game("matgo", **settings)


# Starting.


def test_a_seed_is_a_deal_and_a_starter():
    assert GAME.start(seed=4) == GAME.start(seed=4)
    assert GAME.start(seed=4) != GAME.start(seed=5)
    assert {GAME.view(GAME.start(seed=seed)).starter for seed in range(20)} == {0, 1}
    assert GAME.view(GAME.start(seed=4, starter=1)).starter == 1


def test_a_deck_is_dealt_as_it_lies():
    deck = [*range(28, 38), *range(38, 48), *range(8), *range(8, 28), 48, 49]
    deck[20:28] = [0, 4, 8, 12, 16, 20, 24, 1]
    deck[28:48] = sorted(set(range(48)) - set(deck[:28]))
    state = GAME.start(deck=deck)
    view = GAME.view(state)
    assert cards_in(view.hands[0]) == deck[:10]
    assert cards_in(view.hands[1]) == deck[10:20]
    assert cards_in(view.floor) == sorted(deck[20:28])
    assert view.stock == 22
    assert view.starter == 0
    assert GAME.start(deck=[CODES[card] for card in deck]) == state
    assert GAME.start(deck=GAME.deck(state)) == state


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"deck": list(range(49))}, "49 cards, not 50"),
        ({"deck": [0] * 50}, "card 0 twice"),
        ({"deck": [*range(49), 50]}, "cards are 0 to 49"),
        ({"starter": 2}, "starter is 2, not 0 to 1"),
        ({"carry": 0}, "carry is 0"),
        ({"carry": 2**40}, "carry="),
        ({"gold": (-1, 5)}, "gold"),
        ({"gold": (1, 2, 3)}, "gold="),
    ],
)
def test_what_is_no_deal(options, complaint):
    with pytest.raises(GameError, match=complaint):
        GAME.start(seed=1, **options)


def test_gold_limits_what_is_lost():
    rng = random.Random(3)
    emptied = 0
    for seed in range(200):
        purse = (rng.randrange(1500), rng.randrange(1500))
        final = play_out(GAME.start(seed=seed, gold=purse), seed)
        gold = GAME.view(final).gold
        assert min(gold) >= 0
        assert sum(gold) == sum(purse)
        assert final.payoffs == (gold[0] - purse[0], gold[1] - purse[1])
        emptied += min(gold) == 0
    assert emptied > 20


# Soundness, in bulk.


@pytest.mark.parametrize("preset", PRESETS)
def test_cards_and_gold_add_up(preset):
    game = tengen.game("matgo", preset=preset)
    audit = game.core.audit(7, 20_000)
    assert audit.invalid == 0
    assert audit.games == 20_000
    # What is known of random play: who begins wins more often, and nagari is rare.
    assert 0.55 < audit.starter_wins / audit.games < 0.66
    assert audit.nagaris / audit.games < 0.01


def test_random_playouts_balance():
    position = GAME.start(seed=2).position
    plies, sums = GAME.core.playouts(position, 1, 500)
    assert plies > 500
    assert sum(sums) == 0
    plies, sums = GAME.core.playouts(position, 1, 500, "greedy")
    assert plies > 500
    assert sum(sums) == 0


def test_the_greedy_player_beats_a_random_one():
    """Every deal twice, seats swapped."""
    rng = random.Random(1)
    won = total = 0
    for seed in range(250):
        for seat in (0, 1):
            state = GAME.start(seed=seed)
            while not state.is_over:
                state = state.play(GAME.greedy(state) if state.actor == seat else rng.choice(state.legal()))
            won += state.payoffs[seat] > 0
            total += 1
    assert won / total > 0.7


def test_a_root_is_not_searched_while_the_opponent_is_to_act():
    """What the opponent may do differs from deal to deal: such a root has no actions of its own to visit."""
    pool = Pool(GAME, SearchSettings(visits=50, rule="ucb1"), "rollout")
    root = pool.add(GAME.start(seed=6, starter=0), seed=1)
    rng = random.Random(2)
    refused = 0
    for _ in range(40):
        state = pool.state(root)
        if state.is_over:
            break
        if state.actor == 0:
            pool.run()
            assert pool.result(root).visits >= 50
        else:
            refused += 1
            with pytest.raises(ValueError, match="player 1 is to act, not the viewer, player 0"):
                pool.run()
        pool.advance(root, rng.choice(state.legal()))
    assert refused > 5


# Drawings.


def test_text_of_a_table():
    deck = "1광 2피a 3홍 5초 6피a 7초 8광 9청 10피a 12띠 1홍 2피b 3피a 5피a 6피b 7피a 8피a 9피a 11쌍 12열 "
    deck += "4피b 5열 6열 7열 8열 9국 10열 11광 3피b 4초"
    rest = [CODES[card] for card in range(50) if CODES[card] not in deck.split()]
    state = GAME.start(deck=[*deck.split(), *rest], starter=0).play("8광")
    assert state.text(0).splitlines() == [
        "  stock 21, you began",
        "  they    ?????????? <- to play",
        "          0 points",
        "  floor   3pb  4pb  5y  6y  7y  9y  10y  11g",
        "  you     1g 2pa 3r 5r 6pa 7r 9r 10pa 12r",
        "          gwang 1: 8g  yeol 1: 8y",
        "          0 points",
    ]
    assert "1r 2pb 3pa" in str(state)
    assert "2pa" not in state.text(1)


def test_text_tells_the_gold():
    assert "5,000 gold" in str(GAME.start(seed=1, gold=(5000, 7000)))
    assert "gold" not in str(GAME.start(seed=1))


def test_the_end_says_what_was_paid():
    texts = [str(play_out(GAME.start(seed=seed), seed)) for seed in range(60)]
    assert any("pi-bak" in text and "times" in text for text in texts)
    assert any(" go" in text.splitlines()[-1] for text in texts)
    assert all("wins" in text.splitlines()[-1] or "nagari" in text.splitlines()[-1] for text in texts)


def test_svg_shows_every_card_once():
    state = play_out(GAME.start(seed=8), 8)
    root = ET.fromstring(state.svg())
    cards = [node for node in root.iter("{http://www.w3.org/2000/svg}rect") if node.get("height") == "62"]
    view = GAME.view(state)
    seen = sum(len(cards_in(mask)) for mask in (*view.hands, *view.captured, view.floor))
    assert len([card for card in cards if "transform" in card.attrib]) == seen + (view.stock > 0)


# Records.


@pytest.mark.parametrize("preset", PRESETS)
def test_records_round_trip(preset):
    game = tengen.game("matgo", preset=preset, gold_per_point=50)
    for seed in range(20):
        gold = (3000, 2000) if seed % 2 else None
        state = play_out(game.start(seed=seed, carry=1 + seed % 3, gold=gold), seed)
        text = format_record(state)
        again = parse_record(text)
        assert again == state
        assert again.game == game
        assert again.payoffs == state.payoffs
        assert format_record(again) == text


def test_a_record_of_a_round_under_way():
    state = GAME.start(seed=5)
    state = state.play(state.legal()[0])
    assert parse_record(format_record(state)) == state
    assert not parse_record(format_record(state)).is_over


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("matgo record 1", "matgo record 2", "first line"),
        ("starter: 0", "starter: x", "starter: 'x' is not a number"),
        ("starter: 0", "beginner: 0", "beginner"),
        ("preset=tengen", "preset=tengen speed=9", "speed=9"),
        ("gold: unlimited", "gold: 5", "two numbers"),
        ("payoffs: ", "payoffs: 1", "lead to"),
        ("actions: ", "actions: 고, ", "action 1 of the record, '고'"),
    ],
)
def test_records_that_do_not_fit(old, new, complaint):
    text = format_record(play_out(GAME.start(seed=3, starter=0), 3))
    assert old in text
    with pytest.raises(NotationError, match=complaint):
        parse_record(text.replace(old, new, 1))


def test_a_record_is_of_matgo():
    with pytest.raises(GameError, match="pyrga"):
        format_record(tengen.game("pyrga").start())
