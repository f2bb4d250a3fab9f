"""`tengen matgo verify-deal`: whether a deal is the one that was promised."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from tengen.console.files import read_bytes
from tengen.console.output import UsageError, guarded, print_json, tell, usage_errors
from tengen.games.matgo import DealMismatch, Matgo, commitment, parse_record, verifiable_deck
from tengen.games.matgo import verify_deal as check_deal
from tengen.games.matgo.cards import CODES

__all__ = ["verify_deal"]

_DIGITS = 64


@guarded
def verify_deal(
    promised: Annotated[
        str, typer.Argument(metavar="HASH", help="What was shown before the round.", show_default=False)
    ],
    seed: Annotated[str, typer.Argument(metavar="SEED", help="What was shown after it.", show_default=False)],
    deck: Annotated[
        str,
        typer.Option(
            metavar="CARDS", help="What was dealt: two hands, the floor, the stock from its top.", show_default=False
        ),
    ] = "",
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The round's record; its deal is checked.", show_default=False)
    ] = None,
    client: Annotated[
        str, typer.Option(metavar="TEXT", help="What the players added to the seed.", show_default="nothing")
    ] = "",
    number: Annotated[int, typer.Option(metavar="N", help="The round's number, where a seed deals several.")] = 0,
    cards: Annotated[int, typer.Option(metavar="N", help="Cards of the deck, where no deal is given.")] = 50,
    json: Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")] = False,
) -> None:
    """Check that a deal was decided before the round.

    The answer is yes with exit code 0, or no with 1. The hash must be the seed's, and the cards those that the seed
    deals. Without a deck or a record, the cards that the seed deals are shown.
    """
    if not re.fullmatch(rf"[0-9a-fA-F]{{{_DIGITS}}}", promised.strip()):
        raise UsageError(f"{promised!r} is no hash: it has {_DIGITS} hexadecimal digits")
    if deck and record is not None:
        raise UsageError("--deck and --record both say what was dealt: give one of them")
    with usage_errors():
        dealt = _read_deck(deck, record)
        right = verifiable_deck(seed, client=client, number=number, cards=len(dealt) or cards)
        try:
            check_deal(promised, seed, dealt or right, client=client, number=number)
            fault = ""
        except DealMismatch as mismatch:
            fault = str(mismatch)
    answer: dict[str, Any] = {"verified": not fault, "checked": "deal" if dealt else "seed"}
    answer |= {"fault": fault} if fault else {}
    names = [CODES[card] for card in right]
    if json:
        print_json(answer | {"hash": commitment(seed), "deck": names})
    elif fault:
        tell(f"no: {fault}")
    else:
        tell(
            "yes: the seed was promised, and it deals these cards" if dealt else "yes: the seed was promised; it deals"
        )
        if not dealt:
            for name, part in _parts(names).items():
                tell(f"{name:<16}{' '.join(part)}")
    raise typer.Exit(1 if fault else 0)


def _read_deck(deck: str, record: Path | None) -> list[int | str]:
    if record is None:
        return [*deck.replace(",", " ").split()]
    try:
        text = read_bytes(record).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{record} is no text in UTF-8: {error}") from error
    state = parse_record(text)
    assert isinstance(state.game, Matgo)
    return [*state.game.deck(state)]


def _parts(deck: list[str]) -> dict[str, list[str]]:
    return {"first player": deck[:10], "second player": deck[10:20], "floor": deck[20:28], "stock": deck[28:]}
