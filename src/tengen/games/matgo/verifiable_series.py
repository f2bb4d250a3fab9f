"""A series of rounds whose deals can be verified: the hash comes before the deal, the seed after the round."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tengen.games.errors import GameError
from tengen.games.matgo.cards import PLAIN_CODES
from tengen.games.matgo.gold_series import GoldSeries
from tengen.games.matgo.verifiable_deal import commitment, verifiable_deck

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from tengen.games.matgo import Matgo
    from tengen.games.state import State

__all__ = ["VerifiableSeries"]

_SEED_BYTES = 32
_NOBODY = 2


@dataclass(frozen=True)
class VerifiableSeries:
    series: GoldSeries
    rng: random.Random
    """Where seeds come from; random.SystemRandom, unless deals are to be repeatable."""
    secrets: tuple[str, str]
    """The seeds of this deal and of the next: the hash of each is told before anybody adds to it."""
    deals: int = 1
    """The number of this deal: no two have the same."""

    @classmethod
    def begin(cls, series: GoldSeries, rng: random.Random) -> VerifiableSeries:
        return cls(series, rng, (_new_seed(rng), _new_seed(rng)))

    def in_language(self, lang: str) -> VerifiableSeries:
        return replace(self, series=replace(self.series, game=self.series.game.in_language(lang)))

    def opening(self, seat: int, words: str = "") -> list[str]:
        say, series = self.series.game.words, self.series
        own, theirs = series.purse[seat], series.purse[1 - seat]
        text = "Round {number}. You have {own:,} gold, they have {theirs:,}."
        lines = [say(text, number=series.rounds + 1, own=own, theirs=theirs)]
        if series.carry > 1:
            lines.append(say("After nagari this round pays {carry} times as much.", carry=series.carry))
        lines.append(say("The hash of this deal's seed: {hash}", hash=commitment(self.secrets[0])))
        return [*lines, *([say("Into the shuffle goes: {words}", words=words)] if words else [])]

    def deal(self, words: str = "") -> State:
        deck = verifiable_deck(self.secrets[0], client=words, number=self.deals, cards=self.series.game.deck_size)
        # The seed tosses the coin for who begins, where the cards do not say.
        return self.series.start(int(self.secrets[0][:16], 16), deck=deck)

    def closing(self, state: State, seat: int, words: str = "") -> list[str]:
        say, settings = self.series.game.words, self.series.settings
        view = self.series.game.view(state)
        lines = []
        broke = [who for who in (0, 1) if view.gold[who] == 0]
        if broke:
            is_both = settings.bankrupt_reset == "both"
            text = "both start again with {gold:,}." if is_both else "who is bankrupt starts again with {gold:,}."
            who = "You are" if broke == [seat] else "They are" if len(broke) == 1 else "Both are"
            lines.append(say(f"{who} out of gold: {{again}}", again=say(text, gold=settings.start_gold)))
        if view.winner == _NOBODY:
            carry = self.after(state).series.carry
            lines.append(say("Nagari: the next round pays {carry} times as much.", carry=carry))
        seed = self.secrets[0]
        deck = " ".join(PLAIN_CODES[card] for card in self.series.game.deck(state))
        client = f" --client {shlex.quote(words)}" if words else ""
        return [
            *lines,
            say("This deal's seed: {seed}", seed=seed),
            say("To check that it was promised and deals these cards:"),
            f'  tengen matgo verify-deal {commitment(seed)} {seed} --number {self.deals}{client} --deck "{deck}"',
            say("The hash of the next deal's seed: {hash}", hash=commitment(self.secrets[1])),
        ]

    def after(self, state: State) -> VerifiableSeries:
        return replace(self._next(), series=self.series.after(state))

    def void(self) -> VerifiableSeries:
        return self._next()

    def to_plain(self) -> dict[str, Any]:
        """Without the seeds: who reads the file learns no card, and the next deal is promised anew."""
        return {"session": self.series.to_plain(), "deals": self.deals}

    @classmethod
    def of_plain(cls, game: Matgo, rng: random.Random, plain: Mapping[str, Any]) -> VerifiableSeries:
        deals = plain.get("deals")
        if not isinstance(deals, int) or isinstance(deals, bool) or deals < 1:
            raise GameError(f"its deals are {deals!r:.60}, not a number from 1 on")
        return replace(cls.begin(GoldSeries.of_plain(game, plain.get("session")), rng), deals=deals)

    def _next(self) -> VerifiableSeries:
        return replace(self, secrets=(self.secrets[1], _new_seed(self.rng)), deals=self.deals + 1)


def _new_seed(rng: random.Random) -> str:
    return f"{rng.getrandbits(8 * _SEED_BYTES):0{2 * _SEED_BYTES}x}"
