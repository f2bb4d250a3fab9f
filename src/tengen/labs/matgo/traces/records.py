"""The trace of one round, as it is written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tengen.games.errors import SettingError
from tengen.games.matgo.cards import PLAIN_CODES
from tengen.labs.matgo.traces.choices import Question, answers
from tengen.labs.matgo.traces.context import context_of, key_of
from tengen.labs.matgo.traces.reward import Rewards
from tengen.labs.matgo.traces.triggers import Triggers, kept, mask_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tengen.games.matgo import Matgo
    from tengen.games.state import State
    from tengen.labs.matgo.traces.steps import Step

__all__ = ["SIDES", "VERSION", "LogMode", "Side", "TraceSettings", "Tracer", "format_line", "game_line"]

Side: TypeAlias = Literal["mySide", "yourSide"]
LogMode: TypeAlias = Literal["train", "delta"]

SIDES: tuple[Side, Side] = ("mySide", "yourSide")
VERSION = {"s": 2, "f": 14, "t": 2}
"""Versions of the schema, the context and the triggers."""
_FEWEST = {"train": 1, "delta": 2}
_TERMINAL = 2
_EXPLORE = "explore"
_NOBODY = 2


@dataclass(frozen=True)
class TraceSettings:
    mode: LogMode = "train"
    """Form of the records: `train` or `delta`."""
    my_turn_only: bool = False
    """Only mySide's decisions."""
    important_only: bool = True
    """Only turns that a trigger keeps."""
    context_radius: int = 0
    """How many turns before and after those are kept too."""
    go_stop_plus2: bool = False
    """A go keeps one more turn."""

    def __post_init__(self) -> None:
        if self.mode not in _FEWEST:
            raise SettingError(f"the log mode is {self.mode!r}, not train or delta")
        if self.context_radius < 0:
            raise SettingError(f"context_radius is {self.context_radius} and must be at least 0")


@dataclass
class _Entry:
    """An answer that may be written."""

    step: Step
    side: Side
    asked: Question
    choice: str
    reward: float
    causes: list[str]
    is_first: bool
    """True for the first choice of an action; its record holds the action's effects."""
    policy: str


class Tracer:
    """Gathers the decisions of one round."""

    def __init__(self, settings: TraceSettings, sides: Sequence[Side], policies: Sequence[str]) -> None:
        """`sides` and `policies` are by seat."""
        self._settings = settings
        self._sides = sides
        self._policies = policies
        self._rewards = Rewards()
        self._triggers = Triggers(plus2=settings.go_stop_plus2)
        self._entries: list[_Entry] = []

    def add(self, step: Step, *, explored: bool = False) -> None:
        given = answers(step.asked, step.action)
        found = self._triggers.find(step, [choice for _, choice in given])
        worth = self._rewards.give(step)
        policy = _EXPLORE if explored else self._policies[step.seat]
        for place, ((asked, choice), causes) in enumerate(zip(given, found, strict=True)):
            first = place == 0
            side = self._sides[step.seat]
            self._entries.append(_Entry(step, side, asked, choice, worth if first else 0.0, causes, first, policy))

    def records(self) -> list[dict[str, Any]]:
        """The `decision_trace`."""
        return [self._record(entry, causes) for entry, causes in self._chosen()]

    def split(self) -> list[dict[str, Any]]:
        """Return the kept decisions with only the fields that the frequency policy needs."""
        return [
            {
                "a": entry.side,
                "o": "first" if entry.step.before.is_first else "second",
                "dt": entry.asked.dt,
                "cc": len(entry.asked.choices),
                "ch": entry.choice,
                "cl": list(entry.asked.choices),
                "ck": key_of(entry.step.before, entry.asked),
            }
            for entry, _ in self._chosen()
        ]

    def causes(self) -> list[Collection[str]]:
        """Return the causes of all decisions that may be kept."""
        return [causes for _, causes in self._candidates()]

    def _candidates(self) -> list[tuple[_Entry, list[str]]]:
        settings = self._settings
        entries = [
            entry
            for entry in self._entries
            if len(entry.asked.choices) >= _FEWEST[settings.mode]
            and not (settings.my_turn_only and entry.side != SIDES[0])
        ]
        causes = [list(entry.causes) for entry in entries]
        if entries:
            causes[max(0, len(entries) - _TERMINAL)].append("terminalContext")
        return list(zip(entries, causes, strict=True))

    def _chosen(self) -> list[tuple[_Entry, list[str]]]:
        found = self._candidates()
        if not self._settings.important_only:
            return found
        turns = [entry.step.turn for entry, _ in found]
        wanted = kept(turns, [causes for _, causes in found], self._settings.context_radius)
        return [pair for pair, is_kept in zip(found, wanted, strict=True) if is_kept]

    def _record(self, entry: _Entry, causes: Collection[str]) -> dict[str, Any]:
        return _delta(entry) if self._settings.mode == "delta" else _train(entry, causes)


