"""Rounds that hang together, and deals that can be verified."""

import random

import pytest

import tengen
from tengen.games import GameError, SettingError
from tengen.games.matgo import (
    DealMismatch,
    GoldSeries,
    GoldSeriesSettings,
    commitment,
    new_seed,
    verifiable_deck,
    verify_deal,
)

GAME = tengen.game("matgo")
SEED = "00112233445566778899aabbccddeeff" * 2


def play_out(state, seed=0):
    rng = random.Random(seed)
    while not state.is_over:
        state = state.play(rng.choice(state.legal()))
    return state


def nagari_deck():
    """Four of a month on the floor, which is nagari by setting."""
    rest = [card for card in range(50) if card // 4 != 2]
    return [*rest[:20], 8, 9, 10, 11, *rest[20:]]


# Sessions.


def test_gold_goes_from_round_to_round():
    series = GoldSeries(GAME)
    assert series.purse == (1_000_000, 1_000_000)
    for number in range(30):
        state = play_out(series.start(seed=number), number)
        before, series = series, series.after(state)
        won = state.payoffs[0]
        assert series.purse == (before.purse[0] + won, before.purse[1] - won)
        assert series.rounds == number + 1
        winner = GAME.view(state).winner
        if winner == 2:
            assert series.carry == 2 * before.carry
            assert series.starter == GAME.view(state).starter
        else:
            assert series.carry == 1
            assert series.starter == winner
            assert GAME.view(series.start(seed=number)).starter == winner


def test_nagari_doubles_the_next_round():
    game = tengen.game("matgo", floor_four="nagari")
    series = GoldSeries(game, GoldSeriesSettings(carry_cap=8), starter=1)
    carries = []
    for _ in range(5):
        state = series.start(deck=nagari_deck())
        assert state.is_over
        assert state.payoffs == (0, 0)
        series = series.after(state)
        carries.append(series.carry)
    assert carries == [2, 4, 8, 8, 8]
    assert series.starter == 1
    state = play_out(series.start(seed=1))
    assert game.view(state).carry == 8
    assert series.after(state).carry == 1


def test_the_carry_ends_where_the_rules_do():
    game = tengen.game("matgo", floor_four="nagari")
    series = GoldSeries(game, carry=2**15, starter=0)
    for _ in range(3):
        series = series.after(series.start(deck=nagari_deck()))
    assert series.carry == 2**16


@pytest.mark.parametrize(("reset", "refilled"), [("both", (900, 900)), ("bankrupt", None)])
def test_bankruptcy(reset, refilled):
    series = GoldSeries(GAME, GoldSeriesSettings(start_gold=900, bankrupt_reset=reset))
    seen = 0
    for number in range(200):
        state = play_out(series.start(seed=number), number)
        gold = GAME.view(state).gold
        series = series.after(state)
        if 0 in gold:
            seen += 1
            assert series.purse == (refilled or tuple(900 if left == 0 else left for left in gold))
            assert sum(series.bankruptcies) == seen
        else:
            assert series.purse == tuple(gold)
    assert seen > 20
    assert min(series.bankruptcies) > 0


def test_who_begins_the_first_round():
    deck = list(range(50))
    deck[0], deck[40] = deck[40], deck[0]  # the first hand begins with month 11, the second with month 3
    rng = random.Random(1)
    by_clock = GoldSeries(GAME, GoldSeriesSettings(first_turn="night_day"))
    assert GoldSeries(GAME).first(deck, rng) == 0
    assert [by_clock.first(deck, rng, hour) for hour in (0, 5, 6, 17, 18, 23)] == [1, 1, 0, 0, 1, 1]
    deck[0], deck[48] = deck[48], deck[0]  # a bonus card has no month: the next card counts
    assert GoldSeries(GAME).first(deck, rng) == 1
    tied = [0, *range(4, 13), 1, 2, 3, *range(13, 50)]
    assert {GoldSeries(GAME).first(tied, random.Random(seed)) for seed in range(10)} == {0, 1}


def test_presets_of_sessions():
    assert GoldSeriesSettings.of_preset("kflower").start_gold == 100_000
    assert GoldSeriesSettings.of_preset("kflower").first_turn == "night_day"
    assert GoldSeriesSettings.of_preset("hangame") == GoldSeriesSettings.of_preset("tengen") == GoldSeriesSettings()


@pytest.mark.parametrize(
    "settings", [{"start_gold": 0}, {"carry_cap": 0}, {"first_turn": "me"}, {"bankrupt_reset": "nobody"}]
)
def test_session_settings_that_do_not_fit(settings):
    with pytest.raises(SettingError, match=next(iter(settings))):
        GoldSeriesSettings(**settings)


def test_a_session_takes_its_own_rounds_only():
    series = GoldSeries(GAME)
    with pytest.raises(GameError, match="not over"):
        series.after(series.start(seed=1))
    with pytest.raises(GameError, match="began with gold"):
        series.after(play_out(GAME.start(seed=1, gold=(5, 5))))


# Fair deals.


def test_a_fair_deck_is_the_seeds():
    deck = verifiable_deck(SEED)
    assert sorted(deck) == list(range(50))
    assert deck == verifiable_deck(SEED.upper())
    assert len({tuple(verifiable_deck(SEED, client=client, number=n)) for client in "ab" for n in range(3)}) == 6
    assert [len(verifiable_deck(SEED, cards=cards)) for cards in (48, 50, 51)] == [48, 50, 51]
    # Computed with other tools: decks of old rounds must stay verifiable.
    assert commitment(SEED) == "4773d12e2371bb935b9a0f5439b4a1c3ad3f2414b86980f8418d1cfabdfadfef"
    assert deck[:12] == [7, 38, 45, 24, 11, 20, 49, 0, 29, 40, 12, 35]
    assert deck[-12:] == [23, 15, 33, 41, 10, 25, 46, 4, 16, 37, 18, 28]


def test_fair_decks_are_uniform():
    """Each card is at the top about equally often."""
    tops = [verifiable_deck(SEED, number=number)[0] for number in range(2000)]
    assert all(15 < tops.count(card) < 75 for card in range(50))


def test_a_deal_is_verified():
    seed = new_seed()
    promised = commitment(seed)
    deck = verifiable_deck(seed, client="dice 5 3", number=7)
    verify_deal(promised, seed, deck, client="dice 5 3", number=7)
    state = play_out(GAME.start(deck=deck))
    verify_deal(promised, seed, GAME.deck(state), client="dice 5 3", number=7)
    with pytest.raises(DealMismatch, match="not the seed that was promised"):
        verify_deal(commitment(new_seed()), seed, deck, client="dice 5 3", number=7)
    with pytest.raises(DealMismatch, match="hand is"):
        verify_deal(promised, seed, deck, client="dice 5 4", number=7)
    swapped = [*deck[:-2], deck[-1], deck[-2]]
    with pytest.raises(DealMismatch, match="the stock is"):
        verify_deal(promised, seed, swapped, client="dice 5 3", number=7)


@pytest.mark.parametrize("seed", ["", "12", "zz" * 32, SEED + "00"])
def test_what_is_no_seed(seed):
    with pytest.raises(GameError, match="64 hexadecimal digits"):
        commitment(seed)


def test_what_is_no_deck():
    with pytest.raises(GameError, match="48, 50 or 51 cards"):
        verifiable_deck(SEED, cards=52)
