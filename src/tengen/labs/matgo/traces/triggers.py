"""Which decisions matter, and which turns around them are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tengen.labs.matgo.traces.context import GWANG, SETS, Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tengen.labs.matgo.traces.steps import Step

__all__ = ["TRIGGERS", "WINDOWS", "Triggers", "Window", "kept", "mask_of"]

TRIGGERS = (
    "earlyTurnForced",
    "goStopOption",
    "shakingYesOption",
    "optionTurnOther",
    "deckEmpty",
    "specialEvent",
    "bombEvent",
    "riskShift",
    "comboThreatEnter",
    "terminalContext",
)
"""A trigger's bit in `tm` is its place here."""


class Window(NamedTuple):
    """What a cause sets and keeps: turns from T - back to T + forward."""

    trigger: str
    back: int
    forward: int


WINDOWS = {
    "earlyTurnForced": Window("earlyTurnForced", 0, 0),
    "goStopOption": Window("goStopOption", 1, 1),
    "goStopPlus2": Window("goStopOption", 1, 2),
    "shakingYesOption": Window("shakingYesOption", 0, 1),
    "optionTurnOther": Window("optionTurnOther", 0, 1),
    "deckEmpty": Window("deckEmpty", 1, 0),
    "specialEventPpuk": Window("specialEvent", 1, 1),
    "specialEventCore": Window("specialEvent", 1, 0),
    "bombDeclare": Window("bombEvent", 1, 1),
    "bombCountShift": Window("bombEvent", 0, 1),
    "riskShiftUp": Window("riskShift", 1, 0),
    "riskShiftDown": Window("riskShift", 0, 1),
    "riskShiftMixed": Window("riskShift", 0, 0),
    "comboThreatEnter": Window("comboThreatEnter", 0, 0),
    "terminalContext": Window("terminalContext", 0, 0),
}
"""By cause; several causes may set one trigger."""

_BITS = {cause: 1 << TRIGGERS.index(window.trigger) for cause, window in WINDOWS.items()} | {
    trigger: 1 << bit for bit, trigger in enumerate(TRIGGERS)
}
_NEAR = 2
_NO_RISKS = (0, 0, 0)
_NO_THREAT = (0, 0)


def mask_of(causes: Iterable[str]) -> int:
    """The `tm` of causes, or of triggers by their own names. Raises a KeyError for a name that is neither."""
    mask = 0
    for cause in causes:
        mask |= _BITS[cause]
    return mask


class Triggers:
    """The causes that one round's decisions give, decision by decision."""

    def __init__(self, *, plus2: bool = False) -> None:
        """`plus2`: a go keeps one more turn."""
        self._plus2 = plus2
        # As each seat left the table: what the opponent changed since counts at the seat's next decision.
        self._risks = [_NO_RISKS, _NO_RISKS]
        self._threats = [_NO_THREAT, _NO_THREAT]

    def find(self, step: Step, choices: Sequence[str]) -> list[list[str]]:
        """The causes of each answer that the action gave: the first one's, and those of a shake that was asked after
        it. What the action did counts for the first."""
        always = ["earlyTurnForced"] if step.own_turn <= 1 else []
        if step.before.stock <= 0:
            always.append("deckEmpty")
        found = [[*always, *self._answer(choice)] for choice in choices]
        found[0] += self._events(step) + self._shifts(step)
        return found

    def _answer(self, choice: str) -> list[str]:
        if choice == "go" and self._plus2:
            return ["goStopPlus2"]
        return [_ANSWERS[choice]] if choice in _ANSWERS else []

    def _events(self, step: Step) -> list[str]:
        causes = []
        if "ppuk" in step.events:
            causes.append("specialEventPpuk")
        if not {"jjok", "ddadak", "eat", "pansseul"}.isdisjoint(step.events):
            causes.append("specialEventCore")
        if "bomb" in step.events:
            causes.append("bombDeclare")
        if step.before.bombs != step.after.bombs:
            causes.append("bombCountShift")
        return causes

    def _shifts(self, step: Step) -> list[str]:
        seat, before, after = step.seat, step.before, step.after
        risks = self._risks[seat], before.risks, after.risks
        threats = self._threats[seat], _threat(before), _threat(after)
        self._risks[seat], self._threats[seat] = after.risks, threats[2]
        changes = [new - old for i in (0, 1) for old, new in zip(risks[i], risks[i + 1], strict=True)]
        causes = []
        if any(changes):
            is_up, is_down = max(changes) > 0, min(changes) < 0
            causes.append("riskShiftMixed" if is_up and is_down else "riskShiftUp" if is_up else "riskShiftDown")
        if any(threats[i + 1][0] & ~threats[i][0] or threats[i + 1][1] > threats[i][1] for i in (0, 1)):
            causes.append("comboThreatEnter")
        return causes


_ANSWERS = dict.fromkeys(("go", "stop"), "goStopOption") | {"shake": "shakingYesOption"}
_ANSWERS |= dict.fromkeys(("no_shake", "president_stop", "president_hold", "five", "junk"), "optionTurnOther")


def _threat(seen: Sight) -> tuple[int, int]:
    """The sets that the opponent is near to and that no card of one's own stops, as bits; and the level of gwang."""
    own = seen.hand | seen.captured[0]
    progress = seen.progress[1]
    near = sum(
        1 << i
        for i, (count, cards) in enumerate(zip(progress, SETS.values(), strict=False))
        if count >= _NEAR and not own & cards
    )
    lights, own_lights = progress[-1], (own & GWANG).bit_count()
    if lights > _NEAR and own_lights < _NEAR:
        return near, 2
    return near, int(lights == _NEAR and own_lights <= _NEAR)


def kept(turns: Sequence[int], causes: Sequence[Collection[str]], radius: int = 0) -> list[bool]:
    """Which records of a game are kept, by their turns and causes: those of every turn in some window, and of turns
    up to `radius` away from such a one. Without any cause all are."""
    wanted: set[int] = set()
    for turn, own in zip(turns, causes, strict=True):
        for cause in own:
            window = WINDOWS[cause]
            wanted.update(range(turn - window.back - radius, turn + window.forward + radius + 1))
    return [turn in wanted or not wanted for turn in turns]
