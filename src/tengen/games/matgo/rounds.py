"""Rounds of a session whose deals can be verified: the hash comes before the deal, the seed after the round."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tengen.games.matgo.cards import PLAIN_CODES
from tengen.games.matgo.fair import commitment, fair_deck

if TYPE_CHECKING:
    import random

    from tengen.games.matgo.session import Session
    from tengen.games.state import State

__all__ = ["FairRounds"]

_SEED_BYTES = 32
_NOBODY = 2


@dataclass(frozen=True)
class FairRounds:
    session: Session
    rng: random.Random
    """Where seeds come from; random.SystemRandom, unless deals are to be repeatable."""
    secrets: tuple[str, str]
    """The seeds of this deal and of the next: the hash of each is told before anybody adds to it."""
    deals: int = 1
    """The number of this deal: no two have the same."""

    @classmethod
    def begin(cls, session: Session, rng: random.Random) -> FairRounds:
        return cls(session, rng, (_new_seed(rng), _new_seed(rng)))

    def opening(self, seat: int, words: str = "") -> list[str]:
        gold = self.session.purse
        lines = [f"Round {self.session.rounds + 1}. You have {gold[seat]:,} gold, they have {gold[1 - seat]:,}."]
        if self.session.carry > 1:
            lines.append(f"After nagari this round pays {self.session.carry} times as much.")
        lines.append(f"The hash of this deal's seed: {commitment(self.secrets[0])}")
        return [*lines, *([f"Into the shuffle goes: {words}"] if words else [])]

    def deal(self, words: str = "") -> State:
        deck = fair_deck(self.secrets[0], client=words, number=self.deals, cards=self.session.game.deck_size)
        # The seed tosses the coin for who begins, where the cards do not say.
        return self.session.start(int(self.secrets[0][:16], 16), deck=deck)

    def closing(self, state: State, seat: int, words: str = "") -> list[str]:
        view = self.session.game.look(state)
        lines = []
        broke = [who for who in (0, 1) if view.gold[who] == 0]
        if broke:
            who = "You are" if broke == [seat] else "They are" if len(broke) == 1 else "Both are"
            again = "both start" if self.session.settings.bankrupt_reset == "both" else "who is bankrupt starts"
            lines.append(f"{who} out of gold: {again} again with {self.session.settings.start_gold:,}.")
        if view.winner == _NOBODY:
            lines.append(f"Nagari: the next round pays {self.after(state).session.carry} times as much.")
        seed = self.secrets[0]
        deck = " ".join(PLAIN_CODES[card] for card in self.session.game.deck(state))
        client = f" --client {shlex.quote(words)}" if words else ""
        return [
            *lines,
            f"This deal's seed: {seed}",
            "To check that it was promised and deals these cards:",
            f'  tengen matgo verify-deal {commitment(seed)} {seed} --number {self.deals}{client} --deck "{deck}"',
            f"The hash of the next deal's seed: {commitment(self.secrets[1])}",
            "`new` deals it; `new TEXT` mixes a text of yours into the shuffle.",
        ]

    def after(self, state: State) -> FairRounds:
        return replace(self._next(), session=self.session.after(state))

    def void(self) -> FairRounds:
        return self._next()

    def _next(self) -> FairRounds:
        return replace(self, secrets=(self.secrets[1], _new_seed(self.rng)), deals=self.deals + 1)


def _new_seed(rng: random.Random) -> str:
    return f"{rng.getrandbits(8 * _SEED_BYTES):0{2 * _SEED_BYTES}x}"
