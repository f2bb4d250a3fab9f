"""What a player of Matgo sees says nothing of what is hidden, and redeals are as likely as the deals behind a view."""

from itertools import combinations, permutations
from random import Random

import pytest
from scipy import stats

import tengen
from tengen.games import IllegalAction
from tengen.games.matgo.cards import cards_in

PRESETS = ("tengen", "kflower", "hangame")


def play_some(game, seed, plies):
    """A state and the deck it came from."""
    rng = Random(seed)
    deck = list(range(game.deck_size))
    rng.shuffle(deck)
    state = game.start(deck=deck, starter=seed % 2)
    for _ in range(plies):
        if state.is_over:
            break
        state = state.play(rng.choice(state.legal()))
    return state, deck


def replay(game, deck, state):
    """The same actions from another deck; None where that deck does not allow them."""
    again = game.start(deck=deck, starter=game.view(state).starter)
    try:
        for action in state.history:
            again = again.play(action)
    except IllegalAction:
        return None
    return again


def sight(state, viewer):
    legal = state.legal() if state.actor == viewer else None
    planes = state.encode(viewer).tobytes()
    return state.actor, legal, planes, state.text(viewer), state.svg(viewer), state.view_key(viewer)


def hidden_cards(game, state, viewer):
    """The opponent's cards that were not shown, and the stock."""
    view = game.view(state)
    hand = cards_in(view.hands[1 - viewer] & ~view.shown[1 - viewer])
    stock = game.deck(state)[-view.stock :] if view.stock else []
    return hand, stock


def views_along(game, deck, state, viewer):
    """What the viewer saw at each step, or None if the actions do not fit the deck."""
    now = game.start(deck=deck, starter=game.view(state).starter)
    seen = [now.view_key(viewer)]
    for action in state.history:
        if now.is_over or action not in now.legal():
            return None
        now = now.play(action)
        seen.append(now.view_key(viewer))
    return tuple(seen), now.key


@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_cards_show_nowhere(preset):
    """Two hidden cards change places in the deck; the same actions are played; the viewer sees the same bytes."""
    game = tengen.game("matgo", preset=preset)
    rng = Random(preset)
    compared = 0
    for seed in range(60):
        state, deck = play_some(game, seed, rng.randrange(24))
        for viewer in (0, 1):
            hand, stock = hidden_cards(game, state, viewer)
            places = [deck.index(card) for card in (*hand, *stock)]
            if len(places) < 2:
                continue
            first, second = rng.sample(places, 2)
            changed = list(deck)
            changed[first], changed[second] = changed[second], changed[first]
            other = replay(game, changed, state)
            # Not so if the opponent would have been asked about four of a month, or was and would not have been.
            if other is not None and game.view(other).shown == game.view(state).shown:
                assert sight(other, viewer) == sight(state, viewer)
                compared += 1
    assert compared > 60


@pytest.mark.parametrize("preset", PRESETS)
def test_redeals_show_nowhere(preset):
    game = tengen.game("matgo", preset=preset)
    for seed in range(15):
        state, _ = play_some(game, seed, 3 + seed)
        for viewer in (0, 1):
            dealt = state.redeal(viewer, seed)
            assert sight(dealt, viewer) == sight(state, viewer)
            own, stock = hidden_cards(game, state, viewer)
            again, new_stock = hidden_cards(game, dealt, viewer)
            assert sorted(own + stock) == sorted(again + new_stock)
            assert len(own) == len(again)


def test_a_redeal_can_be_played_to_its_end():
    game = tengen.game("matgo", bonus_cards=3)
    for seed in range(40):
        state, _ = play_some(game, seed, 1 + seed % 20)
        rng = Random(seed)
        dealt = state.redeal(seed % 2, seed)
        while not dealt.is_over:
            dealt = dealt.play(rng.choice(dealt.legal()))
        assert sum(dealt.payoffs) == 0


def worlds(game, state, viewer):
    """The keys of all states that the viewer cannot tell from this one, found by trying every deck.

    What may differ: which of the opponent's cards were dealt and which were drawn for a bonus card, the cards that were
    never shown, and the order of the stock.
    """
    deck = game.deck(state)
    view = game.view(state)
    seen, _ = views_along(game, deck, state, viewer)
    own = slice(10, 20) if viewer == 0 else slice(0, 10)
    hand, stock = hidden_cards(game, state, viewer)
    had = set(deck[own]) | set(hand)
    drawn = [i for i in range(28, len(deck) - view.stock) if is_drawn(game, state, viewer, i)]
    had |= {deck[i] for i in drawn}
    public = had - set(hand)
    found = set()
    for kept in combinations([*hand, *stock], len(hand)):
        rest = [card for card in (*hand, *stock) if card not in kept]
        for taken in permutations(sorted({*public, *kept}), len(drawn)):
            for order in permutations(rest):
                changed = list(deck)
                changed[own] = sorted(({*public, *kept}) - set(taken))
                for place, card in zip(drawn, taken, strict=True):
                    changed[place] = card
                changed[len(deck) - len(rest) :] = order
                result = views_along(game, changed, state, viewer)
                if result is not None and result[0] == seen:
                    found.add(result[1])
    return found


def is_drawn(game, state, viewer, place):
    """Whether the stock card at that place of the deck went into the opponent's hand."""
    now = game.start(deck=game.deck(state), starter=game.view(state).starter)
    for action in state.history:
        before = now
        now = now.play(action)
        bonus = action in (48, 49, 167) and before.actor == 1 - viewer and game.view(before).phase == 0
        if bonus and len(game.deck(state)) - game.view(before).stock == place:
            return True
    return False


# A game, how far it is played, who looks. In the first three some deals are out of the question because four of a month
# would have been announced; in the second and third the opponent has drawn a card for a bonus card, in the last two.
SITUATIONS = [(10, 19, 0), (91, 19, 1), (178, 19, 1), (22, 20, 0)]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "plies", "viewer"), SITUATIONS)
def test_redeals_are_uniform_over_the_worlds_behind_a_view(seed, plies, viewer):
    game = tengen.game("matgo")
    state, _ = play_some(game, seed, plies)
    expected = worlds(game, state, viewer)
    draws = 40 * len(expected)
    counts = dict.fromkeys(expected, 0)
    for i in range(draws):
        counts[state.redeal(viewer, i).key] += 1  # a KeyError is a world that cannot be
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3
