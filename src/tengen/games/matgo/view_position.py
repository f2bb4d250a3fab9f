"""Positions by what one seat sees of them: for rounds of which nobody knows the deck.

What the other seat holds and what the stock hides is filled in anyhow: searches deal it anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.errors import GameError
from tengen.games.matgo.cards import CODES, FIRST_BONUS
from tengen.games.matgo.drawing import ASK_GUKJIN, GO_STOP, PLAY, PRESIDENT
from tengen.games.matgo.view_text import FIELDS, UNKNOWN, View, describe, format_lines, read_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tengen.games.matgo import Matgo
    from tengen.games.state import State

__all__ = ["format_view", "parse_view"]

_TURNS = 10
_DEALT = 28
_ASKED = {"play": PLAY, "president": PRESIDENT, "go": GO_STOP, "gukjin": ASK_GUKJIN}
_BEFORE_THE_TURN = ("play", "president")


def format_view(state: State, seat: int) -> str:
    """What a seat sees where a turn begins, or where its end asks something: a text for start(view=…)."""
    from tengen.games.matgo import Matgo

    game = state.game
    if not isinstance(game, Matgo):
        raise GameError(f"this is a state of {game.id}, not of matgo")
    view = game.view(state, seat)
    asked = {phase: word for word, phase in _ASKED.items()}
    if view.phase not in asked:
        raise GameError("a view tells of the beginning or the end of a turn, not of the choice of a floor card")
    return format_lines(describe(view, seat) | {"asked": asked[view.phase]})


def parse_view(game: Matgo, view: View) -> Any:
    """The position. Raises NotationError for what does not read, GameError for what can't be."""
    told = read_fields(view)
    given = _ViewParser(game, told)
    try:
        position = game.core.compose(**given.fields())  # type: ignore[attr-defined]
        if given.has_gone:
            position = game.core.compose(**given.fields(_bases(game, position)))  # type: ignore[attr-defined]
    except (ValueError, TypeError) as error:
        raise GameError(f"no position of Matgo: {error}") from None
    return position


def _bases(game: Matgo, position: Any) -> list[int]:
    return list(game.core.view(position, None).bases)  # type: ignore[attr-defined]


def _mask(cards: Iterable[int]) -> int:
    return sum(1 << card for card in cards)


def _names(cards: Iterable[int]) -> str:
    return " ".join(CODES[card] for card in cards)


