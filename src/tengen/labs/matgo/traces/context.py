"""The encoder of decisions as the deciding player saw them, for logs, training and play alike.

Everything here is made from what one seat sees. Probabilities are between 0 and 1, counts are whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tengen.games.errors import GameError
from tengen.labs.matgo.traces.choices import PHASES, Question, question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen import _core
    from tengen.games.matgo import Matgo
    from tengen.games.state import State
    from tengen.labs.matgo.traces.choices import DecisionType

__all__ = ["FIELDS", "SETS", "Sight", "Threat", "ask", "context", "context_key", "sight"]

FIELDS = (
    "phase",
    "deckCount",
    "handCountSelf",
    "handCountDiff",
    "goCountSelf",
    "goCountOpp",
    "piBakRisk",
    "gwangBakRisk",
    "mongBakRisk",
    "jokboProgressOppSum",
    "jokboOneAwaySelfCount",
    "jokboOneAwayOppCount",
    "oppJokboThreatProb",
    "oppJokboOneAwayProb",
    "oppGwangThreatProb",
    "goStopDeltaProxy",
    "scoreDiff",
)


def _mask(*cards: int) -> int:
    return sum(1 << card for card in cards)


SETS = {
    "hong": _mask(1, 5, 9),
    "cheong": _mask(21, 33, 37),
    "cho": _mask(13, 17, 25),
    "godori": _mask(4, 12, 29),
}
GWANG = _mask(0, 8, 28, 40, 44)
_WHOLE = 3
_DIGITS = 6


class Threat(NamedTuple):
    """How near a player is to sets and gwang, as probabilities."""

    total: float
    one_away: float
    gwang: float


@dataclass(frozen=True)
class Sight:
    """The table as one seat sees it; in pairs that seat comes first, then the opponent."""

    phase: int
    turns: tuple[int, int]
    stock: int
    hands: tuple[int, int]
    """How many cards, dummies too."""
    gos: tuple[int, int]
    shakes: tuple[int, int]
    bombs: tuple[int, int]
    ppuks: tuple[int, int]
    bases: tuple[int, int]
    gold: tuple[int, int]
    carry: int
    is_first: bool
    """True if this seat began."""
    risks: tuple[int, int, int]
    """1 for each of pi-bak, gwang-bak and mong-bak that would come if the opponent stopped now."""
    hand: int
    captured: tuple[int, int]
    floor: int
    progress: tuple[tuple[int, ...], tuple[int, ...]]
    """Captured cards of hong, cheong, cho and godori, and the number of gwang."""
    threats: tuple[Threat, Threat]

    @property
    def score_diff(self) -> int:
        return self.bases[0] - self.bases[1]


def sight(view: _core.MatgoView, viewer: int, deck_size: int) -> Sight:
    """From a view of that viewer's; what a full view shows besides is not looked at."""
    own, other = viewer, 1 - viewer
    hand = view.hands[own]
    captured = view.captured[own], view.captured[other]
    floor = view.floor
    unseen = ((1 << deck_size) - 1) & ~(hand | floor | view.table | captured[0] | captured[1])
    progress = _progress(captured[0]), _progress(captured[1])
    cards, dummies = view.cards, view.dummies
    gos, shaken, bombs, ppuks = view.gos, view.shaken, view.bombs, view.ppuks
    turns, bases, gold = view.turns, view.bases, view.gold
    stopped = view.multipliers[other]
    return Sight(
        phase=view.phase,
        turns=(turns[own], turns[other]),
        stock=view.stock,
        hands=(cards[own] + dummies[own], cards[other] + dummies[other]),
        gos=(gos[own], gos[other]),
        shakes=(shaken[own].bit_count(), shaken[other].bit_count()),
        bombs=(bombs[own], bombs[other]),
        ppuks=(ppuks[own], ppuks[other]),
        bases=(bases[own], bases[other]),
        gold=(gold[own], gold[other]),
        carry=view.carry,
        is_first=view.starter == own,
        risks=(int(stopped.pi_bak), int(stopped.gwang_bak), int(stopped.mong_bak)),
        hand=hand,
        captured=captured,
        floor=floor,
        progress=progress,
        threats=(_threat(captured[0], progress[0], unseen), _threat(captured[1], progress[1], unseen)),
    )


def ask(game: Matgo, state: State) -> Question:
    """Return the question that a state puts to the player to act."""
    if state.is_over:
        raise GameError("the round is over: nothing is asked any more")
    return question(game.view(state).phase, state.legal())


