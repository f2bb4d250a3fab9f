"""The core against the plain rules, under every preset and setting, along random games."""

import random
from collections import Counter

import plain_matgo as plain
import pytest

import tengen
from tengen.games.matgo.cards import cards_in

VARIANTS = [
    {},
    {"preset": "kflower"},
    {"preset": "hangame"},
    {"bonus_cards": 0},
    {"bonus_cards": 3, "bonus_steal": 2},
    {"preset": "hangame", "bonus_cards": 3, "bonus_steal": 0},
    {"preset": "kflower", "two_card_bomb": True, "self_ppuk_eat": 3, "eat_pile": 2},
    {"ask_same_kind": True, "floor_four": "nagari", "floor_four_carry": False},
    {"gukjin_mode": "best_for_winner_auto", "gukjin_rescue": "always"},
    {"gukjin_mode": "free_toggle", "mong_needs_zero": False},
    {"bomb_last_hand": False, "flip_choice_keeps_hand_event": False, "self_ppuk_eat": 2, "bonus_with_ppuk": "stuck"},
    {"go_min": 3, "exhaustion_min": 5, "president_points": 7, "president_hold_mult": 2, "three_ppuk_points": 10},
    {"pi_bak_max": 5, "pi_bak_zero_exempt": False, "gold_per_point": 30, "first_ddadak_points": 5, "go_min": 5},
]


def summary(seat):
    """A seat of the plain rules. Which of several equal pi was stolen does not matter."""
    groups = Counter(plain.value(card) for card in seat.captured if plain.kind(card) == "pi")
    others = {card for card in seat.captured if plain.kind(card) != "pi"}
    return set(seat.hand), seat.dummies, seat.turns, seat.gos, seat.ppuks, seat.bombs, seat.shaken, groups, others


def core_summary(view, seat):
    captured = cards_in(view.captured[seat])
    return (
        set(cards_in(view.hands[seat])),
        view.dummies[seat],
        view.turns[seat],
        view.gos[seat],
        view.ppuks[seat],
        view.bombs[seat],
        set(cards_in(view.shaken[seat])),
        Counter(plain.value(card) for card in captured if plain.kind(card) == "pi"),
        {card for card in captured if plain.kind(card) != "pi"},
    )


def assert_alike(game, state, rounds):
    view = game.view(state)
    assert view.phase == rounds.phase
    assert set(cards_in(view.floor)) == set(rounds.floor)
    assert view.stock == len(rounds.stock)
    for seat in (0, 1):
        assert core_summary(view, seat) == summary(rounds.seats[seat])
        assert view.bases[seat] == rounds.base(seat)
        assert view.gold[seat] == (rounds.seats[seat].gold or 0) + rounds.seats[seat].won
    if state.is_over:
        assert view.winner == rounds.winner
        assert state.payoffs == tuple(float(seat.won) for seat in rounds.seats)
    else:
        assert state.actor == rounds.mover
        assert state.legal() == rounds.legal()
        assert view.gukjin == {None: 0, "yeol": 1, "pi": 2}[rounds.gukjin]


def weigh(action):
    """Rare choices more often, and stops less often, so that games get far."""
    return 8 if 50 <= action < 111 or action == 164 else 4 if action == 161 else 1


@pytest.mark.slow
@pytest.mark.parametrize("settings", VARIANTS, ids=str)
def test_the_core_plays_by_the_plain_rules(settings):
    game = tengen.game("matgo", **settings)
    rng = random.Random(str(settings))
    for number in range(60):
        deck = list(range(game.deck_size))
        rng.shuffle(deck)
        carry = rng.choice((1, 1, 2, 8))
        gold = None if number % 3 else (rng.randrange(5000), rng.randrange(5000))
        state = game.start(deck=deck, starter=number % 2, carry=carry, gold=gold)
        rounds = plain.Round(game.settings, deck, number % 2, carry, gold or (None, None))
        while True:
            assert_alike(game, state, rounds)
            if state.is_over:
                break
            actions = state.legal()
            action = rng.choices(actions, [weigh(a) for a in actions])[0]
            state = state.play(action)
            rounds.play(action)
