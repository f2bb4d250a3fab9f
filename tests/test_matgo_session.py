"""Rounds that hang together, and deals that can be verified."""

import random

import pytest

import tengen
from tengen.games import GameError, SettingError
from tengen.games.matgo import DealMismatch, Session, SessionSettings, commitment, fair_deck, new_seed, verify_deal

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
    session = Session(GAME)
    assert session.purse == (1_000_000, 1_000_000)
    for number in range(30):
        state = play_out(session.start(seed=number), number)
        before, session = session, session.after(state)
        won = state.payoffs[0]
        assert session.purse == (before.purse[0] + won, before.purse[1] - won)
        assert session.rounds == number + 1
        winner = GAME.look(state).winner
        if winner == 2:
            assert session.carry == 2 * before.carry
            assert session.starter == GAME.look(state).starter
        else:
            assert session.carry == 1
            assert session.starter == winner
            assert GAME.look(session.start(seed=number)).starter == winner


def test_nagari_doubles_the_next_round():
    game = tengen.game("matgo", floor_four="nagari")
    session = Session(game, SessionSettings(carry_cap=8), starter=1)
    carries = []
    for _ in range(5):
        state = session.start(deck=nagari_deck())
        assert state.is_over
        assert state.payoffs == (0, 0)
        session = session.after(state)
        carries.append(session.carry)
    assert carries == [2, 4, 8, 8, 8]
    assert session.starter == 1
    state = play_out(session.start(seed=1))
    assert game.look(state).carry == 8
    assert session.after(state).carry == 1


def test_the_carry_ends_where_the_rules_do():
    game = tengen.game("matgo", floor_four="nagari")
    session = Session(game, carry=2**15, starter=0)
    for _ in range(3):
        session = session.after(session.start(deck=nagari_deck()))
    assert session.carry == 2**16


@pytest.mark.parametrize(("reset", "refilled"), [("both", (900, 900)), ("bankrupt", None)])
def test_bankruptcy(reset, refilled):
    session = Session(GAME, SessionSettings(start_gold=900, bankrupt_reset=reset))
    seen = 0
    for number in range(200):
        state = play_out(session.start(seed=number), number)
        gold = GAME.look(state).gold
        session = session.after(state)
        if 0 in gold:
            seen += 1
            assert session.purse == (refilled or tuple(900 if left == 0 else left for left in gold))
            assert sum(session.bankruptcies) == seen
        else:
            assert session.purse == tuple(gold)
    assert seen > 20
    assert min(session.bankruptcies) > 0


def test_who_begins_the_first_round():
    deck = list(range(50))
    deck[0], deck[40] = deck[40], deck[0]  # the first hand begins with month 11, the second with month 3
    rng = random.Random(1)
    by_clock = Session(GAME, SessionSettings(first_turn="night_day"))
    assert Session(GAME).first(deck, rng) == 0
    assert [by_clock.first(deck, rng, hour) for hour in (0, 5, 6, 17, 18, 23)] == [1, 1, 0, 0, 1, 1]
    deck[0], deck[48] = deck[48], deck[0]  # a bonus card has no month: the next card counts
    assert Session(GAME).first(deck, rng) == 1
    tied = [0, *range(4, 13), 1, 2, 3, *range(13, 50)]
    assert {Session(GAME).first(tied, random.Random(seed)) for seed in range(10)} == {0, 1}


def test_presets_of_sessions():
    assert SessionSettings.of_preset("kflower").start_gold == 100_000
    assert SessionSettings.of_preset("kflower").first_turn == "night_day"
    assert SessionSettings.of_preset("hangame") == SessionSettings.of_preset("tengen") == SessionSettings()


@pytest.mark.parametrize(
    "settings", [{"start_gold": 0}, {"carry_cap": 0}, {"first_turn": "me"}, {"bankrupt_reset": "nobody"}]
)
def test_session_settings_that_do_not_fit(settings):
    with pytest.raises(SettingError, match=next(iter(settings))):
        SessionSettings(**settings)


def test_a_session_takes_its_own_rounds_only():
    session = Session(GAME)
    with pytest.raises(GameError, match="not over"):
        session.after(session.start(seed=1))
    with pytest.raises(GameError, match="began with gold"):
        session.after(play_out(GAME.start(seed=1, gold=(5, 5))))


# Fair deals.


def test_a_fair_deck_is_the_seeds():
    deck = fair_deck(SEED)
    assert sorted(deck) == list(range(50))
    assert deck == fair_deck(SEED.upper())
    assert len({tuple(fair_deck(SEED, client=client, number=n)) for client in "ab" for n in range(3)}) == 6
    assert [len(fair_deck(SEED, cards=cards)) for cards in (48, 50, 51)] == [48, 50, 51]
    # Computed with other tools: decks of old rounds must stay verifiable.
    assert commitment(SEED) == "4773d12e2371bb935b9a0f5439b4a1c3ad3f2414b86980f8418d1cfabdfadfef"
    assert deck[:12] == [7, 38, 45, 24, 11, 20, 49, 0, 29, 40, 12, 35]
    assert deck[-12:] == [23, 15, 33, 41, 10, 25, 46, 4, 16, 37, 18, 28]


def test_fair_decks_are_uniform():
    """Each card is at the top about equally often."""
    tops = [fair_deck(SEED, number=number)[0] for number in range(2000)]
    assert all(15 < tops.count(card) < 75 for card in range(50))


def test_a_deal_is_verified():
    seed = new_seed()
    promised = commitment(seed)
    deck = fair_deck(seed, client="dice 5 3", number=7)
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
        fair_deck(SEED, cards=52)