def context(
    game: Matgo, state: State, viewer: int | None = None, asked: Question | None = None
) -> dict[str, int | float]:
    """The `dc` of a decision, in FIELDS' order, as the viewer sees it; by default, of the player who is to act.

    `asked`: the question, where it is not the state's own first one, which is so for `shake`.
    """
    seat = _seat(state, viewer)
    seen = sight(game.view(state, seat), seat, game.deck_size)
    return context_of(seen, seen.phase if asked is None else asked.number)


def context_key(game: Matgo, state: State, viewer: int | None = None, asked: Question | None = None) -> str:
    """The `ck` of a decision: what the frequency policy knows of it."""
    seat = _seat(state, viewer)
    seen = sight(game.view(state, seat), seat, game.deck_size)
    return key_of(seen, asked or ask(game, state))


def context_of(seen: Sight, phase: int) -> dict[str, int | float]:
    own, other = seen.progress
    threat = seen.threats[1]
    return {
        "phase": phase,
        "deckCount": seen.stock,
        "handCountSelf": seen.hands[0],
        "handCountDiff": seen.hands[0] - seen.hands[1],
        "goCountSelf": seen.gos[0],
        "goCountOpp": seen.gos[1],
        "piBakRisk": seen.risks[0],
        "gwangBakRisk": seen.risks[1],
        "mongBakRisk": seen.risks[2],
        "jokboProgressOppSum": sum(other),
        "jokboOneAwaySelfCount": sum(count >= _WHOLE - 1 for count in own),
        "jokboOneAwayOppCount": sum(count >= _WHOLE - 1 for count in other),
        "oppJokboThreatProb": round(threat.total, _DIGITS),
        "oppJokboOneAwayProb": round(threat.one_away, _DIGITS),
        "oppGwangThreatProb": round(threat.gwang, _DIGITS),
        "goStopDeltaProxy": round(_go_stop_proxy(seen), _DIGITS) if PHASES[phase] == "go_stop" else 0.0,
        "scoreDiff": seen.score_diff,
    }


def key_of(seen: Sight, asked: Question) -> str:
    """Return the `ck` of a question, as the seat sees the table."""
    order = "first" if seen.is_first else "second"
    return format_key(asked.dt, order, context_of(seen, asked.number), seen.shakes, len(asked.choices))


def format_key(
    kind: DecisionType, order: str, context: Mapping[str, int | float], shakes: tuple[int, int], candidates: int
) -> str:
    """Return a `ck` from what a log has of a decision; `shakes` are the actor's own and the opponent's."""
    parts = {
        "dt": kind,
        "ph": PHASES[int(context["phase"])],
        "o": order,
        "db": int(context["deckCount"]) // 3,
        "hs": int(context["handCountSelf"]),
        "hd": int(context["handCountDiff"]),
        "gs": int(context["goCountSelf"]),
        "go": int(context["goCountOpp"]),
        "ss": shakes[0],
        "so": shakes[1],
        "cc": candidates,
    }
    return "|".join(f"{name}={value}" for name, value in parts.items())


def _seat(state: State, viewer: int | None) -> int:
    if viewer is not None:
        return viewer
    if not isinstance(state.actor, int):
        raise GameError("the round is over: name the viewer")
    return state.actor


def _progress(captured: int) -> tuple[int, ...]:
    return (*((captured & cards).bit_count() for cards in SETS.values()), (captured & GWANG).bit_count())


def _threat(captured: int, progress: tuple[int, ...], unseen: int) -> Threat:
    size = unseen.bit_count()

    def any_of(cards: int) -> float:
        """Return the probability that at least one of the cards comes, each with one chance in the unseen cards."""
        there = (cards & ~captured & unseen).bit_count()
        return 1.0 - (1.0 - 1.0 / size) ** there if there else 0.0

    total = one_away = 0.0
    for count, cards in zip(progress, SETS.values(), strict=False):
        if count == _WHOLE:
            total += 0.9
            one_away = 1.0
        elif count:
            chance = any_of(cards)
            total += (0.72 if count == _WHOLE - 1 else 0.24) * chance
            one_away = max(one_away, chance) if count == _WHOLE - 1 else one_away
    lights = progress[-1]
    gwang = (1.0 if lights > 1 else 0.3) * any_of(GWANG) if lights else 0.0
    return Threat(min(1.0, total + 0.6 * gwang), one_away, gwang)


def _go_stop_proxy(seen: Sight) -> float:
    own, other = seen.threats
    go = 0.75 * own.total + 0.7 * own.one_away + 0.55 * own.gwang
    go += 0.07 * max(0, seen.score_diff) + 0.14 * max(0, seen.carry - 1)
    stop = 0.95 * other.total + 0.75 * other.one_away + 0.6 * other.gwang + 0.32 * sum(seen.risks)
    return max(-3.0, min(3.0, go - stop))
