"""What a report counts of one game. Every figure is a number of the game; sums over games are left to the report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tengen.labs.matgo.traces.records import SIDES, Side
from tengen.labs.matgo.traces.steps import EVENTS
from tengen.labs.matgo.traces.triggers import TRIGGERS, mask_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tengen import _core
    from tengen.labs.matgo.traces.steps import Step

__all__ = ["BAKS", "COUNTED", "Figures"]

COUNTED = (*EVENTS, "bonus", "shake", "president")
"""Events of a side; bonus: a bonus card was captured; president: four of a month were asked about."""
BAKS = ("piBak", "gwangBak", "mongBak", "goBak")

_NOBODY = 2
_BY_STOP = 1
_BY_EXHAUSTION = 5
_FIRST_BONUS = 48
_GO, _STOP = 161, 162
_ENDINGS = {1: "stop", 2: "president", 3: "floorFour", 4: "threePpuks", 5: "exhaustion"}


class Figures:
    """By name; a side's are `mySide.gos` and so on. What did not happen is 0."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self.values: dict[str, int | float] = {}

    def add(self, step: Step, side: Side, *, explored: bool, fell_back: bool) -> None:
        count = self._counts
        count["decisions"] += 1
        count["explored"] += explored
        count["fallbacks"] += fell_back
        for event in step.events:
            count[f"{side}.{event}"] += 1
        count[f"{side}.bonus"] += sum(card >= _FIRST_BONUS for card in (*step.by_hand, *step.by_flip))
        count[f"{side}.shake"] += step.after.shakes[0] - step.before.shakes[0]
        count[f"{side}.president"] += step.asked.phase == "president"
        count[f"{side}.piStolen"] += step.pi_stolen
        count[f"{side}.goldStolen"] += step.gold_stolen
        count[f"{side}.goStopDecisions"] += step.asked.phase == "go_stop"
        count[f"{side}.gos"] += step.action == _GO
        count[f"{side}.stops"] += step.action == _STOP

    def finish(self, view: _core.MatgoView, my_seat: int, causes: Sequence[Collection[str]], records: int) -> None:
        """`causes`: of all records that might be kept; `records`: how many were."""
        count = self._counts
        assert view.funds is not None
        count["goldDeltaMy"] = view.gold[my_seat] - view.funds[my_seat]
        count["firstIsMine"] = int(view.starter == my_seat)
        count["nagari"] = int(view.winner == _NOBODY)
        count["carry"] = view.carry
        count["records"] = records
        count[f"ending.{_ENDINGS[view.ending]}"] = 1
        for seat in (my_seat, 1 - my_seat):
            side = SIDES[seat ^ my_seat]
            won = view.winner == seat
            count[f"{side}.wins"] = int(won)
            count[f"{side}.bankrupt"] = int(view.gold[seat] == 0)
            count[f"{side}.score"] = view.bases[seat] + view.gos[seat]
            gone = view.gos[seat] > 0
            count[f"{side}.goGames"] = int(gone)
            count[f"{side}.goWins"] = int(gone and won)
            count[f"{side}.goFails"] = int(gone and not won)
        self._baks(view, my_seat)
        for own in causes:
            mask = mask_of(own)
            for bit, trigger in enumerate(TRIGGERS):
                count[f"trigger.{trigger}"] += mask >> bit & 1
        self.values = {name: number for name, number in sorted(count.items()) if number}

    def _baks(self, view: _core.MatgoView, my_seat: int) -> None:
        """By who inflicts them: what multiplied the winner's points. Other endings pay without them."""
        if view.winner == _NOBODY or view.ending not in (_BY_STOP, _BY_EXHAUSTION):
            return
        own = view.multipliers[view.winner]
        side = SIDES[view.winner ^ my_seat]
        self._counts[f"{side}.paid"] = 1
        for name, there in zip(BAKS, (own.pi_bak, own.gwang_bak, own.mong_bak, own.go_bak), strict=True):
            self._counts[f"{side}.{name}"] = int(there)
