"""`tengen matgo verify-deal`: yes, no, or what is wrong with the question."""

import json
import random

import cli_runner
import pytest

import tengen
from tengen.games.matgo import commitment, format_record, verifiable_deck
from tengen.games.matgo.cards import CODES, PLAIN_CODES

SEED = "ab" * 32
HASH = commitment(SEED)


@pytest.fixture
def tengen_command(monkeypatch, capsys):
    return cli_runner.runner(monkeypatch, capsys)


def deck_text(names=CODES, **options):
    return " ".join(names[card] for card in verifiable_deck(SEED, **options))


def test_a_promised_deal_is_verified(tengen_command):
    for text in (deck_text(), deck_text(PLAIN_CODES), ", ".join(deck_text().split())):
        ran = tengen_command("matgo", "verify-deal", HASH, SEED, "--deck", text)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("yes: ")


def test_the_order_within_a_hand_means_nothing_and_that_of_the_stock_does(tengen_command):
    cards = deck_text().split()
    hand = [*reversed(cards[:10]), *cards[10:]]
    assert tengen_command("matgo", "verify-deal", HASH, SEED, "--deck", " ".join(hand)).code == 0
    stock = [*cards[:48], cards[49], cards[48]]
    ran = tengen_command("matgo", "verify-deal", HASH, SEED, "--deck", " ".join(stock))
    assert ran.code == 1
    assert ran.out.startswith("no: the stock is ")


def test_another_seed_than_promised_is_told(tengen_command):
    ran = tengen_command("matgo", "verify-deal", HASH, "cd" * 32, "--deck", deck_text())
    assert ran.code == 1
    assert "not the seed that was promised" in ran.out


def test_without_a_deck_the_cards_are_shown(tengen_command):
    ran = tengen_command("matgo", "verify-deal", HASH, SEED)
    assert ran.code == 0
    assert " ".join(deck_text().split()[20:28]) in ran.out


@pytest.mark.parametrize("count", [48, 50, 51])
def test_the_answer_as_json(tengen_command, count):
    deck = deck_text(cards=count)
    ran = tengen_command("matgo", "verify-deal", HASH, SEED, "--deck", deck, "--json")
    assert json.loads(ran.out) == {"verified": True, "checked": "deal", "hash": HASH, "deck": deck.split()}
    ran = tengen_command("matgo", "verify-deal", HASH, SEED, "--deck", deck, "--number", "1", "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["verified"] is False


def test_a_record_tells_its_deal(tengen_command, tmp_path):
    state = tengen.game("matgo").start(deck=verifiable_deck(SEED, client="me", number=2), starter=0)
    rng = random.Random(0)
    while not state.is_over:
        state = state.play(rng.choice(state.legal()))
    file = tmp_path / "round.txt"
    file.write_text(format_record(state), encoding="utf-8")
    words = ("matgo", "verify-deal", HASH, SEED, "--record", file, "--client", "me", "--number")
    assert tengen_command(*words, "2").code == 0
    assert tengen_command(*words, "3").code == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("12", SEED), "is no hash"),
        ((HASH, "12"), "is no seed"),
        ((HASH, SEED, "--deck", "8g 9y"), "48, 50 or 51 cards, not 2"),
        ((HASH, SEED, "--deck", "8x"), "48, 50 or 51 cards, not 1"),
        ((HASH, SEED, "--deck", " ".join(["8x"] * 50)), "'8x' is no card"),
        ((HASH, SEED, "--cards", "52"), "not 52"),
        ((HASH, SEED, "--record", "absent.txt"), "absent.txt"),
        ((HASH, SEED, "--record", "absent.txt", "--deck", "8g"), "give one of them"),
    ],
)
def test_questions_that_make_no_sense(tengen_command, words, text):
    ran = tengen_command("matgo", "verify-deal", *words)
    assert (ran.code, ran.out) == (2, "")
    assert text in ran.err
    assert ran.err.count("\n") == 1