def game_line(
    game: Matgo,
    state: State,
    my_seat: int,
    labels: Sequence[str],
    number: int,
    seed: int,
    trace: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the fields of a finished game's line; `labels` are the players of mySide and of yourSide.

    If the gold of a game is not limited, the line has what was won but no gold before and after.
    """
    view = game.view(state)
    sides = {SIDES[0]: my_seat, SIDES[1]: 1 - my_seat}
    players = dict(zip(SIDES, labels, strict=True))
    line: dict[str, Any] = {
        "ver": VERSION,
        "run": players,
        "game": number,
        "seed": seed,
        "steps": len(state.history),
        "firstAttackerActor": SIDES[view.starter ^ my_seat],
        "policy": players,
        "winner": "draw" if view.winner == _NOBODY else SIDES[view.winner ^ my_seat],
        "score": {side: view.bases[seat] + view.gos[seat] for side, seat in sides.items()},
    }
    if view.funds is None:
        line |= {"goldDeltaMy": int(state.payoffs[my_seat])}
    else:
        mine, yours = sides.values()
        line |= {
            "initialGoldMy": view.funds[mine],
            "initialGoldYour": view.funds[yours],
            "finalGoldMy": view.gold[mine],
            "finalGoldYour": view.gold[yours],
            "goldDeltaMy": view.gold[mine] - view.funds[mine],
            "bankrupt": {side: view.gold[seat] == 0 for side, seat in sides.items()},
        }
    return line | {"decision_trace": trace}


def format_line(values: dict[str, Any]) -> str:
    """One line of JSON; the same values give the same bytes."""
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _train(entry: _Entry, causes: Collection[str]) -> dict[str, Any]:
    step, asked = entry.step, entry.asked
    record: dict[str, Any] = {
        "t": step.turn,
        "a": entry.side,
        "dt": asked.dt,
        "cc": len(asked.choices),
        "ch": entry.choice,
        "cl": list(asked.choices),
        "ir": entry.reward,
        "dc": context_of(step.before, asked.number),
        "ck": key_of(step.before, asked),
    }
    mask = mask_of(causes)
    return record | {"tm": mask} if mask else record


def _delta(entry: _Entry) -> dict[str, Any]:
    step = entry.step
    before = step.before
    # A card that is played with a shake has done its work in the card's own record.
    after = step.after if entry.is_first else before
    return {
        "t": step.turn,
        "a": entry.side,
        "ch": entry.choice,
        "delta": {
            "deck": after.stock - before.stock,
            "handSelf": after.hands[0] - before.hands[0],
            "handOpp": after.hands[1] - before.hands[1],
            "piSteal": step.pi_stolen if entry.is_first else 0,
            "goldSteal": step.gold_stolen if entry.is_first else 0,
            "capHand": [PLAIN_CODES[card] for card in step.by_hand] if entry.is_first else [],
            "capFlip": [PLAIN_CODES[card] for card in step.by_flip] if entry.is_first else [],
            "events": list(step.events) if entry.is_first else [],
        },
        "reasoning": {
            "policy": entry.policy,
            "candidatesCount": len(entry.asked.choices),
            "evaluation": entry.reward,
        },
    }