class _ViewParser:
    """What follows from what was told: turns, the stock, the cards that nobody named."""

    def __init__(self, game: Matgo, told: Mapping[str, Any]) -> None:
        self._game = game
        self._told = told
        self._seat: int = told["seat"]
        self._mover: int = self._seat if told["mover"] is None else told["mover"]
        self._check_cards()
        self._turns = self._count_turns()
        self._stock_size = self._count_stock()
        self._hidden_size = self._count_hidden()
        self._hidden, self._stock = self._fill()

    @property
    def has_gone(self) -> bool:
        return any(self._told[f"{prefix}gos"] for prefix in ("", "their_"))

    def fields(self, bases: list[int] | None = None) -> dict[str, Any]:
        """As the core takes them. `bases`: the points of each seat, once they are known."""
        told = self._told
        fields = {
            "viewer": self._seat,
            "mover": self._mover,
            "starter": told["starter"],
            "gukjin": FIELDS["gukjin"].words.index(told["gukjin"]),
            "carry": told["carry"],
            "floor": _mask(told["floor"]),
            "stock": self._stock,
            "bonus_month": self._bonus_month(),
            "hand": self._by_seat(_mask(told["hand"]), _mask(self._hidden)),
            "turns": self._by_seat(*self._turns),
            "phase": self._phase(),
        }
        for name in ("captured", "shown", "played", "shaken", "piles"):
            fields[name] = self._by_seat(_mask(told[name]), _mask(told[f"their_{name}"]))
        for name in ("gos", "ppuks", "bombs", "held"):
            fields[name] = self._by_seat(int(told[name]), int(told[f"their_{name}"]))
        if (told["gold"] is None) != (told["their_gold"] is None):
            raise GameError("the view tells the gold of one player only: tell both, or none for no limit")
        if told["gold"] is not None:
            fields["funds"] = self._by_seat(told["gold"], told["their_gold"])
        if bases is not None:
            own, theirs = self._last_go("", self._seat, bases), self._last_go("their_", 1 - self._seat, bases)
            fields["last_go_base"] = self._by_seat(own, theirs)
        return fields

    def _by_seat(self, own: Any, theirs: Any) -> Any:
        return (own, theirs) if self._seat == 0 else (theirs, own)

    def _last_go(self, prefix: str, seat: int, bases: list[int]) -> int:
        """Points at the last go. Since then they can only have fallen, but for a turn that just scored."""
        if not self._told[f"{prefix}gos"]:
            return 0
        if self._told[f"{prefix}last_go"] is not None:
            return int(self._told[f"{prefix}last_go"])
        least = int(self._game.settings["go_min"])
        has_scored = seat == self._mover and self._told["asked"] not in _BEFORE_THE_TURN
        return min(least, bases[seat] - 1) if has_scored else max(least, bases[seat])

    def _phase(self) -> int:
        told = self._told
        if told["asked"] != "play":
            return _ASKED[told["asked"]]
        prefix, cards = ("", told["hand"]) if self._mover == self._seat else ("their_", told["their_shown"])
        months = [card // 4 for card in cards if card < FIRST_BONUS]
        # Who gets four of a month is asked at once.
        is_asked = not told[f"{prefix}held"] and any(months.count(month) == 4 for month in months)
        return PRESIDENT if is_asked else PLAY

    def _bonus_month(self) -> int:
        told = self._told
        if told["bonus_pile"] is not None:
            return int(told["bonus_pile"]) - 1
        piles = [*told["piles"], *told["their_piles"]]
        can_be_taken = self._game.settings["bonus_with_ppuk"] == "taken"
        if can_be_taken and len(piles) > 1 and any(card >= FIRST_BONUS for card in told["floor"]):
            raise GameError("a bonus card lies with one of several ppuks: bonus_pile tells with which month")
        return piles[0] if piles else -1

    # The counts.

    def _check_cards(self) -> None:
        self._check_places()
        self._check_played()
        told = self._told
        astray = [card for card in told["shown"] if card not in told["hand"]]
        if astray:
            raise GameError(f"shown holds {_names(astray)}, which is not in hand")
        for prefix in ("", "their_"):
            for month in told[f"{prefix}piles"]:
                if sum(card // 4 == month for card in told["floor"]) != 3:
                    raise GameError(f"{prefix}piles names month {month + 1}, of which no three cards are on the floor")

    def _check_places(self) -> None:
        """No card in two places."""
        places: dict[int, str] = {}
        for name in ("hand", "floor", "captured", "their_captured", "their_shown", "their_plays", "turned"):
            for card in self._told[name]:
                if card >= self._game.deck_size:
                    raise GameError(f"{name} holds {CODES[card]}, which a deck of {self._game.deck_size} does not have")
                # What was shown may be played later.
                if card in places and (name, places[card]) != ("their_plays", "their_shown"):
                    raise GameError(f"{CODES[card]} is told both in {places[card]} and in {name}")
                if card != UNKNOWN:
                    places[card] = name

    def _check_played(self) -> None:
        told = self._told
        for prefix in ("", "their_"):
            held = {*told["hand"], *told["their_shown"], *told["their_plays"]}
            astray = [card for card in told[f"{prefix}played"] if card in held or card >= self._game.deck_size]
            if astray:
                raise GameError(f"{prefix}played holds {_names(astray)}, which is in a hand or in no deck")
        both = set(told["played"]) & set(told["their_played"])
        if both:
            raise GameError(f"{_names(both)} can't have been played by both")

    def _count_turns(self) -> tuple[int, int]:
        """Own and theirs, so far: who begins is at most one turn ahead."""
        own = _TURNS - len(self._told["hand"]) - self._told["dummies"]
        if own < 0:
            raise GameError(f"hand and dummies are {_TURNS - own} together: a round has {_TURNS} turns")
        if self._told["dummies"] > self._max_dummies(""):
            raise GameError(f"bombs is {self._told['bombs']}: that leaves no {self._told['dummies']} dummies")
        following = self._mover if self._told["asked"] in _BEFORE_THE_TURN else 1 - self._mover
        starter = self._told["starter"]
        theirs = own if following == starter else own + (1 if starter != self._seat else -1)
        if not 0 <= theirs <= _TURNS:
            began = "you" if starter == self._seat else "they"
            raise GameError(f"after {own} turns of yours they have had {theirs}, if {began} began: is starter right?")
        return own, theirs

    def _max_dummies(self, prefix: str) -> int:
        return _TURNS if self._game.settings["two_card_bomb"] else 2 * self._told[f"{prefix}bombs"]

    def _count_stock(self) -> int:
        """Each turn takes a card of a month from the stock, and each bonus card that came out one more."""
        told = self._told
        out = [card for name in ("floor", "captured", "their_captured") for card in told[name] if card >= FIRST_BONUS]
        size = self._game.deck_size - _DEALT - sum(self._turns) - len(out)
        if told["stock"] is not None and told["stock"] != size:
            raise GameError(
                f"stock is {told['stock']}, but after {sum(self._turns)} turns and {len(out)} bonus cards there are "
                f"{size} cards: is hand, dummies or starter wrong?"
            )
        if size < 0:
            raise GameError(f"{sum(self._turns)} turns and {len(out)} bonus cards take more cards than the stock has")
        return size

    def _count_hidden(self) -> int:
        """The cards in the opponent's hand: what is nowhere else."""
        told = self._told
        seen = sum(len(told[name]) for name in ("hand", "floor", "captured", "their_captured"))
        size: int = self._game.deck_size - seen - self._stock_size
        left = _TURNS - self._turns[1]
        if told["their_cards"] is not None and told["their_cards"] != size:
            raise GameError(
                f"their_cards is {told['their_cards']}, but {seen} cards are told and {self._stock_size} are in stock, "
                f"so that {size} are left: is a card missing, or told too often?"
            )
        if not len(told["their_shown"]) <= size <= left:
            raise GameError(
                f"{seen} cards are told and {self._stock_size} are in stock, which leaves {size} for the opponent, who "
                f"has {left} turns left and has shown {len(told['their_shown'])}: is a card missing, or starter wrong?"
            )
        if left - size > self._max_dummies("their_"):
            raise GameError(
                f"{seen} cards are told and {self._stock_size} are in stock, which leaves {size} for the opponent, who "
                f"has {left} turns left: is a card told too often, or did they bomb (their_bombs)?"
            )
        return size

    # The cards that the seat does not see.

    def _fill(self) -> tuple[list[int], list[int]]:
        told = self._told
        seen = {card for name in ("hand", "floor", "captured", "their_captured") for card in told[name]}
        named = list(dict.fromkeys([*told["their_shown"], *told["their_plays"]]))
        hand, drawn = named[: self._hidden_size], named[self._hidden_size :]
        turned = list(told["turned"])
        if len(turned) > self._stock_size:
            raise GameError(f"turned has {len(turned)} cards, the stock only {self._stock_size}")
        for card in drawn:
            if UNKNOWN not in turned:
                raise GameError(f"their_plays has more cards than the {self._hidden_size} that the opponent holds")
            turned[turned.index(UNKNOWN)] = card
        pool = [card for card in range(self._game.deck_size) if card not in {*seen, *hand, *turned}]
        first = self._kept_back(hand, pool)
        room = self._stock_size - sum(card != UNKNOWN for card in turned)
        if len(first) > room:
            raise GameError("the opponent would hold four of a month and was not asked: is a card missing?")
        rest = [*first, *(card for card in pool if card not in first)]
        stock = [rest.pop(0) if card == UNKNOWN else card for card in turned]
        for _ in range(self._stock_size - len(stock)):
            stock.append(rest.pop(0))
        return [*hand, *rest], stock

    def _kept_back(self, hand: list[int], pool: list[int]) -> list[int]:
        """Of each month that would be four in the opponent's hand, a card that can't be there."""
        has_begun = self._turns[1] > 0 or self._mover != self._seat
        if not has_begun and self._game.settings["president_choice"]:
            return []
        declared = {*self._told["their_shown"], *self._told["their_played"]}
        had = {*hand, *self._told["their_played"]}
        kept = []
        for month in range(FIRST_BONUS // 4):
            four = {4 * month + k for k in range(4)}
            if four <= declared or not four <= had | set(pool):
                continue
            free = [card for card in pool if card in four]
            if not free:
                raise GameError(f"the opponent would hold four of month {month + 1} and was not asked: {_names(four)}")
            kept.append(free[0])
        return kept
