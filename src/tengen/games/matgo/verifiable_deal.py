"""A shuffle that both players can check: its hash is shown before the deal, its seed after the round.

The deck follows from the seed, from a text that the players add once they know the hash, and from the round's number:
blocks of HMAC-SHA256(seed, "client:number:block") are read as 32-bit numbers, most significant byte first. A number at
or above the largest multiple of n up to 2^32 is skipped; any other gives itself modulo n. With these, for n from the
number of cards down to 2, the card at place n - 1 changes places with the card at that number. The deck begins as
0, 1, 2, ….
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from tengen.games.errors import GameError
from tengen.games.matgo.cards import CODES, parse_card

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["DealMismatch", "commitment", "new_seed", "verifiable_deck", "verify_deal"]

_SEED_BYTES = 32
_HANDS = (slice(0, 10), slice(10, 20), slice(20, 28))


class DealMismatch(GameError):  # noqa: N818 - the name says what happened
    """The seed is not the one that was promised, or the deck is not the seed's."""


def new_seed() -> str:
    """32 random bytes, as 64 hexadecimal digits. To be kept secret until the round is over."""
    return secrets.token_hex(_SEED_BYTES)


def commitment(seed: str) -> str:
    """What is shown before the deal: SHA-256 of the seed's bytes, in hexadecimal."""
    return hashlib.sha256(_read_seed(seed)).hexdigest()


def verifiable_deck(seed: str, *, client: str = "", number: int = 0, cards: int = 50) -> list[int]:
    """The deck for start(deck=…). `client` is what the players add after they have seen the commitment."""
    if cards not in (48, 50, 51):
        raise GameError(f"a deck of Matgo has 48, 50 or 51 cards, not {cards}")
    numbers = _numbers(_read_seed(seed), client, number)
    deck = list(range(cards))
    for n in range(cards, 1, -1):
        largest = 2**32 // n * n
        place = next(drawn for drawn in numbers if drawn < largest) % n
        deck[n - 1], deck[place] = deck[place], deck[n - 1]
    return deck


def verify_deal(promised: str, seed: str, deck: Sequence[int | str], *, client: str = "", number: int = 0) -> None:
    """Raises DealMismatch unless the seed was promised and deals these cards: hands, floor, and stock in its order."""
    shown = commitment(seed)
    if not hmac.compare_digest(shown, promised.strip().lower()):
        raise DealMismatch(f"the seed's hash is {shown}, not {promised}: it is not the seed that was promised")
    dealt = [parse_card(card) for card in deck]
    for (name, right), (_, given) in zip(
        _parts(verifiable_deck(seed, client=client, number=number, cards=len(dealt))), _parts(dealt), strict=True
    ):
        if right != given:
            wanted = " ".join(CODES[card] for card in right)
            raise DealMismatch(f"the {name} is {' '.join(CODES[card] for card in given)}, but the seed deals {wanted}")


def _read_seed(seed: str) -> bytes:
    try:
        data = bytes.fromhex(seed)
    except ValueError:
        data = b""
    if len(data) != _SEED_BYTES:
        raise GameError(f"{seed!r} is no seed of a fair deal: it has {2 * _SEED_BYTES} hexadecimal digits")
    return data


def _numbers(seed: bytes, client: str, number: int) -> Iterator[int]:
    block = 0
    while True:
        digest = hmac.new(seed, f"{client}:{number}:{block}".encode(), hashlib.sha256).digest()
        for i in range(0, len(digest), 4):
            yield int.from_bytes(digest[i : i + 4], "big")
        block += 1


def _parts(deck: Sequence[int]) -> list[tuple[str, list[int]]]:
    """What a deck deals. In a hand and on the floor the order means nothing."""
    names = ("first player's hand", "second player's hand", "floor")
    hands = [(name, sorted(deck[part])) for name, part in zip(names, _HANDS, strict=True)]
    return [*hands, ("stock", list(deck[_HANDS[-1].stop :]))]
